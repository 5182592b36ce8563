import JSONText
import SchemaModel
import Strata

/// The schemas that Room exports: `N.json` for version N.
///
/// Source: `androidx.room.migration.bundle`. Depending on its version, it omits optional members or leaves them empty.
enum RoomSchemas {
    static func read(in path: String) throws -> [SourceSchema] {
        try ExportedFile.numbered(in: path, /([0-9]+)\.json/).map { number, path in
            try schema(ExportedFile(path: path), number)
        }
    }

    private static func schema(_ file: ExportedFile, _ number: Int) throws -> SourceSchema {
        let database = try file.member("database", of: file.root)
        let version = try file.member("version", of: database)
        guard version.number == String(number) else {
            throw file.refusal("the file is called \(number).json, and the version is \(version.shown)", at: version)
        }
        var schema = SourceSchema(formerName: String(number), path: file.path)
        for entity in try file.elements("entities", of: database) {
            let table = try file.text("tableName", of: entity)
            func statement(_ json: JSON) throws -> String {
                let sql = try file.text("createSql", of: json)
                return sql.split(separator: "${TABLE_NAME}", omittingEmptySubsequences: false).joined(separator: table)
            }
            if entity["ftsVersion"] != nil {
                schema.leftOut.append((table, .searchTable))
                schema.unreadTables.append(table)
                continue
            }
            schema.statements.append(try statement(entity))
            for field in entity["fields"]?.elements ?? [] {
                guard let column = field["columnName"]?.text else { continue }
                schema.paths[.init(table, column)] = field["fieldPath"]?.text
            }
            for index in entity["indices"]?.elements ?? [] { schema.statements.append(try statement(index)) }
        }
        for view in database["views"]?.elements ?? [] {
            schema.leftOut.append((try file.text("viewName", of: view), .object(type: "view")))
        }
        return schema
    }
}
