import Mustache
import SchemaModel

/// A type of an entity's primary key.
struct KeyType: TemplateValues {
    /// A primary key with one value.
    struct Raw: TemplateValues {
        let type: String
        let tag: String

        static let fields: [TemplateField<Self>] = [
            .text("type", \.type, "the type of the value"),
            .text("tag", \.tag, "the name of the type that makes it different from other primary keys"),
        ]
    }

    /// A primary key with several values.
    struct Members: TemplateValues {
        let count: Int
        let list: [Member]

        static let fields: [TemplateField<Self>] = [
            .number("count", \.count, "the number of columns"),
            .list("list", \.list, "the values"),
        ]
    }

    /// A value of a primary key.
    struct Member: TemplateValues {
        let member: String
        let declaration: String
        let parameter: String
        let type: String
        let codingKey: String
        let reader: String
        let offset: String?

        static let fields: [TemplateField<Self>] = [
            .text("member", \.member, "the name of the property"),
            .text("declaration", \.declaration, "the label and the name of the parameter"),
            .text("parameter", \.parameter, "the name of the parameter"),
            .text("type", \.type, "the type"),
            .text("codingKey", \.codingKey, "the name by which it is encoded, as a literal"),
            .text("reader", \.reader, "the method of `Strata.Row` that reads it"),
            .optional("offset", \.offset, "the number of columns before it; absent if there are none"),
        ]
    }

    /// Another primary key that can be converted to this one.
    struct Source: TemplateValues {
        let source: String
        let tag: String
        let type: String
        let entity: String

        static let fields: [TemplateField<Self>] = [
            .text("source", \.source, "the other primary key"),
            .text("tag", \.tag, "as in `raw`"),
            .text("type", \.type, "as in `raw`"),
            .text("entity", \.entity, "the name of the other entity"),
        ]
    }

    let name: String
    let entity: String
    let raw: Raw?
    let members: Members?
    let sources: [Source]

    static let fields: [TemplateField<Self>] = [
        .text("name", \.name, "the name of the type"),
        .text("entity", \.entity, "the name of the entity in the description"),
        .object("raw", \.raw, "a primary key with one value"),
        .object("members", \.members, "a primary key with several values"),
        .list("sources", \.sources, "the primary keys that can be converted to this one"),
    ]
}

extension Generator {
    /// Returns a type of an entity's primary key.
    func keyType(_ shape: KeyShape, _ lineage: EntityLineage) -> KeyType {
        let version = history.versions[shape.last]
        var (raw, members): (KeyType.Raw?, KeyType.Members?) = (nil, nil)
        var sources: [KeyType.Source] = []
        switch shape.form {
        case .raw(let scalar):
            let type = names.external(scalar.facts.swift)
            raw = .init(type: type, tag: shape.tag)
            sources = shape.sources.map { source in
                .init(
                    source: names.id(source, in: version), tag: shape.tag, type: type,
                    entity: version.entity(source)?.name ?? "")
            }
        case .members(let list):
            var column = 0
            let values = list.map { member -> KeyType.Member in
                let type = member.target.map { names.id($0, in: version) }
                let facts = (member.parts.first?.type ?? .int).facts
                defer { column += member.parts.count }
                return KeyType.Member(
                    member: SwiftName.escaped(member.name),
                    declaration: names.parameter(member.name).declared,
                    parameter: names.parameter(member.name).name,
                    type: type ?? names.external(facts.swift),
                    codingKey: SwiftLiteral.string(member.description),
                    reader: type == nil ? facts.reader.lowercased() : "id",
                    offset: column == 0 ? nil : String(column))
            }
            members = .init(count: column, list: values)
        }
        return KeyType(
            name: shape.name, entity: version.entity(lineage)?.name ?? "", raw: raw, members: members,
            sources: sources)
    }
}
