import Foundation
import SQLSchema
import Strata
import Testing

extension Note: SearchableEntity {
    enum SearchedProperty: String, CaseIterable { case title, body }
}

/// A schema with the searched table `note`.
enum Notes: Schema {
    static let name = "NotesSchema"
    static let fingerprint: UInt64 = 1
    static var versions: [SchemaVersion] {
        [SchemaVersion("1", fingerprint: 1, tables: [Table("note", SearchIndexTests.note)])]
    }
    static let steps: [MigrationStep] = []
}

/// Requests that search the texts of rows.
@Suite struct SearchTests {
    private static let notes = [
        Note(1, "Swift concurrency", "Actors and tasks in Swift", stars: 5),
        Note(2, "Data races", "What Swift 6 finds: a data race is an error", stars: 3),
        Note(3, "Kotlin", "Coroutines; not Swift's actors", stars: 4),
        Note(4, "C++", nil, stars: 1),
        Note(5, "Größe & Maß \"XL\"", "naïve café 東京 🧺", stars: 2),
        Note(6, "AND", "NOT (this) OR: that^ {x} NEAR -minus", stars: 2),
    ]

    private func withNotes(_ body: (Store) throws -> Void) throws {
        try withFile { (url: URL) throws in
            let store = try Store(at: url, schema: Notes.self)
            try store.write { try $0.insert(contentsOf: Self.notes) }
            try body(store)
        }
    }

    private static let patterns: [(pattern: SearchPattern, ids: Set<Int>)] = [
        (SearchPattern.allWords("swift"), [1, 2, 3]), (.allWords("SWIFT actors"), [1, 3]),
        (.allWords("actors swift"), [1, 3]),
        (.allWords("swi*"), [1, 2, 3]), (.allWords("swi"), []), (.allWords("\"data race\""), [2]),
        (.allWords("\"race data\""), []), (.allWords("data \"swift 6\" rac*"), [2]), (.allWords(""), []),
        (.allWords(" \n\t"), []), (.allWords("*"), []), (.allWords("swift *"), [1, 2, 3]), (.allWords("\""), []),
        (.allWords("\"swift"), [1, 2, 3]), (.allWords("c++"), [4]), (.allWords("grosse"), []),
        (.allWords("größe"), [5]),
        (.allWords("grÖßE maß xl"), [5]), (.allWords("naive CAFE"), [5]), (.allWords("東京"), [5]),
        (.allWords("AND"), [1, 6]),
        (.allWords("NOT OR"), [6]), (.allWords("(this) {x} ^that near -minus"), [6]), (.allWords("title:swift"), []),
        (.allWords("swift\0actors"), [1, 3]), (.allWords("'swift'"), [1, 2, 3]), (.allWords("swift;--"), [1, 2, 3]),
        (.anyWord("kotlin races"), [2, 3]), (.anyWord("kotlin \"data race\""), [2, 3]), (.anyWord(""), []),
        (.phrase("data race is"), [2]), (.phrase("race \"data\""), []), (.phrase("say \"hi\"*"), []),
        (.beginnings("swi con"), [1]), (.beginnings("con swi"), [1]), (.beginnings("s \"c"), [1, 3]),
        (.beginnings(""), []),
        (.fts5("swift NOT actors"), [2]), (.fts5("title : swift"), [1]),
    ]

    @Test(arguments: patterns)
    func `a pattern finds the rows that contain its words`(_ pattern: SearchPattern, _ ids: Set<Int>) throws {
        try withNotes { (store: Store) throws in
            try store.read { (transaction: ReadTransaction) throws in
                let found = try transaction.fetch(Note.all.matching(pattern)).map(\.id.rawValue)
                #expect(Set(found) == ids && found.count == ids.count, "\(pattern)")
            }
        }
    }

    @Test func `no text of a user is syntax`() throws {
        let pieces = [
            "swift", "\"", "*", "(", ")", "{", "}", ":", "^", "+", "-", "'", "\\", "\0", " ", "AND", "OR", "NOT",
            "NEAR(", ",", "é",
            "🧺", "\u{301}", "title",
        ]
        try withNotes { (store: Store) throws in
            try store.read { (transaction: ReadTransaction) throws in
                for _ in 0..<3000 {
                    let text = (0..<Int.random(in: 1...8)).map { _ in pieces.randomElement() ?? "" }.joined()
                    for pattern in [SearchPattern.allWords(text), .anyWord(text), .phrase(text), .beginnings(text)] {
                        #expect(throws: Never.self, "\(text.debugDescription)") {
                            _ = try transaction.fetch(Note.all.matching(pattern, in: .title))
                        }
                    }
                }
            }
        }
    }

    @Test func `the best match comes first, unless the request has another order`() throws {
        try withNotes { (store: Store) throws in
            try store.read { (transaction: ReadTransaction) throws in
                let request = Note.all.matching("swift")
                let ids = try transaction.fetch(request).map(\.id.rawValue)
                #expect(ids.first == 1)
                let ranks = try transaction.fetch(request.select { $0.searchRank })
                #expect(ranks == ranks.sorted() && ranks.count == 3)
                let byStars = request.orderBy { $0.stars.ascending }
                #expect(try transaction.fetch(byStars).map(\.id) == [2, 3, 1])
                let sorted = Note.all.orderBy { $0.stars.descending }.matching("swift").limit(2)
                #expect(try transaction.fetch(sorted).map(\.id) == [1, 3])
                #expect(
                    request.sql == """
                        SELECT t0."id", t0."title", t0."body", t0."stars" FROM "note" AS t0 \
                        JOIN "strata_search_note" AS t1 ON t1."rowid" = t0."rowid" \
                        WHERE t1."strata_search_note" MATCH ? ORDER BY t1."rank"
                        """)
                #expect(
                    try transaction.plan(of: request).split(separator: "\n").map { $0.prefix(10) } == [
                        "SCAN t1 VI", "SEARCH t0 ",
                    ])
            }
        }
    }

    @Test func `a search combines with conditions, counts, aggregates and columns`() throws {
        try withNotes { (store: Store) throws in
            try store.read { (transaction: ReadTransaction) throws in
                let request = Note.all.matching("swift").where { $0.stars > 3 }
                #expect(try transaction.count(request) == 2)
                #expect(try transaction.count(Note.all.matching("swift")) == 3)
                #expect(try transaction.count(Note.all.matching("swift").limit(2)) == 2)
                #expect(try transaction.exists(Note.all.matching("swift")))
                #expect(try !transaction.exists(Note.all.matching("rust")))
                #expect(try transaction.count(Note.all.where { $0.stars > 3 }.matching("swift")) == 2)
                #expect(try transaction.exists(request))
                #expect(try transaction.first(Note.all.matching("kotlin"))?.id == 3)
                #expect(try transaction.max(of: \.stars, in: Note.all.matching("actors")) == 5)
                #expect(try transaction.fetch(Note.all.matching("swift", in: .title)).map(\.id) == [1])
                #expect(try transaction.count(Note.all.matching("swift", in: .body)) == 3)
                #expect(try transaction.count(Note.all.matching("swift actors", in: .title, .body)) == 2)
                #expect(try transaction.count(Note.all.matching("swift").matching("tasks")) == 1)
                let groups = try transaction.fetch(
                    Note.all.matching("swift").grouped(by: \.stars).select { ($0.key, $0.count) })
                #expect(groups.count == 3)
            }
        }
    }

    @Test func `snippets and highlights mark the words that were found`() throws {
        try withNotes { (store: Store) throws in
            try store.read { (transaction: ReadTransaction) throws in
                let request = Note.all.matching("race*")
                let found = try transaction.first(
                    request.select {
                        (
                            $0.highlighted(.title, from: "<", to: ">"),
                            $0.snippet(of: .body, from: "[", to: "]", words: 3)
                        )
                    })
                #expect(found?.0 == "Data <races>")
                #expect(found?.1 == "…a data [race]…")
                #expect(
                    try transaction.fetch(Note.all.matching("c").select { $0.snippet(of: .body) }) == [""])
                #expect(
                    try transaction.fetch(Note.all.matching("kotlin").select { $0.snippet(from: "*", to: "*") }) == [
                        "*Kotlin*"
                    ])
                #expect(throws: MalformedValue.self) { try transaction.fetch(Note.all.select { $0.searchRank }) }
            }
        }
    }

    @Test func `rows that match are updated and deleted, and the index follows`() throws {
        try withNotes { (store: Store) throws in
            try store.write { transaction in
                #expect(try transaction.update(Note.all.matching("swift")) { [$0.body.set(to: "rust")] } == 3)
                #expect(try transaction.count(Note.all.matching("swift")) == 1)
                #expect(try transaction.delete(Note.all.matching("rust").where { $0.stars < 5 }) == 2)
                #expect(try transaction.fetch(Note.all.matching("rust")).map(\.id) == [1])
                try transaction.upsert(Note(1, "Zig"))
                #expect(try transaction.count(Note.all.matching("rust")) == 0)
                #expect(try transaction.insertAndFetch(Note(10, "Odin")).id == 10)
                #expect(try transaction.fetch(Note.all.matching("zig")).map(\.id) == [1])
            }
        }
    }

    @Test func `a search is observed, and combines with SQL of the app`() async throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: url) }
        let store = try Store(at: url, schema: Notes.self)
        let request = Note.all.matching("swift").filter(Condition(sql: "stars > ?", [4]))
        var found = store.observe(request).makeAsyncIterator()
        #expect(try await found.next() == [])
        try await store.write { try $0.insert(contentsOf: Self.notes) }
        #expect(try await found.next()?.map(\.id) == [1])
        try await store.write { _ = try $0.update(Note.all.where { $0.id == 2 }) { [$0.stars.set(to: 5)] } }
        #expect(try await Set(found.next()?.map(\.id) ?? []) == [1, 2])
        try await store.write {
            _ = try $0.update(Note.all.where { $0.id == 1 }) { [$0.title.set(to: "x"), $0.body.set(to: nil)] }
        }
        #expect(try await found.next()?.map(\.id) == [2])
        try await store.write { _ = try $0.delete(Note.all) }
        #expect(try await found.next() == [])
        try store.close()
    }
}
