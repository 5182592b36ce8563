import Commands
import Foundation
import ModelCommands
import Testing

/// `strata squash` on a small model.
@Suite struct SquashCommandTests {
    private static let book = """
        {
          "name": "book",
          "version_history": [{ "version": "1.0" }, { "version": "3.0" }],
          "identifier": { "type": "int" },
          "properties": [
            { "name": "title", "property_type": "string" },
            { "name": "pages", "property_type": "int", "added_at_version": "2.0" },
            { "name": "cover", "property_type": "string", "nullable": true, "removed_at_version": "2.0", "discard": true },
            { "name": "year", "property_type": "int", "nullable": true, "added_at_version": "3.0" }
          ]
        }
        """

    private static let tests = """
        import Library

        /// Rows of the first version.
        extension LibrarySchema.V1_0 {
            static func samples() {
                if true {  // }
                    print("}")
                }
            }
        } // V1_0

        /// Kept.
        extension LibrarySchema.V2_0 {
            static func samples() {}
        }

        """

    private static let expectations = """
        import Library

        extension LibrarySchemaStep_1_0_to_2_0 { static func check() {} }  // nothing
        """

    private func withModel(_ body: (ScratchModel) throws -> Void) throws {
        let files = [
            "Book.json": Self.book, "../../../Package.swift": "StrataBuild StrataTesting",
            "../../../Tests/LibraryTests/Samples.swift": Self.tests,
            "../../../Tests/LibraryTests/Expectations.swift": Self.expectations,
            "../../../Tests/LibraryTests/Fixtures/LibrarySchema/draft-1.0.sqlite": "x",
            "Migrations/Migration_1_0_to_2_0.swift": "// mine",
        ]
        try ScratchModel.with(files) { (model: ScratchModel) throws in
            try ScratchModel.releaseOlderVersions(in: model.folder)
            #expect(model.run("generate", model.folder.path).code == .success)
            try body(model)
        }
    }

    private func answer(_ model: ScratchModel, _ answer: String?, _ arguments: String...) -> (Command.ExitCode, String)
    {
        var lines: [String] = []
        let console = Console(
            say: { lines.append($0) }, complain: { lines.append($0) },
            ask: answer.map { answer in
                { question in
                    lines.append(question)
                    return answer
                }
            })
        let code = Command.run(["squash", model.folder.path] + arguments, console: console, others: ModelCommand.all)
        return (code, lines.joined(separator: "\n").replacingOccurrences(of: model.folder.path, with: "."))
    }

    @Test func `squash removes what only older versions need, after a question`() throws {
        try withModel { (model: ScratchModel) throws in
            let tests = model.folder.appendingPathComponent("../../../Tests/LibraryTests").standardizedFileURL.path
            let files = """
                Library: 2.0 becomes the first version; stores of 1.0 can no longer be opened
                  change ./Book.json
                  remove ./Migrations/Migration_1_0_to_2_0.swift
                  change ./strata.json
                  remove \(tests)/Expectations.swift
                  remove \(tests)/Fixtures/LibrarySchema/draft-1.0.sqlite
                  change \(tests)/Samples.swift
                """
            for refusal in ["", "n", "no", "maybe"] {
                let (code, output) = answer(model, refusal, "--before", "2.0")
                #expect(code == .success)
                #expect(output == files + "\nMake these changes? [y/N]\nnothing was changed")
                #expect(try model.text("Book.json") == Self.book)
            }
            let (code, output) = answer(model, nil, "--before", "2.0")
            #expect(code == .usage)
            #expect(output == files + "\nerror: standard input is not a terminal; add --yes")

            #expect(answer(model, "y", "--before", "2.0").0 == .success)
            #expect(model.run("generate", model.folder.path).code == .success)
            #expect(
                try model.text("Book.json") == """
                    {
                      "name": "book",
                      "version_history": [{ "version": "2.0" }, { "version": "3.0" }],
                      "identifier": { "type": "int" },
                      "properties": [
                        { "name": "title", "property_type": "string" },
                        { "name": "pages", "property_type": "int" },
                        { "name": "year", "property_type": "int", "nullable": true, "added_at_version": "3.0" }
                      ]
                    }
                    """)
            #expect(try model.text("strata.json") == #"{ "oldest_supported_version": "2.0" }"#)
            #expect(!model.exists("Migrations/Migration_1_0_to_2_0.swift"))
            #expect(!model.exists("SQL/1.0.sql"))
            #expect(!model.exists("../../../Tests/LibraryTests/Expectations.swift"))
            #expect(
                try model.text("../../../Tests/LibraryTests/Samples.swift") == """
                    import Library

                    /// Kept.
                    extension LibrarySchema.V2_0 {
                        static func samples() {}
                    }

                    """)
            #expect(!(try model.text("strata.lock").contains("version 1.0")))
        }
    }

    @Test func `squash names files of yours that still name a removed version`() throws {
        try withModel { (model: ScratchModel) throws in
            try model.write(
                "import Library\n\nlet old: LibrarySchema.V1_0.Book\n", to: "../../../Tests/LibraryTests/X.swift")
            let (code, output) = answer(model, nil, "--before", "3.0", "--yes")
            #expect(code == .success)
            #expect(output.contains("LibraryTests/X.swift:3:1: warning: this file names a version that was removed"))
            #expect(output.contains("warning: 3.0 is a draft, so no store of a customer can be opened any more"))
        }
    }

    @Test func `squash refuses unknown versions, and does nothing for the first one`() throws {
        try withModel { (model: ScratchModel) throws in
            #expect(
                answer(model, nil, "--before", "1.5").1
                    == "error: unknown version 1.5; the versions are 1.0, 2.0, 3.0")
            #expect(answer(model, nil, "--before", "x").0 == .usage)
            #expect(answer(model, nil, "--before", "1.0").1 == "Library: no version is older than 1.0")
        }
    }
}
