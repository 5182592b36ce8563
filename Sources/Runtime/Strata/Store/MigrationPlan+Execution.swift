import Foundation

extension MigrationPlan {
    /// Carries out the plan: opens the store, which migrates it.
    ///
    /// ```swift
    /// let plan = try MigrationPlan(from: url, to: LaundrySchema.self)
    /// print(plan)
    /// let report = try plan.execute(at: url, to: LaundrySchema.self)
    /// ```
    ///
    /// - Parameters:
    ///   - url: The file of the store.
    ///   - schema: The schema of the store.
    ///   - options: The options for opening the store.
    /// - Returns: The report of the migration; nil if the store needs none.
    /// - Throws: `MigrationError.planOutdated` if the files of the store have been written since, or if other options give
    ///   another plan. Otherwise the errors of ``Store/init(at:schema:options:)``.
    @discardableResult public func execute(
        at url: URL, to schema: any Schema.Type, options: StoreOptions = StoreOptions()
    ) throws -> MigrationReport? {
        try execute(at: url, definition: SchemaDefinition(schema), options: options)
    }

    /// Carries out the plan with a schema value.
    @discardableResult package func execute(
        at url: URL, definition schema: SchemaDefinition, options: StoreOptions = StoreOptions()
    ) throws -> MigrationReport? {
        guard try MigrationPlan(from: url, definition: schema, options: options) == self else {
            throw MigrationError.planOutdated
        }
        let store = try Store(at: url, definition: schema, options: options)
        defer { try? store.close() }
        return store.migrationReport
    }
}
