import Foundation
import SQLSchema

/// A write transaction. `Store.write` passes it to its closure; it is invalid after the closure has returned.
///
/// ```swift
/// try store.write { transaction in
///     let id = try transaction.newID(of: Movie.self)
///     try transaction.insert(Movie(id: id, title: "Mirror", popularity: 9))
/// }
/// ```
public final class WriteTransaction: ReadTransaction {
    /// Inserts a row.
    ///
    /// ```swift
    /// try transaction.insert(Movie(id: 7, title: "Solaris", popularity: 8))
    /// ```
    ///
    /// - Throws: `SQLiteError` if a row with the primary key exists, or if the row violates a constraint. Foreign keys are
    ///   checked when the transaction ends.
    @inlinable public func insert<Entity: StoredEntity>(_ entity: Entity) throws {
        let type = ObjectIdentifier(Entity.self)
        if insertion?.type != type {
            let statement = try statement(insertingInto: Entity.table)
            if Entity.table.isOrdered {
                try write(entity, to: statement)
                return try statement.run()
            }
            insertion = (type, statement)
        }
        try checkOpen()
        guard let statement = insertion?.statement else { return }
        try entity.write(to: statement)
        try statement.run()
    }

    /// The statement that inserted the last row, with the type of that row.
    @exclusivity(unchecked) @usableFromInline var insertion: (type: ObjectIdentifier, statement: Statement)?

    /// A statement that inserts a row into a table.
    @usableFromInline func statement(insertingInto table: EntityTable) throws -> Statement {
        try open().cached(table.insert(into: name(table.name)))
    }

    /// Inserts rows.
    ///
    /// ```swift
    /// try transaction.insert(contentsOf: movies)
    /// ```
    ///
    /// - Throws: The errors of inserting one row. Then none of the rows is inserted.
    @inlinable public func insert<Entity: StoredEntity>(contentsOf entities: some Sequence<Entity>) throws {
        var rest = entities.makeIterator()
        let isOrdered = Entity.table.isOrdered
        try insert(into: Entity.table) { statement in
            guard let entity = rest.next() else { return false }
            try entity.write(to: statement)
            if isOrdered { try bindPositions(of: entity, to: statement) }
            return true
        }
    }

    /// Inserts rows with one statement, which reads them as a table. That takes less time than a statement for each row.
    ///
    /// - Parameters:
    ///   - table: The table.
    ///   - clause: A clause for conflicts.
    ///   - body: Binds the values of the next row to a statement; returns false after the last row.
    /// - Returns: The number of inserted and updated rows.
    @discardableResult @usableFromInline func insert(
        into table: EntityTable, _ clause: String = "", _ body: (Statement) throws -> Bool
    ) throws -> Int {
        // A clause for conflicts needs to know which positions the rows had.
        if table.columns.count > VirtualRows.mostColumns || table.isOrdered && !clause.isEmpty {
            return try savepoint {
                let statement = try open().cached(table.insert(into: name(table.name)) + " " + clause)
                var count = 0
                while try body(statement) {
                    try statement.run()
                    count += try open().changes
                }
                return count
            }
        }
        // SQLite may find that a statement with a clause for conflicts cannot fail, and then keeps the rows before an error of
        // `body`.
        return clause.isEmpty
            ? try insertRows(into: table, clause, body) : try savepoint { try insertRows(into: table, clause, body) }
    }

    /// Inserts rows with one statement. If `body` throws, the rows before may stay.
    private func insertRows(
        into table: EntityTable, _ clause: String, _ body: (Statement) throws -> Bool
    ) throws -> Int {
        try withoutActuallyEscaping(body) { body in
            let statement = try open().cached(table.insertRows(into: name(table.name), clause))
            let feed = RowFeed(columnCount: table.columns.count, body)
            try feed.bind(to: statement, at: 1)
            defer { statement.reset() }
            do {
                let before = try open().totalChanges
                try statement.run()
                return try open().totalChanges == before ? 0 : open().changes
            } catch {
                throw feed.error ?? error
            }
        }
    }

    /// Updates all properties of the row with the same primary key.
    ///
    /// ```swift
    /// movie.title = "Solyaris"
    /// try transaction.update(movie)
    /// ```
    ///
    /// - Throws: `RelationshipError.noSuchRow` if there is no such row.
    public func update<Entity: StoredEntity>(_ entity: Entity) throws {
        try update(entity, setting: Entity.table.columns)
    }

    /// Updates some properties of the row with the same primary key.
    ///
    /// ```swift
    /// try transaction.update(movie, \.title, \.popularity)
    /// ```
    ///
    /// - Throws: `RelationshipError.noSuchRow` if there is no such row.
    public func update<Entity: StoredEntity, First, each Value>(
        _ entity: Entity, _ first: WritableKeyPath<Entity, First>, _ others: repeat WritableKeyPath<Entity, each Value>
    ) throws where Entity.Columns == PropertyColumns<Entity> {
        var names = Entity.table.column(of: first).names
        repeat names.append(contentsOf: Entity.table.column(of: each others).names)
        try update(entity, setting: names)
    }

    func update<Entity: StoredEntity>(_ entity: Entity, setting names: [String]) throws {
        let table = Entity.table
        try notePositions(of: entity)
        let values =
            isMigrating
            ? table.assignments(names) : table.assignments(table.updatedColumns(names), in: quoted(table.name))
        // The entity binds all its columns. The statement ignores the columns that it does not write.
        let condition = SQL.matches(table.key, from: table.columns.count + 1)
        let statement = try open().cached(
            "UPDATE \(quoted(table.name)) SET \(values.joined(separator: ", ")) WHERE \(condition)")
        try entity.write(to: statement)
        try statement.bind(Entity.id(of: entity), at: table.columns.count + 1)
        try statement.run()
        if try open().changes == 0 { throw RelationshipError.noSuchRow(table: table.name) }
    }

    /// Updates properties of all rows of a request.
    ///
    /// ```swift
    /// try transaction.update(Movie.all) { [$0.popularity.set(to: 5), $0.voteCount.set(to: 0)] }
    /// ```
    ///
    /// - Returns: The number of updated rows.
    @discardableResult public func update<Entity: StoredEntity>(
        _ request: Request<Entity>, _ assignments: (Entity.Columns) -> [Assignment<Entity>]
    ) throws -> Int {
        let assignments = assignments(Entity.Columns())
        return assignments.isEmpty ? 0 : try run(updating(request, assignments))
    }

    /// Updates a property of all rows of a request.
    ///
    /// ```swift
    /// try transaction.update(Movie.all.where { $0.summary == nil }) { $0.summary.set(to: "Unseen.") }
    /// ```
    ///
    /// - Returns: The number of updated rows.
    @discardableResult public func update<Entity: StoredEntity>(
        _ request: Request<Entity>, _ assignment: (Entity.Columns) -> Assignment<Entity>
    ) throws -> Int {
        try update(request) { [assignment($0)] }
    }

    /// A statement that updates the rows of a request, and returns their primary keys if `isReturning` is true.
    func updating<Entity: StoredEntity>(
        _ request: Request<Entity>, _ assignments: [Assignment<Entity>], isReturning: Bool = false
    ) throws -> Statement {
        let changed = assignments.flatMap(\.names)
        if Entity.table.orders.contains(where: {
            changed.contains($0.position) || changed.contains(where: $0.owner.contains)
        }) {
            listEnds = [:]
        }
        let table = quoted(Entity.table.name)
        guard assignments.allSatisfy({ !$0.names.isEmpty }) else {
            throw QueryError.refused(
                reason: "it sets a value that is not a property of the entity", sql: "UPDATE \(table)")
        }
        let values = assignments.map { assignment -> QueryFragment in
            let names = SQL.list(assignment.names)
            return "\(sql: assignment.names.count == 1 ? names : "(\(names))") = \(assignment.value)"
        }
        return try changing(request, "UPDATE \(table)", setting: .joined(values), isReturning: isReturning)
    }

    /// Deletes the row with the same primary key.
    ///
    /// ```swift
    /// try transaction.delete(movie)
    /// ```
    ///
    /// - Returns: Whether there was such a row.
    /// - Throws: `SQLiteError` if a delete rule forbids deleting it, now or at the end of the transaction.
    @discardableResult public func delete<Entity: StoredEntity>(_ entity: Entity) throws -> Bool {
        try delete(Entity.self, id: Entity.id(of: entity))
    }

    /// Deletes the row with the primary key `id`.
    ///
    /// ```swift
    /// try transaction.delete(Movie.self, id: 7)
    /// ```
    ///
    /// - Returns: Whether there was such a row.
    /// - Throws: `SQLiteError` if a delete rule forbids deleting it, now or at the end of the transaction.
    @discardableResult public func delete<Entity: StoredEntity>(_ type: Entity.Type, id: Entity.ID) throws -> Bool {
        let table = Entity.table
        let statement = try open().cached("DELETE FROM \(quoted(table.name)) WHERE \(SQL.matches(table.key))")
        try statement.bind(id, at: 1)
        try statement.run()
        return try open().changes > 0
    }

    /// Deletes all rows of a request.
    ///
    /// ```swift
    /// let count = try transaction.delete(Movie.all.where { $0.popularity < 2 })
    /// ```
    ///
    /// - Returns: The number of rows of the request. Rows that delete rules deleted are not counted.
    @discardableResult public func delete<Entity: StoredEntity>(_ request: Request<Entity>) throws -> Int {
        try run(changing(request, "DELETE FROM \(quoted(Entity.table.name))"))
    }

    /// Runs a statement, and returns the number of rows that it has changed.
    private func run(_ statement: Statement) throws -> Int {
        try statement.run()
        return try open().changes
    }

    /// A statement that changes the rows of a request.
    private func changing<Entity: StoredEntity>(
        _ request: Request<Entity>, _ statement: String, setting values: QueryFragment? = nil,
        isReturning: Bool = false
    ) throws -> Statement {
        let condition = request.filter?.fragment
        let fragments = [values, condition].compactMap(\.self)
        let scope: QueryScope = fragments.contains(where: \.isRelated) ? .updating(name) : .alone(name)
        var text = QueryText(sql: statement + scope.alias)
        if let values {
            text.sql += " SET "
            text += scope.text(values)
        }
        // SQLite's UPDATE and DELETE have no LIMIT in most builds (https://sqlite.org/compile.html#enable_update_delete_limit),
        // and no joins.
        if request.isLimited || condition?.isRelated == true {
            let key = SQL.list(Entity.table.key)
            text.sql += " WHERE \(Entity.table.key.count == 1 ? key : "(\(key))") IN ("
            text += request.keys(names: name).text
            text.sql += ")"
        } else if let condition {
            text.sql += " WHERE "
            text += scope.text(condition)
        }
        if isReturning { text.sql += " RETURNING " + SQL.list(Entity.table.key) }
        let hasOwnSQL = fragments.contains(where: \.hasOwnSQL)
        return try QueryStatement(text: text, hasOwnSQL: hasOwnSQL).prepared(open())
    }

    /// Returns a primary key that no row of the entity has or had. The store remembers the greatest key that it returned.
    ///
    /// ```swift
    /// let id = try transaction.newID(of: Movie.self)
    /// try transaction.insert(Movie(id: id, title: "Mirror", popularity: 9))
    /// ```
    public func newID<Entity: StoredEntity>(of type: Entity.Type) throws -> Entity.ID
    where Entity.ID: RawEntityID, Entity.ID.RawValue == Int {
        let table = Entity.table
        var ids = try newIDs ?? NewIDs(reading: open())
        let key = (table: quoted(table.name), column: SQL.list(table.key))
        let id = try ids.next(for: table.name, knownAs: table.name, keys: [key], open())
        newIDs = ids
        return Entity.ID(rawValue: id)
    }

    /// Returns a new random primary key.
    ///
    /// ```swift
    /// let id = try transaction.newID(of: Studio.self)
    /// ```
    public func newID<Entity: StoredEntity>(of type: Entity.Type) throws -> Entity.ID
    where Entity.ID: RawEntityID, Entity.ID.RawValue == UUID {
        Entity.ID(rawValue: UUID())
    }

    private var newIDs: NewIDs?
    /// The ends of the ordered lists that the transaction has written rows of.
    var listEnds: [OrderedList: ListEnd] = [:]

    /// Writes the keys that `newID` has returned.
    func finish() throws {
        let connection = try open()
        try connection.fillReplacedSearches()
        try newIDs?.save(to: connection)
    }

    /// Runs `body` in a savepoint. If `body` throws, only what it wrote is rolled back.
    ///
    /// ```swift
    /// try? transaction.savepoint {
    ///     try transaction.delete(Movie.all)
    ///     throw CancellationError()
    /// }
    /// ```
    public func savepoint<Result>(_ body: () throws -> Result) throws -> Result {
        let connection = try open()
        try connection.execute(#"SAVEPOINT "strata""#)
        do {
            let result = try body()
            try open().execute(#"RELEASE "strata""#)
            return result
        } catch {
            // SQLite may have rolled back the complete transaction.
            if connection.isInTransaction {
                try connection.executeUninterrupted(#"ROLLBACK TO "strata"; RELEASE "strata""#)
            }
            throw error
        }
    }
}
