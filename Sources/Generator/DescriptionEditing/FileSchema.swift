import Descriptions
import JSONText

/// The JSON Schemas (draft-07) of the files that you write, for editors. They accept every file that Strata accepts, and
/// find many mistakes while you type.
package enum FileSchema: String, CaseIterable, Sendable {
    case entity, subtype, strata

    /// The name of the schema's file.
    package var fileName: String { "\(rawValue).schema.json" }

    /// The text of the schema.
    package var text: String {
        let (root, definitions): (JSONOutput, [(String, JSONOutput)]) =
            switch self {
            case .entity:
                (
                    Self.schema(of: .entity),
                    [
                        ("property", Self.schema(of: .property)), ("index", Self.schema(of: .index)),
                        ("check", Self.schema(of: .check)), ("search", Self.schema(of: .search)),
                        ("identifier", Self.schema(of: .identifier)), ("relationship", Self.schema(of: .relationship)),
                        ("item", Self.schema(of: .item)),
                    ]
                )
            case .subtype:
                (
                    Self.schema(of: .subtype),
                    [
                        ("case", Self.schema(of: .subtypeCase)), ("option", Self.schema(of: .option)),
                        ("member", Self.schema(of: .member)), ("item", Self.schema(of: .item)),
                    ]
                )
            case .strata:
                (
                    Self.schema(of: .configuration),
                    [("entry", Self.object(KeyTable.entryKeys, required: [["version"]]))]
                )
            }
        var members = [JSONOutput.Member("$schema", .string("http://json-schema.org/draft-07/schema#"))]
        members += root.members
        let values = definitions.map { JSONOutput.Member($0.0, $0.1) }
        members.append(.init("definitions", .object(values)))
        return JSONOutput.object(members).file
    }

    private static func schema(of table: KeyTable) -> JSONOutput {
        let required: [[String]] =
            switch table.kind {
            // An entity that is not stored needs nothing else.
            case .entity: [["name", "identifier"], ["persist"]]
            case .item: [["version"]]
            case .identifier: [["type"]]
            case .relationship: [["entity_name", "association"]]
            case .configuration: []
            case .property, .member: [table.required, ["unused"]]
            case .index, .check, .search, .subtype, .subtypeCase, .option: [table.required]
            }
        let keys = table.keys.map(\.name)
        let other = (keys + table.aliases.keys + table.ignored).sorted().map(spellings)
        return object(table.keys, required: required, fields: table.fields, aliases: other)
    }

    /// Returns the schema of an object.
    ///
    /// - Parameters:
    ///   - keys: The keys.
    ///   - required: The required keys, as alternatives.
    ///   - fields: The keys whose value may be null.
    ///   - aliases: Patterns of other accepted keys.
    private static func object(
        _ keys: [KeyTable.Key], required: [[String]], fields: Set<String> = [], aliases: [String] = []
    ) -> JSONOutput {
        let properties = keys.map { key in
            let schema = fields.contains(key.name) ? key.schema.orNull : key.schema
            return JSONOutput.Member(
                key.name, .object([.init("description", .string(key.summary))] + schema.json.members))
        }
        var members = [JSONOutput.Member("type", .string("object")), .init("properties", .object(properties))]
        if !aliases.isEmpty {
            members.append(
                .init("patternProperties", .object([.init("^(\(aliases.joined(separator: "|")))$", .object([]))])))
        }
        members.append(.init("additionalProperties", .bool(false)))
        let alternatives = required.flatMap(alternatives).map {
            JSONOutput.object([.init("required", .array($0.map { .string($0) }))])
        }
        if alternatives.count == 1 { members += alternatives[0].members }
        if alternatives.count > 1 { members.append(.init("anyOf", .array(alternatives))) }
        return .object(members)
    }

    /// Returns a list of required keys in all spellings: with underscores, and in camelCase.
    private static func alternatives(_ keys: [String]) -> [[String]] {
        keys.reduce([[]]) { lists, key in
            let words = key.split(separator: "_").map(String.init)
            let camel =
                (words.first ?? "") + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
            return lists.flatMap { list in (camel == key ? [key] : [key, camel]).map { list + [$0] } }
        }
    }

    /// Returns a pattern of the spellings of a key that `KeyTable.canonical` accepts: `added_at` and `addedAt`.
    private static func spellings(of key: String) -> String {
        var pattern = ""
        var isStart = false
        for character in key {
            if character == "_" {
                isStart = true
            } else {
                pattern +=
                    isStart ? "(_\(character)|\(character.uppercased()))" : character == "$" ? "\\$" : "\(character)"
                isStart = false
            }
        }
        return pattern
    }
}
