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

    /// Returns the parts of `CREATE TABLE` without the names of their constraints.
    package static func unnamed(_ elements: [String]) -> [String] {
        elements.map { element in
            var (parts, isName) = ([Substring](), false)
            // Every second part is in quotes. A quote inside quotes ends one text and begins the next.
            var rest = element[...]
            while let quote = rest.firstIndex(where: { $0 == "\"" || $0 == "'" }) {
                let end = rest[rest.index(after: quote)...].firstIndex(of: rest[quote]).map(rest.index(after:))
                let text = rest[quote..<(end ?? rest.endIndex)]
                let before = rest[..<quote]
                isName = before.hasSuffix("CONSTRAINT ") || isName && before.isEmpty
                parts.append(before)
                if !isName { parts.append(text) }
                rest = rest[text.endIndex...]
            }
            return (parts + [rest]).joined()
        }
    }

    /// The condition of a `CREATE INDEX` statement, which follows the list of columns; nil if there is none.
    package static func condition(ofIndex statement: String) -> String? {
        let bytes = Array(statement.utf8)
        var depth = 0
        var index = 0
        while index < bytes.count {
            switch bytes[index] {
            case 0x22, 0x27, 0x60, 0x5b:
                let quote: UInt8 = bytes[index] == 0x5b ? 0x5d : bytes[index]
                index += 1
                while index < bytes.count, bytes[index] != quote { index += 1 }
            case 0x28: depth += 1
            case 0x29:
                depth -= 1
                guard depth == 0 else { break }
                let rest = String(decoding: bytes[(index + 1)...], as: UTF8.self).drop { $0.isWhitespace }
                return rest.lowercased().hasPrefix("where") ? String(rest.dropFirst(5).drop { $0.isWhitespace }) : nil
            default: break
            }
            index += 1
        }
        return nil
    }
}
