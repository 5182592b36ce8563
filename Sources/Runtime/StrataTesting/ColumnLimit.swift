import Foundation
import SQLSchema
import Strata

/// A limit on the values of a column. NULL satisfies every limit.
public enum ColumnLimit: Hashable, Sendable {
    /// The least number.
    case minimum(SQLiteValue)
    /// The greatest number.
    case maximum(SQLiteValue)
    /// The least length: of a text in Unicode scalars, of data in bytes.
    case minLength(Int)
    /// The greatest length.
    case maxLength(Int)
    /// The pattern of a text, for SQLite's `GLOB`.
    case pattern(String)
    /// The only allowed values.
    case oneOf([SQLiteValue])

    private var limit: ValueLimit? {
        switch self {
        case .minimum(let value): value.literal.map(ValueLimit.minimum)
        case .maximum(let value): value.literal.map(ValueLimit.maximum)
        case .minLength(let length): .minLength(length)
        case .maxLength(let length): .maxLength(length)
        case .pattern(let pattern): .pattern(pattern)
        case .oneOf(let values): .oneOf(values.compactMap(\.literal))
        }
    }

    func allows(_ value: SQLiteValue) -> Bool { value.literal.flatMap { limit?.allows($0) } ?? true }
}

extension SQLiteValue {
    var literal: Literal? {
        switch self {
        case .null: nil
        case .integer(let value): .integer(value)
        case .real(let value): .real(value)
        case .text(let text): .text(text)
        case .blob(let data): .blob([UInt8](data))
        }
    }
}

/// The values that satisfy the limits of a column.
struct LimitedValues {
    private let type: ColumnType
    private let limits: [ColumnLimit]
    private var minimum: SQLiteValue?
    private var maximum: SQLiteValue?
    private var minLength = 0
    private var maxLength = Int.max
    private var pattern: GlobPattern?
    private var oneOf: [SQLiteValue]?

    init(_ type: ColumnType, _ limits: [ColumnLimit]) {
        self.type = type
        self.limits = limits
        for limit in limits {
            switch limit {
            case .minimum(let value): minimum = value
            case .maximum(let value): maximum = value
            case .minLength(let length): minLength = length
            case .maxLength(let length): maxLength = length
            case .pattern(let text): pattern = GlobPattern(text)
            case .oneOf(let values): oneOf = values
            }
        }
    }

    func allows(_ value: SQLiteValue) -> Bool { limits.allSatisfy { $0.allows(value) } }

    /// The values at the bounds of the limits, on both sides.
    var bounds: [SQLiteValue] {
        var values: [SQLiteValue] = oneOf ?? []
        for bound in [minimum, maximum] {
            switch bound {
            case .integer(let value):
                values += [value, value &+ 1, value &- 1].map(SQLiteValue.integer)
            case .real(let value):
                values += [value, next(value, 1), next(value, -1), value + 1, value - 1].map(SQLiteValue.real)
            case .null, .text, .blob, nil: break
            }
        }
        // A longer text would only take time.
        for length in [minLength, maxLength] where length != 0 && length <= 10_000 {
            values += [length, length + 1, length - 1].filter { $0 >= 0 }.map(filler)
        }
        if let text = pattern?.text(0, length: minLength) { values += [.text(text), .text(text + text), .text("")] }
        return values
    }

    /// Returns the next greater number of the type, or the next smaller one if `sign` is negative.
    private func next(_ value: Double, _ sign: Double) -> Double {
        if type == .float { return Double(Float(sign) * (Float(sign) * Float(value)).nextUp) }
        return sign * (sign * value).nextUp
    }

    /// The values that the rows of a fixture must contain: the bounds, or all allowed values.
    var required: [SQLiteValue] { (oneOf ?? [minimum, maximum].compactMap(\.self)).filter(allows) }

    private func filler(_ length: Int) -> SQLiteValue {
        type == .data
            ? .blob(Data(repeating: 0x78, count: length)) : .text(String(repeating: "x", count: length))
    }

    /// The sample values that satisfy the limits, all different.
    var samples: [SQLiteValue] {
        if let oneOf { return oneOf.filter(allows) }
        var seen: Set<SQLiteValue> = []
        let made = (0..<3).compactMap(self.made)
        return (bounds + SampleValues.values(of: type) + made).filter { allows($0) && seen.insert($0).inserted }
    }

    /// Returns a value that satisfies the limits and that no other number gives; nil if there are no more.
    func made(_ number: Int) -> SQLiteValue? {
        var value: SQLiteValue?
        if let oneOf {
            value = number < oneOf.count ? oneOf[number] : nil
        } else if let pattern {
            value = pattern.text(number, length: minLength).map(SQLiteValue.text)
        } else if case .integer(let least) = minimum {
            let (sum, overflow) = least.addingReportingOverflow(Int64(number))
            value = overflow ? nil : .integer(sum)
        } else if case .integer(let greatest) = maximum {
            let (difference, overflow) = greatest.subtractingReportingOverflow(Int64(number))
            value = overflow ? nil : .integer(difference)
        } else if case .real(let least) = minimum, case .real(let greatest) = maximum {
            // All fractions with the denominator 2^20 between the bounds.
            value = number > 1 << 20 ? nil : .real(least + (greatest - least) * (Double(number) / Double(1 << 20)))
        } else if case .real(let least) = minimum {
            value = .real(least + Double(number))
        } else if case .real(let greatest) = maximum {
            value = .real(greatest - Double(number))
        } else if type == .data {
            value = .blob(Data(padded(String(number, radix: 36)).utf8))
        } else if type == .url {
            value = .text("https://example.com/" + padded(String(number, radix: 36), besides: 20))
        } else {
            value = .text(padded(String(number, radix: 36)))
        }
        if type == .float, case .real(let number)? = value { value = .real(Double(Float(number))) }
        return value.flatMap { allows($0) ? $0 : nil }
    }

    /// Returns `digits` with leading zeros, so that the length is at least the minimum.
    private func padded(_ digits: String, besides length: Int = 0) -> String {
        String(repeating: "0", count: max(0, minLength - length - digits.count)) + digits
    }
}
