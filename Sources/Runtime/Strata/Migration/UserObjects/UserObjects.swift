import SQLSchema

/// The tables, indexes, views and triggers that the app created in a store beside the schema's own.
///
/// A migration keeps them. It drops views, triggers and indexes that conflict with it, and creates them again at its
/// end. It reports the objects that no longer fit the tables. A table whose name the schema needs is renamed.
struct UserObjects {
    private let views: [SchemaObject]
    private let triggers: [SchemaObject]
    private let indexes: [SchemaObject]
    /// The statements on views and on tables with triggers that SQLite could prepare before the migration.
    private let uses: [Use]
    /// The new names of the app's tables that were renamed, by their old names.
    let renamedTables: [String: String]
    /// The lowercased old names of renamed tables that views and triggers may still use.
    private let oldNames: Set<String>

    /// A statement that SQLite can prepare only if a view or a trigger fits the tables.
    private struct Use {
        /// The view or the trigger.
        let name: String
        /// The table or the view that the statement reads or changes.
        let table: String
        let kind: Kind

        enum Kind {
            case select, insert, update, delete
        }

        func isPossible(_ connection: Connection) throws -> Bool {
            let table = SQL.quoted(self.table)
            let statement: String
            switch kind {
            case .select: statement = "SELECT * FROM \(table)"
            case .insert: statement = "INSERT INTO \(table) SELECT * FROM \(table)"
            case .delete: statement = "DELETE FROM \(table)"
            case .update:
                let list = "SELECT name FROM pragma_table_info(\(SQL.literal(self.table)))"
                // A view that was already broken has no columns.
                guard let columns = try? connection.texts(list) else { return false }
                let values = columns.map { "\(SQL.quoted($0)) = \(SQL.quoted($0))" }.joined(separator: ", ")
                statement = "UPDATE \(table) SET \(values)"
            }
            return (try? connection.prepare(statement)) != nil
        }
    }

    // MARK: Before the migration

    /// Drops or renames the objects that conflict with a migration.
    ///
    /// - Parameters:
    ///   - connection: The database.
    ///   - run: The migration.
    ///   - copied: The names of further tables that are replaced by copies.
    init(takenFrom connection: Connection, _ run: MigrationRun, copied: Set<String>) throws {
        let old = run.path.source.tables
        // With the pragma off, ALTER TABLE ... RENAME updates all references to the table.
        try connection.execute("PRAGMA legacy_alter_table = OFF")
        let own = Dictionary(old.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        let needed = Self.neededNames(run.stages, old: old)
        let before = try Self.objects(in: connection)
        var taken = Set(before.map { $0.name.lowercased() }).union(needed)
        var renamed: [String: String] = [:]
        var unfinished: [String: String] = [:]
        for table in before
        where table.type == "table" && own[table.name] == nil && needed.contains(table.name.lowercased()) {
            let name = Self.freeName(table.name, &taken)
            do {
                try connection.execute("ALTER TABLE \(SQL.quoted(table.name)) RENAME TO \(SQL.quoted(name))")
                renamed[table.name] = name
            } catch let error as SQLiteError where error.code == 1 {
                // A broken view or trigger makes RENAME fail. The table is renamed after all of them are dropped.
                unfinished[table.name] = name
            }
        }
        let found = unfinished.isEmpty && renamed.isEmpty ? before : try Self.objects(in: connection)
        views = found.filter { $0.type == "view" }
        triggers = found.filter { $0.type == "trigger" }
        let touched = run.lineage.touched.union(copied)
        indexes = Self.userIndexes(found, own: own).filter { index in
            // Whenever SQLite renames something, it checks the expressions and conditions of all indexes.
            needed.contains(index.name.lowercased()) || touched.contains(index.table) || UserIndex(index.sql).isComputed
        }
        // SQLite parses the SQL of views and triggers only when they are used, so some may already be broken.
        let all =
            views.map { Use(name: $0.name, table: $0.name, kind: .select) }
            + triggers.flatMap { trigger in
                [.insert, .update, .delete].map { Use(name: trigger.name, table: trigger.table, kind: $0) }
            }
        uses = try all.filter { try $0.isPossible(connection) }
        for object in triggers + views + indexes {
            try connection.execute("DROP \(object.type.uppercased()) \(SQL.quoted(object.name))")
        }
        for (table, name) in unfinished {
            try connection.execute("ALTER TABLE \(SQL.quoted(table)) RENAME TO \(SQL.quoted(name))")
            renamed[table] = name
        }
        renamedTables = renamed
        oldNames = Set(unfinished.keys.map { $0.lowercased() })
    }

    /// All objects that have SQL, except those with names that SQLite and Strata reserve.
    private static func objects(in connection: Connection) throws -> [SchemaObject] {
        try SchemaObject.all(in: connection).filter { !$0.isReserved }
    }

    /// The indexes that the app created: those on other tables, and additional ones on the schema's tables.
    private static func userIndexes(_ objects: [SchemaObject], own: [String: Table]) -> [SchemaObject] {
        var left: [String: [String]] = [:]
        for table in own.values {
            left[table.name] = table.indexes.map {
                SchemaComparison.unnamed(SQLite.createIndex($0, on: table.name), $0.name)
            }
        }
        let names = Set(own.values.flatMap(\.indexes).map(\.name))
        // Indexes with the schema's names come first, because the app may have created another on the same columns.
        let found = objects.filter { $0.type == "index" }
        return (found.filter { names.contains($0.name) } + found.filter { !names.contains($0.name) }).filter { index in
            let text = SchemaComparison.unnamed(index.sql, index.name)
            guard let match = left[index.table]?.firstIndex(of: text) else { return true }
            left[index.table]?.remove(at: match)
            return false
        }
    }

    /// The lowercased names of tables and indexes that the migration adds.
    private static func neededNames(_ stages: [MigrationStage], old: [Table]) -> Set<String> {
        let known = Set((old.map(\.name) + old.flatMap(\.indexes).map(\.name)).map { $0.lowercased() })
        let new = stages.flatMap(\.mapping.new)
        return Set((new.map(\.name) + new.flatMap(\.indexes).map(\.name)).map { $0.lowercased() }).subtracting(known)
    }

    private static func freeName(_ name: String, _ taken: inout Set<String>) -> String {
        var (candidate, number) = (name + "_user", 2)
        while !taken.insert(candidate.lowercased()).inserted {
            candidate = "\(name)_user\(number)"
            number += 1
        }
        return candidate
    }

    // MARK: After the migration

    /// Creates the views, triggers and indexes again. Returns the objects that no longer fit the tables.
    func putBack(into connection: Connection, _ lineage: TableLineage) throws -> [MigrationReport.DroppedObject] {
        var dropped: [MigrationReport.DroppedObject] = []
        func drop(_ object: SchemaObject) {
            dropped.append(.init(type: object.type, name: object.name, sql: object.sql))
        }
        let rest = (views + triggers).map(\.name)
        var taken = Set((try Self.objects(in: connection).map(\.name) + rest).map { $0.lowercased() })
        // The app's SQL may have been written for a connection that accepts double-quoted strings.
        try connection.allowingQuotedStrings {
            for index in indexes {
                var name = index.name
                if taken.contains(name.lowercased()) { name = Self.freeName(name, &taken) }
                let line = lineage.line(of: index.table)
                let table = line?.table ?? renamedTables[index.table] ?? index.table
                let columns = (line?.names ?? [:]).filter { $0.key != $0.value }
                let sql = UserIndex(index.sql).renamed(name, table: table, columns: columns)
                do {
                    try index.renamed(name, table: table, sql: sql).create(in: connection)
                } catch let error as SQLiteError where error.isAboutSchema {
                    drop(index)
                }
            }
            let created = try views.filter { view in
                if try create(view, in: connection) { return true }
                drop(view)
                return false
            }
            for use in uses where use.kind == .select {
                guard let view = created.first(where: { $0.name == use.name }), try !use.isPossible(connection) else {
                    continue
                }
                drop(view)
                try connection.execute("DROP VIEW IF EXISTS \(SQL.quoted(view.name))")
            }
            // Each trigger is tested before the next one is created, so that a failure belongs to this trigger.
            for trigger in triggers {
                guard try create(trigger, in: connection) else {
                    drop(trigger)
                    continue
                }
                for use in uses where use.name == trigger.name && use.kind != .select {
                    if try use.isPossible(connection) { continue }
                    drop(trigger)
                    try connection.execute("DROP TRIGGER IF EXISTS \(SQL.quoted(trigger.name))")
                    break
                }
            }
        }
        return dropped
    }

    /// Creates a view or a trigger again. Returns whether that was possible.
    private func create(_ object: SchemaObject, in connection: Connection) throws -> Bool {
        // The object uses the old name of a renamed table. That name belongs to one of the schema's tables now.
        if !oldNames.isDisjoint(with: UserIndex(object.sql).words) { return false }
        do {
            try object.create(in: connection)
            return true
        } catch let error as SQLiteError where error.isAboutSchema {
            return false
        }
    }
}

extension SQLiteError {
    /// Whether a statement does not fit the tables (SQLITE_ERROR), rows violate a unique index (SQLITE_CONSTRAINT), or the
    /// statement does not create the object (SQLITE_AUTH).
    fileprivate var isAboutSchema: Bool { [1, 19, 23].contains(code) }
}
