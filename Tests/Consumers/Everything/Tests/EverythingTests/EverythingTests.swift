import Everything
import EverythingSupport
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

    /// Checks that one query for all of `sources` gives what a query for each gives.
    private func expectSame<Source: StoredEntity, Target>(
        _ transaction: ReadTransaction, _ sources: [Source],
        _ path: KeyPath<Source.Relationships, ToMany<Source, Target>>
    ) throws {
        let together = try transaction.related(sources, path)
        var separately: [Source.ID: [Target]] = [:]
        for source in sources {
            let targets = try transaction.related(source, path)
            if !targets.isEmpty { separately[Source.id(of: source)] = targets }
        }
        #expect(together == separately && !separately.isEmpty)
    }

    /// Checks that one query for all of `sources` gives what a query for each gives.
    private func expectSame<Source: StoredEntity, Target>(
        _ transaction: ReadTransaction, _ sources: [Source],
        _ path: KeyPath<Source.Relationships, ToOne<Source, Target>>
    ) throws {
        let together = try transaction.related(sources, path)
        var separately: [Source.ID: Target] = [:]
        for source in sources { separately[Source.id(of: source)] = try transaction.related(source, path) }
        #expect(together == separately && !separately.isEmpty)
    }

    @Test func `additional templates add code for each entity, each subtype and the schema`() {
        #expect(Article.namesOfProperties == ["id", "title", "body", "stars"])
        #expect(Mood.nameOfFile == "Mood.json" && Flags.nameOfFile == "Flags.json" && Place.nameOfFile == "Place.json")
        #expect(TypeNames.version == "2.1")
        #expect(TypeNames.entities.contains("Article") && !TypeNames.entities.contains("Remote"))
        #expect(TypeNames.subtypes.contains("Mood"))
    }

    @Test func `samples of a target for test support satisfy the checks, and can be searched`() throws {
        try withStore { store in
            let rows = try checkedRows(5)
            let article = try EverythingSchema.sample(Article.self)
            try store.write { transaction in
                try transaction.insert(contentsOf: rows)
                try transaction.insert(article)
                #expect(try Set(transaction.fetch(Checked.self)) == Set(rows))
                #expect(try transaction.find(Article.self, id: article.id) == article)
                #expect(Set(rows.map(\.email)).count == 5)
            }
        }
    }

    @Test func `a relationship with duplicates contains a row several times, and its inverse once`() throws {
        try withStore { store in
            let hubs = (1...3).map { Hub(id: .init(rawValue: $0)) }
            let labels = (1...3).map { Label(id: .init(rawValue: $0)) }
            try store.write { transaction in
                try transaction.insert(contentsOf: hubs)
                try transaction.insert(contentsOf: labels)
                try transaction.setRelated(hubs[0], \.playlist, to: [3, 1, 3, 3])
                try transaction.setRelated(hubs[1], \.playlist, to: [3])
            }
            try store.read { transaction in
                #expect(try transaction.related(hubs[0], \.playlist).map(\.id) == [3, 1, 3, 3])
                #expect(try transaction.related(labels[2], \.playedIn).map(\.id) == [1, 2])
                try expectSame(transaction, hubs, \.playlist)
                try expectSame(transaction, labels, \.playedIn)
                let counts = try transaction.fetch(Hub.all.select { $0.playlist.count })
                #expect(counts == [4, 1, 0])
                let long = Hub.all.where { $0.playlist.count == 4 }
                #expect(try transaction.fetch(long).map(\.id) == [1])
                let often = Label.all.where { $0.playedIn.count == 2 }
                #expect(try transaction.fetch(often).map(\.id) == [3])
                let label = labels[0].id
                let withFirst = Hub.all.where { $0.playlist.contains { $0.id == label } }
                #expect(try transaction.fetch(withFirst).map(\.id) == [1])
                let lists = try transaction.fetch(Hub.all.including(\.playlist))
                #expect(lists.map { $0.1.map(\.id) } == [[3, 1, 3, 3], [3], []])
                let players = try transaction.fetch(Label.all.including(\.playedIn))
                #expect(players.map { $0.1.map(\.id) } == [[1], [], [1, 2]])
            }
            try store.write { transaction in
                try transaction.setRelated(labels[2], \.playedIn, to: [2, 3])
                #expect(try transaction.related(hubs[0], \.playlist).map(\.id) == [1])
                #expect(try transaction.related(hubs[2], \.playlist).map(\.id) == [3])
                try transaction.delete(labels[2])
                #expect(try transaction.related(hubs[1], \.playlist).isEmpty)
            }
        }
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
        try store.read { transaction in
            try expectSame(transaction, hubs, \.labels)
            try expectSame(transaction, labels, \.hubs)
        }
    }

    @Test func `a foreign key is found in any case if its primary key ignores case`() throws {
        try withStore { (store: Store) throws in
            try store.write { (t: WriteTransaction) throws in
                try t.insert(Country(code: "DE"))
                try t.insert(Region(countryID: "de", number: 1))
                try t.insert(Region(countryID: "DE", number: 2))
                #expect(try t.related(Country(code: "DE"), \.regions).map(\.number) == [1, 2])
                #expect(try t.count(Region.all.where { $0.countryID == "De" }) == 2)
            }
        }
    }

    @Test func `a property is queried even if the columns of all entities have a member with its name`() throws {
        try withStore { (store: Store) throws in
            try store.write { (t: WriteTransaction) throws in
                try t.insert(Leaflet(id: 1, title: "a", searchRank: 3))
                try t.insert(Leaflet(id: 2, title: "b", searchRank: 4))
                #expect(try t.fetch(Leaflet.all.where { $0.searchRank == 4 }).map(\.title) == ["b"])
                try t.insert(StringKey(code: "c", id: "d"))
                #expect(try t.count(StringKey.all.where { $0.id == "d" && $0.code == "c" }) == 1)
            }
        }
    }

    @Test func `structs are coded with the names of the descriptions, and absent properties get their defaults`() throws
    {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        func text(_ value: some Encodable) throws -> Swift.String {
            Swift.String(decoding: try encoder.encode(value), as: UTF8.self)
        }
        let uuid = UUIDKey.ID(rawValue: try #require(UUID(uuidString: "6BA7B810-9DAD-11D1-80B4-00C04FD430C8")))
        #expect(try text([uuid]) == #"["6BA7B810-9DAD-11D1-80B4-00C04FD430C8"]"#)
        #expect(try text([Hub.ID(rawValue: 7)]) == "[7]")
        #expect(try JSONDecoder().decode(UUIDKey.ID.self, from: encoder.encode(uuid)) == uuid)
        var region = Region(countryID: "a", number: 1)
        region.parentID = Region.ID(number: 2, countryID: "b")
        #expect(
            try text(region) == #"{"country_id":"a","number":1,"parent_id":{"country_id":"b","number":2}}"#)
        #expect(try JSONDecoder().decode(Region.self, from: encoder.encode(region)) == region)
        let decoded = try JSONDecoder().decode(Country.self, from: Data(#"{ "code": "x" }"#.utf8))
        #expect(decoded == Country(code: "x"))
        let place = try JSONDecoder().decode(
            Place.self, from: Data(#"{ "self": "x", "mood": "good", "latitude": 1.5 }"#.utf8))
        #expect(place == Place(self: "x", mood: .good, latitude: 1.5))
        #expect(try JSONDecoder().decode(Place.self, from: encoder.encode(place)) == place)
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
                try expectSame(transaction, countries, \.regions)
                try expectSame(transaction, regions, \.children)
                try expectSame(transaction, regions, \.neighbours)
                try expectSame(transaction, regions, \.capital)
                try expectSame(transaction, towns, \.capitalOf)
                try expectSame(transaction, towns, \.visitors)
                try expectSame(transaction, towns, \.twin)
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
            try store.read { transaction in
                try expectSame(transaction, rows, \.peers)
                try expectSame(transaction, rows, \.spouse)
            }
        }
    }

    @Test func `rows move from one that they point at to another, in order`() throws {
        try withStore { (store: Store) throws in
            try makeSpokes(store)
            let hubs = (1...2).map { Hub(id: .init(rawValue: $0)) }
            func orders(_ transaction: ReadTransaction) throws -> [[Int]] {
                try hubs.map { try transaction.related($0, \.orderedSpokes).map(\.id.rawValue) }
            }
            let steps = try store.write { transaction in
                var steps: [[[Int]]] = []
                try transaction.setRelated(hubs[0], \.orderedSpokes, to: [3, 1, 2])
                steps.append(try orders(transaction))
                // What the second is given leaves the first.
                try transaction.setRelated(hubs[1], \.orderedSpokes, to: [1, 4])
                steps.append(try orders(transaction))
                try transaction.setRelated(hubs[0], \.orderedSpokes, to: [4, 3])
                steps.append(try orders(transaction))
                return steps
            }
            #expect(steps == [[[3, 1, 2], []], [[3, 2], [1, 4]], [[4, 3], [1]]])
            // A mandatory relationship moves without ever being nil.
            let moved = try store.write { transaction in
                try transaction.setRelated(hubs[1], \.spokes, to: [1, 2, 3, 4])
                return try transaction.related(hubs, \.spokes).mapValues(\.count)
            }
            #expect(moved == [2: 4])
            #expect(throws: SQLiteError.self) { try store.write { try $0.setRelated(hubs[1], \.spokes, to: [1]) } }
        }
    }

    /// Two hubs, and four spokes of the first.
    private func makeSpokes(_ store: Store) throws {
        try store.write { transaction in
            for id in 1...2 { try transaction.insert(Hub(id: .init(rawValue: id))) }
            let key = UUIDKey(code: .init(rawValue: UUID()))
            try transaction.insert(key)
            for id in 1...4 {
                try transaction.insert(
                    Spoke(
                        id: .init(rawValue: id), hubID: 1, deniedID: key.code, first: "\(id)", third: id,
                        fourth: "\(id)"))
            }
        }
    }

    @Test func `what points at a row that is deleted goes by its own rule`() throws {
        try withStore { (store: Store) throws in
            try makeSpokes(store)
            let spokes = try store.write { transaction in
                try transaction.insert(Hub(id: 3))
                try transaction.setRelated(Hub(id: 3), \.orderedSpokes, to: [2, 1])
                return try transaction.fetch(Spoke.self)
            }
            // Set to nil, with the order.
            let nulled = try store.write { transaction in
                try transaction.delete(Hub.self, id: 3)
                return try transaction.fetch(Spoke.self)
            }
            #expect(nulled.map(\.orderedHubID) == [nil, nil, nil, nil] && nulled.map(\.hubID) == spokes.map(\.hubID))
            // Denied, whether the rule says so at once or when the transaction ends.
            for path in [\Spoke.laterHubID, \Spoke.onceHubID] {
                var spoke = nulled[0]
                spoke[keyPath: path] = 2
                let pointing = spoke
                try store.write { try $0.update(pointing) }
                do {
                    try store.write { _ = try $0.delete(Hub.self, id: 2) }
                    Issue.record("nothing was thrown")
                } catch let error as SQLiteError {
                    #expect(error.code == 19 && error.message.hasPrefix("FOREIGN KEY constraint failed"))
                }
                try store.write { try $0.update(nulled[0]) }
            }
            let key = try #require(nulled.first).deniedID
            #expect(throws: SQLiteError.self) { try store.write { _ = try $0.delete(UUIDKey.self, id: key) } }
            // Deleted with it.
            let left = try store.write { transaction in
                try transaction.delete(Hub.self, id: 1)
                return try transaction.count(Spoke.self)
            }
            #expect(left == 0)
        }
    }

    @Test func `an error names the columns, and no value`() throws {
        try withStore { (store: Store) throws in
            try makeSpokes(store)
            func error(_ change: (inout Spoke) -> Void) throws -> SQLiteError? {
                var spoke = try #require(try store.read { try $0.find(Spoke.self, id: 1) })
                spoke.id = 9
                change(&spoke)
                do {
                    let new = spoke
                    try store.write { try $0.insert(new) }
                    return nil
                } catch let error as SQLiteError {
                    return error
                }
            }
            let taken = try error {
                $0.second = "secret"
                $0.third = 99
            }
            #expect(taken?.columns == ["spoke.fourth"] && taken?.extendedCode == 2067)
            let dangling = try error {
                $0.hubID = 77
                $0.fourth = "secret"
            }
            #expect(dangling?.columns == ["spoke.hub_id"] && dangling?.extendedCode == 787)
            #expect(
                "\(Swift.String(describing: taken)) \(Swift.String(describing: dangling))".contains("secret") == false)
        }
    }

    @Test func `a key is made from another's where the description says so`() {
        #expect(Wallet.ID(converting: Hub.ID(3)).rawValue == 3)
    }

    @Test func `an infinite number in a struct is compared as a number`() throws {
        let store = try EverythingSchemaMigrationTests.fixtures.database(of: "2.0").store()
        try store.write { (transaction: WriteTransaction) throws in
            var row = try #require(try transaction.fetch(Subtyped.self).first)
            for latitude in [-Double.infinity, .infinity] {
                row.placeValue.latitude = latitude
                row.placeOptional = row.placeValue
                try transaction.update(row)
                let id = row.id
                func isFound(_ condition: (Subtyped.Columns) -> Condition<Subtyped>) throws -> Bool {
                    try transaction.fetch(Subtyped.all.where(condition).where { $0.id == id }).isEmpty == false
                }
                #expect(try isFound { $0.placeValue.latitude < 0 } == (latitude < 0))
                #expect(try isFound { $0.placeValue.latitude > 1e308 } == (latitude > 0))
                #expect(try isFound { $0.placeOptional.latitude < 0 } == (latitude < 0))
                #expect(try isFound { $0.placeValue.latitude == latitude })
                #expect(try transaction.find(Subtyped.self, id: id)?.placeValue.latitude == latitude)
            }
        }
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
