import SchemaModel

/// The released versions, which must not change. They are in the file `strata.lock`.
///
/// The file is text. Its first line names the newest version, so that two releases on different branches conflict. After
/// its head, each version has a line `version 1.0 fingerprint …`. Below it are the logical
/// lines of the entities that are new or changed in this version, and a line `removed NAME` for each removed entity. A line
/// `step 1.0 to 2.0 fingerprint …` follows if the two versions do not show all of the step between them, and then the lines of that.
/// A line `results 1.0 to 2.0 …` has the fingerprint of the file with the results of a step.
package struct Lock: Hashable, Sendable {
    /// A sealed version.
    package struct Sealed: Hashable, Sendable {
        /// The version.
        package let version: Version
        /// The logical lines of all its entities and subtypes, sorted.
        package let lines: [String]
        /// The fingerprint of the version.
        package let fingerprint: Fingerprint
        /// The fingerprint of the statements that create its tables; nil in a lock that an older version of Strata
        /// wrote.
        package var ddl: Fingerprint?
        /// The fingerprint of the file of its fixture; nil until the tests have written it.
        package var fixture: Fingerprint?
        /// The oldest version whose apps can use stores of this version; nil if only apps of this version can.
        package var compatibleSince: Version?
        /// The step from the sealed version before; nil for the first version, and in a lock of format 1.
        package var step: Step?
        /// The fingerprints of the files with the results of the steps to the version, by the version before.
        package var results: [Version: Fingerprint] = [:]

        /// The first line of the version in the file.
        var head: String {
            let ddl = ddl.map { " ddl \($0)" } ?? ""
            return "version \(version) fingerprint \(fingerprint)\(ddl)" + (fixture.map { " fixture \($0)" } ?? "")
                + (compatibleSince.map { " compatible \($0)" } ?? "")
        }
    }

    /// A sealed step between two versions.
    package struct Step: Hashable, Sendable {
        /// The version before.
        package let from: Version
        /// The lines of what the two versions do not show, sorted.
        package let lines: [String]

        /// Whether the lines have the same bytes.
        func isSame(as other: Step?) -> Bool {
            from == other?.from && Fingerprint(of: lines) == other.map { Fingerprint(of: $0.lines) }
        }

        /// The first line of the step in the file.
        ///
        /// - Parameter version: The version after.
        func head(to version: Version) -> String { "step \(from) to \(version) fingerprint \(Fingerprint(of: lines))" }
    }

    /// The name of the schema.
    package var schema: String
    /// The sealed versions, oldest first.
    package var versions: [Sealed]
    /// The imported versions that are not sealed yet, oldest first. Their databases exist already; the first release
    /// seals them.
    package var imported: [Version] = []

    private static let head = """
        # The released versions, which must not change. `generate` writes this file: commit it, and do not edit it.
        format 2

        """

    /// Creates a lock. By default, it seals no versions.
    package init(schema: String, versions: [Sealed] = []) {
        self.schema = schema
        self.versions = versions
    }

    /// Creates a lock that seals the first `count` versions of `history`, the files of their fixtures, and those with the
    /// results of steps.
    package init(
        sealing count: Int, of history: SchemaHistory, fixtures: [Version: Fingerprint] = [:],
        results: [StepVersions: Fingerprint] = [:]
    ) {
        let sealed = Set(history.versions.prefix(count).map(\.version))
        self.init(
            schema: history.name,
            versions: Array(history.versions.prefix(count).enumerated()).concurrentMap { index, version in
                let oldest = history.compatibleSince(version.version)
                let lines = index == 0 ? nil : history.stepLines(from: index - 1, sealed: sealed)
                return Sealed(
                    version: version.version, lines: version.logicalLines, fingerprint: version.fingerprint,
                    ddl: version.ddlFingerprint, fixture: fixtures[version.version],
                    compatibleSince: oldest == version.version ? nil : oldest,
                    step: lines.map { Step(from: history.versions[index - 1].version, lines: $0.map(\.text)) },
                    results: Dictionary(
                        uniqueKeysWithValues: results.filter { $0.key.to == version.version }.map {
                            ($0.key.from, $0.value)
                        }))
            })
        imported = history.versions.dropFirst(count).map(\.version).filter(history.isImported)
    }

    /// The sealed steps, and those with sealed results, oldest first.
    package var steps: [StepVersions] {
        versions.flatMap { sealed in
            Set([sealed.step?.from].compactMap(\.self) + sealed.results.keys).sorted().map {
                StepVersions(from: $0, to: sealed.version)
            }
        }
    }

    /// The fingerprints of the files with the results of steps.
    package var results: [StepVersions: Fingerprint] {
        var results: [StepVersions: Fingerprint] = [:]
        for sealed in versions {
            for (from, file) in sealed.results { results[.init(from: from, to: sealed.version)] = file }
        }
        return results
    }

    /// Returns the lock without the versions that are older than `version`.
    package func supported(from version: Version) -> Lock {
        var lock = Lock(schema: schema, versions: versions.filter { $0.version >= version })
        if !lock.versions.isEmpty { lock.versions[0].step = nil }
        for index in lock.versions.indices {
            lock.versions[index].results = lock.versions[index].results.filter { $0.key >= version }
        }
        return lock
    }

    /// Returns the lock without the lines and the results of a step. The next comparison then accepts the present ones.
    package func accepting(_ step: StepVersions) -> Lock {
        var lock = self
        for index in lock.versions.indices where lock.versions[index].version == step.to {
            if lock.versions[index].step?.from == step.from { lock.versions[index].step = nil }
            lock.versions[index].results[step.from] = nil
        }
        return lock
    }

    /// Returns the lock without the DDL fingerprints that differ from those of `history`. It then accepts that DDL.
    package func acceptingDDL(of history: SchemaHistory) -> Lock {
        var lock = self
        for index in lock.versions.indices {
            let version = history.versions.first { $0.version == lock.versions[index].version }
            if version?.ddlFingerprint != lock.versions[index].ddl { lock.versions[index].ddl = nil }
        }
        return lock
    }

    /// The text of the file.
    package var text: String {
        let newest = versions.last.map { "\($0.version) \($0.fingerprint)" } ?? "nothing"
        var text = "released \(newest)\n" + Self.head + "schema \(schema)\n"
        if !imported.isEmpty {
            text += "# Imported, and not released here yet: the first release seals these versions.\n"
        }
        for version in imported { text += "imported \(version)\n" }
        var before: [String] = []
        for sealed in versions {
            let changed = Self.lines(in: sealed.lines, not: before)
            text += "\n\(sealed.head)\n"
            for (from, file) in sealed.results.sorted(by: { $0.key < $1.key }) {
                text += "results \(from) to \(sealed.version) \(file)\n"
            }
            text += changed.map { $0 + "\n" }.joined()
            let kept = Set(changed.compactMap(Self.name))
            for name in Self.lines(in: before, not: sealed.lines).compactMap(Self.name) where !kept.contains(name) {
                text += "removed \(name)\n"
            }
            if let step = sealed.step, !step.lines.isEmpty {
                text += ([step.head(to: sealed.version)] + step.lines).map { $0 + "\n" }.joined()
            }
            before = sealed.lines
        }
        return text
    }

    /// Returns the lines that `others` does not contain. Both are sorted by bytes.
    private static func lines(in lines: [String], not others: [String]) -> [String] {
        var index = 0
        return lines.filter { line in
            while index < others.count, others[index].isBefore(line) { index += 1 }
            return index == others.count || line.isBefore(others[index])
        }
    }

    /// An error in the text of a lock file.
    package struct Malformed: Error, Hashable, Sendable {
        /// The number of the line; the first line is 1.
        package var line: Int
        /// The reason.
        package var reason: String
    }

    /// Parses the text of a lock file. Lines may end with LF or CRLF.
    ///
    /// - Parameter checksFirstLine: Whether the first line must name the newest version.
    package init(parsing text: String, checkingFirstLine checksFirstLine: Bool = true) throws(Malformed) {
        var parser = LockParser()
        for bytes in text.utf8.split(separator: 0x0a, omittingEmptySubsequences: false) {
            try parser.read(String(decoding: bytes.last == 0x0d ? bytes.dropLast() : bytes, as: UTF8.self))
        }
        self.init(schema: parser.schema, versions: try parser.sections.concurrentMap(LockParser.seal))
        imported = parser.imported
        if parser.format == 2 {
            for index in versions.indices.dropFirst() where versions[index].step == nil {
                versions[index].step = Step(from: versions[index - 1].version, lines: [])
            }
        }
        let found = versions.last.map { "\($0.version) \($0.fingerprint)" } ?? "nothing"
        if let newest = parser.newest, checksFirstLine, newest != found {
            throw Malformed(
                line: 1, reason: "the newest version is not \(newest); restore the file from version control")
        }
    }

    static func byName(_ lines: [String]) -> [String: String] {
        Dictionary(lines.map { (name(of: $0) ?? $0, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The name of an entity or subtype at the start of its logical line; nil if `line` is not such a line.
    static func name(of line: String) -> String? {
        line.firstRange(of: " | ").map { String(line[..<$0.lowerBound]) }
    }
}

extension Lock.Sealed {
    /// Creates a sealed version with the logical lines of its entities and subtypes, sorted.
    package init(version: Version, lines: [String]) {
        self.init(version: version, lines: lines, fingerprint: Fingerprint(of: version, lines: lines))
    }
}

/// Reads the lines of a lock file.
private struct LockParser {
    /// The lines of a version, before they are compared with its fingerprint.
    struct Section: Sendable {
        /// The number of the first line.
        let start: Int
        let version: Version
        let fingerprint: String
        var ddl: Fingerprint?
        var fixture: Fingerprint?
        var compatibleSince: Version?
        /// The logical lines of all entities and subtypes, by name.
        var lines: [String: String]
        /// The step to the version.
        var step: StepSection?
        var results: [Version: Fingerprint] = [:]
    }

    /// The lines of a step, before they are compared with its fingerprint.
    struct StepSection: Sendable {
        /// The number of the first line.
        let start: Int
        let from: Version
        let fingerprint: String
        var lines: [String] = []
    }

    private(set) var schema = ""
    /// The newest version, as the first line names it.
    private(set) var newest: String?
    private(set) var sections: [Section] = []
    private(set) var imported: [Version] = []
    private(set) var format = 1
    private var number = 0

    /// Reads the next line.
    mutating func read(_ line: String) throws(Lock.Malformed) {
        number += 1
        if line.isEmpty || line.hasPrefix("#") { return }
        let last = sections.count - 1
        let words = line.split(separator: " ").map(String.init)
        if last >= 0, sections[last].step != nil {
            if words.count < 4 || words[0] != "version" || words[2] != "fingerprint" {
                sections[last].step?.lines.append(line)
                return
            }
        } else if last >= 0 {
            if line.hasPrefix("removed "), sections[last].lines.removeValue(forKey: String(line.dropFirst(8))) != nil {
                return
            }
            if let name = Lock.name(of: line) {
                sections[last].lines[name] = line
                return
            }
        }
        switch (words.first, words.count) {
        case ("format", 2):
            guard let number = Int(words[1]), (1...2).contains(number) else {
                throw malformed("format \(words[1]) is of a newer Strata")
            }
            format = number
        case ("step", 6) where last > 0 && words[2] == "to" && words[4] == "fingerprint":
            guard words[1] == sections[last - 1].version.text, words[3] == sections[last].version.text else {
                throw malformed("the step is not between the two versions before it")
            }
            sections[last].step = StepSection(
                start: self.number, from: sections[last - 1].version, fingerprint: words[5])
        case ("results", 5) where last >= 0 && words[2] == "to" && words[3] == sections[last].version.text:
            guard let from = Version(words[1]), let file = Fingerprint(words[4]) else {
                throw malformed("expected two versions and 16 digits")
            }
            sections[last].results[from] = file
        case ("released", _) where number == 1: newest = words.dropFirst().joined(separator: " ")
        case ("schema", 2): schema = words[1]
        case ("imported", 2):
            guard let version = Version(words[1]) else { throw malformed("\(words[1]) is not a version") }
            imported.append(version)
        case ("version", 4...) where words.count.isMultiple(of: 2) && words[2] == "fingerprint": try start(words)
        default: throw malformed("this is not a line of a lock")
        }
    }

    /// Starts a version with the words of its first line.
    private mutating func start(_ words: [String]) throws(Lock.Malformed) {
        guard let version = Version(words[1]) else { throw malformed("\(words[1]) is not a version") }
        if let last = sections.last, last.version >= version { throw malformed("the versions are not in order") }
        var section = Section(
            start: number, version: version, fingerprint: words[3], lines: sections.last?.lines ?? [:])
        for index in stride(from: 4, to: words.count, by: 2) {
            let (key, value) = (words[index], words[index + 1])
            if key == "compatible", let oldest = Version(value) {
                section.compatibleSince = oldest
            } else if key == "ddl", let fingerprint = Fingerprint(value) {
                section.ddl = fingerprint
            } else if key == "fixture", let fingerprint = Fingerprint(value) {
                section.fixture = fingerprint
            } else {
                throw malformed(
                    "expected \"ddl\" or \"fixture\" and 16 digits, or \"compatible\" and a version, "
                        + "found \"\(key) \(value)\"")
            }
        }
        sections.append(section)
    }

    private func malformed(_ reason: String) -> Lock.Malformed { Lock.Malformed(line: number, reason: reason) }

    /// Returns the version of a section.
    ///
    /// - Throws: `Lock.Malformed` if the lines do not have the fingerprint that the section names.
    static func seal(_ section: Section) throws(Lock.Malformed) -> Lock.Sealed {
        var sealed = Lock.Sealed(version: section.version, lines: section.lines.values.sortedByBytes())
        guard sealed.fingerprint.description == section.fingerprint else {
            throw Lock.Malformed(
                line: section.start,
                reason: "the lines of this version were edited; restore the file from version control")
        }
        (sealed.ddl, sealed.fixture, sealed.compatibleSince) = (section.ddl, section.fixture, section.compatibleSince)
        sealed.results = section.results
        if let step = section.step {
            guard Fingerprint(of: step.lines).description == step.fingerprint else {
                throw Lock.Malformed(
                    line: step.start,
                    reason: "the lines of this step were edited; restore the file from version control")
            }
            sealed.step = Lock.Step(from: step.from, lines: step.lines)
        }
        return sealed
    }
}
