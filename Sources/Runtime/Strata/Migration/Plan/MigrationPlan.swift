import Foundation
import SQLSchema

/// A migration that opening a store would carry out. Creating a plan does not write to the store.
///
/// ```swift
/// let plan = try MigrationPlan(from: url, to: LaundrySchema.self)
/// print(plan)
/// ```
public struct MigrationPlan: Hashable, Sendable, Codable {
    /// A step from one version to the next.
    public struct Step: Hashable, Sendable, Codable {
        /// The version before.
        public var from: String
        /// The version after.
        public var to: String
        /// Whether the step has a custom migration.
        public var isCustom: Bool
        /// Whether the step can go on after an interruption: it has no custom migration, or one whose type stores nothing or
        /// is `Codable`. Nil if only the app has the custom migration.
        public var isResumable: Bool?
    }

    /// A migration that has begun, and was interrupted.
    public struct Pending: Hashable, Sendable, Codable {
        /// The number of rows that are copied.
        public var completedRows: Int
        /// The number of rows to copy, as far as it is known.
        public var totalRows: Int
        /// Whether something else has written to the store since. Then the migration begins again.
        public var isStale: Bool
    }

    /// The action on a table.
    public struct Table: Hashable, Sendable, Codable {
        /// The kind of action: a table is kept, altered in place, rebuilt with all its rows, created, filled by a
        /// custom migration, or dropped.
        public typealias Action = SQLSchema.TableAction

        /// The table's name after the action; for a dropped table, its old name.
        public var name: String
        /// The kind of action.
        public var action: Action
        /// The number of rows that are copied; nil if it depends on an earlier stage of the migration.
        public var rows: Int?
    }

    /// Rows that violate a constraint, now or after the migration.
    public struct Violation: Hashable, Sendable, Codable {
        /// The name of the table after the stage of the migration; for a foreign key, its current name.
        public var table: String
        /// The constraint: `NOT NULL title`, `UNIQUE word`, `FOREIGN KEY`.
        public var constraint: String
        /// The number of rows that violate the constraint. Of several rows with the same unique key, all but one count.
        public var rows: Int
        /// The effect of these rows on the migration.
        public var handling: Handling
    }

    /// The effect of rows that violate a constraint.
    public enum Handling: String, Hashable, Sendable, Codable {
        /// The migration fails.
        case fails
        /// The migration fails, unless the custom migration changes the rows.
        case custom
        /// The rows already violate the constraint, and are kept.
        case kept
        /// The rows already violate the constraint, and are repaired.
        case repaired
    }

    /// The name of the schema.
    public var schema: String
    /// The version that the store has.
    public var from: String
    /// The newest version.
    public var to: String
    /// Whether the store has a newer version than `to` that the app can use. Then nothing is migrated.
    public var isNewer = false
    /// The steps from `from` to `to`.
    public var steps: [Step] = []
    /// The actions on the tables, one array for each stage of the migration. A stage is one step with a custom
    /// migration, or one or more other steps that are carried out in one pass. A table that no custom migration receives changes
    /// in the last stage, unless a custom migration writes to it: then the migration copies it.
    public var tables: [[Table]] = []
    /// The rows that violate a constraint, as far as this is known before a custom migration runs.
    public var violations: [Violation] = []
    /// The tables and indexes that differ from those of a new store of the same version.
    public var drift: [String] = []
    /// The migration that was interrupted; nil if there is none. Another build of the app begins again.
    public var pending: Pending?
    /// The sizes of the store's files and the times at which they were written last.
    private var files: String
    /// The size of the database, in bytes.
    public var databaseBytes: Int64
    /// The approximate maximum by which the files grow during the migration, in bytes: copies of tables, the journal, and the
    /// backup of the options.
    public var neededBytes: Int64 = 0

    /// Creates the plan of the migration that opening the store at `url` would carry out.
    ///
    /// ```swift
    /// let plan = try MigrationPlan(from: url, to: MoviesSchema.self)
    /// if !plan.steps.isEmpty { print(plan) }
    /// ```
    ///
    /// - Parameters:
    ///   - url: The file of the store.
    ///   - schema: The schema of the store.
    ///   - options: The options for opening the store.
    /// - Throws: `StoreError` if the schema cannot open the file.
    public init(from url: URL, to schema: any Schema.Type, options: StoreOptions = StoreOptions()) throws {
        try self.init(from: url, definition: SchemaDefinition(schema), options: options)
    }

    /// Creates the plan of a migration.
    ///
    /// - Parameter progress: A closure that receives the number of checked tables, and the number of all tables to check.
    package init(
        from url: URL, definition schema: SchemaDefinition, options: StoreOptions = StoreOptions(),
        progress: (Int, Int) -> Void = { _, _ in }
    ) throws {
        let schema = try schema.applying(options)
        files = StoreFile.state(of: url)
        let connection = try StoreFile.connect(to: url, .readOnly, options)
        connection.distrustSchema()
        // Everything is read from one state. Closing the connection ends the transaction.
        try connection.execute("BEGIN")
        let identity = try SQLiteError.translated { try StoreIdentity(reading: connection) }
        self.schema = schema.name
        if identity.isNewer(than: schema) {
            (from, to, isNewer) = (identity.version, schema.versions.last?.name ?? "", true)
            databaseBytes = try MigrationSpace(nil, connection).databaseBytes()
            return
        }
        let path = try SQLiteError.translated { try MigrationPath(from: identity, in: schema) }
        let run = try MigrationRun(path, options.migrationStrategy)
        from = path.source.name
        to = path.newest.name
        let space = try MigrationSpace(run, connection)
        databaseBytes = try space.databaseBytes()
        neededBytes = try space.neededBytes()
        if options.backup != nil, !path.steps.isEmpty { neededBytes += databaseBytes }
        steps = path.steps.map {
            Step(from: $0.from, to: $0.to, isCustom: $0.isCustom, isResumable: $0.isUnknown ? nil : $0.isResumable)
        }
        pending = try PendingMigration.find(in: connection).map { found in
            // A migration whose progress is not reported has not counted them.
            var total = found.state.totalRows
            if total == 0 {
                let run = try run.deferring(except: run.written.union(found.state.written))
                let stages = BatchedStages(run.stages, upTo: found.state.transactionStage, copied: found.state.copied)
                total = try connection.count(stages.copiedTables(of: run))
            }
            return Pending(completedRows: found.state.completedRows, totalRows: total, isStale: found.isStale)
        }
        for (index, stage) in run.stages.enumerated() {
            tables.append(
                try stage.statements.actions.map { name, action in
                    var rows: Int?
                    switch stage.mapping.origins[name] {
                    case .rows(let source, _, _) where run.isStored(source, before: index),
                        .custom(let source) where run.isStored(source, before: index):
                        rows = [.rebuild, .custom].contains(action) ? try connection.count(source) : 0
                    case .rows, .custom: rows = nil
                    case .empty, nil: rows = 0
                    }
                    return Table(name: name, action: action, rows: rows)
                })
            violations += try Self.violations(of: stage, in: connection, progress) {
                run.isStored(stage.mapping.source(of: $0), before: index)
            }
        }
        violations += try DanglingKey.all(of: path.source.tables, in: connection).map { key in
            let handling: Handling =
                switch options.danglingForeignKeys {
                case .keep: .kept
                case .repair: key.isRepairable ? .repaired : .fails
                case .refuse: .fails
                }
            return Violation(table: key.table, constraint: "FOREIGN KEY", rows: key.count, handling: handling)
        }
        drift = try SchemaComparison.differences(of: connection, from: path.source)
    }

    /// Whether the store already has the newest version.
    public var isEmpty: Bool { steps.isEmpty }

    /// Whether no known violation makes the migration fail.
    public var isPossible: Bool { !violations.contains { $0.handling == .fails } }

    /// The rows of the store's tables that violate a constraint of the stage's new tables. For a table with a custom migration, these are the
    /// rows that violate it if the custom migration does not change their values.
    private static func violations(
        of stage: MigrationStage, in connection: Connection, _ progress: (Int, Int) -> Void,
        where isStored: (String) -> Bool
    ) throws -> [Violation] {
        let mapping = stage.mapping
        var violations: [Violation] = []
        func add(_ table: SQLSchema.Table, _ constraint: String, _ sql: String, _ handling: Handling) throws {
            let rows = try connection.integer(sql) ?? 0
            if rows > 0 {
                violations.append(Violation(table: table.name, constraint: constraint, rows: rows, handling: handling))
            }
        }
        let old = Dictionary(mapping.old.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        for (tableIndex, table) in mapping.new.enumerated() {
            progress(tableIndex, mapping.new.count)
            guard isStored(table.name) else { continue }
            let source: String
            let values: [String: ValueExpression]
            var requiring: [ValueExpression] = []
            var handling = Handling.fails
            switch mapping.origins[table.name] {
            case .rows(let from, let columns, let condition):
                if old[from] == table, columns.allSatisfy({ .column($0.key) == $0.value }) { continue }
                (source, values, requiring) = (from, columns, condition)
            case .custom where table.isJoinTable: continue
            case .custom(let from):
                // This assumes that the custom migration keeps the old values.
                var columns: [String: ValueExpression] = [:]
                for name in old[from]?.columnNames ?? [] { columns[name] = .column(name) }
                for case .custom(_, table.name, let inferred, _) in stage.changes {
                    columns.merge(inferred) { _, inferred in inferred }
                }
                (source, values, handling) = (from, columns, .custom)
            case .empty, nil: continue
            }
            func hasSameCollation(_ name: String) -> Bool {
                values[name]?.columnName.flatMap { old[source]?.column($0) }?.collation == table.column(name)?.collation
            }
            /// Returns the new value of a column, which is compared by the collation of the new column.
            func newValue(_ name: String) -> String {
                let value = "(\(values[name].map(SQLite.expression) ?? "NULL"))"
                return hasSameCollation(name)
                    ? value : value + (table.column(name)?.collation.map(SQLite.collate) ?? " COLLATE BINARY")
            }
            let rows = "FROM \(SQL.quoted(source))"
            let condition = requiring.map { "\(SQLite.isNotNull($0)) AND " }.joined()
            for column in table.columns where !column.isNullable {
                guard let value = values[column.name],
                    value.columnName.flatMap({ old[source]?.column($0) })?.isNullable != false
                else { continue }
                try add(
                    table, "NOT NULL \(column.name)",
                    "SELECT count(*) \(rows) WHERE \(condition)NOT (\(SQLite.isNotNull(value)))", handling)
            }
            for check in table.checks
            where old[source]?.checks.contains(where: { $0.condition == check.condition }) != true
                || !check.condition.columns.allSatisfy({ values[$0] == .column($0) && hasSameCollation($0) })
            {
                try add(
                    table, "CHECK \(check.name)",
                    "SELECT count(*) \(rows) WHERE \(condition)NOT (\(check.condition.sql(newValue)))", handling)
            }
            for index in table.indexes where index.isUnique {
                let keys = index.columns.filter { values[$0] != nil }.map(newValue)
                var known = index.columns.compactMap { values[$0] }.map(SQLite.isNotNull)
                if let rows = index.shape.condition {
                    known.append("(\(rows.sql(newValue)))")
                }
                guard keys.count == index.columns.count else { continue }
                // SQLite would take a number here for the number of a result column. A fixed value separates no rows.
                let groups = zip(index.columns, keys).filter { column, _ in
                    if case .literal = values[column] { false } else { true }
                }.map(\.1)
                try add(
                    table, "UNIQUE \(index.columns.joined(separator: ", "))",
                    """
                    SELECT sum(n - 1) FROM (SELECT count(*) AS n \(rows) WHERE \(condition)\(known.joined(separator: " AND ")) \
                    GROUP BY \(groups.isEmpty ? "NULL" : groups.joined(separator: ", ")) HAVING n > 1)
                    """, handling)
            }
        }
        return violations
    }
}

extension MigrationPlan: CustomStringConvertible {
    /// The plan as text, one line for each action and violation.
    public var description: String {
        if isNewer {
            return "\(schema): version \(from), which is newer than \(to); apps of \(to) can use it as it is"
        }
        if isEmpty { return "\(schema): version \(to), which is the newest" }
        var lines = ["\(schema): from version \(from) to \(to)"]
        lines.append(
            "  steps: "
                + steps.map { "\($0.from) -> \($0.to)\($0.isCustom ? " (custom)" : "")" }.joined(separator: ", "))
        if let pending {
            let rows = "\(pending.completedRows) of \(pending.totalRows) rows are copied"
            lines.append(
                "  it has begun: \(rows)"
                    + (pending.isStale ? "; the store was written since, so it begins again" : ""))
        }
        lines += steps.filter { $0.isResumable == false }.map { step in
            "  \(step.from) -> \(step.to) cannot go on after an interruption: its custom migration has state that is not Codable"
        }
        for (index, stage) in tables.enumerated() {
            for table in stage where table.action != .keep {
                let rows = table.rows.map { $0 == 0 ? "" : ", \($0) \($0 == 1 ? "row" : "rows")" } ?? ""
                lines.append("  \(index + 1). \(table.action.rawValue) \(table.name)\(rows)")
            }
        }
        lines += violations.map { violation in
            let handling =
                switch violation.handling {
                case .fails: ": the migration fails"
                case .custom: ", unless the custom migration prevents it"
                case .kept: " already; the migration keeps them"
                case .repaired: " already; the migration repairs them"
                }
            let rows = violation.rows == 1 ? "1 row" : "\(violation.rows) rows"
            let verb = violation.rows == 1 ? "violates" : "violate"
            return "  \(rows) of \(violation.table) \(verb) \(violation.constraint)\(handling)"
        }
        lines += drift.map { "  differs from a new store of version \(from): \($0)" }
        let needed = neededBytes == 0 ? "no more disk space" : "at most about \(neededBytes) more"
        lines.append("  \(databaseBytes) bytes; the migration needs \(needed)")
        return lines.joined(separator: "\n")
    }
}
