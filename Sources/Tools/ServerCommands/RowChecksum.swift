import Foundation
import PostgreSQL
import SQLSchema
import Strata

/// The number of rows of a table, and the sum of their hashes in any order. A store and a server with the same values have the
/// same checksum.
struct RowChecksum: Equatable {
    private(set) var rows = 0
    private var sum = UInt64(0)

    /// Reads the rows of a store.
    init(of table: ServerTable, in store: Strata.Connection) throws {
        try store.query("SELECT \(SQL.list(table.table.columnNames)) FROM \(SQL.quoted(table.name))") { row in
            try add(table.table.columns.indices.map { try CopyFormat.value(row, $0) }, table)
        }
    }

    /// Reads the rows of a server.
    init(of table: ServerTable, on server: ServerConnection) throws {
        try server.copy(from: CopyFormat.selection(of: table)) { bytes in
            let fields = zip(table.table.columns, CopyFormat.fields(bytes))
            try add(fields.map { try CopyFormat.value($1, table.type(of: $0.name)) }, table)
        }
    }

    private mutating func add(_ values: [SQLiteValue], _ table: ServerTable) throws {
        var hash = FNV1a()
        for (column, value) in zip(table.table.columns, values) {
            hash.add(try Self.canonical(value, table.type(of: column.name)))
            hash.add(0x1f)
        }
        rows += 1
        sum &+= hash.value
    }

    /// Returns the text by which a value is compared.
    private static func canonical(_ value: SQLiteValue, _ type: ServerType) throws(CopyFormat.Problem) -> String {
        switch (value, type) {
        case (.integer(let value), .timestamptz), (.integer(let value), .double), (.integer(let value), .real):
            return try canonical(.real(Double(value)), type)
        // PostgreSQL stores microseconds.
        case (.real(let value), .timestamptz) where value.isFinite: return "\((value * 1_000_000).rounded())"
        case (.real(let value), .real): return "\(Float(value))"
        // Digits after the point may end with zeros, and an exponent may be written out.
        case (.text(let text), .numeric): return DecimalText(text)?.trimmed.text ?? text
        case (.text(let text), .jsonb): return try JSONBText.text(of: text)
        default: return value.description
        }
    }
}
