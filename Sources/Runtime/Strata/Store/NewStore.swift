import SQLSchema

/// Creates the tables of new stores.
package enum NewStore {
    /// Creates all tables of a version in an empty database, within the open transaction.
    package static func create(_ version: SchemaVersion, schema: String, in connection: Connection) throws {
        try StoreMetadata.create(in: connection)
        for statement in version.statements { try connection.execute(statement) }
        try StoreMetadata.write(version, schema: schema, to: connection)
    }
}
