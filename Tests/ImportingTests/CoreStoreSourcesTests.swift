import Foundation
import Testing

@testable import Importing

/// The ways in which the sources of a CoreStore model can be written.
@Suite struct CoreStoreSourcesTests {
    let work: Workspace
    init() throws { work = try Workspace() }

    /// Imports a file, and returns the lines of a version.
    private func lines(_ text: String, version: String = "1.0") throws -> [String] {
        try work.write(text, to: "A.swift")
        let run = work.run("import", "corestore", work.path("A.swift"), "--into", work.path("Model"))
        #expect(run.complaints == [])
        return run.code == .success ? try work.lines("Model", version) : []
    }

    /// A model with the fields of one class, `A`.
    private static func model(_ fields: String, before: String = "") -> String {
        """
        \(before)
        class A: CoreStoreObject {
        \(fields)
        }
        let schema = CoreStoreSchema(modelVersion: "V1", entities: [Entity<A>("A")])
        """
    }

    // MARK: Values

    @Test func `a value that ends with a postfix operator is not continued by the next field`() throws {
        let fields = #"""
                @Field.Stored("url") var url: URL = URL(string: "/")!
                @Field.Stored("name") var name: String = ""
                let color = UIColor(named: "x")!
                @Field.Stored("day") var day: Date = DateComponents(year: 2020).date!
                @Field.Stored("old") var old: Int? = map["a"]?
                @Field.Stored("map") var size: Int = Dictionary<String, Int>().count
                @Field.Stored("sum") var sum: Int = 1
                    + 2
                @Field.Stored("flag") var flag: Bool = isDebug ?
                    true : false
                @Field.Stored("range") var bound: Int = (0...).lowerBound; let range = 0...
                @Field.Stored("last") var last = -1
            """#
        #expect(
            try lines(Self.model(fields, before: "let home = URL(string: \"/\")!")) == [
                #"A | key id: int | day: date | flag: bool | last: int = -1 | map: int | name: string = "" | old: int? | range: int | sum: int | url: url"#
            ])
    }

    @Test func `a complete value shows the type of a field`() throws {
        let fields = #"""
                @Field.Stored("a") var a = Date()
                @Field.Stored("b") var b = Date.distantPast
                @Field.Stored("c") var c = 1e3
                @Field.Stored("d") var d = 1e-3
                @Field.Stored("e") var e = 0x1e
                @Field.Stored("f") var f = URL(string: "/")!
                @Field.Stored("g") var g = Int.max
                @Field.Stored("h") var h: Int = 0xff
            """#
        #expect(
            try lines(Self.model(fields)) == [
                "A | key id: int | a: date | b: date | c: double = 1000.0 | d: double = 0.001 | e: int = 30 | f: url | g: int | h: int = 255"
            ])
    }

    @Test(arguments: [
        "Date().timeIntervalSince1970", "UUID().uuidString", "Data().count", "[1].count", "UUID(uuidString: text)",
        #"Int("1")"#, "Date() + 1", "Date.now.timeIntervalSince1970",
    ]) func `a value that does not show the type is refused`(_ value: String) throws {
        try refuse(
            Self.model("@Field.Stored(\"x\") var x = \(value)"),
            "A.swift:3: error: x: its type is not written, and its value does not show it: write the type")
    }

    @Test func `the default is the raw value of the case`() throws {
        let enums = """
            enum Level: Int {
                static func clamp(_ value: Int, low: Int, high: Int) -> Level { .low }
                case low, high
                var isHigh: Bool { switch self { case .low, .high: true } }
            }
            enum Mood: String { init(good: Bool, bad: Bool) { self = .good }; case good = "G", bad = "B", none }
            typealias Raw = Int
            enum Size: Raw { case small = -1, medium, large = 0x10 }
            """
        let fields = #"""
                @Field.Stored("a") var a: Level = .high
                @Field.Stored("b") var b: Mood = Mood.bad
                @Field.Stored("c") var c: Mood? = .none
                @Field.Stored("d") var d: Size = .medium
                @Field.Stored("e") var e: Size = .large
                @Field.Stored("f") var f: Mood = .none
            """#
        #expect(
            try lines(Self.model(fields, before: enums)) == [
                #"A | key id: int | a: int = 1 | b: string = "B" | c: string? | d: int = 0 | e: int = 16 | f: string = "none""#
            ])
    }

    @Test func `an optional generic type is nullable`() throws {
        let fields = #"""
                @Field.Coded("a", coder: FieldCoders.Json.self) var a: Dictionary<String, Array<Int>>?
                @Field.Coded("b", coder: FieldCoders.Json.self) var b: Dictionary<
                    String, Int
                >?
                @Field.Coded("c", coder: FieldCoders.Json.self) var c: [String: [Int]]?
                @Field.Coded("d", coder: FieldCoders.Json.self) var d: Dictionary<String, Int> = [:]
            """#
        #expect(try lines(Self.model(fields)) == ["A | key id: int | a: data? | b: data? | c: data? | d: data"])
    }

    @Test func `defaults that are not constants are in the report`() throws {
        let fields = #"""
                @Field.Stored("a", dynamicInitialValue: { 5 }) var a: Int
                @Field.Coded("b", coder: FieldCoders.Json.self) var b: [Int] = [1, 2]
                let c = Value.Required<Int>("c", default: 3, isIndexed: true)
                let d = Transformable.Required<Color>("d", initial: .white)
            """#
        #expect(
            try lines(Self.model(fields)) == ["A | key id: int | a: int | b: data | c: int = 3 indexed | d: data"])
        let report = try work.text("Model/IMPORT.md")
        for (field, value) in [("a", "{ 5 }"), ("b", "[1, 2]"), ("d", ".white")] {
            #expect(report.contains("| 1.0 | A.\(field) | the default \(value) is not a constant of its type |"))
        }
    }

    // MARK: Spellings

    @Test func `the spellings of a field`() throws {
        let fields = #"""
                let a: Value.Required<String> = .init("a", initial: "x")
                let b = CoreStoreObject.Value.Optional<Int>("b")
                let c = ValueContainer<A>.Required<Int>.init("c", initial: 1)
                let d : Relationship.ToManyOrdered<A> = .init("d", inverse: { $0.e })
                let e = RelationshipContainer<A>.ToOne<A>("e")
                let f = Transformable.Optional<Set<Box<Int>>>("f")
                @FieldContainer<A>.Stored("g") var g: Int = 1
                @CoreStore.Field.Stored("h") var h: Int = 1
                @Field.Stored ("i") var i: Int = 1
                @Field.Stored
                ("j") distributed var j: Int = 1
            """#
        #expect(
            try lines(Self.model(fields)) == [
                #"A | key id: int | a: string = "x" | b: int? | c: int = 1 | d: to_many A inverse e ordered | e: to_one A? inverse d on_delete nullify | f: data? | g: int = 1 | h: int = 1 | i: int = 1 | j: int = 1"#
            ])
    }

    @Test(arguments: [
        #"CoreStoreSchema.init(modelVersion: "V1", entities: [Entity<A>("A")])"#,
        #"let all: [CoreStoreSchema] = [.init(modelVersion: "V1", entities: [Entity<A>("A")])]"#,
        #"var s: CoreStoreSchema { .init(modelVersion: "V1", entities: [Entity<App.A>("A")]) }"#,
        #"typealias Schema = CoreStoreSchema; let s = Schema(modelVersion: "V1", entities: [Entity<A>("A")])"#,
        #"""
        func make(modelVersion: ModelVersion, entities: [DynamicEntity]) {}
        let s: DynamicSchema = CoreStoreSchema(modelVersion: K.name, entities: [Entity<A>("A")])
        enum K { static let name: ModelVersion = other; static let other = "V1" }
        """#,
    ]) func `the spellings of a schema`(_ schema: String) throws {
        #expect(
            try lines("class A: CoreStoreObject { @Field.Stored(\"a\") var a: Int? }\n" + schema) == [
                "A | key id: int | a: int?"
            ])
    }

    @Test func `declarations that are not read do not matter`() throws {
        let before = """
            import CoreStore
            import struct CoreLocation.CLLocation
            import class UIKit.UIColor
            typealias Done = @Sendable (Int) async throws -> Void
            typealias Both = any Codable & Sendable
            typealias Box<T: Equatable> = Array<T>
            let (a, b) = (1, 2)
            class Streams {
                let (stream, continuation) = AsyncStream<Int>.makeStream()
                var done: @MainActor () -> Void
                var list: [3 of Int]
                var pack: (repeat Streams<each T>), one: Streams<repeat each T>?
            }
            """
        #expect(
            try lines(Self.model("@Field.Stored(\"a\") var a: Int?", before: before)) == ["A | key id: int | a: int?"])
    }

    @Test func `providers in every spelling mark the version`() throws {
        let providers = #"""
            enum V { static var a: CustomSchemaMappingProvider { .init(from: "V0", to: "V1", entityMappings: []) } }
            let b = CustomSchemaMappingProvider.init(from: "V0", to: V1.name, entityMappings: [])
            enum V1 { static let name = "V1" }
            """#
        _ = try lines(Self.model("@Field.Stored(\"a\") var a: Int?", before: providers))
        let report = try work.text("Model/IMPORT.md").split(separator: "\n").filter {
            $0.contains("is a custom mapping")
        }
        #expect(report.count == 2)
        for (index, line) in report.enumerated() { #expect(line.contains("A.swift:\(index + 1) is")) }
    }

    // MARK: Names

    @Test func `a name is looked up in the type where it is written`() throws {
        let text = """
            enum V1 {
                static let schema = CoreStoreSchema(
                    modelVersion: "V1", entities: [Entity<Plan>("Plan"), Entity<Animal>("Animal"), Entity<Dog>("Dog")])
                class Plan: CoreStoreObject { @Field.Stored("old") var old: Int? }
                class Animal: CoreStoreObject { @Field.Stored("n") var n: Amount? }
                class Dog: Animal { @Field.Stored("d") var d: Data? }
                enum Data: String { case a }
                typealias Amount = Money
                typealias Money = Int
            }
            enum V2 {
                static let schema = CoreStoreSchema(
                    modelVersion: "V2", entities: [Entity<Plan>("Plan"), Entity<Animal>("Animal"), Entity<Dog>("Dog")])
                class Plan: CoreStoreObject { @Field.Stored("new") var new: V1.Amount? }
                typealias Animal = Current.Animal
                class Dog: Animal { @Field.Stored("d") var d: Data?; @Field.Relationship("pack") var pack: Dogs }
                typealias Dogs = Set<Current.Dog2>
            }
            extension V1 { typealias Dog2 = V2.Dog }
            typealias Plan = V2.Plan
            typealias Current = V1
            """
        let old = try lines(text)
        #expect(
            old == [
                "Animal | key id: int | d: string? | kind: AnimalKind | n: int?",
                "AnimalKind | enum | case Animal: \"Animal\" | case Dog: \"Dog\"", "Plan | key id: int | old: int?",
            ])
        #expect(
            try work.lines("Model", "2.0") == [
                "Animal | key id: int | d: data? | kind: AnimalKind | n: int? | pack: to_many Animal stored",
                "AnimalKind | enum | case Animal: \"Animal\" | case Dog: \"Dog\"", "Plan | key id: int | new: int?",
            ])
    }

    @Test func `an extension can extend an alias`() throws {
        let text = """
            enum V1 { class Plan: CoreStoreObject { @Field.Stored("s") var s: State = .open } }
            typealias Plan = V1.Plan
            extension Plan { enum State: String { case open = "o" }; static let name = "V1" }
            enum State: Int { case open }
            let schema = CoreStoreSchema(modelVersion: V1.Plan.name, entities: [Entity<Plan>("Plan")])
            """
        #expect(try lines(text) == [#"Plan | key id: int | s: string = "o""#])
    }

    @Test func `a class has the types and constants of its superclasses`() throws {
        let text = """
            class A: CoreStoreObject { enum E: String { case x }; static let former = "b"; @Field.Stored("a") var a: E? }
            class B: A { @Field.Stored("c", previousVersionKeyPath: former) var c: E = .x }
            enum E: Int { case x }
            let former = "wrong"
            let schema = CoreStoreSchema(modelVersion: "V1", entities: [Entity<A>("A", isAbstract: true), Entity<B>("B")])
            """
        #expect(try lines(text).first == #"A | key id: int | a: string? | c: string = "x" | kind: AKind"#)
        let versions = try CoreStoreModels.read(work.path("A.swift")).versions
        #expect(versions[0].version.model.entities[1].properties[0].token == "b")
    }

    @Test func `constants and copies of a schema`() throws {
        let text = """
            class A: CoreStoreObject {
                static let identifier = "Thing"
                enum Keys { static let size = "size"; static let former = "length" }
                @Field.Stored(Keys.size, previousVersionKeyPath: Keys.former) var size: Int?
                let title = Value.Required<String>("title", initial: Keys.size)
            }
            let a = CoreStoreSchema(
                modelVersion: "V1", entities: [Entity<A>(A.identifier)], versionLock: [A.identifier: [0x1, 0x2, 0x3, 0x4]])
            let preview = CoreStoreSchema(modelVersion: "V1", entities: [Entity<A>("Thing")])
            """
        #expect(try lines(text) == ["Thing | key id: int | size: int? | title: string = \"size\""])
        let versions = try CoreStoreModels.read(work.path("A.swift")).versions
        #expect(versions.map(\.hashes) == [["Thing": "0100000000000000"]])
        #expect(versions[0].version.model.entities[0].properties.map(\.token) == ["length", nil])
    }

    @Test func `the outer type of an extension can be in other sources`() throws {
        let text = """
            extension Demo {
                enum Plans { static let schema = CoreStoreSchema(modelVersion: Demo.Plans.V1.name, entities: [Entity<Demo.Plans.Plan>("Plan")]) }
            }
            extension Demo.Plans { class Plan: CoreStoreObject { @Field.Coded("c", coder: C.self) var c: Color? } }
            extension Demo.Plans.V1 { static let name: ModelVersion = "V1" }
            #if os(macOS)
            typealias Color = NSColor
            #else
            typealias Color = UIColor
            #endif
            func log(modelVersion: String) { print(modelVersion: modelVersion) }
            """
        #expect(try lines(text) == ["Plan | key id: int | c: data?"])
    }

    // MARK: Refusals

    private func refuse(_ text: String, _ message: String) throws {
        try work.write(text, to: "A.swift")
        let run = work.run("import", "corestore", work.path("A.swift"), "--into", work.path("Model"))
        #expect(run.complaints == [message])
    }

    private static let field = #"@Field.Stored("a") var a: Int?"#

    @Test(arguments: [
        (
            #"class A: CoreStoreObject {}; class B: CoreStoreObject {}"#, #"[Entity<A>("X"), Entity<B>("X")]"#,
            "A.swift:2: error: the entity in line 2 has the same name, X"
        ),
        (
            "class A: CoreStoreObject {}", #"[Entity<A>("X"), Entity<A>("Y")]"#,
            "A.swift:2: error: the entity in line 2 has the same class, A"
        ),
        (
            #"class A: B { @Field.Relationship("x", inverse: \.$zz) var x: B? }; class B: A {}"#,
            #"[Entity<A>("A"), Entity<B>("B")]"#, "A.swift:1: error: the superclasses of A are a cycle: A, B, A"
        ),
        (
            "class A: A {}", #"[Entity<A>("A", indexes: [[\.$nope]])]"#,
            "A.swift:1: error: the superclasses of A are a cycle: A, A"
        ),
        (
            "class C: A {}; class A: B {}; class B: A {}", #"[Entity<C>("C"), Entity<A>("A"), Entity<B>("B")]"#,
            "A.swift:1: error: the superclasses of A are a cycle: A, B, A"
        ),
        (
            #"class A: CoreStoreObject { @Field.Stored("a") var a: Int; @Field.Stored("a") var b: String }"#,
            #"[Entity<A>("A")]"#, "A.swift:1: error: b: the name a is also that of the field in line 1"
        ),
        (
            #"class A: CoreStoreObject { @Field.Stored("a") var a: Int }; class B: A { @Field.Stored("a") var b: Int }"#,
            #"[Entity<A>("A"), Entity<B>("B")]"#, "A.swift:1: error: a: the name a is also that of the field in line 1"
        ),
        (
            #"typealias S = Int; class A: CoreStoreObject { @Field.Stored("s") var s: S }; typealias S = String"#,
            #"[Entity<A>("A")]"#, "A.swift:1: error: S is declared here a second time, after A.swift:1"
        ),
        (
            "class A: CoreStoreObject {}; private class A: NSObject {}", #"[Entity<A>("A")]"#,
            "A.swift:1: error: A is declared here a second time, after A.swift:1"
        ),
        (
            "enum V {\n#if DEBUG\nclass A: CoreStoreObject {}\n#else\nclass A: CoreStoreObject {}\n#endif\n}",
            #"[Entity<V.A>("A")]"#, "A.swift:5: error: V.A is declared here a second time, after A.swift:3"
        ),
        (
            "class A: CoreStoreObject {}", #"[Entity<A>("A")] + common"#,
            "A.swift:2: error: the entities of V1 are not written as [Entity<A>(\"A\"), Entity<B>(\"B\")]"
        ),
        (
            "class A: CoreStoreObject {}", #"[Entity<A>("A", indexes: [[\.$a]] + more)]"#,
            "A.swift:2: error: indexes: [[\\.$a]] + more is not a literal"
        ),
        (
            "class A: CoreStoreObject {}", #"[Entity<A>("A", indexes: [all])]"#,
            "A.swift:2: error: all is not a list of key paths"
        ),
        (
            "class A: CoreStoreObject {}", #"[Entity<A>("A" + x)]"#,
            "A.swift:2: error: Entity<A>(\"A\" + x) is not written as Entity<A>(\"A\")"
        ),
        (
            "class A: CoreStoreObject {}", #"[Entity<A>("A", isAbstrct: true)]"#,
            "A.swift:2: error: the argument isAbstrct is unknown"
        ),
        (
            #"class A: CoreStoreObject { @Field.Stored("a" + x) var a: Int }"#, #"[Entity<A>("A")]"#,
            "A.swift:1: error: a: its name in the model is not a literal"
        ),
        (
            #"class A: CoreStoreObject { typealias Text = Field.Stored<String>; @Text("a") var a: String }"#,
            #"[Entity<A>("A")]"#,
            "A.swift:1: error: a: write the field with Field.Stored<String>, and not with the alias Text"
        ),
        (
            #"typealias Box<V> = Value.Required<V>; class A: CoreStoreObject { let a = Box<Int>("a", initial: 1) }"#,
            #"[Entity<A>("A")]"#,
            "A.swift:1: error: a: write the field with Value.Required<V>, and not with the alias Box"
        ),
        (
            #"typealias V = Value; class A: CoreStoreObject { let a = V.Required<Int>("a", initial: 1) }"#,
            #"[Entity<A>("A")]"#, "A.swift:1: error: a: write the field with Value, and not with the alias V"
        ),
        (
            #"class A: CoreStoreObject { let a = Value.Required("a", initial: 1) }"#, #"[Entity<A>("A")]"#,
            "A.swift:1: error: a: write the field as Value.Required<String>(\"name\", initial: \"\")"
        ),
        (
            #"class A: CoreStoreObject { @Field.Stored("s") var s: S = .b; enum S: Int { case a; #if DEBUG"# + "\n"
                + "case b\n#endif\n} }", #"[Entity<A>("A")]"#,
            "A.swift:1: error: #if in an enum is not supported: import the branch that you ship"
        ),
        (
            "class A: CoreStoreObject {\n  let (b, c) = pair\n}", #"[Entity<A>("A")]"#,
            "A.swift:2: error: only a simple name can follow var and let"
        ),
        (
            #"class A: CoreStoreObject {}; let p = CustomSchemaMappingProvider(from: "V1", to: "V7", entityMappings: [])"#,
            #"[Entity<A>("A")]"#,
            "A.swift:1: error: this provider migrates to V7, which no CoreStoreSchema declares"
        ),
    ]) func `sources that are refused`(_ classes: String, _ entities: String, _ message: String) throws {
        try refuse(classes + "\nlet schema = CoreStoreSchema(modelVersion: \"V1\", entities: \(entities))", message)
    }

    @Test(arguments: [
        (#"(modelVersion: "V" + n, entities: [])"#, "the modelVersion of this schema is not a literal"),
        (
            #"(modelVersion: "V1", entityConfigurations: [Entity<A>("A"): []])"#,
            "the entities of V1 are not written as [Entity<A>(\"A\"), Entity<B>(\"B\")]"
        ),
        (
            #"(modelVersion: "V1", entities: [], versionLock: ["A": [0x1], "A": [0x2]])"#,
            "the versionLock of V1 is not written with literals"
        ),
        (
            #"(modelVersion: name, entities: []); let name = "V1"; func f() { for name in names {} }"#,
            "the modelVersion of this schema is not a literal"
        ),
        (
            #"(modelVersion: "V1", entities: [Entity<A>("A")]); class A: CoreStoreObject {}; let t = CoreStoreSchema(modelVersion: "V1", entities: [])"#,
            "there are two schemas V1"
        ),
        (".init)", "write the call as CoreStoreSchema(modelVersion: …)"),
    ]) func `schemas that are refused`(_ schema: String, _ message: String) throws {
        try refuse("let s = CoreStoreSchema" + schema, "A.swift:1: error: " + message)
    }

    @Test func `a decimal number in a versionLock`() throws {
        let text = """
            class A: CoreStoreObject { @Field.Stored("a") var a: Int? }
            CoreStoreSchema(modelVersion: "V1", entities: [Entity<A>("A")], versionLock: ["A": [258, 0x1, 0b1, 1]])
            """
        try work.write(text, to: "A.swift")
        #expect(try CoreStoreModels.read(work.path("A.swift")).versions[0].hashes == ["A": "0201000000000000"])
    }
}
