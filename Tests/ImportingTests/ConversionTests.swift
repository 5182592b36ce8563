import Commands
import Foundation
import SQLSchema
import StoreCommands
import StoreConversion
import Strata
import Testing

/// Converts databases of other libraries to stores.
@Suite struct ConversionTests {
    /// A folder with the imported model of the journal, and a Core Data store of it, changed by SQL.
    private func journal(_ sql: String = "", versions: [String] = [Journal.first, Journal.second]) throws -> Workspace {
        let workspace = try Workspace()
        try workspace.writeCoreData("Journal", versions)
        workspace.run("import", "core-data", workspace.path("Journal.xcdatamodeld"), "--into", workspace.path("model"))
        try workspace.makeDatabase("journal.sqlite", Journal.store + sql)
        return workspace
    }

    /// Converts the journal. The conversion must not change its file.
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

    @Test func `a Core Data store is converted with all of its values`() throws {
        let workspace = try journal()
        let result = try convert(workspace)
        #expect(result.complaints == [])
        #expect(
            result.said == [
                "Media: 4 rows", "Media_tags: 3 rows", "Passport: 1 row", "Person: 2 rows", "Person_friends: 2 rows",
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
        // The result does not differ from a new store of its version.
        #expect(
            workspace.run("inspect", workspace.path("out.strata"), "--model", workspace.path("model")).said.last
                == "  same tables as a new store of its version")
    }

    @Test func `values in external files and in archives are read`() throws {
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
        // Without the file, the row does not fit.
        let without = try journal(sql)
        #expect(
            try convert(without, "--invalid-rows", "refuse").complaints == [
                "journal.sqlite: error: 1 row, table or column of the database does not fit version 1.0:",
                "Shelf 2: cover is a blob of 38 bytes, which is neither bytes nor the name of a file that is there",
            ])
    }

    @Test func `the tables of a database determine its version`() throws {
        let second = "ALTER TABLE ZTAG ADD COLUMN ZWEIGHT FLOAT; UPDATE ZTAG SET ZWEIGHT = 2;"
        let workspace = try journal(second)
        #expect(try convert(workspace).said.last == "wrote out.strata, a store of 2.0")
        #expect(try workspace.rows("out.strata", "SELECT DISTINCT weight FROM Tag") == ["2.0"])
        let other = try journal("ALTER TABLE ZTAG DROP COLUMN ZNAME;")
        #expect(
            try convert(other).complaints == [
                "journal.sqlite: error: the database has the tables of no version",
                "  1.0: the database lacks Tag.name",
                "  2.0: the database lacks Tag.name", "  2.0: the database lacks Tag.weight",
            ])
        let relationship = try journal("DROP TABLE Z_1TAGS;")
        #expect(try convert(relationship).complaints.contains("  1.0: the database lacks the table of Media.tags"))
        let none = try journal("DROP TABLE Z_METADATA;")
        #expect(
            try convert(none).complaints == [
                "journal.sqlite: error: the database is not one of core-data"
            ])
        #expect(
            try convert(none, "--version", "9").complaints == [
                "journal.sqlite: error: the database is not one of core-data"
            ])
        #expect(try convert(journal(), "--version", "9").complaints == ["journal.sqlite: error: unknown version 9"])
        #expect(try convert(journal(), "--version", "Journal").said.last == "wrote out.strata, a store of 1.0")
    }

    @Test func `the newest of several matching versions is taken unless the steps between them change values`() throws {
        // Core Data's tables do not show whether a property is required.
        let mandatory = Journal.first
        let optional = mandatory.replacing(
            "name=\"name\" attributeType=\"String\" ", with: "name=\"name\" attributeType=\"String\" optional=\"YES\" ")
        #expect(mandatory != optional)
        let filled = try journal(versions: [mandatory, optional])
        #expect(try convert(filled).said.last == "wrote out.strata, a store of 2.0")
        let empty = try journal("UPDATE ZTAG SET ZNAME = NULL;", versions: [mandatory, optional])
        #expect(try convert(empty).said.last == "wrote out.strata, a store of 2.0")
        // The step between these versions needs a custom migration, so the version must be named.
        let reversed = try journal(versions: [optional, mandatory])
        #expect(
            try convert(reversed).complaints == [
                "journal.sqlite: error: the database has the tables of 1.0 and 2.0, and the steps between them change values: name its version with ConversionOptions.version or --version"
            ])
        #expect(try convert(reversed, "--version", "2.0").said.last == "wrote out.strata, a store of 2.0")
    }

    /// Imports a Core Data model of one or two versions, creates a store of it with SQL, and converts the store.
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

    @Test func `a version that does not have all of the database's data is not taken`() throws {
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
        // A join table.
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
        // A table or a column that no version has is reported.
        let (extra, refused) = try converted(
            one, nil, "(1, 'A', 0, 1), (2, 'X', 0, 1)",
            table + "ALTER TABLE ZA ADD COLUMN ZNEW VARCHAR; CREATE TABLE ZX (\(Self.prefix));")
        #expect(
            refused == [
                "journal.sqlite: error: the database has the tables of no version",
                "  1.0: only the database has ZA.ZNEW", "  1.0: only the database has ZX",
            ])
        #expect(
            try convert(extra, "--version", "1.0").complaints == [
                "journal.sqlite: error: 2 rows, tables or columns of the database do not fit version 1.0:",
                "ZA.ZNEW: 1.0 does not have it",
                "ZX: 1.0 does not have it",
                "Tables and columns cannot be set aside: drop leaves them where they are (ConversionOptions.invalidRows, --invalid-rows)",
            ])
        let left = try convert(extra, "--version", "1.0", "--invalid-rows", "drop")
        #expect(left.said.prefix(2) == ["dropped: ZA.ZNEW: 1.0 does not have it", "dropped: ZX: 1.0 does not have it"])
    }

    @Test func `versions that differ in a type are distinguished, and versions with swapped names are not`() throws {
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
        #expect(
            asked == [
                "journal.sqlite: error: the database has the tables of 1.0 and 2.0, and the steps between them change values: name its version with ConversionOptions.version or --version"
            ])
    }

    @Test func `a column with a number after its name belongs to the property that matches it`() throws {
        let model =
            "<entity name=\"R\">\(Self.attribute("name"))</entity><entity name=\"A\" parentEntity=\"R\">\(Self.attribute("name1"))"
            + "</entity><entity name=\"B\" parentEntity=\"R\">\(Self.attribute("name1", "Integer 64"))</entity>"
        let (numbered, said) = try converted(
            model, nil, "(1, 'R', 0, 3), (2, 'A', 1, 0), (3, 'B', 1, 0)",
            "CREATE TABLE ZR (\(Self.prefix), ZNAME VARCHAR, ZNAME1 VARCHAR, ZNAME11 INTEGER);"
                + "INSERT INTO ZR VALUES (1, 2, 1, NULL, 'one', NULL), (2, 3, 1, NULL, NULL, 5), (3, 1, 1, 'r', NULL, NULL);"
        )
        // There is one `name`, so ZNAME1 belongs to one of the two `name1`, of which only one is text.
        #expect(said == ["wrote out.strata, a store of 1.0"])
        #expect(
            try numbered.rows("out.strata", "SELECT kind, name, A_name1, B_name1 FROM R ORDER BY id") == [
                "\"A\" NULL \"one\" NULL", "\"B\" NULL NULL 5", "\"R\" \"r\" NULL NULL",
            ])
        // With two properties `name`, ZNAME1 may belong to either of them or to `name1`.
        let two =
            "<entity name=\"R\"/><entity name=\"A\" parentEntity=\"R\">\(Self.attribute("name"))\(Self.attribute("name1"))"
            + "</entity><entity name=\"B\" parentEntity=\"R\">\(Self.attribute("name"))</entity>"
        let (_, unclear) = try converted(
            two, nil, "(1, 'R', 0, 3), (2, 'A', 1, 0), (3, 'B', 1, 0)",
            "CREATE TABLE ZR (\(Self.prefix), ZNAME VARCHAR, ZNAME1 VARCHAR, ZNAME11 VARCHAR);")
        #expect(
            unclear.contains(
                "  1.0: the database lacks the property of ZNAME1, which may be A.name or B.name"), "\(unclear)")
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
        let other = "<entity name=\"A\">\(Self.attribute("address1"))\(Self.attribute("address2"))</entity>"
        let (_, second) = try converted(
            one, other, "(1, 'A', 0, 1)",
            "CREATE TABLE ZA (\(Self.prefix), ZADDRESS1 VARCHAR, ZADDRESS2 VARCHAR); INSERT INTO ZA VALUES (1, 1, 1, 'a', 'b');"
        )
        #expect(second == ["wrote out.strata, a store of 2.0"])
    }

    @Test func `a row with values in both columns of one property is set aside`() throws {
        let model =
            "<entity name=\"R\"/><entity name=\"A\" parentEntity=\"R\">\(Self.attribute("name"))</entity>"
            + "<entity name=\"B\" parentEntity=\"R\">\(Self.attribute("name"))</entity>"
        let (workspace, said) = try converted(
            model, nil, "(1, 'R', 0, 3), (2, 'A', 1, 0), (3, 'B', 1, 0)",
            "CREATE TABLE ZR (\(Self.prefix), ZNAME VARCHAR, ZNAME1 VARCHAR);"
                + "INSERT INTO ZR VALUES (1, 2, 1, 'a', NULL), (2, 3, 1, NULL, 'b'), (3, 2, 1, 'a', 'b');")
        #expect(said.last == "wrote out.strata, a store of 1.0")
        #expect(
            try workspace.rows("out.strata", "SELECT id, kind, name FROM R ORDER BY id") == [
                "1 \"A\" \"a\"", "2 \"B\" \"b\"",
            ])
        #expect(
            try workspace.rows("out.strata", "SELECT key, substr(reason, 1, 32) FROM strata_unconverted") == [
                "\"3\" \"ZNAME, ZNAME1 hold one property,\""
            ])
    }

    @Test func `binary data is read in the form of the store's version`() throws {
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

    @Test func `a to-many relationship without an inverse keeps its pairs`() throws {
        let model =
            "<entity name=\"A\"><relationship name=\"bs\" toMany=\"YES\" destinationEntity=\"B\"/></entity><entity name=\"B\"/>"
        let entities = "(1, 'A', 0, 2), (2, 'B', 0, 4)"
        let owners = "CREATE TABLE ZA (\(Self.prefix)); INSERT INTO ZA VALUES (1, 1, 1), (2, 1, 1);"
        let (workspace, said) = try converted(
            model, nil, entities,
            owners + "CREATE TABLE ZB (\(Self.prefix), Z1BS INTEGER);"
                + "INSERT INTO ZB VALUES (1, 2, 1, 2), (2, 2, 1, 1), (3, 2, 1, NULL), (4, 2, 1, 2);")
        #expect(said == ["wrote out.strata, a store of 1.0"])
        let pairs = "SELECT source_id, target_id, position FROM A_bs ORDER BY 1, 3"
        #expect(try workspace.rows("out.strata", pairs) == ["1 2 0", "2 1 0", "2 4 1"])
        #expect(try workspace.rows("out.strata", "SELECT count(*) FROM B") == ["4"])
        #expect(!(try workspace.text("model/IMPORT.md").contains("A.bs | nothing")))

        let (ordered, _) = try converted(
            model, nil, entities,
            owners + "CREATE TABLE ZB (\(Self.prefix), Z1BS INTEGER, Z_FOK_1BS INTEGER);"
                + "INSERT INTO ZB VALUES (1, 2, 1, 2, 2048), (4, 2, 1, 2, 1024);")
        #expect(try ordered.rows("out.strata", pairs) == ["2 4 0", "2 1 1"])

        // The owner of the third object does not exist.
        let (dangling, _) = try converted(
            model, nil, entities,
            owners + "CREATE TABLE ZB (\(Self.prefix), Z1BS INTEGER); INSERT INTO ZB VALUES (1, 2, 1, 2), (3, 2, 1, 9);"
        )
        #expect(try dangling.rows("out.strata", pairs) == ["2 1 0"])
        #expect(
            try dangling.rows("out.strata", "SELECT \"table\", key, reason FROM strata_unconverted") == [
                "\"A_bs\" \"9, 3\" \"source_id is 9, and A has no such row\""
            ])
    }

    @Test func `the pairs of an entity with a name outside of ASCII are converted`() throws {
        let relationship = "<relationship name=\"bs\" toMany=\"YES\" destinationEntity=\"B\"/>"
        let (workspace, said) = try converted(
            "<entity name=\"Äö\">\(relationship)</entity><entity name=\"B\"/>", nil, "(1, 'Äö', 0, 2), (2, 'B', 0, 4)",
            "CREATE TABLE \"ZÄÖ\" (\(Self.prefix)); CREATE TABLE ZB (\(Self.prefix), Z1BS INTEGER);"
                + "INSERT INTO \"ZÄÖ\" VALUES (1, 1, 1); INSERT INTO ZB VALUES (4, 2, 1, 1);")
        #expect(said == ["wrote out.strata, a store of 1.0"])
        #expect(try workspace.rows("out.strata", "SELECT source_id, target_id FROM \"Äö_bs\"") == ["1 4"])
    }

    @Test func `a store without the owners of a to-many relationship is refused`() throws {
        let relationship = "<relationship name=\"bs\" toMany=\"YES\" destinationEntity=\"B\"/>"
        let (_, said) = try converted(
            "<entity name=\"A\">\(relationship)</entity><entity name=\"B\"/>", nil, "(1, 'A', 0, 2), (2, 'B', 0, 4)",
            "CREATE TABLE ZA (\(Self.prefix)); CREATE TABLE ZB (\(Self.prefix));")
        #expect(said.contains { $0.contains("the owners' keys of A.bs") })
    }

    @Test(arguments: [Int.max, 2]) func `a conversion reports its rows and can be cancelled`(limit: Int) throws {
        let workspace = try room(
            """
            PRAGMA user_version = 2; WITH RECURSIVE n(i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n WHERE i < 5009)
            INSERT INTO user SELECT i, 'm' || i, NULL FROM n;
            """)
        let model = try #require(ModelFolder.all(below: workspace.path("model")).first)
        let reports = Locked([ConversionProgress]())
        let asked = Locked(0)
        var options = ConversionOptions()
        options.progress = { report in reports.withLock { $0.append(report) } }
        options.isCancelled = {
            asked.withLock {
                $0 += 1
                return $0 > limit
            }
        }
        let out = URL(fileURLWithPath: workspace.path("out.strata"))
        let convert = {
            try Store.convert(
                workspace.url.appendingPathComponent("journal.sqlite"), to: out,
                definition: SchemaDefinition(try model.loaded()), conversion: options)
        }
        if limit == 2 {
            #expect(throws: CancellationError.self) { _ = try convert() }
            #expect(!FileManager.default.fileExists(atPath: out.path))
        } else {
            #expect(try convert().rows == ["post": 3, "user": 5002])
            let all = reports.withLock { $0 }
            #expect(all.last == ConversionProgress(table: nil, completedRows: 5005, totalRows: 5005))
            #expect(all.count > 1 && all.allSatisfy { $0.totalRows == 5005 })
            #expect(all.map(\.completedRows) == all.map(\.completedRows).sorted())
            // Before each of two tables, and each 1,024 rows, of 5,005.
            #expect(asked.withLock { $0 } == 6)
        }
    }

    @Test func `a row with text that is not UTF-8 is refused or set aside`() throws {
        let workspace = try room("PRAGMA user_version = 2; INSERT INTO user VALUES (9, CAST(X'E9' AS TEXT), NULL);")
        #expect(
            try convert(workspace, "--invalid-rows", "refuse").complaints == [
                "journal.sqlite: error: 1 row, table or column of the database does not fit version 2.0:",
                "user 9: mail is not valid UTF-8 text",
            ])
        #expect(try convert(workspace).said.first == "set aside: user 9: mail is not valid UTF-8 text")
        #expect(
            try workspace.rows("out.strata", "SELECT version, \"table\", key, \"values\" FROM strata_unconverted") == [
                "\"2.0\" \"user\" \"9\" \"{\\\"id\\\":9,\\\"mail\\\":{\\\"base64\\\":\\\"6Q==\\\"},\\\"born\\\":null}\""
            ])
    }

    private static let invalidRowSQL = """
        UPDATE ZTAG SET ZNAME = NULL WHERE Z_PK = 10; UPDATE ZTAG SET ZKEY = X'00' WHERE Z_PK = 20;
        UPDATE ZSHELF SET ZISOPEN = 3 WHERE Z_PK = 1; UPDATE ZMEDIA SET ZADDED = 'today' WHERE Z_PK = 2;
        UPDATE ZMEDIA SET ZPAGES = 'many' WHERE Z_PK = 3; INSERT INTO ZPASSPORT VALUES (8, 4, 1, 99);
        """

    private static let invalidRows = [
        "Media 2: added is \"today\", which is no number",
        "Media 3: cannot store TEXT value in INTEGER column Media.pages",
        "Media_tags 1, 10: target_id is 10, and Tag has no such row",
        "Media_tags 1, 20: target_id is 20, and Tag has no such row",
        "Media_tags 3, 20: target_id is 20, and Tag has no such row",
        "Passport 8: person_id is 99, and Person has no such row",
        "Shelf 1: isOpen is 3, which is no truth value", "Tag 10: NOT NULL constraint failed: Tag.name",
        "Tag 20: key is X'00', which is no UUID",
    ]

    @Test func `rows that do not fit are set aside with the rows that depend on them`() throws {
        let workspace = try journal(Self.invalidRowSQL, versions: [Journal.first])
        let result = try convert(workspace)
        #expect(result.complaints == [])
        for invalidRow in Self.invalidRows {
            #expect(result.said.contains("set aside: " + invalidRow), "\(result.said)")
        }
        // A dangling foreign key that is nullable is set to NULL. Its row stays, and its value is kept.
        #expect(result.said.contains("set to NULL: Media 1: shelf_id is 1, and Shelf has no such row"))
        #expect(result.said.contains("Media: 2 rows in strata_unconverted"))
        func rows(_ query: String) throws -> [String] { try workspace.rows("out.strata", query) }
        #expect(try rows("SELECT id, shelf_id FROM Media ORDER BY 1") == ["1 NULL", "4 NULL"])
        #expect(try rows("SELECT count(*) FROM Tag") == ["0"])
        #expect(try rows("SELECT id FROM Passport") == ["7"])
        #expect(try rows("PRAGMA foreign_key_check") == [])
        #expect(
            try rows("SELECT \"table\", count(*) FROM strata_unconverted GROUP BY 1 ORDER BY 1") == [
                "\"Media\" 3", "\"Media_tags\" 3", "\"Passport\" 1", "\"Shelf\" 1", "\"Tag\" 2",
            ])
        #expect(
            try rows("SELECT json_extract(\"values\", '$.title'), reason FROM strata_unconverted WHERE key = '2'") == [
                "\"Solaris\" \"added is \\\"today\\\", which is no number\""
            ])
        #expect(
            try rows("SELECT json(\"values\") FROM strata_unconverted WHERE \"table\" = 'Media' AND key = '1'") == [
                "\"{\\\"shelf_id\\\":1}\""
            ])
        // The table strata_unconverted does not count as a difference from a new store.
        #expect(
            workspace.run("inspect", workspace.path("out.strata"), "--model", workspace.path("model")).said.last
                == "  same tables as a new store of its version")
    }

    /// Writes the policies for rows that do not fit into the `strata.json` of the journal's model.
    private func setInvalidRows(_ invalidRows: String, in workspace: Workspace) throws {
        let text = try workspace.text("model/strata.json")
        let key = "\"imported\": {"
        #expect(text.contains(key))
        try workspace.write(
            text.replacingOccurrences(of: key, with: key + "\"invalid_rows\": " + invalidRows + ","),
            to: "model/strata.json")
    }

    @Test func `strata.json sets a policy for each entity's rows that do not fit`() throws {
        let workspace = try journal(Self.invalidRowSQL, versions: [Journal.first])
        try setInvalidRows(
            #"""
            { "Tag": { "fill": { "name": "none" } }, "Shelf": { "fill": { "isOpen": false } }, "Passport": "drop",
              "Media": { "fill": { "added": null, "pages": 0 } } }
            """#, in: workspace)
        let result = try convert(workspace)
        #expect(result.complaints == [])
        #expect(
            result.said == [
                "filled: Media 3: pages is \"many\", which is not INTEGER; filled with 0",
                "filled: Media 2: added is \"today\", which is no number; filled with NULL",
                "filled: Shelf 1: isOpen is 3, which is no truth value; filled with 0",
                "filled: Tag 10: name is NULL; filled with \"none\"",
                "set aside: Tag 20: key is X'00', which is no UUID",
                "set aside: Media_tags 1, 20: target_id is 20, and Tag has no such row",
                "set aside: Media_tags 3, 20: target_id is 20, and Tag has no such row",
                "dropped: Passport 8: person_id is 99, and Person has no such row",
                "Media: 4 rows", "Media_tags: 1 row", "Passport: 1 row", "Person: 2 rows", "Person_friends: 2 rows",
                "Shelf: 2 rows", "Tag: 1 row", "Media_tags: 2 rows in strata_unconverted",
                "Tag: 1 row in strata_unconverted", "wrote out.strata, a store of 1.0",
            ])
        func rows(_ query: String) throws -> [String] { try workspace.rows("out.strata", query) }
        #expect(try rows("SELECT id, added, pages FROM Media WHERE id IN (2, 3)") == ["2 NULL 90", "3 0.0 0"])
        #expect(try rows("SELECT isOpen FROM Shelf WHERE id = 1") == ["0"])
        #expect(try rows("SELECT name FROM Tag") == ["\"none\""])
    }

    @Test func `a policy in strata.json takes precedence over the option`() throws {
        let dangling = "INSERT INTO ZPASSPORT VALUES (8, 4, 1, 99);"
        let reason = "Passport 8: person_id is 99, and Person has no such row"
        let workspace = try journal(dangling, versions: [Journal.first])
        try setInvalidRows(#"{ "Passport": "refuse" }"#, in: workspace)
        #expect(
            try convert(workspace, "--invalid-rows", "drop").complaints == [
                "journal.sqlite: error: 1 row, table or column of the database does not fit version 1.0:", reason,
            ])
        let other = try journal(dangling, versions: [Journal.first])
        try setInvalidRows(#"{ "Passport": "drop" }"#, in: other)
        #expect(try convert(other, "--invalid-rows", "refuse").said.first == "dropped: " + reason)
    }

    @Test func `a backfill value replaces only values that the column cannot hold`() throws {
        let workspace = try room(
            """
            PRAGMA user_version = 2; DROP TABLE post; CREATE TABLE post (author, number); DROP TABLE user;
            CREATE TABLE user (id, mail, born); INSERT INTO user VALUES (9, NULL, '12'), (NULL, NULL, 'x'), (10, NULL, 'x');
            """)
        try setInvalidRows(#"{ "user": { "fill": { "mail": "none", "born": null } } }"#, in: workspace)
        #expect(
            try convert(workspace).said.filter { $0.contains(": user ") } == [
                "filled: user 9: mail is NULL; filled with \"none\"",
                "set aside: user NULL: id is not an integer, and it is the primary key",
                "filled: user 10: mail is NULL; filled with \"none\"",
                "filled: user 10: born is \"x\", which is not INTEGER; filled with NULL",
            ])
        #expect(try workspace.rows("out.strata", "SELECT * FROM user") == ["9 \"none\" 12", "10 \"none\" NULL"])
        // The row that is set aside keeps its values.
        #expect(
            try workspace.rows("out.strata", "SELECT json_extract(\"values\", '$.born') FROM strata_unconverted")
                == ["\"x\""])
    }

    @Test func `a composite foreign key that is partly NULL refers to no row`() throws {
        let shelf = ("shelf", "`room` TEXT NOT NULL, `number` INTEGER NOT NULL, PRIMARY KEY(`room`, `number`)")
        let book = (
            "book",
            """
            `id` INTEGER PRIMARY KEY, `shelfRoom` TEXT, `shelfNo` INTEGER, `printed` INTEGER NOT NULL, `owner` INTEGER NOT NULL,
            FOREIGN KEY(`shelfRoom`, `shelfNo`) REFERENCES `shelf`(`room`, `number`), FOREIGN KEY(`owner`) REFERENCES `user`(`id`)
            """
        )
        let workspace = try Workspace()
        try workspace.write(TableImportTests.room(1, [shelf, book, Self.user]), to: "schemas/1.json")
        workspace.run("import", "room", workspace.path("schemas"), "--into", workspace.path("model"))
        let description = try workspace.text("model/Book.json")
        try workspace.write(
            description.replacing(
                "\"name\": \"printed\", \"property_type\": \"int\"",
                with: "\"name\": \"printed\", \"property_type\": \"date\""),
            to: "model/Book.json")
        let settings = try workspace.text("model/strata.json")
        try workspace.write(
            settings.replacing(
                "\"imported\": {", with: "\"imported\": { \"forms\": { \"book.printed\": \"unix_milliseconds\" },"),
            to: "model/strata.json")
        try workspace.makeDatabase(
            "journal.sqlite",
            """
            PRAGMA user_version = 1; CREATE TABLE user (\(Self.user.1)); CREATE TABLE shelf (\(shelf.1)); CREATE TABLE book (\(book.1));
            INSERT INTO user VALUES (1, 'a', 0); INSERT INTO shelf VALUES ('A', 1);
            INSERT INTO book VALUES (1, 'A', 1, 0, 1), (2, 'A', NULL, 0, 1), (3, NULL, 7, 0, 1), (4, 'B', 2, 0, 1), (5, 'A', 1, 1600000000123, 9);
            """)
        let result = try convert(workspace)
        #expect(result.complaints == [])
        #expect(
            result.said.prefix(4) == [
                "set to NULL: book 2: shelfRoom, shelfNo is partly NULL, and refers to no row",
                "set to NULL: book 3: shelfRoom, shelfNo is partly NULL, and refers to no row",
                "set to NULL: book 4: shelfRoom, shelfNo is B, 2, and shelf has no such row",
                "set aside: book 5: owner is 9, and user has no such row",
            ])
        #expect(
            try workspace.rows("out.strata", "SELECT id, shelfRoom, shelfNo FROM book ORDER BY 1") == [
                "1 \"A\" 1", "2 NULL NULL", "3 NULL NULL", "4 NULL NULL",
            ])
        // A row that is set aside keeps the values of the source, even if they were converted before.
        #expect(
            try workspace.rows(
                "out.strata",
                "SELECT key, json_extract(\"values\", '$.shelfNo'), json_extract(\"values\", '$.printed') FROM strata_unconverted ORDER BY 1"
            ) == ["\"2\" NULL NULL", "\"3\" 7 NULL", "\"4\" 2 NULL", "\"5\" 1 1600000000123"])
    }

    @Test func `a form and a backfill value apply under every name that the column had`() throws {
        let workspace = try Workspace()
        let first = ("log", "`id` INTEGER PRIMARY KEY, `at` INTEGER NOT NULL, `text` TEXT NOT NULL")
        try workspace.write(TableImportTests.room(1, [first]), to: "schemas/1.json")
        try workspace.write(
            TableImportTests.room(2, [("entry", "`id` INTEGER PRIMARY KEY, `time` INTEGER NOT NULL")]),
            to: "schemas/2.json")
        try workspace.write(#"{ "2": { "log": "entry", "log.at": "time", "log.text": null } }"#, to: "renames")
        workspace.run(
            "import", "room", workspace.path("schemas"), "--into", workspace.path("model"), "--renames",
            workspace.path("renames"))
        let description = try workspace.text("model/Entry.json")
        try workspace.write(
            description.replacing(
                "\"name\": \"time\", \"property_type\": \"int\"",
                with: "\"name\": \"time\", \"property_type\": \"date\""),
            to: "model/Entry.json")
        let settings = try workspace.text("model/strata.json")
        let own =
            #""imported": { "forms": { "entry.time": "unix_seconds" }, "invalid_rows": { "entry": { "fill": { "text": "?" } } },"#
        try workspace.write(settings.replacing("\"imported\": {", with: own), to: "model/strata.json")
        try workspace.makeDatabase(
            "journal.sqlite",
            "PRAGMA user_version = 1; CREATE TABLE log (id INTEGER PRIMARY KEY, at, text); INSERT INTO log VALUES (1, 978307200, NULL)"
        )
        #expect(try convert(workspace).said.first == "filled: log 1: text is NULL; filled with \"?\"")
        #expect(try workspace.rows("out.strata", "SELECT at, text FROM log") == ["0.0 \"?\""])
        // An entity has at most one policy.
        let two = own.replacing("\"invalid_rows\": {", with: "\"invalid_rows\": { \"log\": \"drop\",")
        try workspace.write(settings.replacing("\"imported\": {", with: two), to: "model/strata.json")
        #expect(
            workspace.run("check", workspace.path("model")).complaints.contains {
                $0.hasSuffix("\"entry\" does not apply here: the entity has a policy already, as `log`")
            })
    }

    @Test func `a policy must name an entity, its properties and values of their types`() throws {
        let workspace = try journal()
        func complaints(_ invalidRows: String) throws -> [String] {
            let text = try workspace.text("model/strata.json")
            try setInvalidRows(invalidRows, in: workspace)
            defer { try? workspace.write(text, to: "model/strata.json") }
            return workspace.run("check", workspace.path("model")).complaints
        }
        let found = try complaints(
            #"""
            { "Tags": "drop", "Tag": "keep", "Person": 1, "Passport": { "fill": 3 },
              "Shelf": { "fill": { "titel": "x", "isOpen": 3, "books": 1, "colors": [] } },
              "Media": { "fill": { "shelf": 1, "title": null, "kind": "Opera" } } }
            """#)
        #expect(
            found == [
                #"model/strata.json:6:34: error: version 2.0 has no entity `Tags`; did you mean "Tag"?"#,
                #"model/strata.json:6:57: error: "invalid_rows" cannot be "keep"; it can be "set-aside", "drop" or "refuse""#,
                #"model/strata.json:6:75: error: "Person" must be "set-aside", "drop", "refuse" or {"fill": {"property": value}}, not a number"#,
                #"model/strata.json:6:90: error: "Passport" must be "set-aside", "drop", "refuse" or {"fill": {"property": value}}, not an object"#,
                "model/strata.json:7:24: error: `Shelf` has no property `titel` in version 2.0",
                #"model/strata.json:7:48: error: "isOpen" of type bool cannot be a number; write true or false"#,
                #"model/strata.json:7:51: error: "books" does not apply here: a dangling foreign key is set to null, or its row is set aside"#,
                #"model/strata.json:7:63: error: "colors" does not apply here: a fill is a single value"#,
                #"model/strata.json:8:24: error: "shelf" does not apply here: a dangling foreign key is set to null, or its row is set aside"#,
                #"model/strata.json:8:36: error: "title" does not apply here: it is not nullable"#,
                #"model/strata.json:8:59: error: "kind" of type MediaKind cannot be a string; write the name of a case"#,
            ])
        #expect(
            try complaints("[]") == [
                #"model/strata.json:6:32: error: "invalid_rows" must be an object like {"Tag": "refuse"}, not an array"#
            ])
    }

    @Test func `the option --invalid-rows drops or refuses the rows that do not fit`() throws {
        let workspace = try journal(Self.invalidRowSQL, versions: [Journal.first])
        let refused = try convert(workspace, "--invalid-rows", "refuse").complaints
        #expect(
            refused.first == "journal.sqlite: error: 10 rows, tables or columns of the database do not fit version 1.0:"
        )
        for invalidRow in Self.invalidRows { #expect(refused.contains(invalidRow), "\(refused)") }
        let dropped = try convert(workspace, "--invalid-rows", "drop")
        for invalidRow in Self.invalidRows {
            #expect(dropped.said.contains("dropped: " + invalidRow), "\(dropped.said)")
        }
        #expect(try workspace.rows("out.strata", "SELECT id FROM Media ORDER BY 1") == ["1", "4"])
        #expect(
            try workspace.rows("out.strata", "SELECT count(*) FROM sqlite_schema WHERE name = 'strata_unconverted'")
                == ["0"])
        #expect(
            try convert(journal(), "--invalid-rows", "keep").complaints == [
                "error: unknown value keep of --invalid-rows; the values are set-aside, drop, refuse"
            ])
    }

    @Test func `rows in a chain of required relationships are set aside together`() throws {
        func entity(_ name: String, _ target: String, _ rest: String = "") -> String {
            let relationship =
                target.isEmpty
                ? "" : "<relationship name=\"up\" maxCount=\"1\" destinationEntity=\"\(target)\" inverseName=\"down\"/>"
            let down = rest.isEmpty ? "" : "<relationship name=\"down\" toMany=\"YES\" \(rest) inverseName=\"up\"/>"
            return
                "<entity name=\"\(name)\"><attribute name=\"n\" attributeType=\"Integer 64\"/>\(relationship)\(down)</entity>"
        }
        let model =
            entity("A", "B") + entity("B", "C", "destinationEntity=\"A\"") + entity("C", "", "destinationEntity=\"B\"")
        let (workspace, said) = try converted(
            model, nil, "(1, 'A', 0, 3), (2, 'B', 0, 3), (3, 'C', 0, 3)",
            """
            CREATE TABLE ZA (\(Self.prefix), ZN INTEGER, ZUP INTEGER); INSERT INTO ZA VALUES (1, 1, 1, 1, 1), (2, 1, 1, 2, 2);
            CREATE TABLE ZB (\(Self.prefix), ZN INTEGER, ZUP INTEGER); INSERT INTO ZB VALUES (1, 2, 1, 1, 1), (2, 2, 1, 2, 2);
            CREATE TABLE ZC (\(Self.prefix), ZN INTEGER); INSERT INTO ZC VALUES (1, 3, 1, NULL), (2, 3, 1, 2);
            """)
        #expect(said == ["wrote out.strata, a store of 1.0"])
        for table in ["A", "B", "C"] {
            #expect(try workspace.rows("out.strata", "SELECT id FROM \(table)") == ["2"])
        }
        #expect(
            try workspace.rows("out.strata", "SELECT \"table\", key FROM strata_unconverted ORDER BY 1") == [
                "\"A\" \"1\"", "\"B\" \"1\"", "\"C\" \"1\"",
            ])
    }

    // MARK: Versions that are hard to distinguish

    @Test func `a relationship that has an inverse in one version only is read from the right columns`() throws {
        func version(_ hasInverse: Bool) -> String {
            let inverse = hasInverse ? " inverseName=\"rs\"" : ""
            let back = "<relationship name=\"rs\" toMany=\"YES\" destinationEntity=\"R\" inverseName=\"users\"/>"
            return
                "<entity name=\"R\"><relationship name=\"users\" toMany=\"YES\" destinationEntity=\"U\"\(inverse)/></entity>"
                + "<entity name=\"U\">\(Self.attribute("n"))\(hasInverse ? back : "")</entity>"
        }
        func store(_ pairs: String) -> String {
            """
            CREATE TABLE ZR (\(Self.prefix)); INSERT INTO ZR VALUES (1, 1, 1);
            CREATE TABLE ZU (\(Self.prefix), ZN VARCHAR\(pairs.isEmpty ? ", Z1USERS INTEGER" : ""));
            INSERT INTO ZU VALUES (5, 2, 1, 'x'\(pairs.isEmpty ? ", 1" : "")); \(pairs)
            """
        }
        let entities = "(1, 'R', 0, 1), (2, 'U', 0, 5)"
        let (paired, said) = try converted(
            version(true), version(false), entities,
            store("CREATE TABLE Z_1USERS (Z_1RS INTEGER, Z_2USERS INTEGER); INSERT INTO Z_1USERS VALUES (1, 5);"))
        #expect(said == ["wrote out.strata, a store of 1.0"])
        #expect(try paired.rows("out.strata", "SELECT source_id, target_id FROM R_users") == ["1 5"])
        let (owned, other) = try converted(version(true), version(false), entities, store(""))
        #expect(other == ["wrote out.strata, a store of 2.0"])
        #expect(try owned.rows("out.strata", "SELECT source_id, target_id FROM R_users") == ["1 5"])
    }

    @Test func `an unread relationship of one entity hides no column of another`() throws {
        func version(_ attribute: String) -> String {
            "<entity name=\"R\"><relationship name=\"users\" toMany=\"YES\" destinationEntity=\"R\"/></entity>"
                + "<entity name=\"X\">\(Self.attribute("a"))\(attribute)</entity>"
        }
        let (workspace, said) = try converted(
            version(""), version(Self.attribute("users")), "(1, 'R', 0, 0), (2, 'X', 0, 1)",
            "CREATE TABLE ZR (\(Self.prefix), Z1USERS INTEGER); CREATE TABLE ZX (\(Self.prefix), ZA VARCHAR, ZUSERS VARCHAR);"
                + "INSERT INTO ZX VALUES (1, 2, 1, 'a', 'precious');")
        #expect(said == ["wrote out.strata, a store of 2.0"])
        #expect(try workspace.rows("out.strata", "SELECT users FROM X") == ["\"precious\""])
    }

    @Test func `a rename that changes only the letter case counts as a change of values`() throws {
        func version(_ name: String) -> String { "<entity name=\"A\">\(Self.attribute(name, "Integer 64"))</entity>" }
        let (workspace, said) = try converted(
            version("distributionListId"), version("distributionListID"), "(1, 'A', 0, 1)",
            "CREATE TABLE ZA (\(Self.prefix), ZDISTRIBUTIONLISTID INTEGER); INSERT INTO ZA VALUES (1, 1, 1, 42);")
        #expect(said.first?.contains("the database has the tables of 1.0 and 2.0") == true, "\(said)")
        #expect(try convert(workspace, "--version", "2.0").said.last == "wrote out.strata, a store of 2.0")
        #expect(try workspace.rows("out.strata", "SELECT distributionListID FROM A") == ["42"])
    }

    @Test func `a numbered column is not a sibling's column if the entity has no siblings`() throws {
        let one = "<entity name=\"A\">\(Self.attribute("address"))</entity>"
        let two = "<entity name=\"A\">\(Self.attribute("address"))\(Self.attribute("address1"))</entity>"
        let (workspace, said) = try converted(
            one, two, "(1, 'A', 0, 2)",
            "CREATE TABLE ZA (\(Self.prefix), ZADDRESS VARCHAR, ZADDRESS1 VARCHAR);"
                + "INSERT INTO ZA VALUES (1, 1, 1, 'a', 'precious'), (2, 1, 1, NULL, 'two');")
        #expect(said == ["wrote out.strata, a store of 2.0"])
        #expect(
            try workspace.rows("out.strata", "SELECT address, address1 FROM A ORDER BY id") == [
                "\"a\" \"precious\"", "NULL \"two\"",
            ])
    }

    @Test(arguments: [
        ("Integer 64", "INTEGER", "Decimal", "DECIMAL"), ("Double", "FLOAT", "Date", "TIMESTAMP"),
        ("Integer 64", "INTEGER", "String", "VARCHAR"), ("Binary", "BLOB", "Decimal", "DECIMAL"),
    ])
    func `versions that differ in a declared type are distinguished`(
        first: String, declared: String, second: String, other: String
    ) throws {
        func version(_ type: String) -> String { "<entity name=\"A\">\(Self.attribute("v", type))</entity>" }
        for (type, place) in [(declared, "1.0"), (other, "2.0")] {
            let (_, said) = try converted(
                version(first), version(second), "(1, 'A', 0, 1)",
                "CREATE TABLE ZA (\(Self.prefix), ZV \(type)); INSERT INTO ZA VALUES (1, 1, 1, NULL);")
            #expect(said == ["wrote out.strata, a store of \(place)"])
        }
    }

    @Test func `siblings can share a relationship's name, or have names that differ only in letter case`() throws {
        func pair(_ entity: String) -> String {
            "<entity name=\"\(entity)\" parentEntity=\"M\"><relationship name=\"asset\" optional=\"YES\" maxCount=\"1\" "
                + "destinationEntity=\"A\" inverseName=\"\(entity.lowercased())\"/>"
                + "\(Self.attribute(entity == "P" ? "fileId" : "fileID"))</entity>"
        }
        func back(_ entity: String) -> String {
            "<relationship name=\"\(entity.lowercased())\" optional=\"YES\" maxCount=\"1\" destinationEntity=\"\(entity)\" inverseName=\"asset\"/>"
        }
        let model =
            "<entity name=\"M\" isAbstract=\"YES\"/>" + pair("P") + pair("Q")
            + "<entity name=\"A\">\(back("P"))\(back("Q"))</entity>"
        let (workspace, said) = try converted(
            model, nil, "(1, 'A', 0, 2), (2, 'M', 0, 2), (3, 'P', 2, 0), (4, 'Q', 2, 0)",
            """
            CREATE TABLE ZM (\(Self.prefix), ZASSET INTEGER, ZASSET1 INTEGER, ZFILEID VARCHAR, ZFILEID1 VARCHAR);
            INSERT INTO ZM VALUES (1, 3, 1, 1, NULL, 'p', NULL), (2, 4, 1, NULL, 2, NULL, 'q');
            CREATE TABLE ZA (\(Self.prefix), ZP INTEGER, Z2_P INTEGER, ZQ INTEGER, Z2_Q INTEGER);
            INSERT INTO ZA VALUES (1, 1, 1, 1, 3, NULL, NULL), (2, 1, 1, NULL, NULL, 2, 4);
            """)
        #expect(said == ["wrote out.strata, a store of 1.0"])
        let links = try workspace.rows("out.strata", "SELECT id, p_id, q_id FROM A ORDER BY 1")
        #expect(links == ["1 1 NULL", "2 NULL 2"])
        let columns = try workspace.rows(
            "out.strata", "SELECT name FROM pragma_table_info('M') WHERE name LIKE 'file%'")
        #expect(columns.count == 2)
        let names = columns.map { $0.replacing("\"", with: "") }.sorted()
        #expect(
            try workspace.rows("out.strata", "SELECT kind, \(names.joined(separator: ", ")) FROM M ORDER BY id").map {
                $0.split(separator: " ").filter { $0 != "NULL" }.joined(separator: " ")
            } == ["\"P\" \"p\"", "\"Q\" \"q\""])
    }

    @Test func `two properties of one type whose names differ only in letter case are refused`() throws {
        let model = "<entity name=\"A\">\(Self.attribute("userId"))\(Self.attribute("userID"))</entity>"
        let (_, said) = try converted(
            model, nil, "(1, 'A', 0, 1)", "CREATE TABLE ZA (\(Self.prefix), ZUSERID VARCHAR, ZUSERID1 VARCHAR);")
        #expect(
            said.contains("  1.0: the database lacks a way to tell the columns of A.userId and A.userID apart"),
            "\(said)")
        let typed = "<entity name=\"A\">\(Self.attribute("userId", "Integer 64"))\(Self.attribute("userID"))</entity>"
        let (workspace, told) = try converted(
            typed, nil, "(1, 'A', 0, 1)",
            "CREATE TABLE ZA (\(Self.prefix), ZUSERID VARCHAR, ZUSERID1 INTEGER); INSERT INTO ZA VALUES (1, 1, 1, 'u', 7);"
        )
        #expect(told == ["wrote out.strata, a store of 1.0"])
        let names = try workspace.rows(
            "out.strata", "SELECT name FROM pragma_table_info('A') WHERE type = 'INTEGER' AND NOT pk")
        #expect(try workspace.rows("out.strata", "SELECT \(names[0]) FROM A").first?.contains("7") == true)
    }

    @Test func `the name of a renamed subentity determines the version`() throws {
        func version(_ name: String) -> String {
            "<entity name=\"R\">\(Self.attribute("a"))</entity><entity name=\"\(name)\" parentEntity=\"R\" elementID=\"B\"/>"
        }
        for (name, place) in [("B", "1.0"), ("C", "2.0")] {
            let (workspace, said) = try converted(
                version("B"), version("C"), "(1, 'R', 0, 1), (2, '\(name)', 1, 0)",
                "CREATE TABLE ZR (\(Self.prefix), ZA VARCHAR); INSERT INTO ZR VALUES (1, 2, 1, 'x');")
            #expect(said == ["wrote out.strata, a store of \(place)"])
            #expect(try workspace.rows("out.strata", "SELECT kind FROM R") == ["\"\(name)\""])
        }
    }

    @Test func `the hashes of the compiled model determine the version`() throws {
        func version(_ name: String) -> String { "<entity name=\"A\">\(Self.attribute(name, "Integer 64"))</entity>" }
        func plist(_ object: Any) throws -> Data {
            try PropertyListSerialization.data(fromPropertyList: object, format: .binary, options: 0)
        }
        func hash(_ byte: UInt8) -> Data { Data(repeating: byte, count: 32) }
        let workspace = try Workspace()
        try workspace.writeCoreData("Journal", [version("listId"), version("listID"), version("listId")])
        let info = workspace.url.appendingPathComponent("VersionInfo.plist")
        let versions = ["Journal": ["A": hash(1)], "Journal 2": ["A": hash(2)], "Journal 3": ["A": hash(1)]]
        try plist(["NSManagedObjectModel_VersionHashes": versions]).write(to: info)
        func runImport() -> [String] {
            workspace.run(
                "import", "core-data", workspace.path("Journal.xcdatamodeld"), "--into", workspace.path("model"),
                "--version-info", info.path
            ).complaints
        }
        // A second import can add the hashes.
        workspace.run(
            "import", "core-data", workspace.path("Journal.xcdatamodeld"), "--into", workspace.path("model"))
        #expect(runImport() == [])
        #expect(
            try workspace.text("model/strata.json").contains(
                "\"A\": { \"1.0\": \"0101010101010101\", \"2.0\": \"0202020202020202\", \"3.0\": \"0101010101010101\" }"
            ))
        func convert(_ hashes: Any?) throws -> [String] {
            let metadata = try hashes.map { try plist(["NSStoreModelVersionHashes": $0]) } ?? Data("bplist".utf8)
            let hex = metadata.map { String(format: "%02X", $0) }.joined()
            for name in ["journal.sqlite", "out.strata", "out.strata-wal", "out.strata-shm"] {
                try? FileManager.default.removeItem(atPath: workspace.path(name))
            }
            try workspace.makeDatabase(
                "journal.sqlite",
                """
                CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
                INSERT INTO Z_METADATA VALUES (1, 'A', X'\(hex)');
                CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
                INSERT INTO Z_PRIMARYKEY VALUES (1, 'A', 0, 1);
                CREATE TABLE ZA (\(Self.prefix), ZLISTID INTEGER); INSERT INTO ZA VALUES (1, 1, 1, 42);
                """)
            let result = try self.convert(workspace)
            return result.complaints + result.said.suffix(1)
        }
        #expect(try convert(["A": hash(2)]) == ["wrote out.strata, a store of 2.0"])
        #expect(try workspace.rows("out.strata", "SELECT listID FROM A") == ["42"])
        // 1.0 and 3.0 have the same hash, and the steps between them lose the values.
        #expect(try convert(["A": hash(1)]).first?.contains("has the tables of 1.0 and 3.0,") == true)
        #expect(try convert(["A": hash(9)]).first?.contains("hashes match no imported version") == true)
        #expect(try convert(nil).first?.contains("has the tables of 1.0 and 2.0 and 3.0,") == true)

        try FileManager.default.removeItem(atPath: workspace.path("model"))
        try plist(["NSManagedObjectModel_VersionHashes": ["Journal": ["B": hash(1)]]]).write(to: info)
        #expect(runImport().first?.contains("in Journal they differ in A, B") == true)
        try Data("none".utf8).write(to: info)
        #expect(runImport().first?.hasPrefix("VersionInfo.plist: error: it is not a VersionInfo.plist") == true)
    }

    // MARK: Traps

    @Test func `a column named rowid is not taken for the rowid of SQLite`() throws {
        let model =
            "<entity name=\"A\">\(Self.attribute("rowid", "Integer 64"))\(Self.attribute("n"))"
            + "<relationship name=\"u\" maxCount=\"1\" destinationEntity=\"U\" inverseName=\"as\"/></entity>"
            + "<entity name=\"U\">\(Self.attribute("n"))<relationship name=\"as\" toMany=\"YES\" optional=\"YES\" "
            + "deletionRule=\"Cascade\" destinationEntity=\"A\" inverseName=\"u\"/></entity>"
        let (workspace, said) = try converted(
            model, nil, "(1, 'A', 0, 2), (2, 'U', 0, 7)",
            """
            CREATE TABLE ZU (\(Self.prefix), ZN VARCHAR); INSERT INTO ZU VALUES (7, 2, 1, 'n');
            CREATE TABLE ZA (\(Self.prefix), ZROWID INTEGER, ZN VARCHAR, ZU INTEGER);
            INSERT INTO ZA VALUES (1, 1, 1, 2, 'good', 7), (2, 1, 1, 1, 'dangling', 99);
            """)
        #expect(said == ["wrote out.strata, a store of 1.0"])
        #expect(try workspace.rows("out.strata", "SELECT n FROM A") == ["\"good\""])
        #expect(try workspace.rows("out.strata", "SELECT key FROM strata_unconverted") == ["\"2\""])
    }

    @Test func `versions that differ only in how they store binary data must be named`() throws {
        func version(_ rest: String) -> String {
            "<entity name=\"A\"><attribute name=\"d\" attributeType=\"Binary\" optional=\"YES\" \(rest)/></entity>"
        }
        let (_, said) = try converted(
            version(""), version("allowsExternalBinaryDataStorage=\"YES\""), "(1, 'A', 0, 2)",
            "CREATE TABLE ZA (\(Self.prefix), ZD BLOB); INSERT INTO ZA VALUES (1, 1, 1, X'01AABBCC'), (2, 1, 1, X'0241');"
        )
        #expect(said.first?.contains("has the tables of 1.0 and 2.0,") == true, "\(said)")
    }

    @Test func `a row of an unknown entity is set aside`() throws {
        let (workspace, said) = try converted(
            "<entity name=\"CHANGE\">\(Self.attribute("a"))</entity>", nil,
            "(1, 'CHANGE', 0, 3), (16001, 'CHANGE', 0, 0), (16002, 'TRANSACTION', 0, 0)",
            "CREATE TABLE ZCHANGE (\(Self.prefix), ZA VARCHAR); INSERT INTO ZCHANGE VALUES (1, 1, 1, 'x'), (2, 99, 1, 'y'), (3, NULL, 1, 'z');"
        )
        #expect(said == ["wrote out.strata, a store of 1.0"])
        #expect(try workspace.rows("out.strata", "SELECT id, a FROM CHANGE") == ["1 \"x\""])
        #expect(
            try workspace.rows(
                "out.strata", "SELECT key, json_extract(\"values\", '$.ZA') FROM strata_unconverted ORDER BY 1")
                == ["\"2\" \"y\"", "\"3\" \"z\""])
    }

    @Test func `a row without an integer primary key displaces no other row`() throws {
        let workspace = try Workspace()
        try workspace.makeDatabase("model.sqlite", "CREATE TABLE t (id INT PRIMARY KEY, a TEXT)")
        workspace.run("import", "sqlite", workspace.path("model.sqlite"), "--into", workspace.path("model"))
        try workspace.makeDatabase(
            "journal.sqlite",
            "CREATE TABLE t (id INT PRIMARY KEY, a TEXT); INSERT INTO t VALUES (NULL, 'none'), (1, 'one'), ('abc', 'text');"
        )
        #expect(try convert(workspace).complaints == [])
        #expect(try workspace.rows("out.strata", "SELECT id, a FROM t") == ["1 \"one\""])
        #expect(
            try workspace.rows(
                "out.strata", "SELECT json_extract(\"values\", '$.a') FROM strata_unconverted ORDER BY 1")
                == ["\"none\"", "\"text\""])
    }

    @Test func `a row with a dangling nullable foreign key is kept, whatever the delete rule`() throws {
        func version(_ rule: String) -> String {
            "<entity name=\"Note\">\(Self.attribute("a"))<relationship name=\"folder\" optional=\"YES\" maxCount=\"1\" "
                + "destinationEntity=\"Folder\" inverseName=\"notes\"/></entity><entity name=\"Folder\">\(Self.attribute("a"))"
                + "<relationship name=\"notes\" optional=\"YES\" toMany=\"YES\" deletionRule=\"\(rule)\" destinationEntity=\"Note\" "
                + "inverseName=\"folder\"/></entity>"
        }
        let (workspace, said) = try converted(
            version("Nullify"), version("Cascade"), "(1, 'Folder', 0, 0), (2, 'Note', 0, 1)",
            "CREATE TABLE ZFOLDER (\(Self.prefix), ZA VARCHAR); CREATE TABLE ZNOTE (\(Self.prefix), ZA VARCHAR, ZFOLDER INTEGER);"
                + "INSERT INTO ZNOTE VALUES (1, 2, 1, 'x', 99);")
        #expect(said == ["wrote out.strata, a store of 2.0"])
        #expect(try workspace.rows("out.strata", "SELECT a, folder_id FROM Note") == ["\"x\" NULL"])
    }

    @Test func `a spatial index of Core Data is ignored, and a transient property has no column`() throws {
        func version(_ rest: String) -> String {
            "<entity name=\"A\">\(Self.attribute("a"))<attribute name=\"note\" attributeType=\"String\" optional=\"YES\" \(rest)/></entity>"
        }
        let (workspace, said) = try converted(
            version(""), version("transient=\"YES\""), "(1, 'A', 0, 1)",
            """
            CREATE TABLE ZA (\(Self.prefix), ZA VARCHAR, ZNOTE VARCHAR); INSERT INTO ZA VALUES (1, 1, 1, 'x', 'n');
            CREATE VIRTUAL TABLE Z_A_Index USING RTREE (Z_PK INTEGER, ZX_MIN FLOAT, ZX_MAX FLOAT);
            """)
        #expect(said == ["wrote out.strata, a store of 1.0"])
        #expect(try workspace.rows("out.strata", "SELECT note FROM A") == ["\"n\""])
    }

    // MARK: Primary keys

    @Test func `no primary key is ever used twice`() throws {
        let model =
            "<entity name=\"R\">\(Self.attribute("a"))</entity><entity name=\"B\" parentEntity=\"R\"/><entity name=\"C\">\(Self.attribute("c"))</entity>"
        let (workspace, _) = try converted(
            model, nil, "(1, 'R', 0, 9999), (2, 'B', 1, 0), (3, 'C', 0, NULL)",
            """
            CREATE TABLE ZR (\(Self.prefix), ZA VARCHAR); INSERT INTO ZR VALUES (3, 2, 1, 'x');
            CREATE TABLE ZC (\(Self.prefix), ZC VARCHAR); INSERT INTO ZC VALUES (4, 3, 1, 'y'), (700, 3, 1, CAST(X'E9' AS TEXT));
            """)
        let last = "SELECT key, value FROM strata_metadata WHERE key LIKE 'last_id%' ORDER BY 1"
        // A row that is set aside keeps its primary key.
        #expect(
            try workspace.rows("out.strata", last).map { $0.replacing("\"", with: "") } == [
                "last_id C 700", "last_id R 9999",
            ])

        let drift = try Workspace()
        try drift.makeDatabase(
            "journal.sqlite",
            "CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT, a TEXT); INSERT INTO t VALUES (500, 'x'), (6, 'y'); DELETE FROM t WHERE id = 500;"
        )
        drift.run("import", "sqlite", drift.path("journal.sqlite"), "--into", drift.path("model"))
        #expect(try convert(drift).complaints == [])
        #expect(try drift.rows("out.strata", last).map { $0.replacing("\"", with: "") } == ["last_id t 500"])
    }

    @Test func `both sides of a many-to-many relationship keep their order`() throws {
        let ordered = Journal.first.replacing("inverseName=\"tags\"", with: "inverseName=\"tags\" ordered=\"YES\"")
        let places = "ALTER TABLE Z_1TAGS ADD COLUMN Z_FOK_1ITEMS INTEGER; UPDATE Z_1TAGS SET Z_FOK_1ITEMS = -Z_1ITEMS;"
        // Both are versions of one history; only the order of the items distinguishes them.
        let workspace = try journal(places, versions: [Journal.first, ordered])
        #expect(try convert(workspace).said.last == "wrote out.strata, a store of 2.0")
        #expect(
            try workspace.rows(
                "out.strata", "SELECT source_id, target_id, position, inverse_position FROM Media_tags ORDER BY 1, 3")
                == ["1 20 0 1", "1 10 1 0", "3 20 0 0"])
        #expect(try workspace.text("model/IMPORT.md").contains("order") == false)
        let older = try journal(versions: [Journal.first, ordered])
        #expect(try convert(older).said.last == "wrote out.strata, a store of 1.0")
        let unordered = try convert(journal(versions: [ordered])).complaints
        #expect(
            unordered == [
                "journal.sqlite: error: the database has the tables of no version",
                "  1.0: the database lacks Z_1TAGS.Z_FOK_1ITEMS",
            ])
        let unexpected = try convert(journal(places, versions: [Journal.first])).complaints
        #expect(
            unexpected == [
                "journal.sqlite: error: the database has the tables of no version",
                "  1.0: only the database has Z_1TAGS.Z_FOK_1ITEMS",
            ])
    }

    @Test func `inheritance can use one table for each entity`() throws {
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

    @Test func `a Room database states its version`() throws {
        let second = try room("PRAGMA user_version = 2;")
        #expect(try convert(second).said == ["post: 3 rows", "user: 2 rows", "wrote out.strata, a store of 2.0"])
        #expect(
            try second.rows("out.strata", "SELECT author, number FROM post ORDER BY 1, 2") == ["1 1", "7 1", "7 2"])
        // The database has the tables of the second version, but it states the first.
        #expect(
            try convert(room("PRAGMA user_version = 1;")).complaints == [
                "journal.sqlite: error: the user_version of the database is 1, as in 1.0, but its tables are those of 2.0: "
                    + "find out which is right, and name the version with ConversionOptions.version or --version"
            ])
        // The stated version must exist and match the tables.
        #expect(
            try convert(room("PRAGMA user_version = 2; DROP TABLE post;")).complaints == [
                "journal.sqlite: error: the user_version of the database is 2, as in 2.0, but its tables are those of 1.0: "
                    + "find out which is right, and name the version with ConversionOptions.version or --version"
            ])
        #expect(
            try convert(room("PRAGMA user_version = 2; DROP TABLE user;")).complaints == [
                "journal.sqlite: error: the database has the tables of no version",
                "  2.0: the database lacks the table user",
            ])
        #expect(
            try convert(room("PRAGMA user_version = 3;")).complaints == ["journal.sqlite: error: unknown version 3"]
        )
        // The database states no version, so the version that has all of its tables is taken.
        #expect(try convert(room("")).said.last == "wrote out.strata, a store of 2.0")
    }

    @Test func `rows in a write-ahead log are read, and the log stays unchanged`() throws {
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

    @Test func `tables without an integer primary key get numbers as primary keys`() throws {
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

    @Test func `strata.json can declare the form of a column`() throws {
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
            try convert(workspace, "--invalid-rows", "refuse").complaints == [
                "journal.sqlite: error: 6 rows, tables or columns of the database do not fit version 2.0:",
                "user 1: born is 0, which is no date as text of ISO 8601",
                "user 7: born is 1714564800000, which is no date as text of ISO 8601",
                "user 8: born is \"never\", which is no date as text of ISO 8601",
            ] + [(7, 1), (7, 2), (1, 1)].map { "post \($0), \($1): author is \($0), and user has no such row" })
        try edit(
            "strata.json", "\"from\": \"room\"",
            "\"from\": \"room\", \"forms\": { \"User.born\": \"unix_milliseconds\" }")
        let left = try convert(workspace, "--invalid-rows", "drop")
        #expect(left.said.first == "dropped: user 8: born is \"never\", which is no number")
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

    @Test func `an imported SQLite database is converted with its dates, Booleans and decimals`() throws {
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

    @Test func `a Drift database is converted with its dates`() throws {
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

    @Test func `an existing target and an invalid source are reported`() throws {
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

    @Test func `generated columns of the source are computed by the store`() throws {
        let workspace = try Workspace()
        try workspace.makeDatabase(
            "notes.sqlite",
            """
            CREATE TABLE note (id INTEGER PRIMARY KEY, title TEXT NOT NULL, n INTEGER,
                label TEXT AS (title || coalesce(n, '')) STORED, odd TEXT AS (printf('%d', n)));
            CREATE INDEX note_label ON note (label);
            INSERT INTO note (title, n) VALUES ('a', 1), ('b', NULL);
            """)
        let imported = workspace.run(
            "import", "sqlite", workspace.path("notes.sqlite"), "--into", workspace.path("model"))
        #expect(imported.complaints == [])
        let result = workspace.run(
            "convert", workspace.path("notes.sqlite"), "--model", workspace.path("model"), "--to",
            workspace.path("out.strata"))
        #expect(result.complaints == [])
        #expect(
            result.said == [
                "left unread: note.odd: 2 values (derived)", "note: 2 rows", "wrote out.strata, a store of 1.0",
            ])
        #expect(
            try workspace.rows("out.strata", "SELECT id, title, n, label FROM note ORDER BY label") == [
                #"1 "a" 1 "a1""#, #"2 "b" NULL "b""#,
            ])
    }
}
