/// The errors of a schema's fixtures.
public enum FixtureError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The generated tests refer to a version that the schema does not have.
    case unknownVersion(String, schema: String)
    /// The generated tests do not have the table of a struct.
    case unknownTable(String, struct: String)
    /// The stored properties of a struct do not match the columns in the generated tests.
    case otherProperties(String, [String], expected: [String])
    /// The fixture of a released version is missing.
    case missing(String)
    /// The fixture of a released version has changed.
    case changed(String)
    /// No sample row satisfies a check.
    case noSampleRow(entity: String, check: String)
    /// A fixture cannot be written.
    case unwritable(String, isMissing: Bool, reason: String)

    /// The error, and how to fix it.
    public var description: String {
        switch self {
        case .unknownVersion(let version, let schema):
            "\(schema) has no version \(version); check the spelling, or run generate"
        case .unknownTable(let table, let type):
            "the generated tests have no table \(table) for \(type); run generate"
        case .otherProperties(let type, let properties, let expected):
            "\(type) has the properties \(properties.joined(separator: ", ")), but the generated tests expect "
                + "\(expected.joined(separator: ", ")); run generate"
        case .missing(let path):
            "the database of a released version is missing; restore \(path) from version control"
        case .changed(let path):
            "the database of a released version was changed; restore \(path) from version control"
        case .noSampleRow(let entity, let check):
            "no sample row of \(entity) satisfies the check \(check); write a row that does, in "
                + "`static func samples(_ transaction: WriteTransaction)` in an extension of the version"
        case .unwritable(let path, let isMissing, let reason):
            "it \(isMissing ? "is missing" : "is out of date"), and \(path) cannot be written (\(reason)): "
                + "run the tests where the folder can be written, and commit the file"
        }
    }
}
