import SQLSchema

/// A part of a migration that is carried out in one pass: a step with a custom migration, or one or more other steps.
struct MigrationStage: Sendable {
    /// The version before.
    let from: String
    var mapping: TableMapping
    let changes: [TableChange]
    /// The custom migration; nil if there is none.
    let custom: (@Sendable (CustomStep) throws -> Void)?
    /// Whether the rows can be copied in several transactions.
    let isResumable: Bool
    /// The tables that the custom migration sees through views.
    var deferred: [DeferredTable] = []
    /// The unchanged tables that are copied, because the custom migration reads their old rows after it has changed them.
    var copied: Set<String> = []

    /// The statements that carry out the stage in one transaction.
    var statements: StepStatements { statements(mapping) }

    /// The statements that carry out the stage in one transaction, with the index names of a database.
    func statements(_ mapping: TableMapping) -> StepStatements {
        StepStatements(mapping, keepsOldTables: custom != nil, copied: copied, altering: Set(deferred.map(\.name)))
    }

    /// The old tables whose rows a custom migration receives.
    var customSources: [String] {
        changes.compactMap { change in
            if case .custom(let table, _, _, _) = change, custom != nil { table } else { nil }
        }
    }

    /// The old tables whose rows become rows of new tables, by the names of the new tables.
    var sources: [String: String] {
        var sources: [String: String] = [:]
        for change in changes {
            switch change {
            case .custom(let from, let to, _, _), .map(let from, let to, _, []): sources[to] = from
            case .create, .drop, .map: break
            }
        }
        return sources
    }

    /// Returns the greatest primary keys that `newID` has returned, under the names that the tables have after the stage.
    ///
    /// - Parameters:
    ///   - before: Those of earlier transactions, under the names before the stage.
    ///   - given: Those of the stage.
    func lastIDs(_ before: [String: Int64], _ given: [String: Int64]) -> [String: Int64] {
        var ids: [String: Int64] = [:]
        for table in mapping.new.map(\.name) {
            ids[table] = [before[mapping.source(of: table)], given[table]].compactMap(\.self).max()
        }
        return ids
    }
}
