import SQLSchema

/// The SQL that you write for a custom migration on a server: a file for each table, by the name of the file.
package struct ServerInstructions: Hashable, Sendable {
    /// The texts of the files.
    package let files: [String: String]

    package init(files: [String: String]) { self.files = files }

    /// The file whose statements run in the phase `contract`, before old tables and columns are dropped.
    static let contractFile = "contract.sql"

    /// Returns a text as statements, without the semicolon at its end.
    static func statement(_ text: String) -> String {
        var end = Substring(text)
        while let last = end.last, last.isWhitespace || last == ";" { end.removeLast() }
        return String(end)
    }

    /// Whether a file is still a stub.
    package static func isUnwritten(_ text: String) -> Bool { text.contains(mark) }

    private static let mark = "is not written yet"

    /// The name of the function that computes a row.
    static func functionName(_ table: String, _ from: String, _ to: String) -> String {
        "strata_migrate_\(table)_\(from)_to_\(to)"
    }

    /// Returns the stub of a function that computes a row.
    static func function(_ change: TableTransition, table: String, _ from: String, _ to: String) -> String {
        let name = PostgreSQL.quoted(functionName(change.new.name, from, to))
        let row = PostgreSQL.quoted(table)
        let columns = change.customColumns.map { column -> String in
            let present = change.present(column.name)
            return present == column.name ? present : "\(present), which becomes \(column.name)"
        }
        let task =
            columns.isEmpty
            ? "-- It may change any column." : "-- It has to set: \(columns.joined(separator: "; "))."
        return """
            -- The migration of \(change.new.name) from \(from) to \(to) on a PostgreSQL server.
            --
            -- The function gets a row with the columns of both versions, and returns it with the values of \(to).
            \(task)
            -- It runs for each row, and again when an app of \(from) writes one.
            CREATE OR REPLACE FUNCTION \(name)("row" \(row)) RETURNS \(row) LANGUAGE plpgsql AS $strata$
            BEGIN
                RAISE EXCEPTION 'the migration of \(change.new.name) from \(from) to \(to) \(mark)';
                RETURN "row";
            END
            $strata$;

            """
    }

    /// Returns the stub of the statement that copies the rows of a table whose primary key has other columns.
    static func copy(_ change: TableTransition, into table: String, _ from: String, _ to: String) -> String {
        """
        -- The migration of \(change.new.name) from \(from) to \(to) on a PostgreSQL server.
        --
        -- The primary key has other columns. Insert the rows of \(PostgreSQL.quoted(change.old.name)) into
        -- \(PostgreSQL.quoted(table)), which has the columns of \(to). No app writes meanwhile.
        DO $strata$ BEGIN
            RAISE EXCEPTION 'the migration of \(change.new.name) from \(from) to \(to) \(mark)';
        END $strata$;

        """
    }
}
