import Foundation

// `localizedDescription` would be "The operation could not be completed" without these.

extension StoreError: LocalizedError {
    /// The text of `description`.
    public var errorDescription: String? { description }
}

extension MigrationError: LocalizedError {
    /// The text of `description`.
    public var errorDescription: String? { description }
}

extension ConversionError: LocalizedError {
    /// The text of `description`.
    public var errorDescription: String? { description }
}

extension SQLiteError: LocalizedError {
    /// The text of `description`.
    public var errorDescription: String? { description }
}

extension QueryError: LocalizedError {
    /// The text of `description`.
    public var errorDescription: String? { description }
}

extension RelationshipError: LocalizedError {
    /// The text of `description`.
    public var errorDescription: String? { description }
}

extension PersistableEntityError: LocalizedError {
    /// The text of `description`.
    public var errorDescription: String? { description }
}

extension MalformedValue: LocalizedError {
    /// The text of `description`.
    public var errorDescription: String? { description }
}

extension UnstorableValue: LocalizedError {
    /// The text of `description`.
    public var errorDescription: String? { description }
}

extension UnwrittenMigration: LocalizedError {
    /// The text of `description`.
    public var errorDescription: String? { description }
}
