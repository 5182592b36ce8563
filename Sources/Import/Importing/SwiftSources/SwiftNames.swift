import Foundation

/// Looks names up in the types where they are written.
extension SwiftSource {
    /// A type or an alias.
    enum Member: Sendable {
        case declaration(Declaration)
        case alias(Alias)

        fileprivate var place: (path: String, line: Int) {
            switch self {
            case .declaration(let declaration): (declaration.path, declaration.line)
            case .alias(let alias): (alias.path, alias.line)
            }
        }
    }

    static func complete(_ name: String, in scope: String) -> String { scope.isEmpty ? name : scope + "." + name }

    /// Returns a type, and the types around it, whose members a name can refer to; last the file, with an empty name.
    static func scopes(of type: String) -> [String] {
        let parts = type.split(separator: ".")
        return parts.indices.reversed().map { parts[...$0].joined(separator: ".") } + [""]
    }

    /// Returns the same types, each with its superclasses, whose members a name can refer to as well.
    func scopes(of type: String) throws -> [String] {
        var all: [String] = []
        for scope in Self.scopes(of: type) {
            var next = scope
            var seen = Set(all)
            while seen.insert(next).inserted {
                all.append(next)
                guard case .declaration(let found)? = members[next]?.first, found.kind == "class",
                    let parent = found.inherits.first,
                    let superclass = try declaration(parent, in: Array(Self.scopes(of: next).dropFirst()))
                else { break }
                next = superclass.name
            }
        }
        return all
    }

    /// Returns the innermost type around a token.
    func scope(of index: Int, in path: String) -> String {
        declarations.filter { $0.path == path && $0.range.contains(index) }.min { $0.range.count < $1.range.count }?
            .name
            ?? ""
    }

    /// Adds the members that extensions declare through an alias, as in `typealias Note = V2.Note` and
    /// `extension Note { enum State: String {} }`.
    ///
    /// - Throws: `ImportError` if a type is declared twice.
    mutating func linkExtensions() throws {
        for name in Set(declarations.filter { $0.kind == "extension" }.map(\.name)) {
            guard let extended = try declaration(name, in: [""]), extended.name != name else { continue }
            for (member, found) in members where member.hasPrefix(name + ".") {
                add(found, to: extended.name + member.dropFirst(name.count))
            }
            for (member, found) in constants where member.hasPrefix(name + ".") {
                add(found, to: extended.name + member.dropFirst(name.count))
            }
        }
    }

    /// Returns the type or the alias with a complete name.
    ///
    /// - Throws: `ImportError` if there are two.
    private func member(_ complete: String) throws -> Member? {
        guard let found = members[complete] else { return nil }
        // `typealias Color = UIColor` or `NSColor`, depending on a condition: a model stores neither.
        let areUnknown = found.allSatisfy { member in
            guard case .alias(let alias) = member, case .named(let name) = alias.type else { return false }
            return members[name] == nil && SwiftTypes.columns[SwiftTypes.withoutModule(name)] == nil
        }
        if found.count > 1, areUnknown { return nil }
        try Self.checkSingle(complete, found.map(\.place))
        return found.first
    }

    private static func checkSingle(_ name: String, _ places: [(path: String, line: Int)]) throws {
        guard places.count > 1 else { return }
        let first = URL(fileURLWithPath: places[0].path).lastPathComponent + ":\(places[0].line)"
        throw ImportError(
            "\(name) is declared here a second time, after \(first)", path: places[1].path, line: places[1].line)
    }

    /// Returns the type or the alias that a name refers to; nil if the sources do not declare it.
    ///
    /// - Parameters:
    ///   - name: A name, or several ones between dots.
    ///   - scopes: The types whose members the name can refer to, innermost first.
    /// - Throws: `ImportError` if a type is declared twice.
    func member(_ name: String, in scopes: [String], depth: Int = 0) throws -> Member? {
        let parts = name.split(separator: ".").map(String.init)
        guard depth < 16, let first = parts.first else { return nil }
        var found: Member?
        for scope in scopes where found == nil { found = try member(Self.complete(first, in: scope)) }
        let isKnown = found != nil
        for part in parts.dropFirst() {
            guard let outer = try found.flatMap({ try declaration(behind: $0, depth) }) else { break }
            found = try member(Self.complete(part, in: outer.name))
        }
        if found != nil || parts.count == 1 { return found }
        // An extension can be of a type in other sources.
        for scope in scopes where found == nil { found = try member(Self.complete(name, in: scope)) }
        // The first part can be the name of the module.
        guard found == nil, !isKnown, !["Swift", "Foundation", "CoreStore", "SwiftData"].contains(first) else {
            return found
        }
        return try member(parts.dropFirst().joined(separator: "."), in: [""], depth: depth + 1)
    }

    private func declaration(behind member: Member, _ depth: Int) throws -> Declaration? {
        switch member {
        case .declaration(let declaration): return declaration
        case .alias(let alias):
            guard case .named(let name) = alias.type else { return nil }
            return try self.member(name, in: Self.scopes(of: alias.scope), depth: depth + 1)
                .flatMap { try declaration(behind: $0, depth + 1) }
        }
    }

    /// Returns the type that a name refers to, behind aliases; nil if the sources do not declare it.
    func declaration(_ name: String, in scopes: [String]) throws -> Declaration? {
        try member(name, in: scopes).flatMap { try declaration(behind: $0, 0) }
    }

    /// Returns a type with the complete names of what the sources declare, and without aliases.
    func resolved(_ type: TypeName, in scopes: [String], depth: Int = 0) throws -> TypeName {
        guard depth < 16 else { return type }
        switch type {
        case .optional(let inner): return .optional(try resolved(inner, in: scopes, depth: depth + 1))
        case .array(let inner): return .array(try resolved(inner, in: scopes, depth: depth + 1))
        case .set(let inner): return .set(try resolved(inner, in: scopes, depth: depth + 1))
        case .other: return type
        case .named(let name):
            switch try member(name, in: scopes) {
            case .declaration(let declaration): return .named(declaration.name)
            case .alias(let alias): return try resolved(alias.type, in: Self.scopes(of: alias.scope), depth: depth + 1)
            case nil: return type
            }
        }
    }

    /// A value, and where its names are looked up.
    struct Value {
        var tokens: [SwiftToken]
        var scope: String
        var path: String
    }

    /// Returns the value of the constant that a value names; the value itself if it names none.
    ///
    /// - Throws: `ImportError` if a constant is declared twice.
    func constant(_ value: Value, depth: Int = 0) throws -> Value {
        guard depth < 16, let names = value.tokens.names, let name = names.last,
            !(files.first { $0.path == value.path }?.localNames.contains(names[0]) ?? false)
        else { return value }
        var scopes = try scopes(of: value.scope)
        if names.count > 1 {
            let outer = names.dropLast().joined(separator: ".")
            // The sources may have only an extension of the type.
            scopes = [try outer == "Self" ? value.scope : declaration(outer, in: scopes)?.name ?? outer]
        }
        for scope in scopes {
            let complete = Self.complete(name, in: scope)
            if let found = constants[complete] {
                // A private one hides those of other files.
                let own = found.filter { $0.path == value.path }
                let found = own.isEmpty ? found : own
                try Self.checkSingle(complete, found.map { ($0.path, $0.line) })
                if found[0].value.isEmpty { return value }
                return try constant(
                    Value(tokens: found[0].value, scope: found[0].scope, path: found[0].path), depth: depth + 1)
            }
            // A property of an object hides it.
            if declarations.contains(where: { $0.name == scope && $0.properties.contains { $0.name == name } }) {
                break
            }
        }
        return value
    }

    /// Returns arguments in which literals replace the names of constants that are strings.
    func withConstants(
        _ arguments: [(label: String?, value: [SwiftToken])], in scope: String, path: String
    ) throws -> [(label: String?, value: [SwiftToken])] {
        try arguments.map { label, value in
            let found = try constant(Value(tokens: value, scope: scope, path: path)).tokens
            return (label, found.stringLiteral == nil ? value : found)
        }
    }
}
