/// The results that a condition can have.
private struct TruthValues: OptionSet {
    let rawValue: Int

    static let yes = TruthValues(rawValue: 1)
    static let no = TruthValues(rawValue: 2)
    static let null = TruthValues(rawValue: 4)
    static let all: TruthValues = [.yes, .no, .null]
}

extension RowExpression {
    /// Whether the condition may be false for some values of its columns, as far as the expression shows it. `age > 0` and
    /// `age > 0 OR TRUE` differ in this, but `age = age` is not recognized.
    package var canBeFalse: Bool { truth.contains(.no) }

    private var isAlwaysNull: Bool { truth == .null }

    private var truth: TruthValues {
        switch self {
        case .column: return .all
        case .literal(.integer(let value)): return value == 0 ? .no : .yes
        case .literal(.real(let value)): return value == 0 ? .no : .yes
        // A text or a blob is true if it begins with a number other than 0.
        case .literal: return [.yes, .no]
        case .null: return .null
        case .negative(let value): return value.isAlwaysNull ? .null : .all
        case .not(let value):
            let truth = value.truth
            var result = truth.intersection(.null)
            if truth.contains(.yes) { result.insert(.no) }
            if truth.contains(.no) { result.insert(.yes) }
            return result
        case .binary(let left, .and, let right):
            return Self.combine(left.truth, right.truth, dominant: .no, other: .yes)
        case .binary(let left, .or, let right): return Self.combine(left.truth, right.truth, dominant: .yes, other: .no)
        case .binary(let left, _, let right): return left.isAlwaysNull || right.isAlwaysNull ? .null : .all
        case .isNull(.null): return .yes
        case .isNull(.literal): return .no
        case .isNull(let value): return value.isAlwaysNull ? .yes : [.yes, .no]
        case .isIn(_, let list) where list.isEmpty: return .no
        case .isIn(let value, _): return value.isAlwaysNull ? .null : .all
        case .call(let function, let arguments):
            switch function {
            case .coalesce, .ifnull, .nullif, .typeof, .hex: return .all
            default: return arguments.contains(where: \.isAlwaysNull) ? .null : .all
            }
        case .cases: return .all
        }
    }

    /// Returns the results of AND, in which false is dominant, or of OR, in which true is.
    private static func combine(
        _ left: TruthValues, _ right: TruthValues, dominant: TruthValues, other: TruthValues
    ) -> TruthValues {
        // If one side is always dominant, so is the result.
        if left == dominant || right == dominant { return dominant }
        var result: TruthValues = []
        if left.contains(dominant) || right.contains(dominant) { result.insert(dominant) }
        if left.contains(other), right.contains(other) { result.insert(other) }
        if left.contains(.null) || right.contains(.null) { result.insert(.null) }
        return result
    }
}
