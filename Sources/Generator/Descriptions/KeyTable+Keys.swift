import SchemaModel
import SQLSchema

/// All keys: the reader, `strata format`, the JSON Schemas and the reference use these tables.
extension KeyTable {
    static let entityKeys: [Key] = [
        Key(
            "$schema", .other, .anything,
            "the JSON Schema of the file, for editors: see <doc:TeamWorkflow>",
            default: "none", history: "one value"),
        Key(
            "name", .field, .string,
            "string, the name of the entity",
            default: "required", history: "`previous_name`", cost: "none: the table is renamed"),
        Key(
            "persisted_name", .field, .string,
            "string, the name of the table",
            default: "`name`", history: "previous", cost: "none: the table is renamed"),
        Key(
            "description", .other, .string,
            "string, the documentation comment of the struct",
            default: "none", history: "one value", cost: "none"),
        Key(
            "persist", .other, .bool,
            "bool; `false`: the entity has no table and no struct",
            default: "`true`", history: "one value"),
        Key(
            "added_at_version", .other, .version,
            "version in which the entity is new. A first item with only `version` says the same",
            default: "the first version", history: "one value", cost: "none: a new table"),
        Key(
            "removed_at_version", .other, .version,
            "version in which the entity no longer exists",
            default: "none", history: "one value", cost: "none with `discard`, otherwise custom"),
        Key(
            "discard", .other, .bool,
            "bool; `true`: the migration to `removed_at_version` deletes the data. A custom migration can "
                + "read it before",
            default: "`false`", history: "one value"),
        Key(
            "merged_into", .other, .string,
            "name of another entity. Your `migrate` gets each row of the removed entity and returns a row of "
                + "that one",
            default: "none", history: "one value", cost: "custom"),
        Key(
            "previous_name", .other, .string,
            #"string: a short form of Lucid. With `"added_at_version": "2.0"`, the entity is renamed in 2.0, "#
                + "not new",
            default: "none", cost: "see `name`"),
        Key(
            "version_history", .other, .array(of: .reference("item")),
            "array of items: see *Versions*",
            default: "`[]`: the entity exists in all versions"),
        Key(
            "identifier", .field, .reference("identifier"),
            "object, the primary key: see *Identifiers*",
            default: "required", history: "previous", cost: "custom"),
        Key(
            "properties", .other, .array(of: .reference("property")),
            "array of properties",
            default: "`[]`", history: "each property has a history", cost: "see *Properties*"),
        Key(
            "indexes", .other, .array(of: .reference("index")),
            "array of indexes",
            default: "`[]`", history: "each index has a history", cost: "none: the index is created or dropped"),
        Key(
            "checks", .other, .array(of: .reference("check")),
            "array of conditions that every row satisfies: see *Checks*",
            default: "`[]`",
            history: "each check has a history",
            cost: "rebuild when removed, otherwise custom if rows may violate it"),
        Key(
            "search", .field, .reference("search"),
            "object, the properties whose texts can be searched: see *Search*",
            default: "none", history: "previous", cost: "none: the index of the words is kept, or filled again"),
        Key(
            "distribution", .field, .string,
            "string, how Citus places the rows on servers: see <doc:Server>",
            default: "none", history: "previous", cost: "none: stores do not depend on it"),
    ]

    static let propertyKeys: [Key] = [
        Key(
            "name", .field, .string,
            "string",
            default: "required", history: "`previous_name`", cost: "none: the column is renamed"),
        Key(
            "persisted_name", .field, .any(of: [.string, .strings]),
            "string, the name of the column. If the target of a relationship has a primary key of several "
                + "columns: an array of names, in the order of that key",
            default: "`name`", history: "previous", cost: "none: the column is renamed"),
        Key(
            "description", .other, .string,
            "string, the documentation comment",
            default: "none", history: "one value", cost: "none"),
        Key(
            "property_type", .field, .type(isMember: false),
            "a type: see *Types* and *Relationships*",
            default: "required", history: "previous", cost: "rebuild if inferred, otherwise custom"),
        Key(
            "stored", .field, .bool,
            "bool; `true`: the column or the join table belongs to this side of the relationship: see "
                + "*Relationships*",
            default: "`false`", history: "previous", cost: "custom"),
        Key(
            "ordered", .field, .bool,
            "bool; a to-many relationship keeps its order: see *Relationships*",
            default: "`false`", history: "previous", cost: "none when added; when removed, SQLite rewrites the rows"),
        Key(
            "duplicates", .field, .bool,
            "bool; a to-many relationship may contain a row several times, like a playlist: see *Relationships*",
            default: "`false`", history: "previous", cost: "rebuild; a change to `false` is custom"),
        Key(
            "on_delete", .field, .choice(Relationship.DeleteRule.allCases.map(\.rawValue)),
            "delete rule: see *Relationships*",
            default: #"`"nullify"` if the property is nullable, otherwise `"deny"`"#,
            history: "previous",
            cost: "rebuild"),
        Key(
            "nullable", .field, .bool,
            "bool; `true`: the column allows NULL, and the Swift type is optional",
            default: "`false`",
            history: "previous",
            cost: "rebuild; a change to `false` needs a default value or a backfill value"),
        Key(
            "lazy", .field, .bool,
            "bool; a key of Lucid with the same meaning as `nullable`",
            default: "`false`", history: "previous", cost: "as `nullable`"),
        Key(
            "default_value", .field, .anything,
            "a value of the type: see *Types*",
            default: "none", history: "previous", cost: "rebuild"),
        Key(
            "unique", .field, .bool,
            "bool; no two rows have the same value",
            default: "`false`", history: "previous", cost: "custom when added, none when removed"),
        Key(
            "indexed", .field, .bool,
            "bool; the column has an index",
            default: "`false`", history: "previous", cost: "none: the index is created or dropped"),
        Key(
            "collation", .field, .choice(Collation.allCases.map(\.rawValue)),
            #"`"nocase"` ignores the case of the letters A to Z; `"rtrim"` ignores spaces at the end"#,
            default: "none: texts are compared byte by byte", history: "previous", cost: "rebuild"),
        Key(
            "computed", .field, .string,
            "string, the value in SQL, which SQLite computes from other properties: see *Computed properties*",
            default: "none: the rows store the values", history: "previous", cost: "none"),
        Key(
            "minimum", .field, .anything,
            "the least value of an `int`, `double`, `float`, `date`, `seconds` or `milliseconds`",
            default: "none", history: "previous", cost: "rebuild if wider, or with a backfill value; otherwise custom"),
        Key(
            "maximum", .field, .anything,
            "the greatest value of an `int`, `double`, `float`, `date`, `seconds` or `milliseconds`",
            default: "none", history: "previous", cost: "rebuild if wider, or with a backfill value; otherwise custom"),
        Key(
            "min_length", .field, .integer,
            "the least length: of a `string` or `url` in Unicode scalars, of `data` in bytes",
            default: "none", history: "previous", cost: "as `minimum`"),
        Key(
            "max_length", .field, .integer,
            "the greatest length: of a `string` or `url` in Unicode scalars, of `data` in bytes",
            default: "none", history: "previous", cost: "as `minimum`"),
        Key(
            "pattern", .field, .string,
            "the pattern of a `string` or `url`: `*` is any text, `?` one character, `[a-z]` one of these, "
                + "`[^0-9]` one of the others",
            default: "none", history: "previous", cost: "as `minimum`"),
        Key(
            "one_of", .field, .array(of: .anything),
            "array of the only allowed values of a scalar, at most 200",
            default: "all values", history: "previous", cost: "as `minimum`"),
        Key(
            "unused", .other, .bool,
            "bool; `true`: the property has no column and no Swift property",
            default: "`false`", history: "one value"),
        Key(
            "added_at_version", .other, .version,
            "version in which the property is new. A first item with only `version` says the same",
            default: "the first version of the entity",
            history: "one value",
            cost:
                "none if nullable without a default value, or if the default value is neither a floating-point number nor a date; "
                + "rebuild with any other default value or a backfill value; otherwise custom"),
        Key(
            "removed_at_version", .other, .version,
            "version in which the property no longer exists",
            default: "none", history: "one value", cost: "rebuild with `discard`, otherwise custom"),
        Key(
            "discard", .other, .bool,
            "bool; `true`: the migration to `removed_at_version` deletes the values. A custom migration can "
                + "read them before",
            default: "`false`", history: "one value"),
        Key(
            "previous_name", .other, .string,
            #"string: a short form of Lucid. With `"added_at_version": "2.0"`, the property is renamed in 2.0, "#
                + "not new",
            default: "none", cost: "see `name`"),
        Key(
            "version_history", .other, .array(of: .reference("item")),
            "array of items: see *Versions*",
            default: "`[]`: the property exists as long as the entity"),
    ]

    static let relationshipKeys: [Key] = [
        Key(
            "entity_name", .field, .string,
            "the name of the target",
            default: "required"),
        Key(
            "association", .field,
            .choice(
                Relationship.Association.allCases.map(\.rawValue) + [
                    "one_to_one", "many_to_one", "one_to_many", "many_to_many",
                ]),
            #"`"to_one"` or `"to_many"`"#,
            default: "required"),
        Key(
            "inverse", .field, .string,
            "the name of the relationship in the target that points back. Its `inverse` must be the name of "
                + "this one",
            default: "none"),
    ]

    static let identifierKeys: [Key] = [
        Key(
            "type", .field,
            .any(of: [.choice(Identifier.Kind.allCases.map(\.rawValue) + ["property", "properties"]), .string]),
            #"`"int"`, `"string"` or `"uuid"`: a column for the key alone. `"property"`: one property is the "#
                + #"key. `"properties"`: several are"#,
            default: "required"),
        Key(
            "name", .field, .string,
            "the name of that column",
            default: #"`"id"`"#),
        Key(
            "property", .field, .string,
            #"the property that is the key, with `"type": "property"`"#),
        Key(
            "properties", .field, .strings,
            #"the properties that are the key, in order, with `"type": "properties"`; required to-one "#
                + "relationships are allowed"),
        Key(
            "derived_from_relationships", .field, .strings,
            "array of names of entities. The generated type `ID` has an initializer for the `ID` of each of them",
            default: "none"),
    ]

    static let indexKeys: [Key] = [
        Key(
            "properties", .field, .strings,
            "array of names of properties, in order; `date desc` sorts in descending order",
            default: "required", history: "previous"),
        Key(
            "unique", .field, .bool,
            "bool; no two rows of the index have the same values",
            default: "`false`", history: "previous"),
        Key(
            "where", .field, .any(of: [.object, .string]),
            "the condition of a partial index: an object with the values of properties, or a text",
            default: "all rows", history: "previous"),
        added("index", to: "entity", history: "one value"),
        removed("index", history: "one value"),
        Key(
            "discard", .other, .bool,
            "accepted and without effect: an index has no data"),
        items("the index exists as long as the entity"),
    ]

    static let checkKeys: [Key] = [
        Key(
            "name", .field, .string,
            "string, the name of the constraint",
            default: "required", history: "`previous_name`"),
        Key(
            "where", .field, .any(of: [.object, .string]),
            "the condition, as for an index: an object with the values of properties, or a text",
            default: "required", history: "previous"),
        added("check", to: "entity", history: "one value"),
        removed("check", history: "one value"),
        Key(
            "previous_name", .other, .string,
            #"string: a short form. With `"added_at_version": "2.0"`, the check is renamed in 2.0, not new"#,
            default: "none"),
        items("the check exists as long as the entity"),
    ]

    static let searchKeys: [Key] = [
        Key(
            "properties", .field, .strings,
            "array of names of properties of the types `string`, `url` or `[string]`",
            default: "required"),
        Key(
            "tokenizer", .field, .choice(SearchTokenizer.allCases.map(\.rawValue)),
            #"`unicode61`: words, without case and diacritics. `porter`: the same, and "swimming" finds "#
                + #""swims" in English. `trigram`: each three characters, so that a part of a word is found too"#,
            default: "`unicode61`"),
    ]

    static let subtypeKeys: [Key] = [
        Key(
            "$schema", .other, .anything,
            "the JSON Schema of the file, for editors: see <doc:TeamWorkflow>"),
        Key(
            "name", .field, .string,
            "the name of the subtype",
            default: "required"),
        documentation,
        Key(
            "added_at_version", .other, .version,
            "version in which the subtype is new. It is required if you add the subtype after the first release",
            default: "the first version"),
        removed("subtype"),
        previousName,
        items("the subtype exists in all versions"),
        Key(
            "cases", .other, .array(of: .element("case")),
            "array of cases: an enum, stored as text"),
        Key(
            "unused_cases", .other, .array(of: .element("case")),
            "array of cases that old rows can have. Their documentation comments say that new rows do not use them",
            default: "`[]`"),
        Key(
            "options", .other, .array(of: .element("option")),
            "array of options: an `OptionSet`, stored as a number"),
        Key(
            "unused_options", .other, .array(of: .element("option")),
            "array of options that old rows can have",
            default: "`[]`"),
        Key(
            "properties", .other, .array(of: .reference("member")),
            "array of properties of a struct, stored as JSON"),
    ]

    static let subtypeCaseKeys: [Key] = [
        Key(
            "name", .field, .string,
            "the name of the case",
            default: "required"),
        Key(
            "value", .field, .string,
            "the stored text. Without it, renaming the case rewrites the rows",
            default: "`name`"),
        documentation,
        Key(
            "unused", .other, .bool,
            "bool; `true`: the same as a case in `unused_cases`",
            default: "`false`"),
        Key(
            "replaced_by", .other, .string,
            "the case that rows get when this one is removed",
            default: "none: the removal needs a custom migration"),
        added("case", to: "subtype"),
        removed("case"),
        previousName,
        items("the case exists as long as the subtype"),
    ]

    static let optionKeys: [Key] = [
        Key(
            "name", .field, .string,
            "the name of the option",
            default: "required"),
        Key(
            "bit", .field, .integer,
            "a number from 0 to 62. Do not use the bit of a removed option again",
            default: "the next bit; the first option has bit 0"),
        documentation,
        Key(
            "unused", .other, .bool,
            "bool; `true`: the same as an option in `unused_options`",
            default: "`false`"),
        added("option", to: "subtype"),
        removed("option"),
        Key(
            "discard", .other, .bool,
            "bool; `true` clears the bit in all rows when the option is removed",
            default: "`false`: the removal needs a custom migration"),
        previousName,
        items("the option exists as long as the subtype"),
    ]

    static let memberKeys: [Key] = [
        Key(
            "name", .field, .string,
            "the name of the property and its key in the JSON",
            default: "required"),
        documentation,
        Key(
            "property_type", .field, .type(isMember: true),
            "a type or a list, not a relationship",
            default: "required"),
        Key(
            "nullable", .field, .bool,
            "bool",
            default: "`false`"),
        Key(
            "default_value", .field, .anything,
            "a value of the type. Existing rows get it too: a struct has no `fill`",
            default: "none"),
        Key(
            "unused", .other, .bool,
            "bool; `true`: the JSON and the struct do not contain the property",
            default: "`false`"),
        added("property", to: "subtype"),
        removed("property"),
        Key(
            "discard", .other, .bool,
            "bool; `true` deletes the values of a removed property",
            default: "`false`: the removal needs a custom migration"),
        previousName,
        items("the property exists as long as the subtype"),
    ]

    static let itemKeys: [Key] = [
        Key(
            "version", .other, .version,
            "the version of the item; required. A first item without other keys, or with `fill` or "
                + "`fill_from` only, says that the element is new in this version. A later item without other keys "
                + "has no effect"),
        Key(
            "previous_name", .other, .string,
            "the former name"),
        Key(
            "previous", .other, .object,
            "object with the former values of any keys; `null` for a key that was absent"),
        Key(
            "fill", .other, .anything,
            "the backfill value: what existing rows get in a property that is new or becomes required, and "
                + "instead of values that violate its new limits"),
        Key(
            "fill_from", .other, .string,
            "the property whose values are the backfill values. Of a new entity: the entity of the version before whose rows "
                + "it gets"),
        Key(
            "rows", .other, .choice(["discard"]),
            #"only for entities. `"discard"`: all rows are deleted in this step. Use it for caches"#),
        Key(
            "migration", .other, .choice(["custom", "columns"]),
            #"`"custom"`: you write the migration, although Strata could infer it. `"columns"`, only for "#
                + "entities: your migration reads and returns single columns. It is not possible if the primary key "
                + "changes. See <doc:CustomMigrations>"),
        Key(
            "ignore_migration_checks", .other, .bool,
            "bool; `true`: the generated tests do not compare the values of this element in this step"),
        Key(
            "ignore_property_migration_checks_on", .other, .strings,
            "only for entities. An array of names of properties: the same for these properties"),
    ]

    static let configurationKeys: [Key] = [
        Key(
            "$schema", .field, .anything,
            "the JSON Schema of the file, for editors: see <doc:TeamWorkflow>",
            default: "none"),
        Key(
            "schema", .field, .string,
            "the name of the schema's type",
            default: "`AppSchema` for the target `App`"),
        Key(
            "mode", .field, .choice(["committed", "build"]),
            #"`"committed"` or `"build"`: see *Modes*"#,
            default: #"`"committed"`"#),
        Key(
            "tests", .field, .any(of: [.string, .strings]),
            "the name of the test target, or an array of them. Each has its own samples, fixtures and "
                + "expectations; the fixtures of the first are sealed",
            default: "`AppTests` for the target `App`"),
        Key(
            "samples", .field, .any(of: [.string, .strings]),
            "the name of another target, or an array of them, that gets `AppSchema.sample` and no generated tests",
            default: "none"),
        Key(
            "access", .field, .choice(["public", "package", "internal"]),
            #"`"public"`, `"package"` or `"internal"`: the access level of the generated code"#,
            default: #"`"public"`"#),
        Key(
            "codable", .field, .any(of: [.bool, .choice(["description_names"])]),
            #"`true`: the newest structs and all subtypes are `Codable`. `"description_names"`: with the names "#
                + "of the descriptions as keys. A property that is absent gets its default value",
            default: "`false`"),
        Key(
            "structs", .field, .choice(["all", "needed"]),
            #"`"all"`: a struct for every version of every entity. `"needed"`: only the newest structs and "#
                + "those at both ends of a custom migration",
            default: #"`"all"`"#),
        Key(
            "qualified_names", .field, .bool,
            "`true`: the generated code names types of other modules with their modules, as `Swift.String`. "
                + "For a target that declares a type of such a name",
            default: "`false`; a name that the model hides always has its module"),
        Key(
            "lucid", .field, .bool,
            "whether keys that mean something else in Lucid have Lucid's meaning: see <doc:ComingFromLucid>",
            default: "undecided: `generate` stops at the first such key"),
        Key(
            "ddl", .field, .choice(["all", "newest"]),
            #"`"all"`: `SQL` has the tables of every version. `"newest"`: it has the tables of the newest "#
                + "version only",
            default: #"`"all"`"#),
        Key(
            "dialects", .field, .array(of: .choice(["sqlite", "postgresql"])),
            #"array of the databases for which `generate` writes SQL: `"sqlite"`, `"postgresql"`"#,
            default: #"`["sqlite"]`"#),
        Key(
            "lint", .field, .array(of: .any(of: [.choice(LintProfile.allCases.map(\.rawValue)), .object])),
            "array of the target environments whose rules the model has to obey: see *Lint*",
            default: "none"),
        Key(
            "document", .field, .bool,
            "`true`: `generate` also writes `Schema.html` and `SCHEMA.md`: see <doc:SchemaPage>",
            default: "`false`"),
        Key(
            "templates", .field, .string,
            "a folder whose templates replace those of Strata, or add files, relative to the folder of the model: see "
                + "<doc:CustomizingGeneratedCode>",
            default: "none"),
        Key(
            "versions", .field, .array(of: .any(of: [.version, .reference("entry")])),
            "array of all versions, in order: see *Versions*",
            default: "the versions that the descriptions name"),
        Key(
            "current_version", .field, .version,
            "the version up to which everything is generated and released: see *Versions*",
            default: "the newest version"),
        Key(
            "oldest_supported_version", .field, .version,
            "the oldest version that stores are migrated from: see *Versions*",
            default: "the first version"),
        Key(
            "chain", .field, .map(to: .any(of: [.version, .array(of: .version)])),
            "object: which versions stores of a version migrate to: see *Versions*",
            default: "each version migrates to the next one"),
        Key(
            "imported", .field, .object,
            "object: the library that the model came from: see *Imported models*",
            default: "none"),
    ]

    /// The keys of an entry of `versions`.
    package static let entryKeys = [
        Key("version", .other, .version, "the version"),
        Key("was", .other, .string, "its name in the library that the model came from"),
    ]

    // MARK: Keys of several tables

    private static let documentation = Key(
        "description", .other, .string,
        "the documentation comment",
        default: "none")

    private static let previousName = Key(
        "previous_name", .other, .string,
        #"string: a short form of Lucid. With `"added_at_version": "2.0"`, the element is renamed in 2.0, not new"#,
        default: "none")

    private static func added(_ element: String, to owner: String, history: String = "") -> Key {
        Key(
            "added_at_version", .other, .version,
            "version in which the \(element) is new",
            default: "the first version of the \(owner)", history: history)
    }

    private static func removed(_ element: String, history: String = "") -> Key {
        Key(
            "removed_at_version", .other, .version,
            "version in which the \(element) no longer exists",
            default: "none", history: history)
    }

    private static func items(_ life: String) -> Key {
        Key(
            "version_history", .other, .array(of: .reference("item")),
            "array of items",
            default: "`[]`: \(life)")
    }
}
