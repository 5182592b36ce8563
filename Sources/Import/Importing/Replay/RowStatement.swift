import SQLSchema

/// A statement that gives all rows of a table their values, and computes them only in ways that a description can express.
struct RowStatement {
    /// The origin of the values of a column.
    indirect enum Value: Hashable {
        /// The values of a column of the same row.
        case column(String)
        /// A constant, as SQL.
        case constant(String)
        /// The values of a column, and a constant where they are NULL.
        case coalesce(String, or: String)
        /// Anything else.
        case other
    }

    /// The table whose rows get the values.
    let table: String
    /// The table whose rows are copied; nil if the statement updates the rows of `table`.
    let source: String?
    /// The columns that get values; nil for all columns of the table, in their order.
    let columns: [String]?
    /// The value of each column; nil for all columns of the source, in their order.
    let values: [Value]?
    /// The column of the source that is not NULL in the rows that are taken; nil if it does not matter.
    let required: String?
    /// Whether each row of the source, or each one with the required value, becomes a row. If not, some may be left out, and no row becomes several.
    let isComplete: Bool
    /// Whether it leaves out, or replaces, a row that breaks a constraint of the table.
    let skipsConflicts: Bool

    /// Parses `INSERT INTO new (a, b) SELECT c, coalesce(d, 0) FROM old`, `CREATE TABLE new AS SELECT * FROM old` or
    /// `UPDATE t SET a = b`.
    ///
    /// - Returns: nil for any other statement, such as one that makes one row of several, or an UPDATE of some rows.
    init?(parsing sql: String) {
        var reader = Reader(sql)
        if reader.skip("UPDATE") {
            guard let (table, assignments) = reader.update() else { return nil }
            (self.table, source, isComplete, skipsConflicts, required) = (table, nil, true, false, nil)
            (columns, values) = (assignments.map(\.column), assignments.map(\.value))
        } else {
            guard let target = reader.target(), let select = reader.select() else { return nil }
            (table, columns) = (target.table, target.columns)
            (source, values) = (select.source, select.values)
            (isComplete, skipsConflicts, required) = (select.isComplete, target.skipsConflicts, select.required)
        }
    }

    /// Reads the tokens of a statement from left to right.
    private struct Reader {
        private let tokens: [SQLToken]
        private var index = 0

        init(_ sql: String) {
            var tokens = SQLToken.tokens(of: sql).filter(\.isCode)
            while tokens.last?.isWord(";") == true { tokens.removeLast() }
            self.tokens = tokens
        }

        private var isAtEnd: Bool { index == tokens.count }

        mutating func skip(_ words: String...) -> Bool {
            let range = index..<min(index + words.count, tokens.count)
            guard range.count == words.count, zip(tokens[range], words).allSatisfy({ $0.isWord($1) }) else {
                return false
            }
            index = range.upperBound
            return true
        }

        /// Reads a name, after the name of its schema, if there is one.
        private mutating func name() -> String? {
            guard index < tokens.count, let name = tokens[index].name else { return nil }
            index += 1
            return skip(".") ? self.name() : name
        }

        /// Reads the tokens up to the next comma, or up to one of `words`, outside of parentheses.
        private mutating func item(until words: String...) -> ArraySlice<SQLToken> {
            let start = index
            var depth = 0
            while index < tokens.count {
                let token = tokens[index]
                if depth == 0, token.isWord(",") || token.isWord(")") || words.contains(where: token.isWord) { break }
                if token.isWord("(") { depth += 1 }
                if token.isWord(")") { depth -= 1 }
                index += 1
            }
            return tokens[start..<index]
        }

        mutating func update() -> (table: String, assignments: [(column: String, value: Value)])? {
            guard let table = name() else { return nil }
            guard skip("SET") else { return nil }
            var assignments: [(column: String, value: Value)] = []
            repeat {
                guard let column = name(), skip("=") else { return nil }
                assignments.append(
                    (column, RowStatement.value(item(until: "WHERE", "FROM", "RETURNING", "ORDER", "LIMIT"))))
            } while skip(",")
            return isAtEnd ? (table, assignments) : nil
        }

        /// Reads the table that gets the rows, up to the SELECT.
        mutating func target() -> (table: String, columns: [String]?, skipsConflicts: Bool)? {
            if skip("CREATE") {
                _ = skip("TEMP") || skip("TEMPORARY")
                guard skip("TABLE") else { return nil }
                _ = skip("IF", "NOT", "EXISTS")
                guard let table = name(), skip("AS") else { return nil }
                return (table, nil, false)
            }
            let replaces = skip("REPLACE")
            guard replaces || skip("INSERT") else { return nil }
            let skipsConflicts = replaces || skip("OR", "IGNORE") || skip("OR", "REPLACE")
            _ = skip("OR", "ABORT") || skip("OR", "FAIL") || skip("OR", "ROLLBACK")
            guard skip("INTO"), let table = name() else { return nil }
            if skip("AS") { _ = name() }
            guard skip("(") else { return (table, nil, skipsConflicts) }
            var columns: [String] = []
            repeat {
                guard let column = name() else { return nil }
                columns.append(column)
            } while skip(",")
            return skip(")") ? (table, columns, skipsConflicts) : nil
        }

        /// Reads `SELECT … FROM table`, and what limits the rows.
        mutating func select() -> (source: String, values: [Value]?, required: String?, isComplete: Bool)? {
            guard skip("SELECT") else { return nil }
            let isDistinct = skip("DISTINCT")
            var items: [ArraySlice<SQLToken>] = []
            repeat { items.append(item(until: "FROM")) } while skip(",")
            guard skip("FROM"), let source = name() else { return nil }
            let limits = ["WHERE", "ORDER", "LIMIT"]
            func isLimit(_ index: Int) -> Bool { index < tokens.count && limits.contains(where: tokens[index].isWord) }
            if skip("AS") || !isAtEnd && !isLimit(index) { guard name() != nil else { return nil } }
            let rest = tokens[index...]
            let others = ["UNION", "EXCEPT", "INTERSECT", "GROUP", "ON"]
            guard isAtEnd || isLimit(index), !rest.contains(where: { others.contains(where: $0.isWord) }),
                !items.contains(where: { $0.contains(where: RowStatement.isAggregate) })
            else { return nil }
            let isAll = items.count == 1 && items[0].last?.isWord("*") == true && [1, 3].contains(items[0].count)
            let required = RowStatement.required(rest)
            let isComplete = (isAtEnd || required != nil) && !isDistinct
            return (source, isAll ? nil : items.map(RowStatement.value), required, isComplete)
        }
    }

    /// Returns the column of a clause `WHERE column IS NOT NULL`.
    private static func required(_ tokens: ArraySlice<SQLToken>) -> String? {
        guard tokens.first?.isWord("WHERE") == true else { return nil }
        for words in [["IS", "NOT", "NULL"], ["NOT", "NULL"], ["NOTNULL"]] {
            let end = tokens.suffix(words.count)
            if zip(end, words).allSatisfy({ $0.isWord($1) }),
                let name = column(tokens.dropFirst().dropLast(words.count))
            {
                return name
            }
        }
        return nil
    }

    /// Whether the token names a function that makes one row of several.
    private static func isAggregate(_ token: SQLToken) -> Bool {
        guard token.kind == .word else { return false }
        let name = token.text.lowercased()
        return ["avg", "count", "max", "min", "sum", "total", "string_agg", "over"].contains(name)
            || name.contains("group")
    }

    /// Returns the value of an expression.
    private static func value(_ expression: ArraySlice<SQLToken>) -> Value {
        var tokens = expression
        if tokens.count > 2, tokens[tokens.endIndex - 2].isWord("AS") { tokens = tokens.dropLast(2) }
        while tokens.count > 2, tokens.first?.isWord("(") == true, closing(tokens) == tokens.endIndex - 1 {
            tokens = tokens.dropFirst().dropLast()
        }
        if let constant = constant(tokens) { return .constant(constant) }
        if let name = column(tokens) { return .column(name) }
        // A conversion to the type of the new column, which the column would make too.
        if tokens.count > 4, tokens.first?.isWord("CAST") == true, closing(tokens.dropFirst()) == tokens.endIndex - 1,
            let end = tokens.lastIndex(where: { $0.isWord("AS") }),
            let name = column(tokens[(tokens.startIndex + 2)..<end])
        {
            return .column(name)
        }
        guard tokens.count > 4, tokens.first?.isWord("COALESCE") == true || tokens.first?.isWord("IFNULL") == true,
            closing(tokens.dropFirst()) == tokens.endIndex - 1
        else { return .other }
        let parts = tokens.dropFirst(2).dropLast().split(maxSplits: 1) { $0.isWord(",") }
        guard parts.count == 2, let name = column(parts[0]), let constant = constant(parts[1]) else { return .other }
        return .coalesce(name, or: constant)
    }

    /// Returns the index of the parenthesis that closes the first token.
    private static func closing(_ tokens: ArraySlice<SQLToken>) -> Int? {
        var depth = 0
        return tokens.indices.first { index in
            if tokens[index].isWord("(") { depth += 1 }
            if tokens[index].isWord(")") { depth -= 1 }
            return depth == 0
        }
    }

    private static func constant(_ tokens: ArraySlice<SQLToken>) -> String? {
        let isSigned = tokens.count == 2 && (tokens.first?.isWord("-") == true || tokens.first?.isWord("+") == true)
        guard let last = tokens.last, tokens.count == 1 || isSigned && last.kind == .number else { return nil }
        let isWord = ["NULL", "TRUE", "FALSE"].contains { last.isWord($0) }
        guard isWord || [.number, .string, .blob].contains(last.kind) else { return nil }
        return tokens.map(\.text).joined()
    }

    /// Returns the name of a column, after the name of its table, if there is one.
    private static func column(_ tokens: ArraySlice<SQLToken>) -> String? {
        guard let name = tokens.last?.name,
            tokens.count == 1 || tokens.count == 3 && tokens.dropFirst().first?.isWord(".") == true
        else { return nil }
        if tokens.count == 1, tokens.last?.kind == .word, name.uppercased().hasPrefix("CURRENT_") { return nil }
        return name
    }
}
