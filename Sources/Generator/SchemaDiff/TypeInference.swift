import SchemaModel
import SQLSchema

/// The inferred change of a property's values if its type, or the definition of its type, may change.
package enum InferredChange: Hashable, Sendable {
    /// The values and their Swift type stay the same.
    case none
    /// The new values are computed from the old ones.
    case changed(TypeChange)
    /// Only a custom migration can provide the new values.
    case custom(TypeCause)
}

/// Infers the values of a type from values of another type.
struct TypeInference {
    let from: ModelVersion
    let to: ModelVersion
    var instructions: StepInstructions
    /// The subtypes that are the same in both versions, with all their parts.
    let unchanged: Set<SubtypeLineage>

    /// Returns the change of values from the type `old` to the type `new`.
    func change(_ old: ValueType, _ new: ValueType) -> InferredChange {
        if old == new, old.subtype.map(unchanged.contains) ?? true { return .none }
        func turned() -> InferredChange { .custom(.turned(old, new)) }
        switch (old, new) {
        case (.scalar(let before), .scalar(let after)):
            return TypeChange(from: before, to: after).map { .changed($0) } ?? turned()
        case (.subtype(let lineage), .scalar(.string)) where from.subtype(lineage)?.cases.isEmpty == false:
            return .changed(TypeChange(from: old, to: new, .caseToString))
        case (.subtype(let before), .subtype(let after)):
            guard before == after, let was = from.subtype(before), let now = to.subtype(after) else { return turned() }
            switch shapeChange(was, now) {
            case .success(let change): return .changed(TypeChange(from: old, to: new, change))
            case .failure(let cause): return .custom(.subtype(after, cause))
            }
        case (.array(let before), .array(let after)) where before == after:
            switch change(before, after) {
            case .none: return .none
            case .custom(let reason): return .custom(reason)
            case .changed(let change):
                let isJSON = isJSON(after)
                return .changed(
                    TypeChange(from: old, to: new, .elements(change.values, isJSON: isJSON)))
            }
        case (.dictionary(let key, let before), .dictionary(let newKey, let after))
        where key == newKey && before == after:
            switch change(before, after) {
            case .none: return .none
            case .custom(let reason): return .custom(reason)
            case .changed(let change):
                return .changed(TypeChange(from: old, to: new, .values(change.values, isJSON: isJSON(after))))
            }
        default:
            return turned()
        }
    }

    /// Returns the change of the values of a subtype.
    func shapeChange(_ old: Subtype, _ new: Subtype) -> Result<ValueChange, SubtypeCause> {
        switch (old.kind, new.kind) {
        case (.cases(let before), .cases):
            var values: [String: String] = [:]
            for old in before {
                let element = StepInstructions.SubtypeElement(subtype: new.lineage, element: old.lineage)
                guard let heir = new.choice(old.lineage) ?? heir(of: element, in: new) else {
                    return .failure(.removedCase(old.lineage))
                }
                if heir.value != old.value { values[old.value] = heir.value }
            }
            let images = before.map { values[$0.value] ?? $0.value }
            return .success(.cases(values, merged: Set(images).count < images.count))
        case (.options(let before), .options):
            var cleared = 0
            for old in before {
                let element = StepInstructions.SubtypeElement(subtype: new.lineage, element: old.lineage)
                if let now = new.option(old.lineage) {
                    if now.bit != old.bit { return .failure(.otherBit(now.lineage)) }
                } else if instructions.discardedElements.contains(element) {
                    cleared |= 1 << old.bit
                } else {
                    return .failure(.removedOption(old.lineage))
                }
            }
            return .success(.options(cleared: cleared))
        case (.members, .members):
            return memberChanges(old, new)
        default:
            return .failure(.otherKind)
        }
    }

    /// Returns the case that replaces a removed case, directly or through other removed cases.
    private func heir(of element: StepInstructions.SubtypeElement, in subtype: Subtype) -> Subtype.Case? {
        var element = element
        var passed: Set<ElementLineage> = []
        while passed.insert(element.element).inserted, let next = instructions.replacements[element] {
            if let heir = subtype.choice(next) { return heir }
            element.element = next
        }
        return nil
    }

    private func memberChanges(_ before: Subtype, _ after: Subtype) -> Result<ValueChange, SubtypeCause> {
        var changes: [ValueChange.Member] = []
        for new in after.members {
            guard let type = new.type else { continue }
            guard let old = before.member(new.lineage), let oldType = old.type else {
                if let value = new.defaultValue.flatMap({ to.json($0, type: type) }) {
                    changes.append(.added(new.name, value: value))
                } else if !new.isNullable {
                    return .failure(.newMember(new.lineage))
                }
                continue
            }
            if old.isNullable, !new.isNullable { return .failure(.mandatoryMember(new.lineage)) }
            var inner: ValueChange?
            switch change(oldType, type) {
            case .none: break
            case .custom(let cause): return .failure(.member(new.lineage, cause))
            case .changed(let change):
                // Changing the type of a scalar inside JSON is not supported.
                guard oldType == type else {
                    return .failure(.member(new.lineage, .turned(oldType, type)))
                }
                inner = change.values
            }
            if old.name != new.name {
                changes.append(.renamed(old.name, to: new.name, inner, isJSON: isJSON(type)))
            } else if let inner, !inner.isIdentity {
                changes.append(.changed(new.name, inner, isJSON: isJSON(type)))
            }
        }
        for old in before.members where !after.contains(old.lineage) {
            guard instructions.discardedElements.contains(.init(subtype: after.lineage, element: old.lineage)) else {
                return .failure(.removedMember(old.lineage))
            }
            changes.append(.removed(old.name))
        }
        return .success(.members(changes))
    }

    /// Returns whether values of `type` inside JSON are objects or arrays.
    private func isJSON(_ type: ValueType) -> Bool {
        switch type {
        case .scalar: false
        case .array, .dictionary: true
        case .subtype(let lineage): !(to.subtype(lineage)?.members.isEmpty ?? true)
        }
    }
}

extension SchemaStep {
    /// Returns the change of values from the type `old` to the type `new`. If `new` is nil, the type stays `old`, but
    /// its definition may change.
    package func change(of old: ValueType, to new: ValueType? = nil) -> InferredChange {
        TypeInference(from: from, to: to, instructions: instructions, unchanged: unchangedSubtypes)
            .change(old, new ?? old)
    }
}
