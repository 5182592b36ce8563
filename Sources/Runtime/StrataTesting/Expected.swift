import Foundation
import Strata

/// The expected outcome of a row that a custom migration handles.
public struct Expected<New: StoredEntity> {
    enum Fate {
        case row(New)
        case key(New.ID, check: (New) throws -> Bool)
        case dropped
        case merged(New.ID)
    }

    let fate: Fate

    /// Expects that the row has become `row`, in every column. If your code changes a column that Strata could infer,
    /// mark that column with `"migration": "custom"` in its description.
    ///
    /// The foreign keys of `row` may hold primary keys of the old version. They are compared with the keys that those
    /// rows have now.
    public static func kept(_ row: New) -> Expected { Expected(fate: .row(row)) }

    /// Expects that the row has become the row whose primary key is `id`, and that `check` returns true for that row.
    public static func kept(as id: New.ID, _ check: @escaping (New) throws -> Bool) -> Expected {
        Expected(fate: .key(id, check: check))
    }

    /// Expects that the row has been deleted.
    public static var dropped: Expected { Expected(fate: .dropped) }

    /// Expects that the row has been deleted, and that the references to it now refer to the row whose primary key is
    /// `id`.
    public static func merged(into id: New.ID) -> Expected { Expected(fate: .merged(id)) }
}

/// The error that an expectation throws until you write it.
public struct UnwrittenExpectation: Error {
    /// Creates the error.
    public init() {}
}

/// The rows before and after a step with a custom migration.
public final class StepRows {
    /// Reads the rows before the step with the older version's structs.
    public let old: ReadTransaction
    /// Reads the rows after the step with the newer version's structs.
    public let new: ReadTransaction
    /// The value of `MigrationContext.now` during the step.
    public let now: Date
    let oldConnection: Connection

    init(old: Connection, new: Connection) {
        now = MigrationContext.fixedNow ?? Date()
        self.old = ReadTransaction(old)
        self.new = ReadTransaction(new)
        oldConnection = old
    }

    /// The UUID that `MigrationContext.uuid(for:)` returns for `text`.
    public func uuid(for text: String) -> UUID { MigrationContext.uuid(for: text) }
}

/// Your expectations of one step's custom migration.
public struct CustomExpectation: Sendable {
    /// The name of the type that you extend.
    let name: String
    let rows: [RowExpectation]
    let removals: [RemovalExpectation]
    let added: @Sendable (StepRows) throws -> [any StoredEntity]
    let reasons: [String]
    let check: @Sendable (StepRows) throws -> Void

    /// Creates the expectations that you write in extensions of the type `name`.
    ///
    /// - Parameters:
    ///   - name: The name of the type.
    ///   - rows: The expectations for the rows of the entities with custom migrations.
    ///   - removals: The checks of data that the step removes.
    ///   - reasons: The reasons for a custom migration that do not concern single rows. Your `check` verifies their
    ///     results.
    ///   - added: The rows that the step adds, that is, that come from no row of the old version.
    ///   - check: A check of the rows before and after the step.
    public init(
        _ name: String, rows: [RowExpectation], removals: [RemovalExpectation] = [], reasons: [String],
        added: @escaping @Sendable (StepRows) throws -> [any StoredEntity],
        check: @escaping @Sendable (StepRows) throws -> Void
    ) {
        self.name = name
        self.rows = rows
        self.removals = removals
        self.added = added
        self.reasons = reasons
        self.check = check
    }
}

/// A check for data that a step removes although no `discard` allows it.
public struct RemovalExpectation: Sendable {
    /// The source text of the function that you write.
    let stub: String
    let name: String
    let check: @Sendable (StepRows) throws -> Void

    /// Creates a check by the function `name`, needed because of `reason`.
    public init(_ name: String, _ reason: String, _ check: @escaping @Sendable (StepRows) throws -> Void) {
        self.name = name
        self.check = check
        stub = """
            static func \(name)(_ rows: StepRows) throws {
                // \(reason)
                throw UnwrittenExpectation()
            }
            """
    }
}

/// The expected outcomes of all rows of an entity with a custom migration.
public struct RowExpectation: Sendable {
    let old: EntityTable
    let new: EntityTable
    /// The source text of the function that you write.
    let stub: String
    let ask: @Sendable (StepComparison, Place) throws -> [String]

    /// The tables that record the expectations for the rows.
    struct Place {
        let outcomes: KeyOutcomes
        let wanted: String
        /// Whether only this expectation reports missing rows.
        let tellsMissing: Bool
    }

    /// Creates the expectations that `expected` returns for the rows.
    ///
    /// - Parameters:
    ///   - oldType: The name of the old struct in your code.
    ///   - newType: The name of the new struct in your code.
    ///   - example: The body that the suggested function begins with.
    ///   - expected: Returns the expected outcome of a row.
    public init<Old: StoredEntity, New: StoredEntity>(
        _ oldType: String, _ newType: String, _ example: String,
        _ expected: @escaping @Sendable (Old, StepRows) throws -> Expected<New>
    ) {
        old = Old.table
        new = New.table
        stub = """
            static func expected(_ old: \(oldType), _ rows: StepRows) throws -> Expected<\(newType)> {
                \(example)
            }
            """
        ask = { try $0.ask(expected, $1) }
    }
}
