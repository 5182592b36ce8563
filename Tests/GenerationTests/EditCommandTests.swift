import Commands
import Foundation
import Testing

/// The commands that edit descriptions.
@Suite struct EditCommandTests {
    private static let episode = """
        { "name": "episode", "version_history": [{ "version": "1.0" }], "identifier": { "type": "int" },
          "properties": [
            { "name": "title", "property_type": "string" },
            { "name": "note",   "property_type": "string", "nullable": true },
            { "name": "podcast", "property_type": { "entity_name": "podcast", "association": "to_one",
              "inverse": "episodes" } } ],
          "indexes": [{ "properties": ["title", "note"] }] }
        """

    private static let podcast = """
        {
            "name": "podcast",
            "version_history": [{"version":"1.0"}],
            "identifier": {"type":"property", "property": "feed"},
            "properties": [
                {"name":"feed", "property_type": "string"},
                {
                    "name": "genres",
                    "property_type": "[genre]"
                },
                {"name":"episodes", "property_type": {"entity_name": "episode", "association": "to_many", "inverse": "podcast"}},
                {"name":"main_genre", "property_type": "genre", "default_value": "news"}
            ]
        }
        """

    private static let genre = #"{ "name": "genre", "cases": ["news", "comedy"] }"#

    /// Runs `body` with a model whose version 1.0 is released.
    private func withRelease(_ configuration: String = "{}", _ body: (ScratchModel) throws -> Void) throws {
        let files = [
            "strata.json": configuration, "Episode.json": Self.episode, "Podcast.json": Self.podcast,
            "Genre.json": Self.genre,
        ]
        try ScratchModel.with(files) { (model: ScratchModel) throws in
            #expect(model.run("release", model.folder.path).code == .success)
            try body(model)
        }
    }

    /// Runs a command that must succeed, and `generate`, which must accept its edits.
    private func edit(_ model: ScratchModel, _ arguments: String...) -> String {
        let (code, output) = model.run(all: arguments + ["--model", model.folder.path])
        #expect(code == .success, "\(output)")
        #expect(model.run("generate", model.folder.path).code == .success)
        return output
    }

    @Test func `an added property belongs to a new version, and the rest of the file stays as it is`() throws {
        try withRelease { (model: ScratchModel) throws in
            let output = edit(model, "add", "property", "episode.rating", "double", "--nullable")
            #expect(
                output == """
                    changed ./Episode.json
                    1.1 is a new version
                    1.0 -> 1.1
                      inferred    episode.rating: added: double, nullable (rows get NULL)
                      apps of 1.0 can use stores of 1.1
                    run: swift package --allow-writing-to-package-directory generate --target Library
                    """)
            let expected = Self.episode.replacingOccurrences(
                of: #""inverse": "episodes" } } ],"#,
                with: """
                    "inverse": "episodes" } },
                        { "name": "rating", "property_type": "double", "nullable": true, "added_at_version": "1.1" } ],
                    """)
            #expect(try model.text("Episode.json") == expected)
        }
    }

    @Test func `a property of the first draft has no history`() throws {
        try ScratchModel.with(["Genre.json": Self.genre, "Podcast.json": Self.podcast, "Episode.json": Self.episode]) {
            (model: ScratchModel) throws in
            let output = edit(model, "add", "property", "episode.seconds", "seconds", "--default", "0")
            #expect(output.contains("1.0 is the first version, so no store is migrated"))
            let line = #"{ "name": "seconds", "property_type": "seconds", "default_value": 0 } ],"#
            #expect(try model.text("Episode.json").contains(line))
            _ = edit(model, "rename", "episode.seconds", "length")
            _ = edit(model, "remove", "episode.length")
            #expect(try model.text("Episode.json") == Self.episode)
        }
    }

    @Test func `values are written as JSON`() throws {
        try withRelease { (model: ScratchModel) throws in
            _ = edit(model, "add", "property", "episode.stars", "int", "--fill", "3")
            _ = edit(model, "add", "property", "episode.code", "string", "--default", "12", "--unique", "--indexed")
            _ = edit(model, "add", "property", "episode.genre", "genre", "--default", "comedy")
            _ = edit(model, "add", "property", "podcast.best", "episode", "--to-one", "--nullable")
            _ = edit(model, "add", "property", "podcast.top", "episode", "--to-many")
            let episode = try model.text("Episode.json")
            #expect(episode.contains(#""version_history": [{ "version": "1.1", "fill": 3 }]"#))
            #expect(
                episode.contains(#""unique": true, "indexed": true, "default_value": "12""#)
                    || episode.contains(#""default_value": "12","#))
            #expect(episode.contains(#""default_value": "comedy""#))
            #expect(try model.text("Podcast.json").contains(#"{ "entity_name": "episode", "association": "to_many" }"#))
        }
    }

    @Test func `a rename changes the types inside lists and dictionaries`() throws {
        try ScratchModel.with(["Genre.json": Self.genre, "Podcast.json": Self.podcast, "Episode.json": Self.episode]) {
            (model: ScratchModel) throws in
            _ = edit(model, "add", "property", "podcast.votes", "{string:[genre]}", "--nullable")
            _ = edit(model, "add", "property", "podcast.names", "[{int: genre}]", "--nullable")
            _ = edit(model, "rename", "genre", "kind")
            let podcast = try model.text("Podcast.json")
            #expect(podcast.contains(#""{string:[kind]}""#) && podcast.contains(#""[{int: kind}]""#))
        }
    }

    @Test func `a rename changes every reference in the draft, and is undone by the opposite rename`() throws {
        try withRelease { (model: ScratchModel) throws in
            _ = edit(model, "rename", "episode.note", "notes")
            #expect(try model.text("Episode.json").contains(#""indexes": [{ "properties": ["title", "notes"] }]"#))
            #expect(
                try model.text("Episode.json").contains(
                    #""version_history": [{ "version": "1.1", "previous_name": "note" }]"#))
            _ = edit(model, "rename", "episode.podcast", "show")
            _ = edit(model, "rename", "podcast", "show")
            _ = edit(model, "rename", "show.feed", "address")
            _ = edit(model, "rename", "genre", "kind")
            _ = edit(model, "rename", "kind.news", "current")
            let show = try model.text("Podcast.json")
            #expect(show.contains(#""property": "address""#))
            #expect(show.contains(#""inverse": "show""#))
            #expect(show.contains(#""property_type": "[kind]""#))
            #expect(show.contains(#""default_value": "current""#))
            #expect(try model.text("Episode.json").contains(#""entity_name": "show""#))
            #expect(
                try model.text("Genre.json").contains(
                    #"{ "name": "current", "version_history": [{ "version": "1.1", "previous_name": "news" }] }"#))
            let output = model.run("diff", model.folder.path).output
            #expect(output.contains("episode.notes: renamed from note"))
            #expect(!output.contains("custom"), "\(output)")

            for (path, name) in [
                ("kind.current", "news"), ("kind", "genre"), ("show.address", "feed"), ("show", "podcast"),
                ("episode.show", "podcast"),
            ] {
                _ = edit(model, "rename", path, name)
            }
            let last = edit(model, "add", "property", "episode.x", "int", "--nullable")
            #expect(!last.contains("renamed"))
            #expect(edit(model, "rename", "episode.notes", "note").contains("1.0 -> 1.1"))
            #expect(!model.run("diff", model.folder.path).output.contains("renamed"))
        }
    }

    @Test func `a rename changes the orders and the rows of indexes`() throws {
        let indexes = #"""
            "indexes": [{ "properties": ["note desc", "title"], "where": { "note": null } },
            { "properties": ["title"], "where": "note = 'note' AND length(title) > 1" }],
            "checks": [{ "name": "note", "where": "note <> title" }, { "name": "given", "where": { "note": "x" } }],
            "search": { "properties": ["note", "title"] }
            """#
        let old = Self.episode.replacing(/"indexes": \[.*?\]\s*\}?\]/, with: indexes)
        #expect(old.contains("note desc"))
        try ScratchModel.with(["Episode.json": old, "Podcast.json": Self.podcast, "Genre.json": Self.genre]) {
            (model: ScratchModel) throws in
            #expect(model.run("release", model.folder.path).code == .success)
            _ = edit(model, "rename", "episode.note", "notes")
            let text = try model.text("Episode.json")
            #expect(text.contains(#"{ "properties": ["notes desc", "title"], "where": { "notes": null } }"#), "\(text)")
            #expect(text.contains(#""where": "notes = 'note' AND length(title) > 1""#), "\(text)")
            #expect(text.contains(#"{ "name": "note", "where": "notes <> title" }"#), "\(text)")
            #expect(text.contains(#"{ "name": "given", "where": { "notes": "x" } }"#), "\(text)")
            #expect(text.contains(#""search": { "properties": ["notes", "title"] }"#), "\(text)")
        }
    }

    @Test func `a check is renamed and removed`() throws {
        let check = #""checks": [{ "name": "given", "where": "title <> ''" }], "properties": ["#
        let old = Self.episode.replacing("\"properties\": [", with: check, maxReplacements: 1)
        try ScratchModel.with(["Episode.json": old, "Podcast.json": Self.podcast, "Genre.json": Self.genre]) {
            (model: ScratchModel) throws in
            #expect(model.run("release", model.folder.path).code == .success)
            #expect(edit(model, "rename", "episode.given", "has_title").contains("check given"))
            #expect(try model.text("Episode.json").contains(#""previous_name": "given""#))
            #expect(edit(model, "remove", "episode.has_title").contains("check given where title <> '' removed"))
            #expect(try model.text("Episode.json").contains(#""removed_at_version": "1.1""#))
            #expect(model.run("generate", model.folder.path).code == .success)
        }
    }

    @Test func `the rename of a case changes the rows of indexes`() throws {
        let podcast = Self.podcast.replacing(
            "\"properties\": [",
            with:
                #""indexes": [{ "properties": ["feed"], "where": { "main_genre": ["news", "comedy"] } }], "properties": ["#,
            maxReplacements: 1)
        try ScratchModel.with(["Episode.json": Self.episode, "Podcast.json": podcast, "Genre.json": Self.genre]) {
            (model: ScratchModel) throws in
            _ = edit(model, "rename", "genre.news", "current")
            #expect(try model.text("Podcast.json").contains(#""where": { "main_genre": ["current", "comedy"] }"#))
        }
    }

    @Test func `a removed element keeps its description in older versions`() throws {
        try withRelease { (model: ScratchModel) throws in
            _ = edit(model, "rename", "podcast.genres", "themes")
            let output = edit(model, "remove", "podcast.themes", "--discard")
            #expect(output.contains("  discarding  podcast.genres: removed"))
            let podcast = try model.text("Podcast.json")
            #expect(podcast.contains(#""name": "genres""#))
            #expect(podcast.contains(#""removed_at_version": "1.1""#))
            #expect(!podcast.contains("previous_name"))
        }
    }

    @Test func `a removal without discard needs a custom migration`() throws {
        try withRelease { (model: ScratchModel) throws in
            let output = edit(model, "remove", "podcast.genres")
            #expect(output.contains("  custom      podcast.genres: removed"))
            #expect(
                edit(model, "remove", "podcast.genres", "--discard").contains("  discarding  podcast.genres: removed"))
        }
    }

    @Test func `an element that the draft added is deleted`() throws {
        try withRelease { (model: ScratchModel) throws in
            _ = edit(model, "add", "entity", "play_list", "--identifier", "uuid")
            #expect(try model.text("PlayList.json").contains(#""identifier": { "type": "uuid" }"#))
            _ = edit(model, "remove", "play_list")
            #expect(!model.exists("PlayList.json"))
            #expect(try model.text("Episode.json") == Self.episode)
        }
    }

    @Test func `a version begins in an entity or in the list of versions`() throws {
        try withRelease { (model: ScratchModel) throws in
            #expect(edit(model, "version", "2.2").contains("2.2 is a new version"))
            #expect(try model.text("Episode.json").contains(#"[{ "version": "1.0" }, { "version": "2.2" }]"#))
        }
        try withRelease(#"{ "versions": ["1.0"] }"#) { (model: ScratchModel) throws in
            _ = edit(model, "version", "2.2")
            #expect(try model.text("strata.json") == #"{ "versions": ["1.0", "2.2"] }"#)
            #expect(model.run("diff", model.folder.path).output.contains("1.0 -> 2.2"))
        }
    }

    @Test func `an edit that is wrong changes nothing and says why`() throws {
        try withRelease { (model: ScratchModel) throws in
            func refused(_ arguments: String..., code: Command.ExitCode = .diagnostics) -> String {
                let (found, output) = model.run(all: arguments + ["--model", model.folder.path])
                #expect(found == code)
                return output
            }
            #expect(
                refused("rename", "episode.nott", "x")
                    == "error: the newest version has no episode.nott; did you mean episode.note?")
            #expect(
                refused("rename", "epsode", "x") == "error: the newest version has no epsode; did you mean episode?")
            let taken = "; choose another name"
            #expect(
                refused("rename", "episode.note", "title")
                    == "error: the newest version already has episode.title\(taken)")
            #expect(refused("rename", "episode", "genre") == "error: the newest version already has genre\(taken)")
            #expect(
                refused("add", "property", "episode.title", "int")
                    == "error: the newest version already has episode.title\(taken)")
            #expect(
                refused("remove", "genre.news", "--discard")
                    == "error: only entities, properties and options have data; remove genre.news without --discard, and write "
                    + "\"replaced_by\" beside a removed case")
            #expect(refused("remove", "genre", "--discard").contains("remove genre without --discard"))
            #expect(
                refused("remove", "episode.note") == """
                    error: nothing was written, because the descriptions would be wrong:
                    ./Episode.json:7:41: error: `episode` has no property `note` in version 1.1
                    """)
            #expect(refused("add", "property", "episode.x", "boool").contains(#"did you mean "bool"?"#))
            #expect(
                refused("version", "0.9", code: .usage) == "error: 0.9 is not newer than 1.0, which is released")
            #expect(refused("version", "x", code: .usage) == "error: x is not a version")
            #expect(
                refused("add", "propperty", "a", code: .usage)
                    == "error: usage: strata add property ENTITY.NAME TYPE, or strata add entity NAME")
            for (arguments, message) in [
                (
                    ["add", "property", "episode.x", "podcast", "--to-one", "--to-many"],
                    "--to-one and --to-many exclude each other"
                ),
                (["add", "property", "episode.x", "int", "--inverse", "y"], "--inverse needs --to-one or --to-many"),
                (["add", "property", "episode.x", "int", "--identifier", "int"], "--identifier is for add entity"),
                (["add", "entity", "x", "--nullable"], "--nullable is for add property"),
            ] {
                let (code, output) = model.run(all: arguments + ["--model", model.folder.path])
                #expect(code == .usage)
                #expect(output == "error: " + message)
            }
            #expect(refused("rename", "a..b", "c", code: .usage).contains("is not a name"))
            #expect(refused("rename", "a", "b.c", code: .usage) == "error: b.c must be the new name alone")
            #expect(try model.text("Episode.json") == Self.episode)
            #expect(try model.text("Podcast.json") == Self.podcast)

            _ = edit(model, "version", "1.1")
            #expect(
                refused("version", "1.2")
                    == "error: the draft is 1.1, so no other version can begin before its release: "
                    + "swift package --allow-writing-to-package-directory generate --target Library --release")
            #expect(edit(model, "version", "1.1") == "1.1 is the draft already")
            _ = edit(model, "add", "entity", "tag")
            #expect(
                refused("add", "property", "tag.x", "int", "--fill", "1")
                    == "error: tag.x is new with its entity, so no row needs a value; leave out --fill")
        }
    }

    @Test func `a version begins in an entity without a history, and in one that is new`() throws {
        for birth in ["", #""added_at_version": "1.1", "#] {
            let book = #"{ "name": "a", \#(birth)"identifier": { "type": "int" }, "properties": [] }"#
            let other = #"{ "name": "b", "version_history": [{ "version": "1.0" }], "identifier": { "type": "int" } }"#
            try ScratchModel.with(["A.json": book, "B.json": other]) { (model: ScratchModel) throws in
                try ScratchModel.releaseOlderVersions(in: model.folder)
                #expect(model.run("release", model.folder.path).code == .success)
                #expect(edit(model, "version", "1.2").contains("1.2 is a new version"))
                #expect(edit(model, "add", "property", "b.x", "int", "--nullable").contains("b.x: added"))
            }
        }
    }

    @Test func `a relationship is added with its inverse`() throws {
        try withRelease { (model: ScratchModel) throws in
            _ = edit(
                model, "add", "property", "episode.best_of", "podcast", "--to-one", "--nullable", "--inverse", "best")
            #expect(
                try model.text("Podcast.json").contains(
                    #"{ "entity_name": "episode", "association": "to_many", "inverse": "best_of" }"#))
            _ = edit(
                model, "add", "property", "podcast.guests", "episode", "--to-many", "--nullable", "--inverse", "host")
            let output = model.run("diff", model.folder.path).output
            #expect(!output.contains("custom"), "\(output)")
            #expect(output.contains("episode.host: added: to_one podcast, inverse guests, nullable"))
            let again = model.run(
                "add", "property", "episode.x", "podcast", "--to-one", "--inverse", "best", "--model", model.folder.path
            )
            #expect(again.output.hasPrefix("error: podcast.best exists already"))
        }
    }

    @Test func `an edit of what the draft has removed says so`() throws {
        try withRelease { (model: ScratchModel) throws in
            _ = edit(model, "remove", "podcast.genres", "--discard")
            for arguments in [["remove", "podcast.genres"], ["add", "property", "podcast.genres", "[genre]"]] {
                let (code, output) = model.run(all: arguments + ["--model", model.folder.path])
                #expect(code == .diagnostics)
                #expect(
                    output
                        == "error: podcast.genres is removed in the draft; to undo this, delete its \"removed_at_version\", and its \"discard\" if it has one"
                )
            }
            #expect(
                model.run("add", "property", "genre.x", "int", "--model", model.folder.path).output
                    == "error: genre is an enum or an option set, which has no properties; add the element by hand")
        }
    }

    @Test func `what the draft has removed leaves its name to something else`() throws {
        try withRelease { (model: ScratchModel) throws in
            _ = edit(model, "remove", "podcast.genres", "--discard")
            let output = edit(model, "add", "property", "podcast.genres", "string", "--nullable")
            #expect(output.contains("podcast.genres: added: string, nullable"))
            _ = edit(model, "remove", "podcast.episodes", "--discard")
            _ = edit(model, "remove", "episode", "--discard")
            #expect(edit(model, "add", "entity", "episode").contains("Episode2.json"))
        }
    }

    @Test func `an element in the canonical layout keeps it`() throws {
        try withRelease { (model: ScratchModel) throws in
            #expect(model.run("format", model.folder.path).code == .success)
            let before = try model.text("Podcast.json")
            _ = edit(model, "rename", "podcast.main_genre", "a_much_longer_name_of_the_genre")
            #expect(try model.text("Podcast.json") != before)
            let output = edit(model, "rename", "podcast.a_much_longer_name_of_the_genre", "main_genre")
            #expect(output.contains("1.1 has no changes any more; the newest version is 1.0"))
            #expect(try model.text("Podcast.json") == before)
        }
    }

    @Test func `a relationship is removed with its inverse`() throws {
        try withRelease { (model: ScratchModel) throws in
            let output = edit(model, "remove", "episode.podcast", "--discard")
            #expect(output.contains("discarding  episode.podcast: removed"))
            #expect(try model.text("Podcast.json").contains(#""removed_at_version": "1.1""#))
            #expect(edit(model, "remove", "podcast", "--discard").contains("podcast: removed"))
        }
    }

    @Test func `a removal undoes what the draft has changed in an entity, and in what it refers to`() throws {
        try withRelease { (model: ScratchModel) throws in
            _ = edit(model, "add", "property", "podcast.x", "int", "--nullable")
            _ = edit(model, "rename", "podcast.main_genre", "kind")
            _ = edit(model, "rename", "podcast.feed", "address")
            _ = edit(model, "rename", "genre", "theme")
            _ = edit(model, "rename", "theme.news", "current")
            _ = edit(model, "rename", "podcast", "show")
            _ = edit(model, "rename", "show.episodes", "parts")
            _ = edit(model, "remove", "episode.podcast", "--discard")
            _ = edit(model, "remove", "show", "--discard")
            let podcast = try model.text("Podcast.json")
            for text in [
                #""name": "podcast""#, #""property": "feed""#, #""main_genre""#, #""default_value": "news""#,
                #""[genre]""#,
            ] {
                #expect(podcast.contains(text), "\(text)")
            }
            #expect(!podcast.contains(#""x""#))
            #expect(try model.text("Episode.json").contains(#""entity_name": "podcast""#))
            #expect(model.run("check", model.folder.path).code == .success)
        }
    }

    @Test func `a rename follows lists, backfill values and shared keys`() throws {
        let flags = #"{ "name": "flags", "options": ["new", "hot"] }"#
        let state = #"{ "name": "paint", "cases": ["red", "green"] }"#
        let note = """
            { "name": "note", "version_history": [{ "version": "1.0" }], "identifier": { "type": "int" },
              "properties": [
                { "name": "flags", "property_type": "flags", "default_value": ["new"] },
                { "name": "tint", "property_type": "paint" } ] }
            """
        let copy = """
            { "name": "copy", "version_history": [{ "version": "1.0" }],
              "identifier": { "type": "int", "derived_from_relationships": ["note"] } }
            """
        try ScratchModel.with(["Flags.json": flags, "State.json": state, "Note.json": note, "Copy.json": copy]) {
            (model: ScratchModel) throws in
            model.run("release", model.folder.path)
            _ = edit(model, "rename", "flags.new", "fresh")
            _ = edit(model, "rename", "note", "paper")
            _ = edit(model, "rename", "paint", "memo")
            #expect(try model.text("Note.json").contains(#""default_value": ["fresh"]"#))
            #expect(try model.text("Note.json").contains(#""property_type": "memo""#))
            #expect(try model.text("Copy.json").contains(#"["paper"]"#))
        }
    }

    // MARK: Betas

    @Test func `a beta takes the draft's items, and later edits come after it`() throws {
        try withRelease { (model: ScratchModel) throws in
            _ = edit(model, "add", "property", "episode.rating", "double", "--nullable")
            _ = edit(model, "rename", "episode.title", "heading")
            #expect(model.run("release", "--beta", model.folder.path).code == .success)
            let first = try model.text("Episode.json")
            #expect(first.contains(#""added_at_version": "1.1-beta.1""#))
            #expect(first.contains(#""version": "1.1-beta.1", "previous_name": "title""#))
            #expect(!first.contains(#""1.1""#))
            #expect(model.exists("SQL/1.1-beta.1.sql"))
            #expect(!model.exists("SQL/1.1.sql"))
            #expect(try model.text("Generated/Strata.schema.swift").contains("V1_1_beta_1"))

            _ = edit(model, "add", "property", "episode.stars", "int", "--nullable")
            let second = try model.text("Episode.json")
            #expect(second.contains(#""added_at_version": "1.1""#))
            #expect(model.run("release", "--beta", model.folder.path).code == .success)
            #expect(try model.text("Episode.json").contains(#""added_at_version": "1.1-beta.2""#))
            let lock = try model.text("strata.lock")
            #expect(lock.contains("\nversion 1.1-beta.1 "))
            #expect(lock.contains("\nversion 1.1-beta.2 "))

            #expect(
                model.run("release", model.folder.path).output.contains(
                    "to release 1.1, run: swift run strata version 1.1 --model ."))
            _ = edit(model, "version", "1.1")
            #expect(model.run("release", model.folder.path).code == .success)
            #expect(
                model.run("release", "--beta", model.folder.path).output
                    == "error: the newest version 1.1 is already released, so a beta would change nothing")
            #expect(model.run("check", model.folder.path).code == .success)

            // The betas go with the versions before the final one.
            #expect(model.run("squash", model.folder.path, "--before", "1.1", "--yes").code == .success)
            #expect(model.run("generate", model.folder.path).code == .success)
            #expect(!(try model.text("strata.lock").contains("beta")))
            #expect(!(try model.text("Episode.json").contains("beta")))
        }
    }

    @Test func `a beta renames the versions in lists, chains and custom migrations`() throws {
        try withRelease(#"{ "versions": ["1.0"] }"#) { (model: ScratchModel) throws in
            _ = edit(model, "add", "property", "episode.rating", "double")
            let stub = "Migrations/Migration_1_0_to_1_1.swift"
            let written = try model.text(stub)
                .replacingOccurrences(
                    of: "throw UnwrittenMigration()", with: ".keep(.init(migrating: old, rating: 0))")
            try model.write(written + "// V1_1 and V1_1_1\n", to: stub)
            try model.write(#"{ "versions": ["1.0", "1.1"], "chain": { "1.0": ["1.1"] } }"#, to: "strata.json")
            let (code, output) = model.run("release", "--beta", model.folder.path)
            #expect(code == .success, "\(output)")
            #expect(
                try model.text("strata.json")
                    == #"{ "versions": ["1.0", "1.1-beta.1"], "chain": { "1.0": ["1.1-beta.1"] } }"#)
            #expect(!model.exists(stub))
            let migration = try model.text("Migrations/Migration_1_0_to_1_1_beta_1.swift")
            #expect(
                migration.contains(
                    "struct Migration_1_0_to_1_1_beta_1: LibrarySchema.CustomMigration_1_0_to_1_1_beta_1"))
            #expect(migration.contains("// V1_1_beta_1 and V1_1_1\n"))
            #expect(model.run("check", model.folder.path).code == .success)
        }
    }

    @Test func `a beta is not released while its migration is unwritten`() throws {
        try withRelease { (model: ScratchModel) throws in
            _ = edit(model, "add", "property", "episode.rating", "double")
            let before = try model.text("Episode.json")
            let (code, output) = model.run("release", "--beta", model.folder.path)
            #expect(code == .diagnostics)
            #expect(output.contains("this migration is not written yet, so nothing was released"))
            #expect(try model.text("Episode.json") == before)
        }
    }

    // MARK: Pull requests

    @Test func `diff prints Markdown`() throws {
        try withRelease { (model: ScratchModel) throws in
            _ = edit(model, "add", "property", "episode.rating", "double", "--default", "0")
            _ = edit(model, "remove", "podcast.genres", "--discard")
            _ = edit(model, "add", "entity", "play_list")
            #expect(
                model.run("diff", model.folder.path, "--markdown").output == """
                    ### 1.0 to 1.1

                    - `episode.rating`: added: double, required, default 0.0 (rows get 0.0)
                    - `play_list`: added
                    - **discarding** `podcast.genres`: removed

                    Created tables: `play_list`.

                    Altered tables: `podcast`.

                    Rebuilt tables: `episode`.

                    Apps before 1.1 cannot open stores of 1.1: podcast.genres: removed.
                    """)
            #expect(model.run("diff", model.folder.path, "--markdown", "--json").code == .usage)
        }
    }

    @Test func `check prints annotations for GitHub`() throws {
        try withRelease { (model: ScratchModel) throws in
            func check() -> String { model.run("check", model.folder.path, "--format", "github").output }
            #expect(check() == "everything is up to date")
            _ = model.run("add", "property", "episode.x", "int", "--nullable", "--model", model.folder.path)
            #expect(
                check() == """
                    ::error file=./Generated/Strata.schema.swift::it is stale, and 5 more generated files are out of date; run: \
                    swift package --allow-writing-to-package-directory generate --target Library
                    """)
            try model.write(
                Self.episode.replacingOccurrences(of: #""nullable""#, with: #""100%,nulable""#), to: "Episode.json")
            #expect(
                check() == """
                    ::error file=./Episode.json,line=4,col=52::unknown key "100%25,nulable" of a property
                    """)
            #expect(model.run("check", model.folder.path, "--format", "junit").code == .usage)
        }
    }
}
