import SQLSchema

extension WriteTransaction {
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

    /// Sets the related row of a to-one relationship in which each row has a related row.
    ///
    /// - Throws: `RelationshipError.noSuchRow` if a row does not exist.
    public func setRelated<Source: StoredEntity, Target>(
        _ source: Source, _ path: KeyPath<Source.Relationships, RequiredToOne<Source, Target>>, to target: Target.ID
    ) throws {
        try setRelated(source, path.appending(path: \.optional), to: target)
    }
}
