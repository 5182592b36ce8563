import Foundation
import SchemaDiff
import SchemaModel
import SQLSchema
import Strata
import Testing

/// `init(migrating:)` gives the same values as the SQL of the migrations.
@Suite struct MigratedValueTests {
    private func sql(_ from: ScalarType, _ to: ScalarType, _ value: SQLiteValue) throws -> SQLiteValue {
        let change = try #require(TypeChange(from: from, to: to))
        let connection = try Connection(path: ":memory:", mode: .create)
        try connection.execute("CREATE TABLE t (old \(from.storage.rawValue), new \(to.storage.rawValue)) STRICT")
        let insert = try connection.prepare("INSERT INTO t (old) VALUES (?1)")
        try insert.bind(value, at: 1)
        try insert.run()
        try connection.execute("UPDATE t SET new = \(SQLite.expression(.changed(.column("old"), change.values)))")
        var found = SQLiteValue.null
        try connection.query("SELECT new FROM t") { found = $0.value(0) }
        return found
    }

    @Test(arguments: [true, false]) func `Booleans change to the same values in Swift and in SQL`(value: Bool) throws {
        #expect(try sql(.bool, .int, SQLiteValue(value)) == SQLiteValue(MigratedValue.int(value)))
        #expect(try sql(.bool, .string, SQLiteValue(value)) == SQLiteValue(MigratedValue.string(value)))
    }

    @Test(arguments: [0, 1, -1, 1_000_000, .max, .min]) func `integers change to the same values in Swift and in SQL`(
        value: Int
    ) throws {
        #expect(try sql(.int, .string, SQLiteValue(value)) == SQLiteValue(MigratedValue.string(value)))
        #expect(try sql(.int, .decimal, SQLiteValue(value)) == SQLiteValue(MigratedValue.decimal(value)))
    }

    @Test(arguments: [0, 0.1, -1.5, .greatestFiniteMagnitude, .leastNonzeroMagnitude, .infinity])
    func `floats change to the same values in Swift and in SQL`(value: Float) throws {
        #expect(try sql(.float, .double, SQLiteValue(value)) == SQLiteValue(MigratedValue.double(value)))
    }

    @Test func `UUIDs, URLs and colors change to the same text in Swift and in SQL`() throws {
        for _ in 0..<20 {
            let value = UUID()
            #expect(try sql(.uuid, .string, SQLiteValue(value)) == SQLiteValue(MigratedValue.string(value)))
        }
        let url: URL = try #require(URL(string: "https://example.com/%20?a=b#c"))
        #expect(try sql(.url, .string, SQLiteValue(url)) == SQLiteValue(MigratedValue.string(url)))
        let color: String = MigratedValue.string("#00FF00")
        #expect(try sql(.color, .string, .text("#00FF00")) == SQLiteValue(color))
    }

    @Test func `nil stays nil`() throws {
        for from in ScalarType.allCases {
            for to in ScalarType.allCases where TypeChange(from: from, to: to) != nil {
                #expect(try sql(from, to, .null) == .null, "\(from) -> \(to)")
            }
        }
        #expect(MigratedValue.string(nil as UUID?) == nil)
    }
}
