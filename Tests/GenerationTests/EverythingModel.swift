import SchemaDiff
import SchemaModel
import SQLSchema

/// A model with required and nullable properties of every type, with and without default values, every kind of
/// relationship, and every inferred change. It is the model of the consumer package `Everything`.
enum EverythingModel {
    /// The descriptions, by file name.
    static var files: [String: String] {
        var files = [
            "strata.json":
                #"{ "mode": "build", "codable": "description_names", "samples": "EverythingSupport", "templates": "Templates" }"#
                + "\n"
        ]
        files["Scalars.json"] = scalars
        for kind in Identifier.Kind.allCases { files["\(kind.rawValue.capitalized)Key.json"] = key(kind) }
        files["Conversions.json"] = conversions
        for name in [
            "order", "group", "index", "key", "from", "data", "string", "optional", "result", "context", "outcome",
        ] {
            files["Entity \(name).json"] = entity(
                name,
                [
                    relation("next", name, "to_one", ", \"nullable\": true"),
                    "{ \"name\": \"\(name)\", \"property_type\": \"data\" }",
                ])
        }
        files["Awkward.json"] = awkward
        files["Persisted.json"] = persisted
        files["Indexed.json"] = indexed
        files["Checked.json"] = checked
        files["Computing.json"] = computing
        for (name, text) in grown { files[name] = text }
        for (name, text) in searched { files[name] = text }
        files["Remote.json"] = """
            { "name": "remote", "persist": false, "identifier": { "type": "int" }, "properties": [] }

            """
        for (name, text) in relations { files[name] = text }
        for (name, text) in subtypes { files[name] = text }
        for (name, text) in keys { files[name] = text }
        return files
    }

    private static let literals: [ScalarType: (first: String, second: String)] = [
        .int: ("-7", "9223372036854775807"), .bool: ("true", "false"), .double: ("0.5", "-1e300"), .float: ("0.1", "3"),
        .string: ("\"it's \\\"so\\\" \\\\ \\n\"", "\"\""),
        .url: ("\"https://example.com/?a=b\"", "\"file:///tmp\""), .color: ("\"#00ff00\"", "\"#00FF0080\""),
        .date: ("\"2020-02-29T12:00:00Z\"", "-0.25"), .seconds: ("1.5", "0"), .milliseconds: ("1500", "0"),
        .data: ("\"AAEC/w==\"", "\"\""),
        .uuid: ("\"6BA7B810-9DAD-11D1-80B4-00C04FD430C8\"", "\"00000000-0000-0000-0000-000000000000\""),
        .decimal: ("\"12345678901234567890.123456789\"", "-1"),
    ]

    /// A description of an entity. `birth` is its first version, and `history` are the items after it.
    private static func entity(
        _ name: String, key: String = "{ \"type\": \"int\" }", birth: String = "1.0", history: [String] = [],
        extra: String = "", _ properties: [String]
    ) -> String {
        let items = (["{ \"version\": \"\(birth)\" }"] + history).joined(separator: ", ")
        return """
            {
              "name": "\(name)",
              "version_history": [\(items)],
              "identifier": \(key),\(extra)
              "properties": [
                \(properties.joined(separator: ",\n    "))
              ]
            }

            """
    }

    private static func relation(
        _ name: String, _ target: String, _ association: String, inverse: String? = nil, _ more: String = ""
    ) -> String {
        let back = inverse.map { ", \"inverse\": \"\($0)\"" } ?? ""
        return """
            { "name": "\(name)", "property_type": { "entity_name": "\(target)", "association": "\(association)"\(back) }\(more) }
            """
    }

    /// Every type: required, nullable, and with a default value; new in 2.0 with a default value, with a backfill
    /// value, and nullable; and the changes between nullable and required.
    private static var scalars: String {
        var properties: [String] = []
        for type in ScalarType.allCases {
            let name = type.rawValue
            let (first, second) = literals[type] ?? ("null", "null")
            properties += [
                """
                { "name": "\(name)_value", "property_type": "\(name)" }
                """,
                """
                { "name": "\(name)_optional", "property_type": "\(name)", "nullable": true }
                """,
                """
                { "name": "\(name)_default", "property_type": "\(name)", "default_value": \(first) }
                """,
                """
                { "name": "\(name)_new_default", "property_type": "\(name)", "default_value": \(second), "added_at_version": "2.0" }
                """,
                """
                { "name": "\(name)_new_fill", "property_type": "\(name)",
                  "version_history": [{ "version": "2.0", "fill": \(first) }] }
                """,
                """
                { "name": "\(name)_new_optional", "property_type": "\(name)", "nullable": true, "added_at_version": "2.0" }
                """,
                """
                { "name": "\(name)_loosened", "property_type": "\(name)", "nullable": true,
                  "version_history": [{ "version": "1.0" }, { "version": "2.0", "previous": { "nullable": false } }] }
                """,
                """
                { "name": "\(name)_filled", "property_type": "\(name)",
                  "version_history": [{ "version": "1.0" }, { "version": "2.0", "previous": { "nullable": true }, "fill": \(second) }] }
                """,
                """
                { "name": "\(name)_defaulted", "property_type": "\(name)", "default_value": \(first),
                  "version_history": [{ "version": "1.0" }, { "version": "2.0", "previous": { "nullable": true, "default_value": null } }] }
                """,
                """
                { "name": "\(name)_renamed", "property_type": "\(name)", "default_value": \(second),
                  "version_history": [{ "version": "1.0" },
                    { "version": "2.0", "previous_name": "\(name)_old", "previous": { "default_value": \(first) } }] }
                """,
            ]
        }
        return entity("scalars", properties)
    }

    /// An entity with this kind of primary key, and the relationships to it.
    private static func key(_ kind: Identifier.Kind) -> String {
        entity(
            "\(kind.rawValue)_key", key: "{ \"type\": \"\(kind.rawValue)\", \"name\": \"code\" }",
            [
                "{ \"name\": \"id\", \"property_type\": \"string\", \"nullable\": true }",
                relation("parent", "\(kind.rawValue)_key", "to_one", inverse: "children", ", \"nullable\": true"),
                relation("children", "\(kind.rawValue)_key", "to_many", inverse: "parent", ", \"ordered\": true"),
                relation("friends", "\(kind.rawValue)_key", "to_many"),
                relation("peers", "\(kind.rawValue)_key", "to_many", inverse: "peers"),
                relation("spouse", "\(kind.rawValue)_key", "to_one", inverse: "spouse", ", \"nullable\": true"),
            ])
    }

    /// Everything that is new in 2.1, whose stores apps of 2.0 can use.
    private static var grown: [String: String] {
        let added = ", \"added_at_version\": \"2.1\""
        var properties = [
            """
            { "name": "title", "property_type": "string" }
            """,
            relation("parent", "grown", "to_one", inverse: "children", ", \"nullable\": true"),
            relation("children", "grown", "to_many", inverse: "parent"),
        ]
        for type in ScalarType.allCases {
            let name = type.rawValue
            properties += [
                """
                { "name": "\(name)_optional", "property_type": "\(name)", "nullable": true, "indexed": true\(added) }
                """,
                """
                { "name": "\(name)_default", "property_type": "\(name)", "default_value": \(literals[type]?.first ?? "null")\(added) }
                """,
            ]
        }
        properties += [
            """
            { "name": "shout", "property_type": "string", "computed": "upper(title)", "indexed": true\(added) }
            """,
            """
            { "name": "leaf", "property_type": "leaf", "default_value": "green"\(added) }
            """,
            relation("twin", "grown", "to_one", ", \"nullable\": true\(added)"),
            relation("sprout", "sprout", "to_one", ", \"nullable\": true\(added)"),
            relation("sprouts", "sprout", "to_many", inverse: "stem", ", \"ordered\": true\(added)"),
            relation("labels", "label", "to_many", ", \"duplicates\": true\(added)"),
        ]
        return [
            "Grown.json": entity(
                "grown", birth: "2.0",
                extra: """

                      "indexes": [{ "properties": ["title desc", "parent"], "where": "title <> ''"\(added) }],
                    """, properties),
            "Sprout.json": entity(
                "sprout", birth: "2.1",
                [
                    relation("stem", "grown", "to_one", inverse: "sprouts", ", \"on_delete\": \"cascade\""),
                    relation("poster", "poster", "to_one", ", \"nullable\": true"),
                    relation("uuid_key", "uuid_key", "to_one", ", \"on_delete\": \"cascade\""),
                    """
                    { "name": "size", "property_type": "int", "unique": true, "minimum": 1 }
                    """,
                ]),
            "Subtypes/Leaf.json": """
            { "name": "leaf", "cases": [{ "name": "green" }, { "name": "red" }], "version_history": [{ "version": "2.1" }] }

            """,
        ]
    }

    /// Computed properties that are added, changed, renamed, indexed and removed, over properties that change too.
    private static var computing: String {
        func property(_ name: String, _ type: String, _ value: String, _ more: String = "") -> String {
            """
            { "name": "\(name)", "property_type": "\(type)", "computed": "\(value)"\(more) }
            """
        }
        func item(_ previous: String) -> String {
            """
            , "version_history": [{ "version": "1.0" }, { "version": "2.0", \(previous) }]
            """
        }
        return entity(
            "computing",
            extra: """

                  "indexes": [{ "properties": ["total desc", "given"] }],
                """,
            [
                """
                { "name": "given", "property_type": "string"\(item(#""previous_name": "first""#)) }
                """,
                """
                { "name": "last", "property_type": "string", "nullable": true }
                """,
                """
                { "name": "price", "property_type": "double" }
                """,
                """
                { "name": "count", "property_type": "int", "default_value": 1 }
                """,
                """
                { "name": "serial", "property_type": "uuid", "nullable": true }
                """,
                """
                { "name": "extra", "property_type": "int", "nullable": true, "added_at_version": "2.0" }
                """,
                property("full_name", "string", "given || coalesce(' ' || last, '')"),
                property("initial", "string", "substr(given, 1, 1)", item(#""previous_name": "first_letter""#)),
                property(
                    "total", "double", "price * count", item(#""previous": { "computed": "price * count * 1.5" }"#)),
                property("size", "int", "length(given)", item(#""previous": { "property_type": "double" }"#)),
                property(
                    "is_dear", "bool", "price > 100", #", "indexed": true, "description": "Whether it costs much.""#),
                property("some_serial", "uuid", "coalesce(serial, serial)"),
                property("default", "string", "upper(last)", #", "persisted_name": "DEFAULT COLUMN""#),
                property("gone", "int", "count + 1", #", "removed_at_version": "2.0""#),
                property("twice", "int", "extra * 2", #", "indexed": true, "added_at_version": "2.0""#),
            ])
    }

    /// An entity with persisted names that change, described with Lucid's keys.
    private static var persisted: String {
        """
        {
          "name": "persisted",
          "persistedName": "t_persisted",
          "remote": true,
          "versionHistory": [
            { "version": "1.0" },
            { "version": "2.0", "previous": { "persistedName": "T_OLD" }, "ignorePropertyMigrationChecksOn": ["title"] }
          ],
          "identifier": { "type": "INT" },
          "properties": [
            { "name": "title", "propertyType": "String", "persistedName": "c_title", "key": "title_key" },
            {
              "name": "duration", "propertyType": "time", "optional": true,
              "versionHistory": [{ "version": "1.0" }, { "version": "2.0", "previous": { "persistedName": "c_length" } }]
            },
            { "name": "homepage", "property_type": "URL", "lazy": true },
            { "name": "never", "property_type": "nonsense", "unused": true },
            {
              "name": "parent", "persisted_name": "c_parent", "nullable": true,
              "propertyType": { "entityName": "persisted", "association": "many_to_one", "inverse": "children" }
            },
            {
              "name": "children", "ordered": true,
              "propertyType": { "entityName": "persisted", "association": "one_to_many", "inverse": "parent" }
            },
            {
              "name": "links", "persisted_name": "j_links", "lazy": true,
              "propertyType": { "entityName": "label", "association": "to_many", "idOnly": true }
            }
          ]
        }

        """
    }

    /// Names that have a meaning in Swift, in SQL or in the generated code.
    private static var awkward: String {
        let names = [
            "self", "init", "Type", "default", "repeat", "class", "in", "var", "let", "inout", "Any", "nil", "true",
            "row",
            "statement", "old", "table", "bind", "hash", "description", "columns", "relationships", "id of", "a-b",
            "rowid",
            "oid", "select", "where", "名前", "größe", "3rd", "it's", "quote\\\"d", "value", "raw_value", "entity",
            "values",
        ]
        return entity(
            "awkward", key: "{ \"type\": \"string\", \"name\": \"order\" }",
            names.map { "{ \"name\": \"\($0)\", \"property_type\": \"int\", \"nullable\": true }" }
                + [
                    "{ \"name\": \"newcomer\", \"property_type\": \"int\", \"added_at_version\": \"2.0\", \"default_value\": 1 }"
                ])
    }

    /// Every inferred change of type: of a nullable property, with a backfill value, and from another property.
    private static var conversions: String {
        var properties: [String] = []
        for from in ScalarType.allCases {
            for to in ScalarType.allCases where TypeChange(from: from, to: to) != nil {
                let name = "\(from.rawValue)_to_\(to.rawValue)"
                let fill = literals[to]?.first ?? "null"
                properties += [
                    """
                    { "name": "\(name)", "property_type": "\(to.rawValue)", "nullable": true,
                      "version_history": [{ "version": "1.0" }, { "version": "2.0", "previous": { "property_type": "\(from.rawValue)" } }] }
                    """,
                    """
                    { "name": "\(name)_filled", "property_type": "\(to.rawValue)",
                      "version_history": [{ "version": "1.0" },
                        { "version": "2.0", "previous": { "property_type": "\(from.rawValue)", "nullable": true }, "fill": \(fill) }] }
                    """,
                    """
                    { "name": "\(name)_from", "property_type": "\(to.rawValue)", "nullable": true,
                      "version_history": [{ "version": "2.0", "fill_from": "\(from.rawValue)_source" }] }
                    """,
                ]
            }
            properties.append(
                "{ \"name\": \"\(from.rawValue)_source\", \"property_type\": \"\(from.rawValue)\", \"nullable\": true }"
            )
        }
        return entity("conversions", properties)
    }

    /// Limits and checks that are added, removed, widened and tightened.
    private static let checked = #"""
        {
          "name": "checked",
          "version_history": [{ "version": "1.0" }, { "version": "2.0", "previous": { "persisted_name": "checked_rows" } }],
          "identifier": { "type": "property", "property": "code" },
          "properties": [
            { "name": "code", "property_type": "string", "pattern": "[A-Z][0-9]*" },
            { "name": "price", "property_type": "double", "minimum": 0, "maximum": 100, "default_value": 1.5,
              "version_history": [{ "version": "1.0" }, { "version": "2.0", "previous": { "minimum": -10, "maximum": null }, "fill": 50 }] },
            { "name": "count", "property_type": "int", "minimum": 1,
              "version_history": [{ "version": "1.0" }, { "version": "2.0", "previous_name": "number", "previous": { "minimum": 5, "maximum": 9 } }] },
            { "name": "label", "property_type": "string", "nullable": true, "min_length": 1, "max_length": 5, "unique": true },
            { "name": "kind", "property_type": "string", "one_of": ["a", "it's \"b\"", ""],
              "version_history": [{ "version": "1.0" }, { "version": "2.0", "previous": { "one_of": null, "nullable": true }, "fill": "a" }] },
            { "name": "thumb", "property_type": "data", "max_length": 16, "nullable": true },
            { "name": "starts_at", "property_type": "date", "minimum": "2001-01-01T00:00:00Z" },
            { "name": "ends_at", "property_type": "date", "nullable": true },
            { "name": "serial", "property_type": "uuid", "one_of": ["00000000-0000-0000-0000-000000000001", "00000000-0000-0000-0000-000000000002"] },
            { "name": "slug", "property_type": "string", "unique": true },
            { "name": "email", "property_type": "string", "unique": true, "collation": "nocase" },
            { "name": "gone", "property_type": "int", "maximum": 3, "removed_at_version": "2.0", "discard": true },
            { "name": "lent", "property_type": "int", "removed_at_version": "2.0", "discard": true },
            { "name": "discount", "property_type": "double", "nullable": true, "minimum": 0, "added_at_version": "2.0" },
            { "name": "ratio", "property_type": "int", "default_value": 7, "maximum": 7, "added_at_version": "2.0" }
          ],
          "checks": [
            { "name": "ends_after_start", "where": "ends_at >= starts_at" },
            { "name": "email_has_at", "where": "instr(email, '@') > 1" },
            { "name": "slug_is_given", "where": "slug <> '' AND slug NOT LIKE ' %'" },
            { "name": "lent_or_gone", "where": "lent > gone OR number < 100", "removed_at_version": "2.0" },
            { "name": "discount_below_price", "where": "discount <= price", "added_at_version": "2.0" },
            { "name": "count_again", "where": "count * 2 > 1",
              "version_history": [{ "version": "1.0" }, { "version": "2.0", "previous_name": "number_again" }] }
          ]
        }

        """#

    /// Every kind of relationship, every delete rule, and every inferred change of them.
    /// Indexes of some rows, in both directions, which change with the properties.
    private static var indexed: String {
        entity(
            "indexed",
            extra: """

                  "indexes": [
                    { "properties": ["closed_at desc", "weight"] },
                    { "properties": ["state"], "where": { "is_hidden": false, "closed_at": null } },
                    { "properties": ["state", "weight desc"], "unique": true, "where": "weight > 100 AND state LIKE 'a%'" },
                    { "properties": ["weight"], "where": "gone > 0 OR status = 'it''s \\\"|\\\" ü'", "removed_at_version": "2.0" },
                    { "properties": ["weight"], "where": { "state": ["open", "new"] },
                      "version_history": [{ "version": "1.0" }, { "version": "2.0", "previous": { "where": { "status": "open" } } }] },
                    { "properties": ["state"], "where": "CASE WHEN is_hidden THEN 0 ELSE length(state) END > 3", "added_at_version": "2.0" }
                  ],
                """,
            [
                """
                { "name": "state", "property_type": "string",
                      "version_history": [{ "version": "1.0" }, { "version": "2.0", "previous_name": "status" }] }
                """,
                "{ \"name\": \"closed_at\", \"property_type\": \"date\", \"nullable\": true }",
                "{ \"name\": \"weight\", \"property_type\": \"double\" }",
                "{ \"name\": \"is_hidden\", \"property_type\": \"bool\" }",
                """
                { "name": "gone", "property_type": "int", "removed_at_version": "2.0", "discard": true }
                """,
            ])
    }

    private static var relations: [String: String] {
        var files: [String: String] = [:]
        files["Hub.json"] = entity(
            "hub", history: ["{ \"version\": \"2.0\", \"previous_name\": \"centre\" }"],
            [
                relation("spokes", "spoke", "to_many", inverse: "hub"),
                relation("ordered_spokes", "spoke", "to_many", inverse: "ordered_hub", ", \"ordered\": true"),
                relation(
                    "later_ordered", "spoke", "to_many", inverse: "later_hub",
                    ", \"ordered\": true, \"version_history\": [{ \"version\": \"1.0\" }, { \"version\": \"2.0\", \"previous\": { \"ordered\": null } }]"
                ),
                relation(
                    "once_ordered", "spoke", "to_many", inverse: "once_hub",
                    ", \"version_history\": [{ \"version\": \"1.0\" }, { \"version\": \"2.0\", \"previous\": { \"ordered\": true } }]"
                ),
                relation("badge", "badge", "to_one", inverse: "hub", ", \"nullable\": true"),
                relation("labels", "label", "to_many", inverse: "hubs", ", \"stored\": true"),
                relation("ranked", "label", "to_many", inverse: "ranked_in", ", \"stored\": true"),
                relation("later_ranked", "label", "to_many", inverse: "later_ranked_in", ", \"stored\": true"),
                relation("once_ranked", "label", "to_many", inverse: "once_ranked_in", ", \"stored\": true"),
                relation("words", "string_key", "to_many", ", \"added_at_version\": \"2.0\""),
                relation(
                    "playlist", "label", "to_many", inverse: "played_in", ", \"stored\": true, \"duplicates\": true"),
                relation(
                    "later_twice", "label", "to_many",
                    ", \"duplicates\": true, \"version_history\": [{ \"version\": \"1.0\" }, { \"version\": \"2.0\", \"previous\": { \"duplicates\": null } }]"
                ),
                relation(
                    "gone", "label", "to_many", ", \"removed_at_version\": \"2.0\", \"discard\": true"),
            ])
        files["Spoke.json"] = entity(
            "spoke", extra: indexes,
            [
                relation("hub", "hub", "to_one", inverse: "spokes", ", \"on_delete\": \"cascade\""),
                relation("ordered_hub", "hub", "to_one", inverse: "ordered_spokes", ", \"nullable\": true"),
                relation(
                    "later_hub", "hub", "to_one", inverse: "later_ordered",
                    ", \"nullable\": true, \"on_delete\": \"deny\""),
                relation(
                    "once_hub", "hub", "to_one", inverse: "once_ordered",
                    ", \"nullable\": true, \"on_delete\": \"no_action\""),
                relation("denied", "uuid_key", "to_one"),
                relation(
                    "rule_changes", "string_key", "to_one",
                    ", \"nullable\": true, \"on_delete\": \"cascade\", \"version_history\": [{ \"version\": \"1.0\" }, { \"version\": \"2.0\", \"previous\": { \"on_delete\": null } }]"
                ),
                relation(
                    "many", "label", "to_many",
                    ", \"version_history\": [{ \"version\": \"1.0\" }, { \"version\": \"2.0\", \"previous\": { \"association\": \"to_one\", \"nullable\": true } }]"
                ),
                relation(
                    "lost", "label", "to_one",
                    ", \"nullable\": true, \"removed_at_version\": \"2.0\", \"discard\": true"),
                relation("added", "label", "to_one", ", \"nullable\": true, \"added_at_version\": \"2.0\""),
                """
                { "name": "first", "property_type": "string", "collation": "nocase", "indexed": true,
                  "version_history": [{ "version": "1.0" }, { "version": "2.0", "previous": { "collation": null, "name": "second" } }] }
                """,
                """
                { "name": "second", "property_type": "string", "nullable": true,
                  "version_history": [{ "version": "1.0" }, { "version": "2.0", "previous": { "indexed": true, "name": "first" } }] }
                """,
                """
                { "name": "third", "property_type": "int",
                  "version_history": [{ "version": "1.0" }, { "version": "2.0", "previous": { "unique": true } }] }
                """,
                """
                { "name": "fourth", "property_type": "string", "unique": true }
                """,
                """
                { "name": "fifth", "property_type": "string", "nullable": true, "removed_at_version": "2.0", "discard": true }
                """,
            ])
        files["Badge.json"] = entity(
            "badge",
            [
                relation("hub", "hub", "to_one", inverse: "badge", ", \"nullable\": true, \"stored\": true"),
                "{ \"name\": \"text\", \"property_type\": \"string\" }",
            ])
        files["Label.json"] = entity(
            "label",
            [
                relation("hubs", "hub", "to_many", inverse: "labels"),
                relation("ranked_in", "hub", "to_many", inverse: "ranked", ", \"ordered\": true"),
                relation(
                    "later_ranked_in", "hub", "to_many", inverse: "later_ranked",
                    ", \"ordered\": true, \"version_history\": [{ \"version\": \"1.0\" }, { \"version\": \"2.0\", \"previous\": { \"ordered\": null } }]"
                ),
                relation(
                    "once_ranked_in", "hub", "to_many", inverse: "once_ranked",
                    ", \"version_history\": [{ \"version\": \"1.0\" }, { \"version\": \"2.0\", \"previous\": { \"ordered\": true } }]"
                ),
                relation("played_in", "hub", "to_many", inverse: "playlist"),
                relation("passport", "passport", "to_one", inverse: "owner", ", \"nullable\": true"),
            ])
        files["Passport.json"] = entity(
            "passport", [relation("owner", "label", "to_one", inverse: "passport", ", \"stored\": true")])
        files["Membership.json"] = entity(
            "membership", extra: "\n  \"indexes\": [{ \"properties\": [\"hub\", \"label\"], \"unique\": true }],",
            [
                relation("hub", "hub", "to_one", ", \"on_delete\": \"cascade\""), relation("label", "label", "to_one"),
                relation("cache", "cache", "to_one", ", \"nullable\": true"),
                relation("caches", "cache", "to_many"),
            ])
        files["Cache.json"] = entity(
            "cache", history: ["{ \"version\": \"2.0\", \"rows\": \"discard\" }"],
            [
                """
                { "name": "value", "property_type": "int",
                  "version_history": [{ "version": "1.0" }, { "version": "2.0", "previous": { "property_type": "string" } }] }
                """,
                relation("labels", "label", "to_many"),
            ])
        files["Dropped.json"] = entity(
            "dropped", extra: "\n  \"removed_at_version\": \"2.0\", \"discard\": true,",
            [relation("labels", "label", "to_many"), "{ \"name\": \"text\", \"property_type\": \"string\" }"])
        files["Newcomer.json"] = entity(
            "dropped", birth: "2.0", ["{ \"name\": \"text\", \"property_type\": \"string\", \"nullable\": true }"])
        return files
    }

    /// Every kind of subtype and every inferred change of it, in columns, in lists and in other subtypes.
    private static var subtypes: [String: String] {
        var files: [String: String] = [:]
        files["Subtypes/Mood.json"] = """
            {
              "name": "mood",
              "description": "How it goes.",
              "cases": [
                "good",
                { "name": "so_so", "value": "so-so", "description": "Neither." },
                { "name": "init", "added_at_version": "2.0" },
                { "name": "self", "version_history": [{ "version": "1.0" }, { "version": "2.0", "previous_name": "Type" }] },
                { "name": "bad", "removed_at_version": "2.0", "replaced_by": "so_so" },
                { "name": "Type", "value": "type", "added_at_version": "2.0" },
                "名前"
              ],
              "unused_cases": ["default"]
            }

            """
        files["Subtypes/Flags.json"] = """
            {
              "name": "flags",
              "options": [
                "new", "hot",
                { "name": "cold", "bit": 5, "removed_at_version": "2.0", "discard": true },
                "in", { "name": "last", "bit": 62, "added_at_version": "2.0" }
              ],
              "unused_options": [{ "name": "old", "bit": 10 }]
            }

            """
        let members = ScalarType.allCases.map { type in
            """
            { "name": "\(type.rawValue)_value", "property_type": "\(type.rawValue)" },
                { "name": "\(type.rawValue)_optional", "property_type": "\(type.rawValue)", "nullable": true },
                { "name": "\(type.rawValue)_list", "property_type": "[\(type.rawValue)]" },
                { "name": "\(type.rawValue)_new", "property_type": "\(type.rawValue)", "default_value": \(literals[type]?.first ?? "null"), "added_at_version": "2.0" }
            """
        }
        files["Subtypes/Poll.json"] = """
            {
              "name": "poll",
              "properties": [
                { "name": "places", "property_type": "{int:place}", "nullable": true },
                { "name": "votes", "property_type": "[{string:mood}]", "default_value": [{ "a": "good" }] }
              ]
            }

            """
        files["Subtypes/All.json"] = """
            { "name": "all_values", "properties": [\(members.joined(separator: ",\n    "))] }

            """
        files["Subtypes/Place.json"] = """
            {
              "name": "place",
              "properties": [
                { "name": "self", "property_type": "string" },
                { "name": "mood", "property_type": "mood" },
                { "name": "moods", "property_type": "[mood]", "default_value": ["good", ".so_so"] },
                { "name": "latitude", "property_type": "double",
                  "version_history": [{ "version": "1.0" }, { "version": "2.0", "previous_name": "lat" }] },
                { "name": "street", "property_type": "string", "removed_at_version": "2.0", "discard": true },
                { "name": "flags", "property_type": "flags", "nullable": true,
                  "version_history": [{ "version": "1.0" }, { "version": "2.0", "previous": { "nullable": false } }] },
                { "name": "größe", "property_type": "int", "nullable": true, "added_at_version": "2.0" },
                { "name": "case", "property_type": "mood", "default_value": "self", "added_at_version": "2.0" }
              ]
            }

            """
        files["Subtypes/Route.json"] = """
            {
              "name": "route",
              "version_history": [{ "version": "1.0" }, { "version": "2.0", "previous_name": "path" }],
              "properties": [
                { "name": "start", "property_type": "place" },
                { "name": "end", "property_type": "place", "nullable": true },
                { "name": "stops", "property_type": "[place]" },
                { "name": "names", "property_type": "[[string]]", "default_value": [["a"], []] }
              ]
            }

            """
        func forms(_ name: String, _ type: String, value: String, old: String? = nil) -> [String] {
            let older =
                old.map {
                    ", \"version_history\": [{ \"version\": \"1.0\" }, { \"version\": \"2.0\", \"previous\": { \"property_type\": \"\($0)\" } }]"
                } ?? ""
            return [
                "{ \"name\": \"\(name)_value\", \"property_type\": \"\(type)\"\(older) }",
                "{ \"name\": \"\(name)_optional\", \"property_type\": \"\(type)\", \"nullable\": true }",
                "{ \"name\": \"\(name)_default\", \"property_type\": \"\(type)\", \"default_value\": \(value) }",
                "{ \"name\": \"\(name)_new\", \"property_type\": \"\(type)\", \"default_value\": \(value), \"added_at_version\": \"2.0\" }",
                """
                { "name": "\(name)_filled", "property_type": "\(type)",
                  "version_history": [{ "version": "1.0" }, { "version": "2.0", "previous": { "nullable": true }, "fill": \(value) }] }
                """,
                """
                { "name": "\(name)_from", "property_type": "\(type)", "nullable": true,
                  "version_history": [{ "version": "2.0", "fill_from": "\(name)_value" }] }
                """,
            ]
        }
        files["Subtyped.json"] = entity(
            "subtyped",
            forms("mood", "mood", value: "\".good\"") + forms("flags", "flags", value: "[\"new\", \"in\"]")
                + forms(
                    "place", "place",
                    value: "{ \"self\": \"x\", \"mood\": \"good\", \"latitude\": 1.5, \"case\": \"self\" }"
                ).filter { !$0.contains("_default") }
                + forms("moods", "[mood]", value: "[\"self\", \"good\"]")
                + forms("counts", "{string:int}", value: "{ \"b\": 1, \"a\\n\": -2 }")
                + forms("lists", "{int:[double]}", value: "{ \"10\": [], \"9\": [1.5] }")
                + [#"{ "name": "by_name", "property_type": "{string:[place]}", "nullable": true }"#]
                + [#"{ "name": "poll", "property_type": "poll" }"#]
                + forms("numbers", "[int]", value: "[1, -2]") + forms("texts", "[[string]]", value: "[[\"it's\"], []]")
                + [
                    "{ \"name\": \"route\", \"property_type\": \"route\" }",
                    "{ \"name\": \"routes\", \"property_type\": \"[route]\", \"nullable\": true }",
                    "{ \"name\": \"all\", \"property_type\": \"all_values\" }",
                    """
                    { "name": "word", "property_type": "string",
                      "version_history": [{ "version": "1.0" }, { "version": "2.0", "previous": { "property_type": "mood" } }] }
                    """,
                    "{ \"name\": \"indexed_mood\", \"property_type\": \"mood\", \"indexed\": true, \"default_value\": \"Type\", \"nullable\": true, \"added_at_version\": \"2.0\" }",
                ])
        return files
    }

    /// Primary keys of one property, of several properties and of relationships, and every relationship to them.
    private static var keys: [String: String] {
        var files: [String: String] = [:]
        files["Country.json"] = entity(
            "country", key: "{ \"type\": \"property\", \"property\": \"code\" }",
            [
                "{ \"name\": \"code\", \"property_type\": \"string\", \"collation\": \"nocase\" }",
                "{ \"name\": \"id\", \"property_type\": \"int\", \"nullable\": true }",
                relation("regions", "region", "to_many", inverse: "country", ", \"ordered\": true"),
            ])
        files["Region.json"] = entity(
            "region", key: "{ \"type\": \"properties\", \"properties\": [\"number\", \"country\"] }",
            history: ["{ \"version\": \"2.0\", \"previous_name\": \"province\" }"],
            [
                relation("country", "country", "to_one", inverse: "regions", ", \"on_delete\": \"cascade\""),
                "{ \"name\": \"number\", \"property_type\": \"int\", \"version_history\": [{ \"version\": \"1.0\" }, { \"version\": \"2.0\", \"previous_name\": \"self\" }] }",
                relation("parent", "region", "to_one", inverse: "children", ", \"nullable\": true"),
                relation("children", "region", "to_many", inverse: "parent"),
                relation("neighbours", "region", "to_many"),
                relation("words", "string_key", "to_many"),
                relation("capital", "town", "to_one", inverse: "capital_of", ", \"nullable\": true, \"stored\": true"),
                "{ \"name\": \"late\", \"property_type\": \"int\", \"nullable\": true, \"added_at_version\": \"2.0\" }",
            ])
        files["Town.json"] = entity(
            "town", key: "{ \"type\": \"properties\", \"properties\": [\"region\", \"name\"] }",
            extra: "\n  \"indexes\": [{ \"properties\": [\"twin\", \"name\"] }],",
            [
                "{ \"name\": \"name\", \"property_type\": \"string\" }",
                relation("region", "region", "to_one"),
                relation("twin", "town", "to_one", ", \"nullable\": true, \"persisted_name\": \"t\""),
                relation("capital_of", "region", "to_one", inverse: "capital", ", \"nullable\": true"),
                relation(
                    "seen_from", "town", "to_many",
                    ", \"version_history\": [{ \"version\": \"1.0\" }, { \"version\": \"2.0\", \"previous\": { \"association\": \"to_one\", \"nullable\": true } }]"
                ),
                relation("visitors", "mayor", "to_many", inverse: "visits"),
            ])
        files["Mayor.json"] = entity(
            "mayor", key: "{ \"type\": \"property\", \"property\": \"town\" }",
            [
                relation("town", "town", "to_one", ", \"on_delete\": \"cascade\""),
                relation("visits", "town", "to_many", inverse: "visitors", ", \"stored\": true"),
            ])
        files["Wallet.json"] = entity(
            "wallet", key: "{ \"type\": \"int\", \"derived_from_relationships\": [\"hub\", \"spoke\"] }",
            [relation("mayor", "mayor", "to_one", ", \"nullable\": true, \"unique\": true")])
        return files
    }

    private static let indexes = """

          "indexes": [
            { "properties": ["first", "third"] },
            { "properties": ["hub", "third"], "removed_at_version": "2.0" },
            { "properties": ["second", "fourth"], "unique": true, "added_at_version": "2.0",
              "version_history": [{ "version": "2.0" }] },
            { "properties": ["fourth", "third"], "unique": true,
              "version_history": [{ "version": "1.0" }, { "version": "2.0", "previous": { "properties": ["fourth"] } }] }
          ],
        """

    /// Entities with a search whose index is kept, filled again, added, changed and removed.
    private static var searched: [String: String] {
        func entity(_ name: String, _ key: String, _ search: String, _ properties: String, _ item: String = "")
            -> String
        {
            """
            {
              "name": "\(name)",
              "version_history": [{ "version": "1.0" }\(item)],
              "identifier": \(key),
              "search": \(search),
              "properties": [
                \(properties)
              ]
            }

            """
        }
        let title = "{ \"name\": \"title\", \"property_type\": \"string\" }"
        let body = "{ \"name\": \"body\", \"property_type\": \"string\", \"nullable\": true }"
        let stars = """
            { "name": "stars", "property_type": "string", "nullable": true,
                  "version_history": [{ "version": "1.0" }, { "version": "2.0", "previous": { "property_type": "int" } }] }
            """
        return [
            "Article.json": entity(
                "article", "{ \"type\": \"int\" }", "{ \"properties\": [\"title\", \"body\"] }",
                [title, body, stars].joined(separator: ",\n    ")),
            "Memo.json": entity(
                "memo", "{ \"type\": \"uuid\" }",
                "{ \"properties\": [\"title\", \"tags\"], \"tokenizer\": \"porter\" }",
                [title, "{ \"name\": \"tags\", \"property_type\": \"[string]\" }", stars].joined(separator: ",\n    ")),
            "Page.json": entity(
                "page", "{ \"type\": \"property\", \"property\": \"address\" }",
                "{ \"properties\": [\"address\", \"default\"], \"tokenizer\": \"trigram\" }",
                [
                    "{ \"name\": \"address\", \"property_type\": \"string\" }",
                    """
                    { "name": "default", "property_type": "string", "persisted_name": "text",
                          "version_history": [{ "version": "1.0" }, { "version": "2.0", "previous_name": "heading", "previous": { "nullable": true }, "fill": "none" }] }
                    """,
                ].joined(separator: ",\n    "),
                ", { \"version\": \"2.0\", \"previous\": { \"search\": { \"properties\": [\"heading\"] } } }"),
            "Leaflet.json": entity(
                "leaflet", "{ \"type\": \"int\" }", "{ \"properties\": [\"title\"] }",
                // The columns of an entity have a member with this name too.
                title + ",\n    { \"name\": \"search_rank\", \"property_type\": \"int\", \"nullable\": true }",
                ", { \"version\": \"2.0\", \"previous_name\": \"flyer\", \"previous\": { \"search\": null } }"),
            "Poster.json": entity(
                "poster", "{ \"type\": \"int\" }", "null", title,
                ", { \"version\": \"2.0\", \"previous\": { \"search\": { \"properties\": [\"title\"] } } }"),
        ]
    }
}
