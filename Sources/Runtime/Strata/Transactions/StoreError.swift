import CSQLite

/// An error in opening or using a store. If a store was not opened, its file is unchanged.
public enum StoreError: Error, Hashable, Sendable {
    /// A newer version of the app wrote the store.
    case newer(found: String, newest: String)
    /// The store is kept at an older version with ``StoreOptions/newestVersion``, and a newer struct or SQL needs other columns.
    case older(found: String, newest: String)
    /// The store is older than the oldest supported version.
    case tooOld(found: String, oldest: String)
    /// The store has an older version and was opened for reading only, or by an app extension.
    case needsMigration(found: String, newest: String)
    /// A write to a store that was opened for reading only.
    case readOnly
    /// The store belongs to another schema.
    case otherSchema(found: String, expected: String)
    /// The schema does not have the version of the store, or that of ``StoreOptions/newestVersion``.
    case unknownVersion(found: String, newest: String)
    /// The description of the store's version has changed since the store was written. The version is a draft, or a
    /// released version that must not change.
    ///
    /// A debug build migrates the store of a changed draft if the draft has only added or removed tables, plain indexes,
    /// nullable or defaulted columns, or has added cases and options. `reason` is the first other difference; nil if it is
    /// unknown.
    case draftChanged(version: String, reason: String?)
    /// A newer version of Strata wrote the store.
    case newerFormat(found: Int)
    /// The file is a database that Strata did not create.
    case notAStore
    /// The file is not a database.
    case notADatabase
    /// The file is empty. It has lost its contents, or another program created it.
    case empty
    /// The database is damaged.
    case corrupt(reason: String)
    /// SQLite got no memory, because the process has none left, or because a length in the file is damaged and very large.
    case outOfMemory
    /// Another connection has locked the database for longer than the busy timeout.
    case busy
    /// No file exists at the path of a store that is only read, or copied.
    case missing(String)
    /// The disk is full. The transaction was rolled back.
    case diskFull
    /// The file was deleted, moved or replaced while the store was open. The transaction was rolled back.
    case moved
    /// The file cannot be opened or read.
    case unreadable(reason: String)
    /// The URL is not a file URL.
    case notAFile
    /// The app can open none of the automatic backups, or none exists.
    case noBackup
    /// A transaction was begun inside another one on the same thread.
    case nestedTransaction
    /// The store was closed.
    case closed
    /// The store was suspended, and not resumed yet.
    case suspended
    /// A transaction, or a cursor of it, was used after its end.
    case transactionEnded
    /// SQLite has rolled back the transaction because of an error, for example because the disk is full.
    case rolledBack
}

extension StoreError {
    /// Whether the file is intact, but not a store that the schema can open.
    var isMismatch: Bool {
        switch self {
        case .newer, .tooOld, .otherSchema, .unknownVersion, .draftChanged, .newerFormat, .empty: true
        default: false
        }
    }

    /// Whether the file is damaged.
    var isDamage: Bool {
        switch self {
        case .notADatabase, .corrupt: true
        default: false
        }
    }
}

extension StoreError: CustomStringConvertible {
    /// The problem, and the way to solve it.
    public var description: String {
        switch self {
        case .newer(let found, let newest):
            "the store has version \(found), and this app knows versions up to \(newest): update the app"
        case .older(let found, let newest):
            "the store is kept at version \(found), and the struct or the SQL needs columns of a newer version, up to \(newest): "
                + "use the structs of \(found)"
        case .tooOld(let found, let oldest):
            "the store has version \(found), and this app supports versions from \(oldest) on: "
                + "open the store with an older version of the app first"
        case .needsMigration(let found, let newest):
            "the store has version \(found) and must be migrated to \(newest), but it was opened for reading only, or by an app "
                + "extension: open it for writing in the app first"
        case .readOnly: "the store was opened for reading only"
        case .otherSchema(let found, let expected):
            "the store belongs to the schema \(found), not to \(expected): check the path of the file"
        case .unknownVersion(let found, let newest):
            "the schema has no version \(found); its newest version is \(newest)"
        case .draftChanged(let version, let reason):
            "version \(version) has changed since the store was written\(reason.map { " (\($0))" } ?? ""). If the version is "
                + "released, undo the change. If it is a draft, delete the store, or set "
                + "StoreOptions.recreatesChangedDrafts in debug builds."
        case .newerFormat(let found):
            "the store has format \(found), which a newer version of Strata wrote: update the app"
        case .notAStore: "the database was not created by Strata: check the path of the file"
        case .notADatabase: "the file is not an SQLite database"
        case .empty:
            "the file is empty and not a store: delete it to create a new store, or let Strata rename it "
                + "(StoreOptions.recreatesOnMismatch)"
        case .corrupt(let reason): "the database is damaged: \(reason)"
        case .outOfMemory:
            "SQLite got no memory: the process has none left, or the database is damaged "
                + "(StoreOptions.checksIntegrity, strata inspect)"
        case .busy: "another connection has locked the database: try again later"
        case .diskFull: "the disk is full: free space, and try again"
        case .moved:
            "the file of the store was deleted, moved or replaced while the store was open: close the store, and open it again"
        case .missing(let path): "no file exists at \(path): check the path"
        case .unreadable(let reason): "the database cannot be opened: \(reason)"
        case .noBackup: "this app can open none of the store's automatic backups"
        case .notAFile: "the URL of a store must be a file URL"
        case .nestedTransaction: "a transaction was begun inside another one: use the outer transaction"
        case .closed: "the store was closed: open it again"
        case .suspended: "the store is suspended: call resume() first"
        case .transactionEnded: "a transaction was used after its end: use it only inside its closure"
        case .rolledBack:
            "SQLite has rolled back the transaction: let its closure throw, and begin a new transaction"
        }
    }
}

extension SQLiteError {
    /// Runs `body`, which opens or identifies a file, and turns errors of SQLite into `StoreError`.
    package static func translated<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as SQLiteError {
            throw error.whileOpening
        }
    }

    /// The error for a statement of a store that is open; nil if it is not about the file.
    func whileInUse(isWriting: Bool) -> StoreError? {
        if isOfMovedFile { return .moved }
        if code == 8 { return isWriting ? .readOnly : .unreadable(reason: message) }  // SQLITE_READONLY
        return isDamage || isBusy || isFull ? whileOpening as? StoreError : nil
    }

    /// Whether the file was deleted, moved or replaced while the connection was open.
    var isOfMovedFile: Bool { extendedCode == 1032 }  // SQLITE_READONLY_DBMOVED

    /// Whether the disk is full.
    var isFull: Bool { code == 13 }  // SQLITE_FULL

    /// Whether a virtual table is damaged, such as the index of a search.
    var isDamageOfSearch: Bool { extendedCode == 267 }  // SQLITE_CORRUPT_VTAB

    /// Whether another connection has locked the database for longer than the busy timeout.
    var isBusy: Bool { code == 5 }  // SQLITE_BUSY

    /// Whether SQLite got no memory. Then a length in the file may be damaged: SQLite asks for as much memory.
    var isOutOfMemory: Bool { code == 7 }  // SQLITE_NOMEM

    /// Whether SQLite found the database damaged.
    var isDamage: Bool { [11, 26].contains(code) }  // SQLITE_CORRUPT, SQLITE_NOTADB

    var whileOpening: any Error {
        switch code {
        case 26: StoreError.notADatabase  // SQLITE_NOTADB
        case _ where isOfMovedFile: StoreError.moved
        // Only tables and pragmas are read that every store has, so a missing one means damage.
        case _ where isDamage || code == 1: StoreError.corrupt(reason: message)  // SQLITE_ERROR
        case 18: StoreError.corrupt(reason: message)  // SQLITE_TOOBIG: no store contains a value of this length
        case _ where isOutOfMemory: StoreError.outOfMemory
        case _ where isBusy: StoreError.busy
        case _ where isFull: StoreError.diskFull
        case 14, 10, 8, 3, 23: StoreError.unreadable(reason: message)  // CANTOPEN, IOERR, READONLY, PERM, AUTH
        default: self
        }
    }
}
