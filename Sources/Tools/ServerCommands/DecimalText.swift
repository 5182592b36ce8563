/// A decimal number as PostgreSQL writes a `numeric`, without an exponent.
struct DecimalText {
    private let isNegative: Bool
    private let whole: [UInt8]
    private var fraction: [UInt8]

    /// The digits before and after the point that PostgreSQL can store.
    private static let limits = (whole: 131_072, fraction: 16_383)
    private static let zero = UInt8(ascii: "0")

    /// Reads a number such as `-1.50e3`; nil if it is none, or if PostgreSQL cannot store it.
    init?(_ text: String) {
        var rest = Array(text.utf8)[...]
        func digits() -> [UInt8] {
            let digits = Array(rest.prefix { (48...57).contains($0) })
            rest.removeFirst(digits.count)
            return digits
        }
        let sign = rest.first
        if sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") { rest.removeFirst() }
        var all = digits()
        var point = all.count
        if rest.first == UInt8(ascii: ".") {
            rest.removeFirst()
            all += digits()
        }
        if all.isEmpty { return nil }
        if let mark = rest.popFirst() {
            guard mark | 0x20 == UInt8(ascii: "e"), let exponent = Int(String(decoding: rest, as: UTF8.self)),
                abs(exponent) < 1_000_000
            else { return nil }
            point += exponent
        }
        guard point <= Self.limits.whole, all.count - point <= Self.limits.fraction else { return nil }
        isNegative = sign == UInt8(ascii: "-") && all.contains { $0 != Self.zero }
        all.insert(contentsOf: repeatElement(Self.zero, count: max(0, -point)), at: 0)
        all.append(contentsOf: repeatElement(Self.zero, count: max(0, point - all.count)))
        whole = Array(all.prefix(max(0, point)).drop { $0 == Self.zero })
        fraction = Array(all.dropFirst(max(0, point)))
    }

    var text: String {
        let whole = whole.isEmpty ? "0" : String(decoding: whole, as: UTF8.self)
        return (isNegative ? "-" : "") + whole
            + (fraction.isEmpty ? "" : "." + String(decoding: fraction, as: UTF8.self))
    }

    /// The number without zeros at the end of its fraction.
    var trimmed: DecimalText {
        var number = self
        while number.fraction.last == Self.zero { number.fraction.removeLast() }
        return number
    }
}
