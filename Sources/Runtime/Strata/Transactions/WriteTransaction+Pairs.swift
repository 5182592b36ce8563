import SQLSchema

// The pairs of a to-many relationship, and their positions.

extension WriteTransaction {
    // MARK: Pairs

    /// Relates two rows.
    ///
    /// - Parameters:
    ///   - index: The index of the target; nil for the last one.
    ///   - last: The last position of the list, once it is known and the positions differ.
    func link<Source, Target>(
        _ way: ToMany<Source, Target>, _ source: Source.ID, _ target: Target.ID, at index: Int?, _ last: inout Int?
    ) throws {
        try link(way.list, source, target, at: index, &last)
        // Each pair has a reverse pair. A row that is related to itself is one pair.
        var other: Int?
        if way.isSymmetric { try link(way.list, target, source, at: nil, &other) }
    }

    /// Adds an element to the list of `owner`.
    private func link<Owner: EntityID, Element: EntityID>(
        _ list: RelatedList, _ owner: Owner, _ element: Element, at index: Int?, _ last: inout Int?
    ) throws {
        let count = last == nil ? try numbered(list, owner) : 0
        if let index {
            if list.owner.position == nil { throw RelationshipError.notOrdered(table: list.table) }
            guard (0...count).contains(index) else { throw RelationshipError.noSuchIndex(index, count: count) }
        }
        if !list.hasDuplicates, let position = try position(of: element, in: list, owner) {
            guard let index else { return }
            let newIndex = Swift.min(index, count - 1)
            let (new, _): (Int, Element) = try entry(at: newIndex, of: list, owner, count)
            return try move(from: position, to: new, in: list, owner)
        }
        var position: Int?
        if let column = list.owner.position {
            if let index, index < count {
                let (next, _): (Int, Element) = try entry(at: index, of: list, owner, count)
                try shift(list, owner, from: next, through: nil, by: 1)
                position = next
            } else {
                let end = try last ?? integer("coalesce(max(\(SQL.quoted(column))), -1)", list, owner)
                (last, position) = (end + 1, end + 1)
            }
        }
        if list.isJoinTable {
            try insertPair(list, owner, element, at: position)
        } else {
            guard try exists(list.owner.table, owner) else {
                throw RelationshipError.noSuchRow(table: list.owner.table.name)
            }
            try setForeignKey(of: element, to: stored([owner], in: list.owner.table)[0], list, at: position)
        }
    }

    private func insertPair<Owner: EntityID, Element: EntityID>(
        _ list: RelatedList, _ owner: Owner, _ element: Element, at position: Int?
    ) throws {
        var columns = list.owner.columns + list.element.columns
        var values =
            list.owner.table.key.map { "o." + SQL.quoted($0) } + list.element.table.key.map { "e." + SQL.quoted($0) }
        if let own = list.owner.position {
            columns.append(own)
            values.append("?\(list.next)")
        }
        if let other = list.element.position {
            _ = try numbered(list.reversed, element)
            columns.append(other)
            values.append(
                "(SELECT coalesce(max(\(SQL.quoted(other))) + 1, 0) FROM \(quoted(list.table)) WHERE "
                    + SQL.matches(
                        list.element.columns, from: list.owner.columns.count + 1, collations: list.element.collations)
                    + ")")
        }
        let (owners, elements) = (quoted(list.owner.table.name), quoted(list.element.table.name))
        let isOwner = Self.isKey("o", list.owner.table, from: 1)
        let isElement = Self.isKey("e", list.element.table, from: list.owner.columns.count + 1)
        let statement = try open().cached(
            "INSERT INTO \(quoted(list.table)) (\(SQL.list(columns))) SELECT \(values.joined(separator: ", ")) "
                + "FROM \(owners) AS o, \(elements) AS e WHERE \(isOwner) AND \(isElement)")
        try statement.bind(owner, at: 1)
        try statement.bind(element, at: 1 + Owner.columnCount)
        if let position { try statement.bind(position, at: list.next) }
        try statement.run()
        if try open().changes == 0 {
            let isOwned = try exists(list.owner.table, owner)
            throw RelationshipError.noSuchRow(table: (isOwned ? list.element : list.owner).table.name)
        }
    }

    private static func isKey(_ alias: String, _ table: EntityTable, from first: Int) -> String {
        table.key.enumerated().map { "\(alias).\(SQL.quoted($1)) = ?\(first + $0)" }.joined(separator: " AND ")
    }

    func exists(_ table: EntityTable, _ id: some EntityID) throws -> Bool {
        let statement = try open().cached("SELECT 1 FROM \(quoted(table.name)) WHERE \(SQL.matches(table.key))")
        try statement.bind(id, at: 1)
        defer { statement.reset() }
        return try statement.step()
    }

    private func setForeignKey<Owner: EntityID, Element: EntityID>(
        of element: Element, to owner: Owner?, _ list: RelatedList, at position: Int?
    ) throws {
        listEnds = [:]
        let columns = list.owner.columns + [list.owner.position].compactMap(\.self)
        let values = columns.enumerated().map { "\(SQL.quoted($1)) = ?\($0 + 1)" }.joined(separator: ", ")
        let statement = try open().cached(
            "UPDATE \(quoted(list.table)) SET \(values) WHERE \(SQL.matches(list.element.columns, from: columns.count + 1))"
        )
        try statement.bind(owner, at: 1)
        if list.owner.position != nil { try statement.bind(position, at: columns.count) }
        try statement.bind(element, at: columns.count + 1)
        try statement.run()
        if try open().changes == 0 { throw RelationshipError.noSuchRow(table: list.table) }
    }

    /// Removes a pair: all of its duplicates, or the one at a position.
    @discardableResult func unlink<Source, Target>(
        _ way: ToMany<Source, Target>, _ source: Source.ID, _ target: Target.ID, at position: Int?
    ) throws -> Bool {
        let list = way.list
        if list.isJoinTable {
            let isRemoved = try delete(list, source, target, at: position)
            if way.isSymmetric { try delete(list, target, source, at: nil) }
            return isRemoved
        }
        guard try self.position(of: target, in: list, source) != nil else { return false }
        try setForeignKey(of: target, to: nil as Source.ID?, list, at: nil)
        return true
    }

    @discardableResult private func delete<Owner: EntityID, Element: EntityID>(
        _ list: RelatedList, _ owner: Owner, _ element: Element, at position: Int?
    ) throws -> Bool {
        var condition = list.isPair
        if position != nil, let column = list.owner.position {
            condition += " AND \(SQL.quoted(column)) = ?\(list.next)"
        }
        let statement = try open().cached("DELETE FROM \(quoted(list.table)) WHERE \(condition)")
        try statement.bind(owner, at: 1)
        try statement.bind(element, at: 1 + Owner.columnCount)
        if let position { try statement.bind(position, at: list.next) }
        try statement.run()
        return try open().changes > 0
    }

    // MARK: Positions

    /// A number that is greater than all positions, so that positions can change without being equal meanwhile.
    private static var beyond: Int64 { 1 << 40 }

    /// Returns a number that SQL computes from the rows of a list.
    private func integer(_ value: String, _ list: RelatedList, _ owner: some EntityID) throws -> Int {
        try integers("\(value), 0", list, owner).0
    }

    /// Returns two numbers that SQL computes from the rows of a list.
    private func integers(_ values: String, _ list: RelatedList, _ owner: some EntityID) throws -> (Int, Int) {
        let statement = try open().cached("SELECT \(values) FROM \(quoted(list.table)) WHERE \(list.isOwned)")
        try statement.bind(owner, at: 1)
        defer { statement.reset() }
        _ = try statement.step()
        return (try statement.row.int(0), try statement.row.int(1))
    }

    /// Gives the rows of an ordered list different positions. Inserted rows may have none, and other programs may write any.
    ///
    /// - Returns: The number of rows; 0 for a list without an order, which has no indices.
    func numbered(_ list: RelatedList, _ owner: some EntityID) throws -> Int {
        guard let column = list.owner.position else { return 0 }
        listEnds = [:]
        let position = SQL.quoted(column)
        let isNumbered =
            "count(*) = count(DISTINCT \(position)) AND coalesce(max(abs(\(position))) < \(Self.beyond), 1)"
        let (count, numbered) = try integers("count(*), \(isNumbered)", list, owner)
        if numbered == 0 {
            let (table, elements) = (quoted(list.table), SQL.list(list.element.columns))
            let isSame = list.element.columns.map { "l.\(SQL.quoted($0)) IS n.\(SQL.quoted($0))" }
            try run(
                """
                UPDATE \(table) AS l SET \(position) = n.number + \(Self.beyond) FROM (
                    SELECT \(elements), \(position) AS old, row_number() OVER (ORDER BY \(position) NULLS LAST, \(elements)) - 1 AS number
                    FROM \(table) WHERE \(list.isOwned)
                ) AS n WHERE \(isSame.joined(separator: " AND ")) AND l.\(position) IS n.old AND \(list.isOwned(by: "l"))
                """, owner)
            try run("UPDATE \(table) SET \(position) = \(position) - \(Self.beyond) WHERE \(list.isOwned)", owner)
        }
        return count
    }

    private func run(_ sql: String, _ owner: some EntityID, _ numbers: Int?...) throws {
        let statement = try open().cached(sql)
        try statement.bind(owner, at: 1)
        for (index, number) in numbers.enumerated() {
            if let number { try statement.bind(number, at: 1 + type(of: owner).columnCount + index) }
        }
        try statement.run()
    }

    /// Returns the position and the primary key at an index of an ordered list.
    func entry<Owner: EntityID, Element: EntityID>(
        at index: Int, of list: RelatedList, _ owner: Owner, _ count: Int
    ) throws -> (Int, Element) {
        guard let column = list.owner.position else { throw RelationshipError.notOrdered(table: list.table) }
        guard (0..<count).contains(index) else { throw RelationshipError.noSuchIndex(index, count: count) }
        let statement = try open().cached(
            "SELECT \(SQL.list([column] + list.element.columns)) FROM \(quoted(list.table)) WHERE \(list.isOwned) "
                + "ORDER BY \(SQL.quoted(column)) LIMIT 1 OFFSET ?\(1 + Owner.columnCount)")
        try statement.bind(owner, at: 1)
        try statement.bind(index, at: 1 + Owner.columnCount)
        defer { statement.reset() }
        _ = try statement.step()
        return (try statement.row.int(0), try statement.row.id(1))
    }

    /// Returns the position of an element, or 0 if it has none; nil if the list does not contain it.
    private func position<Owner: EntityID, Element: EntityID>(
        of element: Element, in list: RelatedList, _ owner: Owner
    ) throws -> Int? {
        let position = list.owner.position.map { "coalesce(\(SQL.quoted($0)), 0)" } ?? "0"
        let statement = try open().cached("SELECT \(position) FROM \(quoted(list.table)) WHERE \(list.isPair)")
        try statement.bind(owner, at: 1)
        try statement.bind(element, at: 1 + Owner.columnCount)
        defer { statement.reset() }
        return try statement.step() ? statement.row.int(0) : nil
    }

    /// Moves the element at a position to another one, and those between by one.
    func move(from old: Int, to new: Int, in list: RelatedList, _ owner: some EntityID) throws {
        guard let column = list.owner.position, old != new else { return }
        let (table, position) = (quoted(list.table), SQL.quoted(column))
        let parameter = list.owner.columns.count + 1
        let moved = Int(Self.beyond) * 4
        let change =
            "UPDATE \(table) SET \(position) = ?\(parameter + 1) WHERE \(list.isOwned) AND \(position) = ?\(parameter)"
        try run(change, owner, old, moved)
        if old < new {
            try shift(list, owner, from: old, through: new, by: -1)
        } else {
            try shift(list, owner, from: new, through: old, by: 1)
        }
        try run(change, owner, moved, new)
    }

    /// Adds a number to the positions from `first` on.
    private func shift(_ list: RelatedList, _ owner: some EntityID, from first: Int, through last: Int?, by offset: Int)
        throws
    {
        guard let column = list.owner.position else { return }
        let (table, position) = (quoted(list.table), SQL.quoted(column))
        let parameter = list.owner.columns.count + 1
        try run(
            "UPDATE \(table) SET \(position) = \(position) + \(2 * Self.beyond) WHERE \(list.isOwned) "
                + "AND \(position) BETWEEN ?\(parameter) AND ?\(parameter + 1)", owner, first, last ?? Int(Self.beyond))
        try run(
            "UPDATE \(table) SET \(position) = \(position) - \(2 * Self.beyond) + (\(offset)) WHERE \(list.isOwned) "
                + "AND \(position) BETWEEN \(Self.beyond) AND \(3 * Self.beyond)", owner)
    }
}
