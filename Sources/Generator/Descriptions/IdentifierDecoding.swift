import JSONText
import SchemaModel

/// The primary key of an entity in one epoch.
struct IdentifierState: Sendable {
    var identifier: Identifier
    /// The lineages of the entities whose primary keys may be used to create this primary key.
    var sources: [Int] = []
}

/// Decodes the identifiers of entities in each epoch.
extension Resolver {
    mutating func decodeIdentifiers() {
        for (lineage, description) in descriptions.enumerated() {
            identifierStates.append(
                entities[lineage].epochs.map { identifier($0.fields["identifier"], entity: lineage, description) })
        }
    }

    private mutating func identifier(
        _ field: ElementTimeline.Field?, entity: Int, _ description: EntityDescription
    ) -> IdentifierState? {
        guard let field else { return nil }
        let json = field.json
        guard case .object(let members) = json.value else {
            report(
                .wrongKind(key: "identifier", expected: "an object like {\"type\": \"int\"}", found: json.kind),
                description, json.offset)
            return nil
        }
        let values = Dictionary(members.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first })
        guard let type = values["type"] else {
            report(.missingKey("type", of: "an identifier"), description, json.offset)
            return nil
        }
        guard let text = string(type, key: "type", description)?.lowercased() else { return nil }
        let moment = max(0, field.moment)
        func refuse(_ keys: [String]) {
            for key in keys {
                guard let json = values[key] else { continue }
                let reason = "the \"type\" of the identifier is \"\(text)\""
                report(.keyDoesNotApply(key, because: reason), description, json.offset)
            }
        }
        switch text {
        case "property", "properties":
            refuse(["name", "derived_from_relationships", text == "property" ? "properties" : "property"])
            guard let names = values[text] else {
                report(.missingKey(text, of: "an identifier of that type"), description, json.offset)
                return nil
            }
            return keyProperties(names, isList: text == "properties", entity: entity, at: moment, description)
                .map { IdentifierState(identifier: .properties($0)) }
        default:
            refuse(["property", "properties"])
            guard let kind = Identifier.Kind(rawValue: text) else {
                let known = Identifier.Kind.allCases.map(\.rawValue) + ["property", "properties"]
                report(.unknownValue(text, of: "type", nearest: known.nearest(to: text)), description, type.offset)
                return nil
            }
            let name = values["name"] ?? JSON(value: .string("id"), offset: json.offset)
            guard let column = checkedName(name, description) else { return nil }
            var state = IdentifierState(identifier: .column(name: column, kind: kind))
            if let json = values["derived_from_relationships"] {
                state.sources = keySources(json, kind, at: moment, description)
            }
            return state
        }
    }

    private mutating func keyProperties(
        _ json: JSON, isList: Bool, entity: Int, at moment: Int, _ description: EntityDescription
    ) -> [Int]? {
        var names = [json]
        if isList {
            guard case .array(let array) = json.value else {
                report(
                    .wrongKind(key: "properties", expected: "an array of names", found: json.kind), description,
                    json.offset)
                return nil
            }
            if array.isEmpty { report(.indexOfNothing, description, json.offset) }
            names = array
        }
        var lineages: [Int] = []
        for json in names {
            let key = isList ? "properties" : "property"
            guard let lineage = namedProperty(json, key: key, of: entity, at: moment) else { return nil }
            if lineages.contains(lineage) {
                report(
                    .keyDoesNotApply(text(json) ?? key, because: "it is in the key already"), description, json.offset)
                return nil
            }
            lineages.append(lineage)
        }
        return lineages
    }

    private mutating func keySources(
        _ json: JSON, _ kind: Identifier.Kind, at moment: Int, _ description: EntityDescription
    ) -> [Int] {
        guard case .array(let names) = json.value else {
            report(
                .wrongKind(key: "derived_from_relationships", expected: "an array of entities", found: json.kind),
                description, json.offset)
            return []
        }
        return names.compactMap { json in
            guard let name = string(json, key: "derived_from_relationships", description) else { return nil }
            if let source = entityNames[moment][name] { return source }
            let nearest = entityNames[moment].keys.sorted().nearest(to: name)
            report(
                .unknownEntity(name, version: versions[moment].text, nearest: nearest), description, json.offset)
            return nil
        }
    }
}
