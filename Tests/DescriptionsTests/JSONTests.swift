import JSONText
import Testing

@testable import Descriptions

@Suite struct JSONTests {
    private func parse(_ text: String) throws -> JSON {
        try SourceFile(path: "a.json", bytes: Array(text.utf8)).json()
    }

    @Test func `strings are read with their escapes`() throws {
        guard case .string(let text) = try parse(#""\"\\\/\b\f\n\r\t\u00e9\ud83e\uddfa 🧺""#).value else {
            Issue.record("no string")
            return
        }
        #expect(text == "\"\\/\u{8}\u{c}\n\r\té🧺 🧺")
    }

    @Test(arguments: ["0", "-0", "12", "-1.5", "1e5", "1E+5", "1.25e-10", "123456789012345678901234567890"])
    func `numbers stay as they are written`(text: String) throws {
        guard case .number(let number) = try parse(text).value else {
            Issue.record("no number")
            return
        }
        #expect(number == text)
    }

    @Test(arguments: [
        "+1", "01", "1.", ".5", "1e", "1e+", "--1", "NaN", "Infinity", "0x10", "'a'", "[1,]", "{\"a\":1,}", "[", "]",
        "{", "}",
        "{\"a\"}", "{1:2}", "\"\\u12\"", "\"\\udc00\"", "\"\\ud800\\u0041\"", "\"\\x\"", "tru", "nul", "truefalse",
        "[1 2]",
        "\u{feff}1", "1 2", "\"a\nb\"", "//1", "",
    ])
    func `text that RFC 8259 does not allow is an error at a position inside the file`(text: String) throws {
        #expect {
            try parse(text)
        } throws: { error in
            guard let position = (error as? Diagnostic)?.position else { return false }
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            return position.line >= 1 && position.line <= lines.count
                && position.column >= 1 && position.column <= lines[position.line - 1].utf8.count + 1
        }
    }

    @Test func `every key and every value has its line and column`() throws {
        let file = SourceFile(path: "a.json", bytes: Array("{\n  \"é\": [1,\n\t2]\n}".utf8))
        guard case .object(let members) = try file.json().value,
            case .array(let elements) = members[0].value.value
        else {
            Issue.record("no array")
            return
        }
        #expect(file.position(of: members[0].keyOffset) == Position(line: 2, column: 3))
        #expect(file.position(of: elements[0].offset) == Position(line: 2, column: 10))
        #expect(file.position(of: elements[1].offset) == Position(line: 3, column: 2))
    }
}
