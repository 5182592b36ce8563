/// A table as it stands in one version of a schema: its DDL and nothing else.
public struct Table: Hashable, Sendable {
    /// The table's name, unquoted.
    public var name: String
    /// The lines between the parentheses of `CREATE TABLE`: column definitions, which begin with the quoted
    /// name of the column, and then table constraints, which begin with a keyword.
    public var elements: [String]
    /// The indexes, in the order of their creation.
    public var indexes: [Index]
    /// Whether it is a join table, which holds the pairs of a relationship.
    public var isJoinTable: Bool

    /// A table of `elements` with `indexes` on it.
    public init(_ name: String, _ elements: [String], indexes: [Index] = [], isJoinTable: Bool = false) {
        self.name = name
        self.elements = elements
        self.indexes = indexes
        self.isJoinTable = isJoinTable
    }

    /// A table that differs from this one in its name, some elements or some indexes.
    ///
    /// Generated code describes each version of a table by what changed since the version before.
    ///
    /// - Parameters:
    ///   - name: The new name; nil where it stays.
    ///   - removing: The positions in `elements` of those that are removed.
    ///   - adding: New elements by their positions in the result.
    ///   - removingIndexes: The positions in `indexes` of those that are removed.
    ///   - addingIndexes: New indexes by their positions in the result.
    public func changed(
        name: String? = nil, removing: [Int] = [], adding: [Int: String] = [:],
        removingIndexes: [Int] = [], addingIndexes: [Int: Index] = [:]
    ) -> Table {
        Table(
            name ?? self.name, elements.changed(removing: removing, adding: adding),
            indexes: indexes.changed(removing: removingIndexes, adding: addingIndexes), isJoinTable: isJoinTable)
    }

    /// The names of the columns, unquoted and in order.
    public var columns: [String] {
        elements.compactMap(SQL.leadingIdentifier)
    }

    /// Whether it refers to another table, or to itself.
    package var hasForeignKeys: Bool { elements.contains { SQL.words($0).contains("REFERENCES ") } }

    /// `CREATE TABLE`, for this table or for one that is alike but for its name.
    public func createStatement(named name: String? = nil) -> String {
        "CREATE TABLE \(SQL.quoted(name ?? self.name)) (\n  " + elements.joined(separator: ",\n  ") + "\n) STRICT"
    }

    /// `CREATE INDEX` for every index.
    public var indexStatements: [String] {
        indexes.map { $0.createStatement(on: name) }
    }

    /// What SQL calls the number of a row: the key that is that number, quoted, or a hidden name; nil where columns hide
    /// all of those.
    public var rowNumber: String? {
        let key = elements.first { $0.hasSuffix("INTEGER PRIMARY KEY") }.flatMap(SQL.leadingIdentifier)
        return key.map(SQL.quoted) ?? hiddenRowID
    }

    /// A name by which SQL reaches the hidden row number, or nil where the key is that number itself or columns
    /// hide it ("ROWIDs and the INTEGER PRIMARY KEY", https://sqlite.org/lang_createtable.html#rowid).
    public var hiddenRowID: String? {
        if elements.contains(where: { $0.hasSuffix("INTEGER PRIMARY KEY") }) { return nil }
        let names = Set(columns.map { $0.lowercased() })
        return ["rowid", "_rowid_", "oid"].first { !names.contains($0) }
    }
}

/// An index on a table.
public struct Index: Hashable, Sendable {
    /// The index's name, unquoted; it stays the same for the index's whole life.
    public var name: String
    /// The names of the indexed columns, unquoted.
    public var columns: [String]
    /// Whether no two rows may agree in all the columns.
    public var isUnique: Bool

    /// An index called `name` on `columns`.
    public init(_ name: String, on columns: [String], unique isUnique: Bool = false) {
        self.name = name
        self.columns = columns
        self.isUnique = isUnique
    }

    /// `CREATE INDEX` on the table called `table`.
    public func createStatement(on table: String) -> String {
        "CREATE \(isUnique ? "UNIQUE " : "")INDEX \(SQL.quoted(name)) ON \(SQL.quoted(table)) (\(SQL.list(columns)))"
    }
}
