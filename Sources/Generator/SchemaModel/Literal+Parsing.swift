import Foundation
import SQLSchema

extension Literal {
    /// Parses a value of a scalar type, in the form in which the type is stored. The result is nil if the text is not a
    /// value of the type, or if the type has no single textual form.
    ///
    /// - Parameters:
    ///   - text: A number, the contents of a string, a URL, a color, a UUID, or the digits of a decimal number.
    ///   - type: The type.
    package init?(_ text: String, type: ScalarType) {
        switch type {
        case .int, .milliseconds:
            guard let value = Int64(text) else { return nil }
            self = .integer(value)
        case .double, .seconds:
            guard let value = Self.double(text) else { return nil }
            self = .real(value)
        case .float:
            guard let double = Self.double(text), let value = Float(text), value.isFinite else { return nil }
            if value == 0, double != 0 { return nil }
            if let whole = Self.whole(text), Int64(exactly: value) != whole { return nil }
            self = .real(value == 0 ? 0 : Double(value))
        case .string:
            if text.utf8.contains(0) { return nil }
            self = .text(text)
        case .url:
            guard let url = URL(string: text) else { return nil }
            self = .text(url.absoluteString)
        case .color:
            guard isColor(text) else { return nil }
            self = .text(text)
        case .uuid:
            guard let uuid = UUID(uuidString: text) else { return nil }
            self = withUnsafeBytes(of: uuid.uuid) { .blob([UInt8]($0)) }
        case .decimal:
            guard let value = Self.decimal(text) else { return nil }
            self = .text(value.description)
        case .bool, .date, .data: return nil
        }
    }

    /// Parses a decimal number; nil if `text` contains anything else, or more digits than a `Decimal` stores.
    private static func decimal(_ text: String) -> Decimal? {
        guard let match = text.wholeMatch(of: /[+-]?([0-9]+)(?:\.([0-9]+))?(?:[eE][+-]?[0-9]{1,3})?/) else {
            return nil
        }
        let digits = (match.1 + (match.2 ?? "")).drop { $0 == "0" }
        guard digits.count <= 38, let value = Decimal(string: text), !value.isNaN else { return nil }
        return value
    }
}
