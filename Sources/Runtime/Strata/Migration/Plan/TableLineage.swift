import SQLSchema

/// The ways of the tables through all stages of a migration, from those of the store to those of the newest version.
struct TableLineage: Sendable {
    /// The way of the rows of one table.
    struct Line: Sendable {
        /// The name of the table in the store.
        let source: String
        /// The name of the table in the newest version.
        fileprivate(set) var table: String
        /// The columns that have values of the store's table, by their names in the newest version.
        fileprivate(set) var columns: [String: Origin]
        /// Whether a custom migration has received the rows.
        fileprivate(set) var hasCode = false

        /// The names of columns in the newest version, by their names in the store. A column whose values are copied to several
        /// keeps its name if possible.
        var names: [String: String] {
            func rank(_ column: (key: String, value: Origin)) -> (Int, Int, String) {
                (column.value.isSame ? 0 : 1, column.key == column.value.column ? 0 : 1, column.key)
            }
            let sorted = columns.sorted { rank($0) < rank($1) }
            return Dictionary(sorted.map { ($0.value.column, $0.key) }, uniquingKeysWith: { first, _ in first })
        }
    }

    /// The column of the store whose values a column has.
    struct Origin: Sendable {
        let column: String
        /// Whether the values are unchanged.
        let isSame: Bool
    }

    /// The ways of all rows that reach the newest version, in the order of its tables.
    private(set) var lines: [Line]
    /// The names of the store's tables that a stage changes in any way.
    private(set) var touched: Set<String> = []
    /// For the version before each stage, and for the newest one: the tables of the store whose rows a table has.
    private var origins: [[String: Set<String>]]

    init(_ stages: [MigrationStage]) {
        let tables = stages.first?.mapping.old ?? []
        lines = tables.map { table in
            Line(
                source: table.name, table: table.name,
                columns: Dictionary(
                    table.columnNames.map { ($0, Origin(column: $0, isSame: true)) },
                    uniquingKeysWith: { first, _ in first }))
        }
        origins = [Dictionary(tables.map { ($0.name, [$0.name]) }, uniquingKeysWith: { first, _ in first })]
        for stage in stages { follow(stage) }
    }

    /// The tables of the store whose rows a table has before a stage. A custom migration may have merged the rows of several.
    func origins(of table: String, before stage: Int) -> Set<String> { origins[stage][table] ?? [] }

    /// Returns the way of a table of the store; nil if its rows do not reach the newest version. Of several ways, it is the one
    /// on which the table keeps its name.
    func line(of source: String) -> Line? {
        let all = lines.filter { $0.source == source }
        return all.first { $0.table == source } ?? all.first
    }

    private mutating func follow(_ stage: MigrationStage) {
        let mapping = stage.mapping
        let new = Dictionary(mapping.new.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        for table in mapping.old where mapping.origins[table.name] != nil || new[table.name] != table {
            touched.formUnion(lines.filter { $0.table == table.name }.map(\.source))
        }
        lines = mapping.new.flatMap { table in
            let source = mapping.source(of: table.name)
            return lines.filter { $0.table == source }.compactMap { stage.continued($0, as: table) }
        }
        var next: [String: Set<String>] = [:]
        for table in mapping.new where mapping.origins[table.name] != .empty {
            next[table.name] = origins.last?[mapping.source(of: table.name)]
        }
        for case .custom(let source, let target, _, _) in stage.changes {
            next[target, default: []].formUnion(origins.last?[source] ?? [])
        }
        origins.append(next)
    }
}

extension MigrationStage {
    /// Returns the way of a table after the stage; nil if the rows do not become rows of `table`.
    fileprivate func continued(_ line: TableLineage.Line, as table: Table) -> TableLineage.Line? {
        /// The old column of each new one, and whether the values are the same.
        var sources: [String: TableLineage.Origin] = [:]
        var line = line
        switch mapping.origins[table.name] {
        case .empty: return nil
        case nil: break
        case .rows(_, let values, _):
            for (column, value) in values {
                let old = value.columnName
                sources[column] = TableLineage.Origin(column: old ?? column, isSame: old != nil)
            }
        case .custom:
            line.hasCode = true
            for column in table.columnNames { sources[column] = TableLineage.Origin(column: column, isSame: false) }
            for case .custom(_, table.name, _, let references) in changes {
                for (column, old) in references { sources[column] = TableLineage.Origin(column: old, isSame: true) }
            }
        }
        if !sources.isEmpty {
            line.columns = sources.compactMapValues { source in
                line.columns[source.column].map {
                    TableLineage.Origin(column: $0.column, isSame: $0.isSame && source.isSame)
                }
            }
        }
        line.table = table.name
        return line
    }
}
