import Foundation
import Testing

@testable import Commands

@Suite struct ModelFolderTests {
    @Test func `the models of a package do not include those of packages inside it`() throws {
        let root = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
            .appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: root) }
        for path in [
            "Package.swift", "Sources/B/strata.json", "Sources/A/Model/strata.json", "Examples/Package.swift",
            "Examples/Sources/C/strata.json", "ExamplesOfOthers/D/strata.json", ".build/E/strata.json",
        ] {
            let file = root.appendingPathComponent(path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data("{}".utf8).write(to: file)
        }
        func paths(_ skipsPackages: Bool) -> [String] {
            ModelFolder.paths(below: root.path, skippingPackages: skipsPackages).map {
                String($0.dropFirst(root.path.count + 1))
            }
        }
        #expect(paths(true) == ["ExamplesOfOthers/D", "Sources/A/Model", "Sources/B"])
        #expect(paths(false) == ["Examples/Sources/C", "ExamplesOfOthers/D", "Sources/A/Model", "Sources/B"])
    }
}
