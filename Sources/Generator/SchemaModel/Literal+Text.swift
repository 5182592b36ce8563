import Foundation
import JSONText
import SQLSchema

extension Literal {
    /// The value, as the lock and messages show it.
    package var text: String {
        switch self {
        case .integer(let value): String(value)
        case .real(let value): String(value)
        case .text(let value): SchemaModel.quoted(value)
        case .blob: SQLite.literal(self)
        }
    }
}

extension ValueLimit {
    /// The limit as messages name it, such as `"minimum": 0`.
    package var description: String { "\"\(kind.rawValue)\": \(valueText)" }

    /// The value of the limit, as the lock and messages show it.
    package var valueText: String {
        switch self {
        case .minimum(let value), .maximum(let value): value.text
        case .minLength(let length), .maxLength(let length): String(length)
        case .pattern(let pattern): SchemaModel.quoted(pattern)
        case .oneOf(let values): "(\(values.map(\.text).joined(separator: ", ")))"
        }
    }
}

extension Literal {
    /// Returns the value as JSON.
    package func json(type: ScalarType) -> String {
        switch self {
        case .integer(let value): type == .bool ? (value == 0 ? "false" : "true") : String(value)
        case .real(let value): type == .float ? Float(value).description : JSON.number(value)
        case .text(let value): JSON.quoted(value)
        case .blob(let bytes) where type == .uuid: JSON.quoted(Self.uuid(bytes))
        case .blob(let bytes): JSON.quoted(Data(bytes).base64EncodedString())
        }
    }

    private static func uuid(_ bytes: [UInt8]) -> String {
        let digits = hexadecimal(bytes)
        var text = ""
        for (index, digit) in digits.enumerated() {
            if [8, 12, 16, 20].contains(index) { text += "-" }
            text.append(digit)
        }
        return text
    }
}

/// Returns `text` in double quotes. Characters that would end its line or its field are escaped.
package func quoted(_ text: String) -> String {
    var result = "\""
    let scalars = Array(text.unicodeScalars)
    for (index, scalar) in scalars.enumerated() {
        // A bar between spaces separates the elements of a logical line. The operator || does not.
        let isDouble = index > 0 && scalars[index - 1] == "|" || index + 1 < scalars.count && scalars[index + 1] == "|"
        switch scalar {
        case "\"", "\\": result += "\\" + String(scalar)
        case "\n": result += "\\n"
        case "|" where !isDouble: result += "\\u{7c}"
        default:
            let isPlain = scalar.value >= 0x20 && scalar.value != 0x7f && scalar.value != 0x2028
            result += isPlain ? String(scalar) : "\\u{" + String(scalar.value, radix: 16) + "}"
        }
    }
    return result + "\""
}
