import SQLSchema

extension WriteTransaction {
    // MARK: Rows that exist already

    /// Inserts a row, unless a row with the same primary key, or the same value of a unique property, exists.
    ///
    /// ```swift
    /// let isNew = try transaction.insertOrIgnore(Movie(id: 7, title: "Solaris", popularity: 8))
    /// ```
    ///
    /// - Returns: Whether the row was inserted.
    @discardableResult public func insertOrIgnore<Entity: StoredEntity>(_ entity: Entity) throws -> Bool {
        try insert(entity, "ON CONFLICT DO NOTHING")
        return try open().changes == 1
    }

    /// Inserts rows, without those whose primary key, or value of a unique property, another row has.
    ///
    /// - Returns: The number of inserted rows.
    @discardableResult public func insertOrIgnore<Entity: StoredEntity>(
        contentsOf entities: some Sequence<Entity>
    ) throws -> Int {
        try insert(contentsOf: entities, "ON CONFLICT DO NOTHING")
    }

    /// Inserts a row, or updates the row with the same primary key.
    ///
    /// ```swift
    /// try transaction.upsert(Movie(id: 7, title: "Solaris", popularity: 8.5))
    /// ```
    public func upsert<Entity: StoredEntity>(_ entity: Entity) throws {
        try insert(entity, Entity.table.updating(onConflictOf: Entity.table.key))
    }

    /// Inserts rows, or updates the rows with the same primary keys.
    ///
    /// ```swift
    /// try transaction.upsert(contentsOf: movies)
    /// ```
    ///
    /// - Throws: `SQLiteError` if a row violates a constraint, or `UnstorableValue`. Then no row is inserted or updated.
    public func upsert<Entity: StoredEntity>(contentsOf entities: some Sequence<Entity>) throws {
        try insert(contentsOf: entities, Entity.table.updating(onConflictOf: Entity.table.key))
    }

    /// Inserts a row, or updates the row that has the same values of unique properties. That row keeps its primary key.
    ///
    /// ```swift
    /// let genre = try transaction.upsert(Genre(id: 9, name: "Drama"), on: \.name)
    /// ```
    ///
    /// If a unique index contains only some rows, a row that it does not contain is inserted.
    ///
    /// - Parameters:
    ///   - entity: The row.
    ///   - first: A property that is unique, or the first one of a unique index.
    ///   - others: The other properties of the unique index.
    /// - Returns: The row as it is stored.
    /// - Throws: `SQLiteError` if there is no such index, or if the row violates another constraint.
    @discardableResult public func upsert<Entity: StoredEntity, First, each Value>(
        _ entity: Entity, on first: WritableKeyPath<Entity, First>, _ others: repeat WritableKeyPath<Entity, each Value>
    ) throws -> Entity where Entity.Columns == PropertyColumns<Entity> {
        var names = Entity.table.column(of: first).names
        repeat names.append(contentsOf: Entity.table.column(of: each others).names)
        do {
            return try insertAndFetch(entity, Entity.table.updating(onConflictOf: names))
        } catch let error as SQLiteError where error.code == 1 {  // SQLITE_ERROR
            // The unique index may contain only some rows. SQLite then needs its condition
            // (https://sqlite.org/lang_upsert.html).
            let conditions = try open().delegate?.conditions(ofUniqueIndexesOf: Entity.table.name, on: names) ?? []
            if conditions.isEmpty { throw error }
            let clauses = conditions.map { Entity.table.updating(onConflictOf: names, where: $0) }
            return try insertAndFetch(entity, clauses.joined(separator: " "))
        }
    }

    /// Inserts a row with a clause for conflicts.
    private func insert<Entity: StoredEntity>(_ entity: Entity, _ clause: String) throws {
        let statement = try open().cached("\(Entity.table.insert(into: name(Entity.table.name))) \(clause)")
        try entity.write(to: statement)
        try statement.run()
    }

    /// Inserts rows with a clause for conflicts. Returns the number of inserted and updated rows.
    @discardableResult private func insert<Entity: StoredEntity>(
        contentsOf entities: some Sequence<Entity>, _ clause: String
    ) throws -> Int {
        var rest = entities.makeIterator()
        return try insert(into: Entity.table, clause) { statement in
            guard let entity = rest.next() else { return false }
            try entity.write(to: statement)
            return true
        }
    }

    // MARK: Rows that a statement returns

    /// Inserts a row, and returns it as it is stored, with the values of computed properties.
    ///
    /// ```swift
    /// let movie = try transaction.insertAndFetch(Movie(id: 7, title: "Solaris", popularity: 8))
    /// ```
    ///
    /// - Throws: The errors of `insert(_:)`.
    public func insertAndFetch<Entity: StoredEntity>(_ entity: Entity) throws -> Entity {
        try insertAndFetch(entity, "")
    }

    private func insertAndFetch<Entity: StoredEntity>(_ entity: Entity, _ clause: String) throws -> Entity {
        let table = Entity.table
        let statement = try open().cached(
            "\(table.insert(into: name(table.name))) \(clause) RETURNING \(SQL.list(table.key))")
        try entity.write(to: statement)
        let ids: [Entity.ID] = try returned(statement)
        guard let id = ids.first, let stored = try find(Entity.self, id: id) else {
            throw RelationshipError.noSuchRow(table: table.name)
        }
        return stored
    }

    /// Updates properties of all rows of a request, and returns the updated rows, in an undefined order.
    ///
    /// ```swift
    /// let seen = try transaction.updateAndFetch(Movie.all.where { $0.voteCount > 0 }) {
    ///     [$0.summary.set(to: "Seen.")]
    /// }
    /// ```
    public func updateAndFetch<Entity: StoredEntity>(
        _ request: Request<Entity>, _ assignments: (Entity.Columns) -> [Assignment<Entity>]
    ) throws -> [Entity] {
        let assignments = assignments(Entity.Columns())
        if assignments.isEmpty { return [] }
        return try fetch(rows(with: returned(updating(request, assignments, isReturning: true))))
    }

    /// Deletes all rows of a request, and returns them, in their order.
    ///
    /// ```swift
    /// let unpopular = try transaction.deleteAndFetch(Movie.all.where { $0.popularity < 2 })
    /// ```
    public func deleteAndFetch<Entity: StoredEntity>(_ request: Request<Entity>) throws -> [Entity] {
        let entities = try fetch(request)
        let rows: Request<Entity> = rows(with: entities.map(Entity.id))
        try delete(rows)
        return entities
    }

    private func rows<Entity: StoredEntity>(with ids: [Entity.ID]) -> Request<Entity> {
        Entity.all.filter(Column<Entity, Entity.ID>(Entity.table.key).isIn(ids))
    }

    /// Runs a statement, and returns the primary keys that it returns.
    ///
    /// Not the complete rows: SQLite returns a whole number in a column of real numbers as an integer.
    private func returned<ID: EntityID>(_ statement: Statement) throws -> [ID] {
        defer { statement.reset() }
        var ids: [ID] = []
        while try statement.step() { ids.append(try statement.row.id(0)) }
        return ids
    }

    // MARK: Changes

    /// Updates the properties in which a row differs from `old`, its former state. Other properties keep the values that they
    /// have in the store.
    ///
    /// ```swift
    /// try transaction.update(movie, changedFrom: old)
    /// ```
    ///
    /// - Returns: Whether there was a difference.
    /// - Throws: `RelationshipError.noSuchRow` if there is a difference, and no row with the primary key of `entity`.
    @discardableResult public func update<Entity: StoredEntity>(
        _ entity: Entity, changedFrom old: Entity
    ) throws -> Bool {
        let table = Entity.table
        let (new, before) = (Statement(recording: table.columns.count), Statement(recording: table.columns.count))
        try entity.write(to: new)
        try old.write(to: before)
        let changed = table.columns.indices.filter { !new.hasRecord(equalTo: before, at: $0) }
        if !changed.isEmpty { try update(entity, setting: changed.map { table.columns[$0] }) }
        return !changed.isEmpty
    }
}

extension EntityTable {
    /// The clause of an INSERT statement that updates the row that has the same values in `columns`.
    ///
    /// - Parameter condition: The condition of the unique index over these columns; nil if it contains all rows.
    fileprivate func updating(onConflictOf columns: [String], where condition: String? = nil) -> String {
        // Texts that are equal without case may differ.
        let rest = self.columns.filter { !key.contains($0) }
        // Without an assignment, there would be no row to return.
        let values =
            rest.isEmpty
            ? ["\(SQL.quoted(columns[0])) = \(SQL.quoted(columns[0]))"]
            : rest.map { "\(SQL.quoted($0)) = excluded.\(SQL.quoted($0))" }
        let rows = condition.map { " WHERE \($0)" } ?? ""
        return "ON CONFLICT (\(SQL.list(columns)))\(rows) DO UPDATE SET \(values.joined(separator: ", "))"
    }
}
