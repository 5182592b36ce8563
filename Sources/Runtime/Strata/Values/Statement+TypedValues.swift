import Foundation
import SQLSchema

// Generated code calls these functions. The compiler takes longer for generic or overloaded ones.

extension Statement {
    /// Binds an integer, or NULL for nil.
    @inlinable public func bindInt(_ value: Int?, at index: Int) throws { try bind(value, at: index) }

    /// Binds a Boolean, or NULL for nil.
    @inlinable public func bindBool(_ value: Bool?, at index: Int) throws { try bind(value, at: index) }

    /// Binds a number, or NULL for nil. Throws `UnstorableValue` for NaN.
    @inlinable public func bindDouble(_ value: Double?, at index: Int) throws { try bind(value, at: index) }

    /// Binds a number, or NULL for nil. Throws `UnstorableValue` for NaN.
    @inlinable public func bindFloat(_ value: Float?, at index: Int) throws { try bind(value, at: index) }

    /// Binds text, or NULL for nil.
    @inlinable public func bindString(_ value: String?, at index: Int) throws { try bind(value, at: index) }

    /// Binds a URL, or NULL for nil.
    @inlinable public func bindURL(_ value: URL?, at index: Int) throws { try bind(value, at: index) }

    /// Binds a date, or NULL for nil. Throws `UnstorableValue` for NaN.
    @inlinable public func bindDate(_ value: Date?, at index: Int) throws { try bind(value, at: index) }

    /// Binds bytes, or NULL for nil.
    @inlinable public func bindData(_ value: Data?, at index: Int) throws { try bind(value, at: index) }

    /// Binds a UUID, or NULL for nil.
    @inlinable public func bindUUID(_ value: UUID?, at index: Int) throws { try bind(value, at: index) }

    /// Binds a decimal number, or NULL for nil.
    @inlinable public func bindDecimal(_ value: Decimal?, at index: Int) throws { try bind(value, at: index) }

    /// Binds a color, or NULL for nil. Throws `UnstorableValue` if the text is not `#RRGGBB` or `#RRGGBBAA`.
    public func bindColor(_ value: String?, at index: Int) throws {
        guard value.map(isColor) ?? true else {
            var error = UnstorableValue.notAColor
            error.parameter = index
            throw error
        }
        try bind(value, at: index)
    }
}

extension Equality {
    /// Compares two values.
    @inlinable public mutating func compareInt(_ left: Int?, _ right: Int?) { compare(left, right) }

    /// Compares two values.
    @inlinable public mutating func compareBool(_ left: Bool?, _ right: Bool?) { compare(left, right) }

    /// Compares two values.
    @inlinable public mutating func compareDouble(_ left: Double?, _ right: Double?) { compare(left, right) }

    /// Compares two values.
    @inlinable public mutating func compareFloat(_ left: Float?, _ right: Float?) { compare(left, right) }

    /// Compares two values.
    @inlinable public mutating func compareString(_ left: String?, _ right: String?) { compare(left, right) }

    /// Compares two values.
    @inlinable public mutating func compareURL(_ left: URL?, _ right: URL?) { compare(left, right) }

    /// Compares two values.
    @inlinable public mutating func compareDate(_ left: Date?, _ right: Date?) { compare(left, right) }

    /// Compares two values.
    @inlinable public mutating func compareData(_ left: Data?, _ right: Data?) { compare(left, right) }

    /// Compares two values.
    @inlinable public mutating func compareUUID(_ left: UUID?, _ right: UUID?) { compare(left, right) }

    /// Compares two values.
    @inlinable public mutating func compareDecimal(_ left: Decimal?, _ right: Decimal?) { compare(left, right) }
}
