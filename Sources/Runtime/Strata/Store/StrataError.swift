import Foundation

/// An error of Strata. Foundation's `localizedDescription` is the same text as `description`.
///
/// ```swift
/// do {
///     let store = try Store(at: url, schema: MoviesSchema.self)
///     print(try store.read { try $0.count(Movie.self) })
/// } catch let error as any StrataError {
///     print(error.description)
/// }
/// ```
public protocol StrataError: LocalizedError, CustomStringConvertible {}

extension StrataError {
    /// The text of `description`.
    public var errorDescription: String? { description }
}

extension StoreError: StrataError {}
extension MigrationError: StrataError {}
extension SQLiteError: StrataError {}
extension QueryError: StrataError {}
extension RelationshipError: StrataError {}
extension PersistableEntityError: StrataError {}
extension MalformedValue: StrataError {}
extension UnstorableValue: StrataError {}
extension UnwrittenMigration: StrataError {}
