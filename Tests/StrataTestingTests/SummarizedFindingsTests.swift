import Testing

@testable import StrataTesting

@Suite struct SummarizedFindingsTests {
    private func texts(takingShortest: Bool, _ rows: [String]) -> [String] {
        var findings = SummarizedFindings(takingShortest: takingShortest)
        for row in rows { findings.add("title", "row \(row)") }
        findings.add("stars", "another kind")
        return findings.texts
    }

    @Test func `differences of rows show the shortest text`() {
        let rows = ["-9223372036854775808", "12", "7", "8"]
        #expect(texts(takingShortest: true, rows) == ["row 7 (and 3 others)", "another kind"])
        #expect(texts(takingShortest: false, rows) == ["row -9223372036854775808 (and 3 others)", "another kind"])
        #expect(texts(takingShortest: true, ["12", "7"]) == ["row 7 (and another)", "another kind"])
    }

    @Test func `of thousands of differences, only a hundred texts are computed`() {
        var findings = SummarizedFindings(takingShortest: true)
        var count = 0
        func text() -> String {
            count += 1
            return "row \(count)"
        }
        for _ in 0..<5_000 { findings.add("title", text()) }
        #expect(count == 100)
        #expect(findings.texts == ["row 1 (and 4999 others)"])
    }
}
