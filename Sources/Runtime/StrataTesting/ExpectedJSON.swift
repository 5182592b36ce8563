/// A JSON value of an expectation.
///
/// The structs of the app read JSON with other code, so that an error in one of the two does not hide itself.
enum ExpectedJSON: Equatable {
    case null
    case bool(Bool)
    /// A number with its exact text.
    case number(String)
    case string(String)
    case array([ExpectedJSON])
    case object([Member])

    struct Member: Equatable {
        let name: String
        var value: ExpectedJSON
    }

    /// Parses a text; nil if it is not JSON.
    init?(_ text: String) {
        var scanner = Scanner(rest: Array(text.unicodeScalars)[...])
        guard let value = scanner.value(), scanner.isAtEnd else { return nil }
        self = value
    }

    /// The value as text.
    var text: String {
        switch self {
        case .null: "null"
        case .bool(let value): value ? "true" : "false"
        case .number(let text): text
        case .string(let text): Self.quoted(text)
        case .array(let elements): "[" + elements.map(\.text).joined(separator: ",") + "]"
        case .object(let members):
            "{" + members.map { Self.quoted($0.name) + ":" + $0.value.text }.joined(separator: ",") + "}"
        }
    }

    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": quoted += "\\\(scalar)"
            case "\u{0}"..<" ":
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }

    private struct Scanner {
        var rest: ArraySlice<Unicode.Scalar>

        var isAtEnd: Bool { rest.allSatisfy(Self.isSpace) }

        private static func isSpace(_ scalar: Unicode.Scalar) -> Bool { " \t\n\r".unicodeScalars.contains(scalar) }

        private mutating func next() -> Unicode.Scalar? {
            rest = rest.drop(while: Self.isSpace)
            return rest.first
        }

        private mutating func skip(_ word: String) -> Bool {
            guard next() != nil, rest.starts(with: word.unicodeScalars) else { return false }
            rest.removeFirst(word.unicodeScalars.count)
            return true
        }

        mutating func value() -> ExpectedJSON? {
            switch next() {
            case "{": return list("{", "}") { $0.member() }.map(ExpectedJSON.object)
            case "[": return list("[", "]") { $0.value() }.map(ExpectedJSON.array)
            case "\"": return string().map(ExpectedJSON.string)
            case "n": return skip("null") ? .null : nil
            case "t": return skip("true") ? .bool(true) : nil
            case "f": return skip("false") ? .bool(false) : nil
            default:
                let digits = rest.prefix { "+-.0123456789eE".unicodeScalars.contains($0) }
                rest = rest.dropFirst(digits.count)
                return digits.isEmpty ? nil : .number(String(String.UnicodeScalarView(digits)))
            }
        }

        private mutating func list<Element>(
            _ open: String, _ close: String, _ element: (inout Scanner) -> Element?
        ) -> [Element]? {
            var elements: [Element] = []
            guard skip(open) else { return nil }
            if skip(close) { return elements }
            repeat {
                guard let next = element(&self) else { return nil }
                elements.append(next)
            } while skip(",")
            return skip(close) ? elements : nil
        }

        private mutating func member() -> Member? {
            guard let name = string(), skip(":"), let value = value() else { return nil }
            return Member(name: name, value: value)
        }

        private mutating func string() -> String? {
            guard skip("\"") else { return nil }
            var units: [UInt16] = []
            while let scalar = rest.popFirst(), scalar != "\"" {
                guard scalar == "\\" else {
                    units += Array(String(scalar).utf16)
                    continue
                }
                switch rest.popFirst() {
                case "n": units.append(10)
                case "r": units.append(13)
                case "t": units.append(9)
                case "b": units.append(8)
                case "f": units.append(12)
                case "u":
                    guard let unit = UInt16(String(String.UnicodeScalarView(rest.prefix(4))), radix: 16) else {
                        return nil
                    }
                    rest = rest.dropFirst(4)
                    units.append(unit)
                case let other?: units += Array(String(other).utf16)
                case nil: return nil
                }
            }
            return String(decoding: units, as: UTF16.self)
        }
    }
}
