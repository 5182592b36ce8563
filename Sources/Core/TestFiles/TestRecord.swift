import Foundation
import SQLSchema

/// A record of the generated tests that have passed.
///
/// The tests of a schema write this file beside its fixtures, and `release` reads it. The first line is the hash of what
/// the tests depend on. A line follows for each test, `passed` or `open`, with its name: `passed migration 1.0`.
package struct TestRecord: Equatable, Sendable {
    /// The name of the file. Git ignores it.
    package static let fileName = ".tests-passed"

    /// The hash of what the tests depend on.
    package let inputs: UInt64
    /// Whether each test has passed, by name.
    private var tests: [String: Bool]

    /// Creates a record in which no test has passed.
    package init(inputs: UInt64, tests: [String]) {
        self.inputs = inputs
        self.tests = Dictionary(tests.map { ($0, false) }, uniquingKeysWith: { first, _ in first })
    }

    /// Parses the text of a file; nil if it is not a record.
    package init?(parsing text: String) {
        let lines = text.split(separator: "\n").map { $0.split(separator: " ", maxSplits: 1).map(String.init) }
        guard let first = lines.first, first.count == 2, first[0] == "inputs", let inputs = UInt64(first[1], radix: 16)
        else { return nil }
        self.inputs = inputs
        tests = [:]
        for line in lines.dropFirst() where line.count == 2 { tests[line[1]] = line[0] == "passed" }
    }

    /// The names of all tests.
    package var names: Set<String> { Set(tests.keys) }

    /// The names of the tests that have not passed, sorted.
    package var open: [String] { tests.filter { !$0.value }.keys.sorted() }

    /// Records whether a test has passed.
    package mutating func set(_ test: String, passed hasPassed: Bool) { tests[test] = hasPassed }

    /// The text of the file.
    package var text: String {
        let lines = tests.sorted { $0.key < $1.key }.map { ($0.value ? "passed " : "open ") + $0.key + "\n" }
        return "inputs \(String(inputs, radix: 16))\n" + lines.joined()
    }

    /// Returns the hash of the files on which the tests of a model depend: its descriptions and its migrations, and the Swift files
    /// of the tests. The generated ones among these change with Strata too.
    ///
    /// - Parameters:
    ///   - model: The folder of the model.
    ///   - tests: The folder of the test target.
    package static func inputs(model: URL, tests: URL) -> UInt64 {
        var hash = FNV1a()
        add(["json", "swift"], in: model, besides: "Generated", to: &hash)
        add(["swift"], in: tests, to: &hash)
        return hash.value
    }

    /// Adds the names and contents of the files in a folder that have one of the suffixes.
    ///
    /// - Parameter generated: The name of a folder to leave out.
    private static func add(
        _ suffixes: Set<String>, in folder: URL, besides generated: Substring? = nil, to hash: inout FNV1a
    ) {
        let names = (try? FileManager.default.subpathsOfDirectory(atPath: folder.path)) ?? []
        for name in names.sorted() {
            let parts = name.split(separator: "/")
            guard suffixes.contains((name as NSString).pathExtension), !parts.contains(where: { $0 == generated }),
                !parts.contains(where: { $0.hasPrefix(".") }),
                let data = try? Data(contentsOf: folder.appendingPathComponent(name))
            else { continue }
            hash.add(name)
            hash.add(0)
            hash.add(data)
            hash.add(0)
        }
    }
}
