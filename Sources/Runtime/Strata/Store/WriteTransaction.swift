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
        if insertion?.type != type { insertion = (type, try statement(insertingInto: Entity.table)) }
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
    /// - Throws: The errors of inserting one row. The rows before it stay inserted, unless you let the error end the
    ///   transaction.
    @inlinable public func insert<Entity: StoredEntity>(contentsOf entities: some Sequence<Entity>) throws {
        for entity in entities { try insert(entity) }
    }

    /// Inserts a row, or updates the row with the same primary key.
    ///
    /// ```swift
    /// try transaction.upsert(Movie(id: 7, title: "Solaris", popularity: 8.5))
    /// ```
    public func upsert<Entity: StoredEntity>(_ entity: Entity) throws {
        let table = Entity.table
        let rest = table.columns.filter { !table.key.contains($0) }
        let values = rest.map { "\(SQL.quoted($0)) = excluded.\(SQL.quoted($0))" }.joined(separator: ", ")
        let action = rest.isEmpty ? "NOTHING" : "UPDATE SET " + values
        let statement = try open().cached(
            "\(table.insert(into: name(table.name))) ON CONFLICT (\(SQL.list(table.key))) DO \(action)")
        try entity.write(to: statement)
        try statement.run()
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
    public func update<Entity: StoredEntity, each Value>(
        _ entity: Entity, _ columns: repeat ColumnPath<Entity, each Value>
    ) throws {
        let all = Entity.Columns()
        var names: [String] = []
        repeat names.append(contentsOf: all[keyPath: each columns].names)
        try update(entity, setting: names)
    }

    private func update<Entity: StoredEntity>(_ entity: Entity, setting names: [String]) throws {
        let table = Entity.table
        let values = names.compactMap { name in
            table.columns.firstIndex(of: name).map { "\(SQL.quoted(name)) = ?\($0 + 1)" }
        }
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
    /// try transaction.update(Movie.all.where { $0.summary == nil }) { [$0.summary.set(to: "Unseen.")] }
    /// ```
    ///
    /// - Returns: The number of updated rows.
    @discardableResult public func update<Entity: StoredEntity>(
        _ request: Request<Entity>, _ assignments: (Entity.Columns) -> [Assignment<Entity>]
    ) throws -> Int {
        let assignments = assignments(Entity.Columns())
        if assignments.isEmpty { return 0 }
        let values = assignments.map(\.sql).joined(separator: ", ")
        return try change(
            request, "UPDATE \(quoted(Entity.table.name)) SET \(values)", assignments.flatMap(\.arguments))
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
        try change(request, "DELETE FROM \(quoted(Entity.table.name))", [])
    }

    /// Runs a statement on the rows of a request, and returns their number.
    private func change<Entity: StoredEntity>(
        _ request: Request<Entity>, _ statement: String, _ arguments: [Condition<Entity>.Argument]
    ) throws -> Int {
        // SQLite's UPDATE and DELETE have no LIMIT in most builds (https://sqlite.org/compile.html#enable_update_delete_limit).
        let key = SQL.list(Entity.table.key)
        let rows = request.select(key, from: quoted(Entity.table.name))
        let statement = try open().cached(
            statement + (request.isLimited ? " WHERE (\(key)) IN (\(rows))" : request.filter))
        try request.bind(to: statement, from: try Condition<Entity>.bind(arguments, to: statement))
        try statement.run()
        return try open().changes
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

    private var newIDs: NewIDs?

    /// Writes the keys that `newID` has returned.
    func finish() throws {
        let connection = try open()
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
        try connection.execute("SAVEPOINT strata")
        do {
            let result = try body()
            try open().execute("RELEASE strata")
            return result
        } catch {
            // SQLite may have rolled back the complete transaction.
            if connection.isInTransaction { try connection.execute("ROLLBACK TO strata; RELEASE strata") }
            throw error
        }
    }

    /// Replaces the related rows of a to-many relationship.
    ///
    /// Rows that were related and are not in `targets` stay in their table.
    ///
    /// ```swift
    /// try transaction.setRelated(movie, \.genres, to: [drama.id, mystery.id])
    /// ```
    ///
    /// - Parameters:
    ///   - source: The row that has the relationship.
    ///   - path: The relationship.
    ///   - targets: The primary keys of the related rows. Their order is stored if the relationship is ordered.
    /// - Throws: `RelationshipError.noSuchRow` if a row does not exist. `SQLiteError` if a row that is no longer related
    ///   requires the relationship.
    public func setRelated<Source: StoredEntity, Target>(
        _ source: Source, _ path: KeyPath<Source.Relationships, ToMany<Source, Target>>, to targets: [Target.ID]
    ) throws {
        let id = Source.id(of: source)
        let collations = Source.table.keyCollations
        let targets = try stored(targets, in: Target.table)
        switch Source.Relationships()[keyPath: path].storage {
        case .inverse(let columns, let position):
            let table = Target.table
            let kept = Set(targets)
            // Only rows that are no longer related are set to NULL, so that a required foreign key is never NULL.
            let select = try open().cached(
                "SELECT \(SQL.list(table.key)) FROM \(quoted(table.name)) WHERE \(SQL.matches(columns, collations: collations))"
            )
            try select.bind(id, at: 1)
            let released = try Cursor<Target.ID>(select, of: self) { try $0.id(0) }.all().filter { !kept.contains($0) }
            let all = columns + (position.map { [$0] } ?? [])
            let release = try open().cached(
                "UPDATE \(quoted(table.name)) SET \(all.map { SQL.quoted($0) + " = NULL" }.joined(separator: ", "))"
                    + " WHERE \(SQL.matches(table.key))")
            for target in released {
                try release.bind(target, at: 1)
                try release.run()
            }
            let take = try open().cached(update(table, all))
            for (place, target) in targets.enumerated() {
                try take.bind(target, at: 1)
                try take.bind(id, at: 1 + Target.ID.columnCount)
                if position != nil { try take.bind(place, at: 1 + Target.ID.columnCount + Source.ID.columnCount) }
                try take.run()
                if try open().changes == 0 { throw RelationshipError.noSuchRow(table: table.name) }
            }
        case .joinTable(let join, .target):
            try setSources(Target.table, of: id, Source.table, in: join, to: targets)
        case .joinTable(let join, let end):
            let table = quoted(join.name)
            let delete = try open().cached(
                "DELETE FROM \(table) WHERE \(SQL.matches(join.source, collations: collations))")
            try delete.bind(id, at: 1)
            try delete.run()
            let columns = join.source + join.target + ["position"]
            let insert = try open().cached(
                "INSERT INTO \(table) (\(SQL.list(columns))) VALUES (\(SQL.parameters(columns.count)))")
            for (place, target) in targets.enumerated() {
                try insert.bind(id, at: 1)
                try insert.bind(target, at: 1 + Source.ID.columnCount)
                try insert.bind(place, at: columns.count)
                try insert.run()
            }
            if end == .both { try setSources(Target.table, of: id, Source.table, in: join, to: targets) }
        }
    }

    /// Sets the foreign keys to the rows with `keys` to NULL.
    private func release<Source: StoredEntity>(
        _ type: Source.Type, _ columns: [String], from keys: [Source.ID]
    ) throws {
        let statement = try open().cached(
            "UPDATE \(quoted(Source.table.name)) SET "
                + columns.map { SQL.quoted($0) + " = NULL" }.joined(separator: ", ")
                + " WHERE \(SQL.matches(columns, collations: Source.table.keyCollations))")
        for key in keys {
            try statement.bind(key, at: 1)
            try statement.run()
        }
    }

    /// A statement that sets columns of a row. The first parameters are the primary key, the others the values.
    private func update(_ table: EntityTable, _ columns: [String]) -> String {
        let values = columns.enumerated().map { "\(SQL.quoted($1)) = ?\(table.key.count + 1 + $0)" }
        return "UPDATE \(quoted(table.name)) SET \(values.joined(separator: ", ")) "
            + "WHERE \(SQL.matches(table.key))"
    }

    /// Replaces the rows that are related to `target` by a join table. The order belongs to each source: a source that is
    /// related already keeps the target's position, and the others append it.
    private func setSources<Source: EntityID, Target: EntityID>(
        _ sourceTable: EntityTable, of target: Target, _ targetTable: EntityTable, in join: JoinTable,
        to sources: [Source]
    ) throws {
        let table = quoted(join.name)
        let select = try open().cached(
            "SELECT \(SQL.list(join.source)) FROM \(table) WHERE "
                + SQL.matches(join.target, collations: targetTable.keyCollations))
        try select.bind(target, at: 1)
        let present = try stored(Cursor<Source>(select, of: self) { try $0.id(0) }.all(), in: sourceTable)
        let wanted = Set(sources)
        let pair = join.source + join.target
        let collations = sourceTable.pairCollations(with: targetTable)
        let delete = try open().cached("DELETE FROM \(table) WHERE \(SQL.matches(pair, collations: collations))")
        for source in present where !wanted.contains(source) {
            try delete.bind(source, at: 1)
            try delete.bind(target, at: 1 + Source.columnCount)
            try delete.run()
        }
        let insert = try open().cached(
            """
            INSERT INTO \(table) (\(SQL.list(pair)), "position") VALUES (\(SQL.parameters(pair.count)), \
            (SELECT coalesce(max("position") + 1, 0) FROM \(table) WHERE \(SQL.matches(join.source, collations: sourceTable.keyCollations))))
            """)
        let kept = Set(present)
        for source in sources where !kept.contains(source) {
            try insert.bind(source, at: 1)
            try insert.bind(target, at: 1 + Source.columnCount)
            try insert.run()
        }
    }

    /// Returns the primary keys as the rows of a table store them. They can differ only if the key has a collation. A key
    /// that no row has is returned unchanged.
    private func stored<ID: EntityID>(_ ids: [ID], in table: EntityTable) throws -> [ID] {
        if table.keyCollations.isEmpty { return ids }
        let select = try open().cached(
            "SELECT \(SQL.list(table.key)) FROM \(quoted(table.name)) WHERE \(SQL.matches(table.key))")
        return try ids.map { id in
            try select.bind(id, at: 1)
            defer { select.reset() }
            return try select.step() ? select.row.id(0) : id
        }
    }

    /// Sets the related row of a to-one relationship.
    ///
    /// ```swift
    /// try transaction.setRelated(movie, \.studio, to: mosfilm.id)
    /// ```
    ///
    /// - Parameters:
    ///   - source: The row that has the relationship.
    ///   - path: The relationship.
    ///   - target: The primary key of the related row; nil for none.
    /// - Throws: `RelationshipError.noSuchRow` if a row does not exist.
    public func setRelated<Source: StoredEntity, Target>(
        _ source: Source, _ path: KeyPath<Source.Relationships, ToOne<Source, Target>>, to target: Target.ID?
    ) throws {
        let id = Source.id(of: source)
        switch Source.Relationships()[keyPath: path].storage {
        case .column(let columns, let isSymmetric):
            let table = Source.table
            // Each end may be related to another row, and no two rows may be related to the same one.
            if isSymmetric { try release(Source.self, columns, from: [id] + [target as? Source.ID].compactMap(\.self)) }
            let update = try open().cached(update(table, columns))
            try update.bind(id, at: 1)
            try update.bind(target, at: 1 + Source.ID.columnCount)
            try update.run()
            if try open().changes == 0 { throw RelationshipError.noSuchRow(table: table.name) }
            if isSymmetric, let target {
                try update.bind(target, at: 1)
                try update.bind(id, at: 1 + Source.ID.columnCount)
                try update.run()
                if try open().changes == 0 { throw RelationshipError.noSuchRow(table: table.name) }
            }
        case .inverse(let columns):
            let table = Target.table
            let other = SQL.parameters(table.key.count, from: 1 + columns.count)
            let release = try open().cached(
                "UPDATE \(quoted(table.name)) SET \(columns.map { SQL.quoted($0) + " = NULL" }.joined(separator: ", "))"
                    + " WHERE \(SQL.matches(columns, collations: Source.table.keyCollations)) AND (\(SQL.list(table.key))) IS NOT (\(other))"
            )
            try release.bind(id, at: 1)
            try release.bind(target, at: 1 + Source.ID.columnCount)
            try release.run()
            guard let target else { return }
            let take = try open().cached(update(table, columns))
            try take.bind(target, at: 1)
            try take.bind(id, at: 1 + Target.ID.columnCount)
            try take.run()
            if try open().changes == 0 { throw RelationshipError.noSuchRow(table: table.name) }
        }
    }
}
