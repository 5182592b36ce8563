import SQLSchema
import Strata

/// A SQLite store of Core Data with the entities that Lucid generates. Lucid's generator of Core Data models shows the layout:
///
/// - An entity has a Core Data entity for each version of its history, such as `movie_1_0` and `movie_1_1`. The app's own
///   migration moves the objects from one to the next, so only one of them has objects.
/// - `_identifier` is the key that the server gave, and `__identifier` the key of an object that the server does not know.
/// - A property has the attribute `_name`, and a to-one relationship also `__name`, for the two keys.
/// - Lists, structs and to-many relationships are JSON as bytes.
/// - There are no relationships of Core Data.
struct LucidSource: ConversionSource {
    private let database: DatabaseTables
    private let format: ImportedFormatLookup
    /// The tables with objects.
    private let used: Set<String>

    init(reading connection: Connection, _ format: ImportedFormatLookup) throws {
        database = try DatabaseTables(reading: connection)
        self.format = format
        used = try Set(
            database.columns.keys.filter {
                try connection.integer("SELECT EXISTS (SELECT 1 FROM \(SQL.quoted($0)))") == 1
            })
    }

    var userVersion: Int? { nil }

    /// Core Data numbers the objects, but Lucid's keys are others.
    func lastKey(of table: Table) -> Int64? { nil }

    func match(_ version: SchemaVersion, at index: Int, exactly isExact: Bool) -> VersionMatch {
        var match = VersionMatch()
        // The columns that are read, by the table of the store.
        var read: [String: Set<String>] = [:]
        func source(of table: String) -> String? {
            database.table("Z" + format.sources(of: "", in: table, at: index)[0])
        }
        func column(_ property: String, of table: String, in source: String) -> String? {
            let name = format.sources(of: property, in: table, at: index)[0]
            // Without an origin, the attribute has the name of the property after an underscore.
            let attribute =
                name == table + "." + property ? "_" + property : String(name.split(separator: ".").last ?? "")
            return database.column("Z" + attribute, of: source)
        }
        for table in version.tables where !isJoin(table, at: index) {
            guard let source = source(of: table.name) else {
                match.missing.append("the entity \(format.sources(of: "", in: table.name, at: index)[0])")
                continue
            }
            let references = Set(table.foreignKeys.filter { $0.columns.count == 1 }.flatMap(\.columns))
            var values: [String] = []
            for name in table.columnNames {
                let form = format.form(of: name, in: table.name, at: index)
                let property = references.contains(name) ? ColumnSuffix.reference.removed(from: name) ?? name : name
                if let column = column(property, of: table.name, in: source) {
                    read[source, default: []].insert(column)
                    values.append(value(column, form, of: source))
                } else if table.primaryKey == [name], let column = database.column("Z_IDENTIFIER", of: source) {
                    read[source, default: []].insert(column)
                    values.append(identifier(column, of: source))
                } else {
                    match.missing.append("\(table.name).\(property)")
                }
            }
            guard values.count == table.columns.count else { continue }
            let key = table.primaryKey.compactMap { name in table.columnNames.firstIndex(of: name).map { values[$0] } }
            match.tables.append(
                ConvertedTable(
                    table: table, source: source,
                    key: key.map { "COALESCE(\($0), 'NULL')" }.joined(separator: " || ', ' || "),
                    values: values, from: SQL.quoted(source), rowNumber: "Z_PK"))
        }
        for table in version.tables where isJoin(table, at: index) {
            let owner = table.foreignKeys[0].target
            let property = String(table.name.dropFirst(owner.count + 1))
            guard let source = source(of: owner), let column = column(property, of: owner, in: source),
                let owners = match.tables.first(where: { $0.source == source })
            else {
                match.missing.append("\(owner).\(property)")
                continue
            }
            read[source, default: []].insert(column)
            match.tables.append(pairs(table, column, of: owners))
        }
        addLeft(to: &match, read, format.unread(at: index))
        return match
    }

    /// Whether a table has the pairs of a to-many relationship.
    private func isJoin(_ table: Table, at index: Int) -> Bool {
        format.sources(of: "", in: table.name, at: index) == [table.name + "."] && table.foreignKeys.count == 2
            && table.name.hasPrefix(table.foreignKeys[0].target + "_")
    }

    // MARK: Values

    private func value(_ column: String, _ form: ImportedForm?, of source: String) -> String {
        switch form {
        // JSON is stored as bytes.
        case .json, .members, .list, .values: "CAST(\(SQL.quoted(column)) AS TEXT)"
        default: either(column, of: source)
        }
    }

    /// A key that the server gave, or else the one of the device. Another value has one column.
    private func either(_ column: String, of source: String) -> String {
        // `_x` and `__x` have the columns `Z_X` and `Z__X`.
        guard let local = database.column("Z_" + column.dropFirst(), of: source) else { return SQL.quoted(column) }
        return "COALESCE(\(SQL.quoted(column)), \(SQL.quoted(local)))"
    }

    private func identifier(_ column: String, of source: String) -> String {
        // Only an entity without a key has a number here. All its objects have the same one.
        let type = database.column("Z__IDENTIFIER", of: source).flatMap { database.type(of: $0, in: source) }
        return type.flatMap { DeclaredType($0) } == .integer ? "Z_PK" : either(column, of: source)
    }

    /// The pairs of a to-many relationship: a list of objects with the keys of the targets.
    private func pairs(_ table: Table, _ column: String, of owners: ConvertedTable) -> ConvertedTable {
        let text = "CAST(\(SQL.quoted(column)) AS TEXT)"
        let key = owners.table.columnNames.firstIndex(of: owners.table.primaryKey.first ?? "").map { owners.values[$0] }
        // A list that is no JSON becomes a pair without a target, which is set aside.
        let list =
            "CASE WHEN json_valid(\(text)) THEN \(text) WHEN \(SQL.quoted(column)) IS NULL THEN '[]' ELSE '[{}]' END"
        return ConvertedTable(
            table: table, source: owners.source, key: "owner || ', ' || COALESCE(target, 'NULL')",
            values: ["owner", "target", "position"],
            from: """
                (SELECT \(key ?? "NULL") AS owner, COALESCE(json_extract(element.value, '$.remote'), \
                json_extract(element.value, '$.local')) AS target, element.key AS position \
                FROM \(SQL.quoted(owners.source)), json_each(\(list)) AS element)
                """)
    }

    // MARK: Unread data

    private func addLeft(to match: inout VersionMatch, _ read: [String: Set<String>], _ unread: [ImportedUnread]) {
        let own: Set<String> = ["Z_METADATA", "Z_PRIMARYKEY", "Z_MODELCACHE"]
        for (table, columns) in database.columns.sorted(by: { $0.key < $1.key })
        where table.uppercased().hasPrefix("Z") && !own.contains(table.uppercased()) {
            let name = String(table.dropFirst()).lowercased()
            if let left = unread.first(where: { $0.name.lowercased() == name }) {
                match.left.append(
                    .init(name: left.name, reason: left.reason, count: "SELECT count(*) FROM \(SQL.quoted(table))"))
                continue
            }
            guard let known = read[table] else {
                // The entities of other versions have no objects.
                if used.contains(table) { match.extra.append(name) }
                continue
            }
            for column in columns where !known.contains(column) && !isLucidsOwn(column) {
                match.extra.append("\(name).\(column.dropFirst().lowercased())")
            }
            addState(of: table, name, columns, to: &match)
        }
    }

    /// Whether a column is Core Data's or Lucid's own: the keys of the device, types of keys, and flags.
    private func isLucidsOwn(_ column: String) -> Bool {
        let column = column.uppercased()
        return column.hasPrefix("Z__")
            || [
                "Z_PK", "Z_ENT", "Z_OPT", "Z_IDENTIFIER", "Z_REMOTE_SYNCHRONIZATION_STATE",
                "Z_REMOTESYNCHRONIZATIONSTATE", "Z_LAST_REMOTE_READ", "Z_IS_SYNCED",
            ].contains(column)
    }

    /// Adds the objects that the server does not know yet.
    private func addState(of table: String, _ name: String, _ columns: [String], to match: inout VersionMatch) {
        let state = columns.first {
            ["Z_REMOTE_SYNCHRONIZATION_STATE", "Z_REMOTESYNCHRONIZATIONSTATE"].contains($0.uppercased())
        }
        guard let state else { return }
        match.left.append(
            .init(
                name: "\(name).\(state.dropFirst().lowercased())", reason: .unknown,
                count: "SELECT count(*) FROM \(SQL.quoted(table)) WHERE \(SQL.quoted(state)) <> 'synced'"))
    }
}
