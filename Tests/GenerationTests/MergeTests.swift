import Foundation
import Testing

/// Files with the conflicts that git marks in a merge.
@Suite struct MergeTests {
    private static func book(_ properties: String = "") -> String {
        """
        { "name": "book", "version_history": [{ "version": "1.0" }], "identifier": { "type": "int" },
          "properties": [\(properties)
            { "name": "title", "property_type": "string" } ] }
        """
    }

    private static let pages = #"{ "name": "pages", "property_type": "int", "added_at_version": "1.1" },"#
    private static let cover = #"{ "name": "cover", "property_type": "string", "added_at_version": "1.1" },"#

    /// Returns the text that git writes if two branches have changed a file.
    private func conflict(_ ours: String, _ theirs: String) -> String {
        "<<<<<<< HEAD\n\(ours)=======\n\(theirs)>>>>>>> feature\n"
    }

    @Test func `generate resolves the conflicts of all generated files`() throws {
        try ScratchModel.with(["Book.json": Self.book(), "strata.json": #"{ "document": true }"#]) {
            (model: ScratchModel) throws in
            model.run("release", model.folder.path)
            func generated() throws -> [String: String] {
                #expect(model.run("generate", model.folder.path).code == .success)
                let names = try FileManager.default.subpathsOfDirectory(atPath: model.folder.path).filter { name in
                    !["", "Book.json", "strata.json"].contains(name)
                        && !["Generated", "SQL", "Migrations"].contains(name)
                }
                return Dictionary(uniqueKeysWithValues: try names.map { ($0, try model.text($0)) })
            }
            try model.write(Self.book(Self.pages), to: "Book.json")
            let ours = try generated()
            try model.write(Self.book(Self.cover), to: "Book.json")
            let theirs = try generated()
            #expect(Set(ours.keys) == Set(theirs.keys))
            #expect(ours.keys.contains("Migrations/Migration_1_0_to_1_1.swift"))
            #expect(ours.keys.contains(".gitattributes"))

            try model.write(Self.book(Self.pages + Self.cover), to: "Book.json")
            let merged = try generated()
            for (name, text) in ours {
                try model.write(conflict(text, theirs[name] ?? ""), to: name)
            }
            #expect(try generated() == merged)
            #expect(model.run("check", model.folder.path).output.contains("is not written yet"))
        }
    }

    @Test func `a custom migration that you have written is not resolved`() throws {
        try ScratchModel.with(["Book.json": Self.book()]) { (model: ScratchModel) throws in
            model.run("release", model.folder.path)
            try model.write(Self.book(Self.pages), to: "Book.json")
            model.run("generate", model.folder.path)
            let name = "Migrations/Migration_1_0_to_1_1.swift"
            let stub = try model.text(name)
            let text = conflict(
                stub, stub.replacingOccurrences(of: "throw UnwrittenMigration()", with: "// mine"))
            try model.write(text, to: name)
            #expect(model.run("generate", model.folder.path).code == .success)
            #expect(try model.text(name) == text)
        }
    }

    @Test func `generate updates a stub that you have not changed`() throws {
        try ScratchModel.with(["Book.json": Self.book()]) { (model: ScratchModel) throws in
            model.run("release", model.folder.path)
            let name = "Migrations/Migration_1_0_to_1_1.swift"
            try model.write(Self.book(Self.pages), to: "Book.json")
            model.run("generate", model.folder.path)
            #expect(!(try model.text(name).contains("cover")))
            try model.write(Self.book(Self.pages + Self.cover), to: "Book.json")
            model.run("generate", model.folder.path)
            #expect(try model.text(name).contains("cover"))
            let edited = try model.text(name) + "// mine\n"
            try model.write(edited, to: name)
            try model.write(Self.book(Self.pages), to: "Book.json")
            model.run("generate", model.folder.path)
            #expect(try model.text(name) == edited)
        }
    }

    @Test func `two releases of a version stay an error that names both fingerprints`() throws {
        try ScratchModel.with(["Book.json": Self.book()]) { (model: ScratchModel) throws in
            model.run("release", model.folder.path)
            let base = try model.text("strata.lock")
            func released(_ properties: String) throws -> String {
                try model.write(base, to: "strata.lock")
                try model.write(Self.book(properties), to: "Book.json")
                model.run("generate", model.folder.path)
                let nullable = properties.replacingOccurrences(of: #"added_at"#, with: #"nullable": true, "added_at"#)
                try model.write(Self.book(nullable), to: "Book.json")
                #expect(model.run("release", model.folder.path).code == .success)
                return try model.text("strata.lock")
            }
            let (ours, theirs) = (try released(Self.pages), try released(Self.cover))
            func fingerprint(_ lock: String) -> String {
                String(lock.prefix { $0 != "\n" }.split(separator: " ")[2])
            }
            try model.write(conflict(ours, theirs), to: "strata.lock")
            let message = """
                ./strata.lock:1:1: error: each branch has released something that the other has not: 1.1 with fingerprint \
                \(fingerprint(ours)) (HEAD), and 1.1 with fingerprint \(fingerprint(theirs)) (feature); customers may have \
                stores of either; take strata.lock and the files in Fixtures of one branch, with git checkout --ours or --theirs, and \
                give the changes of the other branch a newer version in the descriptions
                """
            for command in ["generate", "check"] {
                #expect(model.run(command, model.folder.path).output == message)
            }
            #expect(try model.text("strata.lock") == conflict(ours, theirs))
        }
    }

    @Test func `your own attributes are kept`() throws {
        try ScratchModel.with(["Book.json": Self.book(), ".gitattributes": "*.sqlite binary\n"]) {
            (model: ScratchModel) throws in
            #expect(model.run("generate", model.folder.path).code == .success)
            #expect(try model.text(".gitattributes") == "*.sqlite binary\n")
        }
        try ScratchModel.with(["Book.json": Self.book()]) { (model: ScratchModel) throws in
            #expect(model.run("generate", model.folder.path).code == .success)
            #expect(model.exists(".gitattributes"))
            try model.write("Model/Generated/** linguist-generated\n", to: "../.gitattributes")
            #expect(model.run("generate", model.folder.path).output.contains("removed ./.gitattributes"))
            #expect(!model.exists(".gitattributes"))
        }
    }
}
