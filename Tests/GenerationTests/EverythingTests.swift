import Foundation
import Testing

@Suite struct EverythingTests {
    /// With `STRATA_REWRITE=1` in the environment, the test rewrites the descriptions of the consumer package, and
    /// fails so that you read them before you commit them.
    @Test func `the descriptions of the package Everything match EverythingModel`() throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Consumers/Everything/Sources/Everything/Model")
        let isRewriting = ProcessInfo.processInfo.environment["STRATA_REWRITE"] == "1"
        let present = try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".json") }
        #expect(Set(present) == Set(EverythingModel.files.keys))
        for (name, text) in EverythingModel.files {
            let url = folder.appendingPathComponent(name)
            let found = try? String(contentsOf: url, encoding: .utf8)
            #expect(found == text, "\(name) is not what the model of everything says")
            guard isRewriting else { continue }
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: url)
        }
    }
}
