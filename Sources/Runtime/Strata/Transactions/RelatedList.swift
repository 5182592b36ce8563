import SQLSchema

/// The rows that a to-many relationship of one row leads to, as the rows of a table with their positions.
struct RelatedList {
    /// One side of the relationship: its table, and the columns that hold its primary keys here.
    struct Side {
        let table: EntityTable
        let columns: [String]
        /// The collations that the columns themselves do not have.
        let collations: [String]
        /// The column with the positions in the list of one of these rows; nil without an order.
        let position: String?
    }

    /// The unquoted name of the table: the join table, or the one of the related rows.
    let table: String
    /// The row that has the list.
    let owner: Side
    /// The related rows.
    let element: Side
    /// Whether the table is a join table.
    let isJoinTable: Bool
    /// Whether the list can contain a row several times.
    let hasDuplicates: Bool

    /// The list as SQLite sees it from the related rows.
    var reversed: RelatedList {
        RelatedList(
            table: table, owner: element, element: owner, isJoinTable: isJoinTable, hasDuplicates: hasDuplicates)
    }

    /// The condition that a row of the table is in the list of the row whose primary key is in the parameters from 1 on.
    var isOwned: String { SQL.matches(owner.columns, collations: owner.collations) }

    /// `isOwned`, for a table with an alias.
    func isOwned(by alias: String) -> String {
        let columns = owner.columns.map { "\(alias).\(SQL.quoted($0))" }
        return SQL.collated(columns, owner.collations).enumerated().map { "\($1) = ?\($0 + 1)" }
            .joined(separator: " AND ")
    }

    /// `isOwned`, and the condition that it leads to the row whose primary key is in the next parameters.
    var isPair: String {
        "\(isOwned) AND \(SQL.matches(element.columns, from: owner.columns.count + 1, collations: element.collations))"
    }

    /// The number of the parameter after both primary keys.
    var next: Int { owner.columns.count + element.columns.count + 1 }
}

extension ToMany {
    /// The list of a row of the source.
    var list: RelatedList {
        switch storage {
        case .inverse(let columns, let position):
            let source = RelatedList.Side(
                table: Source.table, columns: columns, collations: Source.table.keyCollations, position: position)
            let target = RelatedList.Side(
                table: Target.table, columns: Target.table.key, collations: [], position: nil)
            return RelatedList(
                table: Target.table.name, owner: source, element: target, isJoinTable: false, hasDuplicates: false)
        case .joinTable(let join, let end):
            func side(_ end: JoinTable.End) -> RelatedList.Side {
                RelatedList.Side(
                    table: end.table, columns: end.columns, collations: end.table.keyCollations, position: end.position)
            }
            let isReversed = end == .target
            return RelatedList(
                table: join.name,
                owner: side(isReversed ? join.targetEnd(Source.table) : join.sourceEnd(Source.table)),
                element: side(isReversed ? join.sourceEnd(Target.table) : join.targetEnd(Target.table)),
                isJoinTable: true, hasDuplicates: join.hasDuplicates && !isReversed)
        }
    }

    /// Whether the join table contains each pair in both directions.
    var isSymmetric: Bool { if case .joinTable(_, .both) = storage { true } else { false } }
}
