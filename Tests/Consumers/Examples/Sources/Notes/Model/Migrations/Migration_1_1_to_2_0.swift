import Strata

/// Counts the words of each note.
struct Migration_1_1_to_2_0: AppSchema.CustomMigration_1_1_to_2_0 {
    mutating func migrate(_ old: V1_1.Note, _ context: Context) throws -> Outcome<V2_0.Note> {
        .keep(.init(migrating: old, wordCount: old.text.split(separator: " ").count))
    }
}
