import Foundation
import PostgreSQL
import Testing

@testable import ServerCommands

/// Files for other programs. The tests run them in the ways of these programs: in a transaction or without, or as one command.
@Suite(.enabled(if: PostgreSQLServer.isInstalled), .serialized) struct MigrationFolderTests {
    private let server: PostgreSQLServer

    init() throws { server = try #require(PostgreSQLServer.shared) }

    /// Runs the files that were not run before, in their order.
    private func run(_ folder: URL, _ tool: MigrationTool, _ done: inout Set<String>, at url: String) throws {
        let connection = try ServerConnection(to: url)
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        where tool.parts(of: name) != nil && done.insert(name).inserted {
            let file = folder.appendingPathComponent(name)
            let text = try String(contentsOf: file, encoding: .utf8)
            switch tool {
            case .flyway:
                let settings = try? String(contentsOf: folder.appendingPathComponent(name + ".conf"), encoding: .utf8)
                let isSingle = settings?.contains("executeInTransaction=false") == true
                try server.run(file, isTransaction: !isSingle, at: url)
            case .atlas:
                try server.run(file, isTransaction: !text.hasPrefix("-- atlas:txmode none\n\n"), at: url)
            case .golangMigrate: try connection.execute(text)
            }
        }
    }

    @Test(arguments: MigrationTool.allCases)
    fileprivate func `an exported folder brings a database to the newest version`(_ tool: MigrationTool) throws {
        try withBooks { path in
            let schema = try loadedModel(path).serverSchema()
            let folder = URL(fileURLWithPath: path + "/../migrations")
            let export = ["deploy", path, "--export", tool.rawValue, "--to", folder.path]
            #expect(strata(export + ["--dry-run"]).text.contains("create 2.0.sql"))
            #expect(!FileManager.default.fileExists(atPath: folder.path))
            let first = DeploymentPlan.Task(step: nil, script: schema.versions[0].script)
            #expect(try MigrationFolder(folder, of: tool, schema).add([first]).count == 1)
            try server.withDatabase { url in
                var done: Set<String> = []
                try run(folder, tool, &done, at: url)
                let connection = try ServerConnection(to: url)
                try connection.execute(
                    "INSERT INTO shelf VALUES (1, 'left'); INSERT INTO book (id, title, shelf_id) VALUES (1, 'A', 1)")
                let exported = strata(export)
                #expect(exported.code == .success && exported.text.contains("the folder has version 1.0"))
                try run(folder, tool, &done, at: url)
                try connection.execute("INSERT INTO book (id, title, shelf_id) VALUES (2, 'B', 1)")
                #expect(strata("deploy", path, "--to", url).text.contains("nothing is left to do"))
                // A file of the team gets the next number, and the others follow it.
                let own = tool.name(number: "000100", title: "own")
                try Data("CREATE SCHEMA own;\n".utf8).write(to: folder.appendingPathComponent(own))
                let count = done.count
                #expect(strata(export).text.contains("nothing is left to do"))
                #expect(strata(export + ["--oldest-client", "2.0"]).text.contains("000101"))
                try run(folder, tool, &done, at: url)
                #expect(done.count > count + 1)
                #expect(strata(export + ["--oldest-client", "2.0"]).text.contains("has version 2.0, and nothing is"))
                #expect(strata("deploy", path, "--to", url, "--check").text.contains("matches version 2.0"))
                #expect(
                    try connection.rows("SELECT name, price, rack_id FROM book ORDER BY id")
                        == [["A", "7", "1"], ["B", "7", "1"]])
            }
        }
    }

    @Test func `a folder with a gap or with another version is refused, and its files stay`() throws {
        try withBooks { path in
            let schema = try loadedModel(path).serverSchema()
            let folder = URL(fileURLWithPath: path + "/../migrations")
            let export = ["deploy", path, "--export", "golang-migrate", "--to", folder.path]
            let first = DeploymentPlan.Task(step: nil, script: schema.versions[0].script)
            let create = try MigrationFolder(folder, of: .golangMigrate, schema).add([first])[0]
            #expect(strata(export).code == .success)
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
            let file = folder.appendingPathComponent(names[2])
            let text = try Data(contentsOf: file)
            try FileManager.default.removeItem(at: file)
            let gap = strata(export)
            #expect(gap.code == .diagnostics && gap.text.contains("\(names[3]): error: '1.0-2.0-"))
            try text.write(to: file)
            // Other statements for the same versions are only mentioned, because a database may have run them.
            try (text + Data("-- reviewed\n".utf8)).write(to: file)
            let changed = strata(export)
            #expect(changed.code == .success && changed.text.contains("note: \(names[2]) differs from what"))
            let other = schema.versions[0].script.text.replacingOccurrences(
                of: schema.versions[0].fingerprint, with: "other")
            try Data(other.utf8).write(to: folder.appendingPathComponent(create))
            #expect(strata(export).text.contains("\(create): error: the version in this file differs"))
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == names)
            #expect(strata("deploy", path, "--export", "liquibase", "--to", folder.path).code == .usage)
            #expect(strata(export + ["--check"]).code == .usage)
            #expect(
                strata("deploy", path, "--export", "atlas", "--to", file.path).text.contains("writes to a folder"))
        }
    }

    @Test func `numbers continue those of the folder`() throws {
        try withBooks { path in
            let schema = try loadedModel(path).serverSchema()
            let task = DeploymentPlan.Task(step: nil, script: schema.versions[0].script)
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
                #expect(try MigrationFolder(folder, of: tool, schema).add([task]) == [expected])
            }
        }
    }
}
