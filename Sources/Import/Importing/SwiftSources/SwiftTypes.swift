/// Finds out what the names of types and the values of properties mean in Swift sources.
struct SwiftTypes {
    private let source: SwiftSource
    /// The name of a type in whose scope names are found too; nil if there is none.
    private let schema: String?

    init(_ source: SwiftSource, schema: String?) { (self.source, self.schema) = (source, schema) }

    /// The types of Core Data's attributes, by the names of Swift's types.
    static let columns = [
        "String": "String", "Int": "Integer 64", "Int8": "Integer 16", "Int16": "Integer 16", "Int32": "Integer 32",
        "Int64": "Integer 64", "UInt8": "Integer 16", "UInt16": "Integer 32", "UInt32": "Integer 64", "Bool": "Boolean",
        "Double": "Double", "CGFloat": "Double", "TimeInterval": "Double", "Float": "Float", "Decimal": "Decimal",
        "Date": "Date", "Data": "Binary", "UUID": "UUID", "URL": "URI", "NSString": "String", "NSDate": "Date",
        "NSData": "Binary", "NSURL": "URI", "NSUUID": "UUID", "NSDecimalNumber": "Decimal",
    ]

    /// Returns the type of the attribute for a type, which may be an enum with raw values; nil if there is none.
    func column(of type: SwiftSource.TypeName, in owner: SwiftSource.Declaration) -> String? {
        if case .named(let known) = type, let found = Self.columns[known] { return found }
        return rawType(of: type, in: owner).flatMap { Self.columns[$0] }
    }

    /// Returns a type without `Optional`, and whether it was there. Names of other types are replaced by these.
    func unwrapped(
        _ type: SwiftSource.TypeName, in owner: SwiftSource.Declaration
    ) -> (SwiftSource.TypeName, isOptional: Bool) {
        var (type, isOptional) = (type, false)
        // An alias may stand for another one, and an optional type may be nested.
        for _ in 0..<16 {
            if case .optional(let inner) = type {
                (type, isOptional) = (inner, true)
            } else if case .named(let name) = type, let other = alias(name, in: owner), other != type {
                type = other
            } else if case .named(let name) = type, name.hasPrefix("Swift.") || name.hasPrefix("Foundation.") {
                type = .named(String(name.drop { $0 != "." }.dropFirst()))
            } else {
                break
            }
        }
        return (type, isOptional)
    }

    /// Returns the type behind an alias; nil if the name is not an alias. Inner names hide outer ones.
    func alias(_ name: String, in owner: SwiftSource.Declaration) -> SwiftSource.TypeName? {
        for scope in scopes(of: owner) {
            if source.declarations.contains(where: { $0.kind != "extension" && $0.name == scope + name }) { return nil }
            if let alias = source.aliases[scope + name] { return alias }
        }
        return nil
    }

    func scopes(of owner: SwiftSource.Declaration) -> [String] {
        let parts = owner.name.split(separator: ".")
        let own = parts.indices.reversed().map { parts[...$0].joined(separator: ".") + "." }
        return own + [schema.map { $0 + "." } ?? "", ""]
    }

    func declaration(_ name: String, in owner: SwiftSource.Declaration) -> SwiftSource.Declaration? {
        let types = source.declarations.filter { $0.kind != "extension" }
        return scopes(of: owner).lazy.compactMap { scope in types.first { $0.name == scope + name } }.first
    }

    /// Returns the raw type of an enum; nil if it has none.
    func rawType(of type: SwiftSource.TypeName, in owner: SwiftSource.Declaration) -> String? {
        guard case .named(let name) = type, let found = declaration(name, in: owner), found.kind == "enum" else {
            return nil
        }
        return found.inherits.first { Self.columns[$0] != nil }
    }

    static func text(of type: SwiftSource.TypeName) -> String {
        switch type {
        case .named(let name), .other(let name): name
        case .array(let element): "[\(text(of: element))]"
        case .optional(let inner): text(of: inner) + "?"
        }
    }

    /// Returns the type of a value without a written type, which may be a case of an enum: `State.draft`.
    func inferredType(of value: [SwiftToken], in owner: SwiftSource.Declaration) -> SwiftSource.TypeName? {
        if let type = Self.type(of: value) { return type }
        let names = value.split { $0.text == "." }.compactMap(\.first)
        guard names.count > 1, value.count == 2 * names.count - 1, names.allSatisfy({ $0.kind == .word }) else {
            return nil
        }
        let type = names.dropLast().map(\.text).joined(separator: ".")
        guard let found = declaration(type, in: owner), found.kind == "enum",
            found.body.contains(where: { $0.text == names.last?.text })
        else { return nil }
        return .named(type)
    }

    /// Returns the type of a value without a written type.
    private static func type(of value: [SwiftToken]) -> SwiftSource.TypeName? {
        guard let first = value.first else { return nil }
        if value.count == 1 {
            switch first.kind {
            case .string: return .named("String")
            case .number: return .named(first.text.contains(".") ? "Double" : "Int")
            case .word where ["true", "false"].contains(first.text): return .named("Bool")
            default: return nil
            }
        }
        if value.count == 2, first.text == "-", value[1].kind == .number { return type(of: [value[1]]) }
        // `UUID()`, `Date.now`
        if columns[first.text] != nil, "(.".contains(value[1].text) { return .named(first.text) }
        if first.text == "[", value.last?.text == "]" {
            let types = Set(Array(value[1..<(value.count - 1)]).split(on: ",").map { type(of: $0) })
            if types.count == 1, case .some(.some(let element)) = types.first { return .array(element) }
        }
        switch SwiftParser.initialized(value) {
        case .named(let name): return name.split(separator: ".").last?.first?.isUppercase == true ? .named(name) : nil
        case let type: return type
        }
    }

    /// Returns the raw value of a case of an enum, `.draft` or `State.draft`; nil if the value is none.
    func rawValue(
        of value: [SwiftToken], _ type: SwiftSource.TypeName, in owner: SwiftSource.Declaration
    ) -> String? {
        guard case .named(let name) = type, let found = declaration(name, in: owner), found.kind == "enum",
            let wanted = value.last?.text, value.dropLast().last?.text == "."
        else { return nil }
        var number = 0
        var index = 0
        while index + 1 < found.body.count {
            index += 1
            guard ["case", ","].contains(found.body[index - 1].text), found.body[index].kind == .word else { continue }
            let written = index + 2 < found.body.count && found.body[index + 1].text == "="
            let rest = written ? Array(found.body[(index + 2)...].prefix(2)) : []
            let raw = Self.literal(Array(rest.prefix(1))) ?? Self.literal(rest)
            if let next = raw.flatMap({ Int($0) }) { number = next }
            if found.body[index].text == wanted {
                return raw ?? (found.inherits.contains("String") ? wanted : String(number))
            }
            number += 1
        }
        return nil
    }

    /// Returns the default value in the form of a Core Data model; nil if the value is not a literal.
    static func literal(_ value: [SwiftToken]) -> String? {
        switch (value.first?.kind, value.count) {
        case (.string(let text), 1): return text
        case (.number, 1): return value[0].text.filter { $0 != "_" }
        case (.word, 1) where value[0].text == "true": return "YES"
        case (.word, 1) where value[0].text == "false": return "NO"
        case (.symbol, 2) where value[0].text == "-" && value[1].kind == .number:
            return "-" + value[1].text.filter { $0 != "_" }
        default: return nil
        }
    }
}
