import Foundation
import Podcasts
import Strata
import Testing

/// A column may be called `true`, so no statement of Strata contains the word without quotes.
@Suite struct BareWordTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// The generated SQL files of all models of the repository.
    private static let files: [String] = {
        let enumerator = FileManager.default.enumerator(atPath: root.path)
        var files: [String] = []
        while let path = enumerator?.nextObject() as? String {
            if path.hasPrefix(".") || path.contains("/.build") || path.contains("/Histories") {
                enumerator?.skipDescendants()
            } else if path.hasSuffix(".sql"), path.contains("/SQL/") {
                files.append(path)
            }
        }
        return files.sorted()
    }()

    /// The words of the options of a search index.
    private static let options: Set = ["content", "content_rowid", "tokenize"]
    /// The names of the number of a row.
    private static let numbers: Set = ["rowid", "_rowid_", "oid"]

    @Test func `words are found`() {
        #expect(
            BareWords("SELECT \"a\", 'b', x'00', f(1e5), TRUE FROM \"t\" AS t WHERE t.\"c\" -- d").words == ["TRUE"])
        #expect(BareWords("CREATE TABLE \"t\" (\"a\" TEXT COLLATE NOCASE, b INTEGER)").words == ["b"])
        #expect(BareWords("PRAGMA foreign_keys = off; SELECT false, rowid").words == ["false", "rowid"])
    }

    @Test func `generated SQL has no bare words`() throws {
        #expect(Self.files.count > 20)
        for path in Self.files {
            let sql = try String(contentsOf: Self.root.appendingPathComponent(path), encoding: .utf8)
            // No table has a column of the name that Strata uses for the number of a row.
            let numbers = Self.numbers.filter { !sql.contains("\n  \"\($0)\" ") }
            let words = BareWords(sql).words.subtracting(Self.options).subtracting(numbers)
            #expect(words.isEmpty, "\(path)")
        }
    }

    @Test func `the statements of requests and writes have no bare words`() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("words-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let statements = Locked<Set<String>>([])
        let tracing = Library.Tracing(folder: folder) { trace in statements.withLock { _ = $0.insert(trace.sql) } }
        try Library.$tracing.withValue(tracing) {
            try ComputedValueTests().`a Bool property is a condition`()
            try ComputedValueTests().`conditions on options`()
            try ComputedValueTests().`conditions, orders and selections of members of structs`()
            try ComputedValueTests().`conditions on the elements of lists`()
            try ComputedValueTests().`conditions ignore case and diacritics`()
            try ConflictTests().`rows that exist already are ignored`()
            try ConflictTests().`rows are inserted or updated`()
            try ConflictTests().`a row with the same unique property is updated, and keeps its key`()
            try ConflictTests().`statements return the rows that they write`()
            try ConflictTests().`only the properties that differ are written`()
            try InclusionTests().`conditions, orders and limits of the related rows`()
            try InclusionTests().`searched rows, and searched related rows`()
            try QuerySamples().`examples of searches`()
            try RelationshipQueryTests().`conditions on the rows of a to-many relationship`()
            try RelationshipQueryTests().`updates and deletes follow relationships in their conditions and values`()
            try SelectionTests().`conditions, orders and limits of groups`()
            let library = try Library()
            try library.store.write { (transaction: WriteTransaction) throws in
                try transaction.delete(Episode.all.where { !$0.isPlayed && $0.podcast.title.hasPrefix("S") })
                try transaction.delete(Episode.all.filter(.always))
                try transaction.delete(library.podcasts[0])
            }
            try library.store.vacuum()
        }
        let words = statements.withLock { $0 }.reduce(into: [String: String]()) { words, sql in
            // FTS5's own statements, and statements that read no table of the model.
            if ["'main'.'", "sqlite_schema", "pragma_"].contains(where: sql.contains) { return }
            for word in BareWords(sql).words {
                let isParameter = word.hasPrefix("v") && sql.contains("FROM strata_rows(")
                if !isParameter { words[word] = sql }
            }
        }
        #expect(statements.withLock { $0.count } > 200)
        #expect(words.isEmpty)
    }
}
