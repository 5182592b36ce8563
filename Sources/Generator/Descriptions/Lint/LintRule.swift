import JSONText
import SchemaModel

/// A target environment whose rules a model has to obey.
package enum LintProfile: String, CaseIterable, Hashable, Sendable {
    /// Citus, an extension of PostgreSQL.
    case citus
    /// YugabyteDB.
    case yugabyte
    /// CockroachDB.
    case cockroach
    /// Synchronization by CloudKit.
    case sync
}

/// A profile in `"lint"` of `strata.json`.
package struct LintRule: Sendable {
    let profile: LintProfile
    let severity: Diagnostic.Severity
    /// The oldest version that has to obey the rules; nil for all versions.
    let since: Version?
    /// The offset of `since` in the file.
    let offset: Int
    let file: SourceFile
}

/// Reads `"lint"`, and collects diagnostics.
struct LintReader {
    let file: SourceFile
    private(set) var diagnostics: [Diagnostic] = []

    /// The choices of `"severity"`.
    private enum Severity: String, CaseIterable { case error, warning }

    init(file: SourceFile) { self.file = file }

    mutating func read(_ json: JSON) -> [LintRule] {
        guard case .array(let elements) = json.value else {
            report(.wrongKind(key: "lint", expected: "an array, like [\"citus\"]", found: json.kind), json.offset)
            return []
        }
        return elements.compactMap { rule($0) }
    }

    private mutating func rule(_ json: JSON) -> LintRule? {
        guard case .object(let members) = json.value else {
            guard let profile: LintProfile = choice(json, key: "lint") else { return nil }
            return LintRule(profile: profile, severity: .error, since: nil, offset: json.offset, file: file)
        }
        var (profile, severity, since): (LintProfile?, Severity?, JSON?)
        for member in members {
            switch member.key {
            case "profile": profile = choice(member.value, key: "profile")
            case "severity": severity = choice(member.value, key: "severity")
            case "since": since = member.value
            default:
                let nearest = ["profile", "severity", "since"].nearest(to: member.key)
                report(.unknownKey(member.key, of: "an element of \"lint\"", nearest: nearest), member.keyOffset)
            }
        }
        guard let profile else {
            if !members.contains(where: { $0.key == "profile" }) {
                report(.missingKey("profile", of: "an element of \"lint\""), json.offset)
            }
            return nil
        }
        var version: Version?
        if let since {
            guard let text = string(since, key: "since") else { return nil }
            version = Version(text)
            if version == nil { report(.malformedVersion(text), since.offset) }
        }
        return LintRule(
            profile: profile, severity: severity == .warning ? .warning : .error, since: version,
            offset: since?.offset ?? json.offset, file: file)
    }

    private mutating func choice<Choice: RawRepresentable & CaseIterable>(_ json: JSON, key: String) -> Choice?
    where Choice.RawValue == String {
        guard let text = string(json, key: key) else { return nil }
        let choice = Choice(rawValue: text)
        if choice == nil {
            report(.unknownValue(text, of: key, allowed: Choice.allCases.map(\.rawValue)), json.offset)
        }
        return choice
    }

    private mutating func string(_ json: JSON, key: String) -> String? {
        if let text = json.text { return text }
        report(.wrongKind(key: key, expected: "a string", found: json.kind), json.offset)
        return nil
    }

    private mutating func report(_ problem: Problem, _ offset: Int) {
        diagnostics.append(file.diagnostic(problem, at: offset))
    }
}
