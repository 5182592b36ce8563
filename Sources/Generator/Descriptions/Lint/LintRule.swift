import JSONText
import SchemaModel

/// A target environment whose rules a model has to obey.
package enum LintProfile: String, CaseIterable, Hashable, Sendable {
    /// Citus, an extension of PostgreSQL.
    case citus
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
    private var reader = FieldValueReader()

    var diagnostics: [Diagnostic] { reader.diagnostics }

    /// The choices of `"severity"`.
    private enum Severity: String, CaseIterable { case error, warning }

    init(file: SourceFile) { self.file = file }

    mutating func read(_ json: JSON) -> [LintRule] {
        let elements = reader.array(json, key: "lint", expected: "an array, like [\"citus\"]", file) ?? []
        return elements.compactMap { rule($0) }
    }

    private mutating func rule(_ json: JSON) -> LintRule? {
        guard case .object(let members) = json.value else {
            let profile: LintProfile? = reader.choice(json, key: "lint", file)
            return profile.map {
                LintRule(profile: $0, severity: .error, since: nil, offset: json.offset, file: file)
            }
        }
        var rule = (profile: LintProfile?.none, severity: Severity.error, since: Version?.none, offset: json.offset)
        for member in members {
            switch member.key {
            case "profile": rule.profile = reader.choice(member.value, key: "profile", file)
            case "severity": rule.severity = reader.choice(member.value, key: "severity", file) ?? .error
            case "since":
                rule.offset = member.value.offset
                guard let text = reader.string(member.value, key: "since", file) else { continue }
                rule.since = Version(text)
                if rule.since == nil { reader.report(.malformedVersion(text), file, rule.offset) }
            default:
                let nearest = ["profile", "severity", "since"].nearest(to: member.key)
                reader.report(
                    .unknownKey(member.key, of: "an element of \"lint\"", nearest: nearest), file, member.keyOffset)
            }
        }
        if !members.contains(where: { $0.key == "profile" }) {
            reader.report(.missingKey("profile", of: "an element of \"lint\""), file, json.offset)
        }
        return rule.profile.map { profile in
            LintRule(
                profile: profile, severity: rule.severity == .error ? .error : .warning, since: rule.since,
                offset: rule.offset, file: file)
        }
    }
}
