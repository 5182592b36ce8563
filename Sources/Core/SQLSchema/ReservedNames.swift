/// Names of tables that do not belong to an app's schema.
package enum ReservedNames {
    /// Returns whether SQLite, Strata or SQLite's JSON functions use a name. No table of a schema may have such a name.
    package static func contains(_ name: String) -> Bool {
        let name = name.lowercased()
        return ["sqlite_", "strata_"].contains(where: name.hasPrefix) || ["json_each", "json_tree"].contains(name)
    }

    /// The tables that other libraries add to the databases of an app.
    package static let ofLibraries: Set<String> = ["android_metadata", "grdb_migrations", "room_master_table"]
}
