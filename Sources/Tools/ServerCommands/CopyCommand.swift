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
            throw CommandError.elsewhere("error: \(error)")
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
        let state = try ServerState(reading: connection)
        guard let current = state.current else {
            throw CommandError.elsewhere("error: the database is empty: deploy creates its tables")
        }
        guard !state.hasOldParts else {
            throw CommandError.elsewhere(
                "error: the phase contract has not run, so the tables have the columns of two versions: deploy first, with "
                    + "--oldest-client \(current.version)")
        }
        let version = model.history.versions.first {
            $0.version.text == current.version && $0.fingerprint.description == current.fingerprint
        }
        guard let version else {
            throw CommandError.elsewhere("error: the database has version \(current.version), which is unknown here")
        }
        return version
    }

    /// Returns the number of rows of a table on a server, and the sum of their hashes.
    static func checksum(
        of table: ServerTable, on connection: ServerConnection
    ) throws -> (rows: Int, sum: UInt64) {
        let text = table.table.columns.map { CopyFormat.canonical($0.name, table.type(of: $0.name)) }
            .joined(separator: " || ")
        let row = try connection.rows(
            """
            SELECT count(*), coalesce(mod(mod(sum(hashtextextended((\(text)) COLLATE "C", 0)::numeric), 18446744073709551616)
                + 18446744073709551616, 18446744073709551616), 0)
            FROM \(PostgreSQL.quoted(table.name))
            """
        ).first
        return (Int(row?[0] ?? "") ?? -1, UInt64(row?[1] ?? "") ?? 0)
    }

    // MARK: From a server

    private static func copyFromServer(to file: URL, _ arguments: Arguments, _ console: Console) throws {
        let connection = try ServerConnection(to: try arguments.value("--from"))
        guard arguments.has("--model") else {
            throw CommandError.usage("copy --from needs --model, the folder of the model")
        }
        let model = try arguments.model(at: try arguments.value("--model")).loaded()
        let version = try version(of: connection, in: model)
        let known = KnownSchema(model)
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
                let expected = try checksum(of: table, on: connection)
                let columns = table.table.columns
                let insert = try store.prepare(
                    "INSERT INTO \(SQL.quoted(table.name)) (\(SQL.list(columns.map(\.name)))) "
                        + "VALUES (\(columns.indices.map { "?\($0 + 1)" }.joined(separator: ", ")))")
                let selected = columns.map { CopyFormat.selected($0.name, table.type(of: $0.name)) }
                var (rows, sum) = (0, UInt64(0))
                var line: [UInt8] = []
                try connection.copy(
                    from:
                        "COPY (SELECT \(selected.joined(separator: ", ")) FROM \(PostgreSQL.quoted(table.name))) TO STDOUT"
                ) { bytes in
                    line.removeAll(keepingCapacity: true)
                    for (place, (column, field)) in zip(columns, CopyFormat.fields(bytes)).enumerated() {
                        let type = table.type(of: column.name)
                        let value = CopyFormat.value(field, type, column.type)
                        try insert.bind(value, at: place + 1)
                        CopyFormat.appendCanonical(value, type, to: &line)
                    }
                    try insert.run()
                    rows += 1
                    sum &+= CopyFormat.hash(line)
                    if rows.isMultiple(of: 1_000) { progress.update(rows, of: expected.rows) }
                }
                guard rows == expected.rows, sum == expected.sum else {
                    throw CommandError.elsewhere("error: the rows of \(table.name) differ from those of the server")
                }
                lines.append("  \(table.name): \(rows) \(rows == 1 ? "row" : "rows")")
            }
        }
        try draft.publish()
        progress.end()
        console.say(lines.joined(separator: "\n"))
    }
}
