import Foundation
import SchemaModel
import Strata
import Testing

@testable import Importing

/// Imports of apps that use Lucid: descriptions, history and stores.
@Suite struct LucidImportTests {
    let work: Workspace
    init() throws { work = try Workspace() }

    static let genre = """
        { "name": "genre", "persist": true, "version_history": [{ "version": "1.0" }], "identifier": { "type": "int" },
          "properties": [{ "name": "name", "property_type": "string" }] }
        """
    static let author = """
        { "name": "author", "version_history": [{ "version": "1.0" }], "identifier": { "type": "string" }, "properties": [] }
        """
    static let place = """
        { "name": "place", "properties": [{ "name": "street_name", "property_type": "string" },
          { "name": "zip_code", "key": "zip", "property_type": "int", "nullable": true },
          { "name": "user_votes", "property_type": "{string:int}", "nullable": true }] }
        """

    /// The description of a movie.
    private func movie(
        name: String = "movie", history: String = #"{ "version": "1.0" }"#, _ properties: String = #""fax""#
    ) -> String {
        """
        { "name": "\(name)", "persist": true, "uid": "m", "versionHistory": [\(history)], "identifier": { "type": "int" },
          "properties": [
            { "name": "made", "property_type": "date", "nullable": true },
            { "name": "length", "property_type": "milliseconds", "default_value": "100ms" },
            { "name": "genres", "property_type": { "entity_name": "genre", "association": "to_many" } },
            { "name": "main_genre", "property_type": { "entity_name": "genre", "association": "to_one" }, "nullable": true },
            { "name": "state", "property_type": "state", "default_value": ".new" },
            { "name": "places", "property_type": "[place]", "nullable": true },
            { "name": "author", "property_type": { "entity_name": "author", "association": "to_one" }, "nullable": true },
            \(properties)] }
        """
    }

    static let title = #"{ "name": "title", "property_type": "string" }"#
    static let fax = #"{ "name": "fax", "property_type": "string", "nullable": true }"#

    /// Writes the project of an app.
    private func writeProject(
        settings: String = "input_path: D\n", movie: String? = nil, cases: String = #""cases": ["new", "seen"]"#
    ) throws {
        try work.write(settings, to: "App/.lucid.yaml")
        try work.write(Self.genre, to: "App/D/Entities/Genre.json")
        try work.write(Self.author, to: "App/D/Entities/Deep/Author.json")
        try work.write(Self.place, to: "App/D/Subtypes/Place.json")
        try work.write(#"{ "name": "state", \#(cases) }"#, to: "App/D/Subtypes/State.json")
        try work.write("nothing reads this", to: "App/D/EndpointPayloads/Movie.json")
        try work.write(movie ?? self.movie(Self.title), to: "App/D/Entities/Movie.json")
    }

    private func git(_ arguments: String...) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["git", "-C", work.path("App"), "-c", "user.name=a", "-c", "user.email=a@b"] + arguments
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
    }

    private func release(_ tags: String...) throws {
        try git("add", "-A")
        try git("commit", "--quiet", "--allow-empty", "-m", tags[0])
        for tag in tags { try git("tag", tag) }
    }

    // MARK: Descriptions

    @Test func `descriptions are copied unchanged, and strata_json says what they mean`() throws {
        let settings = """
            # Lucid's settings
            input_path: D
            targets:
              app:
                module_name: App
            lexicon: [HD, "ID"]
            current_version: "1.0"
            core_data_migrations_function: moveAll

            """
        let newer = movie(history: #"{ "version": "1.0" }, { "version": "1.1" }"#, Self.title)
        try writeProject(settings: settings, movie: newer)
        let run = work.run("import", "lucid", work.path("App"), "--into", work.path("Model"))
        #expect(run.code == .success && run.complaints == [])
        for path in ["Entities/Movie.json", "Entities/Deep/Author.json", "Subtypes/State.json"] {
            #expect(try work.text("Model/" + path) == work.text("App/D/" + path))
        }
        #expect(!FileManager.default.fileExists(atPath: work.path("Model/EndpointPayloads")))
        #expect(
            try work.text("Model/strata.json") == """
                {
                  "lucid": true,
                  "current_version": "1.0",
                  "imported": {
                    "from": "lucid",
                    "columns": {
                      "genre": "genre_1_0",
                      "movie": { "1.0": "movie_1_0", "1.1": "movie_1_1" },
                      "place.zip_code": "place.zip"
                    }
                  }
                }

                """)
        let report = try work.text("Model/IMPORT.md")
        #expect(report.contains("| 1.0 | targets | a setting of .lucid.yaml, which a store does not need |"))
        #expect(!report.contains("lexicon"))
        #expect(
            run.said.contains(
                "note: 1.1: movie: the history has the version, and moveAll() may have changed values in it"))
        #expect(work.run("generate", work.path("Model"), "--target", "App").code == .success)
    }

    @Test func `in the folder of the descriptions, only the files of Strata are written`() throws {
        try writeProject()
        let before = try work.text("App/D/Entities/Movie.json")
        let run = work.run("import", "lucid", work.path("App/.lucid.yaml"), "--into", work.path("App/D"))
        #expect(run.said.prefix(2) == ["wrote App/D/strata.json", "wrote App/D/IMPORT.md"])
        #expect(try work.text("App/D/Entities/Movie.json") == before)
        #expect(work.run("generate", work.path("App/D"), "--target", "App").code == .success)
        let again = work.run("import", "lucid", work.path("App"), "--into", work.path("App/D"))
        #expect(
            again.complaints == [
                "App/D: error: it has a strata.json already; change its descriptions, or import into an empty folder"
            ])
    }

    @Test(arguments: [
        ("input_path: E\n", "App/E: error: there is no such folder"),
        ("input_path: D\n\tx: 1\n", "App/.lucid.yaml:2: error: a line begins with a tab"),
        ("input_path: D\nx\n", "App/.lucid.yaml:2: error: this is not a setting like \"key: value\""),
        ("input_path: &a D\n", "App/.lucid.yaml:1: error: this form of YAML is not read; write the value plainly"),
        (
            "input_path: D\nlexicon: [a,\n  b]\n",
            "App/.lucid.yaml:2: error: a list ends on another line; write it on one"
        ),
        ("current_version: new\ninput_path: D\n", "App/.lucid.yaml: error: current_version is not a version: new"),
    ])
    func `wrong settings`(_ settings: String, _ message: String) throws {
        try writeProject(settings: settings)
        let run = work.run("import", "lucid", work.path("App"), "--into", work.path("Model"))
        #expect(run.code != .success && run.complaints == [message])
    }

    @Test func `settings in the forms that Lucid's own files have`() throws {
        let text = """
            ---
            input_path: "A # B"   # a comment
            'quoted key': it's # here
            targets:
              app:
                module_name: App
                output_path:
            active_targets:
            - app
            - app_tests
            lexicon:
              - HD
            none: []
            """
        let settings = try SimpleYAML(parsing: text, path: "file")
        #expect(settings["input_path"]?.text == "A # B" && settings["quoted key"]?.text == "it's")
        #expect(settings["targets"]?["app"]?["module_name"]?.text == "App")
        #expect(settings["targets"]?["app"]?["output_path"]?.text == "")
        #expect(settings["active_targets"]?.texts == ["app", "app_tests"] && settings["lexicon"]?.texts == ["HD"])
        #expect(settings["none"]?.texts == [])
    }

    // MARK: History

    /// Writes four versions, the last of which is not released.
    private func writeHistory() throws {
        try writeProject(movie: movie(Self.title + "," + Self.fax))
        try git("init", "--quiet")
        try release("beta_release_0.9-1", "release_1.0-3", "other_1.0")
        try work.write(
            #"{ "name": "old", "persist": true, "identifier": { "type": "int" }, "properties": [], "version_history": [{ "version": "1.1" }] }"#,
            to: "App/D/Entities/Old.json")
        // Customers have the newest build.
        try writeProject(movie: movie(Self.fax))
        try release("release_1.1-6")
        try writeProject(
            movie: movie(Self.title + #", { "name": "rating", "property_type": "double", "default_value": 0.5 }"#))
        try release("release_1.1-7", "release_1.1.1-9")
        try FileManager.default.removeItem(atPath: work.path("App/D/Entities/Movie.json"))
        try FileManager.default.removeItem(atPath: work.path("App/D/Entities/Old.json"))
        try writeProject(
            settings: "input_path: D\ncurrent_version: 1.2\n",
            movie: movie(
                name: "film", history: #"{ "version": "1.0" }, { "version": "1.2", "previous_name": "movie" }"#,
                #"{ "name": "headline", "property_type": "string", "previous_name": "title" }"#
                    + #", { "name": "rating", "property_type": "double", "nullable": true, "default_value": 0.5 }"#),
            cases: #""cases": ["seen", "gone"], "unused_cases": ["new"]"#)
    }

    @Test func `a tag of the newest version with other descriptions is noted`() throws {
        try writeHistory()
        func note(_ model: String) throws -> Bool {
            let run = work.run("import", "lucid", work.path("App"), "--into", work.path(model), "--git")
            #expect(run.code == .success, "\(run.complaints)")
            return try work.text("\(model)/IMPORT.md").contains("the tag has this version, but other descriptions than")
        }
        try release("release_1.2-34")
        #expect(try !note("One"))
        let path = "App/D/Entities/Movie.json"
        try work.write(try work.text(path).replacing("headline", with: "other_headline"), to: path)
        #expect(try note("Two"))
    }

    @Test func `the history is read from the tags of releases`() throws {
        try writeHistory()
        let run = work.run("import", "lucid", work.path("App"), "--into", work.path("Model"), "--git")
        #expect(run.code == .success && run.complaints == [])
        let imported = try LucidImport(path: work.path("App"), isFromGit: true, schema: "AppSchema")
        let history = try imported.model(folder: work.path("Model")).history
        let rest =
            "author: string? | genres: to_many genre stored | length: milliseconds = 100 | made: date? | main_genre: to_one genre? on_delete nullify | places: [place]? | "
        #expect(
            history.versions.map {
                [$0.version.text] + $0.logicalLines.filter { !$0.hasPrefix("place") && !$0.hasPrefix("genre") }
            } == [
                [
                    "0.9",
                    "movie | key id: int | "
                        + rest.replacing("author: string? |", with: "author: string? | fax: string? |")
                        + "state: state = \"new\" | title: string",
                    "state | enum | case new: \"new\" | case seen: \"seen\"",
                ],
                [
                    "1.1",
                    "movie | key id: int | " + rest + "rating: double = 0.5 | state: state = \"new\" | title: string",
                    "old | key id: int", "state | enum | case new: \"new\" | case seen: \"seen\"",
                ],
                [
                    "1.2",
                    "film | key id: int | " + rest.replacing("| length", with: "| headline: string | length")
                        + "rating: double? = 0.5 | state: state = \"new\"",
                    "state | enum | case gone: \"gone\" | case new: \"new\" | case seen: \"seen\"",
                ],
            ])
        #expect(history.steps.map(\.isCustom) == [false, false])
        #expect(
            try work.text("Model/strata.json").contains(
                """
                    "columns": {
                      "film": { "1.2": "film_1_2" },
                      "genre": "genre_1_0",
                      "movie": { "0.9": "movie_1_0", "1.2": null },
                      "old": { "1.1": "old_1_1", "1.2": null },
                      "place.zip_code": "place.zip"
                    }
                """))
        #expect(work.run("generate", work.path("Model"), "--target", "App").code == .success)
    }

    @Test func `errors in the history name their tag`() throws {
        try writeProject()
        let arguments = ["import", "lucid", work.path("App"), "--into", work.path("Model"), "--git"]
        try git("init", "--quiet")
        try release("v1.0")
        #expect(
            work.run(all: arguments).complaints == [
                "App/D: error: the repository has no tags of releases like release_1.2-34, from which Lucid reads the history"
            ])
        try work.write("{ \"name\": \"genre\", \"persist\": 3 }", to: "App/D/Entities/Genre.json")
        try release("release_1.0-1")
        try writeProject(settings: "input_path: D\ncurrent_version: 1.1\n")
        let wrong = work.run(all: arguments).complaints
        #expect(wrong.first == "App/D: error: the descriptions of release_1.0-1 are wrong:")
        #expect(wrong.count > 1 && wrong[1].hasPrefix("Entities/Genre.json:1:31: error: "))
        #expect(work.run(all: arguments + ["--oldest", "1.1"]).code == .success)
        try FileManager.default.removeItem(atPath: work.path("Model"))
        try release("release_2.0-1")
        #expect(
            work.run(all: arguments).complaints == [
                "App: error: the current version is 1.1, but release_2.0-1 is a later one; write current_version in .lucid.yaml"
            ])
        let plain = work.run("import", "lucid", work.path("App"), "--into", work.path("Model"), "--oldest", "1.1")
        #expect(plain.complaints.first?.contains("import lucid has no option --oldest") == true)
    }

    @Test func `a folder that is in no repository`() throws {
        try writeProject()
        let run = work.run("import", "lucid", work.path("App"), "--into", work.path("Model"), "--git")
        #expect(run.complaints.first?.hasPrefix("App/D: error: git rev-parse: fatal: ") == true)
    }

    // MARK: Stores

    /// The values of a movie in Lucid's store.
    private static let values: KeyValuePairs<String, LucidStore.AttributeType> = [
        "title": .text, "made": .date, "length": .real, "genres": .bytes, ">main_genre": .integer, "state": .text,
        "places": .bytes, ">author": .text,
    ]

    private func bytes(_ json: String) -> String { "CAST('\(json)' AS BLOB)" }

    /// Adds genres and movies as Lucid stores them.
    private func addRows(to store: inout LucidStore, movies name: String? = "movie_1_0") {
        store.add(
            "genre_1_0", ["name": .text],
            rows: [
                ["_identifier": "70", "_name": "'Drama'", "_remote_synchronization_state": "'synced'"],
                [
                    "_identifier": "71", "__identifier": "'L'", "_name": "'Crime'",
                    "_remote_synchronization_state": "'pending'",
                ],
            ])
        store.add(
            name ?? "movie_1_0", Self.values,
            rows: name == nil
                ? []
                : [
                    [
                        "_identifier": "500", "_title": "'Heat'", "_made": "700000000.25", "_length": "1.5",
                        "_genres": bytes(#"[{"remote":71,"local":null},{"remote":70}]"#), "_main_genre": "70",
                        "_state": "'seen'", "_author": "'ann'",
                        "_places": bytes(
                            #"[{"streetName":"Main \u00e9","zip":null,"old":[1, 2]},{"zip":5,"streetName":"x","userVotes":{"b_c":1}}]"#
                        ),
                    ],
                    [
                        "_identifier": "501", "_title": "'Ran'", "_length": "0.1", "_state": "'new'",
                        "__author": "'local'",
                    ],
                ])
    }

    @Test func `every value of a store is converted`() throws {
        try writeProject()
        #expect(work.run("import", "lucid", work.path("App"), "--into", work.path("Model")).code == .success)
        var store = LucidStore()
        addRows(to: &store)
        try work.makeDatabase("old.sqlite", store.sql)
        let run = work.run(
            "convert", work.path("old.sqlite"), "--model", work.path("Model"), "--to", work.path("new.sqlite"))
        #expect(run.code == .success && run.complaints == [])
        #expect(
            run.said == [
                "left unread: genre_1_0._remote_synchronization_state: 1 values (unknown)", "genre: 2 rows",
                "movie: 2 rows", "movie_genres: 2 rows", "wrote new.sqlite, a store of 1.0",
            ])
        #expect(try work.rows("new.sqlite", "SELECT id, name FROM genre") == [#"70 "Drama""#, #"71 "Crime""#])
        let movies = try work.rows(
            "new.sqlite", "SELECT id, title, made, length, main_genre_id, state, author FROM movie ORDER BY id")
        #expect(
            try work.rows("new.sqlite", "SELECT element.value FROM movie, json_each(places) AS element") == [
                #""{\"street_name\":\"Main é\",\"old\":[1,2]}""#,
                #""{\"street_name\":\"x\",\"zip_code\":5,\"user_votes\":{\"b_c\":1}}""#,
            ])
        #expect(
            movies == [
                #"500 "Heat" 700000000.25 1500 70 "seen" "ann""#,
                #"501 "Ran" NULL 100 NULL "new" "local""#,
            ])
        #expect(
            try work.rows("new.sqlite", "SELECT source_id, target_id, position FROM movie_genres ORDER BY 3")
                == ["500 71 0", "500 70 1"])
    }

    @Test func `rows that do not fit are set aside`() throws {
        try writeProject()
        work.run("import", "lucid", work.path("App"), "--into", work.path("Model"))
        var store = LucidStore()
        store.add("genre_1_0", ["name": .text], rows: [["__identifier": "'A'", "_name": "'not sent yet'"]])
        store.add(
            "movie_1_0", Self.values,
            rows: [
                ["_identifier": "1", "_title": "'a'", "_length": "1", "_state": "'new'", "_places": bytes("no JSON")],
                [
                    "_identifier": "2", "_title": "'b'", "_length": "1", "_state": "'new'",
                    "_places": bytes(#"[{"zip":1}]"#),
                ],
                ["_identifier": "3", "_title": "'c'", "_length": "1", "_state": "'new'", "__main_genre": "'A'"],
                ["_identifier": "4", "_title": "'d'", "_length": "1", "_state": "'new'", "_genres": bytes("no JSON")],
                ["_identifier": "5", "_title": "'e'", "_length": "1", "_state": "'other'"],
                ["_identifier": "6", "_title": "'f'", "_length": "1", "_state": "'new'", "_main_genre": "99"],
            ])
        try work.makeDatabase("old.sqlite", store.sql)
        let run = work.run(
            "convert", work.path("old.sqlite"), "--model", work.path("Model"), "--to", work.path("new.sqlite"))
        #expect(
            run.complaints + run.said.filter { $0.hasPrefix("set aside") } == [
                "set aside: genre A: id is not an integer, and it is the primary key",
                #"set aside: movie 1: places is "no JSON", which is no JSON of its type"#,
                #"set aside: movie 2: places is "[{\"zip\":1}]", which is no JSON of its type"#,
                #"set aside: movie 5: state is "other", which is none of new, seen"#,
                "set aside: movie_genres 4, NULL: NOT NULL constraint failed: movie_genres.target_id",
            ])
        #expect(run.said.contains("set to NULL: movie 6: main_genre_id is 99, and genre has no such row"))
        #expect(
            run.said.contains(
                "set to NULL: movie 3: main_genre_id is A, a key of the device that the server does not know"))
        #expect(
            try work.rows("new.sqlite", "SELECT id, main_genre_id FROM movie ORDER BY id") == [
                "3 NULL", "4 NULL", "6 NULL",
            ])
    }

    @Test func `the objects of a heavy migration are in one of its two entities`() throws {
        let history = #"{ "version": "1.0" }, { "version": "1.1" }"#
        try writeProject(movie: movie(history: history, Self.title))
        work.run("import", "lucid", work.path("App"), "--into", work.path("Model"))
        func convert(_ old: Bool, _ new: Bool, _ more: [String] = []) throws -> [String] {
            var store = LucidStore()
            addRows(to: &store, movies: old ? "movie_1_0" : nil)
            let row: KeyValuePairs = ["_identifier": "7", "_title": "'x'", "_length": "1", "_state": "'new'"]
            store.add("movie_1_1", Self.values, rows: new ? [row] : [])
            for name in ["old.sqlite", "new.sqlite"] where FileManager.default.fileExists(atPath: work.path(name)) {
                try FileManager.default.removeItem(atPath: work.path(name))
            }
            try work.makeDatabase("old.sqlite", store.sql)
            let run = work.run(
                all: [
                    "convert", work.path("old.sqlite"), "--model", work.path("Model"), "--to", work.path("new.sqlite"),
                ]
                    + more)
            return run.complaints + run.said.suffix(1)
        }
        #expect(try convert(false, true) == ["wrote new.sqlite, a store of 1.1"])
        #expect(try work.rows("new.sqlite", "SELECT id FROM movie") == ["7"])
        // The app ended before its own migration.
        #expect(try convert(true, false) == ["wrote new.sqlite, a store of 1.0"])
        let ids = try work.rows("new.sqlite", "SELECT id FROM movie ORDER BY id")
        #expect(ids == ["500", "501"])
        let both = try convert(true, true)
        #expect(both.contains { $0.contains("movie_1_0") || $0.contains("movie_1_1") })
        #expect(!FileManager.default.fileExists(atPath: work.path("new.sqlite")))
    }

    @Test func `keys of texts, entities without a key and the names of older versions of Lucid`() throws {
        try work.write(
            "input_path: D\nentity_suffix: Object\nlexicon: [USER, id]\nuse_core_data_legacy_naming: true\n",
            to: "App/.lucid.yaml")
        try work.write(
            """
            { "name": "user_setting", "persist": true, "remote": false, "version_history": [{ "version": "1.0.0" }],
              "properties": [{ "name": "is_dark", "property_type": "bool" }] }
            """, to: "App/D/Entities/UserSetting.json")
        try work.write(
            """
            { "name": "note", "persist": true, "version_history": [{ "version": "2.0" }], "identifier": { "type": "string" },
              "properties": [{ "name": "next_note", "nullable": true,
                "property_type": { "entity_name": "note", "association": "to_one" } }] }
            """, to: "App/D/Entities/Note.json")
        #expect(work.run("import", "lucid", work.path("App"), "--into", work.path("Model")).complaints == [])
        #expect(
            try work.text("Model/LucidNames.swift").hasSuffix(
                "\n\npublic typealias NoteObject = Note\npublic typealias USERSettingObject = UserSetting\n"))
        var store = LucidStore()
        store.add(
            "UserSettingObject_1_0_0", isVoid: true, isRemote: false, isLegacy: true, ["isDark": .integer],
            rows: [["__identifier": "0", "_isDark": "1"], ["__identifier": "0", "_isDark": "0"]])
        store.add(
            "NoteObject_2_0", key: .text, isLegacy: true, [">nextNote": .text],
            rows: [["_identifier": "'a'", "__nextNote": "'b'"], ["__identifier": "'b'", "_nextNote": "'a'"]])
        try work.makeDatabase("old.sqlite", store.sql)
        let run = work.run(
            "convert", work.path("old.sqlite"), "--model", work.path("Model"), "--to", work.path("new.sqlite"))
        #expect(run.complaints == [] && run.said.last == "wrote new.sqlite, a store of 2.0")
        #expect(try work.rows("new.sqlite", "SELECT * FROM user_setting") == ["1 1", "2 0"])
        #expect(try work.rows("new.sqlite", "SELECT * FROM note ORDER BY 1") == [#""a" "b""#, #""b" "a""#])
    }

    /// Writes an entity `a`, with `b` beside it.
    private func write(
        _ properties: String, _ more: String = "", items: String = #"{ "version": "1.0" }"#,
        files: [String: String] = [:]
    ) throws {
        try work.write(
            #"{ "name": "a", "persist": true, "identifier": { "type": "int" }, "version_history": [\#(items)], \#(more) "properties": [\#(properties)] }"#,
            to: "App/D/Entities/A.json")
        try work.write(
            #"{ "name": "b", "persist": true, "identifier": { "type": "int" }, "version_history": [{ "version": "1.0" }], "properties": [] }"#,
            to: "App/D/Entities/B.json")
        for (name, text) in files { try work.write(text, to: "App/D/" + name) }
    }

    private func setVersion(_ version: String) throws {
        try work.write("input_path: D\ncurrent_version: \(version)\n", to: "App/.lucid.yaml")
    }

    private func importHistory() -> (code: Int32, complaints: [String]) {
        try? FileManager.default.removeItem(atPath: work.path("Model"))
        let run = work.run("import", "lucid", work.path("App"), "--into", work.path("Model"), "--git")
        return (run.code.rawValue, run.complaints)
    }

    private func convert(_ store: LucidStore, _ more: String...) throws -> [String] {
        for name in ["old.sqlite", "new.sqlite"] { try? FileManager.default.removeItem(atPath: work.path(name)) }
        try work.makeDatabase("old.sqlite", store.sql)
        let run = work.run(
            all: ["convert", work.path("old.sqlite"), "--model", work.path("Model"), "--to", work.path("new.sqlite")]
                + more)
        return run.complaints + run.said
    }

    @Test func `defaults that are false, instructions for tests and files of the same name survive the history`() throws
    {
        try setVersion("1.2")
        let flag = #"{ "name": "f", "property_type": "bool", "default_value": false }"#
        try write(flag, files: ["Entities/One/C.json": Self.genre])
        try git("init", "--quiet")
        try release("release_1.0-1")
        try FileManager.default.removeItem(atPath: work.path("App/D/Entities/One/C.json"))
        try release("release_1.1-1")
        try write(
            flag + #", { "name": "x", "property_type": "int", "nullable": true }"#,
            items: #"{ "version": "1.0" }, { "version": "1.2", "ignore_migration_checks": true }"#,
            files: [
                "Entities/Two/C.json": Self.genre,
                "Entities/B.json":
                    #"{ "name": "b", "persist": false, "version_history": [{ "version": "1.0" }], "properties": [] }"#,
            ])
        #expect(importHistory() == (0, []))
        let text = try work.text("Model/Entities/A.json")
        #expect(text.contains(#""default_value": false"#) && text.contains(#""ignore_migration_checks": true"#))
        #expect(try work.text("Model/Entities/Two/C.json").contains(#""added_at_version": "1.2""#))
        #expect(try work.text("Model/Entities/One/C2.json").contains(#""removed_at_version": "1.1""#))
        // The description of an entity that is not stored any more is not overwritten.
        let old = try work.text("App/D/Entities/B.json")
        #expect(work.run("import", "lucid", work.path("App"), "--into", work.path("App/D"), "--git").code == .success)
        #expect(try work.text("App/D/Entities/B.json") == old)
        #expect(try work.text("App/D/Entities/B2.json").contains(#""removed_at_version": "1.2""#))
    }

    @Test func `options that are unused, entities without "persist" and keys derived from them`() throws {
        try setVersion("1.0")
        try write(
            #"{ "name": "o", "property_type": "opt" }"#, #""metadata": [],"#,
            files: [
                "Subtypes/O.json": #"{ "name": "opt", "options": ["x", "y", "z"], "unused_options": ["y"] }"#,
                "Entities/Ctx.json":
                    #"{ "name": "ctx", "properties": [{ "name": "q", "property_type": "string", "lazy": true }] }"#,
                "Entities/D.json":
                    #"{ "name": "d", "persist": true, "version_history": [{ "version": "1.0" }], "identifier": { "type": "int", "derived_from_relationships": ["ctx"] }, "properties": [] }"#,
            ])
        #expect(work.run("import", "lucid", work.path("App"), "--into", work.path("Model")).complaints == [])
        #expect(work.run("generate", work.path("Model"), "--target", "App").code == .success)
        let types = try work.text("Model/Generated/O.strata.swift")
        #expect(types.contains("y = ") && types.contains("Unused by new rows") && types.contains("1 << 2"))
    }

    @Test func `the version of a store is found where no row depends on it`() throws {
        try setVersion("1.1")
        let place = #"{ "name": "place", "properties": [{ "name": "x", "property_type": "int" }] }"#
        try write(
            #"{ "name": "s", "property_type": "state" }, { "name": "p", "property_type": "place", "nullable": true }"#,
            files: ["Subtypes/S.json": #"{ "name": "state", "cases": ["new"] }"#, "Subtypes/P.json": place])
        try git("init", "--quiet")
        try release("release_1.0-1")
        try write(
            #"{ "name": "s", "property_type": "state" }, { "name": "p", "property_type": "place", "nullable": true }"#,
            items: #"{ "version": "1.0" }, { "version": "1.1" }"#,
            files: [
                "Subtypes/S.json": #"{ "name": "state", "cases": ["new", "old"] }"#,
                "Subtypes/P.json": place.replacing(
                    #""int" }"#, with: #""int" }, { "name": "y_z", "property_type": "int", "nullable": true }"#),
            ])
        #expect(importHistory() == (0, []))
        var store = LucidStore()
        let values: KeyValuePairs<String, LucidStore.AttributeType> = ["s": .text, "p": .bytes]
        store.add("a_1_0", values)
        store.add("a_1_1", values)
        store.add("b_1_0", [:], rows: [["_identifier": "5"]])
        #expect(try convert(store).last == "wrote new.sqlite, a store of 1.1")
        // The entity of both versions has the same name if the history does not say that it changes.
        try write(
            #"{ "name": "s", "property_type": "state" }, { "name": "p", "property_type": "place", "nullable": true }"#)
        #expect(importHistory() == (0, []))
        store = LucidStore()
        store.add(
            "a_1_0", values, rows: [["_identifier": "1", "_s": "'new'", "_p": bytes(#"{"x":1,"yz":2}"#)]])
        store.add("b_1_0", [:])
        #expect(try convert(store).last == "wrote new.sqlite, a store of 1.1")
        let places = try work.rows("new.sqlite", "SELECT p FROM a")
        #expect(places == [#""{\"x\":1,\"y_z\":2}""#])
    }

    @Test func `lists of keys, tables of pairs with a name, and values that JSON cannot have`() throws {
        try setVersion("1.0")
        try write(
            """
            { "name": "us", "property_type": { "entity_name": "u", "association": "to_many" } },
            { "name": "bs", "property_type": { "entity_name": "b", "association": "to_many" }, "persisted_name": "pn" },
            { "name": "type_uid", "property_type": "string", "nullable": true },
            { "name": "times", "property_type": "[seconds]", "nullable": true },
            { "name": "states", "property_type": "[state]", "nullable": true }
            """,
            files: [
                "Entities/U.json": #"{ "name": "u", "identifier": { "type": "int" }, "properties": [] }"#,
                "Subtypes/S.json": #"{ "name": "state", "cases": ["new"] }"#,
            ])
        #expect(work.run("import", "lucid", work.path("App"), "--into", work.path("Model")).complaints == [])
        var store = LucidStore()
        let values: KeyValuePairs<String, LucidStore.AttributeType> = [
            "us": .bytes, "pn": .bytes, "type_uid": .text, "times": .bytes, "states": .bytes,
        ]
        let us = bytes(#"[{"remote":7,"local":null},{"remote":8}]"#)
        store.add(
            "a_1_0", values,
            rows: [
                [
                    "_identifier": "1", "_us": us, "_pn": bytes(#"[{"remote":5}]"#), "__type_uid": "'T'",
                    "_states": bytes(#"["new"]"#),
                ],
                ["_identifier": "2", "_us": bytes(#"[{"local":"L"}]"#)],
                ["_identifier": "3", "_us": us, "_times": bytes("[{}]")],
                ["_identifier": "4", "_us": us, "_states": bytes(#"["other"]"#)],
                ["_identifier": "5", "_us": us, "_pn": bytes(#"["t"]"#)],
            ])
        store.add("b_1_0", [:], rows: [["_identifier": "5"]])
        let said = try convert(store)
        #expect(
            said.filter { $0.hasPrefix("set aside") } == [
                #"set aside: a 2: us is "[{\"local\":\"L\"}]", which is no JSON of its type"#,
                #"set aside: a 3: times is "[{}]", which is no JSON of its type"#,
                #"set aside: a 4: states is "[\"other\"]", which is no JSON of its type"#,
                "set aside: pn 5, NULL: NOT NULL constraint failed: pn.target_id",
            ])
        #expect(
            try work.rows("new.sqlite", "SELECT id, us, type_uid FROM a") == [#"1 "[7,8]" NULL"#, #"5 "[7,8]" NULL"#])
        #expect(try work.rows("new.sqlite", "SELECT source_id, target_id FROM pn") == ["1 5"])
    }

    @Test func `system properties in the names of older versions of Lucid, and names with digits`() throws {
        try work.write(
            "input_path: D\r\ncurrent_version: 1.0\r\nuse_core_data_legacy_naming: True\r\n", to: "App/.lucid.yaml")
        try write(#"{ "name": "line_2nd", "property_type": "int" }"#)
        #expect(work.run("import", "lucid", work.path("App"), "--into", work.path("Model")).complaints == [])
        var store = LucidStore()
        store.add(
            "A_1_0", isLegacy: true, ["line2Nd": .integer, "lastRemoteRead": .date, "isSynced": .integer],
            rows: [["_identifier": "1", "_line2Nd": "3", "_isSynced": "1"]])
        store.add("B_1_0", isLegacy: true, [:])
        #expect(try convert(store).last == "wrote new.sqlite, a store of 1.0")
        #expect(try work.rows("new.sqlite", "SELECT * FROM a") == ["1 3"])
    }

    @Test func `a tag without descriptions in the folder is reported`() throws {
        try setVersion("1.1")
        try work.write("{}", to: "App/other.json")
        try git("init", "--quiet")
        try release("release_1.0-1")
        try write("")
        #expect(importHistory() == (0, []))
        #expect(
            try work.text("Model/IMPORT.md").contains(
                "| release_1.0-1 | the tag has no descriptions in this folder, so the version is left out |"))
        let run = work.run(
            "import", "lucid", work.path("App"), "--into", work.path("Other"), "--git", "--oldest", "2.0")
        #expect(run.complaints == ["App: error: there is no version 2.0 or later"])
    }
}
