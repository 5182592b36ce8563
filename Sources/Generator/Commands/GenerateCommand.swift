import Descriptions
import Foundation
import SchemaDiff
import SchemaModel

/// Generates all files of a model.
struct GenerateCommand {
    private let folders: [ModelFolder]
    private let testTargets: [String: URL]?
    private let release: Sealing.Release?
    private let isBeta: Bool
    /// Whether a version may be released without its fixture and green tests.
    private let isUntested: Bool

    init(_ arguments: Arguments, isRelease: Bool) throws {
        folders = try arguments.models()
        testTargets = try arguments.testTargets()
        isBeta = arguments.has("--beta")
        isUntested = arguments.has("--untested")
        if !isRelease, let option = ["--beta", "--step", "--untested", "--version"].first(where: arguments.has) {
            throw CommandError.usage("\(option) needs --release")
        }
        if isBeta, arguments.has("--version") { throw CommandError.usage("--beta and --version exclude each other") }
        let steps = arguments.options("--step")
        if !steps.isEmpty {
            if isBeta || arguments.has("--version") {
                throw CommandError.usage("--step excludes --beta and --version")
            }
            release = .steps(
                try steps.map { text in
                    guard let step = StepVersions(text) else {
                        throw CommandError.usage("\(text) is not a step; write its two versions, as in 1.0-2.0")
                    }
                    return step
                })
        } else if let text = arguments.option("--version") {
            guard let version = Version(text) else { throw CommandError.usage("\(text) is not a version") }
            release = .version(version)
        } else {
            release = isRelease ? .newest : nil
        }
    }

    func run(_ console: Console) throws {
        for folder in folders {
            if isBeta {
                try releaseBeta(of: folder, console)
            } else {
                try run(folder, release, console)
            }
        }
    }

    /// Releases the draft as a beta: its items in the descriptions get the version of the beta, and so do your sources.
    private func releaseBeta(of folder: ModelFolder, _ console: Console) throws {
        try folder.checkTests(among: testTargets)
        let testFolders = folder.testFolders(among: testTargets)
        let model = try Pipeline.load(folder, tests: testFolders, releasing: .newest)
        guard let draft = model.draft else { throw CommandError.noDraft(model.history.newest.version.text) }
        if draft.isBeta { return try run(folder, .newest, console) }
        // The beta has the tables of the draft, so everything that the draft needs is there.
        let sealing = model.sealing.sealingFiles(hasPassed: model.openTests.isEmpty).sealing
        try checkRelease(
            of: model.with(sealing),
            try Pipeline.generate(
                model.with(sealing), samples: folder.sampleFolders(among: testTargets)))
        let betas = model.history.versions.map(\.version).filter { $0.isBeta && $0.final == draft }
        let beta = draft.beta((betas.last?.number.beta ?? 0) + 1)
        var edits = try Renumbering.renumber(
            draft, to: beta, in: try folder.descriptions(), configuration: folder.configurationFile())
        edits.merge(try OwnSources(of: folder, testFolders).renaming(draft, to: beta)) { _, new in new }
        let edited = try folder.applying(edits)
        _ = try Pipeline.load(edited, releasing: .version(beta))
        for line in try edited.writeEdits() { console.say(line) }
        for file in testFolders.flatMap({ $0.drafts(of: model.history.name) }) {
            try? FileManager.default.removeItem(at: file)
        }
        try run(edited, .version(beta), isChecked: false, console)
        for (path, line) in try OwnSources(of: edited, testFolders).mentions(of: [draft]) {
            console.say("\(path):\(line):1: warning: this file still names \"\(draft)\", which is \"\(beta)\" now")
        }
        console.say("further edits belong to \(draft), which comes after \(beta)")
        if folder.configuration.versions.currentVersion == draft {
            console.say("warning: \"current_version\" is \(beta) now; set it to \(draft) again when \(draft) begins")
        }
    }

    private func run(
        _ folder: ModelFolder, _ release: Sealing.Release?, isChecked: Bool = true, _ console: Console
    ) throws {
        let stamp = release == nil ? GenerationStamp(folder, testTargets: testTargets) : nil
        if let notes = stamp?.notes {
            if !notes.isEmpty { console.say(notes) }
            console.say("\(folder.target): everything is up to date; no file has changed")
            return
        }
        try folder.checkTests(among: testTargets)
        let testFolders = folder.testFolders(among: testTargets)
        let loaded = try Pipeline.load(folder, tests: testFolders, releasing: release)
        let sealed = loaded.sealing.sealingFiles(hasPassed: loaded.openTests.isEmpty)
        let model = loaded.with(sealed.sealing)
        let tree = try Pipeline.generate(model, samples: folder.sampleFolders(among: testTargets))
        if case .steps(let steps) = release {
            for step in steps {
                // The tests write them again.
                if let file = model.sealing.folder?.results(of: step) { try? FileManager.default.removeItem(at: file) }
                console.say(
                    "the step from \(step.from) to \(step.to) of \(model.history.name) is now released as the descriptions have it"
                )
            }
        } else if release != nil, isChecked {
            try checkRelease(of: model, tree)
        }
        announceSealedVersions(of: model, release, console)
        if model.sealing.lock.versions.dropFirst().contains(where: { $0.step == nil }), release == nil {
            console.say("strata.lock now seals the steps between released versions, as the descriptions have them")
        }
        for note in sealed.notes { console.say(note) }
        let notes = model.notes.map(\.description)
        for note in notes { console.say(note) }
        var lines: [String] = []
        for (draft, fixture) in sealed.renamed {
            if FileManager.default.fileExists(atPath: fixture.path) { try FileManager.default.removeItem(at: fixture) }
            try FileManager.default.moveItem(at: draft, to: fixture)
            lines.append("sealed \(fixture.path)")
        }
        let written = try FileWriter.write(tree.files)
        lines += written.map { "wrote \($0.path)" } + (try finish(tree))
        for line in lines { console.say(line) }
        if !lines.isEmpty, model.draft != nil, let step = model.history.newestStep, step.incompatibleChange != nil {
            console.say("note: \(step.compatibilityText)")
        }
        let stray = try OwnSources(of: folder, testFolders).strayExpectations(besides: tree.expectationFunctions)
        let unsealed = model.sealing.stepsWithoutResults.map {
            "note: the results of the released step \($0) are not sealed yet; run the tests, then generate, and commit both"
        }
        let warnings =
            unsealed + warnings(about: tree, in: folder)
            + stray.map { "\($0.path):\($0.line):1: warning: \($0.message)" }
        for warning in warnings { console.say(warning) }
        if lines.isEmpty { console.say("\(folder.target): everything is up to date") }
        stamp?.record(writing: written, notes: (notes + warnings).joined(separator: "\n"))
    }

    /// Checks that the versions to release have their custom migrations, fixtures that are current, and green tests. A
    /// release without tests needs nothing.
    private func checkRelease(of model: LoadedModel, _ tree: GeneratedTree) throws {
        if isUntested { return }
        let sealing = model.sealing
        let new = sealing.newVersions
        let missing = tree.stubs.map(\.url).filter { !FileManager.default.fileExists(atPath: $0.path) }
        // The migrations to later versions may be unwritten.
        let needed = sealing.versions.map { "_to_\($0.identifier).swift" }
        let unwritten = (missing + tree.unwrittenStubs()).filter { url in
            needed.contains { url.lastPathComponent.hasSuffix($0) }
        }
        let stale = sealing.staleFixtures
        let withoutFixture = stale.isEmpty ? sealing.versionsWithoutFixture.filter(new.contains) : []
        // Stores that are older than the oldest supported version are refused, and need no migration.
        let hint =
            model.history.imported == nil
            ? "" : "; `import --oldest VERSION`, or \"oldest_supported_version\" in strata.json, leaves out old steps"
        var messages =
            unwritten.map { "\($0.path): error: this migration is not written yet, so nothing was released\(hint)" }
            + stale.map {
                "\($0.path): error: this fixture is older than the descriptions, so nothing was released; run the tests first"
            }
            + withoutFixture.map {
                "\(model.folder.path): error: version \($0) has no fixture, so nothing was released; run generate and the tests first, or add --untested"
            }
        let open = new.isEmpty || !messages.isEmpty ? [] : model.openTests
        if !open.isEmpty {
            messages.append(
                "\(model.folder.path): error: these generated tests have not passed with the present descriptions, migrations and tests, "
                    + "so nothing was released; run swift test, or add --untested: \(open.joined(separator: ", "))")
        }
        if !messages.isEmpty { throw CommandError.stale(messages, fixedBy: nil) }
    }

    private func announceSealedVersions(
        of model: LoadedModel, _ release: Sealing.Release?, _ console: Console
    ) {
        let (versions, new) = (model.sealing.versions, model.sealing.newVersions)
        for version in new {
            let verb = release != nil && version == versions.last ? "released" : "sealed"
            console.say("\(verb) \(version) of \(model.history.name): it can no longer change")
        }
        if case .steps = release { return }
        if release != nil, new.isEmpty, let newest = versions.last {
            console.say("\(newest) of \(model.history.name) is already released")
            if newest.isBeta {
                console.say(
                    "to release \(newest.final), run: swift run strata version \(newest.final) --model \(model.folder.path)"
                )
            }
        }
        for version in model.sealing.versionsWithoutFixture where new.contains(version) {
            console.say(
                "warning: \(version) has no fixture yet; run the tests, which write it, then generate, which records it, and commit both"
            )
        }
    }

    /// Writes missing stubs, and removes files that nothing generates any more. Returns a line for each.
    private func finish(_ tree: GeneratedTree) throws -> [String] {
        var lines: [String] = []
        for stub in tree.stubs + tree.serverStubs where !FileManager.default.fileExists(atPath: stub.url.path) {
            try FileWriter.write(stub.contents, to: stub.url)
            lines.append("created \(stub.url.path)")
        }
        for file in tree.leftovers {
            try FileManager.default.removeItem(at: file)
            lines.append("removed \(file.path)")
        }
        return lines
    }

    private func warnings(about tree: GeneratedTree, in folder: ModelFolder) -> [String] {
        var warnings: [String] = []
        for migration in tree.obsoleteMigrations {
            warnings.append("\(migration.path): warning: \(GeneratedTree.obsoleteMigration)")
        }
        for stub in tree.unwrittenStubs() {
            warnings.append("\(stub.path): note: this migration is not written yet; tests fail until it is")
        }
        for stub in tree.unwrittenServerStubs {
            warnings.append("\(stub.path): note: this migration is not written yet; 2-offline.sql fails until it is")
        }
        for (file, message) in tree.missingFunctions() { warnings.append("\(file.path): warning: \(message)") }
        for (file, function) in tree.unusedFunctions() {
            warnings.append("\(file.path): warning: no step calls \(function) any more; delete it")
        }
        warnings += folder.manifestWarnings()
        let products = ["StrataTesting"] + (folder.configuration.invalidRows.isEmpty ? [] : ["StrataConversionTesting"])
        let dependencies = ["\"\(folder.target)\""] + products.map { ".product(name: \"\($0)\", package: \"strata\")" }
        for name in folder.missingTests(among: testTargets) {
            warnings.append(
                """
                note: \(folder.target) has no test target \(name), so no tests were written; add to Package.swift:
                    .testTarget(
                        name: "\(name)",
                        dependencies: [\(dependencies.joined(separator: ", "))],
                        plugins: [.plugin(name: "\(folder.configuration.mode.plugin)", package: "strata")])
                """)
        }
        return warnings
    }
}
