/// An error for a value that SQLite cannot store unchanged.
public struct UnstorableValue: Error, Hashable, Sendable, CustomStringConvertible {
    /// The index of the parameter that the value was bound to. The first index is 1.
    public internal(set) var parameter: Int
    /// The table and column, such as `movie.rating`; nil if the value is not a property of an entity.
    public internal(set) var column: String?
    /// The reason why SQLite cannot store the value.
    public let reason: String

    static let notANumber = notANumber(at: 0)

    @usableFromInline static func notANumber(at parameter: Int) -> UnstorableValue {
        UnstorableValue(parameter: parameter, reason: "NaN has no form in SQLite")
    }

    /// SQLite's functions for JSON end a key at NUL, so that a migration could lose it.
    static let nulInKey = UnstorableValue(parameter: 0, reason: "a key of a dictionary contains NUL")

    static let notAColor = UnstorableValue(parameter: 0, reason: "a color is #RRGGBB or #RRGGBBAA")

    /// Returns the same error with the table and column of its parameter.
    @usableFromInline func named(_ table: String, _ columns: [String]) -> UnstorableValue {
        var error = self
        if columns.indices.contains(parameter - 1) { error.column = "\(table).\(columns[parameter - 1])" }
        return error
    }

    /// A message with the column or the parameter, and the reason.
    public var description: String {
        "the value of \(column ?? "parameter \(parameter)") cannot be stored: \(reason)"
    }
}
