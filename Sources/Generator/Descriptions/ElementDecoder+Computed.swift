import JSONText
import SchemaModel
import SQLSchema

extension ElementDecoder {
    /// Decodes a property whose value is computed from others.
    ///
    /// - Parameters:
    ///   - lineage: The property's lineage.
    ///   - fields: The property's fields.
    ///   - value: The field `computed`.
    ///   - description: The property's description.
    ///   - entity: The entity.
    /// - Returns: The property; nil, after a diagnostic, if it is wrong.
    mutating func computed(
        _ lineage: ElementLineage, _ fields: Fields, _ value: Fields.Field, _ description: ElementDescription,
        of entity: EntityLineage
    ) -> ComputedProperty? {
        for (key, reason) in Self.storedKeys {
            guard let json = fields.value(key) else { continue }
            reader.report(.keyDoesNotApply(key, because: reason), fields.file, json.offset)
        }
        if case .object? = fields.value("property_type")?.value {
            let reason = "a relationship cannot be computed; remove it"
            reader.report(.keyDoesNotApply("computed", because: reason), fields.file, value.json.offset)
            return nil
        }
        guard let name = reader.name(fields), let typeName = type(fields),
            let type = attributeType(fields, type: typeName)
        else { return nil }
        guard case .scalar(let scalar) = type else {
            let reason = "a computed property cannot be a list or have a subtype"
            reader.report(.keyDoesNotApply("computed", because: reason), fields.file, value.json.offset)
            return nil
        }
        guard let text = reader.string(value.json, key: "computed", fields.file),
            let expression = expression(text, value, key: "computed", of: entity)
        else { return nil }
        if expression.columns.isEmpty {
            reader.report(
                .malformedExpression(key: "computed", "it names no property"), fields.file, value.json.offset)
        }
        return ComputedProperty(
            lineage: lineage, name: name, persistedName: reader.persistedName(fields),
            documentation: description.documentation, type: scalar, value: expression,
            isIndexed: reader.bool("indexed", fields) ?? false)
    }

    /// The keys that only a stored property has, each with the reason.
    private static let storedKeys: [(key: String, reason: String)] =
        [
            ("nullable", "a computed property is always optional; remove it"),
            ("lazy", "a computed property is always optional; remove it"),
            ("default_value", "a computed property stores no value; remove it"),
            ("unique", "a computed property cannot be unique; remove it"),
            ("collation", "a computed property compares bytes; remove it"),
        ] + ValueLimit.Kind.allCases.map { ($0.rawValue, "limit the properties that the value is computed from") }

    /// Reports the parts of a description that do not fit a computed property, and a history in which a stored
    /// property becomes a computed one, or a computed property becomes a stored one.
    mutating func checkKind(of property: ElementSource) {
        let values = property.fields.epochs.map { $0.value.field("computed") }
        guard let value = values.compactMap({ $0 }).last else { return }
        let (description, file) = (property.description, property.fields.epochs[0].value.file)
        if values.contains(where: { $0 == nil }) {
            let reason =
                "a stored property cannot become a computed one, nor the reverse; remove it and add another one"
            reader.report(.keyDoesNotApply("computed", because: reason), file, value.json.offset)
        }
        let reason = "a computed property stores no value"
        if description.isDiscarded {
            reader.report(.keyDoesNotApply("discard", because: reason), file, description.offset)
        }
        for item in description.items {
            if let json = item.fill ?? item.fillFrom {
                let key = item.fill == nil ? "fill_from" : "fill"
                reader.report(.keyDoesNotApply(key, because: reason), file, json.offset)
            }
            if item.isCustom { reader.report(.keyDoesNotApply("migration", because: reason), file, item.offset) }
        }
    }
}
