import Foundation
import SQLSchema
import Strata
import Testing

/// Stores on a volume that cannot be written to.
@Suite struct ReadOnlyVolumeTests {
    /// Runs a command. Returns whether it succeeded.
    @discardableResult private static func run(_ command: String...) -> Bool {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = command
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }

    /// Whether this process may mount a volume in memory.
    private static let canMount: Bool = {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        guard run("mount", "-t", "tmpfs", "none", folder.path) else { return false }
        return run("umount", folder.path)
    }()

    /// Runs `write` with a file on a volume, and then `body`, when the volume is read-only.
    private func withVolume(_ write: (URL) throws -> Void, _ body: (URL) throws -> Void) throws {
        try withFile { (url: URL) throws in
            let folder = url.deletingLastPathComponent().appendingPathComponent("volume")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            #expect(Self.run("mount", "-t", "tmpfs", "none", folder.path))
            defer { Self.run("umount", "-l", folder.path) }
            try write(folder.appendingPathComponent("store.sqlite"))
            #expect(Self.run("mount", "-o", "remount,ro", folder.path))
            try body(folder.appendingPathComponent("store.sqlite"))
        }
    }

    @Test(.enabled(if: canMount), arguments: [StoreOptions.Journal.delete, .wal])
    func `a closed store opens on a read-only volume`(journal: StoreOptions.Journal) throws {
        var options = StoreOptions()
        options.journal = journal
        try withVolume({ url in
            let store = try Store(at: url, schema: FirstShop.self, options: options)
            try store.write { try $0.execute("INSERT INTO shop VALUES (1, 'a', 1)") }
            try store.close()
        }) { (url: URL) throws in
            for isReadOnly in [true, false] {
                options.isReadOnly = isReadOnly
                let store = try Store(at: url, schema: FirstShop.self, options: options)
                #expect(
                    try store.read { try $0.rows("SELECT name FROM shop") { try $0.value("name", as: String.self) } }
                        == ["a"])
                #expect(throws: StoreError.readOnly) { try store.write { try $0.execute("DELETE FROM shop") } }
                #expect(try StoreInspection(of: url).tables.map(\.rows) == [1])
                #expect(throws: StoreError.needsMigration(found: "1.0", newest: "10.0")) {
                    _ = try Store(at: url, schema: Shop.self, options: options)
                }
            }
        }
    }

    @Test(.enabled(if: canMount)) func `a store with a log does not open on a read-only volume, and says why`() throws {
        try withVolume({ url in
            let store = try Store(at: url, schema: FirstShop.self)
            try store.write { try $0.execute("INSERT INTO shop VALUES (1, 'a', 1)") }
            // A copy of a store that is open has its log.
            for suffix in ["", "-wal"] {
                try FileManager.default.copyItem(atPath: url.path + suffix, toPath: url.path + ".copy" + suffix)
            }
            try store.close()
        }) { (url: URL) throws in
            let error = #expect(throws: StoreError.self) {
                _ = try Store(at: URL(fileURLWithPath: url.path + ".copy"), schema: FirstShop.self)
            }
            #expect(
                error?.description.contains("the volume is read-only, and the store has changes in its journal") == true
            )
        }
    }
}
