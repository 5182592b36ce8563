import Everything
import Foundation
import Strata
import Testing

@Suite struct EverythingTests {
    private func withStore(_ body: (Store) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(try Store(at: folder.appendingPathComponent("a.sqlite"), schema: EverythingSchema.self))
    }

    @Test func `the side without the table changes nobody's order`() throws {
        try withStore(checkOrders)
    }

    private func checkOrders(_ store: Store) throws {
        let hubs = (1...3).map { Hub(id: .init(rawValue: $0)) }
        let labels = (1...3).map { Label(id: .init(rawValue: $0)) }
        try store.write { transaction in
            for hub in hubs { try transaction.insert(hub) }
            for label in labels { try transaction.insert(label) }
            try transaction.setRelated(hubs[0], \.labels, to: [3, 1, 2])
            try transaction.setRelated(hubs[1], \.labels, to: [2])
            try transaction.setRelated(labels[1], \.hubs, to: [3, 1])
        }
        let labelsOf = try store.read { transaction in
            try hubs.map { try transaction.related($0, \.labels).map(\.id) }
        }
        #expect(labelsOf == [[3, 1, 2], [], [2]])
        let hubsOf = try store.read { Set(try $0.related(labels[1], \.hubs).map(\.id)) }
        #expect(hubsOf == [1, 3])
    }

    @Test func `keys of several columns are found, related and let go`() throws {
        try withStore { (store: Store) throws in
            let countries = [Country(code: "a"), Country(code: "b")]
            let regions = [1, 2, 3].map { Region(countryID: "a", number: $0) }
            let towns = ["x", "y"].map { Town(name: $0, regionID: regions[1].key) }
            try store.write { transaction in
                for country in countries { try transaction.insert(country) }
                for region in regions { try transaction.insert(region) }
                for town in towns { try transaction.insert(town) }
                try transaction.insert(Mayor(townID: towns[0].key))
                try transaction.setRelated(countries[1], \.regions, to: [])
                try transaction.setRelated(regions[0], \.children, to: [regions[1].key, regions[2].key])
                try transaction.setRelated(regions[0], \.children, to: [regions[2].key])
                try transaction.setRelated(regions[0], \.neighbours, to: [regions[2].key, regions[1].key])
                try transaction.setRelated(regions[1], \.capital, to: towns[1].key)
                try transaction.setRelated(towns[0], \.capitalOf, to: regions[1].key)
                try transaction.setRelated(towns[0], \.visitors, to: [.init(townID: towns[0].key)])
                try transaction.setRelated(towns[1], \.twin, to: towns[0].key)
            }
            try store.read { (transaction: ReadTransaction) throws in
                #expect(try transaction.find(Region.self, id: .init(number: 2, countryID: "a"))?.number == 2)
                #expect(try transaction.find(Region.self, id: .init(number: 2, countryID: "b")) == nil)
                #expect(try transaction.related(regions[0], \.children).map(\.number) == [3])
                #expect(try transaction.related(regions[0], \.neighbours).map(\.number) == [3, 2])
                #expect(try transaction.related(regions[1], \.capital)?.name == "x")
                #expect(try transaction.related(towns[0], \.capitalOf)?.number == 2)
                #expect(try transaction.related(towns[1], \.capitalOf) == nil)
                #expect(try transaction.related(towns[0], \.visitors).map(\.townID) == [towns[0].key])
                #expect(try transaction.related(towns[1], \.twin)?.name == "x")
                #expect(try transaction.related(Mayor(townID: towns[0].key), \.visits).map(\.name) == ["x"])
            }
            try store.write { try $0.setRelated(towns[1], \.twin, to: nil) }
            let twin = try store.read { try $0.related(towns[1], \.twin) }
            #expect(twin == nil)
            #expect(throws: SQLiteError.self) {
                try store.write { try $0.insert(Town(name: "z", regionID: .init(number: 9, countryID: "a"))) }
            }
        }
    }

    @Test func `what is its own inverse holds both ways`() throws {
        try withStore { (store: Store) throws in
            let rows = (1...4).map { IntKey(code: .init(rawValue: $0)) }
            try store.write { transaction in
                for row in rows { try transaction.insert(row) }
                try transaction.setRelated(rows[0], \.peers, to: [3, 2])
                try transaction.setRelated(rows[1], \.peers, to: [3, 2])
                try transaction.setRelated(rows[0], \.spouse, to: 2)
                try transaction.setRelated(rows[2], \.spouse, to: 4)
                try transaction.setRelated(rows[1], \.spouse, to: 3)
            }
            let peers = try store.read { transaction in
                try rows.map { try transaction.related($0, \.peers).map(\.code.rawValue) }
            }
            #expect(peers == [[3], [3, 2], [1, 2], []])
            let spouses = try store.read { transaction in
                try rows.map { try transaction.related($0, \.spouse)?.code.rawValue }
            }
            #expect(spouses == [nil, 3, 2, nil])
        }
    }

    @Test func `a key is made from another's where the description says so`() {
        #expect(Wallet.ID(Hub.ID(rawValue: 3)).rawValue == 3)
    }

    @Test func `subtypes have the values that the description gives them`() throws {
        #expect(Mood.soSo.rawValue == "so-so" && Mood.`self`.rawValue == "self")
        #expect(Mood.type.rawValue == "type" && Mood.`init`.rawValue == "init")
        #expect(Flags([.new, .last]).rawValue == 1 | 1 << 62)
        #expect(EverythingSchema.V2_0.Mood(migrating: .bad) == .soSo)
        let old = EverythingSchema.V1_0.Place(self: "s", mood: .bad, lat: 0.1, street: "x", flags: [.cold, .hot])
        let new = Place(migrating: old)
        #expect(new == Place(self: "s", mood: .soSo, moods: [.good, .soSo], latitude: 0.1, flags: .hot, case: .`self`))
    }
}

extension Region {
    fileprivate var key: Region.ID { Region.id(of: self) }
}

extension Town {
    fileprivate var key: Town.ID { Town.id(of: self) }
}
