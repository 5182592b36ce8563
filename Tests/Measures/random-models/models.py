"""Random models: descriptions with all of the language, and several changes in each version."""

import copy
import random
import re

from descriptions import Model
from interpreter import INFERRED_TYPES, LIMITS, hashed

VERSIONS = ["1.0", "1.1", "1.2", "1.10", "2.0", "3.0"]

#: The betas that some models have instead of versions.
BETAS = {"1.1": "1.2-beta.2", "1.10": "2.0-beta.1"}

DEFAULTS = {
    "int": [7, -1, 0, 9007199254740993], "milliseconds": [1500, 0], "bool": [True, False], "double": [0.5, -1.25, 1e300],
    "seconds": [1.5], "float": [0.5, 0.1], "string": ["", "tea", "it's \"so\"", "TRUE", "a\nb"],
    "url": ["https://example.org/?a=b"], "color": ["#00ff00", "#AABBCCDD"], "date": ["2024-01-02T03:04:05Z", 12.5],
    "data": ["AAEC/w==", ""], "uuid": ["6F9619FF-8B86-D011-B42D-00C04FC964FF"],
    "decimal": ["0.10", "12345678901234567890.123456789"],
}  # fmt: skip

#: The version in which an element was added, as long as the model grows. It is not a key of descriptions.
BIRTH = "birth"

#: Names that mean something in SQL, Swift or SQLite.
AWKWARD = [
    "true", "false", "rowid", "oid", "rank", "old", "new", "order", "group", "index", "where", "value", "self", "default",
    "key", "row", "null", "excluded", "temp", "position", "source_id", "class", "a b", "größe", "it's", "id of", "text",
]  # fmt: skip


class RandomModel:
    """A random model. `files` are its descriptions, by file name. `check` returns the errors of descriptions."""

    def __init__(self, seed, check, versions=6, size=4):
        self.random = random.Random(seed)
        self.check = check
        self.versions = VERSIONS[:versions]
        if self.chance(0.3):
            self.versions = [BETAS.get(version, version) for version in self.versions]
        self.size = size
        self.count = 0
        self.refused = {}
        self.files = {}
        self.version = 0
        self.begin()
        for self.version in range(1, versions):
            self.attempt([self.change() for _ in range(self.random.randint(2, 7))])
        self.attempt([self.configure, self.decorate])

    def decorate(self):
        """Adds what no store contains, and writes some fields in another form."""

        def visit(value):
            if isinstance(value, list):
                for each in value:
                    visit(each)
            if not isinstance(value, dict):
                return
            for each in value.values():
                visit(each)
            if set(value.get("previous") or {}) == {"name"} and self.chance(0.5):
                value["previous_name"] = value.pop("previous")["name"]
            if BIRTH in value and ("identifier" in value or "property_type" in value) and self.chance(0.2):
                value["description"] = "A *text* with \"quotes\" and */ ends of comments."

        for entity in [f for f in self.files.values() if "identifier" in f]:
            visit(entity)
            history = entity["version_history"]
            for item in history[1:]:
                if self.chance(0.2):
                    item["ignore_migration_checks"] = True
            if self.chance(0.2) and len(history[0]) == 1:
                entity["added_at_version"] = history.pop(0)["version"]
            if self.chance(0.2):
                entity["properties"].append({"name": "unused one", "property_type": "string", "unused": True})
        if self.chance(0.3):
            ghost = {"name": "ghost", "persist": False, "identifier": {"type": "int"}, "properties": []}
            self.files["Ghost.json"] = ghost

    def configure(self):
        """Writes `strata.json`."""
        configuration = self.files["strata.json"] = {}
        if self.chance(0.3):
            configuration["versions"] = self.versions
        if self.chance(0.2):
            configuration["oldest_supported_version"] = self.one(self.versions[:3])
        has_copies = any("fill_from" in item for e in self.entities() for item in e["version_history"])
        if self.chance(0.4) and not has_copies:
            old = self.random.randrange(len(self.versions) - 2)
            new = self.random.randint(old + 2, min(old + 3, len(self.versions) - 1))
            ways = [self.versions[new]]
            if self.chance(0.5):
                ways.insert(self.random.randint(0, 1), self.versions[old + 1])
            configuration["chain"] = {self.versions[old]: ways if len(ways) > 1 else ways[0]}

    # Choices

    def one(self, values):
        values = list(values)
        return self.random.choice(values) if values else None

    def chance(self, probability):
        return self.random.random() < probability

    def name(self, prefix):
        if prefix == "p" and self.chance(0.12):
            return self.one(AWKWARD)
        self.count += 1
        return f"{prefix}{self.count}"

    def default(self, type):
        if type in DEFAULTS:
            return self.one(DEFAULTS[type])
        if type.startswith("["):
            inner = type[1:-1]
            return [self.default(inner) for _ in range(self.random.randint(0, 2))]
        if type.startswith("{"):
            key, value = type[1:-1].split(":", 1)
            keys = ["7", "-1", "10"] if key == "int" else ["", "a b", "10", "9", "\""]
            return {key: self.default(value) for key in keys if self.chance(0.4)}
        subtype = self.subtype(type)
        if "cases" in subtype:
            return self.one(case["name"] for case in subtype["cases"] if "removed_at_version" not in case)
        if "options" in subtype:
            names = [option["name"] for option in subtype["options"] if "removed_at_version" not in option]
            return [name for name in names if self.chance(0.5)]
        return {
            member["name"]: self.default(member["property_type"])
            for member in subtype["properties"]
            if "removed_at_version" not in member and not (member.get("nullable") and self.chance(0.5))
        }

    # The present model

    def entities(self):
        # A new entity with the rows of another one stays as it is in its first version.
        return [
            f
            for f in self.files.values()
            if "identifier" in f and "removed_at_version" not in f
            and not (self.is_new(f) and any("fill_from" in item for item in f["version_history"]))
        ]

    def subtypes(self):
        return [f for f in self.files.values() if "name" in f and not {"identifier", "removed_at_version"} & set(f)]

    def subtype(self, name):
        return next((s for s in self.subtypes() if s["name"] == name), None)

    def properties(self, entity):
        return [p for p in entity["properties"] if "removed_at_version" not in p]

    def scalars(self, entity, *types):
        return [
            p
            for p in self.properties(entity)
            if isinstance(p["property_type"], str)
            and "computed" not in p
            and (not types or p["property_type"] in types)
        ]

    @property
    def now(self):
        return self.versions[self.version]

    def item(self, element):
        """The item of the present version."""
        history = element.setdefault("version_history", [])
        if not history or history[-1]["version"] != self.now:
            history.append({"version": self.now})
        return history[-1]

    def is_new(self, element):
        return element.get(BIRTH, self.versions[0]) == self.now

    def set(self, element, **fields):
        """Changes fields. Their former values go to the history, unless the element is new."""
        if self.is_new(element):
            for key, value in fields.items():
                if value is None:
                    element.pop(key, None)
                else:
                    element[key] = value
            return
        previous = self.item(element).setdefault("previous", {})
        for key, value in fields.items():
            previous.setdefault(key, copy.deepcopy(element.get(key)))
            if value is None:
                element.pop(key, None)
            else:
                element[key] = value

    # The first version

    def begin(self):
        self.files["Kind.json"] = {
            "name": "kind",
            "cases": [{"name": "red"}, {"name": "blue", "value": "b"}, {"name": "it's"}],
            "unused_cases": ["grey"],
        }
        self.files["Flags.json"] = {
            "name": "flags",
            "options": [{"name": "hot"}, {"name": "cold", "bit": 3}],
            "unused_options": [{"name": "warm", "bit": 40}],
        }
        self.files["Place.json"] = {
            "name": "place",
            "properties": [
                {"name": "street", "property_type": "string"},
                {"name": "number", "property_type": "int", "nullable": True},
                {"name": "kind", "property_type": "kind", "default_value": "red"},
                {"name": "tags", "property_type": "[string]", "default_value": []},
                {"name": "counts", "property_type": "{string:int}", "nullable": True},
            ],
        }
        for _ in range(self.size):
            self.attempt([self.add_entity])
        for entity in self.entities():
            self.attempt([lambda: self.add_property(entity["name"])] * self.random.randint(3, 6))
        self.attempt([self.add_entity_feature] * self.random.randint(1, 4))

    def descriptions(self):
        """The descriptions, without what only the growing model needs."""

        def plain(value):
            if isinstance(value, dict):
                return {key: plain(each) for key, each in value.items() if key != BIRTH}
            return [plain(each) for each in value] if isinstance(value, list) else value

        return plain(self.files)

    def attempt(self, changes):
        """Makes changes. Those that make the model invalid are undone."""
        before, count = copy.deepcopy(self.files), self.count
        for change in changes:
            change()
        if not self.check(self.descriptions()):
            return
        self.files, self.count = before, count
        for change in changes:
            before = copy.deepcopy(self.files)
            change()
            if before == self.files:
                continue
            errors = self.check(self.descriptions())
            if errors:
                self.files = before
                name = getattr(change, "__name__", "?")
                self.refused.setdefault(re.sub(r"[\"`'].*?[\"`']", "_", errors.split("error: ")[-1].split("\n")[0]), name)

    def entity(self, name):
        return next((e for e in self.entities() if e["name"] == name), None)

    # Additions

    def add_entity(self):
        name = self.name("e")
        kind = self.one(["int", "int", "string", "uuid", "property", "properties"])
        entity = {"name": name, "version_history": [{"version": self.now}], "identifier": {"type": kind}, "properties": []}
        entity[BIRTH] = self.now
        if kind in ("int", "string", "uuid"):
            if self.chance(0.3):
                entity["identifier"]["name"] = self.name("key")
            source = self.one(e["name"] for e in self.entities() if e["identifier"]["type"] == kind)
            if source and self.chance(0.2):
                entity["identifier"]["derived_from_relationships"] = [source]
        if kind == "property":
            key = {"name": self.name("p"), "property_type": self.one(["int", "string", "uuid"]), BIRTH: self.now}
            if key["property_type"] == "string" and self.chance(0.5):
                key["collation"] = self.one(["nocase", "rtrim"])
            if self.entities() and self.chance(0.2):
                key = self.key_reference(entity)
            entity["properties"].append(key)
            entity["identifier"]["property"] = key["name"]
        if kind == "properties":
            keys = [
                {"name": self.name("p"), "property_type": "string", BIRTH: self.now},
                {"name": self.name("p"), "property_type": self.one(["int", "uuid"]), BIRTH: self.now},
            ]
            if self.entities() and self.chance(0.4):
                keys[self.random.randrange(2)] = self.key_reference(entity)
            entity["properties"] += keys
            entity["identifier"]["properties"] = [key["name"] for key in keys]
        if self.chance(0.2):
            entity["persisted_name"] = self.name("table")
        self.files[f"{name}.json"] = entity

    def add_property(self, entity=None):
        entity = self.entity(entity) if entity else self.one(self.entities())
        if entity is None:
            return
        property = {"name": self.name("p"), BIRTH: self.now}
        if not self.is_new(entity):
            property["added_at_version"] = self.now
        kind = self.random.randrange(10)
        if kind == 0:
            self.add_reference(entity, property)
        elif kind == 1:
            self.add_many(entity, property)
        elif kind == 2:
            if not self.add_computed(entity, property):
                return
        else:
            self.add_scalar(entity, property)
        entity["properties"].insert(self.random.randint(0, len(entity["properties"])), property)

    def add_scalar(self, entity, property):
        types = list(DEFAULTS) + ["string", "int", "kind", "flags", "place", "[string]", "[kind]", "[place]", "[int]"]
        types += ["[flags]", "[[string]]", "[bool]", "{string:int}", "{int:place}", "[{string:kind}]"]
        inner = {type: re.sub(r".*:", "", type).strip("[]{}") for type in types}
        type = self.one(t for t in types if inner[t] in DEFAULTS or self.subtype(inner[t]))
        property["property_type"] = type
        if self.chance(0.4):
            property["nullable"] = True
        elif self.version > 0 and not self.is_new(entity) and self.chance(0.85):
            if self.chance(0.3):
                property["version_history"] = [{"version": self.now, "fill": self.default(type)}]
            else:
                property["default_value"] = self.default(type)
        elif self.chance(0.3):
            property["default_value"] = self.default(type)
        if self.chance(0.2):
            property["persisted_name"] = self.name("column")
        if type in DEFAULTS and self.chance(0.25):
            property["indexed"] = True
        elif type in DEFAULTS and property.get("nullable") and type != "bool" and self.chance(0.15):
            property["unique"] = True
        if type == "string" and self.chance(0.2):
            property["collation"] = self.one(["nocase", "rtrim"])
        self.add_limit(property)

    def add_limit(self, property):
        type = property["property_type"]
        if "default_value" in property or not self.chance(0.3) or "version_history" in property:
            return
        if type in ("int", "double", "float", "seconds", "milliseconds"):
            property[self.one(["minimum", "maximum"])] = self.one([-5, 0, 10, 1000])
        elif type == "string":
            limit = self.one(["min_length", "max_length", "pattern", "one_of"])
            values = {"min_length": 1, "max_length": 6, "pattern": "[A-Z][0-9]*", "one_of": ["a", "it's", "", "A1"]}
            property[limit] = values[limit]
        elif type == "data":
            property["max_length"] = 16
        elif type == "uuid":
            property["one_of"] = ["00000000-0000-0000-0000-00000000000A", "00000000-0000-0000-0000-00000000000B"]

    def key_reference(self, entity):
        """A reference that is part of the primary key of a new entity."""
        property = {"name": self.name("p"), BIRTH: self.now}
        self.add_reference(entity, property, is_key=True)
        return property

    def add_reference(self, entity, property, is_key=False):
        target = self.one(self.entities())
        property["property_type"] = {"entity_name": target["name"], "association": "to_one"}
        if not is_key and (self.chance(0.75) or not self.is_new(entity)):
            property["nullable"] = True
            rule = self.one([None, "cascade", "nullify", "deny", "no_action"])
        else:
            rule = self.one([None, "cascade"])
        if rule:
            property["on_delete"] = rule
        if self.chance(0.15):
            names = [self.name("column") for _ in range(self.key_width(target))]
            property["persisted_name"] = names if len(names) > 1 else names[0]
        if not is_key and self.chance(0.1):
            property[self.one(["indexed", "unique"])] = True
        if not is_key and self.chance(0.1):
            # The relationship is its own inverse.
            property["property_type"] |= {"entity_name": entity["name"], "inverse": property["name"]}
        elif self.chance(0.5):
            inverse = {
                "name": self.name("p"),
                "property_type": {
                    "entity_name": entity["name"],
                    "association": self.one(["to_many", "to_many", "to_one"]),
                    "inverse": property["name"],
                },
            }
            if inverse["property_type"]["association"] == "to_one":
                inverse["nullable"] = True
                property["stored"] = True
                if not is_key:
                    property["nullable"] = True
            elif self.chance(0.5):
                inverse["ordered"] = True
            inverse[BIRTH] = self.now
            if not self.is_new(target):
                inverse["added_at_version"] = self.now
            property["property_type"]["inverse"] = inverse["name"]
            target["properties"].append(inverse)

    def key_width(self, entity):
        """The number of columns of a primary key."""
        width = 0
        for name in self.key_names(entity):
            type = next((p["property_type"] for p in entity["properties"] if p["name"] == name), None)
            width += self.key_width(self.entity(type["entity_name"])) if isinstance(type, dict) else 1
        return width

    def add_many(self, entity, property):
        target = self.one(self.entities())
        property["property_type"] = {"entity_name": target["name"], "association": "to_many"}
        if self.chance(0.2):
            # The relationship is its own inverse.
            property["property_type"] |= {"entity_name": entity["name"], "inverse": property["name"]}
            return
        if self.chance(0.3):
            property["duplicates"] = True
        if self.chance(0.4):
            inverse = {
                "name": self.name("p"),
                "property_type": {
                    "entity_name": entity["name"],
                    "association": "to_many",
                    "inverse": property["name"],
                },
            }
            if self.chance(0.4) and "duplicates" not in property:
                inverse["ordered"] = True
            inverse[BIRTH] = self.now
            if not self.is_new(target):
                inverse["added_at_version"] = self.now
            property["property_type"]["inverse"] = inverse["name"]
            property["stored"] = True
            target["properties"].append(inverse)

    def expression(self, entity):
        """An expression of a computed property, with its type."""
        text = self.one(self.scalars(entity, "string"))
        number = self.one(self.scalars(entity, "int", "milliseconds"))
        choices = []
        if text:
            name = f'"{text["name"]}"'
            choices += [
                (f"{name} || '!'", "string"),
                (f"upper(substr({name}, 1, 3))", "string"),
                (f"length({name})", "int"),
                (f"coalesce(nullif({name}, ''), 'none')", "string"),
                (f"instr({name}, 'a') > 0", "bool"),
            ]
        if number:
            name = f'"{number["name"]}"'
            choices += [(f"{name} % 7", "int"), (f"{name} > 3", "bool"), (f"coalesce({name}, 0) / 2", "int")]
        return self.one(choices)

    def add_computed(self, entity, property):
        expression = self.expression(entity)
        if expression is None:
            return False
        property["computed"], property["property_type"] = expression
        if self.chance(0.3):
            property["indexed"] = True
        return True

    def add_entity_feature(self):
        """An index, a check, or a search."""
        entity = self.one(self.entities())
        if entity is None:
            return
        names = [p["name"] for p in self.scalars(entity) if p["property_type"] in DEFAULTS]
        kind = self.random.randrange(4)
        if kind == 0 and len(names) > 1:
            index = {"properties": self.random.sample(names, 2), BIRTH: self.now}
            if self.chance(0.3):
                index["properties"][0] += " desc"
            if self.chance(0.3) and self.is_new(entity):
                index["unique"] = True
            elif self.chance(0.4):
                index["where"] = self.condition(entity)
            if index.get("where", "") is None:
                del index["where"]
            if not self.is_new(entity):
                index["added_at_version"] = self.now
            entity.setdefault("indexes", []).append(index)
        elif kind == 1 and self.is_new(entity):
            number = self.one(self.scalars(entity, "int"))
            if number:
                entity.setdefault("checks", []).append(
                    {"name": self.name("check"), "where": f'"{number["name"]}" <> 4', BIRTH: self.now}
                )
        elif kind >= 2:
            texts = [p["name"] for p in self.scalars(entity, "string", "url") if p["name"] not in ("rank", "rowid")]
            if texts:
                search = {
                    "properties": self.random.sample(texts, self.random.randint(1, min(2, len(texts)))),
                    "tokenizer": self.one(["unicode61", "porter", "trigram"]),
                }
                self.set(entity, search=search if self.chance(0.8) else None)

    def condition(self, entity):
        """The condition of a partial index: an object or a text."""
        property = self.one(self.scalars(entity, "int", "string", "bool"))
        if property is None:
            return None
        if property["property_type"] == "int" and self.chance(0.5):
            return f'"{property["name"]}" > 3'
        value, other = self.default(property["property_type"]), self.default(property["property_type"])
        values = [value, [value, other], None] if property.get("nullable") else [value, [value, other]]
        return {property["name"]: self.one(values)}

    # Changes

    def change(self):
        return self.random.choices(
            [
                self.add_property, self.add_entity, self.add_entity_feature, self.rename_entity, self.swap_entities,
                self.remove_entity, self.discard_rows, self.remove_property, self.rename_property, self.swap_properties,
                self.change_nullable, self.change_default, self.change_type, self.change_index, self.change_limit,
                self.change_collation, self.change_relationship, self.change_computed, self.change_subtype,
                self.split_entity, self.fill_from, self.ask_custom, self.change_key, self.persist, self.rule, self.change_check,
            ],
            [
                16, 3, 4, 4, 1, 4, 2, 6, 7, 2,
                8, 3, 8, 4, 5,
                3, 7, 2, 9,
                4, 3, 6, 3, 3, 3, 2,
            ],
        )[0]  # fmt: skip

    def existing(self, elements):
        return [element for element in elements if not self.is_new(element)]

    def old_entity(self):
        return self.one(self.existing(self.entities()))

    def old_property(self, *types):
        entity = self.old_entity()
        if entity is None:
            return None, None
        # A unique index whose values may become equal needs a custom migration, which the interpreter does not write.
        unique = {n.removesuffix(" desc") for i in entity.get("indexes", []) if "unique" in i for n in i["properties"]}
        properties = [p for p in self.existing(self.scalars(entity, *types)) if p["name"] not in unique]
        return entity, self.one(properties)

    def rename_entity(self):
        entity = self.old_entity()
        if entity:
            self.renamed({entity["name"]: self.name("e")})

    def swap_entities(self):
        entities = self.existing(self.entities())
        if len(entities) > 1:
            one, two = self.random.sample(entities, 2)
            self.renamed({one["name"]: two["name"], two["name"]: one["name"]})

    def renamed(self, names):
        """Gives entities other names. Present fields of living elements follow."""
        renamed = [entity for entity in self.entities() if entity["name"] in names]
        for entity in renamed:
            self.set(entity, name=names[entity["name"]])
        for entity in self.entities():
            sources = entity["identifier"].get("derived_from_relationships", [])
            sources[:] = [names.get(name, name) for name in sources]
            for property in self.properties(entity):
                type = property["property_type"]
                if isinstance(type, dict) and type["entity_name"] in names:
                    type["entity_name"] = names[type["entity_name"]]

    def remove_entity(self):
        entity = self.old_entity()
        if entity is None or len(self.entities()) < 3:
            return
        others = [other for other in self.entities() if other is not entity]
        into = self.one(self.existing(others)) if self.chance(0.5) else None
        references = [
            (other, property) for other in others for property in self.properties(other)
            if isinstance(property["property_type"], dict) and property["property_type"]["entity_name"] == entity["name"]
        ]
        if any(self.is_new(property) or property["name"] in self.key_names(other) for other, property in references):
            return
        for _, property in references:
            type = property["property_type"]
            if into and type["association"] == "to_one" and "inverse" not in type and property.get("nullable"):
                self.set(property, property_type=dict(type, entity_name=into["name"]))
            else:
                property |= {"removed_at_version": self.now, "discard": True}
        for property in self.properties(entity):
            type = property["property_type"]
            if isinstance(type, dict) and "inverse" in type:
                self.remove_inverse(property)
        entity["removed_at_version"] = self.now
        if into:
            # The name is the one in the version before.
            items = [i for i in into.get("version_history", []) if i["version"] == self.now]
            former = items[0].get("previous", {}).get("name") if items else None
            entity["merged_into"] = former or into["name"]
            return
        entity["discard"] = True
        if self.chance(0.4):
            kept = self.name
            self.name = lambda prefix: entity["name"]
            self.add_entity()
            self.name = kept

    def remove_inverse(self, property):
        type = property["property_type"]
        target = self.entity(type["entity_name"])
        if target is None:
            return
        for inverse in self.properties(target):
            if inverse["name"] == type.get("inverse") and not self.is_new(inverse):
                inverse |= {"removed_at_version": self.now, "discard": True}

    def inverse(self, entity, property):
        """The inverse of a relationship; None for its own inverse, and if there is none."""
        type = property["property_type"]
        target = self.entity(type["entity_name"])
        for inverse in self.properties(target) if target else []:
            other = inverse["property_type"]
            is_inverse = isinstance(other, dict) and inverse["name"] == type.get("inverse")
            if is_inverse and inverse is not property and other["entity_name"] == entity["name"]:
                return inverse
        return None

    def key_names(self, entity):
        identifier = entity["identifier"]
        return identifier.get("properties", [identifier.get("property")])

    def discard_rows(self):
        entity = self.old_entity()
        # A required reference from a copy to its original would need a custom migration.
        if entity and not self.is_referred_by_copies(entity):
            self.item(entity)["rows"] = "discard"

    def is_referred_by_copies(self, entity, required=True):
        files = [f for f in self.files.values() if "identifier" in f and self.is_new(f) and f["version_history"][0].get("fill_from")]
        types = [p["property_type"] for f in files for p in f["properties"] if not (required and p.get("nullable"))]
        return any(isinstance(type, dict) and type["entity_name"] == entity["name"] for type in types)

    def mentions(self, entity, name):
        """The elements of an entity whose texts name a property."""
        found = []
        for element in entity.get("indexes", []) + entity.get("checks", []) + self.properties(entity):
            if "removed_at_version" in element:
                continue
            texts = element.get("properties", []) if isinstance(element.get("properties"), list) else []
            texts = [text.removesuffix(" desc") for text in texts]
            quoted = f'"{name}"'
            where = element.get("where", "")
            is_tested = name in where if isinstance(where, dict) else quoted in where
            if name in texts or is_tested or quoted in element.get("computed", ""):
                found.append(element)
        return found

    def remove_property(self):
        entity = self.old_entity()
        if entity is None:
            return
        property = self.one(self.existing(self.properties(entity)))
        if property is None or property["name"] in self.key_names(entity):
            return
        for element in self.mentions(entity, property["name"]):
            if self.is_new(element):
                return
            element["removed_at_version"] = self.now
            if "property_type" in element:
                element["discard"] = True
        if property["name"] in entity.get("search", {}).get("properties", []):
            self.set(entity, search=None)
        if isinstance(property["property_type"], dict):
            self.remove_inverse(property)
        property["removed_at_version"] = self.now
        if self.chance(0.85) or "computed" in property:
            property["discard"] = True
        if self.chance(0.3):
            again = {"name": property["name"], "added_at_version": self.now, BIRTH: self.now}
            self.add_scalar(entity, again)
            entity["properties"].append(again)

    def rename_property(self):
        entity = self.old_entity()
        if entity:
            property = self.one(self.existing(self.properties(entity)))
            if property:
                self.renamed_properties(entity, {property["name"]: self.name("p")})

    def swap_properties(self):
        entity = self.old_entity()
        properties = self.existing(self.properties(entity)) if entity else []
        if len(properties) > 1:
            one, two = self.random.sample(properties, 2)
            self.renamed_properties(entity, {one["name"]: two["name"], two["name"]: one["name"]})

    def renamed_properties(self, entity, names):
        def text(value):
            return re.sub(r'"([^"]*)"', lambda match: f'"{names.get(match[1], match[1])}"', value)

        def listed(value):
            for suffix in (" desc", ""):
                if value.endswith(suffix):
                    name = value[: len(value) - len(suffix)]
                    return names.get(name, name) + suffix

        renamed = [p for p in self.properties(entity) if p["name"] in names]
        for property in renamed:
            self.set(property, name=names[property["name"]])
        for property in self.properties(entity):
            if "computed" in property:
                property["computed"] = text(property["computed"])
        for element in entity.get("checks", []) + entity.get("indexes", []):
            if "removed_at_version" in element:
                continue
            if isinstance(element.get("where"), str):
                element["where"] = text(element["where"])
            elif "where" in element:
                element["where"] = {names.get(name, name): value for name, value in element["where"].items()}
            if "properties" in element:
                element["properties"] = [listed(each) for each in element["properties"]]
        if "search" in entity:
            entity["search"]["properties"] = [names.get(n, n) for n in entity["search"]["properties"]]
        identifier = entity["identifier"]
        if "property" in identifier:
            identifier["property"] = names.get(identifier["property"], identifier["property"])
        if "properties" in identifier:
            identifier["properties"] = [names.get(n, n) for n in identifier["properties"]]
        changes = []
        for other in self.entities():
            for inverse in self.properties(other):
                type = inverse["property_type"]
                if isinstance(type, dict) and type["entity_name"] == entity["name"] and type.get("inverse") in names:
                    changes.append((type, names[type["inverse"]]))
        for type, name in changes:
            type["inverse"] = name

    def change_nullable(self):
        entity, property = self.old_property()
        if property is None:
            return
        if not property.get("nullable"):
            return self.set(property, nullable=True)
        if "unique" in property and any(limit in property for limit in LIMITS):
            # The interpreter would give all rows that have NULL the same value.
            return
        self.set(property, nullable=None)
        if self.chance(0.8) and "unique" not in property:
            self.item(property)["fill"] = self.default(property["property_type"])

    def change_default(self):
        entity, property = self.old_property()
        if property:
            self.set(property, default_value=self.default(property["property_type"]) if self.chance(0.8) else None)

    def change_type(self):
        entity, property = self.old_property(*(["bool"] if self.chance(0.2) else []))
        if property is None or self.mentions(entity, property["name"]):
            return
        type = property["property_type"]
        inferred = {
            "bool": ["int", "string"], "int": ["string", "decimal", "double"], "float": ["double"], "url": ["string"],
            "color": ["string"], "uuid": ["string"], "kind": ["string"],
        }  # fmt: skip
        next = self.one(inferred.get(type, []) if "unique" in property or self.chance(0.75) else list(DEFAULTS))
        if next is None or next == type:
            return
        fields = {"property_type": next}
        if "default_value" in property:
            fields["default_value"] = self.default(next) if self.chance(0.5) else None
        for limit in ("minimum", "maximum", "min_length", "max_length", "pattern", "one_of", "collation"):
            if limit in property:
                fields[limit] = None
        self.set(property, **fields)

    def change_index(self):
        entity, property = self.old_property()
        if property is None or property["property_type"] not in DEFAULTS:
            return
        if "unique" in property:
            self.set(property, unique=None)
        elif self.chance(0.15) and property["property_type"] == "string" and "one_of" not in property:
            self.set(property, unique=True, indexed=None)
        else:
            self.set(property, indexed=None if property.get("indexed") else True)
        index = self.one(i for i in entity.get("indexes", []) if "removed_at_version" not in i)
        if index and not self.is_new(index) and self.chance(0.6):
            if self.chance(0.5):
                index["removed_at_version"] = self.now
            elif "unique" not in index:
                self.set(index, where=self.condition(entity), properties=index["properties"][::-1])

    def change_check(self):
        entity = self.old_entity()
        checks = entity.get("checks", []) if entity else []
        check = self.one(self.existing(each for each in checks if "removed_at_version" not in each))
        if check and self.chance(0.5):
            self.set(check, name=self.name("check"))
        elif check:
            check["removed_at_version"] = self.now

    def change_limit(self):
        entity, property = self.old_property("int", "double", "string", "data")
        if property is None or "unique" in property:
            return
        limit = self.one(l for l in ("minimum", "maximum", "min_length", "max_length", "pattern", "one_of") if l in property)
        if limit:
            value = property[limit]
            if self.chance(0.4):
                return self.set(property, **{limit: None})
            if isinstance(value, int):
                wider = {"minimum": -3, "maximum": 3, "min_length": -1, "max_length": 3}[limit]
                value = max(value + wider * self.one([1, -1]), 0 if "length" in limit else value - 9)
                self.set(property, **{limit: value})
            elif limit == "one_of":
                self.set(property, one_of=value + ["new"])
        else:
            self.add_limit(property_copy := {"property_type": property["property_type"]})
            fields = {k: v for k, v in property_copy.items() if k != "property_type"}
            if not fields:
                return
            if "default_value" in property:
                fields["default_value"] = None
            self.set(property, **fields)
        if self.chance(0.8):
            allowed = {"int": 5, "double": 5, "string": "A1", "data": "AQ=="}
            self.item(property)["fill"] = allowed[property["property_type"]]

    def change_collation(self):
        entity, property = self.old_property("string")
        if entity and self.chance(0.4):
            key = self.key_names(entity)
            property = self.one(p for p in self.existing(self.scalars(entity, "string")) if p["name"] in key)
        if property and "unique" not in property:
            self.set(property, collation=self.one({None, "nocase", "rtrim"} - {property.get("collation")}))

    def change_relationship(self):
        entity = self.old_entity()
        if entity is None:
            return
        property = self.one(p for p in self.existing(self.properties(entity)) if isinstance(p["property_type"], dict))
        if property is None:
            return
        type = property["property_type"]
        if type["association"] == "to_many":
            if "stored" in property or "inverse" not in type:
                if "duplicates" not in property and self.chance(0.5):
                    self.set(property, duplicates=True)
            elif "duplicates" not in property:
                self.set(property, ordered=None if property.get("ordered") else True)
        elif property.get("nullable") and "unique" not in property and self.chance(0.6):
            fields = {"nullable": None}
            if "inverse" in type:
                # Either side can have the join table.
                inverse = self.inverse(entity, property)
                is_other = inverse is not None and inverse["property_type"]["association"] == "to_many"
                if is_other and not self.is_new(inverse) and self.chance(0.5):
                    self.set(inverse, stored=True)
                else:
                    fields["stored"] = True
            if "on_delete" in property:
                fields["on_delete"] = None
            self.set(property, **fields)
            self.item(property)["previous"]["association"] = "to_one"
            type["association"] = "to_many"

    def rule(self):
        entity = self.old_entity()
        if entity is None:
            return
        property = self.one(
            p
            for p in self.existing(self.properties(entity))
            if isinstance(p["property_type"], dict) and p["property_type"]["association"] == "to_one"
        )
        if property:
            rules = ["cascade", "deny", "no_action"] + (["nullify"] if property.get("nullable") else [])
            self.set(property, on_delete=self.one(rules))

    def change_computed(self):
        entity = self.old_entity()
        property = self.one(p for p in self.existing(self.properties(entity)) if "computed" in p) if entity else None
        expression = self.expression(entity) if property else None
        if expression:
            self.set(property, computed=expression[0], property_type=expression[1])

    def change_subtype(self):
        subtype = self.one(self.subtypes())
        elements = subtype.get("cases") or subtype.get("options") or subtype.get("properties")
        living = [e for e in elements if "removed_at_version" not in e]
        element = self.one(self.existing(living))
        kind = self.random.randrange(4)
        if kind == 0 or element is None or element["name"] == "red":
            new = {"name": self.name("n"), "added_at_version": self.now, BIRTH: self.now}
            if "properties" in subtype:
                new["property_type"] = self.one(["string", "int", "bool", "kind", "[string]", "{string:int}", "flags"])
                if self.chance(0.5):
                    new["nullable"] = True
                else:
                    new["default_value"] = self.default(new["property_type"])
            elements.append(new)
        elif kind in (1, 2):
            self.set(element, name=self.name("n"))
        elif len(living) > 2:
            element["removed_at_version"] = self.now
            if "cases" in subtype:
                element["replaced_by"] = "red"
            else:
                element["discard"] = True

    def fill_from(self):
        entity, source = self.old_property()
        if source is None or source.get("nullable"):
            return
        type = source["property_type"]
        former = source
        for item in source.get("version_history", []):
            if item["version"] == self.now:
                former = source | (item.get("previous") or {})
        entity["properties"].append(
            {
                "name": self.name("p"),
                "property_type": type,
                "version_history": [{"version": self.now, "fill_from": former["name"]}],
                "added_at_version": self.now,
                BIRTH: self.now,
            }
        )

    def former(self, element):
        """The fields of an element in the version before."""
        for item in element.get("version_history", []):
            if item["version"] == self.now:
                return element | (item.get("previous") or {})
        return element

    def split_entity(self):
        """A new entity with copies of the rows of another one."""
        keys = ("int", "string", "uuid")
        entities = [e for e in self.existing(self.entities()) if e["identifier"]["type"] in keys]
        source = self.one(e for e in entities if not self.has_new_key(e))
        if source is None:
            return
        name = self.name("e")
        history = [{"version": self.now, "fill_from": self.former(source)["name"]}]
        entity = {"name": name, "version_history": history, "properties": [], BIRTH: self.now}
        entity["identifier"] = {"type": source["identifier"]["type"]}
        can_require = True
        for property in map(self.former, self.existing(self.scalars(source))):
            type = property["property_type"]
            if not isinstance(type, str) or type not in DEFAULTS or property.get("computed") or self.chance(0.4):
                continue
            new = {"name": property["name"] if self.chance(0.5) else self.name("p"), "property_type": type, BIRTH: self.now}
            if self.chance(0.2):
                new["property_type"] = self.one([b for a, b in sorted(INFERRED_TYPES) if a == type] or [type])
            if new["name"] != property["name"]:
                new["version_history"] = [{"version": self.now, "fill_from": property["name"]}]
            if property.get("nullable"):
                way = self.random.randrange(3 if can_require else 2)
                can_require = can_require and way < 2
                new |= [{"nullable": True}, {"default_value": self.default(new["property_type"])}, {}][way]
            elif self.chance(0.3):
                new["nullable"] = True
            entity["properties"].append(new)
        if self.chance(0.5):
            to_one = {"entity_name": source["name"], "association": "to_one"}
            reference = {"name": self.name("p"), "property_type": to_one, BIRTH: self.now}
            way = self.one([{"nullable": True}, {"on_delete": "cascade"}])
            items = source.get("version_history", [])
            is_emptied = any(i["version"] == self.now and "rows" in i for i in items)
            reference |= {"nullable": True} if is_emptied else way
            entity["properties"].append(reference)
        if self.chance(0.3):
            entity["persisted_name"] = self.name("table")
        self.files[f"{name}.json"] = entity

    def ask_custom(self):
        entity = self.old_entity()
        if entity:
            self.item(entity)["migration"] = self.one(["custom", "custom", "columns"])

    def change_key(self):
        entity = self.old_entity()
        if entity and self.is_referred_by_copies(entity, required=False):
            return
        if entity and entity["identifier"]["type"] in ("int", "string", "uuid") and self.chance(0.3):
            return self.set(entity, identifier=dict(entity["identifier"], name=self.name("key")))
        if entity and entity["identifier"]["type"] in ("int", "string"):
            identifier = dict(entity["identifier"], type=self.one(["uuid", "string"]))
            if identifier != entity["identifier"]:
                self.set(entity, identifier=identifier)

    def has_new_key(self, entity):
        """Whether the primary key of an entity changes in the present version."""
        keys = [p for p in entity["properties"] if p["name"] in self.key_names(entity)]
        return any(
            item["version"] == self.now and not {"identifier", "property_type"}.isdisjoint(item.get("previous") or {})
            for element in [entity, *keys]
            for item in element.get("version_history", [])
        )

    def persist(self):
        entity = self.old_entity()
        if entity is None:
            return
        element = self.one([entity] + self.existing(self.scalars(entity)))
        self.set(element, persisted_name=self.name("column") if self.chance(0.6) else None)


def ask_for_values(files, check):
    """Asks for the values of some properties in the migrations of single columns. `check` returns the errors.

    Only models that are compiled have such values, so that all other models stay the same.
    """
    asked = copy.deepcopy(files)
    model = Model(asked)
    for entity in model.entities:
        unique = {n.removesuffix(" desc") for i in entity.json.get("indexes", []) if "unique" in i for n in i["properties"]}
        for version, item in entity.items:
            if item.get("migration") != "columns" or version == 0:
                continue
            keys = [column.property for v in (version - 1, version) for column in entity.key_columns(v)]
            for property in entity.properties:
                is_scalar = all(property.has_columns(v) and not property.is_relationship(v) for v in (version - 1, version))
                if not is_scalar or property in keys or property.value("unique", version) or property.json["name"] in unique:
                    continue
                if hashed(f"{property.json['name']} {version}") % 3:
                    continue
                history = property.json.setdefault("version_history", [])
                items = [each for each in history if each["version"] == item["version"]]
                if not items:
                    items = [{"version": item["version"]}]
                    history.append(items[0])
                    history.sort(key=lambda each: model.index[each["version"]])
                items[0]["migration"] = "custom"
    return files if check(asked) else asked
