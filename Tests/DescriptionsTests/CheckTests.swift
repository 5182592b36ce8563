import Descriptions
import SchemaDiff
import SchemaModel
import SQLSchema
import Testing

/// Limits of properties, and checks of entities.
@Suite struct CheckTests {
    private func history(_ properties: String, checks: String = "") throws -> SchemaHistory {
        let more = checks.isEmpty ? "" : "\"checks\": [\(checks)],"
        return try DescriptionsTests.history(["Book": book(properties, more: more)])
    }

    private func item(_ previous: String, _ more: String = "") -> String {
        "\"version_history\": [{ \"version\": \"1.0\" }, { \"version\": \"2.0\", \"previous\": { \(previous) }\(more) }]"
    }

    @Test(arguments: [
        (#""property_type": "int", "minimum": -1, "maximum": 9"#, [#""a" <= 9"#, #""a" >= -1"#]),
        (#""property_type": "date", "minimum": "2001-01-01T00:00:01Z""#, [#""a" >= 1.0"#]),
        (
            #""property_type": "string", "min_length": 1, "max_length": 9, "pattern": "it's*""#,
            [#"length("a") <= 9"#, #"length("a") >= 1"#, #""a" GLOB 'it''s*'"#]
        ),
        (
            #""property_type": "uuid", "one_of": ["00000000-0000-0000-0000-00000000000a"]"#,
            [#""a" IN (X'0000000000000000000000000000000A')"#]
        ),
    ])
    func `limits are constraints of the column`(property: String, conditions: [String]) throws {
        let table = try history("{ \"name\": \"a\", \(property) }").newest.tables[0]
        #expect(table.checks.map { SQLite.expression($0.condition) } == conditions)
        let sql = SQLite.createTable(table)
        for check in table.checks {
            #expect(check.name.hasPrefix("book_a_"))
            #expect(
                sql.contains("CONSTRAINT \"\(check.name)\" CHECK (\(SQLite.expression(check.condition)))"), "\(sql)")
        }
    }

    @Test(arguments: [
        (#""maximum": 5"#, #""maximum": null"#, "", false), (#""maximum": 5"#, #""maximum": 4"#, "", true),
        (#""maximum": 5"#, #""maximum": 6"#, "", false), (#""maximum": 5"#, #""maximum": 6"#, #", "fill": 5"#, true),
        (#""minimum": 5"#, #""minimum": 6"#, "", true), (#""minimum": 5"#, #""minimum": 4"#, "", false),
        (#""one_of": [1, 2]"#, #""one_of": [2]"#, "", true), (#""one_of": [1, 2]"#, #""one_of": [2, 3]"#, "", false),
        (#""minimum": 5"#, #""minimum": 4"#, #", "fill": 5"#, true),
        (#""nullable": false"#, #""minimum": 4"#, "", true),
    ])
    func `a wider limit is inferred, and a stricter one needs a fill`(
        now: String, was: String, fill: String, isInferred: Bool
    ) throws {
        let history = try history("{ \"name\": \"a\", \"property_type\": \"int\", \(now), \(item(was, fill)) }")
        let step = history.steps[0]
        #expect(step.isCustom == !isInferred)
        let reason = "`book.a` may violate "
        #expect(step.customReasons.allSatisfy { $0.hasPrefix(reason) && $0.hasSuffix(" and has no \"fill\"") })
        #expect(step.customReasons.isEmpty == isInferred)
    }

    @Test(arguments: [
        (#""collation": null, "one_of": null"#, true), (#""one_of": null"#, false),
        (#""collation": "rtrim", "one_of": null"#, true), (#""min_length": 1, "one_of": null"#, false),
        (#""nullable": true, "one_of": null"#, true), (#""property_type": "url", "one_of": null"#, true),
    ])
    func `values are compared with one_of by their own collation`(was: String, isCustom: Bool) throws {
        let step = try history(
            #"{ "name": "a", "property_type": "string", "collation": "nocase", "one_of": ["x"], "#
                + "\(item(was, #", "fill": "x""#)) }"
        ).steps[0]
        let reason = #"`book.a` would be compared with "one_of" by another collation than its own"#
        #expect(step.customReasons == (isCustom ? [reason] : []))
    }

    @Test func `a fill replaces only the values that violate the limits`() throws {
        let history = try history(
            "{ \"name\": \"a\", \"property_type\": \"int\", \"minimum\": 5, "
                + item(#""minimum": null, "nullable": true"#, #", "fill": 7"#) + " }")
        let step = history.steps[0]
        let fill = try #require(
            StepStatements(from: step.from.tables, to: step.to.tables, changes: step.tableChanges).fill.first)
        #expect(fill.contains(#"CASE WHEN NOT ((coalesce("a", 7)) >= 5) THEN 7 ELSE coalesce("a", 7) END"#), "\(fill)")
    }

    @Test(arguments: [
        (#"{ "name": "c", "where": "a > 1", "added_at_version": "2.0" }"#, "a > 1"),
        (#"{ "name": "c", "where": "b > a", "added_at_version": "2.0" }"#, ""),
        (#"{ "name": "c", "where": "b IS NULL OR a > 1", "added_at_version": "2.0" }"#, ""),
        (#"{ "name": "c", "where": "b IS NOT NULL", "added_at_version": "2.0" }"#, "b IS NOT NULL"),
        (#"{ "name": "c", "where": "a > 1", "removed_at_version": "2.0" }"#, ""),
        (
            #"{ "name": "c", "where": "a > 1", "version_history": [{ "version": "1.0" }, { "version": "2.0", "previous_name": "old" }] }"#,
            ""
        ),
        (
            #"{ "name": "c", "where": "a > 1", "version_history": [{ "version": "1.0" }, { "version": "2.0", "previous": { "where": "a > 2" } }] }"#,
            ""
        ),
        (
            #"{ "name": "c", "where": "a > 2", "version_history": [{ "version": "1.0" }, { "version": "2.0", "previous": { "where": "a > 1" } }] }"#,
            "a > 2"
        ),
    ])
    func `a check needs a custom migration if rows may violate it`(check: String, condition: String) throws {
        let history = try history(
            """
            { "name": "a", "property_type": "int" },
            { "name": "b", "property_type": "int", "nullable": true, "added_at_version": "2.0" }
            """, checks: check)
        #expect(
            history.steps[0].customReasons
                == (condition.isEmpty ? [] : ["`book`: rows may violate the check `c`, which is \(condition)"]))
        #expect(history.steps[0].changes.contains { $0.handling == (condition.isEmpty ? .inferred : .custom) })
    }

    @Test(arguments: [
        (#""one_of": ["x", "y"]"#, ""), ("\"indexed\": false", #"{ "name": "c", "where": "a IN ('x', 'y')" }"#),
    ])
    func `another collation makes other texts equal`(limit: String, check: String) throws {
        for (now, was) in [("null", #""nocase""#), (#""nocase""#, #""nocase""#)] {
            let history = try history(
                #"{ "name": "a", "property_type": "string", "collation": \#(now), \#(limit), "#
                    + item(#""collation": \#(was)"#, "") + " }", checks: check)
            #expect(history.steps[0].isCustom == (now != was))
        }
    }

    @Test func `the lock and the differences have limits and checks`() throws {
        let history = try history(
            "{ \"name\": \"a\", \"property_type\": \"int\", \"minimum\": 5, \"one_of\": [5, 6], "
                + item(#""minimum": 4, "one_of": null"#, #", "fill": 5"#) + " }",
            checks: #"{ "name": "c", "where": "a <> 7", "removed_at_version": "2.0" }"#)
        let lines = history.versions.map(\.logicalLines)
        #expect(lines[0] == [#"book | key id: int | a: int minimum 4 | check c where "a <> 7""#])
        #expect(lines[1] == ["book | key id: int | a: int minimum 5 one_of (5, 6)"])
        let step = history.steps[0]
        #expect(step.changes.map(step.text) == ["minimum 4 becomes 5, one_of (5, 6)", "check c where a <> 7 removed"])
    }

    @Test func `a limit keeps its name when its column and its table are renamed`() throws {
        let text = book(
            #"{ "name": "a", "property_type": "int", "minimum": 1, "version_history": [{ "version": "1.0" }, { "version": "2.0", "previous_name": "b" }] }"#,
            more: #""checks": [{ "name": "c", "where": "a < 9" }],"#)
        let history = try DescriptionsTests.history(["Book": text])
        let step = history.steps[0]
        let statements = StepStatements(from: step.from.tables, to: step.to.tables, changes: step.tableChanges)
        #expect(statements.alter == [#"ALTER TABLE "book" RENAME COLUMN "b" TO "a""#])
        #expect(step.to.tables[0].checks.map(\.name) == ["book_b_minimum", "c"])
    }
}
