import JSONText
import SchemaModel
import SQLSchema
import Strata

/// The schemas that Drift exports: `drift_schema_vN.json` for version N.
///
/// Source: `SchemaWriter` of drift_dev. Its files state their format version in `_meta`. Types are written as
/// `ColumnType.integer` until format 1.0, and as `int` later.
struct DriftSchemas {
    private let file: ExportedFile
    private var schema: SourceSchema

    static func read(in path: String) throws -> [SourceSchema] {
        try ExportedFile.numbered(in: path, /(?:drift|moor)_schema_v([0-9]+)\.json/).map { number, path in
            var reader = DriftSchemas(
                file: try ExportedFile(path: path), schema: SourceSchema(formerName: String(number), path: path))
            try reader.read()
            return reader.schema
        }
    }

    private mutating func read() throws {
        let isText = file.root["options"]?["store_date_time_values_as_text"]?.flag ?? false
        var later: [String] = []
        for entity in try file.elements("entities", of: file.root) {
            let type = try file.text("type", of: entity)
            let data = try file.member("data", of: entity)
            let name = data["name"]?.text
            switch type {
            case "table":
                if data["is_virtual"]?.flag == true {
                    schema.leftOut.append((name, .virtualTable))
                    if let name { schema.unreadTables.append(name) }
                } else {
                    try readTable(data, datesAreText: isText)
                }
            case "index":
                if let sql = data["sql"]?.text { later.append(sql) } else { try readIndex(data, &later) }
            case "trigger", "view": schema.leftOut.append((name, .object(type: type)))
            case "special-query": schema.leftOut.append((name, .initialQuery))
            default: schema.leftOut.append((name, .unknownElement(type: type)))
            }
        }
        schema.statements += later
    }

    private mutating func readIndex(_ data: JSON, _ statements: inout [String]) throws {
        let name = try file.text("name", of: data)
        guard let columns = data["columns"]?.elements?.compactMap(\.text), let number = data["on"]?.number,
            let tables = file.root["entities"]?.elements,
            let table = tables.first(where: { $0["id"]?.number == number })?["data"]?["name"]?.text
        else {
            schema.leftOut.append((name, .unreadableIndex))
            return
        }
        let kind = data["unique"]?.flag == true ? "UNIQUE INDEX" : "INDEX"
        statements.append("CREATE \(kind) \(SQL.quoted(name)) ON \(SQL.quoted(table)) (\(SQL.list(columns)))")
    }

    private mutating func readTable(_ data: JSON, datesAreText: Bool) throws {
        let table = try file.text("name", of: data)
        var elements: [String] = []
        var hasKey = false
        for column in try file.elements("columns", of: data) {
            let name = try file.text("name", of: column)
            schema.paths[.init(table, name)] = column["getter_name"]?.text
            let type = try type(of: column, datesAreText: datesAreText)
            if let scalar = type.scalar { schema.types[.init(table, name)] = scalar }
            if type.scalar == .date, !datesAreText { schema.forms[.init(table, name)] = "unix_seconds" }
            let constraints = try constraints(of: column)
            if column["default_dart"]?.text != nil, !Self.words(constraints).contains("DEFAULT") {
                let dart = column["default_dart"]?.text ?? ""
                schema.leftOut.append(("\(table).\(name)", .defaultNotConstant(dart)))
            }
            if Self.words(constraints).contains("PRIMARY KEY") { hasKey = true }
            elements.append("\(SQL.quoted(name)) \(type.sql) \(constraints)")
        }
        let own = data["constraints"]?.elements?.compactMap(\.text) ?? []
        let key = data["explicit_pk"]?.elements?.compactMap(\.text) ?? []
        hasKey = hasKey || own.contains { Self.words($0).contains("PRIMARY KEY") }
        if !key.isEmpty, !hasKey { elements.append("PRIMARY KEY (\(SQL.list(key)))") }
        if !own.contains(where: { Self.words($0).contains("UNIQUE") }) {
            for unique in data["unique_keys"]?.elements ?? [] {
                elements.append("UNIQUE (\(SQL.list((unique.elements ?? []).compactMap(\.text))))")
            }
        }
        elements += own
        let ending = data["without_rowid"]?.flag == true ? " WITHOUT ROWID" : ""
        schema.statements.append("CREATE TABLE \(SQL.quoted(table)) (\(elements.joined(separator: ", ")))\(ending)")
    }

    /// Returns the type of a column in SQL, and its type in Strata if the SQL type does not determine it.
    private func type(of column: JSON, datesAreText: Bool) throws -> (sql: String, scalar: ScalarType?) {
        let json = try file.member("moor_type", of: column)
        // A custom type is an object that contains its SQL type.
        guard let text = json.text else {
            let sql = json["custom"]?.text ?? json["dialects"]?["sqlite"]?.text ?? json["sqlite"]?.text
            return (sql ?? "", nil)
        }
        switch text.split(separator: ".").last.map(String.init) ?? text {
        case "int", "integer", "bigInt", "int64": return ("INTEGER", nil)
        case "bool", "boolean": return ("INTEGER", .bool)
        case "string", "text": return ("TEXT", nil)
        case "double", "real": return ("REAL", nil)
        case "blob": return ("BLOB", nil)
        case "dateTime", "datetime": return (datesAreText ? "TEXT" : "INTEGER", .date)
        default: throw file.refusal("Drift has no type \(text)", at: json)
        }
    }

    /// Returns the SQL constraints that follow the type of a column.
    private func constraints(of column: JSON) throws -> String {
        // These members contain all constraints, also the constraints that Drift derives from `dsl_features`. Read the
        // features only if the members are absent.
        if let constraints = column["customConstraints"]?.text ?? column["defaultConstraints"]?.text {
            let isNullable = column["nullable"]?.flag ?? true
            let says = Self.words(constraints)
            let null = isNullable || says.contains("NOT NULL") ? "" : "NOT NULL "
            return null + constraints + (says.contains("DEFAULT") ? "" : try self.defaultClause(of: column))
        }
        var words = [column["nullable"]?.flag ?? true ? "NULL" : "NOT NULL", try defaultClause(of: column)]
        for feature in column["dsl_features"]?.elements ?? [] {
            switch feature.text {
            case "auto-increment": words.append("PRIMARY KEY AUTOINCREMENT")
            case "primary-key": words.append("PRIMARY KEY")
            case "unique": words.append("UNIQUE")
            default: break
            }
            guard let key = feature["foreign_key"], let table = key["to"]?["table"]?.text else { continue }
            let target = key["to"]?["column"]?.text.map { " (\(SQL.quoted($0)))" } ?? ""
            words.append("REFERENCES \(SQL.quoted(table))\(target)")
            for (name, clause) in [("on_update", "ON UPDATE"), ("on_delete", "ON DELETE")] {
                guard let action = key[name]?.text else { continue }
                let spelled =
                    action == "setNull"
                    ? "SET NULL"
                    : action == "setDefault" ? "SET DEFAULT" : action == "noAction" ? "NO ACTION" : action.uppercased()
                words.append("\(clause) \(spelled)")
            }
        }
        return words.filter { !$0.isEmpty }.joined(separator: " ")
    }

    /// Returns the SQL in uppercase, with `''` instead of each quoted string and name.
    private static func words(_ sql: String) -> String {
        sql.replacing(#/'(?:[^']|'')*'|"(?:[^"]|"")*"/#, with: "''").uppercased()
    }

    /// Returns the value of a Dart string literal, with its escapes resolved.
    private static func unescaped(_ text: Substring) -> String {
        var result = ""
        var rest = text
        while let character = rest.popFirst() {
            guard character == "\\", let next = rest.popFirst() else {
                result.append(character)
                continue
            }
            result.append(["n": "\n", "t": "\t", "r": "\r"][next] ?? next)
        }
        return result
    }

    /// Returns the `DEFAULT` clause of a column, if its default is a constant in Dart.
    private func defaultClause(of column: JSON) throws -> String {
        guard let dart = column["default_dart"]?.text else { return "" }
        guard let match = dart.wholeMatch(of: /(?:const )?(?:Constant|CustomExpression)(?:<.*>)?\((.*)\)/) else {
            return ""
        }
        let isSQL = dart.contains("CustomExpression")
        let text = String(match.1)
        switch text {
        case "true": return " DEFAULT 1"
        case "false": return " DEFAULT 0"
        default: break
        }
        if let quote = text.first, quote == "'" || quote == "\"", text.last == quote {
            let inner = Self.unescaped(text.dropFirst().dropLast())
            // SQLite accepts an expression as a default value only in parentheses.
            return " DEFAULT " + (isSQL ? "(\(inner))" : SQL.literal(inner))
        }
        return Double(text) == nil ? "" : " DEFAULT \(text)"
    }
}
