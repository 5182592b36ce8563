"""Resolves the descriptions of a model, version by version, as the manual says (DescriptionKeys.md, "Rules").

It shares no code with the generator. It trusts its input: the generator checks that the descriptions are valid.
"""

from functools import cached_property


def number(version):
    """The key by which versions are ordered. The betas of a version are older than the version."""
    numbers, _, beta = version.partition("-beta.")
    return [int(part) for part in numbers.split(".")], int(beta or 1e9)


class Element:
    """A part of a description with a history. The object is its lineage."""

    def __init__(self, model, json, birth=0, death=None):
        self.model, self.json = model, json
        self.items = sorted(
            ((model.index[item["version"]], item) for item in json.get("version_history", [])), key=lambda item: item[0]
        )
        self.birth = birth
        if "added_at_version" in json:
            self.birth = model.index[json["added_at_version"]]
        elif self.items and set(self.items[0][1]) <= {"version", "fill", "fill_from"}:
            self.birth = self.items[0][0]
        self.death = len(model.versions) if death is None else death
        if "removed_at_version" in json:
            self.death = model.index[json["removed_at_version"]]

    def lives(self, version):
        return self.birth <= version < self.death

    def dated(self, key, version, default=None):
        """The value of a key in a version, and the last version for which it was written."""
        for index, item in self.items:
            if index <= version:
                continue
            previous = self.previous(item)
            if key in previous:
                return previous[key] if previous[key] is not None else default, index - 1
        value = self.present.get(key)
        return default if value is None else value, self.death - 1

    def value(self, key, version, default=None):
        return self.dated(key, version, default)[0]

    @property
    def present(self):
        return self.json

    def previous(self, item):
        previous = dict(item.get("previous") or {})
        if "previous_name" in item:
            previous["name"] = item["previous_name"]
        return previous

    def name(self, version):
        return self.value("name", version)

    def after(self, version):
        """The version to which stores of a version are migrated."""
        return self.model.after(version)

    def instruction(self, key, version):
        """An instruction for the step from a version."""
        return self.dated_instruction(key, version)[0]

    def dated_instruction(self, key, version):
        """An instruction for the step from a version, and the version for which it was written. The last one counts."""
        for index, item in reversed(self.items):
            if version < index <= self.after(version) and item.get(key) is not None:
                return item[key], index
        return None, None


class Property(Element):
    def __init__(self, model, json, entity, place):
        super().__init__(model, json, entity.birth, entity.death)
        self.entity, self.place = entity, place

    RELATION = ("entity_name", "association", "inverse")

    @staticmethod
    def flattened(fields):
        """The fields, with those of a relationship beside the others."""
        fields = dict(fields)
        type = fields.get("property_type")
        if isinstance(type, dict):
            fields |= {key: type.get(key) for key in Property.RELATION}
            fields["property_type"] = "relationship"
        return fields

    @cached_property
    def present(self):
        return self.flattened(self.json)

    def previous(self, item):
        return self.flattened(super().previous(item))

    # Types

    def type(self, version):
        """The name of a scalar type or "relationship", or the subtype, or a list with one such element."""
        text, moment = self.dated("property_type", version)
        return self.model.type(text, moment)

    def is_relationship(self, version):
        return self.type(version) == "relationship"

    def is_computed(self, version):
        return self.value("computed", version) is not None

    def nullable(self, version):
        return bool(self.value("nullable", version))

    # Relationships

    def target(self, version):
        name, moment = self.dated("entity_name", version)
        return self.model.entity(name, moment)

    def inverse(self, version):
        name, moment = self.dated("inverse", version)
        return self.target(version).property(name, moment) if name else None

    def is_to_many(self, version):
        return self.value("association", version) == "to_many"

    def has_columns(self, version):
        if not self.lives(version) or self.is_computed(version):
            return False
        if not self.is_relationship(version):
            return True
        if self.is_to_many(version):
            return False
        inverse = self.inverse(version)
        return inverse is None or inverse is self or inverse.is_to_many(version) or bool(self.value("stored", version))

    def has_join_table(self, version):
        if not self.lives(version) or not self.is_relationship(version) or not self.is_to_many(version):
            return False
        inverse = self.inverse(version)
        return (
            inverse is None
            or inverse is self
            or (inverse.is_to_many(version) and bool(self.value("stored", version)))
        )

    def base(self, version):
        name = self.value("persisted_name", version)
        return name if isinstance(name, str) else self.name(version)

    def rule(self, version):
        return self.value("on_delete", version) or ("nullify" if self.nullable(version) else "deny")


class Column:
    """A column of a table. Its lineage says which column of the version before it continues."""

    def __init__(self, lineage, name, type, nullable, property=None):
        self.lineage, self.name, self.type, self.nullable = lineage, name, type, nullable
        self.property = property


class Entity(Element):
    def __init__(self, model, json):
        super().__init__(model, json)
        stored = [each for each in json["properties"] if not each.get("unused")]
        self.properties = [Property(model, each, self, place) for place, each in enumerate(stored)]
        self.indexes = [Element(model, each, self.birth, self.death) for each in json.get("indexes", [])]
        self.checks = [Element(model, each, self.birth, self.death) for each in json.get("checks", [])]

    def property(self, name, version):
        return next(p for p in self.properties if p.lives(version) and p.name(version) == name)

    def table(self, version):
        return self.value("persisted_name", version) or self.name(version)

    def key_columns(self, version):
        identifier, moment = self.dated("identifier", version)
        type = identifier["type"]
        if type in ("int", "string", "uuid"):
            return [Column(("key", self), identifier.get("name", "id"), type, False)]
        names = [identifier["property"]] if type == "property" else identifier["properties"]
        return [column for name in names for column in self.property_columns(self.property(name, moment), version)]

    def property_columns(self, property, version):
        if not property.is_relationship(version):
            return [
                Column(property, property.base(version), property.type(version), property.nullable(version), property)
            ]
        keys = property.target(version).key_columns(version)
        names = property.value("persisted_name", version) or property.name(version) + "_id"
        if len(keys) > 1 and not isinstance(names, list):
            names = [f"{property.base(version)}_{key.name}" for key in keys]
        return [
            Column((property, key.lineage), name, key.type, property.nullable(version), property)
            for key, name in zip(keys, names if isinstance(names, list) else [names])
        ]

    def columns(self, version):
        """All stored columns."""
        key = self.key_columns(version)
        columns = [column for column in key if isinstance(column.lineage, tuple) and column.lineage[0] == "key"]
        for property in self.properties:
            if property.has_columns(version):
                columns += self.property_columns(property, version)
        return columns + [
            Column(("position", reference), f"{reference.base(version)}_position", "int", True)
            for reference in self.ordering_references(version)
        ]

    def ordering_references(self, version):
        """The to-one relationships whose inverses keep an order."""
        return [
            property
            for property in self.properties
            if property.has_columns(version)
            and property.is_relationship(version)
            and (inverse := property.inverse(version))
            and inverse.is_to_many(version)
            and inverse.value("ordered", version)
        ]


class JoinTable:
    """The join table of a relationship in a version."""

    def __init__(self, property, version):
        self.property, self.version = property, version
        self.source, self.target = property.entity, property.target(version)
        self.name = property.value("persisted_name", version) or (
            f"{self.source.table(version)}_{property.name(version)}"
        )
        self.has_duplicates = bool(property.value("duplicates", version))
        inverse = property.inverse(version)
        self.has_inverse_position = bool(
            inverse and inverse is not property and inverse.is_to_many(version) and inverse.value("ordered", version)
        )

    def end(self, side):
        entity = self.source if side == "source" else self.target
        keys = entity.key_columns(self.version)
        return [
            Column((side, key.lineage), f"{side}_{key.name if len(keys) > 1 else 'id'}", key.type, False) for key in keys
        ]

    def columns(self):
        columns = self.end("source") + self.end("target") + [Column("position", "position", "int", False)]
        if self.has_inverse_position:
            columns.append(Column("inverse_position", "inverse_position", "int", True))
        return columns


class Subtype(Element):
    def __init__(self, model, json):
        super().__init__(model, json)
        self.kind = next(kind for kind in ("cases", "options", "properties") if kind in json)
        self.elements = []
        for place, each in enumerate(json[self.kind] + json.get("unused_" + self.kind, [])):
            each = {"name": each} if isinstance(each, str) else each
            element = Element(model, each, self.birth, self.death)
            element.place = place
            self.elements.append(element)

    def living(self, version):
        return [element for element in self.elements if element.lives(version)]

    def element(self, name, version):
        return next((e for e in self.living(version) if e.name(version) == name), None)

    def text(self, case, version):
        """The stored text of a case."""
        return case.value("value", version) or case.name(version)

    def bit(self, option):
        bit = -1
        for element in self.elements:
            bit = element.json.get("bit", bit + 1)
            if element is option:
                return bit
        raise ValueError

    def member_type(self, member, version):
        text, moment = member.dated("property_type", version)
        return self.model.type(text, moment)


class Dictionary(list):
    """The type of a dictionary. Its element is the type of the values."""

    def __init__(self, key, value):
        super().__init__([value])
        self.key = key

    def __eq__(self, other):
        return isinstance(other, Dictionary) and self.key == other.key and self[0] == other[0]

    def __ne__(self, other):
        return not self == other


class Model:
    """The descriptions of a model. `files` are their JSON values, by file name."""

    SCALARS = (
        "int milliseconds bool double seconds float string color url date data uuid decimal relationship".split()
    )

    def __init__(self, files):
        configuration = files.get("strata.json", {})
        files = {name: each for name, each in files.items() if name != "strata.json" and each.get("persist", True)}
        names = set(configuration.get("versions", []))

        def collect(value):
            if isinstance(value, dict):
                for key, each in value.items():
                    if key in ("version", "added_at_version", "removed_at_version") and isinstance(each, str):
                        names.add(each)
                    collect(each)
            elif isinstance(value, list):
                for each in value:
                    collect(each)

        collect(list(files.values()))
        self.versions = sorted(names, key=number)
        self.index = {name: place for place, name in enumerate(self.versions)}
        chain = configuration.get("chain", {}).items()
        # Of several versions, the first is the default.
        self.chain = {self.index[old]: self.index[ways[0] if isinstance(ways, list) else ways] for old, ways in chain}
        self.oldest = self.index.get(configuration.get("oldest_supported_version"), 0)
        self.subtypes = [Subtype(self, each) for each in files.values() if "identifier" not in each]
        self.entities = [Entity(self, each) for each in files.values() if "identifier" in each]
        #: The names of properties whose change in the newest version is too deep for SQLite.
        self.deep = ()

    def is_too_deep(self, property, version):
        """Whether a property of a version has another type than before, and SQLite cannot change its values."""
        return version == len(self.versions) - 1 and property.name(version) in self.deep

    def after(self, version):
        return self.chain.get(version, version + 1)

    def path(self, version):
        """The versions that a store of a version passes through."""
        path = [version]
        while path[-1] < len(self.versions) - 1:
            path.append(self.after(path[-1]))
        return path

    def is_passed_over(self, version):
        return any(old < version < new for old, new in self.chain.items())

    def entity(self, name, version):
        return next(e for e in self.entities if e.lives(version) and e.name(version) == name)

    def living(self, version):
        return [entity for entity in self.entities if entity.lives(version)]

    def type(self, text, version):
        if text.startswith("["):
            return [self.type(text[1:-1], version)]
        if text.startswith("{"):
            key, value = text[1:-1].split(":", 1)
            return Dictionary(key, self.type(value, version))
        if text in self.SCALARS:
            return text
        return next(s for s in self.subtypes if s.lives(version) and s.name(version) == text)

    def join_tables(self, version):
        """The join tables, by their lineages."""
        return {
            property: JoinTable(property, version)
            for entity in self.living(version)
            for property in entity.properties
            if property.has_join_table(version)
        }

    def tables(self, version):
        """The columns of all tables, by the lineages of the tables, with their names."""
        tables = {entity: (entity.table(version), entity.columns(version)) for entity in self.living(version)}
        for property, join in self.join_tables(version).items():
            tables[property] = (join.name, join.columns())
        return tables
