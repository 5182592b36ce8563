import SQLSchema

/// The phases of a step, in their order. Apps of the old version may write until `contract` begins, and apps of the new
/// version from the end of `validate`.
package enum ServerPhase: String, CaseIterable, Comparable, Hashable, Sendable {
    /// Adds what the new version needs beside what the old one has.
    case expand
    /// Computes the values of new columns in the old rows.
    case backfill
    /// Checks what `expand` has added.
    case validate
    /// Removes what only the old version needs, and adds what it cannot live with.
    case contract

    package static func < (left: ServerPhase, right: ServerPhase) -> Bool {
        (allCases.firstIndex(of: left) ?? 0) < (allCases.firstIndex(of: right) ?? 0)
    }
}

/// A file of a step. Each file can be run again.
package struct ServerFile: Hashable, Sendable {
    /// The ways in which the statements of a file are run.
    package enum Mode: Hashable, Sendable {
        /// In one transaction.
        case transaction
        /// In one transaction without a limit of time, because it reads complete tables. It blocks no writers.
        case validation
        /// Each statement by itself, because it cannot be a part of a transaction.
        case single
    }

    package let phase: ServerPhase
    package let mode: Mode
    /// The subject of the file, as a part of its name; nil if the phase says enough.
    package let subject: String?
    /// The index that the file creates.
    private(set) var index: String?
    /// The statements.
    package let statements: [Statement]

    /// A statement, without a semicolon.
    package enum Statement: Hashable, Sendable {
        case sql(String)
        case backfill(ServerBackfill)
    }

    init(_ phase: ServerPhase, _ mode: Mode, _ subject: String? = nil, statements: [String]) {
        (self.phase, self.mode, self.subject) = (phase, mode, subject)
        self.statements = statements.map { .sql($0) }
    }

    /// Creates the file that creates an index.
    init(_ phase: ServerPhase, index: String, _ statements: [String]) {
        (self.phase, mode, subject, self.index) = (phase, .single, "index-" + index, index)
        self.statements = statements.map { .sql($0) }
    }

    init(_ backfill: ServerBackfill) {
        (phase, mode, subject) = (.backfill, .single, backfill.subject)
        statements = [.backfill(backfill)]
    }
}

/// A change of all rows of a table, in the order of its primary key.
package struct ServerBackfill: Hashable, Sendable {
    /// The name of the table in the new version.
    let subject: String
    /// The present name of the table.
    package let table: String
    /// The columns of the primary key, with their types.
    let keys: [String]
    let types: [ServerType]
    /// The assignments of `UPDATE`.
    let change: String
    /// The condition of the rows that still have to change.
    let condition: String

    /// Returns the statement.
    ///
    /// - Parameters:
    ///   - versions: The two versions, as literals.
    ///   - file: The name of the file, as a literal.
    func statement(_ versions: String, _ file: String) -> String {
        func array(_ texts: [String]) -> String { "ARRAY[\(texts.map { SQL.literal($0) }.joined(separator: ", "))]" }
        return """
            CALL strata_backfill(
                \(versions), \(file), \(SQL.literal(PostgreSQL.quoted(table))),
                \(array(keys.map(PostgreSQL.shortened))), \(array(types.map(\.rawValue))),
                \(SQL.literal(change)),
                \(SQL.literal(condition)))
            """
    }
}
