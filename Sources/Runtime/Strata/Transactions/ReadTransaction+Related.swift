extension ReadTransaction {
    /// Fetches the related rows of a to-many relationship, in their order.
    ///
    /// ```swift
    /// let genres = try transaction.related(movie, \.genres)
    /// ```
    public func related<Source: StoredEntity, Target>(
        _ source: Source, _ path: KeyPath<Source.Relationships, ToMany<Source, Target>>
    ) throws -> [Target] {
        try related(source, Source.Relationships()[keyPath: path])
    }

    /// Fetches the related rows of `source`, in their order.
    func related<Source: StoredEntity, Target>(_ source: Source, _ way: ToMany<Source, Target>) throws -> [Target] {
        let statement = try related(to: source, way.rows(names: name), Target.table)
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
        try related(source, Source.Relationships()[keyPath: path])
    }

    /// Fetches the related row of `source`; nil if there is none.
    func related<Source: StoredEntity, Target>(_ source: Source, _ way: ToOne<Source, Target>) throws -> Target? {
        let statement = try related(to: source, way.rows(names: name), Target.table)
        defer { statement.reset() }
        return try statement.step() ? Target.read(statement.row) : nil
    }

    /// Fetches the related row of a to-one relationship in which each row has a related row; nil if `source` is not stored, or
    /// if something else than Strata has deleted the related row.
    ///
    /// ```swift
    /// let podcast = try transaction.related(episode, \.podcast)
    /// ```
    public func related<Source: StoredEntity, Target>(
        _ source: Source, _ path: KeyPath<Source.Relationships, RequiredToOne<Source, Target>>
    ) throws -> Target? {
        try related(source, path.appending(path: \.optional))
    }

    private func related<Source: StoredEntity>(
        to source: Source, _ rows: RelatedQuery, _ table: EntityTable
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

    /// Fetches the related row of each of several rows with one query.
    ///
    /// - Returns: The related rows, by the primary key of the source.
    public func related<Source: StoredEntity, Target>(
        _ sources: some Collection<Source>, _ path: KeyPath<Source.Relationships, RequiredToOne<Source, Target>>
    ) throws -> [Source.ID: Target] {
        try related(sources, path.appending(path: \.optional))
    }

    private func related<Source: StoredEntity, Target: StoredEntity>(
        _ sources: some Collection<Source>, _ rows: RelatedQuery, _ body: (Source.ID, Target) -> Void
    ) throws {
        try related(sources, rows, Target.all, body)
    }

    /// Passes the related rows of several rows to `body`, with the primary key of their source.
    ///
    /// - Parameters:
    ///   - sources: The rows that have the relationship.
    ///   - rows: The SQL that finds the related rows.
    ///   - request: The related rows to read. Its limit counts for each source.
    ///   - body: The closure.
    func related<Source: StoredEntity, Target: StoredEntity>(
        _ sources: some Collection<Source>, _ rows: RelatedQuery, _ request: Request<Target>,
        _ body: (Source.ID, Target) -> Void
    ) throws {
        if sources.isEmpty { return }
        var known: Set<Source.ID> = []
        let ids = sources.map(Source.id).filter { known.insert($0).inserted }
        let keys = QueryArgument.keys(ids, columnCount: Source.ID.columnCount)
        let statement = try request.statement(of: rows, keys, names: name).prepared(open())
        defer { statement.reset() }
        let columnCount = Target.table.fetchedColumns.count
        while try statement.step() {
            body(try Source.ID(row: statement.row, at: columnCount), try Target.read(statement.row))
        }
    }
}
