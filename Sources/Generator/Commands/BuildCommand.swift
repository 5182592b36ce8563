import Foundation
import Generation

/// Generates the Swift files of a build in the build plugin's folder.
struct BuildCommand {
    private let folder: ModelFolder
    private let output: URL
    private let testFolder: ModelFolder.TestFolder?
    private let place: GeneratedFile.Place

    init(_ arguments: Arguments, place: GeneratedFile.Place) throws {
        folder = try arguments.model(at: try arguments.value("--model"))
        output = URL(fileURLWithPath: try arguments.value("--output"), isDirectory: true)
        testFolder = folder.testFolders(among: try arguments.testTargets() ?? [:]).first
        self.place = place
    }

    /// Checks the committed files that a build does not generate.
    ///
    /// - Throws: `CommandError.stale` if the lock is not up to date, or if the file of a custom migration is missing.
    private func checkCommitted(_ generator: Generator) throws {
        var stale: [String] = []
        let lock = generator.lock()
        let url = folder.url.appendingPathComponent(lock.name)
        if !FileWriter.holds(lock.contents, at: url) { stale.append("\(url.path): error: it is stale") }
        for stub in try generator.stubs() {
            let url = folder.folder(.migrations).appendingPathComponent(stub.name)
            if !FileManager.default.fileExists(atPath: url.path) {
                stale.append("\(url.path): error: \(GeneratedTree.missingMigration)")
            }
        }
        if !stale.isEmpty { throw CommandError.stale(stale, fixedBy: folder.target) }
    }

    func run() throws {
        let model = try LoadedModel(reading: folder)
        let generator = try model.generator(
            testFolder: testFolder.map { .path($0.url.path) } ?? .aboveFile, sealsFixtures: testFolder?.isFirst != false
        )
        if place == .sources { try checkCommitted(generator) }
        for file in place == .tests ? try generator.tests() : try generator.sources(isBuilt: true) {
            // Write every declared output, even if its contents stay the same: the build system compares modification
            // dates.
            try Data(file.contents.utf8).write(to: output.appendingPathComponent(file.name), options: .atomic)
        }
    }
}
