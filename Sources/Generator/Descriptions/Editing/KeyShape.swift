import JSONText
import SchemaModel
import SQLSchema

/// The values that a key accepts, as a JSON Schema (draft-07), and its documentation in editors.
struct KeyShape {
    let key: String
    let schema: JSONOutput
    let summary: String

    init(_ key: String, _ schema: JSONOutput, _ summary: String) {
        self.key = key
        self.schema = schema
        self.summary = summary
    }
}

extension KeyTable {
    /// The keys of this kind of object, in the order in which `strata format` writes them.
    var shapes: [KeyShape] {
        switch owner {
        case Self.entity.owner: Self.entityShapes
        case Self.property.owner: Self.propertyShapes
        case Self.index.owner: Self.indexShapes
        case Self.check.owner: Self.checkShapes
        case Self.search.owner: Self.searchShapes
        case Self.subtype.owner: Self.subtypeShapes
        case Self.subtypeCase.owner: Self.caseShapes
        case Self.option.owner: Self.optionShapes
        case Self.member.owner: Self.memberShapes
        case Self.item.owner: Self.itemShapes
        case Self.identifier.owner: Self.identifierShapes
        case Self.relationship.owner: Self.relationshipShapes
        default: ConfigurationReader.shapes
        }
    }

    private static let name = KeyShape("name", .string, "The name. A rename needs previous_name in version_history.")
    private static let documentation = KeyShape("description", .string, "The documentation comment in Swift.")
    private static let history = KeyShape(
        "version_history", .array(of: .reference("item")), "The versions that changed something, oldest first.")
    private static let added = KeyShape("added_at_version", .version, "The version in which this is new.")
    private static let removed = KeyShape("removed_at_version", .version, "The version that no longer has this.")
    private static let discarded = KeyShape("discard", .bool, "Whether the migration deletes the data.")
    private static let former = KeyShape(
        "previous_name", .string, "The former name. With it, added_at_version is the version of the rename.")
    private static let unused = KeyShape("unused", .bool, "Whether a store does not need this any more.")
    private static let type = KeyShape(
        "property_type", .type(isMember: false), "The type: a scalar, a subtype, a list like [int], or a relationship.")
    private static let memberType = KeyShape("property_type", .type(isMember: true), "The type.")
    private static let nullable = KeyShape("nullable", .bool, "Whether the column allows NULL.")
    private static let defaultValue = KeyShape("default_value", .anything, "The default value.")
    private static let schemaKey = KeyShape("$schema", .anything, "The JSON Schema of this file, for editors.")

    private static let entityShapes = [
        schemaKey, name, KeyShape("persisted_name", .string, "The name of the table."), documentation,
        KeyShape("persist", .bool, "Whether the entity has a table."), added, removed, discarded,
        KeyShape("merged_into", .string, "The entity that takes over the rows of this removed one."), former, history,
        KeyShape("identifier", .reference("identifier"), "The primary key."),
        KeyShape("properties", .array(of: .reference("property")), "The properties and relationships."),
        KeyShape("indexes", .array(of: .reference("index")), "Indexes on several properties."),
        KeyShape("checks", .array(of: .reference("check")), "Conditions that every row satisfies."),
        KeyShape("search", .reference("search"), "The properties whose texts can be searched."),
        KeyShape(
            "distribution", .string,
            "The property by whose values Citus distributes the rows, or reference or local."),
    ]

    private static let propertyShapes = [
        name,
        KeyShape(
            "persisted_name", .any(of: [.string, .strings]),
            "The name of the column; several for a relationship to a composite key."),
        documentation, type,
        KeyShape("stored", .bool, "Whether this side has the column or the join table."),
        KeyShape("ordered", .bool, "Whether a to_many relationship keeps an order."),
        KeyShape("duplicates", .bool, "Whether a to_many relationship may contain a row several times."),
        KeyShape(
            "on_delete", .choice(Relationship.DeleteRule.allCases.map(\.rawValue)),
            "The effect on this row when the other one is deleted."),
        nullable, KeyShape("lazy", .bool, "The same as nullable, in Lucid."), defaultValue,
        KeyShape("unique", .bool, "Whether no two rows may have the same value."),
        KeyShape("indexed", .bool, "Whether the column has an index."),
        KeyShape("collation", .choice(Collation.allCases.map(\.rawValue)), "How texts are compared."),
        KeyShape("computed", .string, "The value in SQL, which SQLite computes from other properties."),
        KeyShape("minimum", .anything, "The least value."), KeyShape("maximum", .anything, "The greatest value."),
        KeyShape("min_length", .integer, "The least length, in Unicode scalars or bytes."),
        KeyShape("max_length", .integer, "The greatest length, in Unicode scalars or bytes."),
        KeyShape("pattern", .string, "The pattern of the text: * is any text, ? one character, [a-z] one of these."),
        KeyShape("one_of", .array(of: .anything), "The only allowed values."),
        unused, added, removed, discarded, former, history,
    ]

    private static let indexShapes = [
        KeyShape(
            "properties", .strings,
            "The names of the properties, most significant first. `date desc` is in descending order."),
        KeyShape("unique", .bool, "Whether no two rows may have the same values."),
        KeyShape(
            "where", .any(of: [.object, .string]),
            "The condition of a partial index: the values of properties, or SQL."), added, removed, discarded,
        history,
    ]

    private static let checkShapes = [
        KeyShape("name", .string, "The name, which the error of a violation contains."),
        KeyShape("where", .any(of: [.object, .string]), "The condition: the values of properties, or SQL."), added,
        removed, former, history,
    ]

    private static let searchShapes = [
        KeyShape("properties", .strings, "The names of the properties."),
        KeyShape("tokenizer", .choice(SearchTokenizer.allCases.map(\.rawValue)), "How texts are divided into words."),
    ]

    private static let subtypeShapes = [
        schemaKey, name, documentation, added, removed, former, history,
        KeyShape("cases", .array(of: .element("case")), "The cases of an enum."),
        KeyShape("unused_cases", .array(of: .element("case")), "Cases that only old rows have."),
        KeyShape("options", .array(of: .element("option")), "The options of an option set."),
        KeyShape("unused_options", .array(of: .element("option")), "Options that only old rows have."),
        KeyShape("properties", .array(of: .reference("member")), "The properties of a struct."),
    ]

    private static let caseShapes = [
        name, KeyShape("value", .string, "The text in the database; the default is the name."), documentation, unused,
        KeyShape("replaced_by", .string, "The case that replaces this removed one."), added, removed, former, history,
    ]

    private static let optionShapes = [
        name, KeyShape("bit", .integer, "The number of the bit; the default is the next one."), documentation, unused,
        added, removed, discarded, former, history,
    ]

    private static let memberShapes = [
        name, documentation, memberType, nullable, defaultValue, unused, added, removed, discarded, former, history,
    ]

    private static let itemShapes = [
        KeyShape("version", .version, "The version."),
        KeyShape("previous_name", .string, "The name before this version."),
        KeyShape("previous", .object, "The values of other keys before this version."),
        KeyShape("fill", .anything, "The value of existing rows."),
        KeyShape("fill_from", .string, "The property whose value existing rows get."),
        KeyShape("rows", .choice(["discard"]), "discard: the step deletes all rows of the entity."),
        KeyShape("migration", .choice(["custom", "columns"]), "Asks for a custom migration."),
        KeyShape("ignore_migration_checks", .bool, "Excludes this from the generated tests of the step."),
        KeyShape(
            "ignore_property_migration_checks_on", .strings, "Excludes properties from the generated tests of the step."
        ),
    ]

    private static let identifierShapes = [
        // Both "int" and "Int" are accepted.
        KeyShape(
            "type",
            .any(of: [.choice(Identifier.Kind.allCases.map(\.rawValue) + ["property", "properties"]), .string]),
            "The type of the primary key."),
        KeyShape("name", .string, "The name of the column; the default is id."),
        KeyShape("property", .string, "The property that is the primary key."),
        KeyShape("properties", .strings, "The properties that are the primary key."),
        KeyShape(
            "derived_from_relationships", .strings, "The entities whose primary keys can be converted to this one."),
    ]

    private static let relationshipShapes = [
        KeyShape("entity_name", .string, "The entity at the other end."),
        KeyShape(
            "association",
            .choice(
                Relationship.Association.allCases.map(\.rawValue)
                    + ["one_to_one", "many_to_one", "one_to_many", "many_to_many"]),
            "to_one: one row; to_many: any number of rows."),
        KeyShape("inverse", .string, "The relationship of the target that points back."),
    ]
}

extension ConfigurationReader {
    /// The keys of `strata.json`, in the order in which `strata format` writes them.
    static let shapes = [
        KeyShape("$schema", .anything, "The JSON Schema of this file, for editors."),
        KeyShape("schema", .string, "The name of the schema's type; the default is AppSchema for the target App."),
        KeyShape("mode", .choice(["committed", "build"]), "Whether the generated sources are committed."),
        KeyShape(
            "tests", .any(of: [.string, .strings]), "The test targets; the default is AppTests for the target App."),
        KeyShape("access", .choice(["public", "package", "internal"]), "The access level of the generated code."),
        KeyShape(
            "codable", .any(of: [.bool, .choice(["description_names"])]), "Whether the newest structs are Codable."),
        KeyShape("structs", .choice(["all", "needed"]), "The versions that get structs."),
        KeyShape("ddl", .choice(["all", "newest"]), "The versions whose tables are written as SQL."),
        KeyShape(
            "dialects", .array(of: .choice(["sqlite", "postgresql"])),
            "The databases for which SQL is generated; the default is sqlite alone."),
        KeyShape(
            "lint", .array(of: .any(of: [.choice(LintProfile.allCases.map(\.rawValue)), .object])),
            "The target environments whose rules the model has to obey."),
        KeyShape("document", .bool, "Whether generate writes Schema.html and SCHEMA.md."),
        KeyShape("templates", .string, "The folder of templates that replace those of Strata."),
        KeyShape("versions", .array(of: .any(of: [.version, .reference("entry")])), "All versions, oldest first."),
        KeyShape("oldest_supported_version", .version, "The oldest version that stores are migrated from."),
        KeyShape(
            "chain", .map(to: .version), "The version to which stores of a version migrate, if it is not the next one."),
        KeyShape("imported", .object, "The library that the model came from."),
    ]

    /// The keys of an entry of `versions`.
    static let entryShapes = [
        KeyShape("version", .version, "The version."),
        KeyShape("was", .string, "Its name in the library that the model came from."),
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
