import RawSQLite

/// A connection as a program in C has it.
final class Raw {
    let pointer: OpaquePointer

    init(_ path: String) {
        var pointer: OpaquePointer?
        guard
            sqlite3_open_v2(path, &pointer, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nil)
                == SQLITE_OK,
            let pointer
        else { fatalError("\(path) cannot be opened") }
        self.pointer = pointer
    }

    deinit { sqlite3_close_v2(pointer) }

    func execute(_ sql: String) {
        guard sqlite3_exec(pointer, sql, nil, nil, nil) == SQLITE_OK else {
            fatalError("\(String(cString: sqlite3_errmsg(pointer))) in \(sql)")
        }
    }

    func prepare(_ sql: String) -> OpaquePointer {
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(pointer, sql, -1, &statement, nil) == SQLITE_OK, let statement else {
            fatalError("\(String(cString: sqlite3_errmsg(pointer))) in \(sql)")
        }
        return statement
    }
}
