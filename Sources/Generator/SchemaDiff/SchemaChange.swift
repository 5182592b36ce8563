import SchemaModel
import SQLSchema

/// One change between neighbouring versions.
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

    /// The changed element.
    package enum Subject: Hashable, Sendable {
        case entity(EntityLineage)
        case property(EntityLineage, ElementLineage)
        case subtype(SubtypeLineage)
        /// A case, an option or a member.
        case element(SubtypeLineage, ElementLineage)
    }

    /// The kinds of changes.
    package enum Kind: Hashable, Sendable {
        case added
        case removed
        /// An entity is removed, and its rows become rows of another entity.
        case merged(into: EntityLineage)
        /// A case is removed, and its rows get another case.
        case replaced(by: ElementLineage)
        /// Fields of the description change.
        case fields([Field])
        /// Only the values of the property change.
        case values
        /// Only the rows of the entity change.
        case rows
        /// All rows of the entity are deleted.
        case emptied
        case indexAdded(EntityIndex)
        case indexChanged(EntityIndex, EntityIndex)
        case indexRemoved(EntityIndex)
        case checkAdded(EntityCheck)
        case checkChanged(EntityCheck, EntityCheck)
        case checkRemoved(EntityCheck)
    }

    /// A field of an entity, a property or an element of a subtype.
    package enum Field: String, CaseIterable, Hashable, Sendable {
        case name, table, key, search, type, computed, inverse, null
        case defaultValue = "default"
        case unique, indexed, collation, ordered, duplicates
        case deleteRule = "on_delete"
        case column
        case minimum, maximum
        case minLength = "min_length"
        case maxLength = "max_length"
        case pattern
        case oneOf = "one_of"
        /// The value of a case, the bit of an option, or the type of a member.
        case content
    }

    /// The details of a change: the causes of its handling, and its consequences.
    package enum Detail: Hashable, Sendable {
        /// A custom migration is needed.
        case reason(CustomReason)
        /// A custom migration is needed for each property of the subtype.
        case subtype(SubtypeCause)
        /// The rows get this value.
        case value(ValueExpression)
        /// The rows of this target entity are deleted.
        case emptiedTarget(EntityLineage)
        /// The property may be this removed property under another name.
        case possibleRename(ElementLineage)
    }

    /// The way in which the change is carried out.
    package var handling: Handling
    /// The changed element.
    package var subject: Subject
    /// The change.
    package var kind: Kind
    /// The causes of the handling, and the consequences of the change.
    package var details: [Detail] = []
}

extension SchemaStep {
    /// All changes of the step, entity by entity, and then those of subtypes.
    package var changes: [SchemaChange] {
        var changes: [SchemaChange] = []
        visitChanges { part in
            changes += part
            return true
        }
        return changes
    }

    /// Passes the changes of the step to `body`, entity by entity, and then those of subtypes, until it returns false.
    func visitChanges(_ body: ([SchemaChange]) -> Bool) {
        let steps = Dictionary(entities.map { ($0.new.lineage, $0) }, uniquingKeysWith: { first, _ in first })
        let mentioned = instructions.entities
        for new in to.entities {
            // Nearly all entities in nearly all steps are unchanged.
            if isUntouched(new.lineage, besides: mentioned) { continue }
            let changes =
                steps[new.lineage].map(changes)
                ?? [change(.entity(new.lineage), .added, for: reasons.filter { $0.entity == new.lineage })]
            guard body(changes) else { return }
        }
        for old in from.entities where to.entity(old.lineage) == nil {
            let target = merged.first { $0.old.lineage == old.lineage }?.new
            let isDiscarded = instructions.discarded.contains(.init(entity: old.lineage))
            let removal = change(
                .entity(old.lineage), target.map { .merged(into: $0.lineage) } ?? .removed,
                for: reasons.filter { $0.entity == old.lineage }, isDiscarded: isDiscarded)
            guard body([removal]) else { return }
        }
        _ = body(subtypeChanges)
    }

    private func changes(of step: EntityStep) -> [SchemaChange] {
        let (old, new) = (step.old, step.new)
        // Report every reason once: with the property or the index that it concerns, or else with the entity.
        var untold = reasons.filter { $0.entity == new.lineage }
        func take(where isMeant: (CustomReason) -> Bool) -> [CustomReason] {
            defer { untold.removeAll(where: isMeant) }
            return untold.filter(isMeant)
        }
        var changes: [SchemaChange] = []
        for property in new.properties {
            let subject = SchemaChange.Subject.property(new.lineage, property.lineage)
            let was = old.property(property.lineage)
            let isNewlyUnique = was.map { property.isUnique && !$0.isUnique } ?? true
            let about = take { $0.property == property.lineage || isNewlyUnique && $0.index == [property.lineage] }
            let value = value(of: property, in: step).map { SchemaChange.Detail.value($0) }
            guard let was else {
                var added = change(subject, .added, for: about, inferred: value)
                if let gone = lookalike(of: property, in: step) { added.details.append(.possibleRename(gone)) }
                changes.append(added)
                continue
            }
            let fields = changedFields(from: was, to: property)
            if !fields.isEmpty || !about.isEmpty {
                changes.append(change(subject, fields.isEmpty ? .values : .fields(fields), for: about, inferred: value))
            } else if !step.isEmptied, let target = emptiedTarget(of: property, in: step) {
                changes.append(
                    SchemaChange(
                        handling: .discarding, subject: subject, kind: .values, details: [.emptiedTarget(target)]))
            }
        }
        for property in old.properties where new.property(property.lineage) == nil {
            let about = take { $0.property == property.lineage }
            let isDiscarded = instructions.discarded.contains(.init(entity: old.lineage, property: property.lineage))
            changes.append(
                change(.property(old.lineage, property.lineage), .removed, for: about, isDiscarded: isDiscarded))
        }
        changes += computedChanges(of: step)
        for (kind, index) in indexChanges(of: step) {
            let about = take { index?.isUnique == true && $0.index == index?.properties }
            changes.append(change(.entity(new.lineage), kind, for: about))
        }

        for (kind, check) in checkChanges(of: step) {
            changes.append(change(.entity(new.lineage), kind, for: take { $0.check != nil && $0.check == check }))
        }

        let fields = changedFields(from: old, to: new)
        if !fields.isEmpty || !untold.isEmpty {
            let kind = fields.isEmpty ? SchemaChange.Kind.rows : .fields(fields)
            changes.insert(change(.entity(new.lineage), kind, for: untold), at: 0)
        }
        if step.isEmptied {
            changes.insert(
                SchemaChange(handling: .discarding, subject: .entity(new.lineage), kind: .emptied), at: 0)
        }
        return changes
    }

    private func change(
        _ subject: SchemaChange.Subject, _ kind: SchemaChange.Kind, for reasons: [CustomReason],
        isDiscarded: Bool = false, inferred: SchemaChange.Detail? = nil
    ) -> SchemaChange {
        if !reasons.isEmpty {
            return SchemaChange(
                handling: .custom, subject: subject, kind: kind, details: reasons.map { .reason($0) })
        }
        return SchemaChange(
            handling: isDiscarded ? .discarding : .inferred, subject: subject, kind: kind,
            details: inferred.map { [$0] } ?? [])
    }

    // MARK: Entities

    private func changedFields(from old: Entity, to new: Entity) -> [SchemaChange.Field] {
        var fields: [SchemaChange.Field] = []
        if old.name != new.name { fields.append(.name) }
        if old.tableName != new.tableName { fields.append(.table) }
        if old.identifier != new.identifier { fields.append(.key) }
        if old.search != new.search { fields.append(.search) }
        return fields
    }

    /// Returns the changes of the indexes, each with the new index; nil if the index is removed.
    private func indexChanges(of step: EntityStep) -> [(kind: SchemaChange.Kind, index: EntityIndex?)] {
        var changes: [(kind: SchemaChange.Kind, index: EntityIndex?)] = []
        for index in step.new.indexes {
            let was = step.old.indexes.first { $0.lineage == index.lineage }
            if was == index { continue }
            changes.append((was.map { .indexChanged($0, index) } ?? .indexAdded(index), index))
        }
        for index in step.old.indexes where !step.new.indexes.contains(where: { $0.lineage == index.lineage }) {
            changes.append((.indexRemoved(index), nil))
        }
        return changes
    }

    /// Returns the changes of the checks, each with the lineage of the new check; nil if the check is removed.
    private func checkChanges(of step: EntityStep) -> [(kind: SchemaChange.Kind, check: ElementLineage?)] {
        var changes: [(kind: SchemaChange.Kind, check: ElementLineage?)] = []
        for check in step.new.checks {
            let was = step.old.checks.first { $0.lineage == check.lineage }
            if was == check { continue }
            changes.append((was.map { .checkChanged($0, check) } ?? .checkAdded(check), check.lineage))
        }
        for check in step.old.checks where !step.new.checks.contains(where: { $0.lineage == check.lineage }) {
            changes.append((.checkRemoved(check), nil))
        }
        return changes
    }

    // MARK: Properties

    private func changedFields(from old: Property, to new: Property) -> [SchemaChange.Field] {
        // Other properties may differ in what they refer to.
        if old == new, old.type?.scalar != nil { return [] }
        return SchemaChange.Field.allCases.filter { field in
            let (was, now) = (fact(field, of: old, in: from), fact(field, of: new, in: to))
            // A to-many relationship has no nullability.
            return was != now && (field != .null || (was != nil && now != nil))
        }
    }

    /// Returns the changes of the computed properties. No row stores their values, so none needs a custom migration.
    private func computedChanges(of step: EntityStep) -> [SchemaChange] {
        let (old, new) = (step.old, step.new)
        func change(_ property: ComputedProperty, _ kind: SchemaChange.Kind) -> SchemaChange {
            SchemaChange(handling: .inferred, subject: .property(new.lineage, property.lineage), kind: kind)
        }
        var changes: [SchemaChange] = []
        for property in new.computed {
            guard let was = old.computedProperty(property.lineage) else {
                changes.append(change(property, .added))
                continue
            }
            let fields = SchemaChange.Field.allCases.filter {
                fact($0, of: was, in: old, from) != fact($0, of: property, in: new, to)
            }
            if !fields.isEmpty { changes.append(change(property, .fields(fields))) }
        }
        for property in old.computed where new.computedProperty(property.lineage) == nil {
            changes.append(change(property, .removed))
        }
        return changes
    }

    /// Returns the removed property that `property` may be under another name.
    ///
    /// It must be the only removed property with the same kind and nullability, and `property` must be the only such
    /// property that is added.
    private func lookalike(of property: Property, in step: EntityStep) -> ElementLineage? {
        func isLike(_ other: Property) -> Bool {
            other.kind == property.kind && other.isNullable == property.isNullable
        }
        let gone = step.old.properties.filter { step.new.property($0.lineage) == nil && isLike($0) }
        let new = step.new.properties.filter { step.old.property($0.lineage) == nil && isLike($0) }
        return gone.count == 1 && new.count == 1 ? gone[0].lineage : nil
    }

    /// Returns the target entity of `property`, if all rows of that entity are deleted.
    private func emptiedTarget(of property: Property, in step: EntityStep) -> EntityLineage? {
        guard let target = property.relationship?.target, instructions.emptied.contains(target),
            step.columns.contains(where: { $0.column.property == property.lineage })
                || to.joinTables(of: step.new).contains(where: { $0.property == property.lineage })
        else { return nil }
        return target
    }

    /// Returns the backfill value of a property; nil if existing rows keep their values.
    private func value(of property: Property, in step: EntityStep) -> ValueExpression? {
        guard !step.isEmptied else { return nil }
        let column = step.columns.first { $0.column.property == property.lineage && $0.column.role != .position }
        switch column?.origin {
        case .copy(let source) where source.property == property.lineage: return nil
        case .custom, nil: return nil
        case .some(let origin): return origin.expression
        }
    }

    // MARK: Subtypes

    /// All changes of subtypes. The changes of stored values are reported with the properties that have them.
    private var subtypeChanges: [SchemaChange] {
        var changes: [SchemaChange] = []
        for new in to.subtypes where !unchangedSubtypes.contains(new.lineage) {
            guard let old = from.subtype(new.lineage) else {
                changes.append(SchemaChange(handling: .inferred, subject: .subtype(new.lineage), kind: .added))
                continue
            }
            if old.name != new.name {
                changes.append(
                    SchemaChange(handling: .inferred, subject: .subtype(new.lineage), kind: .fields([.name])))
            }
            changes += elementChanges(old, new)
        }
        for old in from.subtypes where to.subtype(old.lineage) == nil {
            changes.append(SchemaChange(handling: .inferred, subject: .subtype(old.lineage), kind: .removed))
        }
        return changes
    }

    private func elementChanges(_ old: Subtype, _ new: Subtype) -> [SchemaChange] {
        let types = TypeInference(from: from, to: to, instructions: instructions, unchanged: unchangedSubtypes)
        var cause: SubtypeCause?
        if case .failure(let failure) = types.shapeChange(old, new) { cause = failure }
        func change(_ element: ElementLineage, _ kind: SchemaChange.Kind) -> SchemaChange {
            let isCause = cause?.element == element
            let isDiscarded = instructions.discardedElements.contains(.init(subtype: new.lineage, element: element))
            return SchemaChange(
                handling: isCause ? .custom : isDiscarded ? .discarding : .inferred,
                subject: .element(new.lineage, element), kind: kind,
                details: isCause ? cause.map { [.subtype($0)] } ?? [] : [])
        }
        var changes: [SchemaChange] = []
        for element in new.elementLineages {
            guard old.contains(element) else {
                changes.append(change(element, .added))
                continue
            }
            for field in [SchemaChange.Field.name, .content]
            where fact(field, ofElement: element, of: old, in: from) != fact(field, ofElement: element, of: new, in: to)
            {
                changes.append(change(element, .fields([field])))
            }
        }
        for element in old.elementLineages where !new.contains(element) {
            let heir = instructions.replacements[.init(subtype: new.lineage, element: element)]
            let isThere = heir.map(new.contains) ?? false
            changes.append(change(element, isThere ? heir.map { .replaced(by: $0) } ?? .removed : .removed))
        }
        return changes
    }
}
