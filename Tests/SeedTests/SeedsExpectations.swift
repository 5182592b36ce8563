import Foundation
@testable import Seeds
import Strata
import StrataTesting

extension SeedsSchemaStep_1_0_to_2_0 {
    /// Each word of a title begins with a capital letter.
    static func expected(_ old: V1_0.MyEntity, _ rows: StepRows) -> Expected<V2_0.MyEntity> {
        .kept(V2_0.MyEntity(id: old.id, title: old.title.capitalized, name: old.name, kind: old.kind))
    }

    static func check(_ rows: StepRows) throws {}
}

extension SeedsSchemaStep_2_0_to_3_0 {
    /// The first and the last word of a name are properties, and drafts are articles.
    static func expected(_ old: V2_0.MyEntity, _ rows: StepRows) -> Expected<V3_0.MyEntity> {
        let words = old.name.split(separator: " ")
        return .kept(
            V3_0.MyEntity(
                id: old.id, title: old.title, firstName: String(words.first ?? ""), lastName: String(words.last ?? ""),
                kind: old.kind == .page ? .page : .article))
    }

    /// Both names are in the full name.
    static func expected(_ old: V2_0.User, _ rows: StepRows) -> Expected<V3_0.User> {
        .kept(
            V3_0.User(
                storeID: old.storeID, fullName: old.firstname + " " + old.surname, age: old.age,
                department: old.department, tag: old.tag))
    }

    static func check(_ rows: StepRows) throws {}
}
