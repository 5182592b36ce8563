import Foundation

/// The value of an argument `migrationChain`.
struct MigrationChain {
    /// The versions, oldest first.
    private(set) var versions: [String] = []
    let path: String
    let line: Int

    /// The types that a parameter for a chain can have.
    private static let types: Set = [
        "MigrationChain", "[String]", "[ModelVersion]", "[String:String]", "[ModelVersion:ModelVersion]",
    ]

    /// Reads a chain; nil if it is empty, or if the tokens are the type of a parameter.
    ///
    /// - Throws: `ImportError` if it is not written with literals and constants, or if it is not one line of versions.
    init?(_ value: SwiftSource.Value, _ source: SwiftSource, line: Int) throws {
        (path, self.line) = (value.path, line)
        var value = value
        if let assignment = value.tokens.firstIndex(where: { $0.text == "=" }) {
            // The default value of a parameter.
            value.tokens = Array(value.tokens[(assignment + 1)...])
        } else if Self.types.contains(value.tokens.map(\.text).joined()) {
            return nil
        }
        for _ in 0..<16 {
            value = try source.constant(value)
            guard let inner = Self.argument(of: value.tokens) else { break }
            value.tokens = inner
        }
        if value.tokens.isEmpty || value.tokens.map(\.text) == ["nil"] { return nil }
        func text(_ tokens: [SwiftToken]) throws -> String {
            let named = SwiftSource.Value(tokens: tokens, scope: value.scope, path: value.path)
            guard let text = try source.constant(named).tokens.stringLiteral else {
                throw refusal("is not written with literals")
            }
            return text
        }
        guard let elements = value.tokens.listElements else {
            versions = [try text(value.tokens)]
            return
        }
        if elements.isEmpty { return nil }
        let links = try elements.map { try $0.split(on: ":").map(text) }
        if links.allSatisfy({ $0.count == 1 }) {
            versions = links.flatMap(\.self)
        } else if links.allSatisfy({ $0.count == 2 }) {
            versions = try order(of: links.map { ($0[0], $0[1]) })
        } else {
            throw refusal("is not written with literals")
        }
        if let index = versions.indices.first(where: { versions[..<$0].contains(versions[$0]) }) {
            throw refusal("is a cycle: " + versions[...index].joined(separator: ", "))
        }
    }

    private func refusal(_ message: String) -> ImportError {
        ImportError("the migration chain " + message, path: path, line: line)
    }

    /// Returns the tokens between the parentheses of `MigrationChain(…)`; nil for another value.
    private static func argument(of value: [SwiftToken]) -> [SwiftToken]? {
        guard let open = value.firstIndex(where: { $0.text == "(" }), let inside = value.inside(bracketAt: open),
            ["MigrationChain", "MigrationChain.init", ".init"].contains(value[..<open].map(\.text).joined()),
            open + inside.count + 2 == value.count
        else { return nil }
        return inside
    }

    /// Returns the versions of `["V1": "V2", "V2": "V3"]` in their order.
    private func order(of links: [(from: String, to: String)]) throws -> [String] {
        func walk(from first: String) -> [String] {
            var walk = [first]
            while walk.count <= links.count, let next = links.first(where: { $0.from == walk.last })?.to {
                walk.append(next)
                if next == first { break }
            }
            return walk
        }
        for (from, to) in links {
            let targets = links.filter { $0.from == from }.map(\.to)
            if targets.count > 1 {
                throw refusal("names two versions after \(from): " + targets.joined(separator: ", "))
            }
            let path = walk(from: from)
            if path.last == from { throw refusal("is a cycle: " + path.joined(separator: ", ")) }
            let sources = links.filter { $0.to == to }.map(\.from)
            if sources.count > 1, !sources.contains(to) {
                throw refusal(
                    "branches: \(sources.joined(separator: " and ")) migrate to \(to); import a chain in which each version "
                        + "migrates to the next one, and write the steps that skip versions as \"chain\" in strata.json"
                )
            }
        }
        let roots = links.map(\.from).filter { root in !links.contains { $0.to == root } }
        if roots.count > 1 { throw refusal("has several first versions: " + roots.joined(separator: ", ")) }
        return roots.first.map(walk) ?? []
    }
}
