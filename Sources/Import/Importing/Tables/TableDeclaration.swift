/// The parts of a `CREATE TABLE` statement that no pragma reports.
struct TableDeclaration {
    /// A CHECK constraint.
    struct Check: Hashable {
        /// The name; nil if the constraint has none.
        var name: String?
        /// The condition, without the enclosing parentheses.
        var condition: String
    }

    /// The CHECK constraints.
    private(set) var checks: [Check] = []
    /// The expressions of the generated columns, in the order of the columns.
    private(set) var generated: [String] = []
    /// Whether the primary key of a deleted row is never reused.
    private(set) var isAutoincrement = false

    /// Parses the statement. Quoted names, string literals and comments are skipped
    /// (https://sqlite.org/lang_comment.html, https://sqlite.org/lang_keywords.html).
    init(_ sql: String) {
        let bytes = Array(sql.utf8)
        var place = 0
        var lastWord = ""
        var depth = 0
        var open: (start: Int, depth: Int, isCheck: Bool)?
        var constraint: String?
        func isWord(_ byte: UInt8) -> Bool {
            byte == UInt8(ascii: "_") || byte >= 0x80 || (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte)
                || (0x61...0x7a).contains(byte)
        }
        func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
        while place < bytes.count {
            let byte = bytes[place]
            switch byte {
            case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"), UInt8(ascii: "["):
                let end = byte == UInt8(ascii: "[") ? UInt8(ascii: "]") : byte
                // A doubled quote reads as the end of one quoted part and the start of the next. Both parts are
                // skipped.
                let start = place
                place = bytes[(place + 1)...].firstIndex(of: end).map { $0 + 1 } ?? bytes.count
                if lastWord == "CONSTRAINT" { constraint = text((start + 1)..<max(start + 1, place - 1)) }
                lastWord = ""
            case UInt8(ascii: "-") where place + 1 < bytes.count && bytes[place + 1] == byte:
                place = bytes[place...].firstIndex(of: 0x0a) ?? bytes.count
            case UInt8(ascii: "/") where place + 1 < bytes.count && bytes[place + 1] == UInt8(ascii: "*"):
                place += 2
                while place + 1 < bytes.count, (bytes[place], bytes[place + 1]) != (0x2a, 0x2f) { place += 1 }
                place += 2
            case UInt8(ascii: "("):
                depth += 1
                place += 1
                if open == nil, lastWord == "CHECK" || lastWord == "AS" { open = (place, depth, lastWord == "CHECK") }
                lastWord = ""
            case UInt8(ascii: ")"):
                if let found = open, found.depth == depth {
                    let expression = text(found.start..<place)
                    if found.isCheck {
                        checks.append(Check(name: constraint, condition: expression))
                        constraint = nil
                    } else {
                        generated.append(expression)
                    }
                    open = nil
                }
                depth -= 1
                place += 1
                lastWord = ""
            case _ where isWord(byte):
                let start = place
                while place < bytes.count, isWord(bytes[place]) { place += 1 }
                let word = text(start..<place)
                if lastWord == "CONSTRAINT" { constraint = word }
                lastWord = word.uppercased()
                if lastWord == "AUTOINCREMENT" { isAutoincrement = true }
            case 0x20, 0x09, 0x0a, 0x0d: place += 1
            default:
                if byte == UInt8(ascii: ","), open == nil { constraint = nil }
                lastWord = ""
                place += 1
            }
        }
    }
}
