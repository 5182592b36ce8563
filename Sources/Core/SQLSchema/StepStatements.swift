/// The SQL statements that migrate tables from one version to another, in the order of their phases.
///
/// All statements run in one transaction with foreign keys off. A table is altered if SQLite allows this. Any other
/// table is rebuilt by the procedure in "Making Other Kinds Of Table Schema Changes"
/// (https://sqlite.org/lang_altertable.html#otheralter): the new table is created under a temporary name and filled. It
/// gets its final name after the old tables are dropped. Therefore two tables can swap their names, and the old rows
/// stay readable until the last phases. A table without an older one is created under its final name: to rename a table,
/// SQLite parses the whole schema.
package struct StepStatements: Sendable {
    /// The statements that create the new tables, under their temporary names if they have one.
    package private(set) var create: [String] = []
    /// The statements that copy rows without a custom migration.
    package var fill: [String] { copies.map { $0.statement() } }
    /// The copies that `fill` contains.
    package private(set) var copies: [InsertSelect] = []
    /// The statements that drop old tables and alter other tables. They need `legacy_alter_table` off, so that
    /// references to a table follow its new name.
    package private(set) var alter: [String] = []
    /// The statements that give the new tables their final names, and create the indexes. They need
    /// `legacy_alter_table` on.
    package var finish: [String] {
        renames + indexes.map { SQLite.createIndex($0.index, on: $0.table) } + searches.flatMap(\.statements)
    }
    /// The statements of `finish` that give the new tables their final names.
    private var renames: [String] = []
    /// The indexes that `finish` creates, with the names of their tables.
    package private(set) var indexes: [(table: String, index: Table.Index)] = []
    /// The search indexes and triggers that `finish` creates.
    package private(set) var searches: [NewSearch] = []
    /// The old tables that are dropped.
    package private(set) var dropped: Set<String> = []
    /// The temporary names of new tables, by their final names.
    package private(set) var temporaryNames: [String: String] = [:]
    /// The action on each table: first the tables of the new version, in their order, and then the dropped tables.
    package private(set) var actions: [(table: String, action: TableAction)] = []

    /// Creates the statements of one step.
    ///
    /// - Parameters:
    ///   - old: The tables of the version before.
    ///   - new: The tables of the version after.
    ///   - changes: The changes of the step.
    ///   - keepsOldTables: Whether the old tables stay unchanged until all rows are copied, because a custom migration
    ///     reads them.
    package init(from old: [Table], to new: [Table], changes: [TableChange], keepsOldTables: Bool = false) {
        self.init(TableMapping(from: old, to: new, changes: changes), keepsOldTables: keepsOldTables)
    }

    /// The temporary name of a table that is created in the same transaction in which it gets its final name.
    package static func temporaryName(of table: String) -> String { "strata_new_" + table }

    /// Creates the statements that carry out a mapping.
    ///
    /// - Parameters:
    ///   - mapping: The origins of the rows.
    ///   - keepsOldTables: Whether the old tables stay unchanged until all rows are copied.
    ///   - copied: The names of unchanged tables whose rows are copied nevertheless.
    ///   - altering: The names of tables that may be altered although the old tables stay unchanged until all rows are copied.
    ///   - hidesNewTables: Whether every new table has a temporary name, because other programs may see it.
    package init(
        _ mapping: TableMapping, keepsOldTables: Bool = false, copied: Set<String> = [], altering: Set<String> = [],
        hidesNewTables: Bool = false
    ) {
        let alterations = Self.alterations(mapping, keepsOldTables: keepsOldTables, altering).filter {
            !copied.contains($0.new.name)
        }
        let altered = Dictionary(alterations.map { ($0.new.name, $0) }, uniquingKeysWith: { first, _ in first })
        let oldTables = Dictionary(mapping.old.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        let oldNames = Set(oldTables.keys.map { $0.lowercased() })
        var rebuilt: [Table] = []
        var untouched: Set<String> = []
        for table in mapping.new {
            if mapping.origins[table.name] == nil, oldTables[table.name] == table, !copied.contains(table.name) {
                untouched.insert(table.name)
                actions.append((table.name, .keep))
                continue
            }
            if let alteration = altered[table.name], !copied.contains(table.name) {
                actions.append((table.name, alteration.statements.isEmpty ? .keep : .alter))
                continue
            }
            let origin = mapping.origin(of: table, among: oldTables)
            if origin == .empty, !keepsOldTables, !hidesNewTables, !oldNames.contains(table.name.lowercased()) {
                create.append(SQLite.createTable(table))
                actions.append((table.name, .create))
                continue
            }
            let temporary = Self.temporaryName(of: table.name)
            temporaryNames[table.name] = temporary
            create.append(SQLite.createTable(table, named: temporary))
            rebuilt.append(table)
            switch origin {
            case .rows(let source, let columns, let requiring):
                actions.append((table.name, .rebuild))
                if let source = oldTables[source] {
                    copies.append(InsertSelect(from: source, to: table, values: columns, requiring: requiring))
                }
            case .custom: actions.append((table.name, .custom))
            case .empty: actions.append((table.name, .create))
            }
        }
        let kept = untouched.union(alterations.map(\.old.name))
        let dropped = mapping.old.map(\.name).filter { !kept.contains($0) }
        self.dropped = Set(dropped)
        let names = Set(mapping.new.map(\.name))
        actions += dropped.filter { !names.contains($0) }.map { ($0, .drop) }

        let searches = SearchChanges(mapping, altered: altered, untouched: untouched, hasCode: keepsOldTables)
        alter = searches.removal
        alter += alterations.flatMap(\.indexDrops)
        alter += dropped.map { "DROP TABLE \(SQL.quoted($0))" }
        alter += alterations.flatMap(\.statements)
        renames = rebuilt.map { table in
            "ALTER TABLE \(SQL.quoted(Self.temporaryName(of: table.name))) RENAME TO \(SQL.quoted(table.name))"
        }
        indexes = mapping.new.filter { !untouched.contains($0.name) }.flatMap { table in
            (altered[table.name]?.addedIndexes ?? table.indexes).map { (table.name, $0) }
        }
        self.searches = searches.creation
    }

    /// Returns the alterations of the tables whose rows need not be copied, in the order of the new version.
    private static func alterations(
        _ mapping: TableMapping, keepsOldTables: Bool, _ altering: Set<String>
    ) -> [TableAlteration] {
        let oldTables = Dictionary(mapping.old.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        let oldNames = Set(oldTables.keys.map { $0.lowercased() })
        let newNames = Set(mapping.new.map { $0.name.lowercased() })
        var alterations: [String: TableAlteration] = [:]
        for table in mapping.new {
            // An unchanged table cannot refer to a renamed table: its foreign key would have changed.
            if mapping.origins[table.name] == nil, oldTables[table.name] == table { continue }
            guard case .rows(let source, let columns, []) = mapping.origin(of: table, among: oldTables),
                let old = oldTables[source],
                alterations[source] == nil,
                let alteration = TableAlteration(
                    of: old, to: table, columns: columns, oldNames: oldNames, newNames: newNames),
                alteration.statements.isEmpty || !keepsOldTables || altering.contains(table.name)
            else { continue }
            alterations[source] = alteration
        }
        // References do not follow a table that is rebuilt. If its name or its key columns change, the tables that
        // refer to it must be rebuilt too.
        while let wrong = alterations.values.first(where: {
            !$0.givesNewTable(after: alterations)
        }) {
            alterations[wrong.old.name] = nil
        }
        let byName = Dictionary(alterations.values.map { ($0.new.name, $0) }, uniquingKeysWith: { first, _ in first })
        return mapping.new.compactMap { byName[$0.name] }
    }
}
