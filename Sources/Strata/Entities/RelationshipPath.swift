import SchemaSQL

/// A table that names pairs of rows.
struct JoinTable: Sendable {
    let name: String
    /// The columns of the source's key.
    let source: [String]
    /// The columns of the target's key.
    let target: [String]
}

/// Which end of a join table a row is.
enum JoinEnd: Sendable {
    case source, target
    /// Either: a pair stands in it both ways.
    case both
}

/// The way from rows of one entity to the row that they point at.
public struct ToOne<Source: StoredEntity, Target: StoredEntity>: Sendable {
    enum Storage: Sendable {
        /// The foreign key columns of the source.
        ///
        /// - `isSymmetric`: whether the target points back by the same columns.
        case column([String], isSymmetric: Bool)
        /// The unique foreign key columns of the target.
        case inverse([String])
    }

    let storage: Storage

    /// The row whose key is in the columns `column` of the source's table.
    public init(column: [String], symmetric isSymmetric: Bool = false) {
        storage = .column(column, isSymmetric: isSymmetric)
    }

    /// The row whose foreign key `inverse` holds the source's key.
    public init(inverse: [String]) {
        storage = .inverse(inverse)
    }
}

/// The way from rows of one entity to the rows that they point at, in order.
public struct ToMany<Source: StoredEntity, Target: StoredEntity>: Sendable {
    enum Storage: Sendable {
        /// The foreign key columns of the target, and the column of the order if there is one.
        case inverse([String], position: String?)
        /// A join table, and which end of it the source is.
        case joinTable(JoinTable, JoinEnd)
    }

    let storage: Storage

    /// The rows whose foreign key `inverse` holds the source's key, by `position` if there is one and by key.
    public init(inverse: [String], position: String? = nil) {
        storage = .inverse(inverse, position: position)
    }

    /// The rows that a join table names, which has the keys of both ends in the columns `source` and `target`.
    public init(
        joinTable: String, source: [String] = ["source_id"], target: [String] = ["target_id"],
        reversed isReversed: Bool = false, symmetric isSymmetric: Bool = false
    ) {
        storage = .joinTable(
            JoinTable(name: joinTable, source: source, target: target),
            isReversed ? .target : isSymmetric ? .both : .source)
    }

    /// Selects the related rows of the source whose key is parameter 1; `name` tells what a table is called.
    func select(names name: (String) -> String) -> String {
        let table = Target.table
        switch storage {
        case .inverse(let column, let position):
            let order = position.map { SQL.quoted($0) + " NULLS LAST, " } ?? ""
            return table.select(from: name(table.name))
                + " WHERE \(SQL.matches(column)) ORDER BY \(order)\(SQL.list(table.key))"
        case .joinTable(let join, let end):
            let columns = table.columns.map { "t.\(SQL.quoted($0))" }.joined(separator: ", ")
            let (from, to) = end == .target ? (join.target, join.source) : (join.source, join.target)
            let keys = table.key.map { "t." + SQL.quoted($0) }
            let pairs = zip(keys, to).map { "\($0) = j.\(SQL.quoted($1))" }.joined(separator: " AND ")
            return """
                SELECT \(columns) FROM \(SQL.quoted(name(join.name))) AS j JOIN \(SQL.quoted(name(table.name))) AS t \
                ON \(pairs) WHERE \(SQL.matches(from)) ORDER BY j."position", \(keys.joined(separator: ", "))
                """
        }
    }
}
