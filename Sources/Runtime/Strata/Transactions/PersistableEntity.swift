/// Your own model type that is stored as a generated struct.
///
/// Convert your class or struct to the generated struct and back. Transactions then insert, fetch, update and delete it:
/// `insert(user)`, `fetch(User.self)`.
public protocol PersistableEntity {
    /// The generated struct.
    associatedtype Stored: StoredEntity
    /// The primary key of the model's row, which must be the one of `stored(over:)`.
    var storeId: Stored.ID { get }
    /// Creates the model from its row.
    init(stored: Stored) throws
    /// Returns the row of the model.
    ///
    /// - Parameter old: The current row of the model; nil if it is new. Keep its values for properties that your model does
    ///   not have.
    func stored(over old: Stored?) throws -> Stored
}

/// An error in writing a model.
public enum PersistableEntityError: Error, Hashable, Sendable, CustomStringConvertible {
    /// `storeId` is not the primary key of the row that `stored(over:)` returns.
    case otherKey(model: String)

    /// The problem, and the way to solve it.
    public var description: String {
        switch self {
        case .otherKey(let model): "the storeId of a \(model) is not the key of what its stored(over:) gives"
        }
    }
}

extension PersistableEntity {
    /// Returns the row of the model, and checks its primary key.
    fileprivate func checkedStored(over old: Stored?) throws -> Stored {
        let entity = try stored(over: old)
        guard Stored.id(of: entity) == storeId else { throw PersistableEntityError.otherKey(model: "\(Self.self)") }
        return entity
    }
}

extension ReadTransaction {
    /// Fetches the models of all rows, sorted by primary key.
    ///
    /// ```swift
    /// let films = try transaction.fetch(Film.self)
    /// ```
    public func fetch<Model: PersistableEntity>(_ type: Model.Type) throws -> [Model] {
        try fetch(Model.Stored.self).map(Model.init)
    }

    /// Fetches the models of the rows of a request.
    public func fetch<Model: PersistableEntity>(
        _ type: Model.Type, _ request: Request<Model.Stored>
    ) throws -> [Model] {
        try fetch(request).map(Model.init)
    }

    /// Fetches the models of the rows for which `condition` is true, in an undefined order.
    public func fetch<Model: PersistableEntity>(
        _ type: Model.Type, where condition: (Model.Stored.Columns) -> Condition<Model.Stored>
    ) throws -> [Model] {
        try fetch(Model.Stored.self, where: condition).map(Model.init)
    }

    /// Fetches the model of the first row of a request; nil if there is none.
    public func first<Model: PersistableEntity>(
        _ type: Model.Type, _ request: Request<Model.Stored>
    ) throws -> Model? {
        try first(request).map(Model.init)
    }

    /// Fetches the model of the row with the primary key `id`; nil if there is none.
    ///
    /// ```swift
    /// let film = try transaction.find(Film.self, id: 7)
    /// ```
    public func find<Model: PersistableEntity>(_ type: Model.Type, id: Model.Stored.ID) throws -> Model? {
        try find(Model.Stored.self, id: id).map(Model.init)
    }

    /// Fetches the related rows of a model, in their order.
    ///
    /// - Throws: `RelationshipError.noSuchRow` if the model has no row.
    public func related<Model: PersistableEntity, Target>(
        _ model: Model, _ path: KeyPath<Model.Stored.Relationships, ToMany<Model.Stored, Target>>
    ) throws -> [Target] {
        try related(row(of: model), path)
    }

    /// Fetches the related row of a model; nil if there is none.
    ///
    /// - Throws: `RelationshipError.noSuchRow` if the model has no row.
    public func related<Model: PersistableEntity, Target>(
        _ model: Model, _ path: KeyPath<Model.Stored.Relationships, ToOne<Model.Stored, Target>>
    ) throws -> Target? {
        try related(row(of: model), path)
    }

    /// Fetches the related row of a model in a relationship in which each row has a related row.
    ///
    /// - Throws: `RelationshipError.noSuchRow` if the model has no row.
    public func related<Model: PersistableEntity, Target>(
        _ model: Model, _ path: KeyPath<Model.Stored.Relationships, RequiredToOne<Model.Stored, Target>>
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
    /// Inserts a row for a model.
    ///
    /// ```swift
    /// try transaction.insert(film)
    /// ```
    ///
    /// - Throws: The errors of inserting the row, `PersistableEntityError`, or the error of `stored(over:)`.
    public func insert<Model: PersistableEntity>(_ model: Model) throws {
        try insert(model.checkedStored(over: nil))
    }

    /// Inserts rows for models.
    ///
    /// - Throws: The errors of inserting one model. Then none of the rows is inserted.
    public func insert<Model: PersistableEntity>(contentsOf models: some Sequence<Model>) throws {
        try savepoint { for model in models { try insert(model) } }
    }

    /// Inserts a row for a model, or updates its row.
    ///
    /// ```swift
    /// try transaction.upsert(film)
    /// ```
    public func upsert<Model: PersistableEntity>(_ model: Model) throws {
        try upsert(model.checkedStored(over: find(Model.Stored.self, id: model.storeId)))
    }

    /// Updates the row of a model.
    ///
    /// ```swift
    /// film.title = "Solyaris"
    /// try transaction.update(film)
    /// ```
    ///
    /// - Throws: `RelationshipError.noSuchRow` if the model has no row.
    public func update<Model: PersistableEntity>(_ model: Model) throws {
        try update(model.checkedStored(over: row(of: model)))
    }

    /// Deletes the row of a model.
    ///
    /// ```swift
    /// try transaction.delete(film)
    /// ```
    ///
    /// - Returns: Whether there was such a row.
    @discardableResult public func delete<Model: PersistableEntity>(_ model: Model) throws -> Bool {
        try delete(Model.Stored.self, id: model.storeId)
    }

    /// Replaces the related rows of a model.
    ///
    /// - Throws: `RelationshipError.noSuchRow` if a row does not exist, or `SQLiteError`.
    public func setRelated<Model: PersistableEntity, Target>(
        _ model: Model, _ path: KeyPath<Model.Stored.Relationships, ToMany<Model.Stored, Target>>,
        to targets: [Target.ID]
    ) throws {
        try setRelated(row(of: model), path, to: targets)
    }

    /// Sets the related row of a model; nil for none.
    ///
    /// - Throws: `RelationshipError.noSuchRow` if a row does not exist, or `SQLiteError`.
    public func setRelated<Model: PersistableEntity, Target>(
        _ model: Model, _ path: KeyPath<Model.Stored.Relationships, ToOne<Model.Stored, Target>>, to target: Target.ID?
    ) throws {
        try setRelated(row(of: model), path, to: target)
    }

    /// Sets the related row of a model in a relationship in which each row has a related row.
    ///
    /// - Throws: `RelationshipError.noSuchRow` if a row does not exist, or `SQLiteError`.
    public func setRelated<Model: PersistableEntity, Target>(
        _ model: Model, _ path: KeyPath<Model.Stored.Relationships, RequiredToOne<Model.Stored, Target>>,
        to target: Target.ID
    ) throws {
        try setRelated(row(of: model), path, to: target)
    }
}
