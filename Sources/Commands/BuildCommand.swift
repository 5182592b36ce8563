import Foundation
import Generation

/// Writes what a build compiles into a folder of the build.
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

    /// Checks that the files which are committed in this mode too are there, and that the lock is what it should be.
    private func checkCommitted(_ generator: Generator) throws {
        var stale: [String] = []
        let lock = generator.lock()
        let url = folder.url.appendingPathComponent(lock.name)
        if !FileWriter.holds(lock.contents, at: url) { stale.append("\(url.path): error: it is stale") }
        for stub in try generator.stubs() {
            let url = folder.folder(.migrations).appendingPathComponent(stub.name)
            if !FileManager.default.fileExists(atPath: url.path) { stale.append("\(url.path): error: it is missing") }
        }
        if !stale.isEmpty { throw CommandError.stale(stale, mendedBy: folder.target) }
    }

    func run() throws {
        let model = try Model(reading: folder)
        let generator = try model.generator(
            testFolder: testFolder.map { .path($0.url.path) } ?? .aboveFile, sealsFixtures: testFolder?.isFirst != false
        )
        if place == .sources { try checkCommitted(generator) }
        for file in place == .tests ? try generator.tests() : try generator.sources() {
            // The build needs every declared output to be there, and new: it decides by dates.
            try Data(file.contents.utf8).write(to: output.appendingPathComponent(file.name), options: .atomic)
        }
    }
}
