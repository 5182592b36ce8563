import Foundation
import Strata

/// The values of a row, by column name.
typealias ColumnValues = [String: SQLiteValue]

extension FixtureVersion {
    /// Returns the values that the row of `entity` must have.
    ///
    /// The values are found by reflection. They do not depend on the generated code that reads and writes rows. Those of
    /// computed properties are included if the struct has such properties.
    ///
    /// - Throws: `FixtureError` if the version has no table for the struct, or if the properties of the struct do not
    ///   match the columns of the table.
    func values<Entity: StoredEntity>(of entity: Entity) throws -> ColumnValues {
        guard let table = tables.first(where: { $0.name == Entity.table.name }) else {
            throw FixtureError.unknownTable(Entity.table.name, struct: "\(Entity.self)")
        }
        let members = Mirror(reflecting: entity).children.map { (name: $0.label ?? "", value: $0.value) }
        let computed = members.suffix(Entity.table.computed.count)
        guard computed.map(\.name) == table.computed.prefix(computed.count).map(\.member) else {
            throw FixtureError.otherProperties(
                "\(Entity.self)", computed.map(\.name), expected: table.computed.map(\.member))
        }
        let properties = Array(members.dropLast(computed.count))
        // The properties are in the order of the description, and the columns in that of the table.
        var rest = properties
        let named = Set(table.columns.map(\.member))
        var values: ColumnValues = [:]
        for column in table.columns {
            let index =
                rest.firstIndex { $0.name == column.member }
                ?? rest.firstIndex { !named.contains($0.name) && Self.plain($0.name) == Self.plain(column.member) }
            guard let index else {
                throw FixtureError.otherProperties(
                    "\(Entity.self)", properties.map(\.name), expected: table.columns.map(\.member))
            }
            var own = try SQLiteValue.list(rest.remove(at: index).value)
            // A foreign key of several columns that is nil is a single nil.
            if own == [.null] { own = column.names.map { _ in .null } }
            values.merge(zip(column.names, own)) { _, last in last }
        }
        guard rest.isEmpty else {
            throw FixtureError.otherProperties(
                "\(Entity.self)", properties.map(\.name), expected: table.columns.map(\.member))
        }
        for (property, column) in zip(computed, table.computed) {
            values[column.name] = try SQLiteValue.list(property.value).first
        }
        return values
    }

    /// Returns a name in lowercase and without underscores.
    ///
    /// The names of a column and of its property are then equal: `master_id` and `masterID` both become `masterid`.
    private static func plain(_ name: String) -> String {
        name.lowercased().filter { $0 != "_" }
    }
}

extension SQLiteValue {
    /// Returns the values of a property in its columns.
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
            // An optional has at most one child. A primary key of several columns has one child for each part.
            let mirror = Mirror(reflecting: property)
            if mirror.displayStyle == .optional, mirror.children.isEmpty { return [.null] }
            return try mirror.children.flatMap { try list($0.value) }
        }
    }
}
