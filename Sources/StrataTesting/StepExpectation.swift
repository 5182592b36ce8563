import SchemaSQL
import Strata

/// What must be in the tables after a step, told apart from what carries it out; a conversion is the same SQL in both.
public struct StepExpectation: Sendable {
    let from: String
    let to: String
    let tables: [TableExpectation]
    let custom: CustomExpectation?
    /// The tables after the step whose rows may come from anywhere; nil where that is so for all of them.
    var untraced: Set<String>? = []
    /// The positions in `tables` of those whose rows do not all stay as they are, by their names before the step.
    private let changed: [TableName: Int]
    /// The names before the step of the tables whose rows all stay as they are.
    private let unchanged: Set<TableName>

    /// A table of entities, or a join table: a step may turn the foreign keys of the former into pairs of the latter.
    private struct TableName: Hashable {
        let name: String
        let isJoin: Bool
    }

    /// The step between two versions; `custom` is what a person expects of the code that was written for it.
    public init(from: String, to: String, tables: [TableExpectation], custom: CustomExpectation? = nil) {
        self.from = from
        self.to = to
        self.tables = tables
        self.custom = custom
        var (changed, unchanged): ([TableName: Int], Set<TableName>) = ([:], [])
        for (place, table) in tables.enumerated() {
            let name = TableName(name: table.from, isJoin: table.isJoin)
            if table.isUnchanged { unchanged.insert(name) } else { changed[name] = place }
        }
        (self.changed, self.unchanged) = (changed, unchanged)
    }

    /// What is expected of the table called `name` before the step.
    fileprivate func change(of name: String, isJoin: Bool) -> TableChange {
        let name = TableName(name: name, isJoin: isJoin)
        if unchanged.contains(name) { return .none }
        return changed[name].map { .expected(tables[$0]) } ?? .unknown
    }

    /// What becomes of a table in a step.
    fileprivate enum TableChange {
        case none, unknown
        case expected(TableExpectation)
    }

    /// What is left of the expectations of all steps of a path where only its two ends are compared: the rows that no code
    /// touches, with the columns that no step changes.
    static func fused(_ path: [StepExpectation]) -> StepExpectation {
        var tables = (path.first?.tables ?? []).map { FusedTable($0, in: path[0]) }
        // Join tables that a later step fills from the foreign keys of another table.
        var filled: Set<String> = []
        for step in path.dropFirst() {
            for place in tables.indices { tables[place].follow(step) }
            filled = Set(
                filled.map { name in
                    if case .expected(let next) = step.change(of: name, isJoin: true) { next.to } else { name }
                })
            filled.formUnion(step.tables.filter { $0.isJoin && $0.filter != nil }.map(\.to))
        }
        var fused = StepExpectation(
            from: path.first?.from ?? "", to: path.last?.to ?? "", tables: tables.compactMap(\.expectation))
        fused.untraced =
            path.allSatisfy { $0.custom == nil }
            ? filled.union(tables.filter { $0.expectation == nil }.map(\.name)) : nil
        return fused
    }
}

/// A table followed through the steps of a path.
private struct FusedTable {
    /// What the table is called after the last step.
    private(set) var name: String
    private let isJoin: Bool
    /// What is expected of it; nil where one of the steps leaves that to code.
    private(set) var expectation: TableExpectation?

    init(_ table: TableExpectation, in step: StepExpectation) {
        name = table.to
        isJoin = table.isJoin
        expectation = Self.uncoded(table, in: step)
    }

    mutating func follow(_ step: StepExpectation) {
        switch step.change(of: name, isJoin: isJoin) {
        case .none: break
        case .unknown: expectation = nil
        case .expected(let next):
            expectation = Self.uncoded(next, in: step).flatMap { expectation?.followed(by: $0) }
            name = next.to
        }
    }

    /// What is expected of a table without its rows and columns that code may have changed.
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
    fileprivate func with(_ values: [String: String]) -> TableExpectation {
        TableExpectation(
            from: from, to: to, oldKey: oldKey, key: key, emptied: isEmptied, kept: [], changed: values,
            filter: filter, join: isJoin)
    }

    /// What both steps leave of a table; nil where its rows cannot be told from its keys.
    fileprivate func followed(by next: TableExpectation) -> TableExpectation? {
        if next.filter != nil { return nil }
        let references = Dictionary(values.keys.map { (SQL.quoted($0), $0) }, uniquingKeysWith: { one, _ in one })
        // A value that is computed from others is compared in its own step.
        let values = next.values.compactMapValues { value in references[value].flatMap { self.values[$0] } }
        guard next.key.allSatisfy({ values[$0] != nil }) else { return nil }
        return TableExpectation(
            from: from, to: next.to, oldKey: oldKey, key: next.key, emptied: isEmptied || next.isEmptied, kept: [],
            changed: values, filter: filter, join: isJoin)
    }
}

/// What must be in a table after a step.
public struct TableExpectation: Sendable {
    let from: String
    let to: String
    let oldKey: [String]
    let key: [String]
    let isEmptied: Bool
    let values: [String: String]
    let filter: String?
    let references: [ReferenceExpectation]
    let isJoin: Bool
    /// Whether the table is the same before and after, with every row.
    let isUnchanged: Bool

    /// Rows of the table `from` are in the table `to`.
    ///
    /// - `oldKey`, `key`: the columns of the key in the one and in the other.
    /// - `kept`: the columns that hold what they held.
    /// - `changed`: the columns that hold something else, as SQL over the columns of `from`.
    /// - `filter`: which rows of `from` are meant; nil for all.
    /// - `references`: the foreign keys that follow rows which code may have given other keys, or none.
    /// - `join`: whether it is a join table, in which rows that have become the same are one.
    public init(
        from: String, to: String, oldKey: [String]? = nil, key: [String], emptied isEmptied: Bool = false,
        kept: [String], changed: [String: String] = [:], filter: String? = nil,
        references: [ReferenceExpectation] = [], join isJoin: Bool = false
    ) {
        self.from = from
        self.to = to
        self.oldKey = oldKey ?? key
        self.key = key
        self.isEmptied = isEmptied
        let same = kept.map { ($0, SQL.quoted($0)) }
        self.values = Dictionary(same, uniquingKeysWith: { first, _ in first }).merging(changed) { _, changed in changed
        }
        self.filter = filter
        self.references = references
        self.isJoin = isJoin
        isUnchanged = false
    }

    /// The rows of a table that is the same before and after stay as they are.
    init(unchanged name: String, key: [String], columns: [String], join isJoin: Bool = false) {
        from = name
        to = name
        oldKey = key
        self.key = key
        isEmptied = false
        values = Dictionary(columns.map { ($0, SQL.quoted($0)) }, uniquingKeysWith: { first, _ in first })
        filter = nil
        references = []
        self.isJoin = isJoin
        isUnchanged = true
    }
}

/// A foreign key that points at the row which its old target has become.
public struct ReferenceExpectation: Sendable {
    let columns: [String]
    let oldColumns: [String]
    let target: String
    let cascades: Bool

    /// The foreign key in `columns`.
    ///
    /// - `oldColumns`: those that held it before the step.
    /// - `target`: the table that it pointed at, by its old name.
    /// - `cascades`: whether the row goes with its target; if not, it points at nothing then.
    public init(_ columns: [String], from oldColumns: [String]? = nil, to target: String, cascades: Bool = false) {
        self.columns = columns
        self.oldColumns = oldColumns ?? columns
        self.target = target
        self.cascades = cascades
    }
}
