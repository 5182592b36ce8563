import SchemaSQL

/// How the tables of a database of another library compare with those of one version.
struct VersionMatch {
    /// Where the rows of the version's tables come from.
    var tables: [ConvertedTable] = []
    /// What the version has and the database lacks.
    var missing: [String] = []
    /// The tables and columns that the database has and the version does not know.
    var extra: [String] = []
    /// What the conversion leaves in the database, as the import reported.
    var left: [Left] = []

    /// Something that stays in the database.
    struct Left {
        let name: String
        let reason: ImportedUnread.Reason
        /// The query that counts its values.
        let count: String
    }
}
