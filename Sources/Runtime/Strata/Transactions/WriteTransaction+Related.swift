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
        try setRelated(source, Source.Relationships()[keyPath: path], to: targets)
    }

    /// Replaces the related rows of a to-many relationship.
    ///
    /// ```swift
    /// try transaction.setRelated(movie, \.genres, to: [drama, mystery])
    /// ```
    ///
    /// - Throws: `RelationshipError.noSuchRow` if a row does not exist. `SQLiteError` if a row that is no longer related
    ///   requires the relationship.
    @_disfavoredOverload public func setRelated<Source: StoredEntity, Target>(
        _ source: Source, _ path: KeyPath<Source.Relationships, ToMany<Source, Target>>, to targets: [Target]
    ) throws {
        try setRelated(source, path, to: targets.map(Target.id))
    }

    /// Replaces the related rows of `source`.
    func setRelated<Source: StoredEntity, Target>(
        _ source: Source, _ way: ToMany<Source, Target>, to targets: [Target.ID]
    ) throws {
        listEnds = [:]
        let id = try stored([Source.id(of: source)], in: Source.table)[0]
        let collations = Source.table.keyCollations
        let targets = try stored(targets, in: Target.table)
        switch way.storage {
        case .inverse(let columns, let position):
            let table = Target.table
            if !targets.isEmpty, try !exists(Source.table, id) {
                throw RelationshipError.noSuchRow(table: Source.table.name)
            }
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
            for (index, target) in targets.enumerated() {
                try take.bind(target, at: 1)
                try take.bind(id, at: 1 + Target.ID.columnCount)
                if position != nil { try take.bind(index, at: 1 + Target.ID.columnCount + Source.ID.columnCount) }
                try take.run()
                if try open().changes == 0 { throw RelationshipError.noSuchRow(table: table.name) }
            }
        case .joinTable(let join, let end):
            if end != .target {
                try setPairs(of: id, join.sourceEnd(Source.table), to: targets, join.targetEnd(Target.table), in: join)
            }
            if end != .source {
                try setPairs(of: id, join.targetEnd(Source.table), to: targets, join.sourceEnd(Target.table), in: join)
            }
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
        func parameter(_ column: String) -> String { "?\(table.key.count + 1 + (columns.firstIndex(of: column) ?? 0))" }
        let orders = isMigrating ? [] : table.orders
        let positions = orders.filter { $0.owner == columns }.map { order in
            let last = order.last(in: quoted(table.name), parameter)
            return "\(SQL.quoted(order.position)) = \(order.updated(of: "", to: parameter, last: last))"
        }
        let values = columns.map { "\(SQL.quoted($0)) = \(parameter($0))" } + positions
        return "UPDATE \(quoted(table.name)) SET \(values.joined(separator: ", ")) "
            + "WHERE \(SQL.matches(table.key))"
    }

    /// Replaces the pairs of one row in a join table.
    ///
    /// The rows at the other end may have an order too: a pair that was there keeps its position in it, and a new pair comes
    /// last.
    private func setPairs<One: EntityID, Other: EntityID>(
        of one: One, _ end: JoinTable.End, to others: [Other], _ otherEnd: JoinTable.End, in join: JoinTable
    ) throws {
        let table = quoted(join.name)
        let isOne = SQL.matches(end.columns, collations: end.table.keyCollations)
        // A pair has several positions if the relationship has duplicates.
        var kept: [Other: [SQLiteValue?]] = [:]
        if let position = otherEnd.position {
            let select = try open().cached(
                "SELECT \(SQL.list(otherEnd.columns + [position])) FROM \(table) WHERE \(isOne)")
            try select.bind(one, at: 1)
            let pairs = try Cursor<(id: Other, position: SQLiteValue)>(select, of: self) {
                try ($0.id(0), $0.value(Other.columnCount))
            }.all()
            for (id, pair) in zip(try stored(pairs.map(\.id), in: otherEnd.table), pairs) {
                kept[id, default: []].append(pair.position)
            }
        }
        let delete = try open().cached("DELETE FROM \(table) WHERE \(isOne)")
        try delete.bind(one, at: 1)
        try delete.run()
        let pair = end.columns + otherEnd.columns
        let columns = pair + [end.position, otherEnd.position].compactMap(\.self)
        func statement(_ values: String) throws -> Statement {
            try open().cached("INSERT INTO \(table) (\(SQL.list(columns))) VALUES (\(values))")
        }
        let insert = try statement(SQL.parameters(columns.count))
        let append = try otherEnd.position.map { position in
            let isOther = SQL.matches(
                otherEnd.columns, from: end.columns.count + 1, collations: otherEnd.table.keyCollations)
            let last = "(SELECT coalesce(max(\(SQL.quoted(position))) + 1, 0) FROM \(table) WHERE \(isOther))"
            return try statement("\(SQL.parameters(columns.count - 1)), \(last)")
        }
        for (index, other) in others.enumerated() {
            for position in kept[other] ?? [nil] {
                let statement = position == nil ? append ?? insert : insert
                try statement.bind(one, at: 1)
                try statement.bind(other, at: 1 + One.columnCount)
                if end.position != nil { try statement.bind(index, at: 1 + pair.count) }
                if let position { try statement.bind(position, at: columns.count) }
                try statement.run()
            }
        }
    }

    /// Returns the primary keys as the rows of a table store them. They can differ only if the key has a collation. A key
    /// that no row has is returned unchanged.
    func stored<ID: EntityID>(_ ids: [ID], in table: EntityTable) throws -> [ID] {
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
        try setRelated(source, Source.Relationships()[keyPath: path], to: target)
    }

    /// Sets the related row of a to-one relationship.
    ///
    /// ```swift
    /// try transaction.setRelated(movie, \.studio, to: mosfilm)
    /// ```
    ///
    /// - Throws: `RelationshipError.noSuchRow` if a row does not exist.
    public func setRelated<Source: StoredEntity, Target>(
        _ source: Source, _ path: KeyPath<Source.Relationships, ToOne<Source, Target>>, to target: Target
    ) throws {
        try setRelated(source, path, to: Target.id(of: target))
    }

    /// Sets the related row of `source`; nil for none.
    func setRelated<Source: StoredEntity, Target>(
        _ source: Source, _ way: ToOne<Source, Target>, to target: Target.ID?
    ) throws {
        listEnds = [:]
        let id = Source.id(of: source)
        switch way.storage {
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

    /// Sets the related row of a to-one relationship in which each row has a related row.
    ///
    /// - Throws: `RelationshipError.noSuchRow` if a row does not exist.
    public func setRelated<Source: StoredEntity, Target>(
        _ source: Source, _ path: KeyPath<Source.Relationships, RequiredToOne<Source, Target>>, to target: Target
    ) throws {
        try setRelated(source, path, to: Target.id(of: target))
    }
}
