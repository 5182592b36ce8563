#if canImport(GRDB)
    import Foundation
    import GRDB

    /// How people with GRDB split the names.
    enum GRDBWay {
        /// Records that the compiler makes from their properties.
        case codable
        /// Records whose columns are read by their places, and a statement that is held.
        case byHand

        /// Runs SQL as a migration of the database at `url`.
        static func migrate(_ url: URL, _ sql: String) throws {
            let queue = try DatabaseQueue(path: url.path)
            var migrator = DatabaseMigrator()
            migrator.registerMigration("2.0") { try $0.execute(sql: sql) }
            try migrator.migrate(queue)
            try queue.close()
        }

        /// Carries the migration out on the database at `url`.
        func migrate(_ url: URL, creating table: String) throws {
            let queue = try DatabaseQueue(path: url.path)
            var migrator = DatabaseMigrator()
            migrator.registerMigration("2.0") { database in
                try database.execute(sql: table)
                switch self {
                case .codable:
                    let people = try OldCodablePerson.fetchCursor(database)
                    while let old = try people.next() {
                        let (first, last) = names(old.name)
                        try CodablePerson(
                            id: old.id, email: old.email, city: old.city, age: old.age, score: old.score,
                            active: old.active, created: old.created, first: first, last: last
                        ).insert(database)
                    }
                case .byHand:
                    let people = try OldHandPerson.fetchCursor(database)
                    let insert = try database.makeStatement(
                        sql: """
                            INSERT INTO new_person (id, email, city, age, score, active, created, first, last)
                            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                            """)
                    while let old = try people.next() {
                        let (first, last) = names(old.name)
                        try insert.execute(arguments: [
                            old.id, old.email, old.city, old.age, old.score, old.active, old.created, first, last,
                        ])
                    }
                }
                try database.execute(sql: "DROP TABLE person; ALTER TABLE new_person RENAME TO person")
            }
            try migrator.migrate(queue)
            try queue.close()
        }
    }

    // The date is a number here, as the store keeps it: GRDB's own text would be larger and slower.

    private struct OldCodablePerson: Codable, FetchableRecord, TableRecord {
        static let databaseTableName = "person"
        var id: Int64
        var name: String
        var email: String
        var city: String
        var age: Int
        var score: Double
        var active: Bool
        var created: Double
    }

    private struct CodablePerson: Codable, PersistableRecord {
        static let databaseTableName = "new_person"
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

    private struct OldHandPerson: FetchableRecord, TableRecord {
        static let databaseTableName = "person"
        var id: Int64
        var name: String
        var email: String
        var city: String
        var age: Int
        var score: Double
        var active: Bool
        var created: Double

        init(row: Row) {
            id = row[0]
            name = row[1]
            email = row[2]
            city = row[3]
            age = row[4]
            score = row[5]
            active = row[6]
            created = row[7]
        }
    }
#endif
