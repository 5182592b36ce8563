/// The rows of one version while a custom migration runs, or while a test compares its rows. Their relationships lead to the structs
/// of the same version, whatever later versions change.
///
/// ```swift
/// let items = try context.old.fetch(V1_0.LaundryItem.all.where { $0.masterID == old.storeID })
/// ```
///
/// A request cannot follow relationships or search, because both are those of the newest version: compare keys, as above, or use
/// `related` or your own SQL. Such a request throws `QueryError`.
public struct VersionRows<Version> {
    let transaction: ReadTransaction

    package init(_ transaction: ReadTransaction) { self.transaction = transaction }

    // MARK: Requests

    /// Fetches all rows of an entity, sorted by primary key.
    public func fetch<Entity: StoredEntity>(_ type: Entity.Type) throws -> [Entity] { try transaction.fetch(type) }

    /// Fetches the rows of a request.
    public func fetch<Entity: StoredEntity>(_ request: Request<Entity>) throws -> [Entity] {
        try transaction.fetch(checked(request))
    }

    /// Fetches the rows for which `condition` is true, in an undefined order.
    ///
    /// ```swift
    /// let expensive = try context.old.fetch(V1_0.LaundryItem.self) { $0.price > 10 }
    /// ```
    public func fetch<Entity: StoredEntity>(
        _ type: Entity.Type, where condition: (Entity.Columns) -> Condition<Entity>
    ) throws -> [Entity] {
        try fetch(Request(where: condition(Entity.Columns())))
    }

    /// Fetches the first row of a request; nil if there is none.
    public func first<Entity: StoredEntity>(_ request: Request<Entity>) throws -> Entity? {
        try transaction.first(checked(request))
    }

    /// Fetches the row with the primary key `id`; nil if there is none.
    ///
    /// ```swift
    /// let laundry = try item.masterID.flatMap { try context.old.find(V1_0.Laundry.self, id: $0) }
    /// ```
    public func find<Entity: StoredEntity>(_ type: Entity.Type, id: Entity.ID) throws -> Entity? {
        try transaction.find(type, id: id)
    }

    /// Returns a cursor over all rows of an entity, sorted by primary key. It reads one row at a time.
    public func cursor<Entity: StoredEntity>(_ type: Entity.Type) throws -> Cursor<Entity> {
        try transaction.cursor(type)
    }

    /// Returns a cursor over the rows of a request. It reads one row at a time.
    public func cursor<Entity: StoredEntity>(_ request: Request<Entity>) throws -> Cursor<Entity> {
        try transaction.cursor(checked(request))
    }

    /// Counts the rows of an entity.
    public func count<Entity: StoredEntity>(_ type: Entity.Type) throws -> Int { try transaction.count(type) }

    /// Counts the rows of a request.
    public func count<Entity: StoredEntity>(_ request: Request<Entity>) throws -> Int {
        try transaction.count(checked(request))
    }

    private func checked<Entity: StoredEntity>(_ request: Request<Entity>) throws -> Request<Entity> {
        guard request.followsRelationships else { return request }
        throw QueryError.refused(
            reason:
                "a request cannot follow relationships or search here, because both are those of the newest version",
            sql: request.sql)
    }

    // MARK: Relationships

    /// Fetches the related rows of a to-many relationship, in their order.
    ///
    /// ```swift
    /// let items = try context.old.related(old, \.items)
    /// ```
    public func related<Source: StoredEntity, Target>(
        _ source: Source, _ path: KeyPath<VersionRelationships<Version, Source>, ToMany<Source, Target>>
    ) throws -> [Target] {
        try transaction.related(source, VersionRelationships()[keyPath: path])
    }

    /// Fetches the related row of a to-one relationship; nil if there is none.
    public func related<Source: StoredEntity, Target>(
        _ source: Source, _ path: KeyPath<VersionRelationships<Version, Source>, ToOne<Source, Target>>
    ) throws -> Target? {
        try transaction.related(source, VersionRelationships()[keyPath: path])
    }

    /// Fetches the related row of a to-one relationship in which each row has a related row.
    ///
    /// - Returns: The related row; nil if there is none, because something else than Strata has deleted it. A migration that
    ///   fails then would fail again at each launch.
    public func related<Source: StoredEntity, Target>(
        _ source: Source, _ path: KeyPath<VersionRelationships<Version, Source>, RequiredToOne<Source, Target>>
    ) throws -> Target? {
        try transaction.related(source, VersionRelationships()[keyPath: path].optional)
    }

    // MARK: Your own SQL

    /// Runs your own query, and returns the results of `body` for its rows.
    ///
    /// ```swift
    /// let items = context.old.tableName(of: V1_0.LaundryItem.self)
    /// let prices = try context.old.rows("SELECT price FROM \(items) WHERE master_id = ?", [old.storeID]) {
    ///     try $0.value("price", as: Double?.self)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - sql: The query. While a migration runs, a table may have another name: `tableName(of:)` and `tableName(_:)` return it.
    ///   - arguments: The values of the parameters. A primary key with several columns takes several parameters.
    ///   - body: A closure that reads one row.
    /// - Throws: `SQLiteError` if the SQL is invalid, `QueryError`, or the error of `body`.
    public func rows<Element>(
        _ sql: String, _ arguments: [(any ColumnStorable)?] = [], _ body: (QueryRow) throws -> Element
    ) throws -> [Element] {
        try transaction.willRunSQL?()
        return try transaction.rows(sql, arguments, body)
    }

    /// Returns the quoted name that the table of an entity has in your own SQL.
    public func tableName<Entity: StoredEntity>(of type: Entity.Type) -> String { tableName(Entity.table.name) }

    /// Returns the quoted name that a table of the version, such as a join table, has in your own SQL.
    ///
    /// - Parameter table: The unquoted name of the table in the version.
    public func tableName(_ table: String) -> String { transaction.quoted(table) }
}
