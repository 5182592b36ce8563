"""The Swift code of rows that custom migrations create."""

from interpreter import hashed, is_unique
from swift import Unsupported, made_up, new_key, normalized, swift_type


class RowCode:
    """A new row of an entity. Its values depend on the Swift variable `text`, its references on a `first…` of each target."""

    def __init__(self, step, entity, struct):
        self.step, self.entity, self.struct = step, entity, struct
        self.version = step.new
        #: The entities to whose first rows the row refers, and the Swift variables of those that it needs.
        self.firsts, self.required = [], []
        #: The Swift values of the members, and of the primary key.
        self.members, self.key = {}, None
        self.is_possible = self.write()

    @property
    def value(self):
        arguments = ", ".join(f"{label}: {value}" for label, value in self.members.items())
        for name in self.required:
            arguments = arguments.replace(f"{name}?.id", f"{name}.id")
        return f"{self.step.schema}.{self.struct}({arguments})"

    def find(self, indentation):
        """The declarations of the first rows in an expectation."""
        return [
            f'{indentation}let {self.name(e)} = try rows.once("{self.step.schema} {self.step.step} {self.name(e)}") '
            f"{{ {self.step.first(e, 'rows.old.cursor')} }}"
            for e in self.firsts
        ]

    def name(self, target):
        return f"first{swift_type(target.name(self.step.old))}"

    def write(self):
        """Returns whether there is such a row."""
        version = self.version
        if any(index.lives(version) and index.value("unique", version) for index in self.entity.indexes):
            return False
        columns = self.entity.key_columns(version)
        keys = {column.property for column in columns}
        if all(key is not None and key.is_relationship(version) for key in keys):
            return False
        parts = {}
        try:
            for label, type in self.step.target.structs[self.struct]:
                if type == "ID":
                    type = f"{self.step.schema}.{self.struct}.ID"
                property = self.property(label)
                if property is None:
                    if normalized(label).endswith("position") and type.endswith("?"):
                        continue
                    value = new_key(columns[0], version, type, "m")
                elif property.is_relationship(version):
                    value = self.reference(property, property in keys, type)
                    if value is None:
                        return False
                elif property in keys:
                    value = new_key(next(c for c in columns if c.property is property), version, type, "m")
                else:
                    value = made_up(property, version, type)
                self.members[label] = value
                if property in keys or property is None:
                    parts[label] = value
        except Unsupported:
            return False
        id = f"{self.step.schema}.{self.struct}.ID"
        if len(parts) > 1:
            self.key = f"{id}({', '.join(f'{label}: {value}' for label, value in parts.items())})"
        else:
            self.key = next(iter(parts.values()))
            self.key = self.key if self.key.startswith(self.step.schema) else f"{id}(rawValue: {self.key})"
        return True

    def property(self, label):
        """The property of a member of the struct; nil for a primary key without one."""
        version = self.version
        for property in self.entity.properties:
            if property.has_columns(version):
                name = property.name(version)
                names = [name + "_id"] if property.is_relationship(version) else [name]
                if normalized(label) in map(normalized, names):
                    return property
        return None

    def reference(self, property, is_key, type):
        """The Swift value of a reference; nil if no row can have one."""
        version, target = self.version, property.target(self.version)
        is_free = not is_unique(property, version) and self.step.is_stable(target)
        if property.nullable(version) and not is_key:
            if not is_free or hashed(property.name(version)) % 2:
                return "nil"
        elif not is_free:
            return None
        if target not in self.firsts:
            self.firsts.append(target)
        if type.endswith("?"):
            return f"{self.name(target)}?.id"
        if self.name(target) not in self.required:
            self.required.append(self.name(target))
        return f"{self.name(target)}.id"
