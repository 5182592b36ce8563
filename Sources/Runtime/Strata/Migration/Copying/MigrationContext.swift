import Foundation
import SQLSchema

/// The access of a custom migration to the old rows and the new rows.
///
/// Old tables have their names before the step, new tables their names after it. The structs and relationships are those of the two
/// versions of the step, so a later version does not change what a custom migration does.
public struct MigrationContext<OldVersion, NewVersion> {
    @usableFromInline let access: StepAccess

    /// Creates a context. Generated code calls it.
    @inlinable public init(_ access: StepAccess) { self.access = access }

    /// The moment at which the migration started. It is the same for all steps of the migration.
    public var now: Date { access.now }

    // MARK: Old rows

    /// The rows before the step.
    ///
    /// ```swift
    /// let items = try context.old.fetch(V1_0.LaundryItem.all.where { $0.masterID == old.storeID })
    /// ```
    ///
    /// If the step does not change a table, its old rows are also its new ones: what the custom migration writes to them is seen
    /// here. Rows that it has inserted are left out.
    public var old: VersionRows<OldVersion> { VersionRows(access.old) }

    /// Returns a cursor over the rows of an old entity, in the order in which they are stored.
    ///
    /// ```swift
    /// try context.old(V1_0.LaundryData.self).forEach { data in
    ///     try context.insert(
    ///         V2_0.LaundryDetail(storeID: .init(rawValue: data.storeID.rawValue), masterID: data.storeID))
    /// }
    /// ```
    public func old<Old: StoredEntity>(_ type: Old.Type) throws -> Cursor<Old> { try access.old.cursor(Old.all) }

    /// Returns the old rows in a to-many relationship of the old row `source`, in order.
    public func related<Source: StoredEntity, Target>(
        _ source: Source, _ path: KeyPath<VersionRelationships<OldVersion, Source>, ToMany<Source, Target>>
    ) throws -> [Target] {
        try old.related(source, path)
    }

    /// Returns the old row in a to-one relationship of the old row `source`; nil if there is none.
    ///
    /// ```swift
    /// let price = try context.related(old, \.product)?.price ?? 0
    /// ```
    public func related<Source: StoredEntity, Target>(
        _ source: Source, _ path: KeyPath<VersionRelationships<OldVersion, Source>, ToOne<Source, Target>>
    ) throws -> Target? {
        try old.related(source, path)
    }

    /// Returns the old row in a to-one relationship in which each row has a related row.
    ///
    /// ```swift
    /// .keep(.init(migrating: old, price: try context.related(old, \.product)?.price ?? 0))
    /// ```
    ///
    /// - Returns: The related row; nil if there is none, because something else than Strata has deleted it. A migration that
    ///   fails then would fail again at each launch.
    public func related<Source: StoredEntity, Target>(
        _ source: Source, _ path: KeyPath<VersionRelationships<OldVersion, Source>, RequiredToOne<Source, Target>>
    ) throws -> Target? {
        try old.related(source, path)
    }

    // MARK: New rows

    /// The rows after the step, as far as they are migrated.
    ///
    /// ```swift
    /// let unnamed = try context.new.fetch(V2_0.Laundry.all.where { $0.name == nil })
    /// ```
    public var new: VersionRows<NewVersion> { VersionRows(access.new) }

    /// Returns the row of a new entity with a primary key; nil if no such row exists yet.
    ///
    /// - Parameters:
    ///   - type: The new entity.
    ///   - id: The primary key. If the old row with this primary key got a new one or was merged into another row, the
    ///     new primary key is used instead.
    public func find<New: StoredEntity>(_ type: New.Type, id: New.ID) throws -> New? {
        try access.find(type, id: id)
    }

    /// Returns the new primary key of an old row, for a reference that is never nil.
    ///
    /// ```swift
    /// let country = try context.newKey(of: V2_0.Country.self, for: old.countryID)
    /// ```
    ///
    /// - Parameters:
    ///   - type: The new entity.
    ///   - id: The primary key of the old row. The row may be one of an entity that is merged into the new one.
    /// - Throws: `MigrationError.noNewRow` if the row was dropped or never existed, or `MigrationError.notMigratedYet`.
    public func newKey<New: StoredEntity, OldID: EntityID>(of type: New.Type, for id: OldID) throws -> New.ID {
        guard let key = try newKey(of: type, for: Optional(id)) else {
            throw MigrationError.noNewRow(table: New.table.name, key: "\(id)")
        }
        return key
    }

    /// Returns the new primary key of an old row, for a reference that may be nil.
    ///
    /// ```swift
    /// let country = try context.newKey(of: V2_0.Country.self, for: old.countryID)
    /// ```
    ///
    /// - Parameters:
    ///   - type: The new entity.
    ///   - id: The primary key of the old row. The row may be one of an entity that is merged into the new one.
    /// - Returns: The new primary key; nil if `id` is nil, or if the row was dropped or never existed. If the new primary key
    ///   has the same type, a row that never existed keeps the one it is referenced by.
    /// - Throws: `MigrationError.notMigratedYet` if the new primary key has another type, and is not known yet.
    public func newKey<New: StoredEntity, OldID: EntityID>(of type: New.Type, for id: OldID?) throws -> New.ID? {
        guard let id else { return nil }
        try access.checkOpen()
        let merged = access.mergedKeys.filter { $0.table == New.table.name }.map(\.map)
        let maps = [access.keyMaps[New.table.name]].compactMap(\.self) + merged
        let map = maps.first { $0.maps(OldID.self, to: New.ID.self) }
        if let change = try map?.change(of: id, to: New.ID.self) { return change.key }
        if let same = id as? New.ID { return same }
        if try map?.hasOldRow(id) == false { return nil }
        throw MigrationError.notMigratedYet(table: New.table.name, key: "\(id)")
    }

    /// Inserts a row of a new entity.
    ///
    /// ```swift
    /// let address = V2_0.Address(
    ///     id: .init(rawValue: context.uuid(for: "address of \(old.id.rawValue)")), street: old.street,
    ///     city: old.city)
    /// try context.insert(address)
    /// ```
    public func insert<New: StoredEntity>(_ entity: New) throws {
        try access.insert(entity)
    }

    /// Deletes a row that the custom migration has inserted.
    ///
    /// ```swift
    /// try context.delete(placeholder)
    /// ```
    ///
    /// - Throws: `MigrationError.notInserted` for a row that comes from an old row. Its `migrate` returns `.drop` or
    ///   `.merge(into:)` instead, so that references to it follow.
    public func delete<New: StoredEntity>(_ entity: New) throws { try access.delete(entity) }

    /// Updates all columns of the row of a new entity that has the same primary key.
    ///
    /// - Throws: `RelationshipError.noSuchRow` if there is no such row.
    public func update<New: StoredEntity>(_ entity: New) throws {
        try access.change { try $0.update(entity) }
    }

    /// Sets a to-many relationship of the new row `source` to `targets`, in their order.
    public func setRelated<Source: StoredEntity, Target>(
        _ source: Source, _ path: KeyPath<VersionRelationships<NewVersion, Source>, ToMany<Source, Target>>,
        to targets: [Target.ID]
    ) throws {
        try access.change { try $0.setRelated(source, VersionRelationships()[keyPath: path], to: targets) }
    }

    /// Sets a to-one relationship of the new row `source` to `target`; nil clears it.
    public func setRelated<Source: StoredEntity, Target>(
        _ source: Source, _ path: KeyPath<VersionRelationships<NewVersion, Source>, ToOne<Source, Target>>,
        to target: Target.ID?
    ) throws {
        try access.change { try $0.setRelated(source, VersionRelationships()[keyPath: path], to: target) }
    }

    /// Sets a to-one relationship of the new row `source` in which each row has a related row.
    public func setRelated<Source: StoredEntity, Target>(
        _ source: Source, _ path: KeyPath<VersionRelationships<NewVersion, Source>, RequiredToOne<Source, Target>>,
        to target: Target.ID
    ) throws {
        try access.change { try $0.setRelated(source, VersionRelationships()[keyPath: path].optional, to: target) }
    }

    /// Runs an SQL statement that you write.
    ///
    /// ```swift
    /// try context.execute("UPDATE \(context.tableName(of: Movie.self)) SET popularity = ?", [0.5])
    /// ```
    ///
    /// While the step runs, a new table may have a temporary name. `tableName(of:)` returns it.
    ///
    /// - Parameters:
    ///   - sql: The statement. Without arguments, it may be several statements.
    ///   - arguments: The values of the parameters, in their order. A composite primary key fills one parameter for
    ///     each of its columns.
    /// - Throws: `SQLiteError`; `QueryError` if the statement begins or ends a transaction, attaches a database or sets
    ///   a pragma, or if its parameters do not match `arguments`.
    public func execute(_ sql: String, _ arguments: [(any ColumnStorable)?] = []) throws {
        try access.execute(sql, arguments)
    }

    /// Returns the quoted name that the table of a new entity has while the step runs.
    public func tableName<New: StoredEntity>(of type: New.Type) -> String {
        self.new.tableName(of: type)
    }

    // MARK: New primary keys

    /// Returns a primary key that no old or new row of the entity has. The store remembers the primary keys that it has
    /// returned, and never returns one twice.
    ///
    /// ```swift
    /// let artist = V2_0.Artist(id: try context.newID(of: V2_0.Artist.self), name: old.artistName)
    /// try context.insert(artist)
    /// ```
    public func newID<New: StoredEntity>(of type: New.Type) throws -> New.ID
    where New.ID: RawEntityID, New.ID.RawValue == Int {
        New.ID(rawValue: try access.newID(of: New.table.name))
    }

    /// Returns a UUID that depends only on `text`. It is the same whenever and wherever the migration runs.
    ///
    /// The UUID has version 8, whose other bits are implementation-specific (RFC 9562, section 5.8).
    ///
    /// ```swift
    /// let address = V2_0.Address(
    ///     id: .init(rawValue: context.uuid(for: "address of \(old.id.rawValue)")), street: old.street,
    ///     city: old.city)
    /// ```
    public func uuid(for text: String) -> UUID { StepAccess.uuid(for: text) }
}
