import Foundation
import Testing

/// The tables that compare requests with those of other libraries.
@Suite struct ComparisonTests {
    struct Comparison: CustomTestStringConvertible {
        let request: String
        let other: String
        let own: String

        var testDescription: String { request }
    }

    private static let comparisons: [Comparison] = ["ComingFromGRDB", "ComingFromOtherLibraries"].flatMap { page in
        let text =
            Documentation.files(in: ["Sources/Runtime/Strata/Strata.docc/ComingFrom"], endingIn: "\(page).md")
            .first.flatMap { try? String(contentsOf: $0, encoding: .utf8) } ?? ""
        let section = text.components(separatedBy: "## Requests side by side").dropFirst().first ?? ""
        let rows = section.components(separatedBy: "\n").drop { !$0.hasPrefix("|") }.prefix { $0.hasPrefix("|") }
        return rows.dropFirst(2).map { row in
            let cells = Documentation.code(in: row)
            return Comparison(
                request: row.split(separator: "|")[0].trimmingCharacters(in: .whitespaces), other: cells.first ?? "",
                own: cells.last ?? "")
        }
    }

    private static let lines: [String] = Documentation.files(
        in: ["Tests/DocumentationTests", "Tests/PodcastsTests"], endingIn: "Samples.swift"
    ).flatMap { file in ((try? String(contentsOf: file, encoding: .utf8)) ?? "").components(separatedBy: "\n") }

    /// The words, numbers, texts and symbols of a statement.
    private func parts(_ statement: String) -> [Substring] {
        statement.matches(of: /\$?\w+|"[^"]*"|[-+=!<>&|]+|\S/).map(\.output)
    }

    @Test func `there are ten requests for each library`() {
        #expect(Self.comparisons.count == 20)
    }

    @Test(arguments: comparisons)
    func `a request is compiled, and not longer than the other one`(comparison: Comparison) {
        // A `try` in front of the expression counts for all of it.
        let text = comparison.own.replacingOccurrences(of: "try store", with: "store")
        #expect(Self.lines.contains { $0.contains(text) }, "no compiled file contains \(text)")
        #expect(parts(comparison.own).count <= parts(comparison.other).count)
        // `descending` is spelled out.
        let count = comparison.own.count - (comparison.own.contains("descending") ? 1 : 0)
        #expect(count <= comparison.other.count)
    }
}
