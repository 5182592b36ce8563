import SchemaModel

/// What decides how a history becomes files.
public struct GenerationOptions: Sendable {
    /// Who may use what is generated.
    public enum Access: String, CaseIterable, Sendable {
        case `public`, package, `internal`

        /// The modifier and the space after it; nothing for what needs none.
        var modifier: String { self == .internal ? "" : rawValue + " " }
    }

    /// Which versions' DDL is written.
    public enum DDL: String, CaseIterable, Sendable {
        /// That of every version.
        case all
        /// That of the newest.
        case newest
    }

    /// Which structs are generated.
    public enum Structs: String, CaseIterable, Sendable {
        /// Those of every version.
        case all
        /// Those of the newest version, and of both ends of each step that a person writes.
        case needed
    }

    /// How the generated tests find the folder of their target.
    public enum TestFolder: Hashable, Sendable {
        /// It is two levels above the generated file.
        case aboveFile
        /// It is at that path.
        case path(String)
    }

    /// The name of the model's target, which is that of its module.
    public var module: String
    /// Who may use what is generated.
    public var access: Access
    /// Which versions' DDL is written.
    public var ddl: DDL
    /// Which structs are generated.
    public var structs: Structs
    /// Whether structs are `Codable` too.
    public var isCodable: Bool
    /// How the generated tests find their fixtures.
    public var testFolder: TestFolder
    /// How many of the versions, from the oldest on, are sealed.
    public var sealedCount: Int
    /// The fingerprints of the files of their fixtures, of those that have one.
    public var fixtures: [Version: Fingerprint]

    /// Options for the model of the target `module`.
    public init(
        module: String, access: Access = .public, ddl: DDL = .all, structs: Structs = .all, isCodable: Bool = false,
        testFolder: TestFolder = .aboveFile, sealedCount: Int, fixtures: [Version: Fingerprint] = [:]
    ) {
        self.module = module
        self.access = access
        self.ddl = ddl
        self.structs = structs
        self.isCodable = isCodable
        self.testFolder = testFolder
        self.sealedCount = sealedCount
        self.fixtures = fixtures
    }
}
