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
    ///
    /// - Parameter type: A type as `unwrapped` returns it.
    func column(of type: SwiftSource.TypeName) throws -> String? {
        guard case .named(let name) = type else { return nil }
        if let found = try declaration(name) { return try rawType(of: found).flatMap { Self.columns[$0] } }
        return Self.columns[Self.withoutModule(name)]
    }

    /// Returns a type without `Optional`, and whether it was there. Aliases are replaced by the types behind them, and
    /// names by complete names.
    func unwrapped(
        _ type: SwiftSource.TypeName, in owner: SwiftSource.Declaration
    ) throws -> (SwiftSource.TypeName, isOptional: Bool) {
        var type = try source.resolved(type, in: scopes(of: owner))
        var isOptional = false
        while case .optional(let inner) = type { (type, isOptional) = (inner, true) }
        return (type, isOptional)
    }

    /// Returns the type of a property, which its value shows if it is not written.
    ///
    /// - Throws: `ImportError` if it does not.
    func type(
        of property: SwiftSource.Property, in owner: SwiftSource.Declaration
    ) throws -> (SwiftSource.TypeName, isOptional: Bool) {
        guard let type = try property.type ?? inferredType(of: property.value, in: owner) else {
            throw ImportError(
                "\(property.name): its type is not written, and its value does not show it: write the type",
                path: owner.path, line: property.line)
        }
        return try unwrapped(type, in: owner)
    }

    static func withoutModule(_ name: String) -> String {
        name.hasPrefix("Swift.") || name.hasPrefix("Foundation.") ? String(name.drop { $0 != "." }.dropFirst()) : name
    }

    private func scopes(of owner: SwiftSource.Declaration) throws -> [String] {
        inSchema(try source.scopes(of: owner.name))
    }

    /// Adds the type in whose scope names are found too.
    private func inSchema(_ scopes: [String]) -> [String] { schema.map { scopes.dropLast() + [$0, ""] } ?? scopes }

    /// Returns the arguments of an attribute, with literals in the place of constants.
    func withConstants(
        _ arguments: [(label: String?, value: [SwiftToken])], of owner: SwiftSource.Declaration
    ) throws -> [(label: String?, value: [SwiftToken])] {
        try source.withConstants(arguments, in: owner.name, path: owner.path)
    }

    /// Returns the type that an alias stands for; nil if the name is not an alias.
    func aliased(_ name: String, in owner: SwiftSource.Declaration) throws -> SwiftSource.TypeName? {
        guard case .alias(let alias)? = try source.member(name, in: scopes(of: owner)) else { return nil }
        return alias.type
    }

    /// Returns the type with a complete name; nil if the sources do not declare it.
    func declaration(_ name: String) throws -> SwiftSource.Declaration? { try source.declaration(name, in: [""]) }

    /// Returns the type that a name in the list of inherited types refers to.
    func declaration(
        _ name: String, around owner: SwiftSource.Declaration
    ) throws -> SwiftSource.Declaration? {
        try source.declaration(name, in: inSchema(Array(SwiftSource.scopes(of: owner.name).dropFirst())))
    }

    /// Returns the raw type of an enum; nil if it has none.
    private func rawType(of found: SwiftSource.Declaration) throws -> String? {
        guard found.kind == "enum" else { return nil }
        for name in found.inherits {
            if case .named(let type) = try source.resolved(.named(name), in: SwiftSource.scopes(of: found.name)),
                try declaration(type) == nil, Self.columns[Self.withoutModule(type)] != nil
            {
                return Self.withoutModule(type)
            }
        }
        return nil
    }

    static func text(of type: SwiftSource.TypeName) -> String {
        switch type {
        case .named(let name), .other(let name): name
        case .array(let element): "[\(text(of: element))]"
        case .set(let element): "Set<\(text(of: element))>"
        case .optional(let inner): text(of: inner) + "?"
        }
    }

    /// Returns the type of a value without a written type, which may be a case of an enum: `State.draft`.
    private func inferredType(
        of value: [SwiftToken], in owner: SwiftSource.Declaration
    ) throws -> SwiftSource.TypeName? {
        if let type = Self.type(of: value) { return type }
        guard let names = value.names, names.count > 1 else { return nil }
        let type = names.dropLast().joined(separator: ".")
        guard let found = try source.declaration(type, in: scopes(of: owner)), found.kind == "enum",
            found.cases.contains(where: { $0.name == names.last })
        else { return nil }
        return .named(type)
    }

    /// The static properties of Foundation's types that have the type itself.
    private static let statics: Set = [
        "now", "distantPast", "distantFuture", "min", "max", "zero", "pi", "infinity", "nan", "greatestFiniteMagnitude",
        "leastNormalMagnitude", "leastNonzeroMagnitude",
    ]

    /// The labels of initializers that can fail.
    private static let failing: Set = [
        "string", "uuidString", "base64Encoded", "rawValue", "exactly", "encoding", "validating",
    ]

    /// Returns the type of a value without a written type; nil if the complete value does not show it.
    private static func type(of value: [SwiftToken]) -> SwiftSource.TypeName? {
        guard let first = value.first else { return nil }
        if value.count == 1 {
            switch first.kind {
            case .string: return .named("String")
            case .number:
                let isHexadecimal = first.text.hasPrefix("0x")
                let isFraction = first.text.contains(".") || !isHexadecimal && first.text.lowercased().contains("e")
                return .named(isFraction ? "Double" : "Int")
            case .word where ["true", "false"].contains(first.text): return .named("Bool")
            default: return nil
            }
        }
        if value.count == 2, first.text == "-", value[1].kind == .number { return type(of: [value[1]]) }
        // `Date.now`
        if let names = value.names, names.count > 1,
            columns[withoutModule(names.dropLast().joined(separator: "."))] != nil,
            statics.contains(names[names.count - 1])
        {
            return .named(names.dropLast().joined(separator: "."))
        }
        if let elements = value.listElements {
            let types = Set(elements.map { type(of: $0) })
            if types.count == 1, case .some(.some(let element)) = types.first { return .array(element) }
        }
        // `URL(string: "https://example.com")!`
        let isForced = value.last?.text == "!"
        let call = isForced ? value.dropLast() : value
        guard let type = SwiftParser.initialized(call), let open = call.firstIndex(where: { $0.text == "(" }) else {
            return nil
        }
        guard case .named(let name) = type else { return isForced ? nil : type }
        let parts = SwiftSource.Attribute(name: "", arguments: call.inside(bracketAt: open) ?? [], line: 0).parts
        // `Int("7")` can fail.
        let isText = parts.contains { $0.label == nil && $0.value.first?.kind != .number }
        let isNumber = columns[withoutModule(name)].map { $0 != "String" && $0 != "Binary" } ?? false
        let canFail = parts.contains { failing.contains($0.label ?? "") } || isNumber && isText
        return name.split(separator: ".").last?.first?.isUppercase == true && (isForced || !canFail) ? type : nil
    }

    /// Whether a value is `nil`, or `.none` of an optional.
    static func isNil(_ value: [SwiftToken], isOptional: Bool) -> Bool {
        value.map(\.text) == ["nil"] || isOptional && [".none", "Optional.none"].contains(value.text)
    }

    /// Returns the raw value of a case of an enum, `.draft` or `State.draft`; nil if the value is none.
    ///
    /// - Throws: `ImportError` if a condition decides which cases there are.
    func rawValue(
        of value: [SwiftToken], _ type: SwiftSource.TypeName, in owner: SwiftSource.Declaration
    ) throws -> String? {
        let names = value.first?.text == "." ? Array(value.dropFirst()).names : value.names
        guard case .named(let name) = type, let found = try declaration(name), let raw = try rawType(of: found),
            let names, let wanted = names.last, value.first?.text == "." ? names.count == 1 : names.count > 1
        else { return nil }
        if names.count > 1 {
            let written = try source.declaration(names.dropLast().joined(separator: "."), in: scopes(of: owner))
            guard written?.name == found.name else { return nil }
        }
        if let line = found.conditionLine {
            throw ImportError(
                "#if in an enum is not supported: import the branch that you ship", path: found.path, line: line)
        }
        var number = 0
        for (name, tokens) in found.cases {
            let written = Self.literal(tokens)
            if let next = written.flatMap({ Int($0) }) { number = next }
            if name == wanted, written == nil, !tokens.isEmpty { return nil }
            if name == wanted { return written ?? (raw == "String" ? wanted : String(number)) }
            number += 1
        }
        return nil
    }

    /// Returns the default value in the form of a Core Data model; nil if the value is not a literal.
    static func literal(_ value: [SwiftToken]) -> String? {
        switch (value.first?.kind, value.count) {
        case (.string(let text), 1): return text
        case (.number, 1): return number(value[0].text)
        case (.word, 1) where value[0].text == "true": return "YES"
        case (.word, 1) where value[0].text == "false": return "NO"
        case (.symbol, 2) where value[0].text == "-" && value[1].kind == .number:
            return "-" + number(value[1].text)
        default: return nil
        }
    }

    /// Returns a number in decimal digits.
    private static func number(_ text: String) -> String {
        let digits = text.filter { $0 != "_" }
        return integer(digits).map(String.init) ?? digits
    }

    /// Returns the value of an integer literal, such as `0xff`; nil if it is none.
    static func integer(_ text: String) -> UInt64? {
        let digits = text.filter { $0 != "_" }
        let radix = ["0x": 16, "0o": 8, "0b": 2][String(digits.prefix(2))]
        return UInt64(radix == nil ? digits : String(digits.dropFirst(2)), radix: radix ?? 10)
    }
}
