import Strata
import StrataTesting
import Testing

@testable import Laundry

/// In version 2.0, every answer has a detail with the same primary key, and its laundries belong to that detail.
extension LaundrySchemaStep_1_0_to_2_0 {
    static func expected(_ old: V1_0.Laundry, _ rows: StepRows) -> Expected<V2_0.Laundry> {
        .kept(
            V2_0.Laundry(
                storeID: old.storeID, id: old.id, name: old.name, photo: old.photo, favorite: old.favorite,
                masterID: old.masterID.map { .init(rawValue: $0.rawValue) },
                masterPosition: old.masterPosition))
    }

    static func added(_ rows: StepRows) throws -> [V2_0.LaundryDetail] {
        try rows.old.fetch(V1_0.LaundryData.self).map {
            V2_0.LaundryDetail(storeID: .init(rawValue: $0.storeID.rawValue), masterID: $0.storeID)
        }
    }

    static func check(_ rows: StepRows) throws {
        for data in try rows.new.fetch(V2_0.LaundryData.self) {
            #expect(try rows.new.related(data, \.data)?.storeID.rawValue == data.storeID.rawValue)
        }
    }
}
