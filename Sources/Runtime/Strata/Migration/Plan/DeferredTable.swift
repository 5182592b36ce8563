import SQLSchema

/// A table that a migration changes only in its last stage, although custom migrations run before that.
///
/// No custom migration receives its rows. Until the last stage it has the shape that it has in the store; then it is altered or
/// copied once. Custom migrations see it through views, in the shapes before and after their steps. If one of them
/// writes to it, the migration begins again and changes it in each stage.
struct DeferredTable: Sendable {
    let name: String
    /// The table before the step; nil if it has this shape.
    let old: Shape?
    /// The table after the step; nil if it has this shape, or if a new table has it.
    var new: Shape?

    /// The shape of a table in a version.
    struct Shape: Sendable {
        fileprivate let table: Table
        /// The values of its columns: columns of the table, and constants.
        fileprivate let values: [String: ValueExpression]
        /// Whether the table has the computed columns already.
        private let hasComputed: Bool

        /// - Parameter present: The table in the store. The result is nil if it has this shape.
        fileprivate init?(_ table: Table, _ values: [String: ValueExpression], beside present: Table) {
            func isSame(_ column: Table.Column) -> Bool {
                present.column(column.name) == column && values[column.name] == .column(column.name)
            }
            if table.columns.allSatisfy(isSame), present.columns.count == table.columns.count,
                table.computed == present.computed, table.checks == present.checks
            {
                return nil
            }
            (self.table, self.values) = (table, values)
            hasComputed = table.computed.allSatisfy(present.computed.contains)
        }

        /// Whether a view can have this shape. SQLite takes the name of a view's column for a value if it is `true` or `false`.
        fileprivate var isExpressible: Bool {
            hasComputed
                && table.columnNames.allSatisfy { column in
                    if ["true", "false"].contains(column.lowercased()) { return false }
                    switch values[column] {
                    case .column, .literal, .null: return true
                    case .coalesce, .replaced, .changed, nil: return false
                    }
                }
        }

        /// The query for the rows in this shape.
        fileprivate func select(from name: String) -> String {
            let columns =
                table.columnNames.map { "\(SQLite.expression(values[$0] ?? .null)) AS \(SQL.quoted($0))" }
                + table.computed.map { SQL.quoted($0.name) }
            return "SELECT \(columns.joined(separator: ", ")) FROM \(SQL.quoted(name))"
        }
    }

    /// The error of a custom migration that writes to a deferred table, or reads it in its own SQL, or that reads the old
    /// rows of a table after it has changed them.
    struct Written: Error {
        let tables: Set<String>
    }

    // MARK: Planning

    /// Returns the stages of a migration that change each table as late as possible.
    ///
    /// - Parameters:
    ///   - stages: The stages.
    ///   - written: The tables that are not deferred.
    static func deferring(_ stages: [MigrationStage], except written: Set<String>) -> [MigrationStage] {
        guard stages.contains(where: { $0.custom != nil }), let tables = stages.first?.mapping.old else {
            return stages
        }
        var result = stages
        var replacements = stages.map { _ in [String: TableMapping.Replacement]() }
        let ends = stages.map(StageEnd.init)
        for table in tables where !written.contains(table.name) && !table.isJoinTable {
            guard let versions = versions(of: table, through: ends) else { continue }
            for index in stages.indices {
                let after = index < stages.count - 1 ? versions[0] : versions[index + 1]
                replacements[index][table.name] = TableMapping.Replacement(
                    table, after.table,
                    origin: after.isSame
                        ? nil : .rows(of: table.name, columns: after.values, requiring: []))
                let (old, new) = (versions[index].shape, versions[index + 1].shape)
                if stages[index].custom != nil, old != nil || new != nil {
                    result[index].deferred.append(DeferredTable(name: table.name, old: old, new: new))
                }
            }
        }
        for index in stages.indices { result[index].mapping = stages[index].mapping.replacing(replacements[index]) }
        guard let last = result.indices.last else { return result }
        let copies = result[last].statements.temporaryNames
        for index in result[last].deferred.indices {
            let table = result[last].deferred[index]
            if copies[table.name] != nil {
                result[last].deferred[index].new = nil
            } else if table.new?.isExpressible == false {
                return deferring(stages, except: written.union([table.name]))
            }
        }
        return result
    }

    /// A table in a version.
    private struct Version {
        let table: Table
        /// The values of its columns in the store's table.
        let values: [String: ValueExpression]
        /// Its shape beside the store's table.
        let shape: Shape?
        /// Whether it is the store's table.
        let isSame: Bool

        init(_ table: Table, _ values: [String: ValueExpression], beside present: Table) {
            (self.table, self.values) = (table, values)
            shape = Shape(table, values, beside: present)
            isSame = shape == nil && table == present
        }
    }

    /// The tables after a stage.
    private struct StageEnd {
        let stage: MigrationStage
        let tables: [String: Table]
        /// The tables before the stage whose rows become rows of a table with another name.
        let renamed: Set<String>

        init(_ stage: MigrationStage) {
            self.stage = stage
            let new = stage.mapping.new
            tables = Dictionary(new.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
            renamed = Set(new.lazy.map(\.name).filter { stage.mapping.source(of: $0) != $0 }.map(stage.mapping.source))
        }
    }

    /// Returns a table of the store before the first stage and after each one; nil if its changes cannot be deferred.
    private static func versions(of table: Table, through ends: [StageEnd]) -> [Version]? {
        let name = table.name
        var mapping = TableMapping(of: [table])
        func version(_ new: Table) -> Version? {
            guard case .rows(_, let values, _) = mapping.origin(of: new, among: [name: table]) else { return nil }
            return Version(new, values, beside: table)
        }
        var versions = [version(table)].compactMap(\.self)
        for (index, end) in ends.enumerated() {
            guard let new = end.tables[name], !end.renamed.contains(name) else { return nil }
            if end.stage.mapping.origins[name] == nil, new == versions[index].table {
                versions.append(versions[index])
            } else {
                guard
                    case .rows(name, let values, []) = end.stage.mapping.origin(
                        of: new, among: [name: versions[index].table]),
                    let next = mapping.followed(by: [.map(from: name, to: name, columns: values)], to: [new])
                else { return nil }
                mapping = next
                guard let version = version(new), keepsKeys(of: table, in: version) else { return nil }
                versions.append(version)
            }
            // The table after the last stage may be a copy.
            let seen = versions[index...(index == ends.count - 1 ? index : index + 1)]
            if end.stage.custom != nil, !seen.allSatisfy({ $0.shape?.isExpressible != false }) { return nil }
        }
        return versions
    }

    /// Whether the primary key, and each foreign key of the store's table, are the same in a version.
    private static func keepsKeys(of table: Table, in version: Version) -> Bool {
        let columns = table.primaryKey + table.foreignKeys.flatMap(\.columns)
        return version.table.primaryKey == table.primaryKey
            && Set(table.foreignKeys).isSubset(of: version.table.foreignKeys)
            && columns.allSatisfy {
                version.values[$0] == .column($0) && version.table.column($0) == table.column($0)
            }
    }

    // MARK: Running

    /// The views through which a custom migration sees deferred tables.
    struct Views {
        /// The names of the views, by those of the tables.
        let old: [String: String]
        let new: [String: String]

        /// Creates the views.
        ///
        /// - Parameters:
        ///   - tables: The deferred tables.
        ///   - oldNames: The present names of tables before the step.
        ///   - newNames: The present names of new tables.
        init(
            _ tables: [DeferredTable], _ oldNames: [String: String], _ newNames: [String: String],
            _ connection: Connection
        ) throws {
            func create(_ prefix: String, _ names: [(String, Shape, String)]) throws -> [String: String] {
                try names.reduce(into: [:]) { views, table in
                    let (name, shape, present) = table
                    let view = SQL.quoted(prefix + name)
                    try connection.execute("CREATE TEMP VIEW \(view) AS \(shape.select(from: present))")
                    // With triggers, SQLite asks the authorizer before it refuses to write to a view.
                    for event in ["INSERT", "UPDATE", "DELETE"] {
                        try connection.execute(
                            """
                            CREATE TEMP TRIGGER \(SQL.quoted("\(prefix)\(event.lowercased())_\(name)")) \
                            INSTEAD OF \(event) ON \(view) BEGIN SELECT 1; END
                            """)
                    }
                    views[name] = prefix + name
                }
            }
            old = try create(
                "strata_before_",
                tables.compactMap { table in table.old.map { (table.name, $0, oldNames[table.name] ?? table.name) } })
            new = try create(
                "strata_after_",
                tables.compactMap { table in
                    table.new.map { (table.name, $0, newNames[table.name] ?? oldNames[table.name] ?? table.name) }
                })
        }

        /// Drops the views of all custom migrations. SQLite refuses to rename tables while a view fits no table.
        static func drop(from connection: Connection) throws {
            let views = "SELECT name FROM temp.sqlite_schema WHERE type = 'view' AND name GLOB 'strata_*'"
            for view in try connection.texts(views) { try connection.execute("DROP VIEW temp.\(SQL.quoted(view))") }
        }
    }
}

extension MigrationStage {
    /// Runs the custom migration.
    ///
    /// - Parameters:
    ///   - step: The run.
    ///   - outdated: The tables that are dropped at the end.
    /// - Throws: `DeferredTable.Written`, or an error of the custom migration.
    func runCode(_ step: CustomStep, outdated: Set<String>) throws {
        guard let custom else { return }
        let (connection, views) = (step.access.connection, step.access.views)
        connection.outdatedTables = outdated.union(views.new.keys)
        let tables = [views.old, views.new].flatMap { $0.map { ($0.value, $0.key) } }
        connection.deferring(
            Dictionary(tables, uniquingKeysWith: { first, _ in first }), Set(views.old.keys),
            // In batches, a table that is not copied is guarded.
            oldViews: step.access.batches == nil ? step.access.oldViews : [:])
        let result = Result { try custom(step) }
        let written = connection.neededTables
        connection.outdatedTables = []
        connection.deferring([:], [])
        step.access.closeStatements()
        try DeferredTable.Views.drop(from: connection)
        if !written.isEmpty { throw DeferredTable.Written(tables: written) }
        try result.get()
    }
}
