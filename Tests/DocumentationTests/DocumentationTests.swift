import Descriptions
import Foundation
import Testing

/// All code that README and the catalogue show is code that is compiled, and all descriptions are read.
@Suite struct DocumentationTests {
    /// A piece of a text that is set as code.
    struct Sample: CustomTestStringConvertible {
        let file: String
        let line: Int
        let language: String
        let lines: [String]

        var testDescription: String { "\(file):\(line)" }
    }

    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// The files below some folders that are called so, without what was built.
    private static func files(in folders: [String], endingIn suffix: String) -> [URL] {
        folders.flatMap { folder -> [URL] in
            let all = FileManager.default.enumerator(
                at: root.appendingPathComponent(folder), includingPropertiesForKeys: nil)
            var found: [URL] = []
            while let url = all?.nextObject() as? URL {
                if url.lastPathComponent == ".build" { all?.skipDescendants() }
                if url.path.hasSuffix(suffix) { found.append(url) }
            }
            return found.sorted { $0.path < $1.path }
        }
    }

    private static func trimmed(_ text: some StringProtocol) -> [String] {
        text.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }

    static let samples: [Sample] = {
        let texts =
            [root.appendingPathComponent("README.md")]
            + files(in: ["Sources/Runtime/Strata/Strata.docc"], endingIn: ".md")
        return texts.flatMap { url -> [Sample] in
            var samples: [Sample] = []
            var open: (line: Int, language: String, lines: [String])?
            let text = (try? String(contentsOf: url, encoding: .utf8)) ?? ""
            for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated()
            {
                if let sample = open {
                    if line == "```" {
                        samples.append(
                            Sample(
                                file: url.lastPathComponent, line: sample.line, language: sample.language,
                                lines: trimmed(sample.lines.joined(separator: "\n"))))
                        open = nil
                    } else {
                        open?.lines.append(String(line))
                    }
                } else if line.hasPrefix("```") {
                    open = (index + 1, String(line.dropFirst(3)), [])
                }
            }
            return samples
        }
    }()

    /// The lines of all files in which a sample of a language may stand: all of Swift is compiled, by this package or by
    /// those under `Consumers`.
    private static let sources: [String: [[String]]] = {
        let swift =
            files(in: ["Entities", "Tests/Consumers", "Tests/MoviesTests", "Tests/LaundryTests"], endingIn: ".swift")
            + files(in: ["Tests/DocumentationTests"], endingIn: "Samples.swift")
        let sql = files(in: ["Entities"], endingIn: ".sql")
        func lines(_ files: [URL]) -> [[String]] {
            files.compactMap { try? String(contentsOf: $0, encoding: .utf8) }.map { trimmed($0) }
        }
        return ["swift": lines(swift), "sql": lines(sql)]
    }()

    /// Whether the lines of a sample stand in a file as they are; a line of `…` is for any others.
    private func stands(_ sample: [String], in file: [String]) -> Bool {
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
        let languages = Set(Self.samples.map(\.language))
        #expect(languages == ["", "swift", "json", "sql"])
        #expect(Self.samples.count > 20)
    }

    @Test(arguments: samples.filter { $0.language == "swift" || $0.language == "sql" })
    func `what is shown is compiled`(sample: Sample) {
        // A package that depends on this one lies elsewhere than those that try it.
        let lines = sample.lines.map { $0.replacingOccurrences(of: "path: \"../strata\"", with: "path: \"../../..\"") }
        let isThere = Self.sources[sample.language, default: []].contains { stands(lines, in: $0) }
        #expect(isThere, "it stands in no file that is compiled")
        let text = lines.joined()
        func count(_ character: Character) -> Int { text.count { $0 == character } }
        #expect(count("{") == count("}") && count("(") == count(")") && !text.isEmpty, "it is not whole")
    }

    @Test(arguments: samples.filter { $0.language == "json" })
    func `what is described is read`(sample: Sample) {
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
        let descriptions = Descriptions(reading: sources, folder: "Model", schema: "Schema")
        // What it points at is not shown.
        let errors = descriptions.diagnostics.filter { $0.severity == .error }.map(\.description)
            .filter { !$0.contains("has no entity") }
        #expect(errors == [])
        #expect(!sources.isEmpty && depth == 0)
    }
}
