import CSQLite
import Foundation
import Journal
import StoreConversion
import Strata
import Testing

/// The journal of a customer who had the app with Core Data.
@Suite struct JournalTests {
    /// A store of Core Data of the first version: its layout is that of its files, written by SQL.
    private static let old = """
        CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
        INSERT INTO Z_PRIMARYKEY VALUES (1, 'Media', 0, 2), (2, 'Book', 1, 0), (3, 'Film', 1, 0), (4, 'Passport', 0, 0),
          (5, 'Person', 0, 0), (6, 'Shelf', 0, 1), (7, 'Tag', 0, 1);
        CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
        CREATE TABLE ZMEDIA (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZPAGES INTEGER, ZSHELF INTEGER,
          Z_FOK_SHELF INTEGER, ZADDED TIMESTAMP, ZRATING FLOAT, ZTITLE VARCHAR, ZNOTE VARCHAR, ZSUBTITLE VARCHAR,
          ZSUBTITLE1 VARCHAR, ZNOTE1 BLOB);
        INSERT INTO ZMEDIA VALUES (1, 2, 1, 312, 6, 2048, 700000000, NULL, 'Dune', 'again', 'A novel', NULL, NULL),
          (2, 3, 1, NULL, NULL, NULL, NULL, 4.5, 'Stalker', NULL, NULL, 'A film', X'0001'),
          (3, 2, 1, 204, 6, 1024, NULL, NULL, 'Solaris', NULL, NULL, NULL, NULL);
        CREATE TABLE ZTAG (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR, ZKEY BLOB);
        INSERT INTO ZTAG VALUES (10, 7, 1, 'read', X'000102030405060708090A0B0C0D0E0F');
        CREATE TABLE Z_1TAGS (Z_1ITEMS INTEGER, Z_7TAGS INTEGER, Z_FOK_7TAGS INTEGER, PRIMARY KEY (Z_1ITEMS, Z_7TAGS));
        INSERT INTO Z_1TAGS VALUES (1, 10, 1);
        CREATE TABLE ZSHELF (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZISOPEN INTEGER, ZPRICE DECIMAL,
          ZCOLORS BLOB, ZCOVER BLOB, ZSITE VARCHAR);
        INSERT INTO ZSHELF VALUES (6, 6, 1, 1, 12.5, NULL, X'01AABB', 'https://example.org');
        CREATE TABLE ZPERSON (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZPASSPORT INTEGER);
        CREATE TABLE ZPASSPORT (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZPERSON INTEGER);
        CREATE TABLE Z_5FRIENDS (Z_5FRIENDS INTEGER, REFLEXIVE INTEGER, PRIMARY KEY (Z_5FRIENDS, REFLEXIVE));
        """

    /// A folder with a store of Core Data that `sql` has changed.
    private func withFolder(_ sql: String? = "", _ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("journal-" + UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        if let sql {
            var database: OpaquePointer?
            #expect(sqlite3_open(folder.appendingPathComponent("Journal.sqlite").path, &database) == SQLITE_OK)
            #expect(sqlite3_exec(database, Self.old + sql, nil, nil, nil) == SQLITE_OK)
            #expect(sqlite3_close(database) == SQLITE_OK)
        }
        try body(folder)
    }

    @Test func `the first launch converts, and takes the store to the newest version`() throws {
        try withFolder { (folder: URL) throws in
            let file = folder.appendingPathComponent("Journal.sqlite")
            let before = try Data(contentsOf: file)
            let store = try openJournal(in: folder)
            try store.read { transaction in
                let dune = try #require(try transaction.find(Media.self, id: Media.ID(rawValue: 1)))
                #expect(
                    dune.kind == .book && dune.title == "Dune" && dune.headline == "A novel" && dune.bookNote == "again"
                )
                #expect(dune.added == Date(timeIntervalSinceReferenceDate: 700_000_000) && dune.pages == 312)
                let stalker = try #require(try transaction.find(Media.self, id: Media.ID(rawValue: 2)))
                #expect(stalker.kind == .film && stalker.filmNote == Data([0, 1]) && stalker.rating == 4.5)
                let shelf = try #require(try transaction.find(Shelf.self, id: Shelf.ID(rawValue: 6)))
                #expect(shelf.price == 12.5 && shelf.cover == Data([0xaa, 0xbb]) && shelf.isOpen)
                #expect(try transaction.related(shelf, \.books).map(\.title) == ["Solaris", "Dune"])
                let tag = try #require(try transaction.related(dune, \.tags).first)
                #expect(tag.name == "read" && tag.weight == 1 && !tag.isOld)
            }
            #expect(try Data(contentsOf: file) == before)
            // What is written from now on is there on the next launch.
            try store.write { transaction in
                var tag = try #require(try transaction.find(Tag.self, id: .init(rawValue: 10)))
                tag.name = "finished"
                try transaction.update(tag)
            }
            let again = try openJournal(in: folder)
            #expect(try again.read { try $0.fetch(Tag.self).map(\.name) } == ["finished"])
        }
    }

    @Test func `a conversion without opening the store reports all rows`() throws {
        try withFolder { (folder: URL) throws in
            let report =
                try Store.convert(
                    folder.appendingPathComponent("Journal.sqlite"),
                    to: folder.appendingPathComponent("Journal.strata"), schema: JournalSchema.self)
            #expect(report.version == "1.0" && report.invalidRows.isEmpty)
        }
    }

    @Test func `without a Core Data store the journal is new`() throws {
        try withFolder(nil) { (folder: URL) throws in
            #expect(try openJournal(in: folder).read { try $0.fetch(Media.self).count } == 0)
        }
    }

    @Test func `a row that does not fit is set aside, or refused where that is asked for`() throws {
        try withFolder("UPDATE ZTAG SET ZKEY = X'00'") { (folder: URL) throws in
            var conversion = ConversionOptions()
            conversion.invalidRows = .refuse
            #expect {
                try Store(
                    converting: folder.appendingPathComponent("Journal.sqlite"),
                    at: folder.appendingPathComponent("Journal.strata"), schema: JournalSchema.self,
                    conversion: conversion)
            } throws: { error in
                guard case .invalidRows(let report) = error as? ConversionError else { return false }
                return report.invalidRows.first?.description == "Tag 10: key is X'00', which is no UUID"
            }
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(names == ["Journal.sqlite"])

            let store = try openJournal(in: folder)
            #expect(try store.read { try ($0.fetch(Tag.self).count, $0.fetch(Media.self).count) } == (0, 3))
            let rows = try store.read { transaction in
                try transaction.rows("SELECT reason FROM strata_unconverted WHERE \"table\" = 'Tag'") { row in
                    try row.value("reason", as: String.self)
                }
            }
            #expect(rows == ["key is X'00', which is no UUID"])
        }
    }
}
