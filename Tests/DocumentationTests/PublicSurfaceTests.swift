import Foundation
import StoreConversion
import Strata
import StrataConversionTesting
import StrataTesting
import Testing

/// Pins the public declarations of the libraries in the folder `PublicSurface`. A review then shows a declaration that
/// becomes public by accident.
///
/// With `STRATA_REWRITE=1` in the environment, the test rewrites the files, and fails so that you read them.
@Suite struct PublicSurfaceTests {
    /// A module's declarations, as `swift symbolgraph-extract` writes them.
    private struct SymbolGraph: Decodable {
        struct Symbol: Decodable {
            struct Fragment: Decodable { let spelling: String }
            let pathComponents: [String]
            let declarationFragments: [Fragment]

            var line: String {
                let declaration = declarationFragments.map(\.spelling).joined()
                return pathComponents.joined(separator: ".") + ": "
                    + declaration.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            }
        }

        let symbols: [Symbol]
    }

    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("PublicSurface")

    /// The folder of the compiled modules, found from the running tests.
    private static func modules() throws -> URL {
        var folder = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        while folder.path.count > 1 {
            folder.deleteLastPathComponent()
            let modules = folder.appendingPathComponent("Modules")
            if FileManager.default.fileExists(atPath: modules.appendingPathComponent("Strata.swiftmodule").path) {
                return modules
            }
        }
        throw CocoaError(.fileNoSuchFile)
    }

    private static func run(_ arguments: [String]) throws -> Data {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = arguments
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "\(arguments.joined(separator: " "))")
        return data
    }

    private static func target() throws -> String {
        struct Info: Decodable {
            struct Target: Decodable { let triple: String }
            let target: Target
        }
        return try JSONDecoder().decode(Info.self, from: run(["swiftc", "-print-target-info"])).target.triple
    }

    // Another version of Swift prints some declarations in another way.
    #if os(Linux) && compiler(>=6.3)
        @Test(arguments: ["Strata", "StoreConversion", "StrataConversionTesting", "StrataTesting", "SQLSchema"])
        func `public declarations are the ones that were reviewed`(module: String) throws {
            let output = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
            try FileManager.default.createDirectory(at: output, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: output) }
            let sources = Self.folder.deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent().appendingPathComponent("Sources/Runtime/CSQLite")
            _ = try Self.run([
                "swift", "symbolgraph-extract", "-module-name", module, "-target", try Self.target(),
                "-I", try Self.modules().path, "-I", sources.path, "-minimum-access-level", "public",
                "-skip-synthesized-members", "-output-dir", output.path,
            ])
            // One file contains the module's own types. Each other file contains the types of a module that it extends.
            let lines = try FileManager.default.contentsOfDirectory(at: output, includingPropertiesForKeys: nil)
                .flatMap { try JSONDecoder().decode(SymbolGraph.self, from: Data(contentsOf: $0)).symbols.map(\.line) }
                .sorted()
            let file = Self.folder.appendingPathComponent(module + ".txt")
            let reviewed = (try? String(contentsOf: file, encoding: .utf8))?.split(separator: "\n").map(String.init)
            if lines != reviewed, ProcessInfo.processInfo.environment["STRATA_REWRITE"] == "1" {
                try (lines.joined(separator: "\n") + "\n").write(to: file, atomically: true, encoding: .utf8)
            }
            let changes = lines.difference(from: reviewed ?? [])
            let added = changes.insertions.map { change in
                if case .insert(_, let line, _) = change { line } else { "" }
            }
            let removed = changes.removals.map { change in
                if case .remove(_, let line, _) = change { line } else { "" }
            }
            #expect(added.isEmpty, "new public declarations of \(module)")
            #expect(removed.isEmpty, "public declarations of \(module) that are gone")
        }
    #endif
}
