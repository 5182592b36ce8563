/// Names of tables that do not belong to an app's schema.
package enum ReservedNames {
    /// Returns whether SQLite, Strata or SQLite's JSON functions use a name. No table of a schema may have such a name.
    package static func contains(_ name: String) -> Bool {
        let name = name.lowercased()
        return isOfStrata(name) || name.hasPrefix("sqlite_") || ["json_each", "json_tree"].contains(name)
    }

    /// Returns whether a table is one of those that Strata adds to a store.
    package static func isOfStrata(_ name: String) -> Bool { name.lowercased().hasPrefix("strata_") }

    /// Returns whether a table or a trigger exists only during a migration in batches: the state (`strata_pending`), the
    /// triggers of other tables, the new tables (`strata_1_name`), the key maps and the added rows.
    package static func isOfPendingMigration(_ name: String) -> Bool {
        guard isOfStrata(name) else { return false }
        let rest = name.dropFirst("strata_".count)
        return rest.hasPrefix("pending") || rest.hasPrefix("keys_") || rest == "added" || rest.first?.isNumber == true
    }

    /// The tables, in lowercase, that other libraries and migration tools add to the databases of an app.
    package static let ofLibraries: Set<String> = [
        "android_metadata", "room_master_table", "grdb_migrations", "flyway_schema_history", "schema_migrations",
        "ar_internal_metadata", "_prisma_migrations", "__drizzle_migrations", "__diesel_schema_migrations",
        "_sqlx_migrations", "goose_db_version", "gorp_migrations", "atlas_schema_revisions",
    ]
}
