import Foundation

/// A value that can be part of JSON in a column. Single values are kept as numbers and strings: a date as the seconds
/// since 2001-01-01 UTC, bytes in base64, a decimal number as its digits, infinity as `"inf"`.
public protocol JSONConvertible: Hashable, Sendable {
    /// The value that `json` stands for.
    ///
    /// - Throws: `MalformedJSON` where it stands for none.
    init(json: JSONReader) throws
    /// Writes the value.
    ///
    /// - Throws: `UnstorableValue` for a number that is none.
    func write(to json: inout JSONWriter) throws
}

extension Int: JSONConvertible {
    /// An integer.
    public init(json: JSONReader) throws { self = try json.number("an integer") { Int($0) } }
    /// Writes the digits.
    public func write(to json: inout JSONWriter) { json.write(raw: String(self)) }
}

extension Bool: JSONConvertible {
    /// `true` or `false`.
    public init(json: JSONReader) throws { self = try json.bool() }
    /// Writes `true` or `false`.
    public func write(to json: inout JSONWriter) { json.write(raw: self ? "true" : "false") }
}

extension Double: JSONConvertible {
    /// A number, or `"inf"` or `"-inf"`.
    public init(json: JSONReader) throws { self = try json.floatingPoint() }
    /// Writes the shortest digits that give the number again.
    public func write(to json: inout JSONWriter) throws { try json.write(floatingPoint: self) }
}

extension Float: JSONConvertible {
    /// A number, or `"inf"` or `"-inf"`.
    public init(json: JSONReader) throws { self = try json.floatingPoint() }
    /// Writes the shortest digits that give the number again.
    public func write(to json: inout JSONWriter) throws { try json.write(floatingPoint: self) }
}

extension String: JSONConvertible {
    /// Text.
    public init(json: JSONReader) throws { self = try json.string() }
    /// Writes the text.
    public func write(to json: inout JSONWriter) { json.write(self) }
}

extension URL: JSONConvertible {
    /// A URL.
    public init(json: JSONReader) throws { self = try json.string("a URL") { URL(string: $0) } }
    /// Writes the URL's text.
    public func write(to json: inout JSONWriter) { json.write(absoluteString) }
}

extension Date: JSONConvertible {
    /// The seconds since 2001-01-01 UTC.
    public init(json: JSONReader) throws { self.init(timeIntervalSinceReferenceDate: try json.floatingPoint()) }
    /// Writes the seconds since 2001-01-01 UTC.
    public func write(to json: inout JSONWriter) throws { try timeIntervalSinceReferenceDate.write(to: &json) }
}

extension Data: JSONConvertible {
    /// Bytes in base64.
    public init(json: JSONReader) throws { self = try json.string("base64") { Data(base64Encoded: $0) } }
    /// Writes the bytes in base64.
    public func write(to json: inout JSONWriter) { json.write(base64EncodedString()) }
}

extension UUID: JSONConvertible {
    /// A UUID.
    public init(json: JSONReader) throws { self = try json.string("a UUID") { UUID(uuidString: $0) } }
    /// Writes hexadecimal digits in capitals, in five groups.
    public func write(to json: inout JSONWriter) { json.write(uuidString) }
}

extension Decimal: JSONConvertible {
    /// Digits in a string.
    public init(json: JSONReader) throws { self = try json.string("a decimal number") { Decimal(stored: $0) } }
    /// Writes the digits as a string.
    public func write(to json: inout JSONWriter) throws {
        if isNaN { throw UnstorableValue.notANumber }
        json.write(description)
    }
}

extension Array: JSONConvertible where Element: JSONConvertible {
    /// A list.
    public init(json: JSONReader) throws { self = try json.list().map { try Element(json: $0) } }
    /// Writes the elements in order.
    public func write(to json: inout JSONWriter) throws { try json.list(self) { try $1.write(to: &$0) } }
}
