import Commands
import Foundation
import StoreCommands
import Strata
import Testing

/// Databases of other libraries become stores.
@Suite struct ConversionTests {
    /// A folder with a journal's model, imported, and a store of it that is changed by SQL.
    private func journal(_ sql: String = "", versions: [String] = [Journal.first, Journal.second]) throws -> Workspace {
        let workspace = try Workspace()
        try workspace.writeCoreData("Journal", versions)
        workspace.run("import", "core-data", workspace.path("Journal.xcdatamodeld"), "--into", workspace.path("model"))
        try workspace.makeDatabase("journal.sqlite", Journal.store + sql)
        return workspace
    }

    /// Converts the journal, whose file must stay as it is.
    private func convert(_ workspace: Workspace, _ arguments: String...) throws -> (
        said: [String], complaints: [String]
    ) {
        let file = workspace.url.appendingPathComponent("journal.sqlite")
        let before = try Data(contentsOf: file)
        let result = workspace.run(
            all: ["convert", file.path, "--model", workspace.path("model"), "--to", workspace.path("out.strata")]
                + arguments)
        #expect(try Data(contentsOf: file) == before)
        let isThere = FileManager.default.fileExists(atPath: workspace.path("out.strata"))
        #expect(isThere == (result.code == .success))
        let left = try FileManager.default.contentsOfDirectory(atPath: workspace.url.path).filter {
            $0.contains("draft")
        }
        #expect(left == [])
        return (result.said, result.complaints)
    }

    // MARK: Core Data

    @Test func `a store of Core Data is converted with all that it holds`() throws {
        let workspace = try journal()
        let result = try convert(workspace)
        #expect(result.complaints == [])
        #expect(
            result.said == [
                "Media: 4 rows", "Media_tags: 3 rows", "Passport: 1 rows", "Person: 2 rows", "Person_friends: 2 rows",
                "Shelf: 2 rows", "Tag: 2 rows", "wrote out.strata, a store of 1.0",
            ])
        func rows(_ query: String) throws -> [String] { try workspace.rows("out.strata", query) }
        let media =
            "SELECT id, kind, title, added, pages, rating, subtitle, Book_note, Film_note, shelf_id, shelf_position"
        #expect(
            try rows(media + " FROM Media WHERE id < 4 ORDER BY id") == [
                "1 \"Book\" \"Dune\" 700000000.25 312 NULL \"A novel\" \"again\" NULL 1 1",
                "2 \"Book\" \"Solaris\" NULL 90 NULL NULL NULL NULL 1 0",
                "3 \"Film\" \"Stalker\" 0.0 NULL 4.5 \"A film\" NULL X'0001' NULL NULL",
            ])
        #expect(
            try rows("SELECT hex(title), hex(Book_note), added FROM Media WHERE id = 4") == [
                "\"C3A974C3A90078\" \"\" -1.0"
            ])
        #expect(
            try rows("SELECT source_id, target_id, position FROM Media_tags ORDER BY 1, 3") == [
                "1 20 0", "1 10 1", "3 20 0",
            ])
        #expect(
            try rows("SELECT * FROM Tag ORDER BY id") == [
                "10 \"old\" X'000102030405060708090A0B0C0D0E0F'", "20 \"new\" X'FF0102030405060708090A0B0C0D0E0F'",
            ])
        #expect(
            try rows("SELECT id, price, site, colors, cover, isOpen FROM Shelf ORDER BY id") == [
                "1 \"12.5\" \"https://example.org/a?b=c\" NULL X'AABB' 1", "2 \"3\" NULL NULL NULL 0",
            ])
        #expect(try rows("SELECT * FROM Passport") == ["7 1"])
        #expect(try rows("SELECT * FROM Person ORDER BY 1") == ["1", "2"])
        #expect(try rows("SELECT source_id, target_id FROM Person_friends ORDER BY 1") == ["1 2", "2 1"])
        #expect(try rows("PRAGMA foreign_key_check") == [])
        // It is a store like any other: nothing in it differs from a new one of its version.
        #expect(
            workspace.run("inspect", workspace.path("out.strata"), "--model", workspace.path("model")).said.last
                == "  as a new store of its version")
    }

    @Test func `a value of every kind that Core Data keeps elsewhere or archived is read`() throws {
        let name = "0A0B0C0D-0000-0000-0000-000000000001"
        let list = try NSKeyedArchiver.archivedData(
            withRootObject: ["red", "\"grün\""] as NSArray, requiringSecureCoding: true)
        let hex = list.map { String(format: "%02X", $0) }.joined()
        let file = Data(name.utf8 + [0]).map { String(format: "%02X", $0) }.joined()
        let sql = "UPDATE ZSHELF SET ZCOLORS = X'\(hex)', ZCOVER = X'02\(file)' WHERE Z_PK = 2;"
        let workspace = try journal(sql)
        try workspace.write("a large picture", to: ".journal_SUPPORT/_EXTERNAL_DATA/\(name)")
        #expect(try convert(workspace).complaints == [])
        #expect(
            try workspace.rows("out.strata", "SELECT colors, CAST(cover AS TEXT) FROM Shelf WHERE id = 2") == [
                "\(#"["red","\"grün\""]"#.debugDescription) \"a large picture\""
            ])
        // Without the file it does not fit.
        let without = try journal(sql)
        #expect(
            try convert(without).complaints == [
                "journal.sqlite: error: 1 things of 1.0 do not fit:",
                "Shelf 2: cover is a blob of 38 bytes, which is neither bytes nor the name of a file that is there",
            ])
    }

    @Test func `each version is known by its tables`() throws {
        let second = "ALTER TABLE ZTAG ADD COLUMN ZWEIGHT FLOAT; UPDATE ZTAG SET ZWEIGHT = 2;"
        let workspace = try journal(second)
        #expect(try convert(workspace).said.last == "wrote out.strata, a store of 2.0")
        #expect(try workspace.rows("out.strata", "SELECT DISTINCT weight FROM Tag") == ["2.0"])
        let other = try journal("ALTER TABLE ZTAG DROP COLUMN ZNAME;")
        #expect(
            try convert(other).complaints == [
                "journal.sqlite: error: the database has the tables of no version: 1.0 has Tag.name; 2.0 has Tag.name"
            ])
        let relationship = try journal("DROP TABLE Z_1TAGS;")
        #expect(try convert(relationship).complaints.first?.contains("1.0 has the table of Media.tags") == true)
        let none = try journal("DROP TABLE Z_METADATA;")
        #expect(
            try convert(none).complaints == [
                "journal.sqlite: error: the database has the tables of no version: it is no store of Core Data"
            ])
        #expect(
            try convert(none, "--version", "9").complaints == [
                "journal.sqlite: error: the database has the tables of no version: it is no store of Core Data"
            ])
        #expect(try convert(journal(), "--version", "9").complaints == ["journal.sqlite: error: there is no version 9"])
        #expect(try convert(journal(), "--version", "Journal").said.last == "wrote out.strata, a store of 1.0")
    }

    @Test func `versions with the same tables are tried from the oldest on`() throws {
        // Core Data's tables do not tell whether a value may be absent.
        let mandatory = Journal.first
        let optional = mandatory.replacing(
            "name=\"name\" attributeType=\"String\" ", with: "name=\"name\" attributeType=\"String\" optional=\"YES\" ")
        #expect(mandatory != optional)
        let filled = try journal(versions: [mandatory, optional])
        #expect(try convert(filled).said.last == "wrote out.strata, a store of 1.0")
        let empty = try journal("UPDATE ZTAG SET ZNAME = NULL;", versions: [mandatory, optional])
        #expect(try convert(empty).said.last == "wrote out.strata, a store of 2.0")
        // Between these a person writes what changes, and it matters which it is.
        let reversed = try journal(versions: [optional, mandatory])
        #expect(
            try convert(reversed).complaints == [
                "journal.sqlite: error: the database can be of 1.0 or 2.0: say which it is"
            ])
        #expect(try convert(reversed, "--version", "2.0").said.last == "wrote out.strata, a store of 2.0")
    }

    /// A Core Data model of two versions, and a store by its tables.
    private func converted(_ first: String, _ second: String?, _ entities: String, _ sql: String) throws -> (
        Workspace, [String]
    ) {
        let workspace = try Workspace()
        try workspace.writeCoreData("Journal", [first] + (second.map { [$0] } ?? []))
        workspace.run("import", "core-data", workspace.path("Journal.xcdatamodeld"), "--into", workspace.path("model"))
        try workspace.makeDatabase(
            "journal.sqlite",
            """
            CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
            CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
            INSERT INTO Z_PRIMARYKEY VALUES \(entities); \(sql)
            """)
        let result = try convert(workspace)
        return (workspace, result.complaints + result.said.suffix(1))
    }

    private static func attribute(_ name: String, _ type: String = "String") -> String {
        "<attribute name=\"\(name)\" attributeType=\"\(type)\" optional=\"YES\"/>"
    }

    private static let prefix = "Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER"

    @Test func `a version that would leave something over is not taken`() throws {
        let one = "<entity name=\"A\">\(Self.attribute("a"))</entity>"
        let table = "CREATE TABLE ZA (\(Self.prefix), ZA VARCHAR); INSERT INTO ZA VALUES (1, 1, 1, 'x');"
        // Another entity in the same table, with rows.
        let child = one + "<entity name=\"B\" parentEntity=\"A\"/>"
        let (inherited, said) = try converted(
            one, child, "(1, 'A', 0, 2), (2, 'B', 1, 0)", table + "INSERT INTO ZA VALUES (2, 2, 1, 'y');")
        #expect(said == ["wrote out.strata, a store of 2.0"])
        #expect(
            try inherited.rows("out.strata", "SELECT id, kind, a FROM A ORDER BY 1") == [
                "1 \"A\" \"x\"", "2 \"B\" \"y\"",
            ])
        // A table of pairs.
        func pair(_ rest: String) -> String {
            "<entity name=\"A\">\(Self.attribute("a"))\(rest)</entity><entity name=\"B\">"
                + (rest.isEmpty
                    ? "" : "<relationship name=\"as\" toMany=\"YES\" destinationEntity=\"A\" inverseName=\"bs\"/>")
                + "</entity>"
        }
        let many = pair("<relationship name=\"bs\" toMany=\"YES\" destinationEntity=\"B\" inverseName=\"as\"/>")
        let (joined, told) = try converted(
            pair(""), many, "(1, 'A', 0, 1), (2, 'B', 0, 1)",
            table + "CREATE TABLE ZB (\(Self.prefix)); INSERT INTO ZB VALUES (5, 2, 1);"
                + "CREATE TABLE Z_1BS (Z_1AS INTEGER, Z_2BS INTEGER); INSERT INTO Z_1BS VALUES (1, 5);")
        #expect(told == ["wrote out.strata, a store of 2.0"])
        #expect(try joined.rows("out.strata", "SELECT source_id, target_id FROM A_bs") == ["1 5"])
        // What no version has is not dropped without a word.
        let (extra, refused) = try converted(
            one, nil, "(1, 'A', 0, 1), (2, 'X', 0, 1)",
            table + "ALTER TABLE ZA ADD COLUMN ZNEW VARCHAR; CREATE TABLE ZX (\(Self.prefix));")
        #expect(
            refused == [
                "journal.sqlite: error: the database has the tables of no version: 1.0 does not have ZA.ZNEW, ZX"
            ])
        let left = try convert(extra, "--version", "1.0", "--leave-out")
        #expect(
            left.said.prefix(2) == ["left out: ZA.ZNEW: 1.0 does not have it", "left out: ZX: 1.0 does not have it"])
    }

    @Test func `versions that differ in a type or in a swap of names are told apart, or asked for`() throws {
        func version(_ type: String) -> String { "<entity name=\"A\">\(Self.attribute("code", type))</entity>" }
        let (typed, said) = try converted(
            version("Integer 64"), version("String"), "(1, 'A', 0, 1)",
            "CREATE TABLE ZA (\(Self.prefix), ZCODE VARCHAR); INSERT INTO ZA VALUES (1, 1, 1, '007');")
        #expect(said == ["wrote out.strata, a store of 2.0"])
        #expect(try typed.rows("out.strata", "SELECT code FROM A") == ["\"007\""])
        func names(_ x: String, _ y: String) -> String {
            "<entity name=\"A\"><attribute name=\"x\" attributeType=\"String\" optional=\"YES\" elementID=\"\(x)\"/>"
                + "<attribute name=\"y\" attributeType=\"String\" optional=\"YES\" elementID=\"\(y)\"/></entity>"
        }
        let (_, asked) = try converted(
            names("1", "2"), names("2", "1"), "(1, 'A', 0, 1)",
            "CREATE TABLE ZA (\(Self.prefix), ZX VARCHAR, ZY VARCHAR); INSERT INTO ZA VALUES (1, 1, 1, 'x', 'y');")
        #expect(asked == ["journal.sqlite: error: the database can be of 1.0 or 2.0: say which it is"])
    }

    @Test func `columns with numbers behind their names go to the properties that have them`() throws {
        let model =
            "<entity name=\"R\">\(Self.attribute("name"))</entity><entity name=\"A\" parentEntity=\"R\">\(Self.attribute("name1"))"
            + "</entity><entity name=\"B\" parentEntity=\"R\">\(Self.attribute("name1", "Integer 64"))</entity>"
        let (_, said) = try converted(
            model, nil, "(1, 'R', 0, 3), (2, 'A', 1, 0), (3, 'B', 1, 0)",
            "CREATE TABLE ZR (\(Self.prefix), ZNAME VARCHAR, ZNAME1 VARCHAR, ZNAME11 INTEGER);"
                + "INSERT INTO ZR VALUES (1, 2, 1, NULL, 'one', NULL), (2, 3, 1, NULL, NULL, 5), (3, 1, 1, 'r', NULL, NULL);"
        )
        // ZNAME1 can be the name of a sibling or name1: it is not guessed.
        #expect(said == ["journal.sqlite: error: the database has the tables of no version: 1.0 has R.name"])
        let plain =
            "<entity name=\"R\">\(Self.attribute("name"))\(Self.attribute("name1"))</entity>"
            + "<entity name=\"A\" parentEntity=\"R\"/>"
        let (exact, told) = try converted(
            plain, nil, "(1, 'R', 0, 3), (2, 'A', 1, 0)",
            "CREATE TABLE ZR (\(Self.prefix), ZNAME VARCHAR, ZNAME1 VARCHAR);"
                + "INSERT INTO ZR VALUES (1, 1, 1, NULL, 'one'), (2, 2, 1, 'two', NULL);")
        #expect(told == ["wrote out.strata, a store of 1.0"])
        #expect(
            try exact.rows("out.strata", "SELECT id, kind, name, name1 FROM R ORDER BY 1") == [
                "1 \"R\" NULL \"one\"", "2 \"A\" \"two\" NULL",
            ])
        let one = "<entity name=\"A\">\(Self.attribute("address"))</entity>"
        let two = "<entity name=\"A\">\(Self.attribute("address1"))\(Self.attribute("address2"))</entity>"
        let (_, second) = try converted(
            one, two, "(1, 'A', 0, 1)",
            "CREATE TABLE ZA (\(Self.prefix), ZADDRESS1 VARCHAR, ZADDRESS2 VARCHAR); INSERT INTO ZA VALUES (1, 1, 1, 'a', 'b');"
        )
        #expect(second == ["wrote out.strata, a store of 2.0"])
    }

    @Test func `bytes are read as the version of the store keeps them`() throws {
        func version(_ rest: String) -> String {
            "<entity name=\"A\"><attribute name=\"d\" attributeType=\"Binary\" optional=\"YES\" \(rest)/>\(Self.attribute("a"))</entity>"
        }
        let second = version("allowsExternalBinaryDataStorage=\"YES\"").replacing("name=\"a\"", with: "name=\"b\"")
        func store(_ column: String) -> String {
            "CREATE TABLE ZA (\(Self.prefix), ZD BLOB, \(column) VARCHAR); INSERT INTO ZA VALUES (1, 1, 1, X'01AABB', 'x');"
        }
        let (old, _) = try converted(version(""), second, "(1, 'A', 0, 1)", store("ZA"))
        #expect(try old.rows("out.strata", "SELECT d FROM A") == ["X'01AABB'"])
        #expect(try old.text("model/strata.json").contains("\"A.d\": { \"2.0\": \"external_data\" }"))
        let (new, _) = try converted(version(""), second, "(1, 'A', 0, 1)", store("ZB"))
        #expect(try new.rows("out.strata", "SELECT d FROM A") == ["X'AABB'"])
    }

    @Test func `a to-many without an inverse stays empty, as the import has told`() throws {
        let model =
            "<entity name=\"A\"><relationship name=\"bs\" toMany=\"YES\" destinationEntity=\"B\"/></entity><entity name=\"B\"/>"
        let (workspace, said) = try converted(
            model, nil, "(1, 'A', 0, 1), (2, 'B', 0, 1)",
            "CREATE TABLE ZA (\(Self.prefix)); CREATE TABLE ZB (\(Self.prefix), Z1BS INTEGER); INSERT INTO ZA VALUES (1, 1, 1);"
                + "INSERT INTO ZB VALUES (2, 2, 1, 1);")
        #expect(said == ["wrote out.strata, a store of 1.0"])
        #expect(try workspace.rows("out.strata", "SELECT (SELECT count(*) FROM A), count(*) FROM A_bs") == ["1 0"])
    }

    @Test func `text that is not UTF-8 does not fit`() throws {
        let workspace = try room("PRAGMA user_version = 2; INSERT INTO user VALUES (9, CAST(X'E9' AS TEXT), NULL);")
        #expect(
            try convert(workspace).complaints == [
                "journal.sqlite: error: 1 things of 2.0 do not fit:", "user 9: mail is no text of UTF-8",
            ])
    }

    @Test func `what does not fit is told with table, key and reason, and nothing is written`() throws {
        let sql = """
            UPDATE ZTAG SET ZNAME = NULL WHERE Z_PK = 10; UPDATE ZTAG SET ZKEY = X'00' WHERE Z_PK = 20;
            UPDATE ZSHELF SET ZISOPEN = 3 WHERE Z_PK = 1; UPDATE ZMEDIA SET ZADDED = 'today' WHERE Z_PK = 2;
            UPDATE ZMEDIA SET ZPAGES = 'many' WHERE Z_PK = 1; INSERT INTO ZPASSPORT VALUES (8, 4, 1, 99);
            """
        let workspace = try journal(sql, versions: [Journal.first])
        let misfits = [
            "Media 1: cannot store TEXT value in INTEGER column Media.pages",
            "Media 2: added is \"today\", which is no number",
            "Passport 8: person_id leads to a row of Person that is not there",
            "Shelf 1: isOpen is 3, which is no truth value", "Tag 10: NOT NULL constraint failed: Tag.name",
            "Tag 20: key is X'00', which is no UUID",
        ]
        let refused = try convert(workspace).complaints
        #expect(refused.first == "journal.sqlite: error: 11 things of 1.0 do not fit:")
        for misfit in misfits { #expect(refused.contains(misfit), "\(refused)") }
        let left = try convert(workspace, "--leave-out")
        #expect(left.complaints == [])
        for misfit in misfits { #expect(left.said.contains("left out: " + misfit), "\(left.said)") }
        #expect(try workspace.rows("out.strata", "SELECT id FROM Media ORDER BY 1") == ["3", "4"])
        #expect(try workspace.rows("out.strata", "SELECT count(*) FROM Tag") == ["0"])
        #expect(try workspace.rows("out.strata", "SELECT count(*) FROM Media_tags") == ["0"])
        #expect(try workspace.rows("out.strata", "SELECT id FROM Passport") == ["7"])
        #expect(try workspace.rows("out.strata", "PRAGMA foreign_key_check") == [])
        #expect(left.said.contains("Media_tags: 0 rows"))
    }

    @Test func `inheritance may be one table an entity`() throws {
        let workspace = try Workspace()
        let model = Journal.first.replacing(
            #/<relationship name="(tags|items|shelf|books)"[^>]*/>/#, with: "")
        try workspace.writeCoreData("Journal", [model])
        workspace.run(
            "import", "core-data", workspace.path("Journal.xcdatamodeld"), "--into", workspace.path("model"),
            "--inheritance", "entity")
        try workspace.makeDatabase(
            "journal.sqlite",
            Journal.store
                + "DROP TABLE Z_1TAGS; ALTER TABLE ZMEDIA DROP COLUMN ZSHELF; ALTER TABLE ZMEDIA DROP COLUMN Z_FOK_SHELF;"
        )
        #expect(try convert(workspace).complaints == [])
        #expect(
            try workspace.rows("out.strata", "SELECT id, title, note, subtitle FROM Book WHERE id < 4 ORDER BY id") == [
                "1 \"Dune\" \"again\" \"A novel\"", "2 \"Solaris\" NULL NULL",
            ])
        #expect(
            try workspace.rows("out.strata", "SELECT id, title, note, subtitle FROM Film") == [
                "3 \"Stalker\" X'0001' \"A film\""
            ])
    }

    // MARK: Tables

    private static let user = ("user", "`id` INTEGER PRIMARY KEY, `mail` TEXT NOT NULL, `born` INTEGER")
    private static let post = (
        "post",
        "`author` INTEGER NOT NULL REFERENCES `user`(`id`) ON DELETE CASCADE, `number` INTEGER NOT NULL, PRIMARY KEY(`author`, `number`)"
    )

    private func room(_ sql: String) throws -> Workspace {
        let workspace = try Workspace()
        try workspace.write(TableImportTests.room(1, [Self.user]), to: "schemas/1.json")
        try workspace.write(TableImportTests.room(2, [Self.user, Self.post]), to: "schemas/2.json")
        workspace.run("import", "room", workspace.path("schemas"), "--into", workspace.path("model"))
        try workspace.makeDatabase(
            "journal.sqlite",
            """
            CREATE TABLE android_metadata (locale TEXT); CREATE TABLE room_master_table (id INTEGER PRIMARY KEY, identity_hash TEXT);
            CREATE TABLE user (\(Self.user.1)); CREATE TABLE post (\(Self.post.1));
            INSERT INTO user VALUES (1, 'a@b', 0), (7, 'c@d', 1714564800000); INSERT INTO post VALUES (7, 1), (7, 2), (1, 1);
            """ + sql)
        return workspace
    }

    @Test func `a database of Room says its version itself`() throws {
        let second = try room("PRAGMA user_version = 2;")
        #expect(try convert(second).said == ["post: 3 rows", "user: 2 rows", "wrote out.strata, a store of 2.0"])
        #expect(
            try second.rows("out.strata", "SELECT author, number FROM post ORDER BY 1, 2") == ["1 1", "7 1", "7 2"])
        // The tables of the second are there, but it says that it is of the first.
        #expect(
            try convert(room("PRAGMA user_version = 1;")).complaints == [
                "journal.sqlite: error: the database has the tables of no version: 1.0 does not have post"
            ])
        // What it says must be true, and known.
        #expect(
            try convert(room("PRAGMA user_version = 2; DROP TABLE post;")).complaints == [
                "journal.sqlite: error: the database has the tables of no version: 2.0 has the table post"
            ])
        #expect(
            try convert(room("PRAGMA user_version = 3;")).complaints == ["journal.sqlite: error: there is no version 3"]
        )
        // It says nothing: the version that leaves nothing over is taken.
        #expect(try convert(room("")).said.last == "wrote out.strata, a store of 2.0")
    }

    @Test func `what is still in a write-ahead log is read, and the log stays`() throws {
        let workspace = try room("PRAGMA journal_mode = WAL; PRAGMA user_version = 2;")
        let writer = try Connection(path: workspace.path("journal.sqlite"), mode: .readWrite)
        try writer.execute("PRAGMA wal_autocheckpoint = 0; INSERT INTO user VALUES (9, 'new', NULL)")
        let log = workspace.url.appendingPathComponent("journal.sqlite-wal")
        let before = try Data(contentsOf: log)
        #expect(!before.isEmpty)
        #expect(try convert(workspace).complaints == [])
        #expect(try Data(contentsOf: log) == before)
        #expect(try workspace.rows("out.strata", "SELECT mail FROM user WHERE id = 9") == ["\"new\""])
        try writer.execute("SELECT 1")
    }

    @Test func `tables without a key get numbers`() throws {
        let workspace = try Workspace()
        try workspace.makeDatabase(
            "journal.sqlite",
            """
            CREATE TABLE plain (a TEXT); INSERT INTO plain (rowid, a) VALUES (7, 'x'), (9, 'y');
            CREATE TABLE named (rowid TEXT, b TEXT); INSERT INTO named VALUES ('p', 'q');
            CREATE TABLE blobs (k BLOB PRIMARY KEY, c TEXT) WITHOUT ROWID; INSERT INTO blobs VALUES (X'02', 'm'), (X'01', 'n');
            """)
        workspace.run("import", "sqlite", workspace.path("journal.sqlite"), "--into", workspace.path("model"))
        #expect(try convert(workspace).complaints == [])
        #expect(try workspace.rows("out.strata", "SELECT id, a FROM plain ORDER BY 1") == ["7 \"x\"", "9 \"y\""])
        #expect(try workspace.rows("out.strata", "SELECT id, rowid, b FROM named") == ["1 \"p\" \"q\""])
        #expect(
            try workspace.rows("out.strata", "SELECT k, c FROM blobs ORDER BY k") == ["X'01' \"n\"", "X'02' \"m\""])
    }

    @Test func `a column may be declared to stand otherwise`() throws {
        let workspace = try room("PRAGMA user_version = 2; INSERT INTO user VALUES (8, 'e', 'never');")
        func edit(_ file: String, _ old: String, _ new: String) throws {
            let text = try workspace.text("model/" + file)
            #expect(text.contains(old))
            try workspace.write(text.replacingOccurrences(of: old, with: new), to: "model/" + file)
        }
        try edit(
            "User.json", "\"name\": \"born\", \"property_type\": \"int\"",
            "\"name\": \"born\", \"property_type\": \"date\"")
        #expect(
            try convert(workspace).complaints == [
                "journal.sqlite: error: 6 things of 2.0 do not fit:",
                "user 1: born is 0, which is no date as text of ISO 8601",
                "user 7: born is 1714564800000, which is no date as text of ISO 8601",
                "user 8: born is \"never\", which is no date as text of ISO 8601",
            ] + (1...3).map { "post \($0): author leads to a row of user that is not there" })
        try edit(
            "strata.json", "\"from\": \"room\"",
            "\"from\": \"room\", \"forms\": { \"User.born\": \"unix_milliseconds\" }")
        let left = try convert(workspace, "--leave-out")
        #expect(left.said.first == "left out: user 8: born is \"never\", which is no number")
        #expect(
            try workspace.rows("out.strata", "SELECT born FROM user ORDER BY id") == ["-978307200.0", "736257600.0"])
        try edit("strata.json", "unix_milliseconds", "unix_minutes")
        try FileManager.default.removeItem(atPath: workspace.path("out.strata"))
        #expect(try convert(workspace).complaints.first?.contains("unix_minutes") == true)
        try edit("strata.json", "\"User.born\": \"unix_minutes\"", "\"User.none\": \"unix_seconds\"")
        #expect(
            try convert(workspace).complaints == [
                "model/strata.json: error: \"imported\" names columns that no version has: User.none; write them as TABLE.COLUMN"
            ])
        try edit("strata.json", "\"from\": \"room\", ", "")
        #expect(try convert(workspace).complaints.first?.contains("from") == true)
    }

    @Test func `a database that was imported itself is converted, its dates and truths too`() throws {
        let workspace = try Workspace()
        try workspace.makeDatabase(
            "journal.sqlite",
            """
            CREATE TABLE player (name TEXT NOT NULL, born DATETIME, active BOOLEAN NOT NULL, key UUID, score NUMERIC(10, 2));
            INSERT INTO player VALUES ('Ann', '2024-05-01 12:00:00.250', 1, X'000102030405060708090A0B0C0D0E0F', 1.25),
              ('Bob', '2024-05-01T14:00:00+02:00', 0, NULL, 3);
            CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
            """)
        workspace.run("import", "sqlite", workspace.path("journal.sqlite"), "--into", workspace.path("model"))
        #expect(try convert(workspace).complaints == [])
        #expect(
            try workspace.rows("out.strata", "SELECT * FROM player ORDER BY id") == [
                "1 \"Ann\" 736257600.25 1 X'000102030405060708090A0B0C0D0E0F' \"1.25\"",
                "2 \"Bob\" 736257600.0 0 NULL \"3\"",
            ])
    }

    @Test func `a database of Drift is converted, its dates too`() throws {
        let workspace = try Workspace()
        let column = "{ \"name\": \"at\", \"moor_type\": \"dateTime\", \"nullable\": true }"
        try workspace.write(
            """
            { "entities": [{ "id": 0, "type": "table", "data": { "name": "t", "columns": [
              { "name": "id", "moor_type": "int", "nullable": false, "dsl_features": ["auto-increment"] }, \(column),
              { "name": "ok", "moor_type": "bool", "nullable": false }] } }] }
            """, to: "s/drift_schema_v4.json")
        workspace.run("import", "drift", workspace.path("s"), "--into", workspace.path("model"))
        #expect(try workspace.text("model/strata.json").contains("\"t.at\": \"unix_seconds\""))
        try workspace.makeDatabase(
            "journal.sqlite",
            """
            PRAGMA user_version = 4; CREATE TABLE t (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, at INTEGER, ok INTEGER NOT NULL);
            INSERT INTO t VALUES (5, 1714564800, 1), (6, NULL, 0)
            """)
        #expect(try convert(workspace).complaints == [])
        #expect(try workspace.rows("out.strata", "SELECT * FROM t ORDER BY 1") == ["5 736257600.0 1", "6 NULL 0"])
    }

    // MARK: Files

    @Test func `files that are there, missing or none are told`() throws {
        let workspace = try journal()
        try workspace.write("precious", to: "out.strata")
        let model = workspace.path("model")
        func complaints(_ source: String, _ target: String = "new.strata") -> [String] {
            workspace.run("convert", workspace.path(source), "--model", model, "--to", workspace.path(target))
                .complaints
        }
        #expect(complaints("journal.sqlite", "out.strata").first?.contains("out.strata") == true)
        #expect(try workspace.text("out.strata") == "precious")
        #expect(complaints("none.sqlite").first?.hasPrefix("none.sqlite: error: ") == true)
        try workspace.write("no database, but text that is long enough to be one", to: "text")
        #expect(complaints("text").first?.hasPrefix("text: error: ") == true)
        #expect(workspace.run("convert", workspace.path("journal.sqlite")).code == .usage)
        #expect(!FileManager.default.fileExists(atPath: workspace.path("new.strata")))
        try workspace.write(
            "{ \"name\": \"a\", \"identifier\": { \"type\": \"int\" }, \"added_at_version\": \"1.0\" }",
            to: "own/A.json")
        try workspace.write("{}", to: "own/strata.json")
        #expect(
            workspace.run(
                "convert", workspace.path("journal.sqlite"), "--model", workspace.path("own"), "--to",
                workspace.path("new.strata")
            ).complaints == ["journal.sqlite: error: ownSchema was not imported: strata.json has no \"imported\""])
    }
}
