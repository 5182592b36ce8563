extension ReadTransaction {
    /// Fetches the related rows of a to-many relationship, in their order.
    ///
    /// ```swift
    /// let genres = try transaction.related(movie, \.genres)
    /// ```
    public func related<Source: StoredEntity, Target>(
        _ source: Source, _ path: KeyPath<Source.Relationships, ToMany<Source, Target>>
    ) throws -> [Target] {
        let statement = try related(to: source, Source.Relationships()[keyPath: path].rows(names: name), Target.table)
        defer { statement.reset() }
        var targets: [Target] = []
        while try statement.step() { targets.append(try Target.read(statement.row)) }
        return targets
    }

    /// Fetches the related row of a to-one relationship; nil if there is none.
    ///
    /// ```swift
    /// let studio = try transaction.related(movie, \.studio)
    /// ```
    public func related<Source: StoredEntity, Target>(
        _ source: Source, _ path: KeyPath<Source.Relationships, ToOne<Source, Target>>
    ) throws -> Target? {
        let statement = try related(to: source, Source.Relationships()[keyPath: path].rows(names: name), Target.table)
        defer { statement.reset() }
        return try statement.step() ? Target.read(statement.row) : nil
    }

    private func related<Source: StoredEntity>(
        to source: Source, _ rows: RelatedRows, _ table: EntityTable
    ) throws -> Statement {
        let statement = try open().cached(rows.select(table, where: rows.ofOne))
        try statement.bind(Source.id(of: source), at: 1)
        return statement
    }

    /// Fetches the related rows of several rows with one query.
    ///
    /// ```swift
    /// let genresOf = try transaction.related(movies, \.genres)
    /// for movie in movies { print(movie.title, genresOf[movie.id, default: []]) }
    /// ```
    ///
    /// - Returns: The related rows in their order, by the primary key of the source. Sources without related rows are left
    ///   out.
    public func related<Source: StoredEntity, Target>(
        _ sources: some Collection<Source>, _ path: KeyPath<Source.Relationships, ToMany<Source, Target>>
    ) throws -> [Source.ID: [Target]] {
        var targets: [Source.ID: [Target]] = [:]
        let rows = Source.Relationships()[keyPath: path].rows(names: name)
        try related(sources, rows) { targets[$0, default: []].append($1) }
        return targets
    }

    /// Fetches the related row of each of several rows with one query.
    ///
    /// ```swift
    /// let studioOf = try transaction.related(movies, \.studio)
    /// for movie in movies { print(movie.title, studioOf[movie.id]?.name ?? "") }
    /// ```
    ///
    /// - Returns: The related rows, by the primary key of the source. Sources without a related row are left out.
    public func related<Source: StoredEntity, Target>(
        _ sources: some Collection<Source>, _ path: KeyPath<Source.Relationships, ToOne<Source, Target>>
    ) throws -> [Source.ID: Target] {
        var targets: [Source.ID: Target] = [:]
        let rows = Source.Relationships()[keyPath: path].rows(names: name)
        try related(sources, rows) { targets[$0] = $1 }
        return targets
    }

    private func related<Source: StoredEntity, Target: StoredEntity>(
        _ sources: some Collection<Source>, _ rows: RelatedRows, _ body: (Source.ID, Target) -> Void
    ) throws {
        let connection = try open()
        // The number of parameters is limited (https://sqlite.org/limits.html). More keys need another query.
        let most = connection.mostParameters / Source.ID.columnCount
        var known: Set<Source.ID> = []
        var rest = sources.map(Source.id).filter { known.insert($0).inserted }[...]
        while !rest.isEmpty {
            let part = rest.prefix(most)
            rest = rest.dropFirst(part.count)
            let statement = try connection.prepare(
                rows.select(Target.table, rows.source, where: rows.ofMany(part.count)))
            for (place, id) in part.enumerated() {
                try statement.bind(id, at: 1 + place * Source.ID.columnCount)
            }
            let columnCount = Target.table.columns.count
            while try statement.step() {
                body(try Source.ID(row: statement.row, at: columnCount), try Target.read(statement.row))
            }
        }
    }
}
