import Foundation
import SchemaDiff
import SchemaModel
import TestFiles

/// The folder `Fixtures/SCHEMA` of a model's first test target. The tests write databases and results of steps there, and a
/// release seals them.
struct FixtureFolder {
    let url: URL

    /// Returns the folder of a schema; nil if the model has no test target.
    init?(of schema: String, in testFolders: [ModelFolder.TestFolder]) {
        guard let tests = testFolders.first(where: \.isFirst) else { return nil }
        url = tests.fixtures(of: schema)
    }

    /// Returns the file with the database of a version.
    func fixture(of version: Version, isDraft: Bool = false) -> URL {
        url.appendingPathComponent("\(isDraft ? "draft-" : "")\(version).sqlite")
    }

    /// Returns the file with the results of a step.
    func results(of step: StepVersions, isDraft: Bool = false) -> URL {
        url.appendingPathComponent(StepResults.fileName(from: step.from.text, to: step.to.text, isDraft: isDraft))
    }

    /// The files with the databases of versions that are no drafts.
    var fixtures: [(version: Version, url: URL)] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []
        return names.sorted().filter { $0.hasSuffix(".sqlite") }.compactMap { name in
            Version(String(name.dropLast(7))).map { ($0, url.appendingPathComponent(name)) }
        }
    }

    /// The bytes of the database of a version, and whether they belong to the version as it is described.
    struct Contents {
        let url: URL
        let fingerprint: Fingerprint
        let isCurrent: Bool
    }

    /// Reads the database of a version; nil if the file cannot be read.
    func contents(of version: ModelVersion, isDraft: Bool = false) -> Contents? {
        let url = fixture(of: version.version, isDraft: isDraft)
        guard let bytes = try? Data(contentsOf: url) else { return nil }
        // A store's `user_version` is derived from its fingerprint. It is at offset 60 of the file
        // (https://sqlite.org/fileformat.html).
        let number = bytes.dropFirst(60).prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        return Contents(
            url: url, fingerprint: Fingerprint(of: bytes),
            isCurrent: Int32(bitPattern: number) == version.fingerprint.value.userVersion)
    }
}

extension ModelFolder.TestFolder {
    /// Returns the folder with the fixtures of a schema.
    func fixtures(of schema: String) -> URL { url.appendingPathComponent("Fixtures/\(schema)") }

    /// Returns the files that the tests have written for drafts of a schema.
    func drafts(of schema: String) -> [URL] {
        let files = try? FileManager.default.contentsOfDirectory(
            at: fixtures(of: schema), includingPropertiesForKeys: nil)
        return (files ?? []).filter { $0.lastPathComponent.hasPrefix("draft-") }
    }
}
