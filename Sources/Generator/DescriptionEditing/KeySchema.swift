import Descriptions
import JSONText
import SchemaModel
import SQLSchema

/// The values that a key accepts, as a JSON Schema (draft-07), and its documentation in editors.
struct KeySchema {
    let key: String
    package let schema: JSONOutput
    let summary: String

    init(_ key: String, _ schema: JSONOutput, _ summary: String) {
        self.key = key
        self.schema = schema
        self.summary = summary
    }
}

extension KeyTable {
    /// The keys of this kind of object, in the order in which `strata format` writes them.
    var schemas: [KeySchema] {
        switch owner {
        case Self.entity.owner: Self.entitySchemas
        case Self.property.owner: Self.propertySchemas
        case Self.index.owner: Self.indexSchemas
        case Self.check.owner: Self.checkSchemas
        case Self.search.owner: Self.searchSchemas
        case Self.subtype.owner: Self.subtypeSchemas
        case Self.subtypeCase.owner: Self.caseSchemas
        case Self.option.owner: Self.optionSchemas
        case Self.member.owner: Self.memberSchemas
        case Self.item.owner: Self.itemSchemas
        case Self.identifier.owner: Self.identifierSchemas
        case Self.relationship.owner: Self.relationshipSchemas
        default: ConfigurationReader.schemas
        }
    }

    private static let name = KeySchema("name", .string, "The name. A rename needs previous_name in version_history.")
    private static let documentation = KeySchema("description", .string, "The documentation comment in Swift.")
    private static let history = KeySchema(
        "version_history", .array(of: .reference("item")), "The versions that changed something, oldest first.")
    private static let added = KeySchema("added_at_version", .version, "The version in which this is new.")
    private static let removed = KeySchema("removed_at_version", .version, "The version that no longer has this.")
    private static let discarded = KeySchema("discard", .bool, "Whether the migration deletes the data.")
    private static let former = KeySchema(
        "previous_name", .string, "The former name. With it, added_at_version is the version of the rename.")
    private static let unused = KeySchema("unused", .bool, "Whether a store does not need this any more.")
    private static let type = KeySchema(
        "property_type", .type(isMember: false), "The type: a scalar, a subtype, a list like [int], or a relationship.")
    private static let memberType = KeySchema("property_type", .type(isMember: true), "The type.")
    private static let nullable = KeySchema("nullable", .bool, "Whether the column allows NULL.")
    private static let defaultValue = KeySchema("default_value", .anything, "The default value.")
    private static let schemaKey = KeySchema("$schema", .anything, "The JSON Schema of this file, for editors.")

    private static let entitySchemas = [
        schemaKey, name, KeySchema("persisted_name", .string, "The name of the table."), documentation,
        KeySchema("persist", .bool, "Whether the entity has a table."), added, removed, discarded,
        KeySchema("merged_into", .string, "The entity that takes over the rows of this removed one."), former, history,
        KeySchema("identifier", .reference("identifier"), "The primary key."),
        KeySchema("properties", .array(of: .reference("property")), "The properties and relationships."),
        KeySchema("indexes", .array(of: .reference("index")), "Indexes on several properties."),
        KeySchema("checks", .array(of: .reference("check")), "Conditions that every row satisfies."),
        KeySchema("search", .reference("search"), "The properties whose texts can be searched."),
        KeySchema(
            "distribution", .string,
            "The property by whose values Citus distributes the rows, or reference or local."),
    ]

    private static let propertySchemas = [
        name,
        KeySchema(
            "persisted_name", .any(of: [.string, .strings]),
            "The name of the column; several for a relationship to a composite key."),
        documentation, type,
        KeySchema("stored", .bool, "Whether this side has the column or the join table."),
        KeySchema("ordered", .bool, "Whether a to_many relationship keeps an order."),
        KeySchema("duplicates", .bool, "Whether a to_many relationship may contain a row several times."),
        KeySchema(
            "on_delete", .choice(Relationship.DeleteRule.allCases.map(\.rawValue)),
            "The effect on this row when the other one is deleted."),
        nullable, KeySchema("lazy", .bool, "The same as nullable, in Lucid."), defaultValue,
        KeySchema("unique", .bool, "Whether no two rows may have the same value."),
        KeySchema("indexed", .bool, "Whether the column has an index."),
        KeySchema("collation", .choice(Collation.allCases.map(\.rawValue)), "How texts are compared."),
        KeySchema("computed", .string, "The value in SQL, which SQLite computes from other properties."),
        KeySchema("minimum", .anything, "The least value."), KeySchema("maximum", .anything, "The greatest value."),
        KeySchema("min_length", .integer, "The least length, in Unicode scalars or bytes."),
        KeySchema("max_length", .integer, "The greatest length, in Unicode scalars or bytes."),
        KeySchema("pattern", .string, "The pattern of the text: * is any text, ? one character, [a-z] one of these."),
        KeySchema("one_of", .array(of: .anything), "The only allowed values."),
        unused, added, removed, discarded, former, history,
    ]

    private static let indexSchemas = [
        KeySchema(
            "properties", .strings,
            "The names of the properties, most significant first. `date desc` is in descending order."),
        KeySchema("unique", .bool, "Whether no two rows may have the same values."),
        KeySchema(
            "where", .any(of: [.object, .string]),
            "The condition of a partial index: the values of properties, or SQL."), added, removed, discarded,
        history,
    ]

    private static let checkSchemas = [
        KeySchema("name", .string, "The name, which the error of a violation contains."),
        KeySchema("where", .any(of: [.object, .string]), "The condition: the values of properties, or SQL."), added,
        removed, former, history,
    ]

    private static let searchSchemas = [
        KeySchema("properties", .strings, "The names of the properties."),
        KeySchema("tokenizer", .choice(SearchTokenizer.allCases.map(\.rawValue)), "How texts are divided into words."),
    ]

    private static let subtypeSchemas = [
        schemaKey, name, documentation, added, removed, former, history,
        KeySchema("cases", .array(of: .element("case")), "The cases of an enum."),
        KeySchema("unused_cases", .array(of: .element("case")), "Cases that only old rows have."),
        KeySchema("options", .array(of: .element("option")), "The options of an option set."),
        KeySchema("unused_options", .array(of: .element("option")), "Options that only old rows have."),
        KeySchema("properties", .array(of: .reference("member")), "The properties of a struct."),
    ]

    private static let caseSchemas = [
        name, KeySchema("value", .string, "The text in the database; the default is the name."), documentation, unused,
        KeySchema("replaced_by", .string, "The case that replaces this removed one."), added, removed, former, history,
    ]

    private static let optionSchemas = [
        name, KeySchema("bit", .integer, "The number of the bit; the default is the next one."), documentation, unused,
        added, removed, discarded, former, history,
    ]

    private static let memberSchemas = [
        name, documentation, memberType, nullable, defaultValue, unused, added, removed, discarded, former, history,
    ]

    private static let itemSchemas = [
        KeySchema("version", .version, "The version."),
        KeySchema("previous_name", .string, "The name before this version."),
        KeySchema("previous", .object, "The values of other keys before this version."),
        KeySchema("fill", .anything, "The value of existing rows."),
        KeySchema("fill_from", .string, "The property whose value existing rows get."),
        KeySchema("rows", .choice(["discard"]), "discard: the step deletes all rows of the entity."),
        KeySchema("migration", .choice(["custom", "columns"]), "Asks for a custom migration."),
        KeySchema("ignore_migration_checks", .bool, "Excludes this from the generated tests of the step."),
        KeySchema(
            "ignore_property_migration_checks_on", .strings, "Excludes properties from the generated tests of the step."
        ),
    ]

    private static let identifierSchemas = [
        // Both "int" and "Int" are accepted.
        KeySchema(
            "type",
            .any(of: [.choice(Identifier.Kind.allCases.map(\.rawValue) + ["property", "properties"]), .string]),
            "The type of the primary key."),
        KeySchema("name", .string, "The name of the column; the default is id."),
        KeySchema("property", .string, "The property that is the primary key."),
        KeySchema("properties", .strings, "The properties that are the primary key."),
        KeySchema(
            "derived_from_relationships", .strings, "The entities whose primary keys can be converted to this one."),
    ]

    private static let relationshipSchemas = [
        KeySchema("entity_name", .string, "The entity at the other end."),
        KeySchema(
            "association",
            .choice(
                Relationship.Association.allCases.map(\.rawValue)
                    + ["one_to_one", "many_to_one", "one_to_many", "many_to_many"]),
            "to_one: one row; to_many: any number of rows."),
        KeySchema("inverse", .string, "The relationship of the target that points back."),
    ]
}

extension ConfigurationReader {
    /// The keys of `strata.json`, in the order in which `strata format` writes them.
    static let schemas = [
        KeySchema("$schema", .anything, "The JSON Schema of this file, for editors."),
        KeySchema("schema", .string, "The name of the schema's type; the default is AppSchema for the target App."),
        KeySchema("mode", .choice(["committed", "build"]), "Whether the generated sources are committed."),
        KeySchema(
            "tests", .any(of: [.string, .strings]), "The test targets; the default is AppTests for the target App."),
        KeySchema("access", .choice(["public", "package", "internal"]), "The access level of the generated code."),
        KeySchema(
            "codable", .any(of: [.bool, .choice(["description_names"])]), "Whether the newest structs are Codable."),
        KeySchema("structs", .choice(["all", "needed"]), "The versions that get structs."),
        KeySchema(
            "qualified_names", .bool, "Whether the generated code writes the modules of all types: Swift.String."),
        KeySchema("ddl", .choice(["all", "newest"]), "The versions whose tables are written as SQL."),
        KeySchema(
            "dialects", .array(of: .choice(["sqlite", "postgresql"])),
            "The databases for which SQL is generated; the default is sqlite alone."),
        KeySchema(
            "lint", .array(of: .any(of: [.choice(LintProfile.allCases.map(\.rawValue)), .object])),
            "The target environments whose rules the model has to obey."),
        KeySchema("document", .bool, "Whether generate writes Schema.html and SCHEMA.md."),
        KeySchema("templates", .string, "The folder of templates that replace those of Strata."),
        KeySchema("versions", .array(of: .any(of: [.version, .reference("entry")])), "All versions, oldest first."),
        KeySchema("current_version", .version, "The version up to which everything is generated and released."),
        KeySchema("oldest_supported_version", .version, "The oldest version that stores are migrated from."),
        KeySchema(
            "chain", .map(to: .any(of: [.version, .array(of: .version)])),
            "The version to which stores of a version migrate, if it is not the next one, or several to choose from."),
        KeySchema("imported", .object, "The library that the model came from."),
    ]

    /// The keys of an entry of `versions`.
    static let entrySchemas = [
        KeySchema("version", .version, "The version."),
        KeySchema("was", .string, "Its name in the library that the model came from."),
    ]
}

// MARK: JSON Schema

extension JSONOutput {
    fileprivate static let string = schema("string")
    fileprivate static let bool = schema("boolean")
    fileprivate static let integer = schema("integer")
    fileprivate static let object = schema("object")
    fileprivate static let anything = JSONOutput.object([])
    fileprivate static let strings = array(of: .string)
    fileprivate static let version = JSONOutput.object([
        .init("type", .string("string")), .init("pattern", .string("^[0-9]+(\\.[0-9]+)*(-beta\\.[0-9]+)?$")),
    ])

    private static func schema(_ type: String) -> JSONOutput { .object([.init("type", .string(type))]) }

    fileprivate static func choice(_ values: [String]) -> JSONOutput {
        .object([.init("enum", .array(values.map { .string($0) }))])
    }

    fileprivate static func array(of element: JSONOutput) -> JSONOutput {
        .object([.init("type", .string("array")), .init("items", element)])
    }

    fileprivate static func map(to value: JSONOutput) -> JSONOutput {
        .object([.init("type", .string("object")), .init("additionalProperties", value)])
    }

    static func any(of schemas: [JSONOutput]) -> JSONOutput { .object([.init("anyOf", .array(schemas))]) }

    static func reference(_ name: String) -> JSONOutput {
        .object([.init("$ref", .string("#/definitions/\(name)"))])
    }

    /// An element that may be only its name.
    fileprivate static func element(_ name: String) -> JSONOutput { any(of: [.string, reference(name)]) }

    /// The type of a property. Names of subtypes, and types in upper case, are strings too.
    fileprivate static func type(isMember: Bool) -> JSONOutput {
        let names = ScalarType.allCases.map(\.rawValue)
        let known = choice(names + names.map { "[\($0)]" })
        return any(of: [known, .string] + (isMember ? [] : [reference("relationship")]))
    }
}
