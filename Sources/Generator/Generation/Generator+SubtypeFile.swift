import Mustache
import SchemaDiff
import SchemaModel

extension Generator {
    /// Returns the values for the template `Subtype.swift`: the newest type of a subtype. Nil if the newest version
    /// does not have the subtype.
    func subtypeValues(_ lineage: SubtypeLineage) -> Value? {
        guard let subtype = history.newest.subtype(lineage) else { return nil }
        let newest = history.versions.count - 1
        var values = commonValues(lineage, names.subtypeShapes[lineage].filter { $0.last == newest })
        values["newest"] = [
            "name": .text(SwiftName.escaped(SwiftName.type(subtype.name))),
            "type": .text(names.type(.subtype(lineage), in: history.newest)),
            "documentation": documentation(subtype.documentation),
        ]
        return .object(values)
    }

    /// Returns the values for the template `SubtypeHistory.swift`: the superseded types of a subtype. Nil if there are
    /// none.
    func subtypeHistoryValues(_ lineage: SubtypeLineage) -> Value? {
        let shapes = names.subtypeShapes[lineage].filter { $0.last < history.versions.count - 1 }
        return shapes.isEmpty ? nil : .object(commonValues(lineage, shapes))
    }

    private func commonValues(_ lineage: SubtypeLineage, _ shapes: [SubtypeShape]) -> [String: Value] {
        [
            "source": .text(history.subtypeSources[lineage] + ".json"),
            "schema": .text(history.name),
            "access": .text(options.access.modifier),
            "shapes": .list(shapes.map(shapeValues)),
        ]
    }

    private func shapeValues(_ shape: SubtypeShape) -> Value {
        let subtype = shape.subtype
        let version = history.versions[shape.first]
        let migrating = migratingValues(shape)
        let codable = Value.text(options.codingNames == nil ? "" : ", Swift.Codable")
        let name = Value.text(SwiftName.escaped(SwiftName.type(subtype.name)))
        var values: [String: Value] = [
            "namespace": .text(names.namespace(shape.first)),
            "versions": .text(versions(from: shape.first, to: shape.last)),
            "enum": .null, "options": .null, "struct": .null,
        ]
        switch subtype.kind {
        case .cases(let cases):
            let elements = cases.map { element -> Value in
                [
                    "name": .text(SwiftName.escaped(SwiftName.member(element.name))),
                    "value": .text(SwiftLiteral.string(element.value)),
                    "documentation": documentation(element.documentation, isUnused: element.isUnused),
                ]
            }
            values["enum"] = ["name": name, "codable": codable, "cases": .list(elements), "migrating": migrating]
        case .options(let options):
            let elements = options.map { element -> Value in
                [
                    "name": .text(SwiftName.escaped(SwiftName.member(element.name))),
                    "bit": .text(String(element.bit)),
                    "documentation": documentation(element.documentation, isUnused: element.isUnused),
                ]
            }
            values["options"] = ["name": name, "codable": codable, "options": .list(elements), "migrating": migrating]
        case .members(let members):
            let elements = members.enumerated().map { index, member in
                memberValues(member, in: version, isLast: index == members.count - 1)
            }
            let hasDefaults = members.contains { $0.defaultValue != nil }
            values["struct"] = [
                "name": name, "codable": codable, "members": .list(elements), "migrating": migrating,
                "hasCodingKeys": .flag(options.codingNames == .descriptions),
                "decodesDefaults": .flag(options.codingNames != nil && hasDefaults),
            ]
        }
        return .object(values)
    }

    private func documentation(_ text: String?, isUnused: Bool) -> Value {
        let note = "Unused by new rows. It keeps stored values readable."
        return documentation(isUnused ? [text, note].compactMap(\.self).joined(separator: "\n\n") : text)
    }

    private func memberValues(_ member: Property, in version: ModelVersion, isLast: Bool) -> Value {
        let type = member.type ?? .scalar(.string)
        let name = SwiftName.member(member.name)
        let isSelf = name == "self"
        let fallback =
            member.defaultValue.flatMap { version.literal($0, type: type) }.map {
                names.value($0, type: type, in: version)
            } ?? (member.isNullable ? "nil" : nil)
        let swiftType = names.type(type, in: version) + (member.isNullable ? "?" : "")
        return [
            "member": .text(SwiftName.escaped(name)),
            "decode": .text(
                Self.decoding(swiftType, SwiftName.escaped(name), isNullable: member.isNullable, fallback)),
            "declaration": .text(isSelf ? "self self_" : SwiftName.escaped(name)),
            "parameter": .text(isSelf ? "self_" : SwiftName.escaped(name)),
            "type": .text(swiftType),
            "default": fallback.map { .text(" = " + $0) } ?? .null,
            "read": .text("\(member.isNullable ? "optionalValue" : "value")(\(SwiftLiteral.string(member.name)))"),
            "key": .text(SwiftLiteral.string(member.name)),
            "documentation": documentation(member.documentation),
            "isLast": .flag(isLast),
        ]
    }

    // MARK: Migration

    /// Returns the values of the initializers that convert a value of an older version's type. A type has such an
    /// initializer only if all values can be converted.
    private func migratingValues(_ shape: SubtypeShape) -> Value {
        var seen: Set<Int> = []
        var values: [Value] = []
        for step in names.steps {
            let (from, to) = (names.index(of: step.from), names.index(of: step.to))
            guard shape.first <= to, to <= shape.last, names.emitted.contains(from), names.emitted.contains(to),
                let old = step.from.subtype(shape.subtype.lineage),
                let before = names.subtypeShapes[old.lineage].last(where: { $0.first <= from }),
                before.first != shape.first, seen.insert(before.first).inserted,
                case .changed(let change) = step.change(of: .subtype(old.lineage))
            else { continue }
            values.append(migratingValues(shape, old, change, step))
        }
        return .list(values)
    }

    private func migratingValues(
        _ shape: SubtypeShape, _ old: Subtype, _ change: TypeChange, _ step: SchemaStep
    ) -> Value {
        let new = shape.subtype
        let type = Value.text(names.type(.subtype(old.lineage), in: step.from))
        switch change.values {
        case .cases(let values, _):
            let cases = old.cases.map { element -> Value in
                let heir =
                    new.cases.first { $0.lineage == element.lineage }
                    ?? new.cases.first { $0.value == values[element.value] ?? element.value }
                return [
                    "from": .text(SwiftName.escaped(SwiftName.member(element.name))),
                    "to": .text(SwiftName.escaped(SwiftName.member(heir?.name ?? ""))),
                ]
            }
            return ["old": type, "cases": .list(cases)]
        case .options(let cleared):
            return ["old": type, "cleared": cleared == 0 ? .null : .text(" & ~\(cleared)")]
        default:
            let arguments = new.members.enumerated().map { index, member -> Value in
                [
                    "label": .text(SwiftName.label(SwiftName.member(member.name))),
                    "value": .text(argument(member, old, step)),
                    "isLast": .flag(index == new.members.count - 1),
                ]
            }
            return ["old": type, "arguments": .list(arguments)]
        }
    }

    private func argument(_ member: Property, _ old: Subtype, _ step: SchemaStep) -> String {
        guard let type = member.type else { return "nil" }
        guard let before = old.members.first(where: { $0.lineage == member.lineage }), let oldType = before.type else {
            let value = member.defaultValue.flatMap { step.to.literal($0, type: type) }
            return value.map { names.value($0, type: type, in: step.to) } ?? "nil"
        }
        let expression = "old.\(SwiftName.escaped(SwiftName.member(before.name)))"
        guard case .changed(let change) = step.change(of: oldType, to: type) else { return expression }
        return names.expression(change, expression, isOptional: before.isNullable, in: step.to)
    }
}
