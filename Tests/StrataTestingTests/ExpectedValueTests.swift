import Foundation
import Strata
import Testing

@testable import StrataTesting

/// The expected values of conversions.
@Suite struct ExpectedValueTests {
    private static let uuid = Data((0..<16).map { UInt8($0) })

    @Test(arguments: [
        (
            ValueConversion.scalar(.int, to: .string), SQLiteValue.integer(.min),
            SQLiteValue.text("-9223372036854775808")
        ),
        (.scalar(.int, to: .decimal), .integer(9_007_199_254_740_993), .text("9007199254740993")),
        (.scalar(.bool, to: .int), .integer(1), .integer(1)),
        (.scalar(.bool, to: .string), .integer(0), .text("false")),
        (.scalar(.bool, to: .string), .integer(1), .text("true")),
        (.scalar(.float, to: .double), .real(0.1), .real(0.1)),
        (.scalar(.url, to: .string), .text("https://a.b/%7e"), .text("https://a.b/%7e")),
        (.scalar(.color, to: .string), .text("#abCDEF"), .text("#abCDEF")),
        (.scalar(.uuid, to: .string), .blob(uuid), .text("00010203-0405-0607-0809-0A0B0C0D0E0F")),
        (.cases(["a": "b", "b": "a"]), .text("a"), .text("b")),
        (.cases(["a": "b"]), .text("A"), .text("A")),
        (.options(cleared: 5), .integer(7), .integer(2)),
        (.elements(.cases(["a": "b"])), .text(#"["a", "c", "\u0061"]"#), .text(#"["b","c","b"]"#)),
        (.elements(.options(cleared: 1)), .text("[1,2,3]"), .text("[0,2,2]")),
        (.values(.cases(["a": "b"])), .text(#"{"a":"a","c":"c"}"#), .text(#"{"a":"b","c":"c"}"#)),
        (
            .members([.renamed("a", to: "b"), .renamed("b", to: "a"), .removed("c"), .added("d", json: "[1]")]),
            .text(#"{"a":1.50,"b":"\u0000\r\n\"\\\ud83e\uddfa","c":[],"e":null}"#),
            .text(#"{"e":null,"b":1.50,"a":"\u0000\u000d\u000a\"\\🧺","d":[1]}"#)
        ),
        (
            .members([.changed("a", .members([.changed("b", .cases(["x": "y"]))])), .renamed("z", to: "w")]),
            .text(#"{"a":{"b":"x"}}"#), .text(#"{"a":{"b":"y"},"w":null}"#)
        ),
        (.members([.changed("a", .cases([:])), .added("a", json: "1")]), .text(#"{"a":null}"#), .text(#"{"a":null}"#)),
    ])
    func `a value is converted`(conversion: ValueConversion, old: SQLiteValue, new: SQLiteValue) throws {
        let value = ExpectedValue.converted(.column("c"), conversion)
        #expect(try self.value(value, [old]) == new)
        #expect(try self.value(value, [.null]) == .null)
    }

    @Test(arguments: [
        (ValueConversion.scalar(.int, to: .string), SQLiteValue.text("7")),
        (.scalar(.uuid, to: .string), .blob(Data([1]))), (.scalar(.string, to: .int), .text("7")),
        (.elements(.cases([:])), .text("[1")), (.values(.cases([:])), .text("[]")), (.members([]), .text("[]")),
    ])
    func `a value that is not of the old type is an error`(conversion: ValueConversion, old: SQLiteValue) {
        #expect(throws: UnexpectedOldValue.self) { try value(.converted(.column("c"), conversion), [old]) }
    }

    private func value(_ value: ExpectedValue, _ row: [SQLiteValue]) throws -> SQLiteValue {
        var row = row[...]
        let result = try value.value(of: &row)
        #expect(row.isEmpty)
        return result
    }

    @Test func `the first value that is not NULL is expected`() throws {
        let value = ExpectedValue.first(.column("a"), .first(.column("b"), .value(.text("none"))))
        #expect(value.columns == ["a", "b"])
        #expect(try self.value(value, [.text("1"), .text("2")]) == .text("1"))
        #expect(try self.value(value, [.null, .text("2")]) == .text("2"))
        #expect(try self.value(value, [.null, .null]) == .text("none"))
    }

    @Test func `a value that violates a limit is replaced`() throws {
        let limits: [ColumnLimit] = [.minimum(.integer(1)), .maximum(.integer(5))]
        let number = ExpectedValue.limited(.column("a"), limits, otherwise: .integer(3))
        #expect(try [0, 1, 5, 6].map { try value(number, [.integer($0)]) } == [3, 1, 5, 3].map(SQLiteValue.integer))
        #expect(try value(number, [.null]) == .null)

        func choice(_ collation: TextCollation, _ text: String) throws -> SQLiteValue {
            let limits: [ColumnLimit] = [.oneOf([.text("a"), .text("é")])]
            return try value(
                .limited(.column("a"), limits, otherwise: .text("none"), collation: collation), [.text(text)])
        }
        #expect(
            try ["a", "A", "a ", "é", "e\u{301}"].map { try choice(.binary, $0) }[1...].map(\.description)
                == [#""none""#, #""none""#, #""é""#, #""none""#])
        #expect(try choice(.nocase, "A") == .text("A"))
        #expect(try choice(.nocase, "É") == .text("none"))
        #expect(try choice(.rtrim, "a ") == .text("a "))
    }
}
