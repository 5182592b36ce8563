import SQLSchema

/// Finds new primary keys that no row has or had. The store remembers the greatest one of each table.
struct NewIDs {
    /// The greatest keys of earlier transactions, by table.
    private let known: [String: Int64]
    /// The greatest keys of this transaction, by table.
    private(set) var given: [String: Int64]
    /// The tables whose greatest key is the greatest number.
    private var scarce: Set<String> = []

    /// - Parameters:
    ///   - known: The greatest keys of earlier transactions, by table.
    ///   - given: The greatest keys of this transaction, by table.
    init(known: [String: Int64], given: [String: Int64] = [:]) {
        (self.known, self.given) = (known, given)
    }

    /// Reads the keys of earlier transactions.
    init(reading connection: Connection) throws {
        self.init(known: try LastIDs.read(from: connection))
    }

    /// Returns a new key for a table.
    ///
    /// - Parameters:
    ///   - name: The name of the table.
    ///   - source: The name under which the store remembers the keys of the table.
    ///   - keys: The quoted columns that contain its primary keys, with their tables.
    ///   - connection: The connection to the store.
    mutating func next(
        for name: String, knownAs source: String, keys: [(table: String, column: String)], _ connection: Connection
    ) throws -> Int {
        var id = given[name] ?? known[source] ?? 0
        if given[name] == nil {
            for key in keys {
                id = max(id, try connection.integer64("SELECT max(\(key.column)) FROM \(key.table)") ?? 0)
            }
        }
        // If a row has the greatest possible number, a free number is searched, as SQLite does.
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

    /// Writes the keys of this transaction to the store.
    func save(to connection: Connection) throws {
        if given.isEmpty { return }
        try LastIDs.write(known.merging(given, uniquingKeysWith: max), to: connection)
    }
}
