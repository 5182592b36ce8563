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
    /// The number of values that are reported if PostgreSQL cannot hold them.
    private static let mostProblems = 20

    /// How far the copy of a table is.
    private struct Position {
        /// The number of the last row.
        var row: Int64?
        var rows = 0
        /// The sum of the hashes of the rows.
        var sum = UInt64(0)
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
            throw CommandError.elsewhere(
                "error: the store has version \(identity.version), and the database \(version.version.text): "
                    + "both need the same one")
        }
        tables = version.serverTables
    }

    func run() throws {
        // The store must not change while it is copied in parts.
        try DeployCommand.lock(server, console)
        try store.execute("BEGIN")
        defer { try? store.execute("ROLLBACK") }
        var positions = try begin()
        let total = try tables.reduce(0) { try $0 + store.count($1.name) }
        let progress = console.progress("copying", unit: "rows")
        defer { progress.end() }
        do {
            try copyAll(&positions) { progress.update($0, of: total) }
        } catch let error as ServerError where error.code.hasPrefix("22") || error.code.hasPrefix("23") {
            // The server refuses a value, which no later attempt changes.
            try? abandon()
            throw CommandError.store(file.path, reason: "PostgreSQL refuses a value, so nothing is copied: \(error)")
        } catch is CopyFormat.Problem {
            // The store has to change, so this copy cannot go on.
            try? abandon()
            let reason = "PostgreSQL cannot hold these values; change them, and copy again:"
            throw CommandError.store(file.path, reason: ([reason] + (try problems())).joined(separator: "\n  "))
        }
        progress.end()
        try check(positions)
        try finish()
        let lines = tables.map { table -> String in
            let rows = positions[table.name]?.rows ?? 0
            return "  \(table.name): \(rows) \(rows == 1 ? "row" : "rows")"
        }
        console.say((["copied \(file.path): version \(version.version.text)"] + lines).joined(separator: "\n"))
    }

    private func copyAll(_ positions: inout [String: Position], _ report: (Int) -> Void) throws {
        for table in tables {
            let others = positions.reduce(0) { $0 + ($1.key == table.name ? 0 : $1.value.rows) }
            var position = positions[table.name] ?? Position()
            try copy(table, &position) { report(others + $0) }
            positions[table.name] = position
        }
    }

    /// Returns the values of the store that PostgreSQL cannot hold.
    private func problems() throws -> [String] {
        var problems: [String] = []
        for table in tables {
            let columns = table.table.columns
            try store.query("SELECT \(SQL.list(columns.map(\.name))) FROM \(SQL.quoted(table.name))") { row in
                var line: [UInt8] = []
                for (place, column) in columns.enumerated() where problems.count < Self.mostProblems {
                    do {
                        try CopyFormat.append(row.value(place), table.type(of: column.name), to: &line)
                    } catch {
                        let key = table.table.primaryKey.compactMap { name in
                            columns.firstIndex { $0.name == name }.map { row.value($0).description }
                        }
                        problems.append(
                            "\(table.name), row \(key.joined(separator: ", ")): \(column.name): \(error)")
                    }
                }
            }
        }
        return problems + (problems.count < Self.mostProblems ? [] : ["and possibly more"])
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
            try server.execute("LOCK TABLE strata_history IN SHARE ROW EXCLUSIVE MODE")
            let isPending = try server.value("SELECT to_regclass('strata_copy')") != nil
            if isPending, !isRestarted {
                guard try server.value("SELECT store FROM strata_copy LIMIT 1") ?? identity == identity else {
                    throw CommandError.elsewhere(
                        "error: an interrupted copy of another store, or of this one before it was changed, is in the "
                            + "database: --restart deletes its rows")
                }
                var positions: [String: Position] = [:]
                for row in try server.rows("SELECT table_name, row_number, rows, sum FROM strata_copy") {
                    guard let name = row[0] else { continue }
                    positions[name] = Position(
                        row: row[1].flatMap { Int64($0) }, rows: row[2].flatMap { Int($0) } ?? 0,
                        sum: row[3].flatMap { UInt64($0) } ?? 0)
                }
                return positions
            }
            if isPending {
                try removeRows()
                try server.execute("DROP TABLE strata_copy")
            }
            for table in tables {
                let name = PostgreSQL.quoted(table.name)
                if try server.value("SELECT EXISTS (SELECT FROM \(name))") == "t" {
                    throw CommandError.elsewhere(
                        "error: the table \(table.name) of the server has rows, but must be empty")
                }
                for key in table.foreignKeyConstraints {
                    try server.execute("ALTER TABLE \(name) DROP CONSTRAINT IF EXISTS \(PostgreSQL.quoted(key.name))")
                }
            }
            try server.execute(
                "CREATE TABLE strata_copy (store text NOT NULL, table_name text PRIMARY KEY, row_number bigint, "
                    + "rows bigint NOT NULL, sum numeric NOT NULL)")
            return [:]
        }
    }

    /// Deletes the rows of an interrupted copy.
    private func removeRows() throws {
        let names = tables.map { PostgreSQL.quoted($0.name) }.joined(separator: ", ")
        if !tables.isEmpty { try server.execute("TRUNCATE \(names)") }
    }

    private func abandon() throws {
        try server.transaction { try removeRows() }
        try finish()
    }

    /// Creates the foreign keys again.
    private func finish() throws {
        try server.transaction {
            for table in tables {
                for key in table.foreignKeyConstraints {
                    try server.execute("ALTER TABLE \(PostgreSQL.quoted(table.name)) ADD \(key.definition)")
                }
            }
            try server.execute("DROP TABLE strata_copy")
        }
    }

    // MARK: Rows

    /// Copies the rest of a table.
    private func copy(_ table: ServerTable, _ position: inout Position, _ report: (Int) -> Void) throws {
        let columns = table.table.columns
        guard let number = table.table.rowNumber else {
            throw CommandError.store(file.path, reason: "the rows of \(table.name) have no numbers")
        }
        let select = try store.prepare(
            "SELECT \(SQL.list(columns.map(\.name))), \(number) FROM \(SQL.quoted(table.name)) "
                + "WHERE \(number) >= ?1 ORDER BY \(number)")
        let into =
            "COPY \(PostgreSQL.quoted(table.name)) (\(columns.map { PostgreSQL.quoted($0.name) }.joined(separator: ", "))) FROM STDIN"
        // The numbers of rows end at Int64.max.
        var isOver = position.row == Int64.max
        try select.bind(position.row.map { $0 &+ 1 } ?? Int64.min, at: 1)
        while !isOver {
            var next = position
            try server.execute("BEGIN")
            do {
                try server.beginCopy(into)
                do {
                    isOver = try send(select, table, &next, upTo: position.rows + Self.part, report)
                } catch {
                    server.cancelCopy()
                    throw error
                }
                try server.endCopy()
                _ = try server.rows(
                    "INSERT INTO strata_copy VALUES ($1, $2, $3, $4, $5) ON CONFLICT (table_name) DO UPDATE "
                        + "SET row_number = excluded.row_number, rows = excluded.rows, sum = excluded.sum",
                    [try identity, table.name, next.row.map(String.init), String(next.rows), String(next.sum)])
                try server.execute("COMMIT")
            } catch {
                try? server.execute("ROLLBACK")
                throw error
            }
            position = next
        }
    }

    /// Sends the next rows of a table.
    ///
    /// - Returns: Whether these were the last ones.
    private func send(
        _ select: Statement, _ table: ServerTable, _ position: inout Position, upTo limit: Int,
        _ report: (Int) -> Void
    ) throws -> Bool {
        let columns = table.table.columns
        let types = columns.map { table.type(of: $0.name) }
        var buffer: [UInt8] = []
        var canonical: [UInt8] = []
        var isOver = false
        while position.rows < limit {
            guard try select.step() else {
                isOver = true
                break
            }
            canonical.removeAll(keepingCapacity: true)
            for place in columns.indices {
                let value = select.row.value(place)
                if place > 0 { buffer.append(UInt8(ascii: "\t")) }
                try CopyFormat.append(value, types[place], to: &buffer)
                CopyFormat.appendCanonical(value, types[place], to: &canonical)
            }
            buffer.append(UInt8(ascii: "\n"))
            position.row = try select.row.int64(columns.count)
            position.rows += 1
            position.sum &+= CopyFormat.hash(canonical)
            if buffer.count > 1 << 16 {
                try server.send(buffer)
                buffer.removeAll(keepingCapacity: true)
                report(position.rows)
            }
        }
        try server.send(buffer)
        return isOver
    }

    /// Compares the rows of the server with the rows that were sent.
    private func check(_ positions: [String: Position]) throws {
        for table in tables {
            let expected = positions[table.name] ?? Position()
            let found = try CopyCommand.checksum(of: table, on: server)
            guard found.rows == expected.rows, found.sum == expected.sum,
                try store.count(table.name) == expected.rows
            else {
                throw CommandError.elsewhere(
                    "error: the rows of \(table.name) on the server differ from those of the store: "
                        + "\(found.rows) of \(try store.count(table.name))")
            }
        }
    }
}
