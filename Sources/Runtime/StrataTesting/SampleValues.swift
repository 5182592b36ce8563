import Foundation
import SQLSchema
import Strata

/// The sample values for columns of each type: common values and edge cases.
enum SampleValues {
    private static let known = Dictionary(
        [ColumnType.int, .double, .float, .string, .data, .decimal].map { ($0, edges(of: $0)) },
        uniquingKeysWith: { first, _ in first })

    /// Returns the sample values of `type`, all different.
    static func values(of type: ColumnType) -> [SQLiteValue] { known[type] ?? edges(of: type) }

    private static func edges(of type: ColumnType) -> [SQLiteValue] {
        switch type {
        case .int, .milliseconds:
            // Among them are the bounds of other types of integers, and integers that a Double cannot hold.
            let values: [Int64] = [
                0, 1, -1, .max, .min, 42, 255, 65_536, 1 << 31, -1 << 31 - 1, 1 << 40 + 1, 1 << 47 - 1, 1 << 53,
                1 << 53 + 1, -1 << 53 - 1, 1 << 60 + 1, .max - 1,
            ]
            return values.map(SQLiteValue.integer)
        case .bool:
            return [.integer(0), .integer(1)]
        case .double, .seconds:
            let values: [Double] = [
                0, 1.5, -1.5, .greatestFiniteMagnitude, .leastNonzeroMagnitude, 0.1, .infinity, -.infinity, 3,
                .leastNormalMagnitude / 3,
                -1e300, 9_007_199_254_740_991, 0.1 + 0.2, -2.5, 1_234_567.891_011,
            ]
            return values.map(SQLiteValue.real)
        case .float:
            let values: [Float] = [
                0, 1.5, -1.5, .greatestFiniteMagnitude, .leastNonzeroMagnitude, 0.1, .infinity, -.infinity, 16_777_215,
                .leastNormalMagnitude / 3, -2.5,
            ]
            return values.map { .real(Double($0)) }
        case .date:
            return dates.map(SQLiteValue.real)
        case .string:
            return texts.map(SQLiteValue.text)
        case .url:
            return [
                "https://example.com/a/b?c=d&e=%20#f", "file:///tmp/a", "mailto:a@example.com",
                "HTTPS://User@Example.COM:8080/%7Ea/./b%2fc%2Fd/?q=a+b%20c&amp;x=%E2%82%AC#%41",
            ].map(SQLiteValue.text)
        case .color:
            return ["#000000", "#FFffFF", "#12345678", "#00abCD00"].map(SQLiteValue.text)
        case .data:
            let every = Data((0...255).map { UInt8($0) })
            let values = [
                Data(), Data([0]), every, Data((0..<600).map { UInt8($0 % 251) }),
                Data([0xef, 0xbb, 0xbf, 0x0d, 0x0a]),
                Data([0x20, 0, 0x20, 0, 0]),
            ]
            return values.map(SQLiteValue.blob)
        case .uuid:
            let ascending = Data((0..<16).map { UInt8($0 * 16 + 15 - $0) })
            return [UInt8(0), 0xff, 0x5a].map { .blob(Data(repeating: $0, count: 16)) } + [.blob(ascending)]
        case .decimal:
            return [
                "0", "-1.5", "12345678901234567890123456789012345678", "0.00000001", "3.10", "9007199254740993",
                "-99999999999999999999.99",
            ]
            .compactMap { Decimal(string: $0) }.map { SQLiteValue($0) }
        case .texts(let texts): return texts.map(SQLiteValue.text)
        case .integers(let values): return values.map { SQLiteValue($0) }
        case .limited(let type, let limits): return LimitedValues(type, limits).samples
        }
    }

    /// Dates in seconds since 2001-01-01 UTC.
    private static let dates: [Double] = [
        // The years 1 and 4032.
        0, -63_114_076_800, 64_092_211_200,
        // The full precision of a double, milliseconds, and shortly before the reference date.
        0.1, 789_012_345.678_901, 700_000_000.001, -0.001,
        // 1582, 1899 and 1970; 2038, 2096 and 2106, when integers of 32 bits overflow.
        -13_197_600_000, -3_200_000_000.75, -978_307_200, 1_169_176_448, 3_014_822_400.5, 3_316_660_096.125,
        // In summer, and in the night in which summer begins: other time zones differ in other hours.
        741_528_000, 733_541_400,
    ]

    /// Texts as in real data.
    private static let texts = [
        "", "a", "Ünïcødé — 日本語 🧺", "e\u{301} is not \u{e9}", "nul\u{0}inside", "'single' and \"double\"",
        "line\nbreak", String(repeating: "long ", count: 120), "one\r\ntwo\rthree", "a\tb\t\tc",
        "\u{feff}after a byte order mark", "👩\u{200d}👧 and \u{0645}\u{06cc}\u{200c}\u{062e}",
        "a\u{323}\u{307} a\u{307}\u{323} \u{1e9b}\u{323} \u{fb01}", "100%, %41%2f%20 and \\u0041",
        "&amp; &lt;b&gt; &#39;", "007", "1.50", "-12e3", " two  spaces ", "\ttrimmed?\n", "Null TRUE ß ẞ ı İ",
        #"{"b": 1.0, "a": [2, 3 ]}"#, "\u{fffd} \u{10fffe} \u{2028} \u{202e}",
    ]

    /// A text of 70,000 bytes, whose parts all differ.
    private static let longText = (0..<10_000).map { String(100_000 + $0) + " " }.joined()

    /// Returns values of 70,000 bytes. They are too long for a fixture, which is committed.
    static func long(of type: ColumnType) -> [SQLiteValue] {
        switch type {
        case .string: return [.text(longText)]
        case .data: return [.blob(Data(longText.utf8))]
        case .limited(let base, let limits): return long(of: base).filter { LimitedValues(base, limits).allows($0) }
        default: return []
        }
    }

    /// Returns a UUID that depends on both `owner` and `number`.
    static func uuid(of owner: String, _ number: Int) -> SQLiteValue {
        let hash = FNV1a(owner.utf8).value
        var bytes = Data(count: 16)
        for index in 0..<8 {
            bytes[7 - index] = UInt8(truncatingIfNeeded: hash >> (8 * UInt64(index)))
            bytes[15 - index] = UInt8(truncatingIfNeeded: number >> (8 * index))
        }
        return .blob(bytes)
    }

    /// Returns an ordinary value of `type`. Different numbers give different values if the type has enough of them.
    static func plain(_ type: ColumnType, _ number: Int) -> SQLiteValue {
        switch type {
        case .int, .milliseconds: return SQLiteValue(1 + number)
        case .double, .float, .seconds: return .real(1.5 + Double(number))
        case .date: return .real(700_000_000 + Double(number))
        case .bool, .texts, .integers:
            let values = values(of: type)
            return values.isEmpty ? .null : values[abs(number % values.count)]
        case .limited(let base, let limits):
            let values = values(of: type)
            return LimitedValues(base, limits).made(number) ?? (values.isEmpty ? .null : values[number % values.count])
        case .string, .url, .color, .data, .uuid, .decimal:
            return distinct(type, values(of: type).count + number) ?? .null
        }
    }

    /// Returns the value of `type` with a number; nil if the type has no more values. Different numbers give different values,
    /// except that a type with limits may repeat its sample values once.
    static func distinct(_ type: ColumnType, _ number: Int) -> SQLiteValue? {
        if case .limited(let base, let limits) = type {
            let values = LimitedValues(base, limits)
            let edges = values.samples
            return number < edges.count ? edges[number] : values.made(number - edges.count)
        }
        let edges = values(of: type)
        if number < edges.count { return edges[number] }
        let number = number - edges.count + 1
        switch type {
        case .int, .milliseconds: return SQLiteValue(1_000_000 + number)
        case .bool, .texts, .integers, .limited: return nil
        case .double, .float, .seconds, .date: return .real(Double(1_000_000 + number))
        case .string: return .text("sample \(number)")
        case .url: return .text("https://example.com/sample/\(number)")
        case .color:
            let digits = String(number, radix: 16)
            return .text("#" + String(repeating: "0", count: 6 - min(6, digits.count)) + digits)
        case .data: return .blob(Data("sample \(number)".utf8))
        case .uuid:
            var bytes = Data(repeating: 0x11, count: 16)
            for index in 0..<8 { bytes[15 - index] = UInt8(truncatingIfNeeded: number >> (8 * index)) }
            return .blob(bytes)
        case .decimal: return .text("1000000.\(number)1")
        }
    }
}
