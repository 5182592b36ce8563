import Mustache
import SchemaModel
import SQLSchema

extension Generator {
    /// Returns the values for the template `Entity.swift`: the newest struct of an entity, and its primary key. Nil if
    /// the newest version does not have the entity.
    func entityValues(_ lineage: EntityLineage) -> Value? {
        guard let entity = history.newest.entity(lineage) else { return nil }
        let newest = history.versions.count - 1
        var values = commonValues(
            lineage, names.shapes[lineage].filter { $0.last == newest },
            names.keyShapes[lineage].filter { $0.last == newest })
        values["newest"] = [
            "name": .text(SwiftName.escaped(SwiftName.type(entity.name))),
            "type": .text(names.declaredType(lineage, at: newest)),
            "documentation": documentation(entity.documentation),
        ]
        return .object(values)
    }

    /// Returns the values for the template `EntityHistory.swift`: the superseded structs of an entity. Nil if there are
    /// none.
    func entityHistoryValues(_ lineage: EntityLineage) -> Value? {
        let newest = history.versions.count - 1
        let shapes = names.shapes[lineage].filter { $0.last < newest }
        let keys = names.keyShapes[lineage].filter { $0.last < newest }
        return shapes.isEmpty && keys.isEmpty ? nil : .object(commonValues(lineage, shapes, keys))
    }

    private func commonValues(_ lineage: EntityLineage, _ shapes: [EntityShape], _ keys: [KeyShape]) -> [String: Value]
    {
        [
            "source": .text(history.sources[lineage] + ".json"),
            "schema": .text(history.name),
            "access": .text(options.access.modifier),
            "codable": .text(options.codingNames == nil ? "" : ", Swift.Codable"),
            "hasCodingKeys": .flag(options.codingNames == .descriptions),
            "keys": .list(keys.map { keyValues($0, lineage) }),
            "shapes": .list(shapes.map { shapeValues($0, lineage) }),
        ]
    }

    private func keyValues(_ shape: KeyShape, _ lineage: EntityLineage) -> Value {
        let version = history.versions[shape.last]
        var values: [String: Value] = [
            "name": .text(shape.name),
            "entity": .text(version.entity(lineage)?.name ?? ""),
            "raw": .null, "members": .null, "sources": .null,
        ]
        switch shape.form {
        case .raw(let scalar):
            let type = scalar.facts.swift
            values["raw"] = ["type": .text(type), "tag": .text(shape.tag)]
            values["sources"] = .list(
                shape.sources.map { source in
                    [
                        "source": .text(names.id(source, in: version)), "tag": .text(shape.tag), "type": .text(type),
                        "entity": .text(version.entity(source)?.name ?? ""),
                    ]
                })
        case .members(let members):
            var column = 0
            let list = members.enumerated().map { index, member -> Value in
                let type = member.target.map { names.id($0, in: version) }
                let scalar = member.parts.first?.type ?? .int
                let reader = type == nil ? scalar.facts.reader.lowercased() : "id"
                defer { column += member.parts.count }
                let offset = column == 0 ? "index" : "index + \(column)"
                return [
                    "member": .text(SwiftName.escaped(member.name)),
                    "codingKey": .text(SwiftLiteral.string(member.description)),
                    "declaration": .text(names.parameter(member.name).declared),
                    "parameter": .text(names.parameter(member.name).name),
                    "type": .text(type ?? scalar.facts.swift),
                    "read": .text("row.\(reader)(\(offset))"),
                    "bind": .text("bind(self.\(SwiftName.escaped(member.name)), at: \(offset))"),
                    "isLast": .flag(index == members.count - 1),
                ]
            }
            values["members"] = ["list": .list(list), "count": .text(String(column))]
        }
        return .object(values)
    }

    /// Returns Swift source that decodes a property. An absent property gets its default value.
    static func decoding(_ type: String, _ member: String, isNullable: Bool, _ fallback: String?) -> String {
        guard let fallback else { return "try values.decode(\(type).self, forKey: .\(member))" }
        let wrapped = isNullable ? String(type.dropLast()) : type
        let decode = "try values.decodeIfPresent(\(wrapped).self, forKey: .\(member))"
        if fallback == "nil" { return decode }
        // An explicit null is a value of a nullable property.
        return isNullable
            ? "values.contains(.\(member)) ? \(decode) : \(fallback)" : "\(decode) ?? \(fallback)"
    }

    private func shapeValues(_ shape: EntityShape, _ lineage: EntityLineage) -> Value {
        let last = history.versions[names.lastEmitted(in: shape.first...shape.last)]
        let entity = last.entity(lineage) ?? shape.entity
        let version = history.versions[shape.first]
        let fields = shape.fields
        let isNewest = shape.last == history.versions.count - 1
        let computed = shape.entity.computed
        let hasOtherID =
            fields.contains { $0.column.member == "id" && $0.column.role != .identifier }
            || computed.contains { $0.member == "id" }
        let columns = fields.enumerated().map { fieldIndex, field -> Value in
            let column = field.column
            let member = names.member(column)
            let fallback =
                column.defaultValue.map { names.value($0, type: column.type, in: version) }
                ?? (column.isNullable ? "nil" : nil)
            let typeName = Self.typeName(column) ?? ""
            let type = column.role == .identifier ? "ID" : names.type(of: column, lineage: lineage, in: version)
            return [
                "member": .text(member),
                "codingKey": .text(
                    SwiftLiteral.string(
                        options.codingNames == .swift ? column.member : column.description(in: shape.entity))),
                "decode": .text(Self.decoding(type, member, isNullable: column.isNullable, fallback)),
                "declaration": .text(names.parameter(column.member).declared),
                "parameter": .text(names.parameter(column.member).name),
                "label": .text(names.label(column)),
                "type": .text(type),
                "default": fallback.map { .text(" = " + $0) } ?? .null,
                "read": .text("row.\(Self.reader(column))(\(field.index))"),
                "bind": .text("bind\(typeName)(self.\(member), at: \(field.index + 1))"),
                // A color is stored as text.
                "compare": .text(
                    "compare\(typeName == "Color" ? "String" : typeName)(self.\(member), other.\(member))"),
                "documentation": documentation(column.documentation),
                "isLast": .flag(fieldIndex == fields.count - 1),
            ]
        }
        let hasDefaults = fields.contains { $0.column.defaultValue != nil }
        let key = key(of: shape.entity, "entity.", in: version)
        let declared = declaredColumns(shape, computed, in: version)
        let relationships = relationshipValues(of: entity, in: last, documented: isNewest) { target in
            isNewest ? newestType(target) : names.declaredType(target.lineage, at: names.index(of: last))
        }
        return [
            "namespace": .text(names.namespace(shape.first)),
            "name": .text(SwiftName.escaped(SwiftName.type(shape.entity.name))),
            "id": .text(names.id(lineage, in: version)),
            "self": .text(names.type(lineage, in: version)),
            "versions": .text(versions(from: shape.first, to: shape.last)),
            "isIdentifiable": .flag(!hasOtherID),
            "identifiable": .text(hasOtherID ? "" : ", Swift.Identifiable"),
            "isSearchable": .flag(entity.search != nil),
            "search": searchValues(entity.search, shape),
            "needsID": .flag(!hasOtherID && key != "entity.id"),
            "key": .text(key),
            "ownKey": .text(self.key(of: shape.entity, "self.", in: version)),
            "keyColumns": .text(SwiftLiteral.strings(version.keyParts(of: shape.entity).map(\.name))),
            "table": .text(SwiftLiteral.string(shape.entity.tableName)),
            "columnPairs": .text(
                shape.columns.map { "\(SwiftLiteral.string($0.name)): \\.\(names.member($0))" }.joined(separator: ", ")),
            "keyCollations": .text(
                version.entity(lineage).map(version.keyCollations).flatMap { $0.isEmpty ? nil : $0 }
                    .map { ", keyCollations: " + SwiftLiteral.strings($0) } ?? ""),
            "columns": .list(columns),
            "storedColumns": .list(
                shape.columns.map { column in
                    ["name": .text(SwiftLiteral.string(column.name)), "member": .text(names.member(column))]
                }),
            "collations": .text(collations(shape, in: version)),
            "declaredColumns": .list(declared),
            "hasDeclaredColumns": .flag(!declared.isEmpty),
            "computed": computedValues(computed, after: shape.columns.count),
            "computedNames": .text(
                computed.isEmpty ? "" : ", computed: " + SwiftLiteral.strings(computed.map(\.columnName))),
            // A computed property is not encoded.
            "hasCodingKeys": .flag(
                options.codingNames == .descriptions || options.codingNames != nil && !computed.isEmpty),
            "decodesDefaults": .flag(options.codingNames != nil && hasDefaults),
            "relationships": .list(relationships),
            "hasRelationships": .flag(!relationships.isEmpty),
        ]
    }

    /// Returns the values for the computed properties of an entity.
    ///
    /// - Parameter count: The number of stored columns, which a row has before the computed ones.
    private func computedValues(_ properties: [ComputedProperty], after count: Int) -> Value {
        .list(
            properties.enumerated().map { index, property -> Value in
                let facts = property.type.facts
                return [
                    "member": .text(SwiftName.escaped(property.member)),
                    "type": .text(facts.swift + "?"),
                    "read": .text("row.optional\(facts.reader)(\(count + index))"),
                    "documentation": documentation(property.documentation),
                ]
            })
    }

    /// Returns the values for the searched properties of an entity.
    private func searchValues(_ search: TextSearch<ElementLineage>?, _ shape: EntityShape) -> Value {
        let columns = (search?.columns ?? []).compactMap { lineage in shape.columns.first { $0.property == lineage } }
        return .list(
            columns.map { ["member": .text(names.member($0)), "column": .text(SwiftLiteral.string($0.name))] })
    }

    /// Returns Swift source for the primary key of an entity, from the properties of its struct.
    ///
    /// - Parameters:
    ///   - entity: The entity.
    ///   - prefix: The source before the name of each property, such as `self.`.
    ///   - version: The version of the entity.
    private func key(of entity: Entity, _ prefix: String, in version: ModelVersion) -> String {
        let columns = version.columns(of: entity)
        guard case .properties(let lineages) = entity.identifier else {
            return columns.first.map { prefix + names.member($0) } ?? ""
        }
        let members = lineages.compactMap { lineage in
            columns.first { $0.property == lineage && $0.role != .position }
        }
        if members.count == 1, members[0].role == .attribute {
            return "ID(rawValue: \(prefix)\(names.member(members[0])))"
        }
        let arguments = members.map { "\(SwiftName.label($0.member)): \(prefix)\(names.member($0))" }
        return "ID(" + arguments.joined(separator: ", ") + ")"
    }

    /// Returns a sentence with the versions that share a type.
    func versions(from start: Int, to end: Int) -> String {
        let first = history.versions[start].version.text
        let last = history.versions[end].version.text
        if end == history.versions.count - 1 { return "Since version \(first)." }
        return start == end ? "Version \(first)." : "Versions \(first) to \(last)."
    }

    /// The names of the members that all entities' columns have.
    private static let columnsMembers: Set = ["id", "searchRank", "snippet", "highlighted"]

    /// Returns the values for the columns that `Strata.PropertyColumns` does not find by their properties: computed ones,
    /// whose properties cannot be set, and those whose names it uses itself.
    private func declaredColumns(
        _ shape: EntityShape, _ computed: [ComputedProperty], in version: ModelVersion
    ) -> [Value] {
        let hidden = shape.fields.map(\.column).filter {
            $0.role != .identifier && Self.columnsMembers.contains($0.member)
        }
        let stored = hidden.map { column -> Value in
            let member = names.member(column)
            return [
                "member": .text(member),
                "type": .text(names.type(of: column, lineage: shape.entity.lineage, in: version)),
                "value": .text("self[dynamicMember: \\.\(member)]"),
            ]
        }
        return stored
            + computed.map { property in
                [
                    "member": .text(SwiftName.escaped(property.member)),
                    "type": .text(property.type.facts.swift + "?"),
                    "value": .text(".init(\(SwiftLiteral.string(property.columnName)))"),
                ]
            }
    }

    /// Returns Swift source for the argument with the collations of foreign keys; empty if none needs one.
    private func collations(_ shape: EntityShape, in version: ModelVersion) -> String {
        let entries = shape.columns.compactMap { column -> String? in
            let collations = column.role.target.flatMap(version.entity).map(version.keyCollations) ?? []
            guard !collations.isEmpty, !collations[column.part].isEmpty else { return nil }
            return "\(SwiftLiteral.string(column.name)): \(SwiftLiteral.string(collations[column.part]))"
        }
        return entries.isEmpty ? "" : ", collations: [\(entries.joined(separator: ", "))]"
    }

    /// Returns the name of the function of `Strata.Row` that reads a column.
    static func reader(_ column: StoredColumn) -> String {
        let isKey = column.role == .identifier || column.role.target != nil
        let name = typeName(column) ?? (isKey ? "ID" : "Value")
        return column.isNullable ? "optional" + name : name.lowercased()
    }

    /// Returns the type of a column as part of a function's name; nil for types that the model declares.
    private static func typeName(_ column: StoredColumn) -> String? {
        column.role == .attribute || column.role == .position ? column.type.scalar?.facts.reader : nil
    }

    /// Returns the values of an entity's relationships.
    ///
    /// - Parameters:
    ///   - entity: The entity.
    ///   - version: The version of the entity.
    ///   - isDocumented: Whether they have their doc comments.
    ///   - type: Returns the struct of the related rows.
    func relationshipValues(
        of entity: Entity, in version: ModelVersion, documented isDocumented: Bool = false, _ type: (Entity) -> String
    ) -> [Value] {
        entity.properties.compactMap { property in
            guard let relationship = property.relationship, let target = version.entity(relationship.target) else {
                return nil
            }
            let (kind, path) = relationshipType(relationship, property, of: entity, to: target, in: version)
            return [
                "member": .text(SwiftName.escaped(SwiftName.member(property.name))),
                "kind": .text(kind),
                "target": .text(type(target)),
                "path": .text(path),
                "documentation": documentation(isDocumented ? property.documentation : nil),
            ]
        }
    }

    /// Returns the struct of an entity in the newest version. With `Newest`, a file stays the same when another entity gets a new
    /// struct.
    private func newestType(_ entity: Entity) -> String {
        "\(history.name).Newest.\(SwiftName.escaped(SwiftName.type(entity.name)))"
    }

    /// Returns the Swift type of a relationship, and Swift source for the arguments that create it.
    private func relationshipType(
        _ relationship: Relationship, _ property: Property, of entity: Entity, to target: Entity,
        in version: ModelVersion
    ) -> (kind: String, path: String) {
        let inverse = version.inverse(of: relationship)
        let path: String
        var kind = relationship.association == .toOne ? "ToOne" : "ToMany"
        let isSymmetric = version.isOwnInverse(relationship)
        func join(_ stored: Property, _ source: Entity, reversed: Bool) -> String {
            let table = version.joinTables(of: source).first { $0.property == stored.lineage }
            var text = "joinTable: \(SwiftLiteral.string(version.joinTableName(of: stored, in: source)))"
            if let table, table.source.count > 1 || table.target.count > 1 {
                text += ", source: \(SwiftLiteral.strings(table.source)), target: \(SwiftLiteral.strings(table.target))"
            }
            if stored.relationship?.allowsDuplicates == true { text += ", duplicates: true" }
            if table?.hasOrderedInverse == true { text += ", orderedInverse: true" }
            return reversed ? text + ", reversed: true" : text
        }
        switch version.storage(of: relationship) {
        case .column:
            path = "column: \(SwiftLiteral.strings(version.referenceParts(of: property).map(\.name)))"
            if !property.isNullable && !isSymmetric { kind = "RequiredToOne" }
        case .inverseColumn:
            let position =
                relationship.isOrdered ? ", position: \(SwiftLiteral.string(inverse?.positionColumn ?? ""))" : ""
            path =
                "inverse: \(SwiftLiteral.strings(inverse.map { version.referenceParts(of: $0).map(\.name) } ?? []))\(position)"
        case .joinTable:
            path = join(property, entity, reversed: false)
        case .inverseJoinTable:
            path = inverse.map { join($0, target, reversed: true) } ?? ""
        }
        return (kind, isSymmetric ? path + ", symmetric: true" : path)
    }

    /// Returns the lines of a doc comment, without control characters.
    func documentation(_ text: String?) -> Value {
        let lines = text?.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) ?? []
        return .list(
            lines.map { line in
                .text(String(String.UnicodeScalarView(line.unicodeScalars.filter { $0.value >= 0x20 || $0 == "\t" })))
            })
    }
}
