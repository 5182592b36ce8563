"""Writes a package whose targets are random models, with the code of their custom migrations."""

import re
import shutil

from descriptions import Model, Subtype
from interpreter import CustomEntity, is_changed, literal

TWIN = '''\
import Foundation
import Strata
import StrataTesting

/// FNV-1a with 32 bits.
func hashed(_ text: String) -> Int {
    Int(text.utf8.reduce(UInt32(0x811c_9dc5)) { ($0 ^ UInt32($1)) &* 0x0100_0193 })
}

func number(_ text: String) -> Int { hashed(text) % 1000 }
'''


class Unsupported(Exception):
    """The script cannot write the Swift code of a custom migration."""


def swift_name(name):
    words = re.findall(r"[^\W_]+", name)
    head, *rest = words
    return head[:1].lower() + head[1:] + "".join("ID" if word == "id" else word[:1].upper() + word[1:] for word in rest)


def normalized(name):
    return re.sub(r"[\W_]", "", name).lower()


def swift_string(text):
    return '"' + "".join(f"\\u{{{ord(letter):x}}}" if not letter.isalnum() else letter for letter in text) + '"'


class TargetWriter:
    """Writes the target of a model."""

    def __init__(self, root, name, files, driver):
        self.root, self.name, self.driver = root, name, driver
        self.model = Model(files)
        self.folder = root / "Sources" / name / "Model"
        self.tests = root / "Tests" / f"{name}Tests"

    def write(self):
        self.tests.mkdir(parents=True, exist_ok=True)
        (self.tests / "Tests.swift").write_text("import Testing\n")
        # Generating again gives the stubs of all steps, whatever an earlier run has written.
        shutil.rmtree(self.folder / "Migrations", ignore_errors=True)
        self.driver.must(action="strata", arguments=["generate", str(self.folder)])
        generated = self.folder / "Generated" / "Strata.migrations.swift"
        if not generated.exists():
            return
        text = generated.read_text()
        expectations = []
        for version, name in enumerate(self.model.versions[:-1]):
            step = re.sub(r"[.-]", "_", f"{name}_to_{self.model.versions[self.model.after(version)]}")
            protocol = re.search(rf"protocol CustomMigration_{step}\b.*?\n    }}\n", text, re.DOTALL)
            if protocol:
                migration, expected = self.step(version, step, protocol[0], text)
                stub = self.folder / "Migrations" / f"Migration_{step}.swift"
                stub.write_text(migration)
                expectations.append(expected)
        if expectations:
            imports = f"import Foundation\nimport Strata\nimport StrataTesting\n@testable import {self.name}\n\n"
            (self.tests / "Expectations.swift").write_text(imports + "\n".join(expectations))
            (self.tests / "Twin.swift").write_text(TWIN)
            (self.root / "Sources" / self.name / "Twin.swift").write_text(
                TWIN.replace("import StrataTesting\n", "")
            )

    def step(self, version, step, protocol, text):
        """The code of a custom migration, and its expectations."""
        if "borrowing" in protocol:
            raise Unsupported("a migration of single columns")
        state, will, functions, expected = [], [], [], []
        for old, new in re.findall(r"func migrate\(_ old: (\S+), _ context: Context\) throws -> Strata.Outcome<(\S+)>", protocol):
            entity = next(
                (
                    e
                    for e in self.model.living(self.model.after(version))
                    if e.lives(version) and normalized(e.name(self.model.after(version))) == normalized(new.split(".")[1])
                    and normalized(e.name(version)) == normalized(old.split(".")[1])
                ),
                None,
            )
            if entity is None:
                raise Unsupported("an entity that is merged into another one")
            custom = CustomEntity(self.model, entity, version)
            if not custom.is_needed:
                raise Unsupported(f"{entity.name(version)} needs a custom migration, says the generator")
            if custom.changes_collation:
                raise Unsupported("another collation of a primary key")
            values = self.values(custom, new, text)
            code = EntityCode(self, custom, old, new, values)
            state += code.state()
            will += code.will_migrate()
            functions.append(code.migrate())
            expected.append(code.expected())
        functions += [
            f"    mutating func {name}(_ context: Context) throws {{}}" for name in re.findall(r"func (carryOn\w+)\(", protocol)
        ]
        expected += [
            f"    static func {name.replace('carryOn', 'check')}(_ rows: StepRows) throws {{}}"
            for name in re.findall(r"func (carryOn\w+)\(", protocol)
        ]
        if will:
            functions.insert(
                0, "    mutating func willMigrate(_ context: Context) throws {\n" + "\n".join(will) + "\n    }"
            )
        lines = ["import Foundation", "import Strata", ""]
        lines += [f"struct Migration_{step}: {self.name}Schema.CustomMigration_{step} {{", *state, *functions, "}", ""]
        return "\n".join(lines), "\n".join(
            [f"extension {self.name}SchemaStep_{step} {{", *expected, "}", ""]
        )

    def values(self, custom, new, text):
        """The labels of `init(migrating:)` and their expressions, for a migration and for its expectation."""
        body = re.search(
            rf"extension {self.name}Schema\.{re.escape(new)} \{{\n(?:(?!\n\}}).)*?init\(\n(.*?)\n    \) \{{", text, re.DOTALL
        )
        values = []
        for label, type in re.findall(r"^        (\S+): (.*?),?$", body[1] if body else "", re.MULTILINE):
            if label == "migrating":
                continue
            for property, reason in custom.given.items():
                if normalized(property.name(custom.new)) == normalized(label):
                    values.append((label, *self.value(custom, property, reason, type)))
                    break
            else:
                values.append((label, *self.key_value(custom, label, type)))
        return values

    def key_value(self, custom, label, type):
        entity, old, new = custom.entity, custom.version, custom.new
        if any(normalized(property.name(new) + "_id") == normalized(label) for property in custom.lost):
            if custom.drops_all:
                raise Unsupported("a required reference to a discarded row")
            return "nil", "nil"
        for property in custom.followed:
            if normalized(property.name(new) + "_id") == normalized(label):
                target = property.target(new)
                followed = CustomEntity(self.model, target, old)
                if followed.can_drop or len(target.key_columns(new)) > 1:
                    raise Unsupported("a reference to an entity whose rows may be dropped")
                former = f"old.`{swift_name(property.name(old) + '_id')}`"
                schema = "V" + re.sub(r"[.-]", "_", self.model.versions[new])
                struct = target.name(new)[:1].upper() + swift_name(target.name(new))[1:]
                key = type.rstrip("?")
                made = self.new_key(target, new, key, '"\\($0)"')
                if property.nullable(new):
                    return f"try context.key(of: {schema}.{struct}.self, for: {former})", f"{former}.map {{ {made} }}"
                made = made.replace("$0", former)
                return f"try context.key(of: {schema}.{struct}.self, for: {former})", made
        if custom.changes_key and len(entity.key_columns(new)) == 1:
            made = self.new_key(entity, new, type, "text")
            return made, made
        raise Unsupported(f"{entity.name(new)}: a value for {label}")

    def new_key(self, entity, version, type, text):
        kind = entity.key_columns(version)[0].type
        value = {"string": f'"k" + {text}', "uuid": f'UUID_FOR("k" + {text})', "int": f'hashed("k" + {text})'}[kind]
        return f"{type}(rawValue: {value})"

    def value(self, custom, property, reason, type):
        old, new = custom.version, custom.new
        made = self.made_up(property, new, type.rstrip("?"))
        if reason in ("new", "asked"):
            return made, made
        former = f"old.`{swift_name(property.name(old))}`"
        was, now = property.type(old), property.type(new)
        if reason == "type":
            value = f"{former} == nil ? nil : {made}" if property.nullable(old) and property.nullable(new) else made
        elif reason == "unique":
            value = f'{former} == nil ? nil : "u" + text' if property.nullable(old) else '"u" + text'
            if property.nullable(old) and not property.nullable(new):
                raise Unsupported("unique and required")
        elif was != now or is_changed(was, old):
            raise Unsupported("a value of another type")
        elif reason == "required":
            value = f"{former} ?? {made}"
        else:
            value = self.limited(property, former, made, new)
            if property.nullable(old):
                inner = self.limited(property, "$0", made, new)
                value = f"{former}.map {{ {inner} }}" + ("" if property.nullable(new) else f" ?? {made}")
        return value, value

    def limited(self, property, value, made, version):
        conditions = []
        type = property.type(version)
        for limit, text in (
            ("minimum", "{value} < {bound}"), ("maximum", "{value} > {bound}"), ("min_length", "{length} < {bound}"),
            ("max_length", "{length} > {bound}"),
        ):  # fmt: skip
            bound = property.value(limit, version)
            if bound is not None:
                length = f"{value}.count" if type == "data" else f"{value}.unicodeScalars.count"
                conditions.append(text.format(value=value, bound=bound, length=length))
        if property.value("pattern", version) or property.value("one_of", version):
            raise Unsupported("a pattern")
        return f"({' || '.join(conditions)} ? {made} : {value})"

    def made_up(self, property, version, type_name):
        """The value of `interpreter.made_up`, in Swift."""
        type = property.type(version)
        for limit in ("one_of", "minimum", "maximum"):
            bound = property.value(limit, version)
            if bound is not None:
                value = literal(bound[0] if limit == "one_of" else bound, type, version)
                if type in ("int", "milliseconds", "double", "seconds", "float"):
                    return repr(value)
                if type == "string":
                    return swift_string(value)
                raise Unsupported(f"a limit of {type}")
        if property.value("pattern", version):
            return '"A1"'
        if property.value("min_length", version) or property.value("max_length", version):
            raise Unsupported("a length")
        if isinstance(type, list):
            return "[]"
        if isinstance(type, Subtype):
            if type.kind == "options":
                return f"{type_name}(rawValue: 0)"
            if type.kind == "cases":
                return f"{type_name}(rawValue: {swift_string(type.text(type.living(version)[0], version))})!"
            raise Unsupported("a struct")
        return {
            "int": "number(text)", "milliseconds": "number(text)", "bool": "number(text) % 2 == 1",
            "double": "Double(number(text)) / 4", "seconds": "Double(number(text)) / 4",
            "float": "Float(number(text)) / 4", "date": "Date(timeIntervalSinceReferenceDate: Double(number(text)))",
            "string": '"c\\(number(text))"', "url": 'URL(string: "https://example.org/\\(number(text))")!',
            "color": 'String(format: "#%06X", number(text))', "data": "Data([UInt8(number(text) % 256), 1])",
            "uuid": 'UUID_FOR("p" + text)', "decimal": 'Decimal(string: "\\(number(text)).5")!',
        }[type]  # fmt: skip


class EntityCode:
    """The functions for the rows of an entity."""

    def __init__(self, writer, custom, old, new, values):
        self.writer, self.custom, self.old, self.new, self.values = writer, custom, old, new, values
        entity, version = custom.entity, custom.version
        parts = []
        for column in entity.key_columns(version):
            name = column.property.name(version) if column.property else column.name
            parts.append(f"\\(old.`{swift_name(name)}`)")
        self.text = '"' + "/".join(parts) + '"'
        self.target = f"target{self.new.split('.')[1]}"
        self.merges = custom.can_drop and not custom.changes_key

    def state(self):
        id = f"{self.writer.name}Schema.{self.new}.ID"
        return [f"    var {self.target}: (text: String, id: {id})?"] if self.merges else []

    def will_migrate(self):
        if not self.merges:
            return []
        return [
            f"        try context.old({self.old}.self).forEach {{ old in",
            f"            let text = {self.text}",
            "            if hashed(text) % 5 == 0 { return }",
            f"            if let target = {self.target}, !text.utf8.lexicographicallyPrecedes(target.text.utf8) {{ return }}",
            f"            {self.target} = (text, {self.old}.id(of: old))",
            "        }",
        ]

    def body(self, target, place, drop, merge, keep):
        lines = [f"        let text = {self.text}"]
        if self.custom.can_drop:
            lines.append(f"        if hashed(text) % 5 == 0 {{ return {drop} }}")
        if self.merges:
            lines.append(
                f"        if hashed(text) % 7 == 0, let target = {target}, target.text != text {{ return {merge}(into: target.id) }}"
            )
        arguments = "".join(f", {value[0]}: {value[place]}" for value in self.values)
        lines.append("        _ = text")
        lines.append(f"        return {keep}(.init(migrating: old{arguments}))")
        return "\n".join(lines)

    def migrate(self):
        body = self.body(self.target, 1, ".drop", ".merge", ".keep").replace("UUID_FOR(", "context.uuid(for: ")
        outcome = f"Strata.Outcome<{self.new}>"
        return f"    mutating func migrate(_ old: {self.old}, _ context: Context) throws -> {outcome} {{\n{body}\n    }}"

    def expected(self):
        body = self.body("target", 2, ".dropped", ".merged", ".kept").replace("UUID_FOR(", "rows.uuid(for: ")
        lines = [
            f"    static func expected(_ old: {self.old}, _ rows: StepRows) throws -> Expected<{self.new}> {{",
        ]
        if self.merges:
            id = f"{self.writer.name}Schema.{self.new}.ID"
            lines += [
                f"        var target: (text: String, id: {id})?",
                f"        for old in try rows.old.fetch({self.old}.self) {{",
                f"            let text = {self.text}",
                "            if hashed(text) % 5 == 0 { continue }",
                "            if let found = target, !text.utf8.lexicographicallyPrecedes(found.text.utf8) { continue }",
                f"            target = (text, {self.old}.id(of: old))",
                "        }",
            ]
        return "\n".join([*lines, body, "    }"])


def write_manifest(root, names, strata):
    """The manifest of the package. The sources are generated, so no plugin runs."""
    targets = []
    for name in names:
        targets.append(
            f'        .target(name: "{name}", dependencies: [.product(name: "Strata", package: "strata")], '
            f'exclude: ["Model/SQL"]),'
        )
        targets.append(
            f'        .testTarget(name: "{name}Tests", dependencies: ["{name}", '
            '.product(name: "StrataTesting", package: "strata")]),'
        )
    (root / "Package.swift").write_text(
        f"""// swift-tools-version: 6.0
// The generated sources are compiled as they are, without StrataBuild.

import PackageDescription

let package = Package(
    name: "RandomModels",
    platforms: [.macOS(.v13)],
    dependencies: [.package(name: "strata", path: "{strata}")],
    targets: [
{chr(10).join(targets)}
    ],
    swiftLanguageModes: [.v6]
)
"""
    )


