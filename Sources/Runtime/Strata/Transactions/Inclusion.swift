import SQLSchema

/// A request for rows together with the rows that their relationships lead to.
///
/// The rows of each relationship are fetched with one query, however many rows have the relationship.
///
/// ```swift
/// let request = Podcast.all.orderBy { $0.title.ascending }.including(\.episodes).including(\.publisher)
/// for (podcast, episodes, publisher) in try transaction.fetch(request) {
///     print(podcast.title, episodes.count, publisher?.country ?? "")
/// }
/// ```
public struct Inclusion<Entity: StoredEntity, Value: Sendable>: Sendable {
    fileprivate let request: Request<Entity>
    /// Fetches what belongs to some rows, and adds it to the lists, unless they are nil. The result returns it for each row; nil
    /// leaves out the row.
    fileprivate let load: @Sendable (ReadTransaction, [Entity], inout FetchedLists?) throws -> (Entity) -> Value?

    /// The same rows with the rows of one more relationship.
    fileprivate func adding<each Part: Sendable, New: Sendable>(
        _ new: @escaping @Sendable (ReadTransaction, [Entity], inout FetchedLists?) throws -> (Entity) -> New?
    ) -> Inclusion<Entity, (repeat each Part, New)> where Value == (repeat each Part) {
        let load = load
        return Inclusion<Entity, (repeat each Part, New)>(request: request) { transaction, rows, lists in
            let (old, new) = (try load(transaction, rows, &lists), try new(transaction, rows, &lists))
            return { row in
                guard let old = old(row), let new = new(row) else { return nil }
                return (repeat each old, new)
            }
        }
    }
}

extension Request {
    /// The rows without other rows.
    fileprivate var alone: Inclusion<Entity, Entity> { Inclusion(request: self) { _, _, _ in { $0 } } }

    /// The rows with the rows of a relationship.
    fileprivate func with<New: Sendable>(
        _ new: @escaping @Sendable (ReadTransaction, [Entity], inout FetchedLists?) throws -> (Entity) -> New?
    ) -> Inclusion<Entity, (Entity, New)> {
        Inclusion(request: self) { transaction, rows, lists in
            let new = try new(transaction, rows, &lists)
            return { row in new(row).map { (row, $0) } }
        }
    }
}

/// The rows that a relationship leads to, with what belongs to them.
private struct Included<Source: StoredEntity, Target: StoredEntity, Value: Sendable>: Sendable {
    let query: @Sendable ((String) -> String) -> RelatedQuery
    let inclusion: Inclusion<Target, Value>

    /// Fetches the values, by the primary key of their source.
    func values(
        _ transaction: ReadTransaction, _ sources: [Source], _ lists: inout FetchedLists?
    ) throws -> [Source.ID: [Value]] {
        var rows: [(source: Source.ID, target: Target)] = []
        try transaction.related(sources, query(transaction.name), inclusion.request) { rows.append(($0, $1)) }
        let targets = rows.map(\.target)
        lists?.append(rows.map(\.source))
        lists?.append(targets)
        let value = try inclusion.load(transaction, targets, &lists)
        var values: [Source.ID: [Value]] = [:]
        for row in rows {
            if let value = value(row.target) { values[row.source, default: []].append(value) }
        }
        return values
    }

    /// Fetches all values of each source.
    @Sendable func all(_ transaction: ReadTransaction, _ sources: [Source], _ lists: inout FetchedLists?) throws -> (
        Source
    ) -> [Value]? {
        let values = try values(transaction, sources, &lists)
        return { values[Source.id(of: $0)] ?? [] }
    }

    /// Fetches the value of each source, or nil if it has none.
    @Sendable func one(_ transaction: ReadTransaction, _ sources: [Source], _ lists: inout FetchedLists?) throws -> (
        Source
    ) -> Value?? {
        let values = try values(transaction, sources, &lists)
        return { .some(values[Source.id(of: $0)]?.first) }
    }

    /// Fetches the value of each source, and leaves out sources that have none.
    @Sendable func required(_ transaction: ReadTransaction, _ sources: [Source], _ lists: inout FetchedLists?) throws
        -> (Source) -> Value?
    {
        let values = try values(transaction, sources, &lists)
        return { values[Source.id(of: $0)]?.first }
    }
}

extension ToMany {
    fileprivate func included<Value: Sendable>(_ inclusion: Inclusion<Target, Value>) -> Included<Source, Target, Value>
    {
        Included(query: { rows(names: $0) }, inclusion: inclusion)
    }
}

extension ToOne {
    fileprivate func included<Value: Sendable>(_ inclusion: Inclusion<Target, Value>) -> Included<Source, Target, Value>
    {
        Included(query: { rows(names: $0) }, inclusion: inclusion)
    }
}

extension Request {
    /// The rows, each with the related rows of a to-many relationship.
    ///
    /// ```swift
    /// let newest = Podcast.all.including(\.episodes) { $0.orderBy { $0.date.descending }.limit(3) }
    /// ```
    ///
    /// - Parameters:
    ///   - path: The relationship.
    ///   - related: Returns the related rows to fetch: their condition, their order, and how many of each row. Without an order,
    ///     they have that of the relationship.
    public func including<Target>(
        _ path: KeyPath<Entity.Relationships, ToMany<Entity, Target>>,
        _ related: (Request<Target>) -> Request<Target> = { $0 }
    ) -> Inclusion<Entity, (Entity, [Target])> {
        with(Entity.Relationships()[keyPath: path].included(related(Target.all).alone).all)
    }

    /// The rows, each with the related rows of a to-many relationship, and with their own related rows.
    ///
    /// ```swift
    /// let request = Publisher.all.including(\.podcasts) { $0.including(\.episodes) }
    /// ```
    ///
    /// - Parameters:
    ///   - path: The relationship.
    ///   - related: Returns the related rows to fetch, and what to fetch with them.
    public func including<Target, New: Sendable>(
        _ path: KeyPath<Entity.Relationships, ToMany<Entity, Target>>,
        _ related: (Request<Target>) -> Inclusion<Target, New>
    ) -> Inclusion<Entity, (Entity, [New])> {
        with(Entity.Relationships()[keyPath: path].included(related(Target.all)).all)
    }

    /// The rows, each with the related row of a to-one relationship; nil if there is none.
    public func including<Target>(
        _ path: KeyPath<Entity.Relationships, ToOne<Entity, Target>>
    ) -> Inclusion<Entity, (Entity, Target?)> {
        with(Entity.Relationships()[keyPath: path].included(Target.all.alone).one)
    }

    /// The rows, each with the related row of a to-one relationship, and with that row's own related rows.
    public func including<Target, New: Sendable>(
        _ path: KeyPath<Entity.Relationships, ToOne<Entity, Target>>,
        _ related: (Request<Target>) -> Inclusion<Target, New>
    ) -> Inclusion<Entity, (Entity, New?)> {
        with(Entity.Relationships()[keyPath: path].included(related(Target.all)).one)
    }

    /// The rows, each with the related row of a to-one relationship.
    public func including<Target>(
        _ path: KeyPath<Entity.Relationships, RequiredToOne<Entity, Target>>
    ) -> Inclusion<Entity, (Entity, Target)> {
        with(Entity.Relationships()[keyPath: path].optional.included(Target.all.alone).required)
    }

    /// The rows, each with the related row of a to-one relationship, and with that row's own related rows.
    public func including<Target, New: Sendable>(
        _ path: KeyPath<Entity.Relationships, RequiredToOne<Entity, Target>>,
        _ related: (Request<Target>) -> Inclusion<Target, New>
    ) -> Inclusion<Entity, (Entity, New)> {
        with(Entity.Relationships()[keyPath: path].optional.included(related(Target.all)).required)
    }
}

extension Inclusion {
    /// The rows, each with the related rows of a to-many relationship.
    ///
    /// - Parameters:
    ///   - path: The relationship.
    ///   - related: Returns the related rows to fetch: their condition, their order, and how many of each row. Without an order,
    ///     they have that of the relationship.
    public func including<each Part: Sendable, Target>(
        _ path: KeyPath<Entity.Relationships, ToMany<Entity, Target>>,
        _ related: (Request<Target>) -> Request<Target> = { $0 }
    ) -> Inclusion<Entity, (repeat each Part, [Target])> where Value == (repeat each Part) {
        adding(Entity.Relationships()[keyPath: path].included(related(Target.all).alone).all)
    }

    /// The rows, each with the related rows of a to-many relationship, and with their own related rows.
    ///
    /// - Parameters:
    ///   - path: The relationship.
    ///   - related: Returns the related rows to fetch, and what to fetch with them.
    public func including<each Part: Sendable, Target, New: Sendable>(
        _ path: KeyPath<Entity.Relationships, ToMany<Entity, Target>>,
        _ related: (Request<Target>) -> Inclusion<Target, New>
    ) -> Inclusion<Entity, (repeat each Part, [New])> where Value == (repeat each Part) {
        adding(Entity.Relationships()[keyPath: path].included(related(Target.all)).all)
    }

    /// The rows, each with the related row of a to-one relationship; nil if there is none.
    public func including<each Part: Sendable, Target>(
        _ path: KeyPath<Entity.Relationships, ToOne<Entity, Target>>
    ) -> Inclusion<Entity, (repeat each Part, Target?)> where Value == (repeat each Part) {
        adding(Entity.Relationships()[keyPath: path].included(Target.all.alone).one)
    }

    /// The rows, each with the related row of a to-one relationship, and with that row's own related rows.
    public func including<each Part: Sendable, Target, New: Sendable>(
        _ path: KeyPath<Entity.Relationships, ToOne<Entity, Target>>,
        _ related: (Request<Target>) -> Inclusion<Target, New>
    ) -> Inclusion<Entity, (repeat each Part, New?)> where Value == (repeat each Part) {
        adding(Entity.Relationships()[keyPath: path].included(related(Target.all)).one)
    }

    /// The rows, each with the related row of a to-one relationship.
    public func including<each Part: Sendable, Target>(
        _ path: KeyPath<Entity.Relationships, RequiredToOne<Entity, Target>>
    ) -> Inclusion<Entity, (repeat each Part, Target)> where Value == (repeat each Part) {
        adding(Entity.Relationships()[keyPath: path].optional.included(Target.all.alone).required)
    }

    /// The rows, each with the related row of a to-one relationship, and with that row's own related rows.
    public func including<each Part: Sendable, Target, New: Sendable>(
        _ path: KeyPath<Entity.Relationships, RequiredToOne<Entity, Target>>,
        _ related: (Request<Target>) -> Inclusion<Target, New>
    ) -> Inclusion<Entity, (repeat each Part, New)> where Value == (repeat each Part) {
        adding(Entity.Relationships()[keyPath: path].optional.included(related(Target.all)).required)
    }
}

/// All lists of rows and of primary keys that an inclusion has fetched.
struct FetchedLists: Sendable {
    private var lists: [any Equatable & Sendable] = []

    mutating func append<Element: Equatable & Sendable>(_ list: [Element]) { lists.append(list) }

    static func areSame(_ left: FetchedLists, _ right: FetchedLists) -> Bool {
        left.lists.count == right.lists.count && zip(left.lists, right.lists).allSatisfy { $0.isSame(as: $1) }
    }
}

extension ReadTransaction {
    /// Fetches rows together with the rows that their relationships lead to, with one query for each relationship.
    public func fetch<Entity, Value>(_ inclusion: Inclusion<Entity, Value>) throws -> [Value] {
        var lists: FetchedLists?
        return try fetch(inclusion, &lists)
    }

    /// Fetches an inclusion, and adds everything that it consists of to the lists, unless they are nil.
    func fetch<Entity, Value>(_ inclusion: Inclusion<Entity, Value>, _ lists: inout FetchedLists?) throws -> [Value] {
        let rows = try fetch(inclusion.request)
        lists?.append(rows)
        let value = try inclusion.load(self, rows, &lists)
        return rows.compactMap(value)
    }

    /// Fetches the first row together with the rows that its relationships lead to; nil if there is none.
    public func first<Entity, Value>(_ inclusion: Inclusion<Entity, Value>) throws -> Value? {
        guard let row = try first(inclusion.request) else { return nil }
        var lists: FetchedLists?
        return try inclusion.load(self, [row], &lists)(row)
    }
}
