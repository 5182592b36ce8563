import Foundation

/// How a database of another library is made a store.
public struct ConversionOptions: Sendable {
    /// What becomes of rows that do not fit.
    public enum Misfits: String, CaseIterable, Sendable {
        /// No store is made; all that does not fit is told.
        case refuse
        /// They are left out, and told. What points at them is done with as the tables say.
        case leaveOut
    }

    /// The version that the database has, by its name here or there; nil finds it out by the tables.
    public var version: String?
    /// What becomes of rows that do not fit.
    public var misfits = Misfits.refuse
    /// Called with what was done, before the store appears.
    public var report: (@Sendable (ConversionReport) -> Void)?
    /// Asked again and again: when it says true, the conversion throws `MigrationError.cancelled`, and there is no store.
    public var isCancelled: (@Sendable () -> Bool)?

    /// The usual options.
    public init() {}
}

/// What a conversion did.
public struct ConversionReport: Hashable, Sendable, Codable {
    /// Something that does not fit.
    public struct Misfit: Hashable, Sendable, Codable, CustomStringConvertible {
        /// The table of the store.
        public var table: String
        /// The key of the row in the other database; nil where the table as a whole is meant.
        public var key: String?
        /// What is wrong with it.
        public var reason: String

        /// In words.
        public var description: String { "\(table)\(key.map { " \($0)" } ?? ""): \(reason)" }
    }

    /// The version that the database had.
    public var version: String
    /// The rows that were copied, by table.
    public var rows: [String: Int] = [:]
    /// The first thousand things that do not fit.
    public var misfits: [Misfit] = []
    /// How many things do not fit.
    public var misfitCount = 0
    /// How long it took, in seconds.
    public var seconds: Double = 0

    init(version: String) {
        self.version = version
    }

    mutating func add(_ misfit: Misfit) {
        misfitCount += 1
        if misfits.count < 1000 { misfits.append(misfit) }
    }
}

/// Why no store was made of a database of another library. The database is unchanged.
public enum ConversionError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The schema was not imported, so nothing is known of such databases.
    case notImported(schema: String)
    /// The database has the tables of no version.
    case unknownVersion(reasons: [String])
    /// The database could be of any of these versions, between which a migration is written by hand.
    case ambiguousVersion([String])
    /// The schema has no version of that name.
    case noVersion(String)
    /// Rows do not fit.
    case misfits(ConversionReport)

    /// What happened, and what to do next.
    public var description: String {
        switch self {
        case .notImported(let schema):
            "\(schema) was not imported: strata.json has no \"imported\""
        case .unknownVersion(let reasons):
            "the database has the tables of no version: " + reasons.joined(separator: "; ")
        case .ambiguousVersion(let versions):
            "the database can be of \(versions.joined(separator: " or ")): say which it is"
        case .noVersion(let version): "there is no version \(version)"
        case .misfits(let report):
            "\(report.misfitCount) things of \(report.version) do not fit:\n"
                + report.misfits.prefix(20).map(\.description).joined(separator: "\n")
                + (report.misfitCount > 20 ? "\nand \(report.misfitCount - 20) more" : "")
        }
    }
}
