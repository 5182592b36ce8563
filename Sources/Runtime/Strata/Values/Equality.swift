/// Compares two primary keys, value by value.
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

/// Compares entities by the properties that their table stores. So a generated struct needs no `==` of its own.
final class EntityComparison<Entity>: Sendable {
    private let properties: [PropertyComparison<Entity>]

    init(_ paths: [PartialKeyPath<Entity>]) {
        func areSame(_ left: [String], _ right: [String]) -> Bool { left.elementsEqual(right, by: String.isSame) }
        properties = paths.map { path in
            switch path {
            case let path as KeyPath<Entity, String>: TypedComparison(path, String.isSame)
            case let path as KeyPath<Entity, String?>: TypedComparison(path, unlessNil(String.isSame))
            case let path as KeyPath<Entity, [String]>: TypedComparison(path, areSame)
            case let path as KeyPath<Entity, [String]?>: TypedComparison(path, unlessNil(areSame))
            default:
                // A property of an entity is `Equatable`, because the entity is.
                (type(of: path).valueType as? any Equatable.Type).flatMap { Self.comparison(of: path, $0) }
                    ?? PropertyComparison()
            }
        }
    }

    private static func comparison<Value: Equatable>(
        of path: PartialKeyPath<Entity>, _: Value.Type
    ) -> PropertyComparison<Entity>? {
        guard let path = path as? KeyPath<Entity, Value> else { return nil }
        return TypedComparison(path, ==)
    }

    func areEqual(_ left: Entity, _ right: Entity) -> Bool {
        for property in properties where !property.areEqual(left, right) { return false }
        return true
    }
}

private func unlessNil<Value>(_ areEqual: @escaping (Value, Value) -> Bool) -> (Value?, Value?) -> Bool {
    { left, right in
        guard let left, let right else { return left == nil && right == nil }
        return areEqual(left, right)
    }
}

/// Compares a property of two entities.
///
/// `@unchecked Sendable` is sound: the only subclass has two constants, the key path of a stored property, which captures
/// nothing, and a function of its two arguments alone.
private class PropertyComparison<Entity>: @unchecked Sendable {
    func areEqual(_ left: Entity, _ right: Entity) -> Bool { false }
}

private final class TypedComparison<Entity, Value>: PropertyComparison<Entity>, @unchecked Sendable {
    private let path: KeyPath<Entity, Value>
    private let comparison: (Value, Value) -> Bool

    init(_ path: KeyPath<Entity, Value>, _ areEqual: @escaping (Value, Value) -> Bool) {
        (self.path, comparison) = (path, areEqual)
    }

    override func areEqual(_ left: Entity, _ right: Entity) -> Bool {
        comparison(left[keyPath: path], right[keyPath: path])
    }
}

extension Equatable {
    func isSame(as other: Any) -> Bool { (other as? Self).map { areSame(self, $0) } ?? false }
}
