import Foundation

/// Options for opening a store.
///
/// ```swift
/// var options = StoreOptions()
/// options.backup = .automatic(keep: 2)
/// options.migrationProgress = { print("\($0.completedRows) of \($0.totalRows) rows") }
/// let store = try Store(at: url, schema: MoviesSchema.self, options: options)
/// ```
public struct StoreOptions: Sendable {
    /// The journal of a new store (https://sqlite.org/pragma.html#pragma_journal_mode).
    public enum Journal: String, Sendable {
        /// A write-ahead log. Reads continue during a write.
        case wal
        /// A rollback journal. The store is a single file, except during a write.
        case delete
    }

    /// The way in which a migration passes several versions. The result is the same.
    public enum MigrationStrategy: Sendable {
        /// Consecutive steps without a custom migration are carried out in one pass.
        case fused
        /// Each step is carried out by itself.
        case stepwise
    }

    /// The transactions of a migration. The result is the same.
    public enum MigrationMode: String, Sendable {
        /// `resumable` for a store of 16 MB or more, and `oneTransaction` for a smaller one.
        case automatic
        /// Rows are copied in many short transactions. A migration that is interrupted goes on where it was, the next time
        /// the same app opens the store. Until the last transaction, the store has its old version for every app.
        case resumable
        /// All in one transaction. A migration that is interrupted starts again.
        case oneTransaction

        /// The size of a store from which `automatic` is `resumable`, in bytes.
        static let leastBytes: Int64 = 16 << 20
    }

    /// The treatment of foreign keys that were dangling before a migration.
    public enum DanglingForeignKeys: String, Sendable {
        /// They are kept. Foreign keys that the migration itself would leave dangling make it fail.
        case keep
        /// The delete rule of each foreign key is applied, as if its target had just been deleted.
        case repair
        /// The migration fails with `MigrationError.danglingForeignKeys`.
        case refuse
    }

    /// A backup of a store before a migration.
    public enum Backup: Hashable, Sendable {
        /// This file. A backup of the same store from an earlier update is replaced. Another file makes the migration fail.
        case file(URL)
        /// A new file beside the store. After the migration, the newest backups are kept, at least one.
        /// ``Store/restoreNewestBackup(to:schema:options:)`` restores one of them.
        case automatic(keep: Int)
    }

    /// The treatment of rows with a value that the properties of the old struct cannot hold, for example a text that is not UTF-8.
    public enum MalformedRows: Hashable, Sendable {
        /// The migration fails with `MalformedValue`, which names the table and the column. The store keeps its version.
        case refuse
        /// The row is left out, as if the custom migration had dropped it, and its values are kept in the table
        /// `strata_set_aside`. ``MigrationReport/setAsideRows`` has the numbers of these rows.
        case setAside
    }

    /// A closure that chooses to which version a store of `version` is migrated, from the versions that `chain` in `strata.json`
    /// lists for it. Of several, the first one is the default. See ``StoreOptions/chain``.
    public typealias Chain = @Sendable (_ version: String, _ choices: [String]) -> String?

    /// The transactions of a migration.
    public var migration: MigrationMode = .automatic
    /// Whether an app extension, such as a widget, migrates a store. Otherwise opening a store of an older version throws
    /// `StoreError.needsMigration` there, until the app itself has migrated it: the system ends an extension that takes long.
    public var migratesInExtensions = false
    /// The way in which a migration passes several versions.
    public var migrationStrategy: MigrationStrategy = .fused
    /// The version to which a store is migrated, for tools and tests; nil for the newest one. A new store has this version too.
    ///
    /// ```swift
    /// options.newestVersion = "1.0"
    /// let store = try Store(at: url, schema: LaundrySchema.self, options: options)
    /// print(try store.read { try $0.count(LaundrySchema.V1_0.LaundryData.self) })
    /// ```
    ///
    /// Read and write such a store with the structs of this version. If the columns of a newer struct are not there, Strata
    /// throws ``StoreError/older(found:newest:)``.
    public var newestVersion: String?
    /// A closure that chooses the next version, where `chain` in `strata.json` lists several; nil for the first one.
    ///
    /// ```swift
    /// // "chain": { "1.0": ["3.0", "2.0"] }
    /// options.chain = { version, choices in needsHistory ? "2.0" : nil }
    /// ```
    ///
    /// It is called whenever a migration is planned, so it must always choose the same. It is not called where there is nothing to
    /// choose. A result of nil stands for the first version. Another one than those
    /// of `choices` makes the migration fail with ``MigrationError/noStep(from:to:)``. With ``StoreOptions/newestVersion``,
    /// later versions are no choices.
    public var chain: Chain?
    /// The treatment of rows that a custom migration cannot read.
    public var malformedRows: MalformedRows = .refuse
    /// The treatment of foreign keys that were dangling before a migration.
    public var danglingForeignKeys: DanglingForeignKeys = .keep
    /// Whether SQLite checks the complete store before and after a migration
    /// (https://sqlite.org/pragma.html#pragma_integrity_check). A damaged store is not migrated. The check takes as long
    /// as reading the whole file.
    public var checksIntegrity = false
    /// Whether a migration fails early with `MigrationError.diskFull` if the disk space is certainly not enough. Otherwise
    /// it fails when the disk is full, and is rolled back.
    public var checksFreeSpace = true
    /// A backup of the store before a migration; nil for none. Strata checks the backup before it migrates the store. If the
    /// backup cannot be written, for example because the disk is full, the migration fails.
    public var backup: Backup?
    /// A closure that receives the progress of a migration, at most about twenty times a second, on the thread that opens
    /// the store.
    public var migrationProgress: (@Sendable (MigrationProgress) -> Void)?
    /// A closure that is called repeatedly during a migration. If it returns true, Strata rolls the migration back and
    /// throws `CancellationError`.
    public var isMigrationCancelled: (@Sendable () -> Bool)?
    /// Tells whether the store that is being opened is closed or suspended meanwhile; nil if it cannot be.
    var isStopped: (@Sendable () -> Bool)?
    /// Tells whether the opening of the store is to end.
    func isOpeningEnded() -> Bool { isStopped?() == true || isMigrationCancelled?() == true }
    /// The journal of a new store. An existing store keeps its journal.
    public var journal: Journal = .wal
    /// Whether SQLite overwrites deleted content with zeros (https://sqlite.org/pragma.html#pragma_secure_delete); nil for
    /// the default of the system's SQLite.
    ///
    /// Without it, a migration that rebuilds tables takes about a fifth less time, and deleted rows stay readable in the
    /// file until their space is used again.
    public var erasesDeletedContent: Bool?
    /// A closure that receives each new connection before Strata uses it. It can set the key of an encrypted database, or
    /// add SQL functions and collations.
    public var setUp: (@Sendable (ConnectionSetUp) throws -> Void)?
    /// A closure that receives each statement when it has ended, on the thread that ran it. It must not use the store.
    ///
    /// ```swift
    /// options.trace = { if $0.seconds > 0.05 { print($0.seconds, $0.sql) } }
    /// ```
    public var trace: (@Sendable (StatementTrace) -> Void)?
    /// The maximum number of connections that read at the same time, besides the connection that writes. It applies to
    /// stores with a write-ahead log.
    public var maximumReaders = 5
    /// How often an observed store looks for writes of other `Store` objects and other processes, such as an extension, in
    /// seconds; nil for never. Looking for them costs a few microseconds. The interval is at least 0.01 seconds, and at most a day.
    public var otherWritersInterval: TimeInterval? = 1
    /// The time to wait for another connection's lock, in seconds.
    public var busyTimeout: TimeInterval = 5

    /// Whether a store that an earlier draft of the newest version wrote is deleted and recreated, if it cannot be migrated.
    /// Otherwise opening it throws `StoreError.draftChanged`.
    ///
    /// The option only works in debug builds. A released app has never written such a store.
    public var recreatesChangedDrafts = false

    /// Whether a store that the schema cannot open is renamed, and a new one is created. ``Store/setAside`` is the
    /// renamed file.
    ///
    /// This applies to stores of another schema, and of an unknown or newer version. It never applies to a file that
    /// cannot be read, is damaged, or is not a database: a locked or encrypted store looks the same.
    public var recreatesOnMismatch = false

    /// Whether the store is opened for reading only. Opening a store of an older version then throws
    /// `StoreError.needsMigration`.
    public var isReadOnly = false

    /// Creates the default options.
    public init() {}
}
