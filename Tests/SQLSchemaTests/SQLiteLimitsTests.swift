import SQLSchema
import Strata
import Testing

/// The limits of SQLite, compared with what the library here accepts.
@Suite struct SQLiteLimitsTests {
    /// Statements that contain an expression over the columns `a` and `v` of a table.
    static let contexts: [@Sendable (String) -> String] = [
        { "CREATE INDEX i ON t (a, v) WHERE \($0)" },
        { "CREATE TABLE u (a INTEGER PRIMARY KEY, v TEXT, CONSTRAINT c CHECK ((a) > 0), CONSTRAINT d CHECK (\($0)))" },
        { "CREATE TABLE u (a INTEGER NOT NULL, v TEXT, w ANY AS (\($0)) VIRTUAL) STRICT" },
        { "INSERT INTO t (a, v) SELECT a, \($0) FROM t" },
        {
            "CREATE TRIGGER r AFTER UPDATE OF v ON t WHEN new.a > 0 BEGIN INSERT INTO t (a, v) SELECT a, \($0) FROM t; END"
        },
    ]

    /// Returns the problem that SQLite has with an expression; nil if it accepts it in all contexts.
    private static func problem(with sql: String, isJSON: Bool = false) throws -> String? {
        let connection = try Connection(path: ":memory:", mode: .create)
        try connection.execute("CREATE TABLE t (a INTEGER, v TEXT)")
        for context in isJSON ? contexts[3...] : contexts[...] {
            do {
                _ = try connection.prepare(context(sql))
            } catch {
                return "\(error)"
            }
        }
        return nil
    }

    /// Ways to put an expression into a deeper one.
    static let nestings: [@Sendable (RowExpression<String>) -> RowExpression<String>] = [
        { .binary(.column("a"), .times, .binary(.column("a"), .plus, $0)) },
        { .binary(.binary(.column("a"), .or, $0), .and, .column("v")) },
        { .not($0) }, { .negative(.binary($0, .plus, .column("a"))) }, { .isNull(.not(.isNull($0))) },
        { .isIn(.column("a"), [.null, $0]) }, { .not(.isIn($0, [.column("a")])) }, { .call(.length, [$0]) },
        { .call(.coalesce, [.column("a"), $0]) }, { .call(.replace, [$0, .column("v"), .null]) },
        { .cases([.init($0, .null)], otherwise: nil) },
        { .cases([.init(.null, .null), .init(.column("a"), $0)], otherwise: .null) },
        { .cases([.init(.null, .null)], otherwise: $0) }, { .binary(.column("v"), .like, $0) },
        { .not(.binary($0, .glob, .binary(.column("v"), .joined, .literal(.text("x"))))) },
    ]

    @Test(arguments: nestings.indices) func `the deepest expression of a kind is accepted, and a deeper one is not`(
        _ index: Int
    ) throws {
        var expression = RowExpression<String>.column("a")
        while case let next = Self.nestings[index](expression), next.parserDepth() <= SQLiteLimits.parserDepth {
            expression = next
        }
        #expect(try Self.problem(with: SQLite.expression(expression)) == nil)
        while expression.parserDepth() <= 104 { expression = Self.nestings[index](expression) }
        #expect(try Self.problem(with: SQLite.expression(expression)) != nil || Self.hasLargeStack)
    }

    /// Whether the parser's stack grows, as from SQLite 3.46 on.
    private static var hasLargeStack: Bool {
        get throws {
            let connection = try Connection(path: ":memory:", mode: .create)
            return try connection.integer("SELECT CAST(substr(sqlite_version(), 3, 2) AS INTEGER) >= 46") == 1
        }
    }

    @Test(arguments: 0..<40 as Range<UInt64>) func `a mixture of nestings is accepted up to the limit`(_ seed: UInt64)
        throws
    {
        var random = SeededRandom(state: seed)
        var expression = RowExpression<String>.column("a")
        while let nesting = Self.nestings.randomElement(using: &random), case let next = nesting(expression),
            next.parserDepth() <= SQLiteLimits.parserDepth
        {
            expression = next
        }
        #expect(try Self.problem(with: SQLite.expression(expression)) == nil)
    }

    /// Ways to put a change of a value into one of a list or of a struct.
    static let changes: [@Sendable (ValueChange) -> ValueChange] = [
        { .elements($0, isJSON: true) },
        { .values($0, isJSON: true) },
        { .members([.changed("x", $0, isJSON: true)]) },
        { .members([.renamed("x", to: "y", $0, isJSON: true)]) },
        {
            .members([
                .added("z", value: "[1]"), .removed("w"), .renamed("u", to: "v", nil, isJSON: false),
                .changed("x", $0, isJSON: true),
            ])
        },
    ]

    @Test(arguments: changes.indices) func `the deepest change of a kind is accepted, and a deeper one is not`(
        _ index: Int
    ) throws {
        func value(_ change: ValueChange) -> ValueExpression { .changed(.column("v"), change) }
        for first in [
            ValueChange.cases(["a": "b"], merged: false), .scalar(.uuid, .string), .scalar(.bool, .string),
            .options(cleared: 4),
        ] {
            var change = first
            while case let next = Self.changes[index](change), value(next).fitsSQLite { change = next }
            #expect(try Self.problem(with: SQLite.expression(value(change)), isJSON: true) == nil, "\(first)")
            while value(change).parserDepth <= 104 { change = Self.changes[index](change) }
            #expect(
                try Self.problem(with: SQLite.expression(value(change)), isJSON: true) != nil || Self.hasLargeStack,
                "\(first)")
        }
    }

    @Test(arguments: [1, 62, 63, 64, 126, 127, 500]) func `any number of members changes in calls that SQLite accepts`(
        _ count: Int
    ) throws {
        let kinds: [(Int) -> ValueChange.Member] = [
            { .added("m\($0)", value: "\($0)") }, { .removed("m\($0)") },
            { .renamed("m\($0)", to: "n\($0)", nil, isJSON: false) },
            { .renamed("m\($0)", to: "n\($0)", .cases(["1": "2"], merged: false), isJSON: false) },
            { .changed("m\($0)", .options(cleared: 1), isJSON: false) },
        ]
        for kind in kinds {
            let value = ValueExpression.changed(.column("v"), .members((0..<count).map(kind)))
            #expect(value.fitsSQLite)
            #expect(try Self.problem(with: SQLite.expression(value), isJSON: true) == nil)
        }
        let connection = try Connection(path: ":memory:", mode: .create)
        let members = (0..<count).map { "\"m\($0)\":\($0).50" }.joined(separator: ",")
        let renamed = (0..<count).map { "\"n\($0)\":\($0).50" }.joined(separator: ",")
        try connection.execute("CREATE TABLE t (v TEXT); INSERT INTO t VALUES ('{\(members)}')")
        let value = ValueExpression.changed(.column("v"), .members((0..<count).map(kinds[2])))
        #expect(
            try connection.integer("SELECT count(*) FROM t WHERE \(SQLite.expression(value)) = '{\(renamed)}'") == 1)
    }

    @Test func `a fused value is combined only as far as SQLite accepts it`() throws {
        let limit = try RowExpression(parsing: "length(value) < 3 AND value NOT LIKE 'x%'")
        var value = ValueExpression.column("v")
        while case let next = ValueExpression.coalesce(
            .replaced(value, unless: limit, with: .null), .literal(.text("x"))),
            next.fitsSQLite
        {
            value = next
        }
        #expect(value != .column("v"))
        #expect(try Self.problem(with: SQLite.expression(value)) == nil)
    }

    @Test func `the numbers are those of the library`() throws {
        let connection = try Connection(path: ":memory:", mode: .create)
        func accepts(_ sql: String) -> Bool { (try? connection.prepare(sql)) != nil }
        func columns(_ count: Int) -> String { (0..<count).map { "c\($0)" }.joined(separator: ", ") }
        #expect(accepts("CREATE TABLE t (\(columns(SQLiteLimits.columns)))"))
        #expect(!accepts("CREATE TABLE t (\(columns(SQLiteLimits.columns + 1)))"))
        try connection.execute(
            "CREATE VIRTUAL TABLE s USING fts5 (\(columns(SQLiteLimits.searchedColumns)), content=''); DROP TABLE s")
        func arguments(_ count: Int) -> String { Array(repeating: "1", count: count).joined(separator: ", ") }
        #expect(accepts("SELECT max(\(arguments(SQLiteLimits.arguments)))"))
        #expect(accepts("SELECT '\(String(repeating: "x", count: SQLiteLimits.statement - 10))'"))
    }
}
