import JSONText
import SchemaModel
import SQLSchema

/// Decodes the fields of properties and indexes in each epoch.
extension Resolver {
    mutating func decodeProperties() {
        for (lineage, description) in descriptions.enumerated() {
            var entityStates: [[Property?]] = []
            for (place, timeline) in properties[lineage].enumerated() {
                entityStates.append(
                    timeline.epochs.map { decode(place, $0, timeline, entity: lineage, description) })
            }
            states.append(entityStates)
        }
    }

    mutating func decode(
        _ place: Int, _ epoch: ElementTimeline.Epoch, _ timeline: ElementTimeline, entity: Int,
        _ description: EntityDescription
    ) -> Property? {
        let fields = epoch.fields
        guard let name = checkedName(fields["name"]?.json, description) else { return nil }
        guard let type = type(fields, description) else { return nil }
        let kind: Property.Kind
        if case .object = type.value {
            guard let relationship = relationship(fields, type: type, description) else { return nil }
            kind = relationship
        } else {
            guard let value = attributeType(fields, type: type, description) else { return nil }
            kind = .attribute(value)
        }
        var property = Property(
            lineage: place, name: name,
            documentation: description.properties[place].documentation, kind: kind)
        let isLazy = bool("lazy", fields, description) ?? false
        let isToMany = property.relationship?.association == .toMany
        property.isNullable = (bool("nullable", fields, description) ?? false) || (isLazy && !isToMany)
        if case .array(let names) = value("persisted_name", fields)?.value {
            property.persistedColumns = persistedColumns(names, of: property, fields, description)
        } else {
            property.persistedName = persistedName(fields, description)
        }
        property.isUnique = bool("unique", fields, description) ?? false
        property.isIndexed = bool("indexed", fields, description) ?? false
        if let json = value("collation", fields) {
            property.collation = choice(json, key: "collation", description)
            if property.type?.scalar != .string, property.type?.scalar != .url {
                report(.keyDoesNotApply("collation", because: "only text has one"), description, json.offset)
            }
        }
        property.defaultValue = defaultValue(of: property, fields, description)
        return property
    }

    mutating func defaultValue(
        of property: Property, _ fields: [String: ElementTimeline.Field], _ description: some FileDescription
    ) -> Constant? {
        guard let field = fields["default_value"], !field.json.isNull else { return nil }
        guard let type = property.type else {
            report(
                .keyDoesNotApply("default_value", because: "a relationship has none"), description, field.json.offset)
            return nil
        }
        switch text(field.json) {
        // Lucid writes `nil` for no value, and `current_date` for the time of decoding.
        case "nil" where property.isNullable && type != .scalar(.string) && !hasCase("nil", type, field): return nil
        case "current_date" where type == .scalar(.date):
            diagnostics.append(
                Diagnostic(
                    .currentDate, path: description.file.path,
                    position: description.file.position(of: field.json.offset), severity: .note))
            return nil
        default:
            return constant(field.json, key: "default_value", type: type, at: max(0, field.moment), description)
        }
    }

    private func hasCase(_ name: String, _ type: ValueType, _ field: ElementTimeline.Field) -> Bool {
        guard case .subtype(let subtype) = type else { return false }
        let index = max(0, field.moment)
        return knownElement(name, of: subtype, at: index, alive: index) != nil
    }

    /// Returns the required field `property_type`; nil, after a diagnostic, if it is missing.
    mutating func type(
        _ fields: [String: ElementTimeline.Field], _ description: some FileDescription
    ) -> JSON? {
        guard let type = value("property_type", fields) else {
            let offset = fields["property_type"]?.json.offset ?? description.element.offset
            report(.missingKey("property_type", of: "a property"), description, offset)
            return nil
        }
        return type
    }

    /// Returns the attribute type that `property_type` names; nil, after a diagnostic, if it is wrong.
    mutating func attributeType(
        _ fields: [String: ElementTimeline.Field], type: JSON, _ description: some FileDescription
    ) -> ValueType? {
        guard let name = text(type) else {
            report(
                .wrongKind(key: "property_type", expected: "a type's name or a relationship", found: type.kind),
                description, type.offset)
            return nil
        }
        for key in ["stored", "ordered", "on_delete", "entity_name", "association", "inverse"] {
            if let json = value(key, fields) {
                report(.keyDoesNotApply(key, because: "this is no relationship"), description, json.offset)
            }
        }
        let moment = max(0, fields["property_type"]?.moment ?? 0)
        return valueType(name, at: moment, description, type.offset)
    }

    private mutating func association(_ json: JSON, _ description: EntityDescription) -> Relationship.Association? {
        switch text(json) {
        case "one_to_one", "many_to_one": .toOne
        case "one_to_many", "many_to_many": .toMany
        default: choice(json, key: "association", description)
        }
    }

    /// Returns the name of a table or a column, if it differs from the name of the element.
    mutating func persistedName(
        _ fields: [String: ElementTimeline.Field], _ description: some FileDescription
    ) -> String? {
        guard let json = value("persisted_name", fields), let name = string(json, key: "persisted_name", description)
        else { return nil }
        if let problem = SwiftName.problem(with: name) {
            report(problem, description, json.offset)
            return nil
        }
        return name
    }

    /// Returns the column names of a relationship to an entity with a composite primary key.
    private mutating func persistedColumns(
        _ names: [JSON], of property: Property, _ fields: [String: ElementTimeline.Field],
        _ description: some FileDescription
    ) -> [String] {
        guard property.relationship?.association == .toOne else {
            let offset = fields["persisted_name"]?.json.offset ?? 0
            report(
                .keyDoesNotApply("persisted_name", because: "only a to_one relationship has several columns"),
                description, offset)
            return []
        }
        return names.compactMap { json in
            guard let name = string(json, key: "persisted_name", description) else { return nil }
            guard let problem = SwiftName.problem(with: name) else { return name }
            report(problem, description, json.offset)
            return nil
        }
    }

    mutating func relationship(
        _ fields: [String: ElementTimeline.Field], type: JSON, _ description: EntityDescription
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
            let association = association(associationJSON, description)
        else { return nil }
        // Rule 4: the name is the one that the target has in the version of the field's value.
        let moment = max(0, targetField.moment)
        guard let target = entityNames[moment][targetName] else {
            if subtypeNames[moment][targetName] != nil {
                report(.subtypeAsEntity(targetName), description, targetField.json.offset)
                return nil
            }
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

    mutating func decodeIndexes() {
        for (lineage, description) in descriptions.enumerated() {
            indexStates.append(
                indexes[lineage].enumerated().map { place, timeline in
                    timeline.epochs.map { decode($0, index: place, entity: lineage, description) }
                })
        }
    }

    mutating func decode(
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
            guard let lineage = namedProperty(json, key: "properties", of: entity, at: moment) else { continue }
            decoded.properties.append(lineage)
        }
        return decoded
    }

    func value(_ key: String, _ fields: [String: ElementTimeline.Field]) -> JSON? {
        guard let json = fields[key]?.json, !json.isNull else { return nil }
        return json
    }

    func text(_ json: JSON?) -> String? {
        if case .string(let text) = json?.value { text } else { nil }
    }

    mutating func string(_ json: JSON, key: String, _ description: some FileDescription) -> String? {
        if let text = text(json) { return text }
        report(.wrongKind(key: key, expected: "a string", found: json.kind), description, json.offset)
        return nil
    }

    mutating func bool(
        _ key: String, _ fields: [String: ElementTimeline.Field], _ description: some FileDescription
    ) -> Bool? {
        guard let json = value(key, fields) else { return nil }
        if case .bool(let value) = json.value { return value }
        report(.wrongKind(key: key, expected: "true or false", found: json.kind), description, json.offset)
        return nil
    }

    mutating func choice<Choice: RawRepresentable & CaseIterable>(
        _ json: JSON, key: String, _ description: some FileDescription
    ) -> Choice? where Choice.RawValue == String {
        guard let text = string(json, key: key, description) else { return nil }
        if let choice = Choice(rawValue: text) { return choice }
        let nearest = Choice.allCases.map(\.rawValue).nearest(to: text)
        report(.unknownValue(text, of: key, nearest: nearest), description, json.offset)
        return nil
    }

    mutating func literal(
        _ json: JSON, key: String, type: ScalarType, _ description: some FileDescription
    ) -> Literal? {
        if let literal = LiteralReader.literal(json, type: type) { return literal }
        report(
            .wrongLiteral(key: key, type: type.rawValue, found: json.shown, hint: LiteralReader.hint(type)),
            description,
            json.offset)
        return nil
    }

    mutating func report(_ problem: Problem, _ description: some FileDescription, _ offset: Int) {
        diagnostics.append(description.file.diagnostic(problem, at: offset))
    }
}

extension ScalarType {
    /// Creates the type with a name in a description, in upper or lower case. Lucid's `time` is an older name of
    /// `seconds`.
    init?(description: String) {
        let name = description.lowercased()
        self.init(rawValue: name == "time" ? "seconds" : name)
    }
}
