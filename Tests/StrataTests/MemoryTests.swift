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
        nonisolated(unsafe) var object = statement
        statement = nil
        let isDone = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            object = nil
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

    @Test func `repeated words are searched once`() {
        let words = String(repeating: "swift \"a b\" con* ", count: 1_000)
        #expect(SearchPattern.allWords(words) == .allWords("swift \"a b\" con*"))
        #expect(SearchPattern.anyWord(words) == .anyWord("swift \"a b\" con*"))
        #expect(SearchPattern.beginnings("a b a") == .beginnings("a b"))
        // What is written differently may be different for the tokenizer.
        #expect(SearchPattern.allWords("a A") != .allWords("a"))
        #expect(SearchPattern.phrase("a a") != .phrase("a"))
    }
}
