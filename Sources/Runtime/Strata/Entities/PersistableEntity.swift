/// A model of your own that is kept as a stored entity, and need not know anything else of the store.
///
/// Of a class or a struct that the rest of an app works with, say how it is converted, and it is written and asked for
/// as the generated struct is: `insert(user)`, `fetch(User.self)`.
public protocol PersistableEntity {
    /// The generated struct that it is kept as.
    associatedtype Stored: StoredEntity
    /// The key of the row that it is kept in: that of `stored(over:)`.
    var storeId: Stored.ID { get }
    /// The model that is kept as `stored`.
    init(stored: Stored) throws
    /// What is kept of the model: `old` with what the model holds, or a new row.
    ///
    /// - `old`: the row that the model is kept in so far; what the model does not hold stays as it is there. Nil where
    ///   there is none.
    func stored(over old: Stored?) throws -> Stored
}

/// Why a model was not written.
public enum PersistableEntityError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Its `storeId` is not the key of what its `stored(over:)` gives.
    case otherKey(model: String)

    /// What is wrong.
    public var description: String {
        switch self {
        case .otherKey(let model): "the storeId of a \(model) is not the key of what its stored(over:) gives"
        }
    }
}

extension PersistableEntity {
    /// What is kept of the model, under its key.
    fileprivate func checkedStored(over old: Stored?) throws -> Stored {
        let entity = try stored(over: old)
        guard Stored.id(of: entity) == storeId else { throw PersistableEntityError.otherKey(model: "\(Self.self)") }
        return entity
    }
}

extension ReadTransaction {
    /// The models of all rows, by key.
    public func fetch<Model: PersistableEntity>(_ type: Model.Type) throws -> [Model] {
        try fetch(Model.Stored.self).map(Model.init)
    }

    /// The models of the rows that `request` means.
    public func fetch<Model: PersistableEntity>(
        _ type: Model.Type, _ request: Request<Model.Stored>
    ) throws -> [Model] {
        try fetch(request).map(Model.init)
    }

    /// The models of the rows for which `condition` holds, in no particular order.
    public func fetch<Model: PersistableEntity>(
        _ type: Model.Type, where condition: (Model.Stored.Columns) -> Condition<Model.Stored>
    ) throws -> [Model] {
        try fetch(Model.Stored.self, where: condition).map(Model.init)
    }

    /// The model of the first row that `request` means, or nil.
    public func first<Model: PersistableEntity>(
        _ type: Model.Type, _ request: Request<Model.Stored>
    ) throws -> Model? {
        try first(request).map(Model.init)
    }

    /// The model of the row whose key is `id`, or nil.
    public func find<Model: PersistableEntity>(_ type: Model.Type, id: Model.Stored.ID) throws -> Model? {
        try find(Model.Stored.self, id: id).map(Model.init)
    }

    /// The rows that a model's row points at, in order.
    ///
    /// - Throws: `RelationshipError.noSuchRow` where the model is not kept.
    public func related<Model: PersistableEntity, Target>(
        _ model: Model, _ path: KeyPath<Model.Stored.Relationships, ToMany<Model.Stored, Target>>
    ) throws -> [Target] {
        try related(row(of: model), path)
    }

    /// The row that a model's row points at, or nil.
    ///
    /// - Throws: `RelationshipError.noSuchRow` where the model is not kept.
    public func related<Model: PersistableEntity, Target>(
        _ model: Model, _ path: KeyPath<Model.Stored.Relationships, ToOne<Model.Stored, Target>>
    ) throws -> Target? {
        try related(row(of: model), path)
    }

    fileprivate func row<Model: PersistableEntity>(of model: Model) throws -> Model.Stored {
        guard let row = try find(Model.Stored.self, id: model.storeId) else {
            throw RelationshipError.noSuchRow(table: Model.Stored.table.name)
        }
        return row
    }
}

extension WriteTransaction {
    /// Writes a model as a new row.
    ///
    /// - Throws: As for the stored entity, `PersistableEntityError`, or what the model's conversion throws.
    public func insert<Model: PersistableEntity>(_ model: Model) throws {
        try insert(model.checkedStored(over: nil))
    }

    /// Writes models as new rows.
    public func insert<Model: PersistableEntity>(contentsOf models: some Sequence<Model>) throws {
        for model in models { try insert(model) }
    }

    /// Writes a model: over the row that has its key, or else as a new one.
    public func upsert<Model: PersistableEntity>(_ model: Model) throws {
        try upsert(model.checkedStored(over: find(Model.Stored.self, id: model.storeId)))
    }

    /// Writes a model over the row that has its key.
    ///
    /// - Throws: `RelationshipError.noSuchRow` where there is none.
    public func update<Model: PersistableEntity>(_ model: Model) throws {
        try update(model.checkedStored(over: row(of: model)))
    }

    /// Deletes the row of a model.
    ///
    /// - Returns: Whether there was one.
    @discardableResult public func delete<Model: PersistableEntity>(_ model: Model) throws -> Bool {
        try delete(Model.Stored.self, id: model.storeId)
    }

    /// Makes `targets` the rows that a model's row points at, in their order.
    ///
    /// - Throws: `RelationshipError.noSuchRow` where the model is not kept, or as for the stored entity.
    public func setRelated<Model: PersistableEntity, Target>(
        _ model: Model, _ path: KeyPath<Model.Stored.Relationships, ToMany<Model.Stored, Target>>,
        to targets: [Target.ID]
    ) throws {
        try setRelated(row(of: model), path, to: targets)
    }

    /// Makes `target` the row that a model's row points at, or lets go of the one that it points at.
    ///
    /// - Throws: `RelationshipError.noSuchRow` where the model is not kept, or as for the stored entity.
    public func setRelated<Model: PersistableEntity, Target>(
        _ model: Model, _ path: KeyPath<Model.Stored.Relationships, ToOne<Model.Stored, Target>>, to target: Target.ID?
    ) throws {
        try setRelated(row(of: model), path, to: target)
    }
}
