"""Carries out the steps of a model on rows in memory, as the manual says (InferredMigrations.md, CustomMigrations.md).

A state has the rows of each table by the table's lineage; a row has its values by the lineages of the columns. Values are
those of SQLite: None, int, float, str and bytes.
"""

import base64
import json
import re
import sqlite3
import struct
from datetime import datetime, timezone
from decimal import Decimal, getcontext
from functools import cache, cached_property

from descriptions import Dictionary, Subtype

INFERRED_TYPES = {
    ("bool", "int"), ("int", "decimal"), ("int", "double"), ("float", "double"), ("bool", "string"), ("int", "string"), ("url", "string"),
    ("color", "string"), ("uuid", "string"),
}  # fmt: skip


getcontext().prec = 60


class Refused(Exception):
    """The migration has to fail: a delete rule forbids it."""


# Values


def literal(value, type, version):
    """A value of a description as SQLite stores it."""
    if value is None:
        return None
    if isinstance(type, list):
        return Parsed(member_literal(value, type, version))
    if isinstance(type, Subtype):
        if type.kind == "cases":
            return type.text(type.element(value, version), version)
        if type.kind == "options":
            return sum(1 << type.bit(type.element(name, version)) for name in value)
        return Parsed(member_literal(value, type, version))
    if type in ("int", "milliseconds"):
        return int(value)
    if type == "bool":
        return int(value)
    if type in ("double", "seconds"):
        return float(value)
    if type == "float":
        return struct.unpack("f", struct.pack("f", value))[0]
    if type == "date":
        if not isinstance(value, str):
            return float(value)
        moment = datetime.fromisoformat(value.replace("Z", "+00:00"))
        return (moment - datetime(2001, 1, 1, tzinfo=timezone.utc)).total_seconds()
    if type == "data":
        return base64.b64decode(value)
    if type == "uuid":
        return bytes.fromhex(value.replace("-", ""))
    if type == "decimal":
        return f"{Decimal(value).normalize():f}"
    return str(value)


def member_literal(value, type, version):
    """A value of a description as JSON stores it, in a list or a struct."""
    if isinstance(type, Dictionary):
        keys = sorted(value, key=int if type.key == "int" else str)
        return {key: member_literal(value[key], type[0], version) for key in keys}
    if isinstance(type, list):
        return [member_literal(each, type[0], version) for each in value]
    if isinstance(type, Subtype) and type.kind == "properties":
        members = {}
        for member in type.living(version):
            name = member.name(version)
            given = value.get(name, member.value("default_value", version))
            if given is not None:
                members[name] = member_literal(given, type.member_type(member, version), version)
        return members
    if isinstance(type, Subtype):
        return literal(value, type, version)
    return value


def uuid_text(value):
    text = value.hex().upper()
    return "-".join([text[:8], text[8:12], text[12:16], text[16:20], text[20:]])


def converts(old, new, version):
    """Whether Strata infers the change of a type in the step from `version`."""
    if isinstance(old, list) != isinstance(new, list):
        return False
    if isinstance(old, list) and getattr(old, "key", None) != getattr(new, "key", None):
        return False
    if isinstance(old, list):
        return isinstance(old[0], (Subtype, list)) and converts(old[0], new[0], version) or old == new
    if isinstance(old, Subtype) and isinstance(new, Subtype):
        if old is not new:
            return False
        after = old.after(version)
        for element in old.living(version):
            if element.lives(after):
                if old.kind == "properties":
                    types = old.member_type(element, version), old.member_type(element, after)
                    required = element.value("nullable", version) and not element.value("nullable", after)
                    if required or not converts(*types, version):
                        return False
            elif not element.json.get("replaced_by") and not element.json.get("discard"):
                return False
        return all(
            old.kind != "properties"
            or element.lives(version)
            or element.value("nullable", after)
            or element.value("default_value", after) is not None
            for element in old.living(after)
        )
    if isinstance(old, Subtype):
        return old.kind == "cases" and new == "string"
    return old == new or (old, new) in INFERRED_TYPES


def is_changed(type, version):
    """Whether the step from `version` may change the stored values of a type that both versions have."""
    if isinstance(type, list):
        return is_changed(type[0], version)
    if not isinstance(type, Subtype):
        return False
    after = type.after(version)
    for element in type.elements:
        if element.lives(version) != element.lives(after):
            if type.kind == "properties" or not element.lives(after):
                return True
        elif element.lives(version):
            if type.kind == "cases" and type.text(element, version) != type.text(element, after):
                return True
            if type.kind == "properties":
                old, new = type.member_type(element, version), type.member_type(element, after)
                if element.name(version) != element.name(after) or old != new or is_changed(old, version):
                    return True
    return False


def converted(value, old, new, version):
    """The value of a column after the step from `version`."""
    if value is None:
        return None
    if isinstance(old, list) or (isinstance(old, Subtype) and old.kind == "properties"):
        if not is_changed(old, version) and old == new:
            return value
        parsed = value if isinstance(value, Parsed) else Parsed.reading(value)
        return Parsed(converted_json(parsed.value, old, new, version))
    if isinstance(old, Subtype):
        if old.kind == "options":
            for option in old.living(version):
                if not option.lives(old.after(version)):
                    value &= ~(1 << old.bit(option))
            return value
        if new == "string":
            return value
        return converted_case(value, old, version)
    if (old, new) == ("bool", "string"):
        return "true" if value else "false"
    if old == "uuid" and new == "string":
        return uuid_text(value)
    if old == "int" and new in ("string", "decimal"):
        return str(value)
    if old == "int" and new == "double":
        return float(value)
    return value


def converted_case(value, type, version):
    after = type.after(version)
    for case in type.living(version):
        if type.text(case, version) == value:
            if case.lives(after):
                return type.text(case, after)
            name = case.json["replaced_by"]
            return type.text(type.element(name, case.death - 1) or type.element(name, case.death), after)
    return value


def converted_json(value, old, new, version):
    if value is None:
        return None
    if isinstance(old, Dictionary):
        return {key: converted_json(each, old[0], new[0], version) for key, each in value.items()}
    if isinstance(old, list):
        return [converted_json(each, old[0], new[0], version) for each in value]
    if not isinstance(old, Subtype):
        return converted(value, old, new, version)
    if old.kind != "properties":
        return converted(value, old, new, version)
    result, after = {}, old.after(version)
    for member in old.living(after):
        name, type = member.name(after), old.member_type(member, after)
        if not member.lives(version):
            default = member.value("default_value", after)
            if default is not None:
                result[name] = member_literal(default, type, after)
        elif member.name(version) in value:
            former = old.member_type(member, version)
            result[name] = converted_json(value[member.name(version)], former, type, version)
    return result


class Parsed:
    """A JSON text whose members may be in any order, with any white space."""

    def __init__(self, value):
        self.value = value

    @staticmethod
    def reading(value):
        """A text as JSON. Anything else stays the same."""
        try:
            return Parsed(json.loads(value)) if isinstance(value, str) else value
        except ValueError:
            return value

    def __eq__(self, other):
        return isinstance(other, Parsed) and stripped(self.value) == stripped(other.value)

    def __hash__(self):
        return hash(json.dumps(stripped(self.value), sort_keys=True))

    def __repr__(self):
        return json.dumps(self.value, ensure_ascii=False)


def stripped(value):
    """JSON without members that are null, which mean the same as absent ones. 1 and true stay different."""
    if isinstance(value, dict):
        return {key: stripped(each) for key, each in value.items() if each is not None}
    if isinstance(value, list):
        return [stripped(each) for each in value]
    return (type(value).__name__, value)


def plain(value):
    """A value that SQLite can store."""
    return json.dumps(value.value, ensure_ascii=False) if isinstance(value, Parsed) else value


# Limits


def glob(pattern, text):
    """SQLite's GLOB, as a regular expression."""
    parts, place = [], 0
    while place < len(pattern):
        letter = pattern[place]
        if letter == "*":
            parts.append(".*")
        elif letter == "?":
            parts.append(".")
        elif letter == "[":
            end = pattern.index("]", place + 2)
            parts.append("[" + pattern[place + 1 : end] + "]")
            place = end
        else:
            parts.append(re.escape(letter))
        place += 1
    return re.fullmatch("".join(parts), text, re.DOTALL) is not None


LIMITS = ("minimum", "maximum", "min_length", "max_length", "pattern", "one_of")


def violates(value, property, version):
    """Whether a value violates a limit of a version."""
    if value is None:
        return False
    type, collation = property.type(version), [property.value("collation", version)]
    for limit in LIMITS:
        bound = property.value(limit, version)
        if bound is None:
            continue
        if limit in ("minimum", "maximum"):
            bound = literal(bound, type, version)
        if limit == "one_of":
            bound = [folded([literal(each, type, version)], collation) for each in bound]
        if (
            (limit == "minimum" and value < bound)
            or (limit == "maximum" and value > bound)
            or (limit == "min_length" and len(value) < bound)
            or (limit == "max_length" and len(value) > bound)
            or (limit == "pattern" and not glob(bound, value))
            or (limit == "one_of" and folded([value], collation) not in bound)
        ):
            return True
    return False


def is_stricter(property, version):
    """Whether the step from `version` may make valid values invalid."""
    old, new = version, property.after(version)
    for limit in LIMITS:
        before, after = property.value(limit, old), property.value(limit, new)
        if after is None or before == after:
            continue
        if before is None:
            return True
        type = property.type(new)
        if limit in ("minimum", "maximum"):
            before, after = literal(before, property.type(old), old), literal(after, type, new)
        if (
            (limit in ("minimum", "min_length") and after > before)
            or (limit in ("maximum", "max_length") and after < before)
            or limit == "pattern"
            or (limit == "one_of" and not set(map(str, before)) <= set(map(str, after)))
        ):
            return True
    return False


# Expressions

STORAGE = {
    "int": "INTEGER", "milliseconds": "INTEGER", "bool": "INTEGER", "double": "REAL", "seconds": "REAL", "float": "REAL",
    "date": "REAL", "data": "BLOB", "uuid": "BLOB",
}  # fmt: skip


def storage(type):
    if isinstance(type, Subtype) and type.kind == "options":
        return "INTEGER"
    return STORAGE.get(type, "TEXT") if isinstance(type, str) else "TEXT"


scratch = sqlite3.connect(":memory:")


def evaluated(text, entity, row, version, moment):
    """The value of an expression of a description over a row. The names in the text are those of `moment`."""
    names, values = [], []
    for property in entity.properties:
        if property.lives(moment) and property.lives(version) and property.has_columns(version):
            if not property.is_relationship(version):
                collation = property.value("collation", version) or "binary"
                names.append('"' + property.name(moment).replace('"', '""') + f'" COLLATE {collation}')
                values.append(plain(row[property]))
    table = scratch_table(tuple(names))
    scratch.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(names))})", values)
    result = scratch.execute(f"SELECT ({text}) FROM {table}").fetchone()[0]
    scratch.execute(f"DELETE FROM {table}")
    return result


@cache
def scratch_table(names):
    """A table with these columns. SQLite takes `"false"` in a subquery for a value, but not in a table."""
    table = f"scratch_{len(scratch.execute('SELECT name FROM sqlite_schema').fetchall())}"
    scratch.execute(f"CREATE TABLE {table} ({', '.join(names)})")
    return table


def computed(property, row, version):
    """The value of a computed property."""
    text, moment = property.dated("computed", version)
    value = evaluated(text, property.entity, row, version, moment)
    return scratch.execute(f"SELECT CAST(? AS {storage(property.type(version))})", (value,)).fetchone()[0]


# Custom migrations


def hashed(text):
    """FNV-1a with 32 bits."""
    value = 0x811C9DC5
    for byte in text.encode():
        value = ((value ^ byte) * 0x01000193) & 0xFFFFFFFF
    return value


def uuid_for(text):
    """The UUID that `MigrationContext.uuid(for:)` documents."""
    mask, result = (1 << 64) - 1, []
    for seed in (0xCBF29CE484222325, 0x9E3779B97F4A7C15):
        value = seed
        for byte in text.encode():
            value = ((value ^ byte) * 0x00000100000001B3) & mask
        value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & mask
        value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & mask
        value ^= value >> 31
        result += value.to_bytes(8, "big")
    result[6] = result[6] & 0x0F | 0x80
    result[8] = result[8] & 0x3F | 0x80
    return bytes(result)


def key_text(key):
    """The text of a primary key, from which the values of a custom migration are computed."""
    return "/".join(uuid_text(part) if isinstance(part, bytes) else str(part) for part in key)


class CustomEntity:
    """What the custom migration of an entity does in a step, as far as the descriptions decide it."""

    #: Whether a migration may fail, because a delete rule forbids deleting rows that other deleted rows refer to.
    can_be_refused = True

    def __init__(self, model, entity, version):
        self.model, self.entity, self.version = model, entity, version
        old, new = version, model.after(version)
        self.new = new
        self.is_asked = entity.instruction("migration", old) in ("custom", "columns")
        #: The stored properties whose values the custom migration computes, with the reason.
        self.given = {}
        #: The relationships to an entity whose primary key gets another type.
        self.followed = []
        #: The relationships to an entity that is merged into another one, and now to that one.
        self.redirected = []
        #: The relationships to an entity whose rows are discarded, unless their references become NULL without code.
        self.lost = []
        before, after = entity.key_columns(old), entity.key_columns(new)
        self.changes_key = [c.lineage for c in before] != [c.lineage for c in after] or [c.type for c in before] != [
            c.type for c in after
        ]
        self.changes_collation = not self.changes_key and collations(entity, old) != collations(entity, new)
        for property in entity.properties:
            if not property.has_columns(new):
                continue
            if property.is_relationship(new):
                target = property.target(new)
                if discards_target(property, version):
                    if not property.nullable(new) or property.rule(new) != "nullify":
                        self.lost.append(property)
                elif property.has_columns(old) and property.target(old) is not target:
                    self.redirected.append(property)
                elif property.has_columns(old) and target.lives(old):
                    if type_of_key(target, old) != type_of_key(target, new):
                        self.followed.append(property)
                continue
            reason = self.reason(property)
            if reason:
                self.given[property] = reason

    def reason(self, property):
        old, new = self.version, self.new
        if property.instruction("migration", old) == "custom":
            return "asked"
        fill, source, moment = filling(property, old)
        has_value, is_lost = property.value("default_value", new) is not None, False
        if fill is not None:
            # A step that passes over versions does not convert the value.
            type = property.type(new)
            is_lost = property.type(moment) != type or present(fill, type, moment, new) is None
            has_value = True
        elif source is not None:
            is_lost = not source.has_columns(old) or not converts(source.type(old), property.type(new), old)
            has_value = has_value or not source.nullable(old)
        if not property.lives(old):
            return "new" if is_lost or not (property.nullable(new) or has_value) else None
        if not converts(property.type(old), property.type(new), old) or self.model.is_too_deep(property, new):
            return "type"
        if property.nullable(old) and not property.nullable(new) and (is_lost or not has_value):
            return "required"
        if property.value("unique", new) and not property.value("unique", old):
            return "unique"
        if is_stricter(property, old) and (fill is None or is_lost):
            return "limit"
        has_other_collation = property.value("collation", old) != property.value("collation", new)
        if has_other_collation and property.value("one_of", new) is not None:
            return "limit"
        return None

    @property
    def changes_checked(self):
        """Whether the step changes values that a check compares: Strata does not decide whether the new ones satisfy it."""
        old, new = self.version, self.new
        for check in self.entity.checks:
            text, moment = check.dated("where", new)
            for property in self.entity.properties:
                if check.lives(new) and property.lives(moment) and f'"{property.name(moment)}"' in text:
                    becomes_required = property.nullable(old) and not property.nullable(new)
                    if property.lives(old) and (becomes_required or is_stricter(property, old)):
                        return True
        return False

    @property
    def is_needed(self):
        changes = self.changes_key or self.changes_collation or self.changes_checked
        return self.is_asked or changes or bool(self.given or self.followed or self.redirected or self.lost)

    @property
    def can_drop(self):
        """Whether the custom migration drops rows."""
        return self.is_asked and self.is_droppable

    @cached_property
    def is_droppable(self):
        """Whether no delete rule forbids dropping rows, neither of references to the rows nor of references to those that
        are deleted with them."""
        new, reached, pending = self.new, {self.entity}, [self.entity]
        while pending:
            entity = pending.pop()
            for other in self.model.living(new):
                for property in other.properties:
                    if not property.has_columns(new) or not property.is_relationship(new):
                        continue
                    if property.target(new) is not entity:
                        continue
                    rule = property.rule(new)
                    if rule == "cascade" and other not in reached:
                        reached.add(other)
                        pending.append(other)
                    if rule in ("deny", "no_action") and not (self.can_be_refused and entity is not self.entity):
                        return False
        return True

    @property
    def drops_all(self):
        """Whether no row can stay, because each refers to a discarded row."""
        return any(not property.nullable(self.new) for property in self.lost)

    def drops(self, key):
        return self.drops_all or (self.can_drop and hashed(key_text(key)) % 5 == 0)

    @cached_property
    def can_merge(self):
        """Whether the custom migration merges rows. It fails if references that have to differ become equal."""
        if not self.can_drop or self.changes_key:
            return False
        return self.can_be_refused or not (
            is_referred_once(self.model, self.entity, self.new) or has_cascade(self.entity, self.new)
        )

    def merges(self, key):
        return self.can_merge and hashed(key_text(key)) % 7 == 0

    def value(self, property, reason, row, key):
        """The value that the custom migration gives a property."""
        old, new = self.version, self.new
        type, text = property.type(new), key_text(key)
        former = row.get(property) if property.lives(old) else None
        if reason == "required" and former is not None:
            return converted(former, property.type(old), type, old)
        if reason == "limit" and not violates(former, property, new):
            return former
        if reason == "unique":
            return None if former is None else "u" + text
        if reason == "type" and former is None and property.nullable(new):
            return None
        return made_up(property, type, text, new)


def is_unique(property, version):
    """Whether no two rows have the same value or reference."""
    inverse = property.inverse(version) if property.is_relationship(version) else None
    return bool(property.value("unique", version)) or (inverse is not None and not inverse.is_to_many(version))


def has_cascade(entity, version):
    """Whether rows of an entity are deleted together with rows that they refer to."""
    return any(
        property.has_columns(version) and property.is_relationship(version) and property.rule(version) == "cascade"
        for property in entity.properties
    )


def is_referred_once(model, entity, version):
    """Whether at most one row may refer to each row of an entity: references are unique, or parts of primary keys."""
    for other in model.living(version):
        keys = [column.property for column in other.key_columns(version)]
        for property in other.properties:
            if property.has_columns(version) and property.is_relationship(version) and property.target(version) is entity:
                if property in keys or is_unique(property, version):
                    return True
    return False


def collations(entity, version):
    """The collations of the primary key. References are compared byte by byte."""
    properties = [column.property for column in entity.key_columns(version)]
    return [p.value("collation", version) if p and not p.is_relationship(version) else None for p in properties]


def folded(key, collations):
    """A primary key, such that equal ones are those that SQLite takes for equal."""
    lower = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}

    def fold(part, collation):
        if not isinstance(part, str) or collation is None:
            return part
        return part.translate(lower) if collation == "nocase" else part.rstrip(" ")

    return tuple(fold(part, collation) for part, collation in zip(key, collations))


def discards_target(property, version):
    """Whether the step from `version` discards the rows that a relationship refers to."""
    if not property.lives(version) or not property.is_relationship(version):
        return False
    target = property.target(property.after(version))
    return property.target(version) is target and target.instruction("rows", version) == "discard"


def present(value, type, moment, version):
    """A value of a description with the names of another version; None if an element is missing there."""
    if isinstance(type, Dictionary):
        values = {key: present(each, type[0], moment, version) for key, each in value.items()}
        return None if None in values.values() else values
    if isinstance(type, list):
        values = [present(each, type[0], moment, version) for each in value]
        return None if None in values else values
    if not isinstance(type, Subtype):
        return value
    names = value if isinstance(value, (list, dict)) else [value]
    elements = {name: type.element(name, moment) for name in names}
    if not all(element and element.lives(version) for element in elements.values()):
        return None
    if isinstance(value, dict):
        types = {name: type.member_type(element, version) for name, element in elements.items()}
        members = {elements[n].name(version): present(each, types[n], moment, version) for n, each in value.items()}
        return None if None in members.values() else members
    present_names = [elements[name].name(version) for name in names]
    return present_names if isinstance(value, list) else present_names[0]


def filling(property, version):
    """The `fill` of a property in the step from `version`, the property of its `fill_from`, and the version of its item."""
    fill, moment = property.dated_instruction("fill", version)
    source, written = property.dated_instruction("fill_from", version)
    if source is None or (moment or -1) > written:
        return fill, None, moment
    return None, property.entity.property(source, written - 1), written


def type_of_key(entity, version):
    return [column.type for column in entity.key_columns(version)]


def made_up(property, type, text, version):
    """A value of a type that depends on a text only, and satisfies the limits."""
    for limit in ("one_of",):
        allowed = property.value(limit, version)
        if allowed is not None:
            return literal(allowed[0], type, version)
    for limit in ("minimum", "maximum"):
        bound = property.value(limit, version)
        if bound is not None:
            return literal(bound, type, version)
    h = hashed(text) % 1000
    if property.value("pattern", version):
        return "A1"
    if isinstance(type, list):
        return "{}" if isinstance(type, Dictionary) else "[]"
    if isinstance(type, Subtype):
        if type.kind == "properties":
            given = {"string": "", "int": 0, "bool": False, "[string]": [], "{string:int}": {}, "flags": []}
            members = [m for m in type.living(version) if not m.value("nullable", version)]
            members = [m for m in members if m.value("default_value", version) is None]
            return literal({m.name(version): given[m.value("property_type", version)] for m in members}, type, version)
        return {"cases": lambda: type.text(type.living(version)[0], version), "options": lambda: 0}[type.kind]()
    most = property.value("max_length", version)
    made = {
        "int": h, "milliseconds": h, "bool": h % 2, "double": h / 4, "seconds": h / 4, "float": h / 4, "date": float(h),
        "string": f"c{h}", "url": f"https://example.org/{h}", "color": f"#{h:06X}", "data": bytes([h % 256, 1]),
        "uuid": uuid_for("p" + text), "decimal": f"{h}.5",
    }[type]  # fmt: skip
    if most is not None:
        made = made[:most]
    least = property.value("min_length", version)
    if least is not None and len(made) < least:
        made += (" " if isinstance(made, str) else b" ") * (least - len(made))
    return made


def new_key(entity, version, key):
    """The new primary key of a row, if the type of the primary key changes."""
    text = "k" + key_text(key)
    made = {"string": text, "uuid": uuid_for(text), "int": hashed(text)}
    former = {(c.lineage, c.type): part for c, part in zip(entity.key_columns(version), key)}
    columns = entity.key_columns(entity.after(version))
    return tuple(former.get((column.lineage, column.type), made[column.type]) for column in columns)


# Steps


class Step:
    """The step from a version to the one to which its stores are migrated."""

    def __init__(self, model, version):
        self.model, self.old, self.new = model, version, model.after(version)
        self.custom = {}
        for entity in model.living(self.new):
            if entity.lives(self.old) and entity.instruction("rows", self.old) != "discard":
                custom = CustomEntity(model, entity, version)
                if custom.is_needed:
                    self.custom[entity] = custom

        #: The entities into which removed ones are merged.
        self.merged = {
            entity: target
            for entity in model.living(version)
            if not entity.lives(self.new) and "merged_into" in entity.json
            and (target := model.entity(entity.json["merged_into"], entity.death - 1)).lives(self.new)
        }

    def key(self, entity, row, version):
        return tuple(row[column.lineage] for column in entity.key_columns(version))

    def run(self, state):
        """The state after the step. `self.outcomes` has the result of the custom migrations."""
        # The steps that are refused drop the rows of merged entities, and add none.
        self.outcomes = {e: {self.key(e, row, self.old): ("drop", None) for row in state[e]} for e in self.merged}
        self.added, self.before = {}, state
        #: The entities that new ones get their rows from.
        self.copied = {}
        #: The new row of each old primary key: the row that it was merged into, or None if it is gone.
        self.rows = {}
        result = {}
        for entity in self.model.living(self.new):
            result[entity] = self.entity_rows(entity, state[entity]) if entity.lives(self.old) else self.copied_rows(entity, state)
        for property, join in self.model.join_tables(self.new).items():
            result[property] = self.join_rows(property, join, state)
        refusal = self.drop_references(result)
        # What custom code does is complete also for a step that is refused.
        self.move_references(result)
        if refusal:
            raise Refused(refusal)
        self.follow_joins(result)
        self.merge(result)
        self.add(result)
        self.check_unique(result)
        return result

    def copied_rows(self, entity, state):
        """The rows that a new entity gets from another one."""
        self.rows[entity] = {}
        name, moment = entity.dated_instruction("fill_from", self.old)
        source = name and self.model.entity(name, moment - 1)
        if not source or not source.lives(self.old):
            return []
        rows, self.copied[entity] = [], source
        for old in state[source]:
            new = {}
            for column, key in zip(entity.key_columns(self.new), source.key_columns(self.old)):
                new[column.lineage] = old[key.lineage]
            for column in entity.columns(self.new):
                property = column.property
                if column.lineage in new or property is None:
                    new.setdefault(column.lineage, None)
                elif property.is_relationship(self.new):
                    part = column.lineage[1]
                    is_own = property.target(self.new) is source and source.instruction("rows", self.old) != "discard"
                    new[column.lineage] = old[part] if is_own else None
                else:
                    new[property] = self.copied_value(property, source, old)
            if all(column.nullable or new[column.lineage] is not None for column in entity.columns(self.new)):
                rows.append(new)
        return rows

    def copied_value(self, property, source, row):
        """The value of a property of a copied row: of the property that it names, or else of the one with its name."""
        name, moment = property.dated_instruction("fill_from", self.old)
        name, moment = (name, moment) if name else (property.name(property.birth), property.birth)
        type, value = property.type(self.new), None
        for other in source.properties:
            if other.lives(moment - 1) and other.name(moment - 1) == name and other.has_columns(self.old):
                value = converted(row[other], other.type(self.old), type, self.old)
        return literal(property.value("default_value", self.new), type, self.new) if value is None else value

    def entity_rows(self, entity, before):
        """The new rows of an entity, with the references that they had."""
        after = self.rows[entity] = {}
        if entity.instruction("rows", self.old) == "discard":
            after.update({self.key(entity, row, self.old): None for row in before})
            return []
        rows, merged = [], []
        custom = self.custom.get(entity)
        if custom:
            outcomes = self.outcomes[entity] = {}
            kept = [key for row in before if not custom.drops(key := self.key(entity, row, self.old))]
            target = min(kept, key=lambda key: key_text(key).encode(), default=None)
            # Rows that the new collation takes for equal are merged.
            first = {}
            for key in [target, *kept] if custom.changes_collation and kept else []:
                first.setdefault(folded(key, collations(entity, self.new)), key)
        for row in before:
            key = self.key(entity, row, self.old)
            if custom and custom.drops(key):
                after[key] = None
                outcomes[key] = ("drop", None)
                continue
            if custom and custom.merges(key) and key != target:
                merged.append((key, target))
                continue
            same = first[folded(key, collations(entity, self.new))] if custom and custom.changes_collation else key
            if same != key:
                merged.append((key, same))
                continue
            new = self.inferred(entity, row, custom)
            if custom:
                for property, reason in custom.given.items():
                    new[property] = custom.value(property, reason, row, key)
                if custom.changes_key:
                    for column, part in zip(entity.key_columns(self.new), new_key(entity, self.old, key)):
                        if column.property is None or not column.property.is_relationship(self.new):
                            new[column.lineage] = part
                outcomes[key] = ("keep", new)
            after[key] = new
            rows.append(new)
        for key, other in merged:
            after[key] = after[other]
            outcomes[key] = ("merge", after[other])
        return rows

    # Rows that the custom migration adds

    def merge(self, result):
        """Turns the rows of removed entities into rows of the entities that they are merged into."""
        for entity, target in self.merged.items():
            kept = self.unchanged_row(target)
            outcomes, rows = self.outcomes[entity], self.rows.setdefault(entity, {})
            for row in self.before[entity]:
                key = self.key(entity, row, self.old)
                text = f"{entity.name(self.old)} {key_text(key)}"
                new = None if hashed(text) % 5 == 0 else self.made_row(target, text, result)
                if new and kept and hashed(text) % 7 == 0:
                    outcomes[key], rows[key] = ("merge", kept), kept
                elif new:
                    outcomes[key], rows[key] = ("keep", new), new
                    result[target].append(new)
                else:
                    outcomes[key], rows[key] = ("drop", None), None
        for entity, custom in self.custom.items():
            for property in custom.redirected:
                self.redirect(entity, property, result)

    def unchanged_row(self, entity):
        """A row into which rows of a removed entity are merged: one whose primary key the step does not change."""
        rows = {key: row for key, row in self.rows.get(entity, {}).items() if row is not None}
        same = [row for key, row in rows.items() if key == self.key(entity, row, self.new)]
        return min(same, key=lambda row: key_text(self.key(entity, row, self.new)).encode(), default=None)

    def redirect(self, entity, property, result):
        """Lets references to merged rows refer to their new rows, or to none."""
        former, target = property.target(self.old), property.target(self.new)
        referred, rows = self.referred(former), self.rows[former]
        before = {self.key(entity, row, self.old): row for row in self.before[entity]}
        for key, row in self.rows[entity].items():
            if row is None or self.outcomes[entity][key][0] != "keep":
                continue
            values = tuple(before[key][property, column.lineage] for column in former.key_columns(self.old))
            to = rows.get(referred(values))
            after = self.key(target, to, self.new) if to is not None else [None] * len(target.key_columns(self.new))
            row.update({(property, c.lineage): part for c, part in zip(target.key_columns(self.new), after)})

    def add(self, result):
        """Adds rows to some entities in a step with a custom migration."""
        if not self.is_custom:
            return
        for entity in self.model.living(self.new):
            text = f"{entity.name(self.new)} {self.new}"
            if hashed(text) % 3 == 0:
                rows = [self.made_row(entity, f"{text} {number}", result) for number in range(2)]
                rows = self.added[entity] = [row for row in rows if row]
                result[entity] += rows

    @property
    def is_custom(self):
        return bool(self.custom or self.merged)

    def made_row(self, entity, text, result):
        """A new row whose values depend on a text only; None if there is no row that it can refer to."""
        version, row = self.new, {}
        if any(index.lives(version) and index.value("unique", version) for index in entity.indexes):
            return None
        key = [column.lineage for column in entity.key_columns(version)]
        for column in entity.columns(version):
            property, kind = column.property, column.type
            if property and property.is_relationship(version):
                inverse = property.inverse(version)
                is_single = property.value("unique", version) or (inverse is not None and not inverse.is_to_many(version))
                if property.nullable(version) and (is_single or hashed(text) % 2):
                    row[column.lineage] = None
                elif is_single or not result[property.target(version)]:
                    return None
                else:
                    target = property.target(version)
                    columns = [c.lineage for c in target.key_columns(version)]
                    keys = sorted((tuple(r[c] for c in columns) for r in result[target]), key=key_text)
                    row[column.lineage] = keys[0][columns.index(column.lineage[1])]
            elif column.lineage in key:
                if property and any(property.value(limit, version) is not None for limit in LIMITS):
                    return None
                row[column.lineage] = {"string": text, "uuid": uuid_for(text), "int": hashed(text)}[kind]
            elif property is None or property.nullable(version) and property.value("unique", version):
                row[column.lineage] = None
            elif property.value("unique", version):
                return None
            else:
                row[property] = made_up(property, kind, text, version)
        return row

    def inferred(self, entity, row, custom):
        """The new row, as far as it is inferred."""
        new = {}
        for column in entity.columns(self.new):
            property = column.property
            if property is None or property.is_relationship(self.new):
                kind, part = column.lineage
                reference = part if kind == "position" else property
                is_lost = reference is not None and discards_target(reference, self.old)
                value = None if is_lost else row.get(column.lineage)
                if kind == "key" and value is None:
                    continue
                new[column.lineage] = value
            elif not (custom and property in custom.given):
                new[property] = self.value(property, row)
        return new

    def value(self, property, row):
        type = property.type(self.new)
        fill, source, moment = filling(property, self.old)
        fill = None if fill is None else literal(present(fill, type, moment, self.new), type, self.new)
        backfill = fill
        if source is not None and source.has_columns(self.old):
            backfill = converted(row[source], source.type(self.old), type, self.old)
        if backfill is None:
            backfill = literal(property.value("default_value", self.new), type, self.new)
        if not property.lives(self.old):
            return backfill
        value = converted(row[property], property.type(self.old), type, self.old)
        if value is None and property.nullable(self.old) and not property.nullable(self.new):
            value = backfill
        if fill is not None and is_stricter(property, self.old) and violates(value, property, self.new):
            value = fill
        return value

    def join_rows(self, property, join, state):
        if property.has_join_table(self.old):
            rows = []
            for row in state[property]:
                new = dict(row)
                if join.has_inverse_position:
                    new.setdefault("inverse_position", None)
                else:
                    new.pop("inverse_position", None)
                rows.append(new)
            return rows
        if property.has_columns(self.old) and property.lives(self.old):
            # A to-one relationship becomes a to-many relationship.
            rows = []
            source, target = property.entity.key_columns(self.old), property.target(self.old).key_columns(self.old)
            for row in state[property.entity]:
                if row[property, target[0].lineage] is None:
                    continue
                new = {("source", column.lineage): row[column.lineage] for column in source}
                new |= {("target", column.lineage): row[property, column.lineage] for column in target}
                new["position"] = 0
                if join.has_inverse_position:
                    new["inverse_position"] = row.get(("position", property))
                rows.append(new)
            return rows
        inverse = property.lives(self.old) and property.is_relationship(self.old) and property.inverse(self.old)
        if inverse and inverse.has_columns(self.old):
            # The foreign key was in the target's table.
            rows = []
            source, target = property.entity.key_columns(self.old), inverse.entity.key_columns(self.old)
            for row in state[inverse.entity]:
                if row[inverse, source[0].lineage] is None:
                    continue
                new = {("source", column.lineage): row[inverse, column.lineage] for column in source}
                new |= {("target", column.lineage): row[column.lineage] for column in target}
                position = row.get(("position", inverse))
                if not property.value("ordered", self.old):
                    new["position"] = 0
                else:
                    new["position"] = 2**32 if position is None else position
                if join.has_inverse_position:
                    new["inverse_position"] = None
                rows.append(new)
            return rows
        return []

    def references(self, entity):
        """The relationships that refer to an entity before and after the step, with their columns before."""
        for other in self.model.living(self.new):
            for property in other.properties:
                if not property.has_columns(self.new) or not property.is_relationship(self.new):
                    continue
                is_old = property.has_columns(self.old) and property.target(self.new) is property.target(self.old) is entity
                if is_old or (self.copied.get(other) is entity is property.target(self.new)):
                    yield other, property, [(property, column.lineage) for column in entity.key_columns(self.old)]

    def referred(self, entity):
        """Returns the function from the values of a reference to the old primary key of the row that it refers to."""
        old = collations(entity, self.old) if entity.lives(self.old) else []
        keys = {folded(key, old): key for key in self.rows.get(entity, {})}
        return lambda values: None if None in values else keys.get(folded(values, old))

    def gone(self, entity):
        return {key for key, row in self.rows.get(entity, {}).items() if row is None}

    def drop_references(self, result):
        """Applies the delete rules to references to rows that are gone. Returns why one of them forbids it, or None.

        A row that a cascade deletes forbids nothing."""
        pending = [entity for entity in self.rows if self.gone(entity)]
        while pending:
            entity = pending.pop()
            gone, referred = self.gone(entity), self.referred(entity)
            for other, property, lineages in self.references(entity):
                hit = [row for row in result[other] if referred(tuple(map(row.get, lineages))) in gone]
                rule = property.rule(self.new)
                if not hit or rule in ("deny", "no_action"):
                    continue
                if rule == "nullify":
                    for row in hit:
                        row.update({lineage: None for lineage in lineages})
                    continue
                identities = set(map(id, hit))
                result[other] = [row for row in result[other] if id(row) not in identities]
                custom = self.custom.get(other)
                for key, row in self.rows[other].items():
                    if id(row) in identities:
                        self.rows[other][key] = None
                        if custom and custom.followed:
                            # The references of a row that is gone do not follow the new keys.
                            self.outcomes[other][key] = ("drop", None)
                pending.append(other)
        for entity in self.rows:
            gone, referred = self.gone(entity), self.referred(entity)
            for other, property, lineages in self.references(entity):
                if any(referred(tuple(map(row.get, lineages))) in gone for row in result[other]):
                    return f"{other.name(self.new)}.{property.name(self.new)} refers to rows that are gone"
        return None

    def targets_first(self):
        """The entities. Each comes after those to which its primary key refers."""
        ordered = []

        def visit(entity):
            for column in entity.key_columns(self.new):
                if column.property and column.property.is_relationship(self.new):
                    visit(column.property.target(self.new))
            if entity not in ordered:
                ordered.append(entity)

        for entity in self.model.living(self.new):
            visit(entity)
        return ordered

    def move_references(self, result):
        """Lets references follow changed primary keys and merged rows."""
        self.moved = {}
        for entity in self.targets_first():
            rows = {key: row for key, row in self.rows.get(entity, {}).items() if row is not None}
            keys = {key: self.key(entity, row, self.new) for key, row in rows.items()}
            self.moved[entity] = {key: after for key, after in keys.items() if after != key}
            after_columns = entity.key_columns(self.new)
            referred = self.referred(entity)
            for other, property, lineages in self.references(entity):
                for row in result[other]:
                    values = tuple(map(row.get, lineages))
                    after = self.followed(entity, values, referred(values))
                    if after is not None:
                        for lineage in lineages:
                            row.pop(lineage, None)
                        row.update({(property, c.lineage): part for c, part in zip(after_columns, after)})

    def followed(self, entity, values, key):
        """The new values of a reference to the row with the old primary key `key`; None if they stay the same."""
        after, now = self.moved[entity].get(key), collations(entity, self.new)
        if after is None and key is not None and folded(values, now) != folded(key, now):
            # The old collation took the reference for equal to the primary key. The new one does not.
            return key
        return after

    def check_unique(self, result):
        """Refuses rows that references to merged rows have made equal."""
        for entity in self.model.living(self.new):
            keys = [entity.key_columns(self.new)]
            for property in entity.properties:
                if property.has_columns(self.new) and property.is_relationship(self.new):
                    inverse = property.inverse(self.new)
                    is_single = inverse is not None and not inverse.is_to_many(self.new)
                    if is_single or property.value("unique", self.new):
                        keys.append(entity.property_columns(property, self.new))
            for columns in keys:
                values = [tuple(row[column.lineage] for column in columns) for row in result[entity]]
                values = [value for value in values if None not in value]
                if len(set(values)) < len(values):
                    raise Refused(f"rows of {entity.name(self.new)} are equal")

    def follow_joins(self, result):
        for property, join in self.model.join_tables(self.new).items():
            rows = []
            ends = []
            for side, entity in (("source", join.source), ("target", join.target)):
                columns = entity.key_columns(self.old) if entity.lives(self.old) else entity.key_columns(self.new)
                ends.append((side, entity, columns, entity.key_columns(self.new)))
            for row in result[property]:
                row, is_kept, is_moved = dict(row), True, False
                for side, entity, before, after in ends:
                    lineages = [(side, column.lineage) for column in before]
                    values = tuple(row[lineage] for lineage in lineages)
                    key = self.referred(entity)(values)
                    if key is not None and key in self.gone(entity):
                        is_kept = False
                        break
                    moved = self.followed(entity, values, key)
                    if moved is not None:
                        is_moved = True
                        for lineage in lineages:
                            del row[lineage]
                        row.update({(side, column.lineage): part for column, part in zip(after, moved)})
                if is_kept:
                    rows.append((is_moved, row))
            result[property] = merged_pairs(rows, join.has_duplicates)


def merged_pairs(rows, has_duplicates):
    """The pairs after their rows were merged. `rows` says of each pair whether one of its keys has changed."""
    pairs = {}
    for is_moved, row in rows:
        key = frozenset((lineage, value) for lineage, value in row.items() if isinstance(lineage, tuple))
        pairs.setdefault(key, []).append((is_moved, row))
    result = []
    for equal in pairs.values():
        if len(equal) == 1 or not any(is_moved for is_moved, _ in equal):
            result += [row for _, row in equal]
        elif has_duplicates:
            # Positions that collide change.
            result += [unplaced(row) for _, row in equal]
        else:
            # One pair is kept: the one that was there before, or any.
            former = [row for is_moved, row in equal if not is_moved]
            result.append(former[0] if former else unplaced(equal[0][1]))
    return result


class AnyPosition:
    """A position that the manual does not determine."""


def unplaced(row):
    return row | {name: AnyPosition() for name in ("position", "inverse_position") if name in row}
