/// A fixed value, as it is stored.
package enum Literal: Hashable, Sendable {
    /// An integer: `int`, `milliseconds`; 0 or 1 for `bool`.
    case integer(Int64)
    /// A finite number: `double`, `float`, `seconds`; for `date` the seconds since 2001-01-01 UTC.
    case real(Double)
    /// Text: `string`, `url`, `color`; for `decimal` its digits.
    case text(String)
    /// Bytes: `data`; for `uuid` sixteen.
    case blob([UInt8])

    /// The number of bytes of a text or of a blob; 0 for a number.
    package var byteCount: Int {
        switch self {
        case .integer, .real: 0
        case .text(let text): text.utf8.count
        case .blob(let bytes): bytes.count
        }
    }

    /// Returns the number that a text denotes; nil if it is not finite, or if a double cannot hold it: a whole number with
    /// too many digits, or a number so small that it would become 0.
    package static func double(_ text: String) -> Double? {
        guard let value = Double(text), value.isFinite else { return nil }
        let digits = text.utf8.prefix { $0 != UInt8(ascii: "e") && $0 != UInt8(ascii: "E") }
        if value == 0 { return digits.contains { (0x31...0x39).contains($0) } ? nil : 0 }
        if let whole = whole(text), Int64(exactly: value) != whole { return nil }
        return value
    }

    /// Returns the whole number that a text denotes, such as `3` or `3.0`; nil if it denotes another number.
    package static func whole(_ text: String) -> Int64? {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        return parts.dropFirst().joined().allSatisfy { $0 == "0" } ? parts.first.flatMap { Int64($0) } : nil
    }
}
