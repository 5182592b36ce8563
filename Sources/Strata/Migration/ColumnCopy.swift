import CSQLite
import SchemaSQL

/// A copy of an old table's rows into a new one, for which code reads some columns and gives the values of some.
///
/// SQL asks the code through two functions ("Application-Defined SQL Functions", https://sqlite.org/appfunc.html):
/// `strata_row` in the condition, which says whether the row stays, and `strata_value` for each value. What the code
/// neither reads nor gives does not leave SQLite. Which columns it reads is found out on the way: those that it was not
/// given with the row are looked up, and given with the next ones.
@usableFromInline final class ColumnCopy: RowSource {
    private typealias Arguments = UnsafeMutablePointer<OpaquePointer?>

    private let step: CustomStep
    private let connection: Connection
    private let monitor: MigrationMonitor
    private let map: KeyMap
    private let old: EntityTable
    private let new: EntityTable
    /// The columns of the new table whose values code gives.
    private let columns: [String]
    private let source: Table
    private let target: Table
    /// The number of an old row, as SQL calls it.
    private let number: String
    /// Reads an old row by its number.
    private let lookup: Statement
    /// The places of the key's columns among those of the old table.
    private let key: [Int]

    @exclusivity(unchecked) private var filter: ((Row) throws -> Bool)?
    @exclusivity(unchecked) private var value: ((Int) throws -> SQLiteValue)?
    /// What the code has thrown, which SQLite knows nothing of.
    @exclusivity(unchecked) private var error: (any Error)?

    /// What `strata_row` was called with: the row's number, and columns.
    @exclusivity(unchecked) private var arguments: Arguments?
    /// The place of each old column among the arguments, or 0 where it is not among them.
    @exclusivity(unchecked) private var places: [Int]
    /// The last row.
    @exclusivity(unchecked) private var row = 0
    @exclusivity(unchecked) private var isKept = false
    /// The columns that were looked up.
    @exclusivity(unchecked) private var lookedUp: Set<Int> = []
    /// The row that `lookup` stands on.
    @exclusivity(unchecked) private var lookupRow: Int?

    /// More arguments SQLite does not give ("Maximum Number Of Arguments On A Function",
    /// https://sqlite.org/limits.html); the first is the row's number.
    private static let mostColumns = 126
    /// Rows are copied in parts of at most so many; the first ones are shorter.
    private static let longestPart = 10_000

    /// A copy of the rows of `old` into `new`.
    ///
    /// - `columns`: those of `new` whose values code gives.
    @usableFromInline init(
        from old: EntityTable, to new: EntityTable, giving columns: [String], _ step: CustomStep
    ) throws {
        guard let source = step.mapping.old.first(where: { $0.name == old.name }),
            let target = step.mapping.new.first(where: { $0.name == new.name }), let number = source.rowNumber
        else { throw MigrationError.schemaDiffers(objects: [new.name]) }
        (self.old, self.new, self.columns) = (old, new, columns)
        (self.source, self.target, self.number) = (source, target, number)
        self.step = step
        connection = step.context.connection
        monitor = step.monitor
        map = try step.keyMap(from: old, to: new)
        lookup = try connection.prepare(old.select + " WHERE \(number) = ?1")
        key = old.key.compactMap(old.columns.firstIndex)
        places = [Int](repeating: 0, count: old.columns.count)
        super.init()
    }

    /// Copies the rows for which `filter` is true, and asks `value` for the values of the row that was filtered last.
    @usableFromInline func run(
        filter: @escaping (Row) throws -> Bool, value: @escaping (Int) throws -> SQLiteValue
    ) throws {
        (self.filter, self.value) = (filter, value)
        connection.columnCopy = self
        defer {
            connection.columnCopy = nil
            (self.filter, self.value) = (nil, nil)
        }
        if !connection.hasColumnFunctions {
            // They stay: SQLite neither removes nor replaces a function while a statement stands on a row.
            try add("strata_row") { context, _, arguments in
                ColumnCopy.give(to: context) { try $0.filterRow(arguments) }
            }
            try add("strata_value") { context, _, arguments in
                ColumnCopy.give(to: context) { try $0.rowValue(arguments) }
            }
            connection.hasColumnFunctions = true
        }
        do {
            try copy()
        } catch {
            throw self.error ?? error
        }
    }

    private func copy() throws {
        var insert = try connection.prepare(statement())
        var first = Int.min
        var part = 1
        while true {
            try insert.bind(first, at: 1)
            try insert.bind(part, at: 2)
            try insert.run()
            if connection.changes < part || row == Int.max { break }
            first = row + 1
            part = min(10 * part, Self.longestPart)
            if learn() { insert = try connection.prepare(statement()) }
        }
        lookup.reset()
    }

    /// The statement that copies up to so many (parameter 2) of the rows that are kept, from a row's number
    /// (parameter 1) on.
    private func statement() -> String {
        let given = places.indices.filter { places[$0] > 0 }.sorted { places[$0] < places[$1] }
        let arguments = [number] + given.map { SQL.quoted(old.columns[$0]) }
        var values: [String: String] = [:]
        for case .custom(_, new.name, let inferred, _) in step.changes { values = inferred }
        for (place, column) in columns.enumerated() { values[column] = "strata_value(\(place), \(number))" }
        let change = TableChange.map(
            from: old.name, to: new.name, columns: values, filter: "strata_row(\(arguments.joined(separator: ", ")))")
        let copies = StepStatements(from: [source], to: [target], changes: [change], keepsOldTables: true).copies
        return copies.map { $0.limitedStatement() }.joined()
    }

    /// Makes the columns that were looked up arguments, if there are any.
    private func learn() -> Bool {
        let count = places.lazy.filter { $0 > 0 }.count
        let new = lookedUp.sorted().prefix(max(0, Self.mostColumns - count))
        for (place, column) in new.enumerated() { places[column] = count + 1 + place }
        lookedUp = []
        return !new.isEmpty
    }

    /// Records what became of an old row that is not copied.
    @usableFromInline func record<ID: EntityID>(_ row: Row, as new: ID?) throws {
        step.countGone(self.new.name, isMerged: new != nil)
        try map.record(key.map(row.value), as: new)
    }

    // MARK: What SQL calls

    private func add(
        _ name: String, _ function: @convention(c) (OpaquePointer?, Int32, Arguments?) -> Void
    ) throws {
        let code = sqlite3_create_function_v2(
            // A schema that was tampered with must not call it.
            connection.pointer, name, -1, SQLITE_UTF8 | SQLITE_DIRECTONLY,
            Unmanaged.passUnretained(connection).toOpaque(), function, nil, nil, nil)
        guard code == SQLITE_OK else { throw SQLiteError(of: connection.pointer) }
    }

    private static func give(to context: OpaquePointer?, _ result: (ColumnCopy) throws -> SQLiteValue) {
        let connection = sqlite3_user_data(context).map { Unmanaged<Connection>.fromOpaque($0).takeUnretainedValue() }
        guard let copy = connection?.columnCopy else {
            return sqlite3_result_error(context, "no rows are being migrated", -1)
        }
        do {
            try result(copy).give(to: context)
        } catch {
            copy.error = (error as? MalformedValue)?.named(copy.old.name) ?? error
            sqlite3_result_error(context, "the migration's code has thrown", -1)
        }
    }

    private func filterRow(_ arguments: Arguments?) throws -> SQLiteValue {
        self.arguments = arguments
        row = Int(sqlite3_value_int64(arguments?[0]))
        isKept = try filter?(Row(lookup.pointer, Unmanaged.passUnretained(self))) ?? false
        if let error { throw error }
        step.rows += 1
        try monitor.advance(1, table: new.name)
        guard connection.isInTransaction else { throw MigrationError.rolledBack }
        return .integer(isKept ? 1 : 0)
    }

    private func rowValue(_ arguments: Arguments?) throws -> SQLiteValue {
        // The order in which SQLite evaluates is not promised; nothing is ever written into another row.
        guard let arguments, let value, isKept, Int(sqlite3_value_int64(arguments[1])) == row else {
            throw MigrationError.rowsOutOfOrder(table: new.name)
        }
        let place = Int(sqlite3_value_int64(arguments[0]))
        do {
            let result = try value(place)
            if case .real(let number) = result, number.isNaN { throw UnstorableValue.notANumber }
            return result
        } catch var error as UnstorableValue {
            error.parameter = place + 1
            throw error
        }
    }

    /// The value of a column of the row.
    @usableFromInline override func cell(_ index: Int) -> OpaquePointer? {
        if places[index] > 0, let arguments { return arguments[places[index]] }
        lookedUp.insert(index)
        if lookupRow != row {
            do {
                lookup.reset()
                try lookup.bind(row, at: 1)
                _ = try lookup.step()
                lookupRow = row
            } catch {
                self.error = error
            }
        }
        // Where there is no row, that is NULL.
        return sqlite3_column_value(lookup.pointer, Int32(index))
    }
}

extension SQLiteValue {
    /// Makes it the result of a function.
    fileprivate func give(to context: OpaquePointer?) {
        switch self {
        case .null: sqlite3_result_null(context)
        case .integer(let value): sqlite3_result_int64(context, Int64(value))
        case .real(let value): sqlite3_result_double(context, value)
        case .text(var value):
            value.withUTF8 { bytes in
                bytes.withMemoryRebound(to: CChar.self) {
                    sqlite3_result_text64(context, $0.baseAddress, UInt64($0.count), transient, UInt8(SQLITE_UTF8))
                }
            }
        case .blob(let value):
            value.withUnsafeBytes { bytes in
                bytes.isEmpty
                    ? sqlite3_result_zeroblob(context, 0)
                    : sqlite3_result_blob64(context, bytes.baseAddress, UInt64(bytes.count), transient)
            }
        }
    }
}
