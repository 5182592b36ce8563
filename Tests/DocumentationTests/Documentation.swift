import Foundation
import Testing

/// The texts of the documentation, and the parts that tests check.
enum Documentation {
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// README, the contributor's guide and the pages of the manual.
    static let texts =
        [root.appendingPathComponent("README.md"), root.appendingPathComponent(".github/CONTRIBUTING.md")]
        + files(in: ["Sources/Runtime/Strata/Strata.docc"], endingIn: ".md")

    /// The files in folders whose names have a suffix, without build products.
    static func files(in folders: [String], endingIn suffix: String) -> [URL] {
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

    /// The lines of a text that are not empty, without spaces around them.
    static func trimmed(_ text: some StringProtocol) -> [String] {
        text.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }

    /// The texts between backticks.
    static func code(in text: String) -> [String] {
        text.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            .filter { !$0.offset.isMultiple(of: 2) }.map { String($0.element) }
    }

    // MARK: Samples

    /// A block of code in a text.
    struct Sample: CustomTestStringConvertible {
        let file: URL
        let line: Int
        let language: String
        let lines: [String]

        var testDescription: String { "\(file.lastPathComponent):\(line)" }
    }

    /// The samples of all texts.
    static let samples: [Sample] = texts.flatMap { samples(in: $0) { $0 } }

    /// The examples in the doc comments of the products.
    static let examples: [Sample] = files(
        in: [
            "Sources/Runtime/Strata", "Sources/Runtime/StrataTesting", "Sources/Import/StoreConversion",
            "Sources/Import/StrataConversionTesting",
        ],
        endingIn: ".swift"
    ).flatMap { url in
        samples(in: url) { line in
            let text = line.drop { $0 == " " }
            return text.hasPrefix("///") ? text.dropFirst(text.hasPrefix("/// ") ? 4 : 3) : nil
        }
    }

    /// The blocks of code in a file. `content` returns the part of a line that belongs to the text; nil if none does.
    private static func samples(in url: URL, _ content: (Substring) -> Substring?) -> [Sample] {
        var samples: [Sample] = []
        var open: (line: Int, language: String, lines: [String])?
        let text = (try? String(contentsOf: url, encoding: .utf8)) ?? ""
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            guard let line = content(line) else { continue }
            if let sample = open {
                if line == "```" {
                    samples.append(
                        Sample(
                            file: url, line: sample.line, language: sample.language,
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

    /// The arguments of each command `strata` in the samples, and of the plugin's command as `strata generate`.
    static let commands: [[String]] = samples.filter { ["", "yaml"].contains($0.language) }.flatMap(\.lines).compactMap
    {
        let line = $0.replacingOccurrences(of: "- run: ", with: "").replacingOccurrences(of: "$ ", with: "")
        let words = line.split(separator: " ").map(String.init)
        if line.hasPrefix("swift package "), words.contains("generate") { return ["generate"] }
        for prefix in [["swift", "run", "strata"], ["strata"]] where words.starts(with: prefix) && words != prefix {
            return Array(words.dropFirst(prefix.count))
        }
        return nil
    }

    // MARK: Links

    /// A link to a file of the repository.
    struct Link: CustomTestStringConvertible {
        let file: URL
        let target: URL

        var testDescription: String { "\(file.lastPathComponent): \(target.path)" }
    }

    static let links: [Link] = texts.flatMap { url -> [Link] in
        let text = (try? String(contentsOf: url, encoding: .utf8)) ?? ""
        return text.matches(of: /\]\(([^)\s]+)\)/).map { String($0.output.1) }.filter { !$0.contains(":") }.map {
            Link(file: url, target: URL(fileURLWithPath: $0, relativeTo: url.deletingLastPathComponent()))
        }
    }
}
