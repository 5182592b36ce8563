import CSQLite
import SQLSchema

/// Rows of values that a statement reads as a table: `SELECT v0 FROM strata_array(?1)`. Unlike a list of parameters, the
/// number of rows has no limit.
///
/// The table is a table-valued function (https://sqlite.org/vtab.html#tabfunc2), and its argument is a pointer that no SQL
/// can forge (https://sqlite.org/bindptr.html).
final class ValueArray: Sendable {
    private let values: [SQLiteValue]
    private let columnCount: Int

    /// Creates rows of `columnCount` values each.
    init(_ values: [SQLiteValue], columnCount: Int) {
        self.values = values
        self.columnCount = columnCount
    }

    private var rowCount: Int { values.count / columnCount }

    /// The maximum number of columns.
    static let mostColumns = 32

    /// Returns a query for all rows, whose only parameter has no number.
    static func query(columnCount: Int) -> String {
        "SELECT \((0..<columnCount).map { "v\($0)" }.joined(separator: ", ")) FROM strata_array(?)"
    }

    // MARK: SQLite

    /// The type of the pointer. SQLite keeps the address, so the text must never move.
    private static let pointerType = StaticString("strata_array")

    /// Binds the array to a parameter.
    func bind(to statement: Statement, at index: Int) throws {
        let name = UnsafeRawPointer(Self.pointerType.utf8Start).assumingMemoryBound(to: CChar.self)
        try statement.check(
            sqlite3_bind_pointer(
                statement.pointer, Int32(index), Unmanaged.passRetained(self).toOpaque(), name,
                { pointer in pointer.map { Unmanaged<ValueArray>.fromOpaque($0).release() } }))
    }

    /// Adds the table-valued function to a connection.
    static func add(to database: OpaquePointer) throws {
        guard sqlite3_create_module_v2(database, "strata_array", module, nil, nil) == SQLITE_OK else {
            throw SQLiteError(of: database)
        }
    }

    private struct Cursor {
        /// SQLite's part, which must come first.
        var base = sqlite3_vtab_cursor()
        /// The rows. The statement that the array is bound to keeps it alive.
        var array: Unmanaged<ValueArray>?
        var row = 0

        static func at(_ cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?) -> UnsafeMutablePointer<Cursor>? {
            UnsafeMutableRawPointer(cursor)?.assumingMemoryBound(to: Cursor.self)
        }

        var rowCount: Int { array?._withUnsafeGuaranteedRef { $0.rowCount } ?? 0 }
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
            for place in 0..<Int(info.pointee.nConstraint) {
                let constraint = info.pointee.aConstraint[place]
                guard constraint.iColumn == mostColumns, Int32(constraint.op) == SQLITE_INDEX_CONSTRAINT_EQ else {
                    continue
                }
                // Only a plan in which the argument is known can read the rows.
                guard constraint.usable != 0 else { return SQLITE_CONSTRAINT }
                info.pointee.aConstraintUsage[place].argvIndex = 1
                info.pointee.aConstraintUsage[place].omit = 1
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
            let pointer = count > 0 ? sqlite3_value_pointer(arguments?[0], name) : nil
            Cursor.at(cursor)?.pointee.array = pointer.map { Unmanaged.fromOpaque($0) }
            Cursor.at(cursor)?.pointee.row = 0
            return SQLITE_OK
        }
        module.xNext = { cursor in
            Cursor.at(cursor)?.pointee.row += 1
            return SQLITE_OK
        }
        module.xEof = { cursor in
            guard let cursor = Cursor.at(cursor)?.pointee else { return 1 }
            return cursor.row < cursor.rowCount ? 0 : 1
        }
        module.xColumn = { cursor, context, column in
            guard let cursor = Cursor.at(cursor)?.pointee else { return SQLITE_ERROR }
            cursor.array?._withUnsafeGuaranteedRef { array in
                guard column < array.columnCount else { return }
                array.values[cursor.row * array.columnCount + Int(column)].give(to: context)
            }
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
