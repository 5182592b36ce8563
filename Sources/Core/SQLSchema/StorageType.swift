/// The types in which a column stores its values.
package enum StorageType: String, CaseIterable, Hashable, Sendable {
    case integer, real, text, blob
    /// Values of any type.
    case any
}

/// The collations of a text column. Without one, texts are compared byte by byte.
package enum Collation: String, CaseIterable, Hashable, Sendable {
    /// ASCII letters are equal in either case.
    case nocase
    /// Spaces at the end make no difference.
    case rtrim
}

/// The types of single values.
package enum ScalarType: String, CaseIterable, Hashable, Sendable {
    case int, bool, double, float, string, url, color, date, seconds, milliseconds, data, uuid, decimal

    /// The type in which a column stores the values.
    package var storage: StorageType {
        switch self {
        case .int, .bool, .milliseconds: .integer
        case .double, .float, .date, .seconds: .real
        case .string, .url, .color, .decimal: .text
        case .data, .uuid: .blob
        }
    }
}

/// A fixed value, as it is stored.
package enum Literal: Hashable, Sendable {
    /// An integer: `int`, `milliseconds`; 0 or 1 for `bool`.
    case integer(Int64)
    /// A finite number: `double`, `float`, `seconds`; for `date` the seconds since 2001-01-01 UTC.
    case real(Double)
    /// Text: `string`, `url`, `color`; for `decimal` its digits.
    case text(String)
    /// Bytes: `data`; for `uuid` sixteen.
    case blob([UInt8])
}
