"""Compares the migrations of a model with those of the interpreter."""

import json
import random
import re
import shutil
import sqlite3
from collections import Counter

from constraints import check_limits, check_tables
from descriptions import Model
from driver import Mismatch, write
from interpreter import AnyPosition, Parsed, Refused, Step, computed, plain, type_of_key
from rows import RandomRows, quoted
from surroundings import SurroundingsCheck


def coded(value):
    """A value as the driver reads it."""
    value = plain(value)
    if value is None:
        return "n"
    if isinstance(value, bytes):
        return "x" + value.hex()
    return {int: "i", float: "r", str: "t"}[type(value)] + (repr(value) if isinstance(value, float) else str(value))


def checks(sql):
    """The named checks in the SQL of a table."""
    for match in re.finditer(r'CONSTRAINT "(?:[^"]|"")+" CHECK \(', sql):
        depth, end = 1, match.end()
        while depth:
            # Texts and names in quotes may contain parentheses.
            part = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|.", re.DOTALL).match(sql, end)
            depth += {"(": 1, ")": -1}.get(part[0], 0)
            end = part.end()
        yield sql[match.start() : end]


class ModelCheck:
    """The check of one model."""

    def __init__(self, files, seed, folder, driver, rows=6):
        self.model = Model(files)
        self.seed, self.folder, self.driver, self.rows = seed, folder, driver, rows
        self.source = folder / "Model"
        self.files = files
        self.counts = Counter()

    def run(self, starts=None):
        """Checks the migrations from all versions, or from some."""
        write(self.source, self.files)
        self.driver.must(action="check", folder=str(self.source))
        self.driver.generate(self.source, self.model)
        if self.model.oldest:
            self.check_too_old()
        for version, name in enumerate(self.model.versions[:-1]):
            if version >= self.model.oldest and (starts is None or name in starts):
                self.start = name
                self.check_from(version)

    # Databases

    def connect(self, path):
        connection = sqlite3.connect(path)
        connection.text_factory = lambda data: data.decode("utf-8", "surrogateescape")
        return connection

    def rows_of(self, connection, table, names):
        return connection.execute(f"SELECT {', '.join(map(quoted, names))} FROM {quoted(table)}").fetchall()

    def state(self, path, version):
        """The rows of a database as a state of the interpreter."""
        connection = self.connect(path)
        state = {}
        for lineage, (table, columns) in self.model.tables(version).items():
            lineages = [column.lineage for column in columns]
            rows = self.rows_of(connection, table, [column.name for column in columns])
            state[lineage] = [dict(zip(lineages, row)) for row in rows]
        connection.close()
        return state

    def compare(self, path, version, state, way):
        """Compares the rows and the tables of a database with a state."""
        connection = self.connect(path)
        name = f"{way}, at {self.model.versions[version]}"
        tables = self.model.tables(version)
        found = {
            table
            for (table,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
            if not table.startswith(("strata_", "sqlite_"))
        }
        expected = {table for table, _ in tables.values()}
        if found != expected:
            raise Mismatch(f"{name}: tables {sorted(found - expected)} are not expected, {sorted(expected - found)} missing")
        for lineage, (table, columns) in tables.items():
            extra = self.computed_columns(lineage, version)
            names = [column.name for column in columns] + [name for name, _ in extra]
            stored = [row[1] for row in connection.execute(f"PRAGMA table_xinfo({quoted(table)})")]
            if sorted(stored) != sorted(names):
                raise Mismatch(f"{name}: {table} has the columns {sorted(stored)}, not {sorted(names)}")
            rows = []
            free = set()
            for row in state[lineage]:
                values = [row[column.lineage] for column in columns]
                values += [computed(property, row, version) for _, property in extra]
                if isinstance(row.get("position"), AnyPosition):
                    free.add(tuple(values[: -1 - ("inverse_position" in row)]))
                rows.append(values)
            actual = self.rows_of(connection, table, names)
            if free:
                width = len(next(iter(free)))
                rows = [r[:width] if tuple(r[:width]) in free else r for r in rows]
                actual = [r[:width] if tuple(r[:width]) in free else r for r in actual]
            self.compare_rows(f"{name}: {table}", names, rows, actual)
        self.check_soundness(connection, name)
        connection.close()

    def compare_rows(self, name, names, expected, actual):
        parsed = {place for row in expected for place, value in enumerate(row) if isinstance(value, Parsed)}

        def typed(row):
            return tuple(
                (type(plain(value)).__name__, Parsed.reading(value) if place in parsed else value)
                for place, value in enumerate(row)
            )

        missing = Counter(map(typed, expected))
        missing.subtract(map(typed, actual))
        missing = +missing
        extra = Counter(map(typed, actual))
        extra.subtract(map(typed, expected))
        extra = +extra
        if missing or extra:

            def shown(rows):
                return [dict(zip(names, (value for _, value in row))) for row in list(rows)[:3]]

            raise Mismatch(f"{name}: expected {shown(missing)}, found {shown(extra)}")

    def computed_columns(self, lineage, version):
        properties = getattr(lineage, "properties", [])
        return [(p.base(version), p) for p in properties if p.lives(version) and p.is_computed(version)]

    def check_soundness(self, connection, name):
        problem = connection.execute("PRAGMA integrity_check").fetchone()[0]
        if problem != "ok":
            raise Mismatch(f"{name}: {problem}")
        dangling = connection.execute("PRAGMA foreign_key_check").fetchone()
        if dangling:
            raise Mismatch(f"{name}: a foreign key is dangling: {dangling}")
        searches = connection.execute("SELECT name FROM sqlite_schema WHERE sql LIKE 'CREATE VIRTUAL TABLE%'").fetchall()
        for (search,) in searches:
            try:
                connection.execute(f"INSERT INTO {quoted(search)} ({quoted(search)}, rank) VALUES ('integrity-check', 1)")
            except sqlite3.DatabaseError as error:
                raise Mismatch(f"{name}: {search}: {error}")
            connection.rollback()
        leftover = connection.execute(
            "SELECT name FROM sqlite_schema WHERE name LIKE 'strata\\_%' ESCAPE '\\' AND type <> 'index' AND name NOT LIKE 'strata\\_search\\_%' ESCAPE '\\'"
        ).fetchall()
        unknown = {name for (name,) in leftover} - {"strata_meta", "strata_migrations", "strata_metadata", "strata_log"}
        self.counts.update({f"table {each}": 1 for each in unknown})

    def layout(self, connection):
        """All facts of the tables, except the order of columns."""
        facts = set()
        for type, name, table, sql in connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema"):
            if table.startswith("strata_search_") or not table.startswith("strata_"):
                if type == "index":
                    # A migration in batches gives some indexes other names.
                    facts.add((type, table, re.sub(r' INDEX "(?:[^"]|"")*"', " INDEX", sql or "")))
                elif type == "trigger" or (sql or "").startswith("CREATE VIRTUAL"):
                    facts.add((type, name, table, re.sub(r"\s+", " ", sql or "")))
                elif not name.startswith("strata_search_") and not name.startswith("sqlite_"):
                    for row in connection.execute(f"PRAGMA table_xinfo({quoted(name)})"):
                        facts.add(("column", name, *row[1:]))
                    for row in connection.execute(f"PRAGMA foreign_key_list({quoted(name)})"):
                        facts.add(("foreign key", name, *row[2:]))
                    facts |= {("check", name, check) for check in checks(sql)}
        return facts

    def compare_layout(self, path, version, way):
        """Compares the tables of a database with those of an empty one."""
        connection, fresh = self.connect(path), sqlite3.connect(":memory:")
        name = f"{way}, at {self.model.versions[version]}"
        check_tables(connection, self.model, version, name)
        check_limits(connection, self.model, version, name)
        fresh.executescript((self.source / "SQL" / f"{self.model.versions[version]}.sql").read_text())
        found, expected = self.layout(connection), self.layout(fresh)
        connection.close()
        if found != expected:
            raise Mismatch(
                f"{name}: layout: "
                f"unexpected {sorted(map(str, found - expected))[:4]}, missing {sorted(map(str, expected - found))[:4]}"
            )

    # Migrations

    def check_too_old(self):
        """A store of a version that is no longer supported is refused."""
        # The schema is named after the folder.
        folder, store = self.folder / "Unlimited" / self.source.name, self.folder / "old.sqlite"
        write(folder, {name: each for name, each in self.files.items() if name != "strata.json"})
        self.driver.must(action="create", folder=str(folder), file=str(store), version=self.model.versions[0])
        reply = self.driver.ask(action="migrate", folder=str(self.source), file=str(store), way="fused")
        if "supports versions from" not in reply.get("error", ""):
            raise Mismatch(f"a store of {self.model.versions[0]}: {reply.get('error', 'is migrated')}")

    def check_from(self, start):
        versions = self.model.versions
        stores = self.folder / "Stores"
        shutil.rmtree(stores, ignore_errors=True)
        stores.mkdir()
        original = stores / "original.sqlite"
        self.driver.must(action="create", folder=str(self.source), file=str(original), version=versions[start])
        connection = self.connect(original)
        RandomRows(random.Random(f"{self.seed} {versions[start]}"), self.model, start).fill(connection, self.rows)
        connection.close()
        self.compare_layout(original, start, "create")
        states, steps, refusal, path = [self.state(original, start)], [], None, self.model.path(start)
        self.compare(original, start, states[0], "create")
        for version in path[:-1]:
            step = Step(self.model, version)
            try:
                states.append(step.run(states[-1]))
            except Refused as error:
                refusal = error
            steps.append(step)
            if refusal:
                break
        self.counts["rows"] += sum(map(len, states[0].values()))
        self.counts["refusals"] += refusal is not None
        self.counts["custom"] += sum(step.is_custom for step in steps)
        self.counts["merged rows"] += sum(len(state[e]) for step, state in zip(steps, states) for e in step.merged)
        self.counts["added rows"] += sum(len(rows) for step in steps for rows in step.added.values())
        script = stores / "script.json"
        script.write_text(json.dumps({"steps": {versions[s.old]: self.conversions(s) for s in steps}}))
        last, end = path[len(states) - 1], None
        if refusal and any(Step(self.model, version).is_custom for version in path[len(states) : -1]):
            # What later custom migrations do is not known.
            end = versions[path[len(states)]]
        for way in ("fused", "stepwise", "batches", "interrupted"):
            store = stores / f"{way}.sqlite"
            shutil.copy(original, store)
            reply = self.migrate(store, end, way, script)
            if refusal:
                self.expect_refusal(reply, refusal, way)
                self.compare(store, start, states[0], f"{way}, refused")
                continue
            if "error" in reply:
                raise Mismatch(f"{way} from {versions[start]}: {reply['error']}")
            self.compare(store, last, states[-1], f"{way} from {versions[start]}")
            self.compare_layout(store, last, f"{way} from {versions[start]}")
        store = stores / "versions.sqlite"
        shutil.copy(original, store)
        for place, version in enumerate(path[1 : len(states)], 1):
            if self.model.is_passed_over(version):
                continue
            way = f"from {versions[path[place - 1]]} to {versions[version]} (rows of {versions[start]})"
            reply = self.migrate(store, versions[version], "fused", script)
            if "error" in reply:
                raise Mismatch(f"{way}: {reply['error']}")
            self.compare(store, version, states[place], way)
            self.compare_layout(store, version, way)
        self.check_sql(start, states, steps)
        if not refusal and self.checks_surroundings(start):
            SurroundingsCheck(self, start, states, script).run()

    def checks_surroundings(self, start):
        """Whether to check the surroundings of the migrations from a version. They take longer than the migrations."""
        return start == self.seed % (len(self.model.versions) - 1)

    def interruptions(self, way):
        """How often each attempt of an interrupted migration may ask whether it is cancelled: later and later."""
        chosen = random.Random(f"{self.seed} {self.start}")
        return [chosen.randrange(2 << attempt) for attempt in range(1, 9)] if way == "interrupted" else []

    def migrate(self, store, version, way, script, **arguments):
        return self.driver.ask(
            action="migrate", folder=str(self.source), file=str(store), version=version, way=way, script=str(script),
            interruptions=self.interruptions(way), **arguments,
        )  # fmt: skip

    def expect_refusal(self, reply, refusal, way):
        if not any(text in reply.get("error", "") for text in ("droppedRowsReferenced", "refer", "UNIQUE")):
            raise Mismatch(f"{way}: expected a refusal ({refusal}), found {reply.get('error', 'a migrated store')}")

    def conversions(self, step):
        """What the custom migration of a step does: the outcomes of rows, and the rows that it adds."""

        def table(entity, version):
            return {
                "name": entity.table(version),
                "key": [column.name for column in entity.key_columns(version)],
                "columns": [column.name for column in entity.columns(version)],
            }

        def values(entity, row):
            return [coded(row[column.lineage]) for column in entity.columns(step.new)]

        conversions = []
        for entity, target in [*zip(step.custom, step.custom), *step.merged.items()]:
            outcomes = {}
            for key, (outcome, row) in step.outcomes.get(entity, {}).items():
                text = "\x1f".join("t" + part.encode().hex() if isinstance(part, str) else coded(part) for part in key)
                outcomes[text] = {}
                if outcome == "keep":
                    outcomes[text]["keep"] = values(target, row)
                elif outcome == "merge":
                    outcomes[text]["merge"] = [coded(part) for part in step.key(target, row, step.new)]
            conversions.append(
                {
                    "old": table(entity, step.old),
                    "new": table(target, step.new),
                    "keepsKeyType": type_of_key(entity, step.old) == type_of_key(target, step.new),
                    "isMerged": entity is not target,
                    "outcomes": outcomes,
                    "added": [],
                }
            )
        for entity, rows in step.added.items():
            new = table(entity, step.new)
            if rows:
                conversions.append(
                    {
                        "old": new,
                        "new": new,
                        "keepsKeyType": True,
                        "isMerged": False,
                        "outcomes": {},
                        "added": [values(entity, row) for row in rows],
                    }
                )
        return conversions

    # SQL files

    def check_sql(self, start, states, steps):
        """Runs the SQL files of the next step with nothing but SQLite."""
        if len(states) < 2:
            return
        step, versions = steps[0], self.model.versions
        if step.merged or step.added:
            return
        for entity, outcomes in step.outcomes.items():
            if step.custom[entity].changes_collation:
                return
            for key, (outcome, row) in outcomes.items():
                # The files do not let references follow keys that a custom migration changes.
                if outcome != "keep" or step.key(entity, row, step.new) != key:
                    return
        connection = sqlite3.connect(":memory:")
        connection.executescript((self.source / "SQL" / f"{versions[start]}.sql").read_text())
        for lineage, (table, columns) in self.model.tables(start).items():
            self.insert(connection, table, columns, states[0][lineage])
        connection.commit()
        text = (self.source / "SQL" / f"{versions[start]}-{versions[step.new]}.sql").read_text()
        before, _, after = text.partition("\n-- Migration_")
        try:
            connection.executescript(before)
            for entity in step.custom:
                table = entity.table(step.new)
                present = {name for (name,) in connection.execute("SELECT name FROM sqlite_schema")}
                name = f"strata_new_{table}" if f"strata_new_{table}" in present else table
                rows = [row for outcome, row in step.outcomes[entity].values()]
                self.insert(connection, name, entity.columns(step.new), rows)
            connection.commit()
            if after:
                connection.executescript("-- " + after)
        except sqlite3.Error as error:
            raise Mismatch(f"SQL from {versions[start]} to {versions[step.new]}: {error}")
        path = self.folder / "Stores" / "sql.sqlite"
        target = sqlite3.connect(path)
        connection.backup(target)
        target.close()
        way = f"the SQL files from {versions[start]}"
        self.compare(path, step.new, states[1], way)
        self.compare_layout(path, step.new, way)
        self.counts["steps in SQL"] += 1

    def insert(self, connection, table, columns, rows):
        names = ", ".join(quoted(column.name) for column in columns)
        for row in rows:
            values = [plain(row[column.lineage]) for column in columns]
            connection.execute(f"INSERT INTO {quoted(table)} ({names}) VALUES ({', '.join('?' * len(values))})", values)
