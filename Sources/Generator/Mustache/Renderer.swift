import Foundation

/// Renders templates. Several threads can use a renderer at the same time.
package final class Renderer: Sendable {
    /// The escaping of values.
    package enum Escaping: Sendable {
        /// No escaping, for source code.
        case none
        /// `&`, `"`, `<` and `>` become entities, as in the specification.
        case html
    }

    /// The treatments of unknown names.
    package enum MissingNames: Sendable {
        /// An unknown name is an error with the template, line and column.
        case error
        /// An unknown name is rendered as empty text, as in the specification.
        case empty
    }

    private let sources: [String: String]
    private let escaping: Escaping
    private let missingNames: MissingNames
    private let lock = NSLock()
    /// The parsed templates, by their indentation and name. Guarded by the lock.
    nonisolated(unsafe) private var parsed: [String: [Token]] = [:]

    /// Creates a renderer of templates.
    ///
    /// - Parameters:
    ///   - sources: The texts of the templates and partials, by name.
    ///   - escaping: The escaping of values.
    ///   - missingNames: The treatment of unknown names.
    package init(_ sources: [String: String], escaping: Escaping = .none, missingNames: MissingNames = .error) {
        self.sources = sources
        self.escaping = escaping
        self.missingNames = missingNames
    }

    /// Renders the template `name` with `value`.
    ///
    /// - Throws: `TemplateError` if the template does not exist, if a template is malformed or, with
    ///   `MissingNames.error`, if it refers to an unknown name.
    package func render(_ name: String, _ value: Value) throws(TemplateError) -> String {
        guard let tokens = try tokens(name, indentation: "") else {
            throw TemplateError(template: name, line: 1, column: 1, message: "the template does not exist")
        }
        var output = ""
        var stack = [value]
        try render(tokens, template: name, &stack, into: &output)
        return output
    }

    private func tokens(_ name: String, indentation: String) throws(TemplateError) -> [Token]? {
        let key = indentation + name
        if let tokens = lock.withLock({ parsed[key] }) { return tokens }
        guard var source = sources[name] else { return nil }
        if !indentation.isEmpty {
            // Empty lines are not indented.
            source = source.split(separator: "\n", omittingEmptySubsequences: false)
                .map { $0.isEmpty ? "" : indentation + $0 }.joined(separator: "\n")
        }
        let tokens = try TemplateParser.parse(source, template: name)
        lock.withLock { parsed[key] = tokens }
        return tokens
    }

    private func render(
        _ tokens: [Token], template: String, _ stack: inout [Value], into output: inout String
    ) throws(TemplateError) {
        for token in tokens {
            switch token {
            case .text(let text):
                output += text
            case .variable(let name, let isEscaped):
                try interpolate(name, isEscaped: isEscaped, template: template, stack, into: &output)
            case .section(let name, let isInverted, let content):
                let value = try value(of: name, template: template, stack)
                if isInverted {
                    if !value.isTruthy { try render(content, template: template, &stack, into: &output) }
                    continue
                }
                switch value {
                case .list(let values):
                    for value in values {
                        stack.append(value)
                        try render(content, template: template, &stack, into: &output)
                        stack.removeLast()
                    }
                case .flag(true):
                    try render(content, template: template, &stack, into: &output)
                case .text, .object:
                    stack.append(value)
                    try render(content, template: template, &stack, into: &output)
                    stack.removeLast()
                case .flag(false), .null:
                    break
                }
            case .partial(let name, let indentation):
                if let partial = try self.tokens(name.text, indentation: indentation) {
                    try render(partial, template: name.text, &stack, into: &output)
                } else if missingNames == .error {
                    throw error("the template `\(name.text)` does not exist", at: name, template)
                }
            }
        }
    }

    private func interpolate(
        _ name: Name, isEscaped: Bool, template: String, _ stack: [Value], into output: inout String
    ) throws(TemplateError) {
        switch try value(of: name, template: template, stack) {
        case .text(let text):
            output += isEscaped && escaping == .html ? Self.html(text) : text
        case .null:
            break
        case .flag(let flag) where missingNames == .empty:
            output += flag ? "true" : "false"
        case .flag, .list, .object:
            if missingNames == .error { throw error("`\(name.text)` is not text", at: name, template) }
        }
    }

    /// Returns the value of `name`, from the innermost object that has a value for its first part.
    private func value(of name: Name, template: String, _ stack: [Value]) throws(TemplateError) -> Value {
        guard let first = name.parts.first else { return stack.last ?? .null }
        var found: Value?
        var depth = stack.count
        while found == nil, depth > 0 {
            depth -= 1
            if case .object(let object) = stack[depth] { found = object[first] }
        }
        var index = 1
        while index < name.parts.count {
            guard case .object(let object) = found else {
                found = nil
                break
            }
            found = object[name.parts[index]]
            index += 1
        }
        if let found { return found }
        if missingNames == .empty { return .null }
        throw error("unknown name `\(name.text)`", at: name, template)
    }

    private func error(_ message: String, at name: Name, _ template: String) -> TemplateError {
        TemplateError(template: template, line: name.line, column: name.column, message: message)
    }

    private static func html(_ text: String) -> String {
        var escaped = ""
        for character in text.unicodeScalars {
            switch character {
            case "&": escaped += "&amp;"
            case "\"": escaped += "&quot;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            default: escaped.unicodeScalars.append(character)
            }
        }
        return escaped
    }
}
