import SQLSchema

/// The help texts of the commands.
enum Help {
    /// The list of all commands.
    static let all = """
        usage: strata COMMAND FOLDER… [options]

        A FOLDER is that of a model: it has a strata.json.

        commands
          generate    write what the descriptions say
          check       say what is stale, missing, changed or unwritten
          release     seal the newest version
          diff        say what changes between versions, and who carries it out
          prune       take what no supported version needs any more out of the descriptions
          templates   copy the templates, to change them
          plan        say what opening a store would do
          inspect     say what a store is
          import      make descriptions of a model of Core Data, Room, Drift or SQLite
          convert     make a store of a database of one of these

        strata COMMAND --help tells more. Exit codes: 0 all is well, 1 something is wrong in a model, 2 wrong arguments.
        """

    /// Returns the help text of a command; nil if there is no such command.
    static func of(_ command: String) -> String? {
        switch command {
        case "generate":
            """
            usage: strata generate FOLDER… [--release]

            Writes the Swift sources, the SQL, the lock, missing stubs and the tests of each model, and says what it wrote.
            Nothing is touched whose bytes would not change.

              --release              seal the newest version too
              --target NAME          the target of the model, where the folder does not tell
              --test-target NAME=DIR where a test target lies; else Tests/NAME beside the Package.swift is taken

            example: strata generate Sources/App/Model
            """
        case "check":
            """
            usage: strata check FOLDER… [--released] [--json]

            Fails where a generated file is stale or missing, a sealed version has changed, or a migration is not
            written yet, and says which. Writes nothing.

              --released             fail too where the newest version is not released
              --json                 an array of objects: file, line, column, severity, message

            example: strata check Sources/App/Model --released
            """
        case "release":
            """
            usage: strata release FOLDER… [--version VERSION]

            Seals the newest version in strata.lock: what stands in it can never change from then on, and its fixture is
            never written again. Run the tests before, so that its fixture is there; with that of an earlier draft nothing is
            released.

              --version VERSION      release this version and those before it; the newest otherwise

            example: strata release Sources/App/Model
            """
        case "diff":
            """
            usage: strata diff FOLDER [FROM] [TO] [--json]

            Says every change from the version FROM to the version TO, step by step: what Strata infers, what a person has
            to write and why, and what goes with its data. Without TO the newest version is meant, without FROM the last
            step.

              --json                 an array of objects: from, to, handling, subject, change, reason

            example: strata diff Sources/App/Model 1.0 2.0
            """
        case "prune":
            """
            usage: strata prune FOLDER…

            Takes what only versions before "oldest_supported_version" of strata.json need out of the descriptions, and
            leaves all else as it is written. Run generate afterwards, and delete by hand what was written by hand:
            migrations of the versions that are gone, and their fixtures. Properties that came before the oldest version
            stand in the order of the description from then on.

            example: strata prune Sources/App/Model
            """
        case "plan":
            """
            usage: strata plan FILE [--model FOLDER] [--json]

            Says what opening the store FILE would do: the steps, what is done to each table, the rows that break a
            constraint, the place it takes. Nothing is written. Fails where the migration would. Without --model the
            model below the working folder is taken that the store is of.

            example: strata plan ~/broken.sqlite --model Sources/App/Model
            """
        case "inspect":
            """
            usage: strata inspect FILE [--model FOLDER] [--json]

            Says what the store FILE is: its schema and version, its tables and rows, the migrations that it has been
            through, and what is otherwise in it than in a new store of its version. Nothing is written. Fails where
            something is. Without --model the model below the working folder is taken that the store is of.

            example: strata inspect ~/broken.sqlite --model Sources/App/Model
            """
        case "convert":
            """
            usage: strata convert FILE --model FOLDER --to FILE [options]

            Makes a store of a database of the library that the model was imported from, at the version that the database
            has. The database is only read. Rows that do not fit go to the table strata_unconverted, and are reported.

              --model FOLDER         the folder of the model; "imported" in its strata.json says how values are read
              --to FILE              the store, which must not be there yet
              --version VERSION      the version of the database, where its tables do not tell
              --invalid-rows POLICY       how rows that do not fit are treated: set-aside (default), drop, or refuse; a policy
                                     of an entity in strata.json precedes it
              --json                 an object: version, rows, unconverted, cleared, filled, invalidRows, left

            example: strata convert App.sqlite --model Sources/App/Model --to App.strata
            """
        case "import":
            """
            usage: strata import FORMAT PATH --into FOLDER [options]

            Makes descriptions with their whole history of a model of another library, and IMPORT.md beside them, which says
            what could not be carried over. The FORMAT is core-data (an .xcdatamodeld), room or drift (the folder of the
            exported schemas), or sqlite (a database). What is written is read back and compared with what was read.

              --into FOLDER          the folder of the model
              --order FILE           the names of the versions of a Core Data model in order, one a line
              --renames FILE         new names, removals and backfill values, by version: {"12": {"user": "account",
                                     "user.fax": null, "account.age": {"fill": 0}}}; also for versions that were imported
                                     before, unless they are released
              --inheritance KIND     root: one table for a root and all that inherit from it, as Core Data has it (default);
                                     entity: one for each entity that is not abstract
              --version-info FILE    the compiled model's VersionInfo.plist (in App.app/Model.momd): stores then tell their
                                     version by their hashes, and nothing is guessed
              --oldest VERSION       the oldest version that stores are migrated from, by its former name or its number
              --target NAME          the target of the model, where the folder does not tell

            example: strata import core-data App/Model.xcdatamodeld --into Sources/App/Model
            """
        case "templates":
            """
            usage: strata templates --copy DIR
                   strata templates --values

            Copies the templates into DIR. Change those that you want, delete the others, and name the folder in
            strata.json: {"templates": "DIR"}, relative to the model's folder. To add code to each newest struct, keep
            EntityExtras.swift.mustache only. The first line of a template states the format of its values. If a new
            version of Strata has another format, it refuses the template.

              --values    print the values that each template gets

            example: strata templates --copy Sources/App/Model/Templates
            """
        case "sources":
            """
            usage: strata sources --model DIR --target NAME --output DIR

            Writes the Swift sources of a model for a build, as the build plugin does.

            example: strata sources --model Sources/App/Model --target App --output /tmp/out
            """
        case "tests":
            """
            usage: strata tests --model DIR --target NAME --test-target NAME=DIR --output DIR

            Writes the Swift tests of a model for a build, as the build plugin does.

            example: strata tests --model Sources/App/Model --target App --test-target AppTests=Tests/AppTests --output /tmp/out
            """
        default: nil
        }
    }
}
