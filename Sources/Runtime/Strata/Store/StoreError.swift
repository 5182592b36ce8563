/// Why a store was not opened. The file is then as it was.
public enum StoreError: Error, Hashable, Sendable {
    /// The store was written by a newer version of the app.
    case newer(found: String, newest: String)
    /// The store is older than the oldest version that the schema still supports.
    case tooOld(found: String, oldest: String)
    /// The store is older than the newest version, and was opened only to be read.
    case needsMigration(found: String, newest: String)
    /// Something was to be written to a store that was opened only to be read.
    case readOnly
    /// The store belongs to another schema.
    case otherSchema(found: String, expected: String)
    /// The store's version is none that the schema knows.
    case unknownVersion(found: String, newest: String)
    /// The description of this version has changed since the store was written. The version is a draft, or a released
    /// version that must not change.
    case draftChanged(version: String)
    /// The store's format is of a newer Strata.
    case newerFormat(found: Int)
    /// The database was not made by Strata.
    case notAStore
    /// The file is no database.
    case notADatabase
    /// The file is empty: it has lost what it held, or somebody else has made it.
    case empty
    /// The database is damaged.
    case corrupt(reason: String)
    /// Another connection holds the database, and went on holding it for the whole busy timeout.
    case busy
    /// The file cannot be opened or read.
    case unreadable(reason: String)
    /// The URL is not that of a file.
    case notAFile
    /// A transaction was begun inside another one.
    case nestedTransaction
    /// A transaction, or a cursor of it, was used after its end.
    case transactionEnded
    /// SQLite has taken back a transaction by itself, as it does where a disk is full: nothing more can be done in it, and
    /// nothing of it is there.
    case rolledBack
}

extension StoreError {
    /// Whether nothing is wrong with the file but that it is no store which the schema can open.
    var isMismatch: Bool {
        switch self {
        case .newer, .tooOld, .otherSchema, .unknownVersion, .draftChanged, .newerFormat, .empty: true
        default: false
        }
    }
}

extension StoreError: CustomStringConvertible {
    /// What happened, and what to do next.
    public var description: String {
        switch self {
        case .newer(let found, let newest):
            "the store has version \(found), newer than \(newest), the newest of this app: the app must be updated"
        case .tooOld(let found, let oldest):
            "the store has version \(found), older than \(oldest), the oldest that is still supported: "
                + "an older app must open it first"
        case .needsMigration(let found, let newest):
            "the store has version \(found), older than \(newest), and was opened only to be read: "
                + "it must be opened for writing first"
        case .readOnly: "the store was opened only to be read"
        case .otherSchema(let found, let expected):
            "the store belongs to the schema \(found), not to \(expected): another file was meant"
        case .unknownVersion(let found, let newest):
            "the store has version \(found), which the schema, whose newest is \(newest), does not know"
        case .draftChanged(let version):
            "version \(version) was described in another way when the store was written: undo the change if that version "
                + "was released; if it is a draft, delete the store, or let debug builds recreate it "
                + "(StoreOptions.recreatesChangedDrafts)"
        case .newerFormat(let found):
            "the store has format \(found), which a newer Strata wrote: the app must be updated"
        case .notAStore: "the database was not made by Strata: another file was meant"
        case .notADatabase: "the file is not a SQLite database"
        case .empty:
            "the file is empty, which no store is: remove it to begin anew, or let it be set aside "
                + "(StoreOptions.recreatesOnMismatch)"
        case .corrupt(let reason): "the database is damaged: \(reason)"
        case .busy: "another connection holds the database: try again later"
        case .unreadable(let reason): "the database cannot be opened: \(reason)"
        case .notAFile: "a store needs a file URL"
        case .nestedTransaction: "a transaction was begun inside another: use the one that is open"
        case .transactionEnded: "a transaction was used after its end: nothing of it may leave its closure"
        case .rolledBack:
            "the transaction has failed and was taken back as a whole: let its closure throw, and begin anew"
        }
    }
}

extension SQLiteError {
    /// Runs `body`, which finds out what a file is, and gives its errors as reasons for not opening a store.
    package static func translated<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as SQLiteError {
            throw error.whileOpening
        }
    }

    /// Whether another connection held the database for too long.
    var isBusy: Bool { code == 5 }  // SQLITE_BUSY

    /// Whether SQLite found the database damaged.
    var isDamage: Bool { [11, 26].contains(code) }  // SQLITE_CORRUPT, SQLITE_NOTADB

    var whileOpening: any Error {
        switch code {
        case 26: StoreError.notADatabase  // SQLITE_NOTADB
        // What is asked then is there in every store.
        case _ where isDamage || code == 1: StoreError.corrupt(reason: message)  // SQLITE_ERROR
        case _ where isBusy: StoreError.busy
        case 14, 10, 8, 3, 23: StoreError.unreadable(reason: message)  // CANTOPEN, IOERR, READONLY, PERM, AUTH
        default: self
        }
    }
}
