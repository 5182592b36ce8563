// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// The names that people who know other libraries try first, of requests and transactions.

extension Request {
    @available(*, unavailable, message: "write `try transaction.fetch(request)`")
    public func fetchAll(_ transaction: ReadTransaction) throws -> [Entity] { [] }
    @available(*, unavailable, message: "write `try transaction.first(request)`")
    public func fetchOne(_ transaction: ReadTransaction) throws -> Entity? { nil }
    @available(*, unavailable, message: "write `try transaction.count(request)`")
    public func fetchCount(_ transaction: ReadTransaction) throws -> Int { 0 }
}

extension ReadTransaction {
    @available(*, unavailable, message: "pass a primary key: `id: .init(number)`")
    public func find<Entity: StoredEntity>(_ type: Entity.Type, id: Entity.ID.RawValue) throws -> Entity?
    where Entity.ID: RawEntityID { nil }
    @available(*, unavailable, message: "write `try transaction.fetch(selection).count`, or count the request")
    public func count<Entity, Value>(_ selection: Selection<Entity, Value>) throws -> Int { 0 }
    @available(*, unavailable, renamed: "fetch(_:)")
    public func fetchAll<Entity: StoredEntity>(_ request: Request<Entity>) throws -> [Entity] { [] }
    @available(*, unavailable, renamed: "first(_:)")
    public func fetchOne<Entity: StoredEntity>(_ request: Request<Entity>) throws -> Entity? { nil }
    @available(*, unavailable, renamed: "count(_:)")
    public func fetchCount<Entity: StoredEntity>(_ request: Request<Entity>) throws -> Int { 0 }
    @available(
        *, unavailable,
        message: "`select` takes a property, or a tuple: the row first, then properties and `$0.podcast.row`"
    )
    public func fetch(_ selection: EmptySelection) throws -> [Never] { [] }
    @available(
        *, unavailable,
        message: "`select` takes a property, or a tuple: the row first, then properties and `$0.podcast.row`"
    )
    public func first(_ selection: EmptySelection) throws -> Never? { nil }
}

extension WriteTransaction {
    @available(*, unavailable, message: "pass a primary key: `id: .init(number)`")
    public func delete<Entity: StoredEntity>(_ type: Entity.Type, id: Entity.ID.RawValue) throws -> Bool
    where Entity.ID: RawEntityID { false }
    @available(*, unavailable, renamed: "add(_:to:_:)")
    public func append<Source: StoredEntity, Target>(
        _ target: Target, to source: Source, _ path: KeyPath<Source.Relationships, ToMany<Source, Target>>
    ) throws {}
    @available(*, unavailable, message: "write `try transaction.setRelated(playlist, \\.episodes, to: [])`")
    public func removeAll<Source: StoredEntity, Target>(
        from source: Source, _ path: KeyPath<Source.Relationships, ToMany<Source, Target>>
    ) throws {}
    @available(*, unavailable, message: "write `upsert`, or `insert` or `update`")
    public func save<Entity: StoredEntity>(_ entity: Entity) throws {}
    @available(*, unavailable, message: "write `try transaction.delete(Movie.all)`")
    public func deleteAll<Entity: StoredEntity>(_ type: Entity.Type) throws {}
}
