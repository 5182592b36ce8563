import JSONText
import SQLSchema

extension JSONOutput {
    /// The value of a member of an object. A new member is inserted before the version history and the lists of
    /// elements.
    package subscript(key: String) -> JSONOutput? {
        get {
            guard case .object(let members) = self else { return nil }
            return members.first { KeyTable.anyCanonical($0.key) == key }?.value
        }
        set {
            guard case .object(var members) = self else { return }
            if let index = members.firstIndex(where: { KeyTable.anyCanonical($0.key) == key }) {
                if let newValue { members[index].value = newValue } else { members.remove(at: index) }
            } else if let newValue {
                let end = members.firstIndex {
                    ["version_history", "properties", "cases", "versions"].contains($0.key)
                }
                members.insert(Member(key, newValue), at: end ?? members.count)
            }
            self = .object(members)
        }
    }

    /// Appends an element to the array of a key, which is created if it is absent.
    package mutating func append(_ element: JSONOutput, to key: String) {
        guard case .object(var members) = self else { return }
        if let index = members.firstIndex(where: { KeyTable.anyCanonical($0.key) == key }),
            case .array(let elements) = members[index].value
        {
            members[index].value = .array(elements + [element])
        } else {
            members.append(Member(key, .array([element])))
        }
        self = .object(members)
    }

    /// Changes an element of the array of a key.
    ///
    /// - Parameters:
    ///   - position: The position of the element, not counting unused elements.
    ///   - key: The key.
    ///   - body: Changes the element.
    package mutating func change(_ position: Int, of key: String, _ body: (inout JSONOutput) -> Void) {
        guard case .array(var elements)? = self[key] else { return }
        let used = elements.indices.filter { elements[$0]["unused"] != .bool(true) }
        guard used.indices.contains(position) else { return }
        // An element that consists only of its name may be written as the name.
        if case .raw = elements[used[position]] {
            elements[used[position]] = .object([Member("name", elements[used[position]])])
        }
        let before = elements[used[position]]
        body(&elements[used[position]])
        if elements[used[position]] != before { self[key] = .array(elements) }
    }

    /// Returns whether two values are equal. An absent value equals null and false.
    package static func isSame(_ left: JSONOutput?, _ right: JSONOutput?) -> Bool {
        func plain(_ value: JSONOutput?) -> JSONOutput? { value == .null || value == .bool(false) ? nil : value }
        guard let left = plain(left), let right = plain(right) else { return plain(left) == plain(right) }
        if case .object(let one) = left, case .object(let other) = right {
            return Set(one) == Set(other)
        }
        return left == right
    }
}
