import CSQLite
import SQLSchema

/// Copies the rows of an old table into a new one. A custom migration reads some old columns and provides the values
/// of some new columns.
///
/// SQL calls the custom migration through two functions ("Application-Defined SQL Functions",
/// https://sqlite.org/appfunc.html). `strata_row` is in the condition and returns whether the row is kept.
/// `strata_value` returns each value. Columns that the custom migration neither reads nor provides are copied within
/// SQLite.
///
/// The copy learns which columns the custom migration reads. When it reads a column that is not an argument of
/// `strata_row`, the copy looks the column up, and passes it as an argument from the next part on.
@usableFromInline final class ColumnCopy: RowSource {
    private typealias Arguments = UnsafeMutablePointer<OpaquePointer?>

    private let step: CustomStep
    private let connection: Connection
    private let monitor: MigrationMonitor
    private let map: KeyMap
    private let old: EntityTable
    private let new: EntityTable
    /// The columns of the new table whose values the custom migration provides.
    private let columns: [String]
    private let source: Table
    private let target: Table
    /// The SQL name of the old table's row number.
    private let number: String
    /// Reads an old row by its row number.
    private let lookup: Statement
    /// The indexes of the primary key columns among the columns of the old table.
    private let key: [Int]

    /// The closures of the run. `run` keeps them alive: counting references would take a tenth of the time.
    @exclusivity(unchecked) private var code: Unmanaged<Code>?
    /// The error that the custom migration threw. SQLite only reports that a function failed.
    @exclusivity(unchecked) private var error: (any Error)?

    /// The arguments of the current call of `strata_row`: the row number, then columns.
    @exclusivity(unchecked) private var arguments: Arguments?
    /// The index of each old column among the arguments, or 0 if the column is not an argument.
    @exclusivity(unchecked) private var indexes: [Int]
    /// The row number of the row that `strata_row` was last called for.
    @exclusivity(unchecked) private var row: Int64 = 0
    @exclusivity(unchecked) private var isKept = false
    /// The indexes of the columns that were looked up since the last call of `learn()`.
    @exclusivity(unchecked) private var lookedUp: Set<Int> = []
    /// The row number of the row that `lookup` is positioned on.
    @exclusivity(unchecked) private var lookupRow: Int64?

    /// The maximum number of columns that are passed as arguments. SQLite allows 127 arguments ("Maximum Number Of
    /// Arguments On A Function", https://sqlite.org/limits.html); the first is the row number.
    private static let mostColumns = 126
    /// The maximum number of rows that one statement copies. The first parts are shorter.
    private static let longestPart = 10_000

    /// Creates a copy of the rows of `old` into `new`.
    ///
    /// - Parameters:
    ///   - type: The entity before the step.
    ///   - new: The table after the step.
    ///   - columns: The columns of `new` whose values the custom migration provides.
    ///   - step: The running step.
    /// - Throws: `MigrationError.schemaDiffers` if the step has no such tables, or `SQLiteError`.
    @usableFromInline init<Old: StoredEntity>(
        from type: Old.Type, to new: EntityTable, giving columns: [String], _ step: CustomStep
    ) throws {
        let old = Old.table
        guard let source = step.mapping.old.first(where: { $0.name == old.name }),
            let target = step.mapping.new.first(where: { $0.name == new.name }), let number = source.rowNumber
        else { throw MigrationError.schemaDiffers(objects: [new.name]) }
        (self.old, self.new, self.columns) = (old, new, columns)
        (self.source, self.target, self.number) = (source, target, number)
        self.step = step
        connection = step.access.connection
        monitor = step.monitor
        map = try step.keyMap(from: type, to: new)
        lookup = try connection.prepare(old.select(from: step.access.oldName(old.name)) + " WHERE \(number) = ?1")
        key = old.key.compactMap(old.columns.firstIndex)
        indexes = [Int](repeating: 0, count: old.columns.count)
        super.init(old.columns)
    }

    /// Copies the rows for which `filter` returns true.
    ///
    /// - Parameters:
    ///   - filter: Returns whether a row is kept.
    ///   - value: Returns a value of the row that `filter` was last called for, by the index of its column.
    @usableFromInline func run(
        filter: @escaping (Row) throws -> Bool, value: @escaping (Int) throws -> SQLiteValue
    ) throws {
        let code = Code(filter, value)
        self.code = Unmanaged.passUnretained(code)
        let running = try runningCopy()
        running.copy = Unmanaged.passUnretained(self)
        defer {
            running.copy = nil
            self.code = nil
        }
        try withExtendedLifetime((self, code)) {
            do {
                try copy()
            } catch {
                throw self.error ?? error
            }
        }
    }

    private final class Code {
        let filter: (Row) throws -> Bool
        let value: (Int) throws -> SQLiteValue

        init(_ filter: @escaping (Row) throws -> Bool, _ value: @escaping (Int) throws -> SQLiteValue) {
            (self.filter, self.value) = (filter, value)
        }
    }

    private func copy() throws {
        let (batches, task) = (step.batches, "migrate \(old.name)")
        guard var first = batches == nil ? Int64.min : try batches?.start(task) else { return }
        var insert = try connection.prepare(statement())
        var part = 1
        while true {
            try insert.bind(first, at: 1)
            try insert.bind(part, at: 2)
            try insert.run()
            if connection.changes < part || row == Int64.max { break }
            first = row + 1
            part = min(10 * part, Self.longestPart)
            if learn() { insert = try connection.prepare(statement()) }
            if let batches, batches.isDue {
                lookupRow = nil
                try batches.commit(task, through: row)
            }
        }
        lookup.reset()
        try batches?.finish(task)
    }

    /// The statement that copies the kept rows from a row number on (parameter 1), up to a limit (parameter 2).
    private func statement() -> String {
        let read = indexes.indices.filter { indexes[$0] > 0 }.sorted { indexes[$0] < indexes[$1] }
        let arguments = [number] + read.map { SQL.quoted(old.columns[$0]) }
        var values = Dictionary(
            source.columnNames.map { ($0, ValueExpression.column($0)) }, uniquingKeysWith: { first, _ in first })
        for case .custom(_, new.name, let inferred, _) in step.changes { values.merge(inferred) { _, new in new } }
        let given = columns.enumerated().map { ($1, "strata_value(\($0), \(number))") }
        return InsertSelect(
            from: source, to: target, values: values,
            sql: Dictionary(given, uniquingKeysWith: { first, _ in first }),
            condition: "strata_row(\(arguments.joined(separator: ", ")))"
        ).limitedStatement(
            from: step.access.oldName(source.name), into: step.access.temporaryNames[target.name])
    }

    /// Makes the columns that were looked up arguments of `strata_row`. Returns whether there were any.
    private func learn() -> Bool {
        let count = indexes.lazy.filter { $0 > 0 }.count
        let new = lookedUp.sorted().prefix(max(0, Self.mostColumns - count))
        for (index, column) in new.enumerated() { indexes[column] = count + 1 + index }
        lookedUp = []
        return !new.isEmpty
    }

    /// Records an old row that is not copied: as merged into the row `new`, or as dropped if `new` is nil.
    @usableFromInline func record<ID: EntityID>(_ row: Row, as new: ID?) throws {
        step.countGone(self.new.name, isMerged: new != nil)
        try map.record(key.map(row.value), as: new)
    }

    // MARK: SQL functions

    /// The running copy of a connection, which its SQL functions call.
    private final class Running {
        @exclusivity(unchecked) var copy: Unmanaged<ColumnCopy>?
    }

    /// Returns the connection's running copy. The first time, adds the SQL functions that call it. They are never
    /// removed: SQLite cannot remove or replace a function while a statement runs.
    private func runningCopy() throws -> Running {
        if let running = connection.functionState as? Running { return running }
        let running = Running()
        try add("strata_row", running) { context, _, arguments in
            ColumnCopy.give(to: context) { try $0.filterRow(arguments) }
        }
        try add("strata_value", running) { context, _, arguments in
            ColumnCopy.give(to: context) { try $0.rowValue(arguments) }
        }
        connection.functionState = running
        return running
    }

    private func add(
        _ name: String, _ running: Running, _ function: @convention(c) (OpaquePointer?, Int32, Arguments?) -> Void
    ) throws {
        let code = sqlite3_create_function_v2(
            // SQLITE_DIRECTONLY: a schema that was tampered with cannot call the function.
            connection.pointer, name, -1, SQLITE_UTF8 | SQLITE_DIRECTONLY,
            Unmanaged.passUnretained(running).toOpaque(), function, nil, nil, nil)
        guard code == SQLITE_OK else { throw SQLiteError(of: connection.pointer) }
    }

    private static func give(to context: OpaquePointer?, _ result: (ColumnCopy) throws -> SQLiteValue) {
        let running = sqlite3_user_data(context).map { Unmanaged<Running>.fromOpaque($0) }
        guard let copy = running?._withUnsafeGuaranteedRef({ $0.copy }) else {
            return sqlite3_result_error(context, "no rows are being migrated", -1)
        }
        copy._withUnsafeGuaranteedRef { copy in
            do {
                try result(copy).give(to: context)
            } catch {
                copy.error = (error as? MalformedValue)?.named(copy.old.name) ?? error
                sqlite3_result_error(context, "the migration's code has thrown", -1)
            }
        }
    }

    private func filterRow(_ arguments: Arguments?) throws -> SQLiteValue {
        self.arguments = arguments
        row = sqlite3_value_int64(arguments?[0])
        let values = Row(lookup.pointer, Unmanaged.passUnretained(self))
        do {
            isKept = try code?._withUnsafeGuaranteedRef { try $0.filter(values) } ?? false
        } catch let error as MalformedValue where error.table == nil || error.table == old.name {
            isKept = false
            try step.setAside(values, error, old, map)
        }
        if let error { throw error }
        step.rows += 1
        try monitor.advance(1, table: new.name)
        guard connection.isInTransaction else { throw MigrationError.rolledBack }
        return .integer(isKept ? 1 : 0)
    }

    private func rowValue(_ arguments: Arguments?) throws -> SQLiteValue {
        // SQLite does not promise an order of evaluation. This check never writes a value into a wrong row.
        guard let arguments, let code, isKept, sqlite3_value_int64(arguments[1]) == row else {
            throw MigrationError.rowsOutOfOrder(table: new.name)
        }
        let index = Int(sqlite3_value_int64(arguments[0]))
        do {
            let result = try code._withUnsafeGuaranteedRef { try $0.value(index) }
            if case .real(let number) = result, number.isNaN { throw UnstorableValue.notANumber }
            return result
        } catch var error as UnstorableValue {
            error.parameter = index + 1
            throw error
        }
    }

    /// The value of a column of the current row, by the column's index.
    @usableFromInline override func cell(_ index: Int) -> OpaquePointer? {
        guard indexes.indices.contains(index) else { return nil }
        if indexes[index] > 0, let arguments { return arguments[indexes[index]] }
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
        // Without a row, the value is NULL.
        return sqlite3_column_value(lookup.pointer, Int32(index))
    }
}
