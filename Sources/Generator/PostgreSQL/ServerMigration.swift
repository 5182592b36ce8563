import SchemaDiff
import SQLSchema

/// The SQL of a custom migration on a server, in the file `Migrations/postgresql/1.0-2.0.sql`.
package struct ServerMigration: Sendable {
    /// The text of the file, which you write.
    package let stub: String
    /// Whether the file is missing or still a stub.
    package let isUnwritten: Bool
    /// The statements, ending with a semicolon and a line break.
    let statements: String

    private static let mark = "is not written yet"

    /// Creates the migration.
    ///
    /// - Parameter text: The text of the file; nil if it does not exist.
    init(_ step: SchemaStep, _ tables: StepTables, text: String?) {
        let (from, to) = (step.from.version.text, step.to.version.text)
        stub = """
            -- The custom migration from \(from) to \(to) on a PostgreSQL server. 2-offline.sql contains these statements.
            --
            -- They run in its transaction, while no app writes. Tables and columns have their names and types of \(to) already.
            -- New computed columns are created afterwards.
            \(Self.comments(step, tables))DO $strata$ BEGIN
                RAISE EXCEPTION 'the custom migration from \(from) to \(to) \(Self.mark)';
            END $strata$;

            """
        var text = text ?? stub
        isUnwritten = text.contains(Self.mark)
        while text.last?.isWhitespace == true { text.removeLast() }
        // The last line may be a comment.
        let isEnded = text.hasSuffix(";") && text.split(whereSeparator: \.isNewline).last?.contains("--") == false
        statements = text + (isEnded ? "\n" : "\n;\n")
    }

    /// Returns the first statement of a text that begins or ends a transaction; nil if there is none.
    package static func ownTransaction(in text: String) -> String? {
        let words: Set = ["ABORT", "BEGIN", "COMMIT", "END", "ROLLBACK", "START"]
        return beginnings(of: text).first { words.contains($0[0]) || $0.prefix(2) == ["PREPARE", "TRANSACTION"] }?[0]
    }

    /// Returns the first words of each statement, in capital letters. Quotes and comments count as no words
    /// (https://www.postgresql.org/docs/15/sql-syntax-lexical.html).
    private static func beginnings(of text: String) -> [[String]] {
        nonisolated(unsafe) let quote =
            /\$(?<tag>\w*)\$[\s\S]*?\$\k<tag>\$|[eE]'([^'\\]|\\[\s\S]|'')*'|'[^']*'|"[^"]*"|--[^\n]*/
        // Swift reads CR LF as one character, which differs from the line break in the expression.
        var text = text.replacing("\r\n", with: "\n").replacing(quote, with: "''")
        // Comments can be nested.
        while let inner = text.firstMatch(of: /\/\*([^*\/]|\*(?!\/)|\/(?!\*))*\*\//) {
            text.replaceSubrange(inner.range, with: " ")
        }
        return text.split(separator: ";").map { statement in
            statement.split { !$0.isLetter && $0 != "_" && !$0.isNumber }.prefix(2).map { $0.uppercased() }
        }.filter { !$0.isEmpty }
    }

    /// The comments about the columns to set, and about the columns that remain until the end.
    private static func comments(_ step: SchemaStep, _ tables: StepTables) -> String {
        func names(_ table: String, _ columns: [String]) -> [String] {
            columns.map { "\(PostgreSQL.quoted(table)).\(PostgreSQL.quoted($0))" }
        }
        let entities = Dictionary(step.entities.map { ($0.new.lineage, $0) }, uniquingKeysWith: { first, _ in first })
        var missing: [String] = []
        let reasons = step.reasons.map { step.text(of: $0) }
        var remaining: [String] = []
        for change in tables.transitions {
            let entity = change.new.owner.relationship == nil ? entities[change.new.owner.entity] : nil
            let custom = entity?.columns.compactMap { step in
                if case .custom = step.origin { step.column.name } else { nil }
            }
            missing += names(change.new.name, custom ?? [])
            remaining += names(change.new.name, change.droppedColumns.map { change.present($0.name) })
        }
        missing += tables.created.filter { table in
            let change = step.tableChanges.first { $0.result == table.name }
            if case .custom = change, table.owner.relationship != nil { return true }
            return step.reasons.contains { $0.entity == table.owner.entity && $0.property == table.owner.relationship }
        }.map { "the rows of \(PostgreSQL.quoted($0.name))" }
        remaining += tables.dropped.map { "the table \(PostgreSQL.quoted(tables.present($0)))" }
        func list(_ title: String, _ lines: [String]) -> [String] {
            lines.isEmpty ? [] : ([title] + lines.map { "  " + $0 }).map(PostgreSQL.comment)
        }
        return
            (list("You write it because:", reasons) + list("Strata does not know the values of:", missing)
            + list("These are dropped afterwards:", remaining))
            .joined()
    }
}
