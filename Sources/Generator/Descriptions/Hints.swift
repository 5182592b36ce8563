import SQLSchema

/// Finds the key that an author meant.
enum KeyHint {
    /// The keys of other libraries, databases and languages.
    private static let known: [String: String] = [
        "optional": "nullable", "null": "nullable",
        "column": "persisted_name", "column_name": "persisted_name", "table": "persisted_name",
        "table_name": "persisted_name",
        "primary_key": "identifier", "id": "identifier", "key": "identifier", "comment": "description",
        "documentation": "description", "doc": "description", "fields": "properties", "columns": "properties",
        "attributes": "properties", "min": "minimum", "max": "maximum", "regex": "pattern", "enum": "one_of",
        "values": "one_of", "constraints": "checks", "target": "entity_name", "to": "entity_name",
        "cardinality": "association", "condition": "where", "expression": "where", "since": "added_at_version",
        "deprecated": "removed_at_version", "renamed_from": "previous_name", "history": "version_history",
        "fts": "search", "version": "version_history",
    ]

    /// The advice for keys that a description does not need.
    static let advice: [String: String] = [
        "required": "a property is required unless it has \"nullable\": true",
        "not_null": "a property is required unless it has \"nullable\": true",
    ]

    /// Returns the key that is meant by another one; nil if none of `keys` is similar.
    static func nearest(to key: String, among keys: Set<String>) -> String? {
        if let meant = known[key], keys.contains(meant) { return meant }
        let longer = keys.filter { $0.hasPrefix(key) || $0.hasSuffix("_" + key) }
        if key.utf8.count > 2, let meant = longer.min(by: { ($0.count, $0) < ($1.count, $1) }) { return meant }
        return keys.nearest(to: key)
    }
}

/// Finds the type that an author meant.
enum TypeHint {
    /// Returns a question or an advice; nil if no type is similar.
    ///
    /// - Parameters:
    ///   - name: The type as it is written.
    ///   - subtypes: The names of the subtypes.
    static func hint(_ name: String, subtypes: [String]) -> String? {
        let known = ScalarType.allCases.map(\.rawValue) + subtypes
        func type(_ name: some StringProtocol) -> String? {
            let name = String(name)
            if known.contains(name.lowercased()) { return name.lowercased() }
            if known.contains(name) { return name }
            return otherLanguages[name.lowercased()]
        }
        if name.hasSuffix("?") {
            return type(name.dropLast()).map { "write \"\($0)\", and \"nullable\": true beside \"property_type\"" }
        }
        let isList = name.hasPrefix("[") || name.hasSuffix("[]") || name.lowercased().hasPrefix("array<")
        let element = name.drop { $0 == "[" }.prefix { !"[]>".contains($0) }.split(separator: "<").last
        if isList, let element = element.flatMap(type) { return "a list is written \"[\(element)]\"" }
        if let other = otherLanguages[name.lowercased()] { return "did you mean \"\(other)\"?" }
        switch name.lowercased() {
        case "array", "list", "set": return "a list of texts is written \"[string]\""
        case "dictionary", "map": return "a dictionary of numbers is written \"{string:int}\""
        case "json", "object", "struct":
            return "describe a struct, a file with \"properties\" and no \"identifier\", and use its name"
        case "enum": return "describe an enum, a file with \"cases\", and use its name"
        default: break
        }
        let similar = known.allNearest(to: name).map { "\"\($0)\"" }
        return similar.isEmpty ? nil : "did you mean \(similar.joined(separator: " or "))?"
    }

    /// The types of other languages and databases.
    private static let otherLanguages: [String: String] = {
        let names: [(ScalarType, [String])] = [
            (.int, ["int8", "int16", "int32", "int64", "integer", "long", "short", "bigint", "number"]),
            (.bool, ["boolean"]), (.double, ["real", "float64"]), (.float, ["float32"]),
            (.string, ["text", "varchar", "char", "str"]), (.date, ["datetime", "timestamp", "time"]),
            (.data, ["blob", "bytes", "binary"]), (.decimal, ["numeric", "money"]), (.uuid, ["guid"]),
        ]
        return Dictionary(
            names.flatMap { type, names in names.map { ($0, type.rawValue) } }, uniquingKeysWith: { first, _ in first })
    }()
}

/// Explains why a description cannot have a value.
enum LiteralHint {
    /// Returns what to write instead of a number that would be stored as another one; nil for other values.
    static func hint(_ text: String, type: ScalarType) -> String? {
        if [.int, .milliseconds].contains(type), let value = Double(text), value.rounded() == value {
            return "write a whole number from \(Int64.min) to \(Int64.max)"
        }
        guard [.double, .float, .seconds, .date].contains(type), let value = Double(text), value.isFinite else {
            return nil
        }
        let nearest = type == .float ? Double(Float(text) ?? 0) : value
        guard nearest.isFinite else { return nil }
        let shown = Int64(exactly: nearest).map(String.init) ?? String(nearest)
        let types = [ScalarType.int, .decimal].filter { Literal(text, type: $0) != nil }.map(\.rawValue)
        return "it would be stored as \(shown); write that"
            + (types.isEmpty ? "" : ", or use \(types.joined(separator: " or "))")
    }
}
