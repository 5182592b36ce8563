import Descriptions
import JSONText
import SQLSchema

extension JSONOutput {
    /// The name of a type without the brackets of lists and dictionaries; nil for a relationship.
    var innerType: String? {
        string.map { text in
            let range = Self.innerType(of: text)
            return String(text[range])
        }
    }

    /// Returns the type with another name inside the brackets of lists and dictionaries.
    func replacingInnerType(by name: String) -> JSONOutput {
        var text = string ?? ""
        text.replaceSubrange(Self.innerType(of: text), with: name)
        return .string(text)
    }

    private static func innerType(of text: String) -> Range<String.Index> {
        var inner = text[...]
        while let first = inner.first, let last = inner.last {
            if first == "[", last == "]" {
                inner = inner.dropFirst().dropLast()
            } else if first == "{", last == "}", let colon = inner.firstIndex(of: ":") {
                inner = inner[inner.index(after: colon)...].dropLast().drop { $0 == " " }
            } else {
                break
            }
        }
        return inner.startIndex..<inner.endIndex
    }

    /// Changes an element of the list of a key. An element that is only a name stays one unless it changes.
    mutating func changeElement(_ index: Int, of list: String, _ body: (inout JSONOutput) -> Void) {
        guard case .array(var elements)? = self[list] else { return }
        let before = elements[index]
        var value = before
        if before.string != nil { value = .object([Member("name", before)]) }
        let same = value
        body(&value)
        if value == same { return }
        elements[index] = before.string != nil && value.members.count == 1 ? value.members[0].value : value
        self[list] = .array(elements)
    }

    /// Replaces a name at the end of a path of keys: a string, or the strings of a list.
    mutating func changeName(_ old: String, to new: String, in keys: [String]) {
        guard let key = keys.first, var value = self[key] else { return }
        if keys.count > 1 {
            value.changeName(old, to: new, in: Array(keys.dropFirst()))
        } else if value == .string(old) {
            value = .string(new)
        } else if case .array(let names) = value {
            value = .array(names.map { $0 == .string(old) ? .string(new) : $0 })
        }
        if value != self[key] { self[key] = value }
    }

    /// Returns the name of a property of an index, which may have a direction, with another name.
    func changingIndexedName(_ old: String, to new: String) -> JSONOutput {
        guard let text = string, text == old || IndexedName.parse(text).name == old else { return self }
        return .string(new + text.dropFirst(old.count))
    }

    /// Changes the name of a property in a condition: a key of an object, or a name in an expression.
    mutating func changeName(_ old: String, to new: String, inCondition key: String) {
        if case .object(let members) = self[key] {
            self[key] = .object(members.map { $0.key == old ? .init(new, $0.value) : $0 })
        } else if let text = self[key]?.string, let expression = try? RowExpression(parsing: text),
            expression.columns.contains(old)
        {
            self[key] = .string(expression.mapColumns { $0 == old ? new : $0 }.text)
        }
    }
}
