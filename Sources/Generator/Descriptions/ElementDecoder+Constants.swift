import JSONText
import SchemaModel

extension ElementDecoder {
    /// Decodes `default_value`.
    mutating func defaultValue(of property: Property, _ fields: Fields) -> Constant? {
        guard let field = fields.field("default_value") else { return nil }
        guard let type = property.type else {
            reader.report(
                .keyDoesNotApply("default_value", because: "a relationship has no default value; remove it"),
                fields.file, field.json.offset)
            return nil
        }
        switch field.json.text {
        // Lucid writes `nil` for no value, and `current_date` for the time of decoding.
        case "nil" where property.isNullable && !hasCase("nil", type, at: field.moment):
            if type != .scalar(.string) || isLucid == true { return nil }
            if isLucid == nil { reader.report(.lucidNil, fields.file, field.json.offset) }
            return .literal(.text("nil"))
        case "current_date" where type == .scalar(.date):
            reader.note(.currentDate, fields.file, field.json.offset)
            return nil
        default:
            let count = reader.diagnostics.count
            let value = constant(field.json, key: "default_value", type: type, at: field.moment, fields.file)
            // A value that was written for a later version cannot be corrected where it is.
            if value == nil, let former = fields.field("property_type")?.moment, former < field.moment {
                reader.diagnostics.removeSubrange(count...)
                reader.report(
                    .defaultOfOtherVersion(version: sources.versions[former].text), fields.file, field.json.offset)
            }
            return value
        }
    }

    private func hasCase(_ name: String, _ type: ValueType, at index: VersionIndex) -> Bool {
        guard case .subtype(let subtype) = type else { return false }
        return sources.element(name, of: subtype, at: index, alive: index) != nil
    }

    /// Decodes a default value or backfill value; nil, after a diagnostic, if it is not valid for `type`.
    ///
    /// - Parameters:
    ///   - json: The value.
    ///   - key: The key of `json`, for messages.
    ///   - type: The type of the value.
    ///   - index: The version in which names in the value are looked up.
    ///   - file: The file that contains the value.
    mutating func constant(
        _ json: JSON, key: String, type: ValueType, at index: VersionIndex, _ file: SourceFile
    ) -> Constant? {
        switch type {
        case .scalar(let scalar):
            return reader.literal(json, key: key, type: scalar, file).map { .literal($0) }
        case .array(let element):
            guard case .array(let values) = json.value else { return refuse(json, key, "list", "write a list", file) }
            let constants = values.map { constant($0, key: key, type: element, at: index, file) }
            return constants.contains(nil) ? nil : .list(constants.compactMap(\.self))
        case .dictionary(let keyType, let type):
            guard case .object(let members) = json.value else {
                return refuse(json, key, "dictionary", "write an object", file)
            }
            var constants: [String: Constant] = [:]
            for member in members {
                if member.key.utf8.contains(0) {
                    reader.report(.unusableName(member.key), file, member.keyOffset)
                    return nil
                }
                if keyType == .int, Int(member.key).map(String.init) != member.key {
                    reader.report(
                        .wrongLiteral(
                            key: key, type: "int", found: "\"\(member.key)\"", hint: "write a number in quotes"),
                        file, member.keyOffset)
                    return nil
                }
                guard let value = constant(member.value, key: key, type: type, at: index, file) else { return nil }
                constants[member.key] = value
            }
            return .dictionary(constants)
        case .subtype(let subtype):
            let name = sources.name(of: subtype, at: index)
            switch sources[subtype].description.kind {
            case .cases:
                guard let text = json.text else { return refuse(json, key, name, "write the name of a case", file) }
                // Lucid writes a case with a leading dot, as in Swift.
                let name = text.hasPrefix(".") ? String(text.dropFirst()) : text
                return element(name, of: subtype, at: index, file, json.offset).map { .choice($0) }
            case .options:
                guard case .array(let values) = json.value else {
                    return refuse(json, key, name, "write an array of names of options", file)
                }
                var options: Set<ElementLineage> = []
                for value in values {
                    guard let text = value.text else {
                        return refuse(value, key, name, "write an array of names of options", file)
                    }
                    guard let option = element(text, of: subtype, at: index, file, value.offset) else { return nil }
                    options.insert(option)
                }
                return .options(options.sorted())
            case .members:
                return object(json, key: key, subtype: subtype, at: index, file)
            }
        }
    }

    /// Returns the element of `subtype` that has the name `name` in the version at `index`; nil, after a diagnostic, if
    /// there is none.
    mutating func element(
        _ name: String, of subtype: SubtypeLineage, at index: VersionIndex, _ file: SourceFile, _ offset: Int
    ) -> ElementLineage? {
        if let element = sources.element(name, of: subtype, at: index, alive: index) { return element }
        reader.report(
            .unknownCase(
                name, of: sources.name(of: subtype, at: index), version: sources.versions[index].text,
                nearest: sources.formerName(name, of: subtype, at: index)
                    ?? sources.elementNames(of: subtype, at: index).nearest(to: name)),
            file, offset)
        return nil
    }

    private mutating func refuse(
        _ json: JSON, _ key: String, _ type: String, _ hint: String, _ file: SourceFile
    ) -> Constant? {
        reader.report(.wrongLiteral(key: key, type: type, found: json.shown, hint: hint), file, json.offset)
        return nil
    }

    private mutating func object(
        _ json: JSON, key: String, subtype: SubtypeLineage, at index: VersionIndex, _ file: SourceFile
    ) -> Constant? {
        let name = sources.name(of: subtype, at: index)
        guard case .object(let members) = json.value else { return refuse(json, key, name, "write an object", file) }
        let elements = subtypes[subtype]
        var values: [ElementLineage: Constant] = [:]
        var given: Set<ElementLineage> = []
        for member in members {
            guard let lineage = element(member.key, of: subtype, at: index, file, member.keyOffset) else { return nil }
            given.insert(lineage)
            guard let property = elements[lineage][index]?.member, let type = property.type else { return nil }
            if member.value.isNull, property.isNullable {
                values[lineage] = .null
                continue
            }
            guard let value = constant(member.value, key: key, type: type, at: index, file) else { return nil }
            values[lineage] = value
        }
        for (sourceIndex, source) in sources[subtype].elements.enumerated()
        where source.fields.exists(at: index) && !given.contains(ElementLineage(sourceIndex)) {
            guard let property = elements[sourceIndex][index]?.member else { continue }
            // The default values of other members may not be decoded yet. It is enough that there is one.
            if !property.isNullable, source.fields[index].value("default_value") == nil {
                reader.report(.missingMember(property.name, of: name), file, json.offset)
                return nil
            }
        }
        return .object(values)
    }
}
