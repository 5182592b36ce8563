import Strata
import Testing

@testable import StrataTesting

@Suite struct ComparedRowsTests {
    @Test func `a value is computed once, also if it is nil`() throws {
        let connection = try Connection(path: ":memory:", mode: .create)
        let databases = StepDatabases(old: connection, new: connection)
        var count = 0
        func once<Value>(_ name: String, _ value: Value) -> Value {
            // `expected` gets another value for each row.
            ComparedRows<Never, Never>(databases).once(name) {
                count += 1
                return value
            }
        }
        #expect(once("a", Int?(7)) == 7)
        #expect(once("a", Int?(8)) == 7)
        #expect(once("b", Int?.none) == nil)
        #expect(once("b", Int?(9)) == nil)
        #expect(once("c", [1]) == [1])
        #expect(once("c", [2]) == [1])
        #expect(count == 3)
    }
}
