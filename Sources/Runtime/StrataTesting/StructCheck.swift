import Foundation
import SQLSchema
import Strata

/// A check that a struct reads each column into the right property and writes it back to the same column.
struct StructCheck: Sendable {
    let type: any StoredEntity.Type
    /// The name of the struct's table.
    let table: String
    /// Reads every row. Throws if a value is malformed.
    let read: @Sendable (_ connection: Connection) throws -> Void
    /// Returns the problems of reading the rows of `filled` and of writing them to `empty`.
    let check: @Sendable (_ filled: Connection, _ empty: Connection, _ version: FixtureVersion) throws -> [String]
    /// Returns the problems of comparing the structs of rows.
    let compare: @Sendable (_ filled: Connection, _ version: FixtureVersion) throws -> [String]

    /// Creates the check of `type`.
    init<Entity: StoredEntity>(_ type: Entity.Type) {
        self.type = type
        table = Entity.table.name
        read = { connection in
            _ = try ReadTransaction(connection).cursor(Entity.self).forEach { _ in }
        }
        check = { filled, empty, version in
            let table = Entity.table.name
            let names = DescribedNames(version)
            let entities = try ReadTransaction(filled).fetch(Entity.self)
            // A superseded struct has no computed properties.
            let computed = version.tables.first { $0.name == table }?.computed.map(\.name) ?? []
            let hidden = Set(computed).subtracting(Entity.table.computed)
            let stored = try Self.rows(of: table, by: Entity.table.key, without: hidden, in: filled)
            guard entities.count == stored.count else {
                return ["\(names.entity(table)): \(entities.count) of \(stored.count) rows were read"]
            }
            let values = try entities.map { try version.values(of: $0) }
            var problems = Self.compare(values, stored, table: table, names, what: "read")
            let transaction = WriteTransaction(empty)
            for entity in entities { try transaction.insert(entity) }
            let written = try Self.rows(of: table, by: Entity.table.key, without: hidden, in: empty)
            problems += Self.compare(values, written, table: table, names, what: "written")
            return problems
        }
        compare = { filled, version in
            let names = DescribedNames(version)
            return try Entity.table.columns.filter { try !Self.distinguishes(Entity.self, by: $0, in: filled) }.map {
                "\(names.property($0, of: Entity.table.name)): two structs that differ only in this property are equal"
            }
        }
    }

    /// Returns whether `==` distinguishes structs that differ only in `column`. The result is true if there are no such
    /// structs.
    private static func distinguishes<Entity: StoredEntity>(
        _ type: Entity.Type, by column: String, in connection: Connection
    ) throws -> Bool {
        let (table, name) = (SQL.quoted(Entity.table.name), SQL.quoted(column))
        let key = Entity.table.key.flatMap { ["a.\(SQL.quoted($0))", "b.\(SQL.quoted($0))"] }.joined(separator: ", ")
        // Values that differ in SQL may be equal in Swift, for example two spellings of é. One unequal pair is enough.
        let rest = "FROM \(table) AS a JOIN \(table) AS b ON a.\(name) IS NOT b.\(name) ORDER BY \(key) LIMIT 20"
        func entities(_ other: String?) throws -> [Entity] {
            let columns = (Entity.table.columns + Entity.table.computed).map {
                ($0 == other ? "b." : "a.") + SQL.quoted($0)
            }
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
            // The column is part of a foreign key of several columns, which are all NULL or all not NULL.
            return true
        }
        let pairs = Array(zip(try entities(nil), mixed))
        return pairs.isEmpty || pairs.contains { $0 != $1 }
    }

    private static func rows(
        of table: String, by key: [String], without hidden: Set<String>, in connection: Connection
    ) throws -> [ColumnValues] {
        var rows: [ColumnValues] = []
        try connection.query("SELECT * FROM \(SQL.quoted(table)) ORDER BY \(SQL.list(key))") { row in
            let columns = (0..<row.columnCount).filter { !hidden.contains(row.name($0)) }
            rows.append(
                Dictionary(columns.map { (row.name($0), row.value($0)) }, uniquingKeysWith: { first, _ in first }))
        }
        return rows
    }

    private static func compare(
        _ entities: [ColumnValues], _ rows: [ColumnValues], table: String, _ names: DescribedNames, what: String
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
    /// Checks that the structs of a version read and write the rows of its fixture correctly.
    ///
    /// Each row is read into its struct and compared with the row that plain SQL reads. The struct is then written to
    /// an empty database, and the written row is compared with it. The same is done with a database that has all sample
    /// values in random combinations.
    ///
    /// - Returns: The failures; empty if there are none.
    public func checkStructs(of version: FixtureVersion) throws -> [Failure] {
        let failures = try prepare(version)
        guard failures.isEmpty else { return failures }
        let fixture = try Connection(path: url(of: version).path, mode: .readOnly)
        var problems = try self.problems(ofStructsOf: version, in: fixture)
        let names = DescribedNames(version)
        problems += try version.structs.flatMap { check in
            try check.compare(fixture, version).about(.entity(names.entity(check.table)))
        }
        if problems.isEmpty {
            // Structs read each row alone, so a table needs no more rows than there are sample values.
            let random = RandomRows.fromEnvironment(count: 0).completing(Set(version.structs.map(\.table)), count: 40)
            problems = try withFolder { folder in
                let complete = folder.appendingPathComponent("complete.sqlite")
                try create(version, at: complete, withRows: true, drawnFrom: random)
                let connection = try Connection(path: complete.path, mode: .readOnly)
                return try self.problems(ofStructsOf: version, in: connection).map {
                    Problem(text: "\($0.text) (repeat with STRATA_SEED=\(random.seed))", subject: $0.subject)
                }
            }
        }
        return problems.map { $0.failure("structs of \(version.name) of \(schema.name)") }
    }

    /// Returns the problems of reading the rows of a database into the structs of a version, and of writing them again.
    private func problems(ofStructsOf version: FixtureVersion, in filled: Connection) throws -> [Problem] {
        let empty = try Connection(path: ":memory:", mode: .create)
        let tables = Set(version.structs.map(\.table))
        for table in try schemaVersion(version).tables where tables.contains(table.name) {
            try empty.execute(SQLite.createTable(table))
        }
        let names = DescribedNames(version)
        return try version.structs.flatMap { check in
            try check.check(filled, empty, version).about(.entity(names.entity(check.table)))
        }
    }
}
