import JSONText
import SchemaModel
import SQLSchema

/// Reads the values of `strata.json`, and collects diagnostics.
package struct ConfigurationReader {
    /// The diagnostics so far.
    package private(set) var diagnostics: [Diagnostic] = []
    private let file: SourceFile
    private var values: [String: JSON] = [:]

    private static let keys = KeyTable(
        owner: "strata.json",
        fields: [
            "schema", "mode", "tests", "access", "ddl", "templates", "codable", "structs", "versions",
            "oldest_supported_version", "chain", "imported",
        ])

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
            if let problem = keys.problem(with: member.key) {
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
                .wrongKind(key: key, expected: "a string or a list of strings", found: json.kind), at: json.offset))
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

    /// Reads the format of the databases that existed before the schema; nil if there is no valid `imported`.
    package mutating func imported() -> ImportedSource? {
        guard let json = values["imported"] else { return nil }
        func report(_ problem: Problem, _ offset: Int) { diagnostics.append(file.diagnostic(problem, at: offset)) }
        guard case .object(let members) = json.value else {
            report(
                .wrongKind(key: "imported", expected: "an object like {\"from\": \"room\"}", found: json.kind),
                json.offset)
            return nil
        }
        var library: ImportedFormat.Library?
        var forms: [String: [ImportedSource.Form]] = [:]
        var origins: [String: [ImportedSource.Since<[String]>]] = [:]
        var unread: [String: [ImportedSource.Since<ImportedUnread.Reason>]] = [:]
        var hashes: [String: [ImportedSource.Since<UInt64>]] = [:]
        /// Reads the value of a key. It is one value for all versions, or an object with values by their first version,
        /// where null ends the value before it.
        func states<Value>(_ member: JSON.Member, _ value: (JSON) -> Value?) -> [ImportedSource.Since<Value>] {
            guard case .object(let versions) = member.value.value else {
                return value(member.value).map { [.init(nil, $0)] } ?? []
            }
            return versions.compactMap { entry in
                guard let version = Version(entry.key) else {
                    report(.malformedVersion(entry.key), entry.keyOffset)
                    return nil
                }
                if case .null = entry.value.value { return .init(version, nil) }
                return value(entry.value).map { .init(version, $0) }
            }
        }
        for member in members {
            switch (member.key, member.value.value) {
            case ("from", .string(let text)):
                library = ImportedFormat.Library(rawValue: text)
                if library == nil {
                    let known = ImportedFormat.Library.allCases.map(\.rawValue)
                    report(.unknownValue(text, of: "from", nearest: known.nearest(to: text)), member.value.offset)
                }
            case ("forms", .object(let columns)):
                for column in columns {
                    var pairs: [(version: JSON.Member?, value: JSON)] = [(nil, column.value)]
                    if case .object(let versions) = column.value.value { pairs = versions.map { ($0, $0.value) } }
                    for (member, value) in pairs {
                        let since = member.flatMap { Version($0.key) }
                        if let member, since == nil { report(.malformedVersion(member.key), member.keyOffset) }
                        guard case .string(let name) = value.value else {
                            report(
                                .wrongKind(key: column.key, expected: "the name of a form", found: value.kind),
                                value.offset)
                            continue
                        }
                        if let form = ImportedForm.named[name] {
                            forms[column.key, default: []].append(.init(since: since, form: form))
                        } else {
                            let known = ImportedForm.named.keys.sorted()
                            report(.unknownValue(name, of: "form", nearest: known.nearest(to: name)), value.offset)
                        }
                    }
                }
            case ("unread", .object(let names)):
                for name in names {
                    unread[name.key] = states(name) { json in
                        guard case .string(let text) = json.value else {
                            report(.wrongKind(key: name.key, expected: "a reason", found: json.kind), json.offset)
                            return nil
                        }
                        let reason = ImportedUnread.Reason(rawValue: text)
                        if reason == nil {
                            let known = ImportedUnread.Reason.allCases.map(\.rawValue)
                            report(.unknownValue(text, of: "reason", nearest: known.nearest(to: text)), json.offset)
                        }
                        return reason
                    }
                }
            case ("unread", _):
                report(
                    .wrongKind(
                        key: "unread", expected: "an object like {\"table.column\": \"derived\"}",
                        found: member.value.kind),
                    member.value.offset)
            case ("hashes", .object(let names)):
                for name in names {
                    hashes[name.key] = states(name) { json in
                        if case .string(let text) = json.value, text.utf8.count == 16,
                            let hash = UInt64(text, radix: 16)
                        {
                            return hash
                        }
                        report(
                            .wrongKind(key: name.key, expected: "sixteen hexadecimal digits", found: json.kind),
                            json.offset)
                        return nil
                    }
                }
            case ("hashes", _):
                report(.wrongKind(key: "hashes", expected: "an object", found: member.value.kind), member.value.offset)
            case ("columns", .object(let names)):
                for name in names {
                    origins[name.key] = states(name) { json in
                        switch json.value {
                        case .string(let text): return [text]
                        case .array(let elements):
                            let texts = elements.compactMap {
                                if case .string(let text) = $0.value { text } else { nil }
                            }
                            if texts.count == elements.count { return texts }
                        default: break
                        }
                        report(
                            .wrongKind(
                                key: name.key, expected: "an Entity.property or a list of them", found: json.kind),
                            json.offset)
                        return nil
                    }
                }
            case ("columns", _):
                report(.wrongKind(key: "columns", expected: "an object", found: member.value.kind), member.value.offset)
            // `invalidRows()` reads "invalid_rows", and the import reads "renames".
            case ("invalid_rows", _), ("renames", .object): break
            case ("renames", _):
                report(
                    .wrongKind(key: "renames", expected: "an object", found: member.value.kind), member.value.offset)
            case ("from", _):
                report(.wrongKind(key: "from", expected: "a string", found: member.value.kind), member.value.offset)
            case ("forms", _):
                report(.wrongKind(key: "forms", expected: "an object", found: member.value.kind), member.value.offset)
            default:
                let nearest = ["from", "forms", "columns", "unread", "hashes", "invalid_rows", "renames"].nearest(
                    to: member.key)
                report(.unknownKey(member.key, of: "\"imported\"", nearest: nearest), member.keyOffset)
            }
        }
        guard let library else {
            if !members.contains(where: { $0.key == "from" }) {
                report(.missingKey("from", of: "\"imported\""), json.offset)
            }
            return nil
        }
        var source = ImportedSource(library: library, forms: forms)
        source.origins = origins
        source.unread = unread
        source.hashes = hashes
        return source
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
        let nearest = Choice.allCases.map(\.rawValue).nearest(to: text)
        diagnostics.append(file.diagnostic(.unknownValue(text, of: key, nearest: nearest), at: json.offset))
        return nil
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
