import Foundation
import Generation

/// Generates the Swift files of a build in the build plugin's folder.
struct BuildCommand {
    private let folder: ModelFolder
    private let output: URL
    private let testFolders: [ModelFolder.TestFolder]
    private let place: GeneratedFile.Place
    /// Whether the target gets only samples.
    private let isForSamples: Bool

    init(_ arguments: Arguments, place: GeneratedFile.Place) throws {
        folder = try arguments.model(at: try arguments.value("--model"))
        output = URL(fileURLWithPath: try arguments.value("--output"), isDirectory: true)
        let targets = try arguments.testTargets() ?? [:]
        testFolders = folder.testFolders(among: targets)
        isForSamples = !folder.sampleFolders(among: targets).isEmpty
        self.place = place
    }

    /// Checks the committed files that a build does not generate: the lock, the SQL and the custom migrations.
    ///
    /// - Throws: `CommandError.stale` if one is not up to date, or if the file of a custom migration is missing.
    private func checkCommitted(_ model: LoadedModel) throws {
        let tree = try Pipeline.generate(model, scope: .sources)
        let stale = tree.files.filter { !FileWriter.holds($0.contents, at: $0.url) }.map {
            "\($0.url.path): error: it is stale"
        }
        let missing = tree.stubs.map(\.url).filter { !FileManager.default.fileExists(atPath: $0.path) }
            .map { "\($0.path): error: \(GeneratedTree.missingMigration)" }
        if !(stale + missing).isEmpty { throw CommandError.stale(stale + missing, fixedBy: folder.target) }
    }

    func run() throws {
        let model = try Pipeline.load(folder, scope: .sources)
        let generator = try model.generator(
            testFolder: testFolders.first.map { .path($0.url.path) } ?? .aboveFile, for: testFolders.first)
        if place == .sources { try checkCommitted(model) }
        let artifacts =
            switch place {
            case .tests: isForSamples ? generator.samples() : generator.tests()
            default: generator.sources(isBuilt: true)
            }
        for file in try generator.rendered(artifacts) {
            // Write every declared output, even if its contents stay the same: the build system compares modification
            // dates.
            try Data(file.contents.utf8).write(to: output.appendingPathComponent(file.name), options: .atomic)
        }
    }
}
