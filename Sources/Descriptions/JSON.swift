/// A JSON value and where it stands.
struct JSON: Sendable {
    /// What a JSON value may be; a number stays as it was written.
    enum Value: Sendable {
        case null
        case bool(Bool)
        case number(String)
        case string(String)
        case array([JSON])
        case object([Member])
    }

    /// A key of an object and its value.
    struct Member: Sendable {
        let key: String
        let keyOffset: Int
        let value: JSON
    }

    let value: Value
    /// The offset of the first byte in the file.
    let offset: Int

    /// What the value is, in words.
    var kind: String {
        switch value {
        case .null: "null"
        case .bool: "a boolean"
        case .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }

    /// What the value is, as it was written where that is short.
    var shown: String {
        switch value {
        case .number(let text) where text.utf8.count <= 40: text
        case .bool(let value): String(value)
        case .string(let text) where text.utf8.count <= 40 && !text.unicodeScalars.contains { $0.value < 0x20 }:
            "\"\(text)\""
        default: kind
        }
    }

    var isNull: Bool {
        if case .null = value { true } else { false }
    }
}
