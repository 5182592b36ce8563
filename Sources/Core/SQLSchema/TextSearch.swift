/// The division of texts into the words that a search finds (https://sqlite.org/fts5.html#tokenizers).
package enum SearchTokenizer: String, CaseIterable, Hashable, Sendable {
    /// Words, without regard to case and diacritics.
    case unicode61
    /// The stems of English words: "swimming" finds "swims".
    case porter
    /// Each three characters, so that any part of a word is found.
    case trigram
}

/// The texts of a table that can be searched.
package struct TextSearch<Column: Hashable & Sendable>: Hashable, Sendable {
    /// The searched columns.
    package var columns: [Column]
    /// The division into words.
    package var tokenizer: SearchTokenizer

    /// Creates the search of columns.
    package init(_ columns: [Column], _ tokenizer: SearchTokenizer = .unicode61) {
        self.columns = columns
        self.tokenizer = tokenizer
    }

    /// Returns the search as text: `(title, body) porter`.
    package func text(_ name: (Column) -> String) -> String {
        "(\(columns.map(name).joined(separator: ", "))) \(tokenizer.rawValue)"
    }

    /// Returns the search of other columns.
    package func mapColumns<New>(_ change: (Column) -> New) -> TextSearch<New> {
        TextSearch<New>(columns.map(change), tokenizer)
    }
}

// MARK: SQL

/// The objects by which SQLite searches the texts of a table: an index of the words, which reads the texts from the
/// table itself (https://sqlite.org/fts5.html#external_content_tables), and triggers that keep it up to date.
///
/// The name of the index is `strata_search_`, followed by the table's name. Names that begin with `strata_` are reserved.
package struct SearchIndex: Hashable, Sendable {
    /// The name of the index.
    package let name: String
    /// The statement that creates the index, without words.
    package var table: String { creation(named: name) }
    /// The definition of the index, after its name.
    private let definition: String
    /// The searched columns.
    package let columns: [String]
    /// The statements that create the triggers.
    package let triggers: [String]
    private let triggerNames: [String]

    /// The name of the index of a table.
    package static func name(of table: String) -> String { prefix + table }

    /// The table of the index with this name.
    package static func table(of name: String) -> String { String(name.dropFirst(prefix.count)) }

    private static let prefix = "strata_search_"

    /// Creates the objects for a table; nil if it is not searched, or if columns hide all names of the row number.
    package init?(of table: Table) {
        guard let search = table.search, let number = SQLite.rowID(besides: table.allColumnNames) else { return nil }
        let name = Self.name(of: table.name)
        self.name = name
        // The tokenizer `porter` finds stems of the words that another one finds.
        let tokenizer = search.tokenizer == .porter ? "porter unicode61" : search.tokenizer.rawValue
        self.columns = search.columns
        definition =
            "(\n  \(SQL.list(search.columns)),\n  content = \(SQL.quoted(table.name)), content_rowid = \(SQL.quoted(number)), "
            + "tokenize = \(SQL.quoted(tokenizer))\n)"
        func values(_ row: String) -> String {
            (["\(row).\(SQL.quoted(number))"] + search.columns.map { "\(row).\(SQL.quoted($0))" })
                .joined(separator: ", ")
        }
        let columns = SQL.list(["rowid"] + search.columns)
        let insert = "  INSERT INTO \(SQL.quoted(name)) (\(columns)) VALUES (\(values("new")));\n"
        // The index finds the words of a row by the texts that the row had.
        let delete =
            "  INSERT INTO \(SQL.quoted(name)) (\(SQL.quoted(name)), \(columns)) VALUES ('delete', \(values("old")));\n"
        let collated = Set(table.columns.filter { $0.collation != nil }.map(\.name))
        let changed = search.columns.map { column in
            let name = SQL.quoted(column)
            return "old.\(name) IS NOT new.\(name)" + (collated.contains(column) ? " COLLATE BINARY" : "")
        }
        let isChanged = SQL.any(["old.\(SQL.quoted(number)) IS NOT new.\(SQL.quoted(number))"] + changed)
        let keys = table.integerKey.map { [$0] } ?? []
        let actions = [
            ("insert", "INSERT", "", insert),
            ("delete", "DELETE", "", delete),
            ("update", "UPDATE OF \(SQL.list(keys + search.columns))", "\nWHEN \(isChanged)", delete + insert),
        ]
        triggerNames = actions.map { "\(name)_\($0.0)" }
        triggers = actions.map { action, event, condition, body in
            "CREATE TRIGGER \(SQL.quoted("\(name)_\(action)")) AFTER \(event) ON \(SQL.quoted(table.name))\(condition) "
                + "BEGIN\n\(body)END"
        }
    }

    /// The statement that creates the index, without words, under another name.
    package func creation(named name: String) -> String {
        "CREATE VIRTUAL TABLE \(SQL.quoted(name)) USING fts5 \(definition)"
    }

    /// The statements that create the index and its triggers for an empty table.
    package var creation: [String] { [table] + triggers }

    /// The statements that drop the index and its triggers.
    package var removal: [String] { triggerRemoval + ["DROP TABLE IF EXISTS \(SQL.quoted(name))"] }

    /// The statements that drop the triggers.
    var triggerRemoval: [String] { triggerNames.map { "DROP TRIGGER IF EXISTS \(SQL.quoted($0))" } }

    /// The statement that reads all words from the table again.
    package var rebuild: String { Self.rebuild(name) }

    /// The statement that reads all words of the index with a name again.
    package static func rebuild(_ name: String) -> String {
        "INSERT INTO \(SQL.quoted(name)) (\(SQL.quoted(name))) VALUES ('rebuild')"
    }

    /// The statement that fails unless the index has exactly the words of the table.
    package var check: String { Self.check(name) }

    /// The statement that fails unless the index with a name has exactly the words of its table.
    package static func check(_ name: String) -> String {
        "INSERT INTO \(SQL.quoted(name)) (\(SQL.quoted(name)), rank) VALUES ('integrity-check', 1)"
    }
}
