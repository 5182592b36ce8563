import JSONText
import SchemaModel
import SQLSchema

/// An element of a subtype in one epoch.
enum SubtypeElementState: Sendable {
    case choice(Subtype.Case)
    case option(Subtype.Option)
    case member(Property)
}

/// Decodes the fields of subtypes in each epoch, and constants of all types.
extension Resolver {
    // MARK: Names

    mutating func nameSubtypes() {
        subtypeNames = Array(repeating: [:], count: versions.count)
        for (lineage, timeline) in subtypes.enumerated() {
            let description = subtypeDescriptions[lineage]
            for epoch in timeline.epochs {
                guard let json = epoch.fields["name"]?.json, let name = checkedName(json, description) else { continue }
                // A name with a leading bracket would be read as a list type.
                if ScalarType(description: name) != nil || name.hasPrefix("[") {
                    report(.reservedName(name), description, json.offset)
                }
            }
            for index in timeline.life {
                guard let field = timeline.epochs[timeline.epoch(at: index)].fields["name"], let name = text(field.json)
                else { continue }
                if let other = subtypeNames[index].updateValue(lineage, forKey: name) {
                    subtypeNames[index][name] = other
                    let path = subtypeDescriptions[other].file.path
                    report(
                        .duplicateEntity(name, version: versions[index].text, other: path), description,
                        field.json.offset)
                    break
                }
            }
        }
    }

    /// Returns the lineage of the element of `subtype` that has the name `name` in the version at `index`; nil, after a
    /// diagnostic, if there is none.
    mutating func element(
        _ name: String, of subtype: Int, at index: Int, _ description: some FileDescription, _ offset: Int
    ) -> Int? {
        if let place = knownElement(name, of: subtype, at: index, alive: index) { return place }
        let names = elements[subtype].map { elementName($0, at: index) }
        report(
            .unknownCase(
                name, of: subtypeName(subtype, at: index), version: versions[index].text,
                nearest: names.compactMap(\.self).nearest(to: name)),
            description, offset)
        return nil
    }

    /// Returns the lineage of the element of `subtype` that has the name `name` in the version at `index`, if the
    /// version at `alive` has this element.
    func knownElement(_ name: String, of subtype: Int, at index: Int, alive: Int) -> Int? {
        elements[subtype].firstIndex { elementName($0, at: index) == name && $0.life.contains(alive) }
    }

    private func elementName(_ timeline: ElementTimeline, at index: Int) -> String? {
        guard timeline.life.contains(index) else { return nil }
        return text(timeline.epochs[timeline.epoch(at: index)].fields["name"]?.json)
    }

    private func subtypeName(_ subtype: Int, at index: Int) -> String {
        let timeline = subtypes[subtype]
        return text(timeline.epochs[timeline.epoch(at: index)].fields["name"]?.json) ?? ""
    }

    /// Returns the type that has the name `name` in the version at `index`; nil, after a diagnostic, if there is none.
    mutating func valueType(
        _ name: String, at index: Int, _ description: some FileDescription, _ offset: Int
    ) -> ValueType? {
        // The nesting is limited, because each pair of brackets takes a recursive call.
        if name.hasPrefix("["), name.hasSuffix("]"), name.utf8.count > 2, !name.hasPrefix("[[[[[[[[") {
            return valueType(String(name.dropFirst().dropLast()), at: index, description, offset).map { .array($0) }
        }
        if let scalar = ScalarType(description: name) { return .scalar(scalar) }
        if let subtype = subtypeNames[index][name] { return .subtype(subtype) }
        if entityNames[index][name] != nil {
            report(.entityAsType(name), description, offset)
        } else if subtypeNames.contains(where: { $0[name] != nil }) {
            report(.unknownSubtype(name, version: versions[index].text), description, offset)
        } else {
            let names = ScalarType.allCases.map(\.rawValue) + subtypeNames[index].keys.sorted()
            report(.unknownType(name, nearest: names.nearest(to: name)), description, offset)
        }
        return nil
    }

    // MARK: Elements

    mutating func decodeElements() {
        for (lineage, description) in subtypeDescriptions.enumerated() {
            var bit = -1
            var bits: [Int: String] = [:]
            var states: [[SubtypeElementState?]] = []
            for (place, timeline) in elements[lineage].enumerated() {
                // An option without an explicit bit gets the next bit.
                bit += 1
                var decoded: [SubtypeElementState?] = []
                for epoch in timeline.epochs {
                    decoded.append(decode(place, epoch, bit: bit, description))
                    guard case .option(let option) = decoded.last else { continue }
                    let name = text(description.elements[place].present["name"]) ?? option.name
                    if let other = bits.updateValue(name, forKey: option.bit), other != name || decoded.count == 1 {
                        report(
                            .sameBit(option.bit, other, name), description,
                            epoch.fields["bit"]?.json.offset ?? description.elements[place].offset)
                    }
                }
                if case .option(let option) = decoded.last { bit = option.bit }
                states.append(decoded)
            }
            elementStates.append(states)
        }
    }

    private mutating func decode(
        _ place: Int, _ epoch: ElementTimeline.Epoch, bit: Int, _ description: SubtypeDescription
    ) -> SubtypeElementState? {
        let fields = epoch.fields
        let element = description.elements[place]
        guard let json = fields["name"]?.json, let name = checkedName(json, description) else { return nil }
        switch description.kind {
        case .cases:
            var value = name
            if let json = self.value("value", fields) {
                guard let text = string(json, key: "value", description) else { return nil }
                value = text
            }
            if value.utf8.contains(0) { report(.unusableName(value), description, json.offset) }
            if !SwiftName.isComposed(value) { report(.decomposedName(value), description, json.offset) }
            return .choice(
                Subtype.Case(
                    lineage: place, name: name, value: value, documentation: element.documentation,
                    isUnused: element.isUnused))
        case .options:
            var bit = bit
            if let json = value("bit", fields) {
                guard case .number(let text) = json.value, let number = Int(text), (0...62).contains(number) else {
                    report(.malformedBit(json.shown), description, json.offset)
                    return nil
                }
                bit = number
            }
            if bit > 62 {
                report(.malformedBit(String(bit)), description, element.offset)
                return nil
            }
            return .option(
                Subtype.Option(
                    lineage: place, name: name, bit: bit, documentation: element.documentation,
                    isUnused: element.isUnused))
        case .members:
            if name.contains("\"") || name.contains("\\") { report(.unusableMember(name), description, json.offset) }
            guard let type = type(fields, description) else { return nil }
            guard let value = attributeType(fields, type: type, description) else { return nil }
            var member = Property(
                lineage: place, name: name, documentation: element.documentation, kind: .attribute(value))
            member.isNullable = bool("nullable", fields, description) ?? false
            return .member(member)
        }
    }

    /// Reports subtypes that contain themselves, directly or through others. If there are none, decodes the default
    /// values of members.
    ///
    /// - Returns: Whether no subtype contains itself.
    mutating func checkRecursion() -> Bool {
        let parts = elementStates.map { states in
            Set(
                states.joined().compactMap { state in
                    if case .member(let member) = state { member.type?.subtype } else { nil }
                })
        }
        var isSound = true
        for (lineage, description) in subtypeDescriptions.enumerated() {
            var reached = parts[lineage]
            var next = Array(reached)
            while let part = next.popLast() { next += parts[part].filter { reached.insert($0).inserted } }
            if reached.contains(lineage) {
                isSound = false
                report(.recursiveSubtype(description.name), description, description.element.offset)
            }
        }
        guard isSound else { return false }
        decodeMemberDefaults()
        return true
    }

    /// Decodes the default values of members. They may be values of subtypes, so all subtypes must be decoded before.
    private mutating func decodeMemberDefaults() {
        for (lineage, description) in subtypeDescriptions.enumerated() where description.kind == .members {
            for (place, timeline) in elements[lineage].enumerated() {
                for (number, epoch) in timeline.epochs.enumerated() {
                    guard case .member(var member) = elementStates[lineage][place][number] else { continue }
                    member.defaultValue = defaultValue(of: member, epoch.fields, description)
                    elementStates[lineage][place][number] = .member(member)
                }
            }
        }
    }

    /// Warns about subtypes that no property uses. They may have been meant as entities.
    mutating func noteUnusedSubtypes() {
        var used = Set(states.joined().joined().compactMap { $0?.type?.subtype })
        for state in elementStates.joined().joined() {
            if case .member(let member) = state, let part = member.type?.subtype { used.insert(part) }
        }
        for (lineage, description) in subtypeDescriptions.enumerated() where !used.contains(lineage) {
            let position = description.file.position(of: description.element.offset)
            diagnostics.append(
                Diagnostic(
                    .unusedSubtype(description.name), path: description.file.path, position: position,
                    severity: .warning))
        }
    }

    // MARK: Versions

    func subtypes(at index: Int) -> [Subtype] {
        subtypes.enumerated().compactMap { lineage, timeline in
            guard timeline.life.contains(index) else { return nil }
            let alive = elements[lineage].indices.filter { elements[lineage][$0].life.contains(index) }
            // Like columns, members are sorted by the version that added them.
            let ordered = alive.sorted { left, right in
                let births = (elements[lineage][left].life.lowerBound, elements[lineage][right].life.lowerBound)
                return births.0 == births.1 ? left < right : births.0 < births.1
            }
            let states = ordered.compactMap { place in
                elementStates[lineage][place][elements[lineage][place].epoch(at: index)]
            }
            let kind: Subtype.Kind =
                switch subtypeDescriptions[lineage].kind {
                case .cases: .cases(states.compactMap { if case .choice(let value) = $0 { value } else { nil } })
                case .options: .options(states.compactMap { if case .option(let value) = $0 { value } else { nil } })
                case .members: .members(states.compactMap { if case .member(let value) = $0 { value } else { nil } })
                }
            return Subtype(
                lineage: lineage, name: subtypeName(lineage, at: index),
                documentation: subtypeDescriptions[lineage].element.documentation, kind: kind)
        }
    }

    // MARK: Constants

    /// Decodes a default value or backfill value; nil, after a diagnostic, if it is not valid for `type`.
    ///
    /// - Parameters:
    ///   - json: The value.
    ///   - key: The key of `json`, for messages.
    ///   - type: The type of the value.
    ///   - index: The index of the version in which names in the value are looked up.
    ///   - description: The description that contains the value.
    mutating func constant(
        _ json: JSON, key: String, type: ValueType, at index: Int, _ description: some FileDescription
    ) -> Constant? {
        switch type {
        case .scalar(let scalar):
            return literal(json, key: key, type: scalar, description).map { .literal($0) }
        case .array(let element):
            guard case .array(let values) = json.value else {
                return refuse(json, key, "list", "write a list", description)
            }
            let constants = values.map { constant($0, key: key, type: element, at: index, description) }
            return constants.contains(nil) ? nil : .list(constants.compactMap(\.self))
        case .subtype(let subtype):
            let name = subtypeName(subtype, at: index)
            switch subtypeDescriptions[subtype].kind {
            case .cases:
                guard let text = text(json) else {
                    return refuse(json, key, name, "write the name of a case", description)
                }
                // Lucid writes a case with a leading dot, as in Swift.
                let name = text.hasPrefix(".") ? String(text.dropFirst()) : text
                return element(name, of: subtype, at: index, description, json.offset).map { .choice($0) }
            case .options:
                guard case .array(let values) = json.value else {
                    return refuse(json, key, name, "write a list of options", description)
                }
                var options: Set<Int> = []
                for value in values {
                    guard let text = text(value) else {
                        return refuse(value, key, name, "write the name of an option", description)
                    }
                    guard let option = element(text, of: subtype, at: index, description, value.offset) else {
                        return nil
                    }
                    options.insert(option)
                }
                return .options(options.sorted())
            case .members:
                return object(json, key: key, subtype: subtype, at: index, description)
            }
        }
    }

    private mutating func refuse(
        _ json: JSON, _ key: String, _ type: String, _ hint: String, _ description: some FileDescription
    ) -> Constant? {
        report(.wrongLiteral(key: key, type: type, found: json.shown, hint: hint), description, json.offset)
        return nil
    }

    private mutating func object(
        _ json: JSON, key: String, subtype: Int, at index: Int, _ description: some FileDescription
    ) -> Constant? {
        let name = subtypeName(subtype, at: index)
        guard case .object(let members) = json.value else {
            return refuse(json, key, name, "write an object", description)
        }
        var values: [Int: Constant] = [:]
        var given: Set<Int> = []
        for member in members {
            guard let place = element(member.key, of: subtype, at: index, description, member.keyOffset) else {
                return nil
            }
            given.insert(place)
            guard case .member(let property) = elementStates[subtype][place][elements[subtype][place].epoch(at: index)],
                let type = property.type
            else { return nil }
            if member.value.isNull, property.isNullable {
                values[place] = .null
                continue
            }
            guard let value = constant(member.value, key: key, type: type, at: index, description) else { return nil }
            values[place] = value
        }
        for (place, timeline) in elements[subtype].enumerated()
        where timeline.life.contains(index) && !given.contains(place) {
            let epoch = timeline.epochs[timeline.epoch(at: index)]
            guard case .member(let property) = elementStates[subtype][place][timeline.epoch(at: index)] else {
                continue
            }
            // The default values of other members may not be decoded yet. It is enough that there is one.
            if !property.isNullable, value("default_value", epoch.fields) == nil {
                report(.missingMember(property.name, of: name), description, json.offset)
                return nil
            }
        }
        return .object(values)
    }
}
