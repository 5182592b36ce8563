/// A change of type that keeps every value, defined once, in SQL.
public struct Conversion: Hashable, Sendable {
    /// The type before.
    public let from: ScalarType
    /// The type after.
    public let to: ScalarType

    /// The conversion between the types, or nil where only a person can say what the values become.
    public init?(from: ScalarType, to: ScalarType) {
        switch (from, to) {
        case (.bool, .int), (.int, .decimal), (.float, .double), (.bool, .string), (.int, .string), (.url, .string),
            (.color, .string), (.uuid, .string):
            self.from = from
            self.to = to
        default:
            return nil
        }
    }

    /// The new value, where `value` is SQL for the old one. NULL stays NULL.
    public func sql(_ value: String) -> String {
        switch (from, to) {
        case (.bool, .string):
            return "CASE \(value) WHEN 0 THEN 'false' WHEN 1 THEN 'true' END"
        case (.int, .string), (.int, .decimal):
            return "CAST(\(value) AS TEXT)"
        case (.uuid, .string):
            let hex = "hex(\(value))"
            let parts = [(1, 8), (9, 4), (13, 4), (17, 4), (21, 12)].map { "substr(\(hex), \($0), \($1))" }
            // `hex(NULL)` is the empty text, so NULL needs a word of its own.
            return "CASE WHEN \(value) IS NOT NULL THEN " + parts.joined(separator: " || '-' || ") + " END"
        default:
            return value
        }
    }
}
