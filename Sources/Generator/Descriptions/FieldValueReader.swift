import JSONText
import SchemaModel
import SQLSchema

/// Reads the values of fields. A value of the wrong kind is reported and read as nil.
struct FieldValueReader: Sendable {
    var diagnostics: [Diagnostic] = []

    mutating func report(_ problem: Problem, _ file: SourceFile, _ offset: Int) {
        diagnostics.append(file.diagnostic(problem, at: offset))
    }

    mutating func note(_ problem: Problem, _ file: SourceFile, _ offset: Int) {
        diagnostics.append(
            Diagnostic(problem, path: file.path, position: file.position(of: offset), severity: .note))
    }

    mutating func string(_ json: JSON, key: String, _ file: SourceFile) -> String? {
        if let text = json.text { return text }
        report(.wrongKind(key: key, expected: "a string", found: json.kind), file, json.offset)
        return nil
    }

    mutating func bool(_ key: String, _ fields: Fields) -> Bool? {
        guard let json = fields.value(key) else { return nil }
        if case .bool(let value) = json.value { return value }
        report(.wrongKind(key: key, expected: "true or false", found: json.kind), fields.file, json.offset)
        return nil
    }

    mutating func array(_ json: JSON, key: String, expected: String, _ file: SourceFile) -> [JSON]? {
        if case .array(let values) = json.value { return values }
        report(.wrongKind(key: key, expected: expected, found: json.kind), file, json.offset)
        return nil
    }

    mutating func choice<Choice: RawRepresentable & CaseIterable>(
        _ json: JSON, key: String, _ file: SourceFile
    ) -> Choice? where Choice.RawValue == String {
        guard let text = string(json, key: key, file) else { return nil }
        if let choice = Choice(rawValue: text) { return choice }
        report(.unknownValue(text, of: key, allowed: Choice.allCases.map(\.rawValue)), file, json.offset)
        return nil
    }

    mutating func literal(_ json: JSON, key: String, type: ScalarType, _ file: SourceFile) -> Literal? {
        if let literal = LiteralReader.literal(json, type: type) {
            if literal.byteCount <= SQLiteLimits.constant { return literal }
            report(
                .tooMany(
                    "\"\(key)\"", found: literal.byteCount, "bytes", most: SQLiteLimits.constant,
                    remedy: "set it in code, when you create a row"), file, json.offset)
            return nil
        }
        var hint = type.facts.literalHint
        if case .number(let text) = json.value { hint = LiteralHint.hint(text, type: type) ?? hint }
        report(.wrongLiteral(key: key, type: type.rawValue, found: json.shown, hint: hint), file, json.offset)
        return nil
    }

    /// Returns the name of an element; nil if it is missing or, after a diagnostic, not usable.
    mutating func name(_ fields: Fields) -> String? {
        fields["name"].flatMap { name($0.json, key: "name", fields.file) }
    }

    /// Returns the name of a table or a column; nil if it is derived from the name of the element or, after a
    /// diagnostic, not usable.
    mutating func persistedName(_ fields: Fields) -> String? {
        fields.value("persisted_name").flatMap { name($0, key: "persisted_name", fields.file) }
    }

    /// Returns a string that is usable as a name; nil, after a diagnostic, for any other value.
    mutating func name(_ json: JSON, key: String, _ file: SourceFile) -> String? {
        guard let name = string(json, key: key, file) else { return nil }
        guard let problem = SwiftName.problem(with: name) else { return name }
        report(problem, file, json.offset)
        return nil
    }
}
