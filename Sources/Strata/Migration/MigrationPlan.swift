import Foundation
import SchemaSQL

/// What opening a store would do, found out without a write.
public struct MigrationPlan: Hashable, Sendable, Codable {
    /// A step from a version to the next.
    public struct Step: Hashable, Sendable, Codable {
        /// The version before.
        public var from: String
        /// The version after.
        public var to: String
        /// Whether a person wrote code for it.
        public var isCustom: Bool
    }

    /// What is done to a table.
    public struct Table: Hashable, Sendable, Codable {
        /// What is done: a table is kept, altered in place, rebuilt with all its rows, created, filled by a person's code,
        /// or dropped.
        public typealias Action = StepStatements.Action

        /// Its name: that which it has afterwards, or had.
        public var name: String
        /// What is done to it.
        public var action: Action
        /// The rows that are moved; nil where another step decides how many there are.
        public var rows: Int?
    }

    /// Rows that a constraint of the newest version does not allow, because of which the migration would fail.
    public struct Violation: Hashable, Sendable, Codable {
        /// The table as it is afterwards.
        public var table: String
        /// The constraint: `NOT NULL title`, `UNIQUE word`, `FOREIGN KEY`.
        public var constraint: String
        /// How many rows break it. Of rows that agree in a unique key, all but one do.
        public var rows: Int
        /// What becomes of them.
        public var handling: Handling
    }

    /// What becomes of rows that break a constraint.
    public enum Handling: String, Hashable, Sendable, Codable {
        /// The migration fails because of them.
        case fails
        /// It fails because of them, unless a person's code sees to it.
        case code
        /// They break it already, and stay.
        case kept
        /// They break it already, and are repaired.
        case repaired
    }

    /// The name of the schema.
    public var schema: String
    /// The version that the store has.
    public var from: String
    /// The newest version.
    public var to: String
    /// The steps that are taken.
    public var steps: [Step] = []
    /// What is done to the tables, as it is carried out: what stands between two steps of code is done at once.
    public var tables: [[Table]] = []
    /// The rows that break a constraint, as far as this is known before code runs.
    public var violations: [Violation] = []
    /// The tables and indexes that are otherwise than in a new store of the version that the store has.
    public var drift: [String] = []
    /// The size of the database, in bytes.
    public var databaseBytes: Int
    /// About how much the files grow at most while it is migrated, in bytes: copies of tables, and the journal.
    public var neededBytes: Int = 0

    /// What opening the store at `url` would do.
    ///
    /// - Throws: `StoreError` where the file is no store that the schema can open.
    public init(from url: URL, to schema: any Schema.Type, options: StoreOptions = StoreOptions()) throws {
        let connection = try StoreFile.connect(to: url, .readOnly, options)
        let migrator = Migrator(connection: connection, schema: KnownSchema(schema), options: options)
        let path = try SQLiteError.translated { try migrator.source() }
        self.schema = schema.name
        self.to = schema.versions.last?.name ?? ""
        self.from = path.first?.from ?? to
        let stages = try migrator.stages(of: path)
        let space = try MigrationSpace(stages: stages, connection)
        databaseBytes = try space.databaseBytes()
        neededBytes = try space.neededBytes()
        steps = path.map { Step(from: $0.from, to: $0.to, isCustom: $0.isCustom) }
        for (place, stage) in stages.enumerated() {
            let statements = StepStatements(stage.mapping, keepsOldTables: stage.custom != nil)
            tables.append(
                try statements.actions.map { name, action in
                    var rows: Int?
                    switch stage.mapping.origins[name] {
                    case .rows(let source, _, _) where place == 0, .code(let source) where place == 0:
                        rows = [.rebuild, .code].contains(action) ? try migrator.count(source) : 0
                    case .rows, .code: rows = nil
                    case .empty, nil: rows = 0
                    }
                    return Table(name: name, action: action, rows: rows)
                })
            if place == 0 { violations += try Self.violations(of: stage, in: connection) }
        }
        violations += try ForeignKeyRepair(connection: connection, tables: try migrator.currentTables()).danglingKeys()
            .map { key in
                let handling: Handling =
                    switch options.danglingForeignKeys {
                    case .keep: .kept
                    case .repair: key.isRepairable ? .repaired : .fails
                    case .refuse: .fails
                    }
                return Violation(table: key.table, constraint: "FOREIGN KEY", rows: key.count, handling: handling)
            }
        drift = try migrator.drift()
    }

    /// Whether the store is of the newest version already.
    public var isEmpty: Bool { steps.isEmpty }

    /// Whether nothing is known because of which the migration would fail.
    public var isPossible: Bool { !violations.contains { $0.handling == .fails } }

    /// The rows of the stage that break a constraint, where what becomes of them needs no code, or is what the code is
    /// for.
    private static func violations(of stage: Migrator.Stage, in connection: Connection) throws -> [Violation] {
        let mapping = stage.mapping
        var violations: [Violation] = []
        func add(_ table: SchemaSQL.Table, _ constraint: String, _ sql: String, _ handling: Handling) throws {
            let rows = try connection.integer(sql) ?? 0
            if rows > 0 {
                violations.append(Violation(table: table.name, constraint: constraint, rows: rows, handling: handling))
            }
        }
        let old = Dictionary(mapping.old.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        for table in mapping.new {
            let source: String
            let values: [String: String]
            var filter: String?
            var handling = Handling.fails
            switch mapping.origins[table.name] {
            case .rows(let from, let columns, let condition):
                if old[from] == table, columns.allSatisfy({ SQL.quoted($0.key) == $0.value }) { continue }
                (source, values, filter) = (from, columns, condition)
            case .code(let from):
                // As if the code gave what was there before.
                var columns: [String: String] = [:]
                for name in old[from]?.columns ?? [] { columns[name] = SQL.quoted(name) }
                for case .custom(_, table.name, let inferred, _) in stage.changes {
                    columns.merge(inferred) { _, inferred in inferred }
                }
                (source, values, handling) = (from, columns, .code)
            case .empty, nil: continue
            }
            let rows = "FROM \(SQL.quoted(source))"
            let condition = filter.map { "(\($0)) AND " } ?? ""
            for column in table.columns where table.isMandatory(column) {
                guard let value = values[column], SQL.column(value).map({ old[source]?.isMandatory($0) }) != true
                else { continue }
                try add(
                    table, "NOT NULL \(column)", "SELECT count(*) \(rows) WHERE \(condition)(\(value)) IS NULL",
                    handling)
            }
            for index in table.indexes where index.isUnique {
                let keys = index.columns.compactMap { column in
                    values[column].map { "\($0)\(table.collation(of: column))" }
                }
                let known = index.columns.compactMap { values[$0] }.map { "(\($0)) IS NOT NULL" }
                guard keys.count == index.columns.count else { continue }
                try add(
                    table, "UNIQUE \(index.columns.joined(separator: ", "))",
                    """
                    SELECT sum(n - 1) FROM (SELECT count(*) AS n \(rows) WHERE \(condition)\(known.joined(separator: " AND ")) \
                    GROUP BY \(keys.joined(separator: ", ")) HAVING n > 1)
                    """, handling)
            }
        }
        return violations
    }
}

extension MigrationPlan: CustomStringConvertible {
    /// The plan as a table for a person.
    public var description: String {
        if isEmpty { return "\(schema): version \(to), which is the newest" }
        var lines = ["\(schema): from version \(from) to \(to)"]
        lines.append(
            "  steps: " + steps.map { "\($0.from) -> \($0.to)\($0.isCustom ? " (code)" : "")" }.joined(separator: ", "))
        for (place, stage) in tables.enumerated() {
            for table in stage where table.action != .keep {
                let rows = table.rows.map { $0 == 0 ? "" : ", \($0) rows" } ?? ""
                lines.append("  \(place + 1). \(table.action.rawValue) \(table.name)\(rows)")
            }
        }
        lines += violations.map { violation in
            let handling =
                switch violation.handling {
                case .fails: ": the migration fails"
                case .code: ", unless the code sees to it"
                case .kept: " already, and stay"
                case .repaired: " already, and are repaired"
                }
            return "  \(violation.rows) rows of \(violation.table) break \(violation.constraint)\(handling)"
        }
        lines += drift.map { "  otherwise than in a new store of version \(from): \($0)" }
        lines.append("  \(databaseBytes) bytes, and at most about \(neededBytes) more while it runs")
        return lines.joined(separator: "\n")
    }
}
