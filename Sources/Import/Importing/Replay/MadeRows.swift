import SchemaModel
import SQLSchema
import Strata

/// Makes rows for the tables of a database, the same in each run.
struct MadeRows {
    /// The rows to make.
    enum Kind {
        /// With NULLs, equal values, and the constants of the source's own statements.
        case varied
        /// Without what a stricter version may refuse: complete, and with values that differ.
        case plain
    }

    /// The constants in the source's statements, which their conditions compare with.
    private let texts: [String]
    private let numbers: [String]
    private let integers: [String]
    /// The types of columns that their declarations do not determine.
    var types: [SourceSchema.ColumnName: ScalarType] = [:]
    private var state: UInt64 = 0x5354_5241_5441
    private var count = 0

    /// - Parameter scripts: The source's own statements.
    init(_ scripts: [String]) {
        let tokens = scripts.flatMap(SQLToken.tokens)
        texts = Set(tokens.filter { $0.kind == .string }.map(\.text)).sorted()
        numbers = Set(tokens.filter { $0.kind == .number }.map(\.text)).sorted()
        integers = numbers.filter { Int64($0) != nil }
    }

    /// Adds rows to tables. Their foreign keys refer to rows that exist.
    ///
    /// - Parameters:
    ///   - kind: The rows to make.
    ///   - connection: The database.
    ///   - wanted: Returns how many rows a table gets.
    mutating func add(_ kind: Kind, to connection: Connection, _ wanted: (SourceTable) throws -> Int) throws {
        try connection.execute("PRAGMA foreign_keys = OFF")
        var waiting = try SourceTable.all(in: connection)
        while !waiting.isEmpty {
            let names = Set(waiting.map { $0.name.lowercased() })
            let ready = waiting.firstIndex { table in
                table.foreignKeys.allSatisfy {
                    $0.table.lowercased() == table.name.lowercased() || !names.contains($0.table.lowercased())
                }
            }
            let table = waiting.remove(at: ready ?? 0)
            let count = try wanted(table)
            // Some rows have the key of another one, or do not satisfy a constraint.
            let missing = try connection.count(table.name) + count
            for _ in 0..<(count * 6) where try connection.count(table.name) < missing {
                guard let row = try row(of: table, kind, connection) else { break }
                let columns = row.map { SQL.quoted($0.column) }.joined(separator: ", ")
                let values = row.map(\.value).joined(separator: ", ")
                // A trigger may refuse a row.
                try? connection.execute(
                    "INSERT OR IGNORE INTO \(SQL.quoted(table.name)) (\(columns)) VALUES (\(values))")
            }
        }
    }

    /// Returns the values of a row, as SQL; nil if the row that it has to refer to does not exist.
    private mutating func row(
        of table: SourceTable, _ kind: Kind, _ connection: Connection
    ) throws -> [(column: String, value: String)]? {
        count += 1
        var row: [String: String] = [:]
        for key in table.foreignKeys {
            let targets = key.references.isEmpty ? try Self.key(of: key.table, connection) : key.references
            guard targets.count == key.columns.count else { continue }
            let columns = targets.map { "quote(\(SQL.quoted($0)))" }.joined(separator: ", ")
            var rows: [[String]] = []
            try? connection.query("SELECT \(columns) FROM \(SQL.quoted(key.table)) LIMIT 100") { found in
                rows.append(try targets.indices.map(found.string))
            }
            guard let found = random(rows) else {
                let mandatory = key.columns.contains { name in
                    table.columns.contains { $0.name.lowercased() == name.lowercased() && $0.isNotNull }
                }
                if mandatory { return nil }
                for column in key.columns { row[column.lowercased()] = "NULL" }
                continue
            }
            for (column, value) in zip(key.columns, found) { row[column.lowercased()] = value }
        }
        return table.columns.filter { !$0.isGenerated }.map { column in
            let isKey = table.key.contains { $0.lowercased() == column.name.lowercased() }
            if let value = row[column.name.lowercased()] { return (column.name, value) }
            if kind == .varied, !column.isNotNull, !isKey, chance(4) { return (column.name, "NULL") }
            let type = types[.init(table.name, column.name)] ?? LiveDatabase.Values().type(declared: column).0
            return (column.name, isKey ? keyValue(type, kind) : value(type, kind))
        }
    }

    private static func key(of table: String, _ connection: Connection) throws -> [String] {
        try connection.texts("SELECT name FROM pragma_table_info(\(SQL.literal(table))) WHERE pk > 0 ORDER BY pk")
    }

    // MARK: Values

    /// Returns the value of a primary key. Some differ from another one only in the case of letters, or in spaces at the end.
    private mutating func keyValue(_ type: ScalarType, _ kind: Kind) -> String {
        guard kind == .varied, type == .string else { return value(type, .plain) }
        return ["'t\(count)'", "'T\(count - 1)'", "'t\(count - 2) '"][count % 3]
    }

    private mutating func value(_ type: ScalarType, _ kind: Kind) -> String {
        if kind == .varied, chance(2) {
            let known: String? =
                switch type {
                case .string: random(texts)
                case .int: random(integers)
                case .double: random(numbers)
                default: nil
                }
            if let known { return known }
        }
        switch (type, kind) {
        case (.bool, _): return String(count % 2)
        case (.int, .plain): return String(count)
        case (.int, .varied): return random(["0", "1", "2", "3", "-1", "10", "1000", "1099511627776"]) ?? "0"
        case (.double, .plain), (.decimal, .plain): return "\(count).5"
        case (.double, .varied), (.decimal, .varied): return random(["0", "0.5", "-1.5", "2", "10.25", "1e10"]) ?? "0"
        case (.date, _): return "'2024-01-\(10 + count % 18) 10:\(10 + count % 50):00'"
        case (.uuid, _):
            let digits = String(count, radix: 16)
            let text = "6ba7b810-9dad-11d1-80b4-" + String(repeating: "0", count: 12 - digits.count) + digits
            // Both cases of letters are common.
            return "'" + (count % 2 == 0 ? text : text.uppercased()) + "'"
        case (.data, _): return "X'00FF\(10 + count % 90)\(10 + count / 90 % 90)'"
        case (_, .plain): return "'t\(count)'"
        default: return random(["''", "'a'", "'Ab c'", "'b,c'", "'é'", "'it''s'", "'10'", "'2.5'", "'A'"]) ?? "''"
        }
    }

    private mutating func random<Value>(_ values: [Value]) -> Value? {
        values.isEmpty ? nil : values[Int(next() % UInt64(values.count))]
    }

    private mutating func chance(_ count: UInt64) -> Bool { next() % count == 0 }

    /// Returns the next number of SplitMix64.
    private mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var value = (state ^ (state >> 30)) &* 0xbf58_476d_1ce4_e5b9
        value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
        return value ^ (value >> 31)
    }
}
