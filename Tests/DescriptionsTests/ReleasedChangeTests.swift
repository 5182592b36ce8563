import Descriptions
import SchemaDiff
import SchemaModel
import Testing

/// Edits that would change released versions. Versions 1.0 and 1.1 of a model are released, and 2.0 is the draft.
@Suite struct ReleasedChangeTests {
    private static let user = """
        {
          "name": "user",
          "version_history": [{ "version": "1.0" }, { "version": "1.1" }, { "version": "2.0" }],
          "identifier": { "type": "int" },
          "indexes": [{ "properties": ["surname", "state"] }],
          "properties": [
            { "name": "firstname", "property_type": "string" },
            { "name": "surname", "property_type": "string", "unique": true },
            { "name": "state", "property_type": "state" },
            { "name": "born_on", "property_type": "date", "nullable": true, "added_at_version": "1.1" },
            { "name": "team", "property_type": { "entity_name": "team", "association": "to_one" }, "nullable": true }
          ]
        }
        """
    private static let team = """
        { "name": "team", "version_history": [{ "version": "1.0" }], "identifier": { "type": "int" } }
        """
    private static let state = """
        { "name": "state", "cases": ["open", "done"] }
        """

    private func descriptions(_ texts: [String]) -> ValidatedDescriptions {
        let names = ["User", "Team", "State", "Other"]
        let files = zip(names, texts).filter { !$1.isEmpty }
            .map { SourceFile(path: "\($0).json", bytes: Array($1.utf8)) }
        return ValidatedDescriptions(reading: files, folder: "Model", schema: "AppSchema")
    }

    /// The messages about an edit, which replaces texts in the descriptions.
    private func messages(
        _ user: String, _ team: String, _ state: String, _ other: String = "", from original: String = Self.user
    ) throws -> [String] {
        let original = try #require(descriptions([original, Self.team, Self.state]).history)
        let lock = Lock(sealing: 2, of: original)
        let edited = descriptions([user, team, state, other])
        guard let history = edited.history else { return edited.diagnostics.map(\.description) }
        let released = try #require(lock.versions.last?.version)
        return lock.changes(in: history).map { change in
            edited.diagnostic(of: change, released: released, path: "strata.lock").description
        }
    }

    private func messages(_ old: String, _ new: String) throws -> [String] {
        let edited = [Self.user, Self.team, Self.state].map { $0.replacing(old, with: new) }
        #expect(edited != [Self.user, Self.team, Self.state])
        return try messages(edited[0], edited[1], edited[2])
    }

    /// The lines of the released step in the lock, and the messages about an edit of it.
    private func step(_ texts: [String], _ edits: [(String, String)]) throws -> (lines: [String], messages: [String]) {
        let original = descriptions(texts)
        let history = try #require(original.history, "\(original.diagnostics)")
        let lock = try Lock(parsing: Lock(sealing: 2, of: history).text)
        #expect(lock.changes(in: history) == [])
        let edited = descriptions(texts.map { text in edits.reduce(text) { $0.replacing($1.0, with: $1.1) } })
        let changed = try #require(edited.history, "\(edited.diagnostics)")
        let version = try #require(lock.versions.last?.version)
        return (
            lock.versions[1].step?.lines ?? [],
            lock.changes(in: changed).map {
                edited.diagnostic(of: $0, released: version, path: "strata.lock").description
            }
        )
    }

    private static let stepUser = """
        {
          "name": "person",
          "version_history": [{ "version": "1.0" }, { "version": "1.1", "previous_name": "user" }, { "version": "2.0" }],
          "identifier": { "type": "int" },
          "properties": [
            { "name": "title", "property_type": "string",
              "version_history": [{ "version": "1.0" }, { "version": "1.1", "previous": { "nullable": true }, "fill": "a: \\"b" }] },
            { "name": "nick", "property_type": "string", "added_at_version": "1.1",
              "version_history": [{ "version": "1.1", "fill_from": "title" }] },
            { "name": "fax", "property_type": "string", "removed_at_version": "1.1", "discard": true },
            { "name": "age", "property_type": "int",
              "version_history": [{ "version": "1.0" }, { "version": "1.1", "previous_name": "years" }] },
            { "name": "state", "property_type": "state" }
          ]
        }
        """
    private static let stepTeam = """
        { "name": "team", "version_history": [{ "version": "1.0" }], "identifier": { "type": "int" }, "properties": [],
          "removed_at_version": "1.1", "merged_into": "person" }
        """
    private static let stepState = """
        { "name": "state", "cases": [
            { "name": "open", "version_history": [{ "version": "1.0" }, { "version": "1.1", "previous_name": "opened" }] },
            { "name": "done" },
            { "name": "late", "removed_at_version": "1.1", "replaced_by": "done" } ] }
        """

    @Test func `the lock lists the source of a new entity's rows and values`() throws {
        let detail = """
            { "name": "detail", "version_history": [{ "version": "1.1", "fill_from": "user" }], "identifier": { "type": "int" },
              "properties": [
                { "name": "title", "property_type": "string", "nullable": true },
                { "name": "years", "property_type": "int", "version_history": [{ "version": "1.1", "fill_from": "years" }] },
                { "name": "was", "property_type": "string", "nullable": true, "version_history": [{ "version": "1.1", "fill_from": "fax" }] } ] }
            """
        let texts = [Self.stepUser, Self.stepTeam, Self.stepState, detail]
        let lines = try step(texts, []).lines
        #expect(
            lines.filter { $0.hasPrefix("detail") } == [
                "detail.title: fill_from title", "detail.was: fill_from fax", "detail.years: fill_from years",
                "detail: fill_from user",
            ])
        let messages = try step(texts, [(#""fill_from": "fax""#, #""fill_from": "title""#)]).messages
        #expect(messages.count == 1 && messages[0].contains("for `detail.was`"), "\(messages)")
    }

    @Test
    func
        `the lock lists what the versions of a released step do not show, and each edit of it is refused at its place`()
        throws
    {
        let texts = [Self.stepUser, Self.stepTeam, Self.stepState]
        let same = try step(texts, [])
        #expect(
            same.lines == [
                #"person.age: was years"#, #"person.fax: discard"#, #"person.nick: fill_from title"#,
                #"person.title: fill "a: \"b""#, "person: was user", "state.late: replaced_by done",
                "state.open: was opened", "team: merged_into person",
            ])
        #expect(same.messages == [])
        func told(_ old: String, _ new: String) throws -> String {
            let messages = try step(texts, [(old, new)]).messages
            #expect(messages.count == 1, "\(messages)")
            return messages.first ?? ""
        }
        let fill = try told("a: ", "c: ")
        #expect(fill.hasPrefix("User.json:6:15: error: the step from 1.0 to 1.1 is released, and `fill \"a: "))
        #expect(fill.contains("became `fill \"c: ") && fill.contains("for `person.title`"))
        #expect(fill.contains("change the data in 2.0") && fill.contains("--step 1.0-1.1"))
        #expect(try told(#""fill_from": "title""#, #""fill": "x""#).contains("`person.nick`"))
        let discarded = try told(#", "discard": true"#, "")
        #expect(discarded.contains("`discard` is gone for `person.fax`"), "\(discarded)")
        let replaced = try told(#""replaced_by": "done""#, #""replaced_by": "open""#)
        #expect(replaced.hasPrefix("State.json:4:") && replaced.contains("for `state.late`"))
    }

    @Test func `a property of a released step cannot become another one with the same name`() throws {
        let note = """
            { "name": "note", "version_history": [{ "version": "1.0" }, { "version": "1.1" }], "identifier": { "type": "int" },
              "properties": [
                { "name": "b", "property_type": "string" }
              ] }
            """
        let (lines, messages) = try step(
            [note],
            [
                (
                    #"{ "name": "b", "property_type": "string" }"#,
                    """
                    { "name": "b", "property_type": "string", "removed_at_version": "1.1", "discard": true },
                    { "name": "b", "property_type": "string",
                      "version_history": [{ "version": "1.1", "fill": "gone" }] }
                    """
                )
            ])
        #expect(lines == [])
        #expect(messages.count == 3)
        for (message, text) in zip(
            messages, ["3:15: error: ", "4:11: error: ", "4:11: error: "])
        {
            #expect(message.contains(text), "\(message)")
        }
        #expect(messages.contains { $0.contains("`not the former b` is new for `note.b`") })
    }

    @Test func `nothing is reported without an edit`() throws {
        #expect(try messages(Self.user, Self.team, Self.state) == [])
    }

    @Test func `a renamed property needs previous_name`() throws {
        #expect(
            try messages("surname", "family_name") == [
                """
                User.json:8:15: error: `user.family_name` is called `surname` in the released versions 1.0 to 1.1; if you \
                renamed it, add {"version": "2.0", "previous_name": "surname"} to its "version_history"; \
                otherwise restore the name
                """
            ])
    }

    @Test func `a deleted property needs removed_at_version`() throws {
        #expect(
            try messages(#"    { "name": "firstname", "property_type": "string" },\#n"#, "") == [
                """
                User.json:2:11: error: `user.firstname` is in the released versions 1.0 to 1.1, but not in the \
                descriptions; put it back; to remove it, make its "removed_at_version" "2.0"
                """
            ])
    }

    @Test func `a new property needs added_at_version`() throws {
        #expect(
            try messages(
                #"{ "name": "state", "p"#,
                #"{ "name": "age", "property_type": "int", "nullable": true }, { "name": "state", "p"#)
                == [
                    """
                    User.json:9:15: error: `user.age` is not in the released versions 1.0 to 1.1; \
                    make its "added_at_version" "2.0"
                    """
                ])
    }

    @Test func `a changed property needs its former values`() throws {
        #expect(
            try messages(#""property_type": "date""#, #""property_type": "string""#) == [
                """
                User.json:10:15: error: `user.born_on` is `date?` in the released version 1.1 and must not become \
                `string?`; undo the edit, or write its former values in \
                "version_history": {"version": "2.0", "previous": {…}}
                """
            ])
    }

    @Test func `a changed primary key needs its former value`() throws {
        #expect(
            try messages(#"}],\#n  "identifier": { "type": "int" }"#, #"}],\#n  "identifier": { "type": "uuid" }"#) == [
                """
                User.json:4:17: error: the primary key of `user` is `id: int` in the released versions 1.0 to 1.1 and must \
                not become `id: uuid`; undo the edit, or write its former values in "version_history": {"version": "2.0", \
                "previous": {"identifier": {…}}}
                """
            ])
    }

    @Test func `a changed index is reported at the entity`() throws {
        #expect(
            try messages(#"["surname", "state"]"#, #"["state", "surname"]"#) == [
                """
                User.json:2:11: error: `index (state, surname)` of `user` is not in the released versions 1.0 to 1.1; \
                make its "added_at_version" "2.0"
                """,
                """
                User.json:2:11: error: `index (surname, state)` of `user` is in the released versions 1.0 to 1.1, but not in \
                the descriptions; put it back; to remove it, make its "removed_at_version" "2.0"
                """,
            ])
    }

    @Test func `a renamed entity is reported once, without the relationships to it`() throws {
        #expect(
            try messages("team\"", "group\"").filter { !$0.contains("user.") } == [
                """
                Team.json:1:11: error: `group` is called `team` in the released versions 1.0 to 1.1; if you renamed it, add \
                {"version": "2.0", "previous_name": "team"} to its "version_history"; \
                otherwise restore the name
                """
            ])
    }

    @Test func `a deleted file has to be put back`() throws {
        let user = Self.user.replacing(
            #"    { "name": "team", "property_type": { "entity_name": "team", "association": "to_one" }, "nullable": true }"#,
            with: #"    { "name": "team", "property_type": "int", "nullable": true }"#)
        #expect(
            try messages(user, "", Self.state).first
                == """
                strata.lock: error: `team` is in the released versions 1.0 to 1.1, but not in the descriptions; put it back; \
                to remove it, make its "removed_at_version" "2.0"
                """)
    }

    @Test func `a new entity needs added_at_version`() throws {
        let other = #"{ "name": "tag", "version_history": [{ "version": "1.0" }], "identifier": { "type": "int" } }"#
        #expect(
            try messages(Self.user, Self.team, Self.state, other) == [
                """
                Other.json:1:11: error: `tag` is not in the released versions 1.0 to 1.1; make its "added_at_version" "2.0"
                """
            ])
    }

    @Test func `a new subtype after a release needs added_at_version`() throws {
        let user = Self.user.replacing(
            #""nullable": true, "added_at_version": "1.1" },"#,
            with: """
                "nullable": true, "added_at_version": "1.1" },
                { "name": "mood", "property_type": "mood", "nullable": true, "added_at_version": "2.0" },
                """)
        #expect(
            try messages(user, Self.team, Self.state, #"{ "name": "mood", "cases": ["good"] }"#) == [
                """
                Other.json:1:11: error: `mood` is not in the released versions 1.0 to 1.1; make its "added_at_version" "2.0"
                """
            ])
    }

    @Test func `a renamed case needs previous_name`() throws {
        #expect(
            try messages(#""open""#, #""opened""#) == [
                """
                State.json:1:30: error: `state.opened` is called `open` in the released versions 1.0 to 1.1; if you renamed \
                it, add {"version": "2.0", "previous_name": "open"} to its "version_history"; \
                otherwise restore the name
                """
            ])
    }

    private static func set(_ field: String) -> String {
        user.replacing(#""identifier": { "type": "int" },"#, with: #""identifier": { "type": "int" },\#n  \#(field),"#)
    }

    @Test func `a search and the name of a table need their former values`() throws {
        let search = Self.set(#""search": { "properties": ["surname"] }"#)
        let table = Self.set(#""persisted_name": "people""#)
        func messages(_ now: String, _ was: String) throws -> [String] {
            try self.messages(now, Self.team, Self.state, from: was)
        }
        #expect(
            try messages(search, Self.user) == [
                """
                User.json:5:13: error: the search of `user` is not in the released versions 1.0 to 1.1; add \
                {"version": "2.0", "previous": {"search": null}} to the "version_history" of `user`
                """
            ])
        #expect(
            try messages(Self.user, search) == [
                """
                User.json:2:11: error: the search of `user` is in the released versions 1.0 to 1.1, but not in the \
                descriptions; put it back; to remove it, add {"version": "2.0", "previous": {"search": …}} to the \
                "version_history" of `user`
                """
            ])
        let other = Self.set(#""search": { "properties": ["surname", "firstname"], "tokenizer": "porter" }"#)
        #expect(
            try messages(other, search) == [
                """
                User.json:5:13: error: the search of `user` is `(surname) unicode61` in the released versions 1.0 to 1.1 and \
                must not become `(surname, firstname) porter`; undo the edit, or write its former values in \
                "version_history": {"version": "2.0", "previous": {…}}
                """
            ])
        #expect(
            try messages(table, Self.user) == [
                """
                User.json:5:21: error: the table name of `user` is not in the released versions 1.0 to 1.1; add \
                {"version": "2.0", "previous": {"persisted_name": null}} to the "version_history" of `user`
                """
            ])
    }

    @Test func `a released version cannot disappear`() throws {
        let user = Self.user.replacing(#"{ "version": "1.1" }, "#, with: "")
            .replacing(#""added_at_version": "1.1""#, with: #""added_at_version": "2.0""#)
        #expect(
            try messages(user, Self.team, Self.state) == [
                """
                strata.lock: error: version 1.1 is released, but no description names it any more; undo the edit that \
                removed it: a released version keeps its number
                """
            ])
    }

    @Test func `a new version cannot come before a released one`() throws {
        let other = #"{ "name": "tag", "version_history": [{ "version": "1.0.5" }], "identifier": { "type": "int" } }"#
        #expect(
            try messages(Self.user, Self.team, Self.state, other).first
                == """
                Other.json:1:51: error: version 1.0.5 is older than a released version, so it cannot be new; use 2.0 or a \
                newer version (for a hotfix of an older app, see Hotfixes in TeamWorkflow.md)
                """)
    }

    @Test func `a property that a released version has removed stays removed`() throws {
        let removed = Self.user.replacing(
            #"{ "name": "firstname", "property_type": "string" }"#,
            with: #"{ "name": "firstname", "property_type": "string", "removed_at_version": "1.1", "discard": true }"#)
        #expect(
            try messages(Self.user, Self.team, Self.state, from: removed) == [
                """
                User.json:7:15: error: `user.firstname` is not in the released version 1.1; a released version removed it, and it \
                stays removed; put "removed_at_version" back, and add another one
                """
            ])
    }
}
