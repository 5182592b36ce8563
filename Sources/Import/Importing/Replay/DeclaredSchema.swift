import Foundation
import SQLSchema
import Strata

/// The newest schema of an SQLDelight database, which its `.sq` files declare.
struct DeclaredSchema {
    private let files: [MigrationScript]
    private let statements: [String]

    /// - Parameter files: The `.sq` files.
    init(_ files: [MigrationScript]) {
        self.files = files
        let all = files.flatMap { SQLToken.statements(of: $0.sql) }
        // A file can need the tables of another one.
        let isTable = all.map { Self.words($0).prefix(3).contains("TABLE") }
        statements =
            zip(all, isTable).filter(\.1).map(\.0) + zip(all, isTable).filter { !$0.1 }.map(\.0)
    }

    /// The declarations as one script.
    var script: MigrationScript { script(statements, path: files.first?.path ?? "") }

    /// Returns the script that creates the first version: the newest one without what the migrations have added. nil if a
    /// migration cannot be undone, or if the migrations would not lead from there to the newest version.
    func first(before migrations: [MigrationScript], path: String) throws -> MigrationScript? {
        let newest = try Connection(path: ":memory:", mode: .readWrite)
        let database = try Connection(path: ":memory:", mode: .readWrite)
        for connection in [newest, database] {
            for statement in statements {
                do {
                    try connection.execute(statement)
                } catch let error as SQLiteError {
                    throw ImportError("SQLite refuses \(statement.prefix(200)): \(error.description)", path: path)
                }
            }
        }
        do {
            for statement in migrations.reversed().flatMap({ SQLToken.statements(of: $0.sql).reversed() }) {
                guard let undo = Self.undo(statement) else { return nil }
                if !undo.isEmpty { try database.execute(undo) }
            }
            let objects = try SchemaObject.all(in: database).filter { !$0.name.hasPrefix("sqlite_") }
            for statement in migrations.flatMap({ SQLToken.statements(of: $0.sql) }) { try database.execute(statement) }
            guard try Self.columns(database) == Self.columns(newest) else { return nil }
            return script(objects.map(\.sql), path: path)
        } catch is SQLiteError {
            return nil
        }
    }

    private func script(_ statements: [String], path: String) -> MigrationScript {
        let types = files.reduce(into: [:]) { $0.merge($1.types) { _, new in new } }
        return MigrationScript(path: path, sql: statements.map { $0 + ";\n" }.joined(), types: types)
    }

    private static func words(_ statement: String) -> [String] {
        SQLToken.tokens(of: statement).filter(\.isCode).map { $0.kind == .word ? $0.text.uppercased() : $0.text }
    }

    /// Returns the statement that undoes a change of the schema; empty for one that changes no schema, nil if nothing undoes it.
    private static func undo(_ statement: String) -> String? {
        let tokens = SQLToken.tokens(of: statement).filter(\.isCode)
        var words = words(statement)[...]
        func name(_ offset: Int) -> String? { tokens.indices.contains(offset) ? tokens[offset].name : nil }
        func quoted(_ offset: Int) -> String? { name(offset).map(SQL.quoted) }
        switch words.first {
        case "ALTER":
            guard let table = quoted(2) else { return nil }
            words = words.dropFirst(3)
            let hasColumn = words.dropFirst().first == "COLUMN"
            if words.first == "ADD" {
                return quoted(hasColumn ? 5 : 4).map { "ALTER TABLE \(table) DROP COLUMN \($0)" }
            }
            if words.prefix(2) == ["RENAME", "TO"] { return quoted(5).map { "ALTER TABLE \($0) RENAME TO \(table)" } }
            let start = hasColumn ? 5 : 4
            guard words.first == "RENAME", let old = quoted(start), let new = quoted(start + 2) else { return nil }
            return "ALTER TABLE \(table) RENAME COLUMN \(new) TO \(old)"
        case "CREATE":
            guard let kind = ["TABLE", "INDEX", "VIEW", "TRIGGER"].first(where: words.prefix(4).contains),
                let place = words.firstIndex(of: kind)
            else { return nil }
            return quoted(words[place...].prefix(4).contains("EXISTS") ? place + 4 : place + 1).map {
                "DROP \(kind) IF EXISTS \($0)"
            }
        case "DROP": return words.dropFirst().first == "TABLE" ? nil : ""
        case "INSERT", "UPDATE", "DELETE", "REPLACE", "PRAGMA", "WITH": return ""
        default: return nil
        }
    }

    /// The columns of all tables, whatever their order.
    private static func columns(_ connection: Connection) throws -> [String: Set<SourceTable.Column>] {
        Dictionary(
            try SourceTable.all(in: connection).map { ($0.name.lowercased(), Set($0.columns)) },
            uniquingKeysWith: { first, _ in first })
    }
}
