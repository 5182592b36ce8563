import JSONText
import SchemaModel
import SQLSchema

/// Reads `imported` in `strata.json`: the format of the databases that existed before the schema.
struct ImportedSourceReader {
    let file: SourceFile
    private(set) var diagnostics: [Diagnostic] = []

    init(file: SourceFile) { self.file = file }

    static let keys = [
        "from", "forms", "columns", "unread", "hashes", "user_versions", "statements", "invalid_rows", "renames",
        "descriptions",
    ]

    mutating func read(_ json: JSON) -> ImportedSource? {
        guard let members = object(json, key: "imported", like: "an object like {\"from\": \"room\"}") else {
            return nil
        }
        var library: ImportedFormat.Library?
        var source = ImportedSource(library: .sqlite)
        for member in members {
            switch member.key {
            case "from": library = self.library(member.value)
            case "forms": source.forms = forms(member.value)
            case "unread":
                let like = "an object like {\"table.column\": \"derived\"}"
                source.unread = states(member.value, key: "unread", like: like) { $0.reason($1, key: $2) }
            case "hashes": source.hashes = states(member.value, key: "hashes") { $0.hash($1, key: $2) }
            case "user_versions":
                source.userVersions = byVersion(member.value, key: "user_versions", like: "an object like {\"1.0\": 1}")
                {
                    $0.number($1, key: $2)
                }
            case "statements":
                source.statements = byVersion(
                    member.value, key: "statements", like: "an object like {\"2.0\": [\"UPDATE …\"]}"
                ) {
                    $0.texts($1, key: $2, expected: "an array of strings")
                }
            case "columns": source.origins = states(member.value, key: "columns") { $0.origins($1, key: $2) }
            // `ConfigurationReader.invalidRows()` reads "invalid_rows". The import reads "renames" and "descriptions".
            case "invalid_rows": break
            case "descriptions": _ = hash(member.value, key: "descriptions")
            case "renames": _ = object(member.value, key: "renames", like: "an object")
            default:
                let nearest = Self.keys.nearest(to: member.key)
                report(.unknownKey(member.key, of: "\"imported\"", nearest: nearest), member.keyOffset)
            }
        }
        guard let library else {
            if !members.contains(where: { $0.key == "from" }) {
                report(.missingKey("from", of: "\"imported\""), json.offset)
            }
            return nil
        }
        source.library = library
        return source
    }

    private mutating func report(_ problem: Problem, _ offset: Int) {
        diagnostics.append(file.diagnostic(problem, at: offset))
    }

    private mutating func object(_ json: JSON, key: String, like expected: String) -> [JSON.Member]? {
        if case .object(let members) = json.value { return members }
        report(.wrongKind(key: key, expected: expected, found: json.kind), json.offset)
        return nil
    }

    private mutating func string(_ json: JSON, key: String, expected: String) -> String? {
        if let text = json.text { return text }
        report(.wrongKind(key: key, expected: expected, found: json.kind), json.offset)
        return nil
    }

    private mutating func known<Value>(
        _ value: Value?, _ text: String, of key: String, among known: [String], _ json: JSON
    ) -> Value? {
        if value == nil { report(.unknownValue(text, of: key, allowed: known), json.offset) }
        return value
    }

    // MARK: Values by version

    /// Reads an object that contains values by name.
    ///
    /// A name has one value for all versions, or an object with a value for each version that changes it. In that
    /// object, null ends the previous value.
    private mutating func states<Value>(
        _ json: JSON, key: String, like expected: String = "an object",
        _ value: (inout Self, JSON, String) -> Value?
    ) -> [String: [ImportedSource.Since<Value>]] {
        var states: [String: [ImportedSource.Since<Value>]] = [:]
        for name in object(json, key: key, like: expected) ?? [] {
            guard case .object(let versions) = name.value.value else {
                states[name.key] = value(&self, name.value, name.key).map { [.init(nil, $0)] } ?? []
                continue
            }
            states[name.key] = versions.compactMap { entry in
                guard let version = version(entry) else { return nil }
                if entry.value.isNull { return .init(version, nil) }
                return value(&self, entry.value, name.key).map { .init(version, $0) }
            }
        }
        return states
    }

    /// Reads an object that contains values by version.
    private mutating func byVersion<Value>(
        _ json: JSON, key: String, like expected: String, _ value: (inout Self, JSON, String) -> Value?
    ) -> [Version: Value] {
        var values: [Version: Value] = [:]
        for entry in object(json, key: key, like: expected) ?? [] {
            if let version = version(entry) { values[version] = value(&self, entry.value, entry.key) }
        }
        return values
    }

    private mutating func version(_ entry: JSON.Member) -> Version? {
        if let version = Version(entry.key) { return version }
        report(.malformedVersion(entry.key), entry.keyOffset)
        return nil
    }

    // MARK: Values

    private mutating func library(_ json: JSON) -> ImportedFormat.Library? {
        guard let text = string(json, key: "from", expected: "a string") else { return nil }
        let libraries = ImportedFormat.Library.allCases.map(\.rawValue)
        return known(ImportedFormat.Library(rawValue: text), text, of: "from", among: libraries, json)
    }

    private mutating func forms(_ json: JSON) -> [String: [ImportedSource.Form]] {
        var forms: [String: [ImportedSource.Form]] = [:]
        for column in object(json, key: "forms", like: "an object") ?? [] {
            var values: [(version: JSON.Member?, json: JSON)] = [(nil, column.value)]
            if case .object(let versions) = column.value.value { values = versions.map { ($0, $0.value) } }
            for (member, json) in values {
                let since = member.flatMap { version($0) }
                guard let name = string(json, key: column.key, expected: "the name of a form") else { continue }
                let names = ImportedForm.named.keys.sorted()
                if let form = known(ImportedForm.named[name], name, of: "form", among: names, json) {
                    forms[column.key, default: []].append(.init(since: since, form: form))
                }
            }
        }
        return forms
    }

    private mutating func reason(_ json: JSON, key: String) -> ImportedUnread.Reason? {
        guard let text = string(json, key: key, expected: "a reason") else { return nil }
        let reasons = ImportedUnread.Reason.allCases.map(\.rawValue)
        return known(ImportedUnread.Reason(rawValue: text), text, of: "reason", among: reasons, json)
    }

    private mutating func number(_ json: JSON, key: String) -> Int? {
        if case .number(let text) = json.value, let number = Int(text) { return number }
        report(.wrongKind(key: key, expected: "a whole number", found: json.shown), json.offset)
        return nil
    }

    private mutating func hash(_ json: JSON, key: String) -> UInt64? {
        if let text = json.text, text.utf8.count == 16, let hash = UInt64(text, radix: 16) { return hash }
        report(.wrongKind(key: key, expected: "a string of sixteen hexadecimal digits", found: json.shown), json.offset)
        return nil
    }

    private mutating func origins(_ json: JSON, key: String) -> [String]? {
        texts(json, key: key, expected: "a string like \"Entity.property\", or an array of such strings")
    }

    private mutating func texts(_ json: JSON, key: String, expected: String) -> [String]? {
        if let text = json.text { return [text] }
        if case .array(let elements) = json.value {
            let texts = elements.compactMap(\.text)
            if texts.count == elements.count { return texts }
        }
        report(
            .wrongKind(key: key, expected: expected, found: json.kindOfElements), json.offset)
        return nil
    }
}
