import SQLSchema

/// Creates the tables of new stores.
package enum NewStore {
    /// Creates all tables of a version in an empty database, within the open transaction.
    ///
    /// - Parameter keepingTables: Whether the store keeps the tables of the version, for changes of a draft; nil for the
    ///   default of the build.
    package static func create(
        _ version: SchemaVersion, schema: String, keepingTables: Bool? = nil, in connection: Connection
    ) throws {
        try StoreMetadata.create(in: connection)
        for statement in version.statements { try connection.execute(statement) }
        try StoreMetadata.write(
            version, schema: schema, keepingTables: keepingTables ?? StoreMetadata.keepsTables, to: connection)
    }
}
