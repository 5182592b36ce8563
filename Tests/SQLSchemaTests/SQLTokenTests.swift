import SQLSchema
import Testing

/// SQL that others wrote.
@Suite struct SQLTokenTests {
    @Test(arguments: [
        ("a_1$ \"b\"\"c\" [d] `e``f`", ["a_1$", "b\"c", "d", "e`f"]),
        ("SELECT x'00' /* \"no\" */ FROM 't''t' -- \"no\"\n, ünïcødé", ["SELECT", "FROM", "ünïcødé"]),
        ("[a]] \"\" \"\"\"\"", ["a", "", "\""]),
    ]) func `names are read as SQLite reads them`(sql: String, names: [String]) {
        #expect(SQLToken.tokens(of: sql).compactMap(\.name) == names)
    }

    @Test(arguments: [
        "", " ", "'", "''", "'''", "\"a", "[a", "`", "/*", "/* *", "--", "x'", "X'0'", "1e+5-2", "<=>=<>!===||", "é'é",
        "\u{c}\r\n", "$a ?1 :b @c", "a.b.c", "CREATE TABLE t (a TEXT DEFAULT ';')",
    ]) func `the tokens together are the text`(sql: String) {
        let tokens = SQLToken.tokens(of: sql)
        #expect(tokens.map(\.text).joined() == sql)
        #expect(tokens.map(\.range.count).reduce(0, +) == sql.utf8.count)
    }

    @Test(arguments: ["'", "'a", "'''", "\"a\"\"", "[a", "`a", "/* a", "x'00"])
    func `what does not end is not complete`(sql: String) {
        #expect(SQLToken.tokens(of: sql).map(\.isComplete) == [false])
    }

    @Test func `quotes are part of a text when they are doubled`() {
        let contents = SQLToken.tokens(of: "'it''s' '''' '' X'0aFF' 'a").filter(\.isCode).map(\.content)
        #expect(contents == ["it's", "'", "", "0aFF", "a"])
    }

    @Test(arguments: ["X'0'", "x'0g'", "x'+a'", "x'é'", "x'00", "'00'"]) func `what is not hexadecimal has no bytes`(
        sql: String
    ) {
        #expect(SQLToken.tokens(of: sql).compactMap(\.bytes) == [])
        #expect(SQLToken.tokens(of: "X'' x'00fF'").compactMap(\.bytes) == [[], [0, 255]])
    }

    @Test func `numbers have exponents with signs`() {
        let tokens = SQLToken.tokens(of: "1.5e-3+2-1E+4").map(\.text)
        #expect(tokens == ["1.5e-3", "+", "2", "-", "1E+4"])
    }

    @Test func `statements end with a semicolon that is not in quotes or comments`() {
        let sql = "-- a;\nCREATE TABLE \"a;b\" (c TEXT DEFAULT ';') ;\n;/* ; */ SELECT 1 -- end"
        #expect(SQLToken.statements(of: sql) == ["CREATE TABLE \"a;b\" (c TEXT DEFAULT ';')", "SELECT 1"])
        let trigger = "CREATE TRIGGER t AFTER INSERT ON a BEGIN UPDATE a SET b = CASE WHEN c THEN 1 END; SELECT 1; END"
        #expect(SQLToken.statements(of: trigger + ";\n" + trigger) == [trigger, trigger])
    }
}
