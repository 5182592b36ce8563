import SchemaSQL

/// What must be in the tables after a step, told without the SQL that carries it out.
public struct StepExpectation: Sendable {
    let from: String
    let to: String
    let isCustom: Bool
    let tables: [TableExpectation]

    /// The step between two versions; `custom` where a person wrote code for it.
    public init(from: String, to: String, custom isCustom: Bool, tables: [TableExpectation]) {
        self.from = from
        self.to = to
        self.isCustom = isCustom
        self.tables = tables
    }
}

/// What must be in a table after a step.
public struct TableExpectation: Sendable {
    let from: String
    let to: String
    let key: [String]
    let isEmptied: Bool
    let values: [String: String]
    let filter: String?
    let mayLose: Bool

    /// Rows of the table `from` are in the table `to`.
    ///
    /// - `key`: the columns of the key in the table `to`.
    /// - `kept`: the columns that hold what they held.
    /// - `changed`: the columns that hold something else, as SQL over the columns of `from`.
    /// - `filter`: which rows of `from` are meant; nil for all.
    /// - `mayLose`: whether rows may go, because a person was asked which of them stay.
    public init(
        from: String, to: String, key: [String], emptied isEmptied: Bool = false, kept: [String],
        changed: [String: String] = [:], filter: String? = nil, mayLose: Bool = false
    ) {
        self.from = from
        self.to = to
        self.key = key
        self.isEmptied = isEmptied
        let same = kept.map { ($0, SQL.quoted($0)) }
        self.values = Dictionary(same, uniquingKeysWith: { first, _ in first }).merging(changed) { _, changed in changed
        }
        self.filter = filter
        self.mayLose = mayLose
    }
}
