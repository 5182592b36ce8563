import SQLSchema
import Strata
import Testing

/// Expressions over the columns of a row: their text, and what SQLite makes of it.
@Suite struct RowExpressionTests {
    @Test(arguments: [
        ("a", "a"), ("  A_1 ", "A_1"), ("\"select\"", "\"select\""), ("selected", "selected"), ("\"and\"", "\"and\""),
        ("\"a\"\"b\"", "\"a\"\"b\""),
        ("[a b]", "\"a b\""), ("`é`", "\"é\""), ("-5", "-5"), ("- a", "-a"), ("-(-5)", "5"), ("1.50", "1.5"),
        ("1e3", "1000.0"),
        ("'it''s'", "'it''s'"), ("x'00fF'", "X'00FF'"), ("TRUE", "1"), ("null", "NULL"),
        ("a = 1 and b<>2 OR not c", "a = 1 AND b <> 2 OR NOT c"), ("a == 1", "a = 1"), ("a != 1", "a <> 1"),
        ("(a + b) * c - d / e % 2", "(a + b) * c - d / e % 2"), ("a - (b - c)", "a - (b - c)"),
        ("a||' '||b", "a || ' ' || b"), ("a is null", "a IS NULL"), ("a + 1 IS NOT NULL", "a + 1 IS NOT NULL"),
        ("a = b IS NULL", "(a = b) IS NULL"), ("a in (1, 2)", "a IN (1, 2)"), ("a NOT IN ('x')", "a NOT IN ('x')"),
        ("a between 1 and 2 and b", "a >= 1 AND a <= 2 AND b"), ("a not between 1 and 2", "NOT (a >= 1 AND a <= 2)"),
        ("a LIKE 'x%' OR a NOT GLOB '*y'", "a LIKE 'x%' OR a NOT GLOB '*y'"), ("NOT a = 1", "NOT a = 1"),
        ("Length(a) > max(b, c)", "length(a) > max(b, c)"), ("(NOT a) + 1", "(NOT a) + 1"),
        (
            "CASE WHEN a > 1 THEN 'x' WHEN b THEN 'y' ELSE NULL END",
            "CASE WHEN a > 1 THEN 'x' WHEN b THEN 'y' ELSE NULL END"
        ),
        ("-9223372036854775808", "-9223372036854775808"), ("a < b = c", "a < b = c"), ("a < (b = c)", "a < (b = c)"),
        ("a || b || c", "a || b || c"),
    ])
    func `an expression is read and written`(text: String, written: String) throws {
        let expression = try RowExpression(parsing: text)
        #expect(expression.text == written)
        #expect(try RowExpression(parsing: expression.text) == expression)
    }

    @Test(arguments: [
        ("", "a value is missing at the end"), ("a +", "a value is missing at the end"),
        ("a b", "`b` is not expected here"),
        ("(a", "`)` is missing at the end"), ("a)", "`)` is not expected here"),
        ("a IS 5", "`NULL` is missing before `5`"), ("a IS NOT NULL < b", "`<` binds closer than `IS NOT NULL`"),
        ("a IS NULL < b", "(a IS NULL) < b"),
        ("a > 1e-999", "`1e-999` is not a number"), ("a IN (1, 2, 3e-400)", "is not a number"),
        ("'a", "the closing quote is missing"), ("a; DROP TABLE b", "`;` is not allowed in an expression"),
        ("random()", "the function `random` is not one of"), ("length(a, b)", "`length` cannot have 2 arguments"),
        ("a COLLATE nocase", "`COLLATE` is not expected here"),
        ("CASE a WHEN 1 THEN 2 END", "`WHEN` is missing before `a`"),
        ("x'0'", "the blob is not hexadecimal"), ("1e999", "`1e999` is not a number"), ("?1", "`?` is not allowed"),
        ("a = (SELECT 1)", "`SELECT` is not possible"), ("EXISTS (SELECT 1)", "`EXISTS` is not possible"),
        ("a -- b", "a comment is not allowed"),
        (String(repeating: "(", count: 100) + "a", "nested too deeply"), ("'a\0'", "the closing quote is missing"),
        (String(repeating: "- ", count: 100) + "a", "nested too deeply"),
        ("abs(a)", "the function `abs` is not one of"),
        ("a" + String(repeating: " BETWEEN 0 AND 1", count: 40), "nested too deeply"),
        ("a" + String(repeating: " OR a", count: 400), "the expression has more than 500 names"),
    ])
    func `an invalid expression is refused`(text: String, message: String) {
        let error = #expect(throws: RowExpressionError.self) { try RowExpression(parsing: text) }
        #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
    }

    /// A random expression of numbers, texts and the columns `a`, `b` and `c d`.
    private static func random(_ depth: Int, using random: inout some RandomNumberGenerator) -> RowExpression<String> {
        func next() -> RowExpression<String> { self.random(depth - 1, using: &random) }
        let columns = ["a", "b", "c d"]
        switch depth == 0 ? Int.random(in: 0..<4, using: &random) : Int.random(in: 0..<14, using: &random) {
        case 0: return .literal(.integer(Int64.random(in: -3...3, using: &random)))
        case 1: return .literal(.text(["", "x", "it's", "a%"].randomElement(using: &random) ?? ""))
        case 2, 3: return .column(columns.randomElement(using: &random) ?? "a")
        case 4: return .not(next())
        case 5: return .isNull(next())
        case 6: return .isIn(next(), [next(), next()])
        case 7:
            // The parser turns the negative of a number into a number.
            return .negative(.column("a"))
        case 8: return .call([.length, .upper, .typeof].randomElement(using: &random) ?? .hex, [next()])
        case 9: return .call(.coalesce, [next(), next()])
        case 10: return .cases([.init(next(), next())], otherwise: Bool.random(using: &random) ? next() : nil)
        default: return .binary(next(), RowOperator.allCases.randomElement(using: &random) ?? .and, next())
        }
    }

    /// The SQL of an expression with parentheses around every operand, so that no precedence matters.
    private static func explicit(_ value: RowExpression<String>) -> String {
        func text(_ value: RowExpression<String>) -> String { "(\(explicit(value)))" }
        switch value {
        case .column(let name): return SQL.quoted(name)
        case .literal(.text(let value)): return SQL.literal(value)
        case .literal(let value): return SQLite.literal(value)
        case .null: return "NULL"
        case .negative(let value): return "-" + text(value)
        case .not(let value): return "NOT " + text(value)
        case .binary(let left, let symbol, let right): return text(left) + " \(symbol.rawValue) " + text(right)
        case .isNull(let value): return text(value) + " IS NULL"
        case .isIn(let value, let list): return text(value) + " IN (\(list.map(text).joined(separator: ", ")))"
        case .call(let function, let values):
            return "\(function.rawValue)(\(values.map(text).joined(separator: ", ")))"
        case .cases(let branches, let otherwise):
            let parts = branches.map { "WHEN \(text($0.condition)) THEN \(text($0.value))" }.joined(separator: " ")
            return "CASE \(parts) \(otherwise.map { "ELSE " + text($0) } ?? "") END"
        }
    }

    @Test func `random expressions keep their meaning in SQLite`() throws {
        var random = SeededRandom(state: 7)
        let connection = try Connection(path: ":memory:", mode: .create)
        try connection.execute(
            """
            CREATE TABLE t (a, b, "c d");
            INSERT INTO t VALUES (1, 2, 3), (0, 'x', NULL), (NULL, 'it''s', -1), (-2, '', 'a'), (2.5, 'a%', 'X')
            """)
        for _ in 0..<2_000 {
            let expression = Self.random(4, using: &random)
            let text = expression.text
            let parsed = try RowExpression(parsing: text)
            #expect(parsed.text == text)
            let query =
                "SELECT count(*) FROM t WHERE (\(SQLite.expression(parsed))) IS NOT (\(Self.explicit(expression)))"
            #expect(try connection.integer(query) == 0, "\(text)")
        }
    }

    @Test func `texts without parentheses mean in SQLite what they mean here`() throws {
        var random = SeededRandom(state: 10)
        let connection = try Connection(path: ":memory:", mode: .create)
        try connection.execute(
            """
            CREATE TABLE t (a, b, "c d");
            INSERT INTO t VALUES (1, 2, 3), (0, 'x', NULL), (NULL, 'it''s', -1), (-2, '', 'a'), (2.5, 'a%', 'X')
            """)
        let operators =
            RowOperator.allCases.map(\.rawValue) + ["IS NULL", "IS NOT NULL", "IN (1, 2)", "NOT LIKE", "NOT GLOB"]
        func operand() -> String {
            let value =
                ["a", "b", "\"c d\"", "1", "'x'", "NULL", "1 BETWEEN 0 AND a"].randomElement(using: &random) ?? ""
            return ["", "", "", "NOT ", "- "][Int(random.next() % 5)] + value
        }
        var accepted = 0
        for _ in 0..<6_000 {
            var text = operand()
            for _ in 0..<random.next() % 4 + 1 {
                let symbol = operators.randomElement(using: &random) ?? ""
                let isSuffix = symbol.hasPrefix("I")
                text += " \(symbol)" + (isSuffix ? "" : " " + operand())
            }
            guard let parsed = try? RowExpression(parsing: text) else { continue }
            accepted += 1
            let query = "SELECT count(*) FROM t WHERE (\(text)) IS NOT (\(Self.explicit(parsed)))"
            #expect(try connection.integer(query) == 0, "\(text)")
        }
        #expect(accepted > 3_000, "\(accepted)")
    }

    @Test func `a condition that cannot be false is never false in SQLite`() throws {
        var random = SeededRandom(state: 8)
        let connection = try Connection(path: ":memory:", mode: .create)
        try connection.execute(
            """
            CREATE TABLE t (a, b, "c d");
            INSERT INTO t VALUES (1, 2, NULL), (0, 'x', NULL), (NULL, 'it''s', NULL), (-2, '', NULL), (2.5, 'a%', NULL)
            """)
        var safe = 0
        for _ in 0..<4_000 {
            let expression = Self.random(3, using: &random).replacingColumns { name -> RowExpression<String> in
                name == "c d" ? .null : .column(name)
            }
            if expression.canBeFalse { continue }
            safe += 1
            let sql = SQLite.expression(expression)
            #expect(try connection.integer("SELECT count(*) FROM t WHERE NOT (\(sql))") == 0, "\(sql)")
        }
        #expect(safe > 200, "\(safe)")
        for text in ["a > b OR NULL", "NULL <= a", "NOT (a AND NULL) OR a IS NULL OR 1", "a IN (NULL, 1) OR NULL > 2"] {
            #expect(
                try !RowExpression(parsing: text).canBeFalse == (text != "NOT (a AND NULL) OR a IS NULL"), "\(text)")
        }
    }

    @Test(arguments: [
        ("n > 1", "n >= 1"), ("n > 2", "n > 1"), ("n >= 2", "n > 1"), ("n = 2", "n <> 3"), ("n < 2", "n <> 2"),
        ("n = 2", "n BETWEEN 1 AND 3"), ("n BETWEEN 1 AND 3", "n BETWEEN 0 AND 3"), ("n > 1 AND a = 'x'", "n > 0"),
        ("n > 2", "a = 'x' OR n > 1"), ("n > 2 AND a = 'x' OR n = 9", "n > 1"),
        ("n > 2", "n > 1 AND n <> 0 OR a = 'x'"), ("n > 2 OR n = 1", "n > 0"), ("a > 'b'", "a >= 'b'"),
        ("length(a) > 3", "length(a) > 2"), ("a IN ('x')", "a IN ('x', 'y')"),
        ("a NOT IN ('x', 'y')", "a NOT IN ('y')"), ("a GLOB 'x'", "a GLOB 'x'"),
    ])
    func `a narrower condition implies a wider one, and not the reverse`(narrow: String, wide: String) throws {
        let (narrow, wide) = (try RowExpression(parsing: narrow), try RowExpression(parsing: wide))
        #expect(narrow.implies(wide) { $0 == "n" })
        #expect(narrow == wide || !wide.implies(narrow) { $0 == "n" })
    }

    @Test(.timeLimit(.minutes(1))) func `long conditions are compared part by part`() throws {
        func joined(_ parts: [String], _ word: String) throws -> RowExpression<String> {
            try RowExpression(parsing: parts.joined(separator: " \(word) "))
        }
        let parts = (0..<60).map { "a\($0) > 1" }
        #expect(try !joined(parts, "AND").implies(joined(parts.map { "b" + $0 }, "OR")) { _ in true })
        #expect(try joined(parts, "AND").implies(joined(parts.reversed(), "OR")) { _ in true })
        #expect(try joined(parts, "OR").implies(joined(parts.reversed(), "OR")) { _ in true })
        // AND and OR in turn.
        func nested(_ name: String) throws -> RowExpression<String> {
            var text = "\(name) > 1"
            for place in 0..<20 { text = "(\(text)) \(place % 2 == 0 ? "AND" : "OR") \(name)\(place) > 1" }
            return try RowExpression(parsing: text)
        }
        #expect(try !nested("a").implies(nested("b")) { _ in true })
        #expect(try nested("a").implies(nested("a")) { _ in true })
    }

    @Test func `the values of a column that is no number are not compared`() throws {
        // As texts, '10' is less than '9'.
        #expect(try !RowExpression(parsing: "a > 10").implies(RowExpression(parsing: "a > 9")) { _ in false })
        #expect(
            try !RowExpression(parsing: "a IN ('x', b)").implies(RowExpression(parsing: "a IN ('x')")) { _ in true })
    }

    @Test func `a row that satisfies a condition satisfies in SQLite what it implies`() throws {
        var random = SeededRandom(state: 9)
        let connection = try Connection(path: ":memory:", mode: .create)
        try connection.execute("CREATE TABLE t (n INTEGER, a TEXT)")
        for n in ["NULL", "-1", "0", "1", "2", "3"] {
            for a in ["NULL", "''", "'1'", "'10'", "'x'"] {
                try connection.execute("INSERT INTO t VALUES (\(n), \(a))")
            }
        }
        func condition(_ depth: Int) -> RowExpression<String> {
            let kind = Int(random.next() % (depth == 0 ? 5 : 8))
            let value = RowExpression<String>.column(random.next() % 2 == 0 ? "n" : "a")
            func literal() -> RowExpression<String> {
                let number = Int64(random.next() % 4)
                return value == .column("n")
                    ? .literal(.integer(number)) : .literal(.text(["", "1", "10", "x"][Int(number)]))
            }
            switch kind {
            case 0...2:
                let symbols: [RowOperator] = [.equal, .different, .less, .lessOrEqual, .greater, .greaterOrEqual]
                return .binary(value, symbols[Int(random.next() % 6)], literal())
            case 3: return .isIn(value, [literal(), literal()])
            case 4: return .not(.isIn(value, [literal(), random.next() % 4 == 0 ? .null : literal()]))
            case 5: return .not(condition(depth - 1))
            case 6: return .binary(condition(depth - 1), .or, condition(depth - 1))
            default: return condition(depth - 1) && condition(depth - 1)
            }
        }
        var found = 0
        for _ in 0..<20_000 {
            let (one, other) = (condition(2), condition(2))
            guard one != other, one.implies(other, isNumber: { $0 == "n" }) else { continue }
            found += 1
            let (sql, wider) = (SQLite.expression(one), SQLite.expression(other))
            let rows = "SELECT count(*) FROM t WHERE NOT (\(wider)) AND coalesce(\(sql), 1)"
            #expect(try connection.integer(rows) == 0, "\(sql) implies \(wider)")
        }
        #expect(found > 300, "\(found)")
    }
}
