/// The limits of the SQLite libraries on devices (https://sqlite.org/limits.html). A schema that exceeds one would fail there
/// and perhaps not on the computer of its developer, whose library can be newer or built with others.
package enum SQLiteLimits {
    /// The most columns of a table, of an index and of a result.
    package static let columns = 2_000
    /// The most columns of a table for searches. FTS5 adds hidden ones.
    package static let searchedColumns = 1_990
    /// The most columns of a primary key. Conditions compare them one by one, and SQLite limits the depth of conditions.
    package static let keyColumns = 100
    /// The most arguments of a function.
    package static let arguments = 127
    /// The most bytes of a statement.
    package static let statement = 1_000_000
    /// The most bytes of a pattern.
    package static let pattern = 50_000
    /// The most bytes of a constant in a description. Several of them are in one statement.
    package static let constant = 100_000
    /// The most entries that an expression can need on the stack of the parser. It has 100 in older versions ("parser stack
    /// overflow"), of which a statement needs up to 15 around the expression.
    package static let parserDepth = 80
}

// MARK: - The stack of the parser

// The parser reads from left to right and keeps an entry for each part that is not complete
// (https://sqlite.org/src/file/src/parse.y). So what follows an operator or a comma is deeper than what precedes it.

extension RowExpression {
    /// The number of entries that the expression needs on the stack of SQLite's parser.
    ///
    /// - Parameter column: The number of entries that a column needs, or the expression that replaces it.
    package func parserDepth(column: Int = 1) -> Int {
        func depth(_ value: RowExpression, atLeast precedence: Int = 0) -> Int {
            value.parserDepth(column: column) + (value.precedence < precedence ? 1 : 0)
        }
        func list(_ values: [RowExpression]) -> Int {
            max(values.first.map { depth($0) } ?? 0, 2 + (values.dropFirst().map { depth($0) }.max() ?? 0))
        }
        switch self {
        case .column: return column
        case .literal, .null: return 2
        case .negative(let value): return 1 + depth(value, atLeast: 10)
        case .not(.isNull(let value)), .isNull(let value): return max(depth(value, atLeast: 5), 4)
        case .not(.isIn(let value, let values)), .isIn(let value, let values):
            return max(depth(value, atLeast: 5), 4 + list(values))
        case .not(.binary(let left, let symbol, let right)) where symbol == .like || symbol == .glob:
            return max(depth(left, atLeast: 5), 3 + depth(right, atLeast: 5))
        case .not(let value): return 1 + depth(value, atLeast: 3)
        case .binary(let left, let symbol, let right):
            return max(depth(left, atLeast: symbol.precedence), 2 + depth(right, atLeast: symbol.precedence + 1))
        case .call(_, let arguments): return 3 + list(arguments)
        case .cases(let branches, let otherwise):
            let parts = branches.enumerated().flatMap { index, branch in
                let others = index == 0 ? 0 : 1
                return [others + 3 + depth(branch.condition), others + 5 + depth(branch.value)]
            }
            return (parts + [otherwise.map { 4 + depth($0) } ?? 0]).max() ?? 0
        }
    }
}

extension ValueExpression {
    /// The number of entries that the expression needs on the stack of SQLite's parser.
    package var parserDepth: Int {
        switch self {
        case .column, .null: 1
        case .literal: 2
        case .coalesce(let first, let second): max(3 + first.parserDepth, 5 + second.parserDepth)
        case .replaced(let value, let condition, let other):
            max(5 + condition.parserDepth(column: value.operandDepth), 5 + other.parserDepth, 4 + value.parserDepth)
        case .changed(let value, let change): change.parserDepth(value.operandDepth)
        }
    }

    /// The entries for the expression in parentheses, unless it is a column.
    private var operandDepth: Int { columnName == nil ? 1 + parserDepth : 1 }

    /// Whether a statement of SQLite can contain the expression.
    package var fitsSQLite: Bool {
        parserDepth <= SQLiteLimits.parserDepth && size <= SQLiteLimits.statement / 2
    }
}

extension ValueChange {
    /// Returns the number of entries that the changed value needs.
    ///
    /// - Parameter value: The entries for the old value.
    func parserDepth(_ value: Int) -> Int {
        if isIdentity { return value }
        switch self {
        case .scalar(.uuid, _): return 13 + value
        case .scalar: return max(7, 2 + value)
        case .caseToString: return value
        case .cases: return max(7, 4 + value)
        case .options: return max(4, value)
        case .values(let change, let isJSON):
            return max(22 + value, 24, (isJSON ? 18 : 15) + change.parserDepth(3))
        case .elements(let change, let isJSON):
            return max(22 + value, 24, (isJSON ? 16 : 13) + change.parserDepth(3))
        case .members(let changes): return MemberEdits(changes).parserDepth(value)
        }
    }
}
