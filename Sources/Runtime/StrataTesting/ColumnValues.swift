import Foundation
import Strata

/// The values of a row by the names of its columns.
typealias ColumnValues = [String: SQLiteValue]

extension FixtureVersion {
    /// The values that the row of `entity` must have, found by reflection. So they do not depend on the generated code that
    /// reads and writes rows.
    func values<Entity: StoredEntity>(of entity: Entity) throws -> ColumnValues {
        guard let table = tables.first(where: { $0.name == Entity.table.name }) else {
            throw FixtureError.unknownTable(Entity.table.name, struct: "\(Entity.self)")
        }
        let properties = Mirror(reflecting: entity).children.map { (name: $0.label ?? "", value: $0.value) }
        guard properties.map({ Self.plain($0.name) }) == table.columns.map({ Self.plain($0.member) }) else {
            throw FixtureError.otherProperties(
                "\(Entity.self)", properties.map(\.name), expected: table.columns.map(\.member))
        }
        var values: ColumnValues = [:]
        for (property, column) in zip(properties, table.columns) {
            var own = try SQLiteValue.list(property.value)
            // A foreign key of several columns that is nil is a single nil.
            if own == [.null] { own = column.names.map { _ in .null } }
            values.merge(zip(column.names, own)) { _, last in last }
        }
        return values
    }

    /// A name in its letters and digits, which column and property have in common: `masterid` for `master_id` and
    /// `masterID`.
    private static func plain(_ name: String) -> String {
        name.lowercased().filter { $0 != "_" }
    }
}

extension SQLiteValue {
    /// The values that a property has in its columns.
    fileprivate static func list(_ property: Any) throws -> [SQLiteValue] {
        switch property {
        case let value as Int: return [.integer(Int64(value))]
        case let value as Bool: return [.integer(value ? 1 : 0)]
        case let value as Double: return [.real(value)]
        case let value as Float: return [.real(Double(value))]
        case let value as String: return [.text(value)]
        case let value as URL: return [SQLiteValue(value)]
        case let value as Date: return [.real(value.timeIntervalSinceReferenceDate)]
        case let value as Data: return [.blob(value)]
        case let value as UUID: return [SQLiteValue(value)]
        case let value as Decimal: return [SQLiteValue(value)]
        case let value as any ColumnValue: return [try value.columnValue()]
        default:
            // An optional has at most one child, and a primary key its parts.
            let mirror = Mirror(reflecting: property)
            if mirror.displayStyle == .optional, mirror.children.isEmpty { return [.null] }
            return try mirror.children.flatMap { try list($0.value) }
        }
    }
}
