/// The SQL of one step from a version to the next, in the three phases in which it is carried out.
///
/// All of it runs in one transaction with foreign keys off, after the procedure of "Making Other Kinds Of Table Schema
/// Changes" (https://sqlite.org/lang_altertable.html#otheralter): new tables are made under temporary names, filled,
/// and take their own names when the old tables have gone. So names may be swapped, and the old rows stay
/// readable until the last phase.
public struct StepStatements: Sendable {
    /// Creates the new tables under their temporary names.
    public private(set) var create: [String] = []
    /// Copies rows that need no code.
    public private(set) var fill: [String] = []
    /// Drops what is old, gives the new tables their names, and creates the indexes.
    public private(set) var finish: [String] = []
    /// The temporary name of each table that is made anew, by its own.
    public private(set) var temporaryNames: [String: String] = [:]

    /// The statements that take tables `old` to tables `new` by `changes`.
    public init(from old: [Table], to new: [Table], changes: [TableChange]) {
        let oldTables = Dictionary(old.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        let newTables = Dictionary(new.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        var dropped: [String] = []
        var rebuilt: [Table] = []

        for change in changes {
            if case .map(let from, let to, let columns, nil) = change, from == to, columns.isEmpty,
                let before = oldTables[from], let after = newTables[to], before.elements == after.elements
            {
                let kept = Set(before.indexes).intersection(after.indexes)
                finish += before.indexes.filter { !kept.contains($0) }.map { "DROP INDEX \(SQL.quoted($0.name))" }
                finish += after.indexes.filter { !kept.contains($0) }.map { $0.createStatement(on: to) }
                continue
            }
            if let name = change.result, let table = newTables[name], temporaryNames[name] == nil {
                let temporary = "strata_new_" + name
                temporaryNames[name] = temporary
                create.append(table.createStatement(named: temporary))
                rebuilt.append(table)
            }
            switch change {
            case .create: break
            case .drop(let name): dropped.append(name)
            case .custom(let from, _): dropped.append(from)
            case .map(let from, let to, let columns, let filter):
                guard let source = oldTables[from], let target = newTables[to] else { continue }
                fill.append(Self.copy(source, target, columns, filter))
                dropped.append(from)
            }
        }

        // A table whose rows feed a join table goes only where it is itself replaced or gone.
        let replaced = Set(temporaryNames.keys)
        let names = Set(newTables.keys)
        var seen: Set<String> = []
        finish +=
            dropped
            .filter { (replaced.contains($0) || !names.contains($0)) && seen.insert($0).inserted }
            .map { "DROP TABLE \(SQL.quoted($0))" }
        finish += rebuilt.map { table in
            "ALTER TABLE \(SQL.quoted("strata_new_" + table.name)) RENAME TO \(SQL.quoted(table.name))"
        }
        finish += rebuilt.flatMap(\.indexStatements)
    }

    private static func copy(
        _ source: Table, _ target: Table, _ expressions: [String: String], _ filter: String?
    ) -> String {
        let available = Set(source.columns)
        var columns: [String] = []
        var values: [String] = []
        if filter == nil, let from = source.hiddenRowID, let to = target.hiddenRowID {
            columns.append(to)
            values.append(from)
        }
        for column in target.columns {
            guard let value = expressions[column] ?? (available.contains(column) ? SQL.quoted(column) : nil) else {
                continue
            }
            columns.append(SQL.quoted(column))
            values.append(value)
        }
        var statement = "INSERT INTO \(SQL.quoted("strata_new_" + target.name)) (\(columns.joined(separator: ", ")))\n"
        statement += "SELECT \(values.joined(separator: ", ")) FROM \(SQL.quoted(source.name))"
        if let filter { statement += " WHERE \(filter)" }
        return statement
    }
}
