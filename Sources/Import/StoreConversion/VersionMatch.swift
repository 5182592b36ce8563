import SQLSchema
import Strata

/// The result of comparing the tables of another library's database with those of one version.
struct VersionMatch {
    /// The version's tables, with the origin of their rows.
    var tables: [ConvertedTable] = []
    /// The tables, columns and other elements that the version has and the database lacks.
    var missing: [String] = []
    /// The tables and columns that only the database has.
    var extra: [String] = []
    /// The data that the conversion leaves in the database, as the import reported.
    var left: [Left] = []

    /// A table or a column whose values stay in the database.
    struct Left {
        let name: String
        let reason: ImportedUnread.Reason
        /// The query that counts its values.
        let count: String
    }
}
