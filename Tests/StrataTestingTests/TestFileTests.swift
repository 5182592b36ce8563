import Foundation
import TestFiles
import Testing

/// The files that the generated tests write for a release.
@Suite struct TestFileTests {
    private func results(_ rows: StepResults.Row...) -> StepResults {
        StepResults(from: "1.0", to: "2.0", fixture: 0xff, rows: rows)
    }

    private func row(_ key: String, _ values: [(String, String)], of table: String = "note") -> StepResults.Row {
        .init(table: table, key: key, values: values)
    }

    private func parsed(_ results: StepResults) -> StepResults? {
        StepResults(parsing: results.text, from: results.from, to: results.to)
    }

    @Test func `results are read as they were written`() {
        let texts = [
            "", "a | b", "\"\\\"", "line\nline\r\u{0}", "e\u{301}", "\u{e9}", "日本語 🧺", " | ", "NULL", "\u{301}",
        ]
        let rows = texts.enumerated().map { place, text in
            row(
                StepResults.quoted(text) + ", 1",
                [(StepResults.word("the column"), StepResults.quoted(text)), ("n", "-1.5"), ("b", "x'00ff'")],
                of: StepResults.word("a table|\(place)"))
        }
        let all = StepResults(from: "1.0-beta.1", to: "2.0", fixture: 1, rows: rows)
        #expect(parsed(all) == all)
        #expect(Set(all.rows.map(\.values[0].value)).count == texts.count)
        #expect(all.text.split(separator: "\n", omittingEmptySubsequences: false).count == 2 + texts.count + 1)
        #expect(StepResults(parsing: "", from: "1.0", to: "2.0") == nil)
        let odd = results(
            row("1", [("a", "1")], of: StepResults.word("varies")), row("2", [], of: StepResults.word("#t")))
        #expect(parsed(odd) == odd)
        #expect(StepResults(parsing: "fixture x\n", from: "1.0", to: "2.0") == nil)
    }

    @Test func `differences name the row, and the former and the present value`() {
        let sealed = results(
            row("1", [("title", "\"a\"")]), row("2", [("title", "NULL")]), row("1, 2", [("position", "0")], of: "pairs")
        )
        #expect(sealed.differences(from: sealed) == [])
        let now = results(
            row("1", [("title", "\"b\"")]), row("1, 3", [("position", "0")], of: "pairs"), row("2", [("title", "NULL")])
        )
        #expect(
            now.differences(from: sealed) == [
                "note 1: title was \"a\", and is \"b\" now", "pairs 1, 2: the row is missing now",
                "pairs 1, 3: the row was not there",
            ])
        let fewer = results(
            row("1", []), row("2", [("title", "NULL"), ("more", "1")]), row("1, 2", [("position", "0")], of: "pairs"))
        #expect(
            fewer.differences(from: sealed) == [
                "note 1: title was \"a\", and is not given now", "note 2: more was not given, and is 1 now",
            ])
        // Texts with other bytes are other texts.
        let composed = results(row("1", [("title", StepResults.quoted("\u{e9}"))]))
        #expect(composed.differences(from: results(row("1", [("title", StepResults.quoted("e\u{301}"))]))).count == 1)
    }

    @Test func `what varies is named and left out`() {
        let first = results(
            row("1", [("title", "1"), ("day", "5")]), row("2", [("title", "2"), ("day", "5")]),
            row("7", [("text", "0")], of: "log"))
        let second = results(
            row("1", [("title", "1"), ("day", "5")]), row("2", [("title", "2"), ("day", "6")]),
            row("8", [("text", "0")], of: "log"))
        let sealed = first.without(differencesFrom: second)
        #expect(sealed.varying == ["log", "note.day"])
        #expect(sealed.rows == [row("1", [("title", "1")]), row("2", [("title", "2")])])
        #expect(parsed(sealed) == sealed)
        let third = results(
            row("1", [("title", "1"), ("day", "9")]), row("2", [("title", "3"), ("day", "9")]),
            row("9", [("text", "0")], of: "log"))
        #expect(third.differences(from: sealed) == ["note 2: title was 2, and is 3 now"])
        // Only another process shows that the third column varies.
        let merged = results(row("1", [("title", "1"), ("day", "1")]), row("2", [("title", "4"), ("day", "1")]))
            .merging(sealed)
        #expect(merged.varying == ["log", "note.day", "note.title"])
        #expect(merged.rows == [row("1", []), row("2", [])])
    }

    @Test func `a record of tests is read as it was written`() {
        var record = TestRecord(inputs: 0xabc, tests: ["migration 1.0", "random 1.0"])
        #expect(record.open == ["migration 1.0", "random 1.0"])
        record.set("random 1.0", passed: true)
        #expect(record.text == "inputs abc\nopen migration 1.0\npassed random 1.0\n")
        #expect(TestRecord(parsing: record.text) == record)
        record.set("migration 1.0", passed: true)
        #expect(record.open == [] && record.names == ["migration 1.0", "random 1.0"])
        #expect(TestRecord(parsing: "passed migration 1.0\n") == nil)
        record.set("migration 1.0", passed: false)
        #expect(record.open == ["migration 1.0"])
    }

    @Test func `the inputs of tests are descriptions, migrations and tests, and not what is generated`() throws {
        let root = FileManager.default.temporaryDirectory.appendingPathComponent("inputs-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: root) }
        func write(_ text: String, to name: String) throws {
            let url = root.appendingPathComponent(name)
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: url)
        }
        func inputs() -> UInt64 {
            TestRecord.inputs(model: root.appendingPathComponent("Model"), tests: root.appendingPathComponent("Tests"))
        }
        var seen: Set<UInt64> = [inputs()]
        for name in [
            "Model/A.json", "Model/Migrations/M.swift", "Model/Sub/B.json", "Tests/Expectations.swift",
            "Tests/Generated/T.swift",
        ] {
            try write("1", to: name)
            #expect(seen.insert(inputs()).inserted, "\(name)")
            try write("2", to: name)
            #expect(seen.insert(inputs()).inserted, "\(name)")
        }
        for name in [
            "Model/Generated/A.swift", "Model/SQL/1.0.sql", "Model/strata.lock",
            "Tests/Fixtures/S/1.0.sqlite", "Model/.hidden/A.json",
        ] {
            try write("1", to: name)
            #expect(!seen.insert(inputs()).inserted, "\(name)")
        }
    }
}
