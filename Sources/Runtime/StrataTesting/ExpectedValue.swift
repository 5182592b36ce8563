import SQLSchema
import Strata

/// The expected value of a column after a step.
///
/// StrataTesting computes it in Swift from the old row. On purpose, it shares nothing with the SQL expressions and the
/// Swift functions with which a migration converts values: an error in these would be an error of the expectation too.
public indirect enum ExpectedValue: Hashable, Sendable {
    /// The unchanged value of a column of the old row.
    case column(String)
    /// A fixed value.
    case value(SQLiteValue)
    /// The first value, or the second one if the first is NULL.
    case first(ExpectedValue, ExpectedValue)
    /// A value of another type, or of a type with another definition. NULL stays NULL.
    case converted(ExpectedValue, ValueConversion)
    /// The first value, or `otherwise` if the first violates a limit. The collation decides which texts are equal.
    case limited(
        ExpectedValue, [ColumnLimit], otherwise: SQLiteValue, collation: TextCollation = .binary)

    /// The columns of the old row on which the value depends, in the order of `value(of:)`.
    var columns: [String] {
        switch self {
        case .column(let name): [name]
        case .value: []
        case .first(let first, let second): first.columns + second.columns
        case .converted(let value, _), .limited(let value, _, _, _): value.columns
        }
    }

    /// Returns the value for an old row.
    ///
    /// - Parameter row: The values of `columns`. The ones that this value uses are removed.
    func value(of row: inout ArraySlice<SQLiteValue>) throws -> SQLiteValue {
        switch self {
        case .column: return row.popFirst() ?? .null
        case .value(let value): return value
        case .first(let first, let second):
            let values = (try first.value(of: &row), try second.value(of: &row))
            return values.0 == .null ? values.1 : values.0
        case .converted(let old, let conversion):
            let value = try old.value(of: &row)
            return value == .null ? .null : try conversion.converted(value)
        case .limited(let old, let limits, let otherwise, let collation):
            let value = try old.value(of: &row)
            return limits.allSatisfy { $0.allows(value, collation) } ? value : otherwise
        }
    }

    /// Returns the value as one of an older row; nil if `columns` lacks a column.
    ///
    /// - Parameter columns: The values of the columns of the row, as values of the older row.
    func substituting(_ columns: [String: ExpectedValue]) -> ExpectedValue? {
        switch self {
        case .column(let name): return columns[name]
        case .value: return self
        case .first(let first, let second):
            guard let first = first.substituting(columns), let second = second.substituting(columns) else { return nil }
            return .first(first, second)
        case .converted(let value, let conversion):
            return value.substituting(columns).map { .converted($0, conversion) }
        case .limited(let value, let limits, let otherwise, let collation):
            return value.substituting(columns).map {
                .limited($0, limits, otherwise: otherwise, collation: collation)
            }
        }
    }
}

/// The rule that decides which texts are equal.
public enum TextCollation: Hashable, Sendable {
    /// Texts with the same bytes are equal.
    case binary
    /// ASCII letters are equal in either case.
    case nocase
    /// Spaces at the end make no difference.
    case rtrim

    /// Returns a text that is the same for all texts that are equal.
    fileprivate func folded(_ text: String) -> [UInt8] {
        let bytes = Array(text.utf8)
        switch self {
        case .binary: return bytes
        case .nocase: return bytes.map { (0x41...0x5a).contains($0) ? $0 + 0x20 : $0 }
        case .rtrim: return Array(bytes.prefix((bytes.lastIndex { $0 != 0x20 } ?? -1) + 1))
        }
    }
}

extension ColumnLimit {
    fileprivate func allows(_ value: SQLiteValue, _ collation: TextCollation) -> Bool {
        guard case .oneOf(let values) = self, case .text(let text) = value else { return allows(value) }
        return values.contains { allowed in
            if case .text(let allowed) = allowed { collation.folded(allowed) == collation.folded(text) } else { false }
        }
    }
}
