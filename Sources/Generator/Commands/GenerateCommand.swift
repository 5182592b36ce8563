import Foundation
import SchemaModel

/// Generates all files of a model.
struct GenerateCommand {
    private let folders: [ModelFolder]
    private let testTargets: [String: URL]?
    private let release: LoadedModel.Release?

    init(_ arguments: Arguments, isRelease: Bool = false) throws {
        folders = try arguments.models()
        testTargets = try arguments.testTargets()
        if let text = arguments.option("--version") {
            guard let version = Version(text) else { throw CommandError.usage("\(text) is not a version") }
            release = .version(version)
        } else {
            release = isRelease || arguments.has("--release") ? .newest : nil
        }
    }

    func run(_ console: Console) throws {
        for folder in folders { try run(folder, console) }
    }

    private func run(_ folder: ModelFolder, _ console: Console) throws {
        try folder.checkTests(among: testTargets)
        let testFolders = folder.testFolders(among: testTargets)
        var model = try LoadedModel(reading: folder, release: release, testFolders: testFolders)
        let sealedBefore = Set(model.released)
        let stale = release != nil ? model.staleFixtures(in: testFolders) : []
        let sealed = model.sealFixtures(in: testFolders)
        let output = try GeneratedTree(model, testFolders: testFolders)
        if release != nil {
            let missing = output.stubs.map(\.url).filter { !FileManager.default.fileExists(atPath: $0.path) }
            // The migrations of later versions may be written later.
            let needed = model.sealedVersions.map { "_to_\($0.identifier).swift" }
            let unwritten = (missing + output.unwrittenStubs()).filter { url in
                needed.contains { url.lastPathComponent.hasSuffix($0) }
            }
            guard unwritten.isEmpty else {
                throw CommandError.stale(
                    unwritten.map { "\($0.path): error: this migration is not written yet, so nothing was released" },
                    fixedBy: nil)
            }
        }
        guard stale.isEmpty else {
            let message = "this is the database of an earlier draft, so nothing was released: run the tests first"
            throw CommandError.stale(stale.map { "\($0.path): error: \(message)" }, fixedBy: nil)
        }
        for version in model.sealedVersions where !sealedBefore.contains(version) {
            let verb = release != nil && version == model.sealedVersions.last ? "released" : "sealed"
            console.say("\(verb) \(version) of \(model.history.name): it can no longer change")
        }
        for version in model.versionsWithoutFixture(in: testFolders) where !sealedBefore.contains(version) {
            console.say("warning: \(version) has no fixture yet: run the tests, then generate, and commit it")
        }
        for note in model.notes { console.say(note.description) }
        var count = 0
        for (draft, fixture) in sealed {
            if FileManager.default.fileExists(atPath: fixture.path) { try FileManager.default.removeItem(at: fixture) }
            try FileManager.default.moveItem(at: draft, to: fixture)
            console.say("sealed \(fixture.path)")
            count += 1
        }
        for file in try FileWriter.write(output.files) {
            console.say("wrote \(file.path)")
            count += 1
        }
        for stub in output.stubs where !FileManager.default.fileExists(atPath: stub.url.path) {
            try FileWriter.write(stub.contents, to: stub.url)
            console.say("created \(stub.url.path)")
            count += 1
        }
        for file in output.leftovers {
            try FileManager.default.removeItem(at: file)
            console.say("removed \(file.path)")
            count += 1
        }
        for migration in output.obsoleteMigrations {
            console.say("\(migration.path): warning: no step needs this migration any more: delete it")
        }
        for stub in output.unwrittenStubs() {
            console.say("\(stub.path): note: this migration is not written yet; tests fail until it is")
        }
        for (file, function) in output.missingFunctions() {
            console.say("\(file.path): warning: the step removes more data now: write \(function)")
        }
        for warning in folder.manifestWarnings() { console.say(warning) }
        for name in folder.missingTests(among: testTargets) {
            console.say(
                """
                note: \(folder.target) has no test target \(name), so no tests were written; add to Package.swift:
                    .testTarget(
                        name: "\(name)",
                        dependencies: ["\(folder.target)", .product(name: "StrataTesting", package: "strata")],
                        plugins: [.plugin(name: "StrataBuild", package: "strata")])
                """)
        }
        if count == 0 { console.say("\(folder.target): everything is up to date") }
    }
}
