import Notes
import StrataTesting

extension AppSchemaStep_1_1_to_2_0 {
    static func expected(_ old: AppSchema.V1_1.Note, _ rows: StepRows) throws -> Expected<AppSchema.V2_0.Note> {
        .kept(.init(migrating: old, wordCount: old.text.split(separator: " ").count))
    }
}
