/// A file in the subset of YAML that `.lucid.yaml` needs: maps and lists, in blocks or in one line, and scalars.
indirect enum SimpleYAML: Hashable, Sendable {
    case scalar(String)
    case list([SimpleYAML])
    case map([String: SimpleYAML])

    /// The text of a scalar; nil for other values.
    var text: String? { if case .scalar(let text) = self { text } else { nil } }
    /// The texts of a list; a scalar is a list of one.
    var texts: [String] {
        switch self {
        case .scalar(let text): [text]
        case .list(let elements): elements.compactMap(\.text)
        case .map: []
        }
    }

    /// Returns the value of a key of a map; nil if there is none.
    subscript(key: String) -> SimpleYAML? { if case .map(let values) = self { values[key] } else { nil } }

    private struct Line {
        var number: Int
        var indentation: Int
        var text: Substring
    }

    /// Parses the text of a file. Its value is a map.
    ///
    /// - Throws: `ImportError`, with the line.
    init(parsing text: String, path: String) throws {
        var lines: [Line] = []
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let content = Self.withoutComment(line)
            let text = content.drop { $0 == " " }
            if text.isEmpty || text == "---" { continue }
            if text.first == "\t" { throw ImportError("a line begins with a tab", path: path, line: index + 1) }
            lines.append(Line(number: index + 1, indentation: content.count - text.count, text: text))
        }
        var position = lines.startIndex
        self = lines.isEmpty ? .map([:]) : try Self.block(lines, &position, lines[0].indentation, path)
        if position < lines.endIndex {
            throw ImportError("this line has another indentation", path: path, line: lines[position].number)
        }
        guard case .map = self else { throw ImportError("the file is not a map of settings", path: path) }
    }

    /// Returns a line without its comment and the space after it.
    private static func withoutComment(_ line: Substring) -> Substring {
        var (quote, last): (Character?, Character) = (nil, " ")
        for index in line.indices {
            let character = line[index]
            if let open = quote {
                if character == open { quote = nil }
            } else if character == "\"" || character == "'", " [,:".contains(last) {
                quote = character
            } else if character == "#", last == " " {
                return line[..<index].trimmingSuffix
            }
            last = character
        }
        return line.trimmingSuffix
    }

    private static func block(
        _ lines: [Line], _ position: inout Int, _ indentation: Int, _ path: String
    ) throws -> SimpleYAML {
        var elements: [SimpleYAML] = []
        var values: [String: SimpleYAML] = [:]
        let isList = lines[position].text.hasPrefix("- ") || lines[position].text == "-"
        while position < lines.endIndex, lines[position].indentation == indentation {
            let line = lines[position]
            if isList != (line.text.hasPrefix("- ") || line.text == "-") { break }
            if isList {
                position += 1
                elements.append(try value(line.text.dropFirst().trimmingPrefix { $0 == " " }, line, path))
                continue
            }
            guard let colon = line.text.firstIndex(of: ":"),
                line.text.index(after: colon) == line.text.endIndex || line.text[line.text.index(after: colon)] == " "
            else { throw ImportError("this is not a setting like \"key: value\"", path: path, line: line.number) }
            let key = unquoted(line.text[..<colon])
            let rest = line.text[line.text.index(after: colon)...].trimmingPrefix { $0 == " " }
            position += 1
            if values[key] != nil { throw ImportError("the key \(key) is there twice", path: path, line: line.number) }
            // A list may have the indentation of its key.
            if rest.isEmpty, position < lines.endIndex,
                lines[position].indentation > indentation
                    || lines[position].indentation == indentation && lines[position].text.hasPrefix("-")
            {
                values[key] = try block(lines, &position, lines[position].indentation, path)
            } else {
                values[key] = try value(rest, line, path)
            }
        }
        return isList ? .list(elements) : .map(values)
    }

    private static func value(_ text: Substring, _ line: Line, _ path: String) throws -> SimpleYAML {
        if let first = text.first, "&*!|>{%@`".contains(first) {
            throw ImportError("this form of YAML is not read; write the value plainly", path: path, line: line.number)
        }
        guard text.first == "[" else { return .scalar(unquoted(text)) }
        guard text.last == "]" else {
            throw ImportError("a list ends on another line; write it on one", path: path, line: line.number)
        }
        return .list(text.dropFirst().dropLast().split(separator: ",").map { .scalar(unquoted($0)) })
    }

    private static func unquoted(_ text: Substring) -> String {
        let plain = text.trimmingPrefix { $0 == " " }.trimmingSuffix
        guard let first = plain.first, first == "\"" || first == "'", plain.count > 1, plain.last == first else {
            return String(plain)
        }
        return String(plain.dropFirst().dropLast())
    }
}

extension Substring {
    fileprivate var trimmingSuffix: Substring {
        var text = self
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }
}
