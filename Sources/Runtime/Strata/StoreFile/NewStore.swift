import SQLSchema

/// Creates the tables of new stores.
package enum NewStore {
    /// Creates all tables of a version in an empty database, within the open transaction.
    ///
    /// - Parameter draft: The state of the draft that the store keeps; nil for none.
    package static func create(
        _ version: SchemaVersion, schema: String, draft: DraftState? = nil, in connection: Connection
    ) throws {
        try StoreMetadata.create(in: connection)
        for statement in version.statements { try connection.execute(statement) }
        try StoreMetadata.write(version, schema: schema, draft: draft, to: connection)
    }
}
