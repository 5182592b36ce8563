import JSONText
import SchemaModel

extension ElementDecoder {
    /// Decodes the primary key of an entity.
    mutating func identifier(_ fields: Fields, of entity: EntityLineage) -> ResolvedIdentifier? {
        guard let field = fields["identifier"] else { return nil }
        let (json, file) = (field.json, fields.file)
        guard case .object(let members) = json.value else {
            let expected = "an object like {\"type\": \"int\"}"
            reader.report(.wrongKind(key: "identifier", expected: expected, found: json.kind), file, json.offset)
            return nil
        }
        let values = Dictionary(members.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first })
        guard let type = values["type"] else {
            if isLucid == true {
                reader.note(.identifierOfLucid(nil), file, json.offset)
                return ResolvedIdentifier(identifier: .column(name: "id", kind: .int))
            }
            reader.report(.missingKey("type", of: "an identifier"), file, json.offset)
            return nil
        }
        guard var text = reader.string(type, key: "type", file)?.lowercased() else { return nil }
        // These types of Lucid are stored as text and as an integer.
        if isLucid == true, let stored = ["url": "string", "color": "string", "milliseconds": "int"][text] {
            reader.note(.identifierOfLucid(text), file, type.offset)
            text = stored
        }
        func refuse(_ keys: [String]) {
            for key in keys {
                guard let json = values[key] else { continue }
                let reason = "the \"type\" of the identifier is \"\(text)\""
                reader.report(.keyDoesNotApply(key, because: reason), file, json.offset)
            }
        }
        switch text {
        case "property", "properties":
            refuse(["name", "derived_from_relationships", text == "property" ? "properties" : "property"])
            guard let names = values[text] else {
                reader.report(.missingKey(text, of: "an identifier of that type"), file, json.offset)
                return nil
            }
            return keyProperties(names, isList: text == "properties", of: entity, at: field.moment)
                .map { ResolvedIdentifier(identifier: .properties($0)) }
        default:
            refuse(["property", "properties"])
            guard let kind = Identifier.Kind(rawValue: text) else {
                let known = Identifier.Kind.allCases.map(\.rawValue) + ["property", "properties"]
                reader.report(.unknownValue(text, of: "type", allowed: known), file, type.offset)
                return nil
            }
            let json = values["name"] ?? JSON(value: .string("id"), offset: json.offset)
            guard let name = reader.name(json, key: "name", file) else { return nil }
            var identifier = ResolvedIdentifier(identifier: .column(name: name, kind: kind))
            if let json = values["derived_from_relationships"] {
                identifier.sources = keySources(json, at: field.moment, file)
            }
            return identifier
        }
    }

    private mutating func keyProperties(
        _ json: JSON, isList: Bool, of entity: EntityLineage, at moment: VersionIndex
    ) -> [ElementLineage]? {
        let file = sources[entity].file
        let key = isList ? "properties" : "property"
        var names = [json]
        if isList {
            guard let array = reader.array(json, key: key, expected: "an array of names", file) else { return nil }
            if array.isEmpty { reader.report(.indexOfNothing, file, json.offset) }
            names = array
        }
        var properties: [ElementLineage] = []
        for json in names {
            guard let property = property(named: json, key: key, of: entity, at: moment) else { return nil }
            if properties.contains(property) {
                let problem = Problem.keyDoesNotApply(json.text ?? key, because: "the primary key already contains it")
                reader.report(problem, file, json.offset)
                return nil
            }
            properties.append(property)
        }
        return properties
    }

    private mutating func keySources(_ json: JSON, at moment: VersionIndex, _ file: SourceFile) -> [EntityLineage] {
        let key = "derived_from_relationships"
        let names = reader.array(json, key: key, expected: "an array of entities", file) ?? []
        return names.compactMap { json in
            // A key can have the type of that of an entity that is not stored.
            if let name = json.text, unpersistedKeys[name] != nil, self.names.entity(name, at: moment) == nil {
                return nil
            }
            return reader.string(json, key: key, file).flatMap { entity($0, at: moment, file, json.offset) }
        }
    }
}
