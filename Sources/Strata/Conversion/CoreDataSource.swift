import Foundation
import SchemaSQL

/// A SQLite store of Core Data.
///
/// Its layout, which Apple does not document, is as its files show it: `Z_PRIMARYKEY` numbers the entities and says which
/// inherits from which; an entity and all that inherit from it share the table `ZROOT`, with `Z_PK` and `Z_ENT`; an
/// attribute or a to-one relationship has a column `ZNAME`, or `ZNAME1` where siblings have the name too; `Z_FOK_NAME`
/// is the place in an ordered to-many at the other end; a pair of to-many has a table `Z_2NAME` with the columns `Z_2…`
/// and `Z_5NAME` by the numbers of its entities, of which one is `REFLEXIVE` where a relationship is its own inverse.
struct CoreDataSource: ConversionSource {
    private let database: DatabaseTables
    /// The number and the super-entity's number of each entity.
    private var entities: [String: (number: Int, parent: Int)] = [:]
    private var names: [Int: String] = [:]

    init(reading connection: Connection) throws {
        database = try DatabaseTables(reading: connection)
        var entities: [String: (number: Int, parent: Int)] = [:]
        try connection.query("SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY") { row in
            entities[try row.string(1)] = (try row.int(0), try row.optionalInt(2) ?? 0)
        }
        self.entities = entities
        names = Dictionary(entities.map { ($0.value.number, $0.key) }, uniquingKeysWith: { first, _ in first })
    }

    /// Whether the database is a store of Core Data.
    static func isOne(_ connection: Connection) throws -> Bool {
        try connection.integer(
            "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name IN ('Z_METADATA', 'Z_PRIMARYKEY')") == 2
    }

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

    /// The numbers of an entity and of all that inherit from it.
    private func family(_ entity: String) -> [Int] {
        guard let number = entities[entity]?.number else { return [] }
        let children = entities.filter { $0.value.parent == number && $0.value.number != number }.keys.sorted()
        return [number] + children.flatMap(family)
    }

    private func list(_ numbers: [Int]) -> String {
        "(" + numbers.map(String.init).joined(separator: ", ") + ")"
    }

    // MARK: Tables

    func tables(of version: SchemaVersion, formats: ImportedFormat) throws -> [ConvertedTable] {
        let kinds = Set(formats.columns.filter { $0.form == .entity }.map { $0.table + "." + $0.column })
        return try version.tables.map { table in
            if entities[table.name] != nil { return try entityTable(table, kinds) }
            return try joinTable(table, version)
        }
    }

    private func entityTable(_ table: Table, _ kinds: Set<String>) throws -> ConvertedTable {
        guard let source = database.table("Z" + root(table.name)) else {
            throw Missing(what: "the table of \(table.name)")
        }
        let values = try table.columns.map { name -> String in
            if SQL.quoted(name) == table.rowNumber { return "Z_PK" }
            if kinds.contains(table.name + "." + name) { return kind(of: table.name) }
            if let value = value(name, of: table, in: source) { return value }
            throw Missing(what: "\(table.name).\(name)")
        }
        // Where each entity has a table of its own, only its rows are in it.
        let hasKind = table.columns.contains { kinds.contains(table.name + "." + $0) }
        let numbers =
            hasKind || family(table.name).count == 1 ? family(table.name) : family(table.name).prefix(1).map { $0 }
        let from = "\(SQL.quoted(source)) WHERE Z_ENT IN \(list(numbers))"
        return ConvertedTable(table: table, source: source, key: "CAST(Z_PK AS TEXT)", values: values, from: from)
    }

    private func kind(of root: String) -> String {
        let cases = family(root).compactMap { number in
            names[number].map { "WHEN \(number) THEN \(SQL.literal($0))" }
        }
        return "CASE Z_ENT \(cases.joined(separator: " ")) END"
    }

    /// What gives the column `name` of the store's table: an attribute, a relationship, or a row's place in one.
    private func value(_ name: String, of table: Table, in source: String) -> String? {
        if let value = family(of: name, besides: table, in: source) { return value }
        if name.hasSuffix("_id"), let value = family(of: String(name.dropLast(3)), besides: table, in: source) {
            return value
        }
        if name.hasSuffix("_position") {
            let relationship = String(name.dropLast("_position".count))
            if let place = database.column("Z_FOK_" + relationship, of: source),
                let owner = family(of: relationship, besides: table, in: source)
            {
                return position(partition: owner, order: "\(SQL.quoted(place)), Z_PK")
            }
        }
        // What siblings have for different things is called after each of them.
        for (entity, _) in entities.sorted(by: { $0.key < $1.key }) where name.hasPrefix(entity + "_") {
            let rest = String(name.dropFirst(entity.utf8.count + 1))
            let ending = rest.hasSuffix("_id") ? String(rest.dropLast(3)) : rest
            for base in [rest, ending] {
                if let value = family(of: base, besides: table, in: source) {
                    return "CASE WHEN Z_ENT IN \(list(family(entity))) THEN \(value) END"
                }
            }
        }
        return nil
    }

    private func position(partition: String, order: String) -> String {
        """
        CASE WHEN \(partition) IS NOT NULL THEN row_number() OVER (PARTITION BY \(partition) ORDER BY \(order)) - 1 END
        """
    }

    /// The columns `ZNAME`, `ZNAME1`, … of siblings, of which at most one has a value in any row.
    private func family(of name: String, besides table: Table, in source: String) -> String? {
        guard let first = database.column("Z" + name, of: source) ?? database.column("Z" + name + "1", of: source)
        else {
            return nil
        }
        let others = Set(
            table.columns.flatMap { ["z" + $0.lowercased(), "z" + $0.replacing(/_id$/, with: "").lowercased()] }
        ).subtracting(["z" + name.lowercased()])
        let stem = "z" + name.lowercased()
        let numbered = (database.columns[source] ?? []).filter { column in
            let spelled = column.lowercased()
            return spelled.hasPrefix(stem) && spelled != first.lowercased() && !others.contains(spelled)
                && !spelled.dropFirst(stem.utf8.count).isEmpty
                && spelled.dropFirst(stem.utf8.count).allSatisfy(\.isNumber)
        }
        let columns = ([first] + numbered).map(SQL.quoted)
        return columns.count == 1 ? columns[0] : "COALESCE(\(columns.joined(separator: ", ")))"
    }

    // MARK: Relationships

    /// The table of a pair of to-many, by the names of its columns.
    private func joinTable(_ table: Table, _ version: SchemaVersion) throws -> ConvertedTable {
        let ends = table.elements.compactMap(\.referencedTable)
        guard ends.count == 2, table.name.hasPrefix(ends[0] + "_") else {
            throw Missing(what: "the table \(table.name)")
        }
        let name = String(table.name.dropFirst(ends[0].utf8.count + 1))
        var found: [(table: String, source: String, target: String)] = []
        for (candidate, columns) in database.columns.sorted(by: { $0.key < $1.key }) {
            guard candidate.wholeMatch(of: /Z_\d+.+/) != nil else { continue }
            let keys = columns.filter { !$0.hasPrefix("Z_FOK_") }
            guard keys.count == 2 else { continue }
            for (target, source) in [(keys[0], keys[1]), (keys[1], keys[0])] {
                guard isEnd(target, name, of: ends[1]) else { continue }
                if source == "REFLEXIVE" || isEnd(source, nil, of: ends[0]) {
                    found.append((candidate, source, target))
                }
            }
        }
        guard found.count == 1, let join = found.first else {
            throw Missing(what: "the table of \(ends[0]).\(name)" + (found.count > 1 ? ": several could be it" : ""))
        }
        let (source, target) = (SQL.quoted(join.source), SQL.quoted(join.target))
        let place = database.column("Z_FOK_" + join.target.dropFirst(2), of: join.table)
        let order = place.map { SQL.quoted($0) + ", " + target } ?? target
        return ConvertedTable(
            table: table, source: join.table, key: "\(source) || ', ' || \(target)",
            values: [source, target, "row_number() OVER (PARTITION BY \(source) ORDER BY \(order)) - 1"],
            from: "\(SQL.quoted(join.table)) WHERE \(source) IS NOT NULL AND \(target) IS NOT NULL")
    }

    /// Whether a column leads to objects in the table of `entity`, by the relationship `name` if one is given.
    private func isEnd(_ column: String, _ name: String?, of entity: String) -> Bool {
        guard let match = column.wholeMatch(of: /Z_(\d+)(.*)/), let number = Int(match.1), let owner = names[number],
            root(owner) == root(entity)
        else { return false }
        guard let name else { return true }
        // `Tag_items` is what the items of a tag are called where another sibling has items too.
        let endings =
            [name] + entities.keys.filter { name.hasPrefix($0 + "_") }.map { String(name.dropFirst($0.utf8.count + 1)) }
        return endings.contains {
            match.2.lowercased().prefix { !$0.isNumber || $0 == "_" } == $0.lowercased()
                || match.2.lowercased() == $0.lowercased()
        }
    }

    // MARK: Versions

    func unused(by tables: [ConvertedTable]) -> Int {
        let read = tables.map(\.query).joined(separator: "\n").lowercased()
        return tables.reduce(0) { count, table in
            count
                + (database.columns[table.source] ?? []).count { column in
                    column.hasPrefix("Z") && !column.hasPrefix("Z_")
                        && !read.contains(SQL.quoted(column).lowercased())
                }
        }
            + database.columns.keys.count { name in
                name.hasPrefix("Z") && !name.hasPrefix("Z_") && !tables.contains { $0.source == name }
            }
    }

    var versionName: String? { nil }
}

extension String {
    /// The table that a column's definition refers to.
    fileprivate var referencedTable: String? {
        guard let range = range(of: " REFERENCES ") else { return nil }
        return SQL.leadingIdentifier(String(self[range.upperBound...]))
    }
}
