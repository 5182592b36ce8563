import Testing

/// The modules that generated code writes before the names of types.
@Suite struct QualifiedNameTests {
    private func model(named name: String) -> [String: String] {
        [
            "Note.json": """
            { "name": "note", "version_history": [{ "version": "1.0" }], "identifier": { "type": "int" },
              "properties": [
                { "name": "text", "property_type": "string", "nullable": true },
                { "name": "day", "property_type": "date", "default_value": "2001-01-01T00:00:00Z" },
                { "name": "color", "property_type": "shade" } ] }
            """,
            "Other.json": """
            { "name": "\(name)", "version_history": [{ "version": "1.0" }], "identifier": { "type": "int" }, "properties": [] }
            """,
            "Shade.json":
                #"{ "name": "shade", "version_history": [{ "version": "1.0" }], "cases": ["dark", "light"] }"#,
        ]
    }

    @Test func `a struct reads as you would write it`() throws {
        try ScratchModel.with(model(named: "other")) { (model: ScratchModel) throws in
            #expect(model.run("generate", model.folder.path).code == .success)
            let note = try model.text("Generated/Note.strata.swift")
            let lines = [
                "public struct Note: StoredEntity, Identifiable {", "public var text: String?", "public var day: Date",
                "text: String? = nil,", "day: Date = Date(timeIntervalSinceReferenceDate: 0.0),",
            ]
            for line in lines { #expect(note.contains(line), "\(line)") }
            let shade = try model.text("Generated/Shade.strata.swift")
            #expect(shade.contains("public enum Shade: String, StoredEnum {"))
        }
    }

    @Test func `the module is written where a type of the model has the name, and a warning names it`() throws {
        for (name, type) in [("date", "Foundation.Date"), ("string", "Swift.String")] {
            try ScratchModel.with(model(named: name)) { (model: ScratchModel) throws in
                let (code, output) = model.run("generate", model.folder.path)
                #expect(code == .success)
                #expect(output.contains("Other.json:1:11: warning: the type of `\(name)` is called"))
                #expect(output.contains("hides \(type)"))
                let note = try model.text("Generated/Note.strata.swift")
                #expect(note.contains("public var day: \(name == "date" ? type : "Date")\n"))
                #expect(note.contains("public var text: \(name == "string" ? type : "String")?\n"))
                #expect(note.contains("day: Foundation.Date = Foundation.Date(") == (name == "date"))
                let shade = try model.text("Generated/Shade.strata.swift")
                #expect(shade.contains("enum Shade: Swift.String, StoredEnum {") == (name == "string"))
            }
        }
    }

    @Test func `qualified_names writes every module, and ends the warning`() throws {
        let files = model(named: "data").merging(["strata.json": #"{ "qualified_names": true }"#]) { _, new in new }
        try ScratchModel.with(files) { (model: ScratchModel) throws in
            let (code, output) = model.run("generate", model.folder.path)
            #expect(code == .success)
            #expect(!output.contains("hides"))
            let note = try model.text("Generated/Note.strata.swift")
            #expect(note.contains("public struct Note: Strata.StoredEntity, Swift.Identifiable {"))
            #expect(note.contains("public var text: Swift.String?\n"))
        }
    }
}
