import SQLSchema
import Strata

/// The action on a referencing row when the row that it references is deleted.
public enum DeleteRule: String, Sendable {
    /// The foreign key becomes NULL.
    case nullify = "SET NULL"
    /// The referencing row is deleted too.
    case cascade = "CASCADE"
    /// The row cannot be deleted while another row refers to it.
    case deny = "RESTRICT"
    /// The row can be deleted. At the end of the transaction, no foreign key may refer to it.
    case noAction = "NO ACTION"
}

/// An index of a table.
public struct FixtureIndex: Hashable, Sendable, CustomStringConvertible {
    /// The columns; after one in descending order, ` DESC`.
    private(set) var columns: [String]
    let isUnique: Bool
    /// The SQL of the condition of the rows; nil if the index contains all rows.
    let condition: String?

    /// Creates an index on `columns`.
    ///
    /// - Parameters:
    ///   - columns: The names of the columns. After one in descending order, write ` DESC`.
    ///   - isUnique: Whether no two rows of the index have the same values.
    ///   - condition: The SQL of the condition of the rows; nil if the index contains all rows.
    public init(_ columns: [String], unique isUnique: Bool = false, where condition: String? = nil) {
        self.columns = columns
        self.isUnique = isUnique
        self.condition = condition
    }

    fileprivate mutating func add(_ column: String) { columns.append(column) }

    /// The kind of the index and its columns, such as `unique index on name`.
    public var description: String {
        "\(isUnique ? "unique index" : "index") on \(columns.joined(separator: ", "))"
            + (condition.map { " where \($0)" } ?? "")
    }
}

/// A comparison of the tables of a database with the descriptions.
///
/// The expected layout does not come from the SQL that creates the tables, so the comparison also finds errors in that
/// SQL.
struct TableShape {
    private let version: FixtureVersion
    /// The layout that SQLite reports, by table.
    private var tables: [String: Description] = [:]

    private struct Description {
        var columns: [String: (type: String, isRequired: Bool)] = [:]
        /// The columns of the primary key, with their positions in it.
        var key: [(number: Int, name: String)] = []
        var foreignKeys: [Int: ForeignKey] = [:]
        var indexes: [String: FixtureIndex] = [:]
        /// The `CREATE TABLE` statement.
        var sql = ""
    }

    private struct ForeignKey: Hashable {
        var columns: [String]
        let target: String
        let rule: String
    }

    /// Reads the tables of a database that should have the layout of `version`.
    init(connection: Connection, version: FixtureVersion) throws {
        self.version = version
        let tables = "sqlite_schema AS m JOIN"
        let isTable = "m.type = 'table'"
        let columns = "pragma_table_xinfo(m.name) AS c WHERE \(isTable) AND c.hidden <> 1"
        var found: [String: Description] = [:]
        try connection.query("SELECT m.name, c.name, c.type, c.\"notnull\", c.pk FROM \(tables) \(columns)") { row in
            let name = try row.string(1)
            found[try row.string(0), default: Description()].columns[name] = (try row.string(2), try row.bool(3))
            let number = try row.int(4)
            if number > 0 { found[try row.string(0)]?.key.append((number, name)) }
        }
        try connection.query("SELECT name, sql FROM sqlite_schema AS m WHERE \(isTable)") { row in
            found[try row.string(0)]?.sql = try row.string(1)
        }
        let keys = "pragma_foreign_key_list(m.name) AS k WHERE \(isTable) ORDER BY m.name, k.id, k.seq"
        try connection.query("SELECT m.name, k.id, k.\"table\", k.on_delete, k.\"from\" FROM \(tables) \(keys)") {
            row in
            let key = ForeignKey(columns: [], target: try row.string(2), rule: try row.string(3))
            found[try row.string(0)]?.foreignKeys[try row.int(1), default: key].columns.append(try row.string(4))
        }
        let indexes = """
            pragma_index_list(m.name) AS l, pragma_index_xinfo(l.name) AS i \
            WHERE \(isTable) AND l.origin = 'c' AND i.key ORDER BY m.name, l.name, i.seqno
            """
        let condition = """
            SELECT substr(sql, instr(sql, ') WHERE ') + 8) FROM sqlite_schema WHERE type = 'index' AND name = l.name
            """
        try connection.query(
            """
            SELECT m.name, l.name, l."unique", i.name || CASE i."desc" WHEN 1 THEN ' DESC' ELSE '' END, \
            CASE l.partial WHEN 1 THEN (\(condition)) END FROM \(tables) \(indexes)
            """
        ) { row in
            let (table, name) = (try row.string(0), try row.string(1))
            let index = FixtureIndex([], unique: try row.bool(2), where: try row.optionalString(4))
            found[table]?.indexes[name, default: index].add(try row.string(3))
        }
        self.tables = found
    }

    /// Returns a message for each difference.
    func differences() -> [Problem] {
        version.tables.flatMap { differences($0).about(.entity($0.entity)) }
            + version.joinTables.flatMap { differences($0).about(.entity($0.entity)) }
    }

    private func differences(_ table: FixtureTable) -> [String] {
        var problems: [String] = []
        let found = tables[table.name]?.columns ?? [:]
        let names = table.columns.flatMap(\.names) + table.computed.map(\.name)
        for name in Set(found.keys).subtracting(names).sorted() {
            problems.append("\(table.entity): the column \(name) is not in the descriptions")
        }
        if key(of: table.name) != table.key { problems.append("\(table.entity): the primary key differs") }
        let foreignKeys = foreignKeys(of: table.name)
        for column in table.columns {
            let name = "\(table.entity).\(column.property)"
            for part in column.names {
                guard let (type, isRequired) = found[part] else {
                    problems.append("\(name): there is no column \(part)")
                    continue
                }
                if let storage = column.storage, storage != type {
                    problems.append("\(name): it is \(type), not \(storage)")
                }
                // SQLite does not report an `INTEGER PRIMARY KEY` as NOT NULL, although it is never NULL.
                let isNumber = table.key == [part] && type == "INTEGER"
                if isRequired == column.isNullable, !isNumber {
                    problems.append("\(name): it \(column.isNullable ? "does not allow" : "allows") NULL")
                }
            }
            if case .reference(let target, let rule) = column.role {
                let key = ForeignKey(columns: column.names, target: target, rule: rule.rawValue)
                problems += difference(key, foreignKeys, name)
            }
        }
        let known = table.columns.filter { if case .reference = $0.role { true } else { false } }.map(\.names)
        for key in foreignKeys where !known.contains(key.columns) {
            problems.append(
                "\(table.entity): the foreign key \(key.columns.joined(separator: ", ")) is not in the descriptions")
        }
        let sql = tables[table.name]?.sql ?? ""
        for column in table.computed
        where !sql.contains("\(SQL.quoted(column.name)) \(column.storage) GENERATED ALWAYS AS (\(column.sql)) VIRTUAL")
        {
            problems.append("\(table.entity).\(column.property): it is not computed as \(column.sql)")
        }
        // A model whose history was shortened may give another name. The names in a new database are tested by rows.
        for check in table.checks where !sql.contains(" CHECK (\(check.condition))") {
            problems.append("\(table.entity): there is no check \(check.name) with the condition \(check.condition)")
        }
        let count = sql.components(separatedBy: "CONSTRAINT ").count - 1
        if count > table.checks.count {
            problems.append("\(table.entity): \(count - table.checks.count) checks are not in the descriptions")
        }
        problems += differences(table.search, of: table)
        return problems + differences(indexes: table.indexes, of: table.name, table.entity)
    }

    private func differences(_ search: FixtureSearch, of table: FixtureTable) -> [String] {
        let found = tables["strata_search_" + table.name]
        if search.columns.isEmpty {
            return found == nil ? [] : ["\(table.entity): its search is not in the descriptions"]
        }
        guard let found else { return ["\(table.entity): its texts cannot be searched"] }
        var problems: [String] = []
        if Set(found.columns.keys) != Set(search.columns) {
            let names = found.columns.keys.sorted().joined(separator: ", ")
            problems.append("\(table.entity): the search finds the texts of \(names)")
        }
        let tokenizer = search.tokenizer == "porter" ? "porter unicode61" : search.tokenizer
        if !found.sql.contains("tokenize = \(SQL.quoted(tokenizer))") {
            problems.append("\(table.entity): the tokenizer is not \(search.tokenizer)")
        }
        return problems
    }

    private func differences(_ join: FixtureJoinTable) -> [String] {
        var problems: [String] = []
        if key(of: join.name) != join.key {
            problems.append("\(join.property): the primary key of its table differs")
        }
        let foreignKeys = foreignKeys(of: join.name)
        let targets = Array(join.columns.suffix(join.targetCount))
        for (columns, end) in [(join.columns.dropLast(join.targetCount), join.source), (targets[...], join.target)] {
            let key = ForeignKey(columns: Array(columns), target: end, rule: DeleteRule.cascade.rawValue)
            problems += difference(key, foreignKeys, join.property)
        }
        return problems + differences(indexes: [FixtureIndex(targets)], of: join.name, join.property)
    }

    private func key(of table: String) -> [String] {
        (tables[table]?.key ?? []).sorted { $0.number < $1.number }.map(\.name)
    }

    private func foreignKeys(of table: String) -> [ForeignKey] {
        (tables[table]?.foreignKeys ?? [:]).map(\.value)
    }

    private func difference(_ key: ForeignKey, _ found: [ForeignKey], _ name: String) -> [String] {
        if found.contains(key) { return [] }
        guard let other = found.first(where: { $0.columns == key.columns }) else {
            return ["\(name): it has no foreign key"]
        }
        if other.target != key.target {
            return ["\(name): the foreign key refers to \(other.target), not to \(key.target)"]
        }
        return ["\(name): ON DELETE is \(other.rule), not \(key.rule)"]
    }

    private func differences(indexes: [FixtureIndex], of table: String, _ name: String) -> [String] {
        let found = tables[table]?.indexes ?? [:]
        let missing = Set(indexes).subtracting(found.values).map { "\(name): there is no \($0)" }
        let surplus = Set(found.values).subtracting(indexes).map { "\(name): the \($0) is not in the descriptions" }
        return missing.sorted() + surplus.sorted()
    }
}

extension FixtureColumn {
    /// The type of the stored values; nil for a foreign key, which has the types of its target.
    var storage: String? {
        switch role {
        case .key(let type), .value(let type): type.storage
        case .position: "INTEGER"
        case .reference: nil
        }
    }
}

extension ColumnType {
    var storage: String {
        switch self {
        case .int, .bool, .milliseconds, .integers: "INTEGER"
        case .double, .float, .date, .seconds: "REAL"
        case .string, .url, .color, .decimal, .texts: "TEXT"
        case .data, .uuid: "BLOB"
        case .limited(let type, _): type.storage
        }
    }
}
