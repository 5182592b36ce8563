import Foundation
import JSONText
import SQLSchema
import Strata

/// Handles the rows that a conversion cannot store in their tables, by the policies of these tables.
final class SetAsideRows {
    /// A value of a row that does not fit.
    enum Value {
        case value(SQLiteValue)
        /// Text that is not valid UTF-8.
        case bytes(Data)
    }

    /// The table of rows that are set aside. It exists only if there are such rows.
    static let table = Table(
        "strata_unconverted",
        [
            "id integer key", "version text", "\"table\" text", "\"key\" text?", "values text", "reason text",
        ])

    private let connection: Connection
    private let version: String
    private let tables: [String: Table]
    private let policies: [String: ImportedInvalidRows.Policy]
    private let options: ConversionOptions.InvalidRows
    private var insert: Statement?
    /// The functions that find the values of a row in the source by its key, by table.
    var sourceValues: [String: (_ key: [String: SQLiteValue]) throws -> [Value]?] = [:]

    /// Creates a handler for the rows of one conversion.
    ///
    /// - Parameters:
    ///   - connection: The connection to the store.
    ///   - version: The version of the store.
    ///   - policies: The policies, by table.
    ///   - options: The treatment of rows of all other tables, and of rows that still do not fit after a fill.
    init(
        _ connection: Connection, _ version: SchemaVersion, policies: [String: ImportedInvalidRows.Policy],
        otherwise options: ConversionOptions.InvalidRows
    ) {
        self.connection = connection
        self.version = version.name
        tables = Dictionary(version.tables.map { ($0.name, $0) }, uniquingKeysWith: { one, _ in one })
        self.policies = policies
        self.options = options
    }

    /// Returns the policy of a table; nil if the options decide.
    func policy(of table: String) -> ImportedInvalidRows.Policy? { policies[table] }

    /// Returns the outcome for a row of a table that cannot be converted.
    private func outcome(of table: String) -> ConversionReport.Outcome {
        switch (policies[table], options) {
        case (.setAside, _): .setAside
        case (.drop, _): .dropped
        case (.refuse, _): .refused
        case (.fill, .setAside), (nil, .setAside): .setAside
        case (.fill, .drop), (nil, .drop): .dropped
        case (.fill, .refuse), (nil, .refuse): .refused
        }
    }

    /// Reports a row that cannot be converted. Stores it in `strata_unconverted` if the policy of its table requires
    /// this.
    func add(
        _ table: String, key: String, _ columns: [String], _ values: [Value], reason: String,
        to report: inout ConversionReport
    ) throws {
        let outcome = outcome(of: table)
        report.add(.init(table: table, key: key, reason: reason, outcome: outcome))
        guard outcome == .setAside else { return }
        report.unconverted[table, default: 0] += 1
        try write(table, key, columns, values, reason)
    }

    /// Reports a foreign key that was set to NULL. Stores its values in `strata_unconverted` if the policy of its table
    /// requires this.
    func reportCleared(
        _ table: String, key: String, _ columns: [String], _ values: [Value], reason: String,
        to report: inout ConversionReport
    ) throws {
        let isRefused = outcome(of: table) == .refused
        report.add(.init(table: table, key: key, reason: reason, outcome: isRefused ? .refused : .setToNull))
        report.cleared[table, default: 0] += 1
        if outcome(of: table) == .setAside { try write(table, key, columns, values, reason) }
    }

    private func write(
        _ table: String, _ key: String, _ columns: [String], _ values: [Value], _ reason: String
    ) throws {
        if insert == nil {
            // After an interruption, the table may exist already.
            if try connection.integer("SELECT count(*) FROM sqlite_schema WHERE name = 'strata_unconverted'") == 0 {
                try connection.execute(SQLite.createTable(Self.table))
            }
            insert = try connection.prepare(
                """
                INSERT INTO "strata_unconverted" ("version", "table", "key", "values", "reason") \
                VALUES (?1, ?2, ?3, ?4, ?5)
                """)
        }
        let members = zip(columns, values).map { JSON.quoted($0) + ":" + Self.json($1) }
        for (index, text) in [version, table, key, "{" + members.joined(separator: ",") + "}", reason].enumerated() {
            try insert?.bind(text, at: index + 1)
        }
        try insert?.run()
    }

    /// Returns a value as JSON. A blob, or text that is not valid UTF-8, becomes an object with its base64 text. A
    /// number that JSON cannot represent becomes text.
    private static func json(_ value: Value) -> String {
        switch value {
        case .bytes(let data), .value(.blob(let data)): "{\"base64\":\(JSON.quoted(data.base64EncodedString()))}"
        case .value(.null): "null"
        case .value(.integer(let number)): String(number)
        case .value(.real(let number)): number.isFinite ? "\(number)" : JSON.quoted("\(number)")
        case .value(.text(let text)): JSON.quoted(text)
        }
    }

    // MARK: Foreign keys

    /// A foreign key of a table.
    private struct Key {
        let columns: [String]
        let target: String
        /// Whether the foreign key may be NULL, so that the row can stay without it.
        let isOptional: Bool
    }

    /// Sets aside the rows with dangling foreign keys, and the rows that depend on them. If a dangling foreign key is
    /// nullable, it is set to NULL instead.
    func setAsideDangling(_ report: inout ConversionReport) throws {
        while true {
            var dangling: [(table: String, row: Int, number: Int)] = []
            try connection.query("SELECT \"table\", \"rowid\", fkid FROM pragma_foreign_key_check ORDER BY 1, 2, 3") {
                dangling.append((try $0.string(0), try $0.int(1), try $0.int(2)))
            }
            if dangling.isEmpty { return }
            var keys: [String: Key] = [:]
            var removed: Set<String> = []
            for (table, row, number) in dangling {
                let name = "\(table) \(number)"
                let key = try keys[name] ?? self.key(number, of: table)
                keys[name] = key
                // The row was removed already, because of another dangling foreign key.
                if removed.contains("\(table) \(row)") { continue }
                if key.isOptional {
                    try clear(key, of: table, row, &report)
                } else {
                    removed.insert("\(table) \(row)")
                    try remove(row, of: table, key, &report)
                }
            }
        }
    }

    private func key(_ number: Int, of table: String) throws -> Key {
        var (columns, target): ([String], String) = ([], "")
        try connection.query(
            """
            SELECT "from", "table" FROM pragma_foreign_key_list(\(SQL.literal(table))) \
            WHERE id = \(number) ORDER BY seq
            """
        ) { row in
            columns.append(try row.string(0))
            target = try row.string(1)
        }
        var mandatory: Set<String> = []
        try connection.query("SELECT name FROM pragma_table_info(\(SQL.literal(table))) WHERE \"notnull\" OR pk") {
            mandatory.insert(try $0.string(0))
        }
        return Key(columns: columns, target: target, isOptional: mandatory.isDisjoint(with: columns))
    }

    /// Returns the SQL condition that selects the row with a number.
    ///
    /// - Throws: `ConversionError.unaddressable` if columns of the table have all names of the row number.
    private func isRow(_ number: Int, of table: String) throws -> String {
        guard let name = tables[table]?.rowNumber else { throw ConversionError.unaddressable(table: table) }
        return "\(name) = \(number)"
    }

    /// Returns the values of a row, with the names of their columns, and with its key for messages.
    private func values(of row: Int, _ table: String) throws -> (
        columns: [String], values: [Value], key: String, id: [String: SQLiteValue]
    ) {
        let statement = try connection.prepare("SELECT * FROM \(SQL.quoted(table)) WHERE \(try isRow(row, of: table))")
        guard try statement.step() else { return ([], [], String(row), [:]) }
        let found = statement.row
        let columns = (0..<found.columnCount).map { found.name($0) }
        let values = found.values
        var id: [String: SQLiteValue] = [:]
        var key: [String] = []
        for name in try connection.texts(
            "SELECT name FROM pragma_table_info(\(SQL.literal(table))) WHERE pk ORDER BY pk")
        {
            guard let index = columns.firstIndex(of: name) else { continue }
            id[name] = values[index]
            key.append(values[index].keyText)
        }
        return (columns, values.map(Value.value), key.isEmpty ? String(row) : key.joined(separator: ", "), id)
    }

    private func reason(_ key: Key, _ columns: [String], _ values: [Value]) -> String {
        let dangling = key.columns.compactMap { columns.firstIndex(of: $0) }.map { index -> String in
            if case .value(let value) = values[index] { value.keyText } else { "" }
        }
        return
            "\(key.columns.joined(separator: ", ")) is \(dangling.joined(separator: ", ")), and \(key.target) has no such row"
    }

    private func clear(_ key: Key, of table: String, _ row: Int, _ report: inout ConversionReport) throws {
        let (columns, values, name, _) = try self.values(of: row, table)
        let own = key.columns.compactMap { columns.firstIndex(of: $0) }.map { values[$0] }
        try reportCleared(
            table, key: name, key.columns, own, reason: reason(key, columns, values), to: &report)
        let assignments = key.columns.map { SQL.quoted($0) + " = NULL" }.joined(separator: ", ")
        try connection.execute("UPDATE \(SQL.quoted(table)) SET \(assignments) WHERE \(try isRow(row, of: table))")
    }

    private func remove(_ row: Int, of table: String, _ key: Key, _ report: inout ConversionReport) throws {
        let (columns, values, name, id) = try self.values(of: row, table)
        // These are the values in the source, before they were converted or filled.
        let original = try sourceValues[table]?(id) ?? values
        try add(table, key: name, columns, original, reason: reason(key, columns, values), to: &report)
        report.rows[table, default: 0] -= 1
        try connection.execute("DELETE FROM \(SQL.quoted(table)) WHERE \(try isRow(row, of: table))")
    }
}
