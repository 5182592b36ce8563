import Foundation
import Testing

@testable import Importing

/// Sources of models of CoreStore, and their stores.
@Suite struct CoreStoreTests {
    let work: Workspace
    init() throws { work = try Workspace() }

    /// Classes with every kind of field, and two schemas.
    static let shop = #"""
        import CoreStore

        enum Mood: String, FieldStorableType { case good, bad = "b" }

        enum V1 {
            class Thing: CoreStoreObject {
                @Field.Stored("name", dynamicInitialValue: { "new" })
                var title: String
                @Field.Stored("count") var count: Int = 3
                @Field.Stored("made") var made: Date?
                @Field.Virtual("upper", customGetter: { object, _ in object.$title.value.uppercased() })
                var upper: String
                let notAField = 1
                func helper() -> Int { 1 }
            }
            final class Shelf: CoreStoreObject {
                @Field.Relationship("things", inverse: \.$shelf, deleteRule: .cascade) var things: [Book]
                @Field.Relationship("tags", inverse: \.$shelves) var tags: Set<Tag>
            }
            final class Book: Thing {
                @Field.Stored("isbn", versionHashModifier: "1") var isbn: String?
                @Field.Relationship("shelf") var shelf: Shelf?
            }
            final class Tag: CoreStoreObject {
                let word = Value.Required<String>("word", initial: "x")
                let size = Value.Optional<Int16>("size")
                let hidden = Value.Required<Bool>("hidden", initial: false, isTransient: true)
                let color = Transformable.Optional<UIColor>("color", allowsExternalBinaryDataStorage: true)
                let shelves = Relationship.ToManyUnordered<Shelf>("shelves", inverse: { $0.tags })
                let owner = Relationship.ToOne<Tag>("owner", deleteRule: .deny)
                let owned = Relationship.ToManyOrdered<Tag>("owned", inverse: { $0.owner })
            }
        }

        typealias Tag = V1.Tag

        enum V2 {
            class Thing: CoreStoreObject {
                @Field.Stored("title", previousVersionKeyPath: "name") var title: String = ""
                @Field.Stored("mood") var mood: Mood = .bad
                @Field.Coded("extra", coder: FieldCoders.Json.self) var extra: [String: Int]?
                @Field.Stored("made") var made: Date?
            }
        }

        func makeStack() -> DataStack {
            DataStack(
                CoreStoreSchema(modelVersion: "V1", entities: [
                    Entity<V1.Thing>("Thing", isAbstract: true, versionHashModifier: "m"),
                    Entity<V1.Shelf>("Shelf"), Entity<Tag>("Tag", uniqueConstraints: [[\.word]]),
                    Entity<V1.Book>("Book", indexes: [[\.$isbn, \V1.Book.$title]]),
                ], versionLock: ["Thing": [0x0102030405060708, 0x1], "Shelf": [0x2, 0x3]]),
                CoreStoreSchema(modelVersion: "V2", entities: [Entity<V2.Thing>("Thing")]),
                migrationChain: ["V1": "V2"])
        }

        let provider = CustomSchemaMappingProvider(from: "V1", to: "V2", entityMappings: [])
        """#

    @Test func `every kind of field, with a chain and locks`() throws {
        try work.write(Self.shop, to: "Sources/Shop.swift")
        let run = work.run("import", "corestore", work.path("Sources"), "--into", work.path("Model"))
        #expect(run.code == .success && run.complaints == [])
        let (lines, newest) = (try work.lines("Model", "1.0"), try work.lines("Model", "2.0"))
        #expect(
            lines == [
                #"Shelf | key id: int | tags: to_many Tag inverse shelves stored | things: to_many Thing inverse shelf ordered"#,
                #"Tag | key id: int | color: data? | owned: to_many Tag inverse owner ordered | owner: to_one Tag? inverse owned on_delete nullify | shelves: to_many Shelf inverse tags | size: int? | word: string = "x" unique"#,
                #"Thing | key id: int | count: int = 3 | index (isbn, name) | isbn: string? | kind: ThingKind | made: date? | name: string | shelf: to_one Shelf? inverse things on_delete cascade"#,
                #"ThingKind | enum | case Book: "Book""#,
            ])
        #expect(
            newest == [
                #"Thing | key id: int | extra: data? | kind: ThingKind | made: date? | mood: string = "b" | title: string = """#,
                #"ThingKind | enum | case Thing: "Thing""#,
            ])
        let settings = try work.text("Model/strata.json")
        #expect(settings.contains(#""Thing": { "1.0": "0807060504030201", "2.0": null }"#))
        #expect(run.said.contains("note: 2.0: the model: Shop.swift:57 is a custom mapping, which may rewrite values"))
        let report = try work.text("Model/IMPORT.md")
        for text in ["FieldCoders.Json.self", "a value transformer", "Thing.upper", "Tag.hidden"] {
            #expect(report.contains(text), "\(text)")
        }
        #expect(work.run("generate", work.path("Model"), "--target", "App").code == .success)
    }

    @Test(arguments: [
        ("let x = 1", "it declares no CoreStoreSchema"),
        (#"CoreStoreSchema(modelVersion: name, entities: [])"#, "the modelVersion of this schema is not a literal"),
        (
            #"CoreStoreSchema(modelVersion: "V1", entities: all)"#,
            "the entities of V1 are not written as [Entity<A>(\"A\"), Entity<B>(\"B\")]"
        ),
        (#"CoreStoreSchema(modelVersion: "V1", entities: [entity])"#, "entity is not written as Entity<A>(\"A\")"),
        (#"CoreStoreSchema(modelVersion: "V1", entities: [Entity<A>("A")])"#, "the class A is missing"),
        (
            #"class A: CoreStoreObject { @Field.Stored("x") var x: Other }; CoreStoreSchema(modelVersion: "V1", entities: [Entity<A>("A")])"#,
            "x: the type Other is unknown"
        ),
        (
            #"class A: CoreStoreObject { @Field.Relationship("x") var x: B? }; CoreStoreSchema(modelVersion: "V1", entities: [Entity<A>("A")])"#,
            "x: B is not an entity of this version"
        ),
        (
            #"class A: CoreStoreObject { @Field.Stored(name) var x: Int }; CoreStoreSchema(modelVersion: "V1", entities: [Entity<A>("A")])"#,
            "x: its name in the model is not a literal"
        ),
        (
            #"class A: CoreStoreObject {}; CoreStoreSchema(modelVersion: "V1", entities: [Entity<A>("A")]); DataStack(migrationChain: ["V0", "V1"])"#,
            "the chain names V0, which no CoreStoreSchema declares"
        ),
        (
            #"class A: CoreStoreObject { @Field.Relationship("x", inverse: \.$y) var x: A? }; CoreStoreSchema(modelVersion: "V1", entities: [Entity<A>("A")])"#,
            "x: its inverse y is not a relationship of A"
        ),
        (
            #"class A: CoreStoreObject { @Field.Stored("y") var y = 1; let x = Relationship.ToOne<A>("x", inverse: { $0.y }) }; CoreStoreSchema(modelVersion: "V1", entities: [Entity<A>("A")])"#,
            "x: its inverse y is not a relationship of A"
        ),
        (
            #"class A: CoreStoreObject {}; CoreStoreSchema(modelVersion: "V1", entities: [Entity<A>("A")]); CoreStoreSchema(modelVersion: "V2", entities: [Entity<A>("A")]); DataStack(migrationChain: ["V2"])"#,
            "the chain does not name V1; add it, or import the sources without this schema"
        ),
        (
            #"class A: CoreStoreObject {}; CoreStoreSchema(modelVersion: "V1", entities: [Entity<A>("A")]); DataStack(migrationChain: [V1.name, V2.name])"#,
            "the migration chain is not written with literals"
        ),
        (
            #"class A: CoreStoreObject {}; CoreStoreSchema(modelVersion: "V1", entities: [Entity<A>("A")]); CoreStoreSchema(modelVersion: "V2", entities: [Entity<A>("A")]); DataStack(migrationChain: ["V1", V2.name])"#,
            "the migration chain is not written with literals"
        ),
        (
            #"class A: CoreStoreObject {}; CoreStoreSchema(modelVersion: "V1", entities: [Entity<A>("A")]); DataStack(migrationChain: ["V1": V2.name])"#,
            "the migration chain is not written with literals"
        ),
        (
            #"class A: CoreStoreObject { @Field.Stored("x", previousVersionKeyPath: Keys.old) var x: Int }; CoreStoreSchema(modelVersion: "V1", entities: [Entity<A>("A")]);"#,
            "previousVersionKeyPath: Keys.old is not a literal"
        ),
        (
            #"class A: CoreStoreObject { let x = Value.Required<Bool>("x", initial: false, isTransient: flag) }; CoreStoreSchema(modelVersion: "V1", entities: [Entity<A>("A")]);"#,
            "isTransient: flag is not a literal"
        ),
        (
            #"class A: CoreStoreObject {}; CoreStoreSchema(modelVersion: "V1", entities: [Entity<A>("A", isAbstract: flag)])"#,
            "isAbstract: flag is not a literal"
        ),
        (
            #"class A: CoreStoreObject {}; CoreStoreSchema(modelVersion: "V1", entities: [Entity<A>("A", indexes: common)])"#,
            "indexes: common is not a literal"
        ),
        (
            #"class A: CoreStoreObject {}; CoreStoreSchema(modelVersion: "V1", entities: [Entity<A>("A")], versionLock: lock)"#,
            "versionLock: lock is not a literal"
        ),
        (
            #"class A: CoreStoreObject {}; CoreStoreSchema(modelVersion: "V1", entities: [Entity<A>("A")], versionLock: ["A": hash])"#,
            "the versionLock of V1 is not written with literals"
        ),
        (
            #"class A: CoreStoreObject {}; CoreStoreSchema(modelVersion: "V1", entities: [Entity<A>("A")]); CustomSchemaMappingProvider(from: "V1", to: V2.name)"#,
            "the version to which this provider migrates is not a literal"
        ),
    ])
    func `sources that cannot be read`(_ text: String, _ message: String) throws {
        try work.write(text, to: "A.swift")
        let run = work.run("import", "corestore", work.path("A.swift"), "--into", work.path("Model"))
        #expect(run.code != .success && run.complaints.count == 1)
        #expect(run.complaints.first?.hasSuffix("error: " + message) == true, "\(run.complaints)")
    }

    @Test func `an inverse can be a property of a superclass`() throws {
        let text = #"""
            class Thing: CoreStoreObject { @Field.Relationship("shelf") var shelf: Shelf? }
            class Book: Thing { @Field.Stored("isbn") var isbn: String? }
            class Shelf: CoreStoreObject { @Field.Relationship("books", inverse: \.$shelf) var books: Set<Book> }
            CoreStoreSchema(modelVersion: "V1", entities: [Entity<Thing>("Thing"), Entity<Book>("Book"), Entity<Shelf>("Shelf")])
            """#
        try work.write(text, to: "A.swift")
        let model = try #require(try CoreStoreModels.read(work.path("A.swift")).versions.first).version.model
        let inverses = model.entities.flatMap(\.properties).compactMap { property -> String? in
            guard case .relationship(let relationship) = property.content else { return nil }
            return "\(property.name): \(relationship.inverse ?? "none")"
        }
        #expect(inverses == ["shelf: books", "books: shelf"])
    }

    @Test func `a schema is found beside its type, and a chain beside a parameter for one`() throws {
        let text = """
            class A: CoreStoreObject { @Field.Stored("x", previousVersionKeyPath: nil) var x: Int? }
            extension CoreStoreSchema { static func make() -> CoreStoreSchema { first } }
            var first: CoreStoreSchema { CoreStoreSchema(modelVersion: "V10", entities: [Entity<A>("A")]) }
            let second: CoreStoreSchema = .init(modelVersion: "V9", entities: [Entity<A>("A")])
            func makeStack(migrationChain: [String]) -> DataStack { DataStack(first, second, migrationChain: []) }
            """
        for (chain, order) in [("", ["V9", "V10"]), (#"DataStack(migrationChain: ["V10", "V9"])"#, ["V10", "V9"])] {
            try work.write(text + "\n" + chain, to: "A.swift")
            let versions = try CoreStoreModels.read(work.path("A.swift")).versions
            #expect(versions.map(\.version.name) == order)
        }
    }

    @Test func `a store is converted`() throws {
        try work.write(Self.shop, to: "Shop.swift")
        work.run("import", "corestore", work.path("Shop.swift"), "--into", work.path("Model"))
        try work.makeDatabase(
            "old.sqlite",
            """
            CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
            INSERT INTO Z_PRIMARYKEY VALUES (1, 'Book', 4, 0), (2, 'Shelf', 0, 1), (3, 'Tag', 0, 2), (4, 'Thing', 0, 2);
            CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
            CREATE TABLE ZTHING (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCOUNT INTEGER, ZSHELF INTEGER,
              Z_FOK_SHELF INTEGER, ZMADE TIMESTAMP, ZNAME VARCHAR, ZISBN VARCHAR);
            INSERT INTO ZTHING VALUES (1, 1, 1, 3, 1, 2048, 5.5, 'Dune', NULL), (2, 1, 1, 4, 1, 1024, NULL, 'Ubik', '9');
            CREATE TABLE ZSHELF (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER);
            INSERT INTO ZSHELF VALUES (1, 2, 1);
            CREATE TABLE ZTAG (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZSIZE INTEGER, ZOWNER INTEGER,
              Z_FOK_OWNER INTEGER, ZWORD VARCHAR, ZCOLOR BLOB);
            INSERT INTO ZTAG VALUES (1, 3, 1, 7, NULL, NULL, 'red', X'0102'), (2, 3, 1, NULL, 1, 1, 'blue', NULL);
            CREATE TABLE Z_2TAGS (Z_2SHELVES INTEGER, Z_3TAGS INTEGER, PRIMARY KEY (Z_2SHELVES, Z_3TAGS));
            INSERT INTO Z_2TAGS VALUES (1, 2);
            """)
        let run = work.run(
            "convert", work.path("old.sqlite"), "--model", work.path("Model"), "--to", work.path("new.sqlite"))
        #expect(run.complaints == [] && run.said.last == "wrote new.sqlite, a store of 1.0")
        #expect(
            try work.rows("new.sqlite", "SELECT id, name, count, made, isbn, shelf_id, shelf_position FROM Thing")
                == [#"1 "Dune" 3 5.5 NULL 1 1"#, #"2 "Ubik" 4 NULL "9" 1 0"#])
        #expect(
            try work.rows("new.sqlite", "SELECT id, word, size, owner_id FROM Tag") == [
                #"1 "red" 7 NULL"#, #"2 "blue" NULL 1"#,
            ])
        #expect(try work.rows("new.sqlite", "SELECT count(*) FROM Shelf_tags") == ["1"])
    }

    @Test func `the model of the package FromCoreStore is what its sources say`() throws {
        let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Consumers/FromCoreStore")
        let sources = package.appendingPathComponent("CoreStore").path
        #expect(work.run("import", "corestore", sources, "--into", work.path("Model")).code == .success)
        for name in ["Laundry", "LaundryData", "LaundryDetail", "LaundryFailure", "LaundryItem"] {
            let committed = package.appendingPathComponent("Sources/Laundries/Model/\(name).json")
            #expect(try work.text("Model/\(name).json") == String(contentsOf: committed, encoding: .utf8))
        }
    }
}
