import SQLSchema

/// What can be done inside `Store.write`: it must not leave the closure.
public final class WriteTransaction: ReadTransaction {
    /// Writes a new row.
    ///
    /// - Throws: `SQLiteError` where the key is taken, or a constraint of a column does not hold. A foreign key must
    ///   lead somewhere when the transaction ends, not before.
    @inlinable public func insert<Entity: StoredEntity>(_ entity: Entity) throws {
        let type = ObjectIdentifier(Entity.self)
        if insertion?.type != type { insertion = (type, try statement(insertingInto: Entity.table)) }
        try checkOpen()
        guard let statement = insertion?.statement else { return }
        try entity.write(to: statement)
        try statement.run()
    }

    /// The statement that inserted the last row, and what that was a row of.
    @exclusivity(unchecked) @usableFromInline var insertion: (type: ObjectIdentifier, statement: Statement)?

    /// A statement that inserts a row into a table.
    @usableFromInline func statement(insertingInto table: EntityTable) throws -> Statement {
        try open().cached(table.insert(into: name(table.name)))
    }

    /// Writes new rows.
    ///
    /// - Throws: As for one row; the rows before it are then written all the same, until the transaction ends.
    @inlinable public func insert<Entity: StoredEntity>(contentsOf entities: some Sequence<Entity>) throws {
        for entity in entities { try insert(entity) }
    }

    /// Writes a row: in the place of the one that has its key, or else as a new one.
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

    /// Writes all properties of the row that has the same key.
    ///
    /// - Throws: `RelationshipError.noSuchRow` where there is none.
    public func update<Entity: StoredEntity>(_ entity: Entity) throws {
        try update(entity, setting: Entity.table.columns)
    }

    /// Writes these properties of the row that has the same key: `update(movie, \.title, \.rating)`.
    ///
    /// - Throws: `RelationshipError.noSuchRow` where there is none.
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
        // The entity binds all its columns; those that are not written stand nowhere.
        let condition = SQL.matches(table.key, from: table.columns.count + 1)
        let statement = try open().cached(
            "UPDATE \(quoted(table.name)) SET \(values.joined(separator: ", ")) WHERE \(condition)")
        try entity.write(to: statement)
        try statement.bind(Entity.id(of: entity), at: table.columns.count + 1)
        try statement.run()
        if try open().changes == 0 { throw RelationshipError.noSuchRow(table: table.name) }
    }

    /// Writes properties of all rows that `request` means: `update(Movie.all) { [$0.rating.set(to: 5)] }`.
    ///
    /// - Returns: The number of rows.
    @discardableResult public func update<Entity: StoredEntity>(
        _ request: Request<Entity>, _ assignments: (Entity.Columns) -> [Assignment<Entity>]
    ) throws -> Int {
        let assignments = assignments(Entity.Columns())
        if assignments.isEmpty { return 0 }
        let values = assignments.map(\.sql).joined(separator: ", ")
        return try change(
            request, "UPDATE \(quoted(Entity.table.name)) SET \(values)", assignments.flatMap(\.arguments))
    }

    /// Deletes the row that has the same key.
    ///
    /// - Returns: Whether there was one.
    /// - Throws: `SQLiteError` where something points at it and denies it, when the transaction ends at the latest.
    @discardableResult public func delete<Entity: StoredEntity>(_ entity: Entity) throws -> Bool {
        try delete(Entity.self, id: Entity.id(of: entity))
    }

    /// Deletes the row whose key is `id`.
    ///
    /// - Returns: Whether there was one.
    /// - Throws: `SQLiteError` where something points at it and denies it, when the transaction ends at the latest.
    @discardableResult public func delete<Entity: StoredEntity>(_ type: Entity.Type, id: Entity.ID) throws -> Bool {
        let table = Entity.table
        let statement = try open().cached("DELETE FROM \(quoted(table.name)) WHERE \(SQL.matches(table.key))")
        try statement.bind(id, at: 1)
        try statement.run()
        return try open().changes > 0
    }

    /// Deletes all rows that `request` means.
    ///
    /// - Returns: The number of rows, without those that went with them.
    @discardableResult public func delete<Entity: StoredEntity>(_ request: Request<Entity>) throws -> Int {
        try change(request, "DELETE FROM \(quoted(Entity.table.name))", [])
    }

    /// Runs a statement on the rows that `request` means, and gives their number.
    private func change<Entity: StoredEntity>(
        _ request: Request<Entity>, _ statement: String, _ arguments: [Condition<Entity>.Argument]
    ) throws -> Int {
        // SQLite changes no limited number of rows by itself (https://sqlite.org/compile.html#enable_update_delete_limit).
        let key = SQL.list(Entity.table.key)
        let rows = request.select(key, from: quoted(Entity.table.name))
        let statement = try open().cached(
            statement + (request.isLimited ? " WHERE (\(key)) IN (\(rows))" : request.filter))
        try request.bind(to: statement, from: try Condition<Entity>.bind(arguments, to: statement))
        try statement.run()
        return try open().changes
    }

    /// A key that no row of the entity has, and that was not given before: the store remembers it.
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

    /// Writes what is written when all else is.
    func finish() throws {
        let connection = try open()
        try newIDs?.save(to: connection)
    }

    /// Runs `body`; what it throws takes back what it wrote, and nothing else.
    public func savepoint<Result>(_ body: () throws -> Result) throws -> Result {
        let connection = try open()
        try connection.execute("SAVEPOINT strata")
        do {
            let result = try body()
            try open().execute("RELEASE strata")
            return result
        } catch {
            // An error of SQLite may have taken back everything.
            if connection.isInTransaction { try connection.execute("ROLLBACK TO strata; RELEASE strata") }
            throw error
        }
    }

    /// Makes `targets` the rows that `source` points at, in their order.
    ///
    /// Rows that were pointed at and are not among `targets` are let go; they stay in their table. Where the order is
    /// not kept, it does not matter here.
    ///
    /// - Throws: `SQLiteError` where a row that is let go must point at something.
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
            // Only rows that are let go lose their key, so that a mandatory one never passes through NULL.
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

    /// Lets go of the rows that `keys` are pointed at by.
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

    /// Sets columns of the row whose key is in the first parameters to the values of the parameters after them.
    private func update(_ table: EntityTable, _ columns: [String]) -> String {
        let values = columns.enumerated().map { "\(SQL.quoted($1)) = ?\(table.key.count + 1 + $0)" }
        return "UPDATE \(quoted(table.name)) SET \(values.joined(separator: ", ")) "
            + "WHERE \(SQL.matches(table.key))"
    }

    /// Makes `sources` the rows that point at `target` by a join table. The order is that of each source: those that
    /// point at the target already keep its place, the others put it last.
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

    /// Returns the keys as the rows of a table store them. Only keys with a collation can be written in several ways; a
    /// key of no row stays as it is.
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

    /// Makes `target` the row that `source` points at, or lets go of the one that it points at.
    public func setRelated<Source: StoredEntity, Target>(
        _ source: Source, _ path: KeyPath<Source.Relationships, ToOne<Source, Target>>, to target: Target.ID?
    ) throws {
        let id = Source.id(of: source)
        switch Source.Relationships()[keyPath: path].storage {
        case .column(let columns, let isSymmetric):
            let table = Source.table
            // Whoever pointed at either end lets go of it first: no two rows may point at one.
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

/// Why a relationship was not set.
public enum RelationshipError: Error, Hashable, Sendable, CustomStringConvertible {
    /// One of the rows is not in its table; insert it first.
    case noSuchRow(table: String)

    /// What happened, and what to do next.
    public var description: String {
        switch self {
        case .noSuchRow(let table): "the table \(table) has no row with that key: insert it first"
        }
    }
}
