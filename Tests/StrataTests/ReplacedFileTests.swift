import Foundation
import SQLSchema
import Strata
import Testing

/// Stores whose files are moved, replaced, restored and copied.
@Suite struct ReplacedFileTests {
    private static let journals = [StoreOptions.Journal.delete, .wal]
    private let files = FileManager.default

    private func options(_ journal: StoreOptions.Journal) -> StoreOptions {
        var options = StoreOptions()
        options.journal = journal
        return options
    }

    private func insert(_ store: Store, _ id: Int) throws {
        try store.write { try $0.execute("INSERT INTO shop VALUES (\(id), 'x', 1)") }
    }

    private func names(_ url: URL) throws -> [String] {
        try files.contentsOfDirectory(atPath: url.deletingLastPathComponent().path).filter {
            !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm")
        }.sorted()
    }

    private enum Change: CaseIterable { case deleted, moved, replaced }

    @Test(arguments: journals, Change.allCases) private func `a write to a file that is gone fails`(
        journal: StoreOptions.Journal, change: Change
    ) throws {
        try withFile { (url: URL) throws in
            let store = try Store(at: url, schema: FirstShop.self, options: options(journal))
            try insert(store, 1)
            let other = url.appendingPathExtension("other")
            _ = try Store(at: other, schema: FirstShop.self, options: options(.delete))
            switch change {
            case .deleted: try files.removeItem(at: url)
            case .moved: try files.moveItem(at: url, to: url.appendingPathExtension("moved"))
            case .replaced: rename(other.path, url.path)
            }
            #expect(throws: StoreError.moved) { try insert(store, 2) }
        }
    }

    @Test(arguments: journals) func `an open store is not replaced by a backup`(journal: StoreOptions.Journal) throws {
        try withFile { (url: URL) throws in
            let backup = url.appendingPathExtension("backup")
            var store: Store? = try Store(at: url, schema: FirstShop.self, options: options(journal))
            try store?.backup(to: backup)
            try store.map { try insert($0, 1) }
            for place in [url, url.deletingLastPathComponent().appendingPathComponent("link")] {
                if place != url { try files.createSymbolicLink(at: place, withDestinationURL: url) }
                #expect(throws: StoreError.busy) {
                    try Store.restoreBackup(from: backup, to: place, schema: FirstShop.self, options: options(journal))
                }
            }
            #expect(try rows(url, "SELECT count(*) FROM shop") == [[.integer(1)]])
            store = nil
            try Store.restoreBackup(from: backup, to: url, schema: FirstShop.self, options: options(journal))
            #expect(try rows(url, "SELECT count(*) FROM shop") == [[.integer(0)]])
        }
    }

    @Test func `a store in a newer format is kept when a backup is restored`() throws {
        var automatic = options(.delete)
        automatic.backup = .automatic(keep: 2)
        for isNewest in [true, false] {
            try withFile { (url: URL) throws in
                try makeOldShop(at: url)
                _ = try Store(at: url, schema: Shop.self, options: automatic)
                let backup = try #require(Store.backups(of: url).first)
                let connection = try Connection(path: url.path, mode: .readWrite)
                try connection.execute(
                    "UPDATE strata_metadata SET value = 99 WHERE key = 'format'; PRAGMA user_version = 5")
                let before = try Data(contentsOf: url)
                if isNewest {
                    try Store.restoreNewestBackup(to: url, schema: Shop.self)
                } else {
                    try Store.restoreBackup(from: backup.url, to: url, schema: Shop.self)
                }
                let aside = url.deletingLastPathComponent().appendingPathComponent("store.aside-1.sqlite")
                #expect(try Data(contentsOf: aside) == before)
                #expect(try Store(at: url, schema: Shop.self).migrationReport?.from == "1.0")
            }
        }
    }

    @Test func `a damaged store is kept when its newest backup is restored`() throws {
        var automatic = options(.delete)
        automatic.backup = .automatic(keep: 2)
        try withFile { (url: URL) throws in
            try makeOldShop(at: url)
            _ = try Store(at: url, schema: Shop.self, options: automatic)
            var bytes = try Data(contentsOf: url)
            bytes.replaceSubrange(bytes.count / 2..<bytes.count, with: Data(repeating: 7, count: bytes.count / 2))
            try bytes.write(to: url)
            try Store.restoreNewestBackup(to: url, schema: Shop.self)
            let aside = url.deletingLastPathComponent().appendingPathComponent("store.aside-1.sqlite")
            #expect(try Data(contentsOf: aside) == bytes)
        }
    }

    @Test
    func `a store of another schema is kept when a backup is restored, and an open one is not replaced by a backup`()
        throws
    {
        try withFile { (url: URL) throws in
            let (backup, other) = (url.appendingPathExtension("backup"), url.appendingPathExtension("other"))
            let store = try Store(at: url, schema: FirstShop.self, options: options(.delete))
            try store.backup(to: backup)
            _ = try Store(at: other, schema: OtherShop.self, options: options(.delete))
            let before = try Data(contentsOf: other)
            try Store.restoreBackup(from: backup, to: other, schema: FirstShop.self, options: options(.delete))
            #expect(try Data(contentsOf: url.appendingPathExtension("aside-1.other")) == before)
            let second = try Store(at: other, schema: FirstShop.self, options: options(.delete))
            #expect(throws: StoreError.busy) { try store.backup(to: other) }
            try insert(second, 5)
            #expect(try rows(other, "SELECT id FROM shop") == [[.integer(5)]])
        }
    }

    @Test(arguments: journals) func `a symbolic link stays, and its target is replaced`(journal: StoreOptions.Journal)
        throws
    {
        try withFile { (url: URL) throws in
            let real = url.deletingLastPathComponent().appendingPathComponent("real")
            try files.createDirectory(at: real, withIntermediateDirectories: true)
            let target = real.appendingPathComponent("target.sqlite")
            try makeOldShop(at: target, journal: journal)
            try files.createSymbolicLink(at: url, withDestinationURL: target)
            let backup = url.appendingPathExtension("backup")
            var automatic = options(journal)
            automatic.backup = .automatic(keep: 2)
            let store = try Store(at: url, schema: FirstShop.self, options: automatic)
            try store.backup(to: backup)
            try store.close()
            _ = try Store(at: url, schema: Shop.self, options: automatic)
            #expect(try Store.backups(of: url).count == 1)
            try Store.restoreNewestBackup(to: url, schema: Shop.self, options: automatic)
            try Store.restoreBackup(from: backup, to: url, schema: FirstShop.self, options: options(journal))
            #expect(try files.destinationOfSymbolicLink(atPath: url.path) == target.path)
            #expect(try rows(target, "SELECT count(*) FROM shop") == [[.integer(3)]])
            // A backup to a link, and a store that is renamed.
            let link = url.appendingPathExtension("link")
            try files.createSymbolicLink(at: link, withDestinationURL: backup)
            let again = try Store(at: url, schema: FirstShop.self, options: options(journal))
            try again.backup(to: link)
            try again.close()
            #expect(try files.destinationOfSymbolicLink(atPath: link.path) == backup.path)
            var recreating = options(journal)
            recreating.recreatesOnMismatch = true
            let other = try Store(at: url, schema: OtherShop.self, options: recreating)
            #expect(other.setAside?.deletingLastPathComponent().lastPathComponent == "real")
            #expect(try files.destinationOfSymbolicLink(atPath: url.path) == target.path)
        }
    }

    @Test(arguments: journals) func `two openers of a store of another schema get the same new store`(
        journal: StoreOptions.Journal
    ) async throws {
        for _ in 0..<10 {
            let folder = files.temporaryDirectory.appendingPathComponent(UUID().uuidString)
            try files.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? files.removeItem(at: folder) }
            let url = folder.appendingPathComponent("store.sqlite")
            try makeOldShop(at: url, journal: journal)
            var recreating = options(journal)
            recreating.recreatesOnMismatch = true
            let options = recreating
            try await withThrowingTaskGroup(of: Void.self) { group in
                for id in 1...4 {
                    group.addTask {
                        while true {
                            do {
                                let store = try Store(at: url, schema: OtherShop.self, options: options)
                                return try self.insert(store, id)
                            } catch StoreError.busy {
                                continue
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try rows(url, "SELECT id FROM shop ORDER BY id") == (1...4).map { [.integer($0)] })
            #expect(try names(url) == ["store.aside-1.sqlite", "store.sqlite"])
        }
    }

    @Test func `the number of a backup tells its age, whatever the clock said`() throws {
        var automatic = options(.delete)
        automatic.backup = .automatic(keep: 3)
        try withFile { (url: URL) throws in
            try makeOldShop(at: url)
            _ = try Store(at: url, schema: Shop.self, options: automatic)
            let first = try #require(Store.backups(of: url).first)
            #expect(first.url.lastPathComponent.hasPrefix("store.backup-1-"))
            // The clock was wrong when the first backup was written.
            let name = first.url.lastPathComponent.replacing(/backup-1-[0-9]{4}/, with: "backup-1-2099")
            try files.moveItem(at: first.url, to: first.url.deletingLastPathComponent().appendingPathComponent(name))
            try Store.restoreNewestBackup(to: url, schema: Shop.self)
            try Connection(path: url.path, mode: .readWrite).execute("UPDATE shop SET name = 'new'")
            _ = try Store(at: url, schema: Shop.self, options: automatic)
            let newest = try #require(Store.backups(of: url).first)
            #expect(try rows(newest.url, "SELECT DISTINCT name FROM shop") == [[.text("new")]])
        }
    }

    @Test(arguments: [0o600, 0o640]) func `a restored store has the permissions that it had`(mode: Int) throws {
        try withFile { (url: URL) throws in
            let backup = url.appendingPathExtension("backup")
            try makeOldShop(at: url)
            try Store(at: url, schema: FirstShop.self).backup(to: backup)
            try files.setAttributes([.posixPermissions: mode], ofItemAtPath: url.path)
            try Store.restoreBackup(from: backup, to: url, schema: FirstShop.self)
            #expect(try files.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int == mode)
        }
    }
}
