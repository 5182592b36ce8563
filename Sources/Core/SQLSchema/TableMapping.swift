/// The origin of a table's rows in an older version.
package enum TableOrigin: Hashable, Sendable {
    /// The table has no rows at first.
    case empty
    /// The rows come from a table of the older version.
    ///
    /// - Parameters:
    ///   - of: The name of that table.
    ///   - columns: The value of every column, computed from the columns of that table.
    ///   - requiring: Values that must not be NULL. Rows in which one of them is NULL are not copied.
    case rows(of: String, columns: [String: ValueExpression], requiring: [ValueExpression])
    /// A custom migration provides the rows. It reads the table `from` of the older version.
    case custom(from: String)
}

/// The origins of the rows of all tables. A mapping covers one step, or several steps without custom migrations that
/// are carried out in one pass.
package struct TableMapping: Sendable {
    /// The tables of the older version.
    package private(set) var old: [Table]
    /// The tables of the newer version.
    package private(set) var new: [Table]
    /// The origins of the rows of the newer version's tables, by the table's name. A table that is not in this
    /// dictionary keeps its rows unchanged. Most tables do.
    package private(set) var origins: [String: TableOrigin]

    /// The greatest size of an expression that combines two steps. If an expression exceeds it, or needs too much of SQLite's
    /// parser, the steps are carried out one after the other.
    private static let greatestSize = 4096

    /// Creates a mapping in which all tables stay unchanged.
    package init(of tables: [Table]) {
        old = tables
        new = tables
        origins = [:]
    }

    /// The tables that keep their rows unchanged, and may be altered.
    package var unchanged: [Table] { new.filter { origins[$0.name] == nil } }

    /// Returns the origin of the rows of an unchanged table.
    private static func identity(_ table: Table) -> TableOrigin {
        let columns = table.columnNames.map { ($0, ValueExpression.column($0)) }
        return .rows(
            of: table.name, columns: Dictionary(columns, uniquingKeysWith: { first, _ in first }), requiring: [])
    }

    /// Returns the origin of the rows of a table.
    ///
    /// - Parameters:
    ///   - table: A table of the newer version.
    ///   - old: The tables of the older version, by name.
    package func origin(of table: Table, among old: [String: Table]) -> TableOrigin {
        origins[table.name] ?? old[table.name].map(Self.identity) ?? .empty
    }

    /// Returns the name of the table in the older version from which the rows of a table come. Returns the table's own
    /// name if there is no such table.
    package func source(of table: String) -> String {
        switch origins[table] {
        case .rows(let source, _, _), .custom(let source): source
        case .empty, nil: table
        }
    }

    /// Creates the mapping of one step.
    package init(from old: [Table], to new: [Table], changes: [TableChange]) {
        self.init(of: old)
        // The limits do not apply here, because a single step does not combine expressions.
        if let step = followed(by: changes, to: new) { self = step }
    }

    /// Returns the mapping with the index names of a database. An old index is identified by its shape.
    ///
    /// - Parameter name: Returns the name of the index that a statement creates, in the database; nil if there is none.
    package func namingIndexes(_ name: (_ statement: String, _ index: Table.Index) -> String?) -> TableMapping {
        var old = old
        for oldIndex in old.indices {
            old[oldIndex].indexes = old[oldIndex].indexes.map { index in
                name(SQLite.createIndex(index, on: old[oldIndex].name), index).map { Table.Index($0, index.shape) }
                    ?? index
            }
        }
        var result = self
        result.old = old
        return result
    }

    /// Another version of a table that has the same name before and after.
    package struct Replacement {
        let old: Table
        let new: Table
        let origin: TableOrigin?

        /// - Parameter origin: The origin of the new table's rows; nil if they stay unchanged.
        package init(_ old: Table, _ new: Table, origin: TableOrigin?) {
            (self.old, self.new, self.origin) = (old, new, origin)
        }
    }

    /// Returns the mapping with other versions of some tables.
    ///
    /// - Parameter replacements: The versions, by the names of the tables.
    package func replacing(_ replacements: [String: Replacement]) -> TableMapping {
        var result = self
        result.old = old.map { replacements[$0.name]?.old ?? $0 }
        result.new = new.map { replacements[$0.name]?.new ?? $0 }
        for (name, replacement) in replacements { result.origins[name] = replacement.origin }
        return result
    }

    /// Returns this mapping combined with a further step; nil if the two must be carried out one after the other.
    ///
    /// - Parameters:
    ///   - changes: The changes of the step.
    ///   - tables: The tables of the version after the step.
    package func followed(by changes: [TableChange], to tables: [Table]) -> TableMapping? {
        func byName(_ tables: [Table]) -> [String: Table] {
            Dictionary(tables.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        }
        let (sources, targets) = (byName(new), byName(tables))
        var origins: [String: TableOrigin] = [:]
        for change in changes {
            switch change {
            case .create(let name): origins[name] = .empty
            case .drop: break
            case .custom(let from, let to, _, _): origins[to] = .custom(from: from)
            case .map(let from, let to, let columns, let requiring):
                guard let source = sources[from], let target = targets[to],
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

    /// Returns the origin of the rows of `target` after a further step; nil if an expression would exceed the limits.
    ///
    /// - Parameters:
    ///   - target: The table after the step.
    ///   - source: The table before the step.
    ///   - origin: The origin of the rows of `source`.
    ///   - columns: The values of columns of `target`, computed from the columns of `source`.
    ///   - requiring: Values of `source` that must not be NULL.
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
            guard !isFused || (fused.size <= greatestSize && fused.parserDepth <= SQLiteLimits.parserDepth) else {
                return nil
            }
            values[column] = fused
        }
        let fused = requiring.compactMap { $0.substituting(before) }
        guard fused.count == requiring.count else { return nil }
        return .rows(of: table, columns: values, requiring: required + fused)
    }
}
