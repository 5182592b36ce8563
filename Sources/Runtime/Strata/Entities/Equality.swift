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

    /// Compares two values.
    @inlinable public mutating func compare<Value: Equatable>(_ left: Value, _ right: Value) {
        if isEqual { isEqual = left == right }
    }
}
