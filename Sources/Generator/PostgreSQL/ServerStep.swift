import SchemaDiff
import SchemaModel
import SQLSchema

/// A step between two versions on a server, in four phases.
package struct ServerStep: Sendable {
    /// The names of the versions.
    package let from: String
    package let to: String
    /// The files, in their order.
    package internal(set) var files: [ServerFile] = []
    /// The changes because of which apps of the new version cannot start before `contract`, in words.
    package internal(set) var lateChanges: [String] = []
    /// The old columns that are NULL in rows which an app of the new version has written: `movie.title`.
    package internal(set) var lostColumns: [String] = []
    /// The names of the tables that the step changes, in both versions.
    package internal(set) var tables: Set<String> = []
    /// The tables that the phase `contract` copies while nothing else can use them.
    package internal(set) var rewrittenTables: [String] = []

    /// The files that you write for a custom migration, with their stubs.
    package internal(set) var stubs: [(name: String, text: String)] = []
    /// The names of those files that are still stubs.
    package internal(set) var unwritten: [String] = []

    let step: SchemaStep
    let old: [ServerTable]
    let new: [ServerTable]
    let transitions: [TableTransition]
    let created: [ServerTable]
    let dropped: [ServerTable]
    let instructions: ServerInstructions?

    // The statements of the phases.
    var renames: [String] = []
    var creations: [String] = []
    var expand: [String] = []
    var concurrent: [(name: String, statements: [String])] = []
    var backfills: [ServerBackfill] = []
    var checks: [String] = []
    var validIndexes: [(name: String, statements: [String])] = []
    var settled: [String] = []
    var tightened: [String] = []
    var tightenedChecks: [String] = []
    var lateIndexes: [(name: String, statements: [String])] = []
    var contract: [String] = []
    var lateDrops: [String] = []
    var tableDrops: [String] = []
    /// The statements that change rows in place by SQL that you have written.
    var customUpdates: [String] = []
    var tableRenames: [(before: String, after: String)] = []
    var keyRenames: [String] = []
    /// The statements that fill tables from others.
    var fills: [String] = []
    var lateTables: [String] = []
    /// The tables that Citus places after all tables and columns have their final names.
    var lateDistributions: [ServerTable] = []
    var lateCreations: [String] = []
    var lateValidations: [String] = []
    var lastIndexes: [(name: String, statements: [String])] = []

    /// Creates the step.
    ///
    /// - Parameters:
    ///   - step: The step of the stores.
    ///   - instructions: The SQL that you have written for a custom migration.
    /// - Throws: `ServerExpression.Unsupported` if an expression has no equivalent in PostgreSQL.
    package init(_ step: SchemaStep, instructions: ServerInstructions? = nil) throws(ServerExpression.Unsupported) {
        self.step = step
        self.instructions = instructions
        (from, to) = (step.from.version.description, step.to.version.description)
        (old, new) = (step.from.serverTables, step.to.serverTables)
        var sources: [String: (String, TableChange)] = [:]
        var replaced: Set<String> = []
        for change in step.tableChanges {
            switch change {
            case .map(let source, let target, _, _), .custom(let source, let target, _, _):
                sources[target] = (source, change)
            case .create(let name): replaced.insert(name)
            case .drop: break
            }
        }
        let oldTables = Dictionary(old.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        var transitions: [TableTransition] = []
        var created: [ServerTable] = []
        var filled: [TableTransition] = []
        for table in new {
            if let (source, change) = sources[table.name], let before = oldTables[source] {
                let transition = TableTransition(from: before, to: table, change: change)
                // The pairs of a relationship may come from a column of an entity's table.
                if before.table.isJoinTable == table.table.isJoinTable {
                    transitions.append(transition)
                } else {
                    created.append(table)
                    filled.append(transition)
                }
            } else if !replaced.contains(table.name), let before = oldTables[table.name] {
                transitions.append(TableTransition(from: before, to: table, change: nil))
            } else {
                created.append(table)
            }
        }
        (self.transitions, self.created) = (transitions, created)
        let kept = Set(transitions.map(\.old.name))
        dropped = old.filter { !kept.contains($0.name) }
        for transition in transitions {
            try add(transition)
            if transition.old != transition.new || sources[transition.new.name] != nil {
                tables.formUnion([transition.old.name, transition.new.name])
            }
        }
        tables.formUnion((created + dropped).map(\.name))
        try addCreated()
        for change in filled {
            let source = transitions.first { $0.old.name == change.old.name }.map(present) ?? change.old.name
            guard let copy = try change.copy(from: source, into: change.new.name) else { continue }
            lateChanges.append("the pairs of \(change.new.name) come from the table \(change.old.name)")
            fills.append(copy + "\nON CONFLICT DO NOTHING")
        }
        let before = Set(old.flatMap { $0.table.columns.compactMap(\.collation) })
        let after = Set(new.flatMap { $0.table.columns.compactMap(\.collation) }).subtracting(before)
        creations.insert(contentsOf: Collation.allCases.filter(after.contains).compactMap(PostgreSQL.create), at: 0)
        for table in dropped { tableDrops.append("DROP TABLE IF EXISTS \(PostgreSQL.quoted(table.name)) CASCADE") }
        assemble()
    }

    /// Returns the statements of a file that you have written, or else those of its stub.
    mutating func written(_ name: String, or stub: String) -> String {
        let text = instructions?.files[name] ?? stub
        stubs.append((name, stub))
        if ServerInstructions.isUnwritten(text) { unwritten.append(name) }
        return ServerInstructions.statement(text)
    }

    // MARK: Names

    func owner(of name: String, in tables: [ServerTable]) -> TableOwner? {
        tables.first { $0.name == name }?.owner
    }

    func transition(to name: String) -> TableTransition? { transitions.first { $0.new.name == name } }

    /// Whether an old table that is there until `contract` has the name of a new one.
    func isTaken(_ name: String) -> Bool {
        old.contains { $0.name == name } && transition(to: name)?.old.name != name
    }

    /// The name of a table of the new version before `contract`.
    func present(_ table: TableTransition) -> String {
        isTaken(table.new.name) ? table.old.name : table.new.name
    }

    /// Whether the foreign keys to a table have to wait for `contract`.
    func isLateTarget(_ key: Table.ForeignKey) -> Bool {
        isTaken(key.target) || transition(to: key.target)?.isRebuilt == true
            || transition(to: key.target).map { target in key.targetColumns.contains { target.isLate($0) } } == true
    }

    // MARK: Tables

    mutating func addCreated() throws(ServerExpression.Unsupported) {
        for table in created {
            let isLate = isTaken(table.name)
            if isLate { lateChanges.append("the table \(table.name) replaces another one of this name") }
            var statements = [try PostgreSQL.createTable(table)]
            for index in table.table.indexes {
                statements.append(try PostgreSQL.createIndex(index, on: table, concurrently: false))
            }
            if isLate { lateTables += statements } else { creations += statements }
        }
        let distributed = created.filter { $0.distribution != nil }
        creations += PostgreSQL.distribute(distributed.filter { !isTaken($0.name) })
        lateDistributions += distributed.filter { isTaken($0.name) }
        for table in created {
            for key in table.table.foreignKeys {
                add(key, to: table, isLate: isTaken(table.name) || isLateTarget(key))
            }
        }
    }

    /// Adds a foreign key whose columns have their final names.
    mutating func add(_ key: Table.ForeignKey, to table: ServerTable, isLate: Bool) {
        addConstraint(
            table.name(of: key), PostgreSQL.constraint(key, in: table), on: table.name, isLate ? .end : .expand)
    }

    mutating func add(_ change: TableTransition) throws(ServerExpression.Unsupported) {
        if change.isRebuilt { return try rebuild(change) }
        let (old, new, name) = (change.old, change.new, present(change))
        let table = PostgreSQL.quoted(name)
        let alter = "ALTER TABLE \(table) "
        if old.name != new.name {
            if isTaken(new.name) {
                lateChanges.append("the table \(new.name) replaces another one of this name")
                // Two tables may swap their names.
                let between = TableTransition.prefix + new.name
                tableRenames.append((Self.renameTable(old.name, between), Self.renameTable(between, new.name)))
            } else {
                renames.append(
                    Self.unless(
                        "EXISTS (SELECT FROM pg_class WHERE relname = \(SQL.literal(PostgreSQL.shortened(new.name))) "
                            + "AND relnamespace = current_schema()::regnamespace)",
                        "ALTER TABLE \(PostgreSQL.quoted(old.name)) RENAME TO \(table)"))
            }
        }
        addColumns(change, alter)
        try addTrigger(change, table)
        try addChecks(change, alter)
        try addIndexes(change, name)
        addForeignKeys(change, name)
        // Old apps use the view until the phase `contract`.
        if old.name != name {
            let columns = old.table.allColumnNames.map(PostgreSQL.quoted).joined(separator: ", ")
            expand.append("CREATE OR REPLACE VIEW \(PostgreSQL.quoted(old.name)) AS SELECT \(columns) FROM \(table)")
            expand.append(
                "SELECT strata_copy_privileges(\(SQL.literal(table)), \(SQL.literal(PostgreSQL.quoted(old.name))))")
            contract.insert("DROP VIEW IF EXISTS \(PostgreSQL.quoted(old.name))", at: 0)
        }
        renameConstraint(old.primaryKeyName, new.primaryKeyName, of: new)
        if new.distribution != old.distribution { lateDistributions.append(new) }
    }

    /// Renames a constraint at the end, when its table has the final name.
    mutating func renameConstraint(_ before: String, _ after: String, of table: ServerTable) {
        guard before != after else { return }
        let statement =
            "ALTER TABLE \(PostgreSQL.quoted(table.name)) RENAME CONSTRAINT \(PostgreSQL.quoted(before)) "
            + "TO \(PostgreSQL.quoted(after))"
        lateCreations.append(Self.when(Self.hasConstraint(before, of: table.name), statement))
    }

    static func renameTable(_ before: String, _ after: String) -> String {
        "ALTER TABLE IF EXISTS \(PostgreSQL.quoted(before)) RENAME TO \(PostgreSQL.quoted(after))"
    }

    static func hasConstraint(_ name: String, of table: String) -> String {
        "EXISTS (SELECT FROM pg_constraint WHERE conrelid = to_regclass("
            + "\(SQL.literal(PostgreSQL.quoted(table)))) AND conname = \(SQL.literal(PostgreSQL.shortened(name))))"
    }

    static func hasColumn(_ name: String, of table: String) -> String {
        "EXISTS (SELECT FROM pg_attribute WHERE attrelid = to_regclass("
            + "\(SQL.literal(PostgreSQL.quoted(table)))) AND attname = \(SQL.literal(PostgreSQL.shortened(name))) "
            + "AND NOT attisdropped)"
    }

    static func when(_ condition: String, _ statement: String) -> String {
        "DO $strata$ BEGIN\n    IF \(condition) THEN\n        \(statement);\n    END IF;\nEND $strata$"
    }

    static func unless(_ condition: String, _ statement: String) -> String {
        when("NOT (\(condition))", statement)
    }

    // MARK: Rebuilt tables

    /// Replaces a table whose primary key has other columns. SQL that you write copies the rows.
    mutating func rebuild(_ change: TableTransition) throws(ServerExpression.Unsupported) {
        let (old, new) = (change.old, change.new)
        lateChanges.append("the table \(new.name) has another primary key")
        rewrittenTables.append(new.name)
        let name = TableTransition.prefix + new.name
        let copy = ServerTable(owner: new.owner, table: new.table.named(name), types: new.types)
        lateDrops.append(try PostgreSQL.createTable(copy))
        let statement = try change.copy(from: old.name, into: name)
        lateDrops.append(
            statement ?? written(new.name + ".copy.sql", or: ServerInstructions.copy(change, into: name, from, to)))
        lateDrops.append("DROP TABLE IF EXISTS \(PostgreSQL.quoted(old.name)) CASCADE")
        lateDrops.append("ALTER TABLE \(PostgreSQL.quoted(name)) RENAME TO \(PostgreSQL.quoted(new.name))")
        renameConstraint(copy.primaryKeyName, new.primaryKeyName, of: new)
        if new.distribution != nil { lateDistributions.append(new) }
        for index in new.table.indexes {
            lateCreations.append(try PostgreSQL.createIndex(index, on: new, concurrently: false))
        }
        for key in new.table.foreignKeys { add(key, to: new, isLate: true) }
    }

    // MARK: Files

    mutating func assemble() {
        for change in transitions where !change.requiring.isEmpty && !change.isRebuilt {
            let conditions = change.requiring.compactMap(\.columnName).map { "\(PostgreSQL.quoted($0)) IS NULL" }
            tightened.insert(
                "DELETE FROM \(PostgreSQL.quoted(present(change))) WHERE \(conditions.joined(separator: " OR "))", at: 0
            )
        }
        let own = instructions?.files[ServerInstructions.contractFile].map { [ServerInstructions.statement($0)] } ?? []
        files = [ServerFile(.expand, .transaction, statements: renames + creations + expand)]
        files += concurrent.map { ServerFile(.expand, index: $0.name, $0.statements) }
        files += backfills.map { ServerFile($0) }
        if !checks.isEmpty { files.append(ServerFile(.validate, .validation, "constraints", statements: checks)) }
        files += validIndexes.map { ServerFile(.validate, index: $0.name, $0.statements) }
        files.append(ServerFile(.validate, .transaction, statements: settled))
        if !tightened.isEmpty {
            files.append(ServerFile(.contract, .transaction, "constraints", statements: tightened))
        }
        if !tightenedChecks.isEmpty {
            files.append(ServerFile(.contract, .validation, "checks", statements: tightenedChecks))
        }
        files += lateIndexes.map { ServerFile(.contract, index: $0.name, $0.statements) }
        files.append(
            ServerFile(
                .contract, .transaction,
                statements: contract + customUpdates + own + fills + tableDrops + tableRenames.map(\.before)
                    + tableRenames.map(\.after) + lateDrops + keyRenames + lateTables
                    + PostgreSQL.distribute(lateDistributions) + lateCreations))
        if !lateValidations.isEmpty {
            files.append(ServerFile(.contract, .validation, "validate", statements: lateValidations))
        }
        files += lastIndexes.map { ServerFile(.contract, index: $0.name, $0.statements) }
    }
}

extension Table {
    /// The same table with another name.
    func named(_ name: String) -> Table {
        var table = self
        table.name = name
        return table
    }
}

extension ValueExpression {
    /// The columns that the value depends on.
    var columnsRead: [String] {
        switch self {
        case .column(let name): [name]
        case .literal, .null: []
        case .coalesce(let first, let second): first.columnsRead + second.columnsRead
        case .replaced(let value, _, let other): value.columnsRead + other.columnsRead
        case .changed(let value, _): value.columnsRead
        }
    }
}
