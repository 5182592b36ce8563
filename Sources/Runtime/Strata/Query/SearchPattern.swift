import SQLSchema

/// An entity whose texts can be searched, because its description has the key `search`. Strata generates the conformances.
public protocol SearchableEntity: StoredEntity {
    /// The searched properties, in their order. The raw value is the name of the column.
    associatedtype SearchedProperty: RawRepresentable<String> & CaseIterable & Equatable & Sendable
}

/// The words that a search finds. Nothing in a text is taken for the syntax of SQLite's queries.
///
/// ```swift
/// let episodes = try transaction.fetch(Episode.all.matching(.anyWord("swift kotlin")))
/// ```
public struct SearchPattern: Hashable, Sendable {
    /// The query (https://sqlite.org/fts5.html#full_text_query_syntax).
    let query: String

    /// All words of a text, in any order.
    ///
    /// A word that ends with `*` is the beginning of words. Words in double quotes must be next to each other. A text without
    /// words matches no row.
    ///
    /// ```swift
    /// let pattern = SearchPattern.allWords("\"data race\" swift con*")
    /// ```
    public static func allWords(_ text: String) -> SearchPattern { SearchPattern(words(text), joinedBy: " ") }

    /// At least one word of a text, with `*` and double quotes as in ``allWords(_:)``.
    public static func anyWord(_ text: String) -> SearchPattern { SearchPattern(words(text), joinedBy: " OR ") }

    /// The words of a text, next to each other and in their order.
    public static func phrase(_ text: String) -> SearchPattern { SearchPattern([quoted(text)], joinedBy: "") }

    /// Words that begin with the words of a text, as in a field that searches while its text is being written.
    ///
    /// ```swift
    /// let pattern = SearchPattern.beginnings("swi con")  // Finds "Swift concurrency".
    /// ```
    public static func beginnings(_ text: String) -> SearchPattern {
        SearchPattern(text.split(whereSeparator: isSpace).map { quoted($0) + " *" }, joinedBy: " ")
    }

    /// A query in SQLite's own syntax (https://sqlite.org/fts5.html#full_text_query_syntax). A search throws `SQLiteError` if the
    /// query is malformed, so it must not be a text of the user.
    ///
    /// ```swift
    /// let pattern = SearchPattern.fts5("title : swift NOT kotlin")
    /// ```
    public static func fts5(_ query: String) -> SearchPattern { SearchPattern(query: query) }

    private init(query: String) { self.query = query }

    private init(_ words: [String], joinedBy separator: String) {
        // The time that SQLite takes to rank a row is the square of the number of words that match, and repeated ones find nothing
        // else.
        var seen: Set<[UInt8]> = []
        let words = words.filter { seen.insert(Array($0.utf8)).inserted }
        // SQLite refuses an empty query.
        query = words.isEmpty ? "\"\"" : words.joined(separator: separator)
    }

    /// The same words, in some columns only.
    func within(_ columns: [String]) -> SearchPattern {
        columns.isEmpty
            ? self : SearchPattern(query: "{\(columns.map(Self.quoted).joined(separator: " "))} : (\(query))")
    }

    /// The words and the quoted phrases of a text.
    private static func words(_ text: String) -> [String] {
        var words: [String] = []
        // Every second part is in quotes.
        for (index, part) in text.split(separator: "\"", omittingEmptySubsequences: false).enumerated() {
            if index % 2 == 1 {
                words.append(quoted(part))
                continue
            }
            for word in part.split(whereSeparator: isSpace) {
                let isBeginning = word.last == "*"
                let letters = isBeginning ? word.dropLast() : word
                if !letters.isEmpty { words.append(quoted(letters) + (isBeginning ? " *" : "")) }
            }
        }
        return words
    }

    /// SQLite takes NUL for the end of the query.
    private static func isSpace(_ character: Character) -> Bool { character.isWhitespace || character == "\0" }

    private static func quoted(_ text: some StringProtocol) -> String {
        SQL.quoted(text.split(separator: "\0").joined(separator: " "))
    }
}

extension Request where Entity: SearchableEntity {
    /// Restricts the request to rows whose texts contain all words of a text, the best match first.
    ///
    /// A word that ends with `*` is the beginning of words. Words in double quotes must be next to each other. Everything else
    /// in the text is only searched: it may come from the user. A text without words matches no row.
    ///
    /// ```swift
    /// let episodes = try transaction.fetch(Episode.all.matching("swift con*").limit(20))
    /// ```
    ///
    /// - Parameters:
    ///   - text: The words.
    ///   - properties: The properties that are searched; none for all searched properties.
    public func matching(_ text: String, in properties: Entity.SearchedProperty...) -> Request {
        matching(.allWords(text), properties)
    }

    /// Restricts the request to rows whose texts contain certain words, the best match first.
    ///
    /// ```swift
    /// let request = Episode.all.matching(.beginnings(typed), in: .title)
    /// ```
    ///
    /// - Parameters:
    ///   - pattern: The words.
    ///   - properties: The properties that are searched; none for all searched properties.
    public func matching(_ pattern: SearchPattern, in properties: Entity.SearchedProperty...) -> Request {
        matching(pattern, properties)
    }

    private func matching(_ pattern: SearchPattern, _ properties: [Entity.SearchedProperty]) -> Request {
        let query = pattern.within(properties.map(\.rawValue)).query
        let condition: QueryFragment = "\(QueryFragment(column: Entity.searchIndex)) MATCH \(query.stored)"
        let request = searching(Entity.searchIndex, condition, Condition(Entity.inSearchIndex(condition)))
        return request.isSorted ? request : request.orderBy { $0.searchRank.ascending }
    }
}

extension EntityColumns where Entity: SearchableEntity {
    /// The rank of a row that a search has found. The best match has the least rank (https://sqlite.org/fts5.html#the_bm25_function).
    ///
    /// Only a request with ``Request/matching(_:in:)-(String,_)`` has ranks.
    public var searchRank: Column<Entity, Double> {
        Column(computed: Entity.inSearchIndex(QueryFragment(column: "rank")))
    }

    /// A part of a searched text with the words that were found, for a list of results.
    ///
    /// ```swift
    /// let results = Episode.all.matching("swift")
    ///     .select { ($0.title, $0.snippet(of: .notes, from: "**", to: "**")) }
    /// ```
    ///
    /// Only a request with ``Request/matching(_:in:)-(String,_)`` has snippets.
    ///
    /// - Parameters:
    ///   - property: The property; nil for the one with the best match.
    ///   - start: The text before each word that was found.
    ///   - end: The text after each word that was found.
    ///   - ellipsis: The text in place of what is left out.
    ///   - words: The greatest number of words, from 1 to 64.
    public func snippet(
        of property: Entity.SearchedProperty? = nil, from start: String = "", to end: String = "",
        ellipsis: String = "…", words: Int = 16
    ) -> Column<Entity, String> {
        text(
            "snippet", property, "\(start.stored), \(end.stored), \(ellipsis.stored), \(min(max(words, 1), 64).stored)")
    }

    /// A searched text, with marks around the words that were found.
    ///
    /// ```swift
    /// let titles = Episode.all.matching("swift").select { $0.highlighted(.title, from: "<b>", to: "</b>") }
    /// ```
    ///
    /// Only a request with ``Request/matching(_:in:)-(String,_)`` has such texts.
    public func highlighted(
        _ property: Entity.SearchedProperty, from start: String, to end: String
    ) -> Column<Entity, String> {
        text("highlight", property, "\(start.stored), \(end.stored)")
    }

    private func text(
        _ function: String, _ property: Entity.SearchedProperty?, _ arguments: QueryFragment
    ) -> Column<Entity, String> {
        let columnIndex = property.flatMap { Array(Entity.SearchedProperty.allCases).firstIndex(of: $0) } ?? -1
        let index = QueryFragment(column: Entity.searchIndex)
        // The text of a property without a value is NULL.
        return Column(
            computed: Entity.inSearchIndex(
                "coalesce(\(sql: function)(\(index), \(sql: String(columnIndex)), \(arguments)), '')"))
    }
}

extension SearchableEntity {
    fileprivate static var searchIndex: String { SearchIndex.name(of: table.name) }

    /// SQL about the row of the search index that belongs to a row of the entity.
    fileprivate static func inSearchIndex(_ fragment: QueryFragment) -> QueryFragment {
        let number = SQLite.rowID(besides: table.fetchedColumns) ?? "rowid"
        let link = ToOneLink(
            table: searchIndex, columns: [number], targetColumns: ["rowid"], isKeyOnThisSide: false, isRequired: true)
        return QueryFragment(.related(link, fragment))
    }
}
