import Foundation
import SchemaModel
import SQLSchema
import Strata

/// Reads the schema of an existing database. It derives the types of columns from their declarations and their values.
enum LiveDatabase {
    static func read(_ path: String) throws -> SourceSchema {
        guard FileManager.default.fileExists(atPath: path) else {
            throw ImportError("there is no such file", path: path)
        }
        do {
            return try schema(try Connection(path: path, mode: .readOnly), path)
        } catch let error as SQLiteError {
            throw ImportError(error.description, path: path)
        }
    }

    private static func schema(_ connection: Connection, _ path: String) throws -> SourceSchema {
        let number = try connection.integer("PRAGMA user_version") ?? 0
        var schema = SourceSchema(formerName: number > 0 ? String(number) : "1", path: path)
        if try connection.integer("SELECT count(*) FROM sqlite_master WHERE name IN ('strata_metadata', 'Z_METADATA')")
            != 0
        {
            throw ImportError(
                "this is a store of Strata or of Core Data: import the model that it was made from", path: path)
        }
        let virtual = try connection.texts(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE 'CREATE VIRTUAL%'")
        try connection.query("SELECT type, name, tbl_name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid")
        { row in
            let (type, name, table) = (try row.string(0), try row.string(1), try row.string(2))
            let isShadow = virtual.contains { SourceTable.isPart(table, of: $0) }
            if name.hasPrefix("sqlite_") || ReservedNames.ofLibraries.contains(table) { return }
            if isShadow {
                if virtual.contains(name) {
                    schema.leftOut.append((name, .virtualTable))
                    schema.unreadTables.append(name)
                }
            } else if type == "table" || type == "index" {
                schema.statements.append(try row.string(3))
            } else {
                schema.leftOut.append((name, .object(type: type)))
            }
        }
        for table in try schema.tables() {
            for column in table.columns where !column.isGenerated {
                let values = try Values(of: column.name, in: table.name, connection)
                let (type, finding) = values.type(declared: column)
                schema.types[.init(table.name, column.name)] = type
                if let finding { schema.leftOut.append(("\(table.name).\(column.name)", finding)) }
            }
        }
        return schema
    }

    /// The contents of a column: the number of values of each kind.
    private struct Values {
        private var counts: [String: Int] = [:]
        private var truths = 0
        private var uuids = 0
        private var wholeReals = 0
        private var dates = 0

        init(of column: String, in table: String, _ connection: Connection) throws {
            let name = SQL.quoted(column)
            var counts: [String: Int] = [:]
            var (truths, uuids, wholeReals, dates) = (0, 0, 0, 0)
            try connection.query(
                """
                SELECT typeof(\(name)), count(*), sum(\(name) IN (0, 1)),
                  sum(CASE typeof(\(name)) WHEN 'blob' THEN length(\(name)) = 16 ELSE
                    length(\(name)) = 36 AND \(name) GLOB '????????-????-????-????-????????????' END),
                  sum(typeof(\(name)) = 'real' AND \(name) = CAST(\(name) AS INTEGER)), 
                  sum(julianday(\(name)) IS NOT NULL AND \(name) GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]*')
                FROM \(SQL.quoted(table)) GROUP BY 1
                """
            ) { row in
                let kind = try row.string(0)
                counts[kind] = try row.int(1)
                if kind == "integer" { truths = try row.optionalInt(2) ?? 0 }
                if kind == "blob" || kind == "text" { uuids += try row.optionalInt(3) ?? 0 }
                if kind == "real" { wholeReals = try row.optionalInt(4) ?? 0 }
                if kind == "text" { dates = try row.optionalInt(5) ?? 0 }
            }
            self.counts = counts
            (self.truths, self.uuids, self.wholeReals, self.dates) = (truths, uuids, wholeReals, dates)
        }

        private func count(_ kind: String) -> Int { counts[kind] ?? 0 }
        private var total: Int { counts.filter { $0.key != "null" }.values.reduce(0, +) }

        /// Returns the type of the column, and a finding if the values do not confirm the declared type.
        func type(declared column: SourceTable.Column) -> (ScalarType, ImportFinding?) {
            let words = column.declaredType.uppercased()
            if words.contains("BOOL") {
                return truths == total ? (.bool, nil) : (found, .values(.notBoolean, declared: words))
            }
            if words.contains("UUID") || words.contains("GUID"), uuids == total { return (.uuid, nil) }
            if words.contains("DATE") || words.contains("TIME") {
                if dates == total, total > 0 { return (.date, nil) }
                return (total == 0 ? .double : found, .values(.dateAsNumber, declared: words))
            }
            if words.contains("DEC") || words.contains("NUMERIC") { return (.decimal, nil) }
            guard let affinity = column.affinity else { return (found, nil) }
            switch affinity {
            case .int where count("integer") + wholeReals == total: return (.int, nil)
            case .double where count("integer") + count("real") == total: return (.double, nil)
            case .string where count("text") == total: return (.string, nil)
            case .data where count("blob") == total: return (.data, nil)
            default: return (affinity, .values(.otherKinds, declared: words))
            }
        }

        /// The type that fits all values, regardless of the declared type.
        private var found: ScalarType {
            if total == 0 { return .double }
            if count("integer") == total { return .int }
            if count("integer") + count("real") == total { return .double }
            if count("text") == total { return .string }
            return .data
        }
    }
}
