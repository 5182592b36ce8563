import CSQLite

/// Rows that a statement reads as a table: `SELECT v0, v1 FROM strata_rows(?1)`.
///
/// The table is a table-valued function (https://sqlite.org/vtab.html#tabfunc2), and its argument is a pointer that no SQL
/// can forge (https://sqlite.org/bindptr.html).
class VirtualRows {
    /// The result of going to a row.
    enum Position {
        case row, end
        /// The row could not be read, so the statement has to fail.
        case failure
    }

    /// The maximum number of columns.
    static let mostColumns = 100

    /// Prepares the row with a number, counted from 0.
    func prepare(row: Int) -> Position { .end }

    /// Gives a value of the row.
    func give(row: Int, _ column: Int, to context: OpaquePointer?) {}

    // MARK: SQLite

    /// The type of the pointer. SQLite keeps the address, so the text must never move.
    private static let pointerType = StaticString("strata_rows")

    /// Binds the rows to a parameter of a statement, which keeps them alive.
    func bind(to statement: Statement, at index: Int) throws {
        let name = UnsafeRawPointer(Self.pointerType.utf8Start).assumingMemoryBound(to: CChar.self)
        try statement.check(
            sqlite3_bind_pointer(
                statement.pointer, Int32(index), Unmanaged.passRetained(self).toOpaque(), name,
                { pointer in pointer.map { Unmanaged<VirtualRows>.fromOpaque($0).release() } }))
    }

    /// Adds the table-valued function to a connection.
    static func add(to database: OpaquePointer) throws {
        guard sqlite3_create_module_v2(database, "strata_rows", module, nil, nil) == SQLITE_OK else {
            throw SQLiteError(of: database)
        }
    }

    private struct Cursor {
        /// SQLite's part, which must come first.
        var base = sqlite3_vtab_cursor()
        /// The rows. The statement that they are bound to keeps them alive.
        var rows: Unmanaged<VirtualRows>?
        var row = -1
        var isAtEnd = true

        static func at(_ cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?) -> UnsafeMutablePointer<Cursor>? {
            UnsafeMutableRawPointer(cursor)?.assumingMemoryBound(to: Cursor.self)
        }

        mutating func next() -> Int32 {
            row += 1
            let position = rows?._withUnsafeGuaranteedRef { $0.prepare(row: row) } ?? .end
            isAtEnd = position != .row
            return position == .failure ? SQLITE_ABORT : SQLITE_OK
        }
    }

    /// SQLite only reads the module, and uses it for as long as the process runs.
    nonisolated(unsafe) private static let module: UnsafePointer<sqlite3_module> = {
        var module = sqlite3_module()
        module.xConnect = { database, _, _, _, table, _ in
            let columns = (0..<mostColumns).map { "v\($0)" }.joined(separator: ", ")
            let code = sqlite3_declare_vtab(database, "CREATE TABLE a (\(columns), source HIDDEN)")
            guard code == SQLITE_OK else { return code }
            let new = UnsafeMutablePointer<sqlite3_vtab>.allocate(capacity: 1)
            new.initialize(to: sqlite3_vtab())
            table?.pointee = new
            return SQLITE_OK
        }
        module.xDisconnect = { table in
            table?.deallocate()
            return SQLITE_OK
        }
        module.xBestIndex = { _, info in
            guard let info else { return SQLITE_ERROR }
            for index in 0..<Int(info.pointee.nConstraint) {
                let constraint = info.pointee.aConstraint[index]
                guard constraint.iColumn == mostColumns, Int32(constraint.op) == SQLITE_INDEX_CONSTRAINT_EQ else {
                    continue
                }
                // Only a plan in which the argument is known can read the rows.
                guard constraint.usable != 0 else { return SQLITE_CONSTRAINT }
                info.pointee.aConstraintUsage[index].argvIndex = 1
                info.pointee.aConstraintUsage[index].omit = 1
            }
            info.pointee.estimatedCost = 1_000
            info.pointee.estimatedRows = 1_000
            return SQLITE_OK
        }
        module.xOpen = { _, cursor in
            let new = UnsafeMutablePointer<Cursor>.allocate(capacity: 1)
            new.initialize(to: Cursor())
            cursor?.pointee = UnsafeMutableRawPointer(new).assumingMemoryBound(to: sqlite3_vtab_cursor.self)
            return SQLITE_OK
        }
        module.xClose = { cursor in
            Cursor.at(cursor)?.deallocate()
            return SQLITE_OK
        }
        module.xFilter = { cursor, _, _, count, arguments in
            let name = UnsafeRawPointer(pointerType.utf8Start).assumingMemoryBound(to: CChar.self)
            guard let cursor = Cursor.at(cursor) else { return SQLITE_ERROR }
            let pointer = count > 0 ? sqlite3_value_pointer(arguments?[0], name) : nil
            cursor.pointee.rows = pointer.map { Unmanaged.fromOpaque($0) }
            cursor.pointee.row = -1
            return cursor.pointee.next()
        }
        module.xNext = { Cursor.at($0)?.pointee.next() ?? SQLITE_ERROR }
        module.xEof = { Cursor.at($0)?.pointee.isAtEnd == false ? 0 : 1 }
        module.xColumn = { cursor, context, column in
            guard let cursor = Cursor.at(cursor) else { return SQLITE_ERROR }
            let row = cursor.pointee.row
            cursor.pointee.rows?._withUnsafeGuaranteedRef { $0.give(row: row, Int(column), to: context) }
            return SQLITE_OK
        }
        module.xRowid = { cursor, row in
            row?.pointee = Int64(Cursor.at(cursor)?.pointee.row ?? 0)
            return SQLITE_OK
        }
        let pointer = UnsafeMutablePointer<sqlite3_module>.allocate(capacity: 1)
        pointer.initialize(to: module)
        return UnsafePointer(pointer)
    }()
}

/// Rows of values. Unlike a list of parameters, their number has no limit. A statement can read them several times.
final class ValueArray: VirtualRows {
    private let values: [SQLiteValue]
    private let columnCount: Int

    /// Creates rows of `columnCount` values each.
    init(_ values: [SQLiteValue], columnCount: Int) {
        self.values = values
        self.columnCount = columnCount
    }

    override func prepare(row: Int) -> Position { row * columnCount < values.count ? .row : .end }

    override func give(row: Int, _ column: Int, to context: OpaquePointer?) {
        if column < columnCount { values[row * columnCount + column].give(to: context) }
    }
}

/// The rows of a sequence, each of which is read once.
final class RowFeed: VirtualRows {
    private let statement: Statement
    private let body: (Statement) throws -> Bool
    private(set) var error: (any Error)?

    /// - Parameter body: Binds the values of the next row to a statement; returns false after the last row.
    init(columnCount: Int, _ body: @escaping (Statement) throws -> Bool) {
        statement = Statement(recording: columnCount)
        self.body = body
    }

    override func prepare(row: Int) -> Position {
        statement.forgetRecords()
        do {
            return try body(statement) ? .row : .end
        } catch {
            self.error = error
            return .failure
        }
    }

    override func give(row: Int, _ column: Int, to context: OpaquePointer?) {
        statement.giveRecord(column, to: context)
    }
}
