import Foundation
import SchemaDiff
import SchemaModel
import SQLSchema
import Strata
import Testing

private typealias Rule = SchemaDiff.Conversion
private typealias Twin = Strata.Conversion

/// The conversions of `init(migrating:)` give what those of the migrations' SQL give.
@Suite struct ConversionTests {
    private func sql(_ from: ScalarType, _ to: ScalarType, _ value: SQLiteValue) throws -> SQLiteValue {
        let conversion = try #require(Rule(from: from, to: to))
        let connection = try Connection(path: ":memory:", mode: .create)
        try connection.execute("CREATE TABLE t (old \(from.storage.rawValue), new \(to.storage.rawValue)) STRICT")
        let insert = try connection.prepare("INSERT INTO t (old) VALUES (?1)")
        try insert.bind(value, at: 1)
        try insert.run()
        try connection.execute("UPDATE t SET new = \(SQLite.expression(.changed(.column("old"), conversion.change)))")
        var found = SQLiteValue.null
        try connection.query("SELECT new FROM t") { found = $0.value(0) }
        return found
    }

    @Test(arguments: [true, false]) func `truth values`(value: Bool) throws {
        #expect(try sql(.bool, .int, SQLiteValue(value)) == SQLiteValue(Twin.int(value)))
        #expect(try sql(.bool, .string, SQLiteValue(value)) == SQLiteValue(Twin.string(value)))
    }

    @Test(arguments: [0, 1, -1, 1_000_000, .max, .min]) func `integers`(value: Int) throws {
        #expect(try sql(.int, .string, SQLiteValue(value)) == SQLiteValue(Twin.string(value)))
        #expect(try sql(.int, .decimal, SQLiteValue(value)) == SQLiteValue(Twin.decimal(value)))
    }

    @Test(arguments: [0, 0.1, -1.5, .greatestFiniteMagnitude, .leastNonzeroMagnitude, .infinity])
    func `floats`(value: Float) throws {
        #expect(try sql(.float, .double, SQLiteValue(value)) == SQLiteValue(Twin.double(value)))
    }

    @Test func `identifiers, addresses and colors`() throws {
        for _ in 0..<20 {
            let value = UUID()
            #expect(try sql(.uuid, .string, SQLiteValue(value)) == SQLiteValue(Twin.string(value)))
        }
        let url = try #require(URL(string: "https://example.com/%20?a=b#c"))
        #expect(try sql(.url, .string, SQLiteValue(url)) == SQLiteValue(Twin.string(url)))
        #expect(try sql(.color, .string, .text("#00FF00")) == SQLiteValue(Twin.string("#00FF00")))
    }

    @Test func `nothing stays nothing`() throws {
        for from in ScalarType.allCases {
            for to in ScalarType.allCases where Rule(from: from, to: to) != nil {
                #expect(try sql(from, to, .null) == .null, "\(from) -> \(to)")
            }
        }
        #expect(Twin.string(nil as UUID?) == nil)
    }
}
