import Commands
import Foundation
import SQLSchema
import SchemaModel
import StoreCommands
import Strata
import Testing

/// What `strata export --redact` hides, and what it keeps.
@Suite struct RedactionTests {
    private static let person = """
        { "name": "person", "identifier": { "type": "string" }, "added_at_version": "1.0", "properties": [
          { "name": "mail", "property_type": "string", "unique": true, "collation": "nocase" },
          { "name": "code", "property_type": "string", "pattern": "PO-[0-9][0-9]*", "unique": true },
          { "name": "grade", "property_type": "string", "pattern": "grade *" },
          { "name": "word", "property_type": "string", "min_length": 3, "max_length": 9 },
          { "name": "plan", "property_type": "string", "one_of": ["free", "paid"] },
          { "name": "color", "property_type": "shade" },
          { "name": "home", "property_type": "url", "nullable": true },
          { "name": "scan", "property_type": "data" },
          { "name": "notes", "property_type": "detail" },
          { "name": "friend", "property_type": { "entity_name": "person", "association": "to_one" }, "nullable": true } ] }
        """
    private static let detail = """
        { "name": "detail", "added_at_version": "1.0", "properties": [
          { "name": "text", "property_type": "string" }, { "name": "count", "property_type": "int" } ] }
        """
    private static let shade = """
        { "name": "shade", "added_at_version": "1.0", "cases": [{ "name": "red" }, { "name": "blue" }] }
        """

    private struct Person {
        var id: String
        var mail: String
        var number = 10
        var notes = #"{"text":"Secret","count":3}"#
        var friend: String?
    }

    /// Runs `body` with a store of these rows, a copy without its texts, and what the command said.
    private func withCopy(
        _ people: [Person], sql: String = "", _ options: String...,
        body: (_ store: Connection, _ copy: Connection, _ said: String) throws -> Void
    ) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        let model = folder.appendingPathComponent("People")
        try FileManager.default.createDirectory(at: model, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for (name, text) in [("person", Self.person), ("detail", Self.detail), ("shade", Self.shade), ("strata", "{}")]
        {
            try text.write(to: model.appendingPathComponent("\(name).json"), atomically: true, encoding: .utf8)
        }
        let (file, result) = (folder.appendingPathComponent("a.sqlite"), folder.appendingPathComponent("b.sqlite"))
        let definition = SchemaDefinition(try #require(ModelFolder.all(below: model.path).first).loaded())
        var journal = StoreOptions()
        journal.journal = .delete
        _ = try Store(at: file, definition: definition, options: journal)
        let store = try Connection(path: file.path, mode: .readWrite)
        try store.execute("PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON")
        for person in people {
            let insert = try store.prepare(
                """
                INSERT INTO person (id, mail, code, grade, word, plan, color, home, scan, notes, friend_id)
                VALUES (?, ?, ?, 'grade A', 'letters', 'paid', 'red', 'https://secret.example/%C3%A9?q=secret', x'736563726574', ?, ?)
                """)
            for (place, value) in [person.id, person.mail, "PO-\(person.number)", person.notes].enumerated() {
                try insert.bind(value, at: place + 1)
            }
            try insert.bind(SQLiteValue(person.friend), at: 5)
            try insert.run()
        }
        try store.execute(sql)
        var said: [String] = []
        let console = Console(say: { said.append($0) }, complain: { said.append($0) })
        let command = ["export", file.path, "--redact", "--to", result.path, "--model", model.path] + Array(options)
        #expect(Command.run(command, console: console, others: StoreCommand.all) == .success, "\(said)")
        let inspection = try StoreInspection(of: result, definition: definition)
        #expect(inspection.damage.isEmpty && inspection.drift == [], "\(inspection)")
        let bytes = try Data(contentsOf: result)
        for word in ["ecret", "example.org"] { #expect(bytes.range(of: Data(word.utf8)) == nil, "\(word)") }
        try body(store, try Connection(path: result.path, mode: .readOnly), said.joined(separator: "\n"))
    }

    @Test func `noise satisfies unique indexes, patterns, limits and references`() throws {
        // All texts of one and two letters, which are unique also without case.
        let letters = "abcdefghijklmnopqrstuvwxyz".map(String.init)
        var people = (letters + letters.flatMap { first in letters.map { first + $0 } }).enumerated().map { place, id in
            Person(id: id, mail: place.isMultiple(of: 2) ? id.uppercased() : id, number: 10 + place)
        }
        for place in people.indices.dropFirst() { people[place].friend = people[place - 1].id }
        try withCopy(people) { (store: Connection, copy: Connection, said: String) throws in
            #expect(try copy.count("person") == people.count)
            #expect(try copy.integer("SELECT count(*) FROM pragma_foreign_key_check") == 0)
            #expect(try copy.integer("SELECT count(*) FROM person WHERE code GLOB 'PO-[0-9][0-9]*'") == people.count)
            #expect(try copy.integer("SELECT count(DISTINCT code) FROM person") == people.count)
            #expect(
                try copy.integer("SELECT count(*) FROM person AS p JOIN person AS q ON p.friend_id = q.id") == people
                    .count - 1)
            #expect(try copy.integer("SELECT count(*) FROM person WHERE plan <> 'paid' OR color <> 'red'") == 0)
            #expect(said.contains("person.code: samples of its pattern"), "\(said)")
            #expect(said.contains("person.grade: samples of its pattern"), "\(said)")
            var urls: [String] = []
            try copy.query("SELECT home FROM person LIMIT 5") { urls.append(try $0.url(0).absoluteString) }
            #expect(urls.allSatisfy { $0.hasPrefix("https://") }, "\(urls)")
        }
    }

    @Test func `one known text does not tell another one`() throws {
        // If each place had its own shift, the first text would tell the second one.
        let people = [Person(id: "aaaaaaaa", mail: "m"), Person(id: "bbbbbbbb", mail: "n", number: 11)]
        var shifts = 0
        for _ in 0..<4 {
            try withCopy(people) { (_: Connection, copy: Connection, _: String) throws in
                let ids = try copy.texts("SELECT id FROM person ORDER BY code").map { Array($0.utf8) }
                let differences = Set(zip(ids[0], ids[1]).map { (Int($1) - Int($0) + 26) % 26 })
                if differences == [1] { shifts += 1 }
            }
        }
        #expect(shifts == 0)
    }

    @Test func `what the model does not know becomes noise, or is left out`() throws {
        let notes = [
            #"{"text":"Secret","count":3,"Secret key":{"a":["Secret",5550123]}}"#,
            #"{"text":["Secret"],"count":"Secret"}"#,
            "Secret, and no JSON", #"{"text":5550123,"count":3}"#, #"{"text":"٣٤٥٦٧٨٩٠١٢","count":3}"#,
        ]
        let people = notes.enumerated().map { Person(id: "\($0)", mail: "\($0)", number: 10 + $0, notes: $1) }
        let sql = """
            CREATE TABLE other (text DEFAULT 'Secret', number INTEGER); INSERT INTO other VALUES ('Secret', 5550123);
            CREATE VIEW v AS SELECT * FROM person WHERE mail = 'Secret'; CREATE INDEX i ON person (word) WHERE mail <> 'Secret';
            ALTER TABLE person ADD COLUMN more TEXT DEFAULT 'Secret';
            INSERT INTO strata_metadata VALUES ('Secret', 'Secret');
            """
        try withCopy(people, sql: sql) { (store: Connection, copy: Connection, said: String) throws in
            var texts: [String] = []
            try copy.query("SELECT notes FROM person") { texts.append("\($0.value(0))") }
            #expect(!texts.joined().contains("5550123") && !texts.joined().contains("٣٤٥٦٧٨"), "\(texts)")
            for object in ["table other", "view v", "index i", "column person.more"] {
                #expect(said.contains("left out: \(object) (--user-objects copies it)"), "\(said)")
            }
        }
    }

    @Test func `asked for, the app's tables are copied with noise`() throws {
        let sql = """
            CREATE TABLE other (id INTEGER PRIMARY KEY, text, number INTEGER);
            INSERT INTO other VALUES (1, 'Secret', 5550123), (2, 'Secret', 5550123);
            """
        try withCopy([], sql: sql, "--user-objects") { (_: Connection, copy: Connection, _: String) throws in
            #expect(try copy.integer("SELECT count(*) FROM other WHERE length(text) = 6 AND number = 0") == 2)
        }
    }
}
