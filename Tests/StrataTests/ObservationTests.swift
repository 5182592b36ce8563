import Foundation
@testable import Strata
import Testing

/// The values that an observation delivers, and the changes that it ignores.
@Suite(.timeLimit(.minutes(10))) struct ObservationTests {
    private func withStore(_ body: (Store) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(try Store(at: folder.appendingPathComponent("store.sqlite"), schema: Things.self))
    }

    @Test func `an observation delivers the current rows, and the new rows after each change`() async throws {
        try await withStore { store in
            var rows = store.observe(Thing.all.where { $0.flag == true }.orderBy { $0.id.ascending })
                .makeAsyncIterator()
            #expect(try await rows.next()?.isEmpty == true)
            var thing = Thing(id: 1)
            thing.flag = true
            let new = thing
            try await store.write { try $0.insert(new) }
            #expect(try await rows.next() == [new])
            // Only the last of these writes changes the observed rows.
            try await store.write { try $0.insert(Place("a", 1)) }
            try await store.write { try $0.insert(Thing(id: 2)) }
            struct Undone: Error {}
            do {
                try await store.write { transaction in
                    try transaction.delete(Thing.all)
                    throw Undone()
                }
            } catch is Undone {}
            try await store.write { _ = try $0.update(Thing.all.where { $0.id == 1 }) { [$0.text.set(to: "x")] } }
            #expect(try await rows.next()?.map(\.text) == ["x"])
            // SQLite does not report each row if a statement deletes all rows of a table.
            try await store.write { _ = try $0.delete(Thing.all) }
            #expect(try await rows.next() == [])
        }
    }

    @Test func `a write that runs while an observer subscribes is not missed`() async throws {
        try await withStore { (store: Store) async throws in
            let begun = DispatchSemaphore(value: 0)
            let subscribed = DispatchSemaphore(value: 0)
            let writing = Task {
                try await store.write { (transaction: WriteTransaction) throws in
                    try transaction.insert(Thing(id: 1))
                    begun.signal()
                    #expect(subscribed.wait(timeout: .now() + 600) == .success)
                }
            }
            await withCheckedContinuation { continuation in
                DispatchQueue.global().async {
                    begun.wait()
                    continuation.resume()
                }
            }
            var rows = store.observe(Thing.all).makeAsyncIterator()
            // The observer reads the state before the transaction commits.
            #expect(try await rows.next() == [])
            subscribed.signal()
            try await writing.value
            #expect(try await rows.next()?.map(\.id) == [1])
        }
    }

    @Test func `a transient error does not end an observation`() async throws {
        try await withStore { (store: Store) async throws in
            try await store.write { try $0.insert(Thing(id: 1)) }
            let attempts = Locked(0)
            let values = store.observe { (transaction: ReadTransaction) throws in
                let attempt = attempts.withLock { number in
                    number += 1
                    return number
                }
                if attempt == 1 { throw StoreError.busy }
                // A file that is protected while the device is locked causes this error.
                if attempt == 2 { throw SQLiteError(extendedCode: 266, message: "disk I/O error", sql: nil) }
                return try transaction.count(Thing.self)
            }
            var counts = values.makeAsyncIterator()
            #expect(try await counts.next() == 1)
            #expect(attempts.withLock { $0 } == 3)

            let malformed = SQLiteError(extendedCode: 11, message: "database disk image is malformed", sql: nil)
            var none = store.observe { (_: ReadTransaction) throws -> Int in throw malformed }.makeAsyncIterator()
            await #expect(throws: StoreError.corrupt(reason: malformed.message)) { try await none.next() }
        }
    }

    @Test func `a value that is computed from several tables is observed`() async throws {
        try await withStore { (store: Store) async throws in
            var counts = store.observe { try $0.count(Thing.self) + $0.count(Place.self) }.makeAsyncIterator()
            #expect(try await counts.next() == 0)
            try await store.write { try $0.insert(Place("a", 1)) }
            #expect(try await counts.next() == 1)
            // This write does not change the value.
            try await store.write { (transaction: WriteTransaction) throws in
                try transaction.delete(Place.all)
                try transaction.insert(Thing(id: 1))
            }
            try await store.write { try $0.insert(Thing(id: 2)) }
            #expect(try await counts.next() == 2)
        }
    }

    @Test func `a slow observer gets the newest rows`() async throws {
        try await withStore { store in
            var rows = store.observe(Thing.all).makeAsyncIterator()
            _ = try await rows.next()
            for id in 1...200 { try await store.write { try $0.insert(Thing(id: id)) } }
            var count = 0
            var last = 0
            while last < 200, let next = try await rows.next() {
                #expect(next.count > last)
                last = next.count
                count += 1
            }
            #expect(last == 200 && count <= 200)
        }
    }

    @Test func `cancelling its task ends an observation`() async throws {
        try await withStore { store in
            let task = Task { for try await _ in store.observe(Thing.all) {} }
            try await Task.sleep(for: .milliseconds(50))
            task.cancel()
            try await task.value
            try await store.write { try $0.insert(Thing(id: 1)) }
            #expect(try await store.read { try $0.count(Thing.self) } == 1)
        }
    }
}
