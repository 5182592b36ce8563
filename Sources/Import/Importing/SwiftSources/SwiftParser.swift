/// Finds the declarations in the tokens of a file.
struct SwiftParser {
    private(set) var declarations: [SwiftSource.Declaration] = []
    private(set) var aliases: [SwiftSource.Alias] = []
    private(set) var constants: [SwiftSource.Constant] = []
    /// The names of parameters and local variables.
    private(set) var localNames: Set<String> = []
    /// The positions of the names of properties and global variables.
    private var properties: Set<Int> = []
    private let tokens: [SwiftToken]
    private let path: String
    private var tokenIndex = 0

    init(_ tokens: [SwiftToken], path: String) { (self.tokens, self.path) = (tokens, path) }

    mutating func parse() throws {
        try parseBody(of: nil, end: tokens.count, depth: 0)
        for index in tokens.indices.dropFirst() where ["let", "var"].contains(tokens[index - 1].text) {
            if !properties.contains(index) { localNames.insert(tokens[index].text) }
        }
        // `for name in names`, `{ name in … }`
        for index in tokens.indices.dropFirst() where tokens[index].text == "in" {
            localNames.insert(tokens[index - 1].text)
        }
    }

    private func token(_ offset: Int = 0) -> SwiftToken? {
        tokenIndex + offset < tokens.count ? tokens[tokenIndex + offset] : nil
    }

    private func refusal(_ message: String, _ line: Int? = nil) -> ImportError {
        ImportError(message, path: path, line: line ?? token()?.line ?? tokens.last?.line)
    }

    /// Returns the position after the bracket that closes the one at `start`.
    private func end(ofBracketAt start: Int) throws -> Int {
        let ends = ["(": ")", "[": "]", "{": "}"]
        var open: [String] = []
        for index in start..<tokens.count where tokens[index].kind == .symbol {
            let text = tokens[index].text
            if let end = ends[text] {
                open.append(end)
            } else if ends.values.contains(text) {
                guard open.popLast() == text else {
                    throw refusal(
                        "\(text) closes no bracket of its kind; a regular expression may be the reason",
                        tokens[index].line)
                }
                if open.isEmpty { return index + 1 }
            }
        }
        throw refusal("this bracket is not closed", tokens[start].line)
    }

    private static let types: Set = ["class", "struct", "enum", "extension", "actor", "protocol"]
    private static let modifiers: Set = [
        "public", "private", "fileprivate", "internal", "package", "open", "final", "static", "class", "lazy", "weak",
        "unowned", "override", "nonisolated", "mutating", "required", "convenience", "indirect", "dynamic", "async",
    ]

    private static let typeModifiers: Set = [
        "any", "some", "inout", "sending", "borrowing", "consuming", "isolated", "repeat", "each",
    ]

    // MARK: Declarations

    /// Parses the members of a type, or the declarations of a file.
    ///
    /// - Parameters:
    ///   - owner: The position of the type among the declarations; nil for a file.
    ///   - end: The position after the last token.
    private mutating func parseBody(of owner: Int?, end: Int, depth: Int) throws {
        if depth > 32 { throw refusal("types are nested more than 32 deep") }
        var attributes: [SwiftSource.Attribute] = []
        var isStatic = false
        while tokenIndex < end, let next = token() {
            switch next.text {
            case "@" where next.kind == .symbol:
                attributes.append(try attribute(ofType: false))
                continue
            case "import":
                while let word = token(), word.line == next.line, word.text != ";" { tokenIndex += 1 }
            case "case" where owner.map { declarations[$0].kind } == "enum": try parseCases(of: owner ?? 0, end)
            case "#" where next.kind == .symbol: try parseMacro(owner)
            case _ where next.kind == .word && isType(end): try parseType(owner, attributes, depth)
            case "var", "let": try parseProperty(owner, attributes, isStatic: isStatic, end)
            case "func", "init", "deinit", "subscript": try skipFunction(end)
            case "typealias": try parseAlias(owner)
            case _ where next.kind == .word && Self.modifiers.contains(next.text):
                isStatic = isStatic || next.text == "static" || next.text == "class"
                tokenIndex += 1
                // `private(set)`
                if token()?.text == "(" { tokenIndex = try self.end(ofBracketAt: tokenIndex) }
                continue
            case "(", "[", "{": tokenIndex = try self.end(ofBracketAt: tokenIndex)
            case ")", "]", "}":
                throw refusal("\(next.text) closes no bracket of its kind; a regular expression may be the reason")
            case _ where next.kind == .word && !attributes.isEmpty:
                // An unknown modifier does not separate a property from its attributes.
                tokenIndex += 1
                if token()?.text == "(" { tokenIndex = try self.end(ofBracketAt: tokenIndex) }
                continue
            default: tokenIndex += 1
            }
            (attributes, isStatic) = ([], false)
        }
        tokenIndex = end
    }

    /// Whether a type is declared here. `class` is also a modifier.
    private func isType(_ end: Int) -> Bool {
        guard let next = token(), Self.types.contains(next.text), let name = token(1), name.kind == .word else {
            return false
        }
        return next.text != "class"
            || !["var", "let", "func", "subscript"].contains(name.text) && !Self.modifiers.contains(name.text)
    }

    /// Reads an attribute, with the last part of its name.
    ///
    /// - Parameter ofType: Whether parentheses after a space begin the type, as in `@Sendable (Int) -> Void`.
    private mutating func attribute(ofType: Bool) throws -> SwiftSource.Attribute {
        let line = token()?.line ?? 0
        tokenIndex += 1
        var name = token()?.text ?? ""
        tokenIndex += 1
        // `@Swift.MainActor`, `@FieldContainer<Note>.Stored("text")`
        while let next = token() {
            if next.text == ".", let part = token(1), part.kind == .word {
                name = part.text
                tokenIndex += 2
            } else if next.text == "<", !next.isSpaced {
                try skipGenericArguments()
            } else {
                break
            }
        }
        var arguments: [SwiftToken] = []
        if let next = token(), next.text == "(", !next.isSpaced || !ofType {
            let end = try end(ofBracketAt: tokenIndex)
            arguments = Array(tokens[(tokenIndex + 1)..<(end - 1)])
            tokenIndex = end
        }
        return SwiftSource.Attribute(name: name, arguments: arguments, line: line)
    }

    private mutating func parseMacro(_ owner: Int?) throws {
        let line = token()?.line ?? 0
        tokenIndex += 1
        guard let name = token(), name.kind == .word else { return }
        tokenIndex += 1
        if ["if", "elseif", "else", "endif"].contains(name.text) {
            if let owner, declarations[owner].conditionLine == nil { declarations[owner].conditionLine = line }
            // The rest of the line is the condition.
            while let next = token(), next.line == line { tokenIndex += 1 }
            return
        }
        if token()?.text == "<" { while let next = token(), next.text != "(", next.line == line { tokenIndex += 1 } }
        if let next = token(), next.text == "(" {
            let end = try end(ofBracketAt: tokenIndex)
            let macro = SwiftSource.Attribute(
                name: name.text, arguments: Array(tokens[(tokenIndex + 1)..<(end - 1)]), line: line)
            if let owner { declarations[owner].macros.append(macro) }
            tokenIndex = end
        }
    }

    private mutating func parseType(_ owner: Int?, _ attributes: [SwiftSource.Attribute], _ depth: Int) throws {
        guard let keyword = token() else { return }
        tokenIndex += 1
        var name = token()?.text ?? ""
        tokenIndex += 1
        while token()?.text == ".", let part = token(1), part.kind == .word {
            name += "." + part.text
            tokenIndex += 2
        }
        var header: [SwiftToken] = []
        while let next = token(), next.text != "{" {
            header.append(next)
            tokenIndex += 1
        }
        guard token() != nil else { throw refusal("the body of \(name) is missing", keyword.line) }
        let list = header.firstIndex { $0.text == ":" }.map { Array(header[($0 + 1)...]) } ?? []
        let end = try end(ofBracketAt: tokenIndex)
        let body = Array(tokens[(tokenIndex + 1)..<(end - 1)])
        let complete = (owner.map { declarations[$0].name + "." } ?? "") + name
        declarations.append(
            SwiftSource.Declaration(
                kind: keyword.text, name: complete,
                inherits: list.split(on: ",").map {
                    $0.prefix { $0.text != "where" && $0.text != "<" }.map(\.text).joined()
                },
                attributes: attributes, body: body, range: tokenIndex..<end, path: path, line: keyword.line))
        tokenIndex += 1
        if keyword.text == "protocol" {
            tokenIndex = end
        } else {
            try parseBody(of: declarations.count - 1, end: end - 1, depth: depth + 1)
        }
        tokenIndex = end
    }

    private mutating func skipFunction(_ end: Int) throws {
        tokenIndex += 1
        while tokenIndex < end, let next = token() {
            if next.text == "{" {
                tokenIndex = try self.end(ofBracketAt: tokenIndex)
                return
            }
            // A function without a body ends before the next declaration.
            if next.text == "}" || ["var", "let", "func", "init"].contains(next.text) { return }
            let start = tokenIndex
            tokenIndex =
                "([".contains(next.text) && next.kind == .symbol
                ? try self.end(ofBracketAt: tokenIndex) : tokenIndex + 1
            for index in start..<tokenIndex where tokens[index].text == ":" {
                localNames.insert(tokens[index - 1].text)
            }
        }
    }

    private mutating func parseAlias(_ owner: Int?) throws {
        tokenIndex += 1
        guard let name = token() else { return }
        tokenIndex += 1
        while let next = token(), next.text != "=", next.line == name.line { tokenIndex += 1 }
        guard token()?.text == "=" else { return }
        tokenIndex += 1
        aliases.append(
            SwiftSource.Alias(
                name: name.text, scope: owner.map { declarations[$0].name } ?? "", type: try type(), path: path,
                line: name.line))
    }

    /// Reads `case draft, done = "d"`.
    private mutating func parseCases(of owner: Int, _ end: Int) throws {
        repeat {
            tokenIndex += 1
            guard let name = token(), name.kind == .word else { return }
            tokenIndex += 1
            if token()?.text == "(" { tokenIndex = try self.end(ofBracketAt: tokenIndex) }
            var raw: [SwiftToken] = []
            if token()?.text == "=" {
                tokenIndex += 1
                raw = try value(end)
            }
            declarations[owner].cases.append((name.text, raw))
        } while tokenIndex < end && token()?.text == ","
    }

    // MARK: Properties

    private mutating func parseProperty(
        _ owner: Int?, _ attributes: [SwiftSource.Attribute], isStatic: Bool, _ end: Int
    ) throws {
        let isConstant = token()?.text == "let"
        tokenIndex += 1
        let first = owner.map { declarations[$0].properties.count } ?? 0
        // `var a = 1, b, c: String`
        while let name = token(), tokenIndex < end {
            if name.text == "(" {
                // `let (a, b) = pair`
                tokenIndex = try self.end(ofBracketAt: tokenIndex)
                if let owner, !isStatic { declarations[owner].patternLine = name.line }
            } else {
                guard name.kind == .word else { throw refusal("only a simple name can follow var and let") }
                properties.insert(tokenIndex)
                tokenIndex += 1
            }
            var property = SwiftSource.Property(
                name: name.text, type: nil, value: [], attributes: attributes, isConstant: isConstant, line: name.line)
            if token()?.text == ":" {
                let start = tokenIndex + 1
                tokenIndex += 1
                property.type = try type()
                property.typeTokens = Array(tokens[start..<tokenIndex])
            }
            var isStored = name.kind == .word
            if token()?.text == "=" {
                tokenIndex += 1
                property.value = try value(end)
            }
            if tokenIndex < end, let next = token(), next.text == "{" {
                let isObserved = ["didSet", "willSet"].contains(token(1)?.text ?? "")
                isStored = isStored && (isObserved || !property.value.isEmpty)
                tokenIndex = try self.end(ofBracketAt: tokenIndex)
            }
            if owner == nil || isStatic {
                constants.append(
                    SwiftSource.Constant(
                        name: name.text, scope: owner.map { declarations[$0].name } ?? "",
                        value: isConstant ? property.value : [], path: path, line: name.line))
            } else if let owner, isStored {
                declarations[owner].properties.append(property)
            }
            guard token()?.text == ",", tokenIndex < end else { break }
            tokenIndex += 1
        }
        // A type is that of the names before it, too.
        guard let owner else { return }
        for index in declarations[owner].properties.indices.reversed() where index >= first {
            let property = declarations[owner].properties[index]
            guard property.type == nil, property.value.isEmpty, index + 1 < declarations[owner].properties.count
            else { continue }
            declarations[owner].properties[index].type = declarations[owner].properties[index + 1].type
            declarations[owner].properties[index].typeTokens = declarations[owner].properties[index + 1].typeTokens
        }
    }

    /// Returns the tokens of a value: up to a comma, an accessor, or the end of a line where the value ends.
    private mutating func value(_ end: Int) throws -> [SwiftToken] {
        let start = tokenIndex
        while tokenIndex < end, let next = token() {
            if next.text == "," || next.text == ";" { break }
            if tokenIndex > start, next.line > tokens[tokenIndex - 1].line, !isContinued() { break }
            if next.text == "{", ["didSet", "willSet", "get", "set"].contains(token(1)?.text ?? "") { break }
            var copy = self
            if next.text == "<", !next.isSpaced, (try? copy.skipGenericArguments()) != nil {
                tokenIndex = copy.tokenIndex
                continue
            }
            tokenIndex =
                "([{".contains(next.text) && next.kind == .symbol
                ? try self.end(ofBracketAt: tokenIndex) : tokenIndex + 1
        }
        return Array(tokens[start..<tokenIndex])
    }

    /// Whether a value continues with the next token, the first of its line.
    private func isContinued() -> Bool {
        func isOperator(_ index: Int) -> Bool {
            tokens[index].kind == .symbol && "+-*/%<>=!&|^~?.".contains(tokens[index].text)
        }
        var last = tokenIndex - 1
        let declares =
            tokens[tokenIndex].kind == .word
            && (Self.modifiers.union(Self.types).contains(tokens[tokenIndex].text)
                || ["var", "let", "func", "init"].contains(tokens[tokenIndex].text))
        if tokens[tokenIndex].text == "@" || declares && tokens[last].text != "." { return false }
        let isRange = tokens[last].text == "." && last > 0 && tokens[last - 1].text == "."
        if !isRange, [".", ":", "as", "is", "try", "await", "else"].contains(tokens[last].text) { return true }
        if isOperator(last) {
            if last > 0, ["as", "try"].contains(tokens[last - 1].text) { return true }
            // An operator without a space before it is a postfix operator.
            while last > 0, isOperator(last - 1), !tokens[last].isSpaced { last -= 1 }
            if tokens[last].isSpaced { return true }
        }
        if [".", ":", "as", "is", "else"].contains(tokens[tokenIndex].text) { return true }
        // An operator without a space after it is a prefix operator.
        var next = tokenIndex
        while next < tokens.count, isOperator(next), next == tokenIndex || !tokens[next].isSpaced { next += 1 }
        return next > tokenIndex && next < tokens.count && tokens[next].isSpaced
    }

    /// Returns the type that tokens are; nil if they are something else.
    static func type(of tokens: [SwiftToken]) -> SwiftSource.TypeName? {
        var parser = SwiftParser(tokens, path: "")
        guard let type = try? parser.type(), parser.tokenIndex == tokens.count else { return nil }
        return type
    }

    /// Returns the type of a value that calls an initializer or a function, such as `[Note]()`; nil for another value.
    static func initialized(_ value: [SwiftToken]) -> SwiftSource.TypeName? {
        var parser = SwiftParser(value, path: "")
        guard let type = try? parser.type(), parser.token()?.text == "(",
            (try? parser.end(ofBracketAt: parser.tokenIndex)) == value.count
        else { return nil }
        return type
    }

    private mutating func type(_ depth: Int = 0) throws -> SwiftSource.TypeName {
        if depth > 32 { throw refusal("this type is nested more than 32 deep") }
        let start = tokenIndex
        // `@Sendable (Int) -> Void`, `any Codable`
        while let next = token() {
            if next.text == "@" {
                _ = try attribute(ofType: true)
            } else if next.text == "~" || Self.typeModifiers.contains(next.text) {
                tokenIndex += 1
            } else {
                break
            }
        }
        var type = try simpleType(depth)
        while let next = token() {
            if !next.isSpaced, next.text == "?" || next.text == "!" {
                tokenIndex += 1
                type = .optional(type)
                continue
            }
            if next.text == ".", token(1)?.kind == .word {
                tokenIndex += 2
            } else if next.text == "&" || next.text == "-" && token(1)?.text == ">" {
                tokenIndex += next.text == "&" ? 1 : 2
                _ = try self.type(depth + 1)
            } else if ["async", "throws"].contains(next.text) {
                tokenIndex += 1
                if token()?.text == "(" { tokenIndex = try end(ofBracketAt: tokenIndex) }
            } else {
                break
            }
            type = .other(Array(tokens[start..<tokenIndex]).text)
        }
        return type
    }

    /// Reads a type without what can follow it, such as `?`.
    private mutating func simpleType(_ depth: Int) throws -> SwiftSource.TypeName {
        let start = tokenIndex
        guard let first = token() else { throw refusal("a type is missing") }
        if first.text == "[", token(1)?.kind == .word || token(1)?.text == "[" {
            tokenIndex += 1
            let element = try type(depth + 1)
            if token()?.text == "]" {
                tokenIndex += 1
                return .array(element)
            }
        }
        if first.text == "[" || first.text == "(" {
            tokenIndex = try end(ofBracketAt: start)
            return .other(Array(tokens[start..<tokenIndex]).text)
        }
        guard first.kind == .word else { throw refusal("a type is missing") }
        var name = first.text
        tokenIndex += 1
        while token()?.text == ".", let part = token(1), part.kind == .word {
            name += "." + part.text
            tokenIndex += 2
        }
        guard let next = token(), next.text == "<", !next.isSpaced else { return .named(name) }
        let arguments = try skipGenericArguments(depth)
        switch (name, arguments.count) {
        case ("Array", 1), ("Swift.Array", 1): return .array(arguments[0])
        case ("Set", 1), ("Swift.Set", 1): return .set(arguments[0])
        case ("Optional", 1), ("Swift.Optional", 1): return .optional(arguments[0])
        default: return .other(Array(tokens[start..<tokenIndex]).text)
        }
    }

    /// Reads `<String, [Int]>`, and returns the types.
    @discardableResult private mutating func skipGenericArguments(_ depth: Int = 0) throws -> [SwiftSource.TypeName] {
        var types: [SwiftSource.TypeName] = []
        repeat {
            tokenIndex += 1
            if let number = token(), number.kind == .number {
                tokenIndex += 1
                types.append(.other(number.text))
            } else {
                types.append(try type(depth + 1))
            }
        } while token()?.text == ","
        guard token()?.text == ">" else { throw refusal("a > is missing after the generic arguments") }
        tokenIndex += 1
        return types
    }
}
