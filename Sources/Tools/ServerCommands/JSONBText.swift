import JSONText

/// The text of a JSON value as PostgreSQL writes a `jsonb` (https://www.postgresql.org/docs/15/datatype-json.html): members sorted
/// by the length and then the bytes of their keys, and numbers without exponents.
enum JSONBText {
    /// Returns the text of a value.
    ///
    /// - Throws: `CopyFormat.Problem` if PostgreSQL would refuse or change the value.
    static func text(of text: String) throws(CopyFormat.Problem) -> String {
        let json: JSON
        do {
            json = try JSONParser.parse(Array(text.utf8))
        } catch {
            switch error.problem {
            case .duplicateKey(let key): throw .json("the key \(key.debugDescription) occurs twice")
            case .nestedTooDeep(let depth): throw .json("it has more than \(depth) levels")
            default: throw .json("byte \(error.offset + 1) is wrong")
            }
        }
        var bytes: [UInt8] = []
        try append(json, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func append(_ json: JSON, to line: inout [UInt8]) throws(CopyFormat.Problem) {
        switch json.value {
        case .null: line += "null".utf8
        case .bool(let value): line += (value ? "true" : "false").utf8
        case .number(let text):
            guard let number = DecimalText(text) else { throw .decimal(text) }
            line += number.text.utf8
        case .string(let text): try append(string: text, to: &line)
        case .array(let elements):
            line.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { line += ", ".utf8 }
                try append(element, to: &line)
            }
            line.append(UInt8(ascii: "]"))
        case .object(let members):
            line.append(UInt8(ascii: "{"))
            let sorted = members.map { (key: Array($0.key.utf8), member: $0) }.sorted { one, other in
                one.key.count == other.key.count
                    ? one.key.lexicographicallyPrecedes(other.key) : one.key.count < other.key.count
            }
            for (index, entry) in sorted.enumerated() {
                if index > 0 { line += ", ".utf8 }
                try append(string: entry.member.key, to: &line)
                line += ": ".utf8
                try append(entry.member.value, to: &line)
            }
            line.append(UInt8(ascii: "}"))
        }
    }

    private static func append(string text: String, to line: inout [UInt8]) throws(CopyFormat.Problem) {
        line.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case 0: throw .nul
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): line += [UInt8(ascii: "\\"), byte]
            case 8: line += "\\b".utf8
            case 9: line += "\\t".utf8
            case 10: line += "\\n".utf8
            case 12: line += "\\f".utf8
            case 13: line += "\\r".utf8
            case 0..<32: line += ("\\u00" + (byte < 16 ? "0" : "") + String(byte, radix: 16)).utf8
            default: line.append(byte)
            }
        }
        line.append(UInt8(ascii: "\""))
    }
}
