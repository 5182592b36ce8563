extension JSON {
    /// Appends `text` to `bytes` as a JSON string. Only the characters that RFC 8259, section 7, requires are escaped.
    package static func append(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(0x22)
        for byte in text.utf8 {
            switch byte {
            case 0x22, 0x5c: bytes += [0x5c, byte]
            case 0x0a: bytes += [0x5c, 0x6e]
            case 0x0d: bytes += [0x5c, 0x72]
            case 0x09: bytes += [0x5c, 0x74]
            case 0..<0x20:
                let digits = Array("0123456789abcdef".utf8)
                bytes += Array("\\u00".utf8) + [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            default: bytes.append(byte)
            }
        }
        bytes.append(0x22)
    }

    /// Returns `text` as a JSON string.
    package static func quoted(_ text: String) -> String {
        var bytes: [UInt8] = []
        append(text, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns a number as JSON. JSON has no infinities and no NaN; they become the strings `"inf"`, `"-inf"` and
    /// `"nan"`.
    package static func number(_ value: Double) -> String {
        let value = value == 0 ? 0 : value
        return value.isFinite ? value.description : quoted(value.description)
    }
}
