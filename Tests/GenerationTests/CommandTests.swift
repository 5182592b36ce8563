import Commands
import Foundation
import ModelCommands
import SchemaModel
import SQLSchema
import TestFiles
import Testing

/// The commands, run on a model in a temporary folder outside any package.
@Suite struct CommandTests {
    private static let book = """
        { "name": "book", "version_history": [{ "version": "1.0" }, { "version": "2.0" }], "identifier": { "type": "int" },
          "properties": [
            { "name": "title", "property_type": "string" },
            { "name": "pages", "property_type": "int", "default_value": 0, "added_at_version": "2.0" } ] }
        """

    /// Runs `body` with a model whose versions are released, except the newest one.
    ///
    /// - Parameters:
    ///   - isValid: Whether the model can be read. Nothing is released otherwise.
    private func withModel(
        _ configuration: String = "{}", book: String = book, others: [String: String] = [:], isValid: Bool = true,
        _ body: (URL) throws -> Void
    ) throws {
        let root = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        let folder = root.appendingPathComponent("Sources/Library/Model")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: root) }
        try write(configuration, to: folder.appendingPathComponent("strata.json"))
        try write(book, to: folder.appendingPathComponent("Book.json"))
        for (name, text) in others { try write(text, to: folder.appendingPathComponent(name)) }
        if isValid { try ScratchModel.releaseOlderVersions(in: folder) }
        try body(folder)
    }

    /// Runs a command without printing. The command must complain if it fails, and must not complain if it succeeds.
    private func run(_ arguments: [String]) -> Command.ExitCode {
        var complaints: [String] = []
        let code = Command.run(
            arguments, console: Console(say: { _ in }, complain: { complaints.append($0) }), others: ModelCommand.all)
        #expect((code == .success) == complaints.isEmpty, "\(complaints)")
        return code
    }

    private func write(_ text: String, to url: URL) throws {
        try Data(text.utf8).write(to: url)
    }

    private func text(_ url: URL) throws -> String {
        try String(contentsOf: url, encoding: .utf8)
    }

    private func files(_ folder: URL) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { ($0 as NSString).pathExtension != "" }
            .sorted()
    }

    @Test func `generate writes every file, and check succeeds until a file changes`() throws {
        try withModel { (folder: URL) throws in
            #expect(run(["check", folder.path]) == .diagnostics)
            #expect(run(["generate", folder.path]) == .success)
            #expect(
                try files(folder) == [
                    "Book.json", "Generated/Book.strata.history.swift", "Generated/Book.strata.swift",
                    "Generated/Library.strata.sums", "Generated/Strata.migrations.swift",
                    "Generated/Strata.schema.swift", "SQL/1.0-2.0.sql", "SQL/1.0.sql", "SQL/2.0.sql", "strata.json",
                    "strata.lock",
                ])
            // The target has the name of the folder below Sources.
            #expect(
                try text(folder.appendingPathComponent("Generated/Strata.schema.swift")).contains("enum LibrarySchema"))
            #expect(run(["check", folder.path]) == .success)

            let sql = folder.appendingPathComponent("SQL/1.0.sql")
            let before = try text(sql)
            try write(before + " ", to: sql)
            #expect(run(["check", folder.path]) == .diagnostics)
            #expect(run(["generate", folder.path]) == .success)
            #expect(try text(sql) == before)
        }
    }

    private func complaints(_ arguments: [String]) -> [String] {
        var complaints: [String] = []
        _ = Command.run(
            arguments, console: Console(say: { _ in }, complain: { complaints.append($0) }), others: ModelCommand.all)
        return complaints
    }

    @Test func `a file that is too large for a description is refused`() throws {
        try withModel(others: ["Large.json": String(repeating: " ", count: 11_000_000)], isValid: false) { folder in
            let said = complaints(["generate", folder.path])
            #expect(said.count == 1)
            #expect(said.first?.hasSuffix("it has 11 MB, and a description has at most 10") == true, "\(said)")
        }
    }

    @Test func `an unknown command gets the name of a similar one`() {
        #expect(
            complaints(["relase"]) == [
                "error: unknown command relase; did you mean release? strata --help lists the commands"
            ])
    }

    @Test func `generate writes the documents and check finds them stale`() throws {
        try withModel(#"{ "document": true }"#) { (folder: URL) throws in
            #expect(run(["generate", folder.path]) == .success)
            #expect(run(["check", folder.path]) == .success)
            let documents = ["SCHEMA.md", "Schema.html"]
            #expect(try files(folder).filter(documents.contains) == documents)
            for name in documents {
                let url = folder.appendingPathComponent(name)
                let before = try text(url)
                #expect(before.contains("LibrarySchema") && before.contains("1.0"))
                try write(before + " ", to: url)
                #expect(run(["check", folder.path]) == .diagnostics)
                #expect(run(["generate", folder.path]) == .success)
                #expect(try text(url) == before)
            }
            // A build does not wait for the documents.
            try write("old <!-- Generated by Strata. -->", to: folder.appendingPathComponent("Schema.html"))
            #expect(run(["check", folder.path, "--sources"]) == .success)

            // Without the key they are removed, unless you wrote them.
            try write("# Mine", to: folder.appendingPathComponent("SCHEMA.md"))
            try write("{}", to: folder.appendingPathComponent("strata.json"))
            #expect(run(["generate", folder.path]) == .success)
            #expect(try files(folder).filter(documents.contains) == ["SCHEMA.md"])
        }
    }

    @Test(arguments: ["html", "md", "svg"]) func `document writes a file`(suffix: String) throws {
        try withModel { (folder: URL) throws in
            let file = folder.appendingPathComponent("Page." + suffix)
            #expect(run(["document", folder.path, "--to", file.path]) == .success)
            #expect(try text(file).contains("LibrarySchema"))
        }
    }

    @Test func `document refuses other files and several models`() throws {
        try withModel { (folder: URL) throws in
            #expect(run(["document", folder.path, "--to", "/tmp/page.pdf"]) == .usage)
            #expect(run(["document", folder.path, folder.path, "--to", "/tmp/page.html"]) == .usage)
            #expect(run(["document", folder.path]) == .usage)
            #expect(run(["document", folder.path, "--to", "/tmp/page.html", "--since", "1.0"]) == .usage)
            #expect(run(["document", folder.path, "--to", "/tmp/page.svg", "--since", "1.5"]) == .diagnostics)
        }
    }

    @Test func `generate deletes files that it no longer generates and keeps the files that you wrote`() throws {
        let other = Self.book.replacing("\"book\"", with: "\"other\"")
        try withModel(others: ["Other.json": other]) { (folder: URL) throws in
            #expect(run(["generate", folder.path]) == .success)
            try write("-- mine", to: folder.appendingPathComponent("SQL/mine.sql"))
            try write("// mine", to: folder.appendingPathComponent("Generated/Mine.swift"))
            try FileManager.default.removeItem(at: folder.appendingPathComponent("Other.json"))
            try ScratchModel.releaseOlderVersions(in: folder)
            #expect(run(["generate", folder.path]) == .success)
            let files = try files(folder)
            #expect(!files.contains("Generated/Other.strata.swift"))
            #expect(files.contains("SQL/mine.sql") && files.contains("Generated/Mine.swift"))
        }
    }

    @Test func `one edit gives one message, at the edited file`() throws {
        try withModel { (folder: URL) throws in
            #expect(run(["generate", folder.path]) == .success)
            let remedy = "run: swift package --allow-writing-to-package-directory generate --target Library"
            try write(Self.book.replacing("title", with: "name"), to: folder.appendingPathComponent("Book.json"))
            try ScratchModel.releaseOlderVersions(in: folder)
            let message = said(["check", folder.path])
            #expect(!message.contains("\n"))
            #expect(message.hasPrefix("! \(folder.path)/Book.json: error: "))
            #expect(message.contains(" generated files do not match this description: \(folder.path)/"))
            #expect(message.hasSuffix("; \(remedy)"))

            try write(Self.book, to: folder.appendingPathComponent("Book.json"))
            try ScratchModel.releaseOlderVersions(in: folder)
            #expect(run(["generate", folder.path]) == .success)
            let schema = folder.appendingPathComponent("Generated/Strata.schema.swift")
            try write(text(schema) + "\n", to: schema)
            #expect(said(["check", folder.path]) == "! \(schema.path): error: it is stale; \(remedy)")
        }
    }

    @Test func `a manifest without a plugin or StrataTesting gives a warning`() throws {
        try withModel { (folder: URL) throws in
            let root = folder.appendingPathComponent("../../..").standardizedFileURL
            let manifest = root.appendingPathComponent("Package.swift")
            try FileManager.default.createDirectory(
                at: root.appendingPathComponent("Tests/LibraryTests"), withIntermediateDirectories: true)
            try write(#"let package = Package(name: "Library")"#, to: manifest)
            for command in ["generate", "check"] {
                let message = said([command, folder.path])
                func warning(_ target: String, _ rest: String) -> String {
                    "Package.swift: warning: the target \(target) does not use \(rest)"
                }
                #expect(
                    message.contains(warning("Library", "StrataCheck, so no build checks what is generated for it")))
                #expect(
                    message.contains(warning("LibraryTests", "StrataCheck, so no build checks the generated tests")))
                #expect(
                    message.contains(warning("LibraryTests", "StrataTesting, so the generated tests do not compile")))
            }
            try write(#"let parts = ["StrataBuild", "StrataTesting"]"#, to: manifest)
            #expect(!said(["generate", folder.path]).contains("warning"))
            #expect(!said(["check", folder.path]).contains("warning"))
            // Each target is looked at by itself.
            let targets = """
                .target(name: "Library", plugins: [.plugin(name: "StrataCheck", package: "strata")]),
                .testTarget(
                    name: "LibraryTests",
                    dependencies: ["Library", .product(name: "StrataTesting", package: "strata")]),
                """
            try write(targets, to: manifest)
            let missing = "warning: the target LibraryTests does not use StrataCheck"
            #expect(said(["check", folder.path]).contains(missing))
            #expect(said(["check", folder.path]).components(separatedBy: "warning:").count == 2)
            let imported = #"{ "imported": { "from": "room", "invalid_rows": { "book": "drop" } } }"#
            try write(imported, to: folder.appendingPathComponent("strata.json"))
            let message = said(["generate", folder.path])
            #expect(
                message.contains(
                    "warning: the target LibraryTests does not use StrataConversionTesting, so the generated tests of conversions"
                ))
            // A dependency is no declaration, and a constant may hold anything.
            let others = """
                .testTarget(
                    name: "LibraryTests", dependencies: [.target(name: "Library")] + products,
                    plugins: [.plugin(name: "StrataBuild", package: "strata")]),
                .target(name: "Library", plugins: [plugin], swiftSettings: [.define("A", .when(configuration: .debug))]),
                """
            try write(others, to: manifest)
            #expect(!said(["check", folder.path]).contains("warning:"))
        }
    }

    /// The advice to correct a number or to release a version first.
    private static func advice(_ first: String) -> String {
        let command = "swift package --allow-writing-to-package-directory generate --target Library"
        return
            "correct the number; or release \(first) first: add \"current_version\": \"\(first)\" to strata.json, run generate, "
            + "swift test and \(command) --release, and remove it again; without tests, \(first) and older versions are released by "
            + "\(command) --release --version \(first) --untested"
    }

    @Test(arguments: ["2.22", "2.15"])
    func `a second version that is not released is an error at each place that names it`(_ second: String) throws {
        func book(_ version: String) -> String {
            """
            { "name": "book", "version_history": [{ "version": "2.1" }, { "version": "2.2" }],
              "identifier": { "type": "int" }, "properties": [
                { "name": "pages", "property_type": "int", "default_value": 0, "added_at_version": "\(version)" },
                { "name": "isbn", "property_type": "string", "nullable": true, "added_at_version": "\(version)" },
                { "name": "year", "property_type": "int", "nullable": true, "added_at_version": "2.2" },
                { "name": "shelf", "property_type": "int", "nullable": true, "added_at_version": "2.2" } ] }
            """
        }
        try withModel(book: book("2.2")) { (folder: URL) throws in
            #expect(run(["generate", folder.path]) == .success)
            let lock = folder.appendingPathComponent("strata.lock")
            let sealed = try text(lock)
            try write(book(second), to: folder.appendingPathComponent("Book.json"))
            for command in [["generate"], ["generate", "--release"], ["release"], ["check"]] {
                #expect(
                    said(command + [folder.path]) == """
                        ! \(folder.path)/Book.json:3:88: error: 2.2 and \(second) are not released, but only one version \
                        can be edited at a time; \(Self.advice("2.2"))
                        ! \(folder.path)/Book.json:4:88: error: \(second) is named here too
                        """)
            }
            #expect(try text(lock) == sealed)
            // What only reads does so.
            #expect(run(["diff", folder.path, "2.1", second]) == .success)
            #expect(said(["release", folder.path, "--version", "2.3"]).contains("unknown version 2.3"))
            #expect(run(["release", folder.path, "--version", "two"]) == .usage)
            #expect(
                said(["generate", folder.path, "--release", "--version", "2.2"])
                    .contains("released 2.2 of LibrarySchema: it can no"))
            #expect(run(["check", folder.path]) == .success)
            #expect(run(["check", folder.path, "--released"]) == .diagnostics)
        }
    }

    @Test func `versions that customers have already are released without tests`() throws {
        let book = Self.custom.replacing(#"{ "version": "2.0" }"#, with: #"{ "version": "2.0" }, { "version": "3.0" }"#)
        #expect(book != Self.custom)
        try ScratchModel.with(["Book.json": book]) { (model: ScratchModel) throws in
            let stub = "Migrations/Migration_1_0_to_2_0.swift"
            let refusal = model.run("release", model.folder.path, "--version", "2.0")
            #expect(refusal.output == "./\(stub): error: this migration is not written yet, so nothing was released")
            #expect(!model.exists("strata.lock") && !model.exists(stub))
            let release = model.run("release", model.folder.path, "--version", "2.0", "--untested")
            #expect(release.code == .success && release.output.contains("created ./\(stub)"))
            #expect(
                release.output.contains("./\(stub): note: this migration is not written yet; tests fail until it is"))
            #expect(model.run("check", model.folder.path).output.contains("this migration is not written yet"))
        }
    }

    @Test func `a second version that only strata.json names is an error there`() throws {
        let files = ["Book.json": Self.book, "strata.json": #"{ "versions": ["1.0", "2.0", "3.0"] }"#]
        try ScratchModel.with(files) { (model: ScratchModel) throws in
            #expect(model.run("release", model.folder.path, "--version", "1.0").code == .success)
            for command in ["generate", "release"] {
                let output = model.run(command, model.folder.path).output
                #expect(output.hasPrefix("./strata.json:1:30: error: 2.0 and 3.0 are not released"), "\(output)")
            }
        }
    }

    @Test func `releasing one of several versions that are not released is a way out`() throws {
        let book = """
            { "name": "book", "version_history": [{ "version": "1.0" }, { "version": "1.1" }, { "version": "1.2" }],
              "identifier": { "type": "int" }, "properties": [{ "name": "pages", "property_type": "int" }] }
            """
        try ScratchModel.with(["Book.json": book]) { (model: ScratchModel) throws in
            let refusal = model.run("generate", model.folder.path)
            #expect(refusal.code == .diagnostics)
            #expect(
                refusal.output == """
                    ./Book.json:1:96: error: 1.0, 1.1 and 1.2 are not released, but only one version can be edited at a time; \(Self.advice("1.1")); if strata.lock was lost, restore it from version \
                    control
                    """)
            #expect(model.run("release", model.folder.path, "--version", "1.0").code == .success)
            #expect(model.run("generate", model.folder.path).output.contains("1.1 and 1.2 are not released"))
            #expect(model.run("release", model.folder.path, "--version", "1.1").code == .success)
            #expect(model.run("generate", model.folder.path).code == .success)
            #expect(try model.text("strata.lock").split(separator: "\n").count { $0.hasPrefix("version ") } == 2)
        }
    }

    @Test func `a draft can be released before the migration to the next version is written`() throws {
        let book = Self.book.replacing(#""default_value": 0, "#, with: "")
        try ScratchModel.with(["Book.json": book]) { (model: ScratchModel) throws in
            #expect(model.run("release", model.folder.path, "--version", "1.0").code == .success)
            #expect(model.run("release", model.folder.path).output.contains("this migration is not written yet"))
        }
    }

    @Test func `everything is generated and released up to the current version`() throws {
        let book = """
            { "name": "book", "version_history": [{ "version": "1.0" }, { "version": "2.0" }], "identifier": { "type": "int" },
              "properties": [
                { "name": "title", "property_type": "string" },
                { "name": "shelf", "property_type": { "entity_name": "shelf", "association": "to_one" }, "nullable": true,
                  "added_at_version": "3.0" } ] }
            """
        let shelf = """
            { "name": "shelf", "version_history": [{ "version": "3.0" }], "identifier": { "type": "int" },
              "properties": [{ "name": "row", "property_type": "int" }] }
            """
        let files = ["Book.json": book, "Shelf.json": shelf, "strata.json": #"{ "current_version": "2.0" }"#]
        try ScratchModel.with(files) { (model: ScratchModel) throws in
            #expect(model.run("release", model.folder.path, "--version", "1.0").code == .success)
            #expect(model.exists("SQL/2.0.sql") && !model.exists("SQL/3.0.sql"))
            #expect(try model.text("Generated/Strata.schema.swift").contains("V2_0"))
            #expect(try !model.text("Generated/Strata.schema.swift").contains("V3_0"))
            #expect(model.run("check", model.folder.path).code == .success)
            #expect(model.run("release", model.folder.path).output.contains("released 2.0 of LibrarySchema"))
            #expect(
                model.run("add", "property", "book.isbn", "string", "--nullable", "--model", model.folder.path).output
                    == #"""
                    error: "current_version" of ./strata.json is 2.0, which is released; set it to the version to edit
                    """#)
            // Later versions are checked all the same.
            try model.write(shelf.replacing("\"int\" }]", with: "\"integer\" }]"), to: "Shelf.json")
            #expect(model.run("check", model.folder.path).output.contains("unknown type \"integer\""))
            try model.write(shelf, to: "Shelf.json")

            try model.write("{}", to: "strata.json")
            #expect(model.run("generate", model.folder.path).code == .success)
            #expect(model.exists("SQL/3.0.sql") && model.exists("Generated/Shelf.strata.swift"))
            try model.write(#"{ "current_version": "1.0" }"#, to: "strata.json")
            #expect(
                model.run("generate", model.folder.path).output == #"""
                    ./strata.json:1:22: error: "current_version" is 1.0, but 2.0 is released; write 2.0 or a later version
                    """#)
            try model.write(#"{ "current_version": "4.0" }"#, to: "strata.json")
            #expect(model.run("check", model.folder.path).output.contains("no description names the version 4.0"))
            try model.write(#"{ "current_version": "1.0", "oldest_supported_version": "2.0" }"#, to: "strata.json")
            #expect(
                model.run("check", model.folder.path).output.hasSuffix(
                    #"./strata.json:1:22: error: "current_version" is 1.0, which is older than "oldest_supported_version", 2.0"#
                ))
        }
    }

    @Test func `a version keeps its name if one element spells it differently`() throws {
        let book = Self.book.replacing(#""added_at_version": "2.0""#, with: #""added_at_version": "2""#)
        let page = Self.book.replacing("\"book\"", with: "\"page\"")
        try withModel(book: book, others: ["Page.json": page]) { (folder: URL) throws in
            #expect(run(["generate", folder.path]) == .success)
            #expect(try files(folder).contains("SQL/2.0.sql"))
        }
    }

    @Test func `the order of properties cannot change the tables of a sealed version`() throws {
        func book(_ names: [String]) -> String {
            let properties = names.map { #"{ "name": "\#($0)", "property_type": "string" }"# }.joined(separator: ", ")
            return """
                { "name": "book", "version_history": [{ "version": "1.0" }, { "version": "2.0" }],
                  "identifier": { "type": "int" }, "properties": [\(properties),
                    { "name": "pages", "property_type": "int", "default_value": 0, "added_at_version": "2.0" } ] }
                """
        }
        for ddl in ["all", "newest"] {
            try withModel(#"{ "ddl": "\#(ddl)" }"#, book: book(["title", "author"])) { (folder: URL) throws in
                #expect(run(["generate", folder.path]) == .success)
                let before = try files(folder).map { try text(folder.appendingPathComponent($0)) }
                try write(book(["author", "title"]), to: folder.appendingPathComponent("Book.json"))
                let message = said(["generate", folder.path])
                #expect(message.contains("version 1.0 is released, and the SQL of"))
                #expect(message.contains("restore the former order of the properties"))
                #expect(message.contains("`book`") == (ddl == "all"))
                #expect(said(["check", folder.path]).contains("version 1.0 is released, and the SQL of"))
                try write(book(["title", "author"]), to: folder.appendingPathComponent("Book.json"))
                #expect(try files(folder).map { try text(folder.appendingPathComponent($0)) } == before)
                // The check succeeds with the former order of the properties.
                #expect(run(["check", folder.path]) == .success)
            }
        }
    }

    @Test func `renaming a description file changes no SQL`() throws {
        let author =
            #"{ "name": "author", "version_history": [{ "version": "1.0" }], "identifier": { "type": "int" } }"#
        try withModel(others: ["Author.json": author]) { (folder: URL) throws in
            let url = folder.appendingPathComponent("Author.json")
            func generated() throws -> [String] {
                #expect(run(["generate", folder.path]) == .success)
                return try files(folder).filter { $0.hasSuffix(".sql") || $0.hasSuffix(".lock") }
                    .map { try text(folder.appendingPathComponent($0)) }
            }
            let before = try generated()
            #expect(before.count == 4)
            try FileManager.default.moveItem(at: url, to: folder.appendingPathComponent("ZAuthor.json"))
            #expect(try generated() == before)
        }
    }

    @Test(arguments: [
        // A foreign key has the collation of the primary key that it references.
        (#""collation": "nocase""#, #""previous": { "collation": null }"#, "{}", "Town"),
        // A struct is encoded with the names in its description.
        (
            #""persisted_name": "code""#, #""previous_name": "isoCode""#,
            #"{ "codable": "description_names" }"#, "Book"
        ),
    ])
    func `versions share a struct only if they compare and encode it alike`(
        now: String, before: String, configuration: String, file: String
    ) throws {
        let nation = """
            { "name": "nation", "version_history": [{ "version": "1.0" }, { "version": "2.0" }],
              "identifier": { "type": "property", "property": "iso_code" },
              "properties": [{ "name": "iso_code", "property_type": "string", \(now),
                "version_history": [{ "version": "1.0" }, { "version": "2.0", \(before) }] }] }
            """
        let town = """
            { "name": "town", "version_history": [{ "version": "1.0" }], "identifier": { "type": "int" },
              "properties": [
                { "name": "nation", "property_type": { "entity_name": "nation", "association": "to_one" } } ] }
            """
        try withModel(configuration, book: nation, others: ["Town.json": town]) { (folder: URL) throws in
            #expect(run(["generate", folder.path]) == .success)
            for name in ["\(file).strata.swift", "\(file).strata.history.swift"] {
                let generated = try text(folder.appendingPathComponent("Generated/\(name)"))
                #expect(generated.matches(of: /: (Strata\.)?StoredEntity/).count == 1, "\(generated)")
            }
        }
    }

    /// A file with the header of a version's database. `lock` contains the fingerprint of the version.
    private func database(of version: String, _ lock: String) throws -> Data {
        let line = try #require(lock.split(separator: "\n").first { $0.hasPrefix("version \(version) ") })
        let fingerprint = try #require(UInt32(line.split(separator: " ")[3].suffix(8), radix: 16))
        return Data(count: 60) + withUnsafeBytes(of: fingerprint.bigEndian) { Data($0) } + Data(count: 36)
    }

    @Test func `a release turns the draft's fixture into the version's fixture`() throws {
        try withModel { (folder: URL) throws in
            let lock = folder.appendingPathComponent("strata.lock")
            let testFolder = folder.appendingPathComponent("../LibraryTests").standardizedFileURL
            let fixtures = testFolder.appendingPathComponent("Fixtures/LibrarySchema")
            try FileManager.default.createDirectory(at: fixtures, withIntermediateDirectories: true)
            let arguments = [folder.path, "--test-target", "LibraryTests=\(testFolder.path)"]
            func isThere(_ name: String) -> Bool {
                FileManager.default.fileExists(atPath: fixtures.appendingPathComponent(name).path)
            }
            #expect(run(["generate"] + arguments) == .success)
            #expect(try text(fixtures.appendingPathComponent(".gitignore")).hasSuffix("draft-*\n.tests-passed\n"))

            // A fixture of an earlier draft prevents the release.
            try Data(count: 100).write(to: fixtures.appendingPathComponent("draft-2.0.sqlite"))
            #expect(
                said(["release"] + arguments).contains(
                    "draft-2.0.sqlite: error: this fixture is older than the descriptions, so nothing was released"))
            #expect(isThere("draft-2.0.sqlite"))

            try FileManager.default.removeItem(at: fixtures.appendingPathComponent("draft-2.0.sqlite"))
            #expect(
                said(["release"] + arguments).contains(
                    "\(folder.path): error: version 2.0 has no fixture, so nothing was released; run generate and the tests first, or add --untested"
                ))
            #expect(try !text(lock).contains("version 2.0"))
            // Without a test target, a version needs no fixture.
            #expect(run(["release", folder.path]) == .success)
            let released = try database(of: "2.0", text(lock))
            try database(of: "1.0", text(lock)).write(to: fixtures.appendingPathComponent("1.0.sqlite"))
            try FileManager.default.removeItem(at: lock)
            try released.write(to: fixtures.appendingPathComponent("draft-2.0.sqlite"))

            // The generated tests must have passed with these descriptions.
            let record = fixtures.appendingPathComponent(TestRecord.fileName)
            var tests = TestRecord(inputs: 1, tests: ["migration 1.0"])
            func refusal(_ record: TestRecord?) throws -> String {
                if let text = record?.text { try write(text, to: fixtures.appendingPathComponent(TestRecord.fileName)) }
                return said(["release"] + arguments)
            }
            let another = "so nothing was released; run swift test, or add --untested: all of LibraryTests"
            #expect(try refusal(nil).contains(another))
            #expect(try refusal(tests).contains(another))
            tests = TestRecord(
                inputs: TestRecord.inputs(model: folder, tests: testFolder), tests: ["migration 1.0", "random 1.0"])
            tests.set("random 1.0", passed: true)
            #expect(
                try refusal(tests).contains("or add --untested: migration 1.0 of LibraryTests"))
            #expect(try !FileManager.default.fileExists(atPath: lock.path) || !text(lock).contains("version 2.0"))
            tests.set("migration 1.0", passed: true)
            try write(tests.text, to: record)
            #expect(run(["release"] + arguments) == .success)
            #expect(!isThere("draft-2.0.sqlite"))
            #expect(try Data(contentsOf: fixtures.appendingPathComponent("2.0.sqlite")) == released)
            #expect(said(["release"] + arguments).contains("2.0 of LibrarySchema is already released"))
            // The tests of the release have not run yet: this is a warning for the build that ships.
            let warning = "strata.lock: warning: these generated tests have not passed here with the present files"
            let shipped = said(["check", "--released"] + arguments)
            #expect(shipped.contains(warning) && shipped.contains("all of LibraryTests"))
            #expect(!said(["check"] + arguments).contains(warning))
            tests = TestRecord(inputs: TestRecord.inputs(model: folder, tests: testFolder), tests: ["migration 1.0"])
            tests.set("migration 1.0", passed: true)
            try write(tests.text, to: record)
            #expect(!said(["check", "--released"] + arguments).contains(warning))
            #expect(try text(lock).contains(/version 2\.0 fingerprint [0-9a-f]{16} ddl [0-9a-f]{16} fixture [0-9a-f]+/))
        }
    }

    @Test func `the chain between released versions is sealed`() throws {
        let book = """
            { "name": "book", "version_history": [{ "version": "1.0" }, { "version": "2.0" }, { "version": "3.0" }],
              "identifier": { "type": "int" }, "properties": [{ "name": "pages", "property_type": "int" }] }
            """
        let chain = #"{ "chain": { "1.0": "3.0" } }"#
        try ScratchModel.with(["Book.json": book, "strata.json": chain]) { (model: ScratchModel) throws in
            // The way to a draft can still change.
            #expect(model.run("release", model.folder.path, "--version", "2.0").code == .success)
            #expect(try !model.text("strata.lock").contains("chain"))
            #expect(model.run("release", model.folder.path).code == .success)
            let lock = try model.text("strata.lock")
            #expect(lock.contains("\n\"strata.json\": chain 3.0\n"))
            try model.write("{}", to: "strata.json")
            for command in ["generate", "check"] {
                let output = model.run(command, model.folder.path).output
                #expect(
                    output.hasPrefix(
                        "./strata.json:1:1: error: the step from 1.0 to 2.0 is released, and `chain 3.0` is gone"))
            }
            try model.write(#"{ "chain": { "2.0": "3.0", "1.0": "2.0" } }"#, to: "strata.json")
            #expect(model.run("generate", model.folder.path).output.hasPrefix("./strata.json:1:28: error: "))
            #expect(model.run("release", model.folder.path, "--step", "1.0-2.0").code == .success)
            #expect(try !model.text("strata.lock").contains("chain"))
            try model.write(chain, to: "strata.json")
            #expect(
                model.run("check", model.folder.path).output.hasPrefix(
                    "./strata.json:1:14: error: the step from 1.0 to 2.0 is released, and `chain 3.0` is new"))
            try model.write(#"{ "chain": { "1.0": ["2.0", "3.0"] } }"#, to: "strata.json")
            #expect(
                model.run("check", model.folder.path).output.hasPrefix(
                    "./strata.json:1:14: error: the step from 1.0 to 2.0 is released, and `chain 2.0, 3.0` is new"))
        }
    }

    @Test func `a release seals the results of a step that the tests have written`() throws {
        let converted = Self.book.replacing(
            #""property_type": "int", "default_value": 0, "added_at_version": "2.0""#,
            with:
                #""property_type": "string", "version_history": [{ "version": "1.0" }, { "version": "2.0", "previous": { "property_type": "int" } }]"#
        )
        try withModel(book: converted) { (folder: URL) throws in
            let lock = folder.appendingPathComponent("strata.lock")
            let testFolder = folder.appendingPathComponent("../LibraryTests").standardizedFileURL
            let fixtures = testFolder.appendingPathComponent("Fixtures/LibrarySchema")
            try FileManager.default.createDirectory(at: fixtures, withIntermediateDirectories: true)
            let arguments = [folder.path, "--test-target", "LibraryTests=\(testFolder.path)"]
            func file(_ name: String) -> URL { fixtures.appendingPathComponent(name) }
            func isThere(_ name: String) -> Bool { FileManager.default.fileExists(atPath: file(name).path) }
            func pass() throws {
                var record = TestRecord(
                    inputs: TestRecord.inputs(model: folder, tests: testFolder), tests: ["migration 1.0"])
                record.set("migration 1.0", passed: true)
                try write(record.text, to: file(TestRecord.fileName))
            }
            let unsealed =
                "note: the results of the released step 1.0-2.0 are not sealed yet; run the tests, then generate, and commit both"
            #expect(run(["release", folder.path]) == .success)
            let (old, new) = (try database(of: "1.0", text(lock)), try database(of: "2.0", text(lock)))
            try old.write(to: file("1.0.sqlite"))
            try new.write(to: file("2.0.sqlite"))
            // A release without tests: they write the results afterwards.
            #expect(said(["generate"] + arguments).contains(unsealed))
            #expect(
                said(["check"] + arguments).contains("1.0-2.0.rows: error: the results of a released step are not in"))
            var results = StepResults(
                from: "1.0", to: "2.0", fixture: FNV1a(old).value,
                rows: [.init(table: "book", key: "1", values: [("pages", "\"1\"")])])
            try write(results.text, to: file("1.0-2.0.rows"))
            #expect(said(["generate"] + arguments).contains(unsealed), "the tests have not passed with these files")
            try pass()
            #expect(!said(["generate"] + arguments).contains(unsealed))
            let line = "results 1.0 to 2.0 \(Fingerprint(of: Data(results.text.utf8)))\n"
            #expect(try text(lock).contains(line))
            #expect(
                try text(testFolder.appendingPathComponent("Generated/LibraryMigrationTests.strata.swift"))
                    .contains(", results: .sealed(0x"))
            #expect(run(["check"] + arguments) == .success)
            try write("# edited", to: file("1.0-2.0.rows"))
            #expect(
                said(["check"] + arguments).contains("the results of a released step were changed: restore the file"))

            // An accepted step gets new results from the tests. The release of a draft renames its file.
            #expect(run(["release", "--step", "1.0-2.0"] + arguments) == .success)
            #expect(try !text(lock).contains("results ") && !isThere("1.0-2.0.rows"))
            #expect(said(["generate"] + arguments).contains(unsealed))
            try ScratchModel.releaseOlderVersions(in: folder)
            // A file that was left of an earlier release is not that of the draft.
            try write(results.text, to: file("1.0-2.0.rows"))
            try FileManager.default.moveItem(at: file("2.0.sqlite"), to: file("draft-2.0.sqlite"))
            results = results.without(
                differencesFrom: .init(
                    from: "1.0", to: "2.0", fixture: results.fixture,
                    rows: [.init(table: "book", key: "1", values: [("pages", "\"2\"")])]))
            try write(results.text, to: file("draft-1.0-2.0.rows"))
            #expect(
                said(["release"] + arguments).contains(
                    "note: the step from 1.0 to 2.0 gives other values each time, which are not sealed: book.pages"))
            #expect(isThere("1.0-2.0.rows") && !isThere("draft-1.0-2.0.rows"))
            try pass()
            #expect(run(["check", "--released"] + arguments) == .success)
        }
    }

    @Test func `a version with a fixture stays released if the lock is lost`() throws {
        try withModel { (folder: URL) throws in
            let lock = folder.appendingPathComponent("strata.lock")
            let book = folder.appendingPathComponent("Book.json")
            let tests = folder.appendingPathComponent("../LibraryTests").standardizedFileURL
            let fixtures = tests.appendingPathComponent("Fixtures/LibrarySchema")
            try FileManager.default.createDirectory(at: fixtures, withIntermediateDirectories: true)
            let arguments = [folder.path, "--test-target", "LibraryTests=\(tests.path)"]
            #expect(said(["release", folder.path]).contains("released 2.0"))
            for version in ["1.0", "2.0"] {
                let fixture = try database(of: version, text(lock))
                try fixture.write(to: fixtures.appendingPathComponent("\(version).sqlite"))
            }
            #expect(run(["generate"] + arguments) == .success)
            let released = try text(lock)
            #expect(released.components(separatedBy: " fixture ").count == 3)

            try FileManager.default.removeItem(at: lock)
            #expect(said(["check"] + arguments).contains("strata.lock: error: it is missing"))
            #expect(run(["generate"] + arguments) == .success)
            #expect(try text(lock) == released)

            try FileManager.default.removeItem(at: lock)
            for (version, change) in [("1.0", "name"), ("2.0", "leaves")] {
                let changed = Self.book.replacing(version == "1.0" ? "title" : "pages", with: change)
                try write(changed, to: book)
                for command in ["generate", "check", "release"] {
                    let said = said([command] + arguments)
                    #expect(said.contains("\(version).sqlite: error: this is the database of a released version"))
                }
                #expect(!FileManager.default.fileExists(atPath: lock.path))
            }
        }
    }

    @Test func `fixtures of sealed versions are sealed, separately for each test target`() throws {
        let configuration = #"{ "tests": ["FirstTests", "SecondTests"] }"#
        try withModel(configuration) { (folder: URL) throws in
            let lock = folder.appendingPathComponent("strata.lock")
            var arguments = [folder.path]
            for name in ["FirstTests", "SecondTests"] {
                let tests = folder.appendingPathComponent("../\(name)").standardizedFileURL
                try FileManager.default.createDirectory(
                    at: tests.appendingPathComponent("Fixtures/LibrarySchema"), withIntermediateDirectories: true)
                arguments += ["--test-target", "\(name)=\(tests.path)"]
            }
            func fixture(_ version: String, in target: String = "FirstTests") -> URL {
                folder.appendingPathComponent("../\(target)/Fixtures/LibrarySchema/\(version).sqlite")
            }
            func tests(_ target: String) throws -> String {
                try text(folder.appendingPathComponent("../\(target)/Generated/LibraryMigrationTests.strata.swift"))
            }
            #expect(run(["generate"] + arguments) == .success)
            #expect(try !text(lock).contains("fixture"))
            #expect(try tests("FirstTests") == tests("SecondTests"))

            // A file that is not a database of the version is not sealed, and prevents the release.
            try Data(count: 100).write(to: fixture("1.0"))
            try Data(count: 100).write(to: fixture("draft-2.0"))
            #expect(run(["generate"] + arguments) == .success)
            #expect(try !text(lock).contains("fixture"))
            #expect(run(["release"] + arguments) == .diagnostics)

            let old = try database(of: "1.0", text(lock))
            try old.write(to: fixture("1.0"))
            #expect(run(["generate"] + arguments) == .success)
            let sealed = try text(lock)
            #expect(sealed.contains(/version 1\.0 fingerprint [0-9a-f]{16} ddl [0-9a-f]{16} fixture [0-9a-f]{16}\n/))
            #expect(!sealed.contains(/version 2\.0 fingerprint [0-9a-f]{16} ddl [0-9a-f]{16} fixture/))
            #expect(try tests("FirstTests").contains("\"1.0\", sealed: true, file: 0x"))
            #expect(try tests("SecondTests").contains("\"1.0\", sealed: true) {"))
            #expect(run(["check"] + arguments) == .success)

            // A sealed fixture stays sealed, and must not change.
            try (old + Data([1])).write(to: fixture("1.0"))
            #expect(said(["check"] + arguments).contains("was changed: restore it"))
            #expect(run(["generate"] + arguments) == .success)
            #expect(try text(lock) == sealed)
            try FileManager.default.removeItem(at: fixture("1.0"))
            #expect(said(["check"] + arguments).contains("is missing: restore it"))
            try old.write(to: fixture("1.0"))
            #expect(run(["check"] + arguments) == .success)

            try write(sealed.replacing(/fixture [0-9a-f]*/, with: "fixture none"), to: lock)
            #expect(run(["generate"] + arguments) == .diagnostics)
        }
    }

    @Test func `a released version can no longer change`() throws {
        try withModel { (folder: URL) throws in
            #expect(run(["generate", folder.path]) == .success)
            #expect(run(["check", folder.path, "--released"]) == .diagnostics)
            let book = folder.appendingPathComponent("Book.json")
            // The newest version is a draft until it is released.
            try write(Self.book.replacing("\"pages\"", with: "\"leaves\""), to: book)
            #expect(run(["generate", folder.path]) == .success)
            try write(Self.book, to: book)
            #expect(run(["release", folder.path]) == .success)
            #expect(try text(folder.appendingPathComponent("strata.lock")).contains("version 2.0 fingerprint"))
            #expect(run(["check", folder.path, "--released"]) == .success)
            #expect(run(["generate", folder.path]) == .success)
            #expect(run(["check", folder.path, "--released"]) == .success)

            let lock = try text(folder.appendingPathComponent("strata.lock"))
            try write(Self.book.replacing("\"pages\"", with: "\"leaves\""), to: book)
            for command in ["generate", "check", "release"] {
                #expect(run([command, folder.path]) == .diagnostics)
            }
            #expect(try text(folder.appendingPathComponent("strata.lock")) == lock)
        }
    }

    @Test func `an expected result that no test calls is reported`() throws {
        let book = """
            { "name": "book", "version_history": [{ "version": "1.0" }, { "version": "2.0", "migration": "custom" }],
              "identifier": { "type": "int" }, "properties": [
                { "name": "title", "property_type": "string", "removed_at_version": "2.0" } ] }
            """
        try withModel(book: book) { (folder: URL) throws in
            let tests = folder.appendingPathComponent("../LibraryTests").standardizedFileURL
            try FileManager.default.createDirectory(at: tests, withIntermediateDirectories: true)
            let own = tests.appendingPathComponent("Expectations.swift")
            let arguments = [folder.path, "--test-target", "LibraryTests=\(tests.path)"]
            let migration = folder.appendingPathComponent("Migrations/Migration_1_0_to_2_0.swift")
            #expect(run(["generate"] + arguments) == .success)
            let written = try text(migration).replacing("UnwrittenMigration", with: "Other")
            try write(written, to: migration)
            #expect(!said(["generate"] + arguments).contains("warning: the step now needs"))
            try write(written.replacing("V1_0.Book", with: "V1_0.Tome"), to: migration)
            #expect(
                said(["generate"] + arguments).contains(
                    "the step now needs a function that the migration does not have; write migrate(_ old: V1_0.Book)"))
            try write(written, to: migration)
            func expectations(_ functions: String) -> String {
                "extension LibrarySchemaStep_1_0_to_2_0 {\n\(functions)\n}\nextension Other {\n    func check() {}\n}\n"
            }
            try write(
                expectations(
                    """
                        static func expected(
                            _ old: LibrarySchema.V1_0.Book, _ rows: StepRows
                        ) throws -> Expected<V2_0.Book> { .dropped }
                        static func added(_ rows: StepRows) -> [V2_0.Book] { [] }
                        public static func check(_ rows: StrataTesting.StepRows) {}
                        static func checkBookTitle(_ rows: StepRows) {}
                        private static func checkAll() {}
                    """), to: own)
            #expect(!said(["generate"] + arguments).contains("no test calls"))
            try write(
                expectations(
                    """
                        static func expected(_ book: borrowing V1_0.Book, _ r:StepRows) -> Expected<V2_0.Book> {
                            func check(_ number: Int) {}
                            return .dropped
                        }
                        static func added(_ rows: ComparedRows<LibrarySchema.V1_0, LibrarySchema.V2_0>) -> [V2_0.Book] { [] }
                        @MainActor static func check(_ all: LibrarySchemaStep_1_0_to_2_0.StepRows) {}
                    """), to: own)
            #expect(!said(["generate"] + arguments).contains("no test calls"))
            for (function, place) in [
                ("static func added(rows: StepRows) -> [V2_0.Book] { [] }", "added(_ rows: StepRows)"),
                ("func check(_ rows: StepRows) {}", "check(_ rows: StepRows)"),
                ("private static func check(_ rows: StepRows) {}", "check(_ rows: StepRows)"),
                ("static func check(_ rows: StepRows) async throws {}", "check(_ rows: StepRows)"),
                ("@available(*, deprecated) static func check(rows: StepRows) {}", "check(_ rows: StepRows)"),
                ("static func checkBookName(_ rows: StepRows) {}", "checkBookTitle(_ rows: StepRows)"),
                (
                    "static func expected(_ old: V2_0.Book, _ rows: StepRows) {}",
                    "expected(_ old: V1_0.Book, _ rows: StepRows)"
                ),
            ] {
                try write(expectations("    " + function), to: own)
                for command in ["generate", "check"] {
                    let lines = said([command] + arguments).split(separator: "\n").filter {
                        $0.contains("no test calls")
                    }
                    #expect(lines.count == 1 && lines[0].contains("Expectations.swift:2:"), "\(lines)")
                    #expect(lines.first?.contains(place) == true)
                }
            }
        }
    }

    @Test func `a released step changes only if it is released again`() throws {
        let note = """
            { "name": "note", "version_history": [{ "version": "1.0" }, { "version": "2.0" }, { "version": "3.0" }],
              "identifier": { "type": "int" }, "properties": [
                { "name": "title", "property_type": "string", "version_history": [
                    { "version": "1.0" }, { "version": "2.0", "previous": { "nullable": true }, "fill": "first" }] }] }
            """
        for mode in ["committed", "build"] {
            try withModel("{ \"mode\": \"\(mode)\" }", book: note) { (folder: URL) throws in
                let (lock, book) = (
                    folder.appendingPathComponent("strata.lock"), folder.appendingPathComponent("Book.json")
                )
                let output = folder.appendingPathComponent("../Output").standardizedFileURL
                try FileManager.default.createDirectory(at: output, withIntermediateDirectories: true)
                let build = ["sources", "--model", folder.path, "--output", output.path]
                #expect(run(["release", folder.path]) == .success)
                #expect(mode == "committed" || run(build) == .success)
                let sealed = try text(lock)
                #expect(sealed.contains(/step 1\.0 to 2\.0 fingerprint [0-9a-f]{16}\nnote\.title: fill "first"\n/))
                // A lock of the former format has no steps, and gets those of the descriptions.
                let former = sealed.replacing("format 2", with: "format 1")
                    .replacing(/step 1\.0.*\n.*\n/, with: "")
                try write(former, to: lock)
                #expect(
                    said(["generate", folder.path]).contains(
                        "strata.lock now seals the steps between released versions"))
                #expect(try text(lock) == sealed)

                try write(note.replacing("first", with: "second"), to: book)
                for command in [["generate", folder.path], ["check", folder.path], ["release", folder.path], build] {
                    #expect(said(command).contains("Book.json:3:15: error: the step from 1.0 to 2.0 is released"))
                }
                #expect(try text(lock) == sealed)
                #expect(
                    said(["release", folder.path, "--step", "2.0-1.0"]).contains(
                        "the released steps are 1.0-2.0, 2.0-3.0"))
                #expect(said(["release", folder.path, "--step", "2.0"]).contains("2.0 is not a step"))
                // Two texts that differ only in their Unicode form are two values.
                try write(note.replacing("first", with: "\u{e9}"), to: book)
                #expect(run(["release", folder.path, "--step", "2.0-3.0", "--step", "1.0-2.0"]) == .success)
                try write(note.replacing("first", with: "e\u{301}"), to: book)
                #expect(said(["check", folder.path]).contains("the step from 1.0 to 2.0 is released"))
                try write(note.replacing("first", with: "second"), to: book)
                #expect(run(["release", folder.path, "--step", "1.0-2.0"]) == .success)
                #expect(try text(lock).contains("note.title: fill \"second\""))
                #expect(run(["check", folder.path]) == .success)
                // A build does not accept SQL that is out of date.
                try write("-- edited", to: folder.appendingPathComponent("SQL/1.0-2.0.sql"))
                #expect(
                    said(mode == "build" ? build : ["check", folder.path]).contains("1.0-2.0.sql: error: it is stale"))
            }
        }
    }

    @Test func `lint warns, and a rename follows the distribution`() throws {
        let files = [
            "strata.json": """
            { "lint": ["citus", { "profile": "sync", "severity": "warning" }] }
            """,
            "Note.json": """
            { "name": "note", "identifier": { "type": "property", "property": "owner" }, "distribution": "owner",
              "version_history": [{ "version": "1.0" }], "properties": [
                { "name": "owner", "property_type": "uuid" }, { "name": "title", "property_type": "string" }] }
            """,
        ]
        let warning =
            "./Note.json:3:61: warning: a record may lack `title`; make it nullable, or add a \"default_value\" "
            + "(lint sync, version 1.0)"
        try ScratchModel.with(files) { (model: ScratchModel) throws in
            let generated = model.run("generate", model.folder.path)
            #expect(generated.code == .success && generated.output.contains(warning), "\(generated.output)")
            let checked = model.run("check", model.folder.path)
            #expect(checked.code == .success && checked.output.contains(warning), "\(checked.output)")
            #expect(model.run("rename", "note.owner", "tenant", "--model", model.folder.path).code == .success)
            let text = try model.text("Note.json")
            #expect(text.contains(#""distribution": "tenant""#))
            #expect(model.run("generate", model.folder.path).code == .success)
        }
    }

    @Test func `check reports a migration that is not written`() throws {
        let book = Self.book.replacing("\"default_value\": 0, ", with: "")
        try withModel(book: book) { (folder: URL) throws in
            #expect(run(["generate", folder.path]) == .success)
            let stub = folder.appendingPathComponent("Migrations/Migration_1_0_to_2_0.swift")
            #expect(run(["check", folder.path]) == .diagnostics)
            try write(try text(stub).replacing("throw UnwrittenMigration()", with: "fatalError()"), to: stub)
            let written = try text(stub)
            #expect(run(["generate", folder.path]) == .success)
            #expect(try text(stub) == written)
            #expect(run(["check", folder.path]) == .success)
        }
    }

    @Test func `the templates command copies the templates, and your own templates replace Strata's`() throws {
        try withModel(#"{ "templates": "Own", "ddl": "newest" }"#) { (folder: URL) throws in
            let own = folder.appendingPathComponent("Own")
            #expect(run(["generate", folder.path]) == .diagnostics)
            #expect(run(["templates"]) == .usage)
            #expect(run(["templates", "--values", "--copy", own.path]) == .usage)
            #expect(run(["templates", "--values"]) == .success)
            #expect(run(["templates", "--copy", own.path]) == .success)
            let names = try FileManager.default.contentsOfDirectory(atPath: own.path)
            #expect(names.contains("Version.sql.mustache") && names.contains("Entity.swift.mustache"))

            let version = own.appendingPathComponent("Version.sql.mustache")
            let firstLine = "{{! Strata template, format 6 }}"
            try write("\(firstLine)\n-- our own of {{version}}\n", to: version)
            #expect(run(["templates", "--copy", own.path]) == .success)
            #expect(run(["generate", folder.path]) == .success)
            #expect(try text(folder.appendingPathComponent("SQL/2.0.sql")) == "-- our own of 2.0\n")
            #expect(try !files(folder).contains("SQL/1.0.sql"))

            let before = try files(folder)
            for wrong in ["\(firstLine)\n{{nothing}}", "-- without a format", "{{! Strata template, format 99 }}\n"] {
                try write(wrong, to: version)
                #expect(run(["generate", folder.path]) == .diagnostics)
            }
            try FileManager.default.moveItem(at: version, to: own.appendingPathComponent("Verison.sql.mustache"))
            #expect(run(["generate", folder.path]) == .diagnostics)
            #expect(try files(folder).filter { !$0.hasPrefix("Own") } == before.filter { !$0.hasPrefix("Own") })
        }
    }

    @Test func `diff accepts a model and its versions`() throws {
        try withModel { (folder: URL) throws in
            for arguments in [[], ["1.0"], ["1.0", "2.0"], ["1", "2.0.0", "--json"]] {
                #expect(run(["diff", folder.path] + arguments) == .success)
            }
            #expect(run(["diff", folder.path, "3.0"]) == .diagnostics)
            #expect(run(["diff", folder.path, "next"]) == .usage)
            #expect(run(["diff"]) == .usage)
        }
    }

    @Test func `generate writes nothing for an invalid description and refuses an invalid strata.json`() throws {
        try withModel(book: Self.book.replacing("string", with: "strng"), isValid: false) { (folder: URL) throws in
            #expect(run(["generate", folder.path]) == .diagnostics)
            #expect(try files(folder) == ["Book.json", "strata.json"])
        }
        try withModel(#"{ "mod": "build" }"#, isValid: false) { (folder: URL) throws in
            #expect(run(["generate", folder.path]) == .diagnostics)
        }
        try withModel(#"{ "schema": "not a name" }"#, isValid: false) { (folder: URL) throws in
            #expect(run(["generate", folder.path]) == .diagnostics)
        }
    }

    @Test(arguments: [
        ["nonsense"], ["generate"], ["check", "--nonsense", "x"], ["generate", "x", "--target"], ["templates"],
        ["generate", "x", "--test-target", "y"],
    ]) func `invalid arguments have a separate exit code`(arguments: [String]) {
        let isModelMissing = arguments == ["generate", "x", "--test-target", "y"]
        #expect(run(arguments) == (isModelMissing ? .diagnostics : .usage))
    }

    @Test(arguments: ["generate", "check", "release", "diff", "templates", "sources", "tests"])
    func `every command has help`(command: String) {
        #expect(run([command, "--help"]) == .success)
        #expect(run(["--help"]) == .success)
    }

    /// Everything that a command prints. Complaints begin with `! `.
    private func said(_ arguments: [String]) -> String {
        var lines: [String] = []
        _ = Command.run(
            arguments, console: Console(say: { lines.append($0) }, complain: { lines.append("! " + $0) }),
            others: ModelCommand.all)
        return lines.joined(separator: "\n")
    }

    @Test func `check prints its diagnostics as JSON`() throws {
        try withModel { (folder: URL) throws in
            #expect(run(["generate", folder.path]) == .success)
            #expect(said(["check", folder.path, "--json"]).filter { !$0.isWhitespace } == "[]")
            try write("", to: folder.appendingPathComponent("SQL/1.0.sql"))
            #expect(
                said(["check", folder.path, "--json", "--released"]) == """
                    [
                      {
                        "file" : "\(folder.path)/SQL/1.0.sql",
                        "message" : "it is stale",
                        "severity" : "error"
                      },
                      {
                        "file" : "\(folder.path)/strata.lock",
                        "message" : "version 2.0 is not released; run: swift package --allow-writing-to-package-directory generate --target Library --release",
                        "severity" : "error"
                      }
                    ]
                    """)
            try write("{", to: folder.appendingPathComponent("Book.json"))
            let text = said(["check", folder.path, "--json"])
            #expect(text.contains("\"column\" : 2") && text.contains("\"line\" : 1") && text.contains("Book.json"))
        }
    }

    @Test func `a model inside the folder of another model is refused`() throws {
        try withModel { (folder: URL) throws in
            let other = folder.appendingPathComponent("Other")
            try FileManager.default.createDirectory(at: other, withIntermediateDirectories: true)
            try write("{}", to: other.appendingPathComponent("strata.json"))
            #expect(run(["generate", folder.path]) == .diagnostics)
        }
    }

    @Test func `prune removes the old history, keeps all other text, and changes no version`() throws {
        let book = """
            {
              "name": "book",
              "version_history": [{ "version": "1.0" }, { "version": "2.0", "rows": "discard" }, { "version": "3.0" }],
              "identifier": { "type": "int" },
              "properties": [
                { "name": "gone", "property_type": "int", "removed_at_version": "2.0", "discard": true },
                { "name": "title",   "property_type": "string",
                  "version_history": [ { "version": "1.0" },{ "version": "2.0", "previous_name": "name" }, { "version": "3.0", "previous": { "nullable": true }, "fill": "" } ] },
                { "name": "late", "property_type": "int", "added_at_version": "2.0", "default_value": 1 },
                { "name": "renamed", "property_type": "int", "added_at_version": "1.5", "previous_name": "x" },
                { "name": "status", "property_type": "status", "added_at_version": "1.0" },
                { "name": "last", "property_type": "int", "removed_at_version": "1.5", "discard": true }
              ],
              "indexes": [{ "properties": ["name"], "removed_at_version": "2.0" }]
            }

            """
        let pruned = """
            {
              "name": "book",
              "version_history": [{ "version": "2.0" }, { "version": "3.0" }],
              "identifier": { "type": "int" },
              "properties": [
                { "name": "title",   "property_type": "string",
                  "version_history": [ { "version": "3.0", "previous": { "nullable": true }, "fill": "" } ] },
                { "name": "late", "property_type": "int", "default_value": 1 },
                { "name": "renamed", "property_type": "int" },
                { "name": "status", "property_type": "status" }
              ],
              "indexes": []
            }

            """
        let configuration = """
            { "oldest_supported_version": "2.0", "versions": ["1.0", "1.5", "2.0", "3.0"], "chain": { "1.0": "2.0" } }
            """
        let others = [
            "Status.json":
                #"{ "name": "status", "cases": ["open", { "name": "old", "removed_at_version": "1.5", "replaced_by": "open" }] }"#,
            "Dead.json":
                #"{ "name": "dead", "removed_at_version": "2.0", "discard": true, "identifier": { "type": "int" } }"#,
        ]
        try withModel(configuration, book: book, others: others) { (folder: URL) throws in
            #expect(run(["generate", folder.path, "--release"]) == .success)
            let schema = try text(folder.appendingPathComponent("Generated/Strata.schema.swift"))
            #expect(!schema.contains("V1_") && schema.contains("V2_0"))
            #expect(run(["prune", folder.path]) == .success)
            #expect(try text(folder.appendingPathComponent("Book.json")) == pruned)
            #expect(
                try text(folder.appendingPathComponent("Status.json")) == #"{ "name": "status", "cases": ["open"] }"#)
            #expect(
                try text(folder.appendingPathComponent("strata.json")) == """
                    { "oldest_supported_version": "2.0", "versions": ["2.0", "3.0"], "chain": {  } }
                    """)
            #expect(!FileManager.default.fileExists(atPath: folder.appendingPathComponent("Dead.json").path))
            #expect(run(["generate", folder.path]) == .success)
            #expect(run(["check", folder.path, "--released"]) == .success)
            #expect(said(["prune", folder.path]) == "Library: nothing in it is older than 2.0")
        }
        try withModel { (folder: URL) throws in
            #expect(run(["prune", folder.path]) == .diagnostics)
        }
    }

    @Test func `diff asks whether a removed and an added property are a rename`() throws {
        let book = """
            { "name": "book", "version_history": [{ "version": "1.0" }, { "version": "2.0" }], "identifier": { "type": "int" },
              "properties": [
                { "name": "fax", "property_type": "string", "nullable": true, "removed_at_version": "2.0", "discard": true },
                { "name": "mail", "property_type": "string", "nullable": true, "added_at_version": "2.0" } ] }
            """
        try withModel(book: book) { (folder: URL) throws in
            #expect(
                said(["diff", folder.path]) == """
                    1.0 -> 2.0
                      inferred    book.mail: added: string, nullable (rows get NULL; if it is `fax` under another name, write "previous_name": "fax" instead)
                      discarding  book.fax: removed
                      apps before 2.0 cannot open stores of 2.0: book.fax: removed
                    """)
        }
    }

    private static let custom = """
        { "name": "book", "version_history": [{ "version": "1.0" }, { "version": "2.0" }], "identifier": { "type": "int" },
          "properties": [{ "name": "title", "property_type": "string", "added_at_version": "2.0" }] }
        """

    @Test func `a command refuses options and arguments that it does not accept`() throws {
        try withModel { (folder: URL) throws in
            #expect(run(["generate", folder.path, "--released"]) == .usage)
            #expect(run(["release", folder.path, "--json"]) == .usage)
            #expect(run(["generate", folder.path, folder.path, "--target", "A"]) == .usage)
            #expect(run(["diff", folder.path, "2.0", "1.0"]) == .diagnostics)
        }
    }

    @Test func `the name of the target becomes a valid module name`() throws {
        try withModel { (folder: URL) throws in
            // The lock names the schema, which is named after the target.
            try FileManager.default.removeItem(at: folder.appendingPathComponent("strata.lock"))
            #expect(run(["release", folder.path, "--target", "My-Model 2", "--version", "1.0"]) == .success)
            #expect(run(["generate", folder.path, "--target", "My-Model 2"]) == .success)
            let schema = try text(folder.appendingPathComponent("Generated/Strata.schema.swift"))
            #expect(schema.contains("public enum My_Model_2Schema: Strata.Schema"))
            #expect(run(["check", folder.path, "--target", "My-Model 2"]) == .success)
            #expect(run(["diff", folder.path, "--target", "My-Model 2"]) == .success)
        }
    }

    @Test func `a release needs its migrations, and an unneeded migration is deleted or reported`() throws {
        try withModel(book: Self.custom) { (folder: URL) throws in
            let lock = try text(folder.appendingPathComponent("strata.lock"))
            #expect(run(["release", folder.path]) == .diagnostics)
            #expect(run(["generate", folder.path]) == .success)
            #expect(run(["release", folder.path]) == .diagnostics)
            #expect(try text(folder.appendingPathComponent("strata.lock")) == lock)
            let stub = folder.appendingPathComponent("Migrations/Migration_1_0_to_2_0.swift")
            try write("struct Migration_1_0_to_2_0 {}", to: stub)
            #expect(run(["release", folder.path]) == .success)
            #expect(run(["check", folder.path, "--released"]) == .success)
        }
        try withModel(book: Self.custom) { (folder: URL) throws in
            #expect(run(["generate", folder.path]) == .success)
            let inferred = Self.custom.replacingOccurrences(
                of: #""added_at_version""#, with: #""default_value": "", "added_at_version""#)
            let stub = folder.appendingPathComponent("Migrations/Migration_1_0_to_2_0.swift")
            let untouched = try String(contentsOf: stub, encoding: .utf8)
            try write(inferred, to: folder.appendingPathComponent("Book.json"))
            // An unneeded migration is deleted if you have not changed it. Otherwise it is reported.
            #expect(said(["check", folder.path, "--json"]).contains("nothing generates it any more"))
            #expect(said(["generate", folder.path]).contains("removed \(stub.path)"))
            #expect(run(["check", folder.path]) == .success)
            try write(untouched.replacing("throw", with: "// throw"), to: stub)
            #expect(said(["generate", folder.path]).contains("no step needs this migration any more"))
            #expect(run(["check", folder.path]) == .diagnostics)
            try FileManager.default.removeItem(at: folder.appendingPathComponent("Migrations"))
            #expect(run(["check", folder.path]) == .success)
        }
    }

    @Test func `a step that removes more data names the function to write`() throws {
        try withModel(book: Self.custom) { (folder: URL) throws in
            #expect(run(["generate", folder.path]) == .success)
            let stub = folder.appendingPathComponent("Migrations/Migration_1_0_to_2_0.swift")
            try write("struct Migration_1_0_to_2_0 {}", to: stub)
            #expect(run(["generate", folder.path]) == .success)
            #expect(run(["check", folder.path]) == .success)
            let book = folder.appendingPathComponent("Book.json")
            try write(
                Self.custom.replacingOccurrences(
                    of: #""properties": ["#,
                    with: #""properties": [{ "name": "fax_no", "property_type": "int", "removed_at_version": "2.0" }, "#
                ),
                to: book)
            try ScratchModel.releaseOlderVersions(in: folder)
            let message =
                "the step now removes data that the migration does not save; write rescueBookFaxNo, or add \"discard\": true"
            #expect(said(["generate", folder.path]).contains("\(stub.path): warning: \(message)"))
            #expect(said(["check", folder.path]).contains("\(stub.path): error: \(message)"))
            try write("struct Migration_1_0_to_2_0 { func rescueBookFaxNo() {} }", to: stub)
            #expect(run(["check", folder.path]) == .success)
            // A function that no step calls is reported.
            let written =
                "struct Migration_1_0_to_2_0 { func rescueBookFaxNo() {}; func migrate(_ old: V1_0.Author) {} }"
            try write(written, to: stub)
            let unused = "warning: no step calls migrate(_ old: V1_0.Author) any more; delete it"
            #expect(said(["generate", folder.path]).contains("\(stub.path): \(unused)"))
            // With "discard" in the description, the step needs no function.
            try write("struct Migration_1_0_to_2_0 {}", to: stub)
            let text = try String(contentsOf: book, encoding: .utf8)
            try write(
                text.replacingOccurrences(
                    of: #""removed_at_version": "2.0""#, with: #""removed_at_version": "2.0", "discard": true"#),
                to: book)
            #expect(run(["generate", folder.path]) == .success)
            #expect(run(["check", folder.path]) == .success)
        }
    }

    @Test func `a test target that strata.json names has to exist`() throws {
        try withModel(#"{ "tests": "LibraryTest" }"#) { (folder: URL) throws in
            let root = folder.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            try write("", to: root.appendingPathComponent("Package.swift"))
            try FileManager.default.createDirectory(
                at: root.appendingPathComponent("Tests/LibraryTests"), withIntermediateDirectories: true)
            let message =
                "! \(folder.path)/strata.json: error: the package has no target LibraryTest; did you mean \"LibraryTests\"?"
            #expect(said(["generate", folder.path]) == message)
            #expect(said(["check", folder.path]) == message)
            #expect(!FileManager.default.fileExists(atPath: folder.appendingPathComponent("Generated").path))
            try write("{}", to: folder.appendingPathComponent("strata.json"))
            #expect(run(["generate", folder.path]) == .success)
        }
    }

    @Test func `targets that strata.json names for samples get them, and nothing else`() throws {
        try withModel(#"{ "samples": ["Support", "FeatureTests"], "access": "internal" }"#) { (folder: URL) throws in
            let root = folder.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            try write("// StrataBuild, StrataTesting", to: root.appendingPathComponent("Package.swift"))
            let features = root.appendingPathComponent("Tests/FeatureTests")
            try FileManager.default.createDirectory(at: features, withIntermediateDirectories: true)
            #expect(
                said(["generate", folder.path])
                    == "! \(folder.path)/strata.json: error: the package has no target Support: add it to Package.swift, with a folder Tests/Support"
            )
            let support = root.appendingPathComponent("Sources/Support")
            try FileManager.default.createDirectory(at: support, withIntermediateDirectories: true)
            #expect(run(["generate", folder.path]) == .success)
            let files = [support, features].map { $0.appendingPathComponent("Generated/LibrarySamples.strata.swift") }
            for file in files {
                let text = try text(file)
                #expect(text.contains("    static func sample<") && text.contains("@testable import Library\n"))
                #expect(!text.contains("import Testing"))
                #expect(
                    try FileManager.default.contentsOfDirectory(atPath: file.deletingLastPathComponent().path).sorted()
                        == [".gitattributes", "Library.strata.sums", "LibrarySamples.strata.swift"])
            }
            #expect(run(["check", folder.path]) == .success)
            try write("", to: files[0])
            #expect(run(["check", folder.path]) == .diagnostics)
            #expect(run(["generate", folder.path]) == .success)
            // The sources of another model are in the same folder.
            try write("{}", to: support.appendingPathComponent("strata.json"))
            let message =
                "! \(folder.path)/strata.json: error: Support has a model, so it cannot get samples: name another target"
            #expect(said(["generate", folder.path]) == message)
            try FileManager.default.removeItem(at: support.appendingPathComponent("strata.json"))
            // The files of targets that it no longer names are removed.
            let configuration = #"{ "samples": ["Support"], "access": "internal" }"#
            try write(configuration, to: folder.appendingPathComponent("strata.json"))
            #expect(said(["generate", folder.path]).contains("removed \(files[1].path)"))
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: files[1].deletingLastPathComponent().path) == [
                    ".gitattributes"
                ])
            // A build generates them instead, and removes the committed ones.
            try write(#"{ "samples": "Support", "mode": "build" }"#, to: folder.appendingPathComponent("strata.json"))
            #expect(run(["generate", folder.path]) == .success)
            #expect(!FileManager.default.fileExists(atPath: files[0].path))
            let output = root.appendingPathComponent("output")
            try FileManager.default.createDirectory(at: output, withIntermediateDirectories: true)
            let arguments = ["--output", output.path, "--test-target", "Support=\(support.path)"]
            #expect(run(["tests", "--model", folder.path, "--target", "Library"] + arguments) == .success)
            #expect(try FileManager.default.contentsOfDirectory(atPath: output.path) == ["LibrarySamples.strata.swift"])
        }
    }

    @Test func `a build reports a migration that is not written`() throws {
        try withModel(book: Self.custom) { (folder: URL) throws in
            #expect(run(["generate", folder.path]) == .success)
            let stamp = folder.deletingLastPathComponent().appendingPathComponent("stamp.swift")
            let build = ["check", folder.path, "--sources", "--stamp", stamp.path]
            let stub = folder.appendingPathComponent("Migrations/Migration_1_0_to_2_0.swift")
            #expect(
                said(build)
                    == "! \(stub.path):1:1: warning: this migration is not written yet; no older store can be opened")
            #expect(FileManager.default.fileExists(atPath: stamp.path))
            try write("struct Migration_1_0_to_2_0 {}", to: stub)
            #expect(said(build) == "")
        }
    }

    @Test func `a build in build mode fails if the lock or a migration is missing`() throws {
        try withModel(#"{ "mode": "build" }"#, book: Self.custom) { (folder: URL) throws in
            let output = folder.deletingLastPathComponent().appendingPathComponent("out")
            try FileManager.default.createDirectory(at: output, withIntermediateDirectories: true)
            let build = ["sources", "--model", folder.path, "--target", "Library", "--output", output.path]
            #expect(run(build) == .diagnostics)
            #expect(run(["generate", folder.path]) == .success)
            #expect(run(build) == .success)
            let newer = Self.custom.replacingOccurrences(of: #""2.0" }]"#, with: #""2.0" }, { "version": "3.0" }]"#)
            try write(newer, to: folder.appendingPathComponent("Book.json"))
            #expect(run(build) == .diagnostics)
        }
    }

    @Test func `the template EntityExtras adds code to the newest structs`() throws {
        try withModel(#"{ "templates": "Own" }"#) { (folder: URL) throws in
            let extras = folder.appendingPathComponent("Own/EntityExtras.swift.mustache")
            try FileManager.default.createDirectory(
                at: extras.deletingLastPathComponent(), withIntermediateDirectories: true)
            try write("{{! Strata template, format 6 }}\n\nstatic let title = {{table}}\n", to: extras)
            #expect(run(["generate", folder.path]) == .success)
            let generated = try text(folder.appendingPathComponent("Generated/Book.strata.swift"))
            #expect(generated.contains("\n\n        static let title = \"book\"\n\n        // MARK: - Storage\n"))
        }
    }

    @Test func `additional templates render a file for each entity, each subtype and the schema`() throws {
        let others = [
            "Genre.json":
                #"{ "name": "genre", "cases": ["crime", "poetry"], "version_history": [{ "version": "1.0" }] }"#,
            "Former.json": """
            { "name": "former", "identifier": { "type": "int" }, "removed_at_version": "2.0", "discard": true }
            """,
            "Draft.json": #"{ "name": "draft", "persist": false, "identifier": { "type": "int" } }"#,
        ]
        let book = Self.book.replacing(#""string""#, with: #""genre""#)
        try withModel(#"{ "templates": "Own" }"#, book: book, others: others) { (folder: URL) throws in
            let own = folder.appendingPathComponent("Own")
            let firstLine = "{{! Strata template, format 6 }}"
            let templates = [
                "Entity+Names.swift": "// {{source}}: {{#shapes}}{{#columns}}{{member}} {{/columns}}{{/shapes}}\n",
                "Subtype+Names.swift": "// {{source}}: {{newest.name}}\n",
                "Schema+All.swift":
                    "// {{module}} {{version}} {{schema}}:{{#entities}} {{newest.name}}{{/entities}}{{#subtypes}} {{newest.name}}{{/subtypes}}\n",
            ]
            try FileManager.default.createDirectory(at: own, withIntermediateDirectories: true)
            for (name, text) in templates {
                try write("\(firstLine)\n\(text)", to: own.appendingPathComponent("\(name).mustache"))
            }
            #expect(run(["generate", folder.path]) == .success)
            let generated = folder.appendingPathComponent("Generated")
            let expected = [
                "Book.strata+Names.swift": "// Book.json: id title pages \n",
                "Genre.strata+Names.swift": "// Genre.json: Genre\n",
                "Strata.schema+All.swift": "// Library 2.0 LibrarySchema: Book Genre\n",
            ]
            for (name, contents) in expected {
                #expect(try text(generated.appendingPathComponent(name)) == contents)
            }
            #expect(try files(folder).filter { $0.contains("+") && $0.hasSuffix(".swift") }.count == 3)
            #expect(run(["check", folder.path]) == .success)

            // A build writes one file for each description, because the plugin knows no more.
            let output = folder.appendingPathComponent("../Built")
            try FileManager.default.createDirectory(at: output, withIntermediateDirectories: true)
            let build = ["sources", "--model", folder.path, "--target", "Library", "--output", output.path]
            #expect(run(build) == .success)
            let built = try FileManager.default.contentsOfDirectory(atPath: output.path).filter { $0.contains("+") }
            #expect(
                Set(built)
                    == Set(expected.keys).union(["Draft.strata+Names.swift", "Former.strata+Names.swift"]))
            for (name, contents) in expected { #expect(try text(output.appendingPathComponent(name)) == contents) }
            #expect(try !text(output.appendingPathComponent("Draft.strata+Names.swift")).contains("\nid"))

            // Files of templates and descriptions that are gone are removed; files of yours stay.
            try write("// mine\n", to: generated.appendingPathComponent("Book+Mine.swift"))
            try FileManager.default.removeItem(at: own.appendingPathComponent("Entity+Names.swift.mustache"))
            try FileManager.default.removeItem(at: own.appendingPathComponent("Schema+All.swift.mustache"))
            #expect(run(["check", folder.path]) == .diagnostics)
            #expect(run(["generate", folder.path]) == .success)
            let left = try files(folder).filter { $0.contains("+") && $0.hasSuffix(".swift") }
            #expect(left == ["Generated/Book+Mine.swift", "Generated/Genre.strata+Names.swift"])

            // Another name is an error, which says what the names are.
            try write(firstLine + "\n", to: own.appendingPathComponent("Entity+Two words.swift.mustache"))
            var said: [String] = []
            let console = Console(say: { _ in }, complain: { said.append($0) })
            #expect(Command.run(["generate", folder.path], console: console) == .diagnostics)
            #expect(said.joined().contains("additional ones are Entity+NAME.swift, Subtype+NAME.swift and Schema+NAME"))
        }
    }

    @Test func `an empty lock is an error, because it may have lost its versions`() throws {
        try withModel { (folder: URL) throws in
            for text in ["", "\n \n"] {
                try write(text, to: folder.appendingPathComponent("strata.lock"))
                var said: [String] = []
                let console = Console(say: { _ in }, complain: { said.append($0) })
                #expect(Command.run(["generate", folder.path], console: console) == .diagnostics)
                #expect(said.joined().contains("strata.lock:1:1: error: the lock cannot be read: the file is empty; "))
            }
        }
    }

    @Test func `a file name with a line break is refused before it reaches a comment`() throws {
        let entity = #"{ "name": "other", "version_history": [{ "version": "1.0" }], "identifier": { "type": "int" } }"#
        for name in ["Other\nlet x = 1.json", "Other\r.json", "Other\u{2028}.json", "Other\u{7}.json"] {
            try withModel(others: [name: entity], isValid: false) { (folder: URL) throws in
                var said: [String] = []
                let console = Console(say: { _ in }, complain: { said.append($0) })
                #expect(Command.run(["generate", folder.path], console: console) == .diagnostics)
                #expect(said.joined().contains("error: the name of the file contains a line break"))
                #expect(!FileManager.default.fileExists(atPath: folder.appendingPathComponent("Generated").path))
            }
        }
    }

    @Test func `a file of your own templates is deleted when nothing generates it any more`() throws {
        try withModel(#"{ "templates": "Own" }"#) { (folder: URL) throws in
            let own = folder.appendingPathComponent("Own")
            try FileManager.default.createDirectory(at: own, withIntermediateDirectories: true)
            let text = "{{! Strata template, format 6 }}\n// Made from {{source}}\n"
            try write(text, to: own.appendingPathComponent("Entity.swift.mustache"))
            let other = folder.appendingPathComponent("Other.json")
            try write(#"{ "name": "other", "identifier": { "type": "int" }, "added_at_version": "2.0" }"#, to: other)
            #expect(run(["generate", folder.path]) == .success)
            try FileManager.default.removeItem(at: other)
            #expect(run(["check", folder.path]) == .diagnostics)
            #expect(run(["generate", folder.path]) == .success)
            let generated = folder.appendingPathComponent("Generated")
            #expect(
                !FileManager.default.fileExists(atPath: generated.appendingPathComponent("Other.strata.swift").path))
        }
    }

    @Test func `check reports every folder, and its JSON contains models that cannot be read`() throws {
        try withModel { (one: URL) throws in
            try withModel(#"{ "mod": 1 }"#, isValid: false) { (other: URL) throws in
                #expect(run(["check", one.path, one.path]) == .diagnostics)
                var said: [String] = []
                let console = Console(say: { said.append($0) }, complain: { _ in })
                #expect(Command.run(["check", "--json", other.path, "/nowhere"], console: console) == .diagnostics)
                let text = said.joined()
                #expect(text.contains("unknown key") && text.contains("has no strata.json"))
            }
        }
    }

    @Test func `prune keeps the bits of options and one reference to the oldest version`() throws {
        let book = """
            { "name": "book", "identifier": { "type": "int" },
              "properties": [{ "name": "flags", "property_type": "flags" },
                { "name": "a", "property_type": "int", "version_history": [
                    { "version": "1.0" }, { "version": "2.0", "previous_name": "b" }, { "version": "3.0", "previous_name": "c" }] }] }
            """
        let others = [
            "Flags.json":
                #"{ "name": "flags", "options": ["a", { "name": "b", "removed_at_version": "2.0", "discard": true }, "c", { "name": "d" }] }"#,
            "ALate.json": #"{ "name": "a_late", "identifier": { "type": "int" }, "added_at_version": "3.0" }"#,
        ]
        try withModel(#"{ "oldest_supported_version": "2.0" }"#, book: book, others: others) { (folder: URL) throws in
            let flags = folder.appendingPathComponent("Flags.json")
            #expect(run(["generate", folder.path]) == .success)
            #expect(run(["prune", folder.path]) == .success)
            #expect(
                try text(flags)
                    == #"{ "name": "flags", "options": ["a", { "name": "c", "bit": 2 }, { "name": "d" }] }"#)
            #expect(run(["generate", folder.path]) == .success)
        }
    }
}
