/// The commands, in the order in which they are listed.
extension CommandDescription {
    private static let quiet = Option("--quiet", "print no progress")
    private static let target = Option(
        "--target", "NAME", "the Swift target of the model, if the folder is not below Sources/NAME")
    private static let testTarget = Option(
        "--test-target", "NAME=DIR", "a test target, if its folder is not Tests/NAME beside the Package.swift")
    private static let pluginModel = Option("--model", "FOLDER", "another folder", isForPlugins: true)
    private static let storeModel = Option(
        "--model", "FOLDER", "the model of the store (default: the model of the same schema below the current folder)")
    private static let editedModel = Option(
        "--model", "FOLDER", "the model (default: the model below the current folder that has the entity)")
    private static let draft = Option(
        "--version", "VERSION", "the new version, if the newest one is released (default: the next number)")

    /// All commands.
    package static let all = model + stores + server + others + builds

    private static let model = [
        CommandDescription(
            "init", .model, "begin a model: the first entity, and the package if there is none",
            usage: ["init [FOLDER] [options]"],
            """
            Writes Sources/NAME/Model with strata.json and an entity, generates its files, and writes a Swift file for each of the
            two targets that has none. Without a Package.swift, it writes one too; otherwise, it prints the lines that the
            package needs. FOLDER is that of the package (default: the current one).
            """,
            options: [
                Option("--target", "NAME", "the Swift target (default: the only one, or the name of the folder)"),
                Option("--strata", "PATH", "the path of Strata in Package.swift (default: where this tool was built)"),
            ],
            example: "init App"),
        CommandDescription(
            "generate", .model, "write the Swift sources, the SQL, the tests and the stubs of custom migrations",
            usage: ["generate FOLDER… [options]"],
            """
            Writes the Swift sources, the SQL, strata.lock, the tests and missing stubs of each model, and prints the names of the
            files. It does not touch a file that would not change.
            """,
            options: [
                Option(
                    "--release",
                    "also do what strata release does, with its options --beta, --step, --version and --untested"),
                Option("--beta", "with --release: as for release"),
                Option("--step", "FROM-TO", "with --release: as for release"),
                Option("--version", "VERSION", "with --release: as for release"),
                Option("--untested", "with --release: as for release"),
                target,
                testTarget,
                pluginModel,
            ],
            example: "generate Sources/App/Model"),
        CommandDescription(
            "check", .model, "report files that are out of date, changed released versions and unwritten migrations",
            usage: ["check [FOLDER…] [options]"],
            """
            Fails if a generated file is out of date or missing, a released version has changed, or a custom migration is
            not written, and prints each place. It writes nothing. Without a folder, it checks all models of the package in
            the current one.
            """,
            options: [
                Option(
                    "--released",
                    "also fail if the newest version is not released, and warn if its generated tests have not passed here; "
                        + "for the build that ships"),
                Option(
                    "--compatible-since", "VERSION",
                    "also fail if apps of this version cannot use stores of the newest version"),
                Option("--json", "print an array of objects: file, line, column, severity, message"),
                Option("--format", "github", "print annotations for a pull request on GitHub"),
                target,
                testTarget,
                pluginModel,
                Option("--sources", "check only the sources", isForPlugins: true),
                Option("--tests", "check only the tests", isForPlugins: true),
                Option("--stamp", "FILE", "a file to write after success", isForPlugins: true),
            ],
            example: "check Sources/App/Model --released"),
        CommandDescription(
            "release", .model, "record the newest version as released; it can no longer change",
            usage: ["release FOLDER… [options]"],
            """
            Records the newest version in strata.lock as released. From then on its descriptions cannot change, and its
            fixture, a database of the version with rows, is never written again. Run swift test first: it writes the fixture.
            If a generated test has not passed, or the fixture is older than the descriptions, nothing is released.
            """,
            options: [
                Option(
                    "--beta",
                    "release the draft as a beta, like 1.3-beta.1, in the descriptions and your sources "
                        + "too. Later edits belong to 1.3. Afterwards run the tests and generate"),
                Option(
                    "--step", "FROM-TO",
                    #"release no version, but accept an edit of a released step, such as another "fill". "#
                        + #"Stores that have taken the step keep what it was"#),
                Option("--version", "VERSION", "release this version and those before it (default: the newest)"),
                Option(
                    "--untested",
                    "release also without green tests, fixtures and written migrations, for versions that "
                        + "customers have already; the next swift test writes what is missing"),
                target,
                testTarget,
                pluginModel,
            ],
            example: "release Sources/App/Model"),
        CommandDescription(
            "diff", .model, "print the changes between two versions, and which migrations are inferred",
            usage: [
                "diff FOLDER             the changes of the newest version",
                "diff FOLDER FROM        the changes since the version FROM",
                "diff FOLDER FROM TO     the changes between two versions",
            ],
            """
            Prints every change, step by step: which migrations Strata infers, which ones you write and why, and which data is
            deleted.
            """,
            options: [
                Option(
                    "--json",
                    "print an array of objects: from, to, handling (inferred, custom or discarding), "
                        + "subject, change, reason"),
                Option("--markdown", "print Markdown, for the description of a pull request"),
                target,
            ],
            example: "diff Sources/App/Model 1.0 2.0"),
        CommandDescription(
            "add", .model, "add a property or an entity to the draft",
            usage: ["add property ENTITY.NAME TYPE [options]", "add entity NAME [options]"],
            """
            Adds a property or an entity to the descriptions, in the draft. If the newest version is released, the draft is a new
            version. Prints the files that change and what the migration will do. If the edited descriptions would be wrong,
            nothing is written.
            """,
            options: [
                Option("--nullable", "the property may be nil"),
                Option(
                    "--default", "VALUE",
                    "the default value, which existing rows get too: JSON for numbers, Booleans and "
                        + "lists, otherwise text"),
                Option("--fill", "VALUE", "the value of existing rows"),
                Option("--unique", "no two rows have the same value"),
                Option("--indexed", "the property has an index"),
                Option("--to-one", "the property is a relationship to one row of the entity TYPE"),
                Option("--to-many", "the property is a relationship to any number of rows of the entity TYPE"),
                Option("--inverse", "NAME", "also add the relationship in the other direction, to-many or to-one"),
                Option("--identifier", "TYPE", "the type of the entity's identifier (default: int)"),
                draft,
                editedModel,
                target,
            ],
            example: "add property episode.rating double --nullable"),
        CommandDescription(
            "rename", .model, "rename an element in the draft, and record the former name",
            usage: ["rename ENTITY NEW [options]", "rename ENTITY.NAME NEW [options]"],
            """
            Renames an entity, a subtype, or an element of one, in the draft. Records the former name in the version history,
            and renames the references to it. Prints the files that change and what the migration will do.
            """,
            options: [
                draft,
                editedModel,
                target,
            ],
            example: "rename episode.note notes"),
        CommandDescription(
            "remove", .model, "remove an element in the draft; older versions keep it",
            usage: ["remove ENTITY [options]", "remove ENTITY.NAME [options]"],
            """
            Removes an entity, a subtype, or an element of one, in the draft. The descriptions of older versions keep it. Its data
            needs a custom migration that saves it, or --discard. A relationship is removed with its inverse. Prints the files that
            change and what the migration will do.
            """,
            options: [
                Option("--discard", "delete the data"),
                draft,
                editedModel,
                target,
            ],
            example: "remove episode.note --discard"),
        CommandDescription(
            "version", .model, "begin a version",
            usage: ["version VERSION [options]"],
            """
            Begins a version: adds an item to the history of an entity. Later edits belong to it. The newest version must be
            released.
            """,
            options: [
                Option("--model", "FOLDER", "the model (default: the model below the current folder)"),
                target,
            ],
            example: "version 2.2"),
        CommandDescription(
            "format", .model, "write the descriptions in one layout",
            usage: ["format FOLDER…"],
            """
            Writes strata.json and the descriptions in one layout: the order and spelling of keys, and the lines. If a file has
            errors, none is written.
            """,
            options: [
                target
            ],
            example: "format Sources/App/Model"),
        CommandDescription(
            "prune", .model, "remove the history of versions that are no longer supported",
            usage: ["prune FOLDER… [options]"],
            """
            Removes the history of the versions that are older than "oldest_supported_version" in strata.json. All other text
            stays as it is. Afterwards run generate, and delete the custom migrations, the expected results, the sample rows and the
            fixtures of these versions. squash does all of this.
            """,
            options: [
                target
            ],
            example: "prune Sources/App/Model"),
        CommandDescription(
            "squash", .model, "make a version the first one, and remove everything that only older ones need",
            usage: ["squash FOLDER… --before VERSION [options]"],
            """
            Makes VERSION the first version: sets "oldest_supported_version", prunes the descriptions, and deletes the custom
            migrations, expected results, sample rows and fixtures of older versions. Stores of these versions can no longer be
            opened. Lists the files, and asks before it changes them. Commit everything before you run it.
            """,
            options: [
                Option("--before", "VERSION", "the version that becomes the first one"),
                Option("--yes", "do not ask, for example without a terminal"),
                Option("--model", "FOLDER", "another folder"),
                target,
                testTarget,
            ],
            example: "squash Sources/App/Model --before 2.0"),
        CommandDescription(
            "export-schema", .model, "write the tables of the newest version for Room, Drift or another library",
            usage: ["export-schema FORMAT FOLDER --to DIR [options]"],
            """
            Writes the tables of the newest version of a model for another library. The formats are sql (schema.sql, for SQLite,
            SQLDelight and Drift's .drift files), room (N.json, as Room exports it) and drift (drift_schema_vN.json, as drift_dev
            exports it). N is the number of the version among all versions.
            """,
            options: [
                Option("--to", "DIR", "the folder for the file"),
                target,
            ],
            example: "export-schema room Sources/App/Model --to schemas"),
        CommandDescription(
            "document", .model, "write a page with the diagram and the history of the schema",
            usage: ["document FOLDER --to FILE [options]"],
            """
            Writes the schema page: one HTML file that needs no network, with the diagram of every version, the differences
            between any two versions, the SQL of each migration, and the descriptions. With "document": true in strata.json,
            generate writes Schema.html and SCHEMA.md, and check compares them.
            """,
            options: [
                Option(
                    "--to", "FILE",
                    "a file that ends in .html for the page, .md for Markdown with Mermaid diagrams, or "
                        + ".svg for the diagram of the newest version"),
                Option("--since", "VERSION", "for .svg, mark the differences from this version"),
                target,
                quiet,
            ],
            example: "document Sources/App/Model --to Schema.html"),
    ]

    private static let stores = [
        CommandDescription(
            "plan", .store, "print what opening a store would do",
            usage: ["plan FILE [options]"],
            """
            Prints what opening the store FILE would do: the steps, what happens to each table, the rows that violate a
            constraint, and the disk space that the migration needs. It writes nothing, and runs no custom migration. It fails
            if an inferred migration would fail.
            """,
            options: [
                storeModel,
                Option("--json", "print an object, the encoded MigrationPlan"),
                quiet,
            ],
            example: "plan ~/broken.sqlite --model Sources/App/Model"),
        CommandDescription(
            "inspect", .store, "print the version, the tables and the migrations of a store",
            usage: ["inspect FILE [options]"],
            """
            Prints the schema, the version, the tables, the numbers of rows and the past migrations of the store FILE, and
            how it differs from a new store of its version. It writes nothing, and fails if there is a difference.
            """,
            options: [
                storeModel,
                Option("--json", "print an object, the encoded StoreInspection"),
                Option(
                    "--html", "FILE",
                    "write the schema page with the rows, sizes and migrations of the store; needs its model"),
            ],
            example: "inspect ~/broken.sqlite --model Sources/App/Model"),
        CommandDescription(
            "salvage", .store, "write the readable rows of a damaged store to a new one",
            usage: ["salvage FILE --to FILE [options]"],
            """
            Writes every readable row of the damaged store FILE to a new store of the same version, and creates the indexes
            again. It prints the numbers of the rows between which nothing can be read, and the rows that violate a constraint.
            FILE is only read. It fails if anything is lost. Copy FILE together with its -wal file first.
            """,
            options: [
                Option("--to", "FILE", "the new store; the file must not exist"),
                Option(
                    "--json",
                    "print an object: version, tables (name, rows, lost, invalid, converted), lostObjects, isComplete"),
            ],
            example: "salvage broken.sqlite --to rescued.sqlite"),
        CommandDescription(
            "export", .store, "copy a store with noise in place of its texts, for a bug report",
            usage: ["export FILE --redact --to FILE [options]"],
            """
            Copies the store FILE with noise of the same length in place of its texts and its data. Numbers, dates, UUIDs,
            cases and relationships stay, so the copy migrates as the store does. Equal texts get equal noise, which depends on
            the complete text and on a key that is not stored. If noise violates a limit such as a pattern, other values
            replace the whole column, and the command names it. What the model does not know is left out: tables, views,
            triggers and indexes of the app. Look into the copy before you pass it on.
            """,
            options: [
                Option("--redact", "replace texts and data; required"),
                Option("--user-objects", "copy the app's own tables with noise, and the SQL of its objects as it is"),
                Option("--to", "FILE", "the copy; the file must not exist"),
                storeModel,
            ],
            example: "export customer.sqlite --redact --to report.sqlite"),
    ]

    private static let server = [
        CommandDescription(
            "export-migrations", .server,
            "add the SQL of versions and steps to a folder for Flyway, Atlas or golang-migrate",
            usage: ["export-migrations FOLDER --for TOOL --to DIR [options]"],
            """
            Adds the SQL for a PostgreSQL server to a folder of migrations, with the names and markings of a program that runs
            them. The first export creates the newest version. Later ones add the files of new steps, after all others.

            A manifest, strata-manifest.txt, names each file with its hash. If a file was edited, or if Strata would write other
            statements now, nothing is written.
            """,
            options: [
                Option("--for", "TOOL", "flyway, atlas or golang-migrate"),
                Option("--to", "DIR", "the folder"),
                Option(
                    "--from", "VERSION",
                    "the version that the first file creates, for a new folder (default: that of --version)"),
                Option("--version", "VERSION", "the last version (default: the newest)"),
                Option("--drafts", "also export versions that are not released"),
                target,
            ],
            example: "export-migrations Sources/App/Model --for flyway --to db/migrations"),
        CommandDescription(
            "copy", .server, "write the rows of a store to a server, or those of a server to a store",
            usage: ["copy STORE --to URL [options]", "copy STORE --from URL [options]"],
            """
            Writes the rows of a store to the empty tables of a server that has the same version, or those of a server to a
            new store. Then it compares the number and the contents of the rows of each table.

            A copy to a server that was interrupted goes on when it is run again. It reports values that the other side cannot
            hold, such as a text with U+0000, with their tables and keys, and then copies nothing.
            """,
            options: [
                Option(
                    "--to", "URL",
                    "the database: postgresql://USER@HOST/DATABASE. Give a password in PGPASSWORD or "
                        + "~/.pgpass, because others can see the arguments of a program"),
                Option("--from", "URL", "the database whose rows are copied to the new store"),
                storeModel,
                Option("--restart", "delete the rows of an interrupted copy first"),
                quiet,
            ],
            example: "copy ~/customer.sqlite --to postgresql://app@db.example.com/app"),
    ]

    private static let others = [
        CommandDescription(
            "schema", .other, "write JSON Schemas of the descriptions, for editors",
            usage: ["schema --into DIR"],
            """
            Writes JSON Schemas (draft-07) of strata.json, entities and subtypes. With "$schema" in a file, or a setting of your
            editor, they complete keys and find mistakes while you type.
            """,
            options: [
                Option("--into", "DIR", "the folder to write to, outside the folders of models")
            ],
            example: "schema --into .schemas"),
        CommandDescription(
            "templates", .other, "copy the templates, to change the generated code",
            usage: ["templates --copy DIR", "templates --values"],
            """
            Copies the templates. Change the ones that you need, delete the others, and set "templates" in strata.json to the
            folder, relative to the folder of the model. To add code to the structs of the newest version, keep only
            EntityExtras.swift.mustache. The first line of a template is the number of its format; Strata refuses a template of
            another format.
            """,
            options: [
                Option("--copy", "DIR", "copy all templates to this folder"),
                Option("--values", "print the values that each template gets"),
            ],
            example: "templates --copy Sources/App/Model/Templates"),
        CommandDescription(
            "import", .other,
            "write the descriptions of a model of Core Data, SwiftData, CoreStore, Lucid, Room, Drift or SQL",
            usage: [
                "import core-data MODEL.xcdatamodeld --into FOLDER [options]",
                "import swiftdata SOURCES --into FOLDER [options]",
                "import corestore SOURCES --into FOLDER [options]",
                "import lucid PROJECT --into FOLDER [--git] [options]", "import room SCHEMAS --into FOLDER [options]",
                "import drift SCHEMAS --into FOLDER [options]", "import sql MIGRATIONS --into FOLDER [options]",
                "import sqlite DATABASE --into FOLDER [options]",
            ],
            """
            Writes the descriptions of a model of another library, with all its versions, and IMPORT.md, which lists what was
            not carried over. Strata reads the descriptions back and compares them with the source; if they differ, it writes
            nothing.

            SOURCES is a Swift file, or a folder of Swift files. PROJECT is a folder with .lucid.yaml. SCHEMAS is the folder
            of the schemas that Room or Drift has exported. MIGRATIONS is a folder of SQL files with numbers in their names,
            as SQLDelight, Flyway, golang-migrate, Prisma, drizzle and others have them. DATABASE is a database, or a folder
            with a database of each version.
            """,
            options: [
                Option("--into", "FOLDER", "the folder of the model"),
                Option(
                    "--renames", "FILE",
                    #"renames (old name to new name), removals and backfill values, by version: {"12": "#
                        + #"{"user": "account", "user.fax": null, "account.age": {"fill": 0}}}"#),
                Option(
                    "--interactive",
                    "ask on the terminal which removed elements were renamed, and write the answers to "
                        + "the file of --renames (default: renames.json)"),
                Option("--dry-run", "print what would be written, and the summary"),
                Option("--oldest", "VERSION", "the oldest version whose stores can be migrated"),
                Option(
                    "--git",
                    "for lucid: read the history from the tags of the repository, such as release_1.2-34"),
                Option(
                    "--complete", "for sql: each file creates a complete schema, instead of changing the one before"),
                Option(
                    "--placeholder", "NAME=VALUE", "for sql: the value of `${NAME}` in Flyway's files; can be repeated"),
                Option(
                    "--kotlin", "DIR",
                    "for room: a folder with the source of the migrations, whose defaults are the backfill values of new columns"
                ),
                Option("--singular", "entities get the singular of their tables' names: `entry` for `entries`"),
                Option("--order", "FILE", "the versions of a Core Data model in order, one a line"),
                Option(
                    "--inheritance", "KIND",
                    "for core-data, swiftdata and corestore: root (default), one table for an entity and all that "
                        + "inherit from it; or entity, one table for each entity that is not abstract"),
                Option("--mapping-models", "DIR", "for Core Data: a folder with mapping models, which tell renames"),
                Option(
                    "--version-info", "FILE",
                    "for Core Data: VersionInfo.plist of the compiled model (in App.app/Model.momd), "
                        + "whose hashes identify the version of a database"),
                target,
                quiet,
            ],
            example: "import core-data App/Model.xcdatamodeld --into Sources/App/Model"),
        CommandDescription(
            "convert", .other, "convert a database of one of them to a store",
            usage: ["convert FILE --model FOLDER --to FILE [options]"],
            """
            Converts a database of the library that the model was imported from. The store gets the version of the database, and
            migrates when it is opened. The database is only read. Rows that do not fit the schema are copied to the table
            strata_unconverted and reported.
            """,
            options: [
                Option("--model", "FOLDER", "the imported model"),
                Option("--to", "FILE", "the store; the file must not exist"),
                Option("--version", "VERSION", "the version of the database, if its tables fit several versions"),
                Option(
                    "--invalid-rows", "POLICY",
                    #"what happens to rows that do not fit: set-aside (default), drop or refuse. For "#
                        + #"entities in "invalid_rows" of strata.json, that policy applies instead"#),
                Option(
                    "--json",
                    "print an object: version, rows, unconverted (rows that were not converted), cleared "
                        + "(references set to NULL), filled (replaced values), invalidRows, left (values of "
                        + "columns that the import left out)"),
                quiet,
            ],
            example: "convert App.sqlite --model Sources/App/Model --to App.strata"),
    ]

    private static let builds = [
        CommandDescription(
            "sources", .build, "write the Swift sources of a build",
            usage: ["sources --model DIR --target NAME --output DIR"],
            """
            Writes the Swift sources of a model for a build. The plugin StrataBuild runs this command.
            """,
            options: [
                Option("--model", "DIR", "the folder of the model"),
                Option("--target", "NAME", "the Swift target of the model"),
                Option("--output", "DIR", "the folder to write to"),
            ],
            example: "sources --model Sources/App/Model --target App --output /tmp/out"),
        CommandDescription(
            "tests", .build, "write the Swift tests of a build",
            usage: ["tests --model DIR --target NAME --test-target NAME=DIR --output DIR"],
            """
            Writes the Swift tests of a model for a build. The plugin StrataBuild runs this command.
            """,
            options: [
                Option("--model", "DIR", "the folder of the model"),
                Option("--target", "NAME", "the Swift target of the model"),
                Option("--test-target", "NAME=DIR", "the test target"),
                Option("--output", "DIR", "the folder to write to"),
            ],
            example:
                "tests --model Sources/App/Model --target App --test-target AppTests=Tests/AppTests --output /tmp/out"),
    ]
}
