import SQLSchema

/// The SQL that you write for a custom migration on a server.
package struct ServerInstructions: Hashable, Sendable {
    /// The functions that compute a row of the new version, by the name of its table.
    package var functions: [String: String] = [:]
    /// The statements that copy the rows of tables whose primary keys change, by the name of the table.
    package var copies: [String: String] = [:]
    /// Statements that run in the phase `contract`, before the old tables and columns are dropped.
    package var contract: String?

    package init() {}

    /// Returns the text of a file as a statement, without the semicolon at its end.
    package static func statement(_ text: String) -> String {
        var end = Substring(text)
        while let last = end.last, last.isWhitespace || last == ";" { end.removeLast() }
        return String(end)
    }

    /// The name of the function that computes a row.
    static func functionName(_ table: String, _ from: String, _ to: String) -> String {
        "strata_migrate_\(table)_\(from)_to_\(to)"
    }

    static func unwritten(_ table: String, _ from: String, _ to: String) -> String {
        let name = PostgreSQL.quoted(functionName(table, from, to))
        return
            "CREATE OR REPLACE FUNCTION \(name)(row_ \(PostgreSQL.quoted(table))) RETURNS \(PostgreSQL.quoted(table)) "
            + "LANGUAGE plpgsql AS $strata$\nBEGIN\n"
            + "    RAISE EXCEPTION 'the migration of \(table) from \(from) to \(to) is not written yet';\n"
            + "END\n$strata$"
    }

    static func unwrittenCopy(of table: String, _ from: String, _ to: String) -> String {
        "DO $strata$ BEGIN\n"
            + "    RAISE EXCEPTION 'the copy of \(table) from \(from) to \(to) is not written yet';\nEND $strata$"
    }
}
