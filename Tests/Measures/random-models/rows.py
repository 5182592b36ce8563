"""Random rows for the tables of a version."""

import json
import sqlite3
import struct

from descriptions import Dictionary, Subtype
from interpreter import collations, literal, plain

TEXTS = [
    "", "a", "A", "tea", "TEA", "tea ", " ", "007", "1e3", "true", "NULL", "it's", "\"q\"", "a\r\nb", "a\tb", "a\nb",
    "\ufeffx", "a\u200db", "e\u0301", "é", "ß", "ẞ", "İ", "&amp;", "%20", "50%", "日本語 🧺", "👨‍👩‍👧", "x\u0000y", "A1", "Z9x",
    "a" * 300, "[1]", "{}", "'; DROP TABLE x; --", "\u202eabc", "new",
]  # fmt: skip
INTS = [0, 1, -1, 3, 4, 5, 7, 10, 255, 256, 2**31, -(2**31) - 1, 2**40, 2**53, 2**53 + 1, 2**60 + 1, 2**63 - 1, -(2**63)]
REALS = [0.0, 0.5, -1.25, 3.0, 1e300, -1e-300, 0.1, 2.0**53, 5e-324, 1.7976931348623157e308]
DATES = [0.0, -3.2e9, 1.5e9, 6.3e8 + 0.125, 3.1e9, 694224000.0, 1e-3, -978307200.0]
DECIMALS = ["0", "0.10", "-1.50", "12345678901234567890.123456789", "1e10", "7"]


class RandomRows:
    def __init__(self, random, model, version):
        self.random, self.model, self.version = random, model, version

    def one(self, values):
        return self.random.choice(values)

    def value(self, type, property=None):
        """A value as SQLite stores it."""
        if property is not None and self.random.random() < 0.7:
            limited = self.limited(property, type)
            if limited is not None:
                return limited
        if isinstance(type, list):
            return json.dumps(self.member(type), ensure_ascii=False)
        if isinstance(type, Subtype):
            if type.kind == "properties":
                return json.dumps(self.member(type), ensure_ascii=False)
            return self.member(type)
        if type in ("int", "milliseconds"):
            return self.one(INTS) if self.random.random() < 0.7 else self.random.randint(-99, 99)
        if type == "bool":
            return self.random.randint(0, 1)
        if type in ("double", "seconds"):
            return self.one(REALS)
        if type == "float":
            return struct.unpack("f", struct.pack("f", self.random.choice([0.0, 0.5, 0.1, -3.25, 1e30])))[0]
        if type == "date":
            return self.one(DATES)
        if type == "data":
            return self.one([b"", b"\x00", b"abc", bytes(range(256)), b"\xff" * 9])
        if type == "uuid":
            return self.random.randbytes(16) if self.random.random() < 0.8 else bytes(15) + b"\x0a"
        if type == "decimal":
            return self.one(DECIMALS[:4] + DECIMALS[5:])
        if type == "color":
            return self.one(["#000000", "#AABBCC", "#aabbccdd"])
        if type == "url":
            return self.one(["https://example.org/%20a?b=c&d", "file:///tmp/x", "https://example.org/1"])
        return self.one(TEXTS) if self.random.random() < 0.8 else f"t{self.random.randint(0, 999)}"

    def limited(self, property, type):
        """A value that satisfies a limit."""
        version = self.version
        allowed = property.value("one_of", version)
        if allowed:
            return literal(self.one(allowed), type, version)
        for limit, step in (("minimum", 1), ("maximum", -1)):
            bound = property.value(limit, version)
            if bound is not None:
                return literal(bound, type, version) + step * self.random.randint(0, 9)
        if property.value("pattern", version):
            return self.one(["A1", "Z9x", "B0\r\n"])
        for limit in ("min_length", "max_length"):
            length = property.value(limit, version)
            if length is not None:
                return "é" * length if type == "string" else b"\x01" * length
        return None

    def member(self, type):
        """A value as JSON stores it."""
        if isinstance(type, Dictionary):
            texts = [str(number) for number in INTS] if type.key == "int" else [text for text in TEXTS if "\0" not in text]
            keys = {self.one(texts) for _ in range(self.random.randint(0, 3))}
            return {key: self.member(type[0]) for key in sorted(keys)}
        if isinstance(type, list):
            return [self.member(type[0]) for _ in range(self.random.randint(0, 3))]
        if isinstance(type, Subtype):
            living = type.living(self.version)
            if type.kind == "cases":
                return type.text(self.one(living), self.version) if living else ""
            if type.kind == "options":
                return sum(1 << type.bit(option) for option in living if self.random.random() < 0.5)
            return {
                member.name(self.version): self.member(type.member_type(member, self.version))
                for member in living
                if not (member.value("nullable", self.version) and self.random.random() < 0.5)
            }
        if type == "bool":
            return self.random.random() < 0.5
        if type == "int":
            return self.one([0, 1, -7, 2**53])
        return self.one([text for text in TEXTS if "\0" not in text])

    def fill(self, connection, count):
        """Inserts rows into all tables. Rows that a constraint refuses are left out."""
        model, version = self.model, self.version
        connection.execute("PRAGMA foreign_keys = ON")
        entities = model.living(version)
        self.random.shuffle(entities)
        for _ in range(2):
            for entity in entities:
                for _ in range(self.random.randint(0, count)):
                    self.insert(connection, entity.table(version), self.row(connection, entity))
        for entity in entities:
            self.connect(connection, entity)
        for join in model.join_tables(version).values():
            for position in range(self.random.randint(0, 2 * count)):
                row = {}
                for side, end in (("source", join.source), ("target", join.target)):
                    key = self.key(connection, end)
                    if key is None:
                        break
                    row |= dict(zip([column.name for column in join.end(side)], key.values()))
                else:
                    row["position"] = self.one([position, position, position, 0, 7, 2**40])
                    if join.has_inverse_position:
                        row["inverse_position"] = self.one([None, position, 3])
                    self.insert(connection, join.name, row)
        connection.commit()

    def insert(self, connection, table, row):
        columns = [name.lower() for _, name, *_ in connection.execute("SELECT * FROM pragma_table_xinfo(?)", [table])]
        if "rowid" not in columns and self.random.random() < 0.9:
            # The row numbers have gaps, as if other rows had been deleted.
            key = connection.execute("SELECT type FROM pragma_table_info(?) WHERE pk", [table]).fetchall()
            if key != [("INTEGER",)]:
                row = {"rowid": self.random.randint(1, 10**6)} | row
        names = ", ".join(quoted(name) for name in row)
        try:
            connection.execute(
                f"INSERT INTO {quoted(table)} ({names}) VALUES ({', '.join('?' * len(row))})",
                [plain(value) for value in row.values()],
            )
        except (sqlite3.IntegrityError, OverflowError):
            pass
        if connection.execute("PRAGMA foreign_key_check").fetchone():
            connection.rollback()
        else:
            connection.commit()

    def key(self, connection, entity):
        """The primary key of a random row, by the names of its columns."""
        names = [column.name for column in entity.key_columns(self.version)]
        rows = connection.execute(
            f"SELECT {', '.join(map(quoted, names))} FROM {quoted(entity.table(self.version))} "
            f"ORDER BY {', '.join(map(quoted, names))}"
        ).fetchall()
        return dict(zip(names, self.one(rows))) if rows else None

    def reference(self, connection, property):
        """The columns of a reference to a random row."""
        columns, target = property.entity.property_columns(property, self.version), property.target(self.version)
        key = self.key(connection, target)
        values = list(key.values()) if key else [None] * len(columns)
        if key and self.random.random() < 0.5:
            values = [self.equal(*each) for each in zip(values, collations(target, self.version))]
        return {column.name: value for column, value in zip(columns, values)}

    def equal(self, value, collation):
        """A value that a collation takes for equal."""
        if collation == "nocase":
            return "".join(letter.swapcase() if letter.isascii() else letter for letter in value)
        return value + " " if collation == "rtrim" else value

    def row(self, connection, entity):
        row = {}
        for column in entity.columns(self.version):
            property = column.property
            if property is None:
                row[column.name] = None if column.nullable else self.value(column.type)
            elif property.is_relationship(self.version):
                if column.name not in row:
                    if property.nullable(self.version) and self.random.random() < 0.4:
                        row[column.name] = None
                    else:
                        row |= self.reference(connection, property)
            elif column.nullable and self.random.random() < 0.25:
                row[column.name] = None
            else:
                row[column.name] = self.value(column.type, property)
        return row

    def connect(self, connection, entity):
        """Sets references and positions of rows, now that all rows exist."""
        version = self.version
        key = [quoted(column.name) for column in entity.key_columns(version)]
        table = quoted(entity.table(version))
        updates = [p for p in entity.properties if p.has_columns(version) and p.is_relationship(version)]
        positions = [quoted(f"{p.base(version)}_position") for p in entity.ordering_references(version)]
        for row in connection.execute(f"SELECT {', '.join(key)} FROM {table} ORDER BY {', '.join(key)}").fetchall():
            where = " AND ".join(f"{name} IS ?" for name in key)
            changes = [self.reference(connection, p) for p in updates if self.random.random() < 0.4]
            changes += [{name[1:-1].replace('""', '"'): self.random.randint(0, 3)} for name in positions]
            for change in changes:
                if any(quoted(name) in key for name in change):
                    continue
                try:
                    assignments = ", ".join(f"{quoted(name)} = ?" for name in change)
                    connection.execute(f"UPDATE {table} SET {assignments} WHERE {where}", [*change.values(), *row])
                    connection.commit()
                except sqlite3.IntegrityError:
                    connection.rollback()


def quoted(name):
    return '"' + name.replace('"', '""') + '"'
