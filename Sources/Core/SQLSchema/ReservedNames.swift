/// Names of tables that do not belong to an app's schema.
package enum ReservedNames {
    /// Returns whether SQLite, Strata or SQLite's JSON functions use a name. No table of a schema may have such a name.
    package static func contains(_ name: String) -> Bool {
        let name = name.lowercased()
        return isOfStrata(name) || name.hasPrefix("sqlite_") || ["json_each", "json_tree"].contains(name)
    }

    /// Returns whether Strata itself adds the table to a store.
    package static func isOfStrata(_ table: String) -> Bool { table.hasPrefix("strata_") }

    /// Returns whether a table exists only during a migration in batches. Such a table is deleted with the migration, so a
    /// name that only looks similar must not be one.
    ///
    /// It is the state (`strata_pending`), a new table (`strata_1_name`), a key map (`strata_keys_name`) or the added rows
    /// (`strata_added`).
    package static func isPendingTable(_ table: String) -> Bool {
        guard isOfStrata(table) else { return false }
        let rest = table.dropFirst("strata_".count)
        return rest == "pending" || rest == "added" || rest.hasPrefix("keys_")
            || rest.first.map { ("0"..."9").contains($0) } ?? false
    }

    /// Returns whether a trigger exists only during a migration in batches.
    package static func isPendingTrigger(_ trigger: String) -> Bool { trigger.hasPrefix("strata_pending_") }

    /// The tables, in lowercase, that other libraries and migration tools add to the databases of an app.
    package static let ofLibraries: Set<String> = [
        "android_metadata", "room_master_table", "grdb_migrations", "flyway_schema_history", "schema_migrations",
        "ar_internal_metadata", "_prisma_migrations", "__drizzle_migrations", "__diesel_schema_migrations",
        "_sqlx_migrations", "goose_db_version", "gorp_migrations", "atlas_schema_revisions",
    ]
}
