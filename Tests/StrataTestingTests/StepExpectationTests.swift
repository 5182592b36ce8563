import Strata
import Testing

@testable import StrataTesting

/// The expectations for several migration steps in one pass.
@Suite struct StepExpectationTests {
    /// The steps `1 to 2`, `2 to 3`, … with these tables.
    private func path(_ steps: [[TableExpectation]], coded: [Int: CustomExpectation] = [:]) -> [StepExpectation] {
        steps.enumerated().map { place, tables in
            StepExpectation(from: "\(place + 1)", to: "\(place + 2)", tables: tables, custom: coded[place])
        }
    }

    private func code(_ rows: [RowExpectation] = []) -> CustomExpectation {
        CustomExpectation("Step", rows: rows, reasons: [], added: { _ in [] }, check: { _ in })
    }

    private func table(_ fused: StepExpectation, _ name: String) throws -> TableExpectation {
        try #require(fused.tables.first { $0.from == name })
    }

    private let user = TableExpectation(unchanged: "user", key: ["id"], columns: ["id", "name", "age"])

    @Test func `a renamed table and a renamed column keep their values`() throws {
        let fused = StepExpectation.fused(
            path([
                [TableExpectation(from: "user", to: "person", key: ["id"], kept: ["id", "name", "age"])],
                [
                    TableExpectation(
                        from: "person", to: "person", oldKey: ["id"], key: ["number"], kept: ["age"],
                        changed: ["number": .column("id"), "full": .column("name")])
                ],
            ]))
        let person = try table(fused, "user")
        #expect((fused.from, fused.to) == ("1", "3"))
        #expect((person.to, person.oldKey, person.key) == ("person", ["id"], ["number"]))
        #expect(person.values == ["number": .column("id"), "full": .column("name"), "age": .column("age")])
        #expect(fused.untraced == [])
    }

    @Test func `values that several steps convert are expected as values of the first version`() throws {
        let text = ValueConversion.scalar(.int, to: .string)
        let converted = TableExpectation(
            from: "user", to: "user", key: ["id"], kept: ["id", "name"],
            changed: ["years": .converted(.column("age"), text)])
        let filled = TableExpectation(
            from: "user", to: "user", key: ["id"], kept: ["id"],
            changed: ["years": .first(.column("years"), .value(.text("0"))), "note": .value(.null)])
        let fused = StepExpectation.fused(path([[user], [converted], [filled]]))
        #expect(
            try table(fused, "user").values == [
                "id": .column("id"), "note": .value(.null),
                "years": .first(.converted(.column("age"), text), .value(.text("0"))),
            ])
    }

    @Test func `a table that a later custom migration converts is not expected, although its columns stay`() throws {
        let grown = TableExpectation(
            from: "user", to: "user", key: ["id"], kept: ["id", "name", "age"], changed: ["note": .value(.null)])
        let rows = RowExpectation("User", "User", "") { (old: User, _) in .kept(old) }
        #expect(StepExpectation.fused(path([[grown], [user]])).tables.map(\.to) == ["user"])
        // The second step does not name the table, because its columns are the same.
        #expect(StepExpectation.fused(path([[grown], []], coded: [1: code([rows])])).tables.isEmpty)
        #expect(StepExpectation.fused(path([[grown], [user]], coded: [1: code([rows])])).tables.isEmpty)
    }

    @Test func `a table whose primary key is unknown after a later step is not expected`() throws {
        let later = TableExpectation(
            from: "user", to: "user", oldKey: ["id"], key: ["key"], kept: ["name"], changed: ["key": .column("code")])
        let fused = StepExpectation.fused(path([[user], [later]]))
        #expect(fused.tables.isEmpty)
        #expect(fused.untraced == ["user"])
    }

    @Test func `a join table that a later step fills is not traced`() throws {
        let pairs = TableExpectation(
            from: "user", to: "user_groups", key: ["source_id", "target_id"], kept: [],
            changed: ["source_id": .column("id"), "target_id": .column("group_id")], requiring: "group_id", join: true)
        let renamed = TableExpectation(
            from: "user_groups", to: "person_groups", key: ["source_id", "target_id"],
            kept: ["source_id", "target_id"], join: true)
        let fused = StepExpectation.fused(path([[user], [user, pairs], [user, renamed]]))
        #expect(fused.tables.map(\.from) == ["user"])
        #expect(fused.untraced == ["person_groups"])
        // A join table that the first step fills is traced.
        let first = StepExpectation.fused(path([[user, pairs], [user, renamed]]))
        #expect(first.tables.map(\.to) == ["user", "person_groups"])
        #expect(first.untraced == [])
    }

    @Test func `columns that a custom migration may change are not expected, and no table is traced`() throws {
        let group = TableExpectation(
            from: "group", to: "group", key: ["id"], kept: ["id", "title", "owner_id"],
            references: [ReferenceExpectation(["owner_id"], to: "user")])
        let fused = StepExpectation.fused(path([[user, group], [user]], coded: [0: code()]))
        // The custom migration may change the owner's primary key, and the second step has no expectation for `group`.
        #expect(fused.tables.map(\.from) == ["user"])
        #expect(fused.untraced == nil)
        let kept = TableExpectation(unchanged: "group", key: ["id"], columns: ["id", "title", "owner_id"])
        let loose = StepExpectation.fused(path([[user, group], [user, kept]], coded: [0: code()]))
        #expect(try table(loose, "group").values == ["id": .column("id"), "title": .column("title")])
    }
}

/// A row of the table `user`.
private struct User: StoredEntity {
    struct ID: RawEntityID { var rawValue: Int }
    struct Relationships: EntityRelationships {}
    static var table: EntityTable { EntityTable("user", key: ["id"], columns: ["id"]) }
    var id: ID
    static func id(of entity: Self) -> ID { entity.id }
    init(row: Row) throws { id = try row.id(0) }
    func bind(to statement: Statement) throws { try statement.bind(id, at: 1) }
}
