import Strata

/// A fault of a migration that changes the rows of a table: SQL, with the name of the table for `%t`, that of the row
/// number for `%r`, and that of a column for `%c`.
struct RowFault: Sendable {
    /// The columns for which the SQL runs.
    enum Columns {
        /// It runs once for a table.
        case none
        case integerKey, reference, position
    }

    let name: String
    var columns = Columns.none
    let sql: String

    static let all = [
        RowFault(name: "the first row is lost", sql: "DELETE FROM %t WHERE %r = (SELECT min(%r) FROM %t)"),
        RowFault(name: "the last row is lost", sql: "DELETE FROM %t WHERE %r = (SELECT max(%r) FROM %t)"),
        RowFault(
            name: "rows after the 100th are lost",
            sql: "DELETE FROM %t WHERE %r IN (SELECT %r FROM %t ORDER BY %r LIMIT -1 OFFSET 100)"),
        RowFault(
            name: "every 50th row is lost",
            sql: """
                DELETE FROM %t WHERE %r IN \
                (SELECT id FROM (SELECT %r AS id, row_number() OVER (ORDER BY %r) AS n FROM %t) WHERE n % 50 = 0)
                """),
        RowFault(
            name: "keys of 2^40 to 2^60 are lost", columns: .integerKey,
            sql: "DELETE FROM %t WHERE %c BETWEEN 1 << 40 AND 1 << 60"),
        RowFault(
            name: "keys of 2^40 to 2^60 are others", columns: .integerKey,
            sql: "UPDATE OR IGNORE %t SET %c = %c + 2 WHERE %c BETWEEN 1 << 40 AND 1 << 60"),
        RowFault(
            name: "keys pass through a Double", columns: .integerKey,
            sql: "UPDATE OR IGNORE %t SET %c = CAST(CAST(%c AS REAL) AS INTEGER) WHERE CAST(%c AS REAL) != %c"),
        RowFault(
            name: "every 50th reference is lost", columns: .reference,
            sql: """
                UPDATE OR IGNORE %t SET %c = NULL WHERE %c IS NOT NULL AND %r IN \
                (SELECT id FROM (SELECT %r AS id, row_number() OVER (ORDER BY %r) AS n FROM %t) WHERE n % 50 = 0)
                """),
        RowFault(
            name: "the last reference is another row's", columns: .reference,
            sql: """
                UPDATE OR IGNORE %t SET %c = (SELECT min(o.%c) FROM %t AS o WHERE o.%c IS NOT %t.%c) \
                WHERE %r = (SELECT max(%r) FROM %t WHERE %c IS NOT NULL)
                """),
        RowFault(
            name: "all positions are moved by one", columns: .position,
            sql: """
                UPDATE %t SET %c = -2 - %c WHERE %c IS NOT NULL; UPDATE %t SET %c = -1 - %c WHERE %c IS NOT NULL
                """),
        RowFault(
            name: "all positions are 0", columns: .position,
            sql: "UPDATE OR IGNORE %t SET %c = 0 WHERE %c > 0"),
        RowFault(
            name: "the order is reversed", columns: .position,
            sql: "UPDATE OR IGNORE %t SET %c = 1000 - %c WHERE %c IS NOT NULL"),
    ]
}
