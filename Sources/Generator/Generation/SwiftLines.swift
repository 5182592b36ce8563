import Foundation

/// Breaks long lines of Swift source at their brackets. Templates need not consider the lengths of values.
///
/// A line is broken at its last closure or, if it has none, at its last list in brackets. The elements of the list fill
/// as few lines as possible. Comments and multi-line strings stay unchanged.
enum SwiftLines {
    /// The maximum number of columns of a line.
    private static let limit = 120

    /// Returns `source` with its long lines broken.
    static func broken(_ source: String) -> String {
        var source = source
        return source.withUTF8 { bytes in
            guard let start = bytes.baseAddress else { return "" }
            var result = ""
            // `copied` is the end of the text that the result contains. Splitting the text into lines would take
            // several times as long.
            var (copied, line) = (0, 0)
            var isInString = false
            while line < bytes.count {
                let rest = UnsafeRawPointer(start + line)
                let end =
                    memchr(rest, 0x0a, bytes.count - line).map { line + (UnsafeRawPointer($0) - rest) } ?? bytes.count
                if end - line > limit || end - line > 2 && start[end - 1] == quote && start[end - 2] == quote
                    || isInString
                {
                    let text = String(decoding: bytes[line..<end], as: UTF8.self)
                    if isInString {
                        isInString = !text.drop { $0 == " " }.hasPrefix("\"\"\"")
                    } else {
                        isInString = text.hasSuffix("\"\"\"")
                        if end - line > limit {
                            result += String(decoding: bytes[copied..<line], as: UTF8.self)
                            result += broken(line: text).joined(separator: "\n")
                            copied = end
                        }
                    }
                }
                line = end + 1
            }
            return result + String(decoding: bytes[copied...], as: UTF8.self)
        }
    }

    private static let quote = UInt8(ascii: "\"")

    /// A list or a closure in a line, with the offsets of its brackets.
    private struct Group {
        let start: Int
        let end: Int
        let isClosure: Bool
        /// The offsets of the commas between its elements.
        let commas: [Int]
    }

    private static func broken(line: String) -> [String] {
        let bytes = Array(line.utf8)
        let indentation = bytes.prefix { $0 == 0x20 }.count
        guard bytes.count > limit, !bytes[indentation...].starts(with: "//".utf8), let group = group(in: bytes) else {
            return [line]
        }
        func text(_ range: Range<Int>) -> String {
            var (start, end) = (range.lowerBound, range.upperBound)
            while start < end, bytes[start] == 0x20 { start += 1 }
            while end > start, bytes[end - 1] == 0x20 { end -= 1 }
            return String(decoding: bytes[start..<end], as: UTF8.self)
        }
        let outer = String(repeating: " ", count: indentation)
        let inner = outer + "    "
        let starts = [group.start + 1] + group.commas.map { $0 + 1 }
        let elements = zip(starts, group.commas.map { $0 + 1 } + [group.end]).map { text($0..<$1) }
        var lines: [String] = []
        for element in elements {
            if let last = lines.last, last.utf8.count + 1 + element.utf8.count <= limit {
                lines[lines.count - 1] = last + " " + element
            } else {
                lines.append(inner + element)
            }
        }
        let head = outer + text(0..<group.start + 1)
        let tail = outer + text(group.end..<bytes.count)
        return ([head] + lines + [tail]).flatMap(broken(line:))
    }

    /// Returns the last closure in a line that is not inside other brackets, or else the last list in brackets. Empty
    /// brackets are ignored.
    private static func group(in bytes: [UInt8]) -> Group? {
        var found: Group?
        var depth = 0
        // A line may close brackets that an earlier line has opened.
        var start: Int?
        var commas: [Int] = []
        var index = 0
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\""):
                index = endOfString(in: bytes, from: index)
            case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"):
                if depth == 0 { (start, commas) = (index, []) }
                depth += 1
            case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"):
                depth = max(0, depth - 1)
                let isClosure = bytes[index] == UInt8(ascii: "}")
                if depth == 0, let start, index > start + 1, isClosure || found?.isClosure != true {
                    found = Group(start: start, end: index, isClosure: isClosure, commas: isClosure ? [] : commas)
                }
            case UInt8(ascii: ",") where depth == 1:
                commas.append(index)
            default: break
            }
            index += 1
        }
        return found
    }

    /// Returns the offset of the quote that ends the string literal whose first quote is at `start`.
    private static func endOfString(in bytes: [UInt8], from start: Int) -> Int {
        var hashes = 0
        while hashes < start, bytes[start - 1 - hashes] == UInt8(ascii: "#") { hashes += 1 }
        var index = start + 1
        while index < bytes.count {
            if hashes == 0, bytes[index] == UInt8(ascii: "\\") {
                index += 2
            } else if bytes[index] == UInt8(ascii: "\""),
                hashes == 0 || bytes[(index + 1)...].starts(with: repeatElement(UInt8(ascii: "#"), count: hashes))
            {
                return index
            } else {
                index += 1
            }
        }
        return bytes.count
    }
}
