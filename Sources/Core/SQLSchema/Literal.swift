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
