import Foundation

/// Says what is stale, by bytes.
struct CheckCommand {
    private let folders: [ModelFolder]
    private let testTargets: [String: URL]?
    private let scope: Output.Scope
    private let stamp: String?
    private let needsRelease: Bool

    init(_ arguments: Arguments) throws {
        folders = try arguments.models()
        testTargets = try arguments.testTargets()
        scope = arguments.has("--sources") ? .sources : arguments.has("--tests") ? .tests : .all
        stamp = arguments.has("--stamp") ? try arguments.value("--stamp") : nil
        needsRelease = arguments.has("--released")
    }

    func run() throws {
        for folder in folders { try run(folder) }
        if let stamp {
            try FileWriter.write(
                "// What is committed is what the descriptions say.\n", to: URL(fileURLWithPath: stamp))
        }
    }

    private func run(_ folder: ModelFolder) throws {
        let model = try Model(reading: folder)
        let output = try Output(model, testFolder: folder.testFolder(among: testTargets), scope: scope)
        var stale: [String] = []
        for file in output.files where !FileWriter.holds(file.contents, at: file.url) {
            let isThere = FileManager.default.fileExists(atPath: file.url.path)
            stale.append("\(file.url.path): error: it is \(isThere ? "stale" : "missing")")
        }
        for stub in output.stubs where !FileManager.default.fileExists(atPath: stub.url.path) {
            stale.append("\(stub.url.path): error: it is missing")
        }
        stale += output.leftovers.map { "\($0.path): error: nothing generates it any more" }
        let target = stale.isEmpty ? nil : folder.target
        // A build tolerates what is not written yet: the tests are red until it is.
        if stamp == nil {
            stale += Output.unwrittenStubs(of: folder).map { "\($0.path): error: this migration is not written yet" }
        }
        if needsRelease, !model.isReleased {
            let lock = folder.url.appendingPathComponent("strata.lock").path
            stale.append(
                "\(lock): error: version \(model.history.newest.version) is not released; strata release seals it")
        }
        guard stale.isEmpty else { throw CommandError.stale(stale, mendedBy: target) }
    }
}
