import SQLSchema

/// The order of a to-many relationship that is stored in columns of the related rows.
///
/// A row that has a list and no position gets one when it is written: the one that it has in this list, or else the last one.
struct ListOrder: Sendable {
    /// The column with the position.
    let position: String
    /// The foreign key to the row that has the list.
    let owner: [String]
    /// The collations of the foreign key; empty if all are the default.
    let collations: [String]
    /// The index of the position in the columns of the table.
    let positionIndex: Int
    /// The indices of the foreign key in the columns of the table.
    let ownerIndices: [Int]
    /// The number of the parameter with the position that a row gets as the last one of its list.
    let lastParameter: Int

    init?(_ position: String, _ owner: [String], in columns: [String], collations: [String: String], index: Int) {
        let indices = owner.compactMap(columns.firstIndex)
        guard let positionIndex = columns.firstIndex(of: position), indices.count == owner.count else { return nil }
        (self.position, self.owner, self.positionIndex, ownerIndices) = (position, owner, positionIndex, indices)
        self.collations = owner.contains { collations[$0] != nil } ? owner.map { collations[$0] ?? "" } : []
        lastParameter = columns.count + 1 + index
    }

    /// Returns the foreign key of a recorded row. Keys that are equal by their collation are the same.
    func owner(in values: Statement) -> [SQLiteValue] {
        ownerIndices.enumerated().map { part, index in
            let value = values.record(at: index)
            guard !collations.isEmpty, case .text(let text) = value else { return value }
            return switch collations[part] {
            case "NOCASE":
                .text(String(decoding: text.utf8.map { (65...90).contains($0) ? $0 | 32 : $0 }, as: UTF8.self))
            case "RTRIM": .text(String(decoding: text.utf8.reversed().drop { $0 == 32 }.reversed(), as: UTF8.self))
            default: value
            }
        }
    }

    /// The value of the position in an INSERT statement.
    var inserted: String { "coalesce(?\(positionIndex + 1), ?\(lastParameter))" }

    /// The position of a row that exists: the one that it has, or the last one if its list changes.
    ///
    /// - Parameters:
    ///   - row: The name of the row, with a dot, or an empty string.
    ///   - new: The SQL of a new value.
    ///   - last: The SQL of the position after the last row of the list.
    func updated(of row: String, to new: (String) -> String, last: String) -> String {
        let isSame = zip(SQL.collated(owner.map { row + SQL.quoted($0) }, collations), owner).map {
            "\($0) IS \(new($1))"
        }
        return "CASE WHEN \(isSame.joined(separator: " AND ")) THEN \(row)\(SQL.quoted(position)) ELSE \(last) END"
    }

    /// The position after the last row of a list: SQL that is NULL if a part of the foreign key is NULL.
    ///
    /// - Parameters:
    ///   - table: The quoted name of the table.
    ///   - value: The SQL of a part of the foreign key.
    func last(in table: String, _ value: (String) -> String) -> String {
        let columns = SQL.collated(owner.map { "strata_list.\(SQL.quoted($0))" }, collations)
        let isOwned = zip(columns, owner).map { "\($0) = \(value($1))" }.joined(separator: " AND ")
        let isRelated = owner.map { "\(value($0)) IS NOT NULL" }.joined(separator: " AND ")
        return
            "CASE WHEN \(isRelated) THEN (SELECT coalesce(\(Self.next("max(strata_list.\(SQL.quoted(position)))")), 0) "
            + "FROM \(table) AS strata_list WHERE \(isOwned)) END"
    }

    /// Another program may have written the greatest integer.
    private static func next(_ last: String) -> String { "min(\(last), 9223372036854775806) + 1" }
}

extension EntityTable {
    /// The assignments of an UPDATE that sets columns to the parameters of their indices.
    ///
    /// - Parameter table: The quoted name of the table, if a row without a position keeps the one that it has.
    func assignments(_ names: [String], in table: String? = nil) -> [String] {
        // A property that is not stored has no column. SQLite refuses its name.
        func parameter(_ name: String) -> String { columns.firstIndex(of: name).map { "?\($0 + 1)" } ?? "NULL" }
        let last = table.map { table in { (order: ListOrder) in order.last(in: table, parameter) } }
        return assignments(names, of: "", to: parameter, last: last)
    }

    /// The assignments of a DO UPDATE clause that sets columns to the values of the new row.
    func assignmentsOfExcluded(_ names: [String], keepsPositions: Bool) -> [String] {
        func excluded(_ name: String) -> String { "excluded.\(SQL.quoted(name))" }
        let last = { (order: ListOrder) in excluded(order.position) }
        return assignments(names, of: "strata_row.", to: excluded, last: keepsPositions ? last : nil)
    }

    private func assignments(
        _ names: [String], of row: String, to new: (String) -> String, last: ((ListOrder) -> String)?
    ) -> [String] {
        names.map { name in
            var value = new(name)
            if let last, let order = orders.first(where: { $0.position == name }) {
                let stays = !order.owner.contains(where: names.contains)
                let position = stays ? row + SQL.quoted(name) : order.updated(of: row, to: new, last: last(order))
                value = "coalesce(?\(order.positionIndex + 1), \(position))"
            }
            return "\(SQL.quoted(name)) = \(value)"
        }
    }

    /// The columns that an update of some of them sets: a row that changes its list has another position.
    func updatedColumns(_ names: [String]) -> [String] {
        names
            + orders.filter { !names.contains($0.position) && $0.owner.contains(where: names.contains) }.map(\.position)
    }
}
