import SQLSchema

/// The change of a table on a server. The table is renamed and altered, so its privileges, policies and views remain.
struct TableTransition {
    let old: ServerTable
    let new: ServerTable
    /// The columns of the new table, each with the origin of its values.
    let columns: [(column: Table.Column, origin: ColumnOrigin)]
    /// Whether all rows are deleted.
    let isEmptied: Bool
    /// The new names of the old columns that remain.
    let names: [String: String]
    /// The new names of the computed columns that remain.
    let computedNames: [String: String]

    /// The origin of a column's values.
    enum ColumnOrigin: Hashable {
        /// An old column, unchanged. It may have another name.
        case kept(String)
        /// An old column with other values of the same type.
        case changed(String, ValueExpression)
        /// An old column whose values get another type or collation.
        case retyped(String, ValueExpression)
        /// A new column with a fixed value.
        case constant(ValueExpression)
        /// A new column whose value is computed from the old row.
        case derived(ValueExpression)
        /// A new column whose values only SQL that you write can provide.
        case custom
    }

    /// The prefix of the names of old tables and columns whose names new ones get.
    static let oldPrefix = "strata_old_"
    /// The prefix of the names of constraints and columns that get their final names later.
    static let newPrefix = "strata_new_"

    /// Creates the change of a table.
    ///
    /// - Parameters:
    ///   - values: The values of the new columns, over the old ones; nil if only a custom migration can provide them.
    ///   - predecessors: The old columns of the same properties, by the names of the new columns.
    ///   - isEmptied: Whether all rows are deleted.
    init(
        from old: ServerTable, to new: ServerTable, values: (Table.Column) -> ValueExpression?,
        predecessors: [String: String] = [:], isEmptied: Bool = false
    ) {
        (self.old, self.new, self.isEmptied) = (old, new, isEmptied)
        func isSame(_ source: String, _ column: Table.Column) -> Bool {
            old.type(of: source) == new.type(of: column.name)
                && old.table.column(source)?.collation == column.collation
        }
        let all = new.table.columns.map { (column: $0, value: values($0)) }
        // A column that keeps its name comes first, and then one that only has another name.
        let candidates = all.compactMap { column, value -> (column: String, source: String, rank: Int)? in
            let own = predecessors[column.name].flatMap { isSame($0, column) ? $0 : nil }
            guard let source = value?.continuedColumn ?? own, old.table.column(source) != nil else { return nil }
            return (column.name, source, source == column.name ? 0 : value?.columnName == nil ? 2 : 1)
        }
        var sources: [String: String] = [:]
        var claimed: Set<String> = []
        for rank in 0...2 {
            for candidate in candidates where candidate.rank == rank && claimed.insert(candidate.source).inserted {
                sources[candidate.column] = candidate.source
            }
        }
        columns = all.map { column, value in
            guard let source = sources[column.name] else {
                guard let value else { return (column, isEmptied ? .constant(.null) : .custom) }
                return (column, value.columnsRead.isEmpty || isEmptied ? .constant(value.constant) : .derived(value))
            }
            let value = value ?? .column(source)
            if !isSame(source, column) { return (column, .retyped(source, isEmptied ? .null : value)) }
            return (column, isEmptied || value.columnName == source ? .kept(source) : .changed(source, value))
        }
        let names = Dictionary(sources.map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        self.names = names
        let types = columns.reduce(into: Set<String>()) { types, entry in
            if case .retyped(let source, _) = entry.origin { types.insert(source) }
        }
        var computed: [String: String] = [:]
        for column in new.table.computed {
            let same = old.table.computed.filter { before in
                computed[before.name] == nil && before.type == column.type
                    && old.type(of: before.name) == new.type(of: column.name)
                    && before.value.columns.allSatisfy { names[$0] != nil && !types.contains($0) }
                    && before.value.mapColumns { names[$0] ?? $0 } == column.value
            }
            let free = same.filter { before in
                before.name == column.name || !new.table.computed.contains { $0.name == before.name }
            }
            if let before = free.first(where: { $0.name == column.name }) ?? free.first {
                computed[before.name] = column.name
            }
        }
        computedNames = computed
    }

    /// Whether nothing changes.
    var isIdentity: Bool { old == new && !isEmptied && columns.allSatisfy { $0.origin == .kept($0.column.name) } }

    // MARK: Names

    func origin(of column: String) -> ColumnOrigin? { columns.first { $0.column.name == column }?.origin }

    /// The old columns, each with its name after all columns were renamed.
    var renames: [(before: String, after: String)] {
        (old.table.columnNames.map { ($0, present($0)) } + computedNames.map { ($0, $1) }.sorted { $0.0 < $1.0 })
            .filter { $0.0 != $0.1 }
    }

    /// The name of an old column after all columns were renamed. A column that is dropped makes way for a new one.
    func present(_ column: String) -> String {
        names[column] ?? (new.table.allColumnNames.contains(column) ? Self.oldPrefix + column : column)
    }

    /// The new name of an old column whose values do not change; nil if they do, or if the column is dropped.
    func keptName(_ column: String) -> String? {
        if let name = computedNames[column] { return name }
        guard let name = names[column], origin(of: name) == .kept(column) else { return nil }
        return name
    }

    /// The old column that a new column is, unchanged; nil if it has other values.
    func keptSource(_ column: String) -> String? {
        if case .kept(let source)? = origin(of: column) { return source }
        return computedNames.first { $0.value == column }?.key
    }

    /// Returns the new names of old columns if no value changes; nil otherwise.
    func keptNames(_ columns: [String]) -> [String]? {
        let names = columns.compactMap(keptName)
        return names.count == columns.count ? names : nil
    }

    /// The old columns that are dropped.
    var droppedColumns: [Table.Column] { old.table.columns.filter { names[$0.name] == nil } }

    /// The computed columns that are dropped, because they are computed in another way, or of columns with another type.
    var droppedComputed: [ComputedColumn] { old.table.computed.filter { computedNames[$0.name] == nil } }

    var addedComputed: [ComputedColumn] {
        let kept = Set(computedNames.values)
        return new.table.computed.filter { !kept.contains($0.name) }
    }

    /// The new columns that apps of the old version can live with: they have a fixed value, and their names are free.
    var onlineColumns: [(column: Table.Column, value: ValueExpression)] {
        if isEmptied { return [] }
        return columns.compactMap { column, origin in
            guard case .constant(let value) = origin, !old.table.allColumnNames.contains(column.name),
                column.isNullable || value != .null, !new.table.primaryKey.contains(column.name)
            else { return nil }
            return (column, value)
        }
    }

    // MARK: Constraints

    /// Whether the primary key stays the same, under other names at most.
    var keepsPrimaryKey: Bool {
        old.table.primaryKey.map { names[$0] ?? "" } == new.table.primaryKey
            && new.table.primaryKey.allSatisfy { if case .changed? = origin(of: $0) { false } else { true } }
    }

    /// Whether an old index remains as an index of the new table.
    func keeps(_ index: Table.Index) -> Bool {
        let columns = index.shape.allColumns
        // The values of a unique index may be equal while they change.
        guard columns.allSatisfy({ keptName($0) != nil || !index.isUnique && isChanged($0) }) else { return false }
        return new.table.indexes.contains(
            Table.Index(index.name, index.shape.mapColumns { [names[$0] ?? computedNames[$0] ?? $0] }))
    }

    private func isChanged(_ column: String) -> Bool {
        if let name = names[column], case .changed? = origin(of: name) { true } else { false }
    }

    /// Returns the new check that an old one becomes without a change; nil if there is none.
    func successor(of check: Table.Check) -> Table.Check? {
        guard keptNames(check.condition.columns) != nil else { return nil }
        let condition = check.condition.mapColumns { keptName($0) ?? $0 }
        return new.table.checks.first { $0.condition == condition && isNamed(check, like: $0) }
    }

    /// Whether an old check has the name of a new one. The names of checks of enums contain those of the table and column.
    private func isNamed(_ before: Table.Check, like check: Table.Check) -> Bool {
        if before.name == check.name { return true }
        guard let column = before.condition.columns.first, let name = keptName(column) else { return false }
        return before.name == "\(old.name)_\(column)_cases" && check.name == "\(new.name)_\(name)_cases"
    }

    /// Returns the old check that implies a new one; nil if there is none. Its columns keep their values.
    func predecessor(of check: Table.Check) -> Table.Check? {
        let sources = check.condition.columns.compactMap(keptSource)
        guard sources.count == check.condition.columns.count else { return nil }
        let condition = check.condition.mapColumns { keptSource($0) ?? $0 }
        let numbers: Set<ServerType> = [.bigint, .double, .real, .timestamptz]
        return old.table.checks.first { before in
            isNamed(before, like: check)
                && before.condition.implies(condition) { numbers.contains(old.type(of: $0)) }
        }
    }

    // MARK: Values

    /// Returns the statement that copies the rows into a new table.
    ///
    /// - Parameters:
    ///   - source: The present name of the old table.
    ///   - name: Returns the present name of an old column.
    ///   - requiring: Values that must not be NULL.
    func copy(
        from source: String, requiring: [ValueExpression], _ name: @escaping (String) -> String
    ) throws(ServerExpression.Unsupported) -> String {
        let row = old.expressions { PostgreSQL.quoted(name($0)) }
        var values: [String] = []
        for (column, origin) in columns {
            let value: ValueExpression =
                switch origin {
                case .kept(let source): .column(source)
                case .changed(_, let value), .retyped(_, let value), .constant(let value), .derived(let value): value
                case .custom: .null
                }
            values.append(try row.sql(value, as: new.type(of: column.name)))
        }
        var conditions: [String] = []
        for value in requiring {
            let type = value.columnName.map { old.type(of: $0) } ?? .text
            conditions.append("\(try row.sql(value, as: type)) IS NOT NULL")
        }
        return """
            INSERT INTO \(PostgreSQL.quoted(new.name)) (\(PostgreSQL.list(new.table.columnNames)))
            SELECT \(values.joined(separator: ", ")) FROM \(PostgreSQL.quoted(source))\
            \(conditions.isEmpty ? "" : "\nWHERE " + conditions.joined(separator: " AND "))
            ON CONFLICT DO NOTHING
            """
    }
}

extension ValueExpression {
    /// The columns that the value depends on.
    var columnsRead: [String] {
        switch self {
        case .column(let name): [name]
        case .literal, .null: []
        case .coalesce(let first, let second): first.columnsRead + second.columnsRead
        case .replaced(let value, _, let other): value.columnsRead + other.columnsRead
        case .changed(let value, _): value.columnsRead
        }
    }

    /// The column whose values these are, possibly changed or replaced; nil for fixed values.
    var continuedColumn: String? {
        switch self {
        case .column(let name): name
        case .literal, .null: nil
        case .coalesce(let value, _), .replaced(let value, _, _), .changed(let value, _): value.continuedColumn
        }
    }

    /// The value if it is fixed, otherwise NULL.
    fileprivate var constant: ValueExpression { columnsRead.isEmpty ? self : .null }

    /// Whether SQL of the value contains a subquery, which `ALTER COLUMN … USING` does not allow.
    var needsSubquery: Bool {
        switch self {
        case .column, .literal, .null: false
        case .coalesce(let first, let second): first.needsSubquery || second.needsSubquery
        case .replaced(let value, _, let other): value.needsSubquery || other.needsSubquery
        case .changed(let value, let change):
            switch change {
            case .elements, .members: true
            default: value.needsSubquery
            }
        }
    }
}
