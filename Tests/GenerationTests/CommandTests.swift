import Commands
import Foundation
import SQLSchema
import Testing

/// The commands, run on a model in a temporary folder outside any package.
@Suite struct CommandTests {
    private static let book = """
        { "name": "book", "version_history": [{ "version": "1.0" }, { "version": "2.0" }], "identifier": { "type": "int" },
          "properties": [
            { "name": "title", "property_type": "string" },
            { "name": "pages", "property_type": "int", "default_value": 0, "added_at_version": "2.0" } ] }
        """

    private func withModel(
        _ configuration: String = "{}", book: String = book, _ body: (URL) throws -> Void
    ) throws {
        let root = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        let folder = root.appendingPathComponent("Sources/Library/Model")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: root) }
        try write(configuration, to: folder.appendingPathComponent("strata.json"))
        try write(book, to: folder.appendingPathComponent("Book.json"))
        try body(folder)
    }

    /// Runs a command without printing. The command must complain if it fails, and must not complain if it succeeds.
    private func run(_ arguments: [String]) -> Command.ExitCode {
        var complaints: [String] = []
        let code = Command.run(arguments, console: Console(say: { _ in }, complain: { complaints.append($0) }))
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
                    "Generated/Strata.migrations.swift", "Generated/Strata.schema.swift", "SQL/1.0-2.0.sql",
                    "SQL/1.0.sql", "SQL/2.0.sql", "strata.json",
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

    @Test func `generate deletes files that it no longer generates and keeps the files that you wrote`() throws {
        try withModel { (folder: URL) throws in
            try write(
                Self.book.replacing("\"book\"", with: "\"other\""), to: folder.appendingPathComponent("Other.json"))
            #expect(run(["generate", folder.path]) == .success)
            try write("-- mine", to: folder.appendingPathComponent("SQL/mine.sql"))
            try write("// mine", to: folder.appendingPathComponent("Generated/Mine.swift"))
            try FileManager.default.removeItem(at: folder.appendingPathComponent("Other.json"))
            try FileManager.default.removeItem(at: folder.appendingPathComponent("strata.lock"))
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
            try FileManager.default.removeItem(at: folder.appendingPathComponent("strata.lock"))
            let message = said(["check", folder.path])
            #expect(!message.contains("\n"))
            #expect(message.hasPrefix("! \(folder.path)/Book.json: error: "))
            #expect(message.contains(" generated files do not match this description: \(folder.path)/"))
            #expect(message.hasSuffix("; \(remedy)"))

            try write(Self.book, to: folder.appendingPathComponent("Book.json"))
            #expect(run(["generate", folder.path]) == .success)
            let schema = folder.appendingPathComponent("Generated/Strata.schema.swift")
            try write(text(schema) + "\n", to: schema)
            #expect(said(["check", folder.path]) == "! \(schema.path): error: it is stale; \(remedy)")
        }
    }

    @Test func `a manifest without StrataBuild or StrataTesting gives a warning`() throws {
        try withModel { (folder: URL) throws in
            let root = folder.appendingPathComponent("../../..").standardizedFileURL
            let manifest = root.appendingPathComponent("Package.swift")
            try FileManager.default.createDirectory(
                at: root.appendingPathComponent("Tests/LibraryTests"), withIntermediateDirectories: true)
            try write(#"let package = Package(name: "Library")"#, to: manifest)
            for command in ["generate", "check"] {
                let message = said([command, folder.path])
                #expect(message.contains("Package.swift: warning: no target uses StrataBuild, so no build"))
                #expect(message.contains("Package.swift: warning: no target uses StrataTesting, so the"))
            }
            try write(#"let parts = ["StrataBuild", "StrataTesting"]"#, to: manifest)
            #expect(!said(["generate", folder.path]).contains("warning"))
            #expect(!said(["check", folder.path]).contains("warning"))
        }
    }

    @Test func `a misspelled version seals nothing`() throws {
        func book(_ version: String) -> String {
            """
            { "name": "book", "version_history": [{ "version": "2.1" }, { "version": "2.2" }],
              "identifier": { "type": "int" }, "properties": [
                { "name": "pages", "property_type": "int", "default_value": 0, "added_at_version": "\(version)" } ] }
            """
        }
        try withModel(book: book("2.2")) { (folder: URL) throws in
            #expect(run(["generate", folder.path]) == .success)
            let lock = folder.appendingPathComponent("strata.lock")
            let sealed = try text(lock)
            try write(book("2.22"), to: folder.appendingPathComponent("Book.json"))
            for command in ["generate", "check"] {
                #expect(
                    said([command, folder.path]) == """
                        ! \(folder.path)/Book.json:3:88: error: 2.22 would seal the draft 2.2, but only this element \
                        names it; correct it, or seal the draft first: strata release FOLDER --version 2.2
                        """)
            }
            #expect(try text(lock) == sealed)
            #expect(said(["release", folder.path, "--version", "2.3"]).contains("there is no version 2.3"))
            #expect(run(["release", folder.path, "--version", "two"]) == .usage)
            #expect(
                said(["release", folder.path, "--version", "2.2"]).contains("released 2.2 of LibrarySchema: it can no"))
            #expect(run(["check", folder.path]) == .success)
            #expect(run(["check", folder.path, "--released"]) == .diagnostics)
        }
        // The draft can be released before the migration to the new version is written.
        let heavy = book("2.22").replacing(#""default_value": 0, "#, with: "")
        try withModel(book: book("2.2")) { (folder: URL) throws in
            #expect(run(["generate", folder.path]) == .success)
            try write(heavy, to: folder.appendingPathComponent("Book.json"))
            #expect(run(["release", folder.path, "--version", "2.2"]) == .success)
            #expect(said(["release", folder.path]).contains("this migration is not written yet"))
        }
        // A list of all versions confirms the version, as does a second element that names it.
        try withModel(book: book("2.2")) { (folder: URL) throws in
            #expect(run(["generate", folder.path]) == .success)
            try write(#"{ "versions": ["2.1", "2.2", "2.22"] }"#, to: folder.appendingPathComponent("strata.json"))
            try write(book("2.22"), to: folder.appendingPathComponent("Book.json"))
            #expect(said(["generate", folder.path]).contains("sealed 2.2 of LibrarySchema: it can no longer change"))
        }
    }

    @Test func `a new version that is older than the draft is not sealed`() throws {
        func book(_ version: String) -> String {
            """
            { "name": "book", "version_history": [{ "version": "1.0" }, { "version": "2.0" }],
              "identifier": { "type": "int" }, "properties": [
                { "name": "pages", "property_type": "int", "default_value": 0, "added_at_version": "\(version)" } ] }
            """
        }
        try withModel(book: book("2.0")) { (folder: URL) throws in
            let lock = folder.appendingPathComponent("strata.lock")
            let description = folder.appendingPathComponent("Book.json")
            #expect(run(["generate", folder.path]) == .success)
            let sealed = try text(lock)
            try write(book("1.5"), to: description)
            for command in ["generate", "check"] {
                #expect(
                    said([command, folder.path]) == """
                        ! \(folder.path)/Book.json:3:88: error: 1.5 is new but older than the draft 2.0, so it would \
                        be sealed now; correct it, or seal it yourself: strata release FOLDER --version 1.5
                        """)
            }
            #expect(try text(lock) == sealed)
            #expect(said(["release", folder.path, "--version", "1.5"]).contains("released 1.5 of LibrarySchema"))
            #expect(run(["check", folder.path]) == .success)
        }
        // A version keeps its name if one element spells it differently.
        try withModel(book: book("2")) { (folder: URL) throws in
            try write(
                Self.book.replacing("\"book\"", with: "\"page\""), to: folder.appendingPathComponent("Page.json"))
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
        try withModel { (folder: URL) throws in
            let author = """
                { "name": "author", "version_history": [{ "version": "1.0" }], "identifier": { "type": "int" } }
                """
            let url = folder.appendingPathComponent("Author.json")
            try write(author, to: url)
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
        try withModel(configuration, book: nation) { (folder: URL) throws in
            try write(
                """
                { "name": "town", "version_history": [{ "version": "1.0" }], "identifier": { "type": "int" },
                  "properties": [
                    { "name": "nation", "property_type": { "entity_name": "nation", "association": "to_one" } } ] }
                """, to: folder.appendingPathComponent("Town.json"))
            #expect(run(["generate", folder.path]) == .success)
            for name in ["\(file).strata.swift", "\(file).strata.history.swift"] {
                let generated = try text(folder.appendingPathComponent("Generated/\(name)"))
                #expect(generated.components(separatedBy: ": Strata.StoredEntity").count == 2, "\(generated)")
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
            let tests = folder.appendingPathComponent("../LibraryTests").standardizedFileURL
            let fixtures = tests.appendingPathComponent("Fixtures/LibrarySchema")
            try FileManager.default.createDirectory(at: fixtures, withIntermediateDirectories: true)
            let arguments = [folder.path, "--test-target", "LibraryTests=\(tests.path)"]
            func isThere(_ name: String) -> Bool {
                FileManager.default.fileExists(atPath: fixtures.appendingPathComponent(name).path)
            }
            #expect(run(["generate"] + arguments) == .success)
            #expect(try text(fixtures.appendingPathComponent(".gitignore")).contains("draft-*.sqlite"))

            // A fixture of an earlier draft prevents the release.
            try Data(count: 100).write(to: fixtures.appendingPathComponent("draft-2.0.sqlite"))
            #expect(
                said(["release"] + arguments).contains(
                    "draft-2.0.sqlite: error: this fixture is older than the descriptions, so nothing was released"))
            #expect(isThere("draft-2.0.sqlite"))

            try FileManager.default.removeItem(at: fixtures.appendingPathComponent("draft-2.0.sqlite"))
            #expect(said(["release"] + arguments).contains("warning: 2.0 has no fixture yet: run the tests"))
            let released = try database(of: "2.0", text(lock))
            try FileManager.default.removeItem(at: lock)
            try released.write(to: fixtures.appendingPathComponent("draft-2.0.sqlite"))
            #expect(run(["release"] + arguments) == .success)
            #expect(!isThere("draft-2.0.sqlite"))
            #expect(try Data(contentsOf: fixtures.appendingPathComponent("2.0.sqlite")) == released)
            #expect(said(["release"] + arguments).contains("2.0 of LibrarySchema is already released"))
            #expect(try text(lock).contains(/version 2\.0 fingerprint [0-9a-f]{16} ddl [0-9a-f]{16} fixture [0-9a-f]+/))
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
            #expect(said(["release"] + arguments).contains("released 2.0"))
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

    @Test func `check reports a migration that is not written`() throws {
        let book = Self.book.replacing("\"default_value\": 0, ", with: "")
        try withModel(book: book) { (folder: URL) throws in
            #expect(run(["generate", folder.path]) == .success)
            let stub = folder.appendingPathComponent("Migrations/Migration_1_0_to_2_0.swift")
            #expect(run(["check", folder.path]) == .diagnostics)
            try write(try text(stub).replacing("throw Strata.UnwrittenMigration()", with: "fatalError()"), to: stub)
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
            let firstLine = "{{! Strata template, format 1 }}"
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
        try withModel(book: Self.book.replacing("string", with: "strng")) { (folder: URL) throws in
            #expect(run(["generate", folder.path]) == .diagnostics)
            #expect(try files(folder) == ["Book.json", "strata.json"])
        }
        try withModel(#"{ "mod": "build" }"#) { (folder: URL) throws in
            #expect(run(["generate", folder.path]) == .diagnostics)
        }
        try withModel(#"{ "schema": "not a name" }"#) { (folder: URL) throws in
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
        _ = Command.run(arguments, console: Console(say: { lines.append($0) }, complain: { lines.append("! " + $0) }))
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
                        "message" : "version 2.0 is not released; strata release seals it",
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
        try withModel(configuration, book: book) { (folder: URL) throws in
            try write(
                #"{ "name": "status", "cases": ["open", { "name": "old", "removed_at_version": "1.5", "replaced_by": "open" }] }"#,
                to: folder.appendingPathComponent("Status.json"))
            try write(
                #"{ "name": "dead", "removed_at_version": "2.0", "discard": true, "identifier": { "type": "int" } }"#,
                to: folder.appendingPathComponent("Dead.json"))
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
            #expect(run(["generate", folder.path, "--target", "My-Model 2"]) == .success)
            let schema = try text(folder.appendingPathComponent("Generated/Strata.schema.swift"))
            #expect(schema.contains("public enum My_Model_2Schema: Strata.Schema"))
            #expect(run(["check", folder.path, "--target", "My-Model 2"]) == .success)
            #expect(run(["diff", folder.path, "--target", "My-Model 2"]) == .success)
        }
    }

    @Test func `a release needs its migrations, and an unneeded migration is deleted or reported`() throws {
        try withModel(book: Self.custom) { (folder: URL) throws in
            #expect(run(["release", folder.path]) == .diagnostics)
            #expect(!FileManager.default.fileExists(atPath: folder.appendingPathComponent("strata.lock").path))
            #expect(run(["generate", folder.path]) == .success)
            #expect(run(["release", folder.path]) == .diagnostics)
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
            #expect(said(["generate", folder.path]).contains("sealed 1.0 of LibrarySchema: it can no longer change"))
            let stub = folder.appendingPathComponent("Migrations/Migration_1_0_to_2_0.swift")
            try write("struct Migration_1_0_to_2_0 {}", to: stub)
            #expect(!said(["generate", folder.path]).contains("sealed"))
            #expect(run(["check", folder.path]) == .success)
            let book = folder.appendingPathComponent("Book.json")
            try FileManager.default.removeItem(at: folder.appendingPathComponent("strata.lock"))
            try write(
                Self.custom.replacingOccurrences(
                    of: #""properties": ["#,
                    with: #""properties": [{ "name": "fax_no", "property_type": "int", "removed_at_version": "2.0" }, "#
                ),
                to: book)
            let message = "the step now removes more data; write carryOnBookFaxNo"
            #expect(said(["generate", folder.path]).contains("\(stub.path): warning: \(message)"))
            #expect(said(["check", folder.path]).contains("\(stub.path): error: \(message)"))
            try write("struct Migration_1_0_to_2_0 { func carryOnBookFaxNo() {} }", to: stub)
            #expect(run(["check", folder.path]) == .success)
            // A function that no step calls is reported.
            let written =
                "struct Migration_1_0_to_2_0 { func carryOnBookFaxNo() {}; func migrate(_ old: V1_0.Author) {} }"
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
                "! \(folder.path)/strata.json: error: the package has no test target LibraryTest; did you mean \"LibraryTests\"?"
            #expect(said(["generate", folder.path]) == message)
            #expect(said(["check", folder.path]) == message)
            #expect(!FileManager.default.fileExists(atPath: folder.appendingPathComponent("Generated").path))
            try write("{}", to: folder.appendingPathComponent("strata.json"))
            #expect(run(["generate", folder.path]) == .success)
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
            try write("{{! Strata template, format 1 }}\n\nstatic let title = {{table}}\n", to: extras)
            #expect(run(["generate", folder.path]) == .success)
            let generated = try text(folder.appendingPathComponent("Generated/Book.strata.swift"))
            #expect(generated.contains("\n\n        static let title = \"book\"\n\n        // MARK: - Storage\n"))
        }
    }

    @Test func `a file of your own templates is deleted when nothing generates it any more`() throws {
        try withModel(#"{ "templates": "Own" }"#) { (folder: URL) throws in
            let own = folder.appendingPathComponent("Own")
            try FileManager.default.createDirectory(at: own, withIntermediateDirectories: true)
            let text = "{{! Strata template, format 1 }}\n// Made from {{source}}\n"
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
            try withModel(#"{ "mod": 1 }"#) { (other: URL) throws in
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
        try withModel(#"{ "oldest_supported_version": "2.0" }"#, book: book) { (folder: URL) throws in
            let flags = folder.appendingPathComponent("Flags.json")
            let text =
                #"{ "name": "flags", "options": ["a", { "name": "b", "removed_at_version": "2.0", "discard": true }, "c", { "name": "d" }] }"#
            try write(text, to: flags)
            try write(
                #"{ "name": "a_late", "identifier": { "type": "int" }, "added_at_version": "3.0" }"#,
                to: folder.appendingPathComponent("ALate.json"))
            #expect(run(["generate", folder.path]) == .success)
            #expect(run(["prune", folder.path]) == .success)
            #expect(
                try self.text(flags)
                    == #"{ "name": "flags", "options": ["a", { "name": "c", "bit": 2 }, { "name": "d" }] }"#)
            #expect(run(["generate", folder.path]) == .success)
        }
    }
}
