/// A change of a table that SQLite makes without touching its rows, or nearly so: names, columns with a constant, and
/// columns that go (https://sqlite.org/lang_altertable.html).
struct TableAlteration {
    let old: Table
    let new: Table
    /// The new names of columns, by their old ones.
    private let renames: [String: String]
    private let dropped: [String]
    /// The definitions of the columns that are added.
    private let added: [String]

    /// From so many on a copy of the table costs less: newer SQLite reads the whole table for each.
    private static let mostAdded = 5
    private static let mostDropped = 2

    /// The alteration of `old` to `new`, whose columns have the values `columns`; nil where the rows must be copied.
    ///
    /// - `oldNames`, `newNames`: the names of all tables of both versions in small letters.
    init?(
        of old: Table, to new: Table, columns: [String: String], oldNames: Set<String>, newNames: Set<String>
    ) {
        self.old = old
        self.new = new
        // A name that is taken would need another between, and SQLite would make what refers to the one refer to the other.
        // And what is new refers to a table by its name already, which must not be taken for the old one's.
        if old.name != new.name,
            oldNames.contains(new.name.lowercased()) || newNames.contains(old.name.lowercased())
        {
            return nil
        }
        var sources: [String: String] = [:]
        var added: [String] = []
        for column in new.columns {
            guard let value = columns[column] else { return nil }
            if let source = SQL.column(value) {
                guard sources.updateValue(column, forKey: source) == nil else { return nil }
            } else if value == new.defaultValue(of: column), let element = new.element(column),
                Self.isAddable(element, value)
            {
                added.append(element)
            } else {
                return nil
            }
        }
        let dropped = old.columns.filter { sources[$0] == nil }
        guard added.count <= Self.mostAdded, dropped.count <= Self.mostDropped, dropped.allSatisfy(old.isDroppable)
        else { return nil }
        let kept = Set(old.columns.filter { sources[$0] != nil }.map { $0.lowercased() })
        renames = sources.filter { $0.key != $0.value }
        guard renames.values.allSatisfy({ !kept.contains($0.lowercased()) }) else { return nil }
        self.dropped = dropped
        self.added = added
    }

    /// Whether a column that is defined by `element`, with the default `value`, can be added to rows that are there.
    private static func isAddable(_ element: String, _ value: String) -> Bool {
        // "ADD COLUMN ... REAL NOT NULL DEFAULT 0.5" gives rows that SQLite 3.42 to 3.45 call damaged.
        let words = SQL.words(element)
        let isFraction = words.hasPrefix(" REAL") && Int(value) == nil && value != "NULL"
        let isRefused = words.contains(value == "NULL" ? " NOT NULL" : " REFERENCES ")
        return !isFraction && !isRefused && !words.hasSuffix(" PRIMARY KEY")
    }

    /// The elements that the table has afterwards, where tables and their columns are renamed as `alterations` say.
    func elements(after alterations: [String: TableAlteration]) -> [String] {
        old.elements.filter { SQL.leadingIdentifier($0).map { !dropped.contains($0) } ?? true }.map { element in
            var result = ""
            // The table that a REFERENCES names, and its columns, stand until the parenthesis is closed.
            var isReference = false
            var target: TableAlteration?
            var isTarget = false
            for token in SQL.tokens(element) {
                switch token {
                case .name(let name) where isReference:
                    target = alterations[name]
                    isTarget = true
                    isReference = false
                    result += SQL.quoted(target?.new.name ?? name)
                case .name(let name):
                    result += SQL.quoted((isTarget ? target?.renames : renames)?[name] ?? name)
                case .string(let text): result += text
                case .other(let text):
                    isReference = text.hasSuffix("REFERENCES ")
                    if isTarget, text.contains(")") { isTarget = false }
                    result += text
                }
            }
            return result
        } + added
    }

    /// The indexes of the old table that stay, as they are afterwards.
    private var indexes: [(old: Index, new: Index)] {
        old.indexes.compactMap { index in
            guard index.columns.allSatisfy({ !dropped.contains($0) }) else { return nil }
            let columns = index.columns.map { renames[$0] ?? $0 }
            return (index, Index(index.name, on: columns, unique: index.isUnique))
        }
    }

    /// Drops the indexes that go, which must be done first.
    var indexDrops: [String] {
        let kept = Set(indexes.filter { new.indexes.contains($0.new) }.map(\.old))
        return old.indexes.filter { !kept.contains($0) }.map { "DROP INDEX \(SQL.quoted($0.name))" }
    }

    /// Creates the indexes that come, which must be done last.
    var indexCreations: [String] {
        let kept = indexes.map(\.new)
        return new.indexes.filter { !kept.contains($0) }.map { $0.createStatement(on: new.name) }
    }

    /// Changes the columns and then the name of the table.
    var statements: [String] {
        let table = "ALTER TABLE \(SQL.quoted(old.name)) "
        return dropped.map { table + "DROP COLUMN \(SQL.quoted($0))" }
            + renames.sorted { $0.key < $1.key }.map { table + "RENAME COLUMN \(SQL.quoted($0)) TO \(SQL.quoted($1))" }
            + added.map { table + "ADD COLUMN \($0)" }
            + (old.name == new.name ? [] : [table + "RENAME TO \(SQL.quoted(new.name))"])
    }
}

extension Table {
    /// The definition of a column.
    fileprivate func element(_ column: String) -> String? {
        elements.first { SQL.leadingIdentifier($0) == column }
    }

    /// Whether SQLite drops the column: nothing of the table's own definition but its own line names it.
    fileprivate func isDroppable(_ column: String) -> Bool {
        let constraints = elements.filter { SQL.leadingIdentifier($0) == nil }
        guard let element = element(column), constraints.allSatisfy({ !$0.contains(SQL.quoted(column)) }) else {
            return false
        }
        let words = SQL.words(element)
        return !words.hasSuffix(" PRIMARY KEY") && !words.contains(" REFERENCES ")
    }
}
