import CSQLite
import Foundation
import SQLSchema
import Testing

@testable import Strata

/// Objects that must not keep each other alive.
@Suite struct MemoryTests {
    @Test func `the tables of a statement are released with it`() {
        weak var scope: QueryScope?
        do {
            let link = ToOneLink(
                table: "other", columns: ["other_id"], targetColumns: ["id"], isKeyOnThisSide: true, isRequired: false)
            let inner = QueryFragment(.related(link, QueryFragment(column: "title")))
            let root = QueryScope.joining { $0 }
            scope = root
            let text = root.text(QueryFragment(.related(link, inner)))
            #expect(text.sql == #"t2."title""# && root.joins.contains(#"AS t2 ON t1."other_id" = t2."id""#))
        }
        #expect(scope == nil)
    }

    /// The number of statements that are not finalized.
    private func statements(_ connection: Connection) -> Int {
        var count = 0
        var statement = sqlite3_next_stmt(connection.pointer, nil)
        while let current = statement {
            count += 1
            statement = sqlite3_next_stmt(connection.pointer, current)
        }
        return count
    }

    /// Releases a statement on another thread, and waits for it.
    private func releaseElsewhere(_ statement: inout Statement?) {
        nonisolated(unsafe) var objects = [statement]
        statement = nil
        let isDone = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            objects.removeAll()
            isDone.signal()
        }
        isDone.wait()
    }

    @Test func `a statement is finalized only by the thread that uses the connection`() throws {
        let connection = try Connection(path: ":memory:", mode: .create)
        var statement: Statement?
        try connection.used { connection in
            statement = try connection.prepare("SELECT 1")
            _ = try statement?.step()
            releaseElsewhere(&statement)
            #expect(statements(connection) == 1)
            statement = try connection.prepare("SELECT 2")
            statement = nil
            #expect(statements(connection) == 1)
        }
        #expect(statements(connection) == 0)
        try connection.used { statement = try $0.prepare("SELECT 3") }
        releaseElsewhere(&statement)
        #expect(statements(connection) == 1)
        connection.used { _ in }
        #expect(statements(connection) == 0)
    }

    @Test func `the tables of a removed observer are not kept`() {
        final class Counter: Observer {
            let wakes = Locked(0)
            func wake() { wakes.withLock { $0 += 1 } }
            func end() {}
        }
        let observers = Observers()
        let counter = Counter()
        _ = observers.add(counter)
        observers.setTables(["thing"], of: counter)
        observers.wake(for: .tables(["other"]))
        #expect(counter.wakes.withLock { $0 } == 0)
        observers.remove(counter)
        // It was reading when it was removed.
        observers.setTables(["thing"], of: counter)
        #expect(observers.isEmpty)
        _ = observers.add(counter)
        // Its tables are not known again, so that any change concerns it.
        observers.wake(for: .tables(["other"]))
        #expect(counter.wakes.withLock { $0 } == 1)
    }

    @Test func `repeated words are searched once`() {
        let words = String(repeating: "swift \"a b\" con* ", count: 1_000)
        #expect(SearchPattern.allWords(words) == .allWords("swift \"a b\" con*"))
        #expect(SearchPattern.anyWord(words) == .anyWord("swift \"a b\" con*"))
        #expect(SearchPattern.beginnings("a b a") == .beginnings("a b"))
        #expect(SearchPattern.anyWord("\u{e9} e\u{301}") != .anyWord("\u{e9}"))
        // What is written differently may be different for the tokenizer.
        #expect(SearchPattern.allWords("a A") != .allWords("a"))
        #expect(SearchPattern.phrase("a a") != .phrase("a"))
    }

    /// Runs requests of each kind many times, alone: `STRATA_REQUESTS=100000 swift test --filter MemoryTests`.
    @Test(.enabled(if: ProcessInfo.processInfo.environment["STRATA_REQUESTS"] != nil))
    func `requests keep no memory`() throws {
        let count = ProcessInfo.processInfo.environment["STRATA_REQUESTS"].flatMap { Int($0) } ?? 0
        func size() throws -> Int {
            // The second number of https://man7.org/linux/man-pages/man5/proc_pid_statm.5.html, in pages.
            let numbers = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
            return (Int(numbers[1]) ?? 0) * 4_096
        }
        let store = try Store(inMemory: Notes.self)
        try store.write { try $0.insert(contentsOf: (1...20).map { Note($0, "title \($0)", "body", stars: $0) }) }
        let things = try Store(inMemory: Things.self)
        try things.write { try $0.insert(contentsOf: (1...20).map { Thing(id: $0) }) }
        let requests: [(String, () throws -> Void)] = [
            ("search", { _ = try store.read { try $0.fetch(Note.all.matching("title").limit(3)) } }),
            (
                "ranks",
                { _ = try store.read { try $0.fetch(Note.all.matching("title").select { ($0.id, $0.searchRank) }) } }
            ),
            ("conditions", { _ = try things.read { try $0.fetch(Thing.all.where { $0.id > 3 && $0.text == "" }) } }),
            (
                "groups",
                { _ = try things.read { try $0.fetch(Thing.all.grouped(by: \.text).select { ($0.key, $0.count) }) } }
            ),
            ("finds", { _ = try things.read { try $0.find(Thing.self, id: 3) } }),
            ("cursors", { _ = try things.read { try $0.cursor(Thing.all).next() } }),
            ("own SQL", { _ = try things.read { try $0.rows("SELECT * FROM thing", as: Thing.self) } }),
            ("writes", { try things.write { try $0.update(Thing(id: 2)) } }),
        ]
        for (name, request) in requests {
            for _ in 0..<count / 10 { try request() }
            let before = try size()
            for _ in 0..<count { try request() }
            let growth = try size() - before
            print("\(name): \(growth / 1_024) KB more after \(count) requests")
            #expect(growth < 8 * count)
        }
    }
}
