import Foundation
import JSONText
import SchemaModel
import SQLSchema

/// Decodes the fields of all elements in each epoch.
struct ElementDecoder: Sendable {
    let sources: SourceMap
    let names: NameTable
    var reader: FieldValueReader
    /// Whether keys that mean something else in Lucid have Lucid's meaning; nil if `strata.json` does not say it.
    let isLucid: Bool?
    /// The types of the primary keys of entities that are not stored, by their names.
    let unpersistedKeys: [String: ScalarType]
    /// The decoded subtypes, by lineage.
    var subtypes: [ResolvedSubtype] = []

    init(
        _ sources: SourceMap, _ names: NameTable, _ reader: FieldValueReader, _ unpersisted: [UnpersistedEntity],
        isLucid: Bool?
    ) {
        self.isLucid = isLucid
        unpersistedKeys = Dictionary(
            unpersisted.compactMap { entity in entity.name.map { ($0, entity.key) } },
            uniquingKeysWith: { first, _ in first })
        self.sources = sources
        self.names = names
        self.reader = reader
    }

    /// Decodes the model. The result is nil if a subtype contains itself, because its values would be infinite.
    mutating func model() -> ResolvedModel? {
        // Default values may be values of subtypes, so all elements of subtypes are decoded before them.
        for lineage in sources.subtypeLineages { subtypes.append(elements(of: lineage)) }
        guard checkRecursion() else { return nil }
        for lineage in sources.subtypeLineages { decodeMemberDefaults(of: lineage) }
        let decoder = self
        let entities = sources.entityLineages.concurrentMap { lineage in
            var decoder = decoder
            decoder.reader.diagnostics = []
            return (decoder.entity(lineage), decoder.reader.diagnostics)
        }
        reader.diagnostics += entities.flatMap(\.1)
        return ResolvedModel(sources: sources, entities: entities.map(\.0), subtypes: subtypes)
    }

    private mutating func entity(_ lineage: EntityLineage) -> ResolvedEntity {
        let source = sources[lineage]
        return ResolvedEntity(
            identifier: source.fields.map { identifier($0, of: lineage) },
            properties: source.properties.enumerated().map { number, property in
                checkKind(of: property)
                return property.fields.map { fields -> ResolvedProperty? in
                    let (number, description) = (ElementLineage(number), property.description)
                    if let value = fields.field("computed") {
                        return computed(number, fields, value, description, of: lineage).map { .computed($0) }
                    }
                    return self.property(number, fields, description).map { .stored($0) }
                }
            },
            indexes: source.indexes.enumerated().map { number, index in
                index.fields.map { self.index(ElementLineage(number), $0, of: lineage) }
            },
            checks: source.checks.enumerated().map { number, check in
                check.fields.map { self.check(ElementLineage(number), $0, of: lineage) }
            },
            search: source.fields.map { search($0, of: lineage) },
            distribution: source.fields.map { distribution($0, of: lineage) })
    }

    // MARK: Properties

    private mutating func property(
        _ lineage: ElementLineage, _ fields: Fields, _ description: ElementDescription
    ) -> Property? {
        guard let name = reader.name(fields), let type = type(fields) else { return nil }
        let kind: Property.Kind
        if case .object = type.value, let key = key(ofUnpersisted: fields) {
            kind = .attribute(key)
        } else if case .object = type.value {
            guard let relationship = relationship(fields, type: type) else { return nil }
            kind = .relationship(relationship)
        } else {
            guard let value = attributeType(fields, type: type) else { return nil }
            kind = .attribute(value)
        }
        var property = Property(lineage: lineage, name: name, documentation: description.documentation, kind: kind)
        let isLazy = reader.bool("lazy", fields) ?? false
        let isToMany = property.relationship?.association == .toMany
        if isLazy, let json = fields.value("lazy") { reader.note(.lazy(isToMany: isToMany), fields.file, json.offset) }
        let isNullable = reader.bool("nullable", fields) ?? false
        property.isNullable = isNullable || (isLazy && !isToMany)
        if isNullable, isToMany, isLucid == true, let json = fields.value("nullable") {
            reader.note(.nullableToMany, fields.file, json.offset)
            property.isNullable = false
        }
        if case .array(let names) = fields.value("persisted_name")?.value {
            property.persistedColumns = persistedColumns(names, of: property, fields)
        } else {
            property.persistedName = reader.persistedName(fields)
        }
        property.isUnique = reader.bool("unique", fields) ?? false
        property.isIndexed = reader.bool("indexed", fields) ?? false
        if let json = fields.value("collation") {
            property.collation = reader.choice(json, key: "collation", fields.file)
            if property.type?.scalar != .string, property.type?.scalar != .url {
                reader.report(
                    .keyDoesNotApply("collation", because: "only text has a collation"), fields.file, json.offset)
            }
        }
        property.limits = limits(of: property, fields)
        property.defaultValue = defaultValue(of: property, fields)
        return property
    }

    /// Returns the required field `property_type`; nil, after a diagnostic, if it is missing.
    mutating func type(_ fields: Fields) -> JSON? {
        if let type = fields.value("property_type") { return type }
        let offset = fields["property_type"]?.json.offset ?? fields.offset
        reader.report(.missingKey("property_type", of: "a property"), fields.file, offset)
        return nil
    }

    /// Returns the attribute type that `property_type` names; nil, after a diagnostic, if it is wrong.
    mutating func attributeType(_ fields: Fields, type: JSON) -> ValueType? {
        guard let name = type.text else {
            let expected = "a type's name or a relationship"
            reader.report(
                .wrongKind(key: "property_type", expected: expected, found: type.kind), fields.file, type.offset)
            return nil
        }
        for key in ["stored", "ordered", "duplicates", "on_delete", "entity_name", "association", "inverse"] {
            guard let json = fields.value(key) else { continue }
            reader.report(
                .keyDoesNotApply(key, because: "the property is not a relationship"), fields.file, json.offset)
        }
        guard let moment = fields["property_type"]?.moment else { return nil }
        return valueType(name, at: moment, fields.file, type.offset)
    }

    private static let mostLists = 7

    /// Returns the type that has the name `name` in the version at `index`; nil, after a diagnostic, if there is none.
    private mutating func valueType(
        _ name: String, at index: VersionIndex, _ file: SourceFile, _ offset: Int
    ) -> ValueType? {
        // The nesting is limited, because each pair of brackets needs a recursive call.
        if name.utf8.count(where: { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "{") }) > Self.mostLists {
            reader.report(.nestedLists(most: Self.mostLists), file, offset)
            return nil
        }
        if name.hasPrefix("["), name.hasSuffix("]"), name.utf8.count > 2 {
            return valueType(String(name.dropFirst().dropLast()), at: index, file, offset).map { .array($0) }
        }
        if name.hasPrefix("{"), name.hasSuffix("}"), let colon = name.firstIndex(of: ":") {
            func trimmed(_ text: Substring) -> String { String(text).trimmingCharacters(in: .whitespaces) }
            let keyName = trimmed(name[name.index(after: name.startIndex)..<colon])
            guard let key = ScalarType(description: keyName), [.string, .int].contains(key) else {
                reader.report(.dictionaryKey(keyName), file, offset)
                return nil
            }
            return valueType(trimmed(name[name.index(after: colon)...].dropLast()), at: index, file, offset).map {
                .dictionary(key: key, value: $0)
            }
        }
        if let scalar = ScalarType(description: name) { return .scalar(scalar) }
        if let subtype = names.subtype(name, at: index) { return .subtype(subtype) }
        if names.entity(name, at: index) != nil {
            reader.report(.entityAsType(name), file, offset)
        } else if names.isSubtype(name) {
            reader.report(.unknownSubtype(name, version: sources.versions[index].text), file, offset)
        } else {
            let hint = TypeHint.hint(name, subtypes: names.subtypeNames(at: index))
            reader.report(.unknownType(name, hint: hint), file, offset)
        }
        return nil
    }

    /// Returns the column names of a relationship to an entity with a composite primary key.
    private mutating func persistedColumns(_ names: [JSON], of property: Property, _ fields: Fields) -> [String] {
        guard property.relationship?.association == .toOne else {
            reader.report(
                .keyDoesNotApply(
                    "persisted_name",
                    because: "only a to_one relationship can have several names; write one, as a string"),
                fields.file, fields["persisted_name"]?.json.offset ?? fields.offset)
            return []
        }
        return names.compactMap { reader.name($0, key: "persisted_name", fields.file) }
    }

    // MARK: Relationships

    /// Returns the type in place of a relationship to an entity that is not stored: its primary key, or a list of them.
    private mutating func key(ofUnpersisted fields: Fields) -> ValueType? {
        guard let target = fields.field("entity_name"), let name = target.json.text, let key = unpersistedKeys[name],
            names.entity(name, at: target.moment) == nil, let json = fields.value("association"),
            let association = association(json, fields.file)
        else { return nil }
        reader.note(.keyOfUnpersisted(name), fields.file, target.json.offset)
        return association == .toOne ? .scalar(key) : .array(.scalar(key))
    }

    private mutating func relationship(_ fields: Fields, type: JSON) -> Relationship? {
        let file = fields.file
        guard let target = fields.field("entity_name") else {
            reader.report(.missingKey("entity_name", of: "a relationship"), file, type.offset)
            return nil
        }
        guard let associationJSON = fields.value("association") else {
            reader.report(.missingKey("association", of: "a relationship"), file, type.offset)
            return nil
        }
        guard let targetName = reader.string(target.json, key: "entity_name", file),
            let association = association(associationJSON, file),
            let entity = entity(targetName, at: target.moment, file, target.json.offset)
        else { return nil }
        var relationship = Relationship(target: entity, association: association)
        relationship.isStored = reader.bool("stored", fields) ?? false
        relationship.isOrdered = reader.bool("ordered", fields) ?? false
        relationship.allowsDuplicates = reader.bool("duplicates", fields) ?? false
        if let json = fields.value("on_delete") {
            relationship.deleteRule = reader.choice(json, key: "on_delete", file)
        }
        if let field = fields.field("inverse"), let name = reader.string(field.json, key: "inverse", file) {
            guard let inverse = sources.property(name, of: entity, at: field.moment) else {
                let nearest = sources.propertyNames(of: entity, at: field.moment).nearest(to: name)
                let version = sources.versions[field.moment].text
                reader.report(
                    .unknownInverse(name, of: targetName, version: version, nearest: nearest), file, field.json.offset)
                return nil
            }
            relationship.inverse = inverse
        }
        return relationship
    }

    private mutating func association(_ json: JSON, _ file: SourceFile) -> Relationship.Association? {
        switch json.text {
        // These are Lucid's names. Only their second half matters.
        case "one_to_one", "many_to_one": .toOne
        case "one_to_many", "many_to_many": .toMany
        default: reader.choice(json, key: "association", file)
        }
    }

    /// Returns the entity that has the name `name` in the version at `index`; nil, after a diagnostic, if there is
    /// none.
    mutating func entity(
        _ name: String, at index: VersionIndex, _ file: SourceFile, _ offset: Int
    ) -> EntityLineage? {
        if let entity = names.entity(name, at: index) { return entity }
        if names.subtype(name, at: index) != nil {
            reader.report(.subtypeAsEntity(name), file, offset)
        } else {
            let version = sources.versions[index].text
            let isGone = (0..<index.value).contains { names.entity(name, at: VersionIndex($0)) != nil }
            reader.report(
                isGone
                    ? .removedEntity(name, version: version)
                    : .unknownEntity(name, version: version, nearest: names.nearestEntity(to: name, at: index)),
                file, offset)
        }
        return nil
    }

    /// Returns the property that has the name `name` in the version at `index`; nil, after a diagnostic, if there is
    /// none, or if it is computed.
    ///
    /// - Parameter key: The key that contains the name, for messages; nil if the property may be computed.
    mutating func property(
        _ name: String, of entity: EntityLineage, called entityName: String, at index: VersionIndex,
        _ file: SourceFile, _ offset: Int, key: String?
    ) -> ElementLineage? {
        if let property = sources.property(name, of: entity, at: index) {
            guard let key, sources[entity].properties[property].fields[index].field("computed") != nil else {
                return property
            }
            reader.report(.computedProperty(name, key: key), file, offset)
            return nil
        }
        let nearest = sources.propertyNames(of: entity, at: index, stored: key != nil).nearest(to: name)
        let version = sources.versions[index].text
        reader.report(.unknownProperty(name, of: entityName, version: version, nearest: nearest), file, offset)
        return nil
    }

    /// Returns the property of `entity` whose name in the version at `index` is the string `json`.
    mutating func property(
        named json: JSON, key: String, of entity: EntityLineage, at index: VersionIndex
    ) -> ElementLineage? {
        let source = sources[entity]
        return reader.string(json, key: key, source.file).flatMap {
            property($0, of: entity, called: source.name, at: index, source.file, json.offset, key: key)
        }
    }

    // MARK: Checks

    private mutating func check(_ lineage: ElementLineage, _ fields: Fields, of entity: EntityLineage) -> EntityCheck? {
        guard let name = fields["name"].flatMap({ reader.string($0.json, key: "name", fields.file) }),
            let field = fields["where"], let condition = condition(field, key: "where", of: entity)
        else { return nil }
        if name.isEmpty { reader.report(.emptyName, fields.file, fields["name"]?.json.offset ?? fields.offset) }
        if condition.columns.isEmpty {
            reader.report(.malformedExpression(key: "where", "it names no property"), fields.file, field.json.offset)
        }
        return EntityCheck(lineage: lineage, name: name, condition)
    }

    // MARK: Indexes

    private mutating func index(_ lineage: ElementLineage, _ fields: Fields, of entity: EntityLineage) -> EntityIndex {
        var index = EntityIndex(lineage: lineage, IndexShape([], unique: reader.bool("unique", fields) ?? false))
        if let field = fields.field("where") { index.shape.condition = condition(field, key: "where", of: entity) }
        guard let field = fields["properties"],
            let names = reader.array(field.json, key: "properties", expected: "an array of names", fields.file)
        else { return index }
        if names.isEmpty { reader.report(.indexOfNothing, fields.file, field.json.offset) }
        for json in names {
            guard let text = reader.string(json, key: "properties", fields.file) else { continue }
            let source = sources[entity]
            // The name itself may end with a word for the direction.
            let isName = sources.property(text, of: entity, at: field.moment) != nil
            let (name, isDescending) = isName ? (text, false) : IndexedName.parse(text)
            guard
                let property = property(
                    name, of: entity, called: source.name, at: field.moment, source.file, json.offset, key: nil)
            else { continue }
            index.shape.columns.append(property)
            if isDescending { index.shape.descending.insert(property) }
        }
        return index
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
