/// The SQL that migrates tables from one version to another, in the phases in which it runs.
///
/// All statements run in one transaction with foreign keys off. Where SQLite allows it, a table is altered. Any other table
/// is rebuilt by the procedure of "Making Other Kinds Of Table Schema Changes"
/// (https://sqlite.org/lang_altertable.html#otheralter): the new table is created under a temporary name and filled, and
/// gets its own name when the old tables are dropped. So names may be swapped, and the old rows stay readable until the
/// last phases.
package struct StepStatements: Sendable {
    /// Creates the new tables under their temporary names.
    package private(set) var create: [String] = []
    /// Copies rows that need no code.
    package var fill: [String] { copies.map { $0.statement() } }
    /// The copies that `fill` makes.
    package private(set) var copies: [InsertSelect] = []
    /// Drops old tables and alters others. These statements need `legacy_alter_table` off, so that references to a table
    /// follow its name.
    package private(set) var alter: [String] = []
    /// Gives the new tables their names, and creates the indexes. These statements need `legacy_alter_table` on.
    package private(set) var finish: [String] = []
    /// The old tables that are dropped.
    package private(set) var dropped: Set<String> = []
    /// The temporary name of each rebuilt table, by its own name.
    package private(set) var temporaryNames: [String: String] = [:]
    /// The action on each table: first the tables of the new version, in their order, and then the dropped tables.
    package private(set) var actions: [(table: String, action: TableAction)] = []

    /// The statements of one step.
    ///
    /// - `keepsOldTables`: whether the old tables stay as they are until all rows are moved, because code reads them.
    package init(from old: [Table], to new: [Table], changes: [TableChange], keepsOldTables: Bool = false) {
        self.init(TableMapping(from: old, to: new, changes: changes), keepsOldTables: keepsOldTables)
    }

    /// The statements that carry out a mapping.
    package init(_ mapping: TableMapping, keepsOldTables: Bool = false) {
        let alterations = Self.alterations(mapping, keepsOldTables: keepsOldTables)
        let altered = Dictionary(alterations.map { ($0.new.name, $0) }, uniquingKeysWith: { first, _ in first })
        let oldTables = Dictionary(mapping.old.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        var rebuilt: [Table] = []
        var untouched: Set<String> = []
        for table in mapping.new {
            if mapping.origins[table.name] == nil, oldTables[table.name] == table {
                untouched.insert(table.name)
                actions.append((table.name, .keep))
                continue
            }
            if let alteration = altered[table.name] {
                actions.append((table.name, alteration.statements.isEmpty ? .keep : .alter))
                continue
            }
            let temporary = "strata_new_" + table.name
            temporaryNames[table.name] = temporary
            create.append(SQLite.createTable(table, named: temporary))
            rebuilt.append(table)
            switch mapping.origin(of: table, among: oldTables) {
            case .rows(let source, let columns, let requiring):
                actions.append((table.name, .rebuild))
                if let source = oldTables[source] {
                    copies.append(InsertSelect(from: source, to: table, values: columns, requiring: requiring))
                }
            case .code: actions.append((table.name, .code))
            case .empty: actions.append((table.name, .create))
            }
        }
        let kept = untouched.union(alterations.map(\.old.name))
        let dropped = mapping.old.map(\.name).filter { !kept.contains($0) }
        self.dropped = Set(dropped)
        let names = Set(mapping.new.map(\.name))
        actions += dropped.filter { !names.contains($0) }.map { ($0, .drop) }

        alter = alterations.flatMap(\.indexDrops)
        alter += dropped.map { "DROP TABLE \(SQL.quoted($0))" }
        alter += alterations.flatMap(\.statements)
        finish = rebuilt.map { table in
            "ALTER TABLE \(SQL.quoted("strata_new_" + table.name)) RENAME TO \(SQL.quoted(table.name))"
        }
        finish += mapping.new.filter { !untouched.contains($0.name) }.flatMap {
            altered[$0.name]?.indexCreations ?? SQLite.createIndexes(of: $0)
        }
    }

    /// The tables that need no copy of their rows, in the order of the new version.
    private static func alterations(_ mapping: TableMapping, keepsOldTables: Bool) -> [TableAlteration] {
        let oldTables = Dictionary(mapping.old.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        let oldNames = Set(oldTables.keys.map { $0.lowercased() })
        let newNames = Set(mapping.new.map { $0.name.lowercased() })
        var alterations: [String: TableAlteration] = [:]
        for table in mapping.new {
            // A table that is the same in both versions refers to no renamed table, or it would not be the same.
            if mapping.origins[table.name] == nil, oldTables[table.name] == table { continue }
            guard case .rows(let source, let columns, []) = mapping.origin(of: table, among: oldTables),
                let old = oldTables[source],
                alterations[source] == nil,
                let alteration = TableAlteration(
                    of: old, to: table, columns: columns, oldNames: oldNames, newNames: newNames),
                alteration.statements.isEmpty || !keepsOldTables
            else { continue }
            alterations[source] = alteration
        }
        // If a table is rebuilt after all, references do not follow it, and the tables that refer to it are rebuilt too.
        while let wrong = alterations.values.first(where: {
            !$0.givesNewTable(after: alterations)
        }) {
            alterations[wrong.old.name] = nil
        }
        let byName = Dictionary(alterations.values.map { ($0.new.name, $0) }, uniquingKeysWith: { first, _ in first })
        return mapping.new.compactMap { byName[$0.name] }
    }
}
