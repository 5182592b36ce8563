import Foundation
import Strata

/// The expected result of a custom migration for one row.
public struct Expected<New: StoredEntity> {
    enum Outcome {
        case row(New)
        case key(New.ID, check: (New) throws -> Bool)
        case dropped
        case merged(New.ID)
    }

    let outcome: Outcome

    /// Expects that the row has become `row`, in every column.
    ///
    /// If your custom migration changes a column that Strata could infer, mark that column with `"migration": "custom"`
    /// in its description.
    ///
    /// The foreign keys of `row` may contain primary keys from before the step. They match the primary keys that those
    /// rows have after the step.
    public static func kept(_ row: New) -> Expected { Expected(outcome: .row(row)) }

    /// Expects that the row has become the row with the primary key `id`, and that `check` returns true for that row.
    public static func kept(as id: New.ID, _ check: @escaping (New) throws -> Bool) -> Expected {
        Expected(outcome: .key(id, check: check))
    }

    /// Expects that the row has been deleted.
    public static var dropped: Expected { Expected(outcome: .dropped) }

    /// Expects that the row has been merged into the row with the primary key `id`.
    ///
    /// The row itself is deleted. The foreign keys to it now refer to that other row.
    public static func merged(into id: New.ID) -> Expected { Expected(outcome: .merged(id)) }
}

/// The error of an expected result or a check that you have not written yet.
public struct UnwrittenExpectation: Error {
    /// Creates the error.
    public init() {}
}

/// The databases before and after a step with a custom migration. Generated code creates ``ComparedRows`` from them.
public final class StepDatabases {
    let old: ReadTransaction
    let new: ReadTransaction
    let oldConnection: Connection
    /// The values that expectations have computed once, by their names.
    fileprivate var computed: [String: Any] = [:]

    init(old: Connection, new: Connection) {
        self.old = ReadTransaction(old)
        self.new = ReadTransaction(new)
        oldConnection = old
    }

    /// Returns `value`. Generated code passes your results to it, which may come from functions that throw or from others.
    public func given<Value>(_ value: Value) throws -> Value { value }
}

/// The rows before and after a step with a custom migration. In your expectations, their type is called `StepRows`.
public struct ComparedRows<OldVersion, NewVersion> {
    /// The rows before the step, with the structs of the older version.
    public let old: VersionRows<OldVersion>
    /// The rows after the step, with the structs of the newer version.
    public let new: VersionRows<NewVersion>
    /// The value of `MigrationContext.now` during the step.
    public let now: Date
    private let databases: StepDatabases

    /// Creates the rows of two databases. Generated code calls it.
    public init(_ databases: StepDatabases) {
        now = StepAccess.fixedNow ?? Date()
        old = VersionRows(databases.old)
        new = VersionRows(databases.new)
        self.databases = databases
    }

    /// Computes a value once, however often an expectation needs it: `expected` is called for each row.
    ///
    /// ```swift
    /// let drafts = try rows.once("drafts") { try rows.old.fetch(V1_0.Draft.self) }
    /// ```
    ///
    /// - Parameters:
    ///   - name: A name for the value, which no other value of the step has.
    ///   - compute: A closure that returns the value.
    public func once<Value>(_ name: String, _ compute: () throws -> Value) rethrows -> Value {
        // In one expression, a missing value would be cast to nil.
        if let computed = databases.computed[name], let value = computed as? Value { return value }
        let value = try compute()
        databases.computed[name] = value
        return value
    }

    /// Returns the UUID that `MigrationContext.uuid(for:)` returns for `text`.
    public func uuid(for text: String) -> UUID { StepAccess.uuid(for: text) }
}

/// The expected results of one step's custom migration, which you write.
public struct CustomExpectation: Sendable {
    /// The name of the type that you extend.
    let name: String
    let rows: [RowExpectation]
    let removals: [RemovalExpectation]
    let added: @Sendable (StepDatabases) throws -> [any StoredEntity]
    let reasons: [String]
    let check: @Sendable (StepDatabases) throws -> Void

    /// Creates the expected results that you write in extensions of the type `name`.
    ///
    /// - Parameters:
    ///   - name: The name of the type.
    ///   - rows: The expected results for the rows of each entity with a custom migration.
    ///   - removals: The checks of data that the step removes.
    ///   - reasons: The reasons for a custom migration that do not concern single rows. Your `check` verifies their
    ///     results.
    ///   - added: Returns the rows that the step adds. An added row comes from no row of the older version.
    ///   - check: Checks the rows before and after the step.
    public init(
        _ name: String, rows: [RowExpectation], removals: [RemovalExpectation] = [], reasons: [String],
        added: @escaping @Sendable (StepDatabases) throws -> [any StoredEntity],
        check: @escaping @Sendable (StepDatabases) throws -> Void
    ) {
        self.name = name
        self.rows = rows
        self.removals = removals
        self.added = added
        self.reasons = reasons
        self.check = check
    }
}

/// A check of data that a step removes without `discard` in the descriptions.
public struct RemovalExpectation: Sendable {
    /// The source text of the function that you write.
    let stub: String
    let name: String
    let check: @Sendable (StepDatabases) throws -> Void

    /// Creates a check.
    ///
    /// - Parameters:
    ///   - name: The name of the function that you write.
    ///   - reason: The reason for the check. It is a comment in the suggested function.
    ///   - check: Calls the function that you write.
    public init(_ name: String, _ reason: String, _ check: @escaping @Sendable (StepDatabases) throws -> Void) {
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

/// The expected results for all rows of an entity with a custom migration.
public struct RowExpectation: Sendable {
    let old: EntityTable
    let new: EntityTable
    /// The source text of the function that you write.
    let stub: String
    let ask: @Sendable (StepComparison, RecordTables) throws -> [String]

    /// The temporary tables that record the expected results of the rows.
    struct RecordTables {
        let outcomes: KeyOutcomes
        let expectedRows: String
        /// Whether this expectation reports missing rows. It does not if an inferred expectation reports them.
        let reportsMissing: Bool
    }

    /// Creates the expected results for the rows of an entity.
    ///
    /// - Parameters:
    ///   - oldType: The name of the old struct in your code.
    ///   - newType: The name of the new struct in your code.
    ///   - example: The body of the suggested function.
    ///   - expected: Returns the expected result of a row.
    public init<Old: StoredEntity, New: StoredEntity>(
        _ oldType: String, _ newType: String, _ example: String,
        _ expected: @escaping @Sendable (Old, StepDatabases) throws -> Expected<New>
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
