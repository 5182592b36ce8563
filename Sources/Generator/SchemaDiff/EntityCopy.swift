import SchemaModel
import SQLSchema

/// The rows of a new entity that a step copies from the rows of an entity of the version before.
package struct EntityCopy: Sendable {
    /// The entity before, whose rows are copied.
    package let source: Entity
    /// The new entity.
    package let new: Entity
    /// The stored columns of the new table, each with the origin of its values.
    package let columns: [EntityStep.ColumnStep]
    /// The column of the source that is not NULL in the copied rows; nil if all rows are copied.
    package let required: String?
    /// The changes that need a custom migration.
    let customReasons: [CustomReason]
    /// Whether Strata copies the rows.
    package var isInferred: Bool { customReasons.isEmpty }
    /// The columns of the source that give the primary key, in the order of this key.
    package let keySources: [String]
    /// The change of the new table.
    let tableChange: TableChange

    init(of source: Entity, to new: Entity, types: TypeInference) {
        (self.source, self.new) = (source, new)
        let old = Self.former(source, of: new, types)
        var types = types
        // The former state has the values of these properties under the names of the new ones.
        types.instructions.fills = types.instructions.fills.filter { element, fill in
            if case .property = fill { element.entity != new.lineage } else { true }
        }
        let inference = ColumnInference(types, old: old, new: new)
        let key = types.from.columns(of: source).filter(\.isKey)
        var required: String?
        let columns = types.to.columns(of: new).map { column -> EntityStep.ColumnStep in
            let origin = inference.origin(of: column)
            switch (column.role, origin) {
            // A relationship to the source refers to the row that is copied.
            case (.reference(source.lineage), .custom(.missingValue)), (.reference(source.lineage), .null):
                if types.instructions.emptied.contains(source.lineage) {
                    return .init(column: column, origin: column.isNullable ? .null : .custom(.discardedTarget))
                }
                let keepsKey = types.to.entity(source.lineage).map {
                    types.to.hasSameKey($0, as: source, in: types.from)
                }
                guard keepsKey == true, key.indices.contains(column.part) else {
                    return .init(column: column, origin: .custom(.otherTargetKey))
                }
                return .init(column: column, origin: .copy(key[column.part]))
            // A row without a value that is required is not copied.
            case (_, .custom(.missingValueForNull)):
                var nullable = column
                nullable.isNullable = true
                let value = inference.origin(of: nullable)
                guard let name = value.column?.name, required == nil || required == name else { break }
                required = name
                return .init(column: column, origin: value)
            default: break
            }
            return .init(column: column, origin: origin)
        }
        (self.columns, self.required) = (columns, required)
        func origins(_ columns: [EntityStep.ColumnStep]) -> Set<String> {
            Set(columns.compactMap { if case .copy(let column) = $0.origin { column.name } else { nil } })
        }
        let keyNames = Set(key.map(\.name))
        var reasons = columns.filter { $0.column.part == 0 }.compactMap { step -> CustomReason? in
            guard case .custom(let cause) = step.origin else { return nil }
            return CustomReason(new.lineage, step.column.property, cause)
        }
        // Each row of the source becomes one row if the primary key contains the one of the source.
        let keyColumns = columns.filter(\.column.isKey)
        let isKeyKnown = keyColumns.allSatisfy { $0.origin.expression != nil }
        if isKeyKnown && !keyNames.isSubset(of: origins(keyColumns))
            || keyColumns.contains(where: { $0.column.collation != nil })
        {
            reasons.append(CustomReason(new.lineage, nil, .otherKey))
        }
        let conflicts = EntityInference.breakableKeys(
            types.to.uniqueKeys(of: new), before: types.from.uniqueKeys(of: old), columns: columns)
        for conflict in conflicts {
            let own = columns.filter { $0.column.property.map(conflict.properties.contains) ?? false }
            if !keyNames.isSubset(of: origins(own)) {
                reasons.append(CustomReason(new.lineage, nil, .duplicates(conflict.properties)))
            }
        }
        reasons += new.checks.filter { EntityInference.canBeViolated($0, old: old, new: new, columns) }.map {
            CustomReason(new.lineage, nil, .check($0.lineage))
        }
        keySources = keyColumns.compactMap(\.origin.expression?.columnName)
        customReasons = reasons
        let names = Set(types.from.columns(of: source).map(\.name))
        tableChange =
            reasons.isEmpty
            ? .map(
                from: source.tableName, to: new.tableName,
                columns: ColumnInference.expressions(of: columns, from: names),
                requiring: required.map { [.column($0)] } ?? [])
            : .create(new.tableName)
    }

    /// Returns the source as if it were the former state of the new entity: its properties have the lineages of the new ones that
    /// get their values.
    private static func former(_ source: Entity, of new: Entity, _ types: TypeInference) -> Entity {
        var old = source
        old.lineage = new.lineage
        (old.indexes, old.checks, old.search) = ([], [], nil)
        old.properties = []
        for property in new.properties {
            let element = StepInstructions.Element(entity: new.lineage, property: property.lineage)
            guard case .property(let lineage) = types.instructions.fills[element],
                let index = source.properties.firstIndex(where: { $0.lineage == lineage })
            else { continue }
            var given = source.properties[index]
            given.lineage = property.lineage
            if var relationship = given.relationship, types.from.storage(of: relationship) == .column {
                // The inverse of the copy is another one.
                relationship.inverse = nil
                given.kind = .relationship(relationship)
            }
            old.properties.append(given)
        }
        return old
    }
}
