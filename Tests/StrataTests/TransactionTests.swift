import Foundation
import Strata
import Testing

@Suite struct TransactionTests {
    private struct Refusal: Error {}

    @Test func `a transaction that throws writes nothing`() throws {
        try withFile { url in
            let store = try Store(at: url, schema: Shop.self)
            #expect(throws: Refusal.self) {
                try store.write { transaction in
                    try transaction.insert(Item(id: 1, title: nil, stars: 0))
                    throw Refusal()
                }
            }
            #expect(try store.read { try $0.count(Item.self) } == 0)
            try store.write { try $0.insert(Item(id: 1, title: nil, stars: 0)) }
            #expect(try store.read { try $0.count(Item.self) } == 1)
        }
    }

    @Test func `a duplicate primary key is refused with an error that contains no value`() throws {
        try withFile { url in
            let store = try Store(at: url, schema: Shop.self)
            try store.write { try $0.insert(Item(id: 1, title: "secret", stars: 0)) }
            #expect { try store.write { try $0.insert(Item(id: 1, title: "secret", stars: 0)) } } throws: { error in
                guard let error = error as? SQLiteError else { return false }
                return error.code == 19 && error.message.contains("store.id") && !error.description.contains("secret")
            }
        }
    }

    @Test func `a rollback by SQLite rolls the complete transaction back`() throws {
        try withFile { url in
            let store = try Store(at: url, schema: Shop.self)
            try store.write { try $0.insert(Item(id: 1, title: nil, stars: 0)) }
            let rollback = "INSERT OR ROLLBACK INTO store SELECT * FROM store"
            #expect(throws: StoreError.rolledBack) {
                try store.write { transaction in
                    try transaction.insert(Item(id: 2, title: nil, stars: 0))
                    _ = try? transaction.execute(rollback)
                    try transaction.insert(Item(id: 3, title: nil, stars: 0))
                }
            }
            // Strata also detects a rollback if no statement follows it.
            #expect(throws: StoreError.rolledBack) {
                try store.write { transaction in
                    try transaction.insert(Item(id: 2, title: nil, stars: 0))
                    _ = try? transaction.savepoint { try transaction.execute(rollback) }
                }
            }
            #expect(try store.read { try $0.fetch(Item.self).map(\.id) } == [1])
            try store.write { try $0.insert(Item(id: 4, title: nil, stars: 0)) }
            #expect(try store.read { try $0.count(Item.self) } == 2)
        }
    }

    @Test func `a nested transaction is refused and does not wait`() throws {
        try withFile { url in
            let store = try Store(at: url, schema: Shop.self)
            #expect(throws: StoreError.nestedTransaction) {
                try store.write { _ in try store.read { transaction in _ = try transaction.count(Item.self) } }
            }
        }
    }

    @Test func `a cursor that is not read to its end holds no lock`() throws {
        try withFile { url in
            let store = try Store(at: url, schema: Shop.self)
            try store.write { transaction in
                for id in 1...3 { try transaction.insert(Item(id: .init(rawValue: id), title: "\(id)", stars: id)) }
            }
            let first = try store.read { try $0.cursor(Item.self).next() }
            #expect(first?.id == 1)
            try store.write { try $0.insert(Item(id: 4, title: nil, stars: 4)) }
            let other = try Connection(path: url.path, mode: .readWrite)
            try other.execute("PRAGMA wal_checkpoint(TRUNCATE); DELETE FROM store")
            #expect(try store.read { try $0.fetch(Item.self) } == [])
        }
    }

    @Test func `each cursor has its own statement and returns nil after its end`() throws {
        try withFile { url in
            let store = try Store(at: url, schema: Shop.self)
            try store.write { transaction in
                for id in 1...2 { try transaction.insert(Item(id: .init(rawValue: id), title: nil, stars: id)) }
            }
            try store.read { transaction in
                let one = try transaction.cursor(Item.self)
                let other = try transaction.cursor(Item.self)
                #expect(try one.next()?.id == 1)
                #expect(try other.next()?.id == 1)
                #expect(try one.next()?.id == 2)
                #expect(try one.next() == nil)
                #expect(try one.next() == nil)
                #expect(try other.next()?.id == 2)
            }
        }
    }

    @Test func `a transaction and its cursors cannot be used after its end`() throws {
        try withFile { url in
            let store = try Store(at: url, schema: Shop.self)
            try store.write { try $0.insert(Item(id: 1, title: nil, stars: 1)) }
            let transaction = try store.write { $0 }
            #expect(throws: StoreError.transactionEnded) { try transaction.fetch(Item.self) }
            #expect(throws: StoreError.transactionEnded) { try transaction.insert(Item(id: 2, title: nil, stars: 1)) }
            let cursor = try store.read { try $0.cursor(Item.self) }
            #expect(throws: StoreError.transactionEnded) { try cursor.next() }
        }
    }

    @Test func `releasing a store closes it and checkpoints its write-ahead log`() throws {
        try withFile { url in
            do {
                let store = try Store(at: url, schema: Shop.self)
                try store.write { try $0.insert(Item(id: 1, title: nil, stars: 1)) }
                _ = try store.read { try $0.find(Item.self, id: 1) }
                #expect(FileManager.default.fileExists(atPath: url.path + "-wal"))
            }
            #expect(!FileManager.default.fileExists(atPath: url.path + "-wal"))
        }
    }

    @Test func `several tasks can create the same store at the same time`() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for round in 0..<20 {
            let url = folder.appendingPathComponent("\(round).sqlite")
            try await withThrowingTaskGroup(of: Void.self) { group in
                for id in 1...4 {
                    group.addTask {
                        let store = try Store(at: url, schema: Shop.self)
                        try store.write { try $0.insert(Item(id: .init(rawValue: id), title: nil, stars: id)) }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await Store(at: url, schema: Shop.self).read { try $0.count(Item.self) } == 4)
        }
    }

    @Test func `a double-quoted name that is not a column is an error, not a string`() throws {
        let connection = try Connection(path: ":memory:", mode: .create)
        try connection.execute("CREATE TABLE t (a)")
        #expect(throws: SQLiteError.self) { try connection.execute("INSERT INTO t SELECT \"b\"") }
    }

    @Test func `nested cursors over the same query are independent`() throws {
        try withFile { url in
            let store = try Store(at: url, schema: Shop.self)
            try store.write { transaction in
                for id in 1...3 { try transaction.insert(Item(id: .init(rawValue: id), title: nil, stars: id)) }
            }
            let pairs = try store.read { transaction in
                var pairs = 0
                try transaction.cursor(Item.self).forEach { _ in
                    try transaction.cursor(Item.self).forEach { _ in pairs += 1 }
                }
                return pairs
            }
            #expect(pairs == 9)
        }
    }
}
