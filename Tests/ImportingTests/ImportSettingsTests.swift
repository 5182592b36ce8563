import Foundation
import SchemaModel
import SQLSchema
import Testing

/// The settings that an import writes to `strata.json`, and the versions that are sealed.
@Suite struct ImportSettingsTests {
    /// A folder with a model of `count` versions. Each version adds an attribute.
    private func workspace(versions count: Int) throws -> Workspace {
        let workspace = try Workspace()
        try workspace.writeCoreData(
            "M",
            (1...count).map { version in
                let attributes = (1...version).map {
                    "<attribute name=\"a\($0)\" attributeType=\"Integer 64\" optional=\"YES\"/>"
                }
                return "<entity name=\"E\">\(attributes.joined())</entity>"
            })
        return workspace
    }

    @discardableResult private func runImport(_ workspace: Workspace, _ options: String...) -> [String] {
        let result = workspace.run(
            all: ["import", "core-data", workspace.path("M.xcdatamodeld"), "--into", workspace.path("out")] + options)
        return result.complaints
    }

    @Test func `a history of ten versions generates only the structs and the DDL that are needed`() throws {
        let long = try workspace(versions: 10)
        #expect(runImport(long) == [])
        #expect(try long.text("out/strata.json").contains("\"structs\": \"needed\""))
        #expect(try long.text("out/strata.json").contains("\"ddl\": \"newest\""))
        #expect(try long.text("out/IMPORT.md").contains("| `\"structs\": \"needed\"` | Only the structs of the newest"))

        let short = try workspace(versions: 9)
        #expect(runImport(short) == [])
        #expect(try !short.text("out/strata.json").contains("structs"))
        #expect(try !short.text("out/IMPORT.md").contains("## Settings"))
    }

    @Test func `an import keeps existing settings`() throws {
        let workspace = try workspace(versions: 10)
        try workspace.write("{ \"structs\": \"all\" }", to: "out/strata.json")
        #expect(runImport(workspace) == [])
        #expect(try workspace.text("out/strata.json").contains("\"structs\": \"all\""))
        #expect(try !workspace.text("out/IMPORT.md").contains("\"structs\""))
    }

    @Test(arguments: ["M 3", "3", "3.0"]) func `the oldest version is given by name or number`(name: String) throws {
        let workspace = try workspace(versions: 4)
        #expect(runImport(workspace, "--oldest", name) == [])
        #expect(try workspace.text("out/strata.json").contains("\"oldest_supported_version\": \"3.0\""))
        #expect(try workspace.text("out/IMPORT.md").contains("`\"oldest_supported_version\": \"3.0\"`"))
        #expect(workspace.run("generate", workspace.path("out")).complaints == [])
        let steps = try FileManager.default.contentsOfDirectory(atPath: workspace.path("out/SQL")).sorted()
        #expect(steps == ["3.0-4.0.sql", "3.0.sql", "4.0.sql"])
    }

    @Test func `an unknown oldest version is refused`() throws {
        let workspace = try workspace(versions: 4)
        #expect(
            runImport(workspace, "--oldest", "M 33") == [
                "M.xcdatamodeld: error: unknown version M 33 in --oldest; did you mean M 3? There are 4 versions, from M to M 4"
            ])
        #expect(!FileManager.default.fileExists(atPath: workspace.path("out")))
    }

    @Test func `imported versions are sealed by a release, and not before`() throws {
        let workspace = try workspace(versions: 3)
        #expect(runImport(workspace) == [])
        func generate(_ command: String = "generate") -> [String] {
            workspace.run(command, workspace.path("out")).complaints
        }
        func make(_ name: String, _ type: String) throws {
            let text = try workspace.text("out/E.json")
            try workspace.write(
                text.replacing(
                    "\"\(name)\", \"property_type\": \"int\"", with: "\"\(name)\", \"property_type\": \"\(type)\""),
                to: "out/E.json")
        }
        #expect(generate() == [])
        #expect(try !workspace.text("out/strata.lock").contains("\nversion "))
        try make("a1", "date")
        #expect(generate() == [])
        #expect(try workspace.lines("out", "1.0").first?.contains("a1: date") == true)

        #expect(try workspace.text("out/strata.lock").contains("\nimported 1.0\nimported 2.0\nimported 3.0\n"))

        // A second version of your own needs a release, which seals the imported versions too.
        try workspace.write(
            try workspace.text("out/strata.json").replacing(
                "\"was\": \"M 3\" }", with: "\"was\": \"M 3\" }, \"4.0\", \"5.0\""),
            to: "out/strata.json")
        let entity = try workspace.text("out/E.json")
        try workspace.write(
            entity.replacing(
                "\"properties\": [",
                with:
                    "\"properties\": [ { \"name\": \"own\", \"property_type\": \"string\", \"nullable\": true, \"added_at_version\": \"4.0\" }, "
                    + "{ \"name\": \"more\", \"property_type\": \"string\", \"nullable\": true, \"added_at_version\": \"5.0\" },"
            ),
            to: "out/E.json")
        let copy = workspace.path("copy")
        try FileManager.default.copyItem(atPath: workspace.path("out"), toPath: copy)
        #expect(workspace.run("generate", copy).complaints.contains { $0.contains("4.0 and 5.0 are not released") })
        #expect(workspace.run("release", copy, "--version", "4.0").complaints == [])
        #expect(try !workspace.text("copy/strata.lock").contains("imported"))
        #expect(try workspace.text("copy/strata.lock").split(separator: "\n").count { $0.hasPrefix("version ") } == 4)
        try workspace.write(entity, to: "out/E.json")
        try workspace.write(
            try workspace.text("out/strata.json").replacing(", \"4.0\", \"5.0\"", with: ""), to: "out/strata.json")

        #expect(generate("release") == [])
        #expect(try workspace.text("out/strata.lock").split(separator: "\n").count { $0.hasPrefix("version ") } == 3)
        try make("a2", "date")
        #expect(generate().contains { $0.contains("in the released versions 2.0 to 3.0") })
    }
}
