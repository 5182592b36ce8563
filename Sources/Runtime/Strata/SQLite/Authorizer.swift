import CSQLite

/// Limits the app's own SQL, and records the tables that statements read.
///
/// It belongs to a connection from the beginning, because setting it makes SQLite prepare all statements again
/// (https://sqlite.org/c3ref/set_authorizer.html).
final class Authorizer {
    /// Whether SQLite is preparing the app's SQL now.
    var isConfining = false
    /// The tables that the app's SQL must not change.
    var outdatedTables: Set<String> = []
    /// The one of them that the refused statement changes.
    var outdatedTable: String?
    /// The tables that no statement may change.
    var guardedTables: Set<String> = []
    /// The one of them that a statement was to change.
    var refusedTable: String?
    /// The views of tables that are changed later, with the names of these tables.
    var deferredViews: [String: String] = [:]
    /// The tables that are changed later, and do not have the shape that the app's SQL expects.
    var deferredTables: Set<String> = []
    /// The use of old rows in tables that also get the new rows.
    var oldRows = OldRowUse()
    /// The tables for which the migration has to begin again: a statement was to write to a table that is changed later, the
    /// app's SQL was to read one, or a statement was to read old rows that have changed.
    var neededTables: Set<String> = []
    /// Whether a statement has changed the schema.
    var hasChangedSchema = false
    /// The only object that the statement being prepared may create; nil if the statement may do other things too.
    private var creation: Creation?
    /// The tables that the statement reads that is being prepared; nil between statements.
    private var tables: Set<String>?
    /// The tables that statements read which SQLite has prepared again by itself, because the schema has changed.
    var tablesReadAgain: Set<String> = []

    func add(to database: OpaquePointer) {
        sqlite3_set_authorizer(
            database,
            { authorizer, action, name, value, database, view in
                guard let authorizer else { return SQLITE_OK }
                return Unmanaged<Authorizer>.fromOpaque(authorizer)._withUnsafeGuaranteedRef {
                    let isAllowed =
                        $0.allowsCreation(action, name, value, in: database)
                        ?? $0.isAllowed(action, name, value, in: view)
                    return isAllowed ? SQLITE_OK : SQLITE_DENY
                }
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Runs `body`, which prepares a statement, and returns its result with the tables that the statement reads.
    func recordingTables<Result>(_ body: () throws -> Result) throws -> (Result, Set<String>) {
        tables = []
        defer { tables = nil }
        let result = try body()
        return (result, tables ?? [])
    }

    /// Runs `body`, which prepares a statement that may only create `object`, or a table or an index if it is nil.
    func creating<Result>(_ object: SchemaObject?, _ body: () throws -> Result) rethrows -> Result {
        creation = object.map(Creation.object) ?? .tableOrIndex
        defer { creation = nil }
        return try body()
    }

    /// Whether the statement that creates an object may do something; nil if no such statement is being prepared.
    private func allowsCreation(
        _ action: Int32, _ name: UnsafePointer<CChar>?, _ value: UnsafePointer<CChar>?,
        in database: UnsafePointer<CChar>?
    ) -> Bool? {
        guard let creation else { return nil }
        func text(_ pointer: UnsafePointer<CChar>?) -> String { pointer.map { String(cString: $0) } ?? "" }
        return ["main", ""].contains(text(database)) && creation.allows(action, text(name), text(value))
    }

    private func isAllowed(
        _ action: Int32, _ name: UnsafePointer<CChar>?, _ value: UnsafePointer<CChar>?, in view: UnsafePointer<CChar>?
    ) -> Bool {
        // SQLite reports each column, and a table without columns too.
        if action == SQLITE_READ, let name {
            if tables == nil {
                tablesReadAgain.insert(String(cString: name))
            } else {
                tables?.insert(String(cString: name))
            }
        }
        if Self.changesSchema(action) { hasChangedSchema = true }
        let isWriting = [SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE].contains(action)
        if !deferredViews.isEmpty, let name = name.map({ String(cString: $0) }) {
            let isRead = action == SQLITE_READ && isConfining && view == nil && deferredTables.contains(name)
            if let table = isWriting ? deferredViews[name] : isRead ? name : nil {
                neededTables.insert(table)
                return false
            }
        }
        if !oldRows.views.isEmpty, let name = name.map({ String(cString: $0) }),
            let table = oldRows.conflict(
                action, name, in: view.map { String(cString: $0) }, isOfApp: isConfining)
        {
            neededTables.insert(table)
            return false
        }
        if !guardedTables.isEmpty, isWriting,
            let table = name.map({ String(cString: $0) }), guardedTables.contains(table)
        {
            refusedTable = table
            return false
        }
        guard isConfining else { return true }
        // In batches, an object that the app's SQL creates would be committed with the first one.
        if !guardedTables.isEmpty, Self.changesSchema(action) {
            refusedTable = ""
            return false
        }
        switch action {
        case SQLITE_TRANSACTION, SQLITE_SAVEPOINT, SQLITE_ATTACH, SQLITE_DETACH: return false
        case SQLITE_PRAGMA: return value == nil || Self.reads(pragma: name)
        case SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE:
            guard !outdatedTables.isEmpty, let table = name.map({ String(cString: $0) }), outdatedTables.contains(table)
            else { return true }
            outdatedTable = table
            return false
        default: return true
        }
    }

    private static func changesSchema(_ action: Int32) -> Bool {
        switch action {
        case SQLITE_CREATE_INDEX...SQLITE_CREATE_VIEW, SQLITE_DROP_INDEX...SQLITE_DROP_VIEW, SQLITE_ALTER_TABLE,
            SQLITE_CREATE_VTABLE, SQLITE_DROP_VTABLE:
            true
        default: false
        }
    }

    /// Whether a pragma that has an argument only reads. SQLite itself uses some of these pragmas.
    private static func reads(pragma name: UnsafePointer<CChar>?) -> Bool {
        let names = [
            "table_info", "table_xinfo", "table_list", "index_list", "index_info", "index_xinfo", "foreign_key_list",
            "foreign_key_check", "quick_check", "integrity_check",
        ]
        return name.map { names.contains(String(cString: $0).lowercased()) } ?? false
    }
}
