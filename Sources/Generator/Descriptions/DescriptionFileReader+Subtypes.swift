import JSONText

/// Reads the files that describe subtypes.
extension DescriptionFileReader {
    /// Returns whether the object describes a subtype. A subtype has cases or options, or it has properties, but no
    /// relationships and no keys that only entities have.
    package func isSubtype(_ members: [JSON.Member]) -> Bool {
        // In Lucid, the folder decides.
        if isLucid == true {
            let folders = file.path.split(separator: "/")
            if folders.contains("Entities") { return false }
            if folders.contains("Subtypes") { return true }
        }
        let members = members.map { (key: KeyTable.subtype.canonical($0.key), value: $0.value) }
        let keys = Set(members.map(\.key))
        if !keys.isDisjoint(with: ["cases", "options"]) { return true }
        guard keys.contains("properties"), keys.isSubset(of: KeyTable.subtype.all) else { return false }
        guard case .array(let properties) = members.first(where: { $0.key == "properties" })?.value.value else {
            return false
        }
        return !properties.contains { property in
            guard case .object(let fields) = property.value else { return false }
            return fields.contains { field in
                guard KeyTable.member.canonical(field.key) == "property_type" else { return false }
                if case .object = field.value.value { return true }
                return false
            }
        }
    }

    /// Reads a subtype; nil, after a diagnostic, if it lacks a required key.
    mutating func subtype(_ members: [JSON.Member], at offset: Int) -> SubtypeDescription? {
        let known = canonical(members, .subtype)
        let values = dictionary(known)
        let element = element(known, offset: offset, .subtype)
        guard element.present["name"] != nil else {
            report(.missingKey("name", of: KeyTable.Kind.subtype.name), at: offset)
            return nil
        }
        let present = ["cases", "options", "properties"].filter { values[$0] != nil }
        if present.count > 1 {
            let json = values[present[1]]
            report(.twoKinds(present[0], present[1]), at: json?.offset ?? offset)
        }
        for (key, beside) in [("unused_cases", "cases"), ("unused_options", "options")] {
            if let json = values[key], values[beside] == nil {
                report(.keyDoesNotApply(key, because: "it needs \"\(beside)\" beside it"), at: json.offset)
            }
        }
        let kind: SubtypeDescription.Kind
        var elements: [ElementDescription]
        switch present.first {
        case "cases":
            kind = .cases
            elements = self.elements(values["cases"], key: "cases", .subtypeCase)
            add(unused(values["unused_cases"], key: "unused_cases", .subtypeCase), to: &elements)
        case "options":
            kind = .options
            elements = self.elements(values["options"], key: "options", .option)
            add(unused(values["unused_options"], key: "unused_options", .option), to: &elements)
        default:
            kind = .members
            elements = self.elements(values["properties"], key: "properties", .member)
        }
        if elements.isEmpty, diagnostics.isEmpty, let json = values[present.first ?? ""] {
            report(.emptySubtype, at: json.offset)
        }
        noteIgnoredKeys()
        return SubtypeDescription(file: file, element: element, kind: kind, elements: elements)
    }

    /// Adds unused elements. In Lucid, an unused option is also one of the options.
    private func add(_ unused: [ElementDescription], to elements: inout [ElementDescription]) {
        for element in unused {
            let name = element.present["name"]?.text
            if isLucid == true, let index = elements.firstIndex(where: { $0.present["name"]?.text == name }) {
                elements[index].isUnused = true
            } else {
                elements.append(element)
            }
        }
    }

    private mutating func unused(_ json: JSON?, key: String, _ table: KeyTable) -> [ElementDescription] {
        elements(json, key: key, table).map { element in
            var element = element
            element.isUnused = true
            return element
        }
    }
}
