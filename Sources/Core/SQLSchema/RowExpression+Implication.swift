extension RowExpression {
    /// Returns whether each row that satisfies this check also satisfies `other`, as far as the expressions show it. A check
    /// is satisfied if it is not false.
    ///
    /// `age > 18` implies `age >= 18`, `age > 10` and `age > 10 OR name = ''`.
    ///
    /// - Parameter isNumber: Returns whether a column contains only numbers and NULL.
    package func implies(_ other: RowExpression, isNumber: (Column) -> Bool) -> Bool {
        if self == other { return true }
        // Both sides become smaller in each call, so no two parts are compared twice.
        return other.parts(.and).allSatisfy { wide in
            parts(.and).contains { narrow in
                narrow.parts(.or).allSatisfy { one in
                    wide.parts(.or).contains { one.impliesAlternative($0, isNumber) }
                }
            }
        }
    }

    private func impliesAlternative(_ other: RowExpression, _ isNumber: (Column) -> Bool) -> Bool {
        switch (self, other) {
        case (.binary(_, .and, _), _), (_, .binary(_, .and, _)): return implies(other, isNumber: isNumber)
        case (.isIn(let value, let list), .isIn(let same, let values)) where value == same:
            return list.allSatisfy(\.isLiteral) && Set(list).isSubset(of: values)
        case (.not(.isIn(let value, let list)), .not(.isIn(let same, let values))) where value == same:
            return values.allSatisfy(\.isLiteral) && Set(values).isSubset(of: list)
        case (
            .binary(let value, let symbol, .literal(let literal)),
            .binary(let same, let otherSymbol, .literal(let otherLiteral))
        ) where value == same && self != other:
            guard let order = literal.order(to: otherLiteral, isNumber: value.isNumber(isNumber)) else { return false }
            return symbol.implies(otherSymbol, order)
        default: return self == other
        }
    }

    /// The conditions that `symbol` joins.
    private func parts(_ symbol: RowOperator) -> [RowExpression] {
        guard case .binary(let left, symbol, let right) = self else { return [self] }
        return left.parts(symbol) + right.parts(symbol)
    }

    private var isLiteral: Bool {
        if case .literal = self { true } else { false }
    }

    /// Whether the value is always a number or NULL.
    private func isNumber(_ isNumber: (Column) -> Bool) -> Bool {
        switch self {
        case .column(let column): isNumber(column)
        case .negative, .binary(_, .plus, _), .binary(_, .minus, _), .binary(_, .times, _), .binary(_, .divided, _),
            .binary(_, .remainder, _):
            true
        case .call(let function, _): [.instr, .length, .round].contains(function)
        default: false
        }
    }
}

/// The order of two values.
private enum ValueOrder {
    case less, same, greater
}

extension Literal {
    /// The order of this value to another one; nil if it is unknown.
    ///
    /// - Parameter isNumber: Whether both are compared with a number. Otherwise, SQLite may compare them as texts.
    fileprivate func order(to other: Literal, isNumber: Bool) -> ValueOrder? {
        if self == other { return .same }
        switch (self, other) {
        case (.integer(let own), .integer(let other)) where isNumber: return own < other ? .less : .greater
        case (.real(let own), .real(let other)) where isNumber: return own < other ? .less : .greater
        default: return nil
        }
    }
}

extension RowOperator {
    /// Returns whether a value that has this relation to one value has the relation `other` to another value.
    ///
    /// - Parameter order: The order of the first value to the second one.
    fileprivate func implies(_ other: RowOperator, _ order: ValueOrder) -> Bool {
        switch (self, other) {
        case (.greater, .greater), (.greater, .greaterOrEqual), (.greater, .different),
            (.greaterOrEqual, .greaterOrEqual), (.equal, .greaterOrEqual):
            order != .less
        case (.greaterOrEqual, .greater), (.greaterOrEqual, .different), (.equal, .greater): order == .greater
        case (.less, .less), (.less, .lessOrEqual), (.less, .different), (.lessOrEqual, .lessOrEqual),
            (.equal, .lessOrEqual):
            order != .greater
        case (.lessOrEqual, .less), (.lessOrEqual, .different), (.equal, .less): order == .less
        case (.equal, .different): order != .same
        default: false
        }
    }
}
