import SchemaModel
import SQLSchema

/// A change of type that keeps every value. A whole number that no double can hold becomes the nearest one.
package struct TypeChange: Hashable, Sendable {
    /// The type before.
    package let from: ValueType
    /// The type after.
    package let to: ValueType
    /// The change of each value.
    package let values: ValueChange

    /// Creates the change between two scalar types; nil if only a custom migration can change the values.
    package init?(from: ScalarType, to: ScalarType) {
        switch (from, to) {
        case (.bool, .int), (.int, .decimal), (.int, .double), (.float, .double), (.bool, .string), (.int, .string),
            (.url, .string),
            (.color, .string), (.uuid, .string):
            self.init(from: .scalar(from), to: .scalar(to), .scalar(from, to))
        default:
            return nil
        }
    }

    init(from: ValueType, to: ValueType, _ values: ValueChange) {
        self.from = from
        self.to = to
        self.values = values
    }
}
