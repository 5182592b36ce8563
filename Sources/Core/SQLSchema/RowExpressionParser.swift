/// An error in the text of an expression.
package struct RowExpressionError: Error, Hashable, CustomStringConvertible {
    /// The place in the text, in bytes.
    package let offset: Int
    /// The problem.
    package let message: String

    package var description: String { message }
}

extension RowExpression<String> {
    /// Parses an expression in the part of SQL that descriptions allow:
    ///
    /// - numbers, texts in single quotes, `TRUE`, `FALSE`, `NULL`, blobs as `X'00FF'`, and names, in double quotes if they
    ///   are not plain words;
    /// - the operators of `RowOperator`, `NOT`, `IS NULL`, `IS NOT NULL`, `IN (…)`, `BETWEEN … AND …`, and `CASE`;
    /// - the functions of `RowFunction`.
    ///
    /// - Throws: `RowExpressionError` with the place of the problem.
    package init(parsing text: String) throws(RowExpressionError) {
        var parser = try RowExpressionParser(text)
        self = try parser.expression()
        if let token = parser.rest { throw token.unexpected }
        if parserDepth() > SQLiteLimits.parserDepth { throw parser.tooDeep() }
    }
}

/// Parses expressions by the precedence of their operators.
struct RowExpressionParser {
    typealias Expression = RowExpression<String>

    /// The keywords. A name that is one of them needs quotes.
    static let keywords: Set<String> = [
        "AND", "BETWEEN", "CASE", "COLLATE", "ELSE", "END", "EXISTS", "FALSE", "GLOB", "IN", "IS", "LIKE", "NOT",
        "NULL", "OR", "SELECT", "THEN", "TRUE", "WHEN",
    ]

    private let tokens: [RowExpressionToken]
    private let end: Int
    private var tokenIndex = 0
    private var depth = 0
    /// The parser calls itself for each pair of parentheses. SQLite limits the depth of expressions, too
    /// (https://sqlite.org/limits.html#max_expr_depth).
    private static let greatestDepth = 50
    /// Each operator can make the expression deeper.
    private static let mostTokens = 500

    init(_ text: String) throws(RowExpressionError) {
        tokens = try RowExpressionToken.tokens(of: text)
        end = text.utf8.count
        if tokens.count > Self.mostTokens {
            throw RowExpressionError(
                offset: tokens[Self.mostTokens].offset,
                message: "the expression has more than \(Self.mostTokens) names, values and signs")
        }
    }

    func tooDeep() -> RowExpressionError {
        RowExpressionError(offset: rest?.offset ?? end, message: "the expression is nested too deeply")
    }

    /// The first token that is not read; nil at the end.
    var rest: RowExpressionToken? { tokenIndex < tokens.count ? tokens[tokenIndex] : nil }

    private func error(_ expected: String) -> RowExpressionError {
        guard let rest else { return RowExpressionError(offset: end, message: "\(expected) is missing at the end") }
        return RowExpressionError(offset: rest.offset, message: "\(expected) is missing before `\(rest.text)`")
    }

    private mutating func take(_ word: String) -> Bool {
        guard let rest, rest.isWord(word) else { return false }
        tokenIndex += 1
        return true
    }

    private mutating func expect(_ word: String) throws(RowExpressionError) {
        guard take(word) else { throw error("`\(word)`") }
    }

    mutating func expression(_ least: Int = 1) throws(RowExpressionError) -> Expression {
        depth += 1
        defer { depth -= 1 }
        guard depth < Self.greatestDepth else { throw tooDeep() }
        var left: Expression
        if least <= 3, take("NOT") {
            left = .not(try expression(3))
        } else {
            left = try operand()
        }
        while let next = try following(left, least) { left = next }
        return left
    }

    /// Reads an operator whose precedence is at least `least`, with its right operand; nil if there is none.
    private mutating func following(_ left: Expression, _ least: Int) throws(RowExpressionError) -> Expression? {
        guard let rest else { return nil }
        if least <= 4 {
            if take("IS") {
                let isNegated = take("NOT")
                guard take("NULL") else { throw error("`NULL`") }
                // SQLite compares with the result of an operator that binds closer: `a IS NULL < b` is `a IS (NULL < b)`.
                if let next = self.rest, let symbol = next.symbol, symbol.precedence > 4 {
                    let test = isNegated ? "IS NOT NULL" : "IS NULL"
                    throw RowExpressionError(
                        offset: next.offset,
                        message: "in SQL, `\(next.text)` binds closer than `\(test)`; write parentheses, like "
                            + "`(a \(test)) \(next.text) b`")
                }
                return isNegated ? .not(.isNull(left)) : .isNull(left)
            }
            let start = tokenIndex
            let isNegated = take("NOT")
            if let test = try test(left) { return isNegated ? .not(test) : test }
            tokenIndex = start
        }
        guard let symbol = rest.symbol, symbol.precedence >= least else { return nil }
        tokenIndex += 1
        return .binary(left, symbol, try expression(symbol.precedence + 1))
    }

    /// Reads a test that may follow NOT; nil if there is none.
    private mutating func test(_ left: Expression) throws(RowExpressionError) -> Expression? {
        if take("IN") {
            try expect("(")
            return .isIn(left, try list())
        }
        if take("BETWEEN") {
            // It needs the value twice.
            guard left.size <= 50 else { throw tooDeep() }
            let low = try expression(5)
            try expect("AND")
            return .binary(left, .greaterOrEqual, low) && .binary(left, .lessOrEqual, try expression(5))
        }
        for symbol in [RowOperator.like, .glob] where take(symbol.rawValue) {
            return .binary(left, symbol, try expression(5))
        }
        return nil
    }

    /// Reads values up to a closing parenthesis.
    private mutating func list() throws(RowExpressionError) -> [Expression] {
        var values: [Expression] = []
        if take(")") { return values }
        repeat { values.append(try expression()) } while take(",")
        try expect(")")
        return values
    }

    private mutating func operand() throws(RowExpressionError) -> Expression {
        guard let token = rest else { throw error("a value") }
        depth += 1
        defer { depth -= 1 }
        guard depth < Self.greatestDepth else { throw tooDeep() }
        if take("-") {
            // The least integer has no positive counterpart.
            if let digits = rest, case .literal(.real) = digits.kind, let least = Int64("-" + digits.text) {
                tokenIndex += 1
                return .literal(.integer(least))
            }
            switch try operand() {
            case .literal(.integer(let value)): return .literal(.integer(-value))
            case .literal(.real(let value)): return .literal(.real(-value))
            case let value: return .negative(value)
            }
        }
        if take("(") {
            let value = try expression()
            try expect(")")
            return value
        }
        if take("NULL") { return .null }
        if take("TRUE") { return .literal(.integer(1)) }
        if take("FALSE") { return .literal(.integer(0)) }
        if take("CASE") { return try cases() }
        switch token.kind {
        case .literal(let value):
            tokenIndex += 1
            return .literal(value)
        case .name:
            tokenIndex += 1
            return .column(token.text)
        case .word where !Self.keywords.contains(token.text.uppercased()):
            tokenIndex += 1
            return take("(") ? try call(token) : .column(token.text)
        case .word where ["EXISTS", "SELECT"].contains(token.text.uppercased()):
            throw RowExpressionError(
                offset: token.offset,
                message: "`\(token.text)` is not possible, because only the properties of the same row can be used")
        default: throw error("a value")
        }
    }

    private mutating func call(_ name: RowExpressionToken) throws(RowExpressionError) -> Expression {
        guard let function = RowFunction(rawValue: name.text.lowercased()) else {
            let known = RowFunction.allCases.map(\.rawValue).joined(separator: ", ")
            throw RowExpressionError(
                offset: name.offset, message: "the function `\(name.text)` is not one of \(known)")
        }
        let arguments = try list()
        guard function.argumentCounts.contains(arguments.count) else {
            throw RowExpressionError(
                offset: name.offset, message: "`\(function.rawValue)` cannot have \(arguments.count) arguments")
        }
        return .call(function, arguments)
    }

    private mutating func cases() throws(RowExpressionError) -> Expression {
        var branches: [Expression.Branch] = []
        while take("WHEN") {
            let condition = try expression()
            try expect("THEN")
            branches.append(.init(condition, try expression()))
        }
        if branches.isEmpty { throw error("`WHEN`") }
        let otherwise = take("ELSE") ? try expression() : nil
        try expect("END")
        return .cases(branches, otherwise: otherwise)
    }
}

/// A token of an expression.
struct RowExpressionToken {
    enum Kind: Hashable {
        case word, symbol
        /// A name in quotes.
        case name
        case literal(Literal)
    }

    let kind: Kind
    /// The text of a word or a symbol, or the contents of a name.
    let text: String
    let offset: Int

    /// Whether this is a word, in any letter case, or a symbol.
    func isWord(_ word: String) -> Bool {
        switch kind {
        case .word: text.uppercased() == word
        case .symbol: text == word
        default: false
        }
    }

    /// The operator; nil if the token is not an operator.
    var symbol: RowOperator? {
        switch (kind, text) {
        case (.symbol, "=="): .equal
        case (.symbol, "!="): .different
        case (.symbol, _), (.word, _): RowOperator(rawValue: text.uppercased())
        default: nil
        }
    }

    var unexpected: RowExpressionError {
        RowExpressionError(offset: offset, message: "`\(text)` is not expected here")
    }

    static func tokens(of text: String) throws(RowExpressionError) -> [RowExpressionToken] {
        var tokens: [RowExpressionToken] = []
        for token in SQLToken.tokens(of: text) {
            func error(_ message: String) -> RowExpressionError {
                RowExpressionError(offset: token.range.lowerBound, message: message)
            }
            func add(_ kind: Kind, _ text: String) {
                tokens.append(RowExpressionToken(kind: kind, text: text, offset: token.range.lowerBound))
            }
            switch token.kind {
            case .space: continue
            case .comment: throw error("a comment is not allowed in an expression")
            case .word: add(.word, token.text)
            case .name, .string:
                let content = token.content
                guard token.isComplete, !content.utf8.contains(0) else { throw error("the closing quote is missing") }
                add(token.kind == .name ? .name : .literal(.text(content)), content)
            case .blob:
                guard let bytes = token.bytes else { throw error("the blob is not hexadecimal") }
                add(.literal(.blob(bytes)), token.content)
            case .number:
                let real = Literal.double(token.text).map { Literal.real($0) }
                guard let value = Int64(token.text).map(Literal.integer) ?? real else {
                    throw error("`\(token.text)` is not a number")
                }
                add(.literal(value), token.text)
            case .symbol:
                guard token.text.count == 2 || "(),=<>+-*/%".contains(token.text) else {
                    throw error("`\(token.text)` is not allowed in an expression")
                }
                add(.symbol, token.text)
            }
        }
        return tokens
    }
}
