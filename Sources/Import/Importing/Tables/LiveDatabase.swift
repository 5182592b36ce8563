import Foundation
import SchemaModel
import SQLSchema
import Strata

/// Reads the schemas of existing databases. It derives the types of columns from their declarations and their values.
enum LiveDatabase {
    /// Reads a database, or a folder with a database of each version, in the order of the numbers in their names.
    static func read(_ path: String) throws -> [SourceSchema] {
        let manager = FileManager.default
        guard manager.fileExists(atPath: path) else { throw ImportError("there is no such file", path: path) }
        guard manager.isFolder(path) else { return try schemas(of: [(path, nil)]) }
        let files = try manager.contentsOfDirectory(atPath: path).sorted().map { "\(path)/\($0)" }.filter { file in
            !manager.isFolder(file) && FileHandle(forReadingAtPath: file)?.readData(ofLength: 16) == Self.mark
        }
        guard !files.isEmpty else { throw ImportError("there are no databases in it", path: path) }
        return try schemas(of: NumberedFile.sorted(files.map { ($0, $0) }).map { ($0.path, $0.numberText) })
    }

    /// The first bytes of a database (https://sqlite.org/fileformat.html#the_database_header).
    private static let mark = Data("SQLite format 3\0".utf8)

    /// A column with its declared type, whose values are the same in all databases.
    private struct Column: Hashable {
        var name: SourceSchema.ColumnName
        var type: String

        init(_ column: SourceTable.Column, of table: SourceTable) {
            (name, type) = (.init(table.name, column.name), column.declaredType)
        }
    }

    private static func schemas(of databases: [(path: String, name: String?)]) throws -> [SourceSchema] {
        var schemas: [SourceSchema] = []
        var tables: [[SourceTable]] = []
        // A column is read in the same way in all versions, whose databases may be empty.
        var values: [Column: Values] = [:]
        for (path, name) in databases {
            do {
                let connection = try Connection(path: path, mode: .readOnly)
                connection.setBusyTimeout(StoreOptions())
                let schema = try schema(connection, path, name)
                tables.append(try schema.tables())
                for table in tables[tables.count - 1] {
                    for column in table.columns where !column.isGenerated {
                        try values[Column(column, of: table), default: Values()].add(
                            column.name, in: table.name, connection)
                    }
                }
                schemas.append(schema)
            } catch let error as SQLiteError {
                throw ImportError(error.description, path: path)
            }
        }
        // A number that grows with the versions is one of the app's own.
        let numbers = schemas.compactMap(\.userVersion)
        let isKept = schemas.count > 1 && zip([0] + numbers, numbers).allSatisfy { $0 < $1 }
        for index in schemas.indices {
            if !isKept { schemas[index].userVersion = nil }
            for table in tables[index] {
                for column in table.columns where !column.isGenerated {
                    let (type, finding) = (values[Column(column, of: table)] ?? Values()).type(declared: column)
                    schemas[index].add(type, finding, of: column, in: table)
                }
            }
        }
        return schemas
    }

    private static func schema(_ connection: Connection, _ path: String, _ name: String?) throws -> SourceSchema {
        let number = try connection.integer("PRAGMA user_version") ?? 0
        if try connection.integer("SELECT count(*) FROM sqlite_master WHERE name IN ('strata_metadata', 'Z_METADATA')")
            != 0
        {
            throw ImportError(
                "this is a store of Strata or of Core Data: import the model that it was made from", path: path)
        }
        var schema = SourceSchema(
            formerName: name ?? (number > 0 ? String(number) : "1"), path: path,
            objects: try SchemaObject.all(in: connection))
        schema.userVersion = number
        return schema
    }

    /// The contents of a column: the number of values of each kind.
    struct Values {
        private var counts: [String: Int] = [:]
        private var truths = 0
        private var uuids = 0
        private var wholeReals = 0
        private var dates = 0

        /// Adds the values of a column in a database.
        mutating func add(_ column: String, in table: String, _ connection: Connection) throws {
            let name = SQL.quoted(column)
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
                counts[kind, default: 0] += try row.int(1)
                if kind == "integer" { truths += try row.optionalInt(2) ?? 0 }
                if kind == "blob" || kind == "text" { uuids += try row.optionalInt(3) ?? 0 }
                if kind == "real" { wholeReals += try row.optionalInt(4) ?? 0 }
                if kind == "text" { dates += try row.optionalInt(5) ?? 0 }
            }
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
                if dates == total { return (.date, total > 0 ? nil : .values(.unknownDate, declared: words)) }
                return (found, .values(.dateAsNumber, declared: words))
            }
            if words.contains("DEC") || words.contains("NUMERIC") { return (.decimal, nil) }
            guard let affinity = column.affinity else {
                if total == 0 { return (found, .values(.chosen(found), declared: words)) }
                let fits = found != .data || count("blob") == total
                return (found, fits ? nil : .values(.otherKinds, declared: words))
            }
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
