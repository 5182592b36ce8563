import CSQLite
import Foundation

/// A prepared statement. The index of its first parameter is 1.
public final class Statement {
    /// SQLite's statement; nil if this one only records the values that are bound to it.
    @usableFromInline let pointer: OpaquePointer?
    /// The recorded values.
    @usableFromInline let records: UnsafeMutablePointer<Record>?
    /// The number of recorded values.
    private let recordCount: Int
    /// A buffer for small bound texts and blobs. SQLite would allocate memory for each of them.
    @usableFromInline let buffer = UnsafeMutableRawPointer.allocate(byteCount: Statement.bufferSize, alignment: 8)
    /// The number of used bytes in `buffer`.
    @exclusivity(unchecked) @usableFromInline var usedBytes = 0
    /// The size of `buffer`, in bytes. SQLite copies the values that do not fit.
    @usableFromInline static let bufferSize = 1024
    /// The number of rows that the statement gave when it last ran. An array of this size does not have to grow.
    @exclusivity(unchecked) @usableFromInline var lastRowCount = 0
    /// The tables that the statement reads.
    var tables: Set<String> = []
    /// Whether the statement is SQL of the app that may replace rows.
    var mayReplace = false
    /// Finalizes the statement; nil if this one only records values.
    let use: ConnectionUse?
    /// Whether only white space and semicolons follow the statement in its SQL.
    let isAlone: Bool

    convenience init(_ sql: String, connection: Connection) throws {
        try self.init(sql, database: connection.pointer, connection.use)
    }

    init(_ sql: String, database: OpaquePointer?, _ use: ConnectionUse?) throws {
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
        self.use = use
        use?.add(pointer)
        self.isAlone = isAlone
        (records, recordCount) = (nil, 0)
    }

    /// Creates a statement that only records the values that are bound to it.
    init(recording count: Int) {
        pointer = nil
        use = nil
        isAlone = true
        recordCount = count
        let records = UnsafeMutablePointer<Record>.allocate(capacity: count)
        records.initialize(repeating: .null, count: count)
        self.records = records
    }

    deinit {
        if let pointer { use?.release(pointer) }
        forgetRecords()
        records?.deallocate()
        buffer.deallocate()
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
        usedBytes = 0
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

    // MARK: Records

    /// A recorded value.
    @usableFromInline enum Record {
        case null
        case integer(Int64)
        case real(Double)
        /// Bytes in the statement's buffer.
        case text(UnsafeRawPointer, Int)
        case blob(UnsafeRawPointer, Int)
        /// Bytes that do not fit into the buffer.
        case largeText(UnsafeMutableRawPointer, Int)
        case largeBlob(UnsafeMutableRawPointer, Int)
    }

    /// Sets all recorded values to NULL.
    func forgetRecords() {
        guard let records else { return }
        usedBytes = 0
        for index in 0..<recordCount {
            switch records[index] {
            case .largeText(let bytes, _), .largeBlob(let bytes, _): bytes.deallocate()
            default: break
            }
            records[index] = .null
        }
    }

    /// Whether the statement only records the values that are bound to it.
    @usableFromInline var isRecording: Bool { records != nil }

    /// Returns a recorded value.
    func record(at index: Int) -> SQLiteValue {
        func text(_ start: UnsafeRawPointer, _ count: Int) -> SQLiteValue {
            .text(String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self))
        }
        return switch records?[index] {
        case .integer(let value): .integer(value)
        case .real(let value): .real(value)
        case .text(let start, let count): text(start, count)
        case .largeText(let start, let count): text(UnsafeRawPointer(start), count)
        case .blob(let start, let count): .blob(Data(bytes: start, count: count))
        case .largeBlob(let start, let count): .blob(Data(bytes: start, count: count))
        case .null, nil: .null
        }
    }

    /// Gives a recorded value, which must not change before SQLite has used it.
    func giveRecord(_ index: Int, to context: OpaquePointer?) {
        guard let records, index < recordCount else { return sqlite3_result_null(context) }
        func give(text: UnsafeRawPointer, _ count: Int) {
            sqlite3_result_text64(
                context, text.assumingMemoryBound(to: CChar.self), UInt64(count), nil, UInt8(SQLITE_UTF8))
        }
        switch records[index] {
        case .null: sqlite3_result_null(context)
        case .integer(let value): sqlite3_result_int64(context, value)
        case .real(let value): sqlite3_result_double(context, value)
        case .text(let bytes, let count): give(text: bytes, count)
        case .largeText(let bytes, let count): give(text: UnsafeRawPointer(bytes), count)
        case .blob(_, 0): sqlite3_result_zeroblob(context, 0)
        case .blob(let bytes, let count): sqlite3_result_blob64(context, bytes, UInt64(count), nil)
        case .largeBlob(let bytes, let count): sqlite3_result_blob64(context, bytes, UInt64(count), nil)
        }
    }

    /// Whether a recorded value is the same as that of another statement.
    func hasRecord(equalTo other: Statement, at index: Int) -> Bool {
        func bytes(_ record: Record?) -> (isText: Bool, bytes: UnsafeRawBufferPointer)? {
            switch record {
            case .text(let start, let count): (true, UnsafeRawBufferPointer(start: start, count: count))
            case .largeText(let start, let count): (true, UnsafeRawBufferPointer(start: start, count: count))
            case .blob(let start, let count): (false, UnsafeRawBufferPointer(start: start, count: count))
            case .largeBlob(let start, let count): (false, UnsafeRawBufferPointer(start: start, count: count))
            default: nil
            }
        }
        switch (records?[index], other.records?[index]) {
        case (.null, .null): return true
        case (.integer(let left), .integer(let right)): return left == right
        case (.real(let left), .real(let right)): return left == right
        case (let left, let right):
            guard let left = bytes(left), let right = bytes(right) else { return false }
            return left.isText == right.isText && left.bytes.elementsEqual(right.bytes)
        }
    }

    /// A copy of bytes that do not fit into the buffer.
    private func large(_ bytes: UnsafeRawBufferPointer) -> UnsafeMutableRawPointer {
        let copy = UnsafeMutableRawPointer.allocate(byteCount: bytes.count, alignment: 1)
        if let start = bytes.baseAddress { copy.copyMemory(from: start, byteCount: bytes.count) }
        return copy
    }

    @usableFromInline func record(large bytes: UnsafeRawBufferPointer, isText: Bool, at index: Int) {
        records?[index - 1] = isText ? .largeText(large(bytes), bytes.count) : .largeBlob(large(bytes), bytes.count)
    }

    // MARK: Binding

    /// Binds NULL.
    @inlinable public func bindNull(at index: Int) throws {
        if let records {
            records[index - 1] = .null
            return
        }
        try check(sqlite3_bind_null(pointer, Int32(clamping: index)))
    }

    @inlinable func bindInteger(_ value: Int64, at index: Int) throws {
        if let records {
            records[index - 1] = .integer(value)
            return
        }
        try check(sqlite3_bind_int64(pointer, Int32(clamping: index), value))
    }

    @inlinable func bindReal(_ value: Double, at index: Int) throws {
        if let records {
            records[index - 1] = .real(value)
            return
        }
        try check(sqlite3_bind_double(pointer, Int32(clamping: index), value))
    }

    /// Binds the value of a column of another statement's row, with all its bytes.
    package func bind(_ row: Row, _ column: Int, at index: Int) throws {
        try check(sqlite3_bind_value(pointer, Int32(clamping: index), row.cell(column)))
    }

    /// Copies `bytes` into the buffer, where they stay until the statement is reset; nil if they do not fit.
    @inlinable func copy(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawPointer? {
        guard usedBytes + bytes.count <= Self.bufferSize else { return nil }
        let target = buffer + usedBytes
        if let start = bytes.baseAddress { target.copyMemory(from: start, byteCount: bytes.count) }
        usedBytes += bytes.count
        return UnsafeRawPointer(target)
    }

    @inlinable func bind(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int) -> Int32 {
        if let start = copy(UnsafeRawBufferPointer(bytes)) {
            if let records {
                records[index - 1] = .text(start, bytes.count)
                return SQLITE_OK
            }
            return sqlite3_bind_text(
                pointer, Int32(clamping: index), start.assumingMemoryBound(to: CChar.self), Int32(bytes.count), nil)
        }
        if records != nil {
            record(large: UnsafeRawBufferPointer(bytes), isText: true, at: index)
            return SQLITE_OK
        }
        return bytes.withMemoryRebound(to: CChar.self) {
            sqlite3_bind_text64(
                pointer, Int32(clamping: index), $0.baseAddress, UInt64($0.count), transient, UInt8(SQLITE_UTF8))
        }
    }

    @inlinable func bind(_ bytes: UnsafeRawBufferPointer, at index: Int) -> Int32 {
        if let records {
            if let start = copy(bytes) {
                records[index - 1] = .blob(start, bytes.count)
            } else {
                record(large: bytes, isText: false, at: index)
            }
            return SQLITE_OK
        }
        if bytes.isEmpty { return sqlite3_bind_zeroblob(pointer, Int32(clamping: index), 0) }
        if let start = copy(bytes) {
            return sqlite3_bind_blob(pointer, Int32(clamping: index), start, Int32(bytes.count), nil)
        }
        return sqlite3_bind_blob64(pointer, Int32(clamping: index), bytes.baseAddress, UInt64(bytes.count), transient)
    }
}
