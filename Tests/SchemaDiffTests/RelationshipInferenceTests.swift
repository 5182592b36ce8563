import SchemaDiff
import SchemaModel
import SQLSchema
import Testing

/// The inferred changes of a relationship `books` from `shelf` to `book`, of its join table and of its column.
@Suite struct RelationshipInferenceTests {
    private static let (shelf, book, author) = (EntityLineage(0), EntityLineage(1), EntityLineage(2))

    private func version(_ text: String, _ properties: [Property], key: Identifier.Kind = .int) throws -> ModelVersion {
        func entity(_ lineage: EntityLineage, _ name: String, _ kind: Identifier.Kind, _ properties: [Property])
            -> Entity
        {
            Entity(
                lineage: lineage, name: name, documentation: nil, identifier: .column(name: "id", kind: kind),
                properties: properties, indexes: [])
        }
        return ModelVersion(
            version: try #require(Version(text)),
            entities: [
                entity(Self.shelf, "shelf", .int, properties), entity(Self.book, "book", key, []),
                entity(Self.author, "author", .int, []),
            ])
    }

    private func property(
        _ association: Relationship.Association, name: String = "books", to target: EntityLineage = book
    ) -> Property {
        Property(
            lineage: 0, name: name, kind: .relationship(Relationship(target: target, association: association)),
            isNullable: association == .toOne)
    }

    private func step(
        _ old: Property?, _ new: Property?, key: Identifier.Kind = .int, emptied: Set<EntityLineage> = []
    ) throws -> SchemaStep {
        var instructions = StepInstructions()
        instructions.emptied = emptied
        return SchemaStep(
            from: try version("1", old.map { [$0] } ?? []), to: try version("2", new.map { [$0] } ?? [], key: key),
            instructions: instructions)
    }

    @Test func `a new to-many relationship creates its join table`() throws {
        let step = try step(nil, property(.toMany))
        #expect(step.tableChanges == [.create("shelf_books")])
        #expect(!step.isCustom)
    }

    @Test func `a removed to-many relationship drops its join table and needs a custom migration`() throws {
        let step = try step(property(.toMany), nil)
        #expect(step.tableChanges == [.drop("shelf_books")])
        #expect(step.reasons.map(\.cause) == [.removed])
    }

    @Test func `a renamed to-many relationship keeps its pairs`() throws {
        let step = try step(property(.toMany), property(.toMany, name: "volumes"))
        #expect(step.tableChanges == [.map(from: "shelf_books", to: "shelf_volumes")])
        #expect(!step.isCustom)
    }

    @Test func `a to-one relationship that becomes to-many fills the join table from its column`() throws {
        let step = try step(property(.toOne), property(.toMany))
        #expect(
            step.tableChanges == [
                .map(from: "shelf", to: "shelf"),
                .map(
                    from: "shelf", to: "shelf_books",
                    columns: [
                        "source_id": .column("id"), "target_id": .column("books_id"), "position": .literal(.integer(0)),
                    ],
                    requiring: [.column("books_id")]),
            ])
        #expect(!step.isCustom)
    }

    /// The step in which the relationship `shelf` of each book becomes a to-many relationship `shelves`, whose pairs are
    /// in the join table of its inverse.
    private func inverseStep(isOrdered: Bool, key: Identifier.Kind = .int) throws -> SchemaStep {
        func version(_ text: String, _ association: Relationship.Association, key: Identifier.Kind) throws
            -> ModelVersion
        {
            var (books, shelf) = (property(.toMany), property(association, name: "shelf", to: Self.shelf))
            books.kind = .relationship(
                Relationship(
                    target: Self.book, association: .toMany, inverse: 0, isStored: association == .toMany,
                    isOrdered: isOrdered))
            shelf.kind = .relationship(Relationship(target: Self.shelf, association: association, inverse: 0))
            let entities = [(Self.shelf, "shelf", Identifier.Kind.int, books), (Self.book, "book", key, shelf)]
            return ModelVersion(
                version: try #require(Version(text)),
                entities: entities.map { lineage, name, kind, property in
                    Entity(
                        lineage: lineage, name: name, documentation: nil, identifier: .column(name: "id", kind: kind),
                        properties: [property], indexes: [])
                })
        }
        return SchemaStep(
            from: try version("1", .toOne, key: .int), to: try version("2", .toMany, key: key),
            instructions: StepInstructions())
    }

    @Test(arguments: [false, true])
    func `the join table of the other side takes the pairs of a foreign key`(isOrdered: Bool) throws {
        let step = try inverseStep(isOrdered: isOrdered)
        let position: ValueExpression =
            isOrdered ? .coalesce(.column("shelf_position"), .literal(.integer(1 << 32))) : .literal(.integer(0))
        #expect(
            step.tableChanges.contains(
                .map(
                    from: "book", to: "shelf_books",
                    columns: ["source_id": .column("shelf_id"), "target_id": .column("id"), "position": position],
                    requiring: [.column("shelf_id")])))
        #expect(!step.isCustom)
        #expect(try inverseStep(isOrdered: isOrdered, key: .uuid).reasons.map(\.cause).contains(.wasElsewhere))
    }

    @Test func `a to-many relationship with another target needs a custom migration`() throws {
        let step = try step(property(.toMany), property(.toMany, to: EntityLineage(2)))
        #expect(step.reasons.filter { $0.entity == Self.shelf }.map(\.cause) == [.otherTarget])
    }

    @Test func `pairs follow a primary key of another type`() throws {
        let step = try step(property(.toMany), property(.toMany, name: "volumes"), key: .uuid)
        #expect(step.reasons.allSatisfy { $0.entity == Self.book })
        #expect(step.tableChanges.contains(.custom(from: "shelf_books", to: "shelf_volumes")))
    }

    @Test(arguments: [EntityLineage(0), EntityLineage(1)])
    func `discarding the rows of either entity empties the join table`(emptied: EntityLineage) throws {
        let step = try step(property(.toMany), property(.toMany), emptied: [emptied])
        let changes = step.tableChanges.filter { $0 == .drop("shelf_books") || $0 == .create("shelf_books") }
        #expect(changes.contains(.create("shelf_books")) && changes.contains(.drop("shelf_books")))
        #expect(!step.isCustom)
    }

    @Test func `an attribute that becomes a relationship needs a custom migration`() throws {
        let attribute = Property(lineage: 0, name: "books", kind: .attribute(.scalar(.int)), isNullable: true)
        #expect(try step(attribute, property(.toMany)).reasons.map(\.cause).contains(.becomesRelationship))
        #expect(try step(attribute, property(.toOne)).isCustom)
    }
}
