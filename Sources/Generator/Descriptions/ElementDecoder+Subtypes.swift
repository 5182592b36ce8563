import JSONText
import SchemaModel

extension ElementDecoder {
    /// Decodes the elements of a subtype, without the default values of members.
    mutating func elements(of subtype: SubtypeLineage) -> ResolvedSubtype {
        let source = sources[subtype]
        var bit = -1
        var bits: [Int: String] = [:]
        return source.elements.enumerated().map { index, element in
            // An option without an explicit bit gets the next bit.
            bit += 1
            let decoded = element.fields.map { fields in
                self.element(
                    ElementLineage(index), fields, element.description, source.description.kind, nextBit: bit)
            }
            for (number, option) in decoded.epochs.map({ $0.value?.option }).enumerated() {
                guard let option else { continue }
                let name = element.description.present["name"]?.text ?? option.name
                if let other = bits.updateValue(name, forKey: option.bit), other != name || number == 0 {
                    let fields = element.fields.epochs[number].value
                    reader.diagnostics.append(fields.diagnostic(.sameBit(option.bit, other, name), key: "bit"))
                }
            }
            if let option = decoded.epochs.last?.value?.option { bit = option.bit }
            return decoded
        }
    }

    private mutating func element(
        _ lineage: ElementLineage, _ fields: Fields, _ description: ElementDescription,
        _ kind: SubtypeDescription.Kind, nextBit: Int
    ) -> SubtypeElement? {
        guard let json = fields["name"]?.json, let name = reader.name(fields) else { return nil }
        let file = fields.file
        switch kind {
        case .cases:
            var value = name
            if let json = fields.value("value") {
                guard let text = reader.string(json, key: "value", file) else { return nil }
                value = text
            }
            if value.utf8.contains(0) { reader.report(.unusableName(value), file, json.offset) }
            if !SwiftName.isComposed(value) { reader.report(.decomposedName(value), file, json.offset) }
            return .choice(
                Subtype.Case(
                    lineage: lineage, name: name, value: value, documentation: description.documentation,
                    isUnused: description.isUnused))
        case .options:
            guard let bit = bit(fields, next: nextBit) else { return nil }
            return .option(
                Subtype.Option(
                    lineage: lineage, name: name, bit: bit, documentation: description.documentation,
                    isUnused: description.isUnused))
        case .members:
            if name.contains("\"") || name.contains("\\") { reader.report(.unusableMember(name), file, json.offset) }
            guard let type = type(fields), let value = attributeType(fields, type: type) else { return nil }
            var member = Property(
                lineage: lineage, name: name, documentation: description.documentation, kind: .attribute(value))
            member.isNullable = reader.bool("nullable", fields) ?? false
            return .member(member)
        }
    }

    private mutating func bit(_ fields: Fields, next: Int) -> Int? {
        let bits = 0...62
        if let json = fields.value("bit") {
            if case .number(let text) = json.value, let bit = Int(text), bits.contains(bit) { return bit }
            reader.report(.malformedBit(json.shown), fields.file, json.offset)
            return nil
        }
        if bits.contains(next) { return next }
        reader.report(.malformedBit(String(next)), fields.file, fields.offset)
        return nil
    }

    /// Reports subtypes that contain themselves, directly or through others. Returns whether there are none.
    mutating func checkRecursion() -> Bool {
        let parts = subtypes.map { elements in
            Set(elements.flatMap { $0.epochs.compactMap { $0.value?.member?.type?.subtype } })
        }
        var isSound = true
        for lineage in sources.subtypeLineages {
            var reached = parts[lineage]
            var next = Array(reached)
            while let part = next.popLast() { next += parts[part].filter { reached.insert($0).inserted } }
            guard reached.contains(lineage) else { continue }
            isSound = false
            let source = sources[lineage]
            reader.report(.recursiveSubtype(source.name), source.file, source.description.element.offset)
        }
        return isSound
    }

    /// Decodes the default values of a subtype's members.
    mutating func decodeMemberDefaults(of lineage: SubtypeLineage) {
        guard sources[lineage].description.kind == .members else { return }
        subtypes[lineage] = zip(sources[lineage].elements, subtypes[lineage]).map { source, element in
            Timeline(
                life: element.life,
                epochs: zip(source.fields.epochs, element.epochs).map { fields, epoch in
                    guard case .member(var member) = epoch.value else { return epoch }
                    member.defaultValue = defaultValue(of: member, fields.value)
                    return Timeline.Epoch(start: epoch.start, value: .member(member))
                })
        }
    }
}
