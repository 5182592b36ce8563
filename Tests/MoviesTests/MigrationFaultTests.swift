import MigrationFaults
import Testing

@Suite struct MigrationFaultTests {
    @Test func `the generated tests find every fault of a migration`() throws {
        #expect(try MigrationFaults.run(on: MoviesSchemaMigrationTests.fixtures).missed == [])
    }
}
