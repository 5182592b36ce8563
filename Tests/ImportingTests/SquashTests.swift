import Foundation
import SchemaModel
import SQLSchema
import StoreCommands
import Testing

@testable import Strata

/// `strata squash` on the histories of public apps.
@Suite struct SquashTests {
    @Test(.enabled(if: !CorpusTests.histories.isEmpty), arguments: CorpusTests.histories)
    func `a store of the oldest supported version migrates as before the squash, row by row`(
        history: [String]
    ) throws {
        let workspace = try Workspace()
        let folder = workspace.path("Sources/App/Model")
        workspace.run("import", history[0], history[1], "--into", folder)
        #expect(workspace.run("generate", folder).code == .success)
        let before = try workspace.history("Sources/App/Model")
        // The steps from the oldest supported version on must not need code, which this test does not compile.
        let custom = before.steps.lastIndex { $0.isCustom }.map { $0 + 1 } ?? 0
        let place = min(max(custom, before.versions.count / 4), before.versions.count - 1)
        let oldest = before.versions[place].version
        let squashed = workspace.run("squash", folder, "--before", oldest.text, "--yes")
        #expect(squashed.code == .success, "\(squashed.complaints)")
        #expect(workspace.run("generate", folder).code == .success)
        #expect(workspace.run("check", folder).code == .success)
        let after = try workspace.history("Sources/App/Model")
        #expect(after.versions.map(\.version) == before.versions.suffix(from: place).map(\.version))
        #expect(after.versions.map(\.fingerprint) == before.versions.suffix(from: place).map(\.fingerprint))
        #expect(try descriptions(in: folder).allSatisfy { !$0.contains("\"version\": \"1.0\"") } || place == 0)

        let tables = before.versions[place].tables
        let store = workspace.url.appendingPathComponent("store.sqlite")
        let schemas = [SchemaDefinition(before), SchemaDefinition(after)]
        try create(tables, of: schemas[0], at: place, store)
        var results: [[String: [[SQLiteValue]]]] = []
        for (number, schema) in schemas.enumerated() {
            let copy = workspace.url.appendingPathComponent("copy\(number).sqlite")
            try FileManager.default.copyItem(at: store, to: copy)
            _ = try StoreConnections(at: copy, schema, StoreOptions())
            let connection = try Connection(path: copy.path, mode: .readOnly)
            var contents: [String: [[SQLiteValue]]] = [:]
            for table in after.newest.tables {
                let columns = table.columnNames.map(SQL.quoted).joined(separator: ", ")
                let sql = "SELECT \(columns) FROM \(SQL.quoted(table.name)) ORDER BY \(columns)"
                try connection.query(sql) { contents[table.name, default: []].append($0.values) }
            }
            results.append(contents)
        }
        #expect(results[0] == results[1])
        #expect(results[0].values.contains { !$0.isEmpty })
    }

    private func descriptions(in folder: String) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: folder).filter { $0.hasSuffix(".json") }.map {
            try String(contentsOfFile: "\(folder)/\($0)", encoding: .utf8)
        }
    }

    /// Creates a store of a version with at most nine rows a table. Foreign keys refer to rows with the same number.
    private func create(_ tables: [Table], of schema: SchemaDefinition, at place: Int, _ url: URL) throws {
        let old = SchemaDefinition(schema.name, versions: Array(schema.versions[...place]), steps: [])
        let connection = try StoreConnections(at: url, old, StoreOptions()).connection
        try connection.execute("PRAGMA foreign_keys = OFF")
        for table in tables {
            for number in 1...9 {
                let values = table.columns.map { column -> String in
                    if column.isNullable, number % 3 == 0 { return "NULL" }
                    switch column.type {
                    case .integer: return "\(number)"
                    case .real: return "\(number).5"
                    case .text: return "'text \(number)'"
                    case .blob, .any: return "x'0\(number)'"
                    }
                }
                do {
                    try connection.execute(
                        "INSERT INTO \(SQL.quoted(table.name)) VALUES (\(values.joined(separator: ", ")))")
                } catch let error as SQLiteError where error.check != nil {
                    continue  // Some apps have checks, such as `video IN (0, 1)`, which only some of the rows satisfy.
                }
            }
        }
    }
}
