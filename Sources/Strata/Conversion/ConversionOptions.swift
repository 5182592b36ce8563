import Foundation

/// How a database of another library is converted.
public struct ConversionOptions: Sendable {
    /// How rows are treated that do not fit, or that depend on such rows.
    public enum Misfits: String, CaseIterable, Sendable {
        /// They go to the table `strata_unconverted` of the store; all other rows are converted.
        case setAside = "set-aside"
        /// They are not converted, and only reported.
        case drop
        /// No store is created, and `ConversionError.misfits` reports them.
        case refuse
    }

    /// The version that the database has, by its name here or there; nil finds it out by the tables.
    public var version: String?
    /// How rows that do not fit are treated, but for those of entities with a policy in `strata.json`.
    public var misfits = Misfits.setAside
    /// Called with what was done, before the store appears.
    public var report: (@Sendable (ConversionReport) -> Void)?
    /// Asked again and again: when it says true, the conversion throws `MigrationError.cancelled`, and there is no store.
    public var isCancelled: (@Sendable () -> Bool)?

    /// The usual options.
    public init() {}
}

/// What a conversion did.
public struct ConversionReport: Hashable, Sendable, Codable {
    /// How a conversion treated something that does not fit.
    public enum Outcome: String, Hashable, Sendable, Codable {
        /// The row is in `strata_unconverted`.
        case setAside = "set-aside"
        /// It stays in the other database.
        case dropped
        /// It is the reason why there is no store.
        case refused
        /// The row was converted, and its dangling foreign key is NULL.
        case setToNull = "set-to-null"
        /// The row was converted, with the value that `strata.json` gives.
        case filled
    }

    /// Something that does not fit.
    public struct Misfit: Hashable, Sendable, Codable, CustomStringConvertible {
        /// The table of the store.
        public var table: String
        /// The key of the row in the other database; nil where the table as a whole is meant.
        public var key: String?
        /// What is wrong with it.
        public var reason: String
        /// How the conversion treated it.
        public var outcome: Outcome

        /// In words.
        public var description: String { "\(table)\(key.map { " \($0)" } ?? ""): \(reason)" }
    }

    /// Values that stay in the other database, because the import could not carry them over.
    public struct Left: Hashable, Sendable, Codable, CustomStringConvertible {
        /// The entity and its property, or the table and its column.
        public var name: String
        /// Why, as `strata.json` has it.
        public var reason: String
        /// How many values that are.
        public var values: Int

        /// In words.
        public var description: String { "\(name): \(values) values (\(reason))" }
    }

    /// The version that the database had.
    public var version: String
    /// The rows that were copied, by table.
    public var rows: [String: Int] = [:]
    /// The rows in `strata_unconverted`, by the tables that they belong to.
    public var unconverted: [String: Int] = [:]
    /// The dangling foreign keys that became NULL, by table.
    public var cleared: [String: Int] = [:]
    /// The values that did not fit and were replaced by those of `strata.json`, by table.
    public var filled: [String: Int] = [:]
    /// The values that stay in the other database.
    public var left: [Left] = []
    /// The first thousand things that do not fit.
    public var misfits: [Misfit] = []
    /// How many things do not fit.
    public var misfitCount = 0
    /// How long it took, in seconds.
    public var seconds: Double = 0

    /// How many rows were not converted.
    private(set) var lostCount = 0
    /// Whether something that does not fit refuses the database.
    private(set) var isRefused = false

    /// What is encoded: all that is public.
    private enum CodingKeys: CodingKey {
        case version, rows, unconverted, cleared, filled, left, misfits, misfitCount, seconds
    }

    init(version: String) {
        self.version = version
    }

    mutating func add(_ misfit: Misfit) {
        misfitCount += 1
        switch misfit.outcome {
        case .setAside, .dropped: lostCount += 1
        case .refused: (lostCount, isRefused) = (lostCount + 1, true)
        case .setToNull, .filled: break
        }
        if misfits.count < 1000 { misfits.append(misfit) }
    }
}

/// How a database of another library differs from one version of the schema.
public struct VersionMismatch: Hashable, Sendable {
    /// The version.
    public var version: String
    /// What the version has and the database lacks.
    public var missing: [String]
    /// The tables and columns that the database has and the version does not know.
    public var extra: [String]

    /// What differs, a line each.
    fileprivate var lines: [String] {
        missing.map { "  \(version): the database lacks \($0)" }
            + extra.map { "  \(version): only the database has \($0)" }
    }
}

/// Why no store was created from a database of another library. The database is unchanged.
public enum ConversionError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The schema was not imported, so nothing is known of such databases.
    case notImported(schema: String)
    /// The database is not one of the library that the schema was imported from.
    case otherLibrary(String)
    /// The database has the tables of no version.
    case unknownVersion([VersionMismatch])
    /// A Core Data store has other hashes than every version of the model.
    case unknownHashes
    /// The database has the tables of all these versions, and a wrong choice could lose values.
    case ambiguousVersion([String])
    /// The schema has no version of that name.
    case noVersion(String)
    /// A row does not fit, and its table has a column for each name by which SQLite addresses rows.
    case unaddressable(table: String)
    /// Rows do not fit.
    case misfits(ConversionReport)

    /// What happened, and what to do next.
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
        case .noVersion(let version):
            return "there is no version \(version)"
        case .unaddressable(let table):
            return
                "a row of \(table) cannot be set aside: the table has columns called rowid, oid and _rowid_"
        case .misfits(let report):
            let hint =
                report.misfits.contains { $0.key == nil }
                ? "\nTables and columns cannot be set aside: drop leaves them where they are (ConversionOptions.misfits, --misfits)"
                : ""
            return "\(report.misfitCount) things of \(report.version) do not fit:\n"
                + report.misfits.prefix(20).map(\.description).joined(separator: "\n")
                + (report.misfitCount > 20 ? "\nand \(report.misfitCount - 20) more" : "") + hint
        }
    }
}
