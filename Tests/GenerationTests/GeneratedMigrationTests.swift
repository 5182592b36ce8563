import Testing

/// What `generate` writes for custom migrations.
@Suite struct GeneratedMigrationTests {
    private func migrations(_ files: [String: String]) throws -> String {
        var migrations = ""
        try ScratchModel.with(files) { model in
            try ScratchModel.releaseOlderVersions(in: model.folder)
            let result = model.run("generate", model.folder.path)
            #expect(result.code == .success, "\(result.output)")
            migrations = try model.text("Generated/Strata.migrations.swift")
        }
        return migrations
    }

    @Test func `steps of a chain that lead to one version provide single columns with structs of their own`() throws {
        let text = try migrations([
            "strata.json": #"{ "chain": { "1.0": "2.0" } }"#,
            "Note.json": """
            { "name": "note", "version_history": [
                { "version": "1.0" }, { "version": "1.1" }, { "version": "2.0", "migration": "columns" }],
              "identifier": { "type": "int" },
              "properties": [{ "name": "title", "property_type": "string",
                "version_history": [{ "version": "1.0" }, { "version": "2.0", "migration": "custom" }] }] }
            """,
        ])
        for name in ["NoteValues", "NoteValues_1_0"] {
            #expect(text.components(separatedBy: "struct \(name): Strata.MigratedValues").count == 2, "\(name)")
            #expect(text.contains("-> Outcome<V2_0.\(name)>"), "\(name)")
        }
    }

    @Test func `a reference follows the new name of a part of its primary key`() throws {
        func town(_ street: String) throws -> String {
            try migrations([
                "Town.json": """
                { "name": "town", "version_history": [{ "version": "1.0" }],
                  "identifier": { "type": "properties", "properties": ["country", "number"] },
                  "properties": [
                    { "name": "country", "property_type": "string",
                      "version_history": [{ "version": "1.0" }, { "version": "2.0", "previous_name": "land" }] },
                    { "name": "number", "property_type": "int" }] }
                """,
                "Street.json": """
                { "name": "street", "version_history": [{ "version": "1.0" }, { "version": "2.0", "migration": "custom" }],
                  "identifier": { "type": "int" },
                  "properties": [{ "name": "town", \(street)
                    "property_type": { "entity_name": "town", "association": "to_one" } }] }
                """,
            ])
        }
        let schema = "TownID(country: "
        #expect(try town("").contains("\(schema)old.townID.land, number: old.townID.number)"))
        #expect(try town(#""nullable": true,"#).contains("old.townID.map { "))
        #expect(try town(#""nullable": true,"#).contains("\(schema)$0.land, number: $0.number) }"))
    }
}
