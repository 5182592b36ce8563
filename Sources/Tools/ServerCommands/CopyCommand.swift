import Commands
import Foundation
import PostgreSQL
import SQLSchema
import SchemaModel
import StoreCommands
import Strata

/// `strata copy`: copies the rows of a store to a server, or those of a server to a new store.
enum CopyCommand {
    static func run(_ arguments: Arguments, _ console: Console) throws {
        guard arguments.folders.count == 1 else { throw CommandError.usage("copy takes one store") }
        guard !arguments.folders[0].contains("://") else {
            throw CommandError.usage(
                "copy takes the path of a store, and the address of the server after --to or --from")
        }
        let file = URL(fileURLWithPath: arguments.folders[0])
        guard arguments.has("--to") != arguments.has("--from") else {
            throw CommandError.usage("copy needs either --to or --from")
        }
        do {
            if arguments.has("--to") {
                try CopyToServer(file, arguments, console).run()
            } else {
                try copyFromServer(to: file, arguments, console)
            }
        } catch let error as ServerError {
            throw CommandError.message("error: \(error)")
        } catch let error as StoreError {
            throw CommandError.store(file.path, reason: error.description)
        } catch let error as SQLiteError {
            throw CommandError.store(file.path, reason: error.description)
        }
    }

    /// The version of a database on a server.
    static func version(
        of connection: ServerConnection, in model: LoadedModel
    ) throws -> ModelVersion {
        guard try connection.value("SELECT to_regclass('strata_schema')") != nil,
            let row = try connection.rows("SELECT version, fingerprint FROM strata_schema").first
        else {
            throw CommandError.message(
                "error: the database has no table strata_schema: create its tables with a file of SQL/postgresql first")
        }
        // Tables of other schemas may have the same names.
        _ = try connection.rows(
            """
            SELECT set_config('search_path', quote_ident(nspname), false) FROM pg_class AS c
            JOIN pg_namespace AS n ON n.oid = relnamespace WHERE c.oid = 'strata_schema'::regclass
            """)
        let (name, fingerprint) = (row[0] ?? "", row[1] ?? "")
        guard let version = model.history.versions.first(where: { $0.version.text == name }) else {
            throw CommandError.message(
                "error: the database has version \(name), but the model has none of this name; is it the model of this database?"
            )
        }
        guard version.fingerprint.description == fingerprint else {
            throw CommandError.message(
                "error: version \(name) of the database has another fingerprint than that of the model, so their contents differ"
            )
        }
        return version
    }

    // MARK: From a server

    private static func copyFromServer(to file: URL, _ arguments: Arguments, _ console: Console) throws {
        let connection = try ServerConnection(to: try arguments.value("--from"))
        guard arguments.has("--model") else {
            throw CommandError.usage("copy --from needs --model, the folder of the model")
        }
        let model = try arguments.model(at: try arguments.value("--model")).loaded()
        let version = try version(of: connection, in: model)
        guard try connection.value("SELECT to_regclass('strata_copy')") == nil else {
            throw CommandError.message(
                "error: a copy to this database was interrupted, so rows are missing; go on with it first")
        }
        let known = SchemaDefinition(model)
        guard let target = known.versions.first(where: { $0.name == version.version.text }) else {
            throw CommandError.noVersion(version.version.text, known: known.versions.map(\.name))
        }
        let draft = try SalvageCommand.draft(of: file)
        defer { draft.remove() }
        let store = try draft.createStore(target, schema: known.name, StoreOptions())
        try store.execute("PRAGMA foreign_keys = ON")
        var lines = ["wrote \(file.path): version \(version.version.text)"]
        try connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        defer { try? connection.execute("ROLLBACK") }
        let progress = console.progress("copying", unit: "rows")
        defer { progress.end() }
        try store.transaction("BEGIN IMMEDIATE") {
            for table in version.serverTables {
                let total = try connection.value("SELECT count(*) FROM \(PostgreSQL.quoted(table.name))") ?? ""
                let columns = table.table.columns
                let insert = try store.prepare(
                    "INSERT INTO \(SQL.quoted(table.name)) (\(SQL.list(columns.map(\.name)))) "
                        + "VALUES (\(columns.indices.map { "?\($0 + 1)" }.joined(separator: ", ")))")
                var rows = 0
                try connection.copy(from: CopyFormat.selection(of: table)) { bytes in
                    let fields = CopyFormat.fields(bytes)
                    for (index, (column, field)) in zip(columns, fields).enumerated() {
                        let type = table.type(of: column.name)
                        do {
                            try insert.bind(try CopyFormat.value(field, type), at: index + 1)
                        } catch let problem as CopyFormat.Problem {
                            throw CommandError.message(
                                "error: a store cannot hold a value of the server, so nothing is written: "
                                    + "\(Self.key(fields, of: table)): \(column.name): \(problem)")
                        }
                    }
                    do { try insert.run() } catch let error as SQLiteError {
                        throw CommandError.message(
                            "error: the store refuses a row of the server, so nothing is written: "
                                + "\(Self.key(fields, of: table)): \(error)")
                    }
                    rows += 1
                    if rows.isMultiple(of: 1_000) { progress.update(rows, of: Int(total) ?? rows) }
                }
                guard try RowChecksum(of: table, in: store) == RowChecksum(of: table, on: connection) else {
                    throw CommandError.message("error: the rows of \(table.name) differ from those of the server")
                }
                lines.append("  \(table.name): \(rows) \(rows == 1 ? "row" : "rows")")
            }
        }
        try draft.publish()
        progress.end()
        console.say(lines.joined(separator: "\n"))
    }

    /// Returns the table and the primary key of a row, for messages.
    private static func key(_ fields: [[UInt8]?], of table: ServerTable) -> String {
        let key = table.table.primaryKey.compactMap { name in
            table.table.columns.firstIndex { $0.name == name }.flatMap { fields[$0] }
                .map { String(decoding: $0, as: UTF8.self) }
        }
        return "\(table.name), row \(key.joined(separator: ", "))"
    }
}
