import JSONText
import SchemaModel
import SQLSchema

extension ElementDecoder {
    /// Decodes a condition on the rows of an entity: an object with the values of properties, such as
    /// `{ "state": "open", "closed_at": null }`, or a text, such as `"price > 0"`.
    ///
    /// - Parameters:
    ///   - field: The condition.
    ///   - key: The key of the condition, for messages.
    ///   - entity: The entity.
    /// - Returns: The condition; nil, after a diagnostic, if it is wrong.
    mutating func condition(
        _ field: Fields.Field, key: String, of entity: EntityLineage
    ) -> RowExpression<ElementLineage>? {
        if let text = field.json.text { return expression(text, field, key: key, of: entity) }
        guard case .object(let members) = field.json.value else {
            reader.report(
                .wrongKind(
                    key: key, expected: "an object with the values of properties, or a condition in a text",
                    found: field.json.kind), sources[entity].file, field.json.offset)
            return nil
        }
        if members.isEmpty {
            reader.report(
                .malformedExpression(key: key, "it names no property"), sources[entity].file, field.json.offset)
        }
        var condition: RowExpression<ElementLineage>?
        for member in members {
            guard let part = comparison(member, at: field.moment, key: key, of: entity) else { return nil }
            condition = condition.map { $0 && part } ?? part
        }
        let advice = "; a text like \"kind IN (1, 2)\" can have more values"
        guard let condition, checkSize(condition, field, key, sources[entity].file, advice: advice) else { return nil }
        return condition
    }

    /// Reports an expression that is too long or too deep for SQLite, or for an app that reads it.
    private mutating func checkSize(
        _ expression: RowExpression<ElementLineage>, _ field: Fields.Field, _ key: String, _ file: SourceFile,
        advice: String = ""
    ) -> Bool {
        do {
            _ = try RowExpression(parsing: expression.mapColumns { "c\($0.index)" }.text)
            return true
        } catch {
            reader.report(.malformedExpression(key: key, error.message + advice), file, field.json.offset)
            return false
        }
    }

    /// Decodes an expression over the properties of an entity; nil, after a diagnostic, if it is wrong.
    mutating func expression(
        _ text: String, _ field: Fields.Field, key: String, of entity: EntityLineage
    ) -> RowExpression<ElementLineage>? {
        let source = sources[entity]
        let parsed: RowExpression<String>
        do {
            parsed = try RowExpression(parsing: text)
        } catch {
            reader.report(.malformedExpression(key: key, error.message), source.file, field.json.offset)
            return nil
        }
        var lineages: [String: ElementLineage] = [:]
        for name in Set(parsed.columns).sorted() {
            if sources.property(name, of: entity, at: field.moment) == nil, text.contains("\"\(name)\"") {
                reader.report(
                    .malformedExpression(
                        key: key,
                        "\"\(name)\" in double quotes is the name of a property, which does not exist; a text is in single quotes"
                    ),
                    source.file, field.json.offset)
                return nil
            }
            lineages[name] = property(
                name, of: entity, called: source.name, at: field.moment, source.file, field.json.offset, key: key)
        }
        let expression: RowExpression<ElementLineage>
        do throws(UnknownName) {
            expression = try parsed.mapColumns { name throws(UnknownName) in
                guard let lineage = lineages[name] else { throw UnknownName() }
                return lineage
            }
        } catch {
            return nil
        }
        return checkSize(expression, field, key, source.file) ? expression : nil
    }

    private struct UnknownName: Error {}

    /// Decodes the value of a property in a condition, or several values of which it has one; nil, after a diagnostic, if
    /// it is wrong.
    private mutating func comparison(
        _ member: JSON.Member, at moment: VersionIndex, key: String, of entity: EntityLineage
    ) -> RowExpression<ElementLineage>? {
        let source = sources[entity]
        guard
            let lineage = property(
                member.key, of: entity, called: source.name, at: moment, source.file, member.keyOffset, key: key)
        else { return nil }
        if member.value.isNull { return .isNull(.column(lineage)) }
        let fields = source.properties[lineage].fields[moment]
        // A wrong type is reported with the property.
        guard let type = fields.value("property_type") else { return nil }
        guard type.text != nil else {
            reader.report(
                .keyDoesNotApply(
                    key, because: "`\(member.key)` is a relationship, which can only be compared with null"),
                source.file, member.value.offset)
            return nil
        }
        let count = reader.diagnostics.count
        let valueType = attributeType(fields, type: type)
        reader.diagnostics.removeSubrange(count...)
        guard let valueType else { return nil }
        guard isSingle(valueType) else {
            let reason = "`\(member.key)` is a list, a struct or options, which only a condition in a text can compare"
            reader.report(.keyDoesNotApply(key, because: reason), source.file, member.keyOffset)
            return nil
        }
        guard case .array(let list) = member.value.value else {
            let value = literal(member.value, valueType, at: moment, key: key, source.file)
            return value.map { .binary(.column(lineage), .equal, $0) }
        }
        // SQLite finds that a query needs only the rows of the index if the values are joined by OR, and not with IN.
        var condition: RowExpression<ElementLineage>?
        for json in list {
            guard let value = literal(json, valueType, at: moment, key: key, source.file) else { return nil }
            let part = RowExpression.binary(.column(lineage), .equal, value)
            condition = condition.map { .binary($0, .or, part) } ?? part
        }
        if condition == nil {
            reader.report(
                .malformedExpression(key: key, "the list of `\(member.key)` is empty"), source.file, member.value.offset
            )
        }
        return condition
    }

    /// Whether the values of a type are scalars or cases.
    private func isSingle(_ type: ValueType) -> Bool {
        switch type {
        case .scalar: true
        case .array, .dictionary: false
        case .subtype(let subtype): sources[subtype].description.kind == .cases
        }
    }

    private mutating func literal(
        _ json: JSON, _ type: ValueType, at moment: VersionIndex, key: String, _ file: SourceFile
    ) -> RowExpression<ElementLineage>? {
        switch (constant(json, key: key, type: type, at: moment, file), type) {
        case (.literal(let value), _): return .literal(value)
        case (.choice(let element), .subtype(let subtype)):
            return subtypes[subtype][element][moment]?.choice.map { .literal(.text($0.value)) }
        default: return nil
        }
    }
}
