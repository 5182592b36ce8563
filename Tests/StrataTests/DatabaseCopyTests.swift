import Foundation
import SQLSchema
import Strata
import Testing

/// Backups, and migrations into another file.
@Suite struct DatabaseCopyTests {
    private func files(_ folder: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    }

    @Test(arguments: [StoreOptions.Journal.delete, .wal])
    func `a backup contains the old store and is written only before a migration`(
        journal: StoreOptions.Journal
    ) throws {
        try withFile { url in
            try makeOldShop(at: url, journal: journal)
            var options = StoreOptions()
            let backup = url.deletingLastPathComponent().appendingPathComponent("backup.sqlite")
            options.backup = .file(backup)
            _ = try Store(at: url, schema: Shop.self, options: options)
            #expect(try rows(backup, "SELECT count(*) FROM shop") == [[.integer(3)]])
            #expect(try rows(backup, "SELECT value FROM strata_metadata WHERE key = 'version'") == [[.text("1.0")]])
            _ = try Store(at: url, schema: Shop.self, options: options)
            // The backup can be opened and migrated.
            #expect(
                try Store(at: backup, schema: Shop.self).read { (store: ReadTransaction) throws in
                    try store.count(Item.self)
                } == 3)
        }
    }

    @Test func `an existing write-ahead log at the backup's path is kept, and nothing is migrated`() throws {
        try withFile { url in
            try makeOldShop(at: url)
            let before = try Data(contentsOf: url)
            var options = StoreOptions()
            options.backup = .file(url.deletingLastPathComponent().appendingPathComponent("backup.sqlite"))
            let journal = url.deletingLastPathComponent().appendingPathComponent("backup.sqlite-wal")
            try Data("mine".utf8).write(to: journal)
            #expect(throws: MigrationError.destinationExists(journal.path)) {
                _ = try Store(at: url, schema: Shop.self, options: options)
            }
            #expect(try Data(contentsOf: url) == before)
            #expect(try Data(contentsOf: journal) == Data("mine".utf8))
        }
    }

    @Test(arguments: [StoreOptions.Journal.delete, .wal])
    func `a migration into another file leaves the old store unchanged`(journal: StoreOptions.Journal) throws {
        try withFile { url in
            try makeOldShop(at: url, journal: journal)
            let before = try Data(contentsOf: url)
            let folder = url.deletingLastPathComponent()
            let destination = folder.appendingPathComponent("new.sqlite")
            try Store.migrate(from: url, to: destination, schema: Shop.self)
            #expect(try Data(contentsOf: url) == before)
            #expect(try files(folder).filter { $0.hasPrefix("new") } == ["new.sqlite"])
            // The new store has the journal mode of the options.
            #expect(try rows(destination, "PRAGMA journal_mode") == [[.text("wal")]])
            #expect(try rows(destination, "SELECT count(*) FROM store") == [[.integer(3)]])
            #expect(throws: MigrationError.destinationExists(destination.path)) {
                try Store.migrate(from: url, to: destination, schema: Shop.self)
            }
        }
    }

    @Test(arguments: [StoreOptions.Journal.delete, .wal])
    func `a cancelled migration with a backup does not block the next attempt`(journal: StoreOptions.Journal) throws {
        try withFile { (url: URL) throws in
            try makeOldShop(at: url, journal: journal)
            let folder = url.deletingLastPathComponent()
            let backup = folder.appendingPathComponent("backup.sqlite")
            var options = StoreOptions()
            options.backup = .file(backup)
            var cancelled = options
            cancelled.isMigrationCancelled = { true }
            #expect(throws: CancellationError.self) { _ = try Store(at: url, schema: Shop.self, options: cancelled) }
            #expect(try files(folder).filter { $0.contains(".strata-") } == [])
            #expect(try rows(backup, "SELECT count(*) FROM shop") == [[.integer(3)]])
            let written = try Data(contentsOf: backup)
            _ = try Store(at: url, schema: Shop.self, options: options)
            #expect(try Data(contentsOf: backup) == written)
        }
    }

    @Test func `a backup of another version is replaced, and a store of another schema is kept`() throws {
        try withFile { (url: URL) throws in
            try makeOldShop(at: url)
            let backup = url.deletingLastPathComponent().appendingPathComponent("backup.sqlite")
            _ = try Store(at: backup, schema: Shop.self)
            // Its write-ahead log is left behind.
            do {
                let writer = try Connection(path: backup.path, mode: .readWrite)
                writer.setCheckpointsOnClose(false)
                try writer.execute("CREATE TABLE later (a); INSERT INTO later VALUES (1)")
            }
            #expect(FileManager.default.fileExists(atPath: backup.path + "-wal"))
            var options = StoreOptions()
            options.backup = .file(backup)
            _ = try Store(at: url, schema: Shop.self, options: options)
            #expect(try rows(backup, "SELECT count(*) FROM shop") == [[.integer(3)]])
            #expect(try rows(backup, "PRAGMA integrity_check") == [[.text("ok")]])
        }
        try withFile { (url: URL) throws in
            try makeOldShop(at: url)
            let backup = url.deletingLastPathComponent().appendingPathComponent("backup.sqlite")
            try makeHandMade(at: backup, [Table("t", ["id integer key"])], rows: "")
            var options = StoreOptions()
            options.backup = .file(backup)
            // The file at the backup's path is a store of another schema.
            #expect(throws: MigrationError.destinationExists(backup.path)) {
                _ = try Store(at: url, schema: Shop.self, options: options)
            }
        }
    }

    @Test func `a file at the backup's path that is not a store is kept`() throws {
        try withFile { (url: URL) throws in
            try makeOldShop(at: url)
            let backup = url.deletingLastPathComponent().appendingPathComponent("backup.sqlite")
            var options = StoreOptions()
            options.backup = .file(backup)
            try Data(repeating: 7, count: 4096).write(to: backup)
            #expect(throws: MigrationError.destinationExists(backup.path)) {
                _ = try Store(at: url, schema: Shop.self, options: options)
            }
            #expect(try Data(contentsOf: backup) == Data(repeating: 7, count: 4096))
        }
    }

    // MARK: Automatic backups

    /// The schema of the shop as an app of an older version knows it.
    private enum OldestShop: Schema {
        static let name = Shop.name
        static let fingerprint: UInt64 = 1
        static let versions = Array(Shop.versions.prefix(1))
        static let steps: [MigrationStep] = []
    }

    private enum SecondShop: Schema {
        static let name = Shop.name
        static let fingerprint: UInt64 = 2
        static let versions = Array(Shop.versions.prefix(2))
        static let steps = Array(Shop.steps.prefix(1))
    }

    private var automatic: StoreOptions {
        var options = StoreOptions()
        options.backup = .automatic(keep: 1)
        return options
    }

    @Test(arguments: [StoreOptions.Journal.delete, .wal])
    func `an older app restores the newest automatic backup that it can open, and the newer store is kept`(
        journal: StoreOptions.Journal
    ) throws {
        try withFile { url in
            try makeOldShop(at: url, journal: journal)
            #expect(try Store.backups(of: url) == [])
            #expect(throws: StoreError.noBackup) { try Store.restoreNewestBackup(to: url, schema: OldestShop.self) }
            _ = try Store(at: url, schema: SecondShop.self, options: automatic)
            #expect(try Store.backups(of: url).map(\.version) == ["1.0"])
            try Connection(path: url.path, mode: .readWrite).execute("DELETE FROM store WHERE id = 1")
            var keepsTwo = automatic
            keepsTwo.backup = .automatic(keep: 2)
            _ = try Store(at: url, schema: Shop.self, options: keepsTwo)
            #expect(Set(try Store.backups(of: url).map(\.version)) == ["1.0", "2.0"])
            // Strata has not removed any row of the newest store.
            #expect(throws: StoreError.newer(found: "10.0", newest: "2.0")) {
                _ = try Store(at: url, schema: SecondShop.self)
            }
            #expect(try Store.restoreNewestBackup(to: url, schema: SecondShop.self).version == "2.0")
            #expect(try rows(url, "SELECT count(*) FROM store") == [[.integer(2)]])
            _ = try Store(at: url, schema: SecondShop.self)
            #expect(Set(try Store.backups(of: url).map(\.version)) == ["1.0", "2.0", "10.0"])
            #expect(try Store.restoreNewestBackup(to: url, schema: OldestShop.self).version == "1.0")
            #expect(try rows(url, "SELECT count(*) FROM shop") == [[.integer(3)]])
            // The newer app opens the restored store, and its own backup is still there.
            let newest = try #require(try Store.backups(of: url).first { $0.version == "10.0" })
            #expect(try rows(newest.url, "SELECT count(*) FROM store") == [[.integer(2)]])
            #expect(try Store(at: url, schema: Shop.self).migrationReport?.from == "1.0")
        }
    }

    @Test func `the next backup deletes the unfinished ones of killed processes`() throws {
        try withFile { url in
            try makeOldShop(at: url)
            let folder = url.deletingLastPathComponent()
            let start = ".\(url.lastPathComponent).backup.strata-"
            // No process has this number.
            let killed = ["\(Int32.max)-A", "\(Int32.max)-A-journal"].map { folder.appendingPathComponent(start + $0) }
            let running = folder.appendingPathComponent(start + "1-B")
            let recent = folder.appendingPathComponent(start + "\(Int32.max)-C")
            for file in killed + [running, recent] { try Data("draft".utf8).write(to: file) }
            for file in killed + [running] {
                try FileManager.default.setAttributes(
                    [.modificationDate: Date(timeIntervalSinceNow: -120)], ofItemAtPath: file.path)
            }
            _ = try Store(at: url, schema: SecondShop.self, options: automatic)
            let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasPrefix(start) }
            #expect(Set(files) == [running.lastPathComponent, recent.lastPathComponent])
        }
    }

    @Test func `only the newest automatic backups are kept, and other files stay`() throws {
        try withFile { url in
            try makeOldShop(at: url)
            let folder = url.deletingLastPathComponent()
            let mine = folder.appendingPathComponent("store.backup-20260101T000000Z-1.0.sqlite")
            try Data("mine".utf8).write(to: mine)
            let other = folder.appendingPathComponent("store.backup-mine.sqlite")
            try FileManager.default.copyItem(at: url, to: other)
            _ = try Store(at: url, schema: SecondShop.self, options: automatic)
            _ = try Store(at: url, schema: Shop.self, options: automatic)
            #expect(try Store.backups(of: url).map(\.version) == ["2.0"])
            #expect(try Data(contentsOf: mine) == Data("mine".utf8))
            #expect(FileManager.default.fileExists(atPath: other.path))
        }
    }

    @Test func `a migration that fails again and again keeps one backup of its version`() throws {
        try withFile { url in
            try makeOldShop(at: url)
            var cancelled = automatic
            cancelled.isMigrationCancelled = { true }
            for text in ["a", "b", "c"] {
                try Connection(path: url.path, mode: .readWrite).execute("UPDATE shop SET name = '\(text)'")
                #expect(throws: CancellationError.self) {
                    _ = try Store(at: url, schema: Shop.self, options: cancelled)
                }
            }
            let backups = try Store.backups(of: url)
            #expect(backups.count == 1)
            // The backup has the last state of the store.
            #expect(try rows(backups[0].url, "SELECT DISTINCT name FROM shop") == [[.text("c")]])
        }
    }

    @Test func `a damaged store is replaced by its backup`() throws {
        try withFile { url in
            try makeOldShop(at: url)
            _ = try Store(at: url, schema: Shop.self, options: automatic)
            try Data(repeating: 7, count: 8192).write(to: url)
            #expect(throws: StoreError.notADatabase) { _ = try Store(at: url, schema: Shop.self) }
            try Store.restoreNewestBackup(to: url, schema: Shop.self)
            #expect(try Store(at: url, schema: Shop.self).read { try $0.count(Item.self) } == 3)
            // A damaged backup is not restored.
            for backup in try Store.backups(of: url) {
                var bytes = try Data(contentsOf: backup.url)
                bytes.replaceSubrange(bytes.count / 2..<bytes.count, with: Data(repeating: 7, count: bytes.count / 2))
                try bytes.write(to: backup.url)
            }
            #expect(throws: StoreError.noBackup) { try Store.restoreNewestBackup(to: url, schema: Shop.self) }
        }
    }

    @Test func `temporary files of killed processes are removed, and those of other processes are kept`() throws {
        try withFile { (url: URL) throws in
            try makeOldShop(at: url)
            let folder = url.deletingLastPathComponent()
            // No process has this number (https://man7.org/linux/man-pages/man5/proc_sys_kernel.5.html).
            let names = [
                ".new.sqlite.strata-4194305-A", ".new.sqlite.strata-4194305-A-wal", ".new.sqlite.strata-1-B",
                ".other.sqlite.strata-4194305-C",
            ]
            for name in names { try Data("x".utf8).write(to: folder.appendingPathComponent(name)) }
            let old = Date(timeIntervalSinceNow: -100_000)
            for name in names {
                try FileManager.default.setAttributes(
                    [.modificationDate: old], ofItemAtPath: folder.appendingPathComponent(name).path)
            }
            try Data("x".utf8).write(to: folder.appendingPathComponent(".new.sqlite.strata-4194305-new"))
            try Store.migrate(from: url, to: folder.appendingPathComponent("new.sqlite"), schema: Shop.self)
            #expect(
                try files(folder).filter { $0.hasPrefix(".") }
                    == [".new.sqlite.strata-1-B", ".new.sqlite.strata-4194305-new", ".other.sqlite.strata-4194305-C"])
        }
    }

    @Test func `a failed migration into another file leaves no file`() throws {
        try withFile { url in
            try makeOldShop(at: url)
            let folder = url.deletingLastPathComponent()
            var options = StoreOptions()
            options.isMigrationCancelled = { true }
            #expect(throws: CancellationError.self) {
                try Store.migrate(
                    from: url, to: folder.appendingPathComponent("new.sqlite"), schema: Shop.self, options: options)
            }
            try Data(repeating: 1, count: 5000).write(to: folder.appendingPathComponent("other.sqlite"))
            #expect(throws: StoreError.notADatabase) {
                try Store.migrate(
                    from: folder.appendingPathComponent("other.sqlite"),
                    to: folder.appendingPathComponent("new.sqlite"),
                    schema: Shop.self)
            }
            #expect(try files(folder) == ["other.sqlite", "store.sqlite"])
        }
    }

    @Test func `a store is never the destination of its own copy, whatever its path`() throws {
        try withFile { url in
            try makeOldShop(at: url)
            let before = try Data(contentsOf: url)
            let link = url.deletingLastPathComponent().appendingPathComponent("link.sqlite")
            try FileManager.default.createSymbolicLink(at: link, withDestinationURL: url)
            for path in [url, link] {
                let error = MigrationError.sameFile(path.path)
                #expect(throws: error) { try Store.migrate(from: url, to: path, schema: Shop.self) }
                #expect(throws: error) { try Store.restoreBackup(from: url, to: path, schema: Shop.self) }
                var options = StoreOptions()
                options.backup = .file(path)
                #expect(throws: error) { _ = try Store(at: url, schema: Shop.self, options: options) }
                #expect(try Data(contentsOf: url) == before)
            }
            let store = try Store(at: url, schema: Shop.self)
            #expect(throws: MigrationError.sameFile(link.path)) { try store.backup(to: link) }
            #expect("\(MigrationError.sameFile("a"))" == "a is the store itself: choose another name for the copy")
        }
    }

    @Test func `a missing file is named, and nothing is created`() throws {
        try withFile { url in
            let copy = url.deletingLastPathComponent().appendingPathComponent("copy.sqlite")
            let error = StoreError.missing(url.path)
            var options = StoreOptions()
            options.isReadOnly = true
            #expect(throws: error) { _ = try Store(at: url, schema: Shop.self, options: options) }
            #expect(throws: error) { try Store.migrate(from: url, to: copy, schema: Shop.self) }
            #expect(throws: error) { try Store.restoreBackup(from: url, to: copy, schema: Shop.self) }
            #expect(throws: error) { _ = try MigrationPlan(from: url, to: Shop.self) }
            #expect(throws: error) { try Store.discardPendingMigration(of: url) }
            #expect(![url, copy].contains { FileManager.default.fileExists(atPath: $0.path) })
            #expect("\(StoreError.missing("a"))" == "no file exists at a: check the path")
        }
    }
}
