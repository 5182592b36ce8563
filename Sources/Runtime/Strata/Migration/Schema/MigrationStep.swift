import SQLSchema

/// A migration step from a version to the next one.
public struct MigrationStep: Sendable {
    /// The version before.
    public let from: String
    /// The version after.
    public let to: String
    /// The changes of tables.
    package let changes: [TableChange]
    /// Runs the custom migration; nil if there is none.
    let custom: (@Sendable (CustomStep) throws -> Void)?
    /// Whether the rows of the step can be copied in several transactions. The type of the custom migration must store
    /// nothing, or be `Codable`.
    public let isResumable: Bool
    /// Whether only the app has the custom migration.
    let isUnknown: Bool

    /// Creates a step. `custom` runs after the rows of all other tables have been copied, in one transaction with them.
    package init(
        from: String, to: String, changes: [TableChange] = [],
        custom: (@Sendable (CustomStep) throws -> Void)? = nil
    ) {
        self.from = from
        self.to = to
        self.changes = changes
        self.custom = custom
        isResumable = custom == nil
        isUnknown = false
    }

    /// Creates a step for a tool that does not have the custom migration of the app.
    package init(from: String, to: String, changes: [TableChange], isCustom: Bool) {
        (self.from, self.to, self.changes) = (from, to, changes)
        let unwritten: @Sendable (CustomStep) throws -> Void = { _ in throw UnwrittenMigration() }
        custom = isCustom ? unwritten : nil
        isResumable = !isCustom
        isUnknown = isCustom
    }

    /// Creates a step with a custom migration.
    ///
    /// - Parameters:
    ///   - code: The type of the custom migration.
    ///   - rows: Passes the rows of the old tables to the custom migration.
    package init<Code: CustomMigration>(
        from: String, to: String, changes: [TableChange] = [], code: Code.Type,
        rows: @escaping @Sendable (CustomStep, RunningMigration<Code>) throws -> Void
    ) {
        self.from = from
        self.to = to
        self.changes = changes
        // This is sound: `rows` is `@Sendable`, and `run` captures nothing else. The compiler complains about the type `Code`,
        // whose conformance could belong to one actor. Each run creates its value of `Code`, and uses it on one thread.
        nonisolated(unsafe) let run: (CustomStep) throws -> Void = { try $0.run(rows) }
        custom = { try run($0) }
        isUnknown = false
        isResumable = MemoryLayout<Code>.size == 0 || code is any Codable.Type
    }

    /// Whether the step has a custom migration.
    public var isCustom: Bool { custom != nil }
}
