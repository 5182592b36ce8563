import Foundation
import SQLSchema
import Strata

/// Checks that a struct reads each column into its own property, and writes it back to its own column.
struct StructCheck: Sendable {
    let type: any StoredEntity.Type
    /// The name of its table.
    let table: String
    /// Reads every row, and throws where a value is malformed.
    let read: @Sendable (_ connection: Connection) throws -> Void
    /// Says what is read or written otherwise than it should be.
    let check: @Sendable (_ filled: Connection, _ empty: Connection, _ version: FixtureVersion) throws -> [String]

    /// The check of `type`.
    init<Entity: StoredEntity>(_ type: Entity.Type) {
        self.type = type
        table = Entity.table.name
        read = { connection in
            _ = try ReadTransaction(connection).cursor(Entity.self).forEach { _ in }
        }
        check = { filled, empty, version in
            let table = Entity.table.name
            let names = Names(version)
            let entities = try ReadTransaction(filled).fetch(Entity.self)
            let stored = try Self.rows(of: table, by: Entity.table.key, in: filled)
            guard entities.count == stored.count else {
                return ["\(names.entity(table)): \(entities.count) of \(stored.count) rows were read"]
            }
            let values = try entities.map { try version.values(of: $0) }
            var problems = Self.compare(values, stored, table: table, names, what: "read")
            let transaction = WriteTransaction(empty)
            for entity in entities { try transaction.insert(entity) }
            let written = try Self.rows(of: table, by: Entity.table.key, in: empty)
            problems += Self.compare(values, written, table: table, names, what: "written")
            for column in Entity.table.columns where try !Self.tells(Entity.self, by: column, in: filled) {
                problems.append(
                    "\(names.property(column, of: table)): two structs that differ only in this property are equal")
            }
            return problems
        }
    }

    /// Whether `==` tells structs that differ in `column` alone, where there are any.
    private static func tells<Entity: StoredEntity>(
        _ type: Entity.Type, by column: String, in connection: Connection
    ) throws -> Bool {
        let (table, name) = (SQL.quoted(Entity.table.name), SQL.quoted(column))
        let key = Entity.table.key.flatMap { ["a.\(SQL.quoted($0))", "b.\(SQL.quoted($0))"] }.joined(separator: ", ")
        // Some values that differ in SQL are equal in Swift, such as two ways to write é: of several pairs not all are.
        let rest = "FROM \(table) AS a JOIN \(table) AS b ON a.\(name) IS NOT b.\(name) ORDER BY \(key) LIMIT 20"
        func entities(_ other: String?) throws -> [Entity] {
            let columns = Entity.table.columns.map { ($0 == other ? "b." : "a.") + SQL.quoted($0) }
            var entities: [Entity] = []
            try connection.query("SELECT \(columns.joined(separator: ", ")) \(rest)") {
                entities.append(try Entity(row: $0))
            }
            return entities
        }
        let mixed: [Entity]
        do {
            mixed = try entities(column)
        } catch is MalformedValue {
            // It is one of the columns of a key, which are there together or not at all.
            return true
        }
        let pairs = Array(zip(try entities(nil), mixed))
        return pairs.isEmpty || pairs.contains { $0 != $1 }
    }

    private static func rows(of table: String, by key: [String], in connection: Connection) throws -> [ColumnValues] {
        var rows: [ColumnValues] = []
        try connection.query("SELECT * FROM \(SQL.quoted(table)) ORDER BY \(SQL.list(key))") { row in
            rows.append(
                Dictionary(
                    (0..<row.columnCount).map { (row.name($0), row.value($0)) }, uniquingKeysWith: { first, _ in first }
                ))
        }
        return rows
    }

    private static func compare(
        _ entities: [ColumnValues], _ rows: [ColumnValues], table: String, _ names: Names, what: String
    ) -> [String] {
        if rows.isEmpty { return ["\(names.entity(table)): there is no row, so nothing is checked"] }
        var problems: [String] = []
        for column in Set(entities.flatMap(\.keys)).union(rows.flatMap(\.keys)).sorted() {
            guard
                let row = zip(entities, rows).first(where: { entity, row in
                    guard let inStruct = entity[column], let inTable = row[column] else { return true }
                    return !inStruct.isSame(as: inTable)
                })
            else { continue }
            let inStruct = row.0[column].map(String.init(describing:)) ?? "no property"
            let inTable = row.1[column].map(String.init(describing:)) ?? "no column"
            problems.append(
                "\(names.property(column, of: table)): \(what) as \(inTable) in the table and \(inStruct) in the struct"
            )
        }
        return problems
    }
}

extension Fixtures {
    /// Reads every row of a version's fixture into its struct, compares it with what plain SQL reads, writes it to an
    /// empty database, and compares that.
    public func checkStructs(of version: FixtureVersion) throws -> [Failure] {
        let failures = try prepare(version)
        guard failures.isEmpty else { return failures }
        let source = try Connection(path: url(of: version).path, mode: .readOnly)
        let target = try Connection(path: ":memory:", mode: .create)
        let names = Set(version.structs.map(\.table))
        for table in try schemaVersion(version).tables where names.contains(table.name) {
            try target.execute(SQLite.createTable(table))
        }
        return try version.structs.flatMap { try $0.check(source, target, version) }.map {
            Failure("structs of \(version.name) of \(schema.name): \($0)")
        }
    }
}
