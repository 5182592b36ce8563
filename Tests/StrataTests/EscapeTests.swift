import Foundation
import SQLSchema
import Strata
import Testing

/// Cursors, transactions and rows that leave their closures.
@Suite struct EscapeTests {
    private static let journals = [StoreOptions.Journal.delete, .wal]

    /// What has left a closure.
    private struct Escaped {
        var cursors: [Cursor<Thing>] = []
        var transactions: [ReadTransaction] = []
        var rows: [QueryRow] = []
    }

    /// What has left closures. A lock guards it.
    private final class Left: @unchecked Sendable {
        private let lock = NSLock()
        private var objects: [AnyObject] = []

        func add(_ new: [AnyObject]) { lock.withLock { objects += new } }

        /// Releases one object.
        func release() {
            if lock.withLock({ objects.popLast() }) == nil { Thread.sleep(forTimeInterval: 0.0001) }
        }
    }

    private func withThings(
        _ journal: StoreOptions.Journal = .wal, readers: Int = 5, _ body: (Store) throws -> Void
    ) throws {
        try withFile { (url: URL) throws in
            var options = StoreOptions()
            options.journal = journal
            options.maximumReaders = readers
            let store = try Store(at: url, schema: Things.self, options: options)
            try store.write { try $0.insert(contentsOf: (1...50).map(Thing.init)) }
            try body(store)
        }
    }

    /// Takes out of a transaction what can be taken out, in the middle of its use.
    private func use(_ transaction: ReadTransaction, _ number: Int) throws -> Escaped {
        var escaped = Escaped()
        let cursor = try transaction.cursor(Thing.self)
        #expect(try cursor.next()?.id == 1)
        escaped.cursors = [cursor]
        for _ in 0..<40 { escaped.cursors.append(try transaction.cursor(Thing.self)) }
        for _ in 0..<40 { #expect(try transaction.cursor(Thing.self).next()?.id == 1) }
        // The transaction remembers the statement of the last row that it found.
        #expect(try transaction.find(Thing.self, id: ThingID(number % 50 + 1)) != nil)
        escaped.transactions = [transaction]
        _ = try transaction.rows("SELECT \(number) AS n, * FROM thing LIMIT 2") { escaped.rows.append($0) }
        return escaped
    }

    @Test(arguments: journals) func `what has left its closure throws`(journal: StoreOptions.Journal) throws {
        try withThings(journal) { (store: Store) throws in
            for isWrite in [false, true] {
                let escaped = try isWrite ? store.write { try use($0, 3) } : store.read { try use($0, 3) }
                for cursor in escaped.cursors {
                    #expect(throws: StoreError.transactionEnded) { try cursor.next() }
                }
                for row in escaped.rows {
                    #expect(row.names.count == 12)
                    #expect(throws: StoreError.transactionEnded) { try row.values() }
                    #expect(throws: StoreError.transactionEnded) { try row.value("n", as: Int.self) }
                    #expect(throws: StoreError.transactionEnded) { try row.entity(Thing.self) }
                }
                for transaction in escaped.transactions {
                    #expect(throws: StoreError.transactionEnded) { try transaction.find(Thing.self, id: 1) }
                    #expect(throws: StoreError.transactionEnded) { try transaction.fetch(Thing.self) }
                    #expect(throws: StoreError.transactionEnded) { try transaction.rows("SELECT 1") { _ in } }
                }
            }
            try store.write { try $0.execute("DROP TABLE place") }
        }
    }

    @Test func `a row of own SQL is not read outside of its closure`() throws {
        try withThings { (store: Store) throws in
            try store.read { transaction in
                let sql = "SELECT id, text FROM thing WHERE id < ?"
                let rows = try transaction.rows(sql, [3]) { $0 }
                let error = #expect(throws: QueryError.self) { try rows[0].value("id", as: Int?.self) }
                #expect(error == .rowEnded(sql: sql))
                // The same statement runs again.
                let again = try transaction.rows(sql, [4]) { row in
                    #expect(throws: QueryError.self) { try rows[0].values() }
                    return try row.value("id", as: Int.self)
                }
                #expect(again == [1, 2, 3])
            }
        }
    }

    /// `STRATA_STRESS` in the environment is the duration in seconds; the default is 1.
    @Test(arguments: journals) func `what has left its closure is released while others use the connection`(
        journal: StoreOptions.Journal
    ) throws {
        let seconds = ProcessInfo.processInfo.environment["STRATA_STRESS"].flatMap(Double.init) ?? 1
        try withThings(journal, readers: 1) { (store: Store) throws in
            let end = Date().addingTimeInterval(seconds)
            let failures = Locked<[String]>([])
            let left = Left()
            // The threads of a queue would not run at the same time.
            let isDone = DispatchGroup()
            for thread in 0..<4 {
                isDone.enter()
                Thread.detachNewThread {
                    defer { isDone.leave() }
                    // Two threads use the store, and two release what has left its closures.
                    while thread > 1, Date() < end { left.release() }
                    var number = thread
                    do {
                        while Date() < end {
                            number += 4
                            left.add(
                                try number % 7 == 0
                                    ? store.write { try use($0, number).cursors }
                                    : store.read { try use($0, number).cursors })
                        }
                    } catch {
                        failures.withLock { $0.append("\(error)") }
                    }
                }
            }
            isDone.wait()
            #expect(failures.withLock { $0 } == [])
            #expect(try store.read { try $0.count(Thing.self) } == 50)
        }
    }

    @Test(arguments: journals) func `what has left its closure does not keep a closed store open`(
        journal: StoreOptions.Journal
    ) throws {
        try withFile { (url: URL) throws in
            var options = StoreOptions()
            options.journal = journal
            let store = try Store(at: url, schema: Things.self, options: options)
            try store.write { try $0.insert(contentsOf: (1...50).map { Thing(id: $0) }) }
            let escaped = [try store.read { try use($0, 1) }, try store.write { try use($0, 2) }]
            try store.close()
            try store.close()
            #expect(!FileManager.default.fileExists(atPath: url.path + "-wal"))
            let other = try Connection(path: url.path, mode: .readWrite)
            #expect(try other.text("PRAGMA journal_mode = DELETE") == "delete")
            for cursor in escaped.flatMap(\.cursors) {
                #expect(throws: StoreError.transactionEnded) { try cursor.next() }
            }
        }
    }

    @Test func `a cursor that outlives its store is released without it`() throws {
        var escaped: [Escaped] = []
        try withThings { (store: Store) throws in
            escaped.append(try store.read { try use($0, 1) })
            escaped.append(try store.write { try use($0, 2) })
            try store.close()
        }
        for each in escaped.flatMap(\.cursors) { #expect(throws: StoreError.transactionEnded) { try each.next() } }
    }

    @Test func `what has left a custom migration throws`() throws {
        nonisolated(unsafe) var contexts: [EscapedStep] = []
        let tables = [Table("store", ["id integer key", "title text?", "stars integer"])]
        try withStore(
            tables, rows: "INSERT INTO store VALUES (1, 'a', 5), (2, 'b', 6)",
            changes: [.custom(from: "store", to: "store")],
            code: { step in
                let context = step.context
                let cursor = try context.old(Item.self)
                _ = try cursor.next()
                contexts.append(EscapedStep(context: context, cursor: cursor))
                try step.migrate(Item.self) { (old: Item, _) -> Outcome<Item> in .keep(old) }
            }, check: { _ in }
        ) { (store: Store) throws in
            let escaped = try #require(contexts.first)
            contexts = []
            #expect(throws: StoreError.transactionEnded) { try escaped.cursor.next() }
            #expect(throws: StoreError.transactionEnded) { try escaped.context.old(Item.self) }
            #expect(throws: StoreError.transactionEnded) { try escaped.context.find(Item.self, id: 1) }
            #expect(throws: StoreError.transactionEnded) {
                try escaped.context.insert(Item(id: 3, title: nil, stars: 1))
            }
            #expect(throws: StoreError.transactionEnded) { try escaped.context.newID(of: Item.self) }
            #expect(throws: StoreError.transactionEnded) { try escaped.context.execute("SELECT 1") }
            #expect(try store.read { try $0.count(Item.self) } == 2)
        }
    }

    private struct EscapedStep {
        let context: MigrationContext
        let cursor: Cursor<Item>
    }

    // MARK: Rows that are collected

    /// A row that reads itself by number and by name.
    private struct Raw: StoredEntity {
        struct ID: RawEntityID { var rawValue: Int }
        static let table = EntityTable("place", key: ["number"], columns: ["shelf", "number"])
        let text: String
        static func id(of entity: Self) -> ID { ID(rawValue: 0) }
        init(row: Row) throws {
            let names = (0..<row.columnCount).map(row.name)
            text = "\(row.columnCount) \(names) \(row.values) \(row.name(-1))\(row.name(.max))"
            for index in [-1, 2, .max, .min] {
                #expect(row.isNull(index) && row.value(index) == .null)
                #expect(throws: MalformedValue.self) { try row.int(index) }
                #expect(throws: MalformedValue.self) { try row.string(index) }
                #expect(throws: MalformedValue.self) { try row.data(index) }
                #expect(try row.optionalInt(index) == nil)
            }
        }
        func bind(to statement: Statement) throws {}
    }

    @Test func `a row knows its columns, however it is read`() throws {
        let store = try Store(inMemory: Things.self)
        try store.write { transaction in
            try transaction.insert(Place("a", 1))
            let expected = #"2 ["shelf", "number"] ["a", 1] "#
            var read = [try transaction.fetch(Raw.self), try transaction.fetch(Raw.all)]
            read.append(try transaction.rows("SELECT number, 5, shelf FROM place", as: Raw.self))
            read.append([try #require(try transaction.cursor(Raw.self).next())])
            for rows in read { #expect(rows.map(\.text) == [expected]) }
            let found = try transaction.find(Raw.self, id: Raw.ID(rawValue: 1))
            #expect(found?.text == expected)
        }
    }
}

private typealias ThingID = Thing.ID

extension Thing.ID {
    fileprivate init(_ number: Int) { self.init(rawValue: number) }
}
