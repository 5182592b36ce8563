"""Checks what surrounds a migration: objects of the app, backups, copies, compatible versions, and shortened histories."""

import random
import shutil
import sqlite3

from driver import Mismatch, write
from rows import RandomRows, quoted

APP = "app's own"


class SurroundingsCheck:
    """The checks of one store of a model. `check` compares the migrated stores."""

    def __init__(self, check, start, states, script):
        self.check, self.start, self.states, self.script = check, start, states, script
        self.versions = check.model.versions
        self.stores = check.folder / "Stores"
        self.original = self.stores / "original.sqlite"
        self.name = f"from {self.versions[start]}"
        self.newest = len(self.versions) - 1

    def run(self):
        self.objects_of_the_app()
        self.backup()
        self.copy()
        self.tools()
        for older in range(self.check.model.oldest, self.newest):
            if not self.check.model.is_passed_over(older):
                self.older_app(older)
        self.salvage()
        if 0 < self.start:
            self.squash()

    def copied(self, name):
        store = self.stores / f"{name}.sqlite"
        shutil.copy(self.original, store)
        return store

    def migrated(self, store, way, **arguments):
        reply = self.check.migrate(store, None, way, self.script, **arguments)
        if "error" in reply:
            raise Mismatch(f"{way} {self.name}: {reply['error']}")
        return reply

    def objects_of_the_app(self):
        """Tables, views, indexes and triggers of the app stay, or the report names them."""
        for way in ("fused", "interrupted"):
            store = self.copied(f"objects {way}")
            connection = self.check.connect(store)
            tables = [
                (name, [column.name for column in columns])
                for name, columns in self.check.model.tables(self.start).values()
            ]
            table, columns = tables[-1]
            connection.executescript(
                f"""
                CREATE TABLE "{APP}" (a TEXT UNIQUE, b INTEGER); INSERT INTO "{APP}" VALUES ('kept', 1), ('too', 2);
                CREATE VIRTUAL TABLE "{APP} text" USING fts5 (words); INSERT INTO "{APP} text" VALUES ('some words');
                CREATE INDEX "{APP} index" ON {quoted(table)} ({quoted(columns[0])} DESC);
                CREATE VIEW "{APP} view" AS SELECT {quoted(columns[0])} FROM {quoted(table)};
                CREATE TRIGGER "{APP} trigger" AFTER DELETE ON {quoted(table)} BEGIN DELETE FROM "{APP}"; END;
                """
            )
            connection.close()
            report = self.migrated(store, way)["report"]
            connection = self.check.connect(store)
            if connection.execute(f'SELECT * FROM "{APP}" ORDER BY b').fetchall() != [("kept", 1), ("too", 2)]:
                raise Mismatch(f"{way} {self.name}: a table of the app has other rows")
            if not connection.execute(f'SELECT 1 FROM "{APP} text" WHERE "{APP} text" MATCH \'words\'').fetchone():
                raise Mismatch(f"{way} {self.name}: a search of the app has other rows")
            dropped = {each["name"] for each in report["droppedObjects"]}
            for kind in ("index", "view", "trigger"):
                name = f"{APP} {kind}"
                found = connection.execute("SELECT 1 FROM sqlite_schema WHERE name = ?", (name,)).fetchone()
                if bool(found) == (name in dropped):
                    raise Mismatch(f"{way} {self.name}: the {kind} of the app: found {found}, reported {name in dropped}")
                if found and kind == "view":
                    connection.execute(f"SELECT * FROM {quoted(name)}").fetchall()
            for kind in ("view", "trigger", "index"):
                connection.execute(f'DROP {kind} IF EXISTS "{APP} {kind}"')
            connection.executescript(f'DROP TABLE "{APP}"; DROP TABLE "{APP} text"')
            connection.close()
            self.check.compare(store, self.newest, self.states[-1], f"{way} {self.name} with objects of the app")

    def backup(self):
        store, backup = self.copied("backed up"), self.stores / "backup.sqlite"
        self.migrated(store, "fused", target=str(backup))
        self.check.compare(backup, self.start, self.states[0], f"the backup {self.name}")
        self.check.compare_layout(backup, self.start, f"the backup {self.name}")
        self.migrated(backup, "fused")
        self.check.compare(backup, self.newest, self.states[-1], f"the migrated backup {self.name}")

    def copy(self):
        copy = self.stores / "copy.sqlite"
        before = self.original.read_bytes()
        self.migrated(self.original, "copy", target=str(copy))
        if self.original.read_bytes() != before:
            raise Mismatch(f"copy {self.name}: the store has changed")
        self.check.compare(copy, self.newest, self.states[-1], f"the copy {self.name}")

    def tools(self):
        """The commands for stores."""
        model = ["--model", str(self.check.source)]
        for command in (["plan", "--quiet"], ["inspect"]):
            self.check.driver.must(action="strata", arguments=[*command, str(self.original), *model])
        redacted = self.stores / "redacted.sqlite"
        arguments = ["export", str(self.original), "--redact", "--to", str(redacted), *model]
        self.check.driver.must(action="strata", arguments=arguments)
        found, expected = self.check.state(redacted, self.start), self.states[0]
        for lineage, rows in expected.items():
            if len(found[lineage]) != len(rows):
                raise Mismatch(f"export {self.name}: {len(found[lineage])} rows instead of {len(rows)}")

    def salvage(self):
        rescued = self.stores / "rescued.sqlite"
        self.check.driver.must(action="strata", arguments=["salvage", str(self.original), "--to", str(rescued)])
        self.check.compare(rescued, self.start, self.states[0], f"salvage {self.name}")

    def older_app(self, older):
        """An older app that can open the migrated store writes to it as to a store of its version."""
        store = self.stores / "older.sqlite"
        shutil.copy(self.stores / "fused.sqlite", store)
        reply = self.check.migrate(store, self.versions[older], "fused", self.script)
        if "error" in reply:
            if "newer" not in reply["error"] and "version" not in reply["error"]:
                raise Mismatch(f"opened by {self.versions[older]}: {reply['error']}")
            return
        self.check.counts["opened by an older app"] += 1
        name = f"{self.versions[-1]} (from {self.versions[self.start]}) opened by {self.versions[older]}"
        tables = self.check.model.tables(older)
        connection = self.check.connect(store)
        own = sqlite3.connect(":memory:")
        own.executescript((self.check.source / "SQL" / f"{self.versions[older]}.sql").read_text())
        for table, columns in tables.values():
            names = [column.name for column in columns]
            rows = self.check.rows_of(connection, table, names)
            places = ", ".join("?" * len(names))
            own.executemany(f"INSERT INTO {quoted(table)} ({', '.join(map(quoted, names))}) VALUES ({places})", rows)
        own.commit()
        for each in (own, connection):
            RandomRows(random.Random(f"{self.check.seed} {name}"), self.check.model, older).fill(each, 3)
            for table, columns in list(tables.values())[:2]:
                key = quoted(columns[0].name)
                for row in each.execute(f"SELECT {key} FROM {quoted(table)} ORDER BY {key} LIMIT 2").fetchall():
                    try:
                        each.execute(f"DELETE FROM {quoted(table)} WHERE {key} IS ?", row)
                        each.commit()
                    except sqlite3.IntegrityError:
                        each.rollback()
        for table, columns in tables.values():
            names = [column.name for column in columns]
            self.check.compare_rows(
                f"{name}: {table}", names, self.check.rows_of(own, table, names),
                self.check.rows_of(connection, table, names),
            )  # fmt: skip
        self.check.check_soundness(connection, name)
        connection.close()

    def squash(self):
        """A model whose first version is that of the store migrates the store as before."""
        # The schema is named after the folder.
        folder = self.check.folder / "Squashed" / self.check.source.name
        write(folder, self.check.files)
        driver, version = self.check.driver, self.versions[self.start]
        if self.start < self.newest:
            driver.generate(folder, self.check.model)
            driver.must(action="strata", arguments=["squash", str(folder), "--before", version, "--yes"])
            store = self.copied("squashed")
            reply = driver.ask(
                action="migrate", folder=str(folder), file=str(store), way="fused", script=str(self.script)
            )
            if "error" in reply:
                raise Mismatch(f"squashed before {version}: {reply['error']}")
            self.check.compare(store, self.newest, self.states[-1], f"squashed before {version}")
        shutil.rmtree(folder.parent)
