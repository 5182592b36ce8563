import SchemaModel

/// Turns descriptions into the state of every entity at every version. Rules are cited by their numbers in the
/// language's documentation.
struct Resolver {
    let descriptions: [EntityDescription]
    let versions: [Version]
    /// By entity.
    let entities: [ElementTimeline]
    /// By entity and property.
    let properties: [[ElementTimeline]]
    /// By entity and index.
    let indexes: [[ElementTimeline]]
    private(set) var diagnostics: [Diagnostic] = []
    /// By entity, property and epoch.
    private var states: [[[Property?]]] = []
    /// By entity, index and epoch.
    private var indexStates: [[[EntityIndex]]] = []
    /// By version: the lineage of each entity's name.
    private var entityNames: [[String: Int]] = []

    /// The history of `descriptions`, and all that is wrong with them; without errors the history is whole.
    static func resolve(
        _ descriptions: [EntityDescription], schema: String, sealed: [Version]
    ) -> (SchemaHistory?, [Diagnostic]) {
        var resolver = Resolver(descriptions, sealed: sealed)
        guard !resolver.versions.isEmpty else {
            if let first = descriptions.first {
                resolver.report(.missingKey("version_history", of: "an entity"), first, first.element.offset)
            }
            return (nil, resolver.diagnostics)
        }
        resolver.checkLives()
        resolver.nameEntities()
        resolver.decodeProperties()
        resolver.decodeIndexes()
        let history = SchemaHistory(
            name: schema,
            versions: resolver.schemaVersions(),
            instructions: resolver.versions.indices.dropFirst().map { resolver.instructions(at: $0) },
            sources: descriptions.map(\.file.baseName))
        if !resolver.diagnostics.isEmpty { return (nil, resolver.diagnostics) }
        let diagnostics = Validator.validate(history, locations: resolver)
        return (diagnostics.isEmpty ? history : nil, diagnostics)
    }

    private init(_ descriptions: [EntityDescription], sealed: [Version]) {
        self.descriptions = descriptions
        // Rule 8: the versions are the union of all that are named. Of several spellings of a version the one that was
        // released is kept, else the shortest is.
        var spellings: [Version: Version] = [:]
        for element in descriptions.flatMap({ [$0.element] + $0.properties + $0.indexes }) {
            for version in [element.birth, element.death].compactMap(\.self) + element.items.map(\.version) {
                let known = spellings[version] ?? version
                let isShorter = (version.text.utf8.count, version.text) < (known.text.utf8.count, known.text)
                spellings[version] = isShorter ? version : known
            }
        }
        for version in sealed where spellings[version] != nil { spellings[version] = version }
        let versions = spellings.values.sorted()
        self.versions = versions
        let entities = descriptions.map {
            ElementTimeline($0.element, versions: versions, limits: 0..<versions.count)
        }
        self.entities = entities
        self.properties = zip(descriptions, entities).map { description, entity in
            description.properties.map { ElementTimeline($0, versions: versions, limits: entity.life) }
        }
        self.indexes = zip(descriptions, entities).map { description, entity in
            description.indexes.map { ElementTimeline($0, versions: versions, limits: entity.life) }
        }
    }

    // MARK: Lives

    private mutating func checkLives() {
        for (lineage, description) in descriptions.enumerated() {
            check(description.element, entities[lineage], description)
            let name = text(description.element.present["name"]) ?? description.file.baseName
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
    }

    /// Whether something lives, and no longer than what it is part of.
    private func isInside(_ life: Range<Int>, _ limits: Range<Int>) -> Bool {
        !life.isEmpty && life.lowerBound >= limits.lowerBound && life.upperBound <= limits.upperBound
    }

    private mutating func check(
        _ element: ElementDescription, _ timeline: ElementTimeline, _ description: EntityDescription
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

    private mutating func nameEntities() {
        entityNames = Array(repeating: [:], count: versions.count)
        for (lineage, timeline) in entities.enumerated() {
            for epoch in timeline.epochs {
                _ = checkedName(epoch.fields["name"]?.json, descriptions[lineage])
            }
            for index in timeline.life {
                guard let field = timeline.epochs[timeline.epoch(at: index)].fields["name"], let name = text(field.json)
                else { continue }
                if let other = entityNames[index].updateValue(lineage, forKey: name) {
                    entityNames[index][name] = other
                    report(
                        .duplicateEntity(name, version: versions[index].text, other: descriptions[other].file.path),
                        descriptions[lineage], field.json.offset)
                }
            }
        }
    }

    /// The lineage of the property that `entity` calls `name` in version `index`.
    private func property(_ name: String, of entity: Int, at index: Int) -> Int? {
        properties[entity].firstIndex { timeline in
            timeline.life.contains(index)
                && text(timeline.epochs[timeline.epoch(at: index)].fields["name"]?.json) == name
        }
    }

    private func propertyNames(of entity: Int, at index: Int) -> [String] {
        properties[entity].compactMap { timeline in
            guard timeline.life.contains(index) else { return nil }
            return text(timeline.epochs[timeline.epoch(at: index)].fields["name"]?.json)
        }
    }

    private mutating func checkedName(_ json: JSON?, _ description: EntityDescription) -> String? {
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

    // MARK: Properties

    private mutating func decodeProperties() {
        for (lineage, description) in descriptions.enumerated() {
            var entityStates: [[Property?]] = []
            for (place, timeline) in properties[lineage].enumerated() {
                entityStates.append(
                    timeline.epochs.map { decode(place, $0, timeline, entity: lineage, description) })
            }
            states.append(entityStates)
        }
    }

    private mutating func decode(
        _ place: Int, _ epoch: ElementTimeline.Epoch, _ timeline: ElementTimeline, entity: Int,
        _ description: EntityDescription
    ) -> Property? {
        let fields = epoch.fields
        guard let name = checkedName(fields["name"]?.json, description) else { return nil }
        guard let kind = kind(fields, epoch, entity: entity, description) else { return nil }
        var property = Property(
            lineage: place, name: name,
            documentation: description.properties[place].documentation, kind: kind)
        property.isNullable = bool("nullable", fields, description) ?? false
        property.isUnique = bool("unique", fields, description) ?? false
        property.isIndexed = bool("indexed", fields, description) ?? false
        if let json = value("collation", fields) {
            property.collation = choice(json, key: "collation", description)
            if kind != .attribute(.string), kind != .attribute(.url) {
                report(.keyDoesNotApply("collation", because: "only text has one"), description, json.offset)
            }
        }
        if let json = value("default_value", fields) {
            if case .attribute(let type) = kind {
                property.defaultValue = literal(json, key: "default_value", type: type, description)
            } else {
                report(.keyDoesNotApply("default_value", because: "a relationship has none"), description, json.offset)
            }
        }
        return property
    }

    private mutating func kind(
        _ fields: [String: ElementTimeline.Field], _ epoch: ElementTimeline.Epoch, entity: Int,
        _ description: EntityDescription
    ) -> Property.Kind? {
        guard let type = value("property_type", fields) else {
            let offset = fields["property_type"]?.json.offset ?? description.element.offset
            report(.missingKey("property_type", of: "a property"), description, offset)
            return nil
        }
        switch type.value {
        case .string(let name):
            for key in ["stored", "ordered", "on_delete", "entity_name", "association", "inverse"] {
                if let json = value(key, fields) {
                    report(.keyDoesNotApply(key, because: "this is no relationship"), description, json.offset)
                }
            }
            if let scalar = ScalarType(rawValue: name) { return .attribute(scalar) }
            if name.hasPrefix("[") {
                report(.unsupportedValue(name, of: "property_type"), description, type.offset)
            } else {
                let names = ScalarType.allCases.map(\.rawValue)
                report(.unknownType(name, nearest: names.nearest(to: name)), description, type.offset)
            }
            return nil
        case .object:
            return relationship(fields, epoch, entity: entity, type: type, description)
        default:
            report(
                .wrongKind(key: "property_type", expected: "a type's name or a relationship", found: type.kind),
                description, type.offset)
            return nil
        }
    }

    private mutating func relationship(
        _ fields: [String: ElementTimeline.Field], _ epoch: ElementTimeline.Epoch, entity: Int, type: JSON,
        _ description: EntityDescription
    ) -> Property.Kind? {
        guard let targetField = fields["entity_name"], !targetField.json.isNull else {
            report(.missingKey("entity_name", of: "a relationship"), description, type.offset)
            return nil
        }
        guard let associationJSON = value("association", fields) else {
            report(.missingKey("association", of: "a relationship"), description, type.offset)
            return nil
        }
        guard let targetName = string(targetField.json, key: "entity_name", description),
            let association: Relationship.Association = choice(associationJSON, key: "association", description)
        else { return nil }
        // Rule 4: the name is text of its moment.
        let moment = max(0, targetField.moment)
        guard let target = entityNames[moment][targetName] else {
            let nearest = entityNames[moment].keys.sorted().nearest(to: targetName)
            report(
                .unknownEntity(targetName, version: versions[moment].text, nearest: nearest), description,
                targetField.json.offset)
            return nil
        }
        var relationship = Relationship(target: target, association: association)
        relationship.isStored = bool("stored", fields, description) ?? false
        relationship.isOrdered = bool("ordered", fields, description) ?? false
        if let json = value("on_delete", fields) {
            relationship.deleteRule = choice(json, key: "on_delete", description)
        }
        if let field = fields["inverse"], !field.json.isNull, let name = string(field.json, key: "inverse", description)
        {
            let moment = max(0, field.moment)
            guard let inverse = property(name, of: target, at: moment) else {
                report(
                    .unknownProperty(
                        name, of: targetName, version: versions[moment].text,
                        nearest: propertyNames(of: target, at: moment).nearest(to: name)),
                    description, field.json.offset)
                return nil
            }
            relationship.inverse = inverse
        }
        return .relationship(relationship)
    }

    // MARK: Indexes

    private mutating func decodeIndexes() {
        for (lineage, description) in descriptions.enumerated() {
            indexStates.append(
                indexes[lineage].enumerated().map { place, timeline in
                    timeline.epochs.map { decode($0, index: place, entity: lineage, description) }
                })
        }
    }

    private mutating func decode(
        _ epoch: ElementTimeline.Epoch, index place: Int, entity: Int, _ description: EntityDescription
    ) -> EntityIndex {
        var decoded = EntityIndex(lineage: place, properties: [], isUnique: false)
        decoded.isUnique = bool("unique", epoch.fields, description) ?? false
        guard let field = epoch.fields["properties"] else { return decoded }
        guard case .array(let names) = field.json.value else {
            report(
                .wrongKind(key: "properties", expected: "an array of names", found: field.json.kind), description,
                field.json.offset)
            return decoded
        }
        if names.isEmpty { report(.indexOfNothing, description, field.json.offset) }
        let moment = max(0, field.moment)
        for json in names {
            guard let name = string(json, key: "properties", description) else { continue }
            guard let lineage = property(name, of: entity, at: moment) else {
                report(
                    .unknownProperty(
                        name, of: text(description.element.present["name"]) ?? "", version: versions[moment].text,
                        nearest: propertyNames(of: entity, at: moment).nearest(to: name)),
                    description, json.offset)
                continue
            }
            decoded.properties.append(lineage)
        }
        return decoded
    }

    // MARK: Versions

    private func schemaVersions() -> [SchemaVersion] {
        var result: [SchemaVersion] = []
        for index in versions.indices { result.append(version(at: index, after: result.last)) }
        return result
    }

    private func version(at index: Int, after previous: SchemaVersion?) -> SchemaVersion {
        var living: [Entity] = []
        for (lineage, timeline) in entities.enumerated() where timeline.life.contains(index) {
            guard let name = text(timeline.epochs[timeline.epoch(at: index)].fields["name"]?.json) else { continue }
            let alive = properties[lineage].indices.filter { properties[lineage][$0].life.contains(index) }
            let ordered = alive.sorted { left, right in
                let births = (properties[lineage][left].life.lowerBound, properties[lineage][right].life.lowerBound)
                return births.0 == births.1 ? left < right : births.0 < births.1
            }
            living.append(
                Entity(
                    lineage: lineage, name: name, documentation: descriptions[lineage].element.documentation,
                    identifier: descriptions[lineage].identifier,
                    properties: ordered.compactMap { state(lineage, $0, at: index) },
                    indexes: indexes(of: lineage, at: index)))
        }
        return SchemaVersion(version: versions[index], entities: living, after: previous)
    }

    private func state(_ entity: Int, _ property: Int, at index: Int) -> Property? {
        states[entity][property][properties[entity][property].epoch(at: index)]
    }

    private func indexes(of entity: Int, at index: Int) -> [EntityIndex] {
        indexes[entity].enumerated().compactMap { place, timeline in
            timeline.life.contains(index) ? indexStates[entity][place][timeline.epoch(at: index)] : nil
        }
    }

    private mutating func instructions(at index: Int) -> StepInstructions {
        var instructions = StepInstructions()
        for (lineage, description) in descriptions.enumerated() {
            let element = description.element
            if element.death == versions[index], element.isDiscarded {
                instructions.discarded.insert(.init(entity: lineage))
            }
            for item in element.items where item.version == versions[index] {
                if item.isCustom { instructions.custom.insert(.init(entity: lineage)) }
                if item.emptiesRows { instructions.emptied.insert(lineage) }
            }
            for (place, property) in description.properties.enumerated() {
                let key = StepInstructions.Element(entity: lineage, property: place)
                if property.death == versions[index], property.isDiscarded { instructions.discarded.insert(key) }
                for item in property.items where item.version == versions[index] {
                    if item.isCustom { instructions.custom.insert(key) }
                    instructions.fills[key] = fill(item, lineage, place, at: index)
                }
            }
        }
        return instructions
    }

    private mutating func fill(_ item: HistoryItem, _ entity: Int, _ place: Int, at index: Int) -> StepInstructions
        .Fill?
    {
        let description = descriptions[entity]
        guard let json = item.fill ?? item.fillFrom else { return nil }
        let key = item.fill == nil ? "fill_from" : "fill"
        guard let now = state(entity, place, at: index) else { return nil }
        let timeline = properties[entity][place]
        let isBorn = timeline.life.lowerBound == index
        let was = isBorn ? nil : state(entity, place, at: index - 1)
        guard isBorn || (was?.isNullable == true && !now.isNullable), entities[entity].life.lowerBound < index else {
            report(.fillWithoutNeed(key), description, json.offset)
            return nil
        }
        guard case .attribute(let type) = now.kind else {
            report(
                .keyDoesNotApply(key, because: "a relationship is filled by a custom migration"), description,
                json.offset)
            return nil
        }
        guard item.fill == nil else {
            return literal(json, key: key, type: type, description).map { .literal($0) }
        }
        guard let name = string(json, key: key, description) else { return nil }
        guard let source = property(name, of: entity, at: index - 1) else {
            let entityName = text(entities[entity].epochs[entities[entity].epoch(at: index - 1)].fields["name"]?.json)
            report(
                .unknownProperty(
                    name, of: entityName ?? "", version: versions[index - 1].text,
                    nearest: propertyNames(of: entity, at: index - 1).nearest(to: name)),
                description, json.offset)
            return nil
        }
        return .property(source)
    }

    // MARK: Places

    /// An error where the field `key` of an entity, or of a property of it, was said as it holds in version `index`.
    func diagnostic(
        _ problem: Problem, entity: Int, property: Int? = nil, key: String = "name", at index: Int
    ) -> Diagnostic {
        let timeline = property.map { properties[entity][$0] } ?? entities[entity]
        let element = property.map { descriptions[entity].properties[$0] } ?? descriptions[entity].element
        let field = timeline.epochs[timeline.epoch(at: index)].fields[key]
        return descriptions[entity].file.diagnostic(problem, at: field?.json.offset ?? element.offset)
    }

    /// An error at the index of an entity.
    func diagnostic(_ problem: Problem, entity: Int, index: Int) -> Diagnostic {
        descriptions[entity].file.diagnostic(problem, at: descriptions[entity].indexes[index].offset)
    }

    // MARK: Values

    private func value(_ key: String, _ fields: [String: ElementTimeline.Field]) -> JSON? {
        guard let json = fields[key]?.json, !json.isNull else { return nil }
        return json
    }

    private func text(_ json: JSON?) -> String? {
        if case .string(let text) = json?.value { text } else { nil }
    }

    private mutating func string(_ json: JSON, key: String, _ description: EntityDescription) -> String? {
        if let text = text(json) { return text }
        report(.wrongKind(key: key, expected: "a string", found: json.kind), description, json.offset)
        return nil
    }

    private mutating func bool(
        _ key: String, _ fields: [String: ElementTimeline.Field], _ description: EntityDescription
    ) -> Bool? {
        guard let json = value(key, fields) else { return nil }
        if case .bool(let value) = json.value { return value }
        report(.wrongKind(key: key, expected: "true or false", found: json.kind), description, json.offset)
        return nil
    }

    private mutating func choice<Choice: RawRepresentable & CaseIterable>(
        _ json: JSON, key: String, _ description: EntityDescription
    ) -> Choice? where Choice.RawValue == String {
        guard let text = string(json, key: key, description) else { return nil }
        if let choice = Choice(rawValue: text) { return choice }
        let nearest = Choice.allCases.map(\.rawValue).nearest(to: text)
        report(.unknownValue(text, of: key, nearest: nearest), description, json.offset)
        return nil
    }

    private mutating func literal(
        _ json: JSON, key: String, type: ScalarType, _ description: EntityDescription
    ) -> Literal? {
        if let literal = LiteralReader.literal(json, type: type) { return literal }
        report(
            .wrongLiteral(key: key, type: type.rawValue, found: json.shown, hint: LiteralReader.hint(type)),
            description,
            json.offset)
        return nil
    }

    private mutating func report(_ problem: Problem, _ description: EntityDescription, _ offset: Int) {
        diagnostics.append(description.file.diagnostic(problem, at: offset))
    }
}
