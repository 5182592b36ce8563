/// One change between neighbouring versions, told for a person.
public struct SchemaChange: Hashable, Sendable {
    /// Who carries a change out.
    public enum Handling: String, Hashable, Sendable {
        /// Strata does.
        case inferred
        /// A person does.
        case custom
        /// Strata does, and data goes, because the description says so.
        case discarding
    }

    /// Who carries it out.
    public var handling: Handling
    /// What changes: `laundry` or `laundry.rating`.
    public var subject: String
    /// What becomes of it.
    public var change: String
    /// Why it is a person's, or what existing rows get.
    public var reason: String?
}

extension SchemaStep {
    /// All changes of the step, entity by entity.
    public var changes: [SchemaChange] {
        var changes: [SchemaChange] = []
        for new in to.entities {
            if let step = entities.first(where: { $0.new.lineage == new.lineage }) {
                changes += self.changes(of: step)
            } else {
                changes.append(SchemaChange(handling: .inferred, subject: new.name, change: "added"))
            }
        }
        for old in from.entities where to.entity(old.lineage) == nil {
            let target = merged.first { $0.old.lineage == old.lineage }?.new
            let text = target.map { "removed, and its rows become rows of \($0.name)" } ?? "removed"
            changes.append(change(old.name, text, isDiscarded: isDiscarded(old.lineage, nil)))
        }
        return changes + subtypeChanges
    }

    /// The property that was called otherwise before, perhaps: of all that go the only one that is like `property`.
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
        var changes: [SchemaChange] = []
        var own = differences([("name", old.name, new.name), ("table", old.tableName, new.tableName)])
        own += differences([("key", describe(old), describe(new))])
        if step.isEmptied {
            changes.append(SchemaChange(handling: .discarding, subject: new.name, change: "all rows go"))
        }
        let reasons = customReasons.filter { $0.hasPrefix("`\(new.name)`") }
        if !own.isEmpty || !reasons.isEmpty {
            let change = own.isEmpty ? "rows" : own.joined(separator: ", ")
            changes.append(self.change(new.name, change, reasons: reasons))
        }
        for property in new.properties {
            let subject = "\(new.name).\(property.name)"
            guard let was = old.property(property.lineage) else {
                let text = "added: " + describe(property, to)
                var added = change(subject, text, inferred: value(of: property, in: step))
                if let name = lookalike(of: property, in: step) {
                    let hint = "if it is `\(name)` under another name, say \"previous_name\": \"\(name)\" instead"
                    added.reason = added.reason.map { "\($0); \(hint)" } ?? hint
                }
                changes.append(added)
                continue
            }
            let fields = zip(fields(was, from), fields(property, to)).map { ($0.0, $0.1, $1.1) }
            let texts = differences([("name", was.name, property.name)] + fields)
            let isCustom = customReasons.contains { $0.hasPrefix("`\(subject)` ") }
            if !texts.isEmpty || isCustom {
                let text = texts.isEmpty ? "values" : texts.joined(separator: ", ")
                changes.append(change(subject, text, inferred: value(of: property, in: step)))
            }
        }
        for property in old.properties where new.property(property.lineage) == nil {
            let isDiscarded = isDiscarded(old.lineage, property.lineage)
            changes.append(change("\(old.name).\(property.name)", "removed", isDiscarded: isDiscarded))
        }
        return changes + indexChanges(of: step)
    }

    private func indexChanges(of step: EntityStep) -> [SchemaChange] {
        func text(_ index: EntityIndex, of entity: Entity) -> String {
            let names = index.properties.compactMap { entity.property($0)?.name }.joined(separator: ", ")
            return "\(index.isUnique ? "unique " : "")index on \(names)"
        }
        var texts: [String] = []
        for index in step.new.indexes {
            let now = text(index, of: step.new)
            guard let was = step.old.indexes.first(where: { $0.lineage == index.lineage }) else {
                texts.append(now + " added")
                continue
            }
            if was != index { texts.append("\(text(was, of: step.old)) becomes \(now)") }
        }
        for index in step.old.indexes where !step.new.indexes.contains(where: { $0.lineage == index.lineage }) {
            texts.append(text(index, of: step.old) + " removed")
        }
        return texts.map { SchemaChange(handling: .inferred, subject: step.new.name, change: $0) }
    }

    // MARK: Handling

    private func isDiscarded(_ entity: Int, _ property: Int?) -> Bool {
        instructions.discarded.contains(.init(entity: entity, property: property))
    }

    private func change(_ subject: String, _ text: String, isDiscarded: Bool) -> SchemaChange {
        var change = change(subject, text)
        if change.handling == .inferred, isDiscarded { change.handling = .discarding }
        return change
    }

    private func change(
        _ subject: String, _ text: String, reasons: [String]? = nil, inferred: String? = nil
    ) -> SchemaChange {
        let reasons = reasons ?? customReasons.filter { $0.hasPrefix("`\(subject)` ") }
        return reasons.isEmpty
            ? SchemaChange(handling: .inferred, subject: subject, change: text, reason: inferred)
            : SchemaChange(handling: .custom, subject: subject, change: text, reason: reasons.joined(separator: "; "))
    }

    /// What existing rows get in a property, where that is not simply what they had.
    private func value(of property: Property, in step: EntityStep) -> String? {
        guard !step.isEmptied else { return nil }
        let column = step.columns.first { $0.column.property == property.lineage && $0.column.role != .position }
        switch column?.origin {
        case .copy, .custom, nil: return nil
        case .some(let origin): return origin.sql.map { "rows get \($0)" }
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
            // A property that is only called otherwise is no other key.
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

    /// The fields of a property, always the same ones, as words; empty where a field is absent.
    private func fields(_ property: Property, _ version: SchemaVersion) -> [(String, String)] {
        var type = ""
        var inverse = ""
        var rule = ""
        var null = property.isNullable ? "allowed" : "refused"
        switch property.kind {
        case .attribute(let value): type = version.name(of: value)
        case .relationship(let relationship):
            // A target that is only called otherwise is no change.
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
            ("column", property.persistedName ?? ""),
        ]
    }
}
