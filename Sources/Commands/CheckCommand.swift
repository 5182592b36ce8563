import Foundation

/// Says what is stale, by bytes.
struct CheckCommand {
    private let folder: ModelFolder
    private let testTargets: [String: URL]
    private let scope: Output.Scope
    private let stamp: String?

    init(_ arguments: Arguments) throws {
        folder = try arguments.model()
        testTargets = try arguments.testTargets()
        scope = arguments.has("--sources") ? .sources : arguments.has("--tests") ? .tests : .all
        stamp = arguments.has("--stamp") ? try arguments.value("--stamp") : nil
    }

    func run() throws {
        let model = try Model(reading: folder)
        let output = try Output(model, testFolder: testTargets[folder.configuration.tests], scope: scope)
        var stale: [String] = []
        for file in output.files where !FileWriter.holds(file.contents, at: file.url) {
            let isThere = FileManager.default.fileExists(atPath: file.url.path)
            stale.append("\(file.url.path): error: it is \(isThere ? "stale" : "missing")")
        }
        for stub in output.stubs where !FileManager.default.fileExists(atPath: stub.url.path) {
            stale.append("\(stub.url.path): error: it is missing")
        }
        stale += output.leftovers.map { "\($0.path): error: nothing generates it any more" }
        guard stale.isEmpty else { throw CommandError.stale(stale, target: folder.target) }
        if let stamp {
            try FileWriter.write(
                "// What is committed is what the descriptions say.\n", to: URL(fileURLWithPath: stamp))
        }
    }
}
