import CoreStore

enum V1 {
    final class LaundryItem: CoreStoreObject {
        @Field.Stored("name") var name: String?
        @Field.Stored("price") var price: Double?

        @Field.Relationship("master") var master: Laundry?
    }

    final class Laundry: CoreStoreObject {
        @Field.Stored("id") var id: Int?
        @Field.Stored("name") var name: String?
        @Field.Stored("photo") var photo: String?
        @Field.Stored("favorite") var favorite: Bool = false
        @Field.Relationship("items", inverse: \.$master) var items: [LaundryItem]

        @Field.Relationship("master") var master: LaundryData?
    }

    final class LaundryData: CoreStoreObject {
        @Field.Stored("code") var code: Int?
        @Field.Stored("status") var status: String?

        @Field.Relationship("data", inverse: \.$master) var data: [Laundry]
    }
}

enum V2 {
    class LaundryItem: CoreStoreObject {
        @Field.Stored("name") var name: String?
        @Field.Stored("price") var price: Double?

        @Field.Relationship("master") var master: Laundry?
    }

    class Laundry: CoreStoreObject {
        @Field.Stored("id") var id: Int?
        @Field.Stored("name") var name: String?
        @Field.Stored("photo") var photo: String?
        @Field.Stored("favorite") var favorite: Bool = false
        @Field.Relationship("items", inverse: \.$master) var items: [LaundryItem]

        @Field.Relationship("master") var master: LaundryDetail?
    }

    class LaundryFailure: CoreStoreObject {
        @Field.Stored("id") var id: Int?
        @Field.Stored("date") var date: Date?

        @Field.Relationship("master") var master: LaundryDetail?
    }

    class LaundryDetail: CoreStoreObject {
        @Field.Relationship("success", inverse: \.$master) var success: [Laundry]
        @Field.Relationship("failure", inverse: \.$master) var failure: LaundryFailure?

        @Field.Relationship("master") var master: LaundryData?
    }

    class LaundryData: CoreStoreObject {
        @Field.Stored("code") var code: Int?

        @Field.Relationship("data", inverse: \.$master) var data: LaundryDetail?
    }
}

let dataStack = DataStack(
    CoreStoreSchema(
        modelVersion: "V1",
        entities: [
            Entity<V1.Laundry>("Laundry"), Entity<V1.LaundryData>("LaundryData"), Entity<V1.LaundryItem>("LaundryItem"),
        ],
        versionLock: [
            "Laundry": [0x2cce_f5b9_c2cc_d8ef, 0x6313_e37b_6691_ccc0, 0xd22c_9a37_09e3_d494, 0x718_03a7_723a_af47],
            "LaundryData": [0x732_f9a0_f896_6e5f, 0x843b_503f_365e_4caa, 0xd0b3_c809_ed68_ef56, 0xafd9_ce67_6d91_d49e],
            "LaundryItem": [
                0x6b54_2efa_ca11_071c, 0x2c3e_3161_b92b_9235, 0xff5c_ec77_db5a_9315, 0x86eb_7b83_b7b9_50b0,
            ],
        ]),
    CoreStoreSchema(
        modelVersion: "V2",
        entities: [
            Entity<V2.Laundry>("Laundry"), Entity<V2.LaundryData>("LaundryData"), Entity<V2.LaundryItem>("LaundryItem"),
            Entity<V2.LaundryDetail>("LaundryDetail"), Entity<V2.LaundryFailure>("LaundryFailure"),
        ]),
    migrationChain: ["V1", "V2"])
