import FileSums
import Foundation
import Testing

/// The hashes that `generate` writes and that builds compare.
@Suite struct FileSumsTests {
    private static let book = """
        { "name": "book", "version_history": [{ "version": "1.0" }], "identifier": { "type": "int" },
          "properties": [{ "name": "title", "property_type": "string" }] }
        """
    private static let sums = "Generated/Library.strata.sums"
    private static let remedy = "; run: swift package --allow-writing-to-package-directory generate --target Library"

    /// Generates the files of a model, and runs `body` with a function that compares them as a build does.
    private func withModel(
        _ files: [String: String] = [:], _ body: (ScratchModel, _ problem: (String...) -> String?) throws -> Void
    ) throws {
        try ScratchModel.with(["Book.json": Self.book].merging(files) { $1 }) { model in
            #expect(model.run("generate", model.folder.path).code == .success)
            try body(model) { found in
                let problem = FileSums.problem(
                    in: model.folder.appendingPathComponent(Self.sums), folder: model.folder,
                    found: (["Book.json"] + found).map(model.folder.appendingPathComponent), target: "Library")
                guard let problem else { return nil }
                #expect(problem.hasSuffix(Self.remedy))
                return problem.replacingOccurrences(of: model.folder.path + "/", with: "")
                    .replacingOccurrences(of: Self.remedy, with: "")
            }
        }
    }

    private static func changed(_ name: String, _ change: String = "was changed") -> String {
        "\(name): error: this file \(change) after the generated files were written"
    }

    @Test(arguments: [
        "Book.json", "strata.json", "strata.lock", "Generated/Book.strata.swift", "Generated/Strata.schema.swift",
        "Generated/Strata.migrations.swift", "SQL/1.0.sql",
    ])
    func `a build fails after a change of each file, until generate has run`(name: String) throws {
        try withModel { model, problem in
            #expect(problem() == nil)
            let text = try model.text(name)
            try model.write(text + "\n", to: name)
            #expect(problem() == Self.changed(name))
            try model.write(text, to: name)
            #expect(problem() == nil)
            try FileManager.default.removeItem(at: model.folder.appendingPathComponent(name))
            #expect(problem() == Self.changed(name, "was removed"))
            if name == "strata.json" { try model.write("{ }", to: name) }
            if name == "Book.json" { try model.write(Self.book + " ", to: name) }
            #expect(problem() == (name.contains("json") ? Self.changed(name) : Self.changed(name, "was removed")))
            #expect(model.run("generate", model.folder.path).code == .success)
            #expect(problem() == nil)
            #expect(model.run("generate", model.folder.path).output.hasSuffix("Library: everything is up to date"))
        }
    }

    @Test func `what you edit is reported before what is generated`() throws {
        let page = Self.book.replacing("book", with: "page")
        try withModel(["Page.json": page]) { model, problem in
            try model.write("", to: "Generated/Book.strata.swift")
            try model.write("", to: "SQL/1.0.sql")
            #expect(problem() == Self.changed("Generated/Book.strata.swift") + ", and 1 more files do not match")
            try model.write(page.replacing("title", with: "name"), to: "Page.json")
            #expect(problem() == Self.changed("Page.json") + ", and 2 more files do not match")
        }
    }

    @Test func `new descriptions and files from elsewhere are found`() throws {
        try withModel { model, problem in
            try model.write(Self.book.replacing("book", with: "page"), to: "Pages/Page.json")
            #expect(problem("Pages/Page.json") == Self.changed("Pages/Page.json", "was added"))
            #expect(model.run("generate", model.folder.path).code == .success)
            #expect(problem("Pages/Page.json") == nil)
            #expect(
                problem("Generated/Other.strata.swift") == Self.changed("Generated/Other.strata.swift", "was added"))
        }
    }

    @Test func `migrations may be edited, and so may the files beside a model`() throws {
        let new = #"{ "name": "pages", "property_type": "int", "added_at_version": "2.0" }"#
        let migration = "Migrations/Migration_1_0_to_2_0.swift"
        try withModel(["README.md": ""]) { model, problem in
            #expect(model.run("generate", model.folder.path, "--release", "--untested").code == .success)
            try model.write(Self.book.replacing("string\" }", with: "string\" }, \(new)"), to: "Book.json")
            #expect(model.run("generate", model.folder.path).output.contains("created ./\(migration)"))
            #expect(problem() == nil)
            try model.write(model.text(migration) + "//", to: migration)
            try model.write("Books", to: "README.md")
            #expect(problem() == nil)
        }
    }

    @Test func `templates of your own are compared, also outside of the model`() throws {
        let template = "{{! Strata template, format 6 }}\n// {{schema}}\n"
        try ScratchModel.with([
            "Book.json": Self.book, "strata.json": #"{ "templates": "../Templates" }"#,
            "../Templates/Schema+Own.swift.mustache": template,
        ]) { model in
            #expect(model.run("generate", model.folder.path).output.contains("wrote"))
            #expect(try model.text(Self.sums).contains("  ../Templates/Schema+Own.swift.mustache\n"))
            func problem() -> String? {
                FileSums.problem(
                    in: model.folder.appendingPathComponent(Self.sums), folder: model.folder, found: [],
                    target: "Library")
            }
            #expect(problem() == nil)
            try model.write(template + "//", to: "../Templates/Schema+Own.swift.mustache")
            #expect(
                problem()?.contains("Sources/Library/Templates/Schema+Own.swift.mustache: error: this file was changed")
                    == true)
        }
    }

    @Test func `a file of sums that Git has merged is an error`() throws {
        try withModel { model, problem in
            let text = try model.text(Self.sums)
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            for wrong in [
                "<<<<<<< HEAD\n" + text, text + "0123456789abcdef  Book.json\n",
                text.replacing(lines[2], with: "Book.json"),
                text.replacing("\(lines[3])\n", with: ""), text.replacing("\n", with: "\r\n"), lines[0] + "\n", "",
            ] {
                try model.write(wrong, to: Self.sums)
                #expect(problem() == "\(Self.sums): error: this file was merged or edited")
                #expect(model.run("check", model.folder.path).output.contains("\(Self.sums): error: it is stale"))
            }
            try FileManager.default.removeItem(at: model.folder.appendingPathComponent(Self.sums))
            #expect(problem() == "\(Self.sums): error: this file is missing")
            #expect(model.run("generate", model.folder.path).code == .success)
            #expect(try model.text(Self.sums) == text)
        }
    }

    @Test func `a path of templates that others do not have is an error`() throws {
        try ScratchModel.with(["Book.json": Self.book, "strata.json": #"{ "templates": "/tmp" }"#]) { model in
            let message = "./strata.json: error: \"templates\" is a path from this folder"
            #expect(model.run("generate", model.folder.path).output.hasPrefix(message))
        }
    }

    @Test func `a link to a folder of descriptions is an error`() throws {
        try withModel(["../Shared/Page.json": Self.book.replacing("book", with: "page")]) { model, _ in
            try FileManager.default.createSymbolicLink(
                atPath: model.folder.path + "/Shared", withDestinationPath: "../Shared")
            let message = "./Shared: error: it is a link to a folder; move the folder here"
            #expect(model.run("generate", model.folder.path).output.contains(message))
        }
    }

    @Test func `tests and samples have sums, and models that builds generate have none`() throws {
        try ScratchModel.with([
            "Book.json": Self.book, "../../../Package.swift": "StrataCheck StrataTesting",
            "../../../Tests/LibraryTests/A.swift": "", "../../../Tests/Feature/A.swift": "",
            "strata.json": #"{ "samples": "Feature" }"#,
        ]) { model in
            #expect(model.run("generate", model.folder.path).code == .success)
            let sums = ["LibraryTests", "Feature"].map { "../../../Tests/\($0)/\(Self.sums)" }
            #expect(try model.text(sums[0]).contains("  Generated/LibraryMigrationTests.strata.swift\n"))
            #expect(try model.text(sums[1]).contains("  Generated/LibrarySamples.strata.swift\n"))
            let tests = model.folder.appendingPathComponent("../../../Tests/LibraryTests").standardizedFileURL
            func problem() -> String? {
                FileSums.problem(
                    in: tests.appendingPathComponent(Self.sums), folder: tests, found: [], target: "Library")
            }
            #expect(problem() == nil)
            try model.write("", to: "../../../Tests/LibraryTests/Generated/LibraryMigrationTests.strata.swift")
            #expect(problem()?.contains("LibraryMigrationTests.strata.swift: error: this file was changed") == true)
            // Tests of another state of the model.
            let old = try sums.map(model.text)
            try model.write(Self.book.replacing("title", with: "name"), to: "Book.json")
            #expect(model.run("generate", model.folder.path).code == .success)
            #expect(problem() == nil)
            try model.write(old[0], to: sums[0])
            #expect(problem()?.contains("\(Self.sums): error: this file was changed") == true)
            #expect(model.run("generate", model.folder.path).code == .success)
            try model.write(#"{ "mode": "build", "samples": "Feature" }"#, to: "strata.json")
            #expect(model.run("generate", model.folder.path).code == .success)
            #expect(([Self.sums] + sums).allSatisfy { !model.exists($0) })
        }
    }
}
