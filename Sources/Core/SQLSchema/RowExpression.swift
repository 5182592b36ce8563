/// A value that is computed from the columns of one row, such as the condition of an index.
///
/// Descriptions write it in a part of SQL, which `init(parsing:)` reads.
package indirect enum RowExpression<Column: Hashable & Sendable>: Hashable, Sendable {
    case column(Column)
    case literal(Literal)
    case null
    case negative(RowExpression)
    case not(RowExpression)
    case binary(RowExpression, RowOperator, RowExpression)
    case isNull(RowExpression)
    case isIn(RowExpression, [RowExpression])
    case call(RowFunction, [RowExpression])
    /// The value of the first branch whose condition is true, or else the last value.
    case cases([Branch], otherwise: RowExpression?)

    /// A branch of `CASE`.
    package struct Branch: Hashable, Sendable {
        package let condition: RowExpression
        package let value: RowExpression

        package init(_ condition: RowExpression, _ value: RowExpression) {
            self.condition = condition
            self.value = value
        }
    }

    /// Returns the expression with each column replaced by another one.
    package func mapColumns<New, Failure: Error>(
        _ change: (Column) throws(Failure) -> New
    ) throws(Failure) -> RowExpression<New> {
        try replacingColumns { column throws(Failure) in .column(try change(column)) }
    }

    /// Returns the expression with each column replaced by an expression.
    package func replacingColumns<New, Failure: Error>(
        _ change: (Column) throws(Failure) -> RowExpression<New>
    ) throws(Failure) -> RowExpression<New> {
        func all(_ values: [RowExpression]) throws(Failure) -> [RowExpression<New>] {
            var new: [RowExpression<New>] = []
            for value in values { new.append(try value.replacingColumns(change)) }
            return new
        }
        switch self {
        case .column(let column): return try change(column)
        case .literal(let value): return .literal(value)
        case .null: return .null
        case .negative(let value): return .negative(try value.replacingColumns(change))
        case .not(let value): return .not(try value.replacingColumns(change))
        case .binary(let left, let symbol, let right):
            return .binary(try left.replacingColumns(change), symbol, try right.replacingColumns(change))
        case .isNull(let value): return .isNull(try value.replacingColumns(change))
        case .isIn(let value, let list): return .isIn(try value.replacingColumns(change), try all(list))
        case .call(let function, let arguments): return .call(function, try all(arguments))
        case .cases(let branches, let otherwise):
            var new: [RowExpression<New>.Branch] = []
            for branch in branches {
                new.append(
                    .init(try branch.condition.replacingColumns(change), try branch.value.replacingColumns(change)))
            }
            var last: RowExpression<New>?
            if let otherwise { last = try otherwise.replacingColumns(change) }
            return .cases(new, otherwise: last)
        }
    }

    /// The number of values and operators.
    var size: Int {
        switch self {
        case .column, .literal, .null: 1
        case .negative(let value), .not(let value), .isNull(let value): 1 + value.size
        case .binary(let left, _, let right): 1 + left.size + right.size
        case .isIn(let value, let list): list.reduce(1 + value.size) { $0 + $1.size }
        case .call(_, let arguments): arguments.reduce(1) { $0 + $1.size }
        case .cases(let branches, let otherwise):
            branches.reduce(1 + (otherwise?.size ?? 0)) { $0 + $1.condition.size + $1.value.size }
        }
    }

    /// The columns of the expression, in the order of its text.
    package var columns: [Column] {
        var columns: [Column] = []
        _ = mapColumns { column in
            columns.append(column)
            return column
        }
        return columns
    }

    /// The columns of which the expression needs the value, and not only whether it is NULL.
    package var comparedColumns: [Column] {
        if case .isNull(.column) = self { return [] }
        switch self {
        case .column(let column): return [column]
        case .literal, .null: return []
        case .negative(let value), .not(let value), .isNull(let value): return value.comparedColumns
        case .binary(let left, _, let right): return left.comparedColumns + right.comparedColumns
        case .isIn(let value, let list): return ([value] + list).flatMap(\.comparedColumns)
        case .call(_, let arguments): return arguments.flatMap(\.comparedColumns)
        case .cases(let branches, let otherwise):
            return branches.flatMap { $0.condition.comparedColumns + $0.value.comparedColumns }
                + (otherwise?.comparedColumns ?? [])
        }
    }

    /// The columns that are compared with fixed values for equality, each with its value.
    package var comparisons: [(Column, Literal)] {
        switch self {
        case .binary(.column(let column), .equal, .literal(let value)),
            .binary(.literal(let value), .equal, .column(let column)),
            .binary(.column(let column), .different, .literal(let value)),
            .binary(.literal(let value), .different, .column(let column)):
            return [(column, value)]
        case .isIn(.column(let column), let list):
            return list.flatMap { value -> [(Column, Literal)] in
                if case .literal(let value) = value { [(column, value)] } else { value.comparisons }
            }
        case .column, .literal, .null: return []
        case .negative(let value), .not(let value), .isNull(let value): return value.comparisons
        case .binary(let left, _, let right): return left.comparisons + right.comparisons
        case .isIn(let value, let list): return ([value] + list).flatMap(\.comparisons)
        case .call(_, let arguments): return arguments.flatMap(\.comparisons)
        case .cases(let branches, let otherwise):
            return branches.flatMap { $0.condition.comparisons + $0.value.comparisons } + (otherwise?.comparisons ?? [])
        }
    }

    /// Returns both conditions, joined by AND.
    package static func && (left: RowExpression, right: RowExpression) -> RowExpression {
        .binary(left, .and, right)
    }
}

/// An operator between two values. The raw value is its SQL.
package enum RowOperator: String, CaseIterable, Sendable {
    case or = "OR"
    case and = "AND"
    case equal = "="
    case different = "<>"
    case like = "LIKE"
    case glob = "GLOB"
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
    case plus = "+"
    case minus = "-"
    case times = "*"
    case divided = "/"
    case remainder = "%"
    case joined = "||"

    /// Operators with a higher number bind their operands first (https://sqlite.org/lang_expr.html).
    var precedence: Int {
        switch self {
        case .or: 1
        case .and: 2
        case .equal, .different, .like, .glob: 4
        case .less, .lessOrEqual, .greater, .greaterOrEqual: 5
        case .plus, .minus: 6
        case .times, .divided, .remainder: 7
        case .joined: 8
        }
    }
}

/// A function of values. The raw value is its name in SQL. Each one gives the same result for the same arguments, which a
/// condition of an index requires (https://sqlite.org/deterministic.html), and fails for no value.
package enum RowFunction: String, CaseIterable, Sendable {
    case coalesce, hex, ifnull, instr, length, lower, ltrim, max, min, nullif, replace, round, rtrim, substr, trim
    case typeof, upper
    case jsonValid = "json_valid"

    /// The numbers of arguments that the function takes.
    var argumentCounts: ClosedRange<Int> {
        switch self {
        case .hex, .length, .lower, .typeof, .upper, .jsonValid: 1...1
        case .ifnull, .instr, .nullif: 2...2
        case .replace: 3...3
        case .ltrim, .round, .rtrim, .trim: 1...2
        case .substr: 2...3
        case .coalesce, .max, .min: 2...20
        }
    }
}

// MARK: - Text

extension RowExpression {
    /// Returns the SQL of the expression.
    ///
    /// - Parameter name: Returns the SQL of a column.
    package func sql(_ name: (Column) -> String) -> String {
        func text(_ value: RowExpression, atLeast precedence: Int) -> String {
            value.precedence < precedence ? "(\(value.sql(name)))" : value.sql(name)
        }
        func list(_ values: [RowExpression]) -> String { values.map { $0.sql(name) }.joined(separator: ", ") }
        switch self {
        case .column(let column): return name(column)
        case .literal(let value): return SQLite.literal(value)
        case .null: return "NULL"
        case .negative(let value): return "-" + text(value, atLeast: 10)
        case .not(.isNull(let value)): return text(value, atLeast: 5) + " IS NOT NULL"
        case .not(.isIn(let value, let values)): return "\(text(value, atLeast: 5)) NOT IN (\(list(values)))"
        case .not(.binary(let left, let symbol, let right)) where symbol == .like || symbol == .glob:
            return "\(text(left, atLeast: 5)) NOT \(symbol.rawValue) \(text(right, atLeast: 5))"
        case .not(let value): return "NOT " + text(value, atLeast: 3)
        case .binary(let left, let symbol, let right):
            // AND and OR give the same result in any grouping; the other operators group from the left.
            let isFree = symbol == .and || symbol == .or
            return text(left, atLeast: symbol.precedence) + " \(symbol.rawValue) "
                + text(right, atLeast: symbol.precedence + (isFree ? 0 : 1))
        case .isNull(let value): return text(value, atLeast: 5) + " IS NULL"
        case .isIn(let value, let values): return "\(text(value, atLeast: 5)) IN (\(list(values)))"
        case .call(let function, let arguments): return "\(function.rawValue)(\(list(arguments)))"
        case .cases(let branches, let otherwise):
            let parts = branches.map { "WHEN \($0.condition.sql(name)) THEN \($0.value.sql(name))" }
            let last = otherwise.map { ["ELSE \($0.sql(name))"] } ?? []
            return (["CASE"] + parts + last + ["END"]).joined(separator: " ")
        }
    }

    var precedence: Int {
        switch self {
        case .column, .null, .call, .cases: 10
        // The sign of a number is an operator.
        case .literal(.integer(let value)): value < 0 ? 9 : 10
        case .literal(.real(let value)): value < 0 ? 9 : 10
        case .literal: 10
        case .negative: 9
        case .binary(_, let symbol, _): symbol.precedence
        case .isNull, .isIn, .not(.isNull), .not(.isIn), .not(.binary(_, .like, _)), .not(.binary(_, .glob, _)): 4
        case .not: 3
        }
    }
}

extension RowExpression<String> {
    /// The expression as it is written in descriptions. A name is in quotes if it is not a plain word.
    package var text: String {
        sql { name in
            name.isPlainWord && !RowExpressionParser.keywords.contains(name.uppercased()) ? name : SQL.quoted(name)
        }
    }
}
