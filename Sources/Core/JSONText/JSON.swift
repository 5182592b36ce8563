/// A JSON value and its position.
package struct JSON: Sendable {
    /// The kinds of JSON values. A number keeps its text.
    package enum Value: Sendable {
        case null
        case bool(Bool)
        case number(String)
        case string(String)
        case array([JSON])
        case object([Member])
    }

    /// A key of an object and its value.
    package struct Member: Sendable {
        package let key: String
        package let keyOffset: Int
        package let value: JSON

        /// Creates a key and its value.
        package init(key: String, keyOffset: Int, value: JSON) {
            self.key = key
            self.keyOffset = keyOffset
            self.value = value
        }
    }

    package let value: Value
    /// The offset of the first byte in the file.
    package let offset: Int
    /// The offset after the last byte in the file.
    package let end: Int

    /// Creates a value.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - offset: The offset of the first byte in the file.
    ///   - end: The offset after the last byte; nil if it is unknown. In that case, `offset` is used.
    package init(value: Value, offset: Int, end: Int? = nil) {
        self.value = value
        self.offset = offset
        self.end = end ?? offset
    }

    /// The kind of the value, in words.
    package var kind: String {
        switch value {
        case .null: "null"
        case .bool: "a boolean"
        case .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }

    /// The text of the value if it is short, or else its kind.
    package var shown: String {
        switch value {
        case .number(let text) where text.utf8.count <= 40: text
        case .bool(let value): String(value)
        case .string(let text) where text.utf8.count <= 40 && !text.unicodeScalars.contains { $0.value < 0x20 }:
            "\"\(text)\""
        case .string: "this string"
        default: kind
        }
    }

    /// The kind of an array whose elements should be strings: `an array with a number`. For other values, this is `kind`.
    package var kindOfElements: String {
        guard case .array(let elements) = value else { return kind }
        let other = elements.first { if case .string = $0.value { false } else { true } }
        return other.map { "an array with \($0.kind)" } ?? (elements.isEmpty ? "an empty array" : kind)
    }

    package var isNull: Bool {
        if case .null = value { true } else { false }
    }
}
