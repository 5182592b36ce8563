import SchemaSQL
import Strata

/// What must be in the tables after a step, told apart from what carries it out; a conversion is the same SQL in both.
public struct StepExpectation: Sendable {
    let from: String
    let to: String
    let tables: [TableExpectation]
    let custom: CustomExpectation?

    /// The step between two versions; `custom` is what a person expects of the code that was written for it.
    public init(from: String, to: String, tables: [TableExpectation], custom: CustomExpectation? = nil) {
        self.from = from
        self.to = to
        self.tables = tables
        self.custom = custom
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
