import Descriptions
import Foundation
import Generation
import SchemaDiff
import SchemaModel
import SQLSchema
import TestFiles

/// A valid model: its history, compared with its lock. `Pipeline` reads it.
package struct LoadedModel: Sendable {
    package let folder: ModelFolder
    /// The folders of its test targets.
    let testFolders: [ModelFolder.TestFolder]
    /// The files that you write, from which everything is generated.
    let written: [SourceFile]
    package let history: SchemaHistory
    /// The policies for rows that do not fit, if the model was imported.
    package let invalidRows: [ImportedInvalidRows]
    /// The released part of the history.
    package let sealing: Sealing
    /// The notes and warnings about the files of a valid model.
    let notes: [Diagnostic]
    /// The errors for versions that cannot all be drafts. With one, nothing can be generated.
    let severalDrafts: [Diagnostic]

    /// The released versions: those in the lock file on disk.
    package var released: [Version] { sealing.released }

    /// Whether the newest version is released.
    var isReleased: Bool { released.last == history.newest.version }

    /// The newest version if it can still change; nil if it is released, or if the databases of the library from which
    /// the model was imported have it.
    package var draft: Version? {
        let newest = history.newest.version
        return isReleased || history.isImported(newest) ? nil : newest
    }

    /// Returns the model with other sealed files.
    func with(_ sealing: Sealing) -> LoadedModel {
        LoadedModel(
            folder: folder, testFolders: testFolders, written: written, history: history, invalidRows: invalidRows,
            sealing: sealing,
            notes: notes, severalDrafts: severalDrafts)
    }

    /// The generated tests that have not passed with the present descriptions, migrations and tests, each with the name of its
    /// target's folder; empty if the model has no test target.
    var openTests: [String] {
        testFolders.flatMap { tests -> [String] in
            let name = tests.url.lastPathComponent
            let url = tests.fixtures(of: history.name).appendingPathComponent(TestRecord.fileName)
            guard let text = try? String(contentsOf: url, encoding: .utf8), let record = TestRecord(parsing: text),
                record.inputs == TestRecord.inputs(model: folder.url, tests: tests.url)
            else { return ["all of \(name)"] }
            return record.open.map { "\($0) of \(name)" }
        }
    }

    /// Creates a generator for the model.
    ///
    /// - Parameters:
    ///   - testFolder: The way in which the generated tests find the folder of their target.
    ///   - tests: The test target whose tests are generated; nil if none is.
    /// - Throws: `CommandError` if the configured templates are wrong.
    func generator(
        testFolder: GenerationOptions.TestFolder = .aboveFile, for tests: ModelFolder.TestFolder? = nil
    ) throws -> Generator {
        Generator(
            history: history, templates: try folder.templates(),
            options: GenerationOptions(
                module: folder.module, access: folder.configuration.access, ddl: folder.configuration.ddl,
                structs: folder.configuration.structs,
                qualifiesNames: folder.configuration.qualifiesNames, codingNames: folder.configuration.codingNames,
                testFolder: testFolder, sealedCount: sealing.count, modelPath: tests.map(folder.path),
                fixtures: tests?.isFirst == false ? [:] : sealing.fixtures,
                results: tests?.isFirst == false ? nil : sealing.results,
                invalidRows: invalidRows))
    }
}
