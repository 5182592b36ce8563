import Foundation
import SchemaModel
import SQLSchema
import Strata
import Testing

private typealias S = ValuedRow<Int>
private typealias N = ValuedRow<String>

private enum Labels: HandMadeTable {
    static let name = "label"
    static let columns = ["id"]
}

private typealias Label = KeyRow<Labels, Int>

/// Foreign keys that reference the rows of a custom migration, and the limits of a custom migration's SQL.
@Suite struct KeyFollowingTests {
    private static let s = Table("s", ["id integer key", "v text?"])

    private static func rekeying(_ keys: [Int: Int]) -> @Sendable (CustomStep) throws -> Void {
        { step in
            try step.migrate(S.self) { (old: S, _) -> Outcome<S> in
                .keep(S(id: .init(rawValue: keys[old.id.rawValue] ?? old.id.rawValue), v: old.v))
            }
            try step.followKeys()
        }
    }

    @Test func `columns named rowid, _rowid_ and oid lose no row`() throws {
        let t = Table(
            "t",
            [
                "id integer key", "rowid integer?", "_rowid_ integer?", "oid integer?",
                "s_id integer? -> s(id) nullify",
            ])
        var options = StoreOptions()
        options.migrationProgress = { _ in }
        try withStore(
            [Self.s, t],
            rows:
                "INSERT INTO s VALUES (1, 'x'), (2, 'y'); INSERT INTO t VALUES (10, 7, 7, 7, 1), (11, 7, 7, 7, NULL), (12, NULL, 7, 7, 2)",
            code: Self.rekeying([1: 11]), options: options
        ) { (url: URL) throws in
            #expect(
                try rows(url, "SELECT id, s_id FROM t ORDER BY id") == [
                    [.integer(10), .integer(11)], [.integer(11), .null], [.integer(12), .integer(2)],
                ])
        }
        // A copy with progress reports also loses no row if the table leaves no name for its hidden row number.
        let hidden = Table("t", ["rowid integer?", "_rowid_ integer?", "oid text key"])
        let wider = hidden.named(nil, ["n real = 0.5"])
        try withStore(
            [hidden], new: [wider], rows: "INSERT INTO t VALUES (NULL, 1, 'a'), (7, 7, 'b')",
            changes: [.map(from: "t", to: "t")], code: { _ in }, options: options
        ) { (url: URL) throws in
            #expect(try rows(url, "SELECT count(*) FROM t") == [[.integer(2)]])
        }
    }

    @Test(arguments: [true, false])
    func `merging rows deduplicates a join table and fails for an entity with equal columns`(isJoinTable: Bool) throws {
        let reference = "integer -> s(id) cascade"
        let edge = Table(
            "edge",
            [
                "source_id \(reference)", "target_id \(reference)", "position integer",
                "key (source_id, target_id)",
            ], isJoinTable: isJoinTable)
        func migrate(_ check: (URL) throws -> Void) throws {
            try withStore(
                [Self.s, edge],
                rows: "INSERT INTO s VALUES (1, 'x'), (2, 'y'), (3, 'z'); INSERT INTO edge VALUES (1, 3, 7), (2, 3, 8)",
                code: { step in
                    try step.migrate(S.self) { (old: S, _) -> Outcome<S> in
                        old.id.rawValue == 2 ? .merge(into: .init(rawValue: 1)) : .keep(old)
                    }
                    try step.followKeys()
                }, check: check)
        }
        if isJoinTable {
            try migrate { (url: URL) throws in
                #expect(try rows(url, "SELECT count(*) FROM edge") == [[.integer(1)]])
            }
        } else {
            #expect(throws: SQLiteError.self) { try migrate { _ in } }
        }
    }

    /// The primary key of `s` changes from a number to a text: row 1 becomes "k1". Row 3 is dropped, and row 4 is merged into
    /// row 1.
    private static let retyping: @Sendable (CustomStep) throws -> Void = { step in
        try step.migrate(S.self) { (old: S, _) -> Outcome<N> in
            switch old.id.rawValue {
            case 3: .drop
            case 4: .merge(into: .init(rawValue: "k1"))
            default: .keep(N(id: .init(rawValue: "k\(old.id.rawValue)"), v: old.v))
            }
        }
    }

    private static let modes = [StoreOptions.MigrationMode.oneTransaction, .resumable]

    @Test(arguments: modes) func `pairs follow a key that gets another type, with positions and duplicates`(
        mode: StoreOptions.MigrationMode
    ) throws {
        func join(_ type: String) -> Table {
            Table(
                "t_s",
                [
                    "source_id integer -> t(id) cascade", "target_id \(type) -> s(id) cascade", "position integer",
                    "inverse_position integer?", "key (source_id, target_id, position)", "index t_s_idx (target_id)",
                ], isJoinTable: true)
        }
        let t = Table("t", ["id integer key"])
        var options = StoreOptions()
        options.migration = mode
        try withStore(
            [Self.s, t, join("integer")], new: [Table("s", ["id text key", "v text?"]), t, join("text")],
            rows: """
                INSERT INTO s VALUES (1, 'x'), (2, 'y'), (3, 'z'), (4, 'merged');
                INSERT INTO t VALUES (7), (8);
                INSERT INTO t_s VALUES (7, 2, 0, 5), (7, 1, 1, NULL), (7, 2, 2, 6), (7, 3, 3, 1), (8, 1, 0, 2), (8, 4, 1, 3),
                    (8, 9, 2, NULL)
                """,
            changes: [.custom(from: "s", to: "s"), .custom(from: "t_s", to: "t_s")], rowCode: Self.retyping,
            options: options
        ) { (url: URL) throws in
            let pairs = "SELECT source_id, target_id, position, inverse_position FROM t_s ORDER BY source_id, position"
            #expect(
                try rows(url, pairs) == [
                    [.integer(7), .text("k2"), .integer(0), .integer(5)],
                    [.integer(7), .text("k1"), .integer(1), .null],
                    [.integer(7), .text("k2"), .integer(2), .integer(6)],
                    [.integer(8), .text("k1"), .integer(0), .integer(2)],
                    [.integer(8), .text("k1"), .integer(1), .integer(3)],
                ])
        } opened: { store in
            // One pair of a dropped row, and one whose row never existed.
            #expect(store.migrationReport?.droppedRows == ["s": 1, "t_s": 2])
            #expect(store.migrationReport?.mergedRows == ["s": 1])
        }
    }

    @Test(arguments: modes)
    func `the new keys are known of rows with another type of key, and of rows of a merged entity`(
        mode: StoreOptions.MigrationMode
    ) throws {
        var options = StoreOptions()
        options.migration = mode
        try withStore(
            [Self.s, Table("label", ["id integer key"])], new: [Table("s", ["id text key", "v text?"])],
            rows: "INSERT INTO s VALUES (1, 'x'), (2, 'y'), (3, 'z'); INSERT INTO label VALUES (1), (2), (3)",
            changes: [.custom(from: "s", to: "s"), .drop("label")],
            rowCode: { step in
                func key(_ id: Int) throws -> N.ID? {
                    try step.context.newKey(of: N.self, for: Optional(S.ID(rawValue: id)))
                }
                func labelKey(_ id: Int) throws -> N.ID? {
                    try step.context.newKey(of: N.self, for: Optional(Label.ID(rawValue: id)))
                }
                try step.migrate(S.self) { (old: S, _) -> Outcome<N> in
                    if old.id.rawValue == 1 {
                        #expect(throws: MigrationError.notMigratedYet(table: "s", key: "ID(rawValue: 2)")) {
                            try key(2)
                        }
                    }
                    return old.id.rawValue == 3 ? .drop : .keep(N(id: .init(rawValue: "k\(old.id.rawValue)"), v: old.v))
                }
                #expect(try [key(1), key(2), key(3), key(4)].map { $0?.rawValue } == ["k1", "k2", nil, nil])
                #expect(throws: MigrationError.notMigratedYet(table: "s", key: "ID(rawValue: 1)")) { try labelKey(1) }
                try step.merge(Label.self) { (old: Label, _) -> Outcome<N> in
                    switch old.id.rawValue {
                    case 1: .keep(N(id: .init(rawValue: "label"), v: "l"))
                    case 2: .merge(into: .init(rawValue: "k2"))
                    default: .drop
                    }
                }
                let keys = try (1...4).map { try labelKey($0)?.rawValue }
                #expect(keys == ["label", "k2", nil, nil])
            }, options: options
        ) { (url: URL) throws in
            #expect(try rows(url, "SELECT count(*) FROM s") == [[.integer(3)]])
        }
    }

    @Test(arguments: modes) func `pairs follow only once if a batch ends before all rows are dropped`(
        mode: StoreOptions.MigrationMode
    ) throws {
        func join(_ type: String) -> Table {
            Table(
                "s_s",
                [
                    "source_id \(type) -> s(id) cascade", "target_id \(type) -> s(id) cascade", "position integer",
                    "key (source_id, target_id, position)",
                ], isJoinTable: true)
        }
        // A dropped label deletes a row of a table that the step does not change. In batches, its rows are copied then.
        func others(_ note: String) -> [Table] {
            let reference = "label_id integer -> label(id) cascade"
            return [
                Table("label", ["id integer key"]), Table("changed", ["id integer key", "note \(note)", reference]),
                Table("u", ["id integer key", reference]),
            ]
        }
        var options = StoreOptions()
        options.migration = mode
        try MigrationBatches.$duration.withValue(.zero) {
            try withStore(
                [Self.s, join("integer")] + others("text?"),
                new: [Table("s", ["id text key", "v text?"]), join("text")] + others("text"),
                rows: """
                    INSERT INTO s VALUES (1, 'x'), (2, 'y'); INSERT INTO s_s VALUES (1, 2, 0), (1, 2, 1);
                    INSERT INTO label VALUES (1), (2); INSERT INTO u VALUES (1, 1), (2, 2);
                    INSERT INTO changed VALUES (1, NULL, 1), (2, NULL, 2)
                    """,
                changes: ["s", "s_s", "label"].map { .custom(from: $0, to: $0) } + [
                    .map(
                        from: "changed", to: "changed",
                        columns: ["note": .coalesce(.column("note"), .literal(.text("")))])
                ],
                rowCode: { step in
                    try step.migrate(Label.self) { (old: Label, _) -> Outcome<Label> in
                        old.id.rawValue == 1 ? .drop : .keep(old)
                    }
                    try Self.retyping(step)
                }, options: options
            ) { (url: URL) throws in
                #expect(try rows(url, "SELECT count(*), sum(position) FROM s_s") == [[.integer(2), .integer(1)]])
                #expect(try rows(url, "SELECT id FROM u") == [[.integer(2)]])
            }
        }
    }

    @Test(arguments: modes) func `references that become pairs follow a key that gets another type`(
        mode: StoreOptions.MigrationMode
    ) throws {
        // The position of the entity is not that of a pair.
        let old = Table(
            "t", ["id integer key", "position integer", "inverse_position integer", "s_id integer? -> s(id) nullify"])
        let pairs = Table(
            "t_s",
            [
                "source_id integer -> t(id) cascade", "target_id text -> s(id) cascade", "position integer",
                "inverse_position integer?", "key (source_id, target_id)",
            ], isJoinTable: true)
        let columns: [String: ValueExpression] = [
            "source_id": .column("id"), "target_id": .column("s_id"), "position": .literal(.integer(0)),
        ]
        var options = StoreOptions()
        options.migration = mode
        try withStore(
            [Self.s, old],
            new: [Table("s", ["id text key", "v text?"]), Table("t", ["id integer key", "position integer"]), pairs],
            rows: """
                INSERT INTO s VALUES (1, 'x'), (3, 'z'), (4, 'merged');
                INSERT INTO t VALUES (5, 9, 8, 1), (6, 9, 8, 3), (7, 9, 8, 4), (8, 9, 8, NULL)
                """,
            changes: [
                .custom(from: "s", to: "s"), .map(from: "t", to: "t"), .custom(from: "t", to: "t_s", columns: columns),
            ], rowCode: Self.retyping, options: options
        ) { (url: URL) throws in
            #expect(
                try rows(url, "SELECT * FROM t_s ORDER BY source_id") == [
                    [.integer(5), .text("k1"), .integer(0), .null], [.integer(7), .text("k1"), .integer(0), .null],
                ])
            #expect(try rows(url, "SELECT count(*) FROM t") == [[.integer(4)]])
        } opened: { store in
            #expect(store.migrationReport?.droppedRows == ["s": 1, "t_s": 1])
        }
    }

    @Test(arguments: modes) func `both ends of a pair follow, and equal pairs of merged rows become one`(
        mode: StoreOptions.MigrationMode
    ) throws {
        func join(_ type: String) -> Table {
            let reference = "\(type) -> s(id) cascade"
            return Table(
                "s_s",
                [
                    "source_id \(reference)", "target_id \(reference)", "position integer",
                    "key (source_id, target_id)",
                ], isJoinTable: true)
        }
        var options = StoreOptions()
        options.migration = mode
        try withStore(
            [Self.s, join("integer")], new: [Table("s", ["id text key", "v text?"]), join("text")],
            rows: """
                INSERT INTO s VALUES (1, 'x'), (2, 'y'), (3, 'z'), (4, 'merged');
                INSERT INTO s_s VALUES (1, 2, 0), (4, 2, 1), (2, 4, 0), (2, 3, 1), (2, 2, 2)
                """,
            changes: [.custom(from: "s", to: "s"), .custom(from: "s_s", to: "s_s")], rowCode: Self.retyping,
            options: options
        ) { (url: URL) throws in
            #expect(
                try rows(url, "SELECT source_id, target_id, position FROM s_s ORDER BY source_id, position") == [
                    [.text("k1"), .text("k2"), .integer(0)], [.text("k2"), .text("k1"), .integer(0)],
                    [.text("k2"), .text("k2"), .integer(2)],
                ])
        }
    }

    @Test(arguments: modes) func `references that are spelled differently follow a key with a stricter collation`(
        mode: StoreOptions.MigrationMode
    ) throws {
        func tables(_ collation: String) -> [Table] {
            [
                Table("s", ["id text\(collation) key", "v text?"]),
                Table("t", ["id integer key", "s_id text?\(collation) -> s(id) nullify"]),
            ]
        }
        var options = StoreOptions()
        options.migration = mode
        try withStore(
            tables(" rtrim"), new: tables(""),
            rows:
                "INSERT INTO s VALUES ('a', 'x'), ('b ', 'y'); INSERT INTO t VALUES (1, 'a  '), (2, 'b'), (3, 'a'), (4, NULL)",
            rowCode: { step in try step.migrate(N.self) { (old: N, _) -> Outcome<N> in .keep(old) } },
            options: options
        ) { (url: URL) throws in
            #expect(
                try rows(url, "SELECT s_id FROM t ORDER BY id") == [[.text("a")], [.text("b ")], [.text("a")], [.null]])
        }
    }

    @Test func `a cycle of merged rows is refused, whatever its length`() throws {
        #expect(throws: MigrationError.mergedIntoNothing(table: "s", rows: 20_000)) {
            try withStore(
                [Self.s],
                rows: """
                    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
                    INSERT INTO s SELECT i, 'x' FROM n
                    """,
                code: { step in
                    try step.migrate(S.self) { (old: S, _) -> Outcome<S> in
                        .merge(into: .init(rawValue: old.id.rawValue % 20_000 + 1))
                    }
                    try step.followKeys()
                }
            ) { _ in }
        }
    }

    @Test func `a cascade deletes a tree of any depth`() throws {
        let t = Table(
            "t",
            [
                "id integer key", "s_id integer? -> s(id) cascade",
                "parent_id integer? -> t(id) cascade", "index t_parent_id_idx (parent_id)",
            ])
        try withStore(
            [Self.s, t],
            rows: """
                INSERT INTO s VALUES (1, 'x'), (2, 'y'); INSERT INTO t VALUES (1, 1, NULL), (-1, 2, NULL), (-2, NULL, -1);
                WITH RECURSIVE n (i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
                INSERT INTO t SELECT i, NULL, i - 1 FROM n
                """,
            code: { step in
                try step.migrate(S.self) { (old: S, _) -> Outcome<S> in old.id.rawValue == 1 ? .drop : .keep(old) }
                try step.followKeys()
            },
            check: { (url: URL) throws in
                #expect(try rows(url, "SELECT id FROM t ORDER BY id") == [[.integer(-2)], [.integer(-1)]])
            })
    }

    /// The order of columns and of tables means nothing.
    @Test(arguments: [
        ["a integer -> s(id) deny", "b integer? -> s(id) cascade"],
        ["a integer? -> s(id) cascade", "b integer -> s(id) deny"],
        ["a integer? -> u(id) cascade", "b integer -> s(id) deny"],
        ["a integer -> s(id) deny", "b integer? -> u(id) cascade"],
        ["a integer -> s(id) no_action", "b integer? -> u(id) cascade"],
    ])
    func `a row that a cascade deletes does not keep others from being dropped`(columns: [String]) throws {
        let tables = [
            Self.s, Table("t", ["id integer key"] + columns),
            Table("u", ["id integer key", "s_id integer -> s(id) cascade"]),
        ]
        for isReversed in [false, true] {
            try withStore(
                isReversed ? tables.reversed() : tables,
                rows: """
                    INSERT INTO s VALUES (1, 'x'), (2, 'y'), (3, 'z'); INSERT INTO u VALUES (1, 1), (2, 2), (3, 3);
                    INSERT INTO t VALUES (1, 1, 1), (2, 1, 2), (3, 3, 3)
                    """,
                code: { step in
                    try step.migrate(S.self) { (old: S, _) -> Outcome<S> in
                        old.id.rawValue < 3 ? .drop : .keep(old)
                    }
                    try step.followKeys()
                },
                check: { (url: URL) throws in
                    #expect(try rows(url, "SELECT id FROM t") == [[.integer(3)]])
                    #expect(try rows(url, "SELECT id FROM u") == [[.integer(3)]])
                })
        }
    }

    @Test(arguments: ["deny", "no_action"])
    func `a row that stays keeps others from being dropped, also others that a cascade deletes`(rule: String) throws {
        let tables = [
            Self.s, Table("t", ["id integer key", "u_id integer -> u(id) \(rule)"]),
            Table("u", ["id integer key", "s_id integer -> s(id) cascade"]),
        ]
        let error = #expect(throws: MigrationError.self) {
            try withStore(
                tables,
                rows: "INSERT INTO s VALUES (1, 'x'); INSERT INTO u VALUES (1, 1); INSERT INTO t VALUES (1, 1)",
                code: { step in
                    try step.migrate(S.self) { (_: S, _) -> Outcome<S> in .drop }
                    try step.followKeys()
                },
                check: { _ in })
        }
        #expect(error == .droppedRowsReferenced(table: "t", target: "u", rows: 1))
    }

    @Test func `a cascade deletes a tree in which some rows have new primary keys`() throws {
        try withStore(
            [Self.tree],
            rows: """
                PRAGMA foreign_keys = OFF; INSERT INTO s VALUES ('0', '0'), ('a', 'a'), ('b', 'a');
                WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
                INSERT INTO s SELECT i, i - 1 FROM n
                """,
            changes: [.custom(from: "s", to: "s", references: ["v": "v"])],
            code: { step in
                try step.migrate(N.self) { (old: N, _) -> Outcome<N> in
                    guard let number = Int(old.id.rawValue) else {
                        // A kept row gets a primary key that a row of the tree had.
                        return .keep(N(id: .init(rawValue: old.id.rawValue == "a" ? "3" : "b"), v: old.v))
                    }
                    if number == 0 { return .drop }
                    return .keep(N(id: .init(rawValue: number % 3 == 0 ? "r\(number)" : old.id.rawValue), v: old.v))
                }
                try step.followKeys()
            },
            check: { (url: URL) throws in
                #expect(
                    try rows(url, "SELECT id, v FROM s ORDER BY id") == [
                        [.text("3"), .text("3")], [.text("b"), .text("3")],
                    ])
            })
    }

    private static let tree = Table(
        "s",
        ["id text key", "v text -> s(id) cascade", "index s_v_idx (v)"])

    @Test func `a cascade ignores a dangling foreign key that equals a new primary key`() throws {
        var options = StoreOptions()
        options.danglingForeignKeys = .keep
        try withStore(
            [Self.tree],
            rows: "PRAGMA foreign_keys = OFF; INSERT INTO s VALUES ('0', '0'), ('4', '0'), ('7', '5')",
            changes: [.custom(from: "s", to: "s", references: ["v": "v"])],
            code: { step in
                try step.migrate(N.self) { (old: N, _) -> Outcome<N> in
                    if old.id.rawValue == "0" { return .drop }
                    return .keep(N(id: .init(rawValue: old.id.rawValue == "4" ? "5" : "7"), v: old.v))
                }
                try step.followKeys()
            }, options: options,
            check: { (url: URL) throws in
                #expect(try rows(url, "SELECT id, v FROM s") == [[.text("7"), .text("5")]])
            })
    }

    @Test func `foreign keys to a dropped row follow their delete rule even if a row was merged into it`() throws {
        let t = Table(
            "t", ["id integer key", "s_id text? -> s(id) nullify"])
        try withStore(
            [Self.tree, t],
            rows: """
                INSERT INTO s VALUES ('0', '0'), ('d', '0'), ('x', 'x'), ('k', 'k');
                INSERT INTO t VALUES (1, 'd'), (2, 'x'), (3, 'k')
                """,
            changes: [.custom(from: "s", to: "s", references: ["v": "v"])],
            code: { step in
                try step.migrate(N.self) { (old: N, _) -> Outcome<N> in
                    switch old.id.rawValue {
                    case "0": .drop
                    case "x": .merge(into: .init(rawValue: "d"))
                    default: .keep(old)
                    }
                }
                try step.followKeys()
            },
            check: { (url: URL) throws in
                #expect(try rows(url, "SELECT id FROM s") == [[.text("k")]])
                #expect(
                    try rows(url, "SELECT id, s_id FROM t") == [
                        [.integer(1), .null], [.integer(2), .null], [.integer(3), .text("k")],
                    ])
            })
    }

    @Test func `foreign keys follow a merge target whose primary key changes afterwards`() throws {
        let s = Table(
            "s",
            [
                "id integer key -> book(id) no_action", "v text?",
            ])
        let t = Table(
            "t", ["id integer key", "s_id integer? -> s(id) nullify"])
        try withStore(
            [Table("book", ["id integer key"]), s, t],
            rows: """
                INSERT INTO book VALUES (1), (2); INSERT INTO s VALUES (1, 'x'), (2, 'y');
                INSERT INTO t VALUES (1, 1), (2, 2)
                """,
            changes: [
                .custom(from: "book", to: "book"), .custom(from: "s", to: "s", references: ["id": "id"]),
            ],
            code: { step in
                try step.migrate(Book.self) { (old: Book, _) -> Outcome<Book> in
                    .keep(Book(id: .init(rawValue: old.id.rawValue + 100)))
                }
                try step.migrate(S.self) { (old: S, _) -> Outcome<S> in
                    old.v == "y" ? .merge(into: .init(rawValue: 1)) : .keep(old)
                }
                try step.followKeys()
            },
            check: { (url: URL) throws in
                #expect(try rows(url, "SELECT id FROM s") == [[.integer(101)]])
                #expect(try rows(url, "SELECT s_id FROM t") == [[.integer(101)], [.integer(101)]])
            })
    }

    @Test func `a composite primary key that collides after a merge fails instead of losing a row`() throws {
        let item = Table(
            "item",
            [
                "s_id integer -> s(id) cascade",
                "place integer", "note text?", "key (s_id, place)",
            ])
        let merging: @Sendable (CustomStep) throws -> Void = { step in
            try step.migrate(S.self) { (old: S, _) -> Outcome<S> in
                old.id.rawValue == 1 ? .keep(old) : .merge(into: .init(rawValue: 1))
            }
            try step.followKeys()
        }
        let content = "INSERT INTO s VALUES (1, 'x'), (2, 'y');"
        try withStore(
            [Self.s, item], rows: content + "INSERT INTO item VALUES (1, 1, 'mine'), (2, 2, 'ok')", code: merging
        ) { (url: URL) throws in
            #expect(try rows(url, "SELECT note FROM item WHERE s_id = 1") == [[.text("mine")], [.text("ok")]])
        }
        #expect(throws: SQLiteError.self) {
            try withStore(
                [Self.s, item], rows: content + "INSERT INTO item VALUES (1, 1, 'mine'), (2, 1, 'precious')",
                code: merging
            ) { _ in }
        }
    }

    @Test func `a join table with duplicates keeps every entry of merged rows`() throws {
        let join = Table(
            "lists",
            [
                "source_id integer -> s(id) cascade", "target_id integer -> t(id) cascade", "position integer",
                "key (source_id, target_id, position)",
            ], isJoinTable: true)
        let content = """
            INSERT INTO s VALUES (1, 'x'), (2, 'y'), (3, 'z'); INSERT INTO t VALUES (7), (8);
            INSERT INTO lists VALUES (1, 7, 0), (1, 8, 1), (2, 7, 0), (2, 7, 1), (3, 7, 0), (3, 8, 1)
            """
        try withStore(
            [Self.s, Table("t", ["id integer key"]), join], rows: content,
            code: { step in
                try step.migrate(S.self) { (old: S, _) -> Outcome<S> in
                    old.id.rawValue == 1 ? .keep(old) : .merge(into: .init(rawValue: 1))
                }
                try step.followKeys()
            },
            check: { (url: URL) throws in
                #expect(
                    try rows(url, "SELECT target_id, count(*) FROM lists WHERE source_id = 1 GROUP BY 1") == [
                        [.integer(7), .integer(4)], [.integer(8), .integer(2)],
                    ])
            })
    }

    @Test func `foreign keys to a case-insensitive primary key are followed case-insensitively`() throws {
        let s = Table("s", ["id text nocase key", "v text?"])
        let t = Table(
            "t",
            [
                "id integer key",
                "s_id text? -> s(id) nullify",
            ])
        try withStore(
            [s, t],
            rows: "INSERT INTO s VALUES ('abc', 'x'), ('def', 'y'); INSERT INTO t VALUES (1, 'ABC'), (2, 'def')",
            code: { step in
                try step.migrate(N.self) { (old: N, _) -> Outcome<N> in
                    old.v == "x"
                        ? .keep(N(id: .init(rawValue: "def"), v: "x")) : .keep(N(id: .init(rawValue: "abc"), v: "y"))
                }
                try step.followKeys()
            }
        ) { (url: URL) throws in
            #expect(
                try rows(url, "SELECT s.v FROM t JOIN s ON s.id = t.s_id ORDER BY t.id") == [
                    [.text("x")], [.text("y")],
                ])
        }
    }

    @Test func `new rows cannot be changed before foreign keys follow the new primary keys`() throws {
        #expect(throws: MigrationError.changedBeforeKeys) {
            try withStore(
                [Self.s], rows: "INSERT INTO s VALUES (1, 'x'), (2, 'y')",
                code: { step in
                    try step.migrate(S.self) { (old: S, _) -> Outcome<S> in
                        try step.context.execute("UPDATE \(step.context.tableName(of: S.self)) SET v = 'z'")
                        return .keep(S(id: .init(rawValue: 3 - old.id.rawValue), v: old.v))
                    }
                    try step.followKeys()
                }
            ) { _ in }
        }
    }

    @Test func `a custom migration writes nothing after SQLite has rolled its transaction back`() throws {
        #expect(throws: MigrationError.rolledBack) {
            try withStore(
                [Self.s, Table("t", ["id integer key", "a text?"])],
                rows: "INSERT INTO s VALUES (1, 'x'); INSERT INTO t VALUES (1, 'old')",
                code: { step in
                    try? step.context.execute("INSERT OR ROLLBACK INTO t VALUES (1, 'again')")
                    try step.context.execute("UPDATE t SET a = 'new'")
                }
            ) { _ in }
        }
    }

    @Test(arguments: [
        "COMMIT", "ROLLBACK", "SAVEPOINT a", "ATTACH DATABASE ':memory:' AS other", "PRAGMA foreign_keys = OFF",
        "UPDATE t SET a = 'half'; COMMIT; UPDATE t SET a = 'whole'",
    ])
    func `SQL of a custom migration neither ends its transaction nor changes its connection`(sql: String) throws {
        let reason = "it sets a pragma, attaches a database, or begins or ends a transaction"
        try withStore(
            [Self.s, Table("t", ["id integer key", "a text?"])],
            rows: "INSERT INTO s VALUES (1, 'x'); INSERT INTO t VALUES (1, 'old')",
            code: { step in
                #expect(throws: QueryError.refused(reason: reason, sql: sql)) { try step.context.execute(sql) }
                try step.context.execute("UPDATE t SET a = ? WHERE id = ?", ["it's new", 1])
                #expect(throws: QueryError.self) { try step.context.execute("UPDATE t SET a = ?", [1, 2]) }
            }
        ) { (url: URL) throws in
            #expect(try rows(url, "SELECT a FROM t") == [[.text("it's new")]])
        }
    }

    @Test func `SQL that changes an old table is refused`() throws {
        let sql = "UPDATE s SET v = NULL WHERE v = ?"
        try withStore(
            [Self.s], rows: "INSERT INTO s VALUES (1, 'x')",
            code: { step in
                try step.migrate(S.self) { (old: S, _) -> Outcome<S> in .keep(old) }
                let error = #expect(throws: QueryError.self) { try step.context.execute(sql, ["x"]) }
                #expect(error?.description.contains("it changes the old table s") == true)
                try step.context.execute("UPDATE \(step.context.tableName(of: S.self)) SET v = ?", ["y"])
            }
        ) { (url: URL) throws in
            #expect(try rows(url, "SELECT v FROM s") == [[.text("y")]])
        }
    }

    @Test func `newID fills gaps below the greatest integer and skips the old keys of a renamed table`() throws {
        let book = Self.s.named("book")
        try withStore(
            [Self.s], new: [book], rows: "INSERT INTO s VALUES (1, 'x'), (9223372036854775806, 'y')",
            changes: [.custom(from: "s", to: "book")],
            code: { step in
                let ids = try (0..<4).map { _ in try step.context.newID(of: Book.self).rawValue }
                #expect(ids == [.max, 2, 3, 4])
                try step.migrate(S.self) { (old: S, _) -> Outcome<Book> in
                    .keep(Book(id: .init(rawValue: old.id.rawValue)))
                }
            }
        ) { (url: URL) throws in
            #expect(try rows(url, "SELECT count(*) FROM book") == [[.integer(2)]])
        }
    }

    private enum Books: HandMadeTable {
        static let name = "book"
        static let columns = ["id"]
    }
    private typealias Book = KeyRow<Books, Int>

    @Test func `new dangling foreign keys are refused even if as many old ones were removed`() throws {
        let rule = "nullify"
        let t = Table("t", ["id integer key", "s_id integer? -> s(id) \(rule)"])
        let u = t.named("u")
        #expect(throws: MigrationError.danglingForeignKeys(["t": 1])) {
            try withStore(
                [Self.s, t, u], new: [Self.s, t],
                rows:
                    "PRAGMA foreign_keys = OFF; INSERT INTO s VALUES (1, 'x'), (2, 'y'); INSERT INTO t VALUES (11, 2); INSERT INTO u VALUES (1, 99)",
                changes: [.custom(from: "s", to: "s"), .drop("u")],
                code: { step in
                    try step.migrate(S.self) { (old: S, _) -> Outcome<S> in .keep(old) }
                    try step.followKeys()
                    try step.context.execute("DELETE FROM \(step.context.tableName(of: S.self)) WHERE id = 2")
                }
            ) { _ in }
        }
    }

    @Test func `an existing dangling foreign key does not excuse the same value in another row`() throws {
        let rule = "nullify"
        let t = Table("t", ["id integer key", "s_id integer? -> s(id) \(rule)"])
        let u = t.named("u")
        let rows =
            "PRAGMA foreign_keys = OFF; INSERT INTO s VALUES (1, 'x'); INSERT INTO t VALUES (11, 5); INSERT INTO u VALUES (21, 1)"
        func migrate(_ sql: String) throws {
            try withStore(
                [Self.s, t, u], rows: rows, changes: [.custom(from: "s", to: "s")],
                code: { step in
                    try step.migrate(S.self) { (old: S, _) -> Outcome<S> in .keep(old) }
                    try step.followKeys()
                    try step.context.execute(sql)
                }
            ) { _ in }
        }
        #expect(throws: MigrationError.danglingForeignKeys(["u": 1])) { try migrate("UPDATE u SET s_id = 5") }
        #expect(throws: MigrationError.danglingForeignKeys(["t": 1])) { try migrate("INSERT INTO t VALUES (12, 5)") }
        // A row that is moved to another table keeps its dangling foreign key.
        try migrate("INSERT INTO u SELECT * FROM t; DELETE FROM t")
        #expect(throws: MigrationError.danglingForeignKeys(["u": 1])) {
            try migrate("INSERT INTO u SELECT * FROM t; INSERT INTO u SELECT id + 1, s_id FROM t; DELETE FROM t")
        }
    }

    @Test func `a renamed table and another table that takes its old name are kept apart`() throws {
        let files = [
            #"""
            { "name": "w", "identifier": { "type": "int" }, "version_history": [{ "version": "1" }, { "version": "2", "previous_name": "v" }],
              "properties": [{ "name": "a", "property_type": "int" }] }
            """#,
            #"""
            { "name": "v", "identifier": { "type": "int" }, "version_history": [{ "version": "1" }, { "version": "3", "previous_name": "u" }],
              "properties": [{ "name": "up", "nullable": true, "property_type": { "entity_name": "v", "association": "to_one" } }] }
            """#,
            #"""
            { "name": "t", "identifier": { "type": "int" }, "version_history": [{ "version": "1" }],
              "properties": [{ "name": "u", "nullable": true, "property_type": { "entity_name": "v", "association": "to_one" } },
                { "name": "b", "property_type": "string", "version_history": [{ "version": "1" }, { "version": "2", "previous": { "property_type": "int" } }] }] }
            """#,
        ]
        let schema = SchemaDefinition(try history(files))
        for strategy in [StoreOptions.MigrationStrategy.fused, .stepwise] {
            try withFile { (url: URL) throws in
                try makeStore(
                    at: url, schema,
                    rows:
                        "INSERT INTO v VALUES (1, 5); INSERT INTO u VALUES (2, 2); INSERT INTO t VALUES (10, 2, 6)")
                var options = StoreOptions()
                options.migrationStrategy = strategy
                _ = try Store(at: url, definition: schema, options: options)
                #expect(
                    try rows(url, "SELECT t.b, v.up_id, w.a FROM t JOIN v ON v.id = t.u_id, w") == [
                        [.text("6"), .integer(2), .integer(5)]
                    ])
            }
        }
    }
}
