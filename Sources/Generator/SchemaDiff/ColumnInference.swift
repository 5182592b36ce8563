import SchemaModel
import SQLSchema

/// The origin of a column's values in a migration.
package enum ValueOrigin: Hashable, Sendable {
    /// The unchanged values of a column of the old table.
    case copy(StoredColumn)
    /// The values of a column of the old table, changed to another type.
    case changed(StoredColumn, TypeChange)
    /// The first origin, or the second one if its value is NULL.
    indirect case coalesced(ValueOrigin, ValueOrigin)
    /// The first origin, or the fixed value if its value violates one of the limits.
    indirect case limited(ValueOrigin, [ValueLimit], otherwise: Literal)
    /// A fixed value.
    case constant(Literal)
    /// NULL.
    case null
    /// Only a custom migration can provide the values.
    case custom(CustomCause)

    /// The value as an expression of the old table's columns; nil if only a custom migration can provide it.
    package var expression: ValueExpression? {
        switch self {
        case .copy(let column): .column(column.name)
        case .changed(let column, let change):
            change.values.isIdentity ? .column(column.name) : .changed(.column(column.name), change.values)
        case .coalesced(let first, let second):
            first.expression.flatMap { first in second.expression.map { .coalesce(first, $0) } }
        case .limited(let origin, let limits, let literal):
            origin.expression.map { .replaced($0, unless: limits.condition(on: "value"), with: .literal(literal)) }
        case .constant(let literal): .literal(literal)
        case .null: .null
        case .custom: nil
        }
    }
}

extension ValueOrigin {
    /// Whether rows keep their values.
    var isCopy: Bool {
        if case .copy = self { true } else { false }
    }

    /// The column whose values are copied or changed; nil for any other origin.
    var column: StoredColumn? {
        switch self {
        case .copy(let column), .changed(let column, _): column
        case .coalesced, .limited, .constant, .null, .custom: nil
        }
    }

    /// Whether the value depends on the old row.
    fileprivate var readsOldRow: Bool {
        switch self {
        case .copy, .changed, .coalesced, .limited: true
        case .constant, .null, .custom: false
        }
    }
}

extension [ValueLimit] {
    /// Returns the condition that all limits allow the value of a column.
    fileprivate func condition(on column: String) -> RowExpression<String> {
        let conditions = map { $0.condition(on: column) }
        return conditions.dropFirst().reduce(conditions.first ?? .literal(.integer(1))) { $0 && $1 }
    }
}

/// Infers the values of new columns from old ones.
struct ColumnInference {
    private let types: TypeInference
    private let old: Entity
    private let new: Entity
    private let oldColumns: [StoredColumn]

    init(_ types: TypeInference, old: Entity, new: Entity) {
        self.types = types
        self.old = old
        self.new = new
        self.oldColumns = types.from.columns(of: old)
    }

    private var from: ModelVersion { types.from }
    private var to: ModelVersion { types.to }
    private var instructions: StepInstructions { types.instructions }

    /// Returns the origin of the values of `column` of the new table.
    func origin(of column: StoredColumn) -> ValueOrigin {
        let origin = checkedOrigin(of: column)
        return origin.expression?.fitsSQLite == false ? .custom(.exceedsSQLite) : origin
    }

    private func checkedOrigin(of column: StoredColumn) -> ValueOrigin {
        let origin = unlimitedOrigin(of: column)
        guard column.role == .attribute, let property = column.property.flatMap(new.property) else { return origin }
        let limits = property.limits.stricter(than: limits(of: origin))
        guard !limits.isEmpty, origin.readsOldRow else { return origin }
        let fill = instructions.fills[.init(entity: new.lineage, property: property.lineage)]
        guard case .constant(let value, column.type) = fill, let literal = to.literal(value, type: column.type) else {
            return .custom(.violations(limits))
        }
        // The migration would compare old values by their old collation, and changed ones by none.
        if property.limits.contains(where: { $0.kind == .oneOf }),
            (origin.isCopy ? old.property(property.lineage)?.collation : nil) != property.collation
        {
            return .custom(.collationOfChoices)
        }
        return .limited(origin, property.limits, otherwise: literal)
    }

    /// Returns the limits that all values of an origin satisfy.
    private func limits(of origin: ValueOrigin) -> [ValueLimit] {
        switch origin {
        case .copy(let column):
            guard let property = column.property.flatMap(old.property) else { return [] }
            // Another collation makes other texts equal.
            let isSame = property.collation == new.property(property.lineage)?.collation
            return property.limits.filter { isSame || $0.kind != .oneOf }
        // A fill and a default value satisfy the limits of the new property.
        case .coalesced(let first, .constant): return limits(of: first)
        default: return []
        }
    }

    private func unlimitedOrigin(of column: StoredColumn) -> ValueOrigin {
        guard let lineage = column.property else { return originOfKey(column) }
        if instructions.custom.contains(.init(entity: new.lineage, property: lineage)), column.role != .position {
            return .custom(.requested)
        }
        let fill = instructions.fills[.init(entity: new.lineage, property: lineage)]
        let isPosition = column.role == .position
        if isEmptiedTarget(column) {
            if column.role == .position { return .null }
            guard column.isNullable, new.property(lineage).map(to.deleteRule) == .nullify else {
                return .custom(.discardedTarget)
            }
            return .null
        }
        guard
            let before = oldColumns.first(where: {
                $0.property == lineage && ($0.role == .position) == isPosition && $0.part == column.part
            })
        else {
            return originOfNewcomer(column, lineage: lineage, fill: fill)
        }
        let origin = originOfSurvivor(column, before: before)
        guard before.isNullable, !column.isNullable else { return origin }
        if case .custom = origin { return origin }
        if fill == nil && column.defaultValue == nil {
            return .custom(.missingValueForNull)
        }
        let filling = originOfNewValue(column, fill: fill)
        if case .custom = filling { return filling }
        return .coalesced(origin, filling)
    }

    /// Returns the expressions of all columns that are not plain copies of the old column with the same name.
    func expressions(of columns: [EntityStep.ColumnStep]) -> [String: ValueExpression] {
        Self.expressions(of: columns, from: Set(oldColumns.map(\.name)))
    }

    /// Returns the expressions of all columns that are not plain copies of a column called as they are.
    static func expressions(
        of columns: [EntityStep.ColumnStep], from names: Set<String>
    ) -> [String: ValueExpression] {
        var expressions: [String: ValueExpression] = [:]
        for step in columns {
            let name = step.column.name
            guard let value = step.origin.expression else { continue }
            let isCopied = names.contains(name) && value == .column(name)
            let isDefault = !names.contains(name) && value == step.column.defaultValue.map { .literal($0) } ?? .null
            if !isCopied && !isDefault { expressions[name] = value }
        }
        return expressions
    }

    /// Returns whether all rows of the column's target entity are deleted.
    private func isEmptiedTarget(_ column: StoredColumn) -> Bool {
        guard let now = column.property.flatMap(new.property)?.relationship,
            let was = column.property.flatMap(old.property)?.relationship, was.target == now.target
        else { return false }
        return instructions.emptied.contains(now.target)
    }

    private func originOfKey(_ column: StoredColumn) -> ValueOrigin {
        guard let before = oldColumns.first(where: { $0.role == .identifier }), before.type == column.type else {
            return .custom(.otherKeyColumn(column.name))
        }
        return .copy(before)
    }

    private func originOfSurvivor(_ column: StoredColumn, before: StoredColumn) -> ValueOrigin {
        switch (before.role, column.role) {
        case (.position, .position):
            return .copy(before)
        case (.attribute, .attribute):
            switch types.change(before.type, column.type) {
            case .none: return .copy(before)
            case .changed(let change): return .changed(before, change)
            case .custom(let cause): return .custom(.type(cause))
            }
        case (.reference(let oldTarget), .reference(let newTarget)):
            guard oldTarget == newTarget else { return .custom(.otherTarget) }
            guard before.type == column.type, let was = from.entity(oldTarget), let now = to.entity(newTarget),
                to.hasSameKey(now, as: was, in: from)
            else { return .custom(.otherTargetKey) }
            let lineage = column.property
            let oldInverse = lineage.flatMap(old.property)?.relationship?.inverse
            let newInverse = lineage.flatMap(new.property)?.relationship?.inverse
            if let oldInverse, let newInverse, oldInverse != newInverse {
                return .custom(.otherInverse)
            }
            if lineage.flatMap(new.property)?.relationship.map(to.isOwnInverse) == true, oldInverse == nil {
                return .custom(.ownInverse)
            }
            return .copy(before)
        default:
            return .custom(.otherKind)
        }
    }

    private func originOfNewcomer(
        _ column: StoredColumn, lineage: ElementLineage, fill: StepInstructions.Fill?
    ) -> ValueOrigin {
        if column.role == .position { return .null }
        if old.property(lineage) != nil {
            return .custom(.wasElsewhereOrOther)
        }
        return originOfNewValue(column, fill: fill)
    }

    /// Returns the backfill value of a new column.
    private func originOfNewValue(_ column: StoredColumn, fill: StepInstructions.Fill?) -> ValueOrigin {
        switch fill {
        case .constant(let value, let type):
            // If the step skips versions, the property may exist only in a skipped one.
            guard type == column.type, let literal = to.literal(value, type: type) else {
                return .custom(.fillOfOtherType)
            }
            return .constant(literal)
        case .property(let other):
            guard let source = oldColumns.first(where: { $0.property == other && $0.role == .attribute }) else {
                return .custom(.fillNotStored)
            }
            let value = filled(column, from: source)
            if case .custom = value { return value }
            guard source.isNullable && !column.isNullable else { return value }
            guard let fallback = column.defaultValue else { return .custom(.fillMayBeNull) }
            return .coalesced(value, .constant(fallback))
        case nil:
            if let value = column.defaultValue { return .constant(value) }
            return column.isNullable ? .null : .custom(.missingValue)
        }
    }

    private func filled(_ column: StoredColumn, from source: StoredColumn) -> ValueOrigin {
        guard column.role == .attribute else { return .custom(.fillOfOtherKind(source.name)) }
        switch types.change(source.type, column.type) {
        case .none: return .copy(source)
        case .changed(let change): return .changed(source, change)
        case .custom: return .custom(.fillOfOtherKind(source.name))
        }
    }
}
