import Foundation
import SchemaModel
import SQLSchema
import Strata
import Testing

/// Imports sources of SwiftData models.
@Suite struct SwiftDataTests {
    /// Two versions and a plan. `#1` is the number of the version.
    static let sources = [
        "Plan.swift": """
        enum Plan: SchemaMigrationPlan {
            static var schemas: [any VersionedSchema.Type] { [SchemaV1.self, SchemaV2.self] }
            static var stages: [MigrationStage] { [first] }
            static let first = MigrationStage.custom(
                fromVersion: SchemaV1.self, toVersion: SchemaV2.self, willMigrate: nil,
                didMigrate: { context in try context.save() })
        }
        typealias Note = SchemaV2.Note
        """,
        "V1.swift": version(1, title: "var title: String = \"untitled\""),
        "V2.swift": version(2, title: "@Attribute(originalName: \"title\") var headline: String = \"untitled\""),
    ]

    private static func version(_ number: Int, title: String) -> String {
        """
        import Foundation
        import SwiftData

        enum SchemaV\(number): VersionedSchema {
            static let versionIdentifier = Schema.Version(\(number), 0, 0)
            static var models: [any PersistentModel.Type] { [Note.self, Folder.self, SchemaV\(number).Tag.self] }

            @Model
            public final class Note {
                @Attribute(.unique) var id: UUID
                \(title)
                var text: String? /* a { comment */
                var createdAt = Date.now
                var rating: Double = -1.5, views = 0
                @Transient var isShown = false
                let constant = 1
                static var shared: Note?
                var folder: Folder?
                @Relationship(deleteRule: .nullify, inverse: \\Tag.notes) var tags: [Tag] = []
                var state: State = State.draft
                var words: [String] = []
                @Attribute(.externalStorage) var image: Data?
                @Attribute(.transformable(by: ColorTransformer.self)) var color: Color?
                var count: Int { words.count }
                private(set) var label: String = "" {
                    didSet { print("\\(label) { \\("x")") }
                }
                var amount: Amount = 1

                enum State: String, Codable { case draft, done }

                init(id: UUID = UUID()) {
                    self.id = id
                    if id.uuidString == "{" { print(#"}"#) }
                }
                func move(to folder: Folder) { self.folder = folder }
            }

            @Model class Folder {
                var name: String
                @Relationship(deleteRule: .cascade, minimumModelCount: 1) var notes: [Note]?
                init(name: String) { self.name = name }
            }
        }

        extension SchemaV\(number) {
            typealias Amount = Int

            @Model class Tag {
                #Unique<Tag>([\\.name])
                #Index<Tag>([\\.name, \\.weight])
                var name: String
                var weight: Int
                var notes: [Note] = []
                var place: Place?
            }
            struct Place: Codable { var x: Double; var y: Double }
        }
        """
    }

    private func workspace(_ files: [String: String]) throws -> Workspace {
        let workspace = try Workspace()
        for (name, text) in files { try workspace.write(text, to: "Models/\(name)") }
        return workspace
    }

    private func importing(_ workspace: Workspace) -> (code: Int32, said: [String], complaints: [String]) {
        let result = workspace.run("import", "swiftdata", workspace.path("Models"), "--into", workspace.path("out"))
        return (result.code.rawValue, result.said, result.complaints)
    }

    @Test func `versions, relationships, constraints and renames are read from the sources`() throws {
        let workspace = try workspace(Self.sources)
        let result = importing(workspace)
        #expect(result.code == 0, "\(result.complaints)")
        let history = try workspace.history("out")
        #expect(history.versions.map(\.version.text) == ["1.0.0", "2.0.0"])
        #expect(history.steps[0].customReasons.isEmpty)
        func note(_ title: String) -> String {
            "Note | key row_id: int | amount: int = 1 | color: data? | createdAt: date | folder: to_one Folder? inverse notes "
                + "on_delete cascade | \(title == "headline" ? "headline: string = \"untitled\" | " : "")"
                + "id: uuid unique | image: data? | label: string = \"\" | rating: double = -1.5 | state: string = \"draft\" | "
                + "tags: to_many Tag inverse notes stored | text: string? | "
                + "\(title == "title" ? "title: string = \"untitled\" | " : "")views: int = 0 | words: data"
        }
        for (version, title) in [("1.0.0", "title"), ("2.0.0", "headline")] {
            #expect(
                try workspace.lines("out", version) == [
                    "Folder | key id: int | name: string | notes: to_many Note inverse folder", note(title),
                    "Tag | key id: int | index (name, weight) | name: string unique | notes: to_many Note inverse tags | "
                        + "place_x: double? | place_y: double? | weight: int",
                ])
        }
        let report = try workspace.text("out/IMPORT.md").split(separator: "\n").filter { $0.hasPrefix("| ") }
        #expect(
            Set(report.dropFirst(4).map(String.init)) == [
                "| version | subject | difference |", "| --- | --- | --- |",
                "| 1.0.0 to 2.0.0 | Folder.notes | the minimum count, 1, is not checked |",
                "| 1.0.0 to 2.0.0 | Note.isShown | it is transient, so stores have no values of it |",
                "| 1.0.0 to 2.0.0 | Note.constant | it is transient, so stores have no values of it |",
                "| 1.0.0 to 2.0.0 | Note.createdAt | the default Date.now is not a constant of its type |",
                "| 1.0.0 to 2.0.0 | Note.words | the values keep the form that SwiftData wrote |",
                "| 1.0.0 to 2.0.0 | Note.words | the default [] is not a constant of its type |",
                "| 1.0.0 to 2.0.0 | Note.color | the values keep the form that transformable(by: ColorTransformer.self) wrote |",
                "| 2.0.0 | the model | Plan.swift:4 is a custom stage, which may rewrite values |",
            ])
    }

    @Test func `the plan decides which schemas are versions, and what is in no version is reported`() throws {
        var sources = Self.sources
        sources["V3.swift"] = Self.version(3, title: "var name: String")
        sources["Draft.swift"] = "@Model class Draft {\n    var text: String\n}"
        let workspace = try workspace(sources)
        let result = importing(workspace)
        #expect(result.code == 0, "\(result.complaints)")
        #expect(try workspace.history("out").versions.map(\.version.text) == ["1.0.0", "2.0.0"])
        let report = try workspace.text("out/IMPORT.md")
        #expect(report.contains("| 2.0.0 | the model | V3.swift:4 declares SchemaV3, which no version lists |"))
        #expect(!report.contains("SchemaV3.Note"))
        #expect(report.contains("| 2.0.0 | the model | Draft.swift:1 declares Draft, which no version lists |"))
    }

    @Test func `a store in the layout of Core Data is converted`() throws {
        let workspace = try workspace([
            "Models.swift": """
            @Model final class Folder { var name: String; var notes: [Note] = [] }
            @Model final class Note { @Attribute(.unique) var id: UUID; var day: Date; var folder: Folder? }
            """
        ])
        #expect(importing(workspace).code == 0)
        try workspace.makeDatabase(
            "default.store",
            """
            CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
            INSERT INTO Z_PRIMARYKEY VALUES (1, 'Folder', 0, 1), (2, 'Note', 0, 9);
            CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
            CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB);
            CREATE TABLE ZFOLDER (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR);
            INSERT INTO ZFOLDER VALUES (1, 1, 1, 'inbox');
            CREATE TABLE ZNOTE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZFOLDER INTEGER, ZDAY TIMESTAMP,
              ZID BLOB);
            INSERT INTO ZNOTE VALUES (9, 2, 1, 1, 700000000.5, X'000102030405060708090A0B0C0D0E0F');
            """)
        let converted = workspace.run(
            "convert", workspace.path("default.store"), "--model", workspace.path("out"), "--to",
            workspace.path("app.strata"))
        #expect(converted.code == .success, "\(converted.complaints)")
        let store = try Connection(path: workspace.path("app.strata"), mode: .readOnly)
        #expect(
            try store.text("SELECT row_id || ' ' || hex(id) || ' ' || day || ' ' || folder_id FROM Note")
                == "9 000102030405060708090A0B0C0D0E0F 700000000.5 1")
    }

    /// SwiftData keeps the parts of a struct in separate columns.
    @Test func `a struct becomes a property for each of its parts, and is converted`() throws {
        let workspace = try workspace([
            "Models.swift": """
            @Model final class Stop {
                #Index<Stop>([\\.place.point.x, \\Stop.name])
                var name: String
                var place = Place()
                @Attribute(originalName: "former") var size: Size?
                var origin: Size2 = Size2(width: 1)
                struct Place: Codable {
                    var street: String = "unknown", number: Swift.Optional<Int>
                    var point = Point(), kind = Kind.home
                    let format = 1
                    var text: String { street }
                    enum Kind: String, Codable { case home }
                    struct Point: Codable { let x: Double; let y: Double }
                }
            }
            struct Size: Codable { var width: Double }
            struct Size2: Codable { var depth: Double }
            """
        ])
        let result = importing(workspace)
        #expect(result.code == 0, "\(result.complaints)")
        #expect(
            try workspace.lines("out", "1.0") == [
                "Stop | key id: int | index (place_point_x, name) | name: string | origin_depth: double | "
                    + "place_kind: string = \"home\" | place_number: int? | place_point_x: double | place_point_y: double | "
                    + "place_street: string = \"unknown\" | size_width: double?"
            ])
        let report = try workspace.text("out/IMPORT.md")
        #expect(
            report.contains("| 1.0 | Stop.origin.depth | the default Size2(width: 1) is not a constant of its type |"))
        try workspace.makeDatabase(
            "default.store",
            """
            CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
            INSERT INTO Z_PRIMARYKEY VALUES (1, 'Stop', 0, 1);
            CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
            CREATE TABLE ZSTOP (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR, ZKIND VARCHAR,
              ZNUMBER INTEGER, ZX FLOAT, ZY FLOAT, ZSTREET VARCHAR, ZWIDTH FLOAT, ZDEPTH FLOAT);
            INSERT INTO ZSTOP VALUES (4, 1, 1, 'a', 'home', 7, 1.5, 2.5, 'High Street', NULL, 3.5);
            """)
        let converted = workspace.run(
            "convert", workspace.path("default.store"), "--model", workspace.path("out"), "--to",
            workspace.path("app.strata"))
        #expect(converted.code == .success, "\(converted.complaints)")
        let store = try Connection(path: workspace.path("app.strata"), mode: .readOnly)
        let columns = "id, name, place_kind, place_number, place_point_x, place_point_y, place_street, origin_depth"
        try store.query("SELECT \(columns), size_width FROM Stop") { row in
            #expect(
                row.values.map { "\($0)" } == [
                    "4", "\"a\"", "\"home\"", "7", "1.5", "2.5", "\"High Street\"", "3.5", "NULL",
                ])
        }
    }

    @Test func `parts of two structs that share a column name are not confused`() throws {
        let workspace = try workspace([
            "Models.swift": """
            @Model final class Trip { var start: Point; var end: Point; var end_x: Int }
            struct Point: Codable { var x: Double }
            """
        ])
        #expect(importing(workspace).code == 0)
        #expect(
            try workspace.lines("out", "1.0") == ["Trip | key id: int | end_x: int | end_x_2: double | start_x: double"]
        )
        try workspace.makeDatabase(
            "default.store",
            """
            CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
            INSERT INTO Z_PRIMARYKEY VALUES (1, 'Trip', 0, 1);
            CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
            CREATE TABLE ZTRIP (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZX FLOAT, ZX1 FLOAT, ZEND_X INTEGER);
            INSERT INTO ZTRIP VALUES (1, 1, 1, 1.0, 2.0, 3);
            """)
        let converted = workspace.run(
            "convert", workspace.path("default.store"), "--model", workspace.path("out"), "--to",
            workspace.path("app.strata"))
        #expect(converted.code != .success)
        #expect(
            converted.complaints.joined().contains("a way to tell the columns of Trip.start.x and Trip.end.x apart"))
    }

    @Test func `a model that inherits shares a table with its parent`() throws {
        let workspace = try workspace([
            "Models.swift": """
            @Model class Trip { var name: String }
            @available(iOS 26, *) @Model class BusinessTrip: Trip { var budget: Double }
            """
        ])
        #expect(importing(workspace).code == 0)
        let lines = try workspace.lines("out", "1.0")
        #expect(
            lines == [
                "Trip | key id: int | budget: double? | kind: TripKind | name: string",
                "TripKind | enum | case BusinessTrip: \"BusinessTrip\" | case Trip: \"Trip\"",
            ])
    }

    @Test func `an enum without raw values is reported, also if its protocol is called like a type`() throws {
        let workspace = try workspace([
            "A.swift":
                "@Model class A { var n: Int; var s: State }\nenum State: Interval { case a }\nprotocol Interval {}"
        ])
        #expect(importing(workspace).code == 0)
        #expect(try workspace.lines("out", "1.0") == ["A | key id: int | n: int"])
        #expect(
            try workspace.text("out/IMPORT.md").contains(
                "| 1.0 | A.s | its type, State, is an enum without raw values |"))
    }

    @Test func `a case of an enum in the same folder is a default`() throws {
        let workspace = try workspace([
            "A.swift": """
            @Model class A { var state: State = .draft; var kind = Kind.second; var level: Level? = Level.low; var odd = Level.high }
            """,
            "Enums.swift": """
            enum State: String, Codable { case done = "D", draft = "d e" }
            enum Kind: String, Codable {
                case first, second
                var title: String { switch self { case .first: "1"; case .second: "2" } }
            }
            enum Level: Int, Codable { case none, low, middle = 10; case high }
            """,
        ])
        #expect(importing(workspace).code == 0)
        #expect(
            try workspace.lines("out", "1.0") == [
                "A | key id: int | kind: string = \"second\" | level: int? = 1 | odd: int = 11 | state: string = \"d e\""
            ])
        #expect(try !workspace.text("out/IMPORT.md").contains("not a constant"))
    }

    @Test func `the type of a property without a written type comes from its value`() throws {
        let workspace = try Workspace()
        try workspace.write(
            """
            @Model class Note {
              var words = [String]()
              var marks = Array<Int>()
              var names = ["a", "b"]
              var place = Geo.Place()
              var map = [String: Int]()
              @Relationship(deleteRule: .cascade) var parts = [Part]()
            }
            @Model class Part { var n = 1 }
            enum Geo { struct Place: Codable { var street = "" } }
            """, to: "Models/Models.swift")
        #expect(importing(workspace).code == 0)
        #expect(
            try workspace.lines("out", "1.0") == [
                "Note | key id: int | map: data | marks: data | names: data | parts: to_many Part stored | place_street: string = \"\" | words: data",
                "Part | key id: int | n: int = 1",
            ])
    }

    @Test func `a value that ends with ! is not continued by the next property`() throws {
        let workspace = try workspace([
            "A.swift": """
            let home = URL(string: "https://example.com")!
            @Model class A {
                var url: URL = URL(string: "https://example.com")!
                @Attribute(.unique) var name: String = ""
                var map = Dictionary<String, Int>()
                var sum: Int = 1 +
                    2
                var size: Int? = .none
            }
            """
        ])
        #expect(importing(workspace).code == 0)
        #expect(
            try workspace.lines("out", "1.0") == [
                "A | key id: int | map: data | name: string = \"\" unique | size: int? | sum: int | url: url"
            ])
    }

    @Test func `a model inherits from the class that its own scope names`() throws {
        let workspace = try workspace([
            "A.swift": """
            enum V1: VersionedSchema {
                static let versionIdentifier = Schema.Version(1, 0, 0)
                static var models: [any PersistentModel.Type] { [Trip.self, V1.BusinessTrip.self] }
                @Model class Trip { var name: String }
                @Model class BusinessTrip: V1.Trip { var date: Date?; enum Date: String { case soon } }
            }
            typealias Trip = Other
            """
        ])
        #expect(importing(workspace).code == 0)
        #expect(
            try workspace.lines("out", "1.0.0").first
                == "Trip | key id: int | date: string? | kind: TripKind | name: string")
    }

    @Test func `public schemas and plans are read, also from extensions, and names where they are written`() throws {
        let workspace = try workspace([
            "A.swift": """
            public enum Old { public enum S1: VersionedSchema {
                public static let versionIdentifier = Schema.Version(0, 9, 0)
                public static var models: [any PersistentModel.Type] { [] }
            } }
            public enum S1: VersionedSchema {
                public static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
                @Model public class Note { var models: [String] = []; var text = "" }
            }
            extension S1 {
                public static var models: [any PersistentModel.Type] { [Note.self] }
                public typealias Text = String
            }
            public enum S2: VersionedSchema {
                public static let versionIdentifier: Schema.Version = .init(2, 0, 0)
                public static var models: [any PersistentModel.Type] = [
                    Note.self
                ]
                nonisolated struct Other {}
                @Model public class Note { var title = "" }
            }
            typealias Latest = S2
            public enum Plan: SchemaMigrationPlan {
                public static var schemas: [any VersionedSchema.Type] { [S1.self, Latest.self] }
                public static var stages: [MigrationStage] { [toLatest] }
            }
            extension Plan {
                static let toLatest = MigrationStage.custom(
                    fromVersion: S1.self, toVersion: Latest.self, willMigrate: nil, didMigrate: { _ in })
            }
            """
        ])
        let result = importing(workspace)
        #expect(result.code == 0, "\(result.complaints)")
        #expect(try workspace.lines("out", "1.0.0") == ["Note | key id: int | models: data | text: string = \"\""])
        #expect(try workspace.lines("out", "2.0.0") == ["Note | key id: int | title: string = \"\""])
        #expect(try workspace.text("out/IMPORT.md").contains("A.swift:27 is a custom stage"))
    }

    @Test func `a name of another scope is no model`() throws {
        let workspace = try workspace([
            "A.swift": """
            @Model class Task {
                var own: Task.Priority = Task.Priority.low
                var other: Priority?
                enum Priority: Int, Codable { case low = 3 }
            }
            @Model class Priority { var n = 1 }
            """
        ])
        #expect(importing(workspace).code == 0)
        #expect(
            try workspace.lines("out", "1.0").last == "Task | key id: int | other: int? | own: int = 3")
    }

    @Test func `the parts of a struct have their defaults only from its own initializer`() throws {
        let workspace = try workspace([
            "A.swift": """
            @Model class A {
                var a: P = P()
                var b: P = .init()
                var c: P = makeP()
                var d: P = .zero()
                var e: Q = Q()
                var s: S = .a
                var t: S = S.b
            }
            struct P: Codable { var x, y: Double; var z = 5 }
            struct Q: Codable { var z = 5; init() { z = 6 } }
            enum S: String, Codable { case a = "\\u{2713}", b = "B" }
            """
        ])
        #expect(importing(workspace).code == 0)
        #expect(
            try workspace.lines("out", "1.0") == [
                "A | key id: int | a_x: double | a_y: double | a_z: int = 5 | b_x: double | b_y: double | b_z: int = 5 | "
                    + "c_x: double | c_y: double | c_z: int | d_x: double | d_y: double | d_z: int | e_z: int | s: string | "
                    + "t: string = \"B\""
            ])
        let report = try workspace.text("out/IMPORT.md")
        #expect(["makeP()", ".zero()", "Q()", ".a"].allSatisfy(report.contains))
    }

    @Test func `spaces and ends of lines are those of the compiler`() throws {
        let workspace = try workspace([
            "A.swift":
                "@Model class A {\n\u{a0}@Attribute(.unique) var\u{a0}a = 1 // x\r var b = 2\r\n  #Index<A>(.binary([\\.b]))\n"
                + "  @Attribute(Schema.Attribute.Option.unique) var c = 3\n}"
        ])
        #expect(importing(workspace).code == 0)
        #expect(
            try workspace.lines("out", "1.0") == [
                "A | key id: int | a: int = 1 unique | b: int = 2 indexed | c: int = 3 unique"
            ])
    }

    /// Sources that are not read, and the message about them.
    static let wrong: [(String, String)] = [
        ("", "Models: error: there is neither a VersionedSchema nor a class with @Model in it"),
        (
            "@Model class A {\n  var a: Money\n}",
            "Models/A.swift:2: error: a: the type Money is unknown; import the folder with the file that declares it"
        ),
        (
            "@Model class A {\n  var a = make()\n}",
            "Models/A.swift:2: error: a: its type is not written, and its value does not show it: write the type"
        ),
        ("@Model class A {\n  var a: Int\n", "Models/A.swift:1: error: this bracket is not closed"),
        ("@Model class A {\n  var a = \"x\n}", "Models/A.swift:2: error: this string does not end"),
        ("/* a\n/* b */\n", "Models/A.swift:1: error: this comment does not end"),
        (
            "@Model class A {\n  var (a, b) = (1, 2)\n}",
            "Models/A.swift:2: error: only a simple name can follow var and let"
        ),
        (
            "@Model class A {\n  #if DEBUG\n  var a: Int\n  #endif\n}",
            "Models/A.swift:2: error: #if in a model is not supported: import the branch that you ship"
        ),
        (
            "enum V: VersionedSchema {\n  static var versionIdentifier = Schema.Version(1, 0, 0)\n"
                + "  static var models: [any PersistentModel.Type] { \n  var all = [A.self]\n  all.append(B.self)\n  return all }\n}",
            "Models/A.swift:5: error: its models are put together with append: write them as [A.self, B.self]"
        ),
        (
            "enum V: VersionedSchema {\n  static var versionIdentifier = Schema.Version(1, 0, 0)\n"
                + "  static var models: [any PersistentModel.Type] { \n  #if os(iOS)\n  return [A.self]\n  #endif\n  }\n}",
            "Models/A.swift:4: error: #if in a VersionedSchema is not supported: import the branch that you ship"
        ),
        (
            "enum V: VersionedSchema {\n  static var models: [any PersistentModel.Type] { [A.self] }\n}\n@Model class A { var a: Int }",
            "Models/A.swift:1: error: its versionIdentifier is not written as Schema.Version(1, 0, 0)"
        ),
        (
            "enum V: VersionedSchema {\n  static let versionIdentifier = Schema.Version(1, 0, 0)\n  static var models: [any PersistentModel.Type] { [A.self] }\n}",
            "Models/A.swift:1: error: the class A with @Model is missing"
        ),
        (
            "@Model class A {\n  @Relationship(deleteRule: .cascade) var b: [B]\n}\nclass B {}",
            "Models/A.swift:2: error: b: [B] is not a model of this version"
        ),
        (
            "@Model class A {\n  func f() { a(/}/) }\n  var b: Int\n}",
            "Models/A.swift:2: error: } closes no bracket of its kind; a regular expression may be the reason"
        ),
        (
            "@Model class A {\n  func f() { a(/{/) }\n  var b: Int\n}",
            "Models/A.swift:2: error: ) closes no bracket of its kind; a regular expression may be the reason"
        ),
        (
            "enum V: VersionedSchema {\n  static let versionIdentifier = Schema.Version(1, 0, 0)\n  static var models: [any PersistentModel.Type] { [A.self] }\n}\n@Model class A { var a: Int }\n#if DEBUG\n@Model class A { var b: Int }\n#endif",
            "Models/A.swift:7: error: A is declared here a second time, after A.swift:5"
        ),
        (
            "@Model class A {\n  @Relationship(deleteRule: .explode) var b: A?\n}",
            "Models/A.swift:2: error: the delete rule explode is unknown"
        ),
        (
            "enum V: VersionedSchema {\n  static let versionIdentifier = Schema.Version(1, 0, 0)\n  static var models: [any PersistentModel.Type] { Old.models + [A.self] }\n}\n@Model class A { var a: Int }",
            "Models/A.swift:3: error: its models are put together with +: write them as [A.self, B.self]"
        ),
        (
            "enum V: VersionedSchema {\n  static let versionIdentifier = Schema.Version(1, 0, 0)\n  static var models: [any PersistentModel.Type] { return [A.self,] }\n}\n@Model class A { var a: Int }\nenum P: SchemaMigrationPlan {\n  static let schemas: [any VersionedSchema.Type] = [V.self, .self]\n}",
            "Models/A.swift:6: error: the schemas of the plan are not written as [A.self, B.self]"
        ),
        (
            "enum V: VersionedSchema {\n  static let versionIdentifier = Schema.Version(1, 0, 0)\n  static var models: [any PersistentModel.Type] { [A.self] }\n}\n@Model class A { var a: [B] = [] }\n@Model class B { var a: Int }",
            "Models/A.swift:5: error: this version does not list the model B: write it in its models"
        ),
        (
            "enum V: VersionedSchema {\n  static let versionIdentifier = Schema.Version(1, 0, 0)\n  static var models: [any PersistentModel.Type] { [A.self] }\n}\n@Model class B { var b: Int }\nclass C: B {}\n@Model class A: C { var a: Int }",
            "Models/A.swift:7: error: this version does not list the model B: write it in its models"
        ),
        (
            "@Model class A { var p: P }\nstruct P: Codable {\n#if DEBUG\n  var a: Int\n#endif\n}",
            "Models/A.swift:3: error: #if in a struct is not supported: import the branch that you ship"
        ),
        (
            "enum V: VersionedSchema {\n  static let versionIdentifier = Schema.Version(1, 0, 0)\n  static var models: [any PersistentModel.Type] { [A.self] }\n}\n@Model class A { var a: Int }\nenum P: SchemaMigrationPlan { static let schemas: [any VersionedSchema.Type] = [V.self] }\nenum Q: SchemaMigrationPlan { static let schemas: [any VersionedSchema.Type] = [V.self] }",
            "Models/A.swift:7: error: the plan Q is here beside P: import the sources with the one that you ship"
        ),
        (
            "@Model class A {\n  #Index<A>(.rtree([\\.b]))\n  var b: Int\n}",
            "Models/A.swift:2: error: #Index takes lists of key paths"
        ),
        (
            "@Model class A {\n  @Attribute(originalName: \"a\" + x) var b: Int\n}",
            "Models/A.swift:2: error: b: its originalName is not a literal"
        ),
        (
            "@Model class A {\n  @Attribute(hashModifier: mark) var b: Int\n}",
            "Models/A.swift:2: error: b: its hashModifier is not a literal"
        ),
        (
            "@Model class A { var b: B }\nstruct B: Codable { var b: B }",
            "Models/A.swift:2: error: b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b: this struct contains itself"
        ),
    ]

    @Test(arguments: wrong) func `a declaration that cannot be read is named, with its line`(
        text: String, message: String
    )
        throws
    {
        let workspace = try workspace(["A.swift": text])
        let result = importing(workspace)
        #expect(result.code == 1)
        #expect(result.complaints == [message])
    }
}
