import Foundation
import Testing

@Suite struct EverythingTests {
    /// The descriptions of the consumer package are those that are made here. With `STRATA_REWRITE=1` in the
    /// environment they are written anew, and the test fails so that they are read before they are committed.
    @Test func `the package of everything is made of the model of everything`() throws {
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
