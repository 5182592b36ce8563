import SQLSchema

/// Gives keys that no row has and none was given before: the store remembers the greatest of each table.
struct NewIDs {
    /// The greatest keys that were given before, by table.
    private let known: [String: Int64]
    /// The greatest keys that are given now, by table.
    private(set) var given: [String: Int64] = [:]
    /// The tables whose greatest key is the greatest number.
    private var scarce: Set<String> = []

    /// What the store remembers.
    init(reading connection: Connection) throws {
        known = try StoreMetadata.lastIDs(reading: connection)
    }

    /// A new key for the table `name`.
    ///
    /// - `source`: the table under whose name the store remembers its keys.
    /// - `keys`: the columns, quoted, that hold its keys, with their tables.
    mutating func next(
        for name: String, knownAs source: String, keys: [(table: String, column: String)], _ connection: Connection
    ) throws -> Int {
        var id = given[name] ?? known[source] ?? 0
        if given[name] == nil {
            for key in keys {
                id = max(id, try connection.integer64("SELECT max(\(key.column)) FROM \(key.table)") ?? 0)
            }
        }
        // Where the greatest of all numbers is taken, the others are looked through, as SQLite does.
        if id == Int64.max {
            id = 0
            scarce.insert(name)
        }
        func isTaken(_ id: Int64) throws -> Bool {
            try keys.contains { key in
                try connection.integer("SELECT 1 FROM \(key.table) WHERE \(key.column) = \(id)") != nil
            }
        }
        repeat { id += 1 } while try scarce.contains(name) && isTaken(id)
        guard let result = Int(exactly: id) else {
            throw MalformedValue(
                table: name, column: keys.first?.column ?? "", expected: "an integer of \(Int.bitWidth) bits")
        }
        given[name] = id
        return result
    }

    /// Makes the store remember what was given.
    func save(to connection: Connection) throws {
        if given.isEmpty { return }
        try StoreMetadata.writeLastIDs(known.merging(given, uniquingKeysWith: max), to: connection)
    }
}
