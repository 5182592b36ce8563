import JSONText
import SchemaModel

/// The settings of versions in `strata.json`.
package struct VersionSettings: Sendable {
    /// A version, with its offset in the file.
    struct Mention: Sendable {
        let version: Version
        let offset: Int
    }

    /// The file, for messages.
    let file: SourceFile
    /// All versions in ascending order; nil if `strata.json` does not list them.
    private(set) var listed: [Mention]?
    /// The names that versions had in the imported format.
    private(set) var formerNames: [Version: String] = [:]
    /// The listed versions that are not in ascending order.
    private var misplaced: Set<Version> = []
    private var oldest: Mention?
    private(set) var current: Mention?
    /// The versions to which stores of a version can migrate; the first is the default.
    private(set) var chain: [(from: Mention, to: [Mention])] = []
    private(set) var diagnostics: [Diagnostic] = []

    /// The oldest supported version; nil if all versions are supported.
    package var oldestSupported: Version? { oldest?.version }

    /// The version up to which everything is generated and released; nil if that is the newest version.
    package var currentVersion: Version? { current?.version }

    init(_ values: [String: JSON], file: SourceFile) {
        self.file = file
        if let json = values["versions"] { readVersions(json) }
        if let json = values["oldest_supported_version"] { oldest = version(json, key: "oldest_supported_version") }
        if let json = values["current_version"] { current = version(json, key: "current_version") }
        if let json = values["chain"] { readChain(json) }
    }

    private mutating func readVersions(_ json: JSON) {
        guard case .array(let elements) = json.value else {
            return report(.wrongKind(key: "versions", expected: "an array", found: json.kind), json.offset)
        }
        var mentions: [Mention] = []
        for element in elements {
            var json = element
            var name: String?
            if case .object(let members) = element.value {
                guard let version = members.first(where: { $0.key == "version" })?.value else {
                    report(.missingKey("version", of: "an entry of \"versions\""), element.offset)
                    continue
                }
                json = version
                for member in members where member.key != "version" {
                    if member.key == "was", case .string(let text) = member.value.value {
                        name = text
                    } else if member.key == "was" {
                        report(
                            .wrongKind(key: "was", expected: "a string", found: member.value.kind), member.value.offset)
                    } else {
                        let nearest = ["was", "version"].nearest(to: member.key)
                        report(
                            .unknownKey(member.key, of: "an entry of \"versions\"", nearest: nearest), member.keyOffset)
                    }
                }
            }
            guard let mention = entry(json, of: "versions", or: ", or an object with \"version\"") else { continue }
            if let last = mentions.last, mention.version <= last.version {
                misplaced.insert(mention.version)
                report(.versionsNotAscending(mention.version.text, after: last.version.text), mention.offset)
                continue
            }
            mentions.append(mention)
            if let name { formerNames[mention.version] = name }
        }
        listed = mentions
    }

    private mutating func readChain(_ json: JSON) {
        guard case .object(let members) = json.value else {
            return report(
                .wrongKind(key: "chain", expected: "an object like {\"1.0\": \"2.0\"}", found: json.kind), json.offset)
        }
        for member in members {
            let key = JSON(value: .string(member.key), offset: member.keyOffset)
            guard let from = version(key, key: "chain") else { continue }
            if chain.contains(where: { $0.from.version == from.version }) {
                report(.twoSuccessors(from.version.text), from.offset)
                continue
            }
            var targets: [Mention] = []
            var elements = [member.value]
            if case .array(let list) = member.value.value {
                elements = list
                if list.isEmpty { report(.noSuccessor(from.version.text), member.value.offset) }
            }
            for element in elements {
                guard let to = entry(element, of: "chain") else { continue }
                if to.version <= from.version {
                    report(.versionsNotAscending(to.version.text, after: from.version.text), to.offset)
                } else if targets.contains(where: { $0.version == to.version }) {
                    report(.sameSuccessor(to.version.text, of: from.version.text), to.offset)
                } else {
                    targets.append(to)
                }
            }
            chain.append((from, targets))
        }
    }

    /// Reads a version in an array or object.
    private mutating func entry(_ json: JSON, of key: String, or other: String = "") -> Mention? {
        if case .string = json.value { return version(json, key: key) }
        report(
            .wrongEntry(of: key, expected: "a version in quotes, like \"3.0\"" + other, found: json.kind), json.offset)
        return nil
    }

    private mutating func version(_ json: JSON, key: String) -> Mention? {
        guard case .string(let text) = json.value else {
            report(.wrongKind(key: key, expected: "a version, like \"1.0\"", found: json.kind), json.offset)
            return nil
        }
        guard let version = Version(text) else {
            report(.malformedVersion(text), json.offset)
            return nil
        }
        return Mention(version: version, offset: json.offset)
    }

    private mutating func report(_ problem: Problem, _ offset: Int) {
        diagnostics.append(file.diagnostic(problem, at: offset))
    }

    /// Returns the problems with the names of versions: unknown versions in the settings and, if `versions` lists all
    /// versions, unlisted versions in the descriptions.
    func problems(among versions: VersionList, _ mentions: [VersionMention]) -> [Diagnostic] {
        var references = [oldest, current].compactMap(\.self)
        for link in chain { references += [link.from] + link.to }
        let known = Set(versions.versions)
        var unknown = references.filter { !known.contains($0.version) }.map { mention in
            file.diagnostic(.unknownVersion(mention.version.text), at: mention.offset)
        }
        if unknown.isEmpty, let oldest, let current, current.version < oldest.version {
            let problem = Problem.currentVersionIsUnsupported(current.version.text, oldest: oldest.version.text)
            unknown = [file.diagnostic(problem, at: current.offset)]
        }
        guard let listed = listed.map({ misplaced.union($0.map(\.version)) }) else { return unknown }
        return unknown
            + mentions.filter { !listed.contains($0.version) }.map { mention in
                mention.file.diagnostic(.unlistedVersion(mention.version.text), at: mention.offset)
            }
    }
}
