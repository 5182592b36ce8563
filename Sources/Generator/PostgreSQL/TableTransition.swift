import SchemaModel
import SQLSchema

/// The change of a table on a server while apps of both versions write to it.
///
/// Columns of the new version are added beside the old ones, and a trigger keeps both up to date. The old columns are dropped
/// in the phase `contract`, when no app of the old version writes any more.
struct TableTransition {
    let old: ServerTable
    let new: ServerTable
    /// The columns of the new table, each with the origin of its values.
    let columns: [(column: Table.Column, origin: ColumnOrigin)]
    /// Values of the old table that must not be NULL. Rows in which one of them is NULL are deleted.
    let requiring: [ValueExpression]
    /// Whether SQL that you write provides values.
    let isCustom: Bool
    /// Whether the primary key has other columns, so that SQL that you write has to copy the rows.
    let isRebuilt: Bool

    /// The origin of a column's values.
    enum ColumnOrigin: Hashable {
        /// The old table has the column.
        case kept
        /// A column of the primary key has another name. It is renamed in the phase `contract`.
        case renamedKey(from: String)
        /// The old table has the column. Values that are not allowed any more are replaced.
        case filled(ValueExpression)
        /// A fixed value.
        case constant(ValueExpression)
        /// The value is computed from the old row.
        case derived(ValueExpression)
        /// SQL that you write provides the value.
        case custom

        /// The old column whose value this is; nil if the value is another one.
        var source: String? {
            if case .derived(let value) = self { value.columnName } else { nil }
        }
    }

    /// Creates the transition of a table.
    init(from old: ServerTable, to new: ServerTable, change: TableChange?) {
        self.old = old
        self.new = new
        var values: [String: ValueExpression] = [:]
        var required: [ValueExpression] = []
        var isCustom = false
        switch change {
        case .map(_, _, let columns, let requiring): (values, required) = (columns, requiring)
        case .custom(_, _, let columns, let references):
            values = references.mapValues { .column($0) }.merging(columns) { $1 }
            isCustom = true
        case .create, .drop, nil: break
        }
        requiring = required
        self.isCustom = isCustom
        columns = new.table.columns.map { column in
            (column, Self.origin(of: column, in: new, from: old, values[column.name], isCustom))
        }
        isRebuilt =
            new.table.primaryKey.count != old.table.primaryKey.count
            || columns.contains { column, origin in
                guard new.table.primaryKey.contains(column.name) else { return false }
                switch origin {
                case .kept: return !old.table.primaryKey.contains(column.name)
                case .renamedKey: return false
                default: return true
                }
            }
    }

    private static func origin(
        of column: Table.Column, in new: ServerTable, from old: ServerTable, _ value: ValueExpression?, _ isCustom: Bool
    ) -> ColumnOrigin {
        let name = column.name
        let before = old.table.column(name)
        // A value that is stored in the same way has the same type here, and the same collation.
        func isSame(_ source: String) -> Bool {
            old.type(of: source) == new.type(of: name) && old.table.column(source)?.collation == column.collation
        }
        guard let value = value ?? (before.map { _ in .column(name) }) else {
            if isCustom { return .custom }
            return .constant(new.table.defaultValue(of: name))
        }
        if let source = value.columnName, isSame(source) {
            if source == name { return .kept }
            let isKey = new.table.primaryKey.contains(name) && old.table.primaryKey.contains(source)
            return isKey && before == nil ? .renamedKey(from: source) : .derived(value)
        }
        if !value.readsColumns { return .constant(value) }
        return isSame(name) && value.onlyReplaces(name) ? .filled(value) : .derived(value)
    }

    // MARK: Names

    /// The prefix of names that the phase `contract` replaces.
    static let prefix = "strata_new_"

    func origin(of column: String) -> ColumnOrigin? { columns.first { $0.column.name == column }?.origin }

    /// Whether a column of the new version cannot have its name before the phase `contract`, because an old column has it.
    func isLate(_ column: String) -> Bool {
        switch origin(of: column) {
        case .constant, .derived, .custom: old.table.allColumnNames.contains(column)
        case .renamedKey: true
        case .kept, .filled, nil: false
        }
    }

    /// The name of a column of the new version before the phase `contract`.
    func present(_ column: String) -> String {
        switch origin(of: column) {
        case .renamedKey(let name): name
        default: isLate(column) ? Self.prefix + column : column
        }
    }

    /// Whether the new table has an old column unchanged, or with replaced values.
    func isKept(_ column: String) -> Bool {
        switch origin(of: column) {
        case .kept, .filled: true
        default: false
        }
    }

    /// Whether a column of the new version is there before the phase `contract`, and no old app knows it.
    func isAdded(_ column: String) -> Bool {
        switch origin(of: column) {
        case .constant, .derived, .custom: true
        case .kept, .filled, .renamedKey, nil: false
        }
    }

    func isCustomColumn(_ column: String) -> Bool { origin(of: column) == .custom }

    /// The old columns that the phase `contract` drops.
    var droppedColumns: [String] {
        let renamed = columns.compactMap { if case .renamedKey(let name) = $0.origin { name } else { nil } }
        return old.table.columnNames.filter { !isKept($0) && !renamed.contains($0) }
    }

    /// The computed columns that the phase `contract` drops, because the new version does not have them, or computes them in another way.
    var droppedComputed: [String] { old.table.computed.filter { !isKept($0) }.map(\.name) }

    /// The computed columns that the phase `contract` adds: adding one copies the table.
    var addedComputed: [ComputedColumn] { new.table.computed.filter { !isKept($0) } }

    private func isKept(_ column: ComputedColumn) -> Bool {
        old.table.computed.contains(column) && new.table.computed.contains(column)
            && column.value.columns.allSatisfy { isKept($0) && old.type(of: $0) == new.type(of: $0) }
    }

    // MARK: Values

    /// The columns whose values a trigger keeps up to date, and the backfill sets.
    var followed: [(column: Table.Column, value: ValueExpression)] {
        columns.compactMap { column, origin in
            switch origin {
            case .filled(let value), .derived(let value): (column, value)
            case .kept, .renamedKey, .constant, .custom: nil
            }
        }
    }

    /// The columns that SQL of yours sets.
    var customColumns: [Table.Column] { columns.filter { $0.origin == .custom }.map(\.column) }

    /// Returns the statement that copies the rows; nil if SQL of yours has to.
    ///
    /// - Parameters:
    ///   - source: The present name of the old table.
    ///   - table: The name of the table that gets the rows.
    func copy(from source: String, into table: String) throws(ServerExpression.Unsupported) -> String? {
        if isCustom { return nil }
        let row = old.expressions()
        var names: [String] = []
        var values: [String] = []
        for (column, origin) in columns {
            let value: ValueExpression =
                switch origin {
                case .kept: .column(column.name)
                case .renamedKey(let name): .column(name)
                case .filled(let value), .constant(let value), .derived(let value): value
                case .custom: .null
                }
            names.append(PostgreSQL.quoted(column.name))
            values.append(try row.sql(value, as: new.type(of: column.name)))
        }
        var conditions: [String] = []
        for value in requiring {
            let type = value.columnName.map { old.type(of: $0) } ?? .text
            conditions.append("(\(try row.sql(value, as: type))) IS NOT NULL")
        }
        return "INSERT INTO \(PostgreSQL.quoted(table)) (\(names.joined(separator: ", ")))\n"
            + "SELECT \(values.joined(separator: ", ")) FROM \(PostgreSQL.quoted(source))"
            + (conditions.isEmpty ? "" : "\nWHERE " + conditions.joined(separator: " AND "))
    }

    /// Returns the value of an old column, computed from the new version's columns; nil if nothing gives it back.
    ///
    /// An app of the old version reads it in rows that an app of the new version has written.
    func inverse(of old: String) -> (column: Table.Column, value: ValueExpression)? {
        // A column that only has another name comes first.
        let derived = columns.filter { $0.origin.source == old } + columns.filter { $0.origin.source != old }
        for case (let column, .derived(let value)) in derived where !isLate(column.name) {
            if let inverse = value.inverse(over: old, as: column.name) { return (column, inverse) }
        }
        return nil
    }
}

extension ValueExpression {
    /// Whether the value depends on a column.
    var readsColumns: Bool {
        switch self {
        case .column: true
        case .literal, .null: false
        case .coalesce(let first, let second): first.readsColumns || second.readsColumns
        case .replaced(let value, _, let other): value.readsColumns || other.readsColumns
        case .changed(let value, _): value.readsColumns
        }
    }

    /// Whether the value is that of a column, and another one where that is NULL or not allowed. Doing so twice changes
    /// nothing.
    func onlyReplaces(_ column: String) -> Bool {
        switch self {
        case .column(let name): name == column
        case .coalesce(let first, let second), .replaced(let first, _, let second):
            first.onlyReplaces(column) && !second.readsColumns
        case .literal, .null, .changed: false
        }
    }

    /// Returns the value of the column `source` from which this value was computed, over the column `result`; nil if it cannot
    /// be computed.
    func inverse(over source: String, as result: String) -> ValueExpression? {
        switch self {
        case .column(let name): name == source ? .column(result) : nil
        case .literal, .null: nil
        case .coalesce(let first, let second), .replaced(let first, _, let second):
            second.readsColumns ? nil : first.inverse(over: source, as: result)
        case .changed(let value, let change):
            change.inverse.flatMap { change in
                value.inverse(over: source, as: result)?.substituting([result: .changed(.column(result), change)])
            }
        }
    }
}

extension ValueChange {
    /// The change back; nil if several values become one, or if not every new value has an old one.
    var inverse: ValueChange? {
        switch self {
        case .scalar(let from, let to):
            return from.storage == to.storage ? .scalar(to, from) : nil
        case .caseToString: return .caseToString
        case .cases(let values, let isMerged):
            guard !isMerged, Set(values.values).count == values.count else { return nil }
            return .cases(Dictionary(uniqueKeysWithValues: values.map { ($1, $0) }), merged: false)
        case .options: return .options(cleared: 0)
        case .elements(let change, let isJSON): return change.inverse.map { .elements($0, isJSON: isJSON) }
        case .members(let changes):
            var inverse: [Member] = []
            for change in changes {
                switch change {
                case .added(let name, _): inverse.append(.removed(name))
                case .removed: return nil
                case .renamed(let old, let new, let inner, let isJSON):
                    guard let back = inner.map(\.inverse) ?? .some(nil) else { return nil }
                    if inner != nil, back == nil { return nil }
                    inverse.append(.renamed(new, to: old, back, isJSON: isJSON))
                case .changed(let name, let inner, let isJSON):
                    guard let back = inner.inverse else { return nil }
                    inverse.append(.changed(name, back, isJSON: isJSON))
                }
            }
            return .members(inverse)
        }
    }
}
