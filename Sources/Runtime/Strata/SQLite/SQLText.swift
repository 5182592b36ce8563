/// The text of statements that SQLite keeps of a real database.
package enum SQLText {
    /// The parts of a `CREATE TABLE` statement between its outermost parentheses, which commas separate.
    package static func elements(of statement: String) -> [String] {
        let bytes = Array(statement.utf8)
        var elements: [String] = []
        var depth = 0
        var start = 0
        var index = 0
        func add(_ end: Int) {
            var range = start..<end
            while let first = range.first, bytes[first] <= 0x20 { range = (first + 1)..<range.upperBound }
            while let last = range.last, bytes[last] <= 0x20 { range = range.lowerBound..<last }
            elements.append(String(decoding: bytes[range], as: UTF8.self))
        }
        while index < bytes.count {
            switch bytes[index] {
            case 0x22, 0x27:
                // A quote inside quotes is doubled, and so ends one text and begins the next.
                let quote = bytes[index]
                index += 1
                while index < bytes.count, bytes[index] != quote { index += 1 }
            case 0x28:
                depth += 1
                if depth == 1 { start = index + 1 }
            case 0x29:
                if depth == 1 { add(index) }
                depth -= 1
            case 0x2c where depth == 1:
                add(index)
                start = index + 1
            default: break
            }
            index += 1
        }
        return elements
    }

    /// The unescaped identifier in quotes at the beginning of `text`; nil if there is none.
    package static func leadingIdentifier(_ text: String) -> String? {
        let bytes = Array(text.utf8)
        guard bytes.first == 0x22 else { return nil }
        var name: [UInt8] = []
        var index = 1
        while index < bytes.count {
            if bytes[index] == 0x22 {
                guard index + 1 < bytes.count, bytes[index + 1] == 0x22 else {
                    return String(decoding: name, as: UTF8.self)
                }
                index += 1
            }
            name.append(bytes[index])
            index += 1
        }
        return nil
    }
}
