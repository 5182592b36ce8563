import JSONText
import SchemaModel
import SQLSchema

/// Reads the values of `strata.json`, and collects diagnostics.
package struct ConfigurationReader {
    /// The diagnostics so far.
    package private(set) var diagnostics: [Diagnostic] = []
    private let file: SourceFile
    private var values: [String: JSON] = [:]

    /// Reads `file` and checks its keys.
    ///
    /// - Throws: `Diagnostic` if the file is not a JSON object.
    package static func read(_ file: SourceFile) throws(Diagnostic) -> ConfigurationReader {
        let json = try file.json()
        guard case .object(let members) = json.value else {
            throw file.diagnostic(
                .wrongKind(key: "strata.json", expected: "an object, like {}", found: json.kind), at: json.offset)
        }
        var reader = ConfigurationReader(file: file)
        for member in members {
            if let problem = KeyTable.configuration.problem(with: member.key) {
                reader.diagnostics.append(file.diagnostic(problem, at: member.keyOffset))
            }
            reader.values[member.key] = member.value
        }
        return reader
    }

    private init(file: SourceFile) {
        self.file = file
    }

    /// Returns the string of a key; nil if it is absent or, after a diagnostic, not a string.
    package mutating func string(_ key: String) -> String? {
        guard let json = values[key] else { return nil }
        if case .string(let text) = json.value { return text }
        diagnostics.append(
            file.diagnostic(.wrongKind(key: key, expected: "a string", found: json.kind), at: json.offset))
        return nil
    }

    /// Returns the strings of a key whose value is a string or a list of strings; nil if it is absent or, after a
    /// diagnostic, neither.
    package mutating func strings(_ key: String) -> [String]? {
        guard let json = values[key] else { return nil }
        if case .string(let text) = json.value { return [text] }
        if case .array(let elements) = json.value, !elements.isEmpty {
            let texts = elements.compactMap { if case .string(let text) = $0.value { text } else { nil } }
            if texts.count == elements.count { return texts }
        }
        diagnostics.append(
            file.diagnostic(
                .wrongKind(key: key, expected: "a string or an array of strings", found: json.kindOfElements),
                at: json.offset))
        return nil
    }

    /// Returns the Boolean of a key; nil if it is absent or, after a diagnostic, not a Boolean.
    package mutating func flag(_ key: String) -> Bool? {
        guard let json = values[key] else { return nil }
        if case .bool(let flag) = json.value { return flag }
        diagnostics.append(
            file.diagnostic(.wrongKind(key: key, expected: "true or false", found: json.kind), at: json.offset))
        return nil
    }

    /// A value of `codable`.
    package enum Codable: Hashable, Sendable {
        case flag(Bool)
        case descriptionNames
    }

    /// Returns the value of `codable`; nil if it is absent or, after a diagnostic, wrong.
    package mutating func codable() -> Codable? {
        guard let json = values["codable"] else { return nil }
        switch json.value {
        case .bool(let value): return .flag(value)
        case .string("description_names"): return .descriptionNames
        default:
            let expected = "true, false or \"description_names\""
            diagnostics.append(
                file.diagnostic(.wrongKind(key: "codable", expected: expected, found: json.kind), at: json.offset))
            return nil
        }
    }

    /// Reads the settings of versions.
    package mutating func versions() -> VersionSettings {
        let settings = VersionSettings(values, file: file)
        diagnostics += settings.diagnostics
        return settings
    }

    /// Reads the format of the databases that existed before the schema; nil if `imported` is absent or,
    /// after a diagnostic, wrong.
    package mutating func imported() -> ImportedSource? {
        guard let json = values["imported"] else { return nil }
        var reader = ImportedSourceReader(file: file)
        defer { diagnostics += reader.diagnostics }
        return reader.read(json)
    }

    /// Reads the profiles of `lint`; none if it is absent or, after a diagnostic, wrong.
    package mutating func lintRules() -> [LintRule] {
        guard let json = values["lint"] else { return [] }
        var reader = LintReader(file: file)
        defer { diagnostics += reader.diagnostics }
        return reader.read(json)
    }

    /// Reads the settings for rows of imported databases that do not fit the schema.
    package func invalidRows() -> InvalidRowSettings {
        guard case .object(let members) = values["imported"]?.value else { return InvalidRowSettings(nil, file: file) }
        return InvalidRowSettings(members.first { $0.key == "invalid_rows" }?.value, file: file)
    }

    /// Returns the choice that the string of a key names; nil if it is absent or, after a diagnostic, unknown.
    package mutating func choice<Choice: RawRepresentable & CaseIterable>(_ key: String) -> Choice?
    where Choice.RawValue == String {
        guard let json = values[key], let text = string(key) else { return nil }
        if let choice = Choice(rawValue: text) { return choice }
        let allowed = Choice.allCases.map(\.rawValue)
        diagnostics.append(file.diagnostic(.unknownValue(text, of: key, allowed: allowed), at: json.offset))
        return nil
    }

    /// Returns the choices that an array names; nil if it is absent or, after a diagnostic, wrong.
    package mutating func choices<Choice: RawRepresentable & CaseIterable>(_ key: String) -> [Choice]?
    where Choice.RawValue == String {
        guard let json = values[key] else { return nil }
        guard case .array(let elements) = json.value else {
            diagnostics.append(
                file.diagnostic(
                    .wrongKind(key: key, expected: "an array of strings", found: json.kind), at: json.offset))
            return nil
        }
        var choices: [Choice] = []
        for element in elements {
            guard case .string(let text) = element.value else {
                diagnostics.append(
                    file.diagnostic(
                        .wrongKind(key: key, expected: "an array of strings", found: json.kindOfElements),
                        at: element.offset))
                continue
            }
            guard let choice = Choice(rawValue: text) else {
                let allowed = Choice.allCases.map(\.rawValue)
                diagnostics.append(file.diagnostic(.unknownValue(text, of: key, allowed: allowed), at: element.offset))
                continue
            }
            choices.append(choice)
        }
        return choices
    }

    /// Checks that the string of a key can be the name of a Swift type.
    package mutating func checkIdentifier(_ key: String) {
        guard let json = values[key], case .string(let text) = json.value else { return }
        let isIdentifier =
            text.first.map { $0.isLetter || $0 == "_" } == true
            && text.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" } && SwiftName.escaped(text) == text
        if Validator.reservedTypes.contains(text) {
            diagnostics.append(file.diagnostic(.reservedName(text), at: json.offset))
        } else if !isIdentifier {
            diagnostics.append(file.diagnostic(.notATypeName(text), at: json.offset))
        }
    }
}
