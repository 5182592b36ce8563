import Foundation

/// The changes of type that keep every value, as the migrations' SQL has them, for `init(migrating:)`.
public enum Conversion {
    /// 1 for true and 0 for false.
    public static func int(_ value: Bool) -> Int { value ? 1 : 0 }
    /// The same number.
    public static func decimal(_ value: Int) -> Decimal { Decimal(value) }
    /// The same number.
    public static func double(_ value: Float) -> Double { Double(value) }
    /// `true` or `false`.
    public static func string(_ value: Bool) -> String { value ? "true" : "false" }
    /// The digits.
    public static func string(_ value: Int) -> String { String(value) }
    /// The URL's text.
    public static func string(_ value: URL) -> String { value.absoluteString }
    /// Hexadecimal digits in capitals, in five groups.
    public static func string(_ value: UUID) -> String { value.uuidString }
    /// The color's text.
    public static func string(_ value: String) -> String { value }

    /// 1 for true and 0 for false, or nil.
    public static func int(_ value: Bool?) -> Int? { value.map(int) }
    /// The same number, or nil.
    public static func decimal(_ value: Int?) -> Decimal? { value.map(decimal) }
    /// The same number, or nil.
    public static func double(_ value: Float?) -> Double? { value.map(double) }
    /// `true` or `false`, or nil.
    public static func string(_ value: Bool?) -> String? { value.map { string($0) } }
    /// The digits, or nil.
    public static func string(_ value: Int?) -> String? { value.map { string($0) } }
    /// The URL's text, or nil.
    public static func string(_ value: URL?) -> String? { value.map { string($0) } }
    /// Hexadecimal digits in capitals, in five groups, or nil.
    public static func string(_ value: UUID?) -> String? { value.map { string($0) } }
    /// The color's text, or nil.
    public static func string(_ value: String?) -> String? { value }
}
