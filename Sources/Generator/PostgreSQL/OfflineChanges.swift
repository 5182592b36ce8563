import SQLSchema
import SchemaModel

/// The part of a step that runs while no app writes: one transaction, whose statements are in the order of their execution.
struct OfflineChanges {
    private var locked: Set<String> = []
    private var deletions: [String] = []
    private var foreignKeyDrops: [String] = []
    private var drops: [String] = []
    private var tableRenames: [(before: String, after: String)] = []
    private var columnRenames: [String] = []
    private var constraintRenames: [(table: String, before: String, after: String)] = []
    private var additions: [String] = []
    private var fills: [String] = []
    private var updates: [String] = []
    private var retypes: [String] = []
    private var removals: [String] = []
    private var collationDrops: [String] = []
    private var tightening: [String] = []
    private var keys: [String] = []
    private var constraints: [String] = []
    private var distributions: [String] = []
    /// The tables and columns that lose what was created for them, in words.
    private(set) var replaced: [String] = []

    private let tables: StepTables
    private let online: OnlineChanges
    /// The statements of the custom migration that you have written; nil if the step needs none.
    private let custom: String?

    init(_ tables: StepTables, after online: OnlineChanges, custom: String?) throws(ServerExpression.Unsupported) {
        (self.tables, self.online, self.custom) = (tables, online, custom)
        try createLateTables()
        for change in tables.transitions { try add(change) }
        for table in tables.dropped { drop(table) }
        for (change, requiring) in tables.fills { try fill(change, requiring) }
        for table in tables.created {
            for key in table.table.foreignKeys where !online.adds(table.name(of: key), to: table.name) {
                constraints.append(Self.alter(table.name) + "ADD " + PostgreSQL.constraint(key, in: table))
                lockTarget(of: key)
            }
        }
    }

    /// All statements, except the checks and the change of the version.
    var statements: [String] {
        let lock = locked.sorted().map(PostgreSQL.quoted).joined(separator: ", ")
        var statements = lock.isEmpty ? [] : ["LOCK TABLE \(lock) IN ACCESS EXCLUSIVE MODE"]
        // No old delete rule applies to the rows of a cache.
        statements += foreignKeyDrops + deletions
        // A table with deferred checks that have not run yet cannot be altered.
        statements.append("SET CONSTRAINTS ALL IMMEDIATE")
        statements += drops
        statements += Self.renames(tableRenames.map { ("", $0.before, $0.after) }).map {
            Self.alter($0.before) + "RENAME TO \(PostgreSQL.quoted($0.after))"
        }
        statements += columnRenames
        statements += Self.renames(constraintRenames).map {
            Self.alter($0.table)
                + "RENAME CONSTRAINT \(PostgreSQL.quoted($0.before)) TO \(PostgreSQL.quoted($0.after))"
        }
        statements += additions + fills + updates + retypes
        if let custom {
            let transaction = StepAssertions.transaction
            statements += [transaction.begin, "SET CONSTRAINTS ALL DEFERRED", custom, transaction.end]
            statements.append("SET CONSTRAINTS ALL IMMEDIATE")
        }
        statements += removals + collationDrops + tightening + keys + distributions + constraints
        return statements.count == 1 ? [] : statements
    }

    private static func alter(_ table: String) -> String { "ALTER TABLE \(PostgreSQL.quoted(table)) " }

    /// Returns renames in an order in which each new name is free. Names that are exchanged need temporary ones.
    private static func renames(
        _ renames: [(table: String, before: String, after: String)]
    ) -> [(table: String, before: String, after: String)] {
        let present = Set(renames.map(\.before))
        let blocked = renames.filter { present.contains($0.after) }
        return blocked.map { ($0.table, $0.before, TableTransition.newPrefix + $0.after) }
            + renames.filter { !present.contains($0.after) }
            + blocked.map { ($0.table, TableTransition.newPrefix + $0.after, $0.after) }
    }

    private mutating func lockTarget(of key: Table.ForeignKey) {
        if let target = tables.transition(to: key.target) { locked.insert(target.old.name) }
    }

    // MARK: Tables

    private mutating func createLateTables() throws(ServerExpression.Unsupported) {
        let late = tables.created.filter { !tables.isOnline($0) }
        let (before, after) = (Self.collations(of: tables.old), Self.collations(of: tables.new))
        additions += Collation.allCases.filter(after.subtracting(before).contains).compactMap(PostgreSQL.create)
        collationDrops = Collation.allCases.filter(before.subtracting(after).contains).compactMap(PostgreSQL.drop)
        for table in late { additions.append(try PostgreSQL.createTable(table)) }
        for table in tables.created {
            for index in table.table.indexes where !online.adds(index.name, to: table.name) {
                constraints.append(try PostgreSQL.createIndex(index, on: table))
            }
        }
        distributions += PostgreSQL.distribute(late.filter { $0.distribution != nil })
    }

    private static func collations(of tables: [ServerTable]) -> Set<Collation> {
        Set(tables.flatMap { $0.table.columns.compactMap(\.collation) })
    }

    private mutating func drop(_ table: ServerTable) {
        locked.insert(table.name)
        let name = tables.present(table)
        for key in table.table.foreignKeys {
            foreignKeyDrops.append(Self.alter(table.name) + "DROP CONSTRAINT \(PostgreSQL.quoted(table.name(of: key)))")
        }
        if name != table.name {
            // A new table needs these names.
            tableRenames.append((table.name, name))
            drops.append(Self.alter(table.name) + "DROP CONSTRAINT \(PostgreSQL.quoted(table.primaryKeyName))")
        }
        for index in table.table.indexes { drops.append("DROP INDEX \(PostgreSQL.quoted(index.name))") }
        // The table of the same entity or relationship is a new one: its rows have other keys.
        if tables.new.contains(where: { $0.owner == table.owner }) {
            replaced.append("table \(table.name)")
            deletions.append(StepAssertions.hasNoPrivileges(table.name))
        }
        removals.append("DROP TABLE \(PostgreSQL.quoted(name))")
    }

    private mutating func fill(
        _ change: TableTransition, _ requiring: [ValueExpression]
    ) throws(ServerExpression.Unsupported) {
        let source = tables.transition(from: change.old.name)
        fills.append(
            try change.copy(from: tables.present(change.old), requiring: requiring) { source?.present($0) ?? $0 })
    }

    // MARK: An altered table

    private mutating func add(_ change: TableTransition) throws(ServerExpression.Unsupported) {
        let (old, new) = (change.old, change.new)
        if change.isEmptied { deletions.append("DELETE FROM \(PostgreSQL.quoted(old.name))") }
        if old.name != new.name { tableRenames.append((old.name, new.name)) }
        addForeignKeys(change)
        try addChecks(change)
        try addIndexes(change)
        addPrimaryKey(change)
        try addComputed(change)
        for rename in Self.renames(change.renames.map { ("", $0.before, $0.after) }) {
            columnRenames.append(
                Self.alter(new.name)
                    + "RENAME COLUMN \(PostgreSQL.quoted(rename.before)) TO \(PostgreSQL.quoted(rename.after))")
        }
        try addColumns(change)
        if distribution(of: change) != new.distribution {
            distributions += PostgreSQL.distribute([new], wasDistributed: old.distribution != nil)
        }
        if !change.isIdentity { locked.insert(old.name) }
    }

    /// The distribution of the old table, with the present name of its column.
    private func distribution(of change: TableTransition) -> TableDistribution? {
        if case .column(let name)? = change.old.distribution { return change.keptName(name).map { .column($0) } }
        return change.old.distribution
    }

    private mutating func rename(_ before: String, _ after: String, of table: ServerTable) {
        if before != after { constraintRenames.append((table.name, before, after)) }
    }

    private mutating func addForeignKeys(_ change: TableTransition) {
        let (old, new) = (change.old, change.new)
        var kept: Set<Table.ForeignKey> = []
        for key in old.table.foreignKeys {
            if let next = tables.successor(of: key, change), kept.insert(next).inserted {
                rename(old.name(of: key), new.name(of: next), of: new)
            } else {
                foreignKeyDrops.append(
                    Self.alter(old.name) + "DROP CONSTRAINT \(PostgreSQL.quoted(old.name(of: key)))")
                locked.formUnion([old.name, key.target])
            }
        }
        for key in new.table.foreignKeys where !kept.contains(key) && !online.adds(new.name(of: key), to: new.name) {
            constraints.append(Self.alter(new.name) + "ADD " + PostgreSQL.constraint(key, in: new))
            lockTarget(of: key)
        }
    }

    private mutating func addChecks(_ change: TableTransition) throws(ServerExpression.Unsupported) {
        let (old, new) = (change.old, change.new)
        var kept: Set<Table.Check> = []
        var widened: Set<Table.Check> = []
        for check in new.table.checks where online.adds(check.name, to: new.name) {
            if let before = change.predecessor(of: check) { widened.insert(before) }
        }
        for check in old.table.checks where !widened.contains(check) {
            if let next = change.successor(of: check), kept.insert(next).inserted {
                rename(check.name, next.name, of: new)
            } else {
                drops.append(Self.alter(old.name) + "DROP CONSTRAINT \(PostgreSQL.quoted(check.name))")
            }
        }
        for (name, final) in (online.constraintNames[new.name] ?? [:]).sorted(by: { $0.key < $1.key }) {
            rename(name, final, of: new)
        }
        for check in new.table.checks where !kept.contains(check) && !online.adds(check.name, to: new.name) {
            constraints.append(Self.alter(new.name) + "ADD " + (try PostgreSQL.constraint(check, in: new)))
        }
    }

    private mutating func addIndexes(_ change: TableTransition) throws(ServerExpression.Unsupported) {
        let kept = Set(change.old.table.indexes.filter(change.keeps).map(\.name))
        for index in change.old.table.indexes where !kept.contains(index.name) {
            drops.append("DROP INDEX \(PostgreSQL.quoted(index.name))")
        }
        for index in change.new.table.indexes
        where !kept.contains(index.name) && !online.adds(index.name, to: change.new.name) {
            constraints.append(try PostgreSQL.createIndex(index, on: change.new))
        }
    }

    private mutating func addPrimaryKey(_ change: TableTransition) {
        let (old, new) = (change.old, change.new)
        if change.keepsPrimaryKey { return rename(old.primaryKeyName, new.primaryKeyName, of: new) }
        if !old.table.primaryKey.isEmpty {
            drops.append(Self.alter(old.name) + "DROP CONSTRAINT \(PostgreSQL.quoted(old.primaryKeyName))")
        }
        if !new.table.primaryKey.isEmpty { keys.append(Self.alter(new.name) + "ADD " + PostgreSQL.primaryKey(of: new)) }
    }

    private mutating func addComputed(_ change: TableTransition) throws(ServerExpression.Unsupported) {
        let (old, new) = (change.old, change.new)
        for column in change.droppedComputed {
            if new.table.computed.contains(where: { $0.name == column.name }) {
                replaced.append("column \(old.name).\(column.name)")
                deletions.append(StepAssertions.hasNoPrivileges(column.name, of: old.name))
            }
            drops.append(Self.alter(old.name) + "DROP COLUMN \(PostgreSQL.quoted(column.name))")
        }
        for column in change.addedComputed {
            keys.append(Self.alter(new.name) + "ADD COLUMN " + (try PostgreSQL.definition(of: column, in: new)))
        }
    }

    // MARK: Columns

    private mutating func addColumns(_ change: TableTransition) throws(ServerExpression.Unsupported) {
        let (old, new) = (change.old, change.new)
        let alter = Self.alter(new.name)
        let row = old.expressions { PostgreSQL.quoted(change.present($0)) }
        let early = Set(change.onlineColumns.map(\.column.name))
        let changed = Set(
            change.columns.compactMap { if case .changed(let source, _) = $0.origin { source } else { nil } })
        var assignments: [(column: String, value: String, condition: String)] = []
        var actions: [String] = []
        var copies: [String] = []
        var isNew = false
        func alterColumn(_ name: String) -> String { "ALTER COLUMN \(PostgreSQL.quoted(name)) " }
        for (column, origin) in change.columns {
            let (type, quoted) = (new.type(of: column.name), PostgreSQL.quoted(column.name))
            func assign(_ value: ValueExpression, to target: String) throws(ServerExpression.Unsupported) {
                let value = try row.sql(value, as: type)
                assignments.append((target, value, Self.differ(target, value, type)))
            }
            var hasDefault: String?
            switch origin {
            case .kept(let source), .changed(let source, _), .retyped(let source, _):
                guard let before = old.table.column(source) else { continue }
                hasDefault = before.defaultValue.map { PostgreSQL.literal($0, old.type(of: source)) }
                if column.isNullable, !before.isNullable {
                    columnRenames.append(alter + alterColumn(column.name) + "DROP NOT NULL")
                } else if !column.isNullable, before.isNullable {
                    tightening.append(alter + alterColumn(column.name) + "SET NOT NULL")
                }
                if case .changed(_, let value) = origin { try assign(value, to: quoted) }
                guard case .retyped(_, let value) = origin else { break }
                if hasDefault != nil { actions.append(alterColumn(column.name) + "DROP DEFAULT") }
                hasDefault = nil
                var sql = try row.sql(value, as: type)
                // The values of other columns may have changed before this column does.
                if value.needsSubquery || value.columnsRead.contains(where: { $0 != source && changed.contains($0) }) {
                    let copy = TableTransition.newPrefix + column.name
                    additions.append(alter + "ADD COLUMN \(PostgreSQL.quoted(copy)) \(type.rawValue)")
                    try assign(value, to: PostgreSQL.quoted(copy))
                    isNew = true
                    sql = PostgreSQL.quoted(copy)
                    copies.append(alter + "DROP COLUMN \(sql)")
                }
                actions.append(
                    alterColumn(column.name) + "TYPE \(PostgreSQL.type(of: column, in: new)) USING \(sql)")
            case .constant(let value):
                var fill: String?
                if case .literal(let literal) = value { fill = PostgreSQL.literal(literal, type) }
                hasDefault = fill
                if early.contains(column.name) { break }
                additions.append(
                    alter + "ADD COLUMN "
                        + PostgreSQL.definition(
                            of: column, in: new, isNullable: column.isNullable || fill == nil && !change.isEmptied,
                            defaultValue: .some(fill)))
                if !column.isNullable, fill == nil, !change.isEmptied {
                    tightening.append(alter + alterColumn(column.name) + "SET NOT NULL")
                }
            case .derived, .custom:
                additions.append(
                    alter + "ADD COLUMN "
                        + PostgreSQL.definition(of: column, in: new, isNullable: true, defaultValue: .some(nil)))
                if case .derived(let value) = origin {
                    try assign(value, to: quoted)
                    isNew = true
                }
                if !column.isNullable { tightening.append(alter + alterColumn(column.name) + "SET NOT NULL") }
            }
            let value = column.defaultValue.map { PostgreSQL.literal($0, type) }
            if hasDefault != value {
                tightening.append(
                    alter + alterColumn(column.name) + (value.map { "SET DEFAULT \($0)" } ?? "DROP DEFAULT"))
            }
        }
        if !assignments.isEmpty {
            // Rows that already have the values need no new version.
            let condition = isNew ? "" : "\nWHERE " + assignments.map(\.condition).joined(separator: " OR ")
            updates.append(
                "UPDATE \(PostgreSQL.quoted(new.name)) SET "
                    + assignments.map { "\($0.column) = \($0.value)" }.joined(separator: ",\n    ") + condition)
        }
        if !actions.isEmpty { retypes.append(alter + "\n    " + actions.joined(separator: ",\n    ")) }
        retypes += copies
        for column in change.droppedColumns {
            let name = change.present(column.name)
            // Rows of a custom migration need no values in it.
            if custom != nil, !column.isNullable {
                columnRenames.append(alter + alterColumn(name) + "DROP NOT NULL")
            }
            removals.append(alter + "DROP COLUMN \(PostgreSQL.quoted(name))")
        }
    }

    /// Returns SQL for the condition that two values differ. Texts are compared by their bytes: otherwise a change of case
    /// would not count under a collation that ignores it.
    private static func differ(_ one: String, _ other: String, _ type: ServerType) -> String {
        type == .text
            ? "(\(one)) COLLATE \"C\" IS DISTINCT FROM (\(other)) COLLATE \"C\"" : "\(one) IS DISTINCT FROM \(other)"
    }
}
