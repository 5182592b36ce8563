"""Writes a package whose targets are random models, with the code of their custom migrations."""

import re
import shutil

from customcode import EntityCode, MergedCode
from descriptions import Model
from interpreter import CustomEntity, hashed
from rowcode import RowCode
from swift import SUPPORT, key_type, normalized, swift_string, swift_type, swift_version


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
        self.driver.generate(self.folder, self.model)
        generated = self.folder / "Generated" / "Strata.migrations.swift"
        if not generated.exists():
            return
        self.generated = generated.read_text()
        self.read_structs()
        expectations = []
        for version, name in enumerate(self.model.versions[:-1]):
            step = swift_version(f"{name}_to_{self.model.versions[self.model.after(version)]}")
            protocol = re.search(rf"protocol CustomMigration_{step}\b.*?\n    }}\n", self.generated, re.DOTALL)
            if protocol:
                migration, expected = StepWriter(self, version, step, protocol[0]).write()
                (self.folder / "Migrations" / f"Migration_{step}.swift").write_text(migration)
                expectations.append(expected)
        if expectations:
            imports = f"import Foundation\nimport Strata\nimport StrataTesting\n@testable import {self.name}\n\n"
            (self.tests / "Expectations.swift").write_text(imports + "\n".join(expectations))
            (self.root / "Sources" / self.name / "Support.swift").write_text(SUPPORT)

    def read_structs(self):
        """The stored members of all structs with their types, by the names of the structs."""
        text = "".join(path.read_text() for path in sorted((self.folder / "Generated").glob("*.swift")))
        self.structs, self.aliases = {}, {}
        lines = re.DOTALL | re.MULTILINE
        for version, body in re.findall(rf"^extension {self.name}Schema\.(\w+) \{{\n(.*?)^\}}", text, lines):
            for name, members in re.findall(r"^    public struct (\w+): .*?\{\n(.*?)^    \}", body, lines):
                found = re.findall(r"^        public var (\S+): ([^{}\n]*?)(?: = .*)?$", members, re.MULTILINE)
                self.structs[f"{version}.{name}"] = found
        for version, body in re.findall(r"^    public enum (V\w+) \{\n(.*?)^    \}", text, lines):
            for name, other in re.findall(r"public typealias (\w+) = \w+\.(\w+\.\w+)$", body, re.MULTILINE):
                self.aliases[f"{version}.{name}"] = other
        for name in self.aliases:
            self.structs[name] = self.structs.get(self.canonical(name), [])

    def canonical(self, name):
        """The struct to which the name of a struct in a version leads."""
        while name in self.aliases:
            name = self.aliases[name]
        return name


class StepWriter:
    """Writes the custom migration of a step, and its expectations."""

    MIGRATE = r"func migrate\(\s*_ old: (borrowing )?(\S+), _ context: Context\s*\) throws -> (?:Strata\.)?Outcome<([\w.]+)>"

    def __init__(self, target, version, step, protocol):
        self.target, self.step, self.protocol = target, step, protocol
        self.model, self.old, self.new = target.model, version, target.model.after(version)
        self.schema = f"{target.name}Schema"
        self.customs = {
            entity: CustomEntity(self.model, entity, version)
            for entity in self.model.living(self.new)
            if entity.lives(version) and entity.instruction("rows", version) != "discard"
        }
        self.codes = {}
        for borrowed, old, new in re.findall(self.MIGRATE, protocol):
            row = values = None
            if borrowed:
                old, row = re.fullmatch(r"(.*?)(Row\w*)", old).groups()
                new, values = re.fullmatch(r"(.*?)(Values\w*)", new).groups()
            entity = self.entity(old, version)
            code = EntityCode if entity.lives(self.new) else MergedCode
            self.codes[entity] = code(self, entity, old, new, values)
            self.codes[entity].row_type = row

    def entity(self, struct, version):
        name = normalized(struct.split(".")[1])
        return next(e for e in self.model.living(version) if normalized(swift_type(e.name(version))) == name)

    def struct(self, entity, version):
        return f"V{swift_version(self.model.versions[version])}.{swift_type(entity.name(version))}"

    def is_stable(self, entity, reached=()):
        """Whether an entity keeps all rows with their primary keys."""
        if not entity.lives(self.old) or not entity.lives(self.new) or entity in self.codes:
            return False
        if entity.instruction("rows", self.old) == "discard" or key_type(entity, self.old) != key_type(entity, self.new):
            return False
        return all(
            property.target(self.new) in (entity, *reached)
            or self.is_stable(property.target(self.new), (entity, *reached))
            for property in entity.properties
            if property.has_columns(self.new) and property.is_relationship(self.new)
        )

    def write(self):
        codes = list(self.codes.values())
        state = [line for code in codes for line in code.state()]
        will = [line for code in codes for line in code.will_migrate()]
        functions, expected = [], []
        for code in codes:
            functions.append(code.migrate())
            expected += code.expected()
        for name in re.findall(r"func (rescue\w+)\(", self.protocol):
            functions.append(f"    mutating func {name}(_ context: Context) throws {{}}")
            expected.append(f"    static func {name.replace('rescue', 'check')}(_ rows: StepRows) throws {{}}")
        added = self.added()
        for code in [*codes, *added]:
            for other in code.firsts:
                struct, name = self.struct(other, self.old), f"first{swift_type(other.name(self.old))}"
                line = f"    var {name}: Found<{self.schema}.{struct}.ID>?"
                if line not in state:
                    state.append(line)
                    will.append(f"        {name} = {self.first(other, 'context.old')}")
        if will:
            will = ["    mutating func willMigrate(_ context: Context) throws {", *will, "    }"]
            functions.insert(0, "\n".join(will))
        if added:
            functions.append(
                "    mutating func didMigrate(_ context: Context) throws {\n"
                + "\n".join(code.insertion() for code in added)
                + "\n    }"
            )
            expected.append(
                "    static func added(_ rows: StepRows) throws -> [any StoredEntity] {\n"
                "        var added: [any StoredEntity] = []\n"
                + "\n".join(code.expectation() for code in added)
                + "\n        return added\n    }"
            )
        lines = ["import Foundation", "import Strata", ""]
        lines += [f"struct Migration_{self.step}: {self.schema}.CustomMigration_{self.step} {{", *state, *functions, "}", ""]
        return "\n".join(lines).replace("UUID_FOR(", "context.uuid(for: "), "\n".join(
            [f"extension {self.schema}Step_{self.step} {{", *expected, "}", ""]
        ).replace("UUID_FOR(", "rows.uuid(for: ")

    def first(self, entity, rows):
        """The first row of an entity that keeps all rows."""
        struct = self.struct(entity, self.old)
        return f'try first({rows}({struct}.self), {{ "\\({struct}.id(of: $0))" }})'

    def added(self):
        """Rows that the custom migration adds to some entities."""
        codes = []
        for entity in self.model.living(self.new):
            text = f"{entity.name(self.new)} {self.new}"
            if hashed(text) % 3 == 0:
                row = RowCode(self, entity, self.struct(entity, self.new))
                if row.is_possible:
                    codes += [AddedCode(self, row, f"{text} {number}") for number in range(2)]
        return codes


class AddedCode:
    """A row that a custom migration adds."""

    def __init__(self, step, row, text):
        self.step, self.row, self.text, self.firsts = step, row, text, row.firsts

    def lines(self, statement, find):
        lines = [f"            let text = {swift_string(self.text)}", "            _ = text", *find]
        conditions = ", ".join(f"let {name}" for name in self.row.required)
        if conditions:
            statement = f"if {conditions} {{ {statement} }}"
        return "\n".join(["        do {", *lines, f"            {statement}", "        }"])

    def insertion(self):
        return self.lines(f"try context.insert({self.row.value})", [])

    def expectation(self):
        return self.lines(f"added.append({self.row.value})", self.row.find("            "))


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
