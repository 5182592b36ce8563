import CFaultVFS
import ChainSchema
import Foundation
import Laundry
import Movies
import StoreConversion
import Strata
import Testing

/// Files that are damaged, that exist already, or that others have locked: Strata throws a typed error and keeps them.
///
/// `STRATA_FAULTS=all` in the environment tests more offsets.
@Suite struct FileTests {
    private static let isWhole = ProcessInfo.processInfo.environment["STRATA_FAULTS"] != nil
    private static let fixture = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("LaundryTests/Fixtures/LaundrySchema/1.0.sqlite")
    /// The number of laundries in the fixture.
    private let laundries: Int?

    init() throws {
        laundries = try StoreInspection(of: Self.fixture).tables.first { $0.name == "laundry" }?.rows
    }

    private func withFolder(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder)
    }

    private func files(_ folder: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    }

    /// Runs `body` on a file system that fails with a fault of `kind`.
    ///
    /// - Returns: Whether the fault happened.
    private func withFaults(_ kind: fault_kind, at place: Int = 0, _ body: () throws -> Void) throws -> Bool {
        let name = "fault-" + UUID().uuidString
        let system = try #require(fault_vfs_create(name, kind, Int32(place), 0))
        defer { #expect(fault_vfs_destroy(system) == 0) }
        try Connection.$fileSystem.withValue(name) { try body() }
        return fault_vfs_happened(system) != 0
    }

    /// Opens the damaged file at `url`, and expects it to open, or to be refused with a typed error and left unchanged.
    ///
    /// - Returns: Whether the file was opened.
    private func openDamaged(_ url: URL, _ what: String) throws -> Bool {
        let before = try Data(contentsOf: url)
        do {
            _ = try Store(at: url, schema: LaundrySchema.self)
            return true
        } catch let error where error is StoreError || error is MigrationError || error is MalformedValue {
            #expect(try Data(contentsOf: url) == before, "\(what): \(error)")
        } catch let error as SQLiteError {
            // The changed value violates a constraint, or it is a name in the schema.
            #expect([1, 19].contains(error.code), "\(what): \(error)")
            #expect(try Data(contentsOf: url) == before, "\(what): \(error)")
        }
        return false
    }

    @Test func `a truncated file is refused`() throws {
        let bytes = try Data(contentsOf: Self.fixture)
        try withFolder { (folder: URL) throws in
            let url = folder.appendingPathComponent("store.sqlite")
            var opened = 0
            for length in stride(from: 1, to: bytes.count, by: Self.isWhole ? 97 : 509) {
                try bytes.prefix(length).write(to: url)
                if try openDamaged(url, "\(length) bytes") { opened += 1 }
                #expect(try files(folder) == ["store.sqlite"])
            }
            #expect(opened == 0)
        }
    }

    /// SQLite does not see that the length is damaged, and asks for as much memory. SQLite 3.53 sees it.
    @Test func `a store with a damaged length is refused with a typed error, and can be inspected`() throws {
        try withFolder { (folder: URL) throws in
            let url = folder.appendingPathComponent("store.sqlite")
            var bytes = try Data(contentsOf: Self.fixture)
            bytes[12815] ^= 1 << 4
            try bytes.write(to: url)
            let malformed = "database disk image is malformed"
            let error = #expect(throws: StoreError.self) { _ = try Store(at: url, schema: LaundrySchema.self) }
            #expect([.outOfMemory, .corrupt(reason: malformed)].contains(error))
            #expect(try Data(contentsOf: url) == bytes)
            let inspection = try StoreInspection(of: url, comparedWith: LaundrySchema.self)
            #expect([["out of memory"], [malformed]].contains(inspection.damage))
            #expect(inspection.tables.first { $0.name == "laundry" }?.rows == laundries)
        }
    }

    @Test func `a file with a flipped bit is opened, or refused and left unchanged`() throws {
        let bytes = try Data(contentsOf: Self.fixture)
        try withFolder { (folder: URL) throws in
            let url = folder.appendingPathComponent("store.sqlite")
            var refused = 0
            for _ in 0..<(Self.isWhole ? 3000 : 150) {
                var flipped = bytes
                let (place, bit) = (Int.random(in: bytes.indices), Int.random(in: 0..<8))
                flipped[place] ^= 1 << bit
                try? FileManager.default.removeItem(at: url)
                try flipped.write(to: url)
                if try !openDamaged(url, "bit \(bit) of \(place)") { refused += 1 }
            }
            #expect(refused > 0)
        }
    }

    @Test func `an empty file is refused, and a log beside it is kept`() throws {
        try withFolder { (folder: URL) throws in
            let url = folder.appendingPathComponent("store.sqlite")
            try Data().write(to: url)
            try Data("a log".utf8).write(to: folder.appendingPathComponent("store.sqlite-wal"))
            #expect(throws: StoreError.empty) { _ = try Store(at: url, schema: LaundrySchema.self) }
            #expect(try Data(contentsOf: url).isEmpty)
            #expect(
                try Data(contentsOf: folder.appendingPathComponent("store.sqlite-wal")) == Data("a log".utf8))
        }
    }

    @Test func `recreatesOnMismatch sets an empty file aside`() throws {
        try withFolder { (folder: URL) throws in
            let url = folder.appendingPathComponent("store.sqlite")
            try Data().write(to: url)
            var options = StoreOptions()
            options.recreatesOnMismatch = true
            let store = try Store(at: url, schema: LaundrySchema.self, options: options)
            #expect(store.setAside?.lastPathComponent == "store.aside-1.sqlite")
            #expect(try store.read { (store: ReadTransaction) throws in try store.count(Laundry.self) } == 0)
        }
    }

    @Test(arguments: [StoreOptions.Journal.delete, .wal])
    func `a missing store is created, whatever the options are`(journal: StoreOptions.Journal) throws {
        try withFolder { (folder: URL) throws in
            for recreates in [\StoreOptions.recreatesOnMismatch, \.recreatesChangedDrafts, \.checksIntegrity] {
                let url = folder.appendingPathComponent(UUID().uuidString)
                var options = StoreOptions()
                options.journal = journal
                options[keyPath: recreates] = true
                for _ in 0..<2 {
                    let store = try Store(at: url, schema: LaundrySchema.self, options: options)
                    #expect(try store.read { (store: ReadTransaction) throws in try store.count(Laundry.self) } == 0)
                    #expect(store.setAside == nil)
                }
                #expect(try Connection(path: url.path, mode: .readOnly).text("PRAGMA journal_mode") == journal.rawValue)
                #expect(try !files(folder).contains { $0.contains("new-") })
                try FileManager.default.removeItem(at: url)
            }
        }
    }

    @Test func `a database with extra bytes at its end is opened and migrated`() throws {
        try withFolder { (folder: URL) throws in
            let url = folder.appendingPathComponent("store.sqlite")
            try (Data(contentsOf: Self.fixture) + Data("tail".utf8)).write(to: url)
            let store = try Store(at: url, schema: LaundrySchema.self)
            #expect(try store.read { (store: ReadTransaction) throws in try store.count(Laundry.self) } == laundries)
        }
    }

    @Test func `a folder, a pipe and an unreadable file are refused`() throws {
        try withFolder { (folder: URL) throws in
            #expect(throws: StoreError.unreadable(reason: "it is not a regular file")) {
                _ = try Store(at: folder, schema: LaundrySchema.self)
            }
            let pipe = folder.appendingPathComponent("pipe")
            #expect(mkfifo(pipe.path, 0o600) == 0)
            #expect(throws: StoreError.unreadable(reason: "it is not a regular file")) {
                _ = try Store(at: pipe, schema: LaundrySchema.self)
            }
            let url = folder.appendingPathComponent("store.sqlite")
            try FileManager.default.copyItem(at: Self.fixture, to: url)
            _ = try withFaults(FAULT_NO_PERMISSION) { () throws in
                #expect(throws: StoreError.unreadable(reason: "unable to open database file")) {
                    _ = try Store(at: url, schema: LaundrySchema.self)
                }
            }
            #expect(try Data(contentsOf: url) == Data(contentsOf: Self.fixture))
        }
    }

    @Test func `a read-only file is opened if it is current, and refused if it needs a migration`() throws {
        try withFolder { (folder: URL) throws in
            let url = folder.appendingPathComponent("store.sqlite")
            try FileManager.default.copyItem(at: Self.fixture, to: url)
            _ = try withFaults(FAULT_READ_ONLY) { () throws in
                #expect(throws: StoreError.needsMigration(found: "1.0", newest: "2.0")) {
                    _ = try Store(at: url, schema: LaundrySchema.self)
                }
                #expect(try MigrationPlan(from: url, to: LaundrySchema.self).steps.count == 1)
            }
            #expect(try Data(contentsOf: url) == Data(contentsOf: Self.fixture))
            _ = try Store(at: url, schema: LaundrySchema.self)
            _ = try withFaults(FAULT_READ_ONLY) { () throws in
                let store = try Store(at: url, schema: LaundrySchema.self)
                #expect(
                    try store.read { (store: ReadTransaction) throws in try store.count(Laundry.self) } == laundries)
                #expect(throws: StoreError.readOnly) {
                    try store.write { try $0.insert(LaundryData(storeID: 1, code: 1)) }
                }
            }
            #expect(try files(folder) == ["store.sqlite"])
        }
    }

    @Test(arguments: [StoreOptions.Journal.delete, .wal])
    func `a locked store is refused after the busy timeout and stays unchanged`(journal: StoreOptions.Journal) throws {
        try withFolder { (folder: URL) throws in
            let url = folder.appendingPathComponent("store.sqlite")
            try FileManager.default.copyItem(at: Self.fixture, to: url)
            let other = try Connection(path: url.path, mode: .readWrite)
            try other.execute("PRAGMA journal_mode = \(journal.rawValue)")
            let before = try Data(contentsOf: url)
            var options = StoreOptions()
            options.busyTimeout = 0.05
            // A reader blocks a commit with a rollback journal. A writer blocks every migration.
            for holding in journal == .delete
                ? ["BEGIN; SELECT * FROM laundry", "BEGIN IMMEDIATE"] : ["BEGIN IMMEDIATE"]
            {
                try other.execute(holding)
                #expect(throws: StoreError.busy) {
                    _ = try Store(at: url, schema: LaundrySchema.self, options: options)
                }
                try other.execute("COMMIT")
                #expect(try Data(contentsOf: url) == before)
            }
            _ = try Store(at: url, schema: LaundrySchema.self, options: options)
        }
    }

    @Test func `a migration that is cancelled at any row leaves the old store`() throws {
        try withFolder { (folder: URL) throws in
            let url = folder.appendingPathComponent("store.sqlite")
            try FileManager.default.copyItem(at: Self.fixture, to: url)
            let before = try Data(contentsOf: url)
            // Strata calls the closure before each row of a custom migration and before each batch of a copied table.
            let all = Progress(totalUnitCount: 0)
            var options = StoreOptions()
            options.isMigrationCancelled = {
                all.completedUnitCount += 1
                return false
            }
            let copy = folder.appendingPathComponent("copy.sqlite")
            try FileManager.default.copyItem(at: url, to: copy)
            _ = try Store(at: copy, schema: LaundrySchema.self, options: options)
            #expect(all.completedUnitCount > 19)
            for _ in 0..<100 {
                let last = Int64.random(in: 1...all.completedUnitCount)
                let asked = Progress(totalUnitCount: 0)
                options.isMigrationCancelled = {
                    asked.completedUnitCount += 1
                    return asked.completedUnitCount >= last
                }
                #expect(throws: CancellationError.self, "at \(last)") {
                    _ = try Store(at: url, schema: LaundrySchema.self, options: options)
                }
                #expect(try Data(contentsOf: url) == before, "at \(last)")
            }
        }
    }

    // MARK: New files

    @Test(arguments: [FAULT_ERROR_ONCE, FAULT_ERROR_FROM_THEN_ON, FAULT_FULL_ONCE, FAULT_FULL_FROM_THEN_ON])
    func `a store that could not be created is created by the next attempt`(kind: fault_kind) throws {
        try withFolder { (folder: URL) throws in
            var place = 1
            var happened = true
            while happened {
                let url = folder.appendingPathComponent("\(place).sqlite")
                happened = try withFaults(kind, at: place) { _ = try? Store(at: url, schema: LaundrySchema.self) }
                let store = try Store(at: url, schema: LaundrySchema.self)
                #expect(try store.read { (store: ReadTransaction) throws in try store.count(Laundry.self) } == 0)
                #expect(
                    try Connection(path: url.path, mode: .readOnly).text("PRAGMA journal_mode") == "wal" || happened)
                place += 1
            }
            #expect(place > 5)
            #expect(try files(folder).filter { $0.contains("new") } == [])
        }
    }

    @Test(arguments: [FAULT_ERROR_ONCE, FAULT_ERROR_FROM_THEN_ON, FAULT_FULL_ONCE, FAULT_FULL_FROM_THEN_ON])
    func `a failed conversion leaves no store and keeps the source database unchanged`(kind: fault_kind) throws {
        try withFolder { (folder: URL) throws in
            let source = folder.appendingPathComponent("source.sqlite")
            let rows = (1...200).map { "(\($0), 'row \($0)', \($0 * 7))" }.joined(separator: ", ")
            try Connection(path: source.path, mode: .create).execute(
                "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT NOT NULL, c1 INTEGER); INSERT INTO t VALUES \(rows)")
            let before = try Data(contentsOf: source)
            var place = 0
            var happened = true
            while happened {
                place += Self.isWhole ? 1 : Int.random(in: 1...5)
                let url = folder.appendingPathComponent("\(place).sqlite")
                var error: (any Error)?
                happened = try withFaults(kind, at: place) {
                    do { try Store.convert(source, to: url, schema: Chain.self) } catch let thrown { error = thrown }
                }
                #expect(error == nil || happened, "\(kind) at \(place): \(String(describing: error))")
                #expect(FileManager.default.fileExists(atPath: url.path) == (error == nil), "\(kind) at \(place)")
                #expect(try Data(contentsOf: source) == before)
                _ = try Store(converting: source, at: url, schema: Chain.self)
                let store = try StoreInspection(of: url, comparedWith: Chain.self)
                #expect(store.version == "10" && store.drift == [] && store.tables.first?.rows == 200)
            }
            #expect(place > 10)
            #expect(try files(folder).filter { $0.hasPrefix(".") } == [])
        }
    }

    @Test(arguments: [FAULT_ERROR_ONCE, FAULT_ERROR_FROM_THEN_ON, FAULT_FULL_ONCE, FAULT_FULL_FROM_THEN_ON])
    func `a failed backup or copy leaves a complete file or none`(kind: fault_kind) throws {
        try withFolder { (folder: URL) throws in
            for isBackup in [true, false] {
                var place = 1
                var happened = true
                while happened {
                    let url = folder.appendingPathComponent("\(place)-\(isBackup).sqlite")
                    let other = folder.appendingPathComponent("other-\(place)-\(isBackup).sqlite")
                    try FileManager.default.copyItem(at: Self.fixture, to: url)
                    let before = try Data(contentsOf: url)
                    var error: (any Error)?
                    happened = try withFaults(kind, at: place) {
                        do {
                            var options = StoreOptions()
                            options.backup = isBackup ? .file(other) : nil
                            if isBackup {
                                _ = try Store(at: url, schema: LaundrySchema.self, options: options)
                            } else {
                                try Store.migrate(from: url, to: other, schema: LaundrySchema.self)
                            }
                        } catch let thrown {
                            error = thrown
                        }
                    }
                    #expect(
                        happened == (error != nil) || error == nil, "\(kind) at \(place): \(String(describing: error))")
                    if let error { #expect(!"\(error)".contains("not an error"), "\(kind) at \(place)") }
                    if !isBackup { #expect(try Data(contentsOf: url) == before) }
                    // A file at the destination is complete.
                    if FileManager.default.fileExists(atPath: other.path) {
                        let copy = try StoreInspection(of: other, comparedWith: LaundrySchema.self)
                        #expect(copy.version == (isBackup ? "1.0" : "2.0") && copy.drift == [])
                        #expect(copy.tables.first { $0.name == "laundry" }?.rows == laundries)
                    } else {
                        #expect(error != nil)
                    }
                    place += Self.isWhole ? 1 : Int.random(in: 1...7)
                }
                // Reading a store with a write-ahead log leaves the log and its index.
                let rests = try files(folder).filter { name in
                    name.contains(".strata-") || name.hasPrefix("other") && name.hasSuffix("-journal")
                }
                #expect(rests == [])
            }
        }
    }
}
