import Foundation
import SQLSchema
import Strata
import Testing

/// A row of `s` that a custom migration keeps, drops or merges.
private typealias Kept = HandMadeRow<TableS, Int, String?>

/// The same table after it is renamed.
private enum TableU: HandMadeTable {
    static let name = "u"
    static let columns = ["id", "v"]
}

private typealias Renamed = HandMadeRow<TableU, Int, String?>

/// The report of a migration, its plan, the reasons to refuse it, and the primary keys that a store remembers.
@Suite struct MigrationReportTests {
    private static let key = "id integer key"
    private static let s = Table("s", [key, "v text?"])
    private static func pointing(_ name: String, _ rule: Table.DeleteRule) -> Table {
        Table(name, [key, "s_id integer? -> s(id) \(rule.rawValue)"])
    }

    @Test func `the report counts migrated, dropped and merged rows`() throws {
        try withStore(
            [Self.s, Self.pointing("t", .cascade), Self.pointing("n", .nullify)],
            rows: """
                INSERT INTO s VALUES (1, 'a'), (2, 'b'), (3, 'c'), (4, 'd');
                INSERT INTO t VALUES (1, 1), (2, 1), (3, 2), (4, 3); INSERT INTO n VALUES (1, 1), (2, 2)
                """,
            code: { step in
                try step.migrate(Kept.self) { old, _ -> Outcome<Kept> in
                    switch old.id.rawValue {
                    case 1: .drop
                    case 3: .merge(into: Kept.ID(rawValue: 2))
                    default: .keep(old)
                    }
                }
                try step.followKeys()
            }, check: { _ in },
            opened: { store in
                let report = try #require(store.migrationReport)
                #expect(report.from == "1" && report.to == "2" && report.seconds > 0 && report.rows == 4)
                #expect(report.droppedRows == ["s": 1, "t": 2] && report.mergedRows == ["s": 1])
                #expect(report.repairedRows.isEmpty)
            })
    }

    @Test func `a store that needs no migration has no report`() throws {
        try withFile { (url: URL) throws in
            #expect(try Store(at: url, schema: Shop.self).migrationReport == nil)
            #expect(try Store(at: url, schema: Shop.self).migrationReport == nil)
        }
    }

    private static let dangling = """
        PRAGMA foreign_keys = OFF; INSERT INTO s VALUES (1, 'a');
        INSERT INTO t VALUES (1, 1), (2, 9), (3, 8); INSERT INTO n VALUES (1, 1), (2, 9);
        """

    private func migrateDangling(
        _ handling: StoreOptions.DanglingForeignKeys, _ tables: [Table], rows: String,
        _ body: (URL, MigrationReport?) throws -> Void
    ) throws {
        var options = StoreOptions()
        options.danglingForeignKeys = handling
        var report: MigrationReport?
        try withStore(
            tables, rows: rows,
            changes: [
                .map(from: "s", to: "s", columns: ["v": .changed(.column("v"), .cases(["a": "a!"], merged: false))])
            ],
            options: options, check: { try body($0, report) }, opened: { report = $0.migrationReport })
    }

    @Test func `a repair deletes a tree of any depth below a dangling foreign key`() throws {
        let tree = Table(
            "t", [Self.key, "t_id integer? -> t(id) cascade", "index t_t_id_idx (t_id)"])
        let content = """
            PRAGMA foreign_keys = OFF; INSERT INTO s VALUES (1, 'a');
            INSERT INTO t VALUES (-1, NULL), (-2, -1);
            WITH RECURSIVE n (i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
            INSERT INTO t SELECT i, i - 1 FROM n
            """
        try migrateDangling(.repair, [Self.s, tree], rows: content) { (url: URL, report) throws in
            #expect(try rows(url, "SELECT id FROM t ORDER BY id") == [[.integer(-2)], [.integer(-1)]])
            #expect(report?.repairedRows == ["t": 19_999])
        }
    }

    @Test func `dangling foreign keys are kept, repaired by their delete rule, or refused`() throws {
        let tables = [
            Self.s, Self.pointing("t", .cascade), Self.pointing("n", .nullify),
            Table("c", [Self.key, "t_id integer? -> t(id) cascade"]),
        ]
        let content = Self.dangling + "INSERT INTO c VALUES (1, 1), (2, 2)"
        try migrateDangling(.keep, tables, rows: content) { (url: URL, report) throws in
            #expect(
                try rows(url, "SELECT (SELECT count(*) FROM t), (SELECT count(s_id) FROM n)") == [
                    [3, 2].map(SQLiteValue.integer)
                ])
            #expect(report?.repairedRows == [:])
        }
        try migrateDangling(.repair, tables, rows: content) { (url: URL, report) throws in
            #expect(try rows(url, "SELECT id FROM t") == [[.integer(1)]])
            #expect(try rows(url, "SELECT id, s_id FROM n") == [[.integer(1), .integer(1)], [.integer(2), .null]])
            #expect(try rows(url, "SELECT id FROM c") == [[.integer(1)]])
            #expect(try rows(url, "SELECT v FROM s") == [[.text("a!")]])
            #expect(report?.repairedRows == ["t": 2, "n": 1, "c": 1])
        }
        #expect(throws: MigrationError.danglingForeignKeys(["t": 2, "n": 1])) {
            try migrateDangling(.refuse, tables, rows: content) { _, _ in }
        }
    }

    @Test func `dangling foreign keys are kept in renamed tables`() throws {
        let renamed = Table("t2", [Self.key, "s_id integer? -> s2(id) cascade"])
        let changes = [TableChange.map(from: "s", to: "s2"), .map(from: "t", to: "t2"), .drop("n")]
        try withStore(
            [Self.s, Self.pointing("t", .cascade), Self.pointing("n", .nullify)],
            new: [Self.s.named("s2"), renamed], rows: Self.dangling, changes: changes,
            check: { (url: URL) throws in
                #expect(try rows(url, "SELECT count(*) FROM t2") == [[.integer(3)]])
            })
    }

    @Test func `a plan counts the duplicates in a new unique column`() throws {
        try withFile { (url: URL) throws in
            try makeHandMade(at: url, [Self.s], rows: "INSERT INTO s VALUES (1, 'a'), (2, 'b'), (3, 'c')")
            let unique = Self.s.named(nil, ["n integer = 0", "unique s_n_key (n)"])
            let change = TableChange.map(from: "s", to: "s", columns: ["n": .literal(.integer(7))])
            let plan = try HandMade.$old.withValue([Self.s]) {
                try HandMade.$new.withValue([unique]) {
                    try HandMade.$changes.withValue([change]) { try MigrationPlan(from: url, to: HandMade.self) }
                }
            }
            #expect(plan.violations.map { "\($0.constraint) \($0.rows) \($0.handling)" } == ["UNIQUE n 2 fails"])
        }
    }

    @Test func `a plan counts the duplicates among the rows of a new unique index`() throws {
        try withFile { (url: URL) throws in
            try makeHandMade(at: url, [Self.s], rows: "INSERT INTO s VALUES (1, 'a'), (2, 'b'), (3, 'c'), (4, NULL)")
            let unique = Self.s.named(nil, ["n integer = 0", #"unique s_n_key (n) where 'v > \'a\' AND n = 7'"#])
            let change = TableChange.map(from: "s", to: "s", columns: ["n": .literal(.integer(7))])
            let plan = try HandMade.$old.withValue([Self.s]) {
                try HandMade.$new.withValue([unique]) {
                    try HandMade.$changes.withValue([change]) { try MigrationPlan(from: url, to: HandMade.self) }
                }
            }
            #expect(plan.violations.map { "\($0.constraint) \($0.rows) \($0.handling)" } == ["UNIQUE n 1 fails"])
        }
    }

    @Test func `a plan counts the rows that violate a new check`() throws {
        try withFile { (url: URL) throws in
            try makeHandMade(at: url, [Self.s], rows: "INSERT INTO s VALUES (1, 'a'), (2, 'b'), (3, 'c'), (4, NULL)")
            let checked = Self.s.named(nil, [#"check s_v_one_of 'v IN (\'a\', \'x\')'"#])
            for (value, found) in [
                (ValueExpression.column("v"), ["CHECK s_v_one_of 2 fails"]),
                (.replaced(.column("v"), unless: checked.checks[0].condition, with: .literal(.text("x"))), []),
            ] {
                let change = TableChange.map(from: "s", to: "s", columns: ["v": value])
                try HandMade.$old.withValue([Self.s]) {
                    try HandMade.$new.withValue([checked]) {
                        try HandMade.$changes.withValue([change]) {
                            let plan = try MigrationPlan(from: url, to: HandMade.self)
                            #expect(
                                plan.violations.map { "\($0.constraint) \($0.rows) \($0.handling)" } == found)
                        }
                    }
                }
            }
        }
    }

    @Test(arguments: [
        ("v text", "v text nocase", ["CHECK c 2 fails", "UNIQUE v 1 fails"]),
        ("v text nocase", "v text", ["CHECK c 1 fails"]),
        ("v text nocase", "v text nocase", ["UNIQUE v 1 fails"]),
    ]) func `a plan compares texts by their new collation`(_ old: String, _ new: String, _ found: [String]) throws {
        try withFile { (url: URL) throws in
            let condition = #"check c 'v <> \'a\''"#
            let isSame = old == new
            let before = Table("s", [Self.key, old] + (isSame ? [condition] : []))
            let rows = "INSERT INTO s VALUES (1, 'A'), (2, 'a'), (3, 'b')"
            try makeHandMade(at: url, [before], rows: isSame ? "PRAGMA ignore_check_constraints = ON; \(rows)" : rows)
            let after = Table("s", [Self.key, new, condition, "unique s_v_key (v)"])
            let change = TableChange.map(from: "s", to: "s", columns: ["v": .column("v")])
            let plan = try HandMade.$old.withValue([before]) {
                try HandMade.$new.withValue([after]) {
                    try HandMade.$changes.withValue([change]) { try MigrationPlan(from: url, to: HandMade.self) }
                }
            }
            #expect(
                plan.violations.map { "\($0.constraint) \($0.rows) \($0.handling)" }
                    == found)
        }
    }

    @Test func `a plan reports the dangling foreign keys that cannot be repaired`() throws {
        try withFile { (url: URL) throws in
            let tables = [Self.s, Self.pointing("t", .deny), Self.pointing("n", .nullify)]
            try makeHandMade(at: url, tables, rows: Self.dangling)
            var options = StoreOptions()
            for (handling, expected) in [
                (.keep, ["n 1 kept", "t 2 kept"]), (.repair, ["n 1 repaired", "t 2 fails"]),
                (.refuse, ["n 1 fails", "t 2 fails"]),
            ] as [(StoreOptions.DanglingForeignKeys, [String])] {
                options.danglingForeignKeys = handling
                let plan = try HandMade.$old.withValue(tables) {
                    try HandMade.$new.withValue(tables) {
                        try MigrationPlan(from: url, to: HandMade.self, options: options)
                    }
                }
                #expect(plan.violations.map { "\($0.table) \($0.rows) \($0.handling)" } == expected)
            }
        }
    }

    @Test func `a row whose foreign key denies repair is deleted if another foreign key cascades`() throws {
        let both = Self.pointing("t", .cascade).named(nil, ["n_id integer? -> n(id) deny"])
        let content = """
            PRAGMA foreign_keys = OFF; INSERT INTO s VALUES (1, 'a'); INSERT INTO n VALUES (1, NULL);
            INSERT INTO t VALUES (1, 9, 9), (2, 1, 1)
            """
        try migrateDangling(.repair, [Self.s, both, Self.pointing("n", .nullify)], rows: content) {
            (url: URL, report) throws in
            #expect(try rows(url, "SELECT id FROM t") == [[.integer(2)]])
            #expect(report?.repairedRows == ["t": 1])
        }
    }

    @Test func `an error of a custom migration is reported even if the store differs from its version`() throws {
        do {
            try withStore(
                [Self.s], rows: "ALTER TABLE s ADD COLUMN mine TEXT",
                code: { try $0.context.execute("UPDATE nowhere SET a = 1") }, check: { _ in })
            Issue.record("it was migrated")
        } catch let error as MigrationError {
            #expect(
                error.description.contains("no such table: nowhere")
                    && error.description.contains("differs from a new store of its version in s"))
        }
    }

    @Test func `a dangling foreign key with the delete rule deny is not repaired`() throws {
        #expect(throws: MigrationError.danglingForeignKeys(["t": 2])) {
            try migrateDangling(
                .repair, [Self.s, Self.pointing("t", .deny), Self.pointing("n", .nullify)], rows: Self.dangling
            ) { _, _ in }
        }
    }

    @Test func `a migration that needs more disk space than is available is refused`() throws {
        let many =
            "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000) INSERT INTO s SELECT i, hex(randomblob(50)) FROM n"
        let wider = Self.s.named(nil, ["x real = 0.5"])
        func migrate(available: Int64, checks: Bool = true, to new: Table, _ change: TableChange) throws {
            var options = StoreOptions()
            options.checksFreeSpace = checks
            try MigrationSpace.$available.withValue(available) {
                try withStore([Self.s], new: [new], rows: many, changes: [change], options: options, check: { _ in })
            }
        }
        let rebuild = TableChange.map(from: "s", to: "s")
        do {
            try migrate(available: 100_000, to: wider, rebuild)
            Issue.record("it was not refused")
        } catch MigrationError.diskFull(let needed, let available) {
            #expect(needed > 200_000 && needed < 400_000 && available == 100_000)
        }
        try migrate(available: 100_000, checks: false, to: wider, rebuild)
        try migrate(available: 400_000, to: wider, rebuild)
        // A change that can shrink a column's values may need little disk space.
        try migrate(
            available: 100_000, to: Self.s,
            .map(from: "s", to: "s", columns: ["v": .changed(.column("v"), .cases([:], merged: true))]))
    }

    @Test func `a plan counts the constraint violations that a custom migration must fix`() throws {
        try withFile { (url: URL) throws in
            let new = [
                Table("s", [Self.key, "v text", "unique s_v_key (v)"])
            ]
            try makeHandMade(at: url, [Self.s], rows: "INSERT INTO s VALUES (1, 'a'), (2, 'a'), (3, NULL), (4, NULL)")
            let before = try Data(contentsOf: url)
            let plan = try HandMade.$old.withValue([Self.s]) {
                try HandMade.$new.withValue(new) {
                    try HandMade.$changes.withValue([.custom(from: "s", to: "s")]) {
                        try HandMade.$code.withValue({ _ in }) { try MigrationPlan(from: url, to: HandMade.self) }
                    }
                }
            }
            #expect(try Data(contentsOf: url) == before)
            #expect(
                plan.description.split(separator: "\n").filter { $0.contains("violate") } == [
                    "  2 rows of s violate NOT NULL v, unless the custom migration prevents it",
                    "  1 row of s violates UNIQUE v, unless the custom migration prevents it",
                ])
            #expect(plan.isPossible && plan.neededBytes > 0 && plan.drift.isEmpty)
        }
    }

    @Test func `newID never repeats a primary key of a table, even in later migrations`() throws {
        let u = Self.s.named("u")
        try withFile { (url: URL) throws in
            try makeHandMade(at: url, [Self.s], rows: "INSERT INTO s VALUES (7, 'a')")
            /// Opens the store with a custom migration that calls `newID`, and returns the new primary key.
            func newID<Entity: StoredEntity>(
                _ type: Entity.Type, _ old: [Table], _ new: [Table], _ changes: [TableChange], version: UInt64
            ) throws -> Int where Entity.ID: RawEntityID, Entity.ID.RawValue == Int {
                let given = Progress(totalUnitCount: 0)
                try HandMade.$first.withValue(version) {
                    try HandMade.$old.withValue(old) {
                        try HandMade.$new.withValue(new) {
                            try HandMade.$changes.withValue(changes) {
                                try HandMade.$code.withValue({ step in
                                    given.totalUnitCount = Int64(try step.context.newID(of: Entity.self).rawValue)
                                }) { _ = try Store(at: url, schema: HandMade.self) }
                            }
                        }
                    }
                }
                return Int(given.totalUnitCount)
            }
            #expect(try newID(Kept.self, [Self.s], [Self.s], [], version: 1) == 8)
            #expect(try newID(Kept.self, [Self.s], [Self.s], [], version: 2) == 9)
            #expect(try newID(Renamed.self, [Self.s], [u], [.map(from: "s", to: "u")], version: 3) == 10)
            #expect(try newID(Renamed.self, [u], [u], [], version: 4) == 11)
            #expect(
                try rows(url, "SELECT key, value FROM strata_metadata WHERE key LIKE 'last%'") == [
                    [.text("last_id u"), .integer(11)]
                ])
            #expect(try newID(Kept.self, [u], [Self.s], [.drop("u"), .create("s")], version: 5) == 1)
        }
    }
}
