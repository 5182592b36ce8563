import Foundation
import SchemaSQL

/// A SQLite store of Core Data.
///
/// Its layout, which Apple does not document, is as its files show it: `Z_PRIMARYKEY` numbers the entities and says which
/// inherits from which; an entity and all that inherit from it share the table `ZROOT`, with `Z_PK` and `Z_ENT`; an
/// attribute or a to-one relationship has a column `ZNAME`, and that of a sibling with the same name `ZNAME1`; beside a
/// relationship to an entity that others inherit from, `Z5_NAME` is the number of the other object's entity; `Z_FOK_NAME`
/// is the place in an ordered to-many at the other end; a pair of to-many has a table `Z_2NAME` with the columns `Z_2…`
/// and `Z_5NAME` by the numbers of its entities, of which one is `REFLEXIVE` where a relationship is its own inverse.
struct CoreDataSource: ConversionSource {
    private let database: DatabaseTables
    private let format: ImportedFormat
    /// The number and the super-entity's number of each entity.
    private var entities: [String: (number: Int, parent: Int)] = [:]
    private var names: [Int: String] = [:]
    /// The entities that there are objects of.
    private var used: Set<Int> = []

    init(reading connection: Connection, _ format: ImportedFormat) throws {
        self.format = format
        database = try DatabaseTables(reading: connection)
        var entities: [String: (number: Int, parent: Int)] = [:]
        try connection.query("SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY") { row in
            entities[try row.string(1)] = (try row.int(0), try row.optionalInt(2) ?? 0)
        }
        self.entities = entities
        names = Dictionary(entities.map { ($0.value.number, $0.key) }, uniquingKeysWith: { first, _ in first })
        for table in database.columns.keys where database.column("Z_ENT", of: table) != nil {
            try connection.query("SELECT DISTINCT Z_ENT FROM \(SQL.quoted(table)) WHERE typeof(Z_ENT) = 'integer'") {
                if table != "Z_PRIMARYKEY" { used.insert(try $0.int(0)) }
            }
        }
    }

    /// Whether the database is a store of Core Data.
    static func isOne(_ connection: Connection) throws -> Bool {
        try connection.integer(
            "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name IN ('Z_METADATA', 'Z_PRIMARYKEY')") == 2
    }

    var versionName: String? { nil }

    // MARK: Entities

    private func root(_ entity: String) -> String {
        var name = entity
        // No chain is longer than there are entities.
        for _ in entities {
            guard let parent = entities[name]?.parent, parent != 0, let next = names[parent] else { break }
            name = next
        }
        return name
    }

    /// The numbers of an entity and of all that inherit from it; what has been entered already gives nothing.
    private func family(_ entity: String, inside entered: Set<String> = []) -> [Int] {
        guard let number = entities[entity]?.number, !entered.contains(entity) else { return [] }
        let children = entities.filter { $0.value.parent == number && $0.key != entity }.keys.sorted()
        return [number] + children.flatMap { family($0, inside: entered.union([entity])) }
    }

    private func list(_ numbers: [Int]) -> String {
        "(" + numbers.map(String.init).joined(separator: ", ") + ")"
    }

    // MARK: Tables

    func tables(of version: SchemaVersion, at place: Int) throws -> [ConvertedTable] {
        let kinds = Set(
            format.columns.filter { column in
                guard case .entity = column.form else { return false }
                return column.versions.contains(place)
            }.map { $0.table + "." + $0.column })
        let own = Set(version.tables.map(\.name))
        return try version.tables.map { table in
            guard entities[table.name] != nil else { return try joinTable(table) }
            guard let source = database.table("Z" + root(table.name)) else {
                throw Missing(what: "the table of \(table.name)")
            }
            let reader = ColumnReader(
                database: database, source: source, entities: entities.keys.sorted(),
                names: version.tables.filter { root($0.name) == root(table.name) }.flatMap(\.columns)
                    + format.unread.compactMap { $0.split(separator: ".").last.map(String.init) })
            var hasKind = false
            let values = try table.columns.map { name -> String in
                if SQL.quoted(name) == table.rowNumber { return "Z_PK" }
                if kinds.contains(table.name + "." + name) {
                    hasKind = true
                    return kind(of: table.name)
                }
                let isPlain = form(of: name, in: table, at: place)
                let value = reader.value(name, storage: isPlain ? table.storage(of: name) : nil) {
                    list(family($0))
                }
                guard let value else { throw Missing(what: "\(table.name).\(name)") }
                return value
            }
            // Where entities that inherit have tables of their own, only the entity's own rows are in this one.
            let others = family(table.name).dropFirst().filter { !own.contains(names[$0] ?? "") }
            if !hasKind, let other = others.first(where: used.contains) {
                throw Missing(what: "no place for \(names[other] ?? "") in \(table.name)")
            }
            let numbers = hasKind ? family(table.name) : family(table.name).prefix(1).map { $0 }
            let from = "\(SQL.quoted(source)) WHERE Z_ENT IN \(list(numbers))"
            return ConvertedTable(
                table: table, source: source, key: "CAST(Z_PK AS TEXT)", values: values, from: from)
        }
    }

    /// Whether the values of a column stand as their type has them, and so in a column of that type.
    private func form(of column: String, in table: Table, at place: Int) -> Bool {
        let form = format.columns.first {
            $0.table == table.name && $0.column == column && $0.versions.contains(place)
        }?.form
        return switch form {
        case nil, .bool, .referenceSeconds, .url, .plain: true
        default: false
        }
    }

    private func kind(of root: String) -> String {
        let cases = family(root).compactMap { number in
            names[number].map { "WHEN \(number) THEN \(SQL.literal($0))" }
        }
        return "CASE Z_ENT \(cases.joined(separator: " ")) END"
    }

    // MARK: Relationships

    /// The table of a pair of to-many, by the names of its columns.
    private func joinTable(_ table: Table) throws -> ConvertedTable {
        let ends = table.elements.compactMap(\.referencedTable)
        guard ends.count == 2, table.name.hasPrefix(ends[0] + "_") else {
            throw Missing(what: "the table \(table.name)")
        }
        let name = String(table.name.dropFirst(ends[0].utf8.count + 1))
        if format.unread.contains(ends[0] + "." + name) {
            // The import has told that nothing is known of it.
            return ConvertedTable(
                table: table, source: "", key: "''", values: ["NULL", "NULL", "0"], from: "sqlite_schema WHERE 0")
        }
        typealias Join = (table: String, source: String, target: String)
        var found: [Join] = []
        var exact: [Join] = []
        for (candidate, columns) in database.columns.sorted(by: { $0.key < $1.key }) {
            guard candidate.wholeMatch(of: /Z_\d+.+/) != nil else { continue }
            let keys = columns.filter { !$0.hasPrefix("Z_FOK_") }
            guard keys.count == 2 else { continue }
            for (target, source) in [(keys[0], keys[1]), (keys[1], keys[0])] {
                guard let isExact = isEnd(target, name, of: ends[1]),
                    source == "REFLEXIVE" || isEnd(source, nil, of: ends[0]) != nil && isOwner(source, of: name)
                else { continue }
                found.append((candidate, source, target))
                if isExact { exact.append((candidate, source, target)) }
            }
        }
        let joins = exact.isEmpty ? found : exact
        guard joins.count == 1, let join = joins.first else {
            throw Missing(what: "the table of \(ends[0]).\(name)" + (joins.count > 1 ? ": several could be it" : ""))
        }
        let (source, target) = (SQL.quoted(join.source), SQL.quoted(join.target))
        let place = database.column("Z_FOK_" + join.target.dropFirst(2), of: join.table)
        let order = place.map { SQL.quoted($0) + ", " + target } ?? target
        return ConvertedTable(
            table: table, source: join.table, key: "\(source) || ', ' || \(target)",
            values: [source, target, "row_number() OVER (PARTITION BY \(source) ORDER BY \(order)) - 1"],
            from: "\(SQL.quoted(join.table)) WHERE \(source) IS NOT NULL AND \(target) IS NOT NULL")
    }

    /// Whether a column leads to objects of the entity whose relationship is called `name`, where the name says that.
    private func isOwner(_ column: String, of name: String) -> Bool {
        let owners = entities.filter { name.hasPrefix($0.key + "_") }.values.map(\.number)
        guard !owners.isEmpty, let match = column.wholeMatch(of: /Z_(\d+).*/) else { return true }
        return owners.contains { String($0) == match.1 }
    }

    /// Whether a column leads to objects in the table of `entity`, by the relationship `name` if one is given; true where
    /// it has just that name, false where it has a number behind it, nil where it does not.
    private func isEnd(_ column: String, _ name: String?, of entity: String) -> Bool? {
        guard let match = column.wholeMatch(of: /Z_(\d+)(.*)/), let number = Int(match.1), let owner = names[number],
            root(owner) == root(entity)
        else { return nil }
        guard let name else { return true }
        // `Tag_items` is what the items of a tag are called where another sibling has items too.
        let prefixed = entities.keys.filter { name.hasPrefix($0 + "_") }
        let spelled = match.2.lowercased()
        for ending in [name] + prefixed.map({ String(name.dropFirst($0.utf8.count + 1)) }) {
            if spelled == ending.lowercased() { return true }
            if spelled.hasPrefix(ending.lowercased()),
                spelled.dropFirst(ending.lowercased().count).allSatisfy(\.isNumber)
            {
                return false
            }
        }
        return nil
    }

    // MARK: What is left over

    func unread(by tables: [ConvertedTable]) -> [String] {
        let known = Set(format.unread.map { $0.lowercased() })
        let knownNames = Set(known.compactMap { $0.split(separator: ".").last.map(String.init) })
        var unread: [String] = []
        for (table, columns) in database.columns.sorted(by: { $0.key < $1.key }) where table.hasPrefix("Z") {
            if ["Z_METADATA", "Z_PRIMARYKEY", "Z_MODELCACHE"].contains(table) { continue }
            let queries = tables.filter { $0.source == table }.map { $0.query.lowercased() }
            if queries.isEmpty {
                let relationship = table.lowercased().replacing(/^z_\d+/, with: "")
                if !known.contains(String(table.lowercased().dropFirst())), !knownNames.contains(relationship) {
                    unread.append(table)
                }
                continue
            }
            // Where both sides of a pair of to-many have an order, a store keeps one.
            let isJoin = table.hasPrefix("Z_")
            for column in columns
            where !["Z_PK", "Z_ENT", "Z_OPT"].contains(column) && !(isJoin && column.hasPrefix("Z_FOK_")) {
                let isRead = queries.contains { $0.contains(SQL.quoted(column).lowercased()) }
                let name = column.lowercased().replacing(/^z(?:\d+_?|_fok_)?/, with: "")
                // The number of the entity that a relationship leads to says nothing that the key does not.
                let isNumber = column.contains(/^Z\d+_/)
                let isReadAs = isNumber && queries.contains { $0.contains("\"z\(name)\"") }
                let stem = name.replacing(/\d+$/, with: "")
                if isRead || isReadAs || knownNames.contains(name) || knownNames.contains(stem) { continue }
                unread.append(table + "." + column)
            }
        }
        return unread
    }
}

/// Finds the columns of a table of Core Data by the names of properties.
private struct ColumnReader {
    let database: DatabaseTables
    let source: String
    let entities: [String]
    /// What properties can be called, in small letters.
    private let bases: Set<String>

    init(database: DatabaseTables, source: String, entities: [String], names: [String]) {
        self.database = database
        self.source = source
        self.entities = entities
        var bases: Set<String> = []
        for name in names {
            for base in [name, name.replacing(/_id$/, with: ""), name.replacing(/_position$/, with: "")] {
                bases.insert(base.lowercased())
                for entity in entities where base.hasPrefix(entity + "_") {
                    bases.insert(base.dropFirst(entity.utf8.count + 1).lowercased())
                }
            }
        }
        self.bases = bases
    }

    /// What gives the column `name` of the store's table: an attribute, a relationship, or a row's place in one.
    ///
    /// - `storage`: the storage class of the store's column, which a column there must have; nil for any.
    /// - `family`: the numbers of an entity and of all that inherit from it.
    func value(_ name: String, storage: String?, family: (String) -> String) -> String? {
        if let value = columns(name, "Z", storage) { return value }
        if name.hasSuffix("_id"), let value = columns(String(name.dropLast(3)), "Z", "INTEGER") { return value }
        if name.hasSuffix("_position"), let value = position(String(name.dropLast(9))) { return value }
        // What siblings have for different things is called after each of them.
        for entity in entities where name.hasPrefix(entity + "_") {
            let rest = String(name.dropFirst(entity.utf8.count + 1))
            let value =
                columns(rest, "Z", storage)
                ?? (rest.hasSuffix("_id") ? columns(String(rest.dropLast(3)), "Z", "INTEGER") : nil)
                ?? (rest.hasSuffix("_position") ? position(String(rest.dropLast(9))) : nil)
            if let value { return "CASE WHEN Z_ENT IN \(family(entity)) THEN \(value) END" }
        }
        return nil
    }

    private func position(_ relationship: String) -> String? {
        guard let place = columns(relationship, "Z_FOK_", "INTEGER"),
            let owner = columns(relationship, "Z", "INTEGER")
        else { return nil }
        return """
            CASE WHEN \(owner) IS NOT NULL THEN row_number() OVER (PARTITION BY \(owner) ORDER BY \(place), Z_PK) - 1 END
            """
    }

    /// The columns `ZNAME`, `ZNAME1`, … of siblings, of which at most one has a value in any row; nil where there are none,
    /// or where others have names with numbers too, so that nobody can tell whose they are.
    private func columns(_ name: String, _ start: String, _ storage: String?) -> String? {
        // The first of siblings has no number; what is the place in a relationship is called after its column.
        guard start != "Z" || database.column(start + name, of: source) != nil else { return nil }
        let own = name.lowercased()
        let others = bases.filter { Self.isNumbered($0, own) || Self.isNumbered(own, $0) }
        let names = (database.columns[source] ?? []).compactMap { column -> (column: String, rest: String)? in
            guard column.lowercased().hasPrefix(start.lowercased()) else { return nil }
            return (column, String(column.lowercased().dropFirst(start.count)))
        }
        let found: [(column: String, rest: String)]
        if others.isEmpty {
            found = names.filter { $0.rest == own || Self.isNumbered($0.rest, own) }
        } else {
            let group = [own] + others
            let isClear = names.allSatisfy { _, rest in
                group.contains(rest) || !group.contains { Self.isNumbered(rest, $0) }
            }
            guard isClear else { return nil }
            found = names.filter { $0.rest == own }
        }
        let columns = found.map(\.column).filter { fits($0, storage) }.map(SQL.quoted)
        return columns.count > 1 ? "COALESCE(\(columns.joined(separator: ", ")))" : columns.first
    }

    /// Whether a name is another with a number behind it.
    private static func isNumbered(_ name: String, _ other: String) -> Bool {
        name.count > other.count && name.hasPrefix(other) && name.dropFirst(other.count).allSatisfy(\.isNumber)
    }

    /// Whether a column is of the type that the store's column has: so versions are told apart that differ in nothing else.
    private func fits(_ column: String, _ storage: String?) -> Bool {
        guard let storage, let type = database.type(of: column, in: source)?.uppercased() else { return true }
        let classes: [(String, String)] = [
            ("INT", "INTEGER"), ("FLOAT", "REAL"), ("DOUBLE", "REAL"), ("REAL", "REAL"), ("TIMESTAMP", "REAL"),
            ("CHAR", "TEXT"), ("TEXT", "TEXT"), ("BLOB", "BLOB"),
        ]
        guard let found = classes.first(where: { type.contains($0.0) })?.1 else { return true }
        return found == storage
    }
}

extension String {
    /// The table that a column's definition refers to.
    fileprivate var referencedTable: String? {
        guard let range = range(of: " REFERENCES ") else { return nil }
        return SQL.leadingIdentifier(String(self[range.upperBound...]))
    }
}

extension Table {
    /// The storage class of a column.
    fileprivate func storage(of column: String) -> String? {
        guard let element = elements.first(where: { SQL.leadingIdentifier($0) == column }) else { return nil }
        return element.dropFirst(SQL.quoted(column).utf8.count).split(separator: " ").first.map(String.init)
    }
}
