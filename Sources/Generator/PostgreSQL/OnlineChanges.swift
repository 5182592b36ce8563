import SQLSchema

/// The part of a step that runs while apps of the old version read and write. Each statement can be run again.
struct OnlineChanges {
    /// The statements of each transaction. No transaction waits for the locks of several old tables.
    private(set) var transactions: [[String]] = []
    /// The indexes that are created without blocking writers, with the present names of their tables.
    private(set) var indexes: [(name: String, table: String, statement: String)] = []
    /// The columns that exist afterwards.
    private(set) var columns: [StepAssertions.Column] = []
    /// The constraints that exist afterwards, with the present names of their tables.
    private(set) var constraints: [(table: String, name: String)] = []
    /// The constraints that get their final names later, by their names until then.
    private(set) var constraintNames: [String: [String: String]] = [:]
    /// The names of the new foreign keys, checks and indexes, by the names of their new tables.
    private var added: [String: Set<String>] = [:]
    /// The transactions that check new constraints for all rows, and drop the constraints that they replace.
    private(set) var validations: [[String]] = []
    private let tables: StepTables

    init(_ tables: StepTables) throws(ServerExpression.Unsupported) {
        self.tables = tables
        try addTables()
        for change in tables.transitions where !change.isEmptied {
            try addColumnsAndChecks(change)
            try addIndexes(change)
        }
        addForeignKeys()
    }

    /// Whether the part adds a foreign key, check or index to a new table.
    func adds(_ name: String, to table: String) -> Bool { added[table]?.contains(name) == true }

    // MARK: Tables

    private mutating func addTables() throws(ServerExpression.Unsupported) {
        let created = tables.created.filter(tables.isOnline)
        guard !created.isEmpty else { return }
        let before = Set(tables.old.flatMap { $0.table.columns.compactMap(\.collation) })
        let after = Set(created.flatMap { $0.table.columns.compactMap(\.collation) }).subtracting(before)
        var statements = Collation.allCases.filter(after.contains).compactMap(PostgreSQL.create)
        let taken = tables.oldIndexNames
        for table in created {
            statements.append(try PostgreSQL.createTable(table, ifNeeded: true))
            for index in table.table.indexes where !taken.contains(index.name) {
                statements.append(try PostgreSQL.createIndex(index, on: table, ifNeeded: true))
                added[table.name, default: []].insert(index.name)
            }
            columns += table.columnTypes
        }
        transactions.append(statements + PostgreSQL.distribute(created.filter { $0.distribution != nil }))
    }

    // MARK: Columns and checks

    private mutating func addColumnsAndChecks(_ change: TableTransition) throws(ServerExpression.Unsupported) {
        let (old, new) = (change.old, change.new)
        var statements: [String] = []
        let added = change.onlineColumns
        var definitions: [String] = []
        for (column, value) in added {
            var fill: String?
            if case .literal(let value) = value { fill = PostgreSQL.literal(value, new.type(of: column.name)) }
            definitions.append(
                "ADD COLUMN IF NOT EXISTS " + PostgreSQL.definition(of: column, in: new, defaultValue: .some(fill)))
            columns.append((old.name, column.name, new.type(of: column.name)))
        }
        if !definitions.isEmpty {
            let collations = Set(added.compactMap(\.column.collation))
            statements += Collation.allCases.filter(collations.contains).compactMap(PostgreSQL.create)
            statements.append(
                "ALTER TABLE \(PostgreSQL.quoted(old.name))\n    \(definitions.joined(separator: ",\n    "))")
        }
        let names = Set(added.map(\.column.name))
        for check in new.table.checks where !old.table.checks.contains(where: { change.successor(of: $0) == check }) {
            let wider = change.predecessor(of: check)
            guard wider != nil || Set(check.condition.columns).isSubset(of: names) else { continue }
            let isTaken = old.table.checks.contains { $0.name == check.name }
            if wider == nil, isTaken { continue }
            let name = isTaken ? TableTransition.newPrefix + check.name : check.name
            let definition = try PostgreSQL.constraint(check, in: new, named: name) { change.keptSource($0) ?? $0 }
            statements.append(Self.add(name, definition, to: old.name))
            validations.append([Self.validate(name, of: old.name)])
            if let wider {
                validations.append([
                    StepAssertions.whenValid(
                        name, of: old.name,
                        "ALTER TABLE \(PostgreSQL.quoted(old.name)) DROP CONSTRAINT IF EXISTS \(PostgreSQL.quoted(wider.name))"
                    )
                ])
            }
            record(name, check.name, change)
        }
        if !statements.isEmpty { transactions.append(statements) }
    }

    private mutating func record(_ name: String, _ final: String, _ change: TableTransition) {
        constraints.append((change.old.name, name))
        added[change.new.name, default: []].insert(final)
        if name != final { constraintNames[change.new.name, default: [:]][name] = final }
    }

    /// Adds a constraint that is not checked for existing rows yet.
    private static func add(_ name: String, _ definition: String, to table: String) -> String {
        StepAssertions.unless(
            StepAssertions.hasConstraint(name, of: table),
            "ALTER TABLE \(PostgreSQL.quoted(table)) ADD \(definition) NOT VALID")
    }

    /// Checks a constraint for existing rows. Others can write meanwhile.
    private static func validate(_ name: String, of table: String) -> String {
        "ALTER TABLE \(PostgreSQL.quoted(table)) VALIDATE CONSTRAINT \(PostgreSQL.quoted(name))"
    }

    // MARK: Indexes

    private mutating func addIndexes(_ change: TableTransition) throws(ServerExpression.Unsupported) {
        let added = change.onlineColumns
        let isAbsent = { (name: String) in added.contains { $0.column.name == name } }
        let isNull = { (name: String) in added.contains { $0.column.name == name && $0.value == .null } }
        let taken = tables.oldIndexNames
        for index in change.new.table.indexes where !change.old.table.indexes.contains(where: { $0.name == index.name })
        {
            guard !taken.contains(index.name),
                index.shape.allColumns.allSatisfy({ isAbsent($0) || change.keptSource($0) != nil }),
                // Old rows and old apps may have equal values, unless one of the values is NULL.
                !index.isUnique || index.columns.contains(where: isNull)
            else { continue }
            let statement = try PostgreSQL.createIndex(index, on: change.new, at: change.old.name, concurrently: true) {
                change.keptSource($0) ?? $0
            }
            indexes.append((index.name, change.old.name, statement))
            self.added[change.new.name, default: []].insert(index.name)
        }
    }

    // MARK: Foreign keys

    private mutating func addForeignKeys() {
        var statements: [String: [String]] = [:]
        for table in tables.created where tables.isOnline(table) {
            for key in table.table.foreignKeys {
                guard let target = tables.onlineTarget(of: key) else { continue }
                let name = table.name(of: key)
                let isNew = tables.created.contains { $0.name == key.target }
                statements[isNew ? "" : target.table, default: []].append(
                    StepAssertions.unless(
                        StepAssertions.hasConstraint(name, of: table.name),
                        "ALTER TABLE \(PostgreSQL.quoted(table.name)) ADD "
                            + PostgreSQL.constraint(key, in: table, to: target)))
                added[table.name, default: []].insert(name)
            }
        }
        if let inner = statements.removeValue(forKey: "") {
            transactions[0] += inner
        }
        transactions += statements.sorted { $0.key < $1.key }.map(\.value)
        for change in tables.transitions where !change.isEmptied {
            let added = change.onlineColumns
            for key in change.new.table.foreignKeys {
                let isNull = key.columns.contains { name in
                    added.contains { $0.column.name == name && $0.value == .null }
                }
                let sources = key.columns.compactMap { name in
                    added.contains { $0.column.name == name } ? name : change.keptSource(name)
                }
                let name = change.new.name(of: key)
                guard isNull, sources.count == key.columns.count, let target = tables.onlineTarget(of: key),
                    !change.old.table.foreignKeys.contains(where: { change.old.name(of: $0) == name })
                else { continue }
                let definition = PostgreSQL.constraint(key, in: change.new, to: target, sources)
                transactions.append([Self.add(name, definition, to: change.old.name)])
                validations.append([Self.validate(name, of: change.old.name)])
                record(name, name, change)
            }
        }
    }
}

extension StepTables {
    /// The names of all indexes of the old version, including those of primary keys.
    var oldIndexNames: Set<String> { Set(old.flatMap { $0.table.indexes.map(\.name) + [$0.primaryKeyName] }) }
}
