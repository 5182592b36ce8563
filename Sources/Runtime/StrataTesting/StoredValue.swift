import Foundation
import JSONText
import Strata

/// A value whose texts are compared byte by byte. Swift treats two spellings of é as equal.
struct StoredValue: Equatable {
    let value: SQLiteValue

    static func == (left: StoredValue, right: StoredValue) -> Bool {
        guard case .text(let one) = left.value, case .text(let other) = right.value else {
            return left.value == right.value
        }
        // Without optimisation, comparing the bytes one by one would take long.
        return Data(one.utf8) == Data(other.utf8)
    }
}

extension SQLiteValue {
    /// Returns whether two values are the same. JSON objects and arrays are compared by content, whatever the order of
    /// members. A member that is null means the same as an absent one.
    func isSame(as other: SQLiteValue) -> Bool {
        if StoredValue(value: self) == StoredValue(value: other) { return true }
        guard case .text(let left) = self, case .text(let right) = other, let before = Self.structure(left),
            let after = Self.structure(right)
        else { return false }
        return Self.isSame(before, after)
    }

    private static func structure(_ text: String) -> JSON? {
        guard text.hasPrefix("{") || text.hasPrefix("[") else { return nil }
        return try? JSONParser.parse(Array(text.utf8))
    }

    private static func isSame(_ left: JSON, _ right: JSON) -> Bool {
        switch (left.value, right.value) {
        case (.null, .null): return true
        case (.bool(let left), .bool(let right)): return left == right
        case (.number(let left), .number(let right)): return left == right
        case (.string(let left), .string(let right)): return left.utf8.elementsEqual(right.utf8)
        case (.array(let left), .array(let right)):
            return left.count == right.count && zip(left, right).allSatisfy { isSame($0, $1) }
        case (.object(let left), .object(let right)):
            let (left, right) = (left.filter { !isNull($0.value) }, right.filter { !isNull($0.value) })
            guard left.count == right.count else { return false }
            return left.allSatisfy { member in
                right.contains { $0.key == member.key && isSame($0.value, member.value) }
            }
        default: return false
        }
    }

    private static func isNull(_ value: JSON) -> Bool {
        if case .null = value.value { true } else { false }
    }
}
