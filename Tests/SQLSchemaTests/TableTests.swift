import SQLSchema
import Testing

@Suite struct TableTests {
    @Test func `names and values are quoted`() {
        #expect(SQL.quoted("a\"b") == "\"a\"\"b\"")
        #expect(SQL.literal("it's") == "'it''s'")
        #expect(SQLite.literal(.blob([0, 255])) == "X'00FF'")
        #expect(SQL.list(["a", "b c"]) == "\"a\", \"b c\"")
    }

    @Test func `a table is rendered as SQL`() {
        let table = Table(
            "t",
            [
                "\"a\\\"b\" text? nocase = 'it\\'s'", "c integer -> d(e) deny", "f real = 0.5", "key (c, f)",
                "(c, f) -> g(h, i) nullify", "unique t_c_key (c)", "check t_f 'f > 0.25'", "check \"b c\" 'c < f'",
            ])
        #expect(
            SQLite.create(table) == [
                """
                CREATE TABLE "t" (
                  "a""b" TEXT DEFAULT 'it''s' COLLATE NOCASE,
                  "c" INTEGER NOT NULL REFERENCES "d" ("e") ON DELETE RESTRICT DEFERRABLE INITIALLY DEFERRED,
                  "f" REAL NOT NULL DEFAULT 0.5 CONSTRAINT "t_f" CHECK ("f" > 0.25),
                  PRIMARY KEY ("c", "f"),
                  FOREIGN KEY ("c", "f") REFERENCES "g" ("h", "i") ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED,
                  CONSTRAINT "b c" CHECK ("c" < "f")
                ) STRICT
                """, #"CREATE UNIQUE INDEX "t_c_key" ON "t" ("c")"#,
            ])
        #expect(table.hiddenRowID == "rowid")
        #expect(Table("t", ["rowid text?", "OID text?"]).hiddenRowID == "_rowid_")
        #expect(Table("t", ["id integer key"]).hiddenRowID == nil)
        #expect(SQLite.elements(of: Table("t", ["id integer key"])) == [#""id" INTEGER PRIMARY KEY"#])
        #expect(SQLite.elements(of: Table("t", ["id text key"])) == [#""id" TEXT NOT NULL PRIMARY KEY"#])
    }

    @Test func `an expression is rewritten to use older columns`() {
        let columns: [String: ValueExpression] = ["a": .column("x"), "b": .coalesce(.column("y"), .null)]
        #expect(
            ValueExpression.coalesce(.column("a"), .changed(.column("b"), .scalar(.int, .string)))
                .substituting(columns)
                == .coalesce(.column("x"), .changed(.coalesce(.column("y"), .null), .scalar(.int, .string))))
        #expect(ValueExpression.coalesce(.literal(.text("it's")), .column("c")).substituting(columns) == nil)
        #expect(
            SQLite.expression(.changed(.coalesce(.column("y"), .null), .scalar(.int, .string)))
                == #"CAST((coalesce("y", NULL)) AS TEXT)"#)
    }

    @Test func `a column with its own checks is added and dropped, and a check with other columns needs a copy`() {
        func statements(_ old: [String], _ new: [String], _ columns: [String: ValueExpression] = [:]) -> [String] {
            let step = StepStatements(
                from: [Table("t", ["id integer key"] + old)], to: [Table("t", ["id integer key"] + new)],
                changes: [.map(from: "t", to: "t", columns: columns)])
            return step.create.isEmpty ? step.alter : ["copy"]
        }
        #expect(
            statements([], ["a integer = 2", "check c 'a > 1'"]) == [
                #"ALTER TABLE "t" ADD COLUMN "a" INTEGER NOT NULL DEFAULT 2 CONSTRAINT "c" CHECK ("a" > 1)"#
            ])
        #expect(statements(["a integer", "check c 'a > 1'"], []) == [#"ALTER TABLE "t" DROP COLUMN "a""#])
        #expect(
            statements(["a integer", "check c 'a > id'"], ["b integer", "check c 'b > id'"], ["b": .column("a")]) == [
                #"ALTER TABLE "t" RENAME COLUMN "a" TO "b""#
            ])
        #expect(statements(["a integer"], ["a integer", "check c 'a > 1'"]) == ["copy"])
        #expect(statements(["a integer", "check c 'a > 1'"], ["a integer"]) == ["copy"])
        #expect(statements(["a integer", "check c 'a > 1'"], ["a integer", "check d 'a > 1'"]) == ["copy"])
        #expect(statements(["a integer", "b integer", "check c 'a > b'"], ["a integer"]) == ["copy"])
        #expect(statements(["a integer"], ["a integer", "b integer?", "check c 'a > b'"]) == ["copy"])
    }

    @Test func `a computed column is rendered, and changed without a copy`() {
        func statements(_ old: [String], _ new: [String], _ columns: [String: ValueExpression] = [:]) -> [String] {
            let step = StepStatements(
                from: [Table("t", ["id integer key"] + old)], to: [Table("t", ["id integer key"] + new)],
                changes: [.map(from: "t", to: "t", columns: columns)])
            return step.create.isEmpty ? step.alter + step.finish : ["copy"]
        }
        let sum = "computed sum integer 'a + 1'"
        let definition = #""sum" INTEGER GENERATED ALWAYS AS (CAST("a" + 1 AS INTEGER)) VIRTUAL"#
        let (drop, add) = (#"ALTER TABLE "t" DROP COLUMN "sum""#, #"ALTER TABLE "t" ADD COLUMN "# + definition)
        #expect(
            SQLite.elements(of: Table("t", [sum, "a integer", "check c 'a > 0'", "check d 'a > 0 OR b'", "b integer"]))
                == [
                    #""a" INTEGER NOT NULL CONSTRAINT "c" CHECK ("a" > 0)"#, #""b" INTEGER NOT NULL"#, definition,
                    #"CONSTRAINT "d" CHECK ("a" > 0 OR "b")"#,
                ])
        #expect(statements(["a integer"], ["a integer", sum]) == [add])
        #expect(statements(["a integer", sum], ["a integer"]) == [drop])
        #expect(statements(["a integer", sum], []) == [drop, #"ALTER TABLE "t" DROP COLUMN "a""#])
        // SQLite renames the column in the expression.
        #expect(
            statements(["a integer", sum], ["b integer", "computed sum integer 'b + 1'"], ["b": .column("a")]) == [
                #"ALTER TABLE "t" RENAME COLUMN "a" TO "b""#
            ])
        #expect(statements(["a integer", "computed sum integer 'a + 2'"], ["a integer", sum]) == [drop, add])
        // An index is made again with its column.
        let index = "index t_sum_idx (sum)"
        #expect(
            statements(["a integer", "computed sum integer 'a + 2'", index], ["a integer", sum, index]) == [
                #"DROP INDEX "t_sum_idx""#, drop, add, #"CREATE INDEX "t_sum_idx" ON "t" ("sum")"#,
            ])
        // Another column gets the name of the one that the expression reads.
        #expect(
            statements(
                ["a integer", sum], ["b integer", "a integer? = 5", sum],
                ["b": .column("a"), "a": .literal(.integer(5))])
                == [
                    drop, #"ALTER TABLE "t" RENAME COLUMN "a" TO "b""#,
                    #"ALTER TABLE "t" ADD COLUMN "a" INTEGER DEFAULT 5"#, add,
                ])
        #expect(
            statements(["a integer", sum], ["a integer? = 5", sum], ["a": .literal(.integer(5))]) == [
                drop, #"ALTER TABLE "t" DROP COLUMN "a""#, #"ALTER TABLE "t" ADD COLUMN "a" INTEGER DEFAULT 5"#, add,
            ])
        // A stored column becomes a computed one of the same name, and the reverse.
        #expect(statements(["a integer", "sum integer"], ["a integer", sum]) == [drop, add])
        #expect(
            statements(["a integer", sum], ["a integer", "sum integer?"], ["sum": .null]) == [
                drop, #"ALTER TABLE "t" ADD COLUMN "sum" INTEGER"#,
            ])
        // A copy does not write it.
        let copy = StepStatements(
            from: [Table("t", ["a integer", sum])], to: [Table("t", ["a text", "computed sum text 'a || 1'"])],
            changes: [.map(from: "t", to: "t", columns: ["a": .changed(.column("a"), .scalar(.int, .string))])])
        #expect(
            copy.fill == [
                #"""
                INSERT INTO "strata_new_t" (rowid, "a")
                SELECT rowid, CAST("a" AS TEXT) FROM "t"
                """#
            ])
    }

    @Test func `two tables swap their names`() {
        let one = Table("one", ["id integer key", "a text?"])
        let two = Table("two", ["id integer key", "b text?"])
        let statements = StepStatements(
            from: [one, two],
            to: [Table("one", ["id integer key", "b text?"]), Table("two", ["id integer key", "a text?"])],
            changes: [.map(from: "one", to: "two"), .map(from: "two", to: "one")])
        #expect(
            statements.fill == [
                "INSERT INTO \"strata_new_one\" (\"id\", \"b\")\nSELECT \"id\", \"b\" FROM \"two\"",
                "INSERT INTO \"strata_new_two\" (\"id\", \"a\")\nSELECT \"id\", \"a\" FROM \"one\"",
            ])
        #expect(statements.alter == ["DROP TABLE \"one\"", "DROP TABLE \"two\""])
        #expect(
            statements.finish == [
                "ALTER TABLE \"strata_new_one\" RENAME TO \"one\"", "ALTER TABLE \"strata_new_two\" RENAME TO \"two\"",
            ])
    }

    @Test func `a table is not copied if only its indexes change`() {
        let statements = StepStatements(
            from: [Table("t", ["id integer key", "a text?", "unique t_a_key (a)"])],
            to: [Table("t", ["id integer key", "a text?", "index t_a_idx (a)"])],
            changes: [.map(from: "t", to: "t")])
        #expect(statements.create.isEmpty && statements.fill.isEmpty)
        #expect(statements.alter == ["DROP INDEX \"t_a_key\""])
        #expect(statements.finish == ["CREATE INDEX \"t_a_idx\" ON \"t\" (\"a\")"])
    }

    @Test func `a row keeps its rowid if the primary key is not the rowid`() {
        let statements = StepStatements(
            from: [Table("t", ["id text key"])], to: [Table("t", ["id text key", "a text?"])],
            changes: [.map(from: "t", to: "t")], keepsOldTables: true)
        #expect(statements.fill == ["INSERT INTO \"strata_new_t\" (rowid, \"id\")\nSELECT rowid, \"id\" FROM \"t\""])
    }

    @Test func `a column is added in place to a table with a primary key of several columns`() {
        let statements = StepStatements(
            from: [Table("t", ["a text", "b integer", "key (a, b)"])],
            to: [Table("t", ["a text", "b integer", "c text?", "key (a, b)"])], changes: [.map(from: "t", to: "t")])
        #expect(statements.actions.map(\.action) == [.alter])
        #expect(statements.alter == ["ALTER TABLE \"t\" ADD COLUMN \"c\" TEXT"])
    }

    @Test(arguments: [
        (["a text", "b text -> c(id) nullify"], ["a text", "b text? -> c(id) nullify"]),
        (["a text"], ["a text", "b real = 0.5"]),
        (["a text"], ["a text", "b integer? = 1 -> c(id) nullify"]),
        (["a text", "b text? -> c(id) nullify"], ["a text"]),
        (["a text key", "b text"], ["b text key"]),
        (["a text", "b text"], ["a text nocase", "b text"]),
    ])
    func `a change that SQLite cannot make in place rebuilds the table`(old: [String], new: [String]) {
        let statements = StepStatements(
            from: [Table("t", old)], to: [Table("t", new)], changes: [.map(from: "t", to: "t")])
        #expect(statements.actions.map(\.action) == [.rebuild])
    }
}

/// The text format of tables and changes in generated Swift.
@Suite struct SchemaTextTests {
    private static let tables = [
        Table(
            "order",
            [
                "id integer key", "note text? nocase = 'it\\'s # 1\\u{a}\\u{2028}'", "amount real = -1.5e-07",
                "photo blob = blob('00FF')", "count integer = -9223372036854775808",
                "shop_id integer -> \"the shop\"(\"key\") deny", "unique order_note_key (note, amount)",
                "index \"key\" (note)",
            ]),
        Table(
            "order_gifts", ["\"first\" text", "b integer", "key (\"first\", b)", "(\"first\", b) -> x(y, z) cascade"],
            isJoinTable: true),
        Table("computed", ["a text", "b text", "computed c text 'a || \\'#\\''", "computed \"computed\" real '1'"]),
        Table("checked", ["a text", "check b 'length(a) > 3'", "check \"check\" 'a <> \\'it\\'\\'s\\''"]),
        Table("the shop", ["\"key\" integer key", "\"1\" any?", "\"grün\" text?"]),
    ]

    private func text(_ lines: [String]) -> String { lines.joined(separator: "\n") }

    @Test func `tables are parsed as they were written`() throws {
        let lines = Self.tables.flatMap(SchemaText.lines)
        #expect(try SchemaText.tables(text(lines)) == Self.tables)
        // A raw string literal of Swift can contain the lines.
        #expect(lines.allSatisfy { !$0.contains("#") && !$0.contains("\n") })
    }

    @Test func `a changed table is written as its differences`() throws {
        let more = (1...14).map { "m\($0) text" }
        let old = Table(
            "t",
            ["id integer key", "a text", "b text?", "c real"] + more + [
                "index t_a_idx (a)", "index t_b_idx (b)", "check t_c 'c > 1'", "check t_a 'a > 1'",
                "computed n integer 'length(a)'", "computed k integer '1'",
            ])
        let new = Table(
            "u",
            ["z text?", "id integer key", "a text", "c real?"] + more
                + [
                    "e blob? -> f(g) nullify", "index t_a_idx (a)", "unique u_c_key (c)", "check t_c 'c > 2'",
                    "check t_a 'a > 1'", "computed n integer 'length(a) + 1'", "computed k integer '1'",
                ])
        let lines = try #require(SchemaText.lines(of: new, changedFrom: old))
        #expect(
            lines == [
                "change t as u", "  - b", "  - c", "  + z text? first", "  + c real? after a",
                "  + e blob? -> f(g) nullify", "  - index t_b_idx", "  + unique u_c_key (c)",
                "  - check t_c", "  + check t_c 'c > 2'", "  - computed n", "  + computed n integer 'length(a) + 1'",
            ])
        let other = Table("v", ["id integer key"])
        #expect(try SchemaText.tables(text(lines), after: [old, other]) == [other, new])
        #expect(try SchemaText.tables("drop v", after: [old, other]) == [old])
        // A table whose columns have another order is written completely.
        let reordered = Table("t", ["a text", "id integer key", "b text?", "c real"] + more + ["index t_a_idx (a)"])
        #expect(SchemaText.lines(of: reordered, changedFrom: old) == nil)
    }

    @Test func `changes are parsed as they were written`() throws {
        let members: [ValueChange.Member] = [
            .added("x", value: #"{"a": [1.0]}"#), .removed("y\"'"), .renamed("a", to: "b", nil, isJSON: false),
            .renamed("a", to: "b", nil, isJSON: true), .renamed("c", to: "d", .options(cleared: 3), isJSON: false),
            .changed("e", .elements(.cases(["a": "b"], merged: true), isJSON: false), isJSON: true),
        ]
        let changes: [TableChange] = [
            .create("a"), .drop("drop"), .map(from: "b", to: "b"),
            .map(
                from: "b", to: "c",
                columns: [
                    "a": .coalesce(.column("null"), .null), "b": .changed(.column("blob"), .scalar(.uuid, .string)),
                    "c": .changed(.coalesce(.column("c"), .literal(.text("it's"))), .members(members)),
                    "d": .literal(.blob([1])),
                    "i": .replaced(
                        .coalesce(.column("i"), .null),
                        unless: .binary(.column("value"), .like, .literal(.text("it's"))),
                        with: .literal(.text("x"))), "e": .changed(.column("e"), .cases([:], merged: false)),
                    "f": .changed(.column("f"), .elements(.members(members), isJSON: true)),
                    "g": .changed(.column("g"), .caseToString), "h": .literal(.real(1)),
                ], requiring: [.column("a"), .changed(.column("b"), .scalar(.int, .decimal))]),
            .custom(
                from: "d", to: "e", columns: ["where": .literal(.integer(-1))], references: ["f": "g", "key": "h"]),
        ]
        #expect(try SchemaText.changes(text(changes.flatMap(SchemaText.lines))) == changes)
    }

    @Test(arguments: [
        ("table t\n  id number", "line 2 of the schema's text: a type expected"),
        ("table t\n  id integer key key", "line 2 of the schema's text: the end of the line expected"),
        ("table key", "line 1 of the schema's text: a name expected"),
        ("change t\n  - a", "line 1 of the schema's text: the name of a table in the version before expected"),
        ("table t\n  id text = 'a", "line 2 of the schema's text: the closing quote is missing"),
        ("table t\n  id text = '\\u{zz}'", "line 2 of the schema's text: \\u{zz} is not a character"),
    ])
    func `malformed text is refused with its line`(text: String, message: String) {
        let error = #expect(throws: SchemaTextError.self) { try SchemaText.tables(text) }
        #expect(error?.description == message)
    }
}
