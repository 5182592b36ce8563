import Foundation
import SQLSchema
import Strata
import Testing

/// Tables and columns with names that mean something else in SQL: `excluded`, `new`, `rowid`, `true`.
@Suite struct HostileNameTests {
    /// A row of a table with any name.
    private struct Hostile: StoredEntity, SearchableEntity, Equatable {
        @TaskLocal static var name = ""
        struct ID: RawEntityID, ExpressibleByIntegerLiteral { var rawValue: Int }
        typealias Columns = PropertyColumns<Hostile>
        enum SearchedProperty: String, CaseIterable { case new, old, excluded }
        static var table: EntityTable {
            EntityTable(
                Self.self, name, key: ["id"],
                columns: [
                    "id": \.id, "true": \.isTrue, "false": \.isFalse, "rowid": \.rowid, "oid": \.oid, "rank": \.rank,
                    "new": \.new, "old": \.old, "excluded": \.excluded, "parent_id": \.parent,
                    "key": \.key, "value": \.value,
                ])
        }
        var id: ID
        var isTrue = false
        var isFalse = true
        var rowid = 7
        var oid: String? = "o"
        var rank = 1
        var new = "n"
        var old = "o"
        var excluded = "e"
        var parent: Int?
        var key = ["a"]
        var value: [String]? = ["b"]

        init(_ id: Int, _ new: String, parent: Int? = nil) {
            (self.id, self.new, self.parent) = (ID(rawValue: id), new, parent)
        }

        static func id(of entity: Self) -> ID { entity.id }

        init(row: Row) throws {
            id = try row.id(0)
            (isTrue, isFalse) = (try row.bool(1), try row.bool(2))
            (rowid, oid, rank) = (try row.int(3), try row.optionalString(4), try row.int(5))
            (new, old, excluded) = (try row.string(6), try row.string(7), try row.string(8))
            parent = try row.optionalInt(9)
            (key, value) = (try row.value(10), try row.optionalValue(11))
        }

        func bind(to statement: Statement) throws {
            try statement.bind(id, at: 1)
            try statement.bind(isTrue, at: 2)
            try statement.bind(isFalse, at: 3)
            try statement.bind(rowid, at: 4)
            try statement.bind(oid, at: 5)
            try statement.bind(rank, at: 6)
            try statement.bind(new, at: 7)
            try statement.bind(old, at: 8)
            try statement.bind(excluded, at: 9)
            try statement.bind(parent, at: 10)
            try statement.bind(key, at: 11)
            try statement.bind(value, at: 12)
        }
    }

    private static func table(_ name: String) -> Table {
        Table(
            name,
            [
                "id integer key", "\"true\" integer", "\"false\" integer", "\"rowid\" integer", "\"oid\" text?",
                "\"rank\" integer", "\"new\" text", "\"old\" text", "\"excluded\" text",
                "parent_id integer? -> \"\(name)\"(id) cascade", "\"key\" text",
                "\"value\" text?", "index \"\(name)_parent\" (parent_id)",
                "search (\"new\", \"old\", \"excluded\") unicode61",
            ])
    }

    /// The names of tables that mean something in statements of Strata or of SQLite.
    private static let names = [
        "excluded", "new", "old", "d", "k", "t", "o", "m", "n", "e", "s", "f", "own", "added", "target", "rank", "true",
        "key",
        "value", "rowid", "main", "temp", "source", "original", "t0", "t1", "strata",
    ]

    /// A table without a custom migration, whose rows are deleted with those of the first one.
    private static func child(of name: String) -> Table {
        Table(
            "child",
            [
                "id integer key", "\"true\" integer?", "\"false\" integer?", "host integer? -> \"\(name)\"(id) cascade",
                "parent integer? -> child(id) cascade", "index child_host (host)", "index child_parent (parent)",
            ])
    }

    private static let cases =
        names.map { ($0, false) } + ["d", "excluded", "key", "own", "t", "true"].map { ($0, true) }

    @Test(arguments: cases)
    func `rows are written, found, searched and migrated`(name: String, isInBatches: Bool) throws {
        let tables = [Self.table(name), Self.child(of: name)]
        let statements = Locked<[String]>([])
        var options = StoreOptions()
        options.migration = isInBatches ? .resumable : .oneTransaction
        options.trace = { trace in statements.withLock { $0.append(trace.sql) } }
        // A repair is not part of a migration in batches.
        options.danglingForeignKeys = isInBatches ? .keep : .repair
        let code: @Sendable (CustomStep) throws -> Void = { step in
            try step.migrate(Hostile.self) { (old: Hostile, _) -> Outcome<Hostile> in
                var new = old
                if old.id == 4 { new.id = 40 }
                return old.id == 2 ? .drop : .keep(new)
            }
            try step.followKeys()
        }
        let changes = [TableChange.custom(from: name, to: name, references: ["parent_id": "parent_id"])]
        try withFile { (url: URL) throws in
            try makeHandMade(at: url, tables, rows: "")
            try Hostile.$name.withValue(name) { () throws in
                try HandMade.$old.withValue(tables) { () throws in
                    let store = try Store(at: url, schema: OldHandMade.self, options: options)
                    try store.write { (transaction: WriteTransaction) throws in try write(transaction) }
                    try store.close()
                }
                let connection = try Connection(path: url.path, mode: .readWrite)
                try connection.execute(
                    """
                    INSERT INTO child (id, "true", "false", host, parent)
                    VALUES (1, 0, 1, 2, NULL), (2, 0, 1, NULL, 1), (3, 0, 1, 4, NULL)
                    """)
                if !isInBatches {
                    try connection.execute(
                        """
                        PRAGMA foreign_keys = OFF;
                        INSERT INTO \(SQL.quoted(name)) SELECT 8, "true", "false", "rowid", "oid", "rank", "new", "old", "excluded",
                        99, "key", "value" FROM \(SQL.quoted(name)) WHERE id = 1;
                        INSERT INTO child (id, host) VALUES (8, 98)
                        """)
                }
                try HandMade.$old.withValue(tables) {
                    try HandMade.$new.withValue(tables) {
                        try HandMade.$changes.withValue(changes) {
                            try HandMade.$code.withValue(code) {
                                try MigrationBatches.$duration.withValue(.zero) {
                                    try check(try Store(at: url, schema: HandMade.self, options: options))
                                }
                            }
                        }
                    }
                }
            }
            let connection = try Connection(path: url.path, mode: .readWrite)
            try connection.execute(#require(SearchIndex(of: tables[0])).check)
            #expect(try connection.texts("SELECT id || ' ' || host FROM child") == ["3 40"])
        }
        let words = statements.withLock { $0 }.map { $0.replacing(/"[^"]*"|'[^']*'/, with: "") }
        #expect(words.filter { $0.contains(/(?i)\b(true|false)\b/) } == [])
    }

    private func check(_ store: Store) throws {
        // Row 2 cascades to its child, and the child of row 4 follows it.
        let rows = try store.read { try $0.fetch(Hostile.all.orderBy { $0.id.ascending }) }
        #expect(rows.map(\.id.rawValue) == [1, 5, 40])
        #expect(rows.map(\.parent) == [nil, 40, nil])
        #expect(try store.read { try $0.count(Hostile.all.matching("five")) } == 1)
    }

    private func write(_ transaction: WriteTransaction) throws {
        try transaction.insert(Hostile(1, "one"))
        try transaction.insert(contentsOf: [Hostile(2, "two"), Hostile(3, "three", parent: 2), Hostile(4, "four")])
        try transaction.upsert(Hostile(1, "first"))
        try transaction.upsert(contentsOf: [Hostile(4, "fourth"), Hostile(5, "five", parent: 4)])
        #expect(try transaction.insertOrIgnore(Hostile(5, "other")) == false)
        let rows = try transaction.fetch(Hostile.all.orderBy { $0.id.ascending })
        #expect(rows.map(\.new) == ["first", "two", "three", "fourth", "five"])
        #expect(
            try transaction.count(Hostile.all.where { !$0.isTrue && $0.isFalse && $0.rowid == 7 && $0.rank == 1 }) == 5)
        #expect(try transaction.count(Hostile.all.where { $0.isTrue || !$0.isFalse }) == 0)
        #expect(try transaction.fetch(Hostile.all.matching("fourth OR first")).map(\.id.rawValue).sorted() == [])
        #expect(try transaction.fetch(Hostile.all.matching("f*")).map(\.id.rawValue).sorted() == [1, 4, 5])
        #expect(try transaction.fetch(Hostile.all.matching("one")).isEmpty)
        #expect(try transaction.count(Hostile.all.where { $0.key.contains("a") && $0.value.contains("b") }) == 5)
        #expect(
            try transaction.count(Hostile.all.where { $0.key.contains("b") || $0.value.contains { $0 == "a" } }) == 0)
        #expect(try transaction.update(Hostile.all.where { $0.value.contains("x") }) { [$0.rank.set(to: 2)] } == 0)
        var row = Hostile(3, "third", parent: 2)
        row.isTrue = true
        try transaction.update(row)
        #expect(try transaction.fetch(Hostile.all.where { $0.isTrue }) == [row])
        #expect(try transaction.delete(Hostile.all.where { $0.isTrue && !$0.isFalse }) == 0)
        #expect(try transaction.find(Hostile.self, id: 3) == row)
        try transaction.insert(Hostile(6, "six"))
        try transaction.delete(Hostile.all.where { $0.new == "six" })
    }
}
