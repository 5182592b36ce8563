import SchemaSQL

/// What can be done inside `Store.write`: it must not leave the closure.
public final class WriteTransaction: ReadTransaction {
    /// Writes a new row.
    ///
    /// - Throws: `SQLiteError` where the key is taken, or a constraint of a column does not hold. A foreign key must
    ///   lead somewhere when the transaction ends, not before.
    public func insert<Entity: StoredEntity>(_ entity: Entity) throws {
        let statement = try connection.cached(Entity.table.insert)
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
            let select = try connection.cached(
                "SELECT \(SQL.quoted(table.key)) FROM \(SQL.quoted(table.name)) WHERE \(SQL.quoted(column)) = ?1")
            try select.bind(id, at: 1)
            let released = try Cursor<Target.ID>(select) { try $0.id(0) }.all().filter { !kept.contains($0) }
            let release = try connection.cached(
                "UPDATE \(SQL.quoted(table.name)) SET \(SQL.quoted(column)) = NULL"
                    + (position.map { ", \(SQL.quoted($0)) = NULL" } ?? "") + " WHERE \(SQL.quoted(table.key)) = ?1")
            for target in released {
                try release.bind(target, at: 1)
                try release.run()
            }
            let take = try connection.cached(
                "UPDATE \(SQL.quoted(table.name)) SET (\(SQL.quoted(column))\(places)) = "
                    + (position == nil ? "(SELECT ?2)" : "(SELECT ?2, ?3)") + " WHERE \(SQL.quoted(table.key)) = ?1")
            for (place, target) in targets.enumerated() {
                try take.bind(target, at: 1)
                try take.bind(id, at: 2)
                if position != nil { try take.bind(place, at: 3) }
                try take.run()
                if connection.changes == 0 { throw RelationshipError.noSuchRow(table: table.name) }
            }
        case .joinTable(let join, let isReversed):
            let (from, to) = isReversed ? ("target_id", "source_id") : ("source_id", "target_id")
            let delete = try connection.cached("DELETE FROM \(SQL.quoted(join)) WHERE \(SQL.quoted(from)) = ?1")
            try delete.bind(id, at: 1)
            try delete.run()
            let insert = try connection.cached(
                "INSERT INTO \(SQL.quoted(join)) (\(SQL.quoted(from)), \(SQL.quoted(to)), \"position\") VALUES (?1, ?2, ?3)"
            )
            for (place, target) in targets.enumerated() {
                try insert.bind(id, at: 1)
                try insert.bind(target, at: 2)
                try insert.bind(place, at: 3)
                try insert.run()
            }
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
            let update = try connection.cached(
                "UPDATE \(SQL.quoted(table.name)) SET \(SQL.quoted(column)) = ?2 WHERE \(SQL.quoted(table.key)) = ?1")
            try update.bind(id, at: 1)
            try update.bind(target, at: 2)
            try update.run()
            if connection.changes == 0 { throw RelationshipError.noSuchRow(table: table.name) }
        case .inverse(let column):
            let table = Target.table
            let release = try connection.cached(
                "UPDATE \(SQL.quoted(table.name)) SET \(SQL.quoted(column)) = NULL WHERE \(SQL.quoted(column)) = ?1"
                    + " AND \(SQL.quoted(table.key)) IS NOT ?2")
            try release.bind(id, at: 1)
            try release.bind(target, at: 2)
            try release.run()
            guard let target else { return }
            let take = try connection.cached(
                "UPDATE \(SQL.quoted(table.name)) SET \(SQL.quoted(column)) = ?2 WHERE \(SQL.quoted(table.key)) = ?1")
            try take.bind(target, at: 1)
            try take.bind(id, at: 2)
            try take.run()
            if connection.changes == 0 { throw RelationshipError.noSuchRow(table: table.name) }
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
