import SchemaModel

/// The released versions, which must not change. They are in the file `strata.lock`.
///
/// The file is text. Its first line names the newest version, so that two releases on different branches conflict. After
/// its head, each version has a line `version 1.0 fingerprint …`. Below it are the logical
/// lines of the entities that are new or changed in this version, and a line `removed NAME` for each removed entity.
package struct Lock: Hashable, Sendable {
    /// A sealed version.
    package struct Sealed: Hashable, Sendable {
        /// The version.
        package var version: Version
        /// The logical lines of all its entities and subtypes, sorted.
        package var lines: [String]
        /// The fingerprint of the statements that create its tables; nil in a lock that an older version of Strata
        /// wrote.
        package var ddl: Fingerprint?
        /// The fingerprint of the file of its fixture; nil until the tests have written it.
        package var fixture: Fingerprint?
        /// The oldest version whose apps can use stores of this version; nil if only apps of this version can.
        package var compatibleSince: Version?

        /// The fingerprint of the version.
        package var fingerprint: Fingerprint { Fingerprint(of: version, lines: lines) }

        /// The first line of the version in the file.
        var head: String {
            let ddl = ddl.map { " ddl \($0)" } ?? ""
            return "version \(version) fingerprint \(fingerprint)\(ddl)" + (fixture.map { " fixture \($0)" } ?? "")
                + (compatibleSince.map { " compatible \($0)" } ?? "")
        }
    }

    /// The name of the schema.
    package var schema: String
    /// The sealed versions, oldest first.
    package var versions: [Sealed]

    private static let head = """
        # The released versions, which must not change. `generate` writes this file: commit it, and do not edit it.
        format 1

        """

    /// Creates a lock. By default, it seals no versions.
    package init(schema: String, versions: [Sealed] = []) {
        self.schema = schema
        self.versions = versions
    }

    /// Creates a lock that seals the first `count` versions of `history`, and the files of their fixtures.
    package init(sealing count: Int, of history: SchemaHistory, fixtures: [Version: Fingerprint] = [:]) {
        self.init(
            schema: history.name,
            versions: Array(history.versions.prefix(count)).concurrentMap { version in
                let oldest = history.compatibleSince(version.version)
                return Sealed(
                    version: version.version, lines: version.sortedLines, ddl: version.ddlFingerprint,
                    fixture: fixtures[version.version],
                    compatibleSince: oldest == version.version ? nil : oldest)
            })
    }

    /// Returns the lock without the versions that are older than `version`.
    package func supported(from version: Version) -> Lock {
        Lock(schema: schema, versions: versions.filter { $0.version >= version })
    }

    /// Returns the lock without the DDL fingerprints that differ from those of `history`. It then accepts that DDL.
    package func acceptingDDL(of history: SchemaHistory) -> Lock {
        var lock = self
        for place in lock.versions.indices {
            let version = history.versions.first { $0.version == lock.versions[place].version }
            if version?.ddlFingerprint != lock.versions[place].ddl { lock.versions[place].ddl = nil }
        }
        return lock
    }

    /// The text of the file.
    package var text: String {
        let newest = versions.last.map { "\($0.version) \($0.fingerprint)" } ?? "nothing"
        var text = "released \(newest)\n" + Self.head + "schema \(schema)\n"
        var before: [String: String] = [:]
        for sealed in versions {
            text += "\n\(sealed.head)\n"
            let entities = Self.byName(sealed.lines)
            for line in sealed.lines where before[Self.name(of: line)] != line { text += line + "\n" }
            for name in before.keys.sorted() where entities[name] == nil { text += "removed \(name)\n" }
            before = entities
        }
        return text
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
        self.init(schema: "")
        var entities: [String: String] = [:]
        var fingerprint = ""
        var start = 0
        var newest: String?
        func seal(_ lock: inout Lock) throws(Malformed) {
            guard let version = lock.versions.last?.version else { return }
            let lines = entities.values.sortedByBytes()
            lock.versions[lock.versions.count - 1].lines = lines
            guard Fingerprint(of: version, lines: lines).description == fingerprint else {
                throw Malformed(
                    line: start, reason: "the lines of this version were edited; restore the file from version control")
            }
        }
        var number = 0
        for bytes in text.utf8.split(separator: 0x0a, omittingEmptySubsequences: false) {
            let line = String(decoding: bytes.last == 0x0d ? bytes.dropLast() : bytes, as: UTF8.self)
            number += 1
            if line.isEmpty || line.hasPrefix("#") { continue }
            let words = line.split(separator: " ").map(String.init)
            if words.count == 2, words[0] == "format" {
                guard words[1] == "1" else {
                    throw Malformed(line: number, reason: "format \(words[1]) is of a newer Strata")
                }
            } else if number == 1, words[0] == "released" {
                newest = words.dropFirst().joined(separator: " ")
            } else if words.count == 2, words[0] == "schema" {
                schema = words[1]
            } else if words.count >= 4, words.count.isMultiple(of: 2), words[0] == "version",
                words[2] == "fingerprint"
            {
                try seal(&self)
                guard let version = Version(words[1]), versions.last.map({ $0.version < version }) ?? true else {
                    throw Malformed(line: number, reason: "the versions are not in order")
                }
                var sealed = Sealed(version: version, lines: [])
                for place in stride(from: 4, to: words.count, by: 2) {
                    if words[place] == "compatible", let oldest = Version(words[place + 1]) {
                        sealed.compatibleSince = oldest
                        continue
                    }
                    guard let value = Fingerprint(words[place + 1]), ["ddl", "fixture"].contains(words[place]) else {
                        let found = words[place...].prefix(2).joined(separator: " ")
                        throw Malformed(
                            line: number,
                            reason: "expected \"ddl\" or \"fixture\" and 16 digits, or \"compatible\" and a version, "
                                + "found \"\(found)\"")
                    }
                    if words[place] == "ddl" { sealed.ddl = value } else { sealed.fixture = value }
                }
                versions.append(sealed)
                fingerprint = words[3]
                start = number
            } else if line.hasPrefix("removed "), entities.removeValue(forKey: String(line.dropFirst(8))) != nil {
                continue
            } else if line.contains(" | "), !versions.isEmpty {
                entities[Self.name(of: line)] = line
            } else {
                throw Malformed(line: number, reason: "this is not a line of a lock")
            }
        }
        try seal(&self)
        if let newest, checksFirstLine, newest != versions.last.map({ "\($0.version) \($0.fingerprint)" }) ?? "nothing"
        {
            throw Malformed(
                line: 1, reason: "the newest version is not \(newest); restore the file from version control")
        }
    }

    static func byName(_ lines: [String]) -> [String: String] {
        Dictionary(lines.map { (name(of: $0), $0) }, uniquingKeysWith: { first, _ in first })
    }

    static func name(of line: String) -> String {
        line.firstRange(of: " | ").map { String(line[..<$0.lowerBound]) } ?? line
    }
}

extension ModelVersion {
    /// The logical lines of the entities and subtypes, sorted by bytes.
    var sortedLines: [String] {
        logicalLines.sortedByBytes()
    }
}
