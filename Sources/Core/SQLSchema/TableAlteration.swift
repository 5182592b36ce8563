/// A change that SQLite makes to a table without copying its rows: new names, added columns with a constant value, and
/// dropped columns (https://sqlite.org/lang_altertable.html).
struct TableAlteration {
    let old: Table
    let new: Table
    /// The new names of columns, by their old ones.
    private let renames: [String: String]
    private let dropped: [String]
    /// The columns that are added.
    private let added: [Table.Column]

    /// From so many on a copy of the table costs less: newer SQLite reads the whole table for each.
    private static let mostAdded = 5
    private static let mostDropped = 2

    /// The alteration of `old` to `new`, whose columns have the values `columns`; nil if the rows must be copied.
    ///
    /// - `oldNames`, `newNames`: the names of all tables of both versions in small letters.
    init?(
        of old: Table, to new: Table, columns: [String: ValueExpression], oldNames: Set<String>, newNames: Set<String>
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
        var added: [Table.Column] = []
        for column in new.columns {
            guard let value = columns[column.name] else { return nil }
            if let source = value.columnName {
                guard sources.updateValue(column.name, forKey: source) == nil else { return nil }
            } else if value == new.defaultValue(of: column.name), new.isAddable(column) {
                added.append(column)
            } else {
                return nil
            }
        }
        let dropped = old.columnNames.filter { sources[$0] == nil }
        guard added.count <= Self.mostAdded, dropped.count <= Self.mostDropped, dropped.allSatisfy(old.isDroppable)
        else { return nil }
        let kept = Set(old.columnNames.filter { sources[$0] != nil }.map { $0.lowercased() })
        renames = sources.filter { $0.key != $0.value }
        guard renames.values.allSatisfy({ !kept.contains($0.lowercased()) }) else { return nil }
        self.dropped = dropped
        self.added = added
    }

    /// Whether the result is the new table, if tables and their columns are renamed as `alterations` say.
    func givesNewTable(after alterations: [String: TableAlteration]) -> Bool {
        func renamed(_ name: String) -> String { renames[name] ?? name }
        var columns = old.columns.filter { !dropped.contains($0.name) }
        for place in columns.indices { columns[place].name = renamed(columns[place].name) }
        let foreignKeys = old.foreignKeys.map { key in
            let target = alterations[key.target]
            return Table.ForeignKey(
                key.columns.map(renamed), to: target?.new.name ?? key.target,
                key.targetColumns.map { target?.renames[$0] ?? $0 }, key.deleteRule)
        }
        let addedKeys = new.foreignKeys.filter { key in
            key.columns.count == 1 && added.contains { $0.name == key.columns[0] }
        }
        return Set(columns + added) == Set(new.columns) && Set(foreignKeys + addedKeys) == Set(new.foreignKeys)
            && old.primaryKey.map(renamed) == new.primaryKey
    }

    /// The indexes of the old table that stay, as they are afterwards.
    private var indexes: [(old: Table.Index, new: Table.Index)] {
        old.indexes.compactMap { index in
            guard index.columns.allSatisfy({ !dropped.contains($0) }) else { return nil }
            let columns = index.columns.map { renames[$0] ?? $0 }
            return (index, Table.Index(index.name, on: columns, unique: index.isUnique))
        }
    }

    /// The statements that drop old indexes. They must run first.
    var indexDrops: [String] {
        let kept = Set(indexes.filter { new.indexes.contains($0.new) }.map(\.old))
        return old.indexes.filter { !kept.contains($0) }.map { "DROP INDEX \(SQL.quoted($0.name))" }
    }

    /// The statements that create new indexes. They must run last.
    var indexCreations: [String] {
        let kept = indexes.map(\.new)
        return new.indexes.filter { !kept.contains($0) }.map { SQLite.createIndex($0, on: new.name) }
    }

    /// The statements that change the columns, and then the name of the table.
    var statements: [String] {
        let table = "ALTER TABLE \(SQL.quoted(old.name)) "
        return dropped.map { table + "DROP COLUMN \(SQL.quoted($0))" }
            + renames.sorted { $0.key < $1.key }.map { table + "RENAME COLUMN \(SQL.quoted($0)) TO \(SQL.quoted($1))" }
            + added.map { table + "ADD COLUMN \(SQLite.definition(of: $0, in: new))" }
            + (old.name == new.name ? [] : [table + "RENAME TO \(SQL.quoted(new.name))"])
    }
}

extension Table {
    /// Whether SQLite can add a column to a table that has rows.
    fileprivate func isAddable(_ column: Column) -> Bool {
        if primaryKey.contains(column.name) { return false }
        let references = foreignKeys.filter { $0.columns.contains(column.name) }
        switch column.defaultValue {
        case nil: return column.isNullable && references.allSatisfy { $0.columns.count == 1 }
        // "ADD COLUMN ... REAL NOT NULL DEFAULT 0.5" gives rows that SQLite 3.42 to 3.45 call damaged.
        case .real: return false
        default: return references.isEmpty
        }
    }

    /// Whether SQLite can drop a column: no key contains it.
    fileprivate func isDroppable(_ column: String) -> Bool {
        !primaryKey.contains(column) && !foreignKeys.contains { $0.columns.contains(column) }
    }
}
