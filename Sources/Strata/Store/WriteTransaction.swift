import SchemaSQL

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
        try entity.bind(to: statement)
        try statement.run()
    }

    /// The statement that inserted the last row, and what that was a row of.
    @exclusivity(unchecked) @usableFromInline var insertion: (type: ObjectIdentifier, statement: Statement)?

    /// A statement that inserts a row into a table.
    @usableFromInline func statement(insertingInto table: EntityTable) throws -> Statement {
        try open().cached(table.insert(into: name(table.name)))
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
        switch Source.Relationships()[keyPath: path].storage {
        case .inverse(let columns, let position):
            let table = Target.table
            let kept = Set(targets)
            // Only rows that are let go lose their key, so that a mandatory one never passes through NULL.
            let select = try open().cached(
                "SELECT \(SQL.list(table.key)) FROM \(quoted(table.name)) WHERE \(SQL.matches(columns))")
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
            try setSources(of: id, in: join, to: targets)
        case .joinTable(let join, let end):
            let table = quoted(join.name)
            let delete = try open().cached("DELETE FROM \(table) WHERE \(SQL.matches(join.source))")
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
            if end == .both { try setSources(of: id, in: join, to: targets) }
        }
    }

    /// Lets go of the rows that `keys` are pointed at by.
    private func release<Source: StoredEntity>(
        _ type: Source.Type, _ columns: [String], from keys: [Source.ID]
    ) throws {
        let statement = try open().cached(
            "UPDATE \(quoted(Source.table.name)) SET "
                + columns.map { SQL.quoted($0) + " = NULL" }.joined(separator: ", ")
                + " WHERE \(SQL.matches(columns))")
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
        of target: Target, in join: JoinTable, to sources: [Source]
    ) throws {
        let table = quoted(join.name)
        let select = try open().cached(
            "SELECT \(SQL.list(join.source)) FROM \(table) WHERE \(SQL.matches(join.target))")
        try select.bind(target, at: 1)
        let present = try Cursor<Source>(select, of: self) { try $0.id(0) }.all()
        let wanted = Set(sources)
        let pair = join.source + join.target
        let delete = try open().cached("DELETE FROM \(table) WHERE \(SQL.matches(pair))")
        for source in present where !wanted.contains(source) {
            try delete.bind(source, at: 1)
            try delete.bind(target, at: 1 + Source.columnCount)
            try delete.run()
        }
        let insert = try open().cached(
            """
            INSERT INTO \(table) (\(SQL.list(pair)), "position") VALUES (\(SQL.parameters(pair.count)), \
            (SELECT coalesce(max("position") + 1, 0) FROM \(table) WHERE \(SQL.matches(join.source))))
            """)
        let kept = Set(present)
        for source in sources where !kept.contains(source) {
            try insert.bind(source, at: 1)
            try insert.bind(target, at: 1 + Source.columnCount)
            try insert.run()
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
                    + " WHERE \(SQL.matches(columns)) AND (\(SQL.list(table.key))) IS NOT (\(other))")
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
        case .noSuchRow(let table): "a row to be related is not in the table \(table): insert it first"
        }
    }
}
