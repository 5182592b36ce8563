import SQLSchema

/// A list of related rows that are ordered by a column of theirs.
struct OrderedList: Hashable {
    let table: String
    let position: String
    /// The primary key of the row that has the list.
    let owner: [SQLiteValue]
}

/// The end of an ordered list.
struct ListEnd {
    /// The greatest known position.
    var last: Int64
    /// Whether the rows that the store has are known too. A statement that inserts many rows may not have written the ones before.
    var isComplete: Bool

    var next: Int64 { last == .max ? last : last + 1 }
}

extension WriteTransaction {
    /// The number of lists whose ends a transaction remembers.
    private static var mostLists: Int { 10_000 }

    /// Binds the values of a row, and the positions that it gets as the last row of its lists if it has none.
    @inlinable func write<Entity: StoredEntity>(_ entity: Entity, to statement: Statement) throws {
        try entity.write(to: statement)
        if Entity.table.isOrdered { try bindPositions(of: entity, to: statement) }
    }

    /// Binds the positions that a row gets as the last row of its lists if it has none.
    ///
    /// The number may remain unused, because the row exists already. Positions have gaps then. In a custom migration, rows get no
    /// positions: it must give the same rows when its structs are no longer the newest ones.
    @usableFromInline func bindPositions<Entity: StoredEntity>(of entity: Entity, to statement: Statement) throws {
        if isMigrating { return }
        let table = Entity.table
        if !statement.isRecording && listEnds.count > Self.mostLists { listEnds = [:] }
        if !statement.isRecording { for order in table.orders { try statement.bindNull(at: order.lastParameter) } }
        for (order, list, position) in try lists(of: entity, recordedBy: statement) {
            if let position {
                note(position, in: list)
            } else {
                let next = try nextPosition(of: list, order, in: table)
                try statement.bindInteger(
                    next, at: statement.isRecording ? order.positionIndex + 1 : order.lastParameter)
            }
        }
    }

    /// Returns the lists that a row is in, each with its position if it has one.
    private func lists<Entity: StoredEntity>(
        of entity: Entity, recordedBy statement: Statement
    ) throws -> [(ListOrder, OrderedList, Int64?)] {
        let table = Entity.table
        var values = statement
        if !statement.isRecording {
            values = Statement(recording: table.columns.count)
            try entity.write(to: values)
        }
        return table.orders.compactMap { order in
            let owner = order.owner(in: values)
            if owner.contains(.null) { return nil }
            let position: Int64? =
                if case .integer(let value) = values.record(at: order.positionIndex) { value } else { nil }
            return (order, OrderedList(table: table.name, position: order.position, owner: owner), position)
        }
    }

    /// Returns the position after the last row of a list, and remembers it.
    private func nextPosition(of list: OrderedList, _ order: ListOrder, in table: EntityTable) throws -> Int64 {
        if let end = listEnds[list], end.isComplete {
            listEnds[list]?.last = end.next
            return end.next
        }
        let statement = try open().cached(
            "SELECT " + order.last(in: quoted(table.name)) { "?\((order.owner.firstIndex(of: $0) ?? 0) + 1)" })
        for (index, value) in list.owner.enumerated() { try statement.bind(value, at: index + 1) }
        defer { statement.reset() }
        var next = try statement.step() ? Int64(statement.row.int(0)) : 0
        if let known = listEnds[list] { next = Swift.max(next, known.next) }
        listEnds[list] = ListEnd(last: next, isComplete: true)
        return next
    }

    private func note(_ position: Int64, in list: OrderedList) {
        listEnds[list, default: ListEnd(last: position, isComplete: false)].last = Swift.max(
            listEnds[list]?.last ?? position, position)
    }

    /// Notes that an update may put a row at a position, or at the end of a list.
    func notePositions<Entity: StoredEntity>(of entity: Entity) throws {
        if listEnds.isEmpty || !Entity.table.isOrdered { return }
        let values = Statement(recording: Entity.table.columns.count)
        try entity.write(to: values)
        for (_, list, position) in try lists(of: entity, recordedBy: values) {
            if let end = listEnds[list] { note(position ?? end.next, in: list) }
        }
    }
}
