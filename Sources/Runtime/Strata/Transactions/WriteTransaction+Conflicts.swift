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
    /// try transaction.upsert(movie, updating: [\.title, \.popularity])
    /// ```
    ///
    /// - Parameters:
    ///   - entity: The row.
    ///   - updated: The properties that get new values if the row exists; nil for all. Without any, the row that exists stays
    ///     unchanged.
    ///   - kept: Properties that keep their values if the row exists.
    /// - Throws: `SQLiteError` if the row violates another constraint. `QueryError` if a property is not stored, or is part of
    ///   the primary key.
    public func upsert<Entity: StoredEntity>(
        _ entity: Entity, updating updated: [PartialKeyPath<Entity>]? = nil, except kept: [PartialKeyPath<Entity>] = []
    ) throws {
        try insert(entity, updating(Entity.table.key, updated, kept).text(Entity.table))
    }

    /// Inserts rows, or updates the rows with the same primary keys.
    ///
    /// ```swift
    /// try transaction.upsert(contentsOf: movies)
    /// ```
    ///
    /// - Parameters:
    ///   - entities: The rows.
    ///   - updated: The properties that get new values if the row exists; nil for all.
    ///   - kept: Properties that keep their values if the row exists.
    /// - Throws: The errors of one row. Then no row is inserted or updated.
    public func upsert<Entity: StoredEntity>(
        contentsOf entities: some Sequence<Entity>, updating updated: [PartialKeyPath<Entity>]? = nil,
        except kept: [PartialKeyPath<Entity>] = []
    ) throws {
        try insert(contentsOf: entities, updating(Entity.table.key, updated, kept).text(Entity.table))
    }

    /// Inserts a row, or updates the row that has the same values of unique properties. That row keeps its primary key.
    ///
    /// ```swift
    /// let genre = try transaction.upsert(Genre(id: 9, name: "Drama"), on: \.name)
    /// ```
    ///
    /// A row that comes from elsewhere often lacks what only the app knows. Name the properties that it has, or the ones that keep
    /// their values:
    ///
    /// ```swift
    /// try transaction.upsert(episode, on: \.guid, updating: [\.title, \.notes])
    /// try transaction.upsert(episode, on: \.guid, except: [\.isPlayed])
    /// ```
    ///
    /// If a unique index contains only some rows, a row that it does not contain is inserted.
    ///
    /// - Parameters:
    ///   - entity: The row.
    ///   - property: A property that is unique. A unique index can have up to three properties: `on: \.space, \.word`.
    ///   - updated: The properties that get new values if the row exists; nil for all. Without any, the row that exists stays
    ///     unchanged.
    ///   - kept: Properties that keep their values if the row exists.
    /// - Returns: The row as it is stored.
    /// - Throws: `SQLiteError` if there is no such index, or if the row violates another constraint. `QueryError` if a property
    ///   is not stored, or is part of the primary key.
    @discardableResult public func upsert<Entity: StoredEntity, A>(
        _ entity: Entity, on property: WritableKeyPath<Entity, A>, updating updated: [PartialKeyPath<Entity>]? = nil,
        except kept: [PartialKeyPath<Entity>] = []
    ) throws -> Entity where Entity.Columns == PropertyColumns<Entity> {
        try upsert(entity, Entity.table.column(of: property).names, updated, kept)
    }

    // A pack of properties would be one function, but the compiler crashes where a property in `except` is misspelt.

    /// Inserts a row, or updates the row that has the same values of two properties with a unique index.
    @discardableResult public func upsert<Entity: StoredEntity, A, B>(
        _ entity: Entity, on first: WritableKeyPath<Entity, A>, _ second: WritableKeyPath<Entity, B>,
        updating updated: [PartialKeyPath<Entity>]? = nil, except kept: [PartialKeyPath<Entity>] = []
    ) throws -> Entity where Entity.Columns == PropertyColumns<Entity> {
        let table = Entity.table
        return try upsert(entity, table.column(of: first).names + table.column(of: second).names, updated, kept)
    }

    /// Inserts a row, or updates the row that has the same values of three properties with a unique index.
    @discardableResult public func upsert<Entity: StoredEntity, A, B, C>(
        _ entity: Entity, on first: WritableKeyPath<Entity, A>, _ second: WritableKeyPath<Entity, B>,
        _ third: WritableKeyPath<Entity, C>, updating updated: [PartialKeyPath<Entity>]? = nil,
        except kept: [PartialKeyPath<Entity>] = []
    ) throws -> Entity where Entity.Columns == PropertyColumns<Entity> {
        let table = Entity.table
        let names = table.column(of: first).names + table.column(of: second).names + table.column(of: third).names
        return try upsert(entity, names, updated, kept)
    }

    private func upsert<Entity: StoredEntity>(
        _ entity: Entity, _ columns: [String], _ updated: [PartialKeyPath<Entity>]?, _ kept: [PartialKeyPath<Entity>]
    ) throws -> Entity {
        try insertAndFetch(entity, clause(Entity.self, updating(columns, updated, kept)))
    }

    /// Inserts rows, or updates the rows that have the same values of unique properties. Those rows keep their primary keys.
    ///
    /// ```swift
    /// try transaction.upsert(contentsOf: feed, on: \.guid, except: [\.isPlayed])
    /// ```
    ///
    /// - Parameters:
    ///   - entities: The rows.
    ///   - property: A property that is unique. A unique index can have up to three properties: `on: \.space, \.word`.
    ///   - updated: The properties that get new values if the row exists; nil for all.
    ///   - kept: Properties that keep their values if the row exists.
    /// - Throws: The errors of one row. Then no row is inserted or updated.
    public func upsert<Entity: StoredEntity, A>(
        contentsOf entities: some Sequence<Entity>, on property: WritableKeyPath<Entity, A>,
        updating updated: [PartialKeyPath<Entity>]? = nil, except kept: [PartialKeyPath<Entity>] = []
    ) throws where Entity.Columns == PropertyColumns<Entity> {
        try upsert(contentsOf: entities, Entity.table.column(of: property).names, updated, kept)
    }

    /// Inserts rows, or updates the rows that have the same values of two properties with a unique index.
    public func upsert<Entity: StoredEntity, A, B>(
        contentsOf entities: some Sequence<Entity>, on first: WritableKeyPath<Entity, A>,
        _ second: WritableKeyPath<Entity, B>, updating updated: [PartialKeyPath<Entity>]? = nil,
        except kept: [PartialKeyPath<Entity>] = []
    ) throws where Entity.Columns == PropertyColumns<Entity> {
        let table = Entity.table
        try upsert(contentsOf: entities, table.column(of: first).names + table.column(of: second).names, updated, kept)
    }

    /// Inserts rows, or updates the rows that have the same values of three properties with a unique index.
    public func upsert<Entity: StoredEntity, A, B, C>(
        contentsOf entities: some Sequence<Entity>, on first: WritableKeyPath<Entity, A>,
        _ second: WritableKeyPath<Entity, B>, _ third: WritableKeyPath<Entity, C>,
        updating updated: [PartialKeyPath<Entity>]? = nil, except kept: [PartialKeyPath<Entity>] = []
    ) throws where Entity.Columns == PropertyColumns<Entity> {
        let table = Entity.table
        let names = table.column(of: first).names + table.column(of: second).names + table.column(of: third).names
        try upsert(contentsOf: entities, names, updated, kept)
    }

    private func upsert<Entity: StoredEntity>(
        contentsOf entities: some Sequence<Entity>, _ columns: [String], _ updated: [PartialKeyPath<Entity>]?,
        _ kept: [PartialKeyPath<Entity>]
    ) throws {
        try insert(contentsOf: entities, clause(Entity.self, updating(columns, updated, kept)))
    }

    /// The update of a row that has the same values in `columns`.
    private func updating<Entity: StoredEntity>(
        _ columns: [String], _ updated: [PartialKeyPath<Entity>]?, _ kept: [PartialKeyPath<Entity>]
    ) throws -> ConflictUpdate {
        let table = Entity.table
        func refused(_ reason: String) -> QueryError {
            .refused(reason: reason, sql: "INSERT INTO \(SQL.quoted(table.name))")
        }
        func names(_ properties: [PartialKeyPath<Entity>]) throws -> [String] {
            try properties.flatMap { property in
                guard let names = table.columns(of: property)?.names else {
                    throw refused("it names a property of \(Entity.self) that is not stored")
                }
                return names
            }
        }
        // Texts that are equal without case may differ.
        let all = try updated.map(names) ?? table.columns.filter { !table.key.contains($0) }
        if all.contains(where: table.key.contains) { throw refused("it sets the primary key of a row that exists") }
        let kept = try names(kept)
        let names = isMigrating ? all : table.updatedColumns(all)
        return ConflictUpdate(
            columns: columns, updated: names.filter { !kept.contains($0) }, keepsPositions: !isMigrating)
    }

    /// The clause of an INSERT statement for an update.
    private func clause<Entity: StoredEntity>(_ type: Entity.Type, _ update: ConflictUpdate) throws -> String {
        let table = Entity.table
        do {
            _ = try open().cached("\(table.insert(into: name(table.name))) \(update.text(table))")
            return update.text(table)
        } catch let error as SQLiteError where error.code == 1 {  // SQLITE_ERROR
            // The unique index may contain only some rows. SQLite then needs its condition
            // (https://sqlite.org/lang_upsert.html).
            let conditions = try open().delegate?.conditions(ofUniqueIndexesOf: table.name, on: update.columns) ?? []
            if conditions.isEmpty { throw error }
            return conditions.map { update.text(table, where: $0) }.joined(separator: " ")
        }
    }

    /// Inserts a row with a clause for conflicts.
    private func insert<Entity: StoredEntity>(_ entity: Entity, _ clause: String) throws {
        let statement = try open().cached("\(Entity.table.insert(into: name(Entity.table.name))) \(clause)")
        try write(entity, to: statement)
        try statement.run()
    }

    /// Inserts rows with a clause for conflicts. Returns the number of inserted and updated rows.
    @discardableResult private func insert<Entity: StoredEntity>(
        contentsOf entities: some Sequence<Entity>, _ clause: String
    ) throws -> Int {
        var rest = entities.makeIterator()
        return try insert(into: Entity.table, clause) { statement in
            guard let entity = rest.next() else { return false }
            try write(entity, to: statement)
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
        try write(entity, to: statement)
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

    /// Updates a property of all rows of a request, and returns the updated rows, in an undefined order.
    public func updateAndFetch<Entity: StoredEntity>(
        _ request: Request<Entity>, _ assignment: (Entity.Columns) -> Assignment<Entity>
    ) throws -> [Entity] {
        try updateAndFetch(request) { [assignment($0)] }
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

/// The update of the row that has the same values in unique columns as a new row.
private struct ConflictUpdate {
    /// The unique columns.
    let columns: [String]
    /// The columns that get the values of the new row.
    let updated: [String]
    /// Whether a row without a position keeps the one that it has.
    let keepsPositions: Bool

    /// The clause of an INSERT statement.
    ///
    /// - Parameter condition: The condition of the unique index; nil if it contains all rows.
    func text(_ table: EntityTable, where condition: String? = nil) -> String {
        // Without an assignment, there would be no row to return.
        let values =
            updated.isEmpty
            ? ["\(SQL.quoted(columns[0])) = strata_row.\(SQL.quoted(columns[0]))"]
            : table.assignmentsOfExcluded(updated, keepsPositions: keepsPositions)
        let rows = condition.map { " WHERE \($0)" } ?? ""
        return "ON CONFLICT (\(SQL.list(columns)))\(rows) DO UPDATE SET \(values.joined(separator: ", "))"
    }
}
