/// The origin of the rows of a table, in tables of an older version.
package enum TableOrigin: Hashable, Sendable {
    /// The table begins empty.
    case empty
    /// The rows of a table of the older version.
    ///
    /// - `columns`: The value of every column, over the columns of that table.
    /// - `requiring`: Only the rows are taken in which all these values are not NULL.
    case rows(of: String, columns: [String: ValueExpression], requiring: [ValueExpression])
    /// A custom migration, which reads that table of the older version.
    case code(from: String)
}

/// One step, or several steps without custom migrations as if they were one: the origins of all tables' rows.
package struct TableMapping: Sendable {
    /// The tables of the older version.
    package private(set) var old: [Table]
    /// The tables of the newer version.
    package private(set) var new: [Table]
    /// The origins of the rows of the newer version's tables, by the table's name. A table that is not named keeps its
    /// rows unchanged, as most tables do.
    package private(set) var origins: [String: TableOrigin]

    /// The limits of an expression that two steps make if they are carried out as one. Beyond them, they are carried out
    /// one after the other.
    private static let greatestSize = 4096
    private static let greatestDepth = 80

    /// The mapping of tables to themselves.
    package init(of tables: [Table]) {
        old = tables
        new = tables
        origins = [:]
    }

    /// All rows of a table, unchanged.
    private static func identity(_ table: Table) -> TableOrigin {
        let columns = table.columnNames.map { ($0, ValueExpression.column($0)) }
        return .rows(
            of: table.name, columns: Dictionary(columns, uniquingKeysWith: { first, _ in first }), requiring: [])
    }

    /// The origin of the rows of a table of the newer version.
    package func origin(of table: Table, among old: [String: Table]) -> TableOrigin {
        origins[table.name] ?? old[table.name].map(Self.identity) ?? .empty
    }

    /// The table of the older version whose rows become those of a table of the newer one; the table's own name if
    /// there is none.
    package func source(of table: String) -> String {
        switch origins[table] {
        case .rows(let source, _, _), .code(let source): source
        case .empty, nil: table
        }
    }

    /// The mapping of one step.
    package init(from old: [Table], to new: [Table], changes: [TableChange]) {
        self.init(of: old)
        // Expressions over unchanged columns stay within the limits.
        if let step = followed(by: changes, to: new) { self = step }
    }

    /// The mapping with the names that the indexes of the old tables have in a database, by table. An index is known by
    /// its columns and its uniqueness.
    package func naming(indexes: [String: [Table.Index]]) -> TableMapping {
        var old = old
        for place in old.indices {
            old[place].indexes = old[place].indexes.map { index in
                indexes[old[place].name]?.first { $0.columns == index.columns && $0.isUnique == index.isUnique }
                    ?? index
            }
        }
        var result = self
        result.old = old
        return result
    }

    /// This mapping, followed by a step with `changes` to `tables`; nil if the two are better carried out one by one.
    package func followed(by changes: [TableChange], to tables: [Table]) -> TableMapping? {
        // A step changes few of many tables.
        var origins: [String: TableOrigin] = [:]
        for change in changes {
            switch change {
            case .create(let name): origins[name] = .empty
            case .drop: break
            case .custom(let from, let to, _, _): origins[to] = .code(from: from)
            case .map(let from, let to, let columns, let requiring):
                guard let source = new.first(where: { $0.name == from }),
                    let target = tables.first(where: { $0.name == to }),
                    let next = Self.origin(
                        of: target, from: source, self.origins[from] ?? Self.identity(source), columns, requiring)
                else { return nil }
                origins[to] = next
            }
        }
        var result = self
        result.new = tables
        result.origins.merge(origins) { _, new in new }
        return result
    }

    /// The origin of the rows of `target`, which are those of `source`, whose origin is `origin`.
    private static func origin(
        of target: Table, from source: Table, _ origin: TableOrigin, _ columns: [String: ValueExpression],
        _ requiring: [ValueExpression]
    ) -> TableOrigin? {
        guard case .rows(let table, let before, let required) = origin else { return origin }
        let available = Set(source.columnNames)
        var values: [String: ValueExpression] = [:]
        for column in target.columnNames {
            let value =
                columns[column] ?? (available.contains(column) ? .column(column) : target.defaultValue(of: column))
            guard let fused = value.substituting(before) else { return nil }
            let isFused = value.columnName == nil && fused != value
            guard !isFused || (fused.size <= greatestSize && fused.depth <= greatestDepth) else { return nil }
            values[column] = fused
        }
        let fused = requiring.compactMap { $0.substituting(before) }
        guard fused.count == requiring.count else { return nil }
        return .rows(of: table, columns: values, requiring: required + fused)
    }
}
