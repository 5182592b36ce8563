import Foundation

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
        if isEqual { isEqual = areSame(left, right) }
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
@usableFromInline func areSame<Value: Equatable>(_ left: Value, _ right: Value) -> Bool {
    switch (left, right) {
    case (let left as String, let right as String): String.isSame(left, right)
    case (let left as [String], let right as [String]): areSame(left, right)
    default: left == right
    }
}

/// Whether two tuples are equal, and texts among their values byte by byte.
@usableFromInline func areSameTuples<each Value: Equatable>(
    _ left: (repeat each Value), _ right: (repeat each Value)
) -> Bool {
    for (left, right) in repeat (each left, each right) {
        if !areSame(left, right) { return false }
    }
    return true
}

/// Returns a function that compares lists by their elements.
func areSameLists<Element>(
    by areSame: @escaping @Sendable (Element, Element) -> Bool
) -> @Sendable ([Element], [Element]) -> Bool {
    { $0.count == $1.count && zip($0, $1).allSatisfy(areSame) }
}

/// Compares entities by the properties that their table stores. Generated structs do not declare `==`.
@usableFromInline final class EntityComparison<Entity>: Sendable {
    /// The types that are compared without a call of a function.
    @usableFromInline enum Kind: Sendable {
        case int, optionalInt, double, optionalDouble, date, optionalDate, bool
        case text, optionalText, texts, optionalTexts
        /// Another type, with the position in `others`.
        case other(Int)
    }

    @usableFromInline let properties: [(kind: Kind, offset: Int)]
    @usableFromInline let others: [any ValueComparison]

    /// Creates a comparison of the stored properties at key paths; nil if one is not stored in the entity itself.
    init?(_ paths: [PartialKeyPath<Entity>]) {
        var properties: [(Kind, Int)] = []
        var others: [any ValueComparison] = []
        for path in paths {
            guard let offset = MemoryLayout<Entity>.offset(of: path),
                let type = type(of: path).valueType as? any Equatable.Type
            else { return nil }
            if let kind = Self.kind(of: type) {
                properties.append((kind, offset))
            } else {
                properties.append((.other(others.count), offset))
                others.append(Self.comparison(of: type))
            }
        }
        (self.properties, self.others) = (properties, others)
    }

    @inlinable func areEqual(_ left: Entity, _ right: Entity) -> Bool {
        withUnsafePointer(to: left) { left in
            withUnsafePointer(to: right) { right in
                for (kind, offset) in properties {
                    let (left, right) = (UnsafeRawPointer(left) + offset, UnsafeRawPointer(right) + offset)
                    if !areEqual(kind, left, right) { return false }
                }
                return true
            }
        }
    }

    @inlinable func areEqual(_ kind: Kind, _ left: UnsafeRawPointer, _ right: UnsafeRawPointer) -> Bool {
        switch kind {
        case .int: Strata.areEqual(left, right, as: Int.self)
        case .optionalInt: Strata.areEqual(left, right, as: Int?.self)
        case .double: Strata.areEqual(left, right, as: Double.self)
        case .optionalDouble: Strata.areEqual(left, right, as: Double?.self)
        case .date: Strata.areEqual(left, right, as: Date.self)
        case .optionalDate: Strata.areEqual(left, right, as: Date?.self)
        case .bool: Strata.areEqual(left, right, as: Bool.self)
        case .text: String.isSame(load(left, as: String.self), load(right, as: String.self))
        case .optionalText: areSame(load(left, as: String?.self), load(right, as: String?.self), String.isSame)
        case .texts: areSame(load(left, as: [String].self), load(right, as: [String].self))
        case .optionalTexts: areSame(load(left, as: [String]?.self), load(right, as: [String]?.self), areSame)
        case .other(let index): others[index].areEqual(left, right)
        }
    }

    private static func kind(of type: any Equatable.Type) -> Kind? {
        switch type {
        case is Int.Type: .int
        case is Int?.Type: .optionalInt
        case is Double.Type: .double
        case is Double?.Type: .optionalDouble
        case is Date.Type: .date
        case is Date?.Type: .optionalDate
        case is Bool.Type: .bool
        case is String.Type: .text
        case is String?.Type: .optionalText
        case is [String].Type: .texts
        case is [String]?.Type: .optionalTexts
        default: (type as? any RawEntityID.Type)?.isInteger == true ? .int : nil
        }
    }

    private static func comparison<Value: Equatable>(of type: Value.Type) -> any ValueComparison {
        EquatableComparison<Value>()
    }
}

/// Compares a value of two entities in memory.
@usableFromInline protocol ValueComparison: Sendable {
    func areEqual(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer) -> Bool
}

private struct EquatableComparison<Value: Equatable>: ValueComparison {
    func areEqual(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer) -> Bool {
        Strata.areEqual(left, right, as: Value.self)
    }
}

extension RawEntityID {
    /// Whether a primary key is nothing but an integer in memory.
    fileprivate static var isInteger: Bool {
        RawValue.self == Int.self && MemoryLayout<Self>.size == MemoryLayout<Int>.size
    }
}

/// Returns the value at a position in memory. Where the result could be optional, name the type: the compiler could infer another one.
@inlinable @inline(__always) func load<Value>(_ position: UnsafeRawPointer, as type: Value.Type = Value.self) -> Value {
    position.assumingMemoryBound(to: type).pointee
}

/// Whether the values at two positions in memory are equal.
@inlinable @inline(__always) func areEqual<Value: Equatable>(
    _ left: UnsafeRawPointer, _ right: UnsafeRawPointer, as type: Value.Type
) -> Bool {
    let (left, right): (Value, Value) = (load(left, as: type), load(right, as: type))
    return left == right
}

@inlinable func areSame<Value>(_ left: Value?, _ right: Value?, _ areSame: (Value, Value) -> Bool) -> Bool {
    guard let left, let right else { return left == nil && right == nil }
    return areSame(left, right)
}

@inlinable func areSame(_ left: [String], _ right: [String]) -> Bool {
    left.elementsEqual(right, by: String.isSame)
}

extension Equatable {
    func isSame(as other: Any) -> Bool { (other as? Self).map { areSame(self, $0) } ?? false }
}
