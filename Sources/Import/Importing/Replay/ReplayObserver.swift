import CSQLite

/// Records the effects of each statement of a replay, and stops a statement that does not end.
final class ReplayObserver {
    /// The effects of a statement.
    struct Actions {
        /// Whether it creates, changes or drops tables.
        var changesTables = false
        var isAlter = false
        /// The table that it creates, in lowercase.
        var created: String?
        /// Whether it reads rows or computes values.
        var selects = false
        /// The tables whose rows it changes, with the words of SQL.
        var changes: [(table: String, verb: String)] = []
        /// The tables whose rows triggers change because of it.
        var caused: Set<String> = []
        /// The columns that it reads, in lowercase.
        var reads: Set<SourceSchema.ColumnName> = []
    }

    private(set) var actions = Actions()
    /// The number that the statements have set with `PRAGMA user_version`; nil if they have not.
    private(set) var userVersion: Int?
    var isRecording = true
    /// The number of times that SQLite has asked whether to stop.
    private var steps = 0

    /// The pragmas that change the meaning of other statements. Others have no effect in a replay.
    private static let pragmas: Set<String> = [
        "foreign_keys", "legacy_alter_table", "defer_foreign_keys", "recursive_triggers", "ignore_check_constraints",
        "table_xinfo",
    ]

    /// Begins to record a statement.
    func begin() { (actions, steps) = (Actions(), 0) }

    /// Observes a connection, which must not outlive the observer.
    func observe(_ database: OpaquePointer) {
        let context = Unmanaged.passUnretained(self).toOpaque()
        sqlite3_set_authorizer(
            database,
            { context, code, first, second, _, cause in
                guard let context else { return SQLITE_DENY }
                func text(_ pointer: UnsafePointer<CChar>?) -> String { pointer.map { String(cString: $0) } ?? "" }
                return Unmanaged<ReplayObserver>.fromOpaque(context).takeUnretainedValue()
                    .allow(code, text(first), text(second), isCaused: cause != nil)
            }, context)
        // A statement on a few rows needs some thousand instructions.
        sqlite3_progress_handler(
            database, 100_000,
            { context in
                guard let context else { return 1 }
                let observer = Unmanaged<ReplayObserver>.fromOpaque(context).takeUnretainedValue()
                observer.steps += 1
                return observer.steps > 1_000 ? 1 : 0
            }, context)
    }

    private func allow(_ code: Int32, _ first: String, _ second: String, isCaused: Bool) -> Int32 {
        switch code {
        case SQLITE_ATTACH, SQLITE_DETACH: return SQLITE_DENY
        case SQLITE_PRAGMA where !Self.pragmas.contains(first.lowercased()):
            if isRecording, first.lowercased() == "user_version", let number = Int(second) { userVersion = number }
            return SQLITE_IGNORE
        default: break
        }
        guard isRecording else { return SQLITE_OK }
        switch code {
        case SQLITE_CREATE_TABLE, SQLITE_CREATE_TEMP_TABLE, SQLITE_CREATE_VTABLE:
            (actions.changesTables, actions.created) = (true, first.lowercased())
        case SQLITE_DROP_TABLE, SQLITE_DROP_TEMP_TABLE, SQLITE_DROP_VTABLE: actions.changesTables = true
        case SQLITE_SELECT: actions.selects = true
        case SQLITE_ALTER_TABLE: (actions.changesTables, actions.isAlter) = (true, true)
        case SQLITE_READ: actions.reads.insert(.init(first, second))
        // A trigger changes rows because of another statement.
        case SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE:
            if first.lowercased().hasPrefix("sqlite_") { break }
            if isCaused { actions.caused.insert(first.lowercased()) } else { change(first, code) }
        default: break
        }
        return SQLITE_OK
    }

    private func change(_ table: String, _ code: Int32) {
        let verb = code == SQLITE_INSERT ? "INSERT" : code == SQLITE_UPDATE ? "UPDATE" : "DELETE"
        if !actions.changes.contains(where: { $0 == (table, verb) }) { actions.changes.append((table, verb)) }
    }
}
