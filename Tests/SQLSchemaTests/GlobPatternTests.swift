import SQLSchema
import Strata
import Testing

@Suite struct GlobPatternTests {
    @Test func `random patterns match as in SQLite, and give texts that they match`() throws {
        let connection = try Connection(path: ":memory:", mode: .create)
        var random = SystemRandomNumberGenerator()
        let parts = [
            "*", "?", "a", "b", "]", "-", "^", "[a-c]", "[^a]", "[]a]", "[^]]", "[a-]", "[c-a]", "[]-b]", "[a^]", "é",
            "[",
        ]
        let letters = Array("abc]-^é[x")
        var matches = 0
        var made = 0
        for _ in 0..<4_000 {
            let pattern = (0..<Int.random(in: 0...4, using: &random)).map { _ in parts.randomElement() ?? "" }.joined()
            let glob = GlobPattern(pattern)
            for _ in 0..<5 {
                let text = String((0..<Int.random(in: 0...4)).map { _ in letters.randomElement() ?? "a" })
                let isMatch =
                    try connection.integer(
                        "SELECT \(SQL.literal(text)) GLOB \(SQL.literal(pattern))") == 1
                #expect(glob?.matches(text) ?? false == isMatch, "\(text) GLOB \(pattern)")
                matches += isMatch ? 1 : 0
            }
            guard let glob else { continue }
            let texts = (0..<40).compactMap { glob.text($0) }
            made += texts.count
            #expect(texts.allSatisfy(glob.matches), "\(pattern)")
            #expect(Set(texts).count == texts.count, "\(pattern)")
        }
        #expect(matches > 500 && made > 10_000, "\(matches) \(made)")
    }
}
