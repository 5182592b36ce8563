import SchemaModel

/// All versions of a schema, oldest first.
struct VersionList: Sendable {
    let versions: [Version]
    private let indexes: [Version: Int]

    /// Collects the versions that descriptions name (rule 8).
    ///
    /// A version may have several spellings. The spelling of a released version takes precedence, then the spelling in
    /// `strata.json`, then the most frequent spelling. If several spellings are equally frequent, the shortest is used.
    ///
    /// - Parameters:
    ///   - mentions: The places at which descriptions name a version.
    ///   - sealed: The released versions.
    ///   - settings: The settings of versions in `strata.json`.
    init(_ mentions: [VersionMention], sealed: [Version], _ settings: VersionSettings?) {
        var counts: [Version: [String: Int]] = [:]
        for mention in mentions { counts[mention.version, default: [:]][mention.version.text, default: 0] += 1 }
        var spellings: [Version: Version] = [:]
        for (version, texts) in counts {
            let text = texts.min { ($1.value, $0.key.utf8.count, $0.key) < ($0.value, $1.key.utf8.count, $1.key) }?.key
            spellings[version] = text.flatMap(Version.init) ?? version
        }
        for mention in settings?.listed ?? [] { spellings[mention.version] = mention.version }
        for version in sealed where spellings[version] != nil { spellings[version] = version }
        versions = spellings.values.sorted()
        indexes = Dictionary(uniqueKeysWithValues: versions.enumerated().map { ($0.element, $0.offset) })
    }

    var isEmpty: Bool { versions.isEmpty }

    /// The indexes of all versions.
    var indices: Range<VersionIndex> { VersionIndex(0)..<VersionIndex(versions.count) }

    subscript(index: VersionIndex) -> Version { versions[index.value] }

    /// Returns the index of a version that a description names.
    func index(_ version: Version) -> VersionIndex { VersionIndex(indexes[version] ?? versions.count) }
}

/// A place at which a description names a version.
struct VersionMention: Sendable {
    let version: Version
    let file: SourceFile
    let offset: Int

    /// Returns the places at which descriptions name a version: one for each element and version.
    static func all(in entities: [EntityDescription], _ subtypes: [SubtypeDescription]) -> [VersionMention] {
        var mentions: [VersionMention] = []
        func add(_ element: ElementDescription, _ file: SourceFile) {
            for item in element.items { mentions.append(.init(version: item.version, file: file, offset: item.offset)) }
            if let birth = element.birth, !element.items.contains(where: { $0.version == birth }) {
                mentions.append(.init(version: birth, file: file, offset: element.birthOffset))
            }
            if let death = element.death {
                mentions.append(.init(version: death, file: file, offset: element.deathOffset))
            }
        }
        for entity in entities {
            add(entity.element, entity.file)
            for element in entity.properties { add(element, entity.file) }
            for element in entity.indexes + entity.checks { add(element, entity.file) }
        }
        for subtype in subtypes {
            add(subtype.element, subtype.file)
            for element in subtype.elements { add(element, subtype.file) }
        }
        return mentions
    }
}
