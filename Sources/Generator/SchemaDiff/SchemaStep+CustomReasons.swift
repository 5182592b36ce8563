import SchemaModel
import SQLSchema

extension SchemaStep {
    /// The changes that need a custom migration, as text.
    package var customReasons: [String] { reasons.map(text) }

    /// Returns a reason as text that names the entity and the property.
    package func text(of reason: CustomReason) -> String {
        let (old, new) = (from.entity(reason.entity), to.entity(reason.entity))
        if case .duplicates(let properties) = reason.cause, let new {
            let names = properties.compactMap { new.property($0)?.name }.map { "`\($0)`" }
            return "`\(new.name)`: the unique index on \(names.joined(separator: ", ")) may find duplicates"
        }
        if case .check(let check) = reason.cause, let new {
            let found = new.checks.first { $0.lineage == check }
            let condition = found.map { to.text(of: $0.condition, in: new) } ?? ""
            return "`\(new.name)`: rows may violate the check `\(found?.name ?? "")`, which is \(condition)"
        }
        // If a property exists in both versions, use the names of the newer one.
        let now = reason.property.flatMap { new?.property($0) }
        let was = reason.property.flatMap { old?.property($0) }
        let entity = (now == nil && was != nil ? old : new ?? old)?.name ?? ""
        var subject = (now ?? was).map { "\(entity).\($0.name)" } ?? entity
        if case .otherKeyColumn(let column) = reason.cause { subject += ".\(column)" }
        return "`\(subject)` \(text(of: reason.cause))"
    }

    private func text(of cause: CustomCause) -> String {
        switch cause {
        case .requested: "asks for a custom migration"
        case .removed: "is removed without \"discard\": true"
        case .merged(let target): "is merged into `\(to.entity(target)?.name ?? "")`"
        case .otherKey: "has another primary key"
        case .otherKeyColumn: "is another primary key"
        case .keyCollation: "is part of the primary key and gets another collation"
        case .duplicates: "has a unique index that may find duplicates"
        case .violations(let limits):
            "may violate \(limits.map(\.description).joined(separator: ", ")) and has no \"fill\""
        case .collationOfChoices: "would be compared with \"one_of\" by another collation than its own"
        case .exceedsSQLite: "changes in more members or deeper lists than one SQL expression can have"
        case .check: "has a check that rows may violate"
        case .type(let cause): text(of: cause)
        case .missingValue: "is new and has neither a default nor a \"fill\""
        case .missingValueForNull: "becomes required and has neither a default nor a \"fill\""
        case .fillOfOtherType: "has a \"fill\" that is not a value of its type any more"
        case .fillNotStored: "has a \"fill_from\" that is not stored in a column"
        case .fillOfOtherKind(let column): "cannot take the values of `\(column)`"
        case .fillMayBeNull: "has a \"fill_from\" that can be null"
        case .duplicateTargets: "may contain a row several times, and must not any more"
        case .otherTarget: "refers to another entity"
        case .otherTargetKey: "refers to a primary key of another type"
        case .discardedTarget: "refers to rows that are discarded"
        case .otherInverse: "has another inverse"
        case .ownInverse: "becomes its own inverse"
        case .becomesRelationship: "was an attribute and becomes a relationship"
        case .otherKind: "changes between attribute and relationship"
        case .wasElsewhereOrOther: "was stored elsewhere, or had other values"
        case .wasElsewhere: "was stored elsewhere"
        case .isElsewhere: "will be stored elsewhere"
        }
    }

    private func text(of cause: TypeCause) -> String {
        switch cause {
        case .turned(let old, let new): "changes from \(from.name(of: old)) to \(to.name(of: new))"
        case .subtype(let subtype, let cause):
            "has the type `\(to.subtype(subtype)?.name ?? "")`, \(text(of: cause, in: subtype))"
        }
    }

    /// Returns a change of a subtype as a relative clause.
    func text(of cause: SubtypeCause, in subtype: SubtypeLineage) -> String {
        let name = cause.element.flatMap { elementName($0, of: subtype) } ?? ""
        return switch cause {
        case .otherKind: "which becomes another kind of subtype"
        case .removedCase: "whose case `\(name)` is removed without \"replaced_by\""
        case .removedOption: "whose option `\(name)` is removed without \"discard\": true"
        case .otherBit: "whose option `\(name)` has another bit"
        case .removedMember: "whose property `\(name)` is removed without \"discard\": true"
        case .newMember: "whose property `\(name)` is new and has no default"
        case .mandatoryMember: "whose property `\(name)` becomes required"
        case .member(_, let cause): "whose property `\(name)` \(text(of: cause))"
        }
    }

    /// Returns the name of a case, an option or a member in the newer version, or else in the older version.
    func elementName(_ element: ElementLineage, of subtype: SubtypeLineage) -> String? {
        [to, from].lazy.compactMap { version -> String? in
            let subtype = version.subtype(subtype)
            return subtype?.choice(element)?.name ?? subtype?.option(element)?.name ?? subtype?.member(element)?.name
        }.first
    }
}
