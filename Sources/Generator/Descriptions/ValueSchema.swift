import JSONText
import SQLSchema

/// The values that a key accepts, as a JSON Schema (draft-07).
package struct ValueSchema: Sendable {
    package let json: JSONOutput

    private init(_ members: JSONOutput.Member...) { json = .object(members) }

    static let string = type("string")
    static let bool = type("boolean")
    static let integer = type("integer")
    static let object = type("object")
    static let null = type("null")
    static let anything = ValueSchema()
    static let strings = array(of: .string)
    static let version = ValueSchema(
        .init("type", .string("string")), .init("pattern", .string("^[0-9]+(\\.[0-9]+)*(-beta\\.[0-9]+)?$")))

    private static func type(_ name: String) -> ValueSchema { ValueSchema(.init("type", .string(name))) }

    static func choice(_ values: [String]) -> ValueSchema {
        ValueSchema(.init("enum", .array(values.map { .string($0) })))
    }

    static func array(of element: ValueSchema) -> ValueSchema {
        ValueSchema(.init("type", .string("array")), .init("items", element.json))
    }

    static func map(to value: ValueSchema) -> ValueSchema {
        ValueSchema(.init("type", .string("object")), .init("additionalProperties", value.json))
    }

    static func any(of schemas: [ValueSchema]) -> ValueSchema {
        ValueSchema(.init("anyOf", .array(schemas.map(\.json))))
    }

    /// An object that the same schema defines.
    static func reference(_ name: String) -> ValueSchema {
        ValueSchema(.init("$ref", .string("#/definitions/\(name)")))
    }

    /// An element that may be only its name.
    static func element(_ name: String) -> ValueSchema { any(of: [.string, reference(name)]) }

    /// The type of a property. Names of subtypes, and types in upper case, are strings too.
    static func type(isMember: Bool) -> ValueSchema {
        let names = ScalarType.allCases.map(\.rawValue)
        let known = choice(names + names.map { "[\($0)]" })
        return any(of: [known, .string] + (isMember ? [] : [reference("relationship")]))
    }

    /// The schema that also accepts null.
    package var orNull: ValueSchema { .any(of: [self, .null]) }
}
