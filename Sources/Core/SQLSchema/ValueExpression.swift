/// The value of a migrated row's column, computed from the old row.
package indirect enum ValueExpression: Hashable, Sendable {
    /// The value of a column of the old row.
    case column(String)
    /// A fixed value.
    case literal(Literal)
    /// NULL.
    case null
    /// The first value, or the second one if the first is NULL.
    case coalesce(ValueExpression, ValueExpression)
    /// The value, or else the other one if the value violates a condition. The condition has one column, which stands for
    /// the value.
    case replaced(ValueExpression, unless: RowExpression<String>, with: ValueExpression)
    /// A changed value. NULL stays NULL.
    case changed(ValueExpression, ValueChange)

    /// The name of the column whose unchanged value this is; nil for any other expression.
    package var columnName: String? {
        if case .column(let name) = self { name } else { nil }
    }

    /// Returns the expression with each column replaced by its expression in `columns`; nil if `columns` lacks one of
    /// them.
    ///
    /// This turns a value over the columns of one version into a value over the columns of an older version.
    package func substituting(_ columns: [String: ValueExpression]) -> ValueExpression? {
        switch self {
        case .column(let name): return columns[name]
        case .literal, .null: return self
        case .coalesce(let first, let second):
            guard let first = first.substituting(columns), let second = second.substituting(columns) else { return nil }
            return .coalesce(first, second)
        case .replaced(let value, let condition, let other):
            guard let value = value.substituting(columns), let other = other.substituting(columns) else { return nil }
            return .replaced(value, unless: condition, with: other)
        case .changed(let value, let change):
            return value.substituting(columns).map { .changed($0, change) }
        }
    }
}

// MARK: - Limits

extension ValueExpression {
    /// The approximate size of the expression's SQL, in bytes.
    package var size: Int {
        switch self {
        case .column(let name): name.utf8.count + 2
        case .literal(.text(let text)): text.utf8.count + 2
        case .literal(.blob(let bytes)): 2 * bytes.count + 3
        case .literal, .null: 8
        case .coalesce(let first, let second): 12 + first.size + second.size
        case .replaced(let value, let condition, let other):
            40 + value.size * (1 + condition.columns.count) + condition.text.utf8.count + other.size
        case .changed(let value, let change): change.size(value.size)
        }
    }
}

extension ValueChange {
    /// Returns the approximate size of the changed value.
    ///
    /// - Parameter value: The size of the old value.
    fileprivate func size(_ value: Int) -> Int {
        if isIdentity { return value }
        switch self {
        case .scalar(.uuid, _): return 120 + 6 * value
        case .scalar: return 50 + value
        case .caseToString: return value
        case .cases(let values, _):
            return 20 + 2 * value + values.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count + 17 }
        case .options: return value + 24
        case .elements(let change, _), .values(let change, _): return 200 + 2 * value + change.size(11)
        case .members(let changes):
            return changes.reduce(50 + value) { size, change in
                switch change {
                case .added(let name, let json): size + name.utf8.count + json.utf8.count + 20
                case .removed(let name): size + name.utf8.count + 8
                case .renamed(let old, let new, let inner, _):
                    size + new.utf8.count + 20
                        + (inner?.size(value + old.utf8.count + 20) ?? 2 * (value + 2 * old.utf8.count + 60))
                case .changed(let name, let inner, _):
                    size + name.utf8.count + 20 + inner.size(value + name.utf8.count + 20)
                }
            }
        }
    }
}
