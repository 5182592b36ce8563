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
        for table in version.tables where !table.isJoinTable {
            guard let source = source(of: table.name) else {
                match.missing.append("the entity \(format.sources(of: "", in: table.name, at: index)[0])")
                continue
            }
            let references = Set(table.foreignKeys.filter { $0.columns.count == 1 }.flatMap(\.columns))
            var values: [String] = []
            var localKeys: Set<Int> = []
            for (name, storage) in table.columns.map({ ($0.name, $0.type) }) {
                let form = format.form(of: name, in: table.name, at: index)
                let property = references.contains(name) ? ColumnSuffix.reference.removed(from: name) ?? name : name
                if let column = column(property, of: table.name, in: source) {
                    if isExact, let type = database.type(of: column, in: source).flatMap({ DeclaredType($0) }),
                        !DeclaredType.types(of: form, storage: storage).contains(type)
                    {
                        match.missing.append("\(table.name).\(property) with another type")
                    }
                    read[source, default: []].insert(column)
                    if local(of: column, in: source) != nil { localKeys.insert(values.count) }
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
                    values: values, from: SQL.quoted(source), rowNumber: "Z_PK", localKeys: localKeys))
        }
        for table in version.tables where table.isJoinTable {
            let owner = table.foreignKeys[0].target
            let property = String(table.name.dropFirst(owner.count + 1))
            // A table with its own name has an origin.
            let origin = format.sources(of: "", in: table.name, at: index)[0].split(separator: ".")
            let attribute = origin.count == 2 ? String(origin[1]) : nil
            guard let source = source(of: owner),
                let column = attribute.map({ database.column("Z" + $0, of: source) })
                    ?? column(property, of: owner, in: source),
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

    // MARK: Values

    private func value(_ column: String, _ form: ImportedForm?, of source: String) -> String {
        switch form {
        // JSON is stored as bytes.
        case .json, .members, .list, .values: "CAST(\(SQL.quoted(column)) AS TEXT)"
        default: either(column, of: source)
        }
    }

    /// The column with the keys of the device for a to-one relationship; nil if the column is of something else.
    private func local(of column: String, in source: String) -> String? {
        // `_x`, `__x` and `__x_type_uid` have the columns `Z_X`, `Z__X` and `Z__X_TYPE_UID`.
        guard let local = database.column("Z_" + column.dropFirst(), of: source),
            ["_TYPE_UID", "TYPEUID"].contains(where: { database.column(local + $0, of: source) != nil })
        else { return nil }
        return local
    }

    /// A key that the server gave, or else the one of the device. Another value has one column.
    private func either(_ column: String, of source: String) -> String {
        let isIdentifier = column.uppercased() == "Z_IDENTIFIER"
        let local = isIdentifier ? database.column("Z__IDENTIFIER", of: source) : local(of: column, in: source)
        guard let local else { return SQL.quoted(column) }
        return "COALESCE(\(SQL.quoted(column)), \(SQL.quoted(local)))"
    }

    private func identifier(_ column: String, of source: String) -> String {
        // Only an entity without a key has a number here. All its objects have the same one.
        let type = database.column("Z__IDENTIFIER", of: source).flatMap { database.type(of: $0, in: source) }
        if type.flatMap({ DeclaredType($0) }) == .integer { return "Z_PK" }
        // Milliseconds are stored as seconds.
        let isSeconds = database.type(of: column, in: source).flatMap { DeclaredType($0) } == .float
        let key = either(column, of: source)
        return isSeconds
            ? "CASE typeof(\(key)) WHEN 'text' THEN \(key) ELSE CAST(round(\(key) * 1000) AS INTEGER) END" : key
    }

    /// The pairs of a to-many relationship: a list of objects with the keys of the targets.
    private func pairs(_ table: Table, _ column: String, of owners: ConvertedTable) -> ConvertedTable {
        let text = "CAST(\(SQL.quoted(column)) AS TEXT)"
        let key = owners.table.columnNames.firstIndex(of: owners.table.primaryKey.first ?? "").map { owners.values[$0] }
        // A list that is not JSON becomes a pair without a target, which is set aside.
        let list =
            "CASE WHEN json_valid(\(text)) THEN \(text) WHEN \(SQL.quoted(column)) IS NULL THEN '[]' ELSE '[{}]' END"
        return ConvertedTable(
            table: table, source: owners.source, key: "owner || ', ' || COALESCE(target, 'NULL')",
            values: ["owner", "target", "position"],
            from: """
                (SELECT \(key ?? "NULL") AS owner, CASE element.type WHEN 'object' THEN \
                COALESCE(json_extract(element.value, '$.remote'), json_extract(element.value, '$.local')) END AS target, \
                element.key AS position \
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
                "Z_REMOTESYNCHRONIZATIONSTATE", "Z_LAST_REMOTE_READ", "Z_IS_SYNCED", "Z_LASTREMOTEREAD", "Z_ISSYNCED",
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
