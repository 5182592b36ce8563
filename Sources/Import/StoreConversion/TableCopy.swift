import Foundation
import SQLSchema
import Strata

/// Copies the rows of one table of another database to its table in the store.
struct TableCopy {
    private let table: ConvertedTable
    private let setAside: SetAsideRows
    private let files: URL?
    private let target: Connection
    private let insert: Statement
    private let columns: [Column]
    /// The position of the column that is the row number; nil if there is none.
    private let keyColumn: Int?
    /// The positions of the columns of each foreign key with several columns.
    private let foreignKeys: [[Int]]

    /// A column of the store's table.
    private struct Column {
        let name: String
        /// The form of its values in the other database; nil if they are copied unchanged.
        let form: ImportedForm?
        /// The type in which the column stores its values.
        let storage: StorageType
        let isMandatory: Bool
        /// The replacement for a value that does not fit; nil if there is none.
        let fill: SQLiteValue?
    }

    /// A row of the other database.
    private struct SourceRow {
        let key: String
        /// The values as they were read, for `strata_unconverted`.
        var read: [SetAsideRows.Value] = []
        /// The values to store.
        var stored: [SQLiteValue] = []
        /// The reasons why values do not fit, by the position of the column.
        var invalidRows: [Int: String] = [:]
        /// The references that become NULL, with the keys that the store cannot have.
        var cleared: [(index: Int, key: String)] = []
        /// The reason why the row does not fit, regardless of its values; nil if there is none.
        var conflict: String?
    }

    /// Prepares the copying of a table.
    ///
    /// - Parameters:
    ///   - table: The table.
    ///   - forms: The form of each column's values in the other database.
    ///   - target: The connection to the store.
    ///   - files: The folder in which Core Data stores large values.
    ///   - setAside: The handler for rows that do not fit.
    init(
        _ table: ConvertedTable, forms: [ImportedForm?], into target: Connection, files: URL?, _ setAside: SetAsideRows
    ) throws {
        self.table = table
        self.setAside = setAside
        self.files = files
        self.target = target
        let (name, names) = (table.table.name, table.table.columnNames)
        insert = try target.prepare(
            "INSERT INTO \(SQL.quoted(name)) (\(SQL.list(names))) VALUES (\(SQL.parameters(names.count)))")
        var fills: [String: SQLiteValue] = [:]
        if case .fill(let values) = setAside.policy(of: name) {
            for (column, sql) in values { try target.query("SELECT \(sql)") { fills[column] = $0.value(0) } }
        }
        let key = table.table.integerKey
        columns = zip(table.table.columns, forms).map { column, form in
            // A primary key that is the row number does not count as mandatory. `read` checks its values.
            Column(
                name: column.name, form: form, storage: column.type,
                isMandatory: !column.isNullable && column.name != key, fill: fills[column.name])
        }
        foreignKeys = table.table.foreignKeys.filter { $0.columns.count > 1 }.map { foreignKey in
            foreignKey.columns.compactMap { names.firstIndex(of: $0) }
        }
        keyColumn = key.flatMap { names.firstIndex(of: $0) }
    }

    /// Copies a part of the rows.
    ///
    /// - Parameter state: Receives the greatest key, and the rows that do not fit.
    func run(
        _ part: ConvertedTable.Part, from source: Connection, _ state: inout ConversionState,
        _ monitor: ConversionMonitor
    ) throws -> ConvertedTable.Copied {
        var copied = ConvertedTable.Copied()
        let values = columns.indices.map { "strata_\($0)" }
        let rows = try source.prepare(
            table.query(["strata_key"] + values + ["strata_conflict", "strata_row"], of: part))
        while try rows.step() {
            try monitor.advance(table.table)
            copied.read += 1
            copied.last = try rows.row.int64(columns.count + 2)
            var row = read(rows.row)
            if let keyColumn, row.invalidRows[keyColumn] == nil, case .integer(let key) = row.stored[keyColumn] {
                state.greatestKey = max(state.greatestKey ?? key, key)
            }
            let partial = clearPartialKeys(of: &row)
            if let reason = try store(&row) {
                try setAside.add(
                    table.table.name, key: row.key, columns.map(\.name), row.read, reason: reason, to: &state.report)
                continue
            }
            copied.stored += 1
            for indexes in partial {
                try setAside.reportCleared(
                    table.table.name, key: row.key, indexes.map { columns[$0].name }, indexes.map { row.read[$0] },
                    reason:
                        "\(indexes.map { columns[$0].name }.joined(separator: ", ")) is partly NULL, and refers to no row",
                    to: &state.report)
            }
            for (index, local) in row.cleared {
                try setAside.reportCleared(
                    table.table.name, key: row.key, [columns[index].name], [row.read[index]],
                    reason: "\(columns[index].name) is \(local), a key of the device that the server does not know",
                    to: &state.report)
            }
            for (index, reason) in row.invalidRows.sorted(by: { $0.key < $1.key }) {
                let text = "\(reason); filled with \(columns[index].fill?.description ?? "NULL")"
                state.report.add(.init(table: table.table.name, key: row.key, reason: text, outcome: .filled))
                state.report.filled[table.table.name, default: 0] += 1
            }
        }
        return copied
    }

    // MARK: Reading

    private func read(_ row: Row) -> SourceRow {
        var result = SourceRow(key: row.value(0).keyText)
        for (index, column) in columns.enumerated() {
            guard let value = try? SQLiteValue(row: row, at: index + 1) else {
                result.invalidRows[index] = "\(column.name) is not valid UTF-8 text"
                result.read.append(.bytes(row.bytes(index + 1)))
                result.stored.append(.null)
                continue
            }
            result.read.append(.value(value))
            let converted = column.form.map { $0.value(value, files: files) } ?? value
            if table.localKeys.contains(index), column.storage == .integer, !column.isMandatory,
                case .text(let text) = value
            {
                result.stored.append(.null)
                result.cleared.append((index, text))
                continue
            }
            result.stored.append(converted ?? value)
            if let form = column.form, converted == nil {
                result.invalidRows[index] = "\(column.name) is \(value), which is \(form.words(for: value))"
            } else if column.form == nil, column.storage == .real, case .integer(let number) = value,
                Double(exactly: number) == nil
            {
                // SQLite would round the number silently.
                result.invalidRows[index] = "\(column.name) is \(number), which a floating-point number does not hold"
            }
            if index == keyColumn, result.invalidRows[index] == nil {
                // SQLite would assign a key to the row, which may be the key of another row.
                if case .integer = result.stored[index] { continue }
                result.invalidRows[index] = "\(column.name) is not an integer, and it is the primary key"
            }
        }
        if case .text(let names) = row.value(columns.count + 1) {
            result.conflict = "\(names) hold one property, and more than one of them has a value"
        }
        return result
    }

    /// Sets all columns of a foreign key to NULL if some of them are NULL. Returns the positions of these columns, by
    /// foreign key.
    private func clearPartialKeys(of row: inout SourceRow) -> [[Int]] {
        foreignKeys.filter { indexes in
            let count = indexes.count { if case .null = row.stored[$0] { true } else { false } }
            guard count > 0, count < indexes.count, indexes.allSatisfy({ !columns[$0].isMandatory }) else {
                return false
            }
            for index in indexes { row.stored[index] = .null }
            return true
        }
    }

    /// Returns a function that finds the values of a row in the source by its key in the store. Its result is nil if no
    /// row of the source has that key.
    static func sourceValues(
        of table: ConvertedTable, in source: Connection
    ) -> (_ key: [String: SQLiteValue]) throws -> [SetAsideRows.Value]? {
        let values = table.values.enumerated().map { "\($1) AS strata_\($0)" }.joined(separator: ", ")
        return { key in
            let indexes = key.keys.sorted().compactMap { name in table.table.columnNames.firstIndex(of: name) }
            let condition = indexes.map { "strata_\($0) IS ?\($0 + 1)" }.joined(separator: " AND ")
            if indexes.isEmpty || indexes.count < key.count { return nil }
            let row = try source.cached("SELECT * FROM (SELECT \(values) FROM \(table.from)) WHERE \(condition)")
            for index in indexes { try key[table.table.columnNames[index]]?.bind(to: row, at: index + 1) }
            defer { row.reset() }
            guard try row.step() else { return nil }
            return table.values.indices.map { index in
                (try? SQLiteValue(row: row.row, at: index)).map(SetAsideRows.Value.value)
                    ?? .bytes(row.row.bytes(index))
            }
        }
    }

    // MARK: Storing

    /// Stores a row.
    ///
    /// - Returns: The reason why the row cannot be stored; nil if it was stored.
    private func store(_ row: inout SourceRow) throws -> String? {
        if let conflict = row.conflict { return conflict }
        for (index, reason) in row.invalidRows.sorted(by: { $0.key < $1.key }) {
            guard let fill = columns[index].fill else { return reason }
            row.stored[index] = fill
        }
        guard let error = try insertError(row) else { return nil }
        guard try fillInvalidRows(of: &row) else { return error.message }
        return try insertError(row)?.message
    }

    private func insertError(_ row: SourceRow) throws -> SQLiteError? {
        for (index, value) in row.stored.enumerated() { try value.bind(to: insert, at: index + 1) }
        do {
            try insert.run()
            return nil
        } catch let error as SQLiteError where [19, 20].contains(error.code) {
            // SQLITE_CONSTRAINT and SQLITE_MISMATCH: the row does not fit.
            insert.reset()
            return error
        }
    }

    /// Fills the columns that cannot hold their values.
    ///
    /// - Returns: Whether a column was filled.
    private func fillInvalidRows(of row: inout SourceRow) throws -> Bool {
        var hasFilled = false
        for (index, column) in columns.enumerated() {
            guard let fill = column.fill, row.invalidRows[index] == nil else { continue }
            let value = row.stored[index]
            if case .null = value {
                guard column.isMandatory else { continue }
                row.invalidRows[index] = "\(column.name) is NULL"
            } else if try !holds(value, column.storage) {
                row.invalidRows[index] =
                    "\(column.name) is \(value), which is not \(column.storage.rawValue.uppercased())"
            } else {
                continue
            }
            row.stored[index] = fill
            hasFilled = true
        }
        return hasFilled
    }

    /// Returns whether a column of a STRICT table accepts a value. SQLite converts some values
    /// (https://sqlite.org/stricttables.html).
    private func holds(_ value: SQLiteValue, _ storage: StorageType) throws -> Bool {
        try target.execute("CREATE TABLE temp.probe (\"value\" \(storage.rawValue.uppercased())) STRICT")
        defer { try? target.execute("DROP TABLE temp.probe") }
        do {
            let probe = try target.prepare("INSERT INTO temp.probe VALUES (?1)")
            try value.bind(to: probe, at: 1)
            try probe.run()
            return true
        } catch let error as SQLiteError where error.code == 19 {
            return false
        }
    }
}

extension ImportedForm {
    /// Describes a conversion mismatch.
    fileprivate func words(for value: SQLiteValue) -> String {
        switch self {
        case .bool: "no truth value"
        case .unixSeconds, .unixMilliseconds, .unixMicroseconds, .referenceSeconds, .julianDay:
            switch value {
            case .integer, .real: "no number that a date holds exactly"
            default: "no number"
            }
        case .dateText: "no date as text of ISO 8601"
        case .uuid: "no UUID"
        case .url: "no URL"
        case .color: "no color"
        case .decimal: "no decimal number"
        case .choice(let texts): "none of \(texts.joined(separator: ", "))"
        case .json: "no JSON"
        case .members, .list, .values: "no JSON of its type"
        case .seconds: "no number of seconds"
        case .archive, .archiveOfBools, .archiveOfDecimals: "no archived list of its type"
        case .entity(let names): "none of the entities \(names.joined(separator: ", "))"
        case .castToData: "neither bytes nor a text"
        case .castToInt, .integer: "no whole number"
        case .castToDouble, .real: "no number"
        case .string: "no text"
        case .plain, .ownerKeys: "nothing"
        case .externalData: "neither bytes nor the name of a file that is there"
        }
    }
}

extension SQLiteValue {
    /// The value as text for a key in a message.
    package var keyText: String {
        if case .text(let text) = self { text } else { description }
    }
}
