import SQLSchema

/// Repairs rows with dangling foreign keys. It applies the delete rule of each foreign key, as if the referenced row
/// had just been deleted.
struct ForeignKeyRepair {
    let connection: Connection
    /// The tables to repair; nil for all tables.
    var tables: [Table]?
    /// Whether rows are deleted if their delete rule is neither `SET NULL` nor `CASCADE`.
    var deletesDenied = false

    /// - Returns: The number of rows that were changed or deleted, by table.
    /// - Throws: `MigrationError.danglingForeignKeys` if a delete rule denies the repair and `deletesDenied` is false.
    func run() throws -> [String: Int] {
        var repaired: [String: Int] = [:]
        while true {
            let keys = try DanglingKey.all(of: tables, in: connection)
            var isChanged = false
            for key in keys where key.isRepairable || deletesDenied {
                let count = try repair(key)
                repaired[key.table, default: 0] += count
                isChanged = isChanged || count > 0
            }
            if isChanged { continue }
            // A row whose delete rule denies the repair may have been deleted by a cascade.
            if keys.isEmpty { return repaired }
            throw MigrationError.danglingForeignKeys(keys.counts)
        }
    }

    private func repair(_ key: DanglingKey) throws -> Int {
        let columns = try key.columns(in: connection)
        guard let number = try connection.rowNumber(of: key.table) else { return 0 }
        let table = SQL.quoted(key.table)
        var dangling = key.rows
        if key.target == key.table, key.rule != .nullify {
            // Rows that reference them are deleted too. The recursion finds all levels of a tree in one pass.
            let list = "SELECT \"to\" FROM pragma_foreign_key_list(\(SQL.literal(key.table)))"
            let target = try connection.texts("\(list) WHERE id = \(key.number) ORDER BY seq")
            let pairs = zip(target, columns).map { "p.\(SQL.quoted($0)) = t.\(SQL.quoted($1))" }
            dangling = """
                WITH RECURSIVE strata_dangling (r) AS (\(dangling) UNION SELECT t.\(number) FROM strata_dangling AS d \
                JOIN \(table) AS p ON p.\(number) = d.r JOIN \(table) AS t ON \(pairs.joined(separator: " AND "))) \
                SELECT r FROM strata_dangling
                """
        }
        let rows = "\(number) IN (\(dangling))"
        let values = columns.map { SQL.quoted($0) + " = NULL" }.joined(separator: ", ")
        try connection.execute(
            key.rule != .nullify
                ? "DELETE FROM \(table) WHERE \(rows)" : "UPDATE \(table) SET \(values) WHERE \(rows)"
        )
        return connection.changes
    }
}

extension [DanglingKey] {
    /// The number of dangling foreign keys, by table.
    var counts: [String: Int] { Dictionary(map { ($0.table, $0.count) }, uniquingKeysWith: +) }

    /// Throws `MigrationError.danglingForeignKeys` if there are any.
    func refuse() throws {
        if !isEmpty { throw MigrationError.danglingForeignKeys(counts) }
    }
}
