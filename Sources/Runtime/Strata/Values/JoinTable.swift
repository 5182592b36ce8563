import SQLSchema

/// A join table.
struct JoinTable: Sendable {
    let name: String
    /// The columns of the source's primary key.
    let source: [String]
    /// The columns of the target's primary key.
    let target: [String]
    /// Whether a source may refer to a target several times.
    let hasDuplicates: Bool
    /// Whether the sources of a target are ordered.
    let hasOrderedInverse: Bool

    /// One end: the table of its rows, and the columns of the join table that belong to it.
    struct End {
        let table: EntityTable
        /// The columns with the row's primary key.
        let columns: [String]
        /// The column with the position of the other row; nil if this end has no order.
        let position: String?
    }

    /// Returns the end of the source.
    func sourceEnd(_ table: EntityTable) -> End { End(table: table, columns: source, position: Table.position) }

    /// Returns the end of the target.
    func targetEnd(_ table: EntityTable) -> End {
        End(table: table, columns: target, position: hasOrderedInverse ? Table.inversePosition : nil)
    }
}

/// The end of a join table.
enum JoinEnd: Sendable {
    case source, target
    /// Both ends. The table contains each pair in both directions.
    case both
}
