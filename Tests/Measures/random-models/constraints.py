"""What the descriptions say about the tables of a version: types, NOT NULL, default values, keys, uniqueness and limits."""

import sqlite3

from driver import Mismatch
from interpreter import LIMITS, Parsed, literal, plain, storage, violates
from rows import quoted

RULES = {"nullify": "SET NULL", "cascade": "CASCADE", "deny": "RESTRICT", "no_action": "NO ACTION"}


class TableFacts:
    """The facts of all tables of a version."""

    def __init__(self, model, version):
        self.model, self.version = model, version
        self.columns, self.references, self.unique, self.indexed, self.collations = set(), set(), set(), set(), set()
        for entity in model.living(version):
            self.add_entity(entity)
        for join in model.join_tables(version).values():
            self.add_join(join)

    def add_entity(self, entity):
        version, table = self.version, entity.table(self.version)
        key = entity.key_columns(version)
        names = [column.name for column in key]
        for column in entity.columns(version):
            is_row_number = names == [column.name] and storage(column.type) == "INTEGER"
            is_required = not column.nullable and not is_row_number
            self.add_column(table, column, is_required, names)
        for property in entity.properties:
            if property.lives(version) and property.is_computed(version):
                type = property.type(version)
                self.columns.add((table, property.base(version), storage(type), False, 0, repr(None), True))
            if not property.has_columns(version):
                continue
            columns = [column.name for column in entity.property_columns(property, version)]
            if property.is_relationship(version):
                target = property.target(version)
                targets = tuple(column.name for column in target.key_columns(version))
                rule = RULES[property.rule(version)]
                self.references.add((table, tuple(columns), target.table(version), targets, rule))
                inverse = property.inverse(version)
                is_single = inverse is not None and not inverse.is_to_many(version)
                self.add_index(table, columns, is_single or property.value("unique", version))
            else:
                if property.value("unique", version) or property.value("indexed", version):
                    self.add_index(table, columns, property.value("unique", version))
                if property.type(version) == "string":
                    self.collations.add((table, columns[0], (property.value("collation", version) or "binary").upper()))
        for index in entity.indexes:
            if index.lives(version):
                self.add_entity_index(entity, table, index)

    def add_column(self, table, column, is_required, key):
        default = None
        property = column.property
        if property is not None and not property.is_relationship(self.version):
            default = literal(property.value("default_value", self.version), column.type, self.version)
        place = key.index(column.name) + 1 if column.name in key else 0
        self.columns.add((table, column.name, storage(column.type), is_required, place, repr(default), False))

    def add_index(self, table, columns, is_unique):
        (self.unique if is_unique else self.indexed).add((table, tuple(columns)))

    def add_entity_index(self, entity, table, index):
        names, moment = index.dated("properties", self.version)
        columns = []
        for name in names:
            order = " desc" if name.endswith(" desc") else ""
            property = entity.property(name.removesuffix(order), moment)
            if property.is_computed(self.version):
                columns.append(property.base(self.version) + order)
            else:
                columns += [column.name + order for column in entity.property_columns(property, self.version)]
        if index.value("where", self.version) is None:
            self.add_index(table, columns, index.value("unique", self.version))

    def add_join(self, join):
        source, target = join.end("source"), join.end("target")
        key = [column.name for column in source + target] + (["position"] if join.has_duplicates else [])
        for column in join.columns():
            self.add_column(join.name, column, not column.nullable, key)
        for end, entity in ((source, join.source), (target, join.target)):
            columns = tuple(column.name for column in end)
            targets = tuple(column.name for column in entity.key_columns(self.version))
            self.references.add((join.name, columns, entity.table(self.version), targets, "CASCADE"))
        self.indexed.add((join.name, tuple(column.name for column in target)))


def check_tables(connection, model, version, name):
    """Compares the tables of a database with the descriptions."""
    facts = TableFacts(model, version)
    columns, references, unique, indexed = set(), set(), set(), set()
    for table, _ in model.tables(version).values():
        for _, column, type, is_required, default, place, hidden in connection.execute(
            f"PRAGMA table_xinfo({quoted(table)})"
        ):
            type = type.removesuffix(" GENERATED ALWAYS")
            value = None if default is None else connection.execute(f"SELECT {default}").fetchone()[0]
            columns.add((table, column, type, bool(is_required), place, value, hidden == 2))
        keys = {}
        for id, _, target, source, to, _, rule, _ in connection.execute(f"PRAGMA foreign_key_list({quoted(table)})"):
            keys.setdefault((id, target, rule), []).append((source, to))
        for (_, target, rule), pairs in keys.items():
            references.add((table, tuple(s for s, _ in pairs), target, tuple(t for _, t in pairs), rule))
        for _, index, is_unique, origin, is_partial in connection.execute(f"PRAGMA index_list({quoted(table)})"):
            rows = connection.execute(f"PRAGMA index_xinfo({quoted(index)})").fetchall()
            names = tuple(row[2] + " desc" * row[3] for row in rows if row[5])
            if origin == "c" and not is_partial:
                (unique if is_unique else indexed).add((table, names))
    by_name = {fact[:2]: fact for fact in columns}
    for fact in facts.columns:
        found = by_name.get(fact[:2])
        if found is None or found[2:5] + found[6:] != fact[2:5] + fact[6:] or not same_default(fact[5], found[5]):
            raise Mismatch(f"{name}: a column is {found} instead of {fact}")
    for kind, expected, actual in (
        ("foreign keys", facts.references, references),
        ("unique indexes", facts.unique, unique),
    ):
        if expected != actual:
            raise Mismatch(f"{name}: {kind}: missing {expected - actual}, unexpected {actual - expected}")
    missing = {index for index in facts.indexed if not any(begins(index, other) for other in indexed | unique)}
    if missing:
        raise Mismatch(f"{name}: missing indexes {missing}")
    for table in {table for table, _, _ in facts.collations}:
        # A new index has the collations of its columns.
        wanted = {column: collation for place, column, collation in facts.collations if place == table}
        connection.execute("BEGIN")
        connection.execute(f"CREATE INDEX probe ON {quoted(table)} ({', '.join(map(quoted, wanted))})")
        found = {row[2]: row[4] for row in connection.execute("PRAGMA index_xinfo(probe)") if row[5]}
        connection.rollback()
        if found != wanted:
            raise Mismatch(f"{name}: {table} compares its columns by {found} instead of {wanted}")


def same_default(expected, found):
    if repr(found) == expected:
        return True
    # A default value in JSON may have other white space.
    return isinstance(found, str) and repr(Parsed.reading(found)) == expected


def begins(index, other):
    return index[0] == other[0] and other[1][: len(index[1])] == index[1]


def check_limits(connection, model, version, name):
    """Writes a value that violates each limit into a row, which SQLite has to refuse."""
    for entity in model.living(version):
        table = quoted(entity.table(version))
        for property in entity.properties:
            if not property.has_columns(version) or property.is_relationship(version):
                continue
            for limit in LIMITS:
                bound = property.value(limit, version)
                value = bound is not None and outside(limit, bound, property, version)
                if value is False or not violates(value, property, version):
                    continue
                column = quoted(property.base(version))
                if not connection.execute(f"SELECT 1 FROM {table} WHERE {column} IS NOT NULL").fetchone():
                    continue
                try:
                    connection.execute(f"UPDATE {table} SET {column} = ? WHERE {column} IS NOT NULL", (plain(value),))
                except sqlite3.IntegrityError as error:
                    if "CHECK" in str(error) or "UNIQUE" in str(error):
                        continue
                finally:
                    connection.rollback()
                raise Mismatch(f"{name}: {table}.{column} accepts {value!r} in spite of {limit} {bound!r}")


def outside(limit, bound, property, version):
    """A value that violates a limit."""
    type = property.type(version)
    if limit in ("minimum", "maximum"):
        return literal(bound, type, version) + (-1 if limit == "minimum" else 1)
    if limit in ("min_length", "max_length"):
        length = bound - 1 if limit == "min_length" else bound + 1
        return False if length < 0 else ("x" * length if type == "string" else b"x" * length)
    if limit == "pattern":
        return "?" if type == "string" else False
    return {"string": "not one of them", "uuid": bytes(16)}.get(type, False)
