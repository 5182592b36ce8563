import JSONText
import SQLSchema

/// An entity that is not stored. Relationships to it store its primary keys as values.
package struct UnpersistedEntity: Sendable {
    /// The base name of its file.
    let baseName: String
    let name: String?
    /// The type of its primary key.
    package let key: ScalarType

    /// Reads a description; nil if it is wrong.
    package init?(reading file: SourceFile) {
        guard let json = try? file.json(), case .object(let members) = json.value else { return nil }
        let values = members.map { (KeyTable.entity.canonical($0.key), $0.value) }
        self.init(reading: Dictionary(values, uniquingKeysWith: { first, _ in first }), of: file)
    }

    /// Reads the members of a description.
    init(reading values: [String: JSON], of file: SourceFile) {
        baseName = file.baseName
        name = values["name"]?.text
        func member(_ key: String, of json: JSON?) -> String? {
            guard case .object(let members)? = json?.value else { return nil }
            return members.first { KeyTable.identifier.canonical($0.key) == key }?.value.text
        }
        var type = member("type", of: values["identifier"])
        if let property = member("property", of: values["identifier"]),
            case .array(let properties)? = values["properties"]?.value
        {
            let described = properties.first { member("name", of: $0) == property }
            guard case .object(let members)? = described?.value else {
                key = .string
                return
            }
            type = members.first { KeyTable.property.canonical($0.key) == "property_type" }?.value.text
        }
        key = type.map { ScalarType(description: $0) ?? .string } ?? .int
    }
}
