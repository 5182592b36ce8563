import SchemaModel
import SQLSchema

/// The options for generating files from a schema history.
public struct GenerationOptions: Sendable {
    /// The access levels of generated declarations.
    public enum Access: String, CaseIterable, Sendable {
        case `public`, package, `internal`

        /// The access modifier with a space after it; empty for `internal`.
        var modifier: String { self == .internal ? "" : rawValue + " " }
    }

    /// The versions whose DDL is generated.
    public enum DDL: String, CaseIterable, Sendable {
        /// All versions.
        case all
        /// The newest version.
        case newest
    }

    /// The versions whose structs are generated.
    public enum Structs: String, CaseIterable, Sendable {
        /// All versions.
        case all
        /// The newest version, and the versions before and after each step with a custom migration.
        case needed
    }

    /// The ways in which generated tests find the folder of their target.
    public enum TestFolder: Hashable, Sendable {
        /// The folder is two levels above the generated file.
        case aboveFile
        /// The folder is at this path.
        case path(String)
    }

    /// The name of the model's target, which is also the name of its module.
    public var module: String
    /// The access level of generated declarations.
    public var access: Access
    /// The versions whose DDL is generated.
    public var ddl: DDL
    /// The versions whose structs are generated.
    public var structs: Structs
    /// The names by which generated types are encoded and decoded.
    public enum CodingNames: String, Hashable, Sendable {
        /// The names of the Swift properties: `masterID`.
        case swift
        /// The names in the descriptions: `master_id`.
        case descriptions
    }

    /// How generated types conform to `Codable`; nil if they do not.
    public var codingNames: CodingNames?
    /// The way in which generated tests find their fixtures.
    public var testFolder: TestFolder
    /// The number of sealed versions. They are the oldest versions of the history.
    public var sealedCount: Int
    /// The fingerprints of fixture files, by version. A version without a fixture has none.
    public var fixtures: [Version: Fingerprint]
    /// The policies for rows that do not fit in a conversion.
    public var misfits: [ImportedMisfits]

    /// Creates options for the model of the target `module`.
    public init(
        module: String, access: Access = .public, ddl: DDL = .all, structs: Structs = .all,
        codingNames: CodingNames? = nil, testFolder: TestFolder = .aboveFile, sealedCount: Int,
        fixtures: [Version: Fingerprint] = [:], misfits: [ImportedMisfits] = []
    ) {
        self.module = module
        self.access = access
        self.ddl = ddl
        self.structs = structs
        self.codingNames = codingNames
        self.testFolder = testFolder
        self.sealedCount = sealedCount
        self.fixtures = fixtures
        self.misfits = misfits
    }
}
