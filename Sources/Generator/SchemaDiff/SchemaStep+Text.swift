import SchemaModel
import SQLSchema

/// Changes as text, for `diff`.
extension SchemaStep {
    /// Returns the entity, property, subtype or element that changes: `laundry` or `laundry.rating`.
    package func subject(of change: SchemaChange) -> String {
        switch change.subject {
        case .entity(let entity): return name(of: entity)
        case .property(let entity, let property):
            let version = to.entity(entity)?.name(of: property) == nil ? from : to
            let owner = version.entity(entity)
            return "\(owner?.name ?? "").\(owner?.name(of: property) ?? "")"
        case .subtype(let subtype): return (to.subtype(subtype) ?? from.subtype(subtype))?.name ?? ""
        case .element(let subtype, let element):
            return "\(to.subtype(subtype)?.name ?? "").\(elementName(element, of: subtype) ?? "")"
        }
    }

    /// Returns the change as text.
    package func text(of change: SchemaChange) -> String {
        switch change.kind {
        case .added:
            switch change.subject {
            case .entity(let entity):
                let source = copies.first { $0.new.lineage == entity }?.source
                return source.map { "added, with the rows of \($0.name)" } ?? "added"
            case .subtype: return "added"
            case .property(let entity, let property):
                return "added: " + describe { fact($0, ofProperty: property, of: entity, in: to) }
            case .element(let subtype, let element):
                let content = to.subtype(subtype).flatMap { fact(.content, ofElement: element, of: $0, in: to) }
                return "added: " + (content ?? "")
            }
        case .removed: return "removed"
        case .merged(let target): return "removed, and its rows become rows of \(name(of: target))"
        case .replaced(let heir):
            guard case .element(let subtype, _) = change.subject else { return "removed" }
            return "removed, and replaced by \(elementName(heir, of: subtype) ?? "")"
        case .fields(let fields): return fields.map { text(of: $0, change.subject) }.joined(separator: ", ")
        case .values: return "values change"
        case .rows: return "rows change"
        case .emptied: return "all rows are deleted"
        case .indexAdded(let index): return text(of: index, change.subject, in: to) + " added"
        case .indexRemoved(let index): return text(of: index, change.subject, in: from) + " removed"
        case .indexChanged(let old, let new):
            return "\(text(of: old, change.subject, in: from)) becomes \(text(of: new, change.subject, in: to))"
        case .checkAdded(let check): return text(of: check, change.subject, in: to) + " added"
        case .checkRemoved(let check): return text(of: check, change.subject, in: from) + " removed"
        case .checkChanged(let old, let new):
            return "\(text(of: old, change.subject, in: from)) becomes \(text(of: new, change.subject, in: to))"
        }
    }

    /// Returns the details of a change as text; nil if there are none.
    package func reason(for change: SchemaChange) -> String? {
        let texts = change.details.map { detail -> String in
            switch detail {
            case .reason(let reason): return text(of: reason)
            case .subtype(let cause):
                guard case .element(let subtype, _) = change.subject else { return "" }
                return "a type " + text(of: cause, in: subtype)
            case .value(let value): return "rows get \(SQLite.expression(value))"
            case .emptiedTarget(let target): return "all rows of `\(name(of: target))` are deleted"
            case .possibleRename(let property):
                guard case .property(let entity, _) = change.subject else { return "" }
                let name = from.entity(entity)?.property(property)?.name ?? ""
                return "if it is `\(name)` under another name, write \"previous_name\": \"\(name)\" instead"
            }
        }
        return texts.isEmpty ? nil : texts.joined(separator: "; ")
    }

    /// Returns a sentence about the apps that can use stores of the version after.
    package var compatibilityText: String {
        let (old, new) = (from.version, to.version)
        guard let change = incompatibleChange else { return "apps of \(old) can use stores of \(new)" }
        return "apps before \(new) cannot open stores of \(new): \(subject(of: change)): \(text(of: change))"
    }

    // MARK: Facts

    /// Returns the value of a stored or computed property's field as text; nil if the property does not have it.
    private func fact(
        _ field: SchemaChange.Field, ofProperty lineage: ElementLineage, of entity: EntityLineage,
        in version: ModelVersion
    ) -> String? {
        guard let entity = version.entity(entity) else { return nil }
        if let property = entity.property(lineage) { return fact(field, of: property, in: version) }
        return entity.computedProperty(lineage).flatMap { fact(field, of: $0, in: entity, version) }
    }

    /// Returns the value of a computed property's field as text; nil if the property does not have it.
    func fact(
        _ field: SchemaChange.Field, of property: ComputedProperty, in entity: Entity, _ version: ModelVersion
    ) -> String? {
        switch field {
        case .name: property.name
        case .type: property.type.rawValue
        case .computed:
            // A renamed property is not a change of the value.
            property.value.mapColumns { to.entity(entity.lineage)?.property($0)?.name ?? entity.name(of: $0) ?? "" }
                .text
        case .indexed: property.isIndexed ? "indexed" : nil
        case .column: property.persistedName
        default: nil
        }
    }

    /// Returns the value of a stored property's field as text; nil if the property does not have it.
    func fact(_ field: SchemaChange.Field, of property: Property, in version: ModelVersion) -> String? {
        let relationship = property.relationship
        // A renamed target is not a change.
        let target = relationship.flatMap { to.entity($0.target) ?? from.entity($0.target) }
        switch field {
        case .name: return property.name
        case .type:
            return property.type.map(version.name)
                ?? relationship.map { "\($0.association.rawValue) \(target?.name ?? "")" }
        case .inverse: return relationship?.inverse.flatMap { target?.property($0)?.name }
        case .null:
            if relationship?.association == .toMany { return nil }
            return property.isNullable ? "nullable" : "required"
        case .defaultValue:
            return property.type.flatMap { type in
                property.defaultValue.flatMap { version.literal($0, type: type) }?.text
            }
        case .unique: return property.isUnique ? "unique" : nil
        case .indexed: return property.isIndexed ? "indexed" : nil
        case .collation: return property.collation?.rawValue
        case .ordered: return relationship?.isOrdered == true ? "ordered" : nil
        case .duplicates: return relationship?.allowsDuplicates == true ? "duplicates" : nil
        case .deleteRule:
            guard let relationship, version.storage(of: relationship) == .column else { return nil }
            return version.deleteRule(of: property).rawValue
        case .column:
            if let name = property.persistedName { return name }
            return property.persistedColumns.isEmpty ? nil : property.persistedColumns.joined(separator: ", ")
        case .minimum, .maximum, .minLength, .maxLength, .pattern, .oneOf:
            return property.limits.first { $0.kind.rawValue == field.rawValue }?.valueText
        case .table, .key, .search, .computed, .content: return nil
        }
    }

    /// Returns the name or the content of an element of a subtype as text.
    func fact(
        _ field: SchemaChange.Field, ofElement lineage: ElementLineage, of subtype: Subtype,
        in version: ModelVersion
    ) -> String? {
        switch subtype.kind {
        case .cases:
            let choice = subtype.choice(lineage)
            return field == .name ? choice?.name : choice.map { "the case \(quoted($0.value))" }
        case .options:
            let option = subtype.option(lineage)
            return field == .name ? option?.name : option.map { "the bit \($0.bit)" }
        case .members:
            guard let member = subtype.member(lineage), let type = member.type else { return nil }
            if field == .name { return member.name }
            var text = version.name(of: type) + (member.isNullable ? "?" : "")
            if let value = member.defaultValue.flatMap({ version.json($0, type: type) }) {
                text += " with the default " + value
            }
            return text
        }
    }

    private func fact(_ field: SchemaChange.Field, of entity: Entity) -> String? {
        switch field {
        case .name: return entity.name
        case .table: return entity.tableName
        case .key:
            switch entity.identifier {
            case .column(let name, let kind): return "\(name): \(kind.rawValue)"
            case .properties(let lineages):
                // A renamed property does not change the primary key.
                let names = lineages.compactMap { lineage in
                    to.entity(entity.lineage)?.property(lineage)?.name ?? entity.property(lineage)?.name
                }
                return "(\(names.joined(separator: ", ")))"
            }
        case .search: return entity.search?.text { entity.property($0)?.name ?? "" }
        default: return nil
        }
    }

    // MARK: Words

    private func text(of field: SchemaChange.Field, _ subject: SchemaChange.Subject) -> String {
        let (was, now): (String?, String?)
        switch subject {
        case .entity(let entity):
            (was, now) = (
                from.entity(entity).flatMap { fact(field, of: $0) }, to.entity(entity).flatMap { fact(field, of: $0) }
            )
        case .property(let entity, let property):
            was = fact(field, ofProperty: property, of: entity, in: from)
            now = fact(field, ofProperty: property, of: entity, in: to)
        case .subtype(let subtype): (was, now) = (from.subtype(subtype)?.name, to.subtype(subtype)?.name)
        case .element(let subtype, let element):
            was = from.subtype(subtype).flatMap { fact(field, ofElement: element, of: $0, in: from) }
            now = to.subtype(subtype).flatMap { fact(field, ofElement: element, of: $0, in: to) }
        }
        return switch (was, now) {
        case (let was?, _) where field == .name: "renamed from \(was)"
        case (nil, let now): label(field) + (now ?? "")
        case (let was?, nil): "no longer \(label(field))\(was)"
        case (let was?, let now?): "\(label(field))\(was) becomes \(now)"
        }
    }

    /// Returns the word before the value of a field; empty if the value needs no such word.
    private func label(_ field: SchemaChange.Field) -> String {
        switch field {
        case .name, .null, .unique, .indexed, .ordered, .duplicates, .content: ""
        case .table, .key, .search, .type, .computed, .inverse, .defaultValue, .collation, .deleteRule, .column,
            .minimum, .maximum, .minLength, .maxLength, .pattern, .oneOf:
            field.rawValue + " "
        }
    }

    private func describe(_ fact: (SchemaChange.Field) -> String?) -> String {
        SchemaChange.Field.allCases.filter { $0 != .name }.compactMap { field in
            fact(field).map { field == .type ? $0 : label(field) + $0 }
        }.joined(separator: ", ")
    }

    private func text(of index: EntityIndex, _ subject: SchemaChange.Subject, in version: ModelVersion) -> String {
        guard case .entity(let lineage) = subject, let entity = version.entity(lineage) else { return "" }
        let names = index.properties.compactMap { lineage in
            entity.name(of: lineage).map {
                $0 + (index.shape.descending.contains(lineage) ? " desc" : "")
            }
        }
        return "\(index.isUnique ? "unique " : "")index on \(names.joined(separator: ", "))"
            + (index.shape.condition.map { " where \(version.text(of: $0, in: entity))" } ?? "")
    }

    private func text(of check: EntityCheck, _ subject: SchemaChange.Subject, in version: ModelVersion) -> String {
        guard case .entity(let lineage) = subject, let entity = version.entity(lineage) else { return "" }
        return "check \(check.name) where \(version.text(of: check.condition, in: entity))"
    }

    private func name(of entity: EntityLineage) -> String { (to.entity(entity) ?? from.entity(entity))?.name ?? "" }
}
