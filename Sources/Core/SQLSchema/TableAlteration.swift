/// The statements by which SQLite changes a table without copying its rows: they rename the table and its columns, add
/// columns with a constant value, and drop columns (https://sqlite.org/lang_altertable.html).
struct TableAlteration {
    let old: Table
    let new: Table
    /// The new names of columns, by their old ones.
    private let renames: [String: String]
    private let dropped: [String]
    private let added: [Table.Column]
    private let droppedComputed: [String]
    private let addedComputed: [ComputedColumn]

    /// The maximum numbers of columns to add and to drop. For more columns, a copy of the table is faster: newer
    /// versions of SQLite read the complete table for each added column.
    private static let mostAdded = 5
    private static let mostDropped = 2

    /// Creates the alteration of `old` to `new`; nil if the rows must be copied.
    ///
    /// - Parameters:
    ///   - old: The table of the older version.
    ///   - new: The table of the newer version.
    ///   - columns: The values of the new table's columns.
    ///   - oldNames: The names of all tables of the older version, in lowercase.
    ///   - newNames: The names of all tables of the newer version, in lowercase.
    init?(
        of old: Table, to new: Table, columns: [String: ValueExpression], oldNames: Set<String>, newNames: Set<String>
    ) {
        self.old = old
        self.new = new
        // If an old table has the new name, the rename would need a temporary name, and references to the two tables
        // would be mixed up. If a new table has the old name, the created tables may already refer to it by that name,
        // and SQLite would redirect these references to the renamed table.
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
        let renames = sources.filter { $0.key != $0.value }
        let keptComputed = Set(
            old.computed.filter { column in
                let value = column.value.mapColumns { renames[$0] ?? $0 }
                return !column.value.columns.contains(where: dropped.contains)
                    && new.computed.contains(ComputedColumn(column.name, column.type, value))
            }.map(\.name))
        droppedComputed = old.computed.map(\.name).filter { !keptComputed.contains($0) }
        addedComputed = new.computed.filter { !keptComputed.contains($0.name) }
        guard added.count + addedComputed.count <= Self.mostAdded, dropped.count <= Self.mostDropped,
            dropped.allSatisfy(old.isDroppable)
        else { return nil }
        let kept = Set((old.columnNames.filter { sources[$0] != nil } + keptComputed).map { $0.lowercased() })
        self.renames = renames
        guard renames.values.allSatisfy({ !kept.contains($0.lowercased()) }) else { return nil }
        self.dropped = dropped
        self.added = added
    }

    /// Returns whether the result equals the new table, given the other alterations of the step.
    ///
    /// - Parameter alterations: The alterations, by the old names of their tables. Foreign keys follow the renamed
    ///   tables and columns.
    func givesNewTable(after alterations: [String: TableAlteration]) -> Bool {
        func renamed(_ name: String) -> String { renames[name] ?? name }
        var columns = old.columns.filter { !dropped.contains($0.name) }
        for index in columns.indices { columns[index].name = renamed(columns[index].name) }
        let foreignKeys = old.foreignKeys.map { key in
            let target = alterations[key.target]
            return Table.ForeignKey(
                key.columns.map(renamed), to: target?.new.name ?? key.target,
                key.targetColumns.map { target?.renames[$0] ?? $0 }, key.deleteRule)
        }
        let addedKeys = new.foreignKeys.filter { key in
            key.columns.count == 1 && added.contains { $0.name == key.columns[0] }
        }
        let checks = old.checks.filter { $0.column.map { !dropped.contains($0) } ?? true }
            .map { Table.Check($0.name, $0.condition.mapColumns(renamed)) }
        let addedChecks = new.checks.filter { check in added.contains { $0.name == check.column } }
        return Set(columns + added) == Set(new.columns) && Set(checks + addedChecks) == Set(new.checks)
            && Set(foreignKeys + addedKeys) == Set(new.foreignKeys)
            && old.primaryKey.map(renamed) == new.primaryKey
    }

    /// The indexes that remain, before and after the alteration.
    private var indexes: [(old: Table.Index, new: Table.Index)] {
        old.indexes.compactMap { index in
            guard index.shape.allColumns.allSatisfy({ !dropped.contains($0) && !droppedComputed.contains($0) }) else {
                return nil
            }
            return (index, Table.Index(index.name, index.shape.mapColumns { [renames[$0] ?? $0] }))
        }
    }

    /// The statements that drop old indexes. They must run before `statements`.
    var indexDrops: [String] {
        let kept = Set(indexes.filter { new.indexes.contains($0.new) }.map(\.old))
        return old.indexes.filter { !kept.contains($0) }.map { "DROP INDEX \(SQL.quoted($0.name))" }
    }

    /// The new indexes. They must be created after `statements`.
    var addedIndexes: [Table.Index] {
        let kept = indexes.map(\.new)
        return new.indexes.filter { !kept.contains($0) }
    }

    /// The statements that first change the columns, and then the name of the table.
    var statements: [String] {
        let table = "ALTER TABLE \(SQL.quoted(old.name)) "
        return (droppedComputed + dropped).map { table + "DROP COLUMN \(SQL.quoted($0))" }
            + renames.sorted { $0.key < $1.key }.map { table + "RENAME COLUMN \(SQL.quoted($0)) TO \(SQL.quoted($1))" }
            + added.map { table + "ADD COLUMN \(SQLite.definition(of: $0, in: new))" }
            + addedComputed.map { table + "ADD COLUMN \($0.definition)" }
            + (old.name == new.name ? [] : [table + "RENAME TO \(SQL.quoted(new.name))"])
    }
}

extension Table {
    /// Returns whether SQLite can add a column to a table that contains rows.
    fileprivate func isAddable(_ column: Column) -> Bool {
        if primaryKey.contains(column.name) { return false }
        let references = foreignKeys.filter { $0.columns.contains(column.name) }
        switch column.defaultValue {
        case nil: return column.isNullable && references.allSatisfy { $0.columns.count == 1 }
        // SQLite 3.42 to 3.45 reports rows as damaged after `ADD COLUMN … REAL NOT NULL DEFAULT 0.5`.
        case .real: return false
        default: return references.isEmpty
        }
    }

    /// Returns whether SQLite can drop a column: neither the primary key nor a foreign key contains it, nor a condition
    /// with other columns.
    fileprivate func isDroppable(_ column: String) -> Bool {
        !primaryKey.contains(column) && !foreignKeys.contains { $0.columns.contains(column) }
            && !checks.contains { $0.column == nil && $0.condition.columns.contains(column) }
    }
}
