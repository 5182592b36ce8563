import SchemaModel

extension SchemaStep {
    /// All changes of subtypes; what becomes of stored values is told of the properties that use them.
    var subtypeChanges: [SchemaChange] {
        var changes: [SchemaChange] = []
        for new in to.subtypes where !unchangedSubtypes.contains(new.lineage) {
            guard let old = from.subtype(new.lineage) else {
                changes.append(SchemaChange(handling: .inferred, subject: new.name, change: "added"))
                continue
            }
            if old.name != new.name {
                changes.append(
                    SchemaChange(
                        handling: .inferred, subject: new.name, change: "name \(old.name) becomes \(new.name)"))
            }
            var cause: SubtypeCause?
            let types = TypeInference(from: from, to: to, instructions: instructions, unchanged: unchangedSubtypes)
            if case .failure(let failure) = types.shapeChange(old, new) { cause = failure }
            changes += elementChanges(old, new).map { element in
                let isNamed = cause?.element == element.lineage
                let reason = cause.map { "a type " + text(of: $0, in: new.lineage) }
                let key = StepInstructions.SubtypeElement(subtype: new.lineage, element: element.lineage)
                let isDiscarded = instructions.discardedElements.contains(key)
                return SchemaChange(
                    handling: isNamed ? .custom : isDiscarded ? .discarding : .inferred,
                    subject: "\(new.name).\(element.name)", change: element.text, reason: isNamed ? reason : nil)
            }
        }
        for old in from.subtypes where to.subtype(old.lineage) == nil {
            changes.append(SchemaChange(handling: .inferred, subject: old.name, change: "removed"))
        }
        return changes
    }

    private typealias ElementText = (lineage: ElementLineage, name: String, text: String)

    private func elementChanges(_ old: Subtype, _ new: Subtype) -> [ElementText] {
        let before = elements(of: old, in: from)
        let after = elements(of: new, in: to)
        var changes: [ElementText] = []
        for element in after {
            guard let was = before.first(where: { $0.lineage == element.lineage }) else {
                changes.append((element.lineage, element.name, "added: " + element.text))
                continue
            }
            var texts: [String] = []
            if was.name != element.name { texts.append("name \(was.name) becomes \(element.name)") }
            if was.text != element.text { texts.append("\(was.text) becomes \(element.text)") }
            changes += texts.map { (element.lineage, element.name, $0) }
        }
        for element in before where !after.contains(where: { $0.lineage == element.lineage }) {
            let key = StepInstructions.SubtypeElement(subtype: new.lineage, element: element.lineage)
            let heir = instructions.replacements[key].flatMap { heir in after.first { $0.lineage == heir } }
            changes.append((element.lineage, element.name, heir.map { "removed, and \($0.name) instead" } ?? "removed"))
        }
        return changes
    }

    private func elements(of subtype: Subtype, in version: SchemaVersion) -> [ElementText] {
        switch subtype.kind {
        case .cases(let cases): cases.map { ($0.lineage, $0.name, "the case \(quoted($0.value))") }
        case .options(let options): options.map { ($0.lineage, $0.name, "the bit \($0.bit)") }
        case .members(let members):
            members.map { member in
                var text = member.type.map(version.name) ?? ""
                if member.isNullable { text += "?" }
                let value = member.defaultValue.flatMap { value in
                    member.type.flatMap { version.json(value, type: $0) }
                }
                if let value { text += " with the default " + value }
                return (member.lineage, member.name, text)
            }
        }
    }
}
