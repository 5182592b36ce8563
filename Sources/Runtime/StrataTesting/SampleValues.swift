import Foundation
import SQLSchema
import Strata

/// The sample values for columns of each type: common values and edge cases.
enum SampleValues {
    private static let known = Dictionary(
        [ColumnType.double, .float, .string, .data, .decimal].map { ($0, edges(of: $0)) },
        uniquingKeysWith: { first, _ in first })

    /// Returns the sample values of `type`, all different.
    static func values(of type: ColumnType) -> [SQLiteValue] { known[type] ?? edges(of: type) }

    private static func edges(of type: ColumnType) -> [SQLiteValue] {
        switch type {
        case .int, .milliseconds:
            return [0, 1, -1, .max, .min, 42].map(SQLiteValue.integer)
        case .bool:
            return [.integer(0), .integer(1)]
        case .double, .seconds:
            return [0, 1.5, -1.5, .greatestFiniteMagnitude, .leastNonzeroMagnitude, 0.1, .infinity, -.infinity, 3]
                .map(SQLiteValue.real)
        case .float:
            let values: [Float] = [0, 1.5, -1.5, .greatestFiniteMagnitude, .leastNonzeroMagnitude, 0.1, .infinity]
            return values.map { .real(Double($0)) }
        case .date:
            // The last value needs the full precision of a double.
            return [0, -63_114_076_800, 64_092_211_200, 0.1, 789_012_345.678_901].map(SQLiteValue.real)
        case .string:
            return [
                "", "a", "Ünïcødé — 日本語 🧺", "e\u{301} is not \u{e9}", "nul\u{0}inside", "'single' and \"double\"",
                "line\nbreak", String(repeating: "long ", count: 120),
            ].map(SQLiteValue.text)
        case .url:
            return ["https://example.com/a/b?c=d&e=%20#f", "file:///tmp/a", "mailto:a@example.com"].map(
                SQLiteValue.text)
        case .color:
            return ["#000000", "#FFffFF", "#12345678"].map(SQLiteValue.text)
        case .data:
            let every = Data((0...255).map { UInt8($0) })
            return [Data(), Data([0]), every, Data((0..<600).map { UInt8($0 % 251) })].map(SQLiteValue.blob)
        case .uuid:
            return [UInt8(0), 0xff, 0x5a].map { .blob(Data(repeating: $0, count: 16)) }
        case .decimal:
            return ["0", "-1.5", "12345678901234567890123456789012345678", "0.00000001", "3.10"]
                .compactMap { Decimal(string: $0) }.map { SQLiteValue($0) }
        case .texts(let texts): return texts.map(SQLiteValue.text)
        case .integers(let values): return values.map { SQLiteValue($0) }
        case .limited(let type, let limits): return LimitedValues(type, limits).samples
        }
    }

    /// Returns a UUID that depends on both `owner` and `number`.
    static func uuid(of owner: String, _ number: Int) -> SQLiteValue {
        let hash = FNV1a(owner.utf8).value
        var bytes = Data(count: 16)
        for place in 0..<8 {
            bytes[7 - place] = UInt8(truncatingIfNeeded: hash >> (8 * UInt64(place)))
            bytes[15 - place] = UInt8(truncatingIfNeeded: number >> (8 * place))
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

    /// Returns a value of `type` that no other number gives; nil if the type has no more values.
    static func distinct(_ type: ColumnType, _ number: Int) -> SQLiteValue? {
        if case .limited(let base, let limits) = type {
            let values = LimitedValues(base, limits)
            let edges = values.samples
            if number < edges.count { return edges[number] }
            // Skip the made values that are among the edges.
            let known = Set(edges)
            var rest = number - edges.count
            for number in 0...(number + edges.count) {
                guard let value = values.made(number) else { return nil }
                if known.contains(value) { continue }
                if rest == 0 { return value }
                rest -= 1
            }
            return nil
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
            for place in 0..<8 { bytes[15 - place] = UInt8(truncatingIfNeeded: number >> (8 * place)) }
            return .blob(bytes)
        case .decimal: return .text("1000000.\(number)1")
        }
    }
}
