import SchemaDiff
import SchemaModel
import SQLSchema

/// A step between two versions on a server, in four phases.
package struct ServerStep: Sendable {
    /// The names of the versions.
    package let from: String
    package let to: String
    /// The files, in their order.
    package private(set) var files: [ServerFile] = []
    /// The changes because of which apps of the new version cannot start before `contract`, in words.
    package private(set) var lateChanges: [String] = []
    /// The old columns that are NULL in rows which an app of the new version has written: `movie.title`.
    package private(set) var lostColumns: [String] = []
    /// The names of the tables that the step changes, in both versions.
    package private(set) var tables: Set<String> = []
    /// The tables that the phase `contract` copies while nothing else can use them.
    package private(set) var rewrittenTables: [String] = []

    /// The files that you write for a custom migration, with their stubs.
    package private(set) var stubs: [(name: String, text: String)] = []
    /// The names of those files that are still stubs.
    package private(set) var unwritten: [String] = []

    private let step: SchemaStep
    private let old: [ServerTable]
    private let new: [ServerTable]
    private let transitions: [TableTransition]
    private let created: [ServerTable]
    private let dropped: [ServerTable]
    private let instructions: ServerInstructions?

    // The statements of the phases.
    private var renames: [String] = []
    private var creations: [String] = []
    private var expand: [String] = []
    private var concurrent: [(name: String, statements: [String])] = []
    private var backfills: [ServerBackfill] = []
    private var checks: [String] = []
    private var uniqueIndexes: [(name: String, statements: [String])] = []
    private var settled: [String] = []
    private var tightened: [String] = []
    private var tightenedChecks: [String] = []
    private var lateIndexes: [(name: String, statements: [String])] = []
    private var contract: [String] = []
    private var lateDrops: [String] = []
    private var tableDrops: [String] = []
    private var tableRenames: [(before: String, after: String)] = []
    private var keyRenames: [String] = []
    /// The statements that fill tables from others.
    private var fills: [String] = []
    private var lateTables: [String] = []
    private var lateCreations: [String] = []
    private var lateValidations: [String] = []
    private var lastIndexes: [(name: String, statements: [String])] = []

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
    private mutating func written(_ name: String, or stub: String) -> String {
        let text = instructions?.files[name] ?? stub
        stubs.append((name, stub))
        if ServerInstructions.isUnwritten(text) { unwritten.append(name) }
        return ServerInstructions.statement(text)
    }

    // MARK: Names

    private func owner(of name: String, in tables: [ServerTable]) -> TableOwner? {
        tables.first { $0.name == name }?.owner
    }

    private func transition(to name: String) -> TableTransition? { transitions.first { $0.new.name == name } }

    /// Whether an old table that is there until `contract` has the name of a new one.
    private func isTaken(_ name: String) -> Bool {
        old.contains { $0.name == name } && transition(to: name)?.old.name != name
    }

    /// The name of a table of the new version before `contract`.
    private func present(_ table: TableTransition) -> String {
        isTaken(table.new.name) ? table.old.name : table.new.name
    }

    /// Whether the foreign keys to a table have to wait for `contract`.
    private func isLateTarget(_ key: Table.ForeignKey) -> Bool {
        isTaken(key.target) || transition(to: key.target)?.isRebuilt == true
            || transition(to: key.target).map { target in key.targetColumns.contains { target.isLate($0) } } == true
    }

    // MARK: Tables

    private mutating func addCreated() throws(ServerExpression.Unsupported) {
        for table in created {
            let isLate = isTaken(table.name)
            if isLate { lateChanges.append("the table \(table.name) replaces another one of this name") }
            var statements = [try PostgreSQL.createTable(table)]
            for index in table.table.indexes {
                statements.append(try PostgreSQL.createIndex(index, on: table, concurrently: false))
            }
            if isLate { lateTables += statements } else { creations += statements }
        }
        for table in created {
            for key in table.table.foreignKeys {
                add(key, to: table, isLate: isTaken(table.name) || isLateTarget(key))
            }
        }
    }

    /// Adds a foreign key whose columns have their final names.
    private mutating func add(_ key: Table.ForeignKey, to table: ServerTable, isLate: Bool) {
        let name = PostgreSQL.quoted(table.name(of: key))
        let statements = Self.constraint(table.name(of: key), PostgreSQL.constraint(key, in: table), on: table.name)
        let validation = "ALTER TABLE \(PostgreSQL.quoted(table.name)) VALIDATE CONSTRAINT \(name)"
        if isLate {
            lateCreations += statements
            lateValidations.append(validation)
        } else {
            expand += statements
            checks.append(validation)
        }
    }

    /// The statements that add a constraint, which is not checked yet.
    private static func constraint(_ name: String, _ definition: String, on table: String) -> [String] {
        let alter = "ALTER TABLE \(PostgreSQL.quoted(table)) "
        return [
            alter + "DROP CONSTRAINT IF EXISTS \(PostgreSQL.quoted(name))", alter + "ADD \(definition) NOT VALID",
        ]
    }

    private mutating func add(_ change: TableTransition) throws(ServerExpression.Unsupported) {
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
                        "to_regclass(\(SQL.literal(PostgreSQL.quoted(new.name)))) IS NOT NULL",
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
            contract.insert("DROP VIEW IF EXISTS \(PostgreSQL.quoted(old.name))", at: 0)
        }
        renameConstraint(old.primaryKeyName, new.primaryKeyName, of: new)
    }

    /// Renames a constraint at the end, when its table has the final name.
    private mutating func renameConstraint(_ before: String, _ after: String, of table: ServerTable) {
        guard before != after else { return }
        let statement =
            "ALTER TABLE \(PostgreSQL.quoted(table.name)) RENAME CONSTRAINT \(PostgreSQL.quoted(before)) "
            + "TO \(PostgreSQL.quoted(after))"
        lateCreations.append(Self.when(Self.hasConstraint(before, of: table.name), statement))
    }

    private static func renameTable(_ before: String, _ after: String) -> String {
        "ALTER TABLE IF EXISTS \(PostgreSQL.quoted(before)) RENAME TO \(PostgreSQL.quoted(after))"
    }

    private static func hasConstraint(_ name: String, of table: String) -> String {
        "EXISTS (SELECT FROM pg_constraint WHERE conrelid = to_regclass("
            + "\(SQL.literal(PostgreSQL.quoted(table)))) AND conname = \(SQL.literal(PostgreSQL.shortened(name))))"
    }

    private static func hasColumn(_ name: String, of table: String) -> String {
        "EXISTS (SELECT FROM pg_attribute WHERE attrelid = to_regclass("
            + "\(SQL.literal(PostgreSQL.quoted(table)))) AND attname = \(SQL.literal(PostgreSQL.shortened(name))) "
            + "AND NOT attisdropped)"
    }

    private static func when(_ condition: String, _ statement: String) -> String {
        "DO $strata$ BEGIN\n    IF \(condition) THEN\n        \(statement);\n    END IF;\nEND $strata$"
    }

    private static func unless(_ condition: String, _ statement: String) -> String {
        when("NOT (\(condition))", statement)
    }

    // MARK: Columns

    private mutating func addColumns(_ change: TableTransition, _ alter: String) {
        let (old, new) = (change.old, change.new)
        for (column, origin) in change.columns {
            let (present, final) = (change.present(column.name), column.name)
            let quoted = PostgreSQL.quoted(present)
            switch origin {
            case .kept, .filled:
                guard let before = old.table.column(final) else { continue }
                if column.isNullable, !before.isNullable {
                    expand.append(alter + "ALTER COLUMN \(quoted) DROP NOT NULL")
                }
                if !column.isNullable, before.isNullable { addNotNull(column, change, alter, isLate: true) }
                if column.defaultValue != before.defaultValue { setDefault(column, change) }
            case .constant(let value):
                let type = new.type(of: final)
                var fill: String?
                if case .literal(let value) = value { fill = PostgreSQL.literal(value, type) }
                expand.append(
                    alter + "ADD COLUMN IF NOT EXISTS "
                        + PostgreSQL.definition(of: column, in: new, named: present, defaultValue: fill))
                // Old apps do not know the column, so it keeps a value for their rows until the phase `contract`.
                if fill != column.defaultValue.map({ PostgreSQL.literal($0, type) }) { setDefault(column, change) }
            case .derived, .custom:
                var plain = column
                plain.defaultValue = nil
                expand.append(
                    alter + "ADD COLUMN IF NOT EXISTS "
                        + PostgreSQL.definition(of: plain, in: new, named: present, isNullable: true))
                if !column.isNullable { addNotNull(column, change, alter, isLate: false) }
                if column.defaultValue != nil { setDefault(column, change) }
            case .renamedKey(let before):
                lateChanges.append("the key \(old.name).\(before) is called \(final)")
                let rename =
                    "ALTER TABLE \(PostgreSQL.quoted(new.name)) RENAME COLUMN \(quoted) "
                    + "TO \(PostgreSQL.quoted(final))"
                keyRenames.append(Self.when(Self.hasColumn(before, of: new.name), rename))
            }
            if change.isAdded(final), change.isLate(final) {
                lateChanges.append("the column \(new.name).\(final) has other values than before under this name")
            }
        }
        for name in change.droppedColumns {
            guard let column = old.table.column(name) else { continue }
            if !column.isNullable, change.inverse(of: name) == nil {
                expand.append(alter + "ALTER COLUMN \(PostgreSQL.quoted(name)) DROP NOT NULL")
            }
            if change.inverse(of: name) == nil, !change.isLate(name) { lostColumns.append("\(old.name).\(name)") }
        }
        // After the renaming of tables, and before that of columns.
        let final = "ALTER TABLE \(PostgreSQL.quoted(new.name)) "
        for name in change.droppedComputed + change.droppedColumns {
            // Where a late column takes the name, the old column is dropped only once.
            let drop = final + "DROP COLUMN IF EXISTS \(PostgreSQL.quoted(name)) CASCADE"
            if change.isLate(name) {
                let present = TableTransition.prefix + name
                let rename = final + "RENAME COLUMN \(PostgreSQL.quoted(present)) TO \(PostgreSQL.quoted(name))"
                lateDrops.append(Self.when(Self.hasColumn(present, of: new.name), drop + ";\n        " + rename))
            } else {
                lateDrops.append(drop)
            }
        }
    }

    /// Makes a column NOT NULL without a check of all rows while the table is locked.
    private mutating func addNotNull(_ column: Table.Column, _ change: TableTransition, _ alter: String, isLate: Bool) {
        let present = change.present(column.name)
        let name = TableTransition.prefix + change.new.name + "_" + column.name + "_not_null"
        let quoted = PostgreSQL.quoted(present)
        let constraint = Self.constraint(
            name, "CONSTRAINT \(PostgreSQL.quoted(name)) CHECK (\(quoted) IS NOT NULL)", on: self.present(change))
        let validation = alter + "VALIDATE CONSTRAINT \(PostgreSQL.quoted(name))"
        let rest = [
            alter + "ALTER COLUMN \(quoted) SET NOT NULL",
            alter + "DROP CONSTRAINT IF EXISTS \(PostgreSQL.quoted(name))",
        ]
        if isLate {
            tightened += constraint
            tightenedChecks.append(validation)
            contract += rest
        } else {
            expand += constraint
            checks.append(validation)
            settled += rest
        }
    }

    private mutating func setDefault(_ column: Table.Column, _ change: TableTransition) {
        let value = column.defaultValue.map { PostgreSQL.literal($0, change.new.type(of: column.name)) }
        lateCreations.append(
            "ALTER TABLE \(PostgreSQL.quoted(change.new.name)) ALTER COLUMN \(PostgreSQL.quoted(column.name)) "
                + (value.map { "SET DEFAULT \($0)" } ?? "DROP DEFAULT"))
    }

    // MARK: Values

    private mutating func addTrigger(
        _ change: TableTransition, _ table: String
    ) throws(ServerExpression.Unsupported) {
        let followed = change.followed
        guard !followed.isEmpty || change.isCustom else { return }
        let name = "strata \(from) \(to) \(change.new.name)"
        let (row, before) = (change.old.expressions { "NEW.\(PostgreSQL.quoted($0))" }, change.old.expressions())
        let back = ServerExpression(types: change.new.types) { "NEW.\(PostgreSQL.quoted(change.present($0)))" }
        var inserts: [String] = []
        var updates: [String] = []
        var always: [String] = []
        var assignments: [String] = []
        var conditions: [String] = []
        for (column, value) in followed {
            let quoted = PostgreSQL.quoted(change.present(column.name))
            let type = change.new.type(of: column.name)
            let new = try row.sql(value, as: type)
            let stored = try before.sql(value, as: type)
            assignments.append("\(quoted) = \(stored)")
            conditions.append("\(quoted) IS DISTINCT FROM \(stored)")
            let set = "NEW.\(quoted) := \(new);"
            guard case .derived = change.origin(of: column.name), !change.isLate(column.name) else {
                always.append(set)
                continue
            }
            let sources = value.columnsRead.filter { change.droppedColumns.contains($0) }
            var reverse: [String] = []
            for source in sources {
                guard let inverse = change.inverse(of: source), inverse.column.name == column.name else { continue }
                let sql = try back.sql(inverse.value, as: change.old.type(of: source))
                reverse.append("NEW.\(PostgreSQL.quoted(source)) := \(sql);")
            }
            inserts.append("IF NEW.\(quoted) IS NULL THEN \(set)")
            if !reverse.isEmpty { inserts.append("ELSE \(reverse.joined(separator: " "))") }
            inserts.append("END IF;")
            let isChanged = value.columnsRead.map {
                "NEW.\(PostgreSQL.quoted($0)) IS DISTINCT FROM OLD.\(PostgreSQL.quoted($0))"
            }
            updates.append("IF \(isChanged.joined(separator: " OR ")) THEN \(set)")
            if !reverse.isEmpty {
                updates.append(
                    "ELSIF NEW.\(quoted) IS DISTINCT FROM OLD.\(quoted) THEN \(reverse.joined(separator: " "))")
            }
            updates.append("END IF;")
        }
        if change.isCustom {
            let function = PostgreSQL.quoted(ServerInstructions.functionName(change.new.name, from, to))
            let stub = ServerInstructions.function(change, table: present(change), from, to)
            expand.append(written(change.new.name + ".sql", or: stub))
            lateDrops.append("DROP FUNCTION IF EXISTS \(function) CASCADE")
            // An app of the new version sets the columns itself.
            let columns = change.customColumns.map { PostgreSQL.quoted(change.present($0.name)) }
            let isUnset = columns.map { "NEW.\($0) IS NULL" }.joined(separator: " AND ")
            let isSame = columns.map { "NEW.\($0) IS NOT DISTINCT FROM OLD.\($0)" }.joined(separator: " AND ")
            let call = "NEW := \(function)(NEW);"
            if columns.isEmpty {
                always.append(call)
            } else {
                inserts.append("IF \(isUnset) THEN \(call) END IF;")
                updates.append("IF \(isSame) THEN \(call) END IF;")
            }
        }
        var body = ["IF current_setting('strata.backfill', true) = 'on' THEN RETURN NEW; END IF;"]
        if !inserts.isEmpty { body += ["IF TG_OP = 'INSERT' THEN"] + inserts + ["ELSE"] + updates + ["END IF;"] }
        body += always + ["RETURN NEW;"]
        let quoted = PostgreSQL.quoted(name)
        expand += [
            "CREATE OR REPLACE FUNCTION \(quoted)() RETURNS trigger LANGUAGE plpgsql AS $strata$\nBEGIN\n"
                + body.map { "    \($0)\n" }.joined() + "END\n$strata$",
            "CREATE OR REPLACE TRIGGER \(quoted) BEFORE INSERT OR UPDATE ON \(table) "
                + "FOR EACH ROW EXECUTE FUNCTION \(quoted)()",
        ]
        contract.append("DROP TRIGGER IF EXISTS \(quoted) ON \(table)")
        contract.append("DROP FUNCTION IF EXISTS \(quoted)()")
        addBackfill(change, assignments, conditions)
    }

    private mutating func addBackfill(_ change: TableTransition, _ assignments: [String], _ conditions: [String]) {
        let name = present(change)
        var (assignments, conditions) = (assignments, conditions)
        if change.isCustom {
            let columns = change.customColumns.map { PostgreSQL.quoted(change.present($0.name)) }
            let all =
                columns.isEmpty ? change.new.table.columnNames.filter(change.isKept).map(PostgreSQL.quoted) : columns
            let function = PostgreSQL.quoted(ServerInstructions.functionName(change.new.name, from, to))
            assignments.append(
                "(\(all.joined(separator: ", "))) = (SELECT "
                    + "\(all.map { "r.\($0)" }.joined(separator: ", ")) FROM \(function)(t) AS r)")
            conditions = ["true"]
        }
        let keys = change.old.table.primaryKey
        backfills.append(
            ServerBackfill(
                subject: change.new.name, table: name, keys: keys, types: keys.map(change.old.type),
                change: assignments.joined(separator: ", "), condition: conditions.joined(separator: " OR ")))
    }

    // MARK: Checks

    private mutating func addChecks(_ change: TableTransition, _ alter: String) throws(ServerExpression.Unsupported) {
        let (old, new) = (change.old, change.new)
        let table = present(change)
        func isKept(_ check: Table.Check) -> Bool { check.condition.columns.allSatisfy(change.isKept) }
        // The names of checks of enums contain the name of the table.
        func key(_ check: Table.Check, _ table: ServerTable) -> String {
            check.name.hasPrefix(table.name + "_") ? String(check.name.dropFirst(table.name.count)) : " " + check.name
        }
        var remaining = Dictionary(old.table.checks.map { (key($0, old), $0) }, uniquingKeysWith: { first, _ in first })
        for check in new.table.checks {
            let before = remaining.removeValue(forKey: key(check, new))
            let isSame =
                before?.condition == check.condition && isKept(check)
                && check.condition.columns.allSatisfy { old.type(of: $0) == new.type(of: $0) }
            if let before, isSame {
                renameConstraint(before.name, check.name, of: new)
                continue
            }
            // A condition that old rows or old apps may violate has to wait for the phase `contract`.
            let isLoosened = before.map { Self.allows(check.condition, all: $0.condition) } ?? false
            let isLate = check.condition.columns.contains(where: change.isKept) && !isLoosened
            if let before, isKept(before) {
                // The new apps may write what the old check refuses.
                expand.append(alter + "DROP CONSTRAINT IF EXISTS \(PostgreSQL.quoted(before.name))")
            } else if let before {
                contract.append(alter + "DROP CONSTRAINT IF EXISTS \(PostgreSQL.quoted(before.name))")
            }
            let isNameTaken = old.table.checks.contains { $0.name == check.name }
            let name = isNameTaken ? TableTransition.prefix + check.name : check.name
            let added = Self.constraint(
                name, try PostgreSQL.constraint(check, in: new, named: name, change.present), on: table)
            let validation = alter + "VALIDATE CONSTRAINT \(PostgreSQL.quoted(name))"
            if isLate {
                tightened += added
                tightenedChecks.append(validation)
            } else {
                expand += added
                checks.append(validation)
            }
            renameConstraint(name, check.name, of: new)
        }
        for check in remaining.values.sorted(by: { $0.name < $1.name }) {
            let drop = alter + "DROP CONSTRAINT IF EXISTS \(PostgreSQL.quoted(check.name))"
            if isKept(check) { expand.append(drop) } else { contract.append(drop) }
        }
    }

    /// Whether a condition is true for every row for which another one is: a list of values has become longer.
    private static func allows(_ condition: RowExpression<String>, all other: RowExpression<String>) -> Bool {
        guard case .isIn(let value, let list) = condition, case .isIn(let otherValue, let otherList) = other else {
            return false
        }
        return value == otherValue && Set(otherList).isSubset(of: list)
    }

    // MARK: Indexes

    /// The statement that drops an index whose concurrent creation was interrupted.
    private static func removal(ofInvalid index: String) -> String {
        "DO $strata$ BEGIN\n    IF EXISTS (SELECT FROM pg_index WHERE indexrelid = to_regclass("
            + "\(SQL.literal(PostgreSQL.quoted(index)))) AND NOT indisvalid) THEN\n"
            + "        DROP INDEX \(PostgreSQL.quoted(index));\n    END IF;\nEND $strata$"
    }

    private mutating func addIndexes(_ change: TableTransition, _ table: String) throws(ServerExpression.Unsupported) {
        let (old, new) = (change.old, change.new)
        let computed = Set(change.addedComputed.map(\.name) + change.droppedComputed)
        func isKept(_ index: Table.Index) -> Bool {
            index.shape.allColumns.allSatisfy { name in
                !computed.contains(name) && (change.isKept(name) || new.table.computed.contains { $0.name == name })
            }
        }
        let kept = Set(old.table.indexes.filter { isKept($0) && new.table.indexes.contains($0) })
        let named = ServerTable(owner: new.owner, table: new.table.named(table), types: new.types)
        for index in new.table.indexes where !kept.contains(index) {
            let isTaken = old.table.indexes.contains { $0.name == index.name }
            let name = isTaken ? TableTransition.prefix + index.name : index.name
            let leftover = Self.removal(ofInvalid: name)
            let creation = try PostgreSQL.createIndex(
                index, on: named, named: name, concurrently: true, change.present)
            let columns = index.shape.allColumns
            if columns.contains(where: computed.contains) || columns.contains(where: isRenamedKey) {
                // The column appears only in the phase `contract`.
                let late = try PostgreSQL.createIndex(index, on: new, concurrently: !index.isUnique)
                if index.isUnique {
                    lateCreations.append(late)
                } else {
                    lastIndexes.append((index.name, [Self.removal(ofInvalid: index.name), late]))
                }
                continue
            }
            let entry = (name, [leftover, creation])
            if columns.allSatisfy(change.isKept) {
                if index.isUnique { lateIndexes.append(entry) } else { concurrent.append(entry) }
            } else if index.isUnique, columns.contains(where: change.isKept) {
                lateIndexes.append(entry)
            } else {
                uniqueIndexes.append(entry)
            }
            if isTaken {
                let rename = "ALTER INDEX \(PostgreSQL.quoted(name)) RENAME TO \(PostgreSQL.quoted(index.name))"
                lateCreations.append(
                    Self.when("to_regclass(\(SQL.literal(PostgreSQL.quoted(name)))) IS NOT NULL", rename))
            }
        }
        for index in old.table.indexes where !kept.contains(index) {
            let drop = "DROP INDEX IF EXISTS \(PostgreSQL.quoted(index.name))"
            // Old apps search by an index until the phase `contract`. A unique one could refuse rows of the new apps.
            if index.isUnique, index.shape.allColumns.allSatisfy(change.isKept) {
                expand.append(drop)
            } else {
                contract.append(drop)
            }
        }
        func isRenamedKey(_ column: String) -> Bool {
            if case .renamedKey = change.origin(of: column) { true } else { false }
        }
        for column in change.addedComputed {
            rewrittenTables.append(new.name)
            lateChanges.append("the computed column \(new.name).\(column.name) is new or different")
            lateCreations.insert(
                "ALTER TABLE \(PostgreSQL.quoted(new.name)) ADD COLUMN IF NOT EXISTS "
                    + (try PostgreSQL.definition(of: column, in: new)), at: 0)
        }
    }

    // MARK: Foreign keys

    private mutating func addForeignKeys(_ change: TableTransition, _ table: String) {
        let (old, new) = (change.old, change.new)
        let alter = "ALTER TABLE \(PostgreSQL.quoted(table)) "
        /// The column of the old table that has the values of a column; nil if there is none.
        func source(_ column: String) -> String? {
            switch change.origin(of: column) {
            case .kept, .filled: column
            case .renamedKey(let name): name
            default: nil
            }
        }
        var remaining = old.table.foreignKeys
        for key in new.table.foreignKeys {
            let target = owner(of: key.target, in: self.new)
            let sources = key.columns.map(source)
            let place = remaining.firstIndex { before in
                before.columns.map(Optional.some) == sources && before.deleteRule == key.deleteRule
                    && owner(of: before.target, in: self.old) == target
                    && transition(to: key.target).map { $0.old.name == before.target && !$0.isRebuilt } == true
                    && self.keeps(before.targetColumns, as: key.targetColumns, in: key.target)
            }
            if let place {
                renameConstraint(old.name(of: remaining.remove(at: place)), new.name(of: key), of: new)
                continue
            }
            let isRenamed = sources.contains { $0 != nil } && zip(sources, key.columns).contains { $0 != $1 }
            if isLateTarget(key) || isRenamed {
                add(key, to: new, isLate: true)
                continue
            }
            let isTaken = old.table.foreignKeys.contains { old.name(of: $0) == new.name(of: key) }
            let name = isTaken ? TableTransition.prefix + new.name(of: key) : new.name(of: key)
            let added = Self.constraint(
                name, PostgreSQL.constraint(key, in: new, named: name, change.present), on: table)
            let validation = alter + "VALIDATE CONSTRAINT \(PostgreSQL.quoted(name))"
            // A reference of the old apps may refer to anything.
            if key.columns.contains(where: change.isKept) {
                tightened += added
                tightenedChecks.append(validation)
            } else {
                expand += added
                checks.append(validation)
            }
            renameConstraint(name, new.name(of: key), of: new)
        }
        for key in remaining {
            contract.append(alter + "DROP CONSTRAINT IF EXISTS \(PostgreSQL.quoted(old.name(of: key)))")
        }
    }

    /// Whether columns of a table are still the same ones.
    private func keeps(_ before: [String], as after: [String], in table: String) -> Bool {
        guard let change = transition(to: table), before.count == after.count else { return false }
        return zip(before, after).allSatisfy { before, after in
            switch change.origin(of: after) {
            case .kept, .filled: before == after
            case .renamedKey(let name): before == name
            default: false
            }
        }
    }

    // MARK: Rebuilt tables

    /// Replaces a table whose primary key has other columns. SQL that you write copies the rows.
    private mutating func rebuild(_ change: TableTransition) throws(ServerExpression.Unsupported) {
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
        for index in new.table.indexes {
            lateCreations.append(try PostgreSQL.createIndex(index, on: new, concurrently: false))
        }
        for key in new.table.foreignKeys { add(key, to: new, isLate: true) }
    }

    // MARK: Files

    private mutating func assemble() {
        var contractEnd = lateDrops
        for change in transitions where !change.requiring.isEmpty && !change.isRebuilt {
            let conditions = change.requiring.compactMap(\.columnName).map { "\(PostgreSQL.quoted($0)) IS NULL" }
            tightened.insert(
                "DELETE FROM \(PostgreSQL.quoted(present(change))) WHERE \(conditions.joined(separator: " OR "))", at: 0
            )
        }
        if let text = instructions?.files[ServerInstructions.contractFile] {
            contractEnd.insert(ServerInstructions.statement(text), at: 0)
        }
        files = [ServerFile(.expand, .transaction, statements: renames + creations + expand)]
        files += concurrent.map { ServerFile(.expand, .single, "index-" + $0.name, statements: $0.statements) }
        files += backfills.map { ServerFile($0) }
        if !checks.isEmpty { files.append(ServerFile(.validate, .single, "constraints", statements: checks)) }
        files += uniqueIndexes.map { ServerFile(.validate, .single, "index-" + $0.name, statements: $0.statements) }
        files.append(ServerFile(.validate, .transaction, statements: settled))
        if !tightened.isEmpty {
            files.append(ServerFile(.contract, .transaction, "constraints", statements: tightened))
        }
        if !tightenedChecks.isEmpty {
            files.append(ServerFile(.contract, .single, "checks", statements: tightenedChecks))
        }
        files += lateIndexes.map { ServerFile(.contract, .single, "index-" + $0.name, statements: $0.statements) }
        files.append(
            ServerFile(
                .contract, .transaction,
                statements: contract + fills + tableDrops + tableRenames.map(\.before) + tableRenames.map(\.after)
                    + contractEnd
                    + keyRenames + lateTables + lateCreations))
        if !lateValidations.isEmpty {
            files.append(ServerFile(.contract, .single, "validate", statements: lateValidations))
        }
        files += lastIndexes.map { ServerFile(.contract, .single, "index-" + $0.name, statements: $0.statements) }
    }
}

extension Table {
    /// The same table with another name.
    fileprivate func named(_ name: String) -> Table {
        var table = self
        table.name = name
        return table
    }
}

extension ValueExpression {
    /// The columns that the value depends on.
    fileprivate var columnsRead: [String] {
        switch self {
        case .column(let name): [name]
        case .literal, .null: []
        case .coalesce(let first, let second): first.columnsRead + second.columnsRead
        case .replaced(let value, _, let other): value.columnsRead + other.columnsRead
        case .changed(let value, _): value.columnsRead
        }
    }
}
