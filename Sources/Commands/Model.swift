import Descriptions
import Foundation
import Generation
import SchemaModel
import Templates

/// A model that was read and found whole: parse, resolve, validate, and compare with the lock.
struct Model {
    let folder: ModelFolder
    let history: SchemaHistory
    /// How many versions, from the oldest on, are sealed.
    let sealedCount: Int

    /// Reads the model in `folder`.
    ///
    /// - Throws: `Diagnostics` with all that is wrong in its files.
    init(reading folder: ModelFolder) throws {
        self.folder = folder
        let descriptions = Descriptions(
            reading: try folder.descriptions(), folder: folder.path, schema: folder.configuration.schema)
        guard let history = descriptions.history else { throw Diagnostics(descriptions.diagnostics) }
        self.history = history
        let sealed = try Self.checkLock(folder, history)
        // Whatever is older than the newest version is sealed.
        self.sealedCount = max(sealed, history.versions.count - 1)
    }

    /// The number of versions that the lock seals, after a check that none of them has changed.
    private static func checkLock(_ folder: ModelFolder, _ history: SchemaHistory) throws -> Int {
        let url = folder.url.appendingPathComponent(Generator.lockName)
        guard let data = try? Data(contentsOf: url) else { return 0 }
        func refuse(_ problem: Problem, line: Int) -> Diagnostics {
            Diagnostics([Diagnostic(problem, path: url.path, position: Position(line: line, column: 1))])
        }
        let lock: Lock
        do {
            lock = try Lock(parsing: String(decoding: data, as: UTF8.self))
        } catch {
            throw refuse(.malformedLock(error.reason), line: error.line)
        }
        guard lock.schema == history.name else {
            throw refuse(.lockOfOtherSchema(lock.schema, expected: history.name), line: 1)
        }
        let changes = lock.changes(in: history)
        guard changes.isEmpty else {
            throw Diagnostics(
                changes.map { Diagnostic(.sealedChange($0), path: url.path, position: nil) })
        }
        return lock.versions.count
    }

    /// A generator for the model; `testFolder` is how its tests find the folder of their target.
    func generator(testFolder: GenerationOptions.TestFolder = .aboveFile) throws -> Generator {
        Generator(
            history: history, templates: try Templates.load(),
            options: GenerationOptions(
                module: folder.target, access: folder.configuration.access, testFolder: testFolder,
                sealedCount: sealedCount))
    }
}
