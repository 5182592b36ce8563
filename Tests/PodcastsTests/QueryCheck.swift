import Strata
import Testing

extension Library {
    /// Compares the rows of a condition, and of its negation, with those that `expected` selects in Swift.
    func check<Entity: StoredEntity>(
        _ all: [Entity], _ condition: (Entity.Columns) -> Condition<Entity>, line: Int = #line,
        _ expected: (Entity) -> Bool
    ) throws {
        let condition = condition(Entity.Columns())
        for isNegated in [false, true] {
            let request = Entity.all.filter(isNegated ? !condition : condition)
            let rows = try store.read { transaction in
                let rows = try transaction.fetch(request)
                #expect(try transaction.count(request) == rows.count, "line \(line)")
                return rows
            }
            let wanted = all.filter { expected($0) != isNegated }
            #expect(Set(rows) == Set(wanted) && rows.count == wanted.count, "line \(line), negated \(isNegated)")
        }
    }
}
