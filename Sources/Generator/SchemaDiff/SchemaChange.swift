import SchemaModel
import SQLSchema

/// A readable description of one change between neighbouring versions.
package struct SchemaChange: Hashable, Sendable {
    /// The way in which a change is carried out.
    package enum Handling: String, Hashable, Sendable {
        /// Strata carries out the change.
        case inferred
        /// The change needs a custom migration.
        case custom
        /// Strata carries out the change and deletes data, because the description allows it.
        case discarding
    }

    /// The way in which the change is carried out.
    package var handling: Handling
    /// The entity or property that changes: `laundry` or `laundry.rating`.
    package var subject: String
    /// The change as text.
    package var change: String
    /// The reason for a custom migration, or the backfill value.
    package var reason: String?
}

extension SchemaStep {
    /// All changes of the step, entity by entity.
    package var changes: [SchemaChange] {
        var changes: [SchemaChange] = []
        for new in to.entities {
            if let step = entities.first(where: { $0.new.lineage == new.lineage }) {
                changes += self.changes(of: step)
            } else {
                changes.append(change(new.name, "added", for: reasons.filter { $0.entity == new.lineage }))
            }
        }
        for old in from.entities where to.entity(old.lineage) == nil {
            let target = merged.first { $0.old.lineage == old.lineage }?.new
            let text = target.map { "removed, and its rows become rows of \($0.name)" } ?? "removed"
            let reasons = reasons.filter { $0.entity == old.lineage }
            changes.append(change(old.name, text, for: reasons, isDiscarded: isDiscarded(old.lineage, nil)))
        }
        return changes + subtypeChanges
    }

    /// The old name of `property`, if it may have been renamed. That is the case if it is the only added property of
    /// its kind and nullability, and exactly one property of that kind and nullability is removed.
    private func lookalike(of property: Property, in step: EntityStep) -> String? {
        func isLike(_ other: Property) -> Bool {
            other.kind == property.kind && other.isNullable == property.isNullable
        }
        let gone = step.old.properties.filter { step.new.property($0.lineage) == nil && isLike($0) }
        let new = step.new.properties.filter { step.old.property($0.lineage) == nil && isLike($0) }
        return gone.count == 1 && new.count == 1 ? gone[0].name : nil
    }

    private func changes(of step: EntityStep) -> [SchemaChange] {
        let (old, new) = (step.old, step.new)
        // Every reason is reported once: with the property or index that it concerns, or else with the entity.
        var untold = reasons.filter { $0.entity == new.lineage }
        func take(where isMeant: (CustomReason) -> Bool) -> [CustomReason] {
            defer { untold.removeAll(where: isMeant) }
            return untold.filter(isMeant)
        }
        var changes: [SchemaChange] = []
        for property in new.properties {
            let subject = "\(new.name).\(property.name)"
            guard let was = old.property(property.lineage) else {
                let about = take { $0.property == property.lineage || $0.index == [property.lineage] }
                let text = "added: " + describe(property, to)
                var added = change(subject, text, for: about, inferred: value(of: property, in: step))
                if let name = lookalike(of: property, in: step) {
                    let hint = "if it is `\(name)` under another name, say \"previous_name\": \"\(name)\" instead"
                    added.reason = added.reason.map { "\($0); \(hint)" } ?? hint
                }
                changes.append(added)
                continue
            }
            // A to-many relationship has no nullability.
            let fields = zip(fields(was, from), fields(property, to)).map { ($0.0, $0.1, $1.1) }.filter {
                $0.0 != "null" || (!$0.1.isEmpty && !$0.2.isEmpty)
            }
            let texts = differences([("name", was.name, property.name)] + fields)
            let isUnique = property.isUnique && !was.isUnique
            let about = take { $0.property == property.lineage || isUnique && $0.index == [property.lineage] }
            if !texts.isEmpty || !about.isEmpty {
                let text = texts.isEmpty ? "values" : texts.joined(separator: ", ")
                changes.append(change(subject, text, for: about, inferred: value(of: property, in: step)))
            } else if !step.isEmptied, let target = emptiedTarget(of: property, in: step) {
                changes.append(
                    SchemaChange(
                        handling: .discarding, subject: subject, change: "values",
                        reason: "the rows of `\(target)` all go"))
            }
        }
        for property in old.properties where new.property(property.lineage) == nil {
            let about = take { $0.property == property.lineage }
            let isDiscarded = isDiscarded(old.lineage, property.lineage)
            changes.append(change("\(old.name).\(property.name)", "removed", for: about, isDiscarded: isDiscarded))
        }
        for (text, index) in indexChanges(of: step) {
            let about = take { index?.isUnique == true && $0.index == index?.properties }
            changes.append(change(new.name, text, for: about))
        }

        var own = differences([("name", old.name, new.name), ("table", old.tableName, new.tableName)])
        own += differences([("key", describe(old), describe(new))])
        if !own.isEmpty || !untold.isEmpty {
            let text = own.isEmpty ? "rows" : own.joined(separator: ", ")
            changes.insert(change(new.name, text, for: untold), at: 0)
        }
        if step.isEmptied {
            changes.insert(SchemaChange(handling: .discarding, subject: new.name, change: "all rows go"), at: 0)
        }
        return changes
    }

    /// The changes of the indexes as text, each with the new index; nil if the index is removed.
    private func indexChanges(of step: EntityStep) -> [(text: String, index: EntityIndex?)] {
        func text(_ index: EntityIndex, of entity: Entity) -> String {
            let names = index.properties.compactMap { entity.property($0)?.name }.joined(separator: ", ")
            return "\(index.isUnique ? "unique " : "")index on \(names)"
        }
        var changes: [(text: String, index: EntityIndex?)] = []
        for index in step.new.indexes {
            let now = text(index, of: step.new)
            guard let was = step.old.indexes.first(where: { $0.lineage == index.lineage }) else {
                changes.append((now + " added", index))
                continue
            }
            if was != index { changes.append(("\(text(was, of: step.old)) becomes \(now)", index)) }
        }
        for index in step.old.indexes where !step.new.indexes.contains(where: { $0.lineage == index.lineage }) {
            changes.append((text(index, of: step.old) + " removed", nil))
        }
        return changes
    }

    /// The name of the target entity of `property`, if all rows of that entity are deleted.
    private func emptiedTarget(of property: Property, in step: EntityStep) -> String? {
        guard let target = property.relationship?.target, instructions.emptied.contains(target),
            step.columns.contains(where: { $0.column.property == property.lineage })
                || to.joinTables(of: step.new).contains(where: { $0.property == property.lineage })
        else { return nil }
        return to.entity(target)?.name
    }

    // MARK: Handling

    private func isDiscarded(_ entity: EntityLineage, _ property: ElementLineage?) -> Bool {
        instructions.discarded.contains(.init(entity: entity, property: property))
    }

    private func change(
        _ subject: String, _ text: String, for reasons: [CustomReason], isDiscarded: Bool = false,
        inferred: String? = nil
    ) -> SchemaChange {
        guard reasons.isEmpty else {
            let reason = reasons.map { self.text(of: $0) }.joined(separator: "; ")
            return SchemaChange(handling: .custom, subject: subject, change: text, reason: reason)
        }
        return SchemaChange(
            handling: isDiscarded ? .discarding : .inferred, subject: subject, change: text, reason: inferred)
    }

    /// The backfill value of a property; nil if existing rows keep their values.
    private func value(of property: Property, in step: EntityStep) -> String? {
        guard !step.isEmptied else { return nil }
        let column = step.columns.first { $0.column.property == property.lineage && $0.column.role != .position }
        switch column?.origin {
        case .copy, .custom, nil: return nil
        case .some(let origin): return origin.expression.map { "rows get \(SQLite.expression($0))" }
        }
    }

    // MARK: Words

    private func differences(_ fields: [(name: String, was: String, now: String)]) -> [String] {
        fields.filter { $0.was != $0.now }.map { field in
            switch (field.was, field.now) {
            case ("", let now): "\(field.name) \(now)"
            case (let was, ""): "no longer \(field.name) \(was)"
            case (let was, let now): "\(field.name) \(was) becomes \(now)"
            }
        }
    }

    private func describe(_ entity: Entity) -> String {
        switch entity.identifier {
        case .column(let name, let kind): return "\(name): \(kind.rawValue)"
        case .properties(let lineages):
            // A renamed property does not change the primary key.
            let names = lineages.compactMap { lineage in
                to.entity(entity.lineage)?.property(lineage)?.name ?? entity.property(lineage)?.name
            }
            return "(\(names.joined(separator: ", ")))"
        }
    }

    private func describe(_ property: Property, _ version: SchemaVersion) -> String {
        fields(property, version).filter { !$0.1.isEmpty }.map { $0.0 == "type" ? $0.1 : "\($0.0) \($0.1)" }
            .joined(separator: ", ")
    }

    /// The fields of a property as text. The list of fields is always the same; the text of an absent field is empty.
    private func fields(_ property: Property, _ version: SchemaVersion) -> [(String, String)] {
        var type = ""
        var inverse = ""
        var rule = ""
        var null = property.isNullable ? "allowed" : "refused"
        switch property.kind {
        case .attribute(let value): type = version.name(of: value)
        case .relationship(let relationship):
            // A renamed target is not a change.
            let target = to.entity(relationship.target) ?? from.entity(relationship.target)
            type = "\(relationship.association.rawValue) \(target?.name ?? "")"
            inverse = relationship.inverse.flatMap { target?.property($0)?.name } ?? ""
            if relationship.association == .toMany { null = "" }
            if version.storage(of: relationship) == .column { rule = version.deleteRule(of: property).rawValue }
        }
        let value = property.type.flatMap { type in property.defaultValue.flatMap { version.literal($0, type: type) } }
        return [
            ("type", type), ("inverse", inverse), ("null", null),
            ("default", value?.text ?? ""), ("unique", property.isUnique ? "values" : ""),
            ("indexed", property.isIndexed ? "alone" : ""), ("collation", property.collation?.rawValue ?? ""),
            ("ordered", property.relationship?.isOrdered == true ? "rows" : ""), ("on_delete", rule),
            ("column", property.persistedName ?? property.persistedColumns.joined(separator: ", ")),
        ]
    }
}
