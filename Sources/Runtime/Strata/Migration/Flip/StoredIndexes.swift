import SQLSchema

/// The indexes of a store.
struct StoredIndexes {
    private let byStatement: [String: [String]]
    private let taken: Set<String>

    init(_ connection: Connection) throws {
        byStatement = try SchemaComparison.indexNames(of: connection)
        taken = Set(try connection.texts("SELECT lower(name) FROM sqlite_schema"))
    }

    /// Creates those of the indexes that a table does not have yet.
    static func create(_ indexes: [Table.Index], on table: String, in connection: Connection) throws {
        if indexes.isEmpty { return }
        let stored = try StoredIndexes(connection)
        for index in indexes where !stored.has(index, on: table) {
            try connection.execute(SQLite.createIndex(stored.free(index), on: table))
        }
    }

    /// Whether a table has an index of this shape.
    func has(_ index: Table.Index, on table: String) -> Bool {
        byStatement[SchemaComparison.unnamed(SQLite.createIndex(index, on: table), index.name)] != nil
    }

    /// Returns the index with a name that nothing else has. The old table may still have an index with its name.
    private func free(_ index: Table.Index) -> Table.Index {
        var (name, number) = (index.name, 2)
        while taken.contains(name.lowercased()) {
            name = "\(index.name)_\(number)"
            number += 1
        }
        return Table.Index(name, index.shape)
    }
}
