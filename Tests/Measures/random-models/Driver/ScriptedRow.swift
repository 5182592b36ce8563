import SQLSchema
import Strata

/// A row of any table. A scripted migration reads and writes such rows.
struct ScriptedRow<Side: ScriptedSide>: StoredEntity {
    typealias ID = Side.Key

    static var table: EntityTable { Side.table }

    let values: [SQLiteValue]

    static func id(of entity: Self) -> ID {
        ID(
            values: table.key.map { name in
                entity.values[table.columns.firstIndex(of: name) ?? 0]
            })
    }

    init(values: [SQLiteValue]) { self.values = values }

    init(row: Row) throws { values = try (0..<Self.table.columns.count).map { try SQLiteValue(row: row, at: $0) } }

    func bind(to statement: Statement) throws {
        for (index, value) in values.enumerated() { try statement.bind(value, at: 1 + index) }
    }
}

/// The primary key of a row of any table.
protocol ScriptedKey: EntityID {
    var values: [SQLiteValue] { get }
    init(values: [SQLiteValue])
}

extension ScriptedKey {
    init(row: Row, at index: Int) throws {
        self.init(values: try (0..<Self.columnCount).map { try SQLiteValue(row: row, at: index + $0) })
    }

    func bind(to statement: Statement, at index: Int) throws {
        for (offset, value) in values.enumerated() { try statement.bind(value, at: index + offset) }
    }
}

/// The primary key of an old row and a new row, if both have the same type.
struct CommonKey: ScriptedKey {
    static var columnCount: Int { ScriptedTables.current.new.key.count }
    let values: [SQLiteValue]
}

/// The primary key of an old row whose new primary key has another type.
struct FormerKey: ScriptedKey {
    static var columnCount: Int { ScriptedTables.current.old.key.count }
    let values: [SQLiteValue]
}

/// One of the two tables of a scripted migration.
protocol ScriptedSide: Sendable {
    associatedtype Key: ScriptedKey
    static var table: EntityTable { get }
}

enum OldSide<Key: ScriptedKey>: ScriptedSide {
    static var table: EntityTable { ScriptedTables.current.old }
}

/// The new table. A transaction keeps the last statement of each type, so each table needs a `Number` of its own.
enum NewSide<Number: TypeNumber>: ScriptedSide {
    typealias Key = CommonKey
    static var table: EntityTable { ScriptedTables.current.new }
}

/// A number as a type.
protocol TypeNumber: Sendable {}

enum Zero: TypeNumber {}

enum Next<Number: TypeNumber>: TypeNumber {}

/// The tables of the custom migration that runs.
struct ScriptedTables: Sendable {
    @TaskLocal static var current = ScriptedTables(
        old: EntityTable("none", key: [], columns: ["none"]), new: EntityTable("none", key: [], columns: ["none"]))

    let old: EntityTable
    let new: EntityTable
}
