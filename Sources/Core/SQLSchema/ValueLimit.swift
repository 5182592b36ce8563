/// A limit on the values of one column. NULL satisfies every limit.
package enum ValueLimit: Hashable, Sendable {
    /// The least number.
    case minimum(Literal)
    /// The greatest number.
    case maximum(Literal)
    /// The least length: of a text in Unicode scalars, of data in bytes.
    case minLength(Int)
    /// The greatest length.
    case maxLength(Int)
    /// The pattern of a text, for SQLite's `GLOB`.
    case pattern(String)
    /// The only allowed values.
    case oneOf([Literal])

    /// The kinds of limits. The raw value is the key in descriptions.
    package enum Kind: String, CaseIterable, Hashable, Sendable {
        case minimum, maximum
        case minLength = "min_length"
        case maxLength = "max_length"
        case pattern
        case oneOf = "one_of"
    }

    /// The kind of the limit.
    package var kind: Kind {
        switch self {
        case .minimum: .minimum
        case .maximum: .maximum
        case .minLength: .minLength
        case .maxLength: .maxLength
        case .pattern: .pattern
        case .oneOf: .oneOf
        }
    }

    /// Returns the limit as a condition on the values of a column.
    package func condition<Column>(on column: Column) -> RowExpression<Column> {
        let value = RowExpression.column(column)
        switch self {
        case .minimum(let least): return .binary(value, .greaterOrEqual, .literal(least))
        case .maximum(let greatest): return .binary(value, .lessOrEqual, .literal(greatest))
        case .minLength(let least):
            return .binary(.call(.length, [value]), .greaterOrEqual, .literal(.integer(Int64(least))))
        case .maxLength(let greatest):
            return .binary(.call(.length, [value]), .lessOrEqual, .literal(.integer(Int64(greatest))))
        case .pattern(let pattern): return .binary(value, .glob, .literal(.text(pattern)))
        case .oneOf(let values): return .isIn(value, values.map { .literal($0) })
        }
    }

    /// Returns whether a value satisfies the limit. This is the result of `condition(on:)` in SQLite.
    package func allows(_ value: Literal) -> Bool {
        switch self {
        case .minimum(let least): least.number <= value.number
        case .maximum(let greatest): value.number <= greatest.number
        case .minLength(let least): value.length >= least
        case .maxLength(let greatest): value.length <= greatest
        case .pattern(let pattern):
            if case .text(let text) = value { GlobPattern(pattern)?.matches(text) ?? false } else { false }
        case .oneOf(let values): values.contains(value)
        }
    }

    /// Returns whether the limit allows texts of a length.
    package func allows(length: Int) -> Bool {
        switch self {
        case .minLength(let least): length >= least
        case .maxLength(let greatest): length <= greatest
        case .minimum, .maximum, .pattern, .oneOf: true
        }
    }

    /// Returns whether each value that satisfies this limit also satisfies `other`, which has the same kind.
    package func implies(_ other: ValueLimit) -> Bool {
        switch (self, other) {
        case (.minimum(let now), .minimum(let then)): now.number >= then.number
        case (.maximum(let now), .maximum(let then)): now.number <= then.number
        case (.minLength(let now), .minLength(let then)): now >= then
        case (.maxLength(let now), .maxLength(let then)): now <= then
        case (.oneOf(let now), .oneOf(let then)): Set(now).isSubset(of: then)
        default: self == other
        }
    }
}

extension Literal {
    /// The order of a number: integers are compared exactly with each other.
    fileprivate var number: (Double, Int64) {
        switch self {
        case .integer(let value): (Double(value), value)
        case .real(let value): (value, 0)
        case .text, .blob: (.nan, 0)
        }
    }

    /// The length of a text in Unicode scalars before the first NUL, and of a blob in bytes, as by `length` in SQLite.
    fileprivate var length: Int {
        switch self {
        case .text(let text): text.unicodeScalars.prefix { $0 != "\0" }.count
        case .blob(let bytes): bytes.count
        case .integer, .real: 0
        }
    }
}
