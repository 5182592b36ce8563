import Commands
import Foundation
import PostgreSQL
import SQLSchema
import SchemaModel
import StoreCommands
import Strata

/// A copy of the rows of a store to the empty tables of a server.
///
/// The rows go over in parts, each in a transaction that also records how far the copy is, in the table `strata_copy`. The
/// foreign keys are dropped before, and created after it.
struct CopyToServer {
    private let file: URL
    private let console: Console
    private let isRestarted: Bool
    private let store: Connection
    private let server: ServerConnection
    private let version: ModelVersion
    private let tables: [ServerTable]

    /// The number of rows in a part.
    private static let part = 50_000
    /// The key of the lock that two copies cannot hold at the same time: "strata" in ASCII.
    private static let lockKey = 0x7374_7261_7461
    /// The number of values that are reported if PostgreSQL cannot hold them.
    private static let mostProblems = 20

    /// How far the copy of a table is.
    private struct Position {
        /// The number of the last row.
        var row: Int64?
        /// Whether this is the last row of the table.
        var isOver = false
        var rows = 0
    }

    init(_ file: URL, _ arguments: Arguments, _ console: Console) throws {
        guard FileManager.default.fileExists(atPath: file.path) else {
            throw CommandError.store(file.path, reason: "the file does not exist")
        }
        (self.file, self.console) = (file, console)
        isRestarted = arguments.has("--restart")
        store = try StoreFile.connect(to: file, .readOnly, StoreOptions())
        let identity = try StoreIdentity(reading: store)
        guard let model = try StoreCommand.model(arguments, for: identity.schema) else {
            throw CommandError.usage("copy needs the model of the store: name its folder with --model")
        }
        server = try ServerConnection(to: try arguments.value("--to"))
        version = try CopyCommand.version(of: server, in: model)
        guard identity.version == version.version.text, identity.fingerprint == version.fingerprint.value else {
            throw CommandError.message(
                "error: the store has version \(identity.version), and the database \(version.version.text): "
                    + "both need the same one")
        }
        tables = version.serverTables
    }

    func run() throws {
        // The store must not change while it is copied in parts.
        try lock()
        try store.execute("BEGIN")
        defer { try? store.execute("ROLLBACK") }
        var positions = try begin()
        let total = try tables.reduce(0) { try $0 + store.count($1.name) }
        let progress = console.progress("copying", unit: "rows")
        defer { progress.end() }
        do {
            try copyAll(&positions) { progress.update($0, of: total) }
            try check()
            try finish()
        } catch {
            progress.end()
            throw try failure(error, positions)
        }
        progress.end()
        let lines = tables.map { table -> String in
            let rows = positions[table.name]?.rows ?? 0
            return "  \(table.name): \(rows) \(rows == 1 ? "row" : "rows")"
        }
        console.say((["copied \(file.path): version \(version.version.text)"] + lines).joined(separator: "\n"))
    }

    /// Waits until no other copy runs.
    private func lock() throws {
        // A server whose client was killed notices it only when it asks.
        try? server.execute("SET client_connection_check_interval = '500ms'")
        for attempt in 0..<150 {
            if try server.value("SELECT pg_try_advisory_lock(\(Self.lockKey))") == "t" { return }
            if attempt == 0 { console.say("another copy is running; waiting") }
            Thread.sleep(forTimeInterval: 0.2)
        }
        throw CommandError.message("error: another copy is running in this database")
    }

    // MARK: Failures

    /// Returns the error for a failure. If a later attempt would fail too, the target becomes as it was before.
    private func failure(_ error: any Error, _ positions: [String: Position]) throws -> CommandError {
        var reasons: [String]
        switch error {
        case is CopyFormat.Problem: reasons = try problems()
        case let error as ServerError where error.code == "23503":
            // The foreign keys are checked after all rows.
            reasons = try danglingRows()
            if reasons.isEmpty { reasons = ["\(error)"] }
        case let error as ServerError where error.isRefusal:
            reasons = [try refusedRow(after: positions) ?? "\(error)"]
        default:
            let text = (error as? CommandError)?.description ?? "error: \(error)"
            return .message(
                "\(text)\nThe target has a part of the rows and no foreign keys. Run the same command again to go on, or "
                    + "add --restart to begin again")
        }
        let list = reasons.joined(separator: "\n  ")
        do {
            try server.transaction {
                try removeRows(positions)
                try createForeignKeys()
            }
        } catch {
            return .store(
                file.path,
                reason:
                    "PostgreSQL cannot hold these values; change them, and copy again with --restart, because the target has "
                    + "a part of the rows (\(error)):\n  \(list)")
        }
        return .store(
            file.path,
            reason: "PostgreSQL cannot hold these values, so nothing is copied; change them, and copy again:\n  \(list)"
        )
    }

    /// Names the first row that the server refuses, with its reason: sends the rows again, one by one.
    private func refusedRow(after positions: [String: Position]) throws -> String? {
        for table in tables where positions[table.name].map({ !$0.isOver }) ?? true {
            var position = positions[table.name] ?? Position()
            try server.execute("BEGIN")
            defer { try? server.execute("ROLLBACK") }
            let select = try rows(of: table, after: position)
            while !position.isOver {
                let last = position
                do {
                    try send(select, table, &position, rows: 1) { _ in }
                } catch let error as ServerError {
                    return "\(try name(of: table, after: last)): \(error)"
                }
            }
        }
        return nil
    }

    /// Returns the table and the primary key of the first row after a position.
    private func name(of table: ServerTable, after position: Position) throws -> String {
        let row = try rows(of: table, after: position)
        return try row.step() ? Self.name(of: table, row.row) : table.name
    }

    private static func name(of table: ServerTable, _ row: Row) -> String {
        let key = table.table.primaryKey.compactMap { name in
            table.table.columns.firstIndex { $0.name == name }.map { row.value($0).description }
        }
        return "\(table.name), row \(key.joined(separator: ", "))"
    }

    /// Returns the values of the store that PostgreSQL cannot hold.
    private func problems() throws -> [String] {
        var problems: [String] = []
        for table in tables {
            let columns = table.table.columns
            try store.query("SELECT \(SQL.list(columns.map(\.name))) FROM \(SQL.quoted(table.name))") { row in
                var line: [UInt8] = []
                for (index, column) in columns.enumerated() where problems.count < Self.mostProblems {
                    do {
                        let (value, type) = (try CopyFormat.value(row, index), table.type(of: column.name))
                        try CopyFormat.append(value, type, to: &line)
                    } catch {
                        problems.append("\(Self.name(of: table, row)): \(column.name): \(error)")
                    }
                    line.removeAll(keepingCapacity: true)
                }
            }
        }
        return problems + (problems.count < Self.mostProblems ? [] : ["and possibly more"])
    }

    /// Returns the rows whose foreign keys are dangling.
    private func danglingRows() throws -> [String] {
        var rows: [String] = []
        for table in tables where !table.table.foreignKeys.isEmpty && rows.count < Self.mostProblems {
            let columns = table.table.columns.map { "t." + SQL.quoted($0.name) }.joined(separator: ", ")
            guard let number = table.table.rowNumber else { continue }
            try store.query(
                "SELECT \(columns), c.parent FROM pragma_foreign_key_check(\(SQL.literal(table.name))) AS c "
                    + "JOIN \(SQL.quoted(table.name)) AS t ON t.\(number) = c.\"rowid\" LIMIT \(Self.mostProblems)"
            ) { row in
                let target = try row.string(table.table.columns.count)
                rows.append("\(Self.name(of: table, row)): it refers to a row of \(target) that does not exist")
            }
        }
        return rows
    }

    private func copyAll(_ positions: inout [String: Position], _ report: (Int) -> Void) throws {
        for table in tables {
            let others = positions.reduce(0) { $0 + ($1.key == table.name ? 0 : $1.value.rows) }
            try copy(table, &positions[table.name, default: Position()]) { report(others + $0) }
        }
    }

    /// A text that differs when the store's file does.
    private var identity: String {
        get throws {
            // The newest rows are in the write-ahead log.
            let parts = ["", "-wal"].map { suffix -> String in
                let attributes = try? FileManager.default.attributesOfItem(atPath: file.path + suffix)
                let date = (attributes?[.modificationDate] as? Date)?.timeIntervalSince1970 ?? 0
                let size = (attributes?[.size] as? NSNumber)?.int64Value ?? 0
                return size == 0 ? "" : "\(size) \(date)"
            }
            return "\(file.standardizedFileURL.path) \(parts)"
        }
    }

    // MARK: The state

    /// Begins a copy, or goes on with one.
    private func begin() throws -> [String: Position] {
        let identity = try identity
        return try server.transaction {
            // Two copies at the same time would both write.
            try server.execute("LOCK TABLE strata_schema IN SHARE ROW EXCLUSIVE MODE")
            let isPending = try server.value("SELECT to_regclass('strata_copy')") != nil
            var positions: [String: Position] = [:]
            if isPending {
                for row in try server.rows("SELECT table_name, row_number, rows FROM strata_copy") {
                    guard let name = row[0] else { continue }
                    positions[name] = Position(
                        row: row[1].flatMap { Int64($0) }, rows: row[2].flatMap { Int($0) } ?? 0)
                }
            }
            if isPending, !isRestarted {
                guard try server.value("SELECT store FROM strata_copy LIMIT 1") ?? identity == identity else {
                    throw CommandError.message(
                        "error: an interrupted copy of another store, or of this one before it was changed, is in the "
                            + "database: --restart deletes its rows")
                }
                return positions
            }
            if isPending { try removeRows(positions) }
            for table in tables {
                let name = PostgreSQL.quoted(table.name)
                if try server.value("SELECT EXISTS (SELECT FROM \(name))") == "t" {
                    throw CommandError.message(
                        "error: the table \(table.name) of the server has rows, but must be empty")
                }
                for key in table.foreignKeyConstraints {
                    try server.execute("ALTER TABLE \(name) DROP CONSTRAINT IF EXISTS \(PostgreSQL.quoted(key.name))")
                }
            }
            try server.execute(
                "CREATE TABLE strata_copy (store text NOT NULL, table_name text PRIMARY KEY, row_number bigint, "
                    + "rows bigint NOT NULL)")
            return [:]
        }
    }

    /// Deletes the rows of an interrupted copy, and its state.
    ///
    /// - Throws: `CommandError` if the tables contain other rows.
    private func removeRows(_ positions: [String: Position]) throws {
        for table in tables {
            let name = PostgreSQL.quoted(table.name)
            try server.execute("LOCK TABLE \(name) IN SHARE ROW EXCLUSIVE MODE")
            let (copied, found) = (
                positions[table.name]?.rows ?? 0, try server.value("SELECT count(*) FROM \(name)") ?? ""
            )
            guard found == "\(copied)" else {
                throw CommandError.message(
                    "error: the table \(table.name) of the server has \(found) rows, but \(copied) were copied: delete the rows "
                        + "of all tables yourself")
            }
            try server.execute("DELETE FROM \(name)")
        }
        try server.execute("DROP TABLE strata_copy")
    }

    private func finish() throws {
        try server.transaction {
            try createForeignKeys()
            try server.execute("DROP TABLE strata_copy")
        }
    }

    private func createForeignKeys() throws {
        for table in tables {
            for key in table.foreignKeyConstraints {
                try server.execute("ALTER TABLE \(PostgreSQL.quoted(table.name)) ADD \(key.definition)")
            }
        }
    }

    // MARK: Rows

    /// Returns a statement for the rows of a table after a position, with their numbers in the last column.
    private func rows(of table: ServerTable, after position: Position) throws -> Statement {
        guard let number = table.table.rowNumber else {
            throw CommandError.store(file.path, reason: "the rows of \(table.name) have no numbers")
        }
        let select = try store.prepare(
            "SELECT \(SQL.list(table.table.columnNames)), \(number) FROM \(SQL.quoted(table.name)) "
                + "WHERE \(number) > ?1 OR ?1 IS NULL ORDER BY \(number)")
        if let row = position.row { try select.bind(row, at: 1) }
        return select
    }

    /// Copies the rest of a table.
    private func copy(_ table: ServerTable, _ position: inout Position, _ report: (Int) -> Void) throws {
        let select = try rows(of: table, after: position)
        while !position.isOver {
            var next = position
            try server.transaction {
                try send(select, table, &next, rows: Self.part, report)
                _ = try server.rows(
                    "INSERT INTO strata_copy VALUES ($1, $2, $3, $4) ON CONFLICT (table_name) DO UPDATE "
                        + "SET row_number = excluded.row_number, rows = excluded.rows",
                    [try identity, table.name, next.row.map(String.init), String(next.rows)])
            }
            position = next
        }
    }

    /// Sends the next rows of a table.
    private func send(
        _ select: Statement, _ table: ServerTable, _ position: inout Position, rows: Int, _ report: (Int) -> Void
    ) throws {
        let columns = table.table.columns
        let types = columns.map { table.type(of: $0.name) }
        let names = PostgreSQL.list(columns.map(\.name))
        var buffer: [UInt8] = []
        let limit = position.rows + rows
        try server.beginCopy("COPY \(PostgreSQL.quoted(table.name)) (\(names)) FROM STDIN")
        do {
            while position.rows < limit {
                guard try select.step() else {
                    position.isOver = true
                    break
                }
                for index in columns.indices {
                    let value = try CopyFormat.value(select.row, index)
                    if index > 0 { buffer.append(UInt8(ascii: "\t")) }
                    try CopyFormat.append(value, types[index], to: &buffer)
                }
                buffer.append(UInt8(ascii: "\n"))
                position.row = try select.row.int64(columns.count)
                position.rows += 1
                if buffer.count > 1 << 16 {
                    try server.send(buffer)
                    buffer.removeAll(keepingCapacity: true)
                    report(position.rows)
                }
            }
            try server.send(buffer)
        } catch {
            server.cancelCopy()
            throw error
        }
        try server.endCopy()
    }

    /// Compares the rows of the server with those of the store.
    private func check() throws {
        for table in tables {
            let (expected, found) = (try RowChecksum(of: table, in: store), try RowChecksum(of: table, on: server))
            guard found == expected else {
                throw CommandError.message(
                    "error: the rows of \(table.name) differ: \(expected.rows) in the store, \(found.rows) on the server. A trigger may "
                        + "have changed them: remove it, and add --restart")
            }
        }
    }
}
