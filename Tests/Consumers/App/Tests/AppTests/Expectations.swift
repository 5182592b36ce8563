import StrataTesting

@testable import App

extension AppSchemaStep_1_1_to_2_0 {
    /// Both names are in the full name.
    static func expected(_ old: V1_1.User, _ rows: StepRows) -> Expected<V2_0.User> {
        .kept(V2_0.User(migrating: old, fullName: old.firstname + " " + old.surname))
    }
}
