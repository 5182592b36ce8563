import Foundation

/// A value that can be stored inside JSON.
///
/// A date is stored as the seconds since 2001-01-01 UTC, bytes in base64, a decimal number as a string with its digits, and
/// infinity as `"inf"`.
public protocol JSONConvertible: Hashable, Sendable {
    /// Reads the value from JSON.
    ///
    /// - Throws: `MalformedJSON` if the JSON is not such a value.
    init(json: JSONReader) throws
    /// Writes the value.
    ///
    /// - Throws: `UnstorableValue` for a NaN.
    func write(to json: inout JSONWriter) throws
}

extension Int: JSONConvertible {
    /// Reads an integer.
    public init(json: JSONReader) throws { self = try json.number("an integer") { Int($0) } }
    /// Writes the digits.
    public func write(to json: inout JSONWriter) { json.write(raw: String(self)) }
}

extension Bool: JSONConvertible {
    /// Reads `true` or `false`.
    public init(json: JSONReader) throws { self = try json.bool() }
    /// Writes `true` or `false`.
    public func write(to json: inout JSONWriter) { json.write(raw: self ? "true" : "false") }
}

extension Double: JSONConvertible {
    /// Reads a number, `"inf"` or `"-inf"`.
    public init(json: JSONReader) throws { self = try json.floatingPoint() }
    /// Writes the shortest digits from which the same number can be read.
    public func write(to json: inout JSONWriter) throws { try json.write(floatingPoint: self) }
}

extension Float: JSONConvertible {
    /// Reads a number, `"inf"` or `"-inf"`.
    public init(json: JSONReader) throws { self = try json.floatingPoint() }
    /// Writes the shortest digits from which the same number can be read.
    public func write(to json: inout JSONWriter) throws { try json.write(floatingPoint: self) }
}

extension String: JSONConvertible {
    /// Reads text.
    public init(json: JSONReader) throws { self = try json.string() }
    /// Writes the text.
    public func write(to json: inout JSONWriter) { json.write(self) }
}

extension URL: JSONConvertible {
    /// Reads a URL.
    public init(json: JSONReader) throws { self = try json.string("a URL") { URL(stored: $0) } }
    /// Writes the URL's text.
    public func write(to json: inout JSONWriter) { json.write(absoluteString) }
}

extension Date: JSONConvertible {
    /// Reads the seconds since 2001-01-01 UTC.
    public init(json: JSONReader) throws { self.init(timeIntervalSinceReferenceDate: try json.floatingPoint()) }
    /// Writes the seconds since 2001-01-01 UTC.
    public func write(to json: inout JSONWriter) throws { try timeIntervalSinceReferenceDate.write(to: &json) }
}

extension Data: JSONConvertible {
    /// Reads bytes in base64.
    public init(json: JSONReader) throws { self = try json.string("base64") { Data(base64Encoded: $0) } }
    /// Writes the bytes in base64.
    public func write(to json: inout JSONWriter) { json.write(base64EncodedString()) }
}

extension UUID: JSONConvertible {
    /// Reads a UUID.
    public init(json: JSONReader) throws { self = try json.string("a UUID") { UUID(uuidString: $0) } }
    /// Writes uppercase hexadecimal digits in five groups.
    public func write(to json: inout JSONWriter) { json.write(uuidString) }
}

extension Decimal: JSONConvertible {
    /// Reads a decimal number from a string.
    public init(json: JSONReader) throws { self = try json.string("a decimal number") { Decimal(stored: $0) } }
    /// Writes the digits as a string.
    public func write(to json: inout JSONWriter) throws {
        if isNaN { throw UnstorableValue.notANumber }
        json.write(description)
    }
}

/// A value that can be a key of a dictionary inside JSON: a text or an integer.
public protocol JSONKey: Hashable, Comparable, Sendable, LosslessStringConvertible {}

extension String: JSONKey {}
extension Int: JSONKey {}

extension Dictionary: JSONConvertible where Key: JSONKey, Value: JSONConvertible {
    /// Reads an object.
    public init(json: JSONReader) throws {
        self.init()
        for (text, value) in try json.dictionary() {
            guard let key = Key(text) else { throw json.malformed("an object with keys of type \(Key.self)") }
            self[key] = try Value(json: value)
        }
    }
    /// Writes an object, in the order of its keys.
    ///
    /// - Throws: `UnstorableValue` if a key contains NUL.
    public func write(to json: inout JSONWriter) throws {
        try json.object { json in
            for key in keys.sorted() {
                let text = key.description
                if text.utf8.contains(0) { throw UnstorableValue.nulInKey }
                try json.member(text, self[key])
            }
        }
    }
}

extension Array: JSONConvertible where Element: JSONConvertible {
    /// Reads a list.
    public init(json: JSONReader) throws { self = try json.list().map { try Element(json: $0) } }
    /// Writes a list.
    public func write(to json: inout JSONWriter) throws { try json.list(self) { try $1.write(to: &$0) } }
}
