/// The changes of the tables' search indexes in a step.
///
/// An index is kept if its definition stays the same, and if each row keeps its number and its texts. Otherwise it is
/// dropped, created again, and filled from the table.
struct SearchChanges {
    /// The statements that drop indexes. They run before the statements that drop and alter tables.
    private(set) var removal: [String] = []
    /// The indexes and triggers that are created after everything else.
    private(set) var creation: [NewSearch] = []

    /// Creates the changes of a step.
    ///
    /// - Parameters:
    ///   - mapping: The mapping of the step.
    ///   - altered: The alterations, by the names of the new tables.
    ///   - untouched: The names of the tables that the step does not touch.
    ///   - hasCode: Whether a custom migration runs, which may change texts of the copied rows.
    init(_ mapping: TableMapping, altered: [String: TableAlteration], untouched: Set<String>, hasCode: Bool) {
        let oldTables = Dictionary(mapping.old.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        var kept: Set<String> = untouched
        for table in mapping.new where !untouched.contains(table.name) {
            guard let index = SearchIndex(of: table) else { continue }
            let isAltered = altered[table.name] != nil
            if let old = oldTables[table.name], let before = SearchIndex(of: old), before.table == index.table,
                isAltered || !hasCode, Self.keepsTexts(mapping.origin(of: table, among: oldTables), of: old, in: table)
            {
                kept.insert(table.name)
                if isAltered, before == index { continue }
                // The triggers of a table that is created again are dropped with the old table.
                if isAltered { removal += before.triggerRemoval }
                creation.append(NewSearch(table: table.name, index: index, isFilled: false))
            } else {
                creation.append(NewSearch(table: table.name, index: index, isFilled: true))
            }
        }
        removal += mapping.old.filter { !kept.contains($0.name) }.compactMap { SearchIndex(of: $0) }.flatMap(\.removal)
    }

    /// Returns whether each row keeps its number and its texts.
    private static func keepsTexts(_ origin: TableOrigin, of old: Table, in new: Table) -> Bool {
        guard case .rows(old.name, let values, []) = origin, let search = new.search else { return false }
        // A hidden row number is copied too.
        guard
            old.integerKey == nil
                ? new.integerKey == nil : new.integerKey.flatMap({ values[$0]?.columnName }) == old.integerKey
        else { return false }
        return search.columns.allSatisfy { values[$0] == .column($0) }
    }
}

/// The search index and the triggers that a step creates for a table.
package struct NewSearch: Sendable {
    /// The name of the table.
    package let table: String
    package let index: SearchIndex
    /// Whether the index is created and filled. Otherwise it is there, and only the triggers are created.
    package let isFilled: Bool

    package init(table: String, index: SearchIndex, isFilled: Bool) {
        (self.table, self.index, self.isFilled) = (table, index, isFilled)
    }

    package var statements: [String] { isFilled ? index.creation + [index.rebuild] : index.triggers }
}
