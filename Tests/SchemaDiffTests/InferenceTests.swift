import SchemaDiff
import SchemaModel
import SQLSchema
import Testing

/// The changes that are inferred, and the changes that need a custom migration.
@Suite struct InferenceTests {
    private func step(
        _ old: Property?, _ new: Property?, instructions: StepInstructions = StepInstructions(),
        indexes: ([EntityIndex], [EntityIndex]) = ([], [])
    ) throws -> SchemaStep {
        func version(_ text: String, _ property: Property?, _ indexes: [EntityIndex]) throws -> ModelVersion {
            let other = Property(lineage: 7, name: "other", kind: .attribute(.scalar(.int)), isNullable: true)
            let entity = Entity(
                lineage: 0, name: "book", documentation: nil, identifier: .column(name: "id", kind: .int),
                properties: [property, other].compactMap(\.self), indexes: indexes)
            return ModelVersion(version: try #require(Version(text)), entities: [entity])
        }
        return SchemaStep(
            from: try version("1", old, indexes.0), to: try version("2", new, indexes.1), instructions: instructions)
    }

    private func attribute(
        _ type: ScalarType, name: String = "a", nullable: Bool = false, value: Literal? = nil, unique: Bool = false,
        collation: Collation? = nil
    ) -> Property {
        Property(
            lineage: 0, name: name, kind: .attribute(.scalar(type)), isNullable: nullable,
            defaultValue: value.map { .literal($0) }, isUnique: unique,
            collation: collation)
    }

    @Test func `conversions that keep every value are inferred, and whole numbers become doubles`() {
        let kept = ScalarType.allCases.flatMap { from in
            ScalarType.allCases.compactMap { to in TypeChange(from: from, to: to).map { _ in "\(from) -> \(to)" } }
        }
        #expect(
            Set(kept) == [
                "bool -> int", "int -> decimal", "int -> double", "float -> double", "bool -> string", "int -> string",
                "url -> string", "color -> string", "uuid -> string",
            ])
    }

    @Test(arguments: ScalarType.allCases) func `any other change of type is custom`(from: ScalarType) throws {
        for to in ScalarType.allCases where to != from {
            let step = try step(attribute(from), attribute(to))
            #expect(step.isCustom == (TypeChange(from: from, to: to) == nil), "\(from) -> \(to)")
        }
    }

    @Test func `a new required property needs a default value, a backfill value or a custom migration`() throws {
        #expect(try !step(nil, attribute(.int, value: .integer(3))).isCustom)
        #expect(try !step(nil, attribute(.int, nullable: true)).isCustom)
        var instructions = StepInstructions()
        instructions.fills[.init(entity: 0, property: 0)] = .constant(.literal(.integer(4)), .scalar(.int))
        let filled = try step(nil, attribute(.int), instructions: instructions)
        #expect(filled.tableChanges == [.map(from: "book", to: "book", columns: ["a": .literal(.integer(4))])])
        #expect(
            try step(nil, attribute(.int)).customReasons == ["`book.a` is new and has neither a default nor a \"fill\""]
        )
    }

    @Test func `a property that becomes required needs a default value or a custom migration`() throws {
        let nullable = attribute(.int, nullable: true)
        #expect(
            try step(nullable, attribute(.int, value: .integer(1))).tableChanges == [
                .map(from: "book", to: "book", columns: ["a": .coalesce(.column("a"), .literal(.integer(1)))])
            ])
        #expect(try step(nullable, attribute(.int)).isCustom)
        #expect(try !step(attribute(.int), nullable).isCustom)
    }

    @Test func `a changed default value changes no row`() throws {
        let step = try step(attribute(.int, value: .integer(1)), attribute(.int, value: .integer(2)))
        #expect(step.tableChanges == [.map(from: "book", to: "book")])
    }

    @Test func `a new unique index needs a custom migration, but a removed or widened one does not`() throws {
        let plain = attribute(.string)
        let unique = attribute(.string, unique: true)
        #expect(try step(plain, unique).customReasons == ["`book`: the unique index on `a` may find duplicates"])
        #expect(try !step(unique, plain).isCustom)
        #expect(try !step(nil, attribute(.string, nullable: true, unique: true)).isCustom)
        #expect(try step(nil, attribute(.string, value: .text("x"), unique: true)).isCustom)
        let narrow = EntityIndex(lineage: 0, IndexShape([0], unique: true))
        let wide = EntityIndex(lineage: 0, IndexShape([0, 7], unique: true))
        #expect(try !step(plain, plain, indexes: ([narrow], [wide])).isCustom)
        #expect(try step(plain, plain, indexes: ([wide], [narrow])).isCustom)
        #expect(
            try !step(plain, plain, indexes: ([], [EntityIndex(lineage: 0, IndexShape([0, 7], unique: false))]))
                .isCustom)
    }

    @Test func `a backfill of a unique property needs a custom migration`() throws {
        let nullable = attribute(.int, nullable: true, unique: true)
        #expect(try step(nullable, attribute(.int, value: .integer(1), unique: true)).isCustom)
        var instructions = StepInstructions()
        instructions.fills[.init(entity: 0, property: 0)] = .constant(.literal(.integer(4)), .scalar(.int))
        #expect(try step(nil, nullable, instructions: instructions).isCustom)
        #expect(try !step(attribute(.int, unique: true), nullable).isCustom)
        #expect(try !step(attribute(.int, unique: true), attribute(.string, unique: true)).isCustom)
    }

    @Test func `a looser collation of a unique property needs a custom migration`() throws {
        let strict = attribute(.string, unique: true)
        let loose = attribute(.string, unique: true, collation: .nocase)
        #expect(try step(strict, loose).isCustom)
        #expect(try !step(attribute(.string), attribute(.string, collation: .nocase)).isCustom)
    }

    @Test func `an unchanged property changes no table`() throws {
        #expect(try step(attribute(.int), attribute(.int)).tableChanges == [])
    }

    @Test func `a renamed property keeps its values`() throws {
        #expect(
            try step(attribute(.int), attribute(.int, name: "b")).tableChanges == [
                .map(from: "book", to: "book", columns: ["b": .column("a")])
            ])
    }
}
