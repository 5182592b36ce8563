import SchemaModel
import Testing

@Suite struct SchemaSQLTests {
    @Test func `identifiers and literals are quoted whatever they hold`() {
        #expect(SQL.quoted("a\"b") == "\"a\"\"b\"")
        #expect(SQL.literal("it's") == "'it''s'")
        #expect(SQL.literal([0, 255]) == "X'00FF'")
        #expect(SQL.list(["a", "b c"]) == "\"a\", \"b c\"")
    }

    @Test func `columns are known from the elements of a table`() {
        let table = Table("t", ["\"a\"\"b\" TEXT", "\"c\" INTEGER", "PRIMARY KEY (\"c\")"])
        #expect(table.columns == ["a\"b", "c"])
        #expect(
            table.createStatement()
                == "CREATE TABLE \"t\" (\n  \"a\"\"b\" TEXT,\n  \"c\" INTEGER,\n  PRIMARY KEY (\"c\")\n) STRICT")
        #expect(table.hiddenRowID == "rowid")
        #expect(Table("t", ["\"rowid\" TEXT", "\"OID\" TEXT"]).hiddenRowID == "_rowid_")
        #expect(Table("t", ["\"id\" INTEGER PRIMARY KEY"]).hiddenRowID == nil)
    }

    @Test func `the elements of a table are read back from its SQL`() {
        let elements = [
            "\"a,\"\"b\" TEXT DEFAULT 'it''s, (\n'", "\"c\" INTEGER REFERENCES \"d\" (\"e\")",
            "PRIMARY KEY (\"c\", \"d\")",
        ]
        #expect(Table.elements(of: Table("t (x, y)", elements).createStatement()) == elements)
    }

    @Test func `an expression is said over older columns`() {
        let columns = ["a": "\"x\"", "b": "coalesce(\"y\", '\"a\"')"]
        #expect(
            SQL.substituting(columns, in: "\"a\" || '\"a\"' || \"b\"")
                == "\"x\" || '\"a\"' || (coalesce(\"y\", '\"a\"'))")
        #expect(SQL.substituting(columns, in: "'it''s' || \"c\"") == nil)
        #expect(SQL.substituting(["a\"b": "1 + 1"], in: "\"a\"\"b\"") == "1 + 1")
    }

    @Test func `two tables swap their names`() {
        let one = Table("one", ["\"id\" INTEGER PRIMARY KEY", "\"a\" TEXT"])
        let two = Table("two", ["\"id\" INTEGER PRIMARY KEY", "\"b\" TEXT"])
        let statements = StepStatements(
            from: [one, two],
            to: [Table("one", two.elements), Table("two", one.elements)],
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

    @Test func `a table whose indexes alone change is not copied`() {
        let elements = ["\"id\" INTEGER PRIMARY KEY", "\"a\" TEXT"]
        let statements = StepStatements(
            from: [Table("t", elements, indexes: [Index("t_a_key", on: ["a"], unique: true)])],
            to: [Table("t", elements, indexes: [Index("t_a_idx", on: ["a"])])],
            changes: [.map(from: "t", to: "t")])
        #expect(statements.create.isEmpty && statements.fill.isEmpty)
        #expect(statements.alter == ["DROP INDEX \"t_a_key\""])
        #expect(statements.finish == ["CREATE INDEX \"t_a_idx\" ON \"t\" (\"a\")"])
    }

    @Test func `a row keeps its hidden number where the key is none`() {
        let table = Table("t", ["\"id\" TEXT NOT NULL PRIMARY KEY"])
        let statements = StepStatements(
            from: [table], to: [Table("t", table.elements + ["\"a\" TEXT CHECK (true)"])],
            changes: [.map(from: "t", to: "t")], keepsOldTables: true)
        #expect(statements.fill == ["INSERT INTO \"strata_new_t\" (rowid, \"id\")\nSELECT rowid, \"id\" FROM \"t\""])
    }

    @Test func `expressions are fused until they are too long or nested too deep for SQLite`() throws {
        let table = Table("t", ["\"id\" INTEGER PRIMARY KEY", "\"a\" TEXT"])
        func fused(_ expression: String, _ count: Int) -> TableMapping? {
            var mapping: TableMapping? = TableMapping(of: [table])
            for _ in 0..<count {
                mapping = mapping?.followed(by: [.map(from: "t", to: "t", columns: ["a": expression])], to: [table])
            }
            return mapping
        }
        #expect(fused("trim(\"a\")", 9) != nil)
        #expect(fused("trim(\"a\")", 90) == nil)
        #expect(fused("(SELECT value FROM json_each((SELECT \"a\")))", 2) != nil)
        #expect(fused("(SELECT value FROM json_each((SELECT \"a\")))", 3) == nil)
        #expect(fused("\"a\" || '\(String(repeating: "x", count: 3000))'", 1) != nil)
        #expect(fused("\"a\" || '\(String(repeating: "x", count: 3000))'", 2) == nil)
        // A step by itself is what it is.
        #expect(fused(String(repeating: "(", count: 40) + "\"a\"" + String(repeating: ")", count: 40), 1) != nil)
    }
}

@Suite struct CompositeKeyTests {
    @Test func `a column is added in place to a table with a primary key of several columns`() {
        let old = Table(
            "t", ["\"a\" TEXT NOT NULL", "\"b\" INTEGER NOT NULL", "PRIMARY KEY (\"a\", \"b\")"])
        let new = Table(
            "t", ["\"a\" TEXT NOT NULL", "\"b\" INTEGER NOT NULL", "\"c\" TEXT", "PRIMARY KEY (\"a\", \"b\")"])
        let statements = StepStatements(from: [old], to: [new], changes: [.map(from: "t", to: "t")])
        #expect(statements.actions.map(\.action) == [.alter])
        #expect(statements.alter == ["ALTER TABLE \"t\" ADD COLUMN \"c\" TEXT"])
    }
}
