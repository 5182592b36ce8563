extension ImportedVersion {
    /// Checks what a replay has found out about the rows against the version before: a description can give values only to
    /// properties that are new or become mandatory, and rows keep their keys.
    mutating func settleRows(after old: ImportedVersion) {
        for index in entities.indices {
            guard let token = entities[index].token, let before = old.entities.first(where: { $0.token == token })
            else {
                settleCopy(at: index, after: old)
                continue
            }
            entities[index].copied = nil
            if before.keyTokens != entities[index].keyTokens { entities[index].isCustom = true }
            for propertyIndex in entities[index].properties.indices {
                let property = entities[index].properties[propertyIndex]
                if case .property(let name) = property.fill,
                    !before.properties.contains(where: { $0.name == name && $0.relationship == nil })
                {
                    // The value of a primary key that is not a property, or of a foreign key.
                    entities[index].properties[propertyIndex].fill = nil
                    entities[index].isCustom = true
                }
                guard property.fill != nil, let was = before.properties.first(where: { $0.token == property.token }),
                    !was.isNullable || property.isNullable
                else { continue }
                entities[index].properties[propertyIndex].fill = nil
                // The constant replaces NULL, which the property may still be.
                if was.isNullable { entities[index].isCustom = true }
            }
        }
    }

    /// Checks the origin of the values of a new entity that gets copies of the rows of another one.
    private mutating func settleCopy(at index: Int, after old: ImportedVersion) {
        guard let source = old.entities.first(where: { $0.name == entities[index].copied }) else { return }
        let isKnown = entities[index].properties.allSatisfy { property in
            let namesake = source.properties.first { $0.name.lowercased() == property.name.lowercased() }
            guard case .property(let name) = property.fill else { return namesake == nil }
            return source.properties.contains { $0.name == name && $0.relationship == nil && $0.computed == nil }
        }
        if isKnown, !entities[index].isCustom { return }
        entities[index].isCustom = true
        entities[index].copied = nil
        for property in entities[index].properties.indices { entities[index].properties[property].fill = nil }
    }
}
