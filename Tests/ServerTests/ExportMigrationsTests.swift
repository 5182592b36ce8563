import Foundation
import PostgreSQL
import Testing

@testable import ServerCommands

/// Files for other programs. The tests run them in the ways of these programs: in a transaction or without, or as one message.
@Suite(.enabled(if: PostgreSQLServer.isInstalled), .serialized) struct ExportMigrationsTests {
    private let server: PostgreSQLServer

    init() throws { server = try #require(PostgreSQLServer.shared) }

    /// Runs the files that were not run before, in their order.
    private func run(_ folder: URL, _ tool: MigrationTool, _ done: inout Set<String>, at url: String) throws {
        let connection = try ServerConnection(to: url)
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        where tool.number(of: name) != nil && done.insert(name).inserted {
            let file = folder.appendingPathComponent(name)
            let text = try String(contentsOf: file, encoding: .utf8)
            let isTransaction: Bool
            switch tool {
            case .flyway:
                let settings = try? String(contentsOf: folder.appendingPathComponent(name + ".conf"), encoding: .utf8)
                isTransaction = settings?.contains("executeInTransaction=false") != true
            case .atlas: isTransaction = !text.hasPrefix("-- atlas:txmode none\n\n")
            case .golangMigrate:
                try connection.execute(text)
                continue
            }
            if isTransaction {
                #expect(!text.contains("BEGIN;") && !text.contains("COMMIT;"))
                try connection.transaction { try connection.execute(text) }
            } else {
                let result = try server.psql([file], at: url)
                #expect(result.status == 0, "\(name): \(result.output)")
            }
        }
    }

    @Test(arguments: MigrationTool.allCases)
    fileprivate func `an exported folder brings a database to the newest version`(_ tool: MigrationTool) throws {
        try withBooks { path in
            let folder = URL(fileURLWithPath: path + "/../migrations")
            let export = ["export-migrations", path, "--for", tool.rawValue, "--to", folder.path, "--drafts"]
            #expect(strata(export + ["--version", "1.0"]).code == .success)
            try server.withDatabase { url in
                var done: Set<String> = []
                try run(folder, tool, &done, at: url)
                #expect(done.count == 1)
                let connection = try ServerConnection(to: url)
                try connection.execute(
                    "INSERT INTO shelf VALUES (1, 'left'); INSERT INTO book (id, title, shelf_id) VALUES (1, 'A', 1)")
                // A file of the team gets the next number, and the others follow it.
                let own = tool.name(number: "000100", title: "own")
                try Data("CREATE SCHEMA own;\n".utf8).write(to: folder.appendingPathComponent(own))
                #expect(strata(export).text.contains("000101"))
                #expect(strata(export).text.contains("has version 2.0 already"))
                try run(folder, tool, &done, at: url)
                #expect(
                    try connection.rows("SELECT name, price, rack_id FROM book ORDER BY id") == [["A", "7", "1"]])
                #expect(try connection.value("SELECT version FROM strata_schema") == "2.0")
            }
            // An interruption leaves files out.
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
            let last = try #require(names.last { tool.number(of: $0) != nil })
            try FileManager.default.removeItem(at: folder.appendingPathComponent(last))
            #expect(strata(export).text.contains("wrote \(folder.path)/\(last)"))
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == names)
        }
    }

    @Test func `a file that was edited, or that would be written in another way, is refused`() throws {
        try withBooks { path in
            let folder = URL(fileURLWithPath: path + "/../migrations")
            let export = [
                "export-migrations", path, "--for", "golang-migrate", "--to", folder.path, "--from", "1.0", "--drafts",
            ]
            #expect(strata(export).code == .success)
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
            let manifest = try String(
                contentsOf: folder.appendingPathComponent(ExportMigrationsCommand.manifest), encoding: .utf8)
            #expect(manifest.split(separator: "\n").count == names.count)
            let file = folder.appendingPathComponent(names[1])
            let text = try Data(contentsOf: file)
            try (text + Data("-- reviewed\n".utf8)).write(to: file)
            #expect(
                strata(export).text
                    == "\(file.path): error: this file was edited after its export; restore it from version control")
            try text.write(to: file)
            let book = URL(fileURLWithPath: path + "/Book.json")
            let description = try String(contentsOf: book, encoding: .utf8)
            try Data(description.replacingOccurrences(of: #""fill": 7"#, with: #""fill": 8"#).utf8).write(to: book)
            let changed = strata(export)
            #expect(changed.code == .diagnostics)
            #expect(
                changed.text.contains("\(names[2]): error: the export would write other statements for 1.0-2.0 now"))
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == names)
            let manifestFile = folder.appendingPathComponent(ExportMigrationsCommand.manifest)
            try Data(description.utf8).write(to: book)
            #expect(
                strata(["export-migrations", path, "--for", "flyway", "--to", folder.path, "--drafts"]).text.contains(
                    "this folder was exported for another program than flyway"))
            try FileManager.default.removeItem(at: manifestFile)
            #expect(
                strata(export).text
                    == "\(folder.path)/\(names[0]): error: Strata wrote this file, but strata-manifest.txt is missing "
                    + "or empty; restore it from version control")
            #expect(strata(["export-migrations", path, "--for", "liquibase", "--to", folder.path]).code == .usage)
            #expect(
                strata(["export-migrations", path, "--for", "atlas", "--to", file.path, "--drafts"]).text
                    == "\(file.path): error: this is a file; --to takes a folder")
        }
    }

    @Test func `versions that are not released, and migrations that are not written, are refused`() throws {
        try withModel([
            "Note.json": """
            { "name": "note", "identifier": { "type": "int" }, "version_history": [{ "version": "1.0" },
              { "version": "2.0", "migration": "custom" }], "properties": [
              { "name": "title", "property_type": "string", "added_at_version": "2.0" }] }
            """
        ]) { model in
            let folder = model.appendingPathComponent("../migrations").path
            let export = ["export-migrations", model.path, "--for", "atlas", "--to", folder]
            let draft = strata(export)
            #expect(draft.code == .diagnostics)
            #expect(
                draft.text
                    == "\(model.path): error: version 2.0 is not released, so it can still change; release it, or add --drafts "
                    + "for a database that you can delete")
            let file = model.appendingPathComponent("Migrations/postgresql/1.0-2.0.sql")
            #expect(
                strata(export + ["--drafts", "--from", "1.0"]).text
                    == "\(file.path): error: this migration is not written yet")
            #expect(!FileManager.default.fileExists(atPath: folder))
            #expect(strata(export + ["--version", "9.0"]).code != .success)
        }
    }

    @Test func `numbers continue those of the folder`() throws {
        try withBooks { path in
            let cases: [(MigrationTool, String, String)] = [
                (.atlas, "20260102030405_users.sql", "20260102030406_create-1.0.sql"),
                (.flyway, "V7__users.sql", "V000008__create-1.0.sql"),
                (.flyway, "V1.2__users.sql", "V000002__create-1.0.sql"),
                (.golangMigrate, "000009_users.down.sql", "000001_create-1.0.up.sql"),
                (.golangMigrate, "1_users.up.sql", "000002_create-1.0.up.sql"),
            ]
            for (tool, own, expected) in cases {
                let folder = URL(fileURLWithPath: path + "/../\(own)-\(tool)")
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
                try Data().write(to: folder.appendingPathComponent(own))
                let arguments = ["--for", tool.rawValue, "--to", folder.path, "--version", "1.0", "--drafts"]
                #expect(strata(["export-migrations", path] + arguments).code == .success)
                #expect(FileManager.default.fileExists(atPath: folder.appendingPathComponent(expected).path))
            }
        }
    }
}
