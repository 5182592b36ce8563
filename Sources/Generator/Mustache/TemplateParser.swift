/// Splits the text of a template into tokens, as the Mustache specification defines them
/// (https://github.com/mustache/spec: comments, delimiters, interpolation, inverted, partials, sections).
struct TemplateParser {
    private let template: String
    private let bytes: [UInt8]
    /// The offsets of the newlines.
    private let newlines: [Int]
    private var index = 0
    private var opening: [UInt8] = [0x7b, 0x7b]
    private var closing: [UInt8] = [0x7d, 0x7d]
    private var open: [Section] = []
    private var tokens: [Token] = []
    /// The start of the text that belongs to no token yet.
    private var textStart = 0

    /// A section whose closing tag has not been read yet.
    private struct Section {
        let name: Name
        let isInverted: Bool
        let outer: [Token]
    }

    static func parse(_ source: String, template: String) throws(TemplateError) -> [Token] {
        var parser = TemplateParser(template: template, bytes: Array(source.utf8))
        try parser.parse()
        return parser.tokens
    }

    private init(template: String, bytes: [UInt8]) {
        self.template = template
        self.bytes = bytes
        newlines = bytes.indices.filter { bytes[$0] == 0x0a }
    }

    private mutating func parse() throws(TemplateError) {
        while index < bytes.count {
            guard matches(opening, at: index) else {
                index += 1
                continue
            }
            try parseTag()
        }
        flush(upTo: bytes.count)
        if let section = open.last {
            throw error("the section `\(section.name.text)` is never closed", at: section.name)
        }
    }

    private mutating func parseTag() throws(TemplateError) {
        let start = index
        var content = index + opening.count
        let kind = content < bytes.count ? bytes[content] : 0
        var ending = closing
        switch kind {
        case 0x7b: ending = [0x7d] + closing
        case 0x3d: ending = [0x3d] + closing
        default: break
        }
        if [0x7b, 0x26, 0x23, 0x5e, 0x2f, 0x3e, 0x21, 0x3d].contains(kind) { content += 1 }
        guard let end = find(ending, from: content) else { throw error("this tag is never closed", at: start) }
        let after = end + ending.count
        let text = trimmed(content..<end)
        let (line, column) = position(of: start)
        let name = Name(text, line: line, column: column)

        var indentation = ""
        var resume = after
        flushBefore: if [0x23, 0x5e, 0x2f, 0x3e, 0x21, 0x3d].contains(kind) {
            guard let alone = standaloneLine(start..<after) else {
                flush(upTo: start)
                break flushBefore
            }
            indentation = String(decoding: bytes[alone.lowerBound..<start], as: UTF8.self)
            flush(upTo: alone.lowerBound)
            resume = alone.upperBound
        } else {
            flush(upTo: start)
        }
        index = resume
        textStart = resume

        if kind != 0x21, kind != 0x3d, text.isEmpty { throw error("this tag has no name", at: start) }
        switch kind {
        case 0x21: break
        case 0x3d: try setDelimiters(text, at: start)
        case 0x23, 0x5e:
            open.append(Section(name: name, isInverted: kind == 0x5e, outer: tokens))
            tokens = []
        case 0x2f:
            guard let section = open.popLast() else { throw error("there is no section `\(text)` to close", at: start) }
            guard section.name.text == text else {
                throw error("`\(text)` is closed where `\(section.name.text)` is open", at: start)
            }
            tokens = section.outer + [.section(section.name, isInverted: section.isInverted, tokens)]
        case 0x3e: tokens.append(.partial(name, indentation: indentation))
        default: tokens.append(.variable(name, isEscaped: kind != 0x7b && kind != 0x26))
        }
    }

    private mutating func setDelimiters(_ text: String, at start: Int) throws(TemplateError) {
        let parts = text.split(whereSeparator: \.isWhitespace)
        guard parts.count == 2, !text.contains("=") else { throw error("these are no delimiters", at: start) }
        opening = Array(parts[0].utf8)
        closing = Array(parts[1].utf8)
    }

    /// Returns the range of the tag's line, with its line feed; nil if the line contains more than the tag and white
    /// space.
    private func standaloneLine(_ tag: Range<Int>) -> Range<Int>? {
        var start = tag.lowerBound
        while start > textStart, bytes[start - 1] == 0x20 || bytes[start - 1] == 0x09 { start -= 1 }
        guard start == 0 || bytes[start - 1] == 0x0a else { return nil }
        var end = tag.upperBound
        while end < bytes.count, bytes[end] == 0x20 || bytes[end] == 0x09 { end += 1 }
        if end == bytes.count { return start..<end }
        if bytes[end] == 0x0a { return start..<(end + 1) }
        if bytes[end] == 0x0d, end + 1 < bytes.count, bytes[end + 1] == 0x0a { return start..<(end + 2) }
        return nil
    }

    private mutating func flush(upTo end: Int) {
        if textStart < end { tokens.append(.text(String(decoding: bytes[textStart..<end], as: UTF8.self))) }
        textStart = end
    }

    private func matches(_ mark: [UInt8], at offset: Int) -> Bool {
        guard offset + mark.count <= bytes.count else { return false }
        for index in mark.indices where bytes[offset + index] != mark[index] { return false }
        return true
    }

    private func find(_ mark: [UInt8], from start: Int) -> Int? {
        var offset = start
        while offset + mark.count <= bytes.count {
            if matches(mark, at: offset) { return offset }
            offset += 1
        }
        return nil
    }

    private func trimmed(_ range: Range<Int>) -> String {
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0d).contains(byte) }
        var range = range
        while let first = range.first, isSpace(bytes[first]) { range = (first + 1)..<range.upperBound }
        while let last = range.last, isSpace(bytes[last]) { range = range.lowerBound..<last }
        return String(decoding: bytes[range], as: UTF8.self)
    }

    private func position(of offset: Int) -> (line: Int, column: Int) {
        let before = newlines.prefix { $0 < offset }
        return (before.count + 1, offset - (before.last ?? -1))
    }

    private func error(_ message: String, at name: Name) -> TemplateError {
        TemplateError(template: template, line: name.line, column: name.column, message: message)
    }

    private func error(_ message: String, at offset: Int) -> TemplateError {
        let (line, column) = position(of: offset)
        return TemplateError(template: template, line: line, column: column, message: message)
    }
}
