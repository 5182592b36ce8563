import Foundation
import SchemaModel
import Testing

/// Imports again into a folder that has a model.
@Suite struct MergeTests {
    private static func version(_ number: Int) -> String {
        let attributes = [
            "<attribute name=\"title\" attributeType=\"String\"/>",
            number < 3 ? "<attribute name=\"fax\" attributeType=\"String\" optional=\"YES\"/>" : "",
            number < 2
                ? "<attribute name=\"mail\" attributeType=\"String\" optional=\"YES\"/>"
                : "<attribute name=\"email\" attributeType=\"String\" optional=\"YES\" elementID=\"mail\"/>",
            number < 3
                ? "<attribute name=\"age\" attributeType=\"Boolean\"/>"
                : "<attribute name=\"age\" attributeType=\"Integer 16\"/>",
        ]
        let target = number < 3 ? "Group" : "Team"
        let group = "<entity name=\"\(target)\" \(number < 3 ? "" : "elementID=\"Group\"")>"
        return """
            <entity name="Person">\(attributes.joined())
            <relationship name="group" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="\(target)"
            inverseName="people"/></entity>
            \(group)<relationship name="people" optional="YES" toMany="YES" deletionRule="Nullify"
            destinationEntity="Person" inverseName="group"/></entity>
            """
                + (number < 3
                    ? "" : "<entity name=\"Note\"><attribute name=\"text\" attributeType=\"String\"/></entity>")
    }

    /// A folder with the first `count` versions imported, and a Core Data model of all three beside it.
    private func begun(_ count: Int = 1) throws -> Workspace {
        let workspace = try Workspace()
        try workspace.writeCoreData("M", (1...count).map(Self.version))
        #expect(importAgain(workspace).complaints == [])
        try workspace.writeCoreData("M", (1...3).map(Self.version))
        return workspace
    }

    @discardableResult private func importAgain(_ workspace: Workspace) -> (said: [String], complaints: [String]) {
        let result = workspace.run(
            "import", "core-data", workspace.path("M.xcdatamodeld"), "--into", workspace.path("out"))
        return (result.said, result.complaints)
    }

    private func answer(_ workspace: Workspace, _ renames: String) throws -> (said: [String], complaints: [String]) {
        try workspace.write(renames, to: "renames.json")
        let result = workspace.run(
            "import", "core-data", workspace.path("M.xcdatamodeld"), "--into", workspace.path("out"), "--renames",
            workspace.path("renames.json"))
        return (result.said, result.complaints)
    }

    private func edit(_ workspace: Workspace, _ file: String, _ old: String, _ new: String) throws {
        let text = try workspace.text("out/" + file)
        #expect(text.contains(old))
        try workspace.write(text.replacingOccurrences(of: old, with: new), to: "out/" + file)
    }

    @Test(arguments: [1, 2]) func `newer versions are added as in one import of all versions`(count: Int) throws {
        let workspace = try begun(count)
        let result = importAgain(workspace)
        #expect(result.complaints == [])
        #expect(result.said.contains("added " + (count == 1 ? "2.0, 3.0" : "3.0")))
        let fresh = try Workspace()
        try fresh.writeCoreData("M", (1...3).map(Self.version))
        importAgain(fresh)
        for version in ["1.0", "2.0", "3.0"] {
            #expect(try workspace.lines("out", version).sorted() == (try fresh.lines("out", version).sorted()))
        }
        let steps = try workspace.history("out").steps.map(\.customReasons)
        #expect(try steps == fresh.history("out").steps.map(\.customReasons))
        #expect(try workspace.history("out").formerNames == fresh.history("out").formerNames)
        #expect(try workspace.text("out/IMPORT.md").contains("# What was imported from \(count + 1).0 on"))
        #expect(importAgain(workspace).said == ["out has all versions of M.xcdatamodeld already"])
    }

    @Test func `your edits stay when newer versions are imported`() throws {
        let workspace = try begun()
        // A name for Swift, documentation, a property of your own and a setting.
        try edit(
            workspace, "Person.json", "\"name\": \"mail\"",
            "\"description\": \"Where to write.\",\n \"name\": \"address\", \"persisted_name\": \"mail\"")
        try edit(
            workspace, "Person.json", "\"name\": \"Person\",", "\"name\": \"Person\",\n\"description\": \"Somebody.\",")
        try edit(
            workspace, "Person.json", "{ \"name\": \"fax\",",
            "{ \"name\": \"own\", \"propertyType\": \"string\", \"nullable\": true },\n{ \"name\": \"fax\",")
        try edit(workspace, "strata.json", "\"versions\"", "\"access\": \"package\",\n\"versions\"")
        let result = importAgain(workspace)
        #expect(result.complaints == [])
        let text = try workspace.text("out/Person.json")
        #expect(
            text.contains("\"description\": \"Where to write.\"") && text.contains("\"description\": \"Somebody.\""))
        #expect(text.contains("\"propertyType\": \"string\""))
        #expect(try workspace.text("out/strata.json").contains("\"access\": \"package\""))
        #expect(
            try workspace.lines("out", "3.0").first { $0.hasPrefix("Person") }
                == "Person | key id: int | address: string? persisted mail | age: int | group: to_one Team? inverse people "
                + "on_delete nullify | own: string? | title: string")
        // You changed the name, so the rename of the new version is reported and left out.
        #expect(
            try workspace.text("out/IMPORT.md").contains(
                "| 2.0 | Person.mail | \"name\" is \"address\" in the description and was \"mail\" in the import, so its "
                    + "change to \"email\" is left out |"))
    }

    @Test(arguments: [
        ("\"name\": \"title\",", "\"name\": \"title\", \"indexed\": true,"),
        ("\"name\": \"title\",", "\"name\": \"title\", \"unique\": true,"),
        ("\"name\": \"title\",", "\"name\": \"title\", \"default_value\": \"x\","),
        ("\"name\": \"title\",", "\"name\": \"heading\", \"persisted_name\": \"title\","),
        ("\"identifier\": { \"type\": \"int\" }", "\"identifier\": { \"type\": \"int\", \"name\": \"pk\" }"),
        ("\"name\": \"title\", \"property_type\": \"string\"", "\"name\": \"title\", \"property_type\": \"url\""),
        (
            "\"properties\": [",
            "\"properties\": [ { \"name\": \"own\", \"property_type\": \"int\", \"nullable\": true },"
        ),
    ])
    func `an edited version stays unchanged when newer versions are imported`(old: String, new: String) throws {
        let workspace = try begun()
        try edit(workspace, "Person.json", old, new)
        let before = try workspace.lines("out", "1.0").sorted()
        #expect(importAgain(workspace).complaints == [])
        #expect(try workspace.lines("out", "1.0").sorted() == before)
        #expect(try workspace.lines("out", "3.0").contains { $0.hasPrefix("Person") && $0.contains("age: int") })
    }

    @Test func `a property that you deleted does not come back`() throws {
        let workspace = try begun()
        try edit(workspace, "Person.json", "    { \"name\": \"age\", \"property_type\": \"bool\" },\n", "")
        #expect(importAgain(workspace).complaints == [])
        #expect(try !workspace.text("out/Person.json").contains("age"))
        #expect(
            try workspace.text("out/IMPORT.md").contains(
                "| 1.0 | Person.age | the description does not have it any more"))
    }

    @Test func `no version is added to a model with newer versions of your own or to another model`() throws {
        let workspace = try begun()
        try edit(
            workspace, "Person.json", "\"name\": \"Person\",",
            "\"name\": \"Person\", \"version_history\": [{ \"version\": \"1.5\", \"previous_name\": \"Human\" }],")
        try edit(
            workspace, "strata.json", "{ \"version\": \"1.0\", \"was\": \"M\" }",
            "{ \"version\": \"1.0\", \"was\": \"M\" }, \"1.5\"")
        let before = try workspace.text("out/Person.json")
        #expect(
            importAgain(workspace).complaints == [
                "out: error: the model has added versions up to 1.5 after 1.0, its last imported version: no imported version can follow them"
            ])
        #expect(try workspace.text("out/Person.json") == before)
        let other = try begun()
        try other.writeCoreData("N", [Self.version(1)])
        #expect(
            other.run("import", "core-data", other.path("N.xcdatamodeld"), "--into", other.path("out")).complaints == [
                "out: error: there is a model in it that was not imported from this one: its strata.json names none of its "
                    + "versions"
            ])
    }

    @Test func `files in the folder are never overwritten`() throws {
        let workspace = try Workspace()
        try workspace.writeCoreData("M", [Self.version(1)])
        try workspace.write("{}", to: "out/Person.json")
        #expect(
            importAgain(workspace).complaints == [
                "out/Person.json: error: the file cannot be read: the folder contains files of something else; import into an empty folder"
            ])
        #expect(try workspace.text("out/Person.json") == "{}")
        // The settings of an empty model stay.
        let empty = try Workspace()
        try empty.writeCoreData("M", [Self.version(1)])
        try empty.write("{\"mode\": \"build\"}", to: "out/strata.json")
        #expect(importAgain(empty).complaints == [])
        #expect(try empty.text("out/strata.json").contains("\"mode\": \"build\""))
        #expect(try empty.history("out").versions.count == 1)
    }

    // MARK: Answers

    /// A folder with the exported schemas of the first `count` versions of a Room database.
    private func rooms(_ count: Int = 3) throws -> Workspace {
        let workspace = try Workspace()
        let schemas = [
            TableImportTests.room(
                1,
                [
                    ("user", "`id` INTEGER PRIMARY KEY, `name` TEXT NOT NULL, `mail` TEXT, `fax` TEXT"),
                    ("old", "`id` INTEGER PRIMARY KEY"),
                ]),
            TableImportTests.room(
                2,
                [
                    (
                        "user",
                        "`id` INTEGER PRIMARY KEY, `email` TEXT, `age` INTEGER NOT NULL, `key` TEXT NOT NULL, `name` TEXT NOT NULL"
                    ),
                    ("new", "`id` INTEGER PRIMARY KEY"),
                ]),
            TableImportTests.room(
                3,
                [
                    (
                        "user",
                        "`id` INTEGER PRIMARY KEY, `address` TEXT, `age` INTEGER NOT NULL, `key` TEXT NOT NULL, `name` TEXT NOT NULL"
                    ), ("new", "`id` INTEGER PRIMARY KEY, `x` TEXT"),
                ]),
        ]
        for (place, schema) in schemas.prefix(count).enumerated() {
            try workspace.write(schema, to: "schemas/\(place + 1).json")
        }
        return workspace
    }

    private func importRooms(
        _ workspace: Workspace, _ renames: String? = nil, into folder: String = "out"
    ) throws -> (said: [String], complaints: [String]) {
        var arguments = ["import", "room", workspace.path("schemas"), "--into", workspace.path(folder)]
        if let renames {
            try workspace.write(renames, to: "renames.json")
            arguments += ["--renames", workspace.path("renames.json")]
        }
        let result = workspace.run(all: arguments)
        return (result.said, result.complaints)
    }

    private static let second = """
        "2": { "user.mail": "email", "user.fax": null, "old": "new", "user.age": { "fill": 18 },
               "user.key": { "fill_from": "name" } }
        """
    private static let third = "\"3\": { \"user.email\": \"address\" }"

    /// The texts of the files in a folder, by file name.
    private func files(_ workspace: Workspace, _ folder: String) throws -> [String: String] {
        var files: [String: String] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: workspace.path(folder))
        where name.contains(".") {
            files[name] = try workspace.text(folder + "/" + name)
        }
        return files
    }

    @Test func `answers for imported steps give the same result as an import with the answers`() throws {
        let workspace = try rooms()
        #expect(try importRooms(workspace).complaints == [])
        #expect(try workspace.history("out").steps.map(\.isCustom) == [true, true])
        let first = try importRooms(workspace, "{ \(Self.second) }")
        #expect(first.complaints == [])
        #expect(first.said.contains("removed out/Old.json"))
        #expect(try workspace.history("out").steps.map(\.isCustom) == [false, true])
        // Earlier answers are remembered.
        #expect(try importRooms(workspace, "{ \(Self.third) }").complaints == [])
        #expect(try workspace.history("out").steps.map(\.isCustom) == [false, false])
        #expect(try importRooms(workspace).said == ["out has all versions of schemas already"])
        #expect(try importRooms(workspace, "{ \(Self.second), \(Self.third) }", into: "fresh").complaints == [])
        #expect(try files(workspace, "out") == files(workspace, "fresh"))
    }

    /// A folder in which the first two versions were imported, with the schemas of all three.
    private func begunRooms() throws -> Workspace {
        let workspace = try rooms(2)
        #expect(try importRooms(workspace).complaints == [])
        for (name, text) in try files(rooms(), "schemas") { try workspace.write(text, to: "schemas/" + name) }
        return workspace
    }

    private static let refusal =
        "out: error: the descriptions were edited since the import, so the new answers cannot be applied; "
        + "import into a new folder with all answers, and merge its files with git merge-file"

    /// Checks that answers are refused, and change no file.
    private func expectRefusal(
        _ workspace: Workspace, _ complaint: String = refusal, _ location: SourceLocation = #_sourceLocation
    ) throws {
        let before = try files(workspace, "out")
        let complaints = try importRooms(workspace, "{ \(Self.second) }").complaints
        #expect(complaints == [complaint], sourceLocation: location)
        #expect(try files(workspace, "out") == before, sourceLocation: location)
    }

    @Test func `answers and newer versions can be imported together`() throws {
        let workspace = try begunRooms()
        let result = try importRooms(workspace, "{ \(Self.second), \(Self.third) }")
        #expect(result.complaints == [] && result.said.contains("added 3.0"), "\(result)")
        #expect(try importRooms(workspace, "{ \(Self.second), \(Self.third) }", into: "fresh").complaints == [])
        #expect(try files(workspace, "out") == files(workspace, "fresh"))
    }

    @Test func `answers are applied after newer versions were added`() throws {
        let workspace = try begunRooms()
        #expect(try importRooms(workspace).said.contains("added 3.0"))
        #expect(try importRooms(workspace, "{ \(Self.second), \(Self.third) }").complaints == [])
        #expect(try importRooms(workspace, "{ \(Self.second), \(Self.third) }", into: "fresh").complaints == [])
        #expect(try files(workspace, "out") == files(workspace, "fresh"))
    }

    @Test func `settings stay when answers are imported, and commands do not edit descriptions`() throws {
        let workspace = try rooms()
        #expect(try importRooms(workspace).complaints == [])
        try edit(
            workspace, "strata.json", "\"from\": \"room\"",
            "\"from\": \"room\", \"forms\": { \"user.age\": \"plain\" }, \"invalid_rows\": { \"user\": \"refuse\" }")
        try edit(
            workspace, "strata.json", "\"versions\"",
            "\"access\": \"package\", \"oldest_supported_version\": \"2.0\", \"versions\"")
        try edit(workspace, "strata.json", "\"was\": \"3\" }", "\"was\": \"3\" }, \"4.0\"")
        #expect(workspace.run("format", workspace.path("out")).complaints == [])
        #expect(workspace.run("generate", workspace.path("out")).complaints == [])
        let result = try importRooms(workspace, "{ \(Self.second), \(Self.third) }")
        #expect(result.complaints == [])
        #expect(try importRooms(workspace, "{ \(Self.second), \(Self.third) }", into: "fresh").complaints == [])
        let (found, expected) = (try files(workspace, "out"), try files(workspace, "fresh"))
        for name in expected.keys where !["strata.json", "IMPORT.md"].contains(name) {
            #expect(found[name] == expected[name], "\(name)")
        }
        #expect(found["Old.json"] == nil)
        let settings = try workspace.text("out/strata.json").split(whereSeparator: \.isWhitespace).joined(
            separator: " ")
        for setting in [
            "\"access\": \"package\"", "\"oldest_supported_version\": \"2.0\"", "\"4.0\"",
            "\"forms\": { \"user.age\": \"plain\" }", "\"invalid_rows\": { \"user\": \"refuse\" }",
        ] {
            #expect(settings.contains(setting), "\(settings)")
        }
    }

    @Test func `versions keep their numbers when answers are imported`() throws {
        let workspace = try Workspace()
        func write(_ version: String, _ property: String) throws {
            try workspace.write(
                "<model><entity name=\"A\"><attribute name=\"\(property)\" attributeType=\"Date\" optional=\"YES\"/>"
                    + "</entity></model>", to: "M.xcdatamodeld/\(version).xcdatamodel/contents")
        }
        try write("M", "x")
        try write("M 5", "y")
        #expect(importAgain(workspace).complaints == [])
        // If all three were imported now, they would be counted.
        try write("M last", "z")
        let result = try answer(workspace, "{ \"M 5\": { \"A.x\": \"y\" } }")
        #expect(result.complaints == [] && result.said.contains("added 6.0"), "\(result)")
        #expect(try workspace.history("out").versions.map(\.version.text) == ["1.0", "5.0", "6.0"])
        #expect(
            try workspace.text("out/A.json").contains(
                #""version_history": [{ "version": "5.0", "previous_name": "x" }]"#))
    }

    @Test func `the hashes of Core Data's versions stay when answers are imported`() throws {
        let workspace = try begun(2)
        try edit(
            workspace, "strata.json", "\"from\": \"core-data\"",
            "\"from\": \"core-data\", \"hashes\": { \"Group\": { \"2.0\": \"0202020202020202\" }, "
                + "\"Person\": \"0101010101010101\" }")
        let result = try answer(workspace, "{ \"M 2\": { \"Person.mail\": null } }")
        #expect(result.complaints == [] && result.said.contains("added 3.0"))
        let settings = try workspace.text("out/strata.json").split(whereSeparator: \.isWhitespace).joined(
            separator: " ")
        #expect(
            settings.contains(
                "\"hashes\": { \"Group\": { \"2.0\": \"0202020202020202\", \"3.0\": null }, "
                    + "\"Person\": { \"1.0\": \"0101010101010101\", \"3.0\": null } }"), "\(settings)")
    }

    @Test(arguments: ["edited", "added", "deleted", "moved", "unrecorded"])
    func `answers are refused if the descriptions are not as the import wrote them`(edit: String) throws {
        let workspace = try rooms()
        #expect(try importRooms(workspace).complaints == [])
        let file = workspace.path("out/Old.json")
        switch edit {
        case "edited": try workspace.write(workspace.text("out/Old.json") + "\n", to: "out/Old.json")
        case "added":
            try workspace.write(
                "{ \"name\": \"own\", \"added_at_version\": \"3.0\", \"identifier\": { \"type\": \"int\" } }",
                to: "out/Own.json")
        case "deleted": try FileManager.default.removeItem(atPath: file)
        case "moved":
            try workspace.write(workspace.text("out/Old.json"), to: "out/more/Old.json")
            try FileManager.default.removeItem(atPath: file)
        default:
            let text = try workspace.text("out/strata.json")
            try workspace.write(
                text.replacing(/,\s*"descriptions": "[0-9a-f]{16}"/, with: ""), to: "out/strata.json")
            #expect(try workspace.text("out/strata.json") != text)
        }
        try expectRefusal(workspace)
    }

    @Test func `an edited model stays edited after newer versions were added`() throws {
        let workspace = try begunRooms()
        try edit(workspace, "User.json", "\"name\": \"mail\"", "\"description\": \"Mail.\", \"name\": \"mail\"")
        #expect(try importRooms(workspace).said.contains("added 3.0"))
        try expectRefusal(workspace)
    }

    @Test func `answers are refused if an imported version is missing or has changed`() throws {
        let workspace = try rooms()
        #expect(try importRooms(workspace).complaints == [])
        let third = try workspace.text("schemas/3.json")
        try workspace.write(third.replacing("`x` TEXT", with: "`x` INTEGER"), to: "schemas/3.json")
        try expectRefusal(workspace, "out: error: 3.0 would not be the same afterwards; nothing was written")
        try FileManager.default.removeItem(atPath: workspace.path("schemas/3.json"))
        try expectRefusal(
            workspace, "out: error: --renames needs all versions that were imported; 3 is not in schemas")
        try workspace.write(third, to: "schemas/3.json")
        try workspace.write(
            TableImportTests.room(0, [("user", "`id` INTEGER PRIMARY KEY")]), to: "schemas/0.json")
        try expectRefusal(
            workspace, "out: error: --renames needs the versions of schemas to begin with the imported versions")
    }

    @Test(arguments: [
        ("{ \"2\": { \"user.agee\": { \"fill\": 1 } } }", "renames.json:1: error: there is no user.agee in 2"),
        (
            "{ \"2\": { \"user.mail\": \"email\",\n \"user.fax\": \"email\" } }",
            "renames.json:1: error: user.fax and user.mail cannot both become email"
        ),
        ("{ \"9\": {} }", "renames.json:1: error: the version 9 does not exist"),
        ("{ \"3.0\": {} }", "renames.json:1: error: the version 3.0 does not exist; its former name is 3"),
        (
            "{ \"2\": { \"user.name\": { \"fill\": \"x\" } } }",
            "renames.json:1: error: user.name needs no backfill value in 2: it is neither new nor newly mandatory"
        ),
        (
            "{ \"2\": { \"user.age\": { \"fill\": \"x\" } } }",
            "renames.json:1: error: user.age of type int cannot be \"x\""
        ),
        ("{ \"2\": { \"user.age\": { \"fill_from\": \"x\" } } }", "renames.json:1: error: there is no user.x before 2"),
    ])
    func `invalid answers are refused`(renames: String, complaint: String) throws {
        let workspace = try rooms()
        #expect(try importRooms(workspace).complaints == [])
        let before = try files(workspace, "out")
        #expect(try importRooms(workspace, renames).complaints == [complaint])
        #expect(try files(workspace, "out") == before)
    }

    @Test func `answers cannot change the step to a released version`() throws {
        let workspace = try rooms()
        #expect(try importRooms(workspace, "{ \(Self.second), \(Self.third) }").complaints == [])
        #expect(workspace.run("generate", "--release", workspace.path("out")).complaints == [])
        let before = try files(workspace, "out")
        #expect(
            try importRooms(workspace, "{ \"3\": { \"user.email\": null } }").complaints == [
                "out: error: 3.0 is released, so --renames cannot change the step to it"
            ])
        #expect(try files(workspace, "out") == before)
    }
}
