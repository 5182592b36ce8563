import SQLSchema

extension WriteTransaction {
    /// Adds a row to the related rows of another one, as the last one if they are ordered.
    ///
    /// ```swift
    /// try transaction.add(drama, to: movie, \.genres)
    /// ```
    ///
    /// A row that is already related stays where it is, unless the relationship has duplicates. A foreign key that led elsewhere
    /// is changed.
    ///
    /// - Parameters:
    ///   - target: The row, or its primary key.
    ///   - source: The row that has the relationship.
    ///   - path: The relationship.
    /// - Throws: `RelationshipError.noSuchRow` if a row does not exist.
    public func add<Source: StoredEntity, Target>(
        _ target: Target, to source: Source, _ path: KeyPath<Source.Relationships, ToMany<Source, Target>>
    ) throws {
        try add(Target.id(of: target), to: source, path)
    }

    /// Adds the row with a primary key to the related rows of another one, as the last one if they are ordered.
    ///
    /// ```swift
    /// try transaction.add(drama.id, to: movie, \.genres)
    /// ```
    ///
    /// - Throws: `RelationshipError.noSuchRow` if a row does not exist.
    public func add<Source: StoredEntity, Target>(
        _ target: Target.ID, to source: Source, _ path: KeyPath<Source.Relationships, ToMany<Source, Target>>
    ) throws {
        try add(contentsOf: CollectionOfOne(target), to: source, path)
    }

    /// Adds rows to the related rows of another one, in their order.
    ///
    /// ```swift
    /// try transaction.add(contentsOf: [drama, mystery], to: movie, \.genres)
    /// ```
    ///
    /// - Throws: `RelationshipError.noSuchRow` if a row does not exist. Then no row is added.
    @_disfavoredOverload public func add<Source: StoredEntity, Target>(
        contentsOf targets: some Sequence<Target>, to source: Source,
        _ path: KeyPath<Source.Relationships, ToMany<Source, Target>>
    ) throws {
        try add(contentsOf: targets.map(Target.id), to: source, path)
    }

    /// Adds the rows with primary keys to the related rows of another one, in their order.
    ///
    /// - Throws: `RelationshipError.noSuchRow` if a row does not exist. Then no row is added.
    public func add<Source: StoredEntity, Target>(
        contentsOf targets: some Sequence<Target.ID>, to source: Source,
        _ path: KeyPath<Source.Relationships, ToMany<Source, Target>>
    ) throws {
        let (way, id) = (Source.Relationships()[keyPath: path], Source.id(of: source))
        try savepoint {
            var last: Int?
            for target in targets { try link(way, id, target, at: nil, &last) }
        }
    }

    /// Inserts a row into the ordered related rows of another one.
    ///
    /// ```swift
    /// try transaction.insert(mystery, at: 0, in: movie, \.genres)
    /// ```
    ///
    /// A row that is already related is moved there, unless the relationship has duplicates.
    ///
    /// - Parameters:
    ///   - target: The row, or its primary key.
    ///   - index: The index that the row then has, counted from 0.
    ///   - source: The row that has the relationship.
    ///   - path: The relationship.
    /// - Throws: `RelationshipError` if a row does not exist, if the related rows are not ordered, or if there are fewer than
    ///   `index`.
    public func insert<Source: StoredEntity, Target>(
        _ target: Target, at index: Int, in source: Source,
        _ path: KeyPath<Source.Relationships, ToMany<Source, Target>>
    ) throws {
        try insert(Target.id(of: target), at: index, in: source, path)
    }

    /// Inserts the row with a primary key into the ordered related rows of another one.
    ///
    /// - Throws: `RelationshipError` if a row does not exist, if the related rows are not ordered, or if there are fewer than
    ///   `index`.
    public func insert<Source: StoredEntity, Target>(
        _ target: Target.ID, at index: Int, in source: Source,
        _ path: KeyPath<Source.Relationships, ToMany<Source, Target>>
    ) throws {
        let (way, id) = (Source.Relationships()[keyPath: path], Source.id(of: source))
        try savepoint {
            var last: Int?
            try link(way, id, target, at: index, &last)
        }
    }

    /// Moves a row in the ordered related rows of another one.
    ///
    /// ```swift
    /// try transaction.move(from: 2, to: 0, in: movie, \.genres)
    /// ```
    ///
    /// - Parameters:
    ///   - index: The index of the row, counted from 0.
    ///   - newIndex: The index that the row then has.
    ///   - source: The row that has the relationship.
    ///   - path: The relationship.
    /// - Throws: `RelationshipError` if the related rows are not ordered, or if an index is out of range.
    public func move<Source: StoredEntity, Target>(
        from index: Int, to newIndex: Int, in source: Source,
        _ path: KeyPath<Source.Relationships, ToMany<Source, Target>>
    ) throws {
        let (list, id) = (Source.Relationships()[keyPath: path].list, Source.id(of: source))
        try savepoint {
            let count = try numbered(list, id)
            let (old, _): (Int, Target.ID) = try entry(at: index, of: list, id, count)
            let (new, _): (Int, Target.ID) = try entry(at: newIndex, of: list, id, count)
            try move(from: old, to: new, in: list, id)
        }
    }

    /// Removes a row from the related rows of another one. The row stays in its table.
    ///
    /// ```swift
    /// try transaction.remove(drama, from: movie, \.genres)
    /// ```
    ///
    /// - Parameters:
    ///   - target: The row, or its primary key. If the relationship has duplicates, all of them are removed.
    ///   - source: The row that has the relationship.
    ///   - path: The relationship.
    /// - Returns: Whether the row was related.
    /// - Throws: `SQLiteError` if the row requires the relationship.
    @discardableResult public func remove<Source: StoredEntity, Target>(
        _ target: Target, from source: Source, _ path: KeyPath<Source.Relationships, ToMany<Source, Target>>
    ) throws -> Bool {
        try remove(Target.id(of: target), from: source, path)
    }

    /// Removes the row with a primary key from the related rows of another one. The row stays in its table.
    ///
    /// - Returns: Whether the row was related.
    /// - Throws: `SQLiteError` if the row requires the relationship.
    @discardableResult public func remove<Source: StoredEntity, Target>(
        _ target: Target.ID, from source: Source, _ path: KeyPath<Source.Relationships, ToMany<Source, Target>>
    ) throws -> Bool {
        let (way, id) = (Source.Relationships()[keyPath: path], Source.id(of: source))
        return try savepoint { try unlink(way, id, target, at: nil) }
    }

    /// Removes the row at an index from the ordered related rows of another one. The row stays in its table.
    ///
    /// ```swift
    /// let genreID = try transaction.remove(at: 0, from: movie, \.genres)
    /// ```
    ///
    /// - Returns: The primary key of the removed row.
    /// - Throws: `RelationshipError` if the related rows are not ordered, or if the index is out of range. `SQLiteError` if
    ///   the row requires the relationship.
    @discardableResult public func remove<Source: StoredEntity, Target>(
        at index: Int, from source: Source, _ path: KeyPath<Source.Relationships, ToMany<Source, Target>>
    ) throws -> Target.ID {
        let (way, id) = (Source.Relationships()[keyPath: path], Source.id(of: source))
        return try savepoint {
            let count = try numbered(way.list, id)
            let (position, target): (Int, Target.ID) = try entry(at: index, of: way.list, id, count)
            try unlink(way, id, target, at: position)
            return target
        }
    }
}
