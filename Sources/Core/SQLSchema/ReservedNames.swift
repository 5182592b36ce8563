/// Names of tables that do not belong to an app's schema.
package enum ReservedNames {
    /// Returns whether SQLite, Strata or SQLite's JSON functions use a name. No table of a schema may have such a name.
    package static func contains(_ name: String) -> Bool {
        let name = name.lowercased()
        return ["sqlite_", "strata_"].contains(where: name.hasPrefix) || ["json_each", "json_tree"].contains(name)
    }

    /// The tables, in lowercase, that other libraries and migration tools add to the databases of an app.
    package static let ofLibraries: Set<String> = [
        "android_metadata", "room_master_table", "grdb_migrations", "flyway_schema_history", "schema_migrations",
        "ar_internal_metadata", "_prisma_migrations", "__drizzle_migrations", "__diesel_schema_migrations",
        "_sqlx_migrations", "goose_db_version", "gorp_migrations", "atlas_schema_revisions",
    ]
}
