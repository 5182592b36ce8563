/// A table of one version of a schema.
package struct Table: Hashable, Sendable {
    /// The name.
    package var name: String
    /// The stored columns, in order.
    package var columns: [Column]
    /// The columns whose values SQLite computes, sorted by name. No row stores them, so no statement writes them.
    package var computed: [ComputedColumn]
    /// The names of the columns of the primary key, most significant first; empty if there is none.
    package var primaryKey: [String]
    /// The foreign keys. Foreign keys with a single column come first, in the order of the columns.
    package var foreignKeys: [ForeignKey]
    /// The indexes, in the order of their creation.
    package var indexes: [Index]
    /// The conditions that each row satisfies, sorted by name.
    package var checks: [Check]
    /// The texts that can be searched; nil if there are none.
    package var search: TextSearch<String>?
    /// Whether this is a join table, which holds the pairs of a relationship.
    package var isJoinTable: Bool

    /// The column of a join table with the position of the target at its source.
    package static let position = "position"
    /// The position of a target that had none, which makes it the last one.
    package static let lastPosition: Int64 = 1 << 32
    /// The column of a join table with the position of the source at its target. It is NULL in a row that is older than
    /// this order.
    package static let inversePosition = "inverse_position"

    /// A column.
    package struct Column: Hashable, Sendable {
        /// The name.
        package var name: String
        /// The type in which it stores its values.
        package var type: StorageType
        /// Whether it may contain NULL.
        package var isNullable: Bool
        /// The default value; nil for NULL.
        package var defaultValue: Literal?
        /// The collation of its texts; nil to compare bytes.
        package var collation: Collation?

        /// Creates a column.
        package init(
            _ name: String, _ type: StorageType, isNullable: Bool = false, defaultValue: Literal? = nil,
            collation: Collation? = nil
        ) {
            self.name = name
            self.type = type
            self.isNullable = isNullable
            self.defaultValue = defaultValue
            self.collation = collation
        }
    }

    /// A foreign key. SQLite checks it when the transaction commits, so rows can be written in any order.
    package struct ForeignKey: Hashable, Sendable {
        /// The names of the columns, in the order of `targetColumns`.
        package var columns: [String]
        /// The name of the table that it refers to.
        package var target: String
        /// The names of the columns that it refers to.
        package var targetColumns: [String]
        /// The effect on the row when its target is deleted.
        package var deleteRule: DeleteRule

        /// Creates a foreign key.
        package init(_ columns: [String], to target: String, _ targetColumns: [String], _ deleteRule: DeleteRule) {
            self.columns = columns
            self.target = target
            self.targetColumns = targetColumns
            self.deleteRule = deleteRule
        }
    }

    /// The effect on a row when the row that its foreign key refers to is deleted.
    package enum DeleteRule: String, CaseIterable, Hashable, Sendable {
        /// The foreign key becomes NULL.
        case nullify
        /// The row is deleted too.
        case cascade
        /// The deletion fails.
        case deny
        /// The row does not change. The transaction cannot commit while the foreign key is dangling.
        case noAction = "no_action"
    }

    /// An index.
    package struct Index: Hashable, Sendable {
        /// The name. It stays the same when a column or the table is renamed.
        package var name: String
        /// The columns and the rows of the index.
        package var shape: IndexShape<String>

        /// Creates an index.
        package init(_ name: String, _ shape: IndexShape<String>) {
            self.name = name
            self.shape = shape
        }

        /// The names of the indexed columns.
        package var columns: [String] { shape.columns }
        /// Whether no two rows may have the same values in all the columns.
        package var isUnique: Bool { shape.isUnique }
    }

    /// A condition that each row satisfies: it is true, or NULL.
    package struct Check: Hashable, Sendable {
        /// The name, which SQLite's message contains. It stays the same when a column or the table is renamed.
        package var name: String
        /// The condition.
        package var condition: RowExpression<String>

        /// Creates a check.
        package init(_ name: String, _ condition: RowExpression<String>) {
            self.name = name
            self.condition = condition
        }

        /// The only column of the condition; nil if there are several.
        var column: String? {
            let columns = Set(condition.columns)
            return columns.count == 1 ? columns.first : nil
        }
    }

    /// Creates a table.
    package init(
        _ name: String, columns: [Column], computed: [ComputedColumn] = [], primaryKey: [String],
        foreignKeys: [ForeignKey] = [],
        indexes: [Index] = [], checks: [Check] = [], search: TextSearch<String>? = nil, isJoinTable: Bool = false
    ) {
        self.name = name
        self.columns = columns
        self.computed = computed.sorted { $0.name < $1.name }
        self.primaryKey = primaryKey
        self.foreignKeys =
            columns.flatMap { column in foreignKeys.filter { $0.columns == [column.name] } }
            + foreignKeys.filter { $0.columns.count > 1 }
        self.indexes = indexes
        self.checks = checks.sorted { $0.name < $1.name }
        self.search = search
        self.isJoinTable = isJoinTable
    }

    /// The names of the stored columns, in order.
    package var columnNames: [String] { columns.map(\.name) }

    /// The names of all columns.
    package var allColumnNames: [String] { columnNames + computed.map(\.name) }

    /// Returns the stored column with a name; nil if there is none.
    package func column(_ name: String) -> Column? {
        columns.first { $0.name == name }
    }

    /// Returns the default value of a column; NULL if it has none.
    package func defaultValue(of name: String) -> ValueExpression {
        column(name)?.defaultValue.map(ValueExpression.literal) ?? .null
    }

    /// The name of the primary key's column if it is a single integer, which SQLite uses as the row number.
    package var integerKey: String? {
        guard primaryKey.count == 1, column(primaryKey[0])?.type == .integer else { return nil }
        return primaryKey[0]
    }
}
