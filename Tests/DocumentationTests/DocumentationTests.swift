import Descriptions
import Foundation
import Testing

/// Every sample in the documentation is compiled, or read as a description.
@Suite struct DocumentationTests {
    /// The lines of all files that may contain a sample, by language. All of the Swift is compiled, by this package or by
    /// the packages under `Consumers`.
    private static let sources: [String: [[String]]] = {
        let swift =
            Documentation.files(
                in: ["Entities", "Tests/Consumers", "Tests/MoviesTests", "Tests/LaundryTests", "Tests/SeedTests"],
                endingIn: ".swift")
            + Documentation.files(in: ["Tests/DocumentationTests", "Tests/PodcastsTests"], endingIn: "Samples.swift")
        func lines(_ files: [URL]) -> [[String]] {
            files.compactMap { try? String(contentsOf: $0, encoding: .utf8) }.map { Documentation.trimmed($0) }
        }
        return [
            "swift": lines(swift),
            "json": lines(Documentation.files(in: ["Tests/Consumers/Examples/Sources"], endingIn: ".json")),
        ]
    }()

    /// Whether a file contains the lines of a sample. A line `…` stands for any lines.
    private func contains(_ sample: [String], in file: [String]) -> Bool {
        var start = 0
        for part in sample.split(separator: "…") {
            var place = start
            while place + part.count <= file.count, !file[place..<(place + part.count)].elementsEqual(part) {
                place += 1
            }
            guard place + part.count <= file.count else { return false }
            start = place + part.count
        }
        return true
    }

    @Test func `there are samples of each kind`() {
        let languages = Set(Documentation.samples.map(\.language))
        #expect(languages == ["", "swift", "json", "yaml", "mermaid"])
        #expect(Documentation.samples.count > 60)
    }

    @Test(arguments: Documentation.samples.filter { $0.language == "swift" })
    func `a sample is compiled`(sample: Documentation.Sample) {
        // A package that depends on this one lies elsewhere than those that try it.
        let lines = sample.lines.map { $0.replacingOccurrences(of: "path: \"../strata\"", with: "path: \"../../..\"") }
        let isThere = Self.sources[sample.language, default: []].contains { contains(lines, in: $0) }
        #expect(isThere, "no compiled file contains it")
        let text = lines.joined()
        func count(_ character: Character) -> Int { text.count { $0 == character } }
        #expect(count("{") == count("}") && count("(") == count(")") && !text.isEmpty, "its brackets are not balanced")
    }

    @Test(arguments: Documentation.examples)
    func `an example of a doc comment is compiled`(example: Documentation.Sample) {
        let isThere = Self.sources["swift", default: []].contains { contains(example.lines, in: $0) }
        #expect(example.language == "swift" && isThere, "no compiled file contains it")
    }

    @Test func `doc comments have examples`() {
        #expect(Documentation.examples.count > 80)
    }

    @Test(arguments: Documentation.samples.filter { $0.language == "json" })
    func `a sample of a description is valid`(sample: Documentation.Sample) {
        var texts: [String] = []
        var depth = 0
        var text = ""
        for character in sample.lines.joined(separator: "\n") {
            text.append(character)
            if "{[".contains(character) { depth += 1 }
            if "}]".contains(character) { depth -= 1 }
            if depth == 0, !text.allSatisfy(\.isWhitespace) {
                texts.append(text)
                text = ""
            }
        }
        let sources = texts.enumerated().map { SourceFile(path: "File\($0).json", bytes: Array($1.utf8)) }
        let descriptions = ValidatedDescriptions(reading: sources, folder: "Model", schema: "Schema")
        // The targets of relationships are not part of the sample.
        let errors = descriptions.diagnostics.filter { $0.severity == .error }.map(\.description)
            .filter { !$0.contains("has no entity") }
        #expect(errors == [])
        #expect(!sources.isEmpty && depth == 0)
    }

    /// The descriptions of version 2.0 in the cookbook.
    private static let recipes = Documentation.samples.filter { sample in
        sample.language == "json" && sample.file.path.contains("/Cookbook/")
            && sample.lines.contains { $0.contains("2.0") }
    }

    @Test(arguments: recipes)
    func `a description in the cookbook is the one that is tested`(sample: Documentation.Sample) {
        #expect(Self.sources["json", default: []].contains(sample.lines))
    }

    @Test func `there are eight recipes`() {
        #expect(Set(Self.recipes.map(\.file)).count == 8)
    }
}
