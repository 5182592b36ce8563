import SQLSchema
import Strata
import Testing

/// Columns whose values SQLite computes, through migrations.
@Suite struct ComputedColumnTests {
    /// A form of the table `note`. Each one has at least the key and the texts `a` and `b`, under some names.
    struct Form: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let lines: [String]
        /// The columns with the texts.
        var texts = ["a", "b"]
        /// The computed values of the row whose texts are `x` and `yy`.
        var values: [String: Literal] = [:]
    }

    private static let both = "computed both text 'a || b'"

    static let forms = [
        Form(testDescription: "nothing", lines: ["id integer key", "a text", "b text"]),
        Form(
            testDescription: "one", lines: ["id integer key", "a text", "b text", both],
            values: ["both": .text("xyy")]),
        Form(
            testDescription: "two, with an index",
            lines: [
                "id integer key", "a text", "b text", both, "computed size integer 'length(a) + length(b)'",
                "index note_both_idx (both)", "unique note_size_key (size, a)",
            ],
            values: ["both": .text("xyy"), "size": .integer(3)]),
        Form(
            testDescription: "another expression",
            lines: ["id integer key", "a text", "b text", "computed both text 'b || a'", "index note_both_idx (both)"],
            values: ["both": .text("yyx")]),
        Form(
            testDescription: "another type",
            lines: ["id integer key", "a text", "b text", "computed both real 'length(a || b)'"],
            values: ["both": .real(3)]),
        Form(
            testDescription: "renamed texts",
            lines: ["id integer key", "head text", "b text", "computed both text 'head || b'"],
            texts: ["head", "b"], values: ["both": .text("xyy")]),
        Form(
            testDescription: "swapped texts", lines: ["id integer key", "a text", "b text", both],
            texts: ["b", "a"], values: ["both": .text("yyx")]),
        Form(
            testDescription: "a text as key",
            lines: ["id text key", "a text", "b text", both, "search (a, b) unicode61"],
            values: ["both": .text("xyy")]),
        Form(
            testDescription: "a stored column of the same name",
            lines: ["id integer key", "a text", "b text", "both text?"]),
    ]

    /// All pairs of forms, except that no migration by itself turns a text key into an integer.
    static let pairs = forms.flatMap { old in
        forms.filter { old.lines[0] == "id integer key" || $0.lines[0] == old.lines[0] }.map { (old, $0) }
    }

    @Test(arguments: pairs)
    func `a migrated store computes the values of a new one`(_ old: Form, _ new: Form) throws {
        let (before, after) = (Table("note", old.lines), Table("note", new.lines))
        var columns: [String: ValueExpression] = [:]
        for (from, to) in zip(old.texts, new.texts) { columns[to] = .column(from) }
        if let both = after.column("both"), both.isNullable { columns["both"] = .null }
        if old.lines[0] != new.lines[0] { columns["id"] = .changed(.column("id"), .scalar(.int, .string)) }
        let texts = SQL.list(old.texts)
        try withStore(
            [before], new: [after], rows: "INSERT INTO note (id, \(texts)) VALUES ('1', 'x', 'yy'), ('2', '', 'z')",
            changes: [.map(from: "note", to: "note", columns: columns)]
        ) { url in
            let connection = try Connection(path: url.path, mode: .readWrite)
            #expect(try connection.integer("SELECT count(*) FROM note") == 2)
            for (name, value) in new.values {
                let row = "note WHERE id = '1' AND \(SQL.quoted(name)) = \(SQLite.literal(value))"
                #expect(try connection.integer("SELECT count(*) FROM \(row)") == 1, "\(name)")
                let type = "SELECT count(*) FROM note WHERE upper(typeof(\(SQL.quoted(name)))) = "
                let column = try #require(after.computed.first { $0.name == name })
                #expect(try connection.integer(type + SQL.literal(column.type.rawValue.uppercased())) == 2, "\(name)")
            }
            #expect(try connection.texts("PRAGMA integrity_check") == ["ok"])
            let sql = try #require(try connection.text("SELECT sql FROM sqlite_schema WHERE name = 'note'"))
            #expect(SQLText.elements(of: sql).sorted() == SQLite.elements(of: after).sorted())
            let indexes = "SELECT count(*) FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL"
            #expect(try connection.integer(indexes) == after.indexes.count)
        }
    }

    @Test func `a sum that is too large for an integer is converted`() throws {
        let connection = try Connection(path: ":memory:", mode: .create)
        let table = Table("t", ["a integer", "b integer", "computed sum integer 'a + b'", "index t_sum_idx (sum)"])
        for statement in SQLite.create(table) { try connection.execute(statement) }
        try connection.execute("INSERT INTO t VALUES (1, 2), (\(Int.max), \(Int.max)), (\(Int.min), \(Int.min))")
        for sum in [3, Int.max, Int.min] {
            #expect(try connection.integer("SELECT count(*) FROM t WHERE sum = \(sum)") == 1)
        }
        #expect(try connection.texts("PRAGMA integrity_check") == ["ok"])
    }
}
