import Foundation
import Strata
import Testing

@Suite struct TransactionTests {
    private struct Refusal: Error {}

    @Test func `what throws writes nothing`() throws {
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

    @Test func `a key that is taken is refused without a value in the error`() throws {
        try withFile { url in
            let store = try Store(at: url, schema: Shop.self)
            try store.write { try $0.insert(Item(id: 1, title: "secret", stars: 0)) }
            #expect { try store.write { try $0.insert(Item(id: 1, title: "secret", stars: 0)) } } throws: { error in
                guard let error = error as? SQLiteError else { return false }
                return error.code == 19 && error.message.contains("store.id") && !error.description.contains("secret")
            }
        }
    }

    @Test func `a transaction inside another is refused, not waited for`() throws {
        try withFile { url in
            let store = try Store(at: url, schema: Shop.self)
            #expect(throws: StoreError.nestedTransaction) {
                try store.write { _ in try store.read { transaction in _ = try transaction.count(Item.self) } }
            }
        }
    }

    @Test func `a cursor that is left in the middle holds nothing`() throws {
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

    @Test func `a quoted name of no column is an error, not a string`() throws {
        let connection = try Connection(path: ":memory:", mode: .create)
        try connection.execute("CREATE TABLE t (a)")
        #expect(throws: SQLiteError.self) { try connection.execute("INSERT INTO t SELECT \"b\"") }
    }

    @Test func `cursors over one query do not disturb each other`() throws {
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
