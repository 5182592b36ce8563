import Foundation
import SchemaModel
import SQLSchema
import Testing

/// Imports schemas of Room and Drift, and SQLite databases.
@Suite struct TableImportTests {
    private static func quoted(_ text: String) -> String {
        "\""
            + text.replacingOccurrences(of: "\\", with: "\\\\").replacingOccurrences(of: "\"", with: "\\\"")
            .replacingOccurrences(of: "\n", with: "\\n") + "\""
    }

    /// An exported schema of Room. Each table has a name, and the columns and constraints in its parentheses.
    static func room(_ version: Int, _ tables: [(String, String)], indexes: [String] = [], rest: String = "") -> String
    {
        let entities = tables.enumerated().map { place, table in
            let sql = quoted("CREATE TABLE IF NOT EXISTS `${TABLE_NAME}` (\(table.1))")
            let own = indexes.filter { _ in place == 0 }.map { "{ \"name\": \"i\", \"createSql\": \(quoted($0)) }" }
            return
                "{ \"tableName\": \"\(table.0)\", \"createSql\": \(sql), \"fields\": [], \"indices\": [\(own.joined(separator: ","))] }"
        }
        return
            "{ \"formatVersion\": 1, \"database\": { \"version\": \(version), \"entities\": [\(entities.joined(separator: ","))]\(rest) } }"
    }

    private func imported(_ versions: [(Int, String)], _ arguments: String...) throws -> Workspace {
        let workspace = try Workspace()
        for (number, text) in versions { try workspace.write(text, to: "schemas/\(number).json") }
        let result = workspace.run(
            all: ["import", "room", workspace.path("schemas"), "--into", workspace.path("out")] + arguments)
        #expect(result.code == .success && result.complaints.isEmpty, "\(result.complaints)")
        return workspace
    }

    @Test func `tables keep their columns, primary keys, foreign keys and indexes`() throws {
        let workspace = try imported([
            (
                7,
                Self.room(
                    7,
                    [
                        (
                            "message",
                            """
                            `id` INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, `body` TEXT NOT NULL DEFAULT 'it''s', `sent` INTEGER,
                            `size` REAL NOT NULL DEFAULT 0, `raw` BLOB, `chat_id` TEXT NOT NULL, `replyTo` INTEGER,
                            `name` TEXT COLLATE NOCASE,
                            FOREIGN KEY(`chat_id`) REFERENCES `chat`(`key`) ON UPDATE CASCADE ON DELETE CASCADE,
                            FOREIGN KEY(`replyTo`) REFERENCES `message`(`id`) ON UPDATE NO ACTION ON DELETE SET NULL
                            """
                        ),
                        ("chat", "`key` TEXT NOT NULL, `title` TEXT, PRIMARY KEY(`key`)"),
                        (
                            "member",
                            """
                            `chat_id` TEXT NOT NULL, `user` INTEGER NOT NULL, `role` TEXT, PRIMARY KEY(`chat_id`, `user`),
                            FOREIGN KEY(`chat_id`) REFERENCES `chat`(`key`) ON DELETE NO ACTION
                            """
                        ),
                        (
                            "mute",
                            "`member_chat_id` TEXT, `member_user` INTEGER, `id` INTEGER, PRIMARY KEY(`id`), FOREIGN KEY(`member_chat_id`, `member_user`) REFERENCES `member`(`chat_id`, `user`) ON DELETE CASCADE"
                        ),
                        ("loose", "`a` TEXT, `b` BLOB"),
                        ("blobbed", "`k` BLOB NOT NULL, PRIMARY KEY(`k`)"),
                    ],
                    indexes: [
                        "CREATE UNIQUE INDEX `one` ON `${TABLE_NAME}` (`body`)",
                        "CREATE INDEX `two` ON `${TABLE_NAME}` (`sent`, `size`)",
                        "CREATE INDEX `three` ON `${TABLE_NAME}` (`chat_id`)",
                        "CREATE INDEX `four` ON `${TABLE_NAME}` (`sent`)",
                    ])
            )
        ])
        let lines = try workspace.lines("out", "7.0")
        #expect(
            lines == [
                "blobbed | key id: int | k: data unique",
                "chat | key key: string | title: string?",
                "loose | key id: int | a: string? | b: data?",
                "member | key (chat, user) | chat: to_one chat on_delete no_action | role: string? | user: int",
                "message | key id: int | body: string = \"it's\" unique | chat: to_one chat on_delete cascade | "
                    + "index (sent, size) | name: string? collation nocase | raw: data? | replyTo: to_one message? "
                    + "on_delete nullify persisted replyTo | sent: int? indexed | size: double = 0.0",
                "mute | key id: int | member: to_one member? on_delete cascade",
            ])
        let report = try workspace.text("out/IMPORT.md").split(separator: "\n").filter { $0.hasPrefix("| 7.0 | ") }
        #expect(
            report.map(String.init) == [
                "| 7.0 | 7 | 6 |  |",
                "| 7.0 | message | the foreign key on chat_id: ON UPDATE CASCADE, because primary keys do not change |",
                "| 7.0 | message | AUTOINCREMENT: `newID(of:)` returns no key twice, but SQLite may reuse a key for rows that your SQL inserts without one |",
                "| 7.0 | blobbed | its primary key (k) becomes a unique index, and rows get numbers as keys |",
            ])
    }

    @Test
    func `constraints in a table's SQL are carried over or reported, but not keywords in names, strings and comments`()
        throws
    {
        let workspace = try Workspace()
        try workspace.makeDatabase(
            "app.sqlite",
            """
            CREATE TABLE plain (id INTEGER PRIMARY KEY, last_check TEXT DEFAULT 'CHECK (1)', "CHECK" INTEGER /* CHECK (2) */,
              flag BOOLEAN NOT NULL CHECK ("flag" IN (0, 1))); -- AUTOINCREMENT
            CREATE TABLE checked (id INTEGER PRIMARY KEY AUTOINCREMENT, n INTEGER CHECK (n > (1 + 2)), t TEXT,
              CONSTRAINT "c d" CHECK (t <> ')' AND n IS NOT NULL), CHECK (n < 9), CHECK (unicode(t) > 3),
              CONSTRAINT checked_check CHECK ([N] <> 5));
            CREATE TABLE keyed (id INTEGER NOT NULL DEFAULT 7, part TEXT NOT NULL DEFAULT 'x', PRIMARY KEY (id, part));
            """)
        workspace.run("import", "sqlite", workspace.path("app.sqlite"), "--into", workspace.path("out"))
        let report = try workspace.text("out/IMPORT.md").split(separator: "\n").map(String.init)
        let found = Array(report.filter { $0.hasPrefix("| 1.0 | ") }.dropFirst())
        #expect(
            found
                == [
                    "| 1.0 | checked | CHECK (unicode(t) > 3) |",
                    "| 1.0 | checked | AUTOINCREMENT: `newID(of:)` returns no key twice, but SQLite may reuse a key for rows that your SQL inserts without one |",
                    "| 1.0 | keyed.id | the default 7 of the primary key |",
                    "| 1.0 | keyed.part | the default 'x' of the primary key |",
                ].reordered(like: found))
        #expect(
            try workspace.lines("out", "1.0")[0]
                == #"checked | key id: int | check "c d" where "t <> ')' AND n IS NOT NULL" | check checked_check where "n > 1 + 2" "#
                + #"| check checked_check_2 where "n < 9" | check checked_check_3 where "n <> 5" | n: int? | t: string?"#
        )
    }

    @Test func `a default value of Drift is read if it is a constant, and reported if it is not`() throws {
        let workspace = try Workspace()
        func column(_ name: String, _ dart: String) -> String {
            "{ \"name\": \"\(name)\", \"moor_type\": \"string\", \"nullable\": false, \"default_dart\": \"\(dart)\" }"
        }
        let columns = [
            column("a", "currentDateAndTime"), column("b", "const CustomExpression('now()')"),
            column("c", "const Constant('x')"), column("d", "const CustomExpression('upper(1)')"),
        ]
        try workspace.write(
            """
            { "entities": [{ "id": 0, "type": "table", "data": { "name": "t", "columns": [\(columns.joined(separator: ", "))] } }] }
            """, to: "s/drift_schema_v1.json")
        let result = workspace.run("import", "drift", workspace.path("s"), "--into", workspace.path("out"))
        #expect(result.complaints == [])
        let report = try workspace.text("out/IMPORT.md")
        #expect(report.contains("| t.a | the default currentDateAndTime is not a constant of its type |"))
        #expect(report.contains("| t.b | the default now() is not a constant of its type |"))
        #expect(try workspace.lines("out", "1.0").first?.contains("c: string = \"x\"") == true)
    }

    @Test func `parts of tables that descriptions do not support are reported`() throws {
        let workspace = try imported([
            (
                1,
                Self.room(
                    1,
                    [
                        (
                            "a",
                            """
                            `id` INTEGER PRIMARY KEY, `b` TEXT DEFAULT CURRENT_TIMESTAMP CHECK (length(b) > 1), `c` INTEGER REFERENCES `b`(`x`),
                            `d` TEXT REFERENCES `b`(`id`), `e` INTEGER NOT NULL REFERENCES `b`(`id`) ON DELETE SET NULL,
                            `f` INTEGER REFERENCES `none`(`id`), `g` INTEGER GENERATED ALWAYS AS (unicode(b)), `h` TEXT COLLATE RTRIM
                            """
                        ),
                        ("b", "`id` INTEGER PRIMARY KEY, `x` INTEGER UNIQUE"),
                        ("p", "`id` INTEGER PRIMARY KEY REFERENCES `q`(`id`)"),
                        ("q", "`id` INTEGER PRIMARY KEY REFERENCES `p`(`id`)"),
                    ],
                    indexes: [
                        "CREATE INDEX `one` ON `${TABLE_NAME}` (`b`) WHERE unicode(b) > 1",
                        "CREATE INDEX `two` ON `${TABLE_NAME}` (lower(b))",
                        "CREATE INDEX `three` ON `${TABLE_NAME}` (`b` COLLATE NOCASE)",
                        "CREATE INDEX `four` ON `${TABLE_NAME}` (`b`, `id`)",
                        "CREATE INDEX `five` ON `${TABLE_NAME}` (`g`)",
                    ], rest: ", \"views\": [{ \"viewName\": \"v\", \"createSql\": \"\" }]")
            )
        ])
        let report = try workspace.text("out/IMPORT.md").split(separator: "\n").filter { $0.hasPrefix("| 1.0 | ") }
        #expect(
            report.dropFirst().map(String.init)
                == [
                    "| 1.0 | v | it is a view |",
                    "| 1.0 | a | the foreign key on f: the table none does not exist |",
                    "| 1.0 | a | the foreign key on d: `d` and b.id have different types |",
                    "| 1.0 | a | the foreign key on c: it references columns of b that are not its primary key |",
                    "| 1.0 | p | a foreign key in its primary key leads back to it, and becomes a plain column |",
                    "| 1.0 | a.b | the default CURRENT_TIMESTAMP is not a constant of its type |",
                    "| 1.0 | a.e | ON DELETE SET NULL, because it may not be NULL |",
                    "| 1.0 | a.g | it is a generated column, with the value unicode(b) |",
                    "| 1.0 | a | the index on b: it contains only some rows, those with unicode(b) > 1 |",
                    "| 1.0 | a | the index on an expression: it contains an expression |",
                    "| 1.0 | a | the index on b: it compares with NOCASE, but the column compares with BINARY |",
                    "| 1.0 | a | the index on b, id: the primary key is not a property |",
                    "| 1.0 | a | the index on g: `g` is left out |",
                ].reordered(like: report.dropFirst().map(String.init)))
        #expect(
            try workspace.lines("out", "1.0").filter { $0.hasPrefix("p ") || $0.hasPrefix("q ") } == [
                "p | key id: int", "q | key (id) | id: to_one p on_delete no_action persisted id",
            ])
    }

    @Test func `generated columns become computed properties, and follow renamed columns`() throws {
        func version(_ number: Int, _ column: String, _ more: String) -> String {
            Self.room(
                number,
                [
                    (
                        "t",
                        """
                        `id` INTEGER PRIMARY KEY, `\(column)` TEXT NOT NULL, `n` INTEGER, `x` REAL,
                        `label` TEXT GENERATED ALWAYS AS (upper(`\(column)`) || ' (' || coalesce(n, 0) || ')') STORED,
                        `exact` REAL AS (n * x) CHECK (exact > 1), \(more)
                        """
                    )
                ],
                indexes: [
                    "CREATE INDEX `one` ON `${TABLE_NAME}` (`label`)",
                    "CREATE INDEX `two` ON `${TABLE_NAME}` (`label`, `n` DESC)",
                    "CREATE UNIQUE INDEX `three` ON `${TABLE_NAME}` (`exact`)",
                ])
        }
        let workspace = try Workspace()
        // A stored column becomes a generated one in version 2, and a generated one changes and gets another name.
        try workspace.write(
            version(1, "note", "`kept` INTEGER, `size` INTEGER AS (length(note))"), to: "schemas/1.json")
        try workspace.write(
            version(
                2, "memo",
                """
                `kept` INTEGER AS (n), `length` INTEGER AS (length(memo) + 1), `half` INTEGER AS (n / 2.0),
                `b` TEXT AS (memo) NOT NULL, `c` TEXT COLLATE NOCASE AS (memo), `d` TEXT AS (exact), `e` BLOB AS (zeroblob(n))
                """), to: "schemas/2.json")
        try workspace.write("{\"2\": {\"t.note\": \"memo\", \"t.size\": \"length\"}}", to: "renames")
        let result = workspace.run(
            "import", "room", workspace.path("schemas"), "--into", workspace.path("out"), "--renames",
            workspace.path("renames"))
        #expect(result.complaints == [])
        func label(_ column: String) -> String {
            #"label: string computed "upper(\#(column)) || ' (' || coalesce(n, 0) || ')'" indexed"#
        }
        #expect(
            try workspace.lines("out", "1.0") == [
                #"t | key id: int | exact: double computed "n * x" | index (label, n desc) | kept: int? | "#
                    + label("note") + #" | n: int? | note: string | size: int computed "length(note)" | x: double?"#
            ])
        #expect(
            try workspace.lines("out", "2.0") == [
                #"t | key id: int | exact: double computed "n * x" | index (label, n desc) | kept: int computed "n" | "#
                    + label("memo")
                    + #" | length: int computed "length(memo) + 1" | memo: string | n: int? | x: double?"#
            ])
        let report = try workspace.text("out/IMPORT.md").split(separator: "\n").filter { $0.contains("| t") }
        #expect(
            report.map(String.init) == [
                "| 1.0 to 2.0 | t | UNIQUE on exact: `exact` is a generated column, and a computed property cannot be unique |",
                "| 1.0 to 2.0 | t | CHECK (exact > 1) |",
                "| 2.0 | t.half | it is a generated column, with the value n / 2.0 |",
                "| 2.0 | t.b | it is a generated column, with the value memo |",
                "| 2.0 | t.c | it is a generated column, with the value memo |",
                "| 2.0 | t.d | it is a generated column, with the value exact |",
                "| 2.0 | t.e | it is a generated column, with the value zeroblob(n) |",
                "| 2.0 | t.kept | it was removed, and `kept` added |",
            ])
        #expect(
            try workspace.history("out").steps[0].customReasons == ["`t.kept` is removed without \"discard\": true"])
        let generated = workspace.run("generate", workspace.path("out"))
        #expect(generated.complaints == [])
    }

    @Test func `checks follow renamed columns, and a check that a later version adds is reported`() throws {
        func version(_ number: Int, _ column: String, _ more: String) -> String {
            let check = "CONSTRAINT `given` CHECK (\(column) <> '')"
            return Self.room(
                number,
                [("t", "`id` INTEGER PRIMARY KEY, `\(column)` TEXT NOT NULL \(check), `n` INTEGER NOT NULL, \(more)")])
        }
        let workspace = try Workspace()
        try workspace.write(version(1, "note", "CHECK (n > 1)"), to: "schemas/1.json")
        try workspace.write(version(2, "memo", "CHECK (n < 9)"), to: "schemas/2.json")
        try workspace.write("{\"2\": {\"t.note\": \"memo\"}}", to: "renames")
        let result = workspace.run(
            "import", "room", workspace.path("schemas"), "--into", workspace.path("out"), "--renames",
            workspace.path("renames"))
        #expect(result.complaints == [])
        #expect(
            try workspace.lines("out", "1.0") == [
                #"t | key id: int | check given where "note <> ''" | check t_check where "n > 1" | n: int | note: string"#
            ])
        #expect(
            try workspace.lines("out", "2.0") == [
                #"t | key id: int | check given where "memo <> ''" | memo: string | n: int"#
            ])
        #expect(try workspace.text("out/IMPORT.md").contains("| 2.0 | t | CHECK (n < 9) |"))
        #expect(try workspace.history("out").steps[0].customReasons.isEmpty)
    }

    @Test func `indexes of some rows and in descending order are imported, and follow renamed columns`() throws {
        let columns =
            "`id` INTEGER PRIMARY KEY, `day` INTEGER NOT NULL, `%@` TEXT, `state` TEXT NOT NULL, `at` DATETIME"
        let indexes = [
            "CREATE INDEX `a` ON `${TABLE_NAME}` (`day` DESC, `%@`)",
            "CREATE UNIQUE INDEX `b` ON `${TABLE_NAME}` (`state`) WHERE [%@] IS NOT NULL AND State IN ('x)', 'y')",
            "CREATE INDEX `c` ON `${TABLE_NAME}` (`day`) WHERE `at` IS NULL",
            "CREATE INDEX `d` ON `${TABLE_NAME}` (`id`) WHERE `at` IS NULL",
        ]
        func version(_ number: Int, _ name: String) -> String {
            Self.room(
                number, [("t", columns.replacing("%@", with: name))],
                indexes: indexes.map { $0.replacing("%@", with: name) })
        }
        let workspace = try Workspace()
        try workspace.write(version(1, "note"), to: "schemas/1.json")
        try workspace.write(version(2, "memo"), to: "schemas/2.json")
        try workspace.write("{\"2\": {\"t.note\": \"memo\"}}", to: "renames")
        let result = workspace.run(
            "import", "room", workspace.path("schemas"), "--into", workspace.path("out"), "--renames",
            workspace.path("renames"))
        #expect(result.complaints == [])
        let line = try workspace.lines("out", "1.0")[0]
        #expect(line.contains("| index (day desc, note) |"))
        #expect(line.contains(#"| unique (state) where "note IS NOT NULL AND state IN ('x)', 'y')""#))
        let next = try workspace.lines("out", "2.0")[0]
        #expect(next.contains("| index (day desc, memo) |") && next.contains(#"where "memo IS NOT NULL AND"#))
        #expect(line.contains(#"| index (day) where "at IS NULL""#))
        #expect(
            try workspace.text("out/IMPORT.md").contains("| t | the index on id: the primary key is not a property |"))
        let description = try workspace.text("out/T.json")
        #expect(!description.contains("\"where\": \"note IS NOT NULL"), "\(description)")
    }

    @Test func `a removal beside an addition needs a custom migration until a renames file decides it`() throws {
        let first = Self.room(
            1, [("user", "`id` INTEGER PRIMARY KEY, `mail` TEXT, `fax` TEXT"), ("old", "`id` INTEGER PRIMARY KEY")])
        let second = Self.room(
            3, [("user", "`id` INTEGER PRIMARY KEY, `email` TEXT"), ("new", "`id` INTEGER PRIMARY KEY")])
        let undecided = try imported([(1, first), (3, second)])
        #expect(
            try undecided.history("out").steps[0].customReasons.sorted() == [
                "`old` is removed without \"discard\": true", "`user.fax` is removed without \"discard\": true",
                "`user.mail` is removed without \"discard\": true",
            ])
        #expect(try undecided.history("out").versions.map(\.version.text) == ["1.0", "3.0"])
        let workspace = try Workspace()
        try workspace.write(first, to: "schemas/1.json")
        try workspace.write(second, to: "schemas/3.json")
        try workspace.write("{\"3\": {\"user.mail\": \"email\", \"user.fax\": null, \"old\": \"new\"}}", to: "renames")
        let result = workspace.run(
            "import", "room", workspace.path("schemas"), "--into", workspace.path("out"), "--renames",
            workspace.path("renames"))
        #expect(result.code == .success)
        #expect(!result.said.contains { $0.hasPrefix("note:") })
        #expect(try workspace.history("out").steps[0].customReasons.isEmpty)
        // A removal without an addition needs no decision.
        let less = try imported([(1, first), (2, Self.room(2, [("user", "`id` INTEGER PRIMARY KEY, `mail` TEXT")]))])
        #expect(try less.history("out").steps[0].customReasons.isEmpty)
    }

    @Test func `the columns of a composite foreign key keep their names`() throws {
        let group = ("Group", "`owner` TEXT NOT NULL, `number` INTEGER NOT NULL, PRIMARY KEY(`owner`, `number`)")
        let workspace = try imported([
            (
                1,
                Self.room(
                    1,
                    [
                        group,
                        (
                            "Message",
                            """
                            `id` INTEGER PRIMARY KEY, `chatNo` INTEGER, `chatOwner` TEXT, `group_owner` TEXT, `group_number` INTEGER,
                            FOREIGN KEY(`chatNo`, `chatOwner`) REFERENCES `Group`(`number`, `owner`) ON DELETE SET NULL,
                            FOREIGN KEY(`group_owner`, `group_number`) REFERENCES `Group`(`owner`, `number`) ON DELETE SET NULL
                            """
                        ),
                        (
                            "Member",
                            """
                            `owner` TEXT NOT NULL, `no` INTEGER NOT NULL, `name` TEXT NOT NULL, PRIMARY KEY(`owner`, `name`),
                            FOREIGN KEY(`owner`, `no`) REFERENCES `Group`(`owner`, `number`)
                            """
                        ),
                        (
                            "Pin",
                            """
                            `pinOwner` TEXT NOT NULL, `pinNo` INTEGER NOT NULL, `at` INTEGER NOT NULL, PRIMARY KEY(`pinNo`, `pinOwner`),
                            FOREIGN KEY(`pinOwner`, `pinNo`) REFERENCES `Group`(`owner`, `number`)
                            """
                        ),
                    ])
            )
        ])
        #expect(
            try workspace.lines("out", "1.0") == [
                "Group | key (owner, number) | number: int | owner: string",
                // With the relationship in it, the primary key would have three columns.
                "Member | key (owner, name) | name: string | no: int | owner: string",
                "Message | key id: int | chatOwner: to_one Group? on_delete nullify persisted (chatOwner, chatNo)"
                    + " | group: to_one Group? on_delete nullify",
                "Pin | key (group) | at: int | group: to_one Group on_delete no_action persisted (pinOwner, pinNo)",
            ])
        #expect(
            try workspace.text("out/IMPORT.md").contains(
                "| 1.0 | Member | the foreign key on owner, no: only some of its columns are in the primary key |"
            ))
        let tables = try workspace.history("out").newest.tables
        func columns(_ table: String) -> [String] { tables.first { $0.name == table }?.columnNames ?? [] }
        #expect(columns("Message") == ["id", "chatOwner", "chatNo", "group_owner", "group_number"])
        #expect(columns("Pin") == ["pinOwner", "pinNo", "at"])
        #expect(columns("Member") == ["owner", "no", "name"])
    }

    @Test func `a column keeps its identity when only its letter case or its column name changes`() throws {
        func version(_ number: Int, _ tables: [(String, String)], _ fields: String) -> String {
            Self.room(number, tables).replacingOccurrences(of: "\"fields\": []", with: "\"fields\": [\(fields)]")
        }
        func field(_ path: String, _ column: String) -> String {
            "{ \"fieldPath\": \"\(path)\", \"columnName\": \"\(column)\" }"
        }
        let first = version(
            1, [("user", "`id` INTEGER PRIMARY KEY, `mail` TEXT, `faxNo` TEXT, `x` TEXT")], field("mail", "mail"))
        let second = version(
            2, [("User", "`id` INTEGER PRIMARY KEY, `e_mail` TEXT, `faxNO` TEXT, `y` TEXT")], field("mail", "e_mail"))
        let workspace = try imported([(1, first), (2, second)])
        let step = try workspace.history("out").steps[0]
        // The schemas do not show whether `x` was renamed to `y`.
        #expect(step.customReasons == ["`user.x` is removed without \"discard\": true"])
        let users = try workspace.history("out").versions.map { $0.entities[0] }
        #expect(users.map(\.name) == ["user", "User"])
        #expect(
            users.map { user in user.properties.prefix(2).map(\.name) } == [["mail", "faxNo"], ["e_mail", "faxNO"]])
    }

    @Test func `a column that becomes a foreign key keeps its identity`() throws {
        let target = ("chat", "`id` INTEGER PRIMARY KEY")
        let workspace = try imported([
            (1, Self.room(1, [("message", "`id` INTEGER PRIMARY KEY, `chat_id` INTEGER"), target])),
            (
                2,
                Self.room(
                    2, [("message", "`id` INTEGER PRIMARY KEY, `chat_id` INTEGER REFERENCES `chat`(`id`)"), target])
            ),
        ])
        let history = try workspace.history("out")
        #expect(history.versions.map { $0.entities[1].properties.map(\.name) } == [["chat_id"], ["chat"]])
        #expect(history.versions.map { $0.entities[1].properties.map(\.lineage) } == [[0], [0]])
    }

    @Test(arguments: [
        ("{", "schemas/1.json:1: error: it is not valid JSON"),
        ("{}", "schemas/1.json:1: error: \"database\" is missing here"),
        ("{\"database\":\n{}}", "schemas/1.json:2: error: \"version\" is missing here"),
        (
            "{\"database\":\n{\"version\": 2, \"entities\": []}}",
            "schemas/1.json:2: error: the file is called 1.json, and the version is 2"
        ),
        (
            "{\"database\": {\"version\": 1,\n\"entities\": {}}}",
            "schemas/1.json:2: error: \"entities\" must be an array"
        ),
        (
            "{\"database\": {\"version\": 1,\n\"entities\": [{\"tableName\": 1}]}}",
            "schemas/1.json:2: error: \"tableName\" must be a string"
        ),
        (
            room(1, [("a", "no columns?")]),
            "schemas/1.json: error: SQLite refuses CREATE TABLE IF NOT EXISTS `a` (no columns?): SQLite error 1: near \"?\": syntax error"
        ),
    ])
    func `an invalid file is reported, and nothing is written`(text: String, message: String) throws {
        let workspace = try Workspace()
        try workspace.write(text, to: "schemas/1.json")
        let result = workspace.run("import", "room", workspace.path("schemas"), "--into", workspace.path("out"))
        #expect(!result.complaints.isEmpty && result.complaints[0].hasPrefix(message), "\(result.complaints)")
        #expect(!FileManager.default.fileExists(atPath: workspace.path("out")))
    }

    // MARK: Drift

    /// An exported schema of Drift with a table `t`. `column` are the JSON members of its column `a`.
    private static func drift(_ column: String, _ table: String = "", options: String = "", others: String = "")
        -> String
    {
        """
        { "_meta": { "version": "1.0.0" }, "options": {\(options)}, "entities": [
          { "id": 0, "type": "table", "data": { "name": "other", "columns": [
            { "name": "id", "moor_type": "int", "nullable": false, "customConstraints": "NOT NULL PRIMARY KEY" }] } },
          { "id": 1, "type": "table", "data": { "name": "t", "columns": [
            { "name": "id", "moor_type": "ColumnType.integer", "nullable": false, "dsl_features": ["auto-increment"] },
            { "name": "a", \(column) }]\(table) } }\(others)] }
        """
    }

    @Test(arguments: [
        ("\"moor_type\": \"ColumnType.text\", \"nullable\": true", "a: string?"),
        ("\"moor_type\": \"string\", \"nullable\": false, \"dsl_features\": [\"unique\"]", "a: string unique"),
        ("\"moor_type\": \"bool\", \"nullable\": false, \"default_dart\": \"const Constant(false)\"", "a: bool = 0"),
        (
            "\"moor_type\": \"ColumnType.boolean\", \"customConstraints\": \"NOT NULL DEFAULT 1 CHECK (a IN (0, 1))\"",
            "a: bool = 1"
        ),
        ("\"moor_type\": \"dateTime\", \"nullable\": true", "a: date?"),
        (
            "\"moor_type\": \"double\", \"nullable\": false, \"default_dart\": \"const CustomExpression('2.5')\"",
            "a: double = 2.5"
        ),
        ("\"moor_type\": \"blob\", \"nullable\": false", "a: data"),
        ("\"moor_type\": \"bigInt\", \"nullable\": false, \"default_dart\": \"const Constant(7)\"", "a: int = 7"),
        (
            "\"moor_type\": \"string\", \"nullable\": false, \"default_dart\": \"const Constant('x')\"",
            "a: string = \"x\""
        ),
        (
            "\"moor_type\": \"string\", \"nullable\": false, \"default_dart\": \"const Constant('it\\\\'s')\"",
            "a: string = \"it's\""
        ),
        (
            "\"moor_type\": \"string\", \"nullable\": false, \"default_dart\": \"const CustomExpression('\\\\'p\\\\'')\"",
            "a: string = \"p\""
        ),
        (
            "\"moor_type\": \"string\", \"nullable\": false, \"customConstraints\": \"CHECK (a <> 'default')\", "
                + "\"default_dart\": \"const Constant('q')\"",
            "a: string = \"q\" | check t_check where \"a <> 'default'\""
        ),
        ("\"moor_type\": {\"custom\": \"REAL\"}, \"nullable\": true", "a: double?"),
        (
            """
            "moor_type": "int", "nullable": true, "dsl_features": [{"foreign_key": {"to": {"table": "other", "column": "id"},
            "on_delete": "setNull", "on_update": null}}]
            """, "a: to_one other? on_delete nullify persisted a"
        ),
        (
            "\"moor_type\": \"int\", \"customConstraints\": \"NULL REFERENCES other(id) ON DELETE CASCADE\"",
            "a: to_one other? on_delete cascade persisted a"
        ),
    ])
    func `all versions of Drift's file format are read`(column: String, line: String) throws {
        let workspace = try Workspace()
        try workspace.write(Self.drift(column), to: "s/drift_schema_v3.json")
        let result = workspace.run("import", "drift", workspace.path("s"), "--into", workspace.path("out"))
        #expect(result.code == .success, "\(result.complaints)")
        #expect(try workspace.lines("out", "3.0") == ["other | key id: int", "t | key id: int | \(line)"])
    }

    @Test func `unique keys, indexes and dates as text are read`() throws {
        let workspace = try Workspace()
        let column =
            "\"moor_type\": \"dateTime\", \"nullable\": false }, { \"name\": \"b\", \"moor_type\": \"string\", \"nullable\": false"
        let table = ", \"unique_keys\": [[\"a\", \"b\"]], \"constraints\": []"
        let others = """
            , { "id": 2, "type": "index", "data": { "name": "i", "sql": "CREATE INDEX i ON t (b)" } },
            { "id": 6, "type": "index", "data": { "name": "k", "sql": "CREATE INDEX k ON t (b, a) WHERE a > '2020'" } },
            { "id": 7, "type": "index", "data": { "name": "l", "sql": "CREATE INDEX l ON t (a DESC, b) WHERE a IS NOT NULL" } },
            { "id": 3, "type": "index", "data": { "name": "j", "on": 1, "unique": true, "columns": ["b"] } },
            { "id": 4, "type": "trigger", "data": { "name": "w" } }, { "id": 5, "type": "hypertable", "data": { "name": "x" } }
            """
        try workspace.write(
            Self.drift(column, table, options: "\"store_date_time_values_as_text\": true", others: others),
            to: "s/drift_schema_v1.json")
        #expect(workspace.run("import", "drift", workspace.path("s"), "--into", workspace.path("out")).complaints == [])
        #expect(
            try workspace.lines("out", "1.0")[1]
                == [
                    "t", "key id: int", "a: date", "b: string unique", #"index (a desc, b) where "a IS NOT NULL""#,
                    "unique (a, b)",
                ].joined(separator: " | "))
        #expect(try !workspace.text("out/strata.json").contains("forms"))
        let report = try workspace.text("out/IMPORT.md")
        #expect(
            // The store has the dates as numbers.
            report.contains("| t | the index on b, a: it contains only some rows, those with a > '2020' |"))
        #expect(
            report.contains("| 1.0 | w | it is a trigger |") && report.contains("| 1.0 | x | its type is unknown"))
        try workspace.write(Self.drift("\"moor_type\": \"money\""), to: "e/drift_schema_v1.json")
        #expect(
            workspace.run("import", "drift", workspace.path("e"), "--into", workspace.path("o")).complaints == [
                "e/drift_schema_v1.json:6: error: Drift has no type money"
            ])
        #expect(
            workspace.run("import", "drift", workspace.path("out"), "--into", workspace.path("o")).complaints == [
                "out: error: there are no exported schemas in it"
            ])
    }

    // MARK: Databases

    @Test func `the type of a column follows its declaration and its values`() throws {
        let workspace = try Workspace()
        try workspace.makeDatabase(
            "app.sqlite",
            """
            CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL, born DATETIME, active BOOLEAN NOT NULL DEFAULT 1,
              key UUID, score NUMERIC(10, 2), anything, seen TIMESTAMP, odd BOOLEAN, count INTEGER, ratio REAL);
            INSERT INTO player VALUES (1, 'Ann', '2024-05-01 12:00:00.000', 1, randomblob(16), 1.25, 'x', 1714564800, 7, 3, 1);
            INSERT INTO player VALUES (2, 'Bob', NULL, 0, NULL, 3, 'y', NULL, 0, 'three', 2.5);
            CREATE VIEW names AS SELECT name FROM player;
            CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
            CREATE VIRTUAL TABLE search USING fts4(name); CREATE TABLE search_terms (id INTEGER PRIMARY KEY, at DATETIME, u UUID,
              d TEXT DEFAULT ('a' || 'b'));
            INSERT INTO search_terms VALUES (1, '12:30', 'sixteen letters!', '');
            """)
        let before = try Data(contentsOf: workspace.url.appendingPathComponent("app.sqlite"))
        let result = workspace.run("import", "sqlite", workspace.path("app.sqlite"), "--into", workspace.path("out"))
        #expect(result.code == .success, "\(result.complaints)")
        #expect(try Data(contentsOf: workspace.url.appendingPathComponent("app.sqlite")) == before)
        let lines = try workspace.lines("out", "1.0")
        #expect(
            lines == [
                "player | key id: int | active: bool = 1 | anything: string? | born: date? | count: int? | key: uuid? | "
                    + "name: string | odd: int? | ratio: double? | score: decimal? | seen: int?",
                "search_terms | key id: int | at: string? | d: string? | u: string?",
            ])
        let report = try workspace.text("out/IMPORT.md").split(separator: "\n").filter { $0.hasPrefix("| 1.0 | ") }
        #expect(
            Set(report.dropFirst().map(String.init)) == [
                "| 1.0 | names | it is a view |", "| 1.0 | search | it is a virtual table |",
                "| 1.0 | search_terms.at | its declared type is DATETIME, but its values are numbers: write in strata.json what they count, and change the property's type to date |",
                "| 1.0 | search_terms.d | the default 'a' \\|\\| 'b' is not a constant of its type |",
                "| 1.0 | player.odd | its declared type is BOOLEAN, but it has other values than 0 and 1 |",
                "| 1.0 | player.seen | its declared type is TIMESTAMP, but its values are numbers: write in strata.json what they count, and change the property's type to date |",
                "| 1.0 | player.count | its declared type is INTEGER, but it has values of other types, which will not fit |",
            ])
        #expect(
            workspace.run("import", "sqlite", workspace.path("none"), "--into", workspace.path("o")).complaints == [
                "none: error: there is no such file"
            ])
        try workspace.write("no database at all", to: "text")
        #expect(
            workspace.run("import", "sqlite", workspace.path("text"), "--into", workspace.path("o")).complaints.first?
                .hasPrefix("text: error: ") == true)
    }
}

extension [String] {
    /// The same texts in the order of `other`. Texts that are not in `other` come last.
    fileprivate func reordered(like other: [String]) -> [String] {
        sorted { (other.firstIndex(of: $0) ?? .max) < (other.firstIndex(of: $1) ?? .max) }
    }
}
