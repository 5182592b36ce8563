import JSONText
import SchemaDiff
import SchemaModel

/// Computes every entity in every version from the descriptions. Comments cite the rules by their numbers in the
/// documentation of the description language.
struct Resolver {
    let descriptions: [EntityDescription]
    let versions: [Version]
    /// The timelines of the entities, by lineage.
    let entities: [ElementTimeline]
    /// The timelines of the properties, by entity and property.
    let properties: [[ElementTimeline]]
    /// The timelines of the indexes, by entity and index.
    let indexes: [[ElementTimeline]]
    let subtypeDescriptions: [SubtypeDescription]
    /// The timelines of the subtypes, by lineage.
    let subtypes: [ElementTimeline]
    /// The timelines of the subtypes' elements, by subtype and element.
    let elements: [[ElementTimeline]]
    var diagnostics: [Diagnostic] = []
    /// The decoded identifiers, by entity and epoch.
    var identifierStates: [[IdentifierState?]] = []
    /// The decoded properties, by entity, property and epoch.
    var states: [[[Property?]]] = []
    /// The decoded indexes, by entity, index and epoch.
    var indexStates: [[[EntityIndex]]] = []
    /// For each version, the lineages of the entities by name.
    var entityNames: [[String: Int]] = []
    /// For each version, the lineages of the subtypes by name.
    var subtypeNames: [[String: Int]] = []
    /// The decoded elements of subtypes, by subtype, element and epoch.
    var elementStates: [[[SubtypeElementState?]]] = []

    /// Returns the history of the descriptions, and all diagnostics. The history is nil if there are errors.
    static func resolve(
        _ descriptions: [EntityDescription], _ subtypes: [SubtypeDescription], unpersisted: [String], schema: String,
        sealed: [Version], settings: VersionSettings?, imported: ImportedSource?
    ) -> (SchemaHistory?, [Diagnostic]) {
        var resolver = Resolver(descriptions, subtypes, sealed: sealed, settings)
        guard !resolver.versions.isEmpty else {
            if let first = descriptions.first {
                resolver.report(.missingKey("version_history", of: "an entity"), first, first.element.offset)
            }
            return (nil, resolver.diagnostics)
        }
        if let settings { resolver.check(settings) }
        resolver.checkLives()
        resolver.nameEntities()
        resolver.nameSubtypes()
        resolver.decodeElements()
        // A subtype that contains itself would make the following steps recurse forever.
        guard resolver.checkRecursion() else { return (nil, resolver.diagnostics) }
        resolver.decodeIdentifiers()
        resolver.decodeProperties()
        resolver.decodeIndexes()
        let schemaVersions = resolver.schemaVersions()
        // No step leads to the first version. Its instructions are read only to report their problems.
        let instructions = schemaVersions.indices.map { resolver.instructions(at: $0) }.dropFirst()
        if resolver.diagnostics.contains(where: { $0.severity == .error }) { return (nil, resolver.diagnostics) }
        let history = SchemaHistory(
            name: schema, versions: schemaVersions, instructions: Array(instructions),
            sources: descriptions.map(\.file.baseName), subtypeSources: subtypes.map(\.file.baseName),
            unpersisted: unpersisted, formerNames: settings?.formerNames ?? [:],
            chain: Dictionary(
                (settings?.chain ?? []).map { ($0.from.version, $0.to.version) }, uniquingKeysWith: { _, last in last }),
            imported: imported)
        let diagnostics = Validator.validate(history, locations: resolver)
        if diagnostics.isEmpty { resolver.noteUnusedSubtypes() }
        return (diagnostics.isEmpty ? history : nil, resolver.diagnostics + diagnostics)
    }

    private init(
        _ descriptions: [EntityDescription], _ subtypes: [SubtypeDescription], sealed: [Version],
        _ settings: VersionSettings?
    ) {
        self.descriptions = descriptions
        self.subtypeDescriptions = subtypes
        // Rule 8: the versions are the union of all versions that descriptions name. If a version has several
        // spellings, the released one is used, or else the one that strata.json lists, or else the most frequent one.
        var counts: [Version: [String: Int]] = [:]
        let all = descriptions.flatMap { [$0.element] + $0.properties + $0.indexes }
        for element in all + subtypes.flatMap({ [$0.element] + $0.elements }) {
            for version in [element.birth, element.death].compactMap(\.self) + element.items.map(\.version) {
                counts[version, default: [:]][version.text, default: 0] += 1
            }
        }
        var spellings: [Version: Version] = [:]
        for (version, texts) in counts {
            // Of spellings that are as frequent, the shortest one.
            let text = texts.min { ($1.value, $0.key.utf8.count, $0.key) < ($0.value, $1.key.utf8.count, $1.key) }?.key
            spellings[version] = text.flatMap(Version.init) ?? version
        }
        for mention in settings?.listed ?? [] { spellings[mention.version] = mention.version }
        for version in sealed where spellings[version] != nil { spellings[version] = version }
        let versions = spellings.values.sorted()
        self.versions = versions
        let timelines = descriptions.concurrentMap { description in
            let entity = ElementTimeline(description.element, versions: versions, limits: 0..<versions.count)
            let properties = description.properties.map {
                ElementTimeline($0, versions: versions, limits: entity.life)
            }
            let indexes = description.indexes.map { ElementTimeline($0, versions: versions, limits: entity.life) }
            return (entity: entity, properties: properties, indexes: indexes)
        }
        self.entities = timelines.map(\.entity)
        self.properties = timelines.map(\.properties)
        self.indexes = timelines.map(\.indexes)
        let subtypeTimelines = subtypes.map {
            ElementTimeline($0.element, versions: versions, limits: 0..<versions.count)
        }
        self.subtypes = subtypeTimelines
        self.elements = zip(subtypes, subtypeTimelines).map { description, subtype in
            description.elements.map { ElementTimeline($0, versions: versions, limits: subtype.life) }
        }
    }

    // MARK: Lives

    /// Returns the positions at which descriptions name a version: one for each element and version.
    static func mentions(
        _ descriptions: [EntityDescription], _ subtypes: [SubtypeDescription]
    ) -> [(version: Version, file: SourceFile, offset: Int)] {
        var mentions: [(version: Version, file: SourceFile, offset: Int)] = []
        func add(_ element: ElementDescription, _ file: SourceFile) {
            for item in element.items { mentions.append((item.version, file, item.offset)) }
            if let birth = element.birth, !element.items.contains(where: { $0.version == birth }) {
                mentions.append((birth, file, element.birthOffset))
            }
            if let death = element.death { mentions.append((death, file, element.deathOffset)) }
        }
        for description in descriptions {
            let elements: [ElementDescription] = [description.element] + description.properties + description.indexes
            for element in elements { add(element, description.file) }
        }
        for description in subtypes {
            for element in [description.element] + description.elements { add(element, description.file) }
        }
        return mentions
    }

    /// Checks that `strata.json` lists all versions, if it lists any, and names only existing versions.
    mutating func check(_ settings: VersionSettings) {
        diagnostics += settings.problems(among: versions)
        guard let listed = settings.listed.map({ Set($0.map(\.version)) }) else { return }
        for mention in Self.mentions(descriptions, subtypeDescriptions) where !listed.contains(mention.version) {
            diagnostics.append(mention.file.diagnostic(.unlistedVersion(mention.version.text), at: mention.offset))
        }
    }

    mutating func checkLives() {
        for (lineage, description) in descriptions.enumerated() {
            check(description.element, entities[lineage], description)
            let name = description.name
            for (place, element) in description.properties.enumerated() {
                let timeline = properties[lineage][place]
                check(element, timeline, description)
                if !isInside(timeline.life, entities[lineage].life) {
                    let property = text(element.present["name"]) ?? ""
                    report(.outlivesEntity(property: property, entity: name), description, element.offset)
                }
            }
            for (place, element) in description.indexes.enumerated() {
                check(element, indexes[lineage][place], description)
                if !isInside(indexes[lineage][place].life, entities[lineage].life) {
                    report(.outlivesEntity(property: "the index", entity: name), description, element.offset)
                }
            }
        }
        for (lineage, description) in subtypeDescriptions.enumerated() {
            check(description.element, subtypes[lineage], description)
            for (place, element) in description.elements.enumerated() {
                let timeline = elements[lineage][place]
                check(element, timeline, description)
                if !isInside(timeline.life, subtypes[lineage].life) {
                    let name = text(element.present["name"]) ?? ""
                    report(.outlivesEntity(property: name, entity: description.name), description, element.offset)
                }
            }
        }
    }

    /// Whether `life` is not empty, and lies within the `limits` of the enclosing element.
    func isInside(_ life: Range<Int>, _ limits: Range<Int>) -> Bool {
        !life.isEmpty && life.lowerBound >= limits.lowerBound && life.upperBound <= limits.upperBound
    }

    mutating func check(
        _ element: ElementDescription, _ timeline: ElementTimeline, _ description: some FileDescription
    ) {
        for item in element.items {
            let place = versions.firstIndex { $0 >= item.version } ?? versions.count
            let isBirth = item.version == element.birth
            let isDeath = item.version == element.death
            guard isBirth || isDeath || (timeline.life.contains(place) && place > timeline.life.lowerBound) else {
                report(.itemOutsideLife(item.version.text), description, item.offset)
                continue
            }
            if isBirth || isDeath, !item.previous.isEmpty {
                report(.itemOutsideLife(item.version.text), description, item.offset)
            }
        }
    }

    // MARK: Names

    /// The name of an entity's table, if the description contains one.
    private func tableName(_ lineage: Int, at index: Int) -> String? {
        let timeline = entities[lineage]
        return text(timeline.epochs[timeline.epoch(at: index)].fields["persisted_name"]?.json)
    }

    mutating func nameEntities() {
        entityNames = Array(repeating: [:], count: versions.count)
        for (lineage, timeline) in entities.enumerated() {
            for epoch in timeline.epochs {
                _ = checkedName(epoch.fields["name"]?.json, descriptions[lineage])
                _ = persistedName(epoch.fields, descriptions[lineage])
            }
            for index in timeline.life {
                guard let field = timeline.epochs[timeline.epoch(at: index)].fields["name"], let name = text(field.json)
                else { continue }
                if let other = entityNames[index].updateValue(lineage, forKey: name) {
                    entityNames[index][name] = other
                    report(
                        .duplicateEntity(name, version: versions[index].text, other: descriptions[other].file.path),
                        descriptions[lineage], field.json.offset)
                    break
                }
            }
        }
    }

    /// The lineage of the property of `entity` that has the name `name` in the version at `index`.
    func property(_ name: String, of entity: Int, at index: Int) -> Int? {
        properties[entity].firstIndex { timeline in
            timeline.life.contains(index)
                && text(timeline.epochs[timeline.epoch(at: index)].fields["name"]?.json) == name
        }
    }

    func propertyNames(of entity: Int, at index: Int) -> [String] {
        properties[entity].compactMap { timeline in
            guard timeline.life.contains(index) else { return nil }
            return text(timeline.epochs[timeline.epoch(at: index)].fields["name"]?.json)
        }
    }

    /// Returns the lineage of the property whose name in the version at `index` is the string `json`; nil, after a
    /// diagnostic, if there is none.
    ///
    /// - Parameters:
    ///   - json: The name.
    ///   - key: The key of `json`, for messages.
    ///   - entity: The lineage of the entity.
    ///   - index: The index of the version.
    mutating func namedProperty(_ json: JSON, key: String, of entity: Int, at index: Int) -> Int? {
        let description = descriptions[entity]
        guard let name = string(json, key: key, description) else { return nil }
        if let lineage = property(name, of: entity, at: index) { return lineage }
        let nearest = propertyNames(of: entity, at: index).nearest(to: name)
        report(
            .unknownProperty(name, of: description.name, version: versions[index].text, nearest: nearest), description,
            json.offset)
        return nil
    }

    mutating func checkedName(_ json: JSON?, _ description: some FileDescription) -> String? {
        guard let json else { return nil }
        guard let name = text(json) else {
            report(.wrongKind(key: "name", expected: "a string", found: json.kind), description, json.offset)
            return nil
        }
        if let problem = SwiftName.problem(with: name) {
            report(problem, description, json.offset)
            return nil
        }
        return name
    }

    // MARK: Versions

    func schemaVersions() -> [SchemaVersion] {
        var result: [SchemaVersion] = []
        for index in versions.indices { result.append(version(at: index, after: result.last)) }
        return result
    }

    func version(at index: Int, after previous: SchemaVersion?) -> SchemaVersion {
        var living: [Entity] = []
        for (lineage, timeline) in entities.enumerated() where timeline.life.contains(index) {
            if let entity = previous?.entity(lineage), !changes(lineage, at: index) {
                living.append(entity)
                continue
            }
            guard let name = text(timeline.epochs[timeline.epoch(at: index)].fields["name"]?.json),
                let key = identifierStates[lineage][timeline.epoch(at: index)]
            else { continue }
            let alive = properties[lineage].indices.filter { properties[lineage][$0].life.contains(index) }
            let ordered = alive.sorted { left, right in
                let births = (properties[lineage][left].life.lowerBound, properties[lineage][right].life.lowerBound)
                return births.0 == births.1 ? left < right : births.0 < births.1
            }
            living.append(
                Entity(
                    lineage: lineage, name: name, persistedName: tableName(lineage, at: index),
                    documentation: descriptions[lineage].element.documentation,
                    identifier: key.identifier, keySources: key.sources,
                    properties: ordered.compactMap { state(lineage, $0, at: index) },
                    indexes: indexes(of: lineage, at: index)))
        }
        return SchemaVersion(
            version: versions[index], entities: living, subtypes: subtypes(at: index), after: previous)
    }

    private func changes(_ entity: Int, at index: Int) -> Bool {
        entities[entity].changes(at: index) || properties[entity].contains { $0.changes(at: index) }
            || indexes[entity].contains { $0.changes(at: index) }
    }

    func state(_ entity: Int, _ property: Int, at index: Int) -> Property? {
        states[entity][property][properties[entity][property].epoch(at: index)]
    }

    func indexes(of entity: Int, at index: Int) -> [EntityIndex] {
        indexes[entity].enumerated().compactMap { place, timeline in
            timeline.life.contains(index) ? indexStates[entity][place][timeline.epoch(at: index)] : nil
        }
    }

    // MARK: Positions

    /// Creates an error at the position of a field of an entity or property.
    ///
    /// - Parameters:
    ///   - problem: The problem.
    ///   - entity: The lineage of the entity.
    ///   - property: The lineage of the property; nil for the entity.
    ///   - key: The key of the field.
    ///   - index: The index of the version whose value of the field is wrong.
    func diagnostic(
        _ problem: Problem, entity: Int, property: Int? = nil, key: String = "name", at index: Int
    ) -> Diagnostic {
        let timeline = property.map { properties[entity][$0] } ?? entities[entity]
        let element = property.map { descriptions[entity].properties[$0] } ?? descriptions[entity].element
        let field = timeline.epochs[timeline.epoch(at: index)].fields[key]
        return descriptions[entity].file.diagnostic(problem, at: field?.json.offset ?? element.offset)
    }

    /// Creates an error at the position of an index of an entity.
    func diagnostic(_ problem: Problem, entity: Int, index: Int) -> Diagnostic {
        descriptions[entity].file.diagnostic(problem, at: descriptions[entity].indexes[index].offset)
    }

    /// Creates an error at the position of a field of a subtype or of an element of one.
    ///
    /// - Parameters:
    ///   - problem: The problem.
    ///   - subtype: The lineage of the subtype.
    ///   - element: The lineage of the element; nil for the subtype.
    ///   - key: The key of the field.
    ///   - index: The index of the version whose value of the field is wrong.
    func diagnostic(
        _ problem: Problem, subtype: Int, element: Int? = nil, key: String = "name", at index: Int
    ) -> Diagnostic {
        let timeline = element.map { elements[subtype][$0] } ?? subtypes[subtype]
        let description = subtypeDescriptions[subtype]
        let offset = element.map { description.elements[$0].offset } ?? description.element.offset
        let field = timeline.epochs[timeline.epoch(at: index)].fields[key]
        return description.file.diagnostic(problem, at: field?.json.offset ?? offset)
    }
}
