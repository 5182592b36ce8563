import Commands
import Foundation
import SQLSchema
import StoreCommands
import Strata
import Testing

/// The commands that rescue damaged stores, and that copy stores without their texts.
@Suite struct SupportCommandTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    private static let model = root.appendingPathComponent("Entities/Laundry").path
    private static let fixture = root.appendingPathComponent("Tests/LaundryTests/Fixtures/LaundrySchema/1.0.sqlite")

    /// The number of laundries in the store.
    private static let count = 5_000

    /// Runs `body` with a store of many or few rows, and a path for the result.
    private func withStore(_ count: Int = Self.count, _ body: (_ store: URL, _ result: URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = folder.appendingPathComponent("store.sqlite")
        try FileManager.default.copyItem(at: Self.fixture, to: store)
        let connection = try Connection(path: store.path, mode: .readWrite)
        let columns = try connection.texts("SELECT name FROM pragma_table_info('laundry') ORDER BY cid")
        let values = columns.map { $0 == "store_id" ? "i" : $0 == "name" ? "'Secret ' || i" : "l.\(SQL.quoted($0))" }
        try connection.execute(
            """
            PRAGMA foreign_keys = OFF;
            WITH RECURSIVE n(i) AS (SELECT 100001 UNION ALL SELECT i + 1 FROM n WHERE i < \(100_000 + count))
            INSERT INTO laundry SELECT \(values.joined(separator: ", ")) FROM n, (SELECT * FROM laundry LIMIT 1) AS l
            """)
        try body(store, folder.appendingPathComponent("result.sqlite"))
    }

    private func run(_ arguments: String...) -> (code: Command.ExitCode, said: String, complaints: [String]) {
        var said: [String] = []
        var complaints: [String] = []
        let console = Console(say: { said.append($0) }, complain: { complaints.append($0) })
        let code = Command.run(arguments, console: console, others: StoreCommand.all)
        return (code, said.joined(separator: "\n"), complaints)
    }

    /// Overwrites pages of a table with zeros.
    private func damage(_ store: URL, _ pages: [Int]) throws {
        let size = try Connection(path: store.path, mode: .readWrite).integer("PRAGMA page_size") ?? 4096
        let file = try FileHandle(forUpdating: store)
        for page in pages {
            try file.seek(toOffset: UInt64((page - 1) * size))
            try file.write(contentsOf: Data(repeating: 0, count: size))
        }
        try file.close()
    }

    private func numbers(_ url: URL) throws -> Set<Int> {
        var numbers: Set<Int> = []
        try Connection(path: url.path, mode: .readWrite).query("SELECT store_id FROM laundry") {
            numbers.insert(try $0.int(0))
        }
        return numbers
    }

    @Test func `salvage copies a sound store completely`() throws {
        try withStore { (store: URL, result: URL) throws in
            let salvage = run("salvage", store.path, "--to", result.path)
            #expect(salvage.code == .success && salvage.said.contains("nothing is lost"), "\(salvage)")
            #expect(try StoreInspection(of: result, comparedWith: nil).damage.isEmpty)
            #expect(try numbers(result) == numbers(store))
            let inspect = run("inspect", result.path, "--model", Self.model)
            #expect(inspect.code == .success, "\(inspect)")
            // An existing file is not replaced.
            #expect(run("salvage", store.path, "--to", result.path).code == .diagnostics)
        }
    }

    @Test func `salvage copies a sound store without rows`() throws {
        try withStore { (store: URL, result: URL) throws in
            let connection = try Connection(path: store.path, mode: .readWrite)
            for table in try connection.texts("SELECT name FROM sqlite_schema WHERE sql LIKE 'CREATE TABLE%'")
            where !table.hasPrefix("strata_") {
                try connection.execute("DELETE FROM \"\(table)\"")
            }
            let salvage = run("salvage", store.path, "--to", result.path)
            #expect(salvage.code == .success && salvage.said.contains("nothing is lost"), "\(salvage)")
            #expect(run("inspect", result.path, "--model", Self.model).code == .success)
        }
    }

    @Test(arguments: 0..<6) func `salvage loses only the rows on damaged pages`(round: Int) throws {
        try withStore { (store: URL, result: URL) throws in
            let before = try numbers(store)
            let connection = try Connection(path: store.path, mode: .readWrite)
            var leaves: [(page: Int, rows: Int)] = []
            try connection.query("SELECT pageno, ncell FROM dbstat WHERE name = 'laundry' AND pagetype = 'leaf'") {
                leaves.append((try $0.int(0), try $0.int(1)))
            }
            #expect(leaves.count > 20)
            let damaged = leaves.shuffled().prefix(1 + round * 2)
            try damage(store, damaged.map(\.page))
            let salvage = run("salvage", store.path, "--to", result.path)
            #expect(salvage.code == .diagnostics && salvage.said.contains("rows are lost"), "\(salvage)")
            let after = try numbers(result)
            #expect(after.isSubset(of: before))
            #expect(before.count - after.count == damaged.map(\.rows).reduce(0, +))
            #expect(run("inspect", result.path, "--model", Self.model).code == .success)
        }
    }

    @Test func `salvage rescues the other tables if the root of one is damaged`() throws {
        try withStore { (store: URL, result: URL) throws in
            let connection = try Connection(path: store.path, mode: .readWrite)
            let root = try #require(try connection.integer("SELECT rootpage FROM sqlite_schema WHERE name = 'laundry'"))
            let others = try connection.integer("SELECT count(*) FROM laundry_item")
            try damage(store, [root])
            let salvage = run("salvage", store.path, "--to", result.path, "--json")
            #expect(salvage.code == .diagnostics && salvage.said.contains(#""isComplete""#), "\(salvage)")
            #expect(try numbers(result).isEmpty)
            let rescued = try Connection(path: result.path, mode: .readWrite).integer(
                "SELECT count(*) FROM laundry_item")
            #expect(rescued == others)
        }
    }

    @Test func `salvage rescues the first rows of a file that was cut off`() throws {
        try withStore { (store: URL, result: URL) throws in
            let before = try numbers(store)
            try Connection(path: store.path, mode: .readWrite).execute("PRAGMA wal_checkpoint(TRUNCATE)")
            let size = try #require(try FileManager.default.attributesOfItem(atPath: store.path)[.size] as? Int)
            truncate(store.path, size * 3 / 5)
            #expect(run("salvage", store.path, "--to", result.path).code == .diagnostics)
            let rescued = try numbers(result)
            #expect(rescued.isSubset(of: before) && rescued.count > before.count / 3, "\(rescued.count)")
        }
    }

    @Test func `a rescued store is not larger than the damaged one`() throws {
        try withStore { (store: URL, result: URL) throws in
            let connection = try Connection(path: store.path, mode: .readWrite)
            let pages = try connection.texts(
                "SELECT CAST(pageno AS TEXT) FROM dbstat WHERE name = 'laundry' AND pagetype = 'leaf'"
            )
            .compactMap { Int($0) }
            try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            try damage(store, [pages[3]])
            _ = run("salvage", store.path, "--to", result.path)
            let sizes = try [store, result].map { try Data(contentsOf: $0).count }
            #expect(sizes[1] <= sizes[0] * 11 / 10, "\(sizes)")
        }
    }

    @Test func `salvage refuses a file that is no database`() throws {
        try withStore { (store: URL, result: URL) throws in
            try Data(
                "no database, but a text that is longer than a header of one hundred bytes would have to be for one"
                    .utf8
            )
            .write(to: store)
            let salvage = run("salvage", store.path, "--to", result.path)
            #expect(salvage.code == .diagnostics, "\(salvage)")
            #expect(salvage.complaints == ["\(store.path): error: the file is not an SQLite database"])
            let nowhere = store.appendingPathComponent("nowhere/result.sqlite").path
            #expect(
                run("salvage", Self.fixture.path, "--to", nowhere).complaints == [
                    "\(nowhere): error: the folder does not exist, or cannot be written to"
                ])
            #expect(!FileManager.default.fileExists(atPath: result.path))
        }
    }

    @Test func `export replaces texts, and the copy has the same shape`() throws {
        try withStore(50) { (store: URL, result: URL) throws in
            let export = run("export", store.path, "--redact", "--to", result.path, "--model", Self.model)
            #expect(export.code == .success, "\(export)")
            #expect(try numbers(result) == numbers(store))
            let copy = try Connection(path: result.path, mode: .readWrite)
            #expect(try copy.integer("SELECT count(*) FROM laundry WHERE name LIKE 'Secret%'") == 0)
            #expect(try copy.integer("SELECT count(*) FROM laundry WHERE name LIKE '______ 10____'") ?? 0 < 50)
            let lengths = "SELECT sum(length(name)) FROM laundry"
            let original = try Connection(path: store.path, mode: .readWrite).integer(lengths)
            #expect(try copy.integer(lengths) == original)
            #expect(run("inspect", result.path, "--model", Self.model).code == .success)
            #expect(run("export", store.path, "--to", result.path).code == .usage)
        }
    }

    @Test(arguments: [true, false]) func `a copy has the permissions of the store`(isExport: Bool) throws {
        try withStore(50) { (store: URL, result: URL) throws in
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: store.path)
            let copy =
                isExport
                ? run("export", store.path, "--redact", "--to", result.path, "--model", Self.model)
                : run("salvage", store.path, "--to", result.path)
            #expect(copy.code == .success, "\(copy)")
            let attributes = try FileManager.default.attributesOfItem(atPath: result.path)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
        }
    }

    @Test func `export also replaces the texts of tables that the app has added`() throws {
        try withStore(50) { (store: URL, result: URL) throws in
            let connection = try Connection(path: store.path, mode: .readWrite)
            // An app can choose a name that looks like one of Strata's.
            for table in ["notes", "strata_notes"] {
                try connection.execute("CREATE TABLE \(table) (text); INSERT INTO \(table) VALUES ('Secret')")
            }
            let export = run(
                "export", store.path, "--redact", "--user-objects", "--to", result.path, "--model", Self.model)
            #expect(export.code == .success, "\(export)")
            #expect(export.said.contains("  strata_notes: 1 row"), "\(export)")
            let copy = try Connection(path: result.path, mode: .readOnly)
            for table in ["notes", "strata_notes"] {
                #expect(try copy.integer("SELECT count(*) FROM \(table)") == 1)
                #expect(try copy.text("SELECT text FROM \(table)") != "Secret")
            }
        }
    }

    @Test func `salvage keeps bytes that are not UTF-8, and reports what it does not take over`() throws {
        try withStore { (store: URL, result: URL) throws in
            let connection = try Connection(path: store.path, mode: .readWrite)
            try connection.execute(
                """
                CREATE TABLE typed (id INTEGER PRIMARY KEY, n BLOB, t TEXT) STRICT;
                INSERT INTO typed VALUES (1, x'32', '2'), (2, x'33', '2'), (3, NULL, NULL);
                PRAGMA writable_schema = ON;
                UPDATE sqlite_schema SET sql = 'CREATE TABLE typed (id INTEGER PRIMARY KEY, n ANY, t TEXT) STRICT'
                    WHERE name = 'typed';
                PRAGMA writable_schema = RESET;
                UPDATE typed SET n = '2.0';
                PRAGMA writable_schema = ON;
                UPDATE sqlite_schema SET sql = 'CREATE TABLE typed (id INTEGER PRIMARY KEY, n INT, t TEXT) STRICT'
                    WHERE name = 'typed';
                PRAGMA writable_schema = RESET;
                """)
            try connection.execute(
                """
                CREATE TABLE words (word TEXT PRIMARY KEY, at INTEGER) WITHOUT ROWID;
                INSERT INTO words VALUES (CAST(x'61ff' AS TEXT), 1), (CAST(x'61fe' AS TEXT), 2), (CAST(x'61' AS TEXT), 3);
                CREATE TABLE counted (id INTEGER PRIMARY KEY AUTOINCREMENT, text); INSERT INTO counted VALUES (70, 'a');
                UPDATE sqlite_sequence SET seq = 99; CREATE TABLE odd (text); INSERT INTO odd VALUES ('kept');
                PRAGMA writable_schema = ON;
                UPDATE sqlite_schema SET tbl_name = CAST(tbl_name AS BLOB), sql = CAST(sql AS BLOB) WHERE name = 'odd';
                INSERT INTO sqlite_schema VALUES ('table', 'gone', 'gone', 2, NULL), ('rule', 'unknown', 'unknown', 0, 'x');
                PRAGMA writable_schema = OFF;
                """)
            let salvage = run("salvage", store.path, "--to", result.path)
            #expect(salvage.code == .diagnostics && !salvage.said.contains("nothing is lost"), "\(salvage)")
            #expect(salvage.said.contains("lost: table gone (it has no SQL)"), "\(salvage)")
            #expect(salvage.said.contains("lost: rule unknown (its type is unknown)"), "\(salvage)")
            #expect(salvage.said.contains("typed: 3 rows; values with another type than their column: 3"), "\(salvage)")
            let copy = try Connection(path: result.path, mode: .readOnly)
            #expect(try copy.texts("SELECT hex(word) FROM words ORDER BY at") == ["61FF", "61FE", "61"])
            #expect(try copy.integer("SELECT seq FROM sqlite_sequence") == 99)
            #expect(try copy.text("SELECT text FROM odd") == "kept")
        }
    }

    @Test(arguments: [Int64.max, Int64.max - 1, Int64.min, 0] as [Int64]) func `salvage reads rows with any number`(
        number: Int64
    ) throws {
        try withStore { (store: URL, result: URL) throws in
            let connection = try Connection(path: store.path, mode: .readWrite)
            try connection.execute(
                """
                CREATE TABLE ends (id INTEGER PRIMARY KEY, text); INSERT INTO ends VALUES (\(number), 'end');
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400)
                INSERT INTO ends SELECT \(number > 5 ? "\(number) - 2 - i" : "\(number) + 2 + i"), hex(zeroblob(40)) FROM n;
                PRAGMA wal_checkpoint(TRUNCATE)
                """)
            let leaves = try connection.texts(
                "SELECT CAST(pageno AS TEXT) FROM dbstat WHERE name = 'ends' AND pagetype = 'leaf' ORDER BY path"
            ).compactMap { Int($0) }
            try damage(store, [leaves[number > 5 ? leaves.count - 2 : 1]])
            #expect(run("salvage", store.path, "--to", result.path).said.contains("rows are lost between"))
            let copy = try Connection(path: result.path, mode: .readOnly)
            #expect(try copy.text("SELECT text FROM ends WHERE id = \(number)") == "end")
        }
    }

    /// SQL beside an object, and in place of one.
    private static let hostileSQL = [
        "CREATE VIEW hostile AS SELECT 1; ATTACH 'PLACE' AS a; CREATE TABLE a.t (x)", "ATTACH 'PLACE' AS a",
        "CREATE VIEW hostile AS SELECT 1; DROP TABLE laundry", "CREATE VIEW other AS SELECT 1",
        "CREATE TABLE hostile (x)",
        "CREATE TEMP VIEW hostile AS SELECT 1", "DELETE FROM laundry", "VACUUM INTO 'PLACE'",
        "CREATE VIEW hostile AS SELECT 1; COMMIT; DELETE FROM laundry", "CREATE VIEW temp.hostile AS SELECT 1",
        "PRAGMA user_version = 7", "CREATE VIEW hostile AS SELECT 1; PRAGMA journal_mode = OFF",
    ]

    @Test(arguments: hostileSQL) func `no command runs the SQL of a file`(sql: String) throws {
        try withStore(50) { (store: URL, result: URL) throws in
            let place = store.deletingLastPathComponent().appendingPathComponent("place.sqlite")
            let text = sql.replacingOccurrences(of: "PLACE", with: place.path)
            let connection = try Connection(path: store.path, mode: .readWrite)
            try connection.execute(
                """
                PRAGMA journal_mode = DELETE; PRAGMA writable_schema = ON;
                INSERT INTO sqlite_schema VALUES ('view', 'hostile', 'hostile', 0, \(SQL.literal(text)))
                """)
            let before = try Data(contentsOf: store)
            let salvage = run("salvage", store.path, "--to", result.path)
            #expect(salvage.said.contains("lost: view hostile ("), "\(salvage)")
            #expect(try numbers(result).count >= 50)
            #expect(try Connection(path: result.path, mode: .readOnly).integer("PRAGMA user_version") != 7)
            try FileManager.default.removeItem(at: result)
            for options in [[], ["--user-objects"]] {
                _ = Command.run(
                    ["export", store.path, "--redact", "--to", result.path, "--model", Self.model] + options,
                    console: Console(say: { _ in }, complain: { _ in }), others: StoreCommand.all)
                try? FileManager.default.removeItem(at: result)
            }
            _ = run("inspect", store.path, "--model", Self.model)
            _ = run("plan", store.path, "--model", Self.model)
            #expect(!FileManager.default.fileExists(atPath: place.path))
            #expect(try Data(contentsOf: store) == before)
        }
    }
}
