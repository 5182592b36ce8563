import JSONText
import SchemaModel
import SQLSchema

extension ElementDecoder {
    /// Decodes the properties of an entity that can be searched; nil if there are none.
    mutating func search(_ fields: Fields, of entity: EntityLineage) -> TextSearch<ElementLineage>? {
        guard let field = fields.field("search") else { return nil }
        let (json, file) = (field.json, fields.file)
        guard case .object(let members) = json.value else {
            let expected = "an object like {\"properties\": [\"title\"]}"
            reader.report(.wrongKind(key: "search", expected: expected, found: json.kind), file, json.offset)
            return nil
        }
        let values = Dictionary(members.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first })
        guard let list = values["properties"] else {
            reader.report(.missingKey("properties", of: "a search"), file, json.offset)
            return nil
        }
        guard let names = reader.array(list, key: "properties", expected: "an array of names", file) else { return nil }
        if names.isEmpty { reader.report(.indexOfNothing, file, list.offset) }
        var search = TextSearch<ElementLineage>([])
        for name in names {
            guard let property = property(named: name, key: "properties", of: entity, at: field.moment) else {
                return nil
            }
            if search.columns.contains(property) {
                let problem = Problem.keyDoesNotApply(name.text ?? "", because: "the search already contains it")
                reader.report(problem, file, name.offset)
            } else {
                search.columns.append(property)
            }
        }
        if let tokenizer = values["tokenizer"], !tokenizer.isNull {
            search.tokenizer = reader.choice(tokenizer, key: "tokenizer", file) ?? .unicode61
        }
        return search
    }
}
