import JSONText
import SchemaModel

extension ElementDecoder {
    /// Decodes the way in which Citus places the rows of an entity; nil if the description does not say it.
    mutating func distribution(_ fields: Fields, of entity: EntityLineage) -> Distribution? {
        guard let field = fields.field("distribution"),
            let name = reader.string(field.json, key: "distribution", fields.file)
        else { return nil }
        switch name {
        case "reference": return .reference
        case "local": return .local
        default:
            return sources.property(name, of: entity, at: field.moment).map { .property($0) } ?? .identifier(name)
        }
    }
}
