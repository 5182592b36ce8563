/// A JSON value to be written.
package indirect enum JSONOutput: Hashable, Sendable {
    /// Text that is already JSON.
    case raw(String)
    case array([JSONOutput])
    case object([Member])

    package struct Member: Hashable, Sendable {
        package var key: String
        package var value: JSONOutput

        package init(_ key: String, _ value: JSONOutput) {
            self.key = key
            self.value = value
        }
    }

    package static func string(_ text: String) -> JSONOutput { .raw(JSON.quoted(text)) }
    package static func bool(_ value: Bool) -> JSONOutput { .raw(value ? "true" : "false") }
    package static let null = JSONOutput.raw("null")

    /// Creates a value to write from a parsed value.
    package init(_ json: JSON) {
        switch json.value {
        case .null: self = .null
        case .bool(let value): self = .bool(value)
        case .number(let text): self = .raw(text)
        case .string(let text): self = .string(text)
        case .array(let elements): self = .array(elements.map(JSONOutput.init))
        case .object(let members):
            self = .object(members.map { Member($0.key, JSONOutput($0.value)) })
        }
    }

    /// The text of a string; nil for other values.
    package var string: String? {
        guard case .raw(let text) = self, text.hasPrefix("\""),
            case .string(let value)? = try? JSONParser.parse(Array(text.utf8)).value
        else { return nil }
        return value
    }

    /// The elements of an array; empty for other values.
    package var elements: [JSONOutput] {
        if case .array(let elements) = self { elements } else { [] }
    }

    /// The members of an object; empty for other values.
    package var members: [Member] {
        if case .object(let members) = self { members } else { [] }
    }

    /// The maximum length of a line, in UTF-8 bytes.
    static let width = 120

    /// Returns the value as text, on one line if it fits.
    ///
    /// - Parameters:
    ///   - indentation: The indentation of the line.
    ///   - taken: The number of further characters on the line.
    package func text(indentation: Int = 0, taken: Int = 0) -> String {
        let line = self.line
        if indentation + taken + line.utf8.count <= Self.width { return line }
        let inner = String(repeating: " ", count: indentation + 2)
        let end = "\n" + String(repeating: " ", count: indentation)
        switch self {
        case .raw(let text): return text
        case .array(let elements):
            let lines = elements.map { inner + $0.text(indentation: indentation + 2, taken: 1) }
            return "[\n" + lines.joined(separator: ",\n") + end + "]"
        case .object(let members):
            let lines = members.map { member in
                let key = JSON.quoted(member.key) + ": "
                return inner + key + member.value.text(indentation: indentation + 2, taken: key.utf8.count + 1)
            }
            return "{\n" + lines.joined(separator: ",\n") + end + "}"
        }
    }

    /// The text of a complete file, with each member on its own line.
    package var file: String {
        guard case .object(let members) = self, !members.isEmpty else { return text() + "\n" }
        let lines = members.map { member in
            let key = "  " + JSON.quoted(member.key) + ": "
            // A list of elements is easier to read with one element a line.
            if case .array(let elements) = member.value,
                ["properties", "cases", "options", "versions"].contains(member.key), !elements.isEmpty
            {
                let lines = elements.map { "    " + $0.text(indentation: 4, taken: 1) }
                return key + "[\n" + lines.joined(separator: ",\n") + "\n  ]"
            }
            return key + member.value.text(indentation: 2, taken: key.utf8.count - 1)
        }
        return "{\n" + lines.joined(separator: ",\n") + "\n}\n"
    }

    private var line: String {
        switch self {
        case .raw(let text): text
        case .array(let elements): "[" + elements.map(\.line).joined(separator: ", ") + "]"
        case .object(let members) where members.isEmpty: "{}"
        case .object(let members):
            "{ " + members.map { JSON.quoted($0.key) + ": " + $0.value.line }.joined(separator: ", ") + " }"
        }
    }
}
