import SQLSchema

/// The help texts of the commands.
enum Help {
    /// The list of all commands.
    static let all = """
        usage: strata COMMAND ARGUMENTS… [options]
               swift run strata COMMAND ARGUMENTS… [options], in a package

        The folder of a model contains a strata.json and the descriptions.

        commands for the folder of a model
          generate    write the Swift sources, the SQL, the tests and the stubs of custom migrations
          check       report files that are out of date, changed released versions and unwritten migrations
          release     record the newest version as released; it can no longer change
          diff        print the changes between two versions, and which migrations are inferred
          add         add a property or an entity to the draft
          rename      rename an element in the draft, and record the former name
          remove      remove an element in the draft; older versions keep it
          version     begin a version
          format      write the descriptions in one layout
          prune       remove the history of versions that are no longer supported
          squash      make a version the first one, and remove everything that only older ones need
          export-schema  write the tables of the newest version for Room, Drift or another library
          document    write a page with the diagram and the history of the schema

        commands for a store
          plan        print what opening a store would do
          inspect     print the version, the tables and the migrations of a store
          salvage     write the readable rows of a damaged store to a new one
          export      copy a store with noise in place of its texts, for a bug report

        commands for a PostgreSQL server
          export-migrations  add the SQL of versions and steps to a folder for Flyway, Atlas or golang-migrate
          copy        write the rows of a store to a server, or those of a server to a store

        other commands
          schema      write JSON Schemas of the descriptions, for editors
          templates   copy the templates, to change the generated code
          import      write the descriptions of a model of Core Data, SwiftData, Room, Drift or SQL
          convert     convert a database of one of them to a store

        strata COMMAND --help describes a command. Exit codes: 0 success, 1 a problem in a model or a store, 2 wrong arguments.
        """

    /// Returns the help text of a command; nil if there is no such command.
    static func of(_ command: String) -> String? {
        switch command {
        case "generate":
            """
            usage: strata generate FOLDER… [options]

            Writes the Swift sources, the SQL, strata.lock, the tests and missing stubs of each model, and prints the names of the
            files. It does not touch a file that would not change.

              --release              also do what strata release does, with its options --beta, --step, --version and --untested
              --target NAME          the Swift target of the model, if the folder is not below Sources/NAME
              --test-target NAME=DIR a test target, if its folder is not Tests/NAME beside the Package.swift

            example: strata generate Sources/App/Model
            """
        case "check":
            """
            usage: strata check FOLDER… [options]

            Fails if a generated file is out of date or missing, a released version has changed, or a custom migration is
            not written, and prints each place. It writes nothing.

              --released             also fail if the newest version is not released
              --compatible-since VERSION  also fail if apps of this version cannot use stores of the newest version
              --json                 print an array of objects: file, line, column, severity, message
              --format github        print annotations for a pull request on GitHub
              --target NAME          the Swift target of the model, if the folder is not below Sources/NAME
              --test-target NAME=DIR a test target, if its folder is not Tests/NAME beside the Package.swift

            example: strata check Sources/App/Model --released
            """
        case "release":
            """
            usage: strata release FOLDER… [options]

            Records the newest version in strata.lock as released. From then on its descriptions cannot change, and its
            fixture, a database of the version with rows, is never written again. Run swift test first: it writes the fixture.
            If a generated test has not passed, or the fixture is older than the descriptions, nothing is released.

              --beta                 release the draft as a beta, like 1.3-beta.1, in the descriptions and your sources too.
                                     Later edits belong to 1.3. Afterwards run the tests and generate
              --step FROM-TO         release no version, but accept an edit of a released step, such as another "fill". Stores that
                                     have taken the step keep what it was
              --version VERSION      release this version and those before it (default: the newest)
              --untested             release also without green tests, fixtures and written migrations, for versions that customers have
                                     already; the next swift test writes what is missing
              --target NAME          the Swift target of the model, if the folder is not below Sources/NAME
              --test-target NAME=DIR a test target, if its folder is not Tests/NAME beside the Package.swift

            example: strata release Sources/App/Model
            """
        case "diff":
            """
            usage: strata diff FOLDER             the changes of the newest version
                   strata diff FOLDER FROM        the changes since the version FROM
                   strata diff FOLDER FROM TO     the changes between two versions

            Prints every change, step by step: which migrations Strata infers, which ones you write and why, and which data is
            deleted.

              --json                 print an array of objects: from, to, handling (inferred, custom or discarding), subject,
                                     change, reason
              --markdown             print Markdown, for the description of a pull request
              --target NAME          the Swift target of the model, if the folder is not below Sources/NAME

            example: strata diff Sources/App/Model 1.0 2.0
            """
        case "add":
            """
            usage: strata add property ENTITY.NAME TYPE [options]
                   strata add entity NAME [options]

            Adds a property or an entity to the descriptions, in the draft. If the newest version is released, the draft is a new
            version. Prints the files that change and what the migration will do. If the edited descriptions would be wrong,
            nothing is written.

              --nullable             the property may be nil
              --default VALUE        the default value, which existing rows get too: JSON for numbers, Booleans and lists,
                                     otherwise text
              --fill VALUE           the value of existing rows
              --unique, --indexed    the property is unique, or has an index
              --to-one, --to-many    the property is a relationship to the entity TYPE
              --inverse NAME         also add the relationship in the other direction, to-many or to-one
              --identifier TYPE      the type of the entity's identifier (default: int)
              --version VERSION      the new version, if the newest one is released (default: the next number)
              --model FOLDER         the model (default: the model below the current folder that has the entity)
              --target NAME          the Swift target of the model, if the folder is not below Sources/NAME

            example: strata add property episode.rating double --nullable
            """
        case "rename":
            """
            usage: strata rename ENTITY NEW [options]
                   strata rename ENTITY.NAME NEW [options]

            Renames an entity, a subtype, or an element of one, in the draft. Records the former name in the version history,
            and renames the references to it. Prints the files that change and what the migration will do.

              --version VERSION      the new version, if the newest one is released (default: the next number)
              --model FOLDER         the model (default: the model below the current folder that has the entity)
              --target NAME          the Swift target of the model, if the folder is not below Sources/NAME

            example: strata rename episode.note notes
            """
        case "remove":
            """
            usage: strata remove ENTITY [options]
                   strata remove ENTITY.NAME [options]

            Removes an entity, a subtype, or an element of one, in the draft. The descriptions of older versions keep it. Its data
            needs a custom migration that saves it, or --discard. A relationship is removed with its inverse. Prints the files that
            change and what the migration will do.

              --discard              delete the data
              --version VERSION      the new version, if the newest one is released (default: the next number)
              --model FOLDER         the model (default: the model below the current folder that has the entity)
              --target NAME          the Swift target of the model, if the folder is not below Sources/NAME

            example: strata remove episode.note --discard
            """
        case "version":
            """
            usage: strata version VERSION [options]

            Begins a version: adds an item to the history of an entity. Later edits belong to it. The newest version must be
            released.

              --model FOLDER         the model (default: the model below the current folder)
              --target NAME          the Swift target of the model, if the folder is not below Sources/NAME

            example: strata version 2.2
            """
        case "format":
            """
            usage: strata format FOLDER…

            Writes strata.json and the descriptions in one layout: the order and spelling of keys, and the lines. If a file has
            errors, none is written.

              --target NAME          the Swift target of the model, if the folder is not below Sources/NAME

            example: strata format Sources/App/Model
            """
        case "schema":
            """
            usage: strata schema --into DIR

            Writes JSON Schemas (draft-07) of strata.json, entities and subtypes. With "$schema" in a file, or a setting of your
            editor, they complete keys and find mistakes while you type.

              --into DIR             the folder to write to, outside the folders of models

            example: strata schema --into .schemas
            """
        case "prune":
            """
            usage: strata prune FOLDER… [options]

            Removes the history of the versions that are older than "oldest_supported_version" in strata.json. All other text
            stays as it is. Afterwards run generate, and delete the custom migrations, the expected results, the sample rows and the
            fixtures of these versions. squash does all of this.

              --target NAME          the Swift target of the model, if the folder is not below Sources/NAME

            example: strata prune Sources/App/Model
            """
        case "squash":
            """
            usage: strata squash FOLDER… --before VERSION [options]

            Makes VERSION the first version: sets "oldest_supported_version", prunes the descriptions, and deletes the custom
            migrations, expected results, sample rows and fixtures of older versions. Stores of these versions can no longer be
            opened. Lists the files, and asks before it changes them. Commit everything before you run it.

              --before VERSION       the version that becomes the first one
              --yes                  do not ask
              --model FOLDER         another folder
              --target NAME          the Swift target of the model, if the folder is not below Sources/NAME
              --test-target NAME=DIR a test target, if its folder is not Tests/NAME beside the Package.swift

            example: strata squash Sources/App/Model --before 2.0
            """
        case "export-schema":
            """
            usage: strata export-schema FORMAT FOLDER --to DIR [options]

            Writes the tables of the newest version of a model for another library. The formats are sql (schema.sql, for SQLite,
            SQLDelight and Drift's .drift files), room (N.json, as Room exports it) and drift (drift_schema_vN.json, as drift_dev
            exports it). N is the number of the version among all versions.

              --to DIR               the folder for the file
              --target NAME          the Swift target of the model, if the folder is not below Sources/NAME

            example: strata export-schema room Sources/App/Model --to schemas
            """
        case "document":
            """
            usage: strata document FOLDER --to FILE [options]

            Writes the schema page: one HTML file that needs no network, with the diagram of every version, the differences
            between any two versions, the SQL of each migration, and the descriptions. With "document": true in strata.json,
            generate writes Schema.html and SCHEMA.md, and check compares them.

              --to FILE              a file that ends in .html for the page, .md for Markdown with Mermaid diagrams, or .svg for
                                     the diagram of the newest version
              --since VERSION        for .svg, mark the differences from this version
              --target NAME          the Swift target of the model, if the folder is not below Sources/NAME
              --quiet                print no progress

            example: strata document Sources/App/Model --to Schema.html
            """
        case "export-migrations":
            """
            usage: strata export-migrations FOLDER --for TOOL --to DIR [options]

            Adds the SQL for a PostgreSQL server to a folder of migrations, with the names and markings of a program that runs
            them. The first export creates the newest version. Later ones add the files of new steps, after all others.

            A manifest, strata-manifest.txt, names each file with its hash. If a file was edited, or if Strata would write other
            statements now, nothing is written.

              --for TOOL             flyway, atlas or golang-migrate
              --to DIR               the folder
              --from VERSION         the version that the first file creates, for a new folder (default: that of --version)
              --version VERSION      the last version (default: the newest)
              --drafts               also export versions that are not released
              --target NAME          the Swift target of the model, if the folder is not below Sources/NAME

            example: strata export-migrations Sources/App/Model --for flyway --to db/migrations
            """
        case "copy":
            """
            usage: strata copy STORE --to URL [options]
                   strata copy STORE --from URL [options]

            Writes the rows of a store to the empty tables of a server that has the same version, or those of a server to a
            new store. Then it compares the number and the contents of the rows of each table.

            A copy to a server that was interrupted goes on when it is run again. It reports values that the other side cannot
            hold, such as a text with U+0000, with their tables and keys, and then copies nothing.

              --to URL               the database: postgresql://USER@HOST/DATABASE. Give a password in PGPASSWORD or
                                     ~/.pgpass, because others can see the arguments of a program
              --from URL             the database whose rows are copied to the new store
              --model FOLDER         the model of the store (default: the model of the same schema below the current folder)
              --restart              delete the rows of an interrupted copy first
              --quiet                print no progress

            example: strata copy ~/customer.sqlite --to postgresql://app@db.example.com/app
            """
        case "plan":
            """
            usage: strata plan FILE [options]

            Prints what opening the store FILE would do: the steps, what happens to each table, the rows that violate a
            constraint, and the disk space that the migration needs. It writes nothing, and runs no custom migration. It fails
            if an inferred migration would fail.

              --model FOLDER         the model of the store (default: the model of the same schema below the current folder)
              --json                 print an object, the encoded MigrationPlan
              --quiet                print no progress

            example: strata plan ~/broken.sqlite --model Sources/App/Model
            """
        case "inspect":
            """
            usage: strata inspect FILE [options]

            Prints the schema, the version, the tables, the numbers of rows and the past migrations of the store FILE, and
            how it differs from a new store of its version. It writes nothing, and fails if there is a difference.

              --model FOLDER         the model of the store (default: the model of the same schema below the current folder)
              --json                 print an object, the encoded StoreInspection
              --html FILE            write the schema page with the rows, sizes and migrations of the store; needs its model

            example: strata inspect ~/broken.sqlite --model Sources/App/Model
            """
        case "salvage":
            """
            usage: strata salvage FILE --to FILE [options]

            Writes every readable row of the damaged store FILE to a new store of the same version, and creates the indexes
            again. It prints the numbers of the rows between which nothing can be read, and the rows that violate a constraint.
            FILE is only read. It fails if anything is lost. Copy FILE together with its -wal file first.

              --to FILE              the new store; the file must not exist
              --json                 print an object: version, tables (name, rows, lost, invalid), lostObjects, isComplete

            example: strata salvage broken.sqlite --to rescued.sqlite
            """
        case "export":
            """
            usage: strata export FILE --redact --to FILE [options]

            Copies the store FILE with noise of the same length in place of its texts and its data. Numbers, dates, UUIDs,
            cases and relationships stay, so the copy migrates as the store does. Equal texts get equal noise, which depends on
            the complete text and on a key that is not stored. If noise violates a limit such as a pattern, other values
            replace the whole column, and the command names it. What the model does not know is left out: tables, views,
            triggers and indexes of the app. Look into the copy before you pass it on.

              --redact               replace texts and data; required
              --user-objects         copy the app's own tables with noise, and the SQL of its objects as it is
              --to FILE              the copy; the file must not exist
              --model FOLDER         the model of the store (default: the model of the same schema below the current folder)

            example: strata export customer.sqlite --redact --to report.sqlite
            """
        case "convert":
            """
            usage: strata convert FILE --model FOLDER --to FILE [options]

            Converts a database of the library that the model was imported from. The store gets the version of the database, and
            migrates when it is opened. The database is only read. Rows that do not fit the schema are copied to the table
            strata_unconverted and reported.

              --model FOLDER         the imported model
              --to FILE              the store; the file must not exist
              --version VERSION      the version of the database, if its tables fit several versions
              --invalid-rows POLICY  what happens to rows that do not fit: set-aside (default), drop or refuse. For entities
                                     in "invalid_rows" of strata.json, that policy applies instead
              --json                 print an object: version, rows, unconverted (rows that were not converted), cleared
                                     (references set to NULL), filled (replaced values), invalidRows, left (values of columns
                                     that the import left out)
              --quiet                print no progress

            example: strata convert App.sqlite --model Sources/App/Model --to App.strata
            """
        case "import":
            """
            usage: strata import core-data MODEL.xcdatamodeld --into FOLDER [options]
                   strata import swiftdata SOURCES --into FOLDER [options]
                   strata import room SCHEMAS --into FOLDER [options]
                   strata import drift SCHEMAS --into FOLDER [options]
                   strata import sql MIGRATIONS --into FOLDER [options]
                   strata import sqlite DATABASE --into FOLDER [options]

            Writes the descriptions of a model of another library, with all its versions, and IMPORT.md, which lists what was
            not carried over. Strata reads the descriptions back and compares them with the source; if they differ, it writes
            nothing.

            SOURCES is a Swift file, or a folder of Swift files. SCHEMAS is the folder of the schemas that Room or Drift has exported. MIGRATIONS is a folder of SQL files with
            numbers in their names, as SQLDelight, Flyway, golang-migrate, Prisma, drizzle and others have them. DATABASE is a
            database, or a folder with a database of each version.

              --into FOLDER          the folder of the model
              --renames FILE         renames (old name to new name), removals and backfill values, by version: {"12": {"user":
                                     "account", "user.fax": null, "account.age": {"fill": 0}}}
              --interactive          ask on the terminal which removed elements were renamed, and write the answers to the file of
                                     --renames (default: renames.json)
              --dry-run              print what would be written, and the summary
              --oldest VERSION       the oldest version whose stores can be migrated
              --complete             for sql: each file creates a complete schema, instead of changing the one before
              --order FILE           the versions of a Core Data model in order, one a line
              --inheritance KIND     for core-data and swiftdata: root (default), one table for an entity and all that inherit from it; or
                                     entity, one table for each entity that is not abstract
              --mapping-models DIR   for Core Data: a folder with mapping models, which tell renames
              --version-info FILE    for Core Data: VersionInfo.plist of the compiled model (in App.app/Model.momd), whose
                                     hashes identify the version of a database
              --target NAME          the Swift target of the model, if the folder is not below Sources/NAME
              --quiet                print no progress

            example: strata import core-data App/Model.xcdatamodeld --into Sources/App/Model
            """
        case "templates":
            """
            usage: strata templates --copy DIR
                   strata templates --values

            Copies the templates. Change the ones that you need, delete the others, and set "templates" in strata.json to the
            folder, relative to the folder of the model. To add code to the structs of the newest version, keep only
            EntityExtras.swift.mustache. The first line of a template is the number of its format; Strata refuses a template of
            another format.

              --copy DIR             copy all templates to this folder
              --values               print the values that each template gets

            example: strata templates --copy Sources/App/Model/Templates
            """
        case "sources":
            """
            usage: strata sources --model DIR --target NAME --output DIR

            Writes the Swift sources of a model for a build. The build plugin runs this command.

            example: strata sources --model Sources/App/Model --target App --output /tmp/out
            """
        case "tests":
            """
            usage: strata tests --model DIR --target NAME --test-target NAME=DIR --output DIR

            Writes the Swift tests of a model for a build. The build plugin runs this command.

            example: strata tests --model Sources/App/Model --target App --test-target AppTests=Tests/AppTests --output /tmp/out
            """
        default: nil
        }
    }
}
