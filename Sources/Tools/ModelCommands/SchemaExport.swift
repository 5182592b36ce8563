import Commands
import JSONText
import SchemaModel
import SQLSchema

/// The tables of a version in the form of another library.
struct SchemaExport {
    /// The forms.
    enum Format: String, CaseIterable {
        /// SQL, which SQLite, SQLDelight and Drift's `.drift` files understand.
        case sql
        /// A schema as Room exports it.
        case room
        /// A schema as drift_dev exports it.
        case drift
    }

    private let version: ModelVersion
    /// The number of the version in a library that counts versions.
    private let number: Int
    private let tables: [Table]

    init(_ version: ModelVersion, number: Int) {
        self.version = version
        self.number = number
        tables = version.tables
    }

    func fileName(_ format: Format) -> String {
        switch format {
        case .sql: "schema.sql"
        case .room: "\(number).json"
        case .drift: "drift_schema_v\(number).json"
        }
    }

    func text(_ format: Format) -> String {
        switch format {
        case .sql: tables.flatMap(SQLite.create).map { $0 + ";\n" }.joined()
        case .room: room.file
        case .drift: drift.file
        }
    }

    /// The facts that the text does not contain.
    func notes(_ format: Format) -> [String] {
        var notes = ["dates are seconds since 2001-01-01 00:00 UTC, UUIDs are 16 bytes, and structs and lists are JSON"]
        let searched = tables.filter { $0.search != nil }.map(\.name)
        if format != .sql, !searched.isEmpty {
            notes.append("left out: the search of \(searched.joined(separator: ", "))")
        }
        return notes
    }

    private static func array(_ names: [String]) -> JSONOutput { .array(names.map(JSONOutput.string)) }

    private static func number(_ number: Int) -> JSONOutput { .raw(String(number)) }

    // MARK: Room

    /// Source: `androidx.room.migration.bundle`, format 1.
    private var room: JSONOutput {
        let hash = version.fingerprint.description
        let setUp = [
            "CREATE TABLE IF NOT EXISTS room_master_table (id INTEGER PRIMARY KEY,identity_hash TEXT)",
            "INSERT OR REPLACE INTO room_master_table (id,identity_hash) VALUES(42, '\(hash)')",
        ]
        return .object([
            .init("formatVersion", Self.number(1)),
            .init(
                "database",
                .object([
                    .init("version", Self.number(number)), .init("identityHash", .string(hash)),
                    .init("entities", .array(tables.map(roomEntity))), .init("views", .array([])),
                    .init("setupQueries", Self.array(setUp)),
                ])),
        ])
    }

    private func roomEntity(_ table: Table) -> JSONOutput {
        let name = "${TABLE_NAME}"
        let elements = SQLite.elements(of: table).joined(separator: ", ")
        let fields = table.columns.map { column in
            var members: [JSONOutput.Member] = [
                .init("fieldPath", .string(column.name)), .init("columnName", .string(column.name)),
                .init("affinity", .string(column.type == .any ? "BLOB" : column.type.rawValue.uppercased())),
                .init("notNull", .bool(!column.isNullable)),
            ]
            if let value = column.defaultValue { members.append(.init("defaultValue", .string(SQLite.literal(value)))) }
            return JSONOutput.object(members)
        }
        let indexes = table.indexes.map { index in
            JSONOutput.object([
                .init("name", .string(index.name)), .init("unique", .bool(index.isUnique)),
                .init("columnNames", Self.array(index.columns)),
                .init(
                    "orders", Self.array(index.columns.map { index.shape.descending.contains($0) ? "DESC" : "ASC" })),
                .init("createSql", .string(SQLite.createIndex(index, on: name))),
            ])
        }
        let keys = table.foreignKeys.map { key in
            JSONOutput.object([
                .init("table", .string(key.target)), .init("onDelete", .string(SQLite.action(key.deleteRule))),
                .init("onUpdate", .string("NO ACTION")), .init("columns", Self.array(key.columns)),
                .init("referencedColumns", Self.array(key.targetColumns)),
            ])
        }
        return .object([
            .init("tableName", .string(table.name)),
            .init("createSql", .string("CREATE TABLE IF NOT EXISTS `\(name)` (\(elements))")),
            .init("fields", .array(fields)),
            .init(
                "primaryKey",
                .object([.init("autoGenerate", .bool(false)), .init("columnNames", Self.array(table.primaryKey))])),
            .init("indices", .array(indexes)), .init("foreignKeys", .array(keys)),
        ])
    }

    // MARK: Drift

    /// Source: `SchemaWriter` of drift_dev, format 1.2.
    private var drift: JSONOutput {
        var entities: [JSONOutput] = []
        func add(_ type: String, references: [Int], _ data: [JSONOutput.Member]) {
            entities.append(
                .object([
                    .init("id", Self.number(entities.count)), .init("references", .array(references.map(Self.number))),
                    .init("type", .string(type)), .init("data", .object(data)),
                ]))
        }
        let numbers = Dictionary(tables.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { one, _ in one })
        for table in tables {
            let targets = Set(
                table.foreignKeys.lazy.map(\.target).filter { $0 != table.name }.compactMap { numbers[$0] })
            add("table", references: targets.sorted(), driftTable(table))
        }
        for table in tables {
            for index in table.indexes {
                add(
                    "index", references: [numbers[table.name] ?? 0],
                    [
                        .init("on", Self.number(numbers[table.name] ?? 0)), .init("name", .string(index.name)),
                        .init("sql", .string(SQLite.createIndex(index, on: table.name))),
                        .init("unique", .bool(index.isUnique)), .init("columns", Self.array(index.columns)),
                    ])
            }
        }
        return .object([
            .init(
                "_meta",
                .object([
                    .init("description", .string("The tables of \(version.version) of a Strata schema.")),
                    .init("version", .string("1.2.0")),
                ])),
            .init("options", .object([.init("store_date_time_values_as_text", .bool(false))])),
            .init("entities", .array(entities)),
        ])
    }

    private func driftTable(_ table: Table) -> [JSONOutput.Member] {
        let types: [StorageType: String] = [.integer: "int", .real: "double", .text: "string", .blob: "blob"]
        func column(_ name: String, _ type: StorageType, isNullable: Bool, _ definition: String) -> JSONOutput {
            // The definition begins with the name and the type.
            let constraints = definition.dropFirst(SQL.quoted(name).count + type.rawValue.count + 2)
            return .object([
                .init("name", .string(name)), .init("getter_name", .string(name)),
                .init(
                    "moor_type",
                    types[type].map(JSONOutput.string) ?? .object([.init("custom", .string("ANY"))])),
                .init("nullable", .bool(isNullable)), .init("customConstraints", .string(String(constraints))),
                .init("default_dart", .null), .init("default_client_dart", .null), .init("dsl_features", .array([])),
            ])
        }
        // The constraints on several columns follow the definitions of columns.
        let own = SQLite.elements(of: table).dropFirst(table.columns.count + table.computed.count)
        return [
            .init("name", .string(table.name)), .init("was_declared_in_moor", .bool(false)),
            .init(
                "columns",
                .array(
                    table.columns.map {
                        column(
                            $0.name, $0.type, isNullable: $0.isNullable, SQLite.definition(of: $0, in: table))
                    } + table.computed.map { column($0.name, $0.type, isNullable: true, $0.definition) })),
            .init("is_virtual", .bool(false)), .init("without_rowid", .bool(false)),
            .init("constraints", Self.array(Array(own))),
        ]
    }
}
