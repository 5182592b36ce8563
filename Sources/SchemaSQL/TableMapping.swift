/// Where the rows of a table come from, over the tables of an older version.
package enum TableOrigin: Hashable, Sendable {
    /// Nowhere: the table begins empty.
    case empty
    /// The rows of a table of the older version.
    ///
    /// - `columns`: the value of every column, as an expression over the columns of that table.
    /// - `filter`: a condition on the rows of that table; nil takes all.
    case rows(of: String, columns: [String: String], filter: String?)
    /// A person's code, which reads that table of the older version.
    case code(from: String)
}

/// One step, or several that need no code as if they were one: where the rows of each table come from.
package struct TableMapping: Sendable {
    /// The tables of the older version.
    package private(set) var old: [Table]
    /// The tables of the newer version.
    package private(set) var new: [Table]
    /// Where the rows of each table of the newer version come from, by the table's name; those that are not named are
    /// kept as they are, which nearly all are.
    package private(set) var origins: [String: TableOrigin]

    /// An expression that is longer, or nested deeper, is not made so by fusing: the next step is taken by itself.
    private static let longestExpression = 4096
    private static let deepestExpression = 80

    /// The mapping of tables to themselves.
    package init(of tables: [Table]) {
        old = tables
        new = tables
        origins = [:]
    }

    /// All rows of a table as they are.
    private static func identity(_ table: Table) -> TableOrigin {
        let columns = Dictionary(table.columns.map { ($0, SQL.quoted($0)) }, uniquingKeysWith: { first, _ in first })
        return .rows(of: table.name, columns: columns, filter: nil)
    }

    /// Where the rows of a table of the newer version come from.
    package func origin(of table: Table, among old: [String: Table]) -> TableOrigin {
        origins[table.name] ?? old[table.name].map(Self.identity) ?? .empty
    }

    /// The table of the older version whose rows become those of a table of the newer one; its own name where it has none.
    package func source(of table: String) -> String {
        switch origins[table] {
        case .rows(let source, _, _), .code(let source): source
        case .empty, nil: table
        }
    }

    /// The mapping of one step.
    package init(from old: [Table], to new: [Table], changes: [TableChange]) {
        self.init(of: old)
        // Over columns that are only names, no expression grows.
        if let step = followed(by: changes, to: new) { self = step }
    }

    /// The mapping with the indexes of the old tables called as they are: by table, columns and uniqueness.
    package func naming(indexes: [String: [Index]]) -> TableMapping {
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

    /// This mapping and then a step by `changes` to `tables`, or nil where the two are better taken one by one.
    package func followed(by changes: [TableChange], to tables: [Table]) -> TableMapping? {
        // A step changes few of many tables.
        var origins: [String: TableOrigin] = [:]
        for change in changes {
            switch change {
            case .create(let name): origins[name] = .empty
            case .drop: break
            case .custom(let from, let to, _, _): origins[to] = .code(from: from)
            case .map(let from, let to, let columns, let filter):
                guard let source = new.first(where: { $0.name == from }),
                    let target = tables.first(where: { $0.name == to }),
                    let next = Self.origin(
                        of: target, from: source, self.origins[from] ?? Self.identity(source), columns, filter)
                else { return nil }
                origins[to] = next
            }
        }
        var result = self
        result.new = tables
        result.origins.merge(origins) { _, new in new }
        return result
    }

    /// Where the rows of `target` come from, which are those of `source`, which come from `origin`.
    private static func origin(
        of target: Table, from source: Table, _ origin: TableOrigin, _ columns: [String: String], _ filter: String?
    ) -> TableOrigin? {
        guard case .rows(let table, let before, let oldFilter) = origin else { return origin }
        let available = Set(source.columns)
        var values: [String: String] = [:]
        for column in target.columns {
            let value =
                columns[column] ?? (available.contains(column) ? SQL.quoted(column) : target.defaultValue(of: column))
            guard let fused = SQL.substituting(before, in: value) else { return nil }
            let isFused = SQL.column(value) == nil && fused != value
            guard !isFused || (fused.utf8.count <= longestExpression && SQL.depth(of: fused) <= deepestExpression)
            else { return nil }
            values[column] = fused
        }
        var filters = [oldFilter].compactMap(\.self)
        if let filter {
            guard let filter = SQL.substituting(before, in: filter) else { return nil }
            filters.append(filter)
        }
        return .rows(
            of: table, columns: values,
            filter: filters.isEmpty
                ? nil : filters.count == 1 ? filters[0] : "(" + filters.joined(separator: ") AND (") + ")")
    }
}
