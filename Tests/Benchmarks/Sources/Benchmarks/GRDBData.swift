#if canImport(GRDB)
    import Foundation
    import GRDB

    /// The same people, as those with GRDB read and write them.
    struct GRDBData {
        /// Which records they have.
        enum Way: String, CaseIterable {
            /// Records that the compiler makes from their properties.
            case codable
            /// Records whose columns are read by their places, and statements that are held.
            case byHand = "by-hand"
        }

        let way: Way
        let database: DatabaseQueue

        init(_ way: Way, at url: URL) throws {
            self.way = way
            var configuration = Configuration()
            configuration.busyMode = .timeout(10)
            database = try DatabaseQueue(path: url.path, configuration: configuration)
        }

        func insert(_ people: [CodableRow]) throws {
            try database.write { database in
                switch way {
                case .codable:
                    for person in people { try person.insert(database) }
                case .byHand:
                    let insert = try database.makeStatement(
                        sql: """
                            INSERT INTO person (id, email, city, age, score, active, created, first, last)
                            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                            """)
                    for person in people {
                        try insert.execute(arguments: [
                            person.id, person.email, person.city, person.age, person.score, person.active,
                            person.created,
                            person.first, person.last,
                        ])
                    }
                }
            }
        }

        /// The number of people that were fetched.
        func fetchAll() throws -> Int {
            try database.read { database in
                switch way {
                case .codable: try CodableRow.fetchAll(database).count
                case .byHand: try HandRow.fetchAll(database).count
                }
            }
        }

        func find(_ ids: [Int]) throws {
            try database.read { database in
                switch way {
                case .codable:
                    for id in ids {
                        let person = try CodableRow.fetchOne(database, key: id)
                        precondition(person?.id == Int64(id))
                    }
                case .byHand:
                    let statement = try database.makeStatement(sql: "\(HandRow.select) WHERE id = ?")
                    for id in ids {
                        let person = try HandRow.fetchOne(statement, arguments: [id])
                        precondition(person?.id == Int64(id))
                    }
                }
            }
        }

        /// The number of active people of some cities that were fetched, in the order of their scores.
        func fetchSome(of cities: [String]) throws -> Int {
            let condition = cities.contains(Column("city")) && Column("active") == true
            return try database.read { database in
                switch way {
                case .codable:
                    try CodableRow.filter(condition).order(Column("score").desc).fetchAll(database).count
                case .byHand:
                    try HandRow.filter(condition).order(Column("score").desc).fetchAll(database).count
                }
            }
        }

        struct CodableRow: Codable, FetchableRecord, PersistableRecord {
            static let databaseTableName = "person"
            var id: Int64
            var email: String
            var city: String
            var age: Int
            var score: Double
            var active: Bool
            var created: Double
            var first: String
            var last: String
        }

        private struct HandRow: FetchableRecord, TableRecord {
            static let databaseTableName = "person"
            static let columns = ["id", "email", "city", "age", "score", "active", "created", "first", "last"]
            static var databaseSelection: [any SQLSelectable] { columns.map { Column($0) } }
            static let select = "SELECT \(columns.joined(separator: ", ")) FROM person"
            var id: Int64
            var email: String
            var city: String
            var age: Int
            var score: Double
            var active: Bool
            var created: Double
            var first: String
            var last: String

            init(row: Row) {
                id = row[0]
                email = row[1]
                city = row[2]
                age = row[3]
                score = row[4]
                active = row[5]
                created = row[6]
                first = row[7]
                last = row[8]
            }
        }
    }

    extension DataBenchmarks {
        /// Compares what those with GRDB write with what is written against the C API.
        func compareGRDB<Input>(
            _ name: String, prepare: @escaping () throws -> URL, against other: Variant, _ input: Input,
            _ run: @escaping (GRDBData, Input) throws -> Void
        ) throws {
            for way in GRDBData.Way.allCases {
                var open: (url: URL, grdb: GRDBData)?
                let variant = Variant(
                    name: "GRDB",
                    prepare: {
                        // What is only read stays open, as it does for the others.
                        let url = try prepare()
                        if open?.url != url || name == "insert" { open = (url, try GRDBData(way, at: url)) }
                        return url
                    },
                    run: { _ in if let open { try run(open.grdb, input) } })
                try compare("\(name)-grdb-\(way.rawValue)", variant, against: other, rounds: 3)
            }
        }

        static func record(_ person: Person) -> GRDBData.CodableRow {
            GRDBData.CodableRow(
                id: Int64(person.id.rawValue), email: person.email, city: person.city, age: person.age,
                score: person.score,
                active: person.active, created: person.created.timeIntervalSinceReferenceDate, first: person.first,
                last: person.last)
        }
    }
#endif
