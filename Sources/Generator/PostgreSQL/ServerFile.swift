import SQLSchema

/// The phases of a step, in their order. Apps of the old version may write until `contract` begins, and apps of the new
/// version from the end of `validate`.
package enum ServerPhase: String, CaseIterable, Hashable, Sendable {
    /// Adds what the new version needs beside what the old one has.
    case expand
    /// Computes the values of new columns in the old rows.
    case backfill
    /// Checks what `expand` has added.
    case validate
    /// Removes what only the old version needs, and adds what it cannot live with.
    case contract
}

/// A file of a step. Each file can be run again.
package struct ServerFile: Hashable, Sendable {
    /// The ways in which the statements of a file are run.
    package enum Mode: Hashable, Sendable {
        /// In one transaction.
        case transaction
        /// Each statement by itself, because it cannot be a part of a transaction, or should not.
        case single
    }

    package let phase: ServerPhase
    package let mode: Mode
    /// What the file does, as a part of its name; nil if its phase says it.
    package let subject: String?
    /// The statements, without semicolons.
    package let statements: [String]

    init(_ phase: ServerPhase, _ mode: Mode, _ subject: String? = nil, statements: [String]) {
        (self.phase, self.mode, self.subject, self.statements) = (phase, mode, subject, statements)
    }
}
