import SchemaModel
import SQLSchema

/// A change of type that keeps every value.
public struct TypeChange: Hashable, Sendable {
    /// The type before.
    public let from: ValueType
    /// The type after.
    public let to: ValueType
    /// The change of each value.
    public let values: ValueChange

    /// Creates the change between two scalar types; nil if only a custom migration can change the values.
    public init?(from: ScalarType, to: ScalarType) {
        switch (from, to) {
        case (.bool, .int), (.int, .decimal), (.float, .double), (.bool, .string), (.int, .string), (.url, .string),
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
