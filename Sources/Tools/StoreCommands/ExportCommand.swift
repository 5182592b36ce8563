import Commands
import Foundation
import SQLSchema
import SchemaModel
import Strata

/// `strata export --redact`: copies a store with noise in place of its texts and data.
enum ExportCommand {
    /// The tables of Strata without texts of the customer. Any other table is the app's, whatever its name is.
    private static let ownTables: Set = ["strata_metadata", "strata_migrations"]
    /// The tables of Strata that may have texts of the customer.
    private static let tablesWithTexts: Set = ["strata_dropped", "strata_unconverted", "strata_set_aside"]

    static func run(_ arguments: Arguments, _ file: URL, _ console: Console) throws {
        guard arguments.has("--redact") else {
            throw CommandError.usage("export needs --redact; to keep all values, copy the file instead")
        }
        let destination = URL(fileURLWithPath: try arguments.value("--to"))
        let source = try StoreFile.connect(to: file, .readOnly, StoreOptions())
        let identity = try SQLiteError.translated { try StoreIdentity(reading: source) }
        guard let model = try StoreCommand.model(arguments, for: identity.schema) else {
            throw CommandError.usage("export needs the model of the store: name its folder with --model")
        }
        guard
            let version = model.history.versions.first(where: {
                $0.version.text == identity.version && $0.fingerprint.value == identity.fingerprint
            })
        else { throw CommandError.noVersion(identity.version, known: model.history.versions.map(\.version.text)) }
        let draft = try SalvageCommand.draft(of: destination)
        defer { draft.remove() }
        draft.create(like: file)
        var redaction = Redaction(version)
        let objects = arguments.has("--user-objects") ? nil : try Self.objects(of: version, identity)
        if objects == nil { redaction.keptNumbers = (try? keys(source)) ?? [] }
        var result: DatabaseRewriting.Result?
        while result == nil {
            var rewriting = DatabaseRewriting(
                source: source, target: try Connection(path: draft.url.path, mode: .create))
            rewriting.objects = objects
            rewriting.replacing = { table, columns, values in
                if tablesWithTexts.contains(table) { return nil }
                guard ownTables.contains(table) else { return redaction.redacted(table, columns, values) }
                return isKnown(values, of: table) ? values : nil
            }
            rewriting.avoiding = { error, table in redaction.avoid(error, in: table) }
            do {
                result = try rewriting.run()
            } catch is DatabaseRewriting.BeginAgain {
                draft.remove()
                draft.create(like: file)
            }
        }
        guard let result else { return }
        try draft.publish()
        var lines = ["wrote \(destination.path): version \(identity.version)"]
        for table in result.tables where !ownTables.union(tablesWithTexts).contains(table.name) {
            var line = "  \(table.name): \(table.rows) \(table.rows == 1 ? "row" : "rows")"
            if table.invalid > 0 { line += "; \(table.invalid) left out" }
            if !table.lost.isEmpty { line += "; a part of the store is damaged" }
            lines.append(line)
        }
        lines += redaction.substituted.map { "  \($0)" }
        lines +=
            result.lostObjects.map { "  left out: \($0)" }
            // A damaged list of objects was reported already.
            + ((try? leftOut(source, objects, version)) ?? []).map { "  left out: \($0)" }
        console.say(lines.joined(separator: "\n"))
        if result.tables.contains(where: { !$0.lost.isEmpty || $0.invalid > 0 }) { throw CommandError.found }
    }

    /// The objects of a new store of a version.
    private static func objects(of version: ModelVersion, _ identity: StoreIdentity) throws -> [SchemaObject] {
        let connection = try Connection(path: ":memory:", mode: .create)
        try NewStore.create(
            SchemaVersion(version.version.text, fingerprint: version.fingerprint.value, tables: version.tables),
            schema: identity.schema, draft: nil, in: connection)
        return try SchemaObject.all(in: connection)
    }

    /// Returns the objects of the app that the copy lacks, and the columns that it has added to the model's tables.
    private static func leftOut(
        _ source: Connection, _ objects: [SchemaObject]?, _ version: ModelVersion
    ) throws -> [String] {
        guard let objects else { return [] }
        let columns = try version.tables.flatMap { table in
            let known = Set(table.columnNames + table.computed.map(\.name))
            return try source.texts("SELECT name FROM pragma_table_xinfo(\(SQL.literal(table.name)))")
                .filter { !known.contains($0) }.map { "column \(table.name).\($0)" }
        }
        let names = Set(objects.map(\.name))
        let parts = Set(try source.texts("SELECT name FROM pragma_table_list WHERE type = 'shadow'"))
        let others = try SchemaObject.all(in: source).filter { object in
            !names.contains(object.name) && !parts.contains(object.name) && !ReservedNames.isPendingTable(object.table)
                && !object.name.hasPrefix("sqlite_") && !ReservedNames.isPendingTrigger(object.name)
        }.map { "\($0.type) \($0.name)" }
        return (columns + others).map { $0 + " (--user-objects copies it)" }
    }

    /// The columns of keys, foreign keys and unique indexes in all tables.
    private static func keys(_ source: Connection) throws -> Set<Redaction.ColumnName> {
        var names: Set<Redaction.ColumnName> = []
        let tables = "(SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table') AS t"
        let queries = [
            "SELECT t.name, c.name FROM \(tables), pragma_table_info(t.name) AS c WHERE c.pk > 0",
            "SELECT t.name, f.\"from\" FROM \(tables), pragma_foreign_key_list(t.name) AS f",
            "SELECT t.name, c.name FROM \(tables), pragma_index_list(t.name) AS i, pragma_index_info(i.name) AS c WHERE i.\"unique\"",
        ]
        for query in queries {
            try source.query(query) { row in
                guard case (.text(let table), .text(let column)) = (row.value(0), row.value(1)) else { return }
                names.insert(.init(table: table, column: column))
            }
        }
        return names
    }

    /// Whether a row of one of Strata's tables says what every store says.
    private static func isKnown(_ values: [SQLiteValue], of table: String) -> Bool {
        guard table == "strata_metadata", case .text(let key)? = values.first else { return table != "strata_metadata" }
        return StoreMetadata.isKey(key)
    }
}
