import StrataTesting

@testable import Laundries

extension LaundriesSchemaStep_1_0_to_2_0 {
    static func expected(_ old: V1_0.Laundry, _ rows: StepRows) -> Expected<V2_0.Laundry> {
        .kept(
            V2_0.Laundry(
                rowID: old.rowID, id: old.id, name: old.name, photo: old.photo, favorite: old.favorite,
                masterID: old.masterID.map { .init(rawValue: $0.rawValue) }, masterPosition: old.masterPosition))
    }

    static func expected(_ old: V1_0.LaundryData, _ rows: StepRows) -> Expected<V2_0.LaundryData> {
        .kept(V2_0.LaundryData(id: old.id, code: old.code, dataID: .init(rawValue: old.id.rawValue)))
    }

    static func added(_ rows: StepRows) throws -> [V2_0.LaundryDetail] {
        try rows.old.fetch(V1_0.LaundryData.self).map { V2_0.LaundryDetail(id: .init(rawValue: $0.id.rawValue)) }
    }
}
