"""The Swift functions of custom migrations, and of their expectations, for the rows of an entity."""

import re

from descriptions import Subtype
from interpreter import (
    collations, converts, discards_target, filling, has_cascade, is_referred_once, literal, present, type_of_key,
)  # fmt: skip
from rowcode import RowCode
from swift import (
    Unsupported, key_type, limited, made_up, new_key, normalized, swift_key, swift_literal, swift_name, unique_text,
)  # fmt: skip


class EntityCode:
    """The functions for the rows of an entity that lives in both versions."""

    firsts = ()

    def __init__(self, step, entity, old, new, values):
        self.step, self.entity, self.old, self.new = step, entity, old, new
        #: The name of the struct for single columns; None if the migration converts complete rows.
        self.values = values
        self.is_borrowed = values is not None
        if entity not in step.customs:
            raise Unsupported("a custom migration of an entity whose rows are discarded")
        self.custom = step.customs[entity]
        self.struct = new.split(".")[1]
        names = dict.fromkeys(swift_key(column, step.old) for column in entity.key_columns(step.old))
        self.key_names = list(names)

    @property
    def drops_all(self):
        return self.custom.drops_all

    @property
    def drops(self):
        """Whether rows are dropped. References to them do not follow a new primary key."""
        return self.custom.can_drop and not self.is_followed

    @property
    def is_followed(self):
        return type_of_key(self.entity, self.step.old) != type_of_key(self.entity, self.step.new)

    @property
    def merges(self):
        is_required = any(not property.nullable(self.step.new) for property in self.custom.followed)
        is_same = key_type(self.entity, self.step.old) == key_type(self.entity, self.step.new)
        return self.custom.can_merge and not self.custom.changes_collation and not is_required and is_same

    # Texts

    def text(self, row):
        if self.is_borrowed:
            return '"' + "/".join(f"\\({row}.`{name}`)" for name in self.key_names) + '"'
        return f'"\\({self.old}.id(of: {row}))"'

    def group(self, row):
        """The bytes of the primary key that its new collation compares."""
        parts = []
        for name, collation in zip(self.key_names, collations(self.entity, self.step.new)):
            part = f'folded("\\({row}.`{name}`)", "{collation or "binary"}")'
            if collation:
                part = f'folded(plainText(of: {row}.`{name}`), "{collation}")'
            parts.append(part)
        return " + [0xff] + ".join(parts)

    @property
    def chosen(self):
        return ", where: { hashed($0) % 5 != 0 }" if self.drops else ""

    def state(self):
        id = f"Found<{self.step.schema}.{self.new}.ID>"
        if self.custom.changes_collation:
            return [f"    var leaders{self.struct}: [[UInt8]: {id}] = [:]"]
        return [f"    var target{self.struct}: {id}?"] if self.merges else []

    def found(self, rows):
        cursor = f"{rows}({self.old}.self)"
        if self.custom.changes_collation:
            self.check_collation()
            chosen = self.chosen or ", where: { _ in true }"
            return f"try leaders({cursor}, {{ {self.text('$0')} }}, {{ {self.group('$0')} }}{chosen})"
        return f"try first({cursor}, {{ {self.text('$0')} }}{self.chosen})"

    def check_collation(self):
        if is_referred_once(self.step.model, self.entity, self.step.new) or has_cascade(self.entity, self.step.new):
            raise Unsupported("another collation of a primary key with unique references")
        if key_type(self.entity, self.step.old) != key_type(self.entity, self.step.new):
            raise Unsupported("another collation of a renamed primary key")
        if self.is_borrowed or len(self.key_names) != len(self.entity.key_columns(self.step.new)):
            raise Unsupported("another collation of a primary key with a reference")

    def will_migrate(self):
        if self.custom.changes_collation:
            return [f"        leaders{self.struct} = {self.found('context.old')}"]
        return [f"        target{self.struct} = {self.found('context.old')}"] if self.merges else []

    # Values

    def labels(self):
        """The labels of `init(migrating:)` with their types."""
        target, schema = self.step.target, self.step.schema
        head = rf"^extension {schema}\.(\S+) \{{\n[^\n]*\n    public init\(\n"
        pattern = rf"{head}        migrating old: {schema}\.([\w.]+)(.*?)\n    \) \{{"
        own = target.generated.index(self.step.protocol)
        after = target.generated.find("protocol CustomMigration_", own + 10)
        earlier = None
        for found in re.finditer(pattern, target.generated, re.DOTALL | re.MULTILINE):
            new, old, parameters = found.groups()
            is_own = own < found.start() and (found.start() < after or after < 0)
            if is_own and (new, old) == (self.new, self.old):
                earlier = parameters
                break
            # If structs are shared with earlier versions, an earlier step may have declared the initializer.
            is_same = all(target.canonical(a) == target.canonical(b) for a, b in ((new, self.new), (old, self.old)))
            if is_same and found.start() < own:
                earlier = parameters
        if earlier is None:
            raise Unsupported("no init(migrating:)")
        return re.findall(r"^        (\S+): (.*?),?$", earlier, re.MULTILINE)

    def own_labels(self):
        """The labels of the values of single columns."""
        version, struct = self.new.split(".")
        head = rf"struct {struct}{self.values}: (?:Strata\.)?MigratedValues \{{\n\s+"
        pattern = rf"{head}typealias Entity = \w+\.{version}\.{struct}\n.*?init\((.*?)\) \{{"
        body = re.search(pattern, self.step.target.generated, re.DOTALL)
        return re.findall(r"(\S+): ", body[1])

    def write(self, is_expectation):
        """The declarations that the values need, and the arguments of the new row."""
        lines, arguments = [], []
        labels = self.labels()
        if self.is_borrowed and not is_expectation:
            own = self.own_labels()
            labels = [(label, type) for label, type in labels if label in own]
        for label, type in labels:
            arguments.append(f"{label}: {self.value(label, type, is_expectation, lines)}")
        return lines, arguments

    def value(self, label, type, is_expectation, lines):
        new = self.step.new
        columns = self.entity.key_columns(new)
        for property in self.entity.properties:
            if not property.has_columns(new):
                continue
            name = normalized(property.name(new))
            if property.is_relationship(new):
                if normalized(label) == name + "id":
                    return self.reference(property, label, type, is_expectation, lines)
            elif normalized(label) == name:
                column = next((c for c in columns if c.property is property), None)
                return new_key(column, new, type) if column else self.given(property, type, is_expectation)
        if len(columns) == 1 and columns[0].property is None:
            return new_key(columns[0], new, type)
        raise Unsupported(f"{self.entity.name(new)}: a value for {label}")

    def given(self, property, type, is_expectation):
        """The value of a property."""
        old, new = self.step.old, self.step.new
        reason = self.custom.given.get(property, "fill")
        lives = property.lives(old) and property.has_columns(old) and not property.is_relationship(old)
        former = f"old.`{swift_name(property.name(old))}`" if lives else None
        if lives and self.is_borrowed and not is_expectation:
            former = f"(try {former})"
        was_optional, is_optional = lives and property.nullable(old), type.endswith("?")
        if reason == "unique" and lives:
            made = unique_text(property, new)
            return f"{former} == nil ? nil : {made}" if was_optional and is_optional else made
        made = made_up(property, new, type)
        if reason == "asked":
            return f"{former} == nil ? nil : {made}" if was_optional and is_optional else made
        if reason == "fill":
            fill, _, moment = filling(property, old)
            if fill is not None:
                kind = property.type(new)
                made = swift_literal(literal(present(fill, kind, moment, new), kind, new), kind)
        # A subtype has another Swift type in each version.
        if not lives or property.type(old) != property.type(new) or isinstance(property.type(new), (Subtype, list)):
            if reason == "fill" and self.is_borrowed:
                raise Unsupported("a value that the migration of single columns converts")
            return f"{former} == nil ? nil : {made}" if was_optional and is_optional else made
        if not was_optional:
            return limited(property, former, made, new)
        value = limited(property, "$0", made, new)
        value = former if value == "$0" else f"{former}.map {{ {value} }}"
        return value if is_optional else f"{value} ?? {made}"

    def reference(self, property, label, type, is_expectation, lines):
        """The value of a reference whose target changes."""
        old, new = self.step.old, self.step.new
        if discards_target(property, old):
            return "nil"
        if not property.lives(old) or not property.has_columns(old):
            raise Unsupported("a new reference")
        former, target = property.target(old), property.target(new)
        if self.is_migrated_later(target):
            raise Unsupported("a reference to rows that are migrated later")
        reference = f"old.`{swift_name(property.name(old) + '_id')}`"
        name = f"key{label.replace('`', '')}"
        if is_expectation:
            value = f"try Optional({reference}).flatMap({{ id in {self.expected_key(former, target, type)} }})"
            if property.nullable(old):
                value = value.replace(f"Optional({reference})", reference)
        else:
            if self.is_borrowed:
                raise Unsupported("a reference in a migration of single columns")
            reference = reference if property.nullable(old) else f"Optional({reference})"
            value = f"try context.newKey(of: {self.step.struct(target, new)}.self, for: {reference})"
        if property.nullable(new):
            lines.append(f"        let {name} = {value}")
        else:
            if not self.custom.is_droppable:
                raise Unsupported("a required reference that may be dangling")
            lines.append(f"        guard let {name} = {value} else {{ return {'.dropped' if is_expectation else '.drop'} }}")
        return name

    def is_migrated_later(self, target):
        """Whether the new primary keys of an entity may not be known yet when the rows of this one are migrated."""
        custom = self.step.customs.get(target)
        others = [*custom.followed, *custom.redirected] if custom else []
        return target is self.entity or any(other.target(self.step.new) is self.entity for other in others)

    def expected_key(self, former, target, type):
        """The new primary key of the row `id`."""
        step = self.step
        code, type = step.codes.get(former), type.rstrip("?")
        if isinstance(code, MergedCode):
            return f"try {code.key_function}(id, rows)"
        columns = target.key_columns(step.new)
        if code is None or former is not target or len(columns) > 1:
            raise Unsupported("a reference to a primary key of several columns")
        (column,) = columns
        if code.drops_all:
            return "nil"
        if column.property and column.property.is_relationship(step.new):
            raise Unsupported("a reference to a primary key that is a reference")
        if column.property and converts(column.property.type(step.old), column.property.type(step.new), step.old):
            kinds = column.property.type(step.old), column.property.type(step.new)
            if kinds == ("int", "string"):
                key = f"{type}(rawValue: String(id.rawValue))"
            elif kinds == ("uuid", "string"):
                key = f"{type}(rawValue: id.rawValue.uuidString)"
            else:
                raise Unsupported("a reference to a converted primary key")
        else:
            key = new_key(column, step.new, type).replace("text", '"\\(id)"')
        return f"try rows.old.find({code.old}.self, id: id) == nil ? nil : {key}"

    # Functions

    def body(self, is_expectation):
        drop, merge, keep = (".dropped", ".merged", ".kept") if is_expectation else (".drop", ".merge", ".keep")
        if self.drops_all:
            if not self.custom.is_droppable:
                raise Unsupported("a required reference to a discarded row that other rows need")
            return f"        return {drop}"
        read = "try " if self.is_borrowed and not is_expectation else ""
        lines = [f"        let text = {read}{self.text('old')}", "        _ = text"]
        if self.drops:
            lines.append(f"        if hashed(text) % 5 == 0 {{ return {drop} }}")
        if self.merges or self.custom.changes_collation:
            names = ("leaders" if self.custom.changes_collation else "target") + self.struct
            if is_expectation:
                place = f'"{self.step.schema} {self.step.step} {names}"'
                lines.append(f"        let {names} = try rows.once({place}) {{ {self.found('rows.old.cursor')} }}")
            if self.custom.changes_collation:
                found, condition = f"{names}[{self.group('old')}]", ""
            else:
                found, condition = names, "hashed(text) % 7 == 0, "
            lines.append(
                f"        if {condition}let target = {found}, target.text != text {{ return {merge}(into: target.id) }}"
            )
        declarations, arguments = self.write(is_expectation)
        if self.is_borrowed and not is_expectation:
            value = f".init({', '.join(arguments)})"
        else:
            value = f".init({', '.join(['migrating: old', *arguments])})"
        return "\n".join([*lines, *declarations, f"        return {keep}({value})"])

    def migrate(self):
        old, new = (f"borrowing {self.old}{self.row_type}", f"{self.new}{self.values}") if self.is_borrowed else (self.old, self.new)
        return (
            f"    mutating func migrate(_ old: {old}, _ context: Context) throws -> Strata.Outcome<{new}> {{\n"
            f"{self.body(is_expectation=False)}\n    }}"
        )

    def expected(self):
        return [
            f"    static func expected(_ old: {self.old}, _ rows: StepRows) throws -> Expected<{self.new}> {{\n"
            f"{self.body(is_expectation=True)}\n    }}"
        ]


class MergedCode:
    """The functions for the rows of a removed entity that become rows of another one."""

    def __init__(self, step, entity, old, new, values):
        self.step, self.entity, self.old, self.new = step, entity, old, new
        self.target = step.entity(new, step.new)
        self.key_function = f"key{old.split('.')[1]}"

    def prepare(self):
        """Chooses the row and the merges, when the step knows all entities with a custom migration."""
        self.row = RowCode(self.step, self.target, self.new)
        self.firsts = list(self.row.firsts) if self.row.is_possible else []
        unique = [p for p in self.references() if p.value("unique", self.step.new)]
        self.merges = self.row.is_possible and self.step.is_stable(self.target) and not unique
        if self.merges and self.target not in self.firsts:
            self.firsts.append(self.target)

    def references(self):
        """The references to the removed rows that now refer to rows of the other entity."""
        return [
            property
            for entity in self.step.model.living(self.step.new)
            for property in entity.properties
            if property.has_columns(self.step.old) and property.has_columns(self.step.new)
            and property.is_relationship(self.step.old) and property.target(self.step.old) is self.entity
        ]  # fmt: skip

    def state(self):
        self.prepare()
        return []

    def will_migrate(self):
        return []

    @property
    def target_name(self):
        return self.row.name(self.target)

    def text(self, id):
        return f'"{self.old} \\({id})"'

    def body(self, id, drop, merge, keep):
        if not self.row.is_possible:
            return [f"        return {drop}"]
        lines = [f"        let text = {self.text(id)}", f"        if hashed(text) % 5 == 0 {{ return {drop} }}"]
        if self.row.required:
            names = ", ".join(f"let {name}" for name in self.row.required)
            lines.append(f"        guard {names} else {{ return {drop} }}")
        if self.merges:
            target = self.target_name
            found = f"let {target}, " if target not in self.row.required else ""
            lines.append(f"        if {found}hashed(text) % 7 == 0 {{ return {merge.format(f'{target}.id')} }}")
        return [*lines, f"        return {keep}"]

    def migrate(self):
        body = self.body(f"{self.old}.id(of: old)", ".drop", ".merge(into: {})", f".keep({self.row.value})")
        signature = f"migrate(_ old: {self.old}, _ context: Context) throws -> Strata.Outcome<{self.new}>"
        return "\n".join([f"    mutating func {signature} {{", *body, "    }"])

    def find(self):
        if not self.row.is_possible:
            return []
        kept, self.row.firsts = self.row.firsts, self.firsts
        lines = self.row.find("        ")
        self.row.firsts = kept
        return lines

    def expected(self):
        body = self.body(f"{self.old}.id(of: old)", ".dropped", ".merged(into: {})", f".kept({self.row.value})")
        key = self.body("id", "nil", "{}", self.row.key)
        guard = f"        guard try rows.old.find({self.old}.self, id: id) != nil else {{ return nil }}"
        id, new = f"{self.step.schema}.{self.old}.ID", f"{self.step.schema}.{self.new}.ID"
        return [
            "\n".join([f"    static func expected(_ old: {self.old}, _ rows: StepRows) throws -> Expected<{self.new}> {{",
                       *self.find(), *body, "    }"]),
            "\n".join([f"    static func {self.key_function}(_ id: {id}, _ rows: StepRows) throws -> {new}? {{",
                       guard, *self.find(), *key, "    }"]),
        ]  # fmt: skip
