import Foundation

/// The type conversions that keep every value. They give the same results as the SQL of inferred migrations. The
/// generated `init(migrating:)` uses them.
public enum MigratedValue {
    /// Returns 1 for true and 0 for false.
    public static func int(_ value: Bool) -> Int { value ? 1 : 0 }
    /// Returns the same number.
    public static func decimal(_ value: Int) -> Decimal { Decimal(value) }
    /// Returns the same number.
    public static func double(_ value: Float) -> Double { Double(value) }
    /// Returns `true` or `false`.
    public static func string(_ value: Bool) -> String { value ? "true" : "false" }
    /// Returns the decimal digits.
    public static func string(_ value: Int) -> String { String(value) }
    /// Returns the URL's text.
    public static func string(_ value: URL) -> String { value.absoluteString }
    /// Returns the UUID as uppercase hexadecimal digits in five groups.
    public static func string(_ value: UUID) -> String { value.uuidString }
    /// Returns the color's text.
    public static func string(_ value: String) -> String { value }

    /// Returns 1 for true and 0 for false; nil for nil.
    public static func int(_ value: Bool?) -> Int? { value.map(int) }
    /// Returns the same number; nil for nil.
    public static func decimal(_ value: Int?) -> Decimal? { value.map(decimal) }
    /// Returns the same number; nil for nil.
    public static func double(_ value: Float?) -> Double? { value.map(double) }
    /// Returns `true` or `false`; nil for nil.
    public static func string(_ value: Bool?) -> String? { value.map { string($0) } }
    /// Returns the decimal digits; nil for nil.
    public static func string(_ value: Int?) -> String? { value.map { string($0) } }
    /// Returns the URL's text; nil for nil.
    public static func string(_ value: URL?) -> String? { value.map { string($0) } }
    /// Returns the UUID as uppercase hexadecimal digits in five groups; nil for nil.
    public static func string(_ value: UUID?) -> String? { value.map { string($0) } }
    /// Returns the color's text; nil for nil.
    public static func string(_ value: String?) -> String? { value }
}
