/// Finds the declarations in the tokens of a file.
struct SwiftParser {
    private(set) var declarations: [SwiftSource.Declaration] = []
    private(set) var aliases: [String: SwiftSource.TypeName] = [:]
    private let tokens: [SwiftToken]
    private let path: String
    private var tokenIndex = 0

    init(_ tokens: [SwiftToken], path: String) { (self.tokens, self.path) = (tokens, path) }

    mutating func parse() throws { try parseBody(of: nil, end: tokens.count, depth: 0) }

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
                attributes.append(try attribute())
                continue
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
        return next.text != "class" || !["var", "let", "func", "subscript"].contains(name.text)
    }

    private mutating func attribute() throws -> SwiftSource.Attribute {
        let line = token()?.line ?? 0
        tokenIndex += 1
        var name = token()?.text ?? ""
        tokenIndex += 1
        // `@Swift.MainActor`
        while token()?.text == ".", let part = token(1), part.kind == .word {
            name = part.text
            tokenIndex += 2
        }
        return SwiftSource.Attribute(name: name, arguments: try arguments(), line: line)
    }

    /// Returns the tokens between parentheses that follow without a space.
    private mutating func arguments() throws -> [SwiftToken] {
        guard let next = token(), next.text == "(", !next.isSpaced else { return [] }
        let end = try end(ofBracketAt: tokenIndex)
        defer { tokenIndex = end }
        return Array(tokens[(tokenIndex + 1)..<(end - 1)])
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
                attributes: attributes, body: body, path: path, line: keyword.line))
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
            tokenIndex =
                "([".contains(next.text) && next.kind == .symbol
                ? try self.end(ofBracketAt: tokenIndex) : tokenIndex + 1
        }
    }

    private mutating func parseAlias(_ owner: Int?) throws {
        tokenIndex += 1
        guard let name = token(), token(1)?.text == "=" else { return }
        tokenIndex += 2
        let complete = (owner.map { declarations[$0].name + "." } ?? "") + name.text
        aliases[complete] = try type()
    }

    // MARK: Properties

    private mutating func parseProperty(
        _ owner: Int?, _ attributes: [SwiftSource.Attribute], isStatic: Bool, _ end: Int
    ) throws {
        let isConstant = token()?.text == "let"
        tokenIndex += 1
        // `var a = 1, b: String`
        while let name = token(), tokenIndex < end {
            guard name.kind == .word else { throw refusal("only a simple name can follow var and let") }
            tokenIndex += 1
            var property = SwiftSource.Property(
                name: name.text, type: nil, value: [], attributes: attributes, isConstant: isConstant, line: name.line)
            if token()?.text == ":" {
                tokenIndex += 1
                property.type = try type()
            }
            var isStored = true
            if token()?.text == "=" {
                tokenIndex += 1
                property.value = try value(end)
            }
            if tokenIndex < end, let next = token(), next.text == "{" {
                isStored = !property.value.isEmpty || ["didSet", "willSet"].contains(token(1)?.text ?? "")
                tokenIndex = try self.end(ofBracketAt: tokenIndex)
            }
            if let owner, isStored, !isStatic { declarations[owner].properties.append(property) }
            guard token()?.text == ",", tokenIndex < end else { return }
            tokenIndex += 1
        }
    }

    /// Returns the tokens of a value: up to a comma, an accessor, or the end of a line where the value can end.
    private mutating func value(_ end: Int) throws -> [SwiftToken] {
        let start = tokenIndex
        while tokenIndex < end, let next = token() {
            let last = tokens[tokenIndex - 1]
            if next.text == "," || next.text == ";" { break }
            let continues = next.kind == .symbol && next.text != "@" && next.text != "#" && next.text != "{"
            if tokenIndex > start, next.line > last.line, !continues,
                !(last.kind == .symbol && !")]}".contains(last.text))
            {
                break
            }
            if next.text == "{", ["didSet", "willSet", "get", "set"].contains(token(1)?.text ?? "") { break }
            tokenIndex =
                "([{".contains(next.text) && next.kind == .symbol
                ? try self.end(ofBracketAt: tokenIndex) : tokenIndex + 1
        }
        return Array(tokens[start..<tokenIndex])
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
        var type: SwiftSource.TypeName
        let start = tokenIndex
        guard let first = token() else { throw refusal("a type is missing") }
        if first.text == "[" {
            tokenIndex += 1
            let element = try self.type(depth + 1)
            if token()?.text == "]" {
                type = .array(element)
                tokenIndex += 1
            } else {
                tokenIndex = try end(ofBracketAt: start)
                type = .other(Array(tokens[start..<tokenIndex]).text)
            }
        } else if first.text == "(" {
            tokenIndex = try end(ofBracketAt: tokenIndex)
            type = .other(Array(tokens[start..<tokenIndex]).text)
        } else if first.kind == .word {
            var name = first.text
            tokenIndex += 1
            if ["any", "some"].contains(name), let next = token(), next.kind == .word {
                name = next.text
                tokenIndex += 1
            }
            while token()?.text == ".", let part = token(1), part.kind == .word {
                name += "." + part.text
                tokenIndex += 2
            }
            type = .named(name)
            if token()?.text == "<", token()?.isSpaced == false {
                tokenIndex += 1
                let argument = try self.type(depth + 1)
                if token()?.text == ">" {
                    tokenIndex += 1
                    switch name {
                    case "Array", "Swift.Array": type = .array(argument)
                    case "Optional", "Swift.Optional": type = .optional(argument)
                    default: type = .other(Array(tokens[start..<tokenIndex]).text)
                    }
                } else {
                    while let next = token(), next.text != ">", next.line == first.line { tokenIndex += 1 }
                    tokenIndex += 1
                    type = .other(Array(tokens[start..<min(tokenIndex, tokens.count)]).text)
                }
            }
        } else {
            throw refusal("a type is missing")
        }
        while let next = token(), !next.isSpaced, next.text == "?" || next.text == "!" {
            type = .optional(type)
            tokenIndex += 1
        }
        return type
    }
}
