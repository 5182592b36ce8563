import Descriptions
import Foundation
import Generation
import SchemaDiff
import SchemaModel

/// The files of a model that a run of the generator starts from. Each is read once.
struct ModelFiles: Sendable {
    /// The descriptions of entities and subtypes.
    let descriptions: [SourceFile]
    /// The number of Lucid's descriptions of endpoint payloads, which describe nothing that is stored.
    let payloads: Int
    /// The released versions, from `strata.lock`; empty if there is no such file.
    let lock: Lock
    /// Whether there is a `strata.lock`.
    let hasLock: Bool
    /// All files that you write, from which everything is generated: descriptions, `strata.json`, and your own templates.
    let written: [SourceFile]

    /// Reads the files in the folder of a model.
    ///
    /// - Throws: `Diagnostics` if the lock is wrong; `CommandError` if a file cannot be read.
    init(reading folder: ModelFolder) throws {
        let url = folder.lock
        hasLock = FileManager.default.fileExists(atPath: url.path)
        lock = hasLock ? try Self.lock(at: url, of: folder.schema) : Lock(schema: folder.schema)
        (descriptions, payloads) = try folder.descriptionsAndPayloads()
        written = descriptions + [folder.configurationFile()] + folder.ownTemplates()
    }

    private static func lock(at url: URL, of schema: String) throws -> Lock {
        func refuse(_ problem: Problem, line: Int) -> Diagnostics {
            Diagnostics([Diagnostic(problem, path: url.path, position: Position(line: line, column: 1))])
        }
        let text = String(decoding: try Data(contentsOf: url), as: UTF8.self)
        if text.allSatisfy(\.isWhitespace) {
            let reason =
                "the file is empty; restore it from version control, or delete it if no version has been released"
            throw refuse(.malformedLock(reason), line: 1)
        }
        let conflict = MergeConflict(in: text)
        let lock: Lock
        do {
            lock = try conflict.map { try Lock(resolving: $0) } ?? Lock(parsing: text)
        } catch let error as LockConflict {
            throw refuse(.twoReleases(error), line: conflict?.line ?? 1)
        } catch let error as Lock.Malformed {
            throw refuse(.malformedLock(error.reason), line: conflict?.line ?? error.line)
        }
        // A lock without versions may belong to any schema.
        guard lock.schema == schema || lock.versions.isEmpty else {
            throw refuse(.lockOfOtherSchema(lock.schema, expected: schema), line: 1)
        }
        return Lock(schema: schema, versions: lock.versions)
    }
}
