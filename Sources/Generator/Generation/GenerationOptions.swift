import SchemaDiff
import SchemaModel
import SQLSchema

/// The options for generating files from a schema history.
package struct GenerationOptions: Sendable {
    /// The access levels of generated declarations.
    package enum Access: String, CaseIterable, Sendable {
        case `public`, package, `internal`

        /// The access modifier with a space after it; empty for `internal`.
        var modifier: String { self == .internal ? "" : rawValue + " " }
    }

    /// The versions whose DDL is generated.
    package enum DDL: String, CaseIterable, Sendable {
        /// All versions.
        case all
        /// The newest version.
        case newest
    }

    /// The versions whose structs are generated.
    package enum Structs: String, CaseIterable, Sendable {
        /// All versions.
        case all
        /// The newest version, and the versions before and after each step with a custom migration.
        case needed
    }

    /// The ways in which generated tests find the folder of their target.
    package enum TestFolder: Hashable, Sendable {
        /// The folder is two levels above the generated file.
        case aboveFile
        /// The folder is at this path.
        case path(String)
    }

    /// The name of the model's target, which is also the name of its module.
    package var module: String
    /// The access level of generated declarations.
    package var access: Access
    /// The versions whose DDL is generated.
    package var ddl: DDL
    /// The versions whose structs are generated.
    package var structs: Structs
    /// Whether all types of other modules are written with their modules.
    package var qualifiesNames: Bool
    /// The names by which generated types are encoded and decoded.
    package enum CodingNames: String, Hashable, Sendable {
        /// The names of the Swift properties: `masterID`.
        case swift
        /// The names in the descriptions: `master_id`.
        case descriptions
    }

    /// The names by which generated types are encoded; nil if the types do not conform to `Codable`.
    package var codingNames: CodingNames?
    /// The way in which generated tests find their fixtures.
    package var testFolder: TestFolder
    /// The path of the model from a folder above both the model and its tests; nil if no test has to find the model.
    package var modelPath: String?
    /// The number of sealed versions. They are the oldest versions of the history.
    package var sealedCount: Int
    /// The fingerprints of fixture files, by version. A version without a fixture has none.
    package var fixtures: [Version: Fingerprint]
    /// The fingerprints of the files with the results of steps; nil if the tests do not check results.
    package var results: [StepVersions: Fingerprint]?
    /// The policies for rows that do not fit in a conversion.
    package var invalidRows: [ImportedInvalidRows]

    /// Creates options for the model of the target `module`.
    package init(
        module: String, access: Access = .public, ddl: DDL = .all, structs: Structs = .all,
        qualifiesNames: Bool = false, codingNames: CodingNames? = nil, testFolder: TestFolder = .aboveFile,
        sealedCount: Int,
        modelPath: String? = nil, fixtures: [Version: Fingerprint] = [:],
        results: [StepVersions: Fingerprint]? = [:], invalidRows: [ImportedInvalidRows] = []
    ) {
        self.module = module
        self.access = access
        self.ddl = ddl
        self.structs = structs
        self.qualifiesNames = qualifiesNames
        self.codingNames = codingNames
        self.testFolder = testFolder
        self.sealedCount = sealedCount
        self.modelPath = modelPath
        self.fixtures = fixtures
        self.results = results
        self.invalidRows = invalidRows
    }
}
