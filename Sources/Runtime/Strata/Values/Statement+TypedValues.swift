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
