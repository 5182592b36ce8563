import Testing

@testable import Generation

@Suite struct SwiftLinesTests {
    private let long = String(repeating: "x", count: 100)

    @Test func `a short line stays as it is`() {
        let text = "let a = [1, 2]\n\n    f(1) { 2 }\n"
        #expect(SwiftLines.broken(text) == text)
        let exact = "f(\(String(repeating: "x", count: 117)))"
        #expect(exact.utf8.count == 120)
        #expect(SwiftLines.broken(exact) == exact)
    }

    @Test func `a list is broken, and its elements fill as few lines as possible`() {
        #expect(
            SwiftLines.broken("    f(a: 1, b: \(long), c: 2, d: 3)\n") == """
                    f(
                        a: 1, b: \(long),
                        c: 2, d: 3
                    )

                """)
    }

    @Test func `a closure is broken before the list in front of it`() {
        #expect(SwiftLines.broken("f(a, b) { g(\(long), 1234567) }") == "f(a, b) {\n    g(\(long), 1234567)\n}")
    }

    @Test func `a part that is still too long is broken too`() {
        #expect(
            SwiftLines.broken("f(a, [\(long), \(long)])")
                == "f(\n    a,\n    [\n        \(long),\n        \(long)\n    ]\n)")
    }

    @Test(arguments: [#""(, [{\"""#, ##"#"("[{"#"##]) func `brackets and commas in a literal are text`(literal: String)
    {
        #expect(SwiftLines.broken("f(\(literal), \(long)y)") == "f(\(literal), \(long)y)")
        #expect(SwiftLines.broken("f(\(literal), \(long)\(long))") == "f(\n    \(literal),\n    \(long)\(long)\n)")
    }

    @Test func `comments and multi-line strings stay as they are`() {
        let comment = "    // f(\(long), \(long))"
        #expect(SwiftLines.broken(comment) == comment)
        let string = "f(#\"\"\"\n    table t (\(long), \(long))\n    \"\"\"#)\n"
        #expect(SwiftLines.broken(string) == string)
        #expect(SwiftLines.broken(string + "f(\(long), \(long))") == string + "f(\n    \(long),\n    \(long)\n)")
    }

    @Test func `a long line that only closes brackets stays as it is`() {
        for line in ["    ]) + \(long)\(long)", "    }  \(long)\(long)", ")\(long)\(long)", "    ])\(long), \(long)"] {
            #expect(SwiftLines.broken(line) == line)
        }
    }
}
