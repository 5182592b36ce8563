import Foundation

/// The declarations of Swift sources that matter to a model. The bodies of functions are skipped.
struct SwiftSource: Sendable {
    /// An attribute such as `@Attribute(.unique)`, or a macro such as `#Unique<Note>([\.id])`.
    struct Attribute: Sendable {
        var name: String
        /// The tokens between the parentheses.
        var arguments: [SwiftToken]
        var line: Int

        /// The arguments, each with its label.
        var parts: [(label: String?, value: [SwiftToken])] {
            arguments.split(on: ",").map { part in
                if part.count > 2, part[0].kind == .word, part[1].text == ":" {
                    return (part[0].text, Array(part.dropFirst(2)))
                }
                return (nil, part)
            }
        }
    }

    /// The type of a property.
    indirect enum TypeName: Hashable, Sendable {
        case named(String)
        case optional(TypeName)
        case array(TypeName)
        case set(TypeName)
        /// A type that no column can have as it is, such as a dictionary.
        case other(String)
    }

    /// A property that stores a value.
    struct Property: Sendable {
        var name: String
        /// The type; nil if the source leaves it to the value.
        var type: TypeName?
        /// The tokens of the type.
        var typeTokens: [SwiftToken] = []
        var value: [SwiftToken]
        var attributes: [Attribute]
        var isConstant: Bool
        var line: Int
    }

    /// A class, struct, enum or extension.
    struct Declaration: Sendable {
        var kind: String
        /// The complete name: `SchemaV1.Note`.
        var name: String
        var inherits: [String]
        var attributes: [Attribute]
        var properties: [Property] = []
        /// The cases of an enum, with the tokens of their raw values.
        var cases: [(name: String, raw: [SwiftToken])] = []
        /// The uses of macros in the body.
        var macros: [Attribute] = []
        /// The tokens of the body.
        var body: [SwiftToken] = []
        /// The positions of the body in the tokens of the file.
        var range: Range<Int>
        /// The first line with a condition such as `#if`.
        var conditionLine: Int?
        /// The line of a property with several names, as in `let (a, b) = pair`.
        var patternLine: Int?
        var path: String
        var line: Int

        var isModel: Bool { attributes.contains { $0.name == "Model" } }

        /// - Throws: `ImportError` if the properties depend on a condition, or one has a pattern instead of a name.
        func checkReadable(_ kind: String) throws {
            if let line = conditionLine {
                throw ImportError(
                    "#if in \(kind) is not supported: import the branch that you ship", path: path, line: line)
            }
            if let line = patternLine {
                throw ImportError("only a simple name can follow var and let", path: path, line: line)
            }
        }
    }

    /// A type alias.
    struct Alias: Sendable {
        var name: String
        /// The complete name of the type that declares it; empty for a file.
        var scope: String
        var type: TypeName
        var path: String
        var line: Int
    }

    /// A static property, or a global variable.
    struct Constant: Sendable {
        var name: String
        /// The complete name of the type that declares it; empty for a file.
        var scope: String
        /// The tokens of the value; empty if it can change, or is computed.
        var value: [SwiftToken]
        var path: String
        var line: Int
    }

    struct File: Sendable {
        var path: String
        var tokens: [SwiftToken]
        /// The names of parameters and local variables.
        var localNames: Set<String>
    }

    private(set) var files: [File] = []
    private(set) var declarations: [Declaration] = []
    /// The types and aliases by their complete names.
    private(set) var members: [String: [Member]] = [:]
    /// The constants by their complete names.
    private(set) var constants: [String: [Constant]] = [:]

    init() {}

    mutating func add(_ found: [Member], to name: String) { members[name, default: []] += found }

    mutating func add(_ found: [Constant], to name: String) { constants[name, default: []] += found }

    /// Adds the declarations of a file.
    ///
    /// - Throws: `ImportError` with the line of something that cannot be read.
    mutating func read(_ text: String, path: String) throws {
        let tokens = try SwiftLexer.tokens(of: text, path: path)
        var parser = SwiftParser(tokens, path: path)
        try parser.parse()
        files.append(File(path: path, tokens: tokens, localNames: parser.localNames))
        declarations += parser.declarations
        for declaration in parser.declarations where declaration.kind != "extension" {
            members[declaration.name, default: []].append(.declaration(declaration))
        }
        for alias in parser.aliases {
            members[Self.complete(alias.name, in: alias.scope), default: []].append(.alias(alias))
        }
        for constant in parser.constants {
            constants[Self.complete(constant.name, in: constant.scope), default: []].append(constant)
        }
    }
}

extension SwiftSource {
    /// Returns a file, or the `.swift` files of a folder.
    static func files(at path: String) throws -> [String] {
        guard FileManager.default.fileExists(atPath: path) else {
            throw ImportError("there is no such file or folder", path: path)
        }
        guard FileManager.default.isFolder(path) else { return [path] }
        let names = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
        return names.filter { $0.hasSuffix(".swift") && !$0.contains(".build/") }.sorted().map { "\(path)/\($0)" }
    }

    static func text(of file: String) throws -> String {
        guard let text = try? String(contentsOfFile: file, encoding: .utf8) else {
            throw ImportError("it cannot be read as UTF-8", path: file)
        }
        return text
    }
}

extension [SwiftToken] {
    /// The value, if it is a string literal.
    var stringLiteral: String? {
        if count == 1, case .string(let text) = self[0].kind { text } else { nil }
    }

    /// The elements, if the value is an array literal or a dictionary literal.
    var listElements: [[SwiftToken]]? {
        guard first?.text == "[", let inside = inside(bracketAt: 0), inside.count == count - 2 else { return nil }
        return inside.map(\.text) == [":"] ? [] : inside.split(on: ",")
    }

    /// The words, if the tokens are words between dots.
    var names: [String]? {
        guard count % 2 == 1 else { return nil }
        let isPath = indices.allSatisfy { $0 % 2 == 0 ? self[$0].kind == .word : self[$0].text == "." }
        return isPath ? indices.filter { $0 % 2 == 0 }.map { self[$0].text } : nil
    }

    /// Returns the tokens between the bracket at a position and the one that closes it; nil if there is none.
    func inside(bracketAt start: Int) -> [SwiftToken]? {
        guard indices.contains(start), "([{".contains(self[start].text) else { return nil }
        var depth = 0
        for index in start..<count where self[index].kind == .symbol {
            if "([{".contains(self[index].text) { depth += 1 }
            if ")]}".contains(self[index].text) { depth -= 1 }
            if depth == 0 { return Array(self[(start + 1)..<index]) }
        }
        return nil
    }

    /// Returns the tokens from a position to the comma or the bracket that ends the argument.
    func argument(at start: Int) -> [SwiftToken] {
        var depth = 0
        for index in start..<count where self[index].kind == .symbol {
            if "([{".contains(self[index].text) { depth += 1 }
            if ")]}".contains(self[index].text) { depth -= 1 }
            if depth < 0 || depth == 0 && self[index].text == "," { return Array(self[start..<index]) }
        }
        return Array(self[start...])
    }

    /// Returns the parts between occurrences of a symbol that no brackets enclose.
    func split(on symbol: String) -> [[SwiftToken]] {
        var parts: [[SwiftToken]] = [[]]
        var depth = 0
        for token in self {
            if "([{".contains(token.text) { depth += 1 }
            if ")]}".contains(token.text) { depth -= 1 }
            if depth == 0, token.text == symbol, token.kind == .symbol {
                parts.append([])
            } else {
                parts[parts.count - 1].append(token)
            }
        }
        return parts.filter { !$0.isEmpty }
    }

    /// The source, with the spaces that separate tokens.
    var text: String {
        enumerated().map { ($0 > 0 && $1.isSpaced ? " " : "") + $1.text }.joined()
    }
}
