import Foundation
import Testing

@testable import Descriptions

/// Pins every diagnostic. A case under `Invalid/` is a description, or a folder of descriptions, beside a file with its
/// expected diagnostics.
///
/// With `STRATA_REWRITE=1` in the environment, the test rewrites the expected diagnostics, and fails so that you read
/// them.
@Suite struct InvalidTests {
    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Invalid")

    static var cases: [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return Set(names.map { ($0 as NSString).deletingPathExtension }).sorted()
    }

    private func diagnostics(of name: String) throws -> [Diagnostic] {
        let folder = Self.folder.appendingPathComponent(name)
        var isFolder: ObjCBool = false
        var files: [SourceFile] = []
        if FileManager.default.fileExists(atPath: folder.path, isDirectory: &isFolder), isFolder.boolValue {
            for file in try FileManager.default.subpathsOfDirectory(atPath: folder.path) where file.hasSuffix(".json") {
                let data = try Data(contentsOf: folder.appendingPathComponent(file))
                files.append(SourceFile(path: "\(name)/\(file)", bytes: [UInt8](data)))
            }
        } else {
            let data = try Data(contentsOf: Self.folder.appendingPathComponent(name + ".json"))
            files.append(SourceFile(path: "\(name).json", bytes: [UInt8](data)))
        }
        let configuration = files.first { $0.baseName == "strata" }
        files.removeAll { $0.baseName == "strata" }
        var settings: VersionSettings?
        var lint: [LintRule] = []
        var problems: [Diagnostic] = []
        if let configuration {
            do {
                var reader = try ConfigurationReader.read(configuration)
                settings = reader.versions()
                for key in ["schema", "templates"] { _ = reader.string(key) }
                _ = reader.strings("tests")
                _ = reader.imported()
                _ = reader.codable()
                lint = reader.lintRules()
                reader.checkIdentifier("schema")
                problems = reader.diagnostics
            } catch {
                problems = [error]
            }
        }
        let descriptions = ValidatedDescriptions(
            reading: files, folder: name, schema: "TestSchema", settings: settings, lint: lint)
        #expect(descriptions.history == nil || !problems.isEmpty)
        return (problems + descriptions.diagnostics).inOrder
    }

    @Test(arguments: cases) func `an invalid description gives the expected diagnostics`(name: String) throws {
        let said = try diagnostics(of: name).map { $0.description + "\n" }.joined()
        let url = Self.folder.appendingPathComponent(name + ".expected")
        let expected = try? String(contentsOf: url, encoding: .utf8)
        #expect(said == expected)
        if said != expected, ProcessInfo.processInfo.environment["STRATA_REWRITE"] == "1" {
            try Data(said.utf8).write(to: url)
        }
    }

    /// Problems that other suites test: problems of locks and of releases, warnings and notes.
    private static let elsewhere: Set<String> = [
        "malformedLock", "twoReleases", "sealedChange", "lockOfOtherSchema", "ignoredKeys", "unpersisted",
        "uncheckedMigration",
        "currentDate", "previousNameOfLucid", "payloads", "identifierOfLucid", "lazy", "keyOfUnpersisted",
        "nullableToMany", "itemWithoutEffect",
        "unusedSubtype", "hiddenType", "controlInFileName", "severalDrafts", "namedToo",
        "currentVersionIsOld",
        "currentVersionIsUnsupported", "tooMany",
    ]

    @Test func `every problem has a case`() throws {
        let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Sources")
        let causes = try ["Generator/Descriptions/Problem.swift", "Core/JSONText/JSONProblem.swift"].flatMap { file in
            try String(contentsOf: sources.appendingPathComponent(file), encoding: .utf8).split(separator: "\n")
                .compactMap { line -> String? in
                    guard let name = line.trimmingCharacters(in: .whitespaces).split(separator: " ").dropFirst().first,
                        line.hasPrefix("    case ")
                    else { return nil }
                    return String(name.prefix { $0 != "(" })
                }
        }
        var seen = Self.elsewhere
        for name in Self.cases {
            for diagnostic in try diagnostics(of: name) {
                var problem = String(describing: diagnostic.problem)
                seen.insert(String(problem.prefix { $0 != "(" }))
                if case .json(let cause) = diagnostic.problem { problem = String(describing: cause) }
                seen.insert(String(problem.prefix { $0 != "(" }))
            }
        }
        #expect(causes.count > 40)
        #expect(Set(causes).subtracting(seen) == [])
    }
}
