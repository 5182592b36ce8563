/// A kind of value that an expression may have.
package enum ExpressionResult: Hashable, Sendable {
    case number
    /// The result of a comparison: 0 or 1.
    case truth
    /// The number 0 or 1, which may also be a truth value.
    case bit
    case text
    case bytes
    /// The value of a property.
    case value(ScalarType)
    /// The value of a list or a struct, as JSON.
    case json
    /// A value of which nothing is known, because the expression has another problem.
    case any

    /// Whether the value, converted to the storage of a type, is a value of the type.
    package func fits(_ type: ScalarType) -> Bool {
        switch (type, self) {
        case (_, .any), (_, .value(type)): true
        case (.int, .truth), (.double, .truth), (.float, .truth): true
        case (.int, .number), (.double, .number), (.float, .number), (.date, .number), (.seconds, .number),
            (.milliseconds, .number):
            true
        case (_, .bit): ExpressionResult.number.fits(type) || type == .bool
        case (.int, .value(let other)), (.double, .value(let other)), (.float, .value(let other)):
            other.storage == .integer || other.storage == .real
        case (.bool, .truth): true
        case (.string, .text), (.string, .json): true
        case (.string, .value(let other)): other.storage == .text
        case (.data, .bytes): true
        default: false
        }
    }

    /// The kind in words.
    package var text: String {
        switch self {
        case .number: "a number"
        case .truth: "true or false"
        case .bit: "0 or 1"
        case .text: "text"
        case .bytes: "bytes"
        case .value(let type): "a value of type \(type.rawValue)"
        case .json: "JSON"
        case .any: "any value"
        }
    }
}

extension RowExpression {
    /// Returns the kinds of the values that the expression may have, without NULL.
    ///
    /// - Parameter result: Returns the kind of a column's values.
    package func results(_ result: (Column) -> ExpressionResult) -> Set<ExpressionResult> {
        func any(_ values: [RowExpression]) -> Set<ExpressionResult> {
            values.reduce(into: []) { $0.formUnion($1.results(result)) }
        }
        switch self {
        case .column(let column): return [result(column)]
        case .literal(.integer(0)), .literal(.integer(1)): return [.bit]
        case .literal(.integer), .literal(.real), .negative: return [.number]
        case .literal(.text): return [.text]
        case .literal(.blob): return [.bytes]
        case .null: return []
        case .not, .isNull, .isIn: return [.truth]
        case .binary(_, let symbol, _):
            switch symbol {
            case .joined: return [.text]
            case .plus, .minus, .times, .divided, .remainder: return [.number]
            case .or, .and, .equal, .different, .like, .glob, .less, .lessOrEqual, .greater, .greaterOrEqual:
                return [.truth]
            }
        case .call(let function, let arguments):
            switch function {
            case .instr, .length, .round: return [.number]
            case .jsonValid: return [.truth]
            case .hex, .lower, .ltrim, .replace, .rtrim, .trim, .typeof, .upper: return [.text]
            case .coalesce, .ifnull, .max, .min: return any(arguments)
            case .nullif: return any([arguments[0]])
            case .substr:
                let isBytes = any([arguments[0]]).contains { $0 == .any || $0.fits(.data) || $0 == .value(.uuid) }
                return isBytes ? [.bytes] : [.text]
            }
        case .cases(let branches, let otherwise): return any(branches.map(\.value) + (otherwise.map { [$0] } ?? []))
        }
    }

    /// Whether the expression contains a number with digits after the point.
    package var hasFractions: Bool {
        switch self {
        case .literal(.real): true
        case .column, .literal, .null: false
        case .negative(let value), .not(let value), .isNull(let value): value.hasFractions
        case .binary(let left, _, let right): left.hasFractions || right.hasFractions
        case .isIn(let value, let list): value.hasFractions || list.contains(where: \.hasFractions)
        case .call(_, let arguments): arguments.contains(where: \.hasFractions)
        case .cases(let branches, let otherwise):
            branches.contains { $0.condition.hasFractions || $0.value.hasFractions } || otherwise?.hasFractions == true
        }
    }
}
