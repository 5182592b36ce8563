import SchemaModel
import Testing

@testable import Importing

/// Room's migrations as source code, and Booleans that Room stores as whole numbers.
@Suite struct KotlinMigrationsTests {
    private static let migrations = #"""
        package com.example // ALTER TABLE note ADD COLUMN not_this INTEGER DEFAULT 9

        val MIGRATION_1_2 = object : Migration(1, 2) {
            override fun migrate(db: SupportSQLiteDatabase) {
                db.execSQL("ALTER TABLE `note` ADD COLUMN `state` TEXT NOT NULL DEFAULT 'it''s \"new\"'")
                db.execSQL("ALTER TABLE note " +
                    "ADD rank INTEGER NOT NULL DEFAULT -1")
                /* "ALTER TABLE note ADD COLUMN nor_this INTEGER DEFAULT 9" */
            }
        }
        class Second : Migration(2, 3) {
            override fun migrate(db: SupportSQLiteDatabase) {
                db.execSQL("""
                    ALTER TABLE note ADD COLUMN starred INTEGER NOT NULL DEFAULT 1;
                    ALTER TABLE note ADD COLUMN hint TEXT DEFAULT ''
                """.trimIndent())
                db.execSQL("ALTER TABLE $TABLE ADD COLUMN other INTEGER NOT NULL DEFAULT 0")
                db.execSQL("ALTER TABLE note ADD COLUMN bare INTEGER")
            }
        }
        """#

    @Test func `the defaults of new columns are read with their versions`() {
        let found = KotlinMigrations.addedColumns(in: Self.migrations)
        #expect(
            found.map { "\($0.version ?? 0) \($0.table).\($0.column) \($0.value)" } == [
                #"2 note.state 'it''s "new"'"#, "2 note.rank -1", "3 note.starred 1", "3 note.hint ''",
            ])
        let java = #"db.execSQL("ALTER TABLE a ADD COLUMN b TEXT DEFAULT '\u0041\n'");"#
        #expect(
            KotlinMigrations.addedColumns(in: java) == [.init(version: nil, table: "a", column: "b", value: "'A\n'")])
    }

    private func workspace() throws -> Workspace {
        let workspace = try Workspace()
        let columns = [
            "`id` INTEGER PRIMARY KEY NOT NULL", "`state` TEXT NOT NULL", "`rank` INTEGER NOT NULL",
            "`starred` INTEGER NOT NULL", "`hint` TEXT",
        ]
        for (version, count) in [(1, 1), (2, 3), (3, 5)] {
            let note = ("note", columns.prefix(count).joined(separator: ", "))
            try workspace.write(TableImportTests.room(version, [note]), to: "schemas/\(version).json")
        }
        try workspace.write(Self.migrations, to: "app/src/Migrations.kt")
        return workspace
    }

    private func importing(_ workspace: Workspace, _ arguments: String...) -> (code: Int32, complaints: [String]) {
        let result = workspace.run(
            all: ["import", "room", workspace.path("schemas"), "--into", workspace.path("out")] + arguments)
        return (result.code.rawValue, result.complaints)
    }

    @Test func `the defaults in the source are backfill values, unless an answer says otherwise`() throws {
        let workspace = try workspace()
        try workspace.write(
            #"{ "3": { "note.hint": { "fill": "none" } }, "types": { "note.starred": "bool" } }"#, to: "answers.json")
        let arguments = ["--kotlin", workspace.path("app"), "--renames", workspace.path("answers.json")]
        let result = importing(workspace, arguments[0], arguments[1], arguments[2], arguments[3])
        #expect(result.code == 0, "\(result.complaints)")
        #expect(try workspace.history("out").steps.map(\.isCustom) == [false, false])
        let text = try workspace.text("out/Note.json")
        for part in [
            #""fill": "it's \"new\"""#, #""fill": -1"#, #""fill": true"#, #""fill": "none""#,
            #""name": "starred", "property_type": "bool""#,
        ] {
            #expect(text.split(whereSeparator: \.isWhitespace).joined(separator: " ").contains(part), "\(part)")
        }
        // The answers are kept.
        #expect(importing(workspace).code == 0)
        #expect(try workspace.text("out/strata.json").contains(#""types": { "note.starred": "bool" }"#))
        let plain = try self.workspace()
        #expect(importing(plain).code == 0)
        #expect(try plain.history("out").steps.map(\.isCustom) == [true, true])
    }

    @Test func `wrong types and a folder without source are named`() throws {
        let workspace = try workspace()
        #expect(
            importing(workspace, "--kotlin", workspace.path("schemas")).complaints == [
                "schemas: error: there are no .kt or .java files in it"
            ])
        for (answers, message) in [
            (#"{ "types": { "note.state": "bool" } }"#, "note.state is not a whole number, so it cannot be a bool"),
            (#"{ "types": { "note.gone": "bool" } }"#, "there is no note.gone in any version"),
            (#"{ "types": { "note.rank": "date" } }"#, #"write {"types": {"TABLE.COLUMN": "bool"}}"#),
            (#"{ "types": [] }"#, #"write {"types": {"TABLE.COLUMN": "bool"}}"#),
        ] {
            try workspace.write(answers, to: "answers.json")
            let result = importing(workspace, "--renames", workspace.path("answers.json"))
            #expect(result.complaints.first?.hasSuffix(message) == true, "\(result.complaints)")
        }
    }
}
