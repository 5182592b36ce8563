import Mustache
import SchemaModel

extension Generator {
    /// The values of `Entity.swift`: the structs of one entity in all versions.
    func entityValues(_ lineage: Int) -> Value {
        let shapes = names.shapes[lineage]
        var newest: [Value] = []
        if let entity = history.newest.entity(lineage) {
            newest = [
                [
                    "name": .text(SwiftName.escaped(SwiftName.type(entity.name))),
                    "type": .text(names.type(lineage, in: history.newest)),
                    "documentation": documentation(entity.documentation ?? "The newest version of `\(entity.name)`."),
                ]
            ]
        }
        var aliases: [Value] = []
        for shape in shapes where shape.last > shape.first {
            for index in (shape.first + 1)...shape.last {
                aliases.append([
                    "namespace": .text(names.namespace(index)),
                    "name": .text(SwiftName.escaped(SwiftName.type(shape.entity.name))),
                    "type": .text(names.type(lineage, in: history.versions[shape.first])),
                    "declared": .text(history.versions[shape.first].version.text),
                ])
            }
        }
        return [
            "source": .text(history.sources[lineage] + ".json"),
            "schema": .text(history.name),
            "access": .text(options.access.modifier),
            "newest": .list(newest),
            "id": idValues(lineage),
            "shapes": .list(shapes.map { shapeValues($0, lineage) }),
            "aliases": .list(aliases),
        ]
    }

    private func idValues(_ lineage: Int) -> Value {
        guard let entity = names.shapes[lineage].last?.entity else { return .null }
        let literal: String? =
            switch entity.identifier.kind {
            case .int: "Swift.ExpressibleByIntegerLiteral"
            case .string: "Swift.ExpressibleByStringLiteral"
            case .uuid: nil
            }
        return [
            "name": .text(names.idName(lineage)),
            "entity": .text(entity.name),
            "rawValue": .text(SwiftNames.type(entity.identifier.kind.scalar)),
            "literal": literal.map { .text(", " + $0) } ?? .null,
        ]
    }

    private func shapeValues(_ shape: EntityShape, _ lineage: Int) -> Value {
        let last = history.versions[shape.last]
        let entity = last.entity(lineage) ?? shape.entity
        let members = shape.columns.map(names.member)
        let key = members[0]
        let hasOtherID = members.dropFirst().contains("id")
        let version = history.versions[shape.first]
        let columns = shape.columns.enumerated().map { index, column -> Value in
            let isNullable = column.isNullable
            let fallback =
                column.defaultValue.map { names.value($0, type: column.type, in: version) }
                ?? (isNullable ? "nil" : nil)
            return [
                "member": .text(members[index]),
                "declaration": .text(names.parameter(column).declared),
                "parameter": .text(names.parameter(column).name),
                "type": .text(
                    column.role == .identifier ? "ID" : names.type(of: column, lineage: lineage, in: version)),
                "default": fallback.map { .text(" = " + $0) } ?? .null,
                "read": .text("row.\(Self.reader(column))(\(index))"),
                "bind": .text("bind(\(Self.bindLabel(column))self.\(members[index]), at: \(index + 1))"),
                "documentation": documentation(column.documentation),
                "isLast": .flag(index == shape.columns.count - 1),
            ]
        }
        return [
            "namespace": .text(names.namespace(shape.first)),
            "name": .text(SwiftName.escaped(SwiftName.type(shape.entity.name))),
            "id": .text(names.id(lineage)),
            "documentation": documentation(entity.documentation ?? "A row of `\(shape.entity.name)`."),
            "versions": .text(versions(from: shape.first, to: shape.last)),
            "isIdentifiable": .flag(!hasOtherID),
            "needsID": .flag(!hasOtherID && key != "id"),
            "key": .text(key),
            "keyColumn": .text(SwiftLiteral.string(shape.columns[0].name)),
            "table": .text(SwiftLiteral.string(shape.entity.tableName)),
            "columnNames": .text(SwiftLiteral.strings(shape.columns.map(\.name))),
            "columns": .list(columns),
            "relationships": .list(
                entity.properties.compactMap { relationshipValues($0, of: entity, in: last, shape) }),
        ]
    }

    /// The versions that a shape serves, in words.
    func versions(from start: Int, to end: Int) -> String {
        let first = history.versions[start].version.text
        let last = history.versions[end].version.text
        return start == end ? "in version \(first)" : "from version \(first) to \(last)"
    }

    private static func bindLabel(_ column: StoredColumn) -> String {
        switch column.type {
        case .scalar(.color): column.role == .attribute ? "color: " : ""
        case .scalar: ""
        case .subtype, .array: "value: "
        }
    }

    private static func reader(_ column: StoredColumn) -> String {
        let name =
            switch column.role {
            case .identifier, .reference: "ID"
            case .attribute, .position:
                switch column.type.scalar {
                case .int, .milliseconds: "Int"
                case .bool: "Bool"
                case .double, .seconds: "Double"
                case .float: "Float"
                case .string: "String"
                case .url: "URL"
                case .color: "Color"
                case .date: "Date"
                case .data: "Data"
                case .uuid: "UUID"
                case .decimal: "Decimal"
                case nil: "Value"
                }
            }
        return column.isNullable ? "optional" + name : name.lowercased()
    }

    private func relationshipValues(
        _ property: Property, of entity: Entity, in version: SchemaVersion, _ shape: EntityShape
    ) -> Value? {
        guard let relationship = property.relationship, let target = version.entity(relationship.target) else {
            return nil
        }
        let inverse = version.inverse(of: relationship)
        let path: String
        switch version.storage(of: relationship) {
        case .column:
            path = "column: \(SwiftLiteral.string(property.referenceColumn))"
        case .inverseColumn:
            let position =
                relationship.isOrdered ? ", position: \(SwiftLiteral.string(inverse?.positionColumn ?? ""))" : ""
            path = "inverse: \(SwiftLiteral.string(inverse?.referenceColumn ?? ""))\(position)"
        case .joinTable:
            path = "joinTable: \(SwiftLiteral.string(version.joinTableName(of: property, in: entity)))"
        case .inverseJoinTable:
            let name = inverse.map { version.joinTableName(of: $0, in: target) } ?? ""
            path = "joinTable: \(SwiftLiteral.string(name)), reversed: true"
        }
        let kind = relationship.association == .toOne ? "ToOne" : "ToMany"
        let source = names.type(entity.lineage, in: history.versions[shape.first])
        return [
            "member": .text(SwiftName.escaped(SwiftName.member(property.name))),
            "type": .text("Strata.\(kind)<\(source), \(names.type(relationship.target, in: version))>"),
            "path": .text(path),
            "documentation": documentation(property.documentation ?? "`\(entity.name).\(property.name)`."),
        ]
    }

    /// The lines of a doc comment.
    func documentation(_ text: String?) -> Value {
        let lines = text?.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) ?? []
        return .list(
            lines.map { line in
                .text(String(String.UnicodeScalarView(line.unicodeScalars.filter { $0.value >= 0x20 || $0 == "\t" })))
            })
    }
}
