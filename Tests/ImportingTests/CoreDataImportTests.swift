import Foundation
import SchemaModel
import Testing

/// Imports Core Data models.
@Suite struct CoreDataImportTests {
    /// A folder with the imported model of these versions.
    private func imported(_ versions: [String], _ arguments: String...) throws -> Workspace {
        let workspace = try Workspace()
        try workspace.writeCoreData("M", versions)
        let fixed = ["import", "core-data", workspace.path("M.xcdatamodeld"), "--into", workspace.path("out")]
        let result = workspace.run(all: fixed + arguments)
        #expect(result.code == .success && result.complaints.isEmpty, "\(result.complaints)")
        return workspace
    }

    private static func attribute(_ name: String, _ type: String = "String", _ rest: String = "optional=\"YES\"")
        -> String
    {
        "<attribute name=\"\(name)\" attributeType=\"\(type)\" \(rest)/>"
    }

    private static func entity(_ name: String, _ rest: String = "", _ parts: String...) -> String {
        "<entity name=\"\(name)\" \(rest)>\(parts.joined())</entity>"
    }

    // MARK: Attributes

    @Test func `a composite attribute becomes an attribute for each of its parts`() throws {
        func composite(_ identifier: String, _ parts: String) -> String {
            "<composite name=\"place\" optional=\"YES\" \(identifier)>\(parts)"
                + "<composite name=\"point\">" + Self.attribute("x", "Double", "optional=\"NO\"")
                + "</composite></composite>"
        }
        let street = Self.attribute("street", "String", "optional=\"NO\" defaultValueString=\"none\"")
        let workspace = try imported([
            Self.entity("A", "", Self.attribute("a"), composite("", street).replacing("place", with: "site")),
            Self.entity(
                "A", "", Self.attribute("a"), composite("elementID=\"site\"", street),
                "<attribute name=\"b\" attributeType=\"Composite\"/>", "<composite name=\"c\"/>"),
        ])
        #expect(
            try workspace.lines("out", "1.0") == [
                "A | key id: int | a: string? | site_point_x: double? | site_street: string? = \"none\""
            ])
        #expect(
            try workspace.lines("out", "2.0") == [
                "A | key id: int | a: string? | place_point_x: double? | place_street: string? = \"none\""
            ])
        let versions = try workspace.history("out").versions.map { $0.entities[0].properties.map(\.lineage) }
        #expect(versions[0] == versions[1])
        let report = try workspace.text("out/IMPORT.md")
        #expect(report.contains("| 2.0 | A.b | it is a composite attribute |"))
        #expect(report.contains("| 2.0 | A.c | it is a composite attribute |"))
    }

    @Test(arguments: [
        ("Integer 16", "", "int"), ("Integer 32", "", "int"), ("Integer 64", "", "int"), ("Boolean", "", "bool"),
        ("Double", "", "double"), ("Float", "", "float"), ("Decimal", "", "decimal"), ("String", "", "string"),
        ("Date", "", "date"), ("Binary", "", "data"), ("UUID", "", "uuid"), ("URI", "", "url"),
        ("Transformable", "", "data"), ("Transformable", "customClassName=\"[String]\"", "[string]"),
        ("Transformable", "customClassName=\"Array&lt;Int&gt;\"", "[int]"),
        ("Transformable", "customClassName=\"NSArray&lt;NSString *&gt;\"", "[string]"),
        ("Transformable", "customClassName=\"[Foundation.URL]\"", "[url]"),
        ("Transformable", "customClassName=\"UIColor\"", "data"),
    ])
    func `each type of Core Data becomes a type of Strata`(type: String, rest: String, name: String) throws {
        let workspace = try imported([Self.entity("A", "", Self.attribute("a", type, rest))])
        #expect(try workspace.lines("out", "1.0") == ["A | key id: int | a: \(name)"])
    }

    @Test(arguments: [
        ("Integer 16", "7", "int = 7"), ("Integer 16", "NO", "int = 0"), ("Integer 64", "YES", "int = 1"),
        ("Integer 32", "0.0", "int = 0"), ("Integer 64", "9007199254740993", "int = 9007199254740993"),
        ("Boolean", "YES", "bool = 1"), ("Boolean", "0", "bool = 0"),
        ("Boolean", "NO", "bool = 0"), ("Double", "0", "double = 0.0"), ("Float", "1.5", "float = 1.5"),
        ("Decimal", "1.50", "decimal = \"1.5\""), ("String", "", "string = \"\""), ("String", "NO", "string = \"NO\""),
        ("URI", "https://a.b", "url = \"https://a.b\""),
        (
            "UUID", "00000000-0000-0000-0000-0000000000FF",
            "uuid = X'000000000000000000000000000000FF'"
        ),
    ])
    func `default values are read by their type in every spelling`(type: String, value: String, line: String)
        throws
    {
        let workspace = try imported([
            Self.entity("A", "", Self.attribute("a", type, "defaultValueString=\"\(value)\""))
        ])
        #expect(try workspace.lines("out", "1.0") == ["A | key id: int | a: \(line)"])
    }

    @Test func `a date's default value is an interval`() throws {
        let workspace = try imported([
            Self.entity("A", "", Self.attribute("a", "Date", "defaultDateTimeInterval=\"598320000\""))
        ])
        #expect(try workspace.lines("out", "1.0") == ["A | key id: int | a: date = 598320000.0"])
    }

    @Test func `the order of an index is imported`() throws {
        let workspace = try imported([
            Self.entity(
                "A", "", Self.attribute("a", "String"), Self.attribute("b", "Integer 16"),
                "<fetchIndex name=\"i\"><fetchIndexElement property=\"b\" type=\"Binary\" order=\"descending\"/>"
                    + "<fetchIndexElement property=\"a\" type=\"Binary\" order=\"ascending\"/></fetchIndex>")
        ])
        #expect(try workspace.lines("out", "1.0")[0].contains("| index (b desc, a)"))
        #expect(try !workspace.text("out/IMPORT.md").contains("descending"))
    }

    @Test func `parts that are not imported are reported with their entity, versions and reason`() throws {
        let version = Self.entity(
            "A", "", Self.attribute("a", "Integer 16", "defaultValueString=\"many\" minValueString=\"1\""),
            Self.attribute("b", "String", "transient=\"YES\""),
            Self.attribute("c", "String", "derived=\"YES\" derivationExpression=\"canonical:(a)\""),
            Self.attribute("d", "Undefined"), Self.attribute("e", "Object ID"),
            "<fetchedProperty name=\"f\"><fetchRequest name=\"f\" entity=\"A\" predicateString=\"a == 1\"/></fetchedProperty>",
            "<attribute name=\"g\"/>", Self.attribute("h", "Transformable", "valueTransformerName=\"T\""),
            "<fetchIndex name=\"i\"><fetchIndexElement property=\"a\" type=\"RTree\" order=\"ascending\"/></fetchIndex>",
            "<fetchIndex name=\"j\" partialIndexPredicate=\"a &gt; 1\"><fetchIndexElement expression=\"a + 1\"/></fetchIndex>",
            "<relationship name=\"k\" destinationEntity=\"Nowhere\" optional=\"YES\" maxCount=\"1\"/>",
            "<relationship name=\"l\" optional=\"YES\"/>")
        let workspace = try imported([version, version])
        let lines = try workspace.text("out/IMPORT.md").split(separator: "\n").filter {
            $0.hasPrefix("| 1.0 to 2.0 | A")
        }
        #expect(
            lines == [
                "| 1.0 to 2.0 | A.b | it is transient, so stores have no values of it |",
                "| 1.0 to 2.0 | A.c | it is derived from canonical:(a) |",
                "| 1.0 to 2.0 | A.d | it has no type, so stores have no values of it |",
                "| 1.0 to 2.0 | A.f | it is a fetched property, so stores have no values of it |",
                "| 1.0 to 2.0 | A.g | it has no type, so stores have no values of it |",
                "| 1.0 to 2.0 | A.l | the relationship has no destination |",
                "| 1.0 to 2.0 | A.a | the minimum, 1, is not checked |",
                "| 1.0 to 2.0 | A.a | the default \"many\" is not a value of its type, Integer 16 |",
                "| 1.0 to 2.0 | A.e | Strata has no type for Object ID |",
                "| 1.0 to 2.0 | A.h | the values keep the form that T wrote |",
                "| 1.0 to 2.0 | A.k | its destination, Nowhere, does not exist |",
                "| 1.0 to 2.0 | A | the index on a: it is an R-tree |",
                "| 1.0 to 2.0 | A | the index: it contains only some rows, those with a > 1 |",
                "| 1.0 to 2.0 | A | the index: it contains an expression, a + 1 |",
                "| 1.0 to 2.0 | A | the index: some of its properties are not stored |",
            ])
        #expect(try workspace.lines("out", "2.0") == ["A | key id: int | a: int indexed | h: data"])
    }

    @Test func `names that a description cannot have are replaced, and columns keep their names`() throws {
        let workspace = try imported([
            Self.entity(
                "Type", "", Self.attribute("id"), Self.attribute("hashValue"), Self.attribute("order_id"),
                Self.attribute("orderID"), Self.attribute("from")) + Self.entity("laundry-item")
                + Self.entity("LaundryItem")
                + Self.entity("strata_x")
        ])
        let lines = try workspace.lines("out", "1.0").sorted()
        #expect(
            lines == [
                "\"laundry-item\" | key id: int", "LaundryItem_2 | key id: int | table LaundryItem",
                "imported_Type | key row_id: int | from: string? | hashValue_2: string? persisted hashValue | id: string? "
                    + "| orderID_2: string? persisted orderID | order_id: string? | table Type",
                "imported_strata_x | key id: int",
            ])
    }

    // MARK: Changes

    @Test func `properties are matched by name and elementID, then by elementID, then by name`() throws {
        // The elementID is on either side, is the old or the new name, and stays in later versions.
        let workspace = try imported([
            Self.entity(
                "A", "", Self.attribute("one"), Self.attribute("two", "String", "elementID=\"zwei\""),
                Self.attribute("three"), Self.attribute("four", "String", "elementID=\"x\""), Self.attribute("five")),
            Self.entity(
                "A", "", Self.attribute("uno", "String", "elementID=\"one\""), Self.attribute("zwei"),
                Self.attribute("tres", "String", "elementID=\"three\""), Self.attribute("three"),
                Self.attribute("quattro", "String", "elementID=\"x\""),
                Self.attribute("five", "String", "elementID=\"y\"")),
            Self.entity(
                "A", "", Self.attribute("uno", "String", "elementID=\"one\""), Self.attribute("zwei"),
                Self.attribute("tres", "String", "elementID=\"three\""), Self.attribute("three"),
                Self.attribute("quattro", "String", "elementID=\"x\""),
                Self.attribute("five", "String", "elementID=\"y\"")),
        ])
        let history = try workspace.history("out")
        let before = history.versions[0].entities[0].properties
        let now = history.versions[1].entities[0].properties
        func renamed(_ name: String) -> String? {
            before.first { $0.name == name }.flatMap { old in now.first { $0.lineage == old.lineage }?.name }
        }
        #expect(["one", "two", "three", "four", "five"].map(renamed) == ["uno", "zwei", "three", "quattro", "five"])
        #expect(now.count == 6)
        #expect(history.steps[1].changes.isEmpty)
    }

    @Test func `an elementID that names no entity is ignored`() throws {
        let workspace = try imported([
            Self.entity("A", "", Self.attribute("old")) + Self.entity("B", "", Self.attribute("b")),
            Self.entity("A", "elementID=\"old\"", Self.attribute("new"))
                + Self.entity("C", "elementID=\"B\"", Self.attribute("b")),
        ])
        let history = try workspace.history("out")
        #expect(history.versions[1].entities.map(\.name).sorted() == ["A", "C"])
        #expect(Set(history.versions[0].entities.map(\.lineage)) == Set(history.versions[1].entities.map(\.lineage)))
        #expect(try workspace.text("out/IMPORT.md").contains("| 2.0 | A.old | it was removed, and `new` added |"))
    }

    @Test func `a renames file decides what was renamed or removed, and its errors are reported`() throws {
        let workspace = try Workspace()
        try workspace.writeCoreData(
            "M",
            [
                Self.entity("A", "", Self.attribute("old"), Self.attribute("gone")),
                Self.entity("B", "", Self.attribute("new"), Self.attribute("other")),
            ])
        func run(_ renames: String) throws -> [String] {
            try workspace.write(renames, to: "renames")
            return workspace.run(
                "import", "core-data", workspace.path("M.xcdatamodeld"), "--into", workspace.path("out"), "--renames",
                workspace.path("renames")
            ).complaints
        }
        #expect(try run("[]").first?.hasPrefix("renames:1: error: write {\"VERSION\"") == true)
        #expect(try run("{\"M 2\":\n}}") == ["renames:2: error: it is not valid JSON"])
        #expect(try run("{\"M 3\": {\"A\": \"B\"}}") == ["renames:1: error: the version M 3 does not exist"])
        #expect(
            try run("{\"M\": {\"A\": \"B\"}}") == [
                "renames:1: error: the version M is the oldest version, so nothing changes in it"
            ]
        )
        #expect(try run("{\"M 2\": {\n\"X\": \"B\"}}") == ["renames:2: error: there is no X before M 2"])
        #expect(try run("{\"M 2\": {\"A\": \"X\"}}") == ["renames:1: error: there is no X in M 2"])
        #expect(try run("{\"M 2\": {\"A.x\": \"new\"}}") == ["renames:1: error: there is no A.x before M 2"])
        #expect(try run("{\"M 2\": {\"A\": \"B\",\n\"A.old\": \"x\"}}") == ["renames:2: error: there is no x in M 2"])
        #expect(try run("{\"M 2\": {\"A\": \"B\", \"A.old\": \"new\", \"A.gone\": null}}").isEmpty)
        let history = try workspace.history("out")
        #expect(history.versions.map { $0.entities[0].lineage } == [0, 0])
        #expect(!history.steps[0].isCustom)
        let names = history.versions.map { version in
            version.entities[0].properties.map { "\($0.lineage.index) \($0.name)" }
        }
        #expect(names == [["0 old", "1 gone"], ["0 new", "2 other"]])
        let report = try workspace.text("out/IMPORT.md")
        #expect(report.contains("## To decide\n\nThese are removed with their data") && report.contains(".gone |\n"))
    }

    @Test func `types, optionality, default values, uniqueness and indexes change with the model`() throws {
        func version(_ attribute: String, _ rest: String) -> String {
            Self.entity("A", "", attribute, Self.attribute("b"), rest)
        }
        let workspace = try imported([
            version(Self.attribute("a", "Boolean", ""), ""),
            version(Self.attribute("a", "Integer 16", "defaultValueString=\"3\""), ""),
            version(
                Self.attribute("a", "Integer 16"),
                "<uniquenessConstraints><uniquenessConstraint><constraint value=\"a\"/><constraint value=\"b\"/>"
                    + "</uniquenessConstraint><uniquenessConstraint><constraint value=\"b\"/></uniquenessConstraint>"
                    + "</uniquenessConstraints>"),
            version(
                Self.attribute("a", "Integer 16", "indexed=\"YES\""),
                "<compoundIndexes><compoundIndex><index value=\"b\"/><index value=\"a\"/></compoundIndex></compoundIndexes>"
            ),
        ])
        #expect(
            try ["1.0", "2.0", "3.0", "4.0"].map { try workspace.lines("out", $0) } == [
                ["A | key id: int | a: bool | b: string?"], ["A | key id: int | a: int = 3 | b: string?"],
                ["A | key id: int | a: int? | b: string? unique | unique (a, b)"],
                ["A | key id: int | a: int indexed | b: string? | index (b, a)"],
            ])
    }

    // MARK: Relationships

    @Test func `a delete rule moves to the side that has the column`() throws {
        let workspace = try imported([
            Self.entity(
                "Shelf", "",
                "<relationship name=\"books\" toMany=\"YES\" ordered=\"YES\" optional=\"YES\" deletionRule=\"Cascade\" "
                    + "destinationEntity=\"Book\" inverseName=\"shelf\" inverseEntity=\"Book\"/>")
                + Self.entity(
                    "Book", "",
                    "<relationship name=\"shelf\" maxCount=\"1\" deletionRule=\"Deny\" destinationEntity=\"Shelf\" "
                        + "inverseName=\"books\" inverseEntity=\"Shelf\"/>")
        ])
        let lines = try workspace.lines("out", "1.0")
        #expect(
            lines == [
                "Book | key id: int | shelf: to_one Shelf inverse books on_delete cascade",
                "Shelf | key id: int | books: to_many Book inverse shelf ordered",
            ])
        #expect(
            try workspace.text("out/IMPORT.md").contains(
                "| 1.0 | Book.shelf | it can be deleted while it refers to Shelf |"))
    }

    @Test func `the required side of a to-one pair has the column in all versions`() throws {
        func version(_ person: String, _ passport: String) -> String {
            Self.entity(
                "Person", "",
                "<relationship name=\"passport\" maxCount=\"1\" \(person) destinationEntity=\"Passport\" inverseName=\"person\"/>"
            )
                + Self.entity(
                    "Passport", "",
                    "<relationship name=\"person\" maxCount=\"1\" \(passport) destinationEntity=\"Person\" "
                        + "inverseName=\"passport\"/>")
        }
        let optional = "optional=\"YES\" deletionRule=\"Nullify\""
        let second = try imported([version(optional, "deletionRule=\"Nullify\""), version(optional, optional)])
        #expect(
            try ["1.0", "2.0"].map { try second.lines("out", $0) } == [
                [
                    "Passport | key id: int | person: to_one Person inverse passport on_delete deny",
                    "Person | key id: int | passport: to_one Passport? inverse person",
                ],
                [
                    "Passport | key id: int | person: to_one Person? inverse passport on_delete nullify",
                    "Person | key id: int | passport: to_one Passport? inverse person",
                ],
            ])
        let first = try imported([version("deletionRule=\"Nullify\"", optional)])
        #expect(try first.lines("out", "1.0")[1].hasSuffix("inverse person on_delete deny"))
        let neither = try imported([version(optional, optional)])
        #expect(try neither.lines("out", "1.0")[0].hasSuffix("inverse passport on_delete nullify"))
    }

    @Test func `a changed versionHashModifier is listed in the report`() throws {
        func version(_ entity: String, _ property: String) -> String {
            "<entity name=\"A\" \(entity)>\(Self.attribute("a", "String", property))\(Self.attribute("b", "String"))</entity>"
        }
        let workspace = try imported([
            version("", ""), version("", "versionHashModifier=\"2\""),
            version("versionHashModifier=\"x\"", "versionHashModifier=\"2\""),
        ])
        let report = try workspace.text("out/IMPORT.md")
        #expect(report.contains("| 2.0 | A.a | its versionHashModifier changes from none to \"2\" |"))
        #expect(report.contains("| 3.0 | A | its versionHashModifier changes from none to \"x\" |"))
        #expect(report.split(separator: "\n").count { $0.contains("versionHashModifier changes") } == 2)
    }

    @Test(arguments: [
        ("customClassName=\"[String]\" valueTransformerName=\"NSSecureUnarchiveFromData\"", "[string]", false),
        ("customClassName=\"[String]\" valueTransformerName=\"MyTransformer\"", "data", true),
        ("valueTransformerName=\"NSSecureUnarchiveFromData\"", "data", true),
        ("customClassName=\"[String]\"", "[string]", false),
    ])
    func `a transformable with a list class and an archive is a list`(rest: String, type: String, isLost: Bool) throws {
        let workspace = try imported([Self.entity("A", "", Self.attribute("a", "Transformable", rest))])
        #expect(try workspace.lines("out", "1.0") == ["A | key id: int | a: \(type)"])
        #expect(try workspace.text("out/IMPORT.md").contains("the values keep the form") == isLost)
    }

    @Test func `the column of a to-one pair is on the side that a delete rule deletes`() throws {
        func version(_ account: String, _ user: String) -> String {
            Self.entity(
                "User", "",
                "<relationship name=\"account\" maxCount=\"1\" \(account) destinationEntity=\"Account\" inverseName=\"user\"/>"
            )
                + Self.entity(
                    "Account", "",
                    "<relationship name=\"user\" maxCount=\"1\" \(user) destinationEntity=\"User\" inverseName=\"account\"/>"
                )
        }
        let nullify = "optional=\"YES\" deletionRule=\"Nullify\""
        // The account is deleted with its user, so the account has the column, although every user has an account.
        let workspace = try imported([version("deletionRule=\"Cascade\"", nullify)])
        #expect(
            try workspace.lines("out", "1.0") == [
                "Account | key id: int | user: to_one User? inverse account on_delete cascade",
                "User | key id: int | account: to_one Account inverse user",
            ])
        let report = try workspace.text("out/IMPORT.md")
        #expect(!report.contains("does not delete the rows of"))
        #expect(
            report.contains(
                "| User.account | it is mandatory, but the column belongs to Account.user, so nothing checks"))
        // If each is deleted with the other, one of the two delete rules is not imported.
        let both = try imported([
            version("optional=\"YES\" deletionRule=\"Cascade\"", "optional=\"YES\" deletionRule=\"Cascade\"")
        ])
        let losses = try both.text("out/IMPORT.md").split(separator: "\n")
            .filter { $0.contains("does not delete the rows of") }
        // Deleting an account does not delete its user.
        #expect(losses.count == 1)
        #expect(losses.first?.contains("| Account.user | deleting it does not delete the rows of User") == true)
    }

    @Test func `a relationship that becomes a to-one pair keeps its column`() throws {
        func version(_ toMany: Bool, _ mandatory: Bool = false) -> String {
            let count = toMany ? "toMany=\"YES\"" : "maxCount=\"1\""
            return Self.entity(
                "P", "",
                "<relationship name=\"q\" \(count) optional=\"\(mandatory ? "NO" : "YES")\" deletionRule=\"Nullify\" "
                    + "destinationEntity=\"Q\" inverseName=\"p\"/>")
                + Self.entity(
                    "Q", "",
                    "<relationship name=\"p\" maxCount=\"1\" optional=\"YES\" deletionRule=\"Nullify\" destinationEntity=\"P\" inverseName=\"q\"/>"
                )
        }
        let workspace = try imported([version(true), version(false), version(false, true)])
        #expect(
            try workspace.history("out").steps.map(\.customReasons) == [
                ["`Q`: the unique index on `p` may find duplicates"], [],
            ])
        #expect(try workspace.lines("out", "3.0")[1].contains("p: to_one P? inverse q"))
    }

    @Test func `a to-many pair keeps the order of its ordered side`() throws {
        func many(_ name: String, _ target: String, _ inverse: String, _ rest: String = "") -> String {
            "<relationship name=\"\(name)\" toMany=\"YES\" optional=\"YES\" deletionRule=\"Nullify\" "
                + "destinationEntity=\"\(target)\" inverseName=\"\(inverse)\" \(rest)/>"
        }
        let workspace = try imported([
            Self.entity("A", "", many("bs", "B", "as"), many("friends", "A", "friends"), many("lonely", "B", "nothing"))
                + Self.entity("B", "", many("as", "A", "bs", "ordered=\"YES\""))
        ])
        let lines = try workspace.lines("out", "1.0")
        #expect(
            lines == [
                "A | key id: int | bs: to_many B inverse as | friends: to_many A inverse friends stored | lonely: to_many B stored",
                "B | key id: int | as: to_many A inverse bs ordered stored",
            ])
        #expect(
            try workspace.text("out/IMPORT.md").contains(
                "| 1.0 | A.lonely | its inverse, nothing, does not exist or does not refer back to it alone |"))
        #expect(
            try workspace.text("out/IMPORT.md").contains(
                "| 1.0 | A.lonely | nothing shows where its pairs are, so a conversion leaves it empty |"))
    }

    @Test func `sides of a to-many pair become ordered without a custom migration`() throws {
        func version(_ first: Bool, _ second: Bool) -> String {
            func many(_ name: String, _ target: String, _ inverse: String, _ isOrdered: Bool) -> String {
                "<relationship name=\"\(name)\" toMany=\"YES\" optional=\"YES\" deletionRule=\"Nullify\" "
                    + "destinationEntity=\"\(target)\" inverseName=\"\(inverse)\" \(isOrdered ? "ordered=\"YES\"" : "")/>"
            }
            return Self.entity("A", "", many("bs", "B", "as", first))
                + Self.entity("B", "", many("as", "A", "bs", second))
        }
        let workspace = try imported([version(false, false), version(false, true), version(true, true)])
        #expect(try workspace.history("out").steps.map(\.customReasons) == [[], []])
        #expect(
            try ["1.0", "2.0", "3.0"].map { try workspace.lines("out", $0) } == [
                ["A | key id: int | bs: to_many B inverse as stored", "B | key id: int | as: to_many A inverse bs"],
                [
                    "A | key id: int | bs: to_many B inverse as stored",
                    "B | key id: int | as: to_many A inverse bs ordered",
                ],
                [
                    "A | key id: int | bs: to_many B inverse as ordered stored",
                    "B | key id: int | as: to_many A inverse bs ordered",
                ],
            ])
    }

    @Test func `the storage of a to-many pair is decided again when its inverse changes`() throws {
        func version(_ name: String) -> String {
            func many(_ name: String, _ target: String, _ inverse: String) -> String {
                "<relationship name=\"\(name)\" toMany=\"YES\" destinationEntity=\"\(target)\" inverseName=\"\(inverse)\"/>"
            }
            return Self.entity("A", "", many(name, "B", "y")) + Self.entity("B", "", many("y", "A", name))
        }
        let workspace = try imported([version("p"), version("q"), version("z")])
        #expect(try workspace.lines("out", "3.0")[0].hasSuffix("z: to_many B inverse y stored"))
    }

    // MARK: Inheritance

    private static let media =
        entity("Media", "isAbstract=\"YES\"", attribute("title", "String", ""), attribute("added", "Date"))
        + entity(
            "Book", "parentEntity=\"Media\"", attribute("pages", "Integer 32", "defaultValueString=\"0\""),
            attribute("note"), attribute("subtitle"))
        + entity("Film", "parentEntity=\"Media\"", attribute("note", "Binary"), attribute("subtitle"))
        + entity("Short", "parentEntity=\"Film\"", attribute("minutes", "Integer 16"))

    @Test func `an inheritance tree becomes one table with a kind for each row`() throws {
        let workspace = try imported([Self.media])
        let lines = try workspace.lines("out", "1.0")
        #expect(
            lines == [
                "Media | key id: int | Book_note: string? | Film_note: data? | added: date? | kind: MediaKind | "
                    + "minutes: int? | pages: int? = 0 | subtitle: string? | title: string",
                "MediaKind | enum | case Book: \"Book\" | case Film: \"Film\" | case Short: \"Short\"",
            ])
        #expect(
            try workspace.text("out/IMPORT.md").contains(
                "| 1.0 | Book.pages | it is mandatory for Book, and NULL in rows of other kinds |"))
        #expect(try workspace.text("out/strata.json").contains("\"Media.kind\": \"entity\""))
    }

    @Test func `siblings share a column only if it is the same in all of them`() throws {
        func version(_ book: String, _ film: String) -> String {
            Self.entity("M", "isAbstract=\"YES\"") + Self.entity("Book", "parentEntity=\"M\"", book)
                + Self.entity("Film", "parentEntity=\"M\"", film)
        }
        let binary = Self.attribute("a", "Binary")
        let external = Self.attribute("a", "Binary", "optional=\"YES\" allowsExternalBinaryDataStorage=\"YES\"")
        for (book, film, line) in [
            (binary, binary, "M | key id: int | a: data? | kind: MKind"),
            (binary, external, "M | key id: int | Book_a: data? | Film_a: data? | kind: MKind"),
            (
                Self.attribute("a", "Integer 16", "defaultValueString=\"1\""),
                Self.attribute("a", "Integer 16", "defaultValueString=\"2\""),
                "M | key id: int | Book_a: int? = 1 | Film_a: int? = 2 | kind: MKind"
            ),
        ] {
            #expect(try imported([version(book, film)]).lines("out", "1.0")[0] == line)
        }
    }

    @Test func `an inheritance tree can become one table for each concrete entity`() throws {
        let workspace = try imported([Self.media], "--inheritance", "entity")
        let lines = try workspace.lines("out", "1.0")
        #expect(
            lines == [
                "Book | key id: int | added: date? | note: string? | pages: int = 0 | subtitle: string? | title: string",
                "Film | key id: int | added: date? | note: data? | subtitle: string? | title: string",
                "Short | key id: int | added: date? | minutes: int? | note: data? | subtitle: string? | title: string",
            ])
        let other = try Workspace()
        try other.writeCoreData("M", [Self.media])
        #expect(
            other.run(
                "import", "core-data", other.path("M.xcdatamodeld"), "--into", other.path("out"), "--inheritance", "x"
            ).complaints == ["error: --inheritance must be root or entity"])
    }

    @Test func `an entity that gets subentities gets a kind, and its rows need no custom migration`() throws {
        let one = Self.entity("Media", "", Self.attribute("note"))
        let workspace = try imported([
            one, one + Self.entity("Film", "parentEntity=\"Media\"", Self.attribute("minutes", "Integer 16")),
            one
                + Self.entity(
                    "Film", "parentEntity=\"Media\"", Self.attribute("minutes", "Integer 16"), Self.attribute("x"))
                + Self.entity("Book", "parentEntity=\"Media\"", Self.attribute("x", "Date")),
        ])
        let history = try workspace.history("out")
        #expect(history.steps.map(\.customReasons) == [[], []])
        #expect(
            try ["1.0", "2.0", "3.0"].map { try workspace.lines("out", $0)[0] } == [
                "Media | key id: int | note: string?",
                "Media | key id: int | kind: MediaKind | minutes: int? | note: string?",
                "Media | key id: int | Book_x: date? | Film_x: string? | kind: MediaKind | minutes: int? | note: string?",
            ])
    }

    @Test func `names that collide with the kind or differ only in letter case stay distinct`() throws {
        func version(_ rest: String) -> String {
            Self.entity("A", "", rest, Self.attribute("userID"), Self.attribute("userId"))
                + Self.entity("B", "parentEntity=\"A\"")
        }
        let workspace = try imported([version(""), version(Self.attribute("kind"))])
        let lines = try workspace.lines("out", "2.0")
        #expect(
            lines[0] == "A | key id: int | entity_kind: AKind | kind: string? | userID: string? | userId_2: string?")
        #expect(try workspace.text("out/A.json").contains("\"description\": \"Called `userId` in the source."))
    }

    @Test func `a property that becomes ambiguous keeps its identity`() throws {
        func version(_ rest: String) -> String {
            Self.entity("Root", "isAbstract=\"YES\"") + Self.entity("B", "parentEntity=\"Root\"", Self.attribute("x"))
                + rest
        }
        let workspace = try imported([
            version(""), version(Self.entity("A", "parentEntity=\"Root\"", Self.attribute("x", "Date"))),
        ])
        let history = try workspace.history("out")
        let old = try #require(history.versions[0].entities[0].properties.first { $0.name == "x" })
        #expect(history.versions[1].entities[0].property(old.lineage)?.name == "B_x")
        #expect(history.steps.map(\.isCustom) == [false])
    }

    @Test func `removing a table whose entities remain is reported and needs a custom migration`() throws {
        let workspace = try imported([
            Self.media,
            Self.entity("Book", "", Self.attribute("title", "String", ""), Self.attribute("note"))
                + Self.entity("Film", "", Self.attribute("title", "String", "")),
        ])
        let history = try workspace.history("out")
        #expect(history.steps[0].customReasons.contains("`Media` is removed without \"discard\": true"))
        #expect(
            try workspace.text("out/IMPORT.md").contains(
                "| 2.0 | Media | its table was removed, and Book, Film moved to other tables |"))
    }

    // MARK: Versions

    @Test func `versions are in natural order or in the given order`() throws {
        let workspace = try Workspace()
        for name in ["App", "App 2", "App 10"] {
            try workspace.write(
                "<model>\(Self.entity("A", "", Self.attribute("in" + name.filter(\.isNumber))))</model>",
                to: "App.xcdatamodeld/\(name).xcdatamodel/contents")
        }
        workspace.run("import", "core-data", workspace.path("App.xcdatamodeld"), "--into", workspace.path("a"))
        #expect(try workspace.history("a").versions.map(\.version.text) == ["1.0", "2.0", "10.0"])
        #expect(try workspace.history("a").formerNames.values.sorted() == ["App", "App 10", "App 2"])
        try workspace.write("App 10\nApp\nApp 2.xcdatamodel\n", to: "order")
        workspace.run(
            "import", "core-data", workspace.path("App.xcdatamodeld"), "--into", workspace.path("b"), "--order",
            workspace.path("order"))
        let history = try workspace.history("b")
        #expect(history.versions.map(\.version.text) == ["1.0", "2.0", "3.0"])
        #expect(history.versions.map { history.formerNames[$0.version] } == ["App 10", "App", "App 2"])
    }

    @Test func `version numbers in names are kept if they increase`() throws {
        let workspace = try Workspace()
        for name in ["2.24", "2.24.1", "2.57. 0"] {
            try workspace.write("<model>\(Self.entity("A"))</model>", to: "M.xcdatamodeld/\(name).xcdatamodel/contents")
        }
        workspace.run("import", "core-data", workspace.path("M.xcdatamodeld"), "--into", workspace.path("a"))
        #expect(try workspace.history("a").versions.map(\.version.text) == ["2.24", "2.24.1", "2.57.0"])
    }
}
