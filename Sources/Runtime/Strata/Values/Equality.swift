/// Compares two structs, value by value.
///
/// Generated code uses it. An `==` that Swift synthesizes takes several times as long to compile, and the compiler considers
/// the operator of every struct for each use of `==`.
public struct Equality {
    /// Whether all compared values are equal.
    @inlinable public var holds: Bool { isEqual }
    @usableFromInline var isEqual = true

    /// Creates a comparison without values.
    @inlinable public init() {}

    /// Compares two texts byte by byte, as SQLite does. Swift's `==` calls two forms of a character equal.
    @inlinable public mutating func compare(_ left: String, _ right: String) {
        if isEqual { isEqual = String.isSame(left, right) }
    }

    /// Compares two texts byte by byte.
    @inlinable public mutating func compare(_ left: String?, _ right: String?) {
        guard let left, let right else {
            if isEqual { isEqual = left == nil && right == nil }
            return
        }
        compare(left, right)
    }

    /// Compares texts byte by byte.
    @inlinable public mutating func compare(_ left: [String], _ right: [String]) {
        if isEqual { isEqual = left.elementsEqual(right, by: String.isSame) }
    }

    /// Compares texts byte by byte.
    @inlinable public mutating func compare(_ left: [String]?, _ right: [String]?) {
        if isEqual { isEqual = (left == nil) == (right == nil) }
        compare(left ?? [], right ?? [])
    }

    /// Compares two values.
    @inlinable public mutating func compare<Value: Equatable>(_ left: Value, _ right: Value) {
        if isEqual { isEqual = left == right }
    }
}

/// Whether two values are equal, and texts among them byte by byte.
func areSame<Value: Equatable>(_ left: Value, _ right: Value) -> Bool {
    switch (left, right) {
    case (let left as String, let right as String): String.isSame(left, right)
    case (let left as [String], let right as [String]): left.elementsEqual(right, by: String.isSame)
    default: left == right
    }
}
