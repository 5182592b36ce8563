import Foundation
import SQLSchema
import Strata

/// A SQLite store of Core Data.
///
/// Apple does not document the layout. The files show it:
///
/// - `Z_PRIMARYKEY` numbers the entities and records which of them inherit from others.
/// - An entity and its descendants share the table `ZROOT`, with `Z_PK` and `Z_ENT`.
/// - An attribute or a to-one relationship has a column `ZNAME`. Further properties of the same name in the family,
///   ignoring letter case, have the columns `ZNAME1`, `ZNAME2`, ….
/// - `Z5_NAME` is the number of the other object's entity, beside a relationship to an entity that others inherit from.
/// - `Z_FOK_NAME` is the position in an ordered to-many relationship at the other end.
/// - `Z1NAME` is the owner's key of a to-many relationship without an inverse.
/// - A pair of to-many relationships has a table `Z_2NAME` with the columns `Z_2…` and `Z_5NAME`, whose names contain
///   the numbers of its entities. One of the columns is `REFLEXIVE` if a relationship is its own inverse.
///
/// A version of the schema claims an exact set of columns. The database has that version if it has no other columns.
struct CoreDataSource: ConversionSource {
    let format: ImportedFormatLookup
    let family: CoreDataFamily
    /// The tables by their names in uppercase, with their columns by their names in uppercase.
    private let tables: [String: Table]
    let joins: [JoinTable]
    /// The virtual tables of spatial indexes, and their shadow tables.
    private let virtual: Set<String>
    /// The greatest key that was ever assigned to an object, by root entity.
    private var lastKeys: [String: Int64] = [:]
    /// The first eight bytes of the hash of each entity; nil if the store does not have hashes.
    private let hashes: [String: UInt64]?

    struct Table {
        let name: String
        var columns: [String: (name: String, type: DeclaredType?)] = [:]
    }

    /// The join table of two to-many relationships, with its two key columns.
    struct JoinTable {
        let name: String
        let keys: [String]
        let columns: Set<String>
    }

    init(reading connection: Connection, _ format: ImportedFormatLookup) throws {
        self.format = format
        let database = try DatabaseTables(reading: connection)
        var tables: [String: Table] = [:]
        for (name, columns) in database.columns {
            var table = Table(name: name)
            for column in columns {
                let type = database.type(of: column, in: name).flatMap { DeclaredType($0) }
                table.columns[column.uppercased()] = (column, type)
            }
            tables[name.uppercased()] = table
        }
        self.tables = tables
        virtual = database.virtual.union(database.shadows)
        joins = tables.values.sorted { $0.name < $1.name }.compactMap { table in
            guard Self.number(in: table.name, after: "Z_") != nil else { return nil }
            let columns = Set(table.columns.keys)
            let keys = columns.filter { !$0.hasPrefix("Z_FOK_") }.sorted()
            return keys.count == 2 ? JoinTable(name: table.name, keys: keys, columns: columns) : nil
        }
        var family = CoreDataFamily()
        var greatest: [String: Int64] = [:]
        let hasKeys = tables["Z_PRIMARYKEY"]?.columns["Z_MAX"] != nil
        try connection.query("SELECT Z_ENT, Z_NAME, Z_SUPER\(hasKeys ? ", Z_MAX" : "") FROM Z_PRIMARYKEY") { row in
            let name = try row.string(1)
            family.add(name, number: try row.int(0), parent: try row.optionalInt(2) ?? 0)
            if hasKeys, case .integer(let key) = row.value(3) { greatest[name] = key }
        }
        for table in tables.values where table.columns["Z_ENT"] != nil && table.name.uppercased() != "Z_PRIMARYKEY" {
            try connection.query(
                "SELECT DISTINCT Z_ENT FROM \(SQL.quoted(table.name)) WHERE typeof(Z_ENT) = 'integer'"
            ) { family.use(try $0.int(0)) }
        }
        self.family = family
        hashes = try Self.hashes(of: connection)
        // Core Data counts keys in the root entity of a family.
        for (name, key) in greatest { lastKeys[family.root(of: name)] = max(lastKeys[family.root(of: name)] ?? 0, key) }
    }

    /// Returns whether the database is a store of Core Data.
    static func isOne(_ connection: Connection) throws -> Bool {
        try connection.integer(
            "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name IN ('Z_METADATA', 'Z_PRIMARYKEY')") == 2
    }

    var userVersion: Int? { nil }

    /// Returns the first eight bytes of each hash in `Z_METADATA`, a property list.
    private static func hashes(of connection: Connection) throws -> [String: UInt64]? {
        var plist: Data?
        try? connection.query("SELECT Z_PLIST FROM Z_METADATA LIMIT 1") { plist = $0.bytes(0) }
        guard let plist, !plist.isEmpty,
            let list = try? PropertyListSerialization.propertyList(from: plist, format: nil) as? [String: Any],
            let hashes = list["NSStoreModelVersionHashes"] as? [String: Data],
            hashes.values.allSatisfy({ $0.count >= 8 })
        else { return nil }
        return hashes.mapValues { data in data.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) } }
    }

    func identified(among indexes: [Int]) -> [Int] {
        guard let hashes, !hashes.isEmpty else { return indexes }
        let known = indexes.map { ($0, format.hashes(at: $0)) }
        func isOne(_ version: [String: UInt64]) -> Bool {
            // A configuration of a model contains only some of its entities.
            !version.isEmpty && hashes.allSatisfy { version[$0.key] == $0.value }
        }
        let equal = known.filter { isOne($0.1) }
        let whole = equal.filter { $0.1.count == hashes.count }
        if !equal.isEmpty { return (whole.isEmpty ? equal : whole).map(\.0) }
        // The database can only have a version whose hashes are unknown.
        return known.filter(\.1.isEmpty).map(\.0)
    }

    func lastKey(of table: SQLSchema.Table) -> Int64? {
        family.has(table.name) ? lastKeys[family.root(of: table.name)] : nil
    }

    /// Returns the number after `start` in a name, and the rest: 5 and `NAME` for `Z_5NAME` after `Z_`.
    static func number(in name: String, after start: String) -> (number: Int, rest: String)? {
        let name = name.uppercased()
        guard name.hasPrefix(start) else { return nil }
        let rest = name.dropFirst(start.count)
        let digits = rest.prefix { $0.isASCII && $0.isNumber }
        guard let number = Int(digits) else { return nil }
        return (number, String(rest.dropFirst(digits.count)))
    }

    // MARK: Versions

    func match(_ version: SchemaVersion, at index: Int, exactly isExact: Bool) -> VersionMatch {
        var match = VersionMatch()
        let unread = format.unread(at: index)
        // Most versions are ruled out by their tables alone.
        var roots: [String: CoreDataClaims] = [:]
        for table in version.tables where family.has(table.name) {
            let root = family.root(of: table.name)
            guard roots[root] == nil else { continue }
            if let found = tables["Z" + root.uppercased()] {
                roots[root] = CoreDataClaims(of: found, family)
            } else {
                match.missing.append("the table of \(table.name)")
            }
        }
        guard match.missing.isEmpty else { return match }
        for left in unread {
            let parts = left.name.split(separator: ".", maxSplits: 1).map(String.init)
            guard parts.count == 2 else { continue }
            roots[family.root(of: parts[0])]?.leave(parts[0], parts[1], isRequired: left.reason == .inverse)
        }
        var readers: [(table: SQLSchema.Table, columns: [CoreDataColumn])] = []
        for table in version.tables where family.has(table.name) {
            let columns = self.columns(of: table, at: index)
            readers.append((table, columns))
            for column in columns {
                switch column {
                case .claim(let sources, let types, let isReference):
                    for source in sources {
                        roots[family.root(of: table.name)]?.read(
                            source.entity, source.property, types: isExact ? types : nil, isReference: isReference)
                    }
                case .kind(let names):
                    match.missing += names.filter { !family.has($0) }.map { "the entity \($0)" }
                case .key, .position: break
                }
            }
        }
        for root in roots.keys.sorted() { match.missing += roots[root]?.resolve() ?? [] }
        let own = Set(version.tables.map(\.name))
        for (table, columns) in readers {
            guard let claims = roots[family.root(of: table.name)] else { continue }
            convert(table, columns, claims, own, into: &match)
        }
        var joined: Set<String> = []
        for table in version.tables where !family.has(table.name) {
            do {
                joined.insert(try convert(joinTable: table, at: index, unread, &roots, into: &match))
            } catch {
                match.missing.append(error.what)
            }
        }
        for root in roots.keys.sorted() { match.extra += roots[root]?.extra() ?? [] }
        match.extra += extraTables(roots, joined, unread)
        for left in unread where left.reason != .inverse {
            if let count = self.count(of: left, roots) {
                match.left.append(VersionMatch.Left(name: left.name, reason: left.reason, count: count))
            }
        }
        return match
    }

    /// Returns the origins of the columns of an entity's table.
    private func columns(of table: SQLSchema.Table, at index: Int) -> [CoreDataColumn] {
        func sources(_ property: String) -> [(entity: String, property: String)] {
            format.sources(of: property, in: table.name, at: index).map { source in
                let parts = source.split(separator: ".", maxSplits: 1).map(String.init)
                return (parts.first ?? "", parts.last ?? "")
            }
        }
        var references: Set<String> = []
        for key in table.foreignKeys where key.columns.count == 1 {
            let name = key.columns[0]
            references.insert(ColumnSuffix.reference.removed(from: name) ?? name)
        }
        return table.columns.map { column in
            let name = column.name
            if name == table.integerKey { return .key }
            let form = format.form(of: name, in: table.name, at: index)
            if case .entity(let names) = form { return .kind(names) }
            let base = ColumnSuffix.reference.removed(from: name) ?? name
            if references.contains(base) { return .claim(sources(base), types: [.integer], isReference: true) }
            if let ordered = ColumnSuffix.position.removed(from: name), references.contains(ordered) {
                return .position(sources(ordered))
            }
            let types = DeclaredType.types(of: form, storage: column.type)
            return .claim(sources(name), types: types, isReference: false)
        }
    }

    private func convert(
        _ table: SQLSchema.Table, _ columns: [CoreDataColumn], _ claims: CoreDataClaims, _ own: Set<String>,
        into match: inout VersionMatch
    ) {
        var values: [String] = []
        var conflicts: [String] = []
        for (name, column) in zip(table.columnNames, columns) {
            switch column {
            case .key: values.append("Z_PK")
            case .kind: values.append(family.kind(of: table.name))
            case .claim(let sources, _, _):
                let found = sources.compactMap { claims.value($0.entity, $0.property) }
                guard found.count == sources.count else { continue }
                values.append(found.count == 1 ? found[0] : "COALESCE(\(found.joined(separator: ", ")))")
                conflicts += sources.compactMap { claims.conflict($0.entity, $0.property) }
            case .position(let sources):
                if let value = sources.first.flatMap({ claims.position($0.entity, $0.property) }) {
                    values.append(value)
                } else {
                    match.missing.append("\(table.name).\(name)")
                }
            }
        }
        // Missing columns were already reported when the columns were claimed.
        guard values.count == table.columns.count else { return }
        let hasKind = columns.contains { if case .kind = $0 { true } else { false } }
        // If descendants have separate tables, this table contains only the entity's own rows.
        let others = family.numbers(of: table.name).dropFirst().filter { !own.contains(family.name(of: $0) ?? "") }
        if !hasKind, let other = others.first(where: family.isUsed) {
            match.missing.append("a table for \(family.name(of: other) ?? "")")
        }
        let all = family.numbers(of: table.name)
        let numbers = hasKind ? all : Array(all.prefix(1))
        let source = SQL.quoted(claims.table.name)
        let known = CoreDataFamily.list(family.numbers(of: family.root(of: table.name)))
        let isFirst = !match.tables.contains { $0.source == claims.table.name }
        match.tables.append(
            ConvertedTable(
                table: table, source: claims.table.name, key: "CAST(Z_PK AS TEXT)", values: values,
                // The "+" keeps SQLite from reading the rows by an index on Z_ENT, in another order than that of Z_PK.
                from: "\(SQL.quoted(claims.table.name)) WHERE +Z_ENT IN \(CoreDataFamily.list(numbers))",
                conflict: conflicts.isEmpty ? "NULL" : "COALESCE(\((conflicts + ["NULL"]).joined(separator: ", ")))",
                strays: isFirst
                    ? "SELECT CAST(Z_PK AS TEXT), * FROM \(source) WHERE Z_ENT IS NULL OR Z_ENT NOT IN \(known)" : nil,
                // The position of a row depends on the others.
                rowNumber: columns.contains { if case .position = $0 { true } else { false } } ? nil : "Z_PK"))
    }

    // MARK: Unread data

    /// Returns the tables that the conversion does not read, although the import did not report them.
    private func extraTables(
        _ roots: [String: CoreDataClaims], _ joined: Set<String>, _ unread: [ImportedUnread]
    ) -> [String] {
        let read = Set(roots.values.map(\.table.name)).union(joined)
        let own: Set<String> = ["Z_METADATA", "Z_PRIMARYKEY", "Z_MODELCACHE"]
        return tables.filter { name, table in
            guard name.hasPrefix("Z"), !own.contains(name), !read.contains(table.name), !virtual.contains(table.name)
            else { return false }
            return !unread.contains { left in
                let parts = left.name.uppercased().split(separator: ".", maxSplits: 1)
                if parts.count == 1 { return name == "Z" + parts[0] }
                // The pairs of a relationship whose inverse does not point back to it.
                guard left.reason == .unknown, let end = Self.number(in: name, after: "Z_") else { return false }
                return end.rest == String(parts[1]) && family.isIn(end.number, String(left.name.prefix { $0 != "." }))
            }
        }.map(\.value.name).sorted()
    }

    /// Returns the query that counts the values of an element that stays in the database; nil if none of its columns is
    /// known.
    private func count(of left: ImportedUnread, _ roots: [String: CoreDataClaims]) -> String? {
        let parts = left.name.split(separator: ".", maxSplits: 1).map(String.init)
        guard parts.count == 2 else {
            return tables["Z" + left.name.uppercased()].map { "SELECT count(*) FROM \(SQL.quoted($0.name))" }
        }
        return roots[family.root(of: parts[0])]?.count(parts[0], parts[1])
    }
}

/// The origin of a column of a store's table.
enum CoreDataColumn {
    /// The key of the object.
    case key
    /// The name of the object's entity, which is one of these names.
    case kind([String])
    /// Attributes or to-one relationships, whose columns have one of these types.
    case claim([(entity: String, property: String)], types: Set<DeclaredType>, isReference: Bool)
    /// The object's position at the other end of to-one relationships.
    case position([(entity: String, property: String)])
}
