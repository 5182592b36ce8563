import Foundation
import Strata

/// Options for converting another library's database.
public struct ConversionOptions: Sendable {
    /// The treatment of rows that do not fit, and of rows that depend on them.
    public enum InvalidRows: String, CaseIterable, Sendable {
        /// Stores the rows in the table `strata_unconverted` of the store, and converts all other rows.
        case setAside = "set-aside"
        /// Does not convert the rows, and only reports them.
        case drop
        /// Creates no store. `ConversionError.invalidRows` reports the rows.
        case refuse
    }

    /// The version of the database, by its name in the schema or in the other library; nil to detect it by the tables.
    public var version: String?
    /// The treatment of rows that do not fit. A policy of an entity in `strata.json` takes precedence.
    public var invalidRows = InvalidRows.setAside
    /// A closure that receives the report, before the store appears.
    public var report: (@Sendable (ConversionReport) -> Void)?
    /// A closure that receives the progress, at most about twenty times a second. To report it, the conversion counts the
    /// rows of the database first.
    ///
    /// ```swift
    /// options.progress = { print("\($0.completedRows) of \($0.totalRows) rows") }
    /// ```
    public var progress: (@Sendable (ConversionProgress) -> Void)?
    /// A closure that is called repeatedly. If it returns true, the conversion throws `CancellationError` and writes no store.
    /// The next conversion goes on where this one ended.
    public var isCancelled: (@Sendable () -> Bool)?

    /// Creates the default options.
    public init() {}
}

/// The progress of a conversion, in rows.
public struct ConversionProgress: Hashable, Sendable {
    /// The table of the store whose rows are being copied; nil while the complete store is checked.
    public let table: String?
    /// The number of rows that were read so far, in all tables.
    public let completedRows: Int
    /// The number of rows of the database.
    public let totalRows: Int

    package init(table: String?, completedRows: Int, totalRows: Int) {
        self.table = table
        self.completedRows = completedRows
        self.totalRows = totalRows
    }
}

/// The report of a conversion.
public struct ConversionReport: Hashable, Sendable, Codable {
    /// The outcome of a conversion for a row, a table or a column that does not fit.
    public enum Outcome: String, Hashable, Sendable, Codable {
        /// The row is in `strata_unconverted`.
        case setAside = "set-aside"
        /// The data stays in the other database.
        case dropped
        /// The conversion was refused for this reason, and has written no store.
        case refused
        /// The row was converted, and its dangling foreign key was set to NULL.
        case setToNull = "set-to-null"
        /// The row was converted, with the fill value from `strata.json`.
        case filled
    }

    /// A row, a table or a column that does not fit.
    public struct InvalidRow: Hashable, Sendable, Codable, CustomStringConvertible {
        /// The table of the store; or the table or column, as `table.column`, that only the other database has.
        public var table: String
        /// The primary key of the row in the other database; nil if the complete table or column does not fit.
        public var key: String?
        /// The reason why it does not fit.
        public var reason: String
        /// The outcome of the conversion.
        public var outcome: Outcome

        /// The table, the key and the reason as text.
        public var description: String { "\(table)\(key.map { " \($0)" } ?? ""): \(reason)" }
    }

    /// Values that stay in the other database, because the import could not carry them over.
    public struct Left: Hashable, Sendable, Codable, CustomStringConvertible {
        /// The entity and its property, or the table and its column.
        public var name: String
        /// The reason, as in `strata.json`.
        public var reason: String
        /// The number of values.
        public var values: Int

        /// The name, the number of values and the reason as text.
        public var description: String { "\(name): \(values) values (\(reason))" }
    }

    /// The version of the database.
    public var version: String
    /// The number of copied rows, by table.
    public var rows: [String: Int] = [:]
    /// The number of rows in `strata_unconverted`, by the table that they belong to.
    public var unconverted: [String: Int] = [:]
    /// The number of dangling foreign keys that were set to NULL, by table.
    public var cleared: [String: Int] = [:]
    /// The number of values that did not fit and were replaced by those from `strata.json`, by table.
    public var filled: [String: Int] = [:]
    /// The values that stay in the other database.
    public var left: [Left] = []
    /// The first thousand invalid rows.
    public var invalidRows: [InvalidRow] = []
    /// The number of invalid rows.
    public var invalidRowCount = 0
    /// The duration of the conversion, in seconds.
    public var seconds: Double = 0

    /// The number of invalid rows that were not converted.
    var lostCount = 0
    /// Whether the conversion refuses the database because of an invalid row.
    var isRefused = false

    /// The encoded properties: all public ones.
    private enum CodingKeys: CodingKey {
        case version, rows, unconverted, cleared, filled, left, invalidRows, invalidRowCount, seconds
    }

    init(version: String) {
        self.version = version
    }

    mutating func add(_ invalidRow: InvalidRow) {
        invalidRowCount += 1
        switch invalidRow.outcome {
        case .setAside, .dropped: lostCount += 1
        case .refused: (lostCount, isRefused) = (lostCount + 1, true)
        case .setToNull, .filled: break
        }
        if invalidRows.count < 1000 { invalidRows.append(invalidRow) }
    }
}

/// The differences between another library's database and one version of the schema.
public struct VersionMismatch: Hashable, Sendable {
    /// The name of the version.
    public var version: String
    /// The tables, columns and other elements that the version has and the database lacks.
    public var missing: [String]
    /// The tables and columns that only the database has.
    public var extra: [String]

    /// The differences, one line each.
    fileprivate var lines: [String] {
        missing.map { "  \(version): the database lacks \($0)" }
            + extra.map { "  \(version): only the database has \($0)" }
    }
}

/// An error that prevents the conversion of another library's database. The database is unchanged.
public enum ConversionError: StrataError, Hashable, Sendable {
    /// The schema was not imported, so it describes no other library's databases.
    case notImported(schema: String)
    /// The database does not belong to the library that the schema was imported from.
    case otherLibrary(String)
    /// The tables of the database match no version.
    case unknownVersion([VersionMismatch])
    /// The hashes of a Core Data store match no version of the model.
    case unknownHashes
    /// The tables of the database match all of these versions, and a wrong choice could lose values.
    case ambiguousVersion([String])
    /// The `user_version` of the database is that of some versions, and its tables are those of others.
    case contradictoryVersion(userVersion: Int, of: [String], tablesOf: [String])
    /// The schema has no version with this name.
    case noVersion(String)
    /// A row does not fit and cannot be addressed, because the table has columns with all names of the row number.
    case unaddressable(table: String)
    /// Rows, tables or columns do not fit, and are refused.
    case invalidRows(ConversionReport)

    /// The problem, and the way to solve it.
    public var description: String {
        switch self {
        case .notImported(let schema):
            return "\(schema) was not imported: strata.json has no \"imported\""
        case .otherLibrary(let library):
            return "the database is not one of \(library)"
        case .unknownVersion(let mismatches):
            let nearest = mismatches.sorted { $0.lines.count < $1.lines.count }
            var lines = ["the database has the tables of no version"]
            for mismatch in nearest.prefix(3) {
                lines += mismatch.lines.prefix(20)
                if mismatch.lines.count > 20 {
                    lines.append("  \(mismatch.version): and \(mismatch.lines.count - 20) more")
                }
            }
            if nearest.count > 3 { lines.append("  and \(nearest.count - 3) versions that differ more") }
            return lines.joined(separator: "\n")
        case .unknownHashes:
            return """
                the store's hashes match no imported version of the model: import the version that wrote it, or name the \
                version with ConversionOptions.version or --version
                """
        case .ambiguousVersion(let versions):
            return """
                the database has the tables of \(versions.joined(separator: " and ")), and the steps between them change \
                values: name its version with ConversionOptions.version or --version
                """
        case .contradictoryVersion(let number, let versions, let others):
            return """
                the user_version of the database is \(number), as in \(versions.joined(separator: " and ")), but its tables are \
                those of \(others.joined(separator: " and ")): find out which is right, and name the version with \
                ConversionOptions.version or --version
                """
        case .noVersion(let version):
            return "unknown version \(version)"
        case .unaddressable(let table):
            return
                "a row of \(table) cannot be set aside: the table has columns called rowid, oid and _rowid_"
        case .invalidRows(let report):
            let hint =
                report.invalidRows.contains { $0.key == nil }
                ? "\nTables and columns cannot be set aside: drop leaves them where they are (ConversionOptions.invalidRows, --invalid-rows)"
                : ""
            let count = report.invalidRowCount
            return "\(count) \(count == 1 ? "row, table or column" : "rows, tables or columns") of the database "
                + "\(count == 1 ? "does" : "do") not fit version \(report.version):\n"
                + (report.invalidRows.filter { $0.outcome == .refused }
                + report.invalidRows.filter { $0.outcome != .refused })
                .prefix(20).map(\.description).joined(separator: "\n")
                + (report.invalidRowCount > 20 ? "\nand \(report.invalidRowCount - 20) more" : "") + hint
        }
    }
}
