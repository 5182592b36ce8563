import SQLSchema
import Strata

/// The expected contents of the tables after a step.
///
/// The expectations are generated independently of the migration, and share no code with it.
struct StepExpectation: Sendable {
    let from: String
    let to: String
    let tables: [TableExpectation]
    let custom: CustomExpectation?
    /// Whether what the step gives is sealed; nil if it only copies rows.
    var results: SealedResults?
    /// The tables after the step whose rows may come from anywhere; nil for all tables.
    var untraced: Set<String>? = []
    /// The positions in `tables` of the changed tables, by their names before the step.
    private let changed: [TableName: Int]
    /// The names before the step of the tables that keep all their rows.
    private let unchanged: Set<TableName>

    /// The name and kind of a table. The kind is needed because a step may turn foreign keys of an entity's table into
    /// pairs of a join table.
    private struct TableName: Hashable {
        let name: String
        let isJoin: Bool
    }

    /// Creates the expectation of the step between two versions.
    ///
    /// - Parameters:
    ///   - from: The version before the step.
    ///   - to: The version after the step.
    ///   - tables: The expectations for single tables.
    ///   - custom: The expected results of the step's custom migration; nil if it has none.
    init(from: String, to: String, tables: [TableExpectation], custom: CustomExpectation? = nil) {
        self.from = from
        self.to = to
        self.tables = tables
        self.custom = custom
        var (changed, unchanged): ([TableName: Int], Set<TableName>) = ([:], [])
        for (index, table) in tables.enumerated() {
            if table.isCopy { continue }
            let name = TableName(name: table.from, isJoin: table.isJoin)
            if table.isUnchanged { unchanged.insert(name) } else { changed[name] = index }
        }
        (self.changed, self.unchanged) = (changed, unchanged)
    }

    /// Returns the expected change of the table called `name` before the step.
    fileprivate func change(of name: String, isJoin: Bool) -> TableChange {
        let name = TableName(name: name, isJoin: isJoin)
        if unchanged.contains(name) { return .none }
        return changed[name].map { .expected(tables[$0]) } ?? .unknown
    }

    /// The expected change of a table in a step.
    fileprivate enum TableChange {
        case none, unknown
        case expected(TableExpectation)
    }

    /// Returns the expectations that a comparison of the two ends of a path can check.
    ///
    /// They cover the rows that no custom migration handles, with the columns that no step changes.
    static func fused(_ path: [StepExpectation]) -> StepExpectation {
        var tables = (path.first?.tables ?? []).map { FusedTable($0, in: path[0]) }
        // The tables that a later step fills from the rows of another table.
        var filled: Set<TableName> = []
        for step in path.dropFirst() {
            for index in tables.indices { tables[index].follow(step) }
            filled = Set(
                filled.map { table in
                    guard case .expected(let next) = step.change(of: table.name, isJoin: table.isJoin) else {
                        return table
                    }
                    return TableName(name: next.to, isJoin: table.isJoin)
                })
            let filling = step.tables.filter { $0.isCopy || $0.isJoin && $0.required != nil }
            filled.formUnion(filling.map { TableName(name: $0.to, isJoin: $0.isJoin) })
        }
        var fused = StepExpectation(
            from: path.first?.from ?? "", to: path.last?.to ?? "", tables: tables.compactMap(\.expectation))
        fused.untraced =
            path.allSatisfy { $0.custom == nil }
            ? Set(filled.map(\.name)).union(tables.filter { $0.expectation == nil }.map(\.name)) : nil
        return fused
    }
}

/// A table that is followed through the steps of a path.
private struct FusedTable {
    /// The table's name after the last step.
    private(set) var name: String
    private let isJoin: Bool
    /// The expectation for the table; nil if its rows cannot be followed through all steps.
    private(set) var expectation: TableExpectation?

    init(_ table: TableExpectation, in step: StepExpectation) {
        name = table.to
        isJoin = table.isJoin
        expectation = Self.uncoded(table, in: step)
    }

    mutating func follow(_ step: StepExpectation) {
        switch step.change(of: name, isJoin: isJoin) {
        case .none:
            // The custom migration of an unchanged table may drop rows.
            let isCoded = step.custom?.rows.contains { $0.old.name == name || $0.new.name == name } ?? false
            if isCoded { expectation = nil }
        case .unknown: expectation = nil
        case .expected(let next):
            expectation = Self.uncoded(next, in: step).flatMap { expectation?.followed(by: $0) }
            name = next.to
        }
    }

    /// Returns the expectation without the columns that a custom migration may have changed.
    ///
    /// - Returns: The expectation; nil if the custom migration may have changed which rows the table has, or their
    ///   primary keys.
    private static func uncoded(_ table: TableExpectation, in step: StepExpectation) -> TableExpectation? {
        guard let custom = step.custom else { return table }
        let coded = custom.rows.contains { $0.old.name == table.from || $0.new.name == table.to }
        let loose = Set(table.references.flatMap(\.columns))
        if coded || table.isJoin && !loose.isEmpty || table.references.contains(where: \.cascades)
            || !loose.isDisjoint(with: table.key)
        {
            return nil
        }
        return table.with(table.values.filter { !loose.contains($0.key) })
    }
}

extension TableExpectation {
    fileprivate func with(_ values: [String: ExpectedValue]) -> TableExpectation {
        TableExpectation(
            from: from, to: to, oldKey: oldKey, key: key, emptied: isEmptied, kept: [], changed: values,
            requiring: required, join: isJoin, copy: isCopy)
    }

    /// Returns the expectation that remains after both steps; nil if the rows can no longer be identified.
    fileprivate func followed(by next: TableExpectation) -> TableExpectation? {
        if next.required != nil { return nil }
        let values = next.values.compactMapValues { $0.substituting(self.values) }
        guard next.key.allSatisfy({ values[$0] != nil }) else { return nil }
        return TableExpectation(
            from: from, to: next.to, oldKey: oldKey, key: next.key, emptied: isEmptied || next.isEmptied, kept: [],
            changed: values, requiring: required, join: isJoin, copy: isCopy)
    }
}

/// The expected contents of a table after a step.
struct TableExpectation: Sendable {
    let from: String
    let to: String
    let oldKey: [String]
    let key: [String]
    let isEmptied: Bool
    let values: [String: ExpectedValue]
    /// The column that is not NULL in the rows of `from` that are expected in `to`; nil for all rows.
    let required: String?
    let references: [ReferenceExpectation]
    let isJoin: Bool
    /// Whether the rows of `from` are in another table too.
    let isCopy: Bool
    /// Whether the table keeps every row and value.
    let isUnchanged: Bool

    /// Creates the expectation that rows of the table `from` are in the table `to`.
    ///
    /// - Parameters:
    ///   - from: The table before the step.
    ///   - to: The table after the step.
    ///   - oldKey: The columns of the primary key of `from`; nil if they are the same as `key`.
    ///   - key: The columns of the primary key of `to`.
    ///   - isEmptied: Whether all rows are deleted.
    ///   - kept: The columns that keep their values.
    ///   - changed: The columns whose values change, with the new values.
    ///   - required: The column that is not NULL in the rows of `from` that are expected in `to`; nil for all rows.
    ///   - references: The foreign keys to rows that a custom migration may have deleted or given new primary keys.
    ///   - isJoin: Whether the table is a join table. Rows of a join table that have become equal are merged into one.
    ///   - isCopy: Whether the rows of `from` are in another table too.
    init(
        from: String, to: String, oldKey: [String]? = nil, key: [String], emptied isEmptied: Bool = false,
        kept: [String], changed: [String: ExpectedValue] = [:], requiring required: String? = nil,
        references: [ReferenceExpectation] = [], join isJoin: Bool = false, copy isCopy: Bool = false
    ) {
        self.from = from
        self.to = to
        self.oldKey = oldKey ?? key
        self.key = key
        self.isEmptied = isEmptied
        let same = kept.map { ($0, ExpectedValue.column($0)) }
        self.values = Dictionary(same, uniquingKeysWith: { first, _ in first }).merging(changed) { $1 }
        self.required = required
        self.references = references
        self.isJoin = isJoin
        self.isCopy = isCopy
        isUnchanged = false
    }

    /// Creates the expectation that a table keeps every row and value.
    init(unchanged name: String, key: [String], columns: [String], join isJoin: Bool = false) {
        from = name
        to = name
        oldKey = key
        self.key = key
        isEmptied = false
        values = Dictionary(columns.map { ($0, .column($0)) }, uniquingKeysWith: { first, _ in first })
        required = nil
        references = []
        self.isJoin = isJoin
        isCopy = false
        isUnchanged = true
    }
}

/// The expected values of a foreign key. It refers to the row that its target has become.
public struct ReferenceExpectation: Sendable {
    let columns: [String]
    let oldColumns: [String]
    let target: String
    let cascades: Bool

    /// Creates the expectation for the foreign key in `columns`.
    ///
    /// - Parameters:
    ///   - columns: The columns after the step.
    ///   - oldColumns: The columns before the step; nil if they are the same.
    ///   - target: The target table's name before the step.
    ///   - cascades: Whether the row is deleted with its target. If not, the foreign key becomes NULL.
    public init(_ columns: [String], from oldColumns: [String]? = nil, to target: String, cascades: Bool = false) {
        self.columns = columns
        self.oldColumns = oldColumns ?? columns
        self.target = target
        self.cascades = cascades
    }
}
