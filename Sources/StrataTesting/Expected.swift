import Foundation
import Strata

/// What is to have become of a row that code migrates.
public struct Expected<New: StoredEntity> {
    enum Fate {
        case row(New)
        case key(New.ID, check: (New) throws -> Bool)
        case dropped
        case merged(New.ID)
    }

    let fate: Fate

    /// It has become `row`, in every column. A column that code changes although it could be inferred is to be marked with
    /// `"migration": "custom"` in its description.
    ///
    /// What `row` points at by the key of the old version may have another one now: that is followed as the migration
    /// follows it.
    public static func kept(_ row: New) -> Expected { Expected(fate: .row(row)) }

    /// It has become the row whose key is `id`, of which `check` says whether it is what it should be.
    public static func kept(as id: New.ID, _ check: @escaping (New) throws -> Bool) -> Expected {
        Expected(fate: .key(id, check: check))
    }

    /// It has gone.
    public static var dropped: Expected { Expected(fate: .dropped) }

    /// It has gone, and what pointed at it points at the row whose key is `id`.
    public static func merged(into id: New.ID) -> Expected { Expected(fate: .merged(id)) }
}

/// Thrown where nothing was written that says what is expected.
public struct UnwrittenExpectation: Error {
    /// Nothing is expected.
    public init() {}
}

/// The rows before and after a step that has code.
public final class StepRows {
    /// Reads the rows before the step, by the structs of the older version.
    public let old: ReadTransaction
    /// Reads the rows after the step, by the structs of the newer version.
    public let new: ReadTransaction
    /// The moment that `MigrationContext.now` was in the step.
    public let now: Date
    let oldConnection: Connection

    init(old: Connection, new: Connection) {
        now = MigrationContext.fixedNow ?? Date()
        self.old = ReadTransaction(old)
        self.new = ReadTransaction(new)
        oldConnection = old
    }

    /// The UUID that `MigrationContext.uuid(for:)` gives for `text`.
    public func uuid(for text: String) -> UUID { MigrationContext.uuid(for: text) }
}

/// What a person expects of the code of one step.
public struct CustomExpectation: Sendable {
    /// The type that a person extends.
    let name: String
    let rows: [RowExpectation]
    let removals: [RemovalExpectation]
    let added: @Sendable (StepRows) throws -> [any StoredEntity]
    let reasons: [String]
    let check: @Sendable (StepRows) throws -> Void

    /// The expectations that are written in extensions of the type `name`.
    ///
    /// - Parameters:
    ///   - rows: What becomes of each row of the entities that code migrates.
    ///   - removals: The checks of data that the step removes.
    ///   - reasons: Why code was needed beyond single rows; `check` looks at what became of that.
    ///   - added: The rows after the step that come from no row before it.
    ///   - check: Looks at the rows before and after the step.
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

/// The check of data that a step removes and that no `discard` allows to be lost.
public struct RemovalExpectation: Sendable {
    /// The function that you write.
    let stub: String
    let name: String
    let check: @Sendable (StepRows) throws -> Void

    /// The check by the function called `name`, because of `reason`.
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

/// What is to become of each row of an entity that code migrates.
public struct RowExpectation: Sendable {
    let old: EntityTable
    let new: EntityTable
    /// The function that a person is to write.
    let stub: String
    let ask: @Sendable (StepComparison, Place) throws -> [String]

    /// Where what is said of the rows is written down.
    struct Place {
        let fates: Fates
        let wanted: String
        /// Whether nothing else tells of rows that are not there.
        let tellsMissing: Bool
    }

    /// What `expected` says of each row.
    ///
    /// - `oldType`, `newType`: what the structs are called where it is written.
    /// - `example`: what it may begin with.
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
