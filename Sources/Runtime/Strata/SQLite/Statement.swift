import CSQLite
import Foundation

/// A prepared statement. The index of its first parameter is 1.
public final class Statement {
    @usableFromInline let pointer: OpaquePointer
    /// A buffer for small bound texts and blobs. SQLite would allocate memory for each of them.
    @usableFromInline let places = UnsafeMutableRawPointer.allocate(byteCount: Statement.placeCount, alignment: 8)
    /// The number of used bytes in `places`.
    @exclusivity(unchecked) @usableFromInline var placesTaken = 0
    /// The size of `places`, in bytes. SQLite copies the values that do not fit.
    @usableFromInline static let placeCount = 1024
    /// Whether only white space and semicolons follow the statement in its SQL.
    let isAlone: Bool

    convenience init(_ sql: String, connection: Connection) throws {
        try self.init(sql, database: connection.pointer)
    }

    init(_ sql: String, database: OpaquePointer?) throws {
        var pointer: OpaquePointer?
        var rest: UnsafePointer<CChar>?
        var sql = sql
        let (code, isAlone) = sql.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { text in
                let code = sqlite3_prepare_v3(
                    database, text.baseAddress, Int32(text.count), 0, &pointer, &rest)
                let end = text.baseAddress.flatMap { start in rest.map { $0 - start } } ?? text.count
                return (code, text[end...].allSatisfy { " \t\r\n;".utf8.contains(UInt8(bitPattern: $0)) })
            }
        }
        guard code == SQLITE_OK else { throw SQLiteError(of: database, sql: sql) }
        guard let pointer else {
            throw SQLiteError(extendedCode: SQLITE_MISUSE, message: "the SQL contains no statement", sql: sql)
        }
        self.pointer = pointer
        self.isAlone = isAlone
    }

    deinit {
        sqlite3_finalize(pointer)
        places.deallocate()
    }

    /// The statement's SQL, with parameters instead of bound values.
    var sql: String { sqlite3_sql(pointer).map { String(cString: $0) } ?? "" }
    /// The number of columns of the result; 0 if the statement returns no rows.
    var columnCount: Int { Int(sqlite3_column_count(pointer)) }
    var parameterCount: Int { Int(sqlite3_bind_parameter_count(pointer)) }
    /// Whether the statement does not change the database (https://sqlite.org/c3ref/stmt_readonly.html).
    var isReadOnly: Bool { sqlite3_stmt_readonly(pointer) != 0 }

    /// Whether the statement has been stepped and has neither ended nor been reset.
    var isBusy: Bool { sqlite3_stmt_busy(pointer) != 0 }

    /// The current row.
    @inlinable package var row: Row { Row(pointer) }

    /// Steps to the next row. Returns false after the last row.
    @inlinable package func step() throws -> Bool {
        switch sqlite3_step(pointer) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default: throw failure()
        }
    }

    /// Returns the error of the last step, and resets the statement.
    @usableFromInline func failure() -> SQLiteError {
        let error = SQLiteError(of: sqlite3_db_handle(pointer), sql: sql)
        sqlite3_reset(pointer)
        return error
    }

    /// Runs the statement to its end and resets it. Bound values stay bound.
    @inlinable package func run() throws {
        while try step() {}
        rewind()
    }

    /// Resets the statement. Bind all values again before the next run, because the buffer is reused.
    @inlinable package func rewind() {
        sqlite3_reset(pointer)
        placesTaken = 0
    }

    /// Resets the statement and clears its bindings.
    @inlinable package func reset() {
        rewind()
        sqlite3_clear_bindings(pointer)
    }

    @inlinable func check(_ code: Int32) throws {
        guard code == SQLITE_OK else { throw bindingError() }
    }

    @usableFromInline func bindingError() -> SQLiteError { SQLiteError(of: sqlite3_db_handle(pointer)) }

    // MARK: Binding

    /// Binds NULL.
    @inlinable public func bindNull(at index: Int) throws {
        try check(sqlite3_bind_null(pointer, Int32(index)))
    }

    /// Binds a value to one or more parameters, starting at `index`.
    ///
    /// - Throws: `UnstorableValue` for NaN, which SQLite would store as NULL.
    @inlinable public func bind<Value: ColumnStorable>(_ value: Value, at index: Int) throws {
        try value.bind(to: self, at: index)
    }

    /// Copies `bytes` into the buffer, where they stay until the statement is reset; nil if they do not fit.
    @inlinable func copy(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawPointer? {
        guard placesTaken + bytes.count <= Self.placeCount else { return nil }
        let place = places + placesTaken
        if let start = bytes.baseAddress { place.copyMemory(from: start, byteCount: bytes.count) }
        placesTaken += bytes.count
        return UnsafeRawPointer(place)
    }

    @inlinable func bind(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int) -> Int32 {
        if let place = copy(UnsafeRawBufferPointer(bytes)) {
            return sqlite3_bind_text(
                pointer, Int32(index), place.assumingMemoryBound(to: CChar.self), Int32(bytes.count), nil)
        }
        return bytes.withMemoryRebound(to: CChar.self) {
            sqlite3_bind_text64(
                pointer, Int32(index), $0.baseAddress, UInt64($0.count), transient, UInt8(SQLITE_UTF8))
        }
    }

    @inlinable func bind(_ bytes: UnsafeRawBufferPointer, at index: Int) -> Int32 {
        if bytes.isEmpty { return sqlite3_bind_zeroblob(pointer, Int32(index), 0) }
        if let place = copy(bytes) { return sqlite3_bind_blob(pointer, Int32(index), place, Int32(bytes.count), nil) }
        return sqlite3_bind_blob64(pointer, Int32(index), bytes.baseAddress, UInt64(bytes.count), transient)
    }
}

/// An error for a value that SQLite cannot store unchanged.
public struct UnstorableValue: Error, Hashable, Sendable, CustomStringConvertible {
    /// The index of the parameter that the value was bound to. The first index is 1.
    public internal(set) var parameter: Int
    /// The table and column, such as `movie.rating`; nil if the value is not a property of an entity.
    public internal(set) var column: String?
    /// The reason why SQLite cannot store the value.
    public let reason: String

    static let notANumber = notANumber(at: 0)

    @usableFromInline static func notANumber(at parameter: Int) -> UnstorableValue {
        UnstorableValue(parameter: parameter, reason: "NaN has no form in SQLite")
    }

    static let notAColor = UnstorableValue(parameter: 0, reason: "a color is #RRGGBB or #RRGGBBAA")

    /// Returns the same error with the table and column of its parameter.
    @usableFromInline func named(_ table: EntityTable) -> UnstorableValue {
        var error = self
        if table.columns.indices.contains(parameter - 1) {
            error.column = "\(table.name).\(table.columns[parameter - 1])"
        }
        return error
    }

    /// A message with the column or the parameter, and the reason.
    public var description: String {
        "the value of \(column ?? "parameter \(parameter)") cannot be stored: \(reason)"
    }
}

/// The value of `SQLITE_TRANSIENT`, which makes SQLite copy a bound value.
@inlinable var transient: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }
