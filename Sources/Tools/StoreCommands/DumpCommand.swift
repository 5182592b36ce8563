import Commands
import Foundation
import SQLSchema
import Strata

/// `strata dump`: writes the tables and rows of a store as SQL or CSV.
enum DumpCommand {
    static func run(_ arguments: Arguments, _ file: URL, _ console: Console) throws {
        let destination = URL(fileURLWithPath: try arguments.value("--to"))
        guard !FileManager.default.fileExists(atPath: destination.path) else {
            throw CommandError.store(destination.path, reason: "it exists already")
        }
        let format = arguments.option("--format") ?? "sql"
        guard ["sql", "csv"].contains(format) else { throw CommandError.usage("--format takes sql or csv") }
        let line = console.progress("writing", unit: "rows")
        defer { line.end() }
        let connection = try StoreFile.connect(to: file, .readOnly, StoreOptions())
        let counts = try SQLiteError.translated {
            try connection.transaction("BEGIN") {
                let dump = try StoreDump(connection) { line.update($0, of: $1) }
                return try format == "sql" ? dump.writeSQL(to: destination) : dump.writeCSV(to: destination)
            }
        }
        line.end()
        console.say("wrote \(destination.path)")
        for (table, rows) in counts { console.say("  \(table): \(rows) \(rows == 1 ? "row" : "rows")") }
    }
}

/// The tables and rows of a store, without Strata's own tables.
private struct StoreDump {
    private let connection: Connection
    private let progress: (Int, Int) -> Void
    private let tables: [String]
    private let total: Int

    init(_ connection: Connection, progress: @escaping (Int, Int) -> Void) throws {
        self.connection = connection
        self.progress = progress
        tables = try connection.texts(
            """
            SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
              AND name NOT LIKE 'strata\\_%' ESCAPE '\\' ORDER BY name
            """)
        total = try tables.reduce(0) { try $0 + connection.count($1) }
    }

    /// Writes a script that `sqlite3` can run in an empty database.
    func writeSQL(to url: URL) throws -> [(String, Int)] {
        let file = try TextFile(url)
        func write(_ statements: [String]) throws { for sql in statements { try file.write(sql + ";\n") } }
        let own = tables.map(SQL.literal).joined(separator: ", ")
        func definitions(_ condition: String) throws -> [String] {
            try connection.texts(
                "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND tbl_name IN (\(own)) AND \(condition) ORDER BY rowid"
            )
        }
        try file.write("PRAGMA foreign_keys = OFF;\nBEGIN;\n")
        if !tables.isEmpty { try write(try definitions("type = 'table'")) }
        var counts: [(String, Int)] = []
        for table in tables {
            let columns = try self.columns(of: table)
            let start = "INSERT INTO \(SQL.quoted(table)) (\(SQL.list(columns))) VALUES ("
            let count = try eachRow(of: table, columns, after: counts) { row in
                try file.write(
                    start + (0..<columns.count).map { Self.literal(row, $0) }.joined(separator: ", ") + ");\n")
            }
            counts.append((table, count))
        }
        if !tables.isEmpty {
            // The index of a search is made from the rows.
            let searches = try connection.texts(
                "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'virtual' ORDER BY name")
            for name in searches {
                guard let sql = try connection.text("SELECT sql FROM sqlite_schema WHERE name = \(SQL.literal(name))")
                else {
                    continue
                }
                try write([sql, "INSERT INTO \(SQL.quoted(name)) (\(SQL.quoted(name))) VALUES ('rebuild')"])
            }
            try write(try definitions("type = 'index'"))
            try write(try definitions("type = 'trigger'"))
        }
        try file.write("COMMIT;\n")
        try file.close()
        return counts
    }

    /// Writes a folder with a file for each table. NULL is an empty field, and an empty text is `""`. A blob is hexadecimal.
    func writeCSV(to url: URL) throws -> [(String, Int)] {
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        var counts: [(String, Int)] = []
        for table in tables {
            let file = try TextFile(url.appendingPathComponent(Self.fileName(table) + ".csv"))
            let columns = try self.columns(of: table)
            try file.write(columns.map(Self.quoted).joined(separator: ",") + "\r\n")
            let count = try eachRow(of: table, columns, after: counts) { row in
                for place in columns.indices {
                    guard case .text = row.value(place), String(data: row.bytes(place), encoding: .utf8) == nil else {
                        continue
                    }
                    throw CommandError.store(
                        url.path,
                        reason:
                            "\(table).\(columns[place]) has a text that is not UTF-8, which CSV cannot hold; use --format sql"
                    )
                }
                try file.write((0..<columns.count).map { Self.field(row, $0) }.joined(separator: ",") + "\r\n")
            }
            try file.close()
            counts.append((table, count))
        }
        return counts
    }

    /// The columns that store values.
    private func columns(of table: String) throws -> [String] {
        try connection.texts("SELECT name FROM pragma_table_xinfo(\(SQL.literal(table))) WHERE hidden = 0 ORDER BY cid")
    }

    private func eachRow(
        of table: String, _ columns: [String], after counts: [(String, Int)], _ body: (Row) throws -> Void
    ) throws -> Int {
        let before = counts.reduce(0) { $0 + $1.1 }
        var count = 0
        try connection.query("SELECT \(SQL.list(columns)) FROM \(SQL.quoted(table))") { row in
            try body(row)
            count += 1
            if count.isMultiple(of: 1_000) { progress(before + count, total) }
        }
        return count
    }

    private static func literal(_ row: Row, _ place: Int) -> String {
        switch row.value(place) {
        case .null: return "NULL"
        case .integer(let value): return String(value)
        // SQL has no literal for infinity.
        case .real(let value): return value.isInfinite ? (value < 0 ? "-9e999" : "9e999") : String(value)
        case .blob(let data): return "X'" + hexadecimal(data) + "'"
        case .text:
            let bytes = row.bytes(place)
            guard let text = String(data: bytes, encoding: .utf8), !bytes.contains(0) else {
                // A literal ends at U+0000, and a file contains only UTF-8.
                return "CAST(X'\(hexadecimal(bytes))' AS TEXT)"
            }
            return SQL.literal(text)
        }
    }

    private static func field(_ row: Row, _ place: Int) -> String {
        switch row.value(place) {
        case .null: ""
        case .integer(let value): String(value)
        case .real(let value): String(value)
        case .blob(let data): hexadecimal(data)
        case .text(let text):
            text.isEmpty || text.contains(where: { "\",\r\n".contains($0) || $0 == "\r\n" }) ? quoted(text) : text
        }
    }

    private static func quoted(_ text: String) -> String {
        "\"" + text.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }

    private static func hexadecimal(_ data: Data) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: data.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// A table's name as the name of a file.
    private static func fileName(_ table: String) -> String { table.split(separator: "/").joined(separator: "_") }
}

/// A new file that is written in large pieces.
private final class TextFile {
    private let handle: FileHandle
    private var buffer = Data()

    init(_ url: URL) throws {
        guard FileManager.default.createFile(atPath: url.path, contents: nil) else {
            throw CommandError.store(url.path, reason: "it cannot be written")
        }
        handle = try FileHandle(forWritingTo: url)
    }

    func write(_ text: String) throws {
        buffer.append(contentsOf: text.utf8)
        if buffer.count > 1 << 20 { try flush() }
    }

    private func flush() throws {
        try handle.write(contentsOf: buffer)
        buffer.removeAll(keepingCapacity: true)
    }

    func close() throws {
        try flush()
        try handle.close()
    }
}
