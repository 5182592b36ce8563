import SchemaModel
import SQLSchema
import Testing

/// The tables of a version, and what identifies it.
@Suite struct ModelVersionTests {
    private static let (book, author): (EntityLineage, EntityLineage) = (0, 1)

    private func attribute(
        _ lineage: ElementLineage, _ name: String, _ type: ScalarType = .string, isIndexed: Bool = false
    ) -> Property {
        Property(lineage: lineage, name: name, kind: .attribute(.scalar(type)), isIndexed: isIndexed)
    }

    private func relationship(
        _ lineage: ElementLineage, _ name: String, _ target: EntityLineage, _ association: Relationship.Association,
        inverse: ElementLineage? = nil, isOrdered: Bool = false
    ) -> Property {
        Property(
            lineage: lineage, name: name,
            kind: .relationship(
                Relationship(target: target, association: association, inverse: inverse, isOrdered: isOrdered)),
            isNullable: association == .toOne)
    }

    private func entity(
        _ lineage: EntityLineage, _ name: String, _ properties: [Property],
        key: Identifier = .column(name: "id", kind: .int), indexes: [EntityIndex] = []
    ) -> Entity {
        Entity(
            lineage: lineage, name: name, documentation: nil, identifier: key, properties: properties, indexes: indexes)
    }

    private func version(_ name: String, _ entities: [Entity], after previous: ModelVersion? = nil) throws
        -> ModelVersion
    {
        ModelVersion(version: try #require(Version(name)), entities: entities, after: previous)
    }

    private func statements(_ version: ModelVersion) -> [String] { version.tables.flatMap(SQLite.create) }

    @Test(arguments: ScalarType.allCases) func `a type is stored as its facts say`(type: ScalarType) throws {
        let model = try version("1.0", [entity(Self.book, "book", [attribute(0, "value", type)])])
        let table = try #require(model.tables.first)
        #expect(table.column("value")?.type == type.facts.storage && table.column("value")?.isNullable == false)
        #expect(model.logicalLines == ["book | key id: int | value: \(type.rawValue)"])
    }

    @Test func `a foreign key is on the side of one, with the position in the other side's order`() throws {
        let model = try version(
            "1.0",
            [
                entity(Self.book, "book", [relationship(0, "author", Self.author, .toOne, inverse: 0)]),
                entity(
                    Self.author, "author", [relationship(0, "books", Self.book, .toMany, inverse: 0, isOrdered: true)]),
            ])
        #expect(
            statements(model) == [
                """
                CREATE TABLE "book" (
                  "id" INTEGER PRIMARY KEY,
                  "author_id" INTEGER REFERENCES "author" ("id") ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED,
                  "author_position" INTEGER
                ) STRICT
                """,
                "CREATE INDEX \"book_author_id_idx\" ON \"book\" (\"author_id\")",
                "CREATE TABLE \"author\" (\n  \"id\" INTEGER PRIMARY KEY\n) STRICT",
            ])
        #expect(model.columns(of: model.entities[0]).map(\.name) == ["id", "author_id", "author_position"])
    }

    @Test func `a relationship to many without an inverse has a join table`() throws {
        let pair = [attribute(0, "country"), attribute(1, "number", .int)]
        let model = try version(
            "1.0",
            [
                entity(Self.book, "book", [relationship(0, "authors", Self.author, .toMany)]),
                entity(Self.author, "author", pair, key: .properties([0, 1])),
            ])
        let join = try #require(model.tables.first { $0.isJoinTable })
        #expect(join.name == "book_authors")
        #expect(join.foreignKeys.map(\.columns) == [["source_id"], ["target_country", "target_number"]])
        #expect(join.foreignKeys.map(\.target) == ["book", "author"])
    }

    @Test func `an index keeps its name when its column is renamed, and a new one gets another`() throws {
        let old = try version("1.0", [entity(Self.book, "book", [attribute(0, "title", isIndexed: true)])])
        let renamed = [attribute(0, "name", isIndexed: true), attribute(1, "title", isIndexed: true)]
        let new = try version("2.0", [entity(Self.book, "book", renamed)], after: old)
        #expect(new.tables.first?.indexes.map(\.name) == ["book_title_idx", "book_title_idx_2"])
        #expect(new.tables.first?.indexes.map(\.columns) == [["name"], ["title"]])
        #expect(new.unchanged.isEmpty)
    }

    @Test func `an entity is unchanged if it and what it refers to are`() throws {
        func entities(_ name: String, _ type: ScalarType) -> [Entity] {
            [
                entity(Self.book, "book", [relationship(0, "author", Self.author, .toOne)]),
                entity(Self.author, name, [attribute(0, "name", type)]),
            ]
        }
        let old = try version("1.0", entities("author", .string))
        #expect(try version("2.0", entities("author", .string), after: old).unchanged == [Self.book, Self.author])
        // The foreign key names the table.
        #expect(try version("2.0", entities("writer", .string), after: old).unchanged == [])
        #expect(try version("2.0", entities("author", .int), after: old).unchanged == [Self.book])
    }

    @Test func `what is stored decides the fingerprint, and its order does not`() throws {
        let (title, pages) = (attribute(0, "title"), attribute(1, "pages", .int))
        let one = try version("1.0", [entity(Self.book, "book", [title, pages]), entity(Self.author, "author", [])])
        let other = try version("1.0", [entity(Self.author, "author", []), entity(Self.book, "book", [title, pages])])
        #expect(one.fingerprint == other.fingerprint && one.ddlFingerprint == other.ddlFingerprint)
        var documented = title
        documented.documentation = "The title."
        let same = try version(
            "1.0", [entity(Self.book, "book", [documented, pages]), entity(Self.author, "author", [])])
        #expect(same.fingerprint == one.fingerprint)
        let less = try version("1.0", [entity(Self.book, "book", [title]), entity(Self.author, "author", [])])
        let later = try version("2.0", one.entities)
        #expect(Set([one, less, later].map(\.fingerprint)).count == 3)
        #expect(one.ddlFingerprint != less.ddlFingerprint)
    }

    @Test(arguments: [
        ("-9223372036854775808", ScalarType.int, Literal.integer(.min)), ("1e3", .double, .real(1_000)),
        ("-0.0", .double, .real(0)), ("0.1", .float, .real(Double(Float(0.1)))), ("#00fFAA", .color, .text("#00fFAA")),
        ("1.50", .decimal, .text("1.5")),
        (
            "6BA7B810-9DAD-11D1-80B4-00C04FD430C8", .uuid,
            .blob(
                [0x6b, 0xa7, 0xb8, 0x10, 0x9d, 0xad, 0x11, 0xd1, 0x80, 0xb4, 0x00, 0xc0, 0x4f, 0xd4, 0x30, 0xc8])
        ),
    ]) func `values are read in the form in which they are stored`(text: String, type: ScalarType, literal: Literal) {
        #expect(Literal(text, type: type) == literal)
    }

    @Test(arguments: [
        ("9223372036854775808", ScalarType.int), ("1.0", .int), ("inf", .double), ("nan", .float), ("1e39", .float),
        ("a\u{0}b", .string), ("red", .color), ("#12345", .color), ("1e400", .decimal), ("1,5", .decimal),
        (String(repeating: "1", count: 39), .decimal), ("6BA7B810", .uuid), ("true", .bool), ("2001-01-01", .date),
    ]) func `what is not a value of the type is refused`(text: String, type: ScalarType) {
        #expect(Literal(text, type: type) == nil)
    }
}
