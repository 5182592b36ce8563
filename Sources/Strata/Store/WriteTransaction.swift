import SchemaSQL

/// What can be done inside `Store.write`: it must not leave the closure.
public final class WriteTransaction: ReadTransaction {
    /// Writes a new row.
    ///
    /// - Throws: `SQLiteError` where the key is taken, or a constraint of a column does not hold. A foreign key must
    ///   lead somewhere when the transaction ends, not before.
    public func insert<Entity: StoredEntity>(_ entity: Entity) throws {
        let statement = try open().cached(Entity.table.insert)
        try entity.bind(to: statement)
        try statement.run()
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
        case .inverse(let column, let position):
            let table = Target.table
            let places = position.map { ", \(SQL.quoted($0))" } ?? ""
            let kept = Set(targets)
            // Only rows that are let go lose their key, so that a mandatory one never passes through NULL.
            let select = try open().cached(
                "SELECT \(SQL.quoted(table.key)) FROM \(SQL.quoted(table.name)) WHERE \(SQL.quoted(column)) = ?1")
            try select.bind(id, at: 1)
            let released = try Cursor<Target.ID>(select, of: self) { try $0.id(0) }.all().filter { !kept.contains($0) }
            let release = try open().cached(
                "UPDATE \(SQL.quoted(table.name)) SET \(SQL.quoted(column)) = NULL"
                    + (position.map { ", \(SQL.quoted($0)) = NULL" } ?? "") + " WHERE \(SQL.quoted(table.key)) = ?1")
            for target in released {
                try release.bind(target, at: 1)
                try release.run()
            }
            let take = try open().cached(
                "UPDATE \(SQL.quoted(table.name)) SET (\(SQL.quoted(column))\(places)) = "
                    + (position == nil ? "(SELECT ?2)" : "(SELECT ?2, ?3)") + " WHERE \(SQL.quoted(table.key)) = ?1")
            for (place, target) in targets.enumerated() {
                try take.bind(target, at: 1)
                try take.bind(id, at: 2)
                if position != nil { try take.bind(place, at: 3) }
                try take.run()
                if try open().changes == 0 { throw RelationshipError.noSuchRow(table: table.name) }
            }
        case .joinTable(let join, isReversed: true):
            try setSources(of: id, in: join, to: targets)
        case .joinTable(let join, isReversed: false):
            let table = SQL.quoted(join)
            let delete = try open().cached("DELETE FROM \(table) WHERE \"source_id\" = ?1")
            try delete.bind(id, at: 1)
            try delete.run()
            let insert = try open().cached(
                "INSERT INTO \(table) (\"source_id\", \"target_id\", \"position\") VALUES (?1, ?2, ?3)")
            for (place, target) in targets.enumerated() {
                try insert.bind(id, at: 1)
                try insert.bind(target, at: 2)
                try insert.bind(place, at: 3)
                try insert.run()
            }
        }
    }

    /// Makes `sources` the rows that point at `target` by a join table. The order is that of each source: those that
    /// point at the target already keep its place, the others put it last.
    private func setSources<ID: EntityID>(of target: some EntityID, in join: String, to sources: [ID]) throws {
        let table = SQL.quoted(join)
        let select = try open().cached("SELECT \"source_id\" FROM \(table) WHERE \"target_id\" = ?1")
        try select.bind(target, at: 1)
        let present = try Cursor<ID>(select, of: self) { try $0.id(0) }.all()
        let wanted = Set(sources)
        let delete = try open().cached("DELETE FROM \(table) WHERE \"source_id\" = ?1 AND \"target_id\" = ?2")
        for source in present where !wanted.contains(source) {
            try delete.bind(source, at: 1)
            try delete.bind(target, at: 2)
            try delete.run()
        }
        let insert = try open().cached(
            """
            INSERT INTO \(table) ("source_id", "target_id", "position") VALUES (?1, ?2, \
            (SELECT coalesce(max("position") + 1, 0) FROM \(table) WHERE "source_id" = ?1))
            """)
        let kept = Set(present)
        for source in sources where !kept.contains(source) {
            try insert.bind(source, at: 1)
            try insert.bind(target, at: 2)
            try insert.run()
        }
    }

    /// Makes `target` the row that `source` points at, or lets go of the one that it points at.
    public func setRelated<Source: StoredEntity, Target>(
        _ source: Source, _ path: KeyPath<Source.Relationships, ToOne<Source, Target>>, to target: Target.ID?
    ) throws {
        let id = Source.id(of: source)
        switch Source.Relationships()[keyPath: path].storage {
        case .column(let column):
            let table = Source.table
            let update = try open().cached(
                "UPDATE \(SQL.quoted(table.name)) SET \(SQL.quoted(column)) = ?2 WHERE \(SQL.quoted(table.key)) = ?1")
            try update.bind(id, at: 1)
            try update.bind(target, at: 2)
            try update.run()
            if try open().changes == 0 { throw RelationshipError.noSuchRow(table: table.name) }
        case .inverse(let column):
            let table = Target.table
            let release = try open().cached(
                "UPDATE \(SQL.quoted(table.name)) SET \(SQL.quoted(column)) = NULL WHERE \(SQL.quoted(column)) = ?1"
                    + " AND \(SQL.quoted(table.key)) IS NOT ?2")
            try release.bind(id, at: 1)
            try release.bind(target, at: 2)
            try release.run()
            guard let target else { return }
            let take = try open().cached(
                "UPDATE \(SQL.quoted(table.name)) SET \(SQL.quoted(column)) = ?2 WHERE \(SQL.quoted(table.key)) = ?1")
            try take.bind(target, at: 1)
            try take.bind(id, at: 2)
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
