import Commands
import Foundation
import PostgreSQL
import SQLSchema
import SchemaDiff
import SchemaModel
import StoreCommands
import Strata
import Testing

@testable import ServerCommands

/// Rows that a server migrates, compared with the rows that a store migrates.
@Suite(.enabled(if: PostgreSQLServer.isInstalled), .serialized) struct ServerRowsTests {
    private let server: PostgreSQLServer

    init() throws { server = try #require(PostgreSQLServer.shared) }

    /// Models with inferred steps, and a database of their first version.
    static let models = [
        ("Entities/Movies", "Tests/MoviesTests/Fixtures/MoviesSchema/1.0.sqlite"),
        (
            "Tests/Consumers/Everything/Sources/Everything/Model",
            "Tests/Consumers/Everything/Tests/EverythingTests/Fixtures/EverythingSchema/1.0.sqlite"
        ),
    ]

    @Test(arguments: models) func `a server migrates each row as a store does`(model: String, fixture: String) throws {
        let folder = try #require(ModelFolder.all(below: package.appendingPathComponent(model).path).first)
        let (loaded, modelPath) = (try folder.loaded(), folder.path)
        let schema = try loaded.serverSchema()
        try withFolder { folder in
            let store = folder.appendingPathComponent("store.sqlite")
            try FileManager.default.copyItem(at: package.appendingPathComponent(fixture), to: store)
            try removeUnstorable(from: store, loaded.history.versions[0])
            let back = folder.appendingPathComponent("back.sqlite")
            try server.withDatabase { url in
                try server.run([schema.versions[0].file], at: url)
                let copied = strata("copy", store.path, "--to", url, "--model", modelPath)
                try #require(copied.code == .success, "\(copied.text)")
                let protection = Protection(of: loaded.history.versions)
                try protection.add(try ServerConnection(to: url))
                try server.run(schema.steps.flatMap(\.files), at: url)
                try protection.remove(try ServerConnection(to: url))
                let returned = strata("copy", back.path, "--from", url, "--model", modelPath)
                try #require(returned.code == .success, "\(returned.text)")
            }
            _ = try Store(at: store, definition: SchemaDefinition(loaded))
            let count = try compare(loaded.history.newest.serverTables, in: store, and: back)
            #expect(count > 30)
        }
    }

    /// The longest run of steps without code, as positions of versions.
    private static func inferredRun(_ history: SchemaHistory) -> ClosedRange<Int> {
        var best = 0...0
        var start = 0
        for (place, step) in history.steps.enumerated() {
            if step.isCustom {
                start = place + 1
            } else if place + 1 - start > best.count - 1 {
                best = start...(place + 1)
            }
        }
        return best
    }

    /// Creates a store of a version with nine rows in each table. Foreign keys refer to rows with the same number.
    private func create(_ history: SchemaHistory, at place: Int, _ file: URL) throws {
        let schema = SchemaDefinition(history)
        let old = SchemaDefinition(schema.name, versions: Array(schema.versions[...place]), steps: [])
        _ = try Store(at: file, definition: old)
        let connection = try Connection(path: file.path, mode: .readWrite)
        try connection.execute("PRAGMA foreign_keys = OFF")
        for table in history.versions[place].serverTables {
            let cases = table.table.checks.reduce(into: [String: String]()) { cases, check in
                guard case .isIn(.column(let name), let values) = check.condition, let first = values.first else {
                    return
                }
                cases[name] = SQLite.expression(first)
            }
            let columns = table.table.columns
            for number in 1...9 {
                let values = columns.map { column -> String in
                    if column.isNullable, number % 3 == 0 { return "NULL" }
                    if let value = cases[column.name] { return value }
                    switch table.type(of: column.name) {
                    case .bigint: return "\(number)"
                    case .boolean: return "\(number % 2)"
                    case .double, .real: return "\(number).5"
                    case .timestamptz: return "\(number * 1_000_000).25"
                    case .numeric: return "'\(number).75'"
                    case .jsonb: return "'[\(number)]'"
                    case .bytea: return "x'0\(number)'"
                    case .uuid: return "x'0\(number)0102030405060708090A0B0C0D0E0F'"
                    default: return "'text \(number) é'"
                    }
                }
                try connection.execute(
                    "INSERT OR IGNORE INTO \(SQL.quoted(table.name)) (\(SQL.list(columns.map(\.name)))) "
                        + "VALUES (\(values.joined(separator: ", ")))")
            }
        }
        // Some rows have the same unique values, so they are not there.
        try removeDangling(connection)
    }

    @Test(.enabled(if: !ServerSchemaTests.corpus.isEmpty), arguments: ServerSchemaTests.corpus)
    func `a server migrates rows of the histories of public apps as a store does`(format: String, path: String) throws {
        try withFolder { folder in
            let model = folder.appendingPathComponent("Model").path
            #expect(strata("import", format, path, "--into", model).code == .success)
            let count = try check(try loadedModel(folder.path), at: model, folder)
            #expect(count > 0)
        }
    }

    /// Custom steps have code for stores, and other code for servers, so the steps between them are compared.
    @Test(arguments: ["Entities/Laundry", "Tests/Consumers/Shop/Sources/Shop/Model"])
    func `a server migrates rows between custom steps as a store does`(model: String) throws {
        let path = package.appendingPathComponent(model).path
        let folder = try #require(ModelFolder.all(below: path).first)
        let count = try withFolder { try check(try folder.loaded(), at: folder.path, $0) }
        #expect(count > 0)
    }

    /// Compares the rows after the longest run of steps without code.
    ///
    /// - Returns: The number of rows.
    @discardableResult func check(_ loaded: LoadedModel, at model: String, _ folder: URL) throws -> Int {
        let schema = try ServerSchema(loaded.history)
        let run = Self.inferredRun(loaded.history)
        let store = folder.appendingPathComponent("store.sqlite")
        try create(loaded.history, at: run.lowerBound, store)
        let back = folder.appendingPathComponent("back.sqlite")
        try server.withDatabase { url in
            try server.run([schema.versions[run.lowerBound].file], at: url)
            let copied = strata("copy", store.path, "--to", url, "--model", model)
            try #require(copied.code == .success, "\(copied.text)")
            let protection = Protection(of: loaded.history.versions[run])
            try protection.add(try ServerConnection(to: url))
            try server.run(schema.steps[run.lowerBound..<run.upperBound].flatMap(\.files), at: url)
            try protection.remove(try ServerConnection(to: url))
            let returned = strata("copy", back.path, "--from", url, "--model", model)
            try #require(returned.code == .success, "\(returned.text)")
        }
        let known = SchemaDefinition(loaded.history)
        let steps = Array(known.steps[run.lowerBound..<run.upperBound])
        _ = try Store(
            at: store,
            definition: SchemaDefinition(known.name, versions: Array(known.versions[...run.upperBound]), steps: steps))
        return try compare(loaded.history.versions[run.upperBound].serverTables, in: store, and: back)
    }

    /// Compares all rows of two stores, and returns their number.
    private func compare(_ tables: [ServerTable], in store: URL, and back: URL) throws -> Int {
        var count = 0
        for table in tables {
            let (expected, found) = (try rows(of: table, in: store), try rows(of: table, in: back))
            #expect(found.count == expected.count, "\(table.name)")
            for (found, expected) in zip(found, expected) where found != expected {
                let columns = zip(found, expected).filter { $0 != $1 }.map { "\($0) instead of \($1)" }
                Issue.record("\(table.name), \(found[0]): \(columns.joined(separator: "; "))")
            }
            count += found.count
        }
        return count
    }

    /// The rows of a table, with dates to the microsecond and JSON in one form.
    private func rows(of table: ServerTable, in file: URL) throws -> [[String]] {
        let connection = try Connection(path: file.path, mode: .readOnly)
        let columns = table.table.columns
        var rows: [[String]] = []
        try connection.query("SELECT \(SQL.list(columns.map(\.name))) FROM \(SQL.quoted(table.name))") { row in
            let values = columns.enumerated().map { place, column -> String in
                let (value, type) = (row.value(place), table.type(of: column.name))
                switch (value, type) {
                case (.real(let date), .timestamptz): return "\(column.name) \((date * 1_000_000).rounded())"
                case (.text(let text), .jsonb): return "\(column.name) \(Self.json(text))"
                case (.text(let text), .numeric): return "\(column.name) \(Decimal(string: text)?.description ?? text)"
                default: return "\(column.name) \(value)"
                }
            }
            rows.append(values)
        }
        return rows.sorted { $0.lexicographicallyPrecedes($1) }
    }

    private static func json(_ text: String) -> String {
        guard let value = try? JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed) else {
            return text
        }
        return json(value)
    }

    /// Returns JSON with its members sorted, and with numbers in one form: PostgreSQL writes 1e5 as 100000.
    private static func json(_ value: Any) -> String {
        switch value {
        case let members as [String: Any]:
            return "{\(members.sorted { $0.key < $1.key }.map { "\($0.key): \(json($0.value))" })}"
        case let elements as [Any]: return "\(elements.map(json))"
        case let number as NSNumber:
            let text = number.stringValue
            return Int64(text).map(String.init) ?? Double(text).map { "\($0)" } ?? text
        default: return "\(value)"
        }
    }

    /// Removes what PostgreSQL cannot hold: U+0000, references to rows that are not there, and numbers with which its computed
    /// columns and checks cannot compute.
    private func removeUnstorable(from file: URL, _ version: ModelVersion) throws {
        let connection = try Connection(path: file.path, mode: .readWrite)
        for table in version.serverTables {
            let name = SQL.quoted(table.name)
            for column in table.table.columns {
                let quoted = SQL.quoted(column.name)
                let bytes = "CAST(\(quoted) AS BLOB)"
                if column.type == .text {
                    try connection.execute(
                        "UPDATE OR IGNORE \(name) SET \(quoted) = "
                            + "CAST(substr(\(bytes), 1, instr(\(bytes), X'00') - 1) AS TEXT) "
                            + "WHERE instr(\(bytes), X'00') > 0")
                    try connection.execute("DELETE FROM \(name) WHERE instr(\(bytes), X'00') > 0")
                    try connection.execute(
                        "UPDATE \(name) SET \(quoted) = replace(\(quoted), '\\u0000', '~') "
                            + "WHERE instr(\(quoted), '\\u0000') > 0")
                }
                let isComputed = !table.table.computed.isEmpty || table.table.checks.count > 1
                if isComputed, [.integer, .real].contains(column.type), !table.table.primaryKey.contains(column.name) {
                    try connection.execute("DELETE FROM \(name) WHERE abs(CAST(\(quoted) AS REAL)) > 1e15")
                }
            }
        }
        try removeDangling(connection)
    }

    /// Deletes rows that refer to rows that do not exist.
    private func removeDangling(_ connection: Strata.Connection) throws {
        for _ in 0..<9 {
            var dangling: [(String, Int)] = []
            try connection.query("PRAGMA foreign_key_check") { dangling.append((try $0.string(0), try $0.int(1))) }
            for (table, row) in dangling {
                try connection.execute("DELETE FROM \(SQL.quoted(table)) WHERE rowid = \(row)")
            }
        }
    }

    @Test func `values that PostgreSQL cannot hold are reported with their keys, and nothing is copied`() throws {
        let folder = try #require(ModelFolder.all(below: package.appendingPathComponent("Entities/Movies").path).first)
        let (loaded, modelPath) = (try folder.loaded(), folder.path)
        let schema = try loaded.serverSchema()
        let fixture = package.appendingPathComponent(Self.models[0].1)
        try server.withDatabase { url in
            try server.run([schema.versions[0].file], at: url)
            let before = try server.dump(url)
            let result = strata("copy", fixture.path, "--to", url, "--model", modelPath)
            #expect(result.code == .diagnostics)
            #expect(result.text.contains("movie, row 1: overview: PostgreSQL has no texts with U+0000"))
            #expect(try server.dump(url) == before)
            #expect(try ServerConnection(to: url).value("SELECT count(*) FROM movie") == "0")
        }
    }
}
