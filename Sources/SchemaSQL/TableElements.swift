extension Table {
    /// The elements of a `CREATE TABLE` statement: what its outermost parentheses hold, separated by its commas.
    public static func elements(of statement: String) -> [String] {
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
}
