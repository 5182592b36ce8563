/// Whether the values of two structs are the same, which are compared one after the other.
///
/// It is for generated code: what Swift synthesizes takes several times as long to compile, and an operator in each struct
/// is looked at wherever another struct is found to have one.
public struct Equality {
    /// Whether all that were compared are the same.
    @inlinable public var holds: Bool { isEqual }
    @usableFromInline var isEqual = true

    /// Nothing is compared yet.
    @inlinable public init() {}

    /// Compares two values.
    @inlinable public mutating func compare<Value: Equatable>(_ left: Value, _ right: Value) {
        if isEqual { isEqual = left == right }
    }
}
