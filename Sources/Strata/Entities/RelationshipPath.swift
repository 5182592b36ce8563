import SchemaSQL

/// The way from rows of one entity to the row that they point at.
public struct ToOne<Source: StoredEntity, Target: StoredEntity>: Sendable {
    enum Storage: Sendable {
        /// A foreign key column of the source.
        case column(String)
        /// A unique foreign key column of the target.
        case inverse(String)
    }

    let storage: Storage

    /// The row whose key is in `column` of the source's table.
    public init(column: String) {
        storage = .column(column)
    }

    /// The row whose foreign key `inverse` holds the source's key.
    public init(inverse: String) {
        storage = .inverse(inverse)
    }
}

/// The way from rows of one entity to the rows that they point at, in order.
public struct ToMany<Source: StoredEntity, Target: StoredEntity>: Sendable {
    enum Storage: Sendable {
        /// A foreign key column of the target, and the column of the order if there is one.
        case inverse(String, position: String?)
        /// A join table; `isReversed` where its source is the other end.
        case joinTable(String, isReversed: Bool)
    }

    let storage: Storage

    /// The rows whose foreign key `inverse` holds the source's key, by `position` if there is one and by key.
    public init(inverse: String, position: String? = nil) {
        storage = .inverse(inverse, position: position)
    }

    /// The rows that a join table names.
    public init(joinTable: String, reversed isReversed: Bool = false) {
        storage = .joinTable(joinTable, isReversed: isReversed)
    }

    /// Selects the related rows of the source whose key is parameter 1.
    var select: String {
        let table = Target.table
        switch storage {
        case .inverse(let column, let position):
            let order = position.map { SQL.quoted($0) + " NULLS LAST, " } ?? ""
            return table.select + " WHERE \(SQL.quoted(column)) = ?1 ORDER BY \(order)\(SQL.quoted(table.key))"
        case .joinTable(let join, let isReversed):
            let columns = table.columns.map { "t.\(SQL.quoted($0))" }.joined(separator: ", ")
            let (from, to) = isReversed ? ("target_id", "source_id") : ("source_id", "target_id")
            return """
                SELECT \(columns) FROM \(SQL.quoted(join)) AS j JOIN \(SQL.quoted(table.name)) AS t \
                ON t.\(SQL.quoted(table.key)) = j.\(SQL.quoted(to)) WHERE j.\(SQL.quoted(from)) = ?1 \
                ORDER BY j."position", t.\(SQL.quoted(table.key))
                """
        }
    }
}
