/// An error in the text of a schema.
package struct SchemaTextError: Error, CustomStringConvertible {
    /// The number of the line. The first line is 1.
    package let line: Int
    /// The problem.
    package let message: String

    package var description: String { "line \(line) of the schema's text: \(message)" }
}

extension SchemaText {
    /// Parses the tables of a version.
    ///
    /// - Parameters:
    ///   - text: The text of the version.
    ///   - before: The tables of the version before.
    package static func tables(_ text: String, after before: [Table] = []) throws(SchemaTextError) -> [Table] {
        var reader = try SchemaTextReader(text)
        return try reader.tables(after: before)
    }

    /// Parses the changes of a step.
    package static func changes(_ text: String) throws(SchemaTextError) -> [TableChange] {
        var reader = try SchemaTextReader(text)
        return try reader.changes()
    }
}

extension Table {
    /// Creates a table from the lines that follow its name in the text of a schema.
    ///
    /// - Precondition: The lines are written as `SchemaText` describes.
    package init(_ name: String, _ lines: [String], isJoinTable: Bool = false) {
        do {
            var reader = try SchemaTextReader(lines.joined(separator: "\n"))
            self.init(name, columns: [], primaryKey: [], isJoinTable: isJoinTable)
            while !reader.isAtEnd { try reader.readMember(of: &self) }
        } catch {
            preconditionFailure("\(error)")
        }
    }
}

/// Reads the text of a schema.
private struct SchemaTextReader {
    private typealias Token = SchemaTextToken

    private let tokens: [(token: SchemaTextToken, line: Int)]
    private var tokenIndex = 0

    init(_ text: String) throws(SchemaTextError) { tokens = try SchemaTextToken.tokens(of: text) }

    // MARK: Tokens

    var isAtEnd: Bool { tokenIndex == tokens.count }

    private var token: Token? { isAtEnd ? nil : tokens[tokenIndex].token }

    private func error(_ expected: String) -> SchemaTextError {
        SchemaTextError(
            line: isAtEnd ? tokens.last?.line ?? 1 : tokens[tokenIndex].line, message: "\(expected) expected")
    }

    private mutating func take(_ token: Token) -> Bool {
        guard self.token == token else { return false }
        tokenIndex += 1
        return true
    }

    private mutating func takeWord(_ word: String) -> Bool { take(.word(word)) }

    private mutating func takeSymbol(_ symbol: String) -> Bool { take(.symbol(symbol)) }

    private mutating func expect(_ symbol: String) throws(SchemaTextError) {
        guard takeSymbol(symbol) else { throw error("`\(symbol)`") }
    }

    private mutating func expectLineEnd() throws(SchemaTextError) {
        guard take(.lineEnd) else { throw error("the end of the line") }
    }

    /// Reads a name: a word that is not reserved, or a name in quotes.
    private mutating func name() throws(SchemaTextError) -> String {
        switch token {
        case .word(let word) where !SchemaText.reserved.contains(word): tokenIndex += 1; return word
        case .name(let name): tokenIndex += 1; return name
        default: throw error("a name")
        }
    }

    private mutating func names() throws(SchemaTextError) -> [String] {
        try expect("(")
        var names = [try name()]
        while takeSymbol(",") { names.append(try name()) }
        try expect(")")
        return names
    }

    private mutating func text() throws(SchemaTextError) -> String {
        guard case .text(let text) = token else { throw error("a text") }
        tokenIndex += 1
        return text
    }

    /// Reads a fixed value; nil if there is none.
    private mutating func literal() throws(SchemaTextError) -> Literal? {
        switch token {
        case .text(let text):
            tokenIndex += 1
            return .text(text)
        case .number(let digits):
            guard let value = Int64(digits).map(Literal.integer) ?? Double(digits).map(Literal.real) else {
                throw error("a number")
            }
            tokenIndex += 1
            return value
        case .word("blob") where tokens[tokenIndex + 1].token == .symbol("("):
            tokenIndex += 2
            let digits = Array(try text().utf8)
            try expect(")")
            var bytes: [UInt8] = []
            for index in stride(from: 0, to: digits.count - 1, by: 2) {
                guard let byte = UInt8(String(decoding: digits[index...(index + 1)], as: UTF8.self), radix: 16) else {
                    throw error("hexadecimal digits")
                }
                bytes.append(byte)
            }
            return .blob(bytes)
        default: return nil
        }
    }

    // MARK: Tables

    mutating func tables(after before: [Table]) throws(SchemaTextError) -> [Table] {
        let old = Dictionary(before.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        var removed: Set<String> = []
        var added: [Table] = []
        while !isAtEnd {
            let isJoinTable = takeWord("join")
            if takeWord("drop") {
                removed.insert(try name())
                try expectLineEnd()
                continue
            }
            var table: Table
            let isChange = takeWord("change")
            if isChange {
                let base = try name()
                guard let known = old[base] else { throw error("the name of a table in the version before") }
                table = known
                if takeWord("as") {
                    removed.insert(base)
                    table.name = try name()
                }
            } else {
                guard takeWord("table") else { throw error("`table`, `change` or `drop`") }
                table = Table(try name(), columns: [], primaryKey: [], isJoinTable: isJoinTable)
            }
            try expectLineEnd()
            while !isAtEnd, !isAtTable {
                if isChange { try readChange(of: &table) } else { try readMember(of: &table) }
            }
            added.append(table)
        }
        let new = Dictionary(added.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        var tables = before.compactMap { table in
            new[table.name] ?? (removed.contains(table.name) ? nil : table)
        }
        tables += added.filter { old[$0.name] == nil }
        return tables
    }

    private var isAtTable: Bool {
        guard case .word(let word) = token else { return false }
        return ["table", "join", "change", "drop"].contains(word)
    }

    /// Reads a line of a complete table.
    mutating func readMember(of table: inout Table) throws(SchemaTextError) {
        switch token {
        case .word("key"):
            tokenIndex += 1
            table.primaryKey = try names()
        case .word("index"), .word("unique"): table.indexes.append(try index())
        case .word("check"): try readCheck(of: &table)
        case .word("computed"): try readComputed(of: &table)
        case .word("search"): table.search = try search()
        case .symbol("("):
            let columns = try names()
            try expect("->")
            table.foreignKeys.append(try foreignKey(columns))
        default:
            let column = try readColumn(of: &table)
            table.columns.append(column)
        }
        try expectLineEnd()
    }

    /// Reads a line of a changed table.
    private mutating func readChange(of table: inout Table) throws(SchemaTextError) {
        if takeSymbol("-") {
            if takeWord("index") {
                let name = try name()
                table.indexes.removeAll { $0.name == name }
            } else if takeWord("check") {
                let name = try name()
                table.checks.removeAll { $0.name == name }
            } else if takeWord("computed") {
                let name = try name()
                table.computed.removeAll { $0.name == name }
            } else if takeWord("search") {
                table.search = nil
            } else {
                table.remove(column: try name())
            }
        } else {
            try expect("+")
            switch token {
            case .word("index"), .word("unique"): table.indexes.append(try index())
            case .word("check"): try readCheck(of: &table)
            case .word("computed"): try readComputed(of: &table)
            case .word("search"): table.search = try search()
            default:
                let column = try readColumn(of: &table)
                var index = table.columns.count
                if takeWord("first") {
                    index = 0
                } else if takeWord("after") {
                    let before = try name()
                    guard let found = table.columns.firstIndex(where: { $0.name == before }) else {
                        throw error("the name of a column")
                    }
                    index = found + 1
                }
                table.columns.insert(column, at: index)
            }
        }
        try expectLineEnd()
    }

    /// Reads a column, and adds its foreign key and its primary key to the table.
    private mutating func readColumn(of table: inout Table) throws(SchemaTextError) -> Table.Column {
        let name = try name()
        var column = Table.Column(name, try type(), isNullable: takeSymbol("?"))
        if case .word(let word) = token, let collation = Collation(rawValue: word) {
            tokenIndex += 1
            column.collation = collation
        }
        if takeSymbol("=") {
            guard let value = try literal() else { throw error("a value") }
            column.defaultValue = value
        }
        if takeWord("key") { table.primaryKey = [name] }
        if takeSymbol("->") { table.foreignKeys.append(try foreignKey([name])) }
        return column
    }

    private mutating func type() throws(SchemaTextError) -> StorageType {
        guard case .word(let word) = token, let type = StorageType(rawValue: word) else { throw error("a type") }
        tokenIndex += 1
        return type
    }

    private mutating func readComputed(of table: inout Table) throws(SchemaTextError) {
        tokenIndex += 1
        let column = ComputedColumn(try name(), try type(), try rowExpression())
        table.computed.insert(column, at: table.computed.firstIndex { column.name < $0.name } ?? table.computed.count)
    }

    private mutating func index() throws(SchemaTextError) -> Table.Index {
        let isUnique = takeWord("unique")
        if !isUnique { _ = takeWord("index") }
        let name = try name()
        var shape = IndexShape<String>([], unique: isUnique)
        try expect("(")
        repeat {
            let column = try self.name()
            shape.columns.append(column)
            if takeWord("desc") { shape.descending.insert(column) }
        } while takeSymbol(",")
        try expect(")")
        if takeWord("where") { shape.condition = try rowExpression() }
        return Table.Index(name, shape)
    }

    private mutating func readCheck(of table: inout Table) throws(SchemaTextError) {
        tokenIndex += 1
        let check = Table.Check(try name(), try rowExpression())
        table.checks.insert(check, at: table.checks.firstIndex { check.name < $0.name } ?? table.checks.count)
    }

    private mutating func search() throws(SchemaTextError) -> TextSearch<String> {
        tokenIndex += 1
        let columns = try names()
        guard case .word(let word) = token, let tokenizer = SearchTokenizer(rawValue: word) else {
            throw error("a tokenizer")
        }
        tokenIndex += 1
        return TextSearch(columns, tokenizer)
    }

    /// Reads an expression over the columns of a row, which is a text.
    private mutating func rowExpression() throws(SchemaTextError) -> RowExpression<String> {
        let text = try text()
        do {
            return try RowExpression(parsing: text)
        } catch {
            throw self.error("an expression (\(error.message))")
        }
    }

    private mutating func foreignKey(_ columns: [String]) throws(SchemaTextError) -> Table.ForeignKey {
        let target = try name()
        let targetColumns = try names()
        guard case .word(let word) = token, let rule = Table.DeleteRule(rawValue: word) else {
            throw error("a delete rule")
        }
        tokenIndex += 1
        return Table.ForeignKey(columns, to: target, targetColumns, rule)
    }

    // MARK: Changes

    mutating func changes() throws(SchemaTextError) -> [TableChange] {
        var changes: [TableChange] = []
        while !isAtEnd {
            if takeWord("create") {
                changes.append(.create(try name()))
                try expectLineEnd()
            } else if takeWord("drop") {
                changes.append(.drop(try name()))
                try expectLineEnd()
            } else {
                changes.append(try mapping())
            }
        }
        return changes
    }

    private mutating func mapping() throws(SchemaTextError) -> TableChange {
        let isCustom = takeWord("custom")
        guard isCustom || takeWord("map") else { throw error("`create`, `drop`, `map` or `custom`") }
        let from = try name()
        let to = takeSymbol("->") ? try name() : from
        var requiring: [ValueExpression] = []
        if takeWord("where") {
            repeat { requiring.append(try expression()) } while takeSymbol(",")
        }
        try expectLineEnd()
        var columns: [String: ValueExpression] = [:]
        var references: [String: String] = [:]
        while !isAtEnd, !isAtChange {
            let column = try name()
            if takeSymbol("<-") {
                references[column] = try name()
            } else {
                try expect("=")
                columns[column] = try expression()
            }
            try expectLineEnd()
        }
        return isCustom
            ? .custom(from: from, to: to, columns: columns, references: references)
            : .map(from: from, to: to, columns: columns, requiring: requiring)
    }

    private var isAtChange: Bool {
        guard case .word(let word) = token else { return false }
        return ["create", "drop", "map", "custom"].contains(word)
    }

    private mutating func expression() throws(SchemaTextError) -> ValueExpression {
        if let value = try literal() { return .literal(value) }
        if takeWord("null") { return .null }
        let word = token
        let name = try name()
        guard case .word = word, takeSymbol("(") else { return .column(name) }
        let value = try expression()
        if name == "coalesce" {
            try expect(",")
            let second = try expression()
            try expect(")")
            return .coalesce(value, second)
        }
        if name == "replaced" {
            try expect(",")
            let condition = try rowExpression()
            try expect(",")
            let other = try expression()
            try expect(")")
            return .replaced(value, unless: condition, with: other)
        }
        return .changed(value, try change(name, isFirst: false))
    }

    /// Reads the arguments of a function, up to the closing parenthesis. Returns the change that the function
    /// represents.
    ///
    /// - Parameters:
    ///   - name: The name of the function.
    ///   - isFirst: Whether no argument has been read yet.
    private mutating func change(_ name: String, isFirst: Bool) throws(SchemaTextError) -> ValueChange {
        var isFirst = isFirst
        func separator(_ reader: inout SchemaTextReader) throws(SchemaTextError) {
            if !isFirst { try reader.expect(",") }
            isFirst = false
        }
        let change: ValueChange
        switch name {
        case "case_to_string": change = .caseToString
        case "cases", "merged_cases":
            var values: [String: String] = [:]
            while token != .symbol(")") {
                try separator(&self)
                let old = try text()
                try separator(&self)
                values[old] = try text()
            }
            change = .cases(values, merged: name == "merged_cases")
        case "clear":
            try separator(&self)
            guard case .integer(let bits) = try literal() else { throw error("a number") }
            change = .options(cleared: Int(bits))
        case "each", "each_value":
            try separator(&self)
            let (inner, isJSON) = try innerChange()
            guard let inner else { throw error("a change") }
            change = name == "each" ? .elements(inner, isJSON: isJSON) : .values(inner, isJSON: isJSON)
        case "members":
            var members: [ValueChange.Member] = []
            while token != .symbol(")") {
                try separator(&self)
                members.append(try member())
            }
            change = .members(members)
        default:
            let types = name.split(separator: "_").map(String.init)
            guard types.count == 3, types[1] == "to", let from = ScalarType(rawValue: types[0]),
                let to = ScalarType(rawValue: types[2])
            else { throw error("a function") }
            change = .scalar(from, to)
        }
        try expect(")")
        return change
    }

    /// Reads the change of an element or a member. Returns nil for `json()`, and whether `json(…)` encloses the change.
    private mutating func innerChange() throws(SchemaTextError) -> (ValueChange?, isJSON: Bool) {
        let name = try name()
        try expect("(")
        guard name == "json" else { return (try change(name, isFirst: true), false) }
        if takeSymbol(")") { return (nil, true) }
        let inner = try innerChange()
        try expect(")")
        return (inner.0, true)
    }

    private mutating func member() throws(SchemaTextError) -> ValueChange.Member {
        let word = try { (reader: inout Self) throws(SchemaTextError) in
            if reader.takeWord("change") { return "change" }
            return try reader.name()
        }(&self)
        try expect("(")
        let name = try text()
        let member: ValueChange.Member
        switch word {
        case "add":
            try expect(",")
            member = .added(name, value: try text())
        case "remove": member = .removed(name)
        case "rename":
            try expect(",")
            let new = try text()
            let (change, isJSON) = takeSymbol(",") ? try innerChange() : (nil, false)
            member = .renamed(name, to: new, change, isJSON: isJSON)
        case "change":
            try expect(",")
            let (change, isJSON) = try innerChange()
            guard let change else { throw error("a change") }
            member = .changed(name, change, isJSON: isJSON)
        default: throw error("`add`, `remove`, `rename` or `change`")
        }
        try expect(")")
        return member
    }
}
