import SQLSchema

extension ModelVersion {
    /// The types of values that the tables do not show, one a line: `note.is_done bool`, and the logical lines of
    /// subtypes. If such a line changes in a draft, the rows of existing stores cannot be read.
    package var valueTypeLines: [String] {
        let properties = entities.flatMap { entity in
            entity.properties.compactMap { property -> String? in
                guard case .attribute(let type) = property.kind, !Self.isPlain(type) else { return nil }
                return "\(entity.tableName).\(property.persistedName ?? property.name) \(logical(type))"
            }
        }
        return (properties + subtypes.map(logicalLine)).sortedByBytes()
    }

    /// Returns whether a type is the one that a column of its storage type has by default.
    private static func isPlain(_ type: ValueType) -> Bool {
        switch type.scalar {
        case .int, .double, .string, .data: true
        default: false
        }
    }
}
