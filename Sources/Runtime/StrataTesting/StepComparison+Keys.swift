import SQLSchema
import Strata

/// A temporary table with the expected result of each row of a table.
///
/// It contains the old primary key, the new primary key and the kind of the result.
struct KeyOutcomes {
    /// The kind of an expected result.
    enum Kind: Int {
        case kept, dropped, merged
    }

    let name: String
    let old: [String]
    let new: [String]

    init(_ number: Int, old: Int, new: Int) {
        name = "temp.strata_outcomes_\(number)"
        self.old = (0..<old).map { "strata_o\($0)" }
        self.new = (0..<new).map { "strata_n\($0)" }
    }
}

/// The expected primary keys, and the foreign keys that follow them.
extension StepComparison {
    func makeKeyOutcomes(
        _ index: Int, from old: (table: String, key: [String]), to new: (table: String, key: [String])
    ) throws -> KeyOutcomes {
        let outcomes = KeyOutcomes(index, old: old.key.count, new: new.key.count)
        let collations = try databases.oldConnection.collations(of: old.key, in: old.table)
        // Without types, SQLite could not use the index to look up numbers.
        let oldTypes = try types(of: old.key, in: "original", old.table)
        let key = zip(zip(outcomes.old, oldTypes), collations).map { "\($0.0) \($0.1)\(SQLite.collate($1))" }
        let newTypes = try types(of: new.key, in: "main", new.table)
        let columns = key + zip(outcomes.new, newTypes).map { "\($0) \($1)" } + ["strata_kind INTEGER"]
        let primaryKey = "PRIMARY KEY (\(outcomes.old.joined(separator: ", ")))"
        try connection.execute("CREATE TABLE \(outcomes.name) (\((columns + [primaryKey]).joined(separator: ", ")))")
        let table = outcomes.name.dropFirst("temp.".count)
        try connection.execute(
            "CREATE INDEX \(outcomes.name)_new ON \(table) (\(outcomes.new.joined(separator: ", ")))")
        self.outcomes[index] = outcomes
        return outcomes
    }

    func types(of columns: [String], in database: String, _ table: String) throws -> [String] {
        var types: [String: String] = [:]
        let list = "pragma_table_info(\(SQL.literal(table)), \(SQL.literal(database)))"
        try connection.query("SELECT name, type FROM \(list)") { types[try $0.string(0)] = try $0.string(1) }
        return columns.map { types[$0] ?? "" }
    }

    /// Returns whether the expected results for a table's rows are unknown.
    func isUnknown(_ table: TableExpectation) -> Bool {
        !table.isJoin && !table.isCopy && unknown.contains(table.from)
            || table.references.contains { unknown.contains($0.target) && ($0.cascades || isInKey($0, of: table)) }
    }

    func isInKey(_ reference: ReferenceExpectation, of table: TableExpectation) -> Bool {
        reference.columns.allSatisfy(table.key.contains)
    }

    /// Records the expected results of rows that refer to rows with a new primary key or to dropped rows.
    func followKeys() throws {
        func isNext(_ table: TableExpectation) -> Bool {
            !table.isJoin && !table.isCopy && isUnknown(table) && !unknown.contains(table.from)
        }
        while let next = step.tables.first(where: isNext) {
            unknown.insert(next.from)
        }
        var pending = step.tables.indices.filter { index in
            let table = step.tables[index]
            return !table.isEmptied && !isUnknown(table) && (outcomes[index] != nil || !table.references.isEmpty)
        }
        let followed = pending
        while !pending.isEmpty {
            // The primary keys that are part of a primary key come before it.
            let next = pending.firstIndex { index in
                let keys = step.tables[index].references.filter { isInKey($0, of: step.tables[index]) }
                return !pending.contains { other in
                    other != index && !step.tables[other].isJoin && !step.tables[other].isCopy
                        && keys.contains { $0.target == step.tables[other].from }
                }
            }
            let index = pending.remove(at: next ?? 0)
            if outcomes[index] != nil { try moveKeys(index) } else { try writeKeys(index) }
        }
        var isChanged = true
        while isChanged {
            isChanged = false
            for index in followed where try cascade(index) { isChanged = true }
        }
    }

    /// Returns the expected results of the rows that a foreign key refers to; nil if all of them keep their primary
    /// keys.
    func targets(of reference: ReferenceExpectation) -> KeyOutcomes? {
        indexes[reference.target].flatMap { outcomes[$0] }
    }

    /// Returns the expected values of a foreign key that had the values `old`, as SQL.
    func followed(_ reference: ReferenceExpectation, _ old: [String]) -> [String] {
        guard let targets = targets(of: reference) else { return old }
        var isFound = Self.equal(targets.old.map { "target." + $0 }, old)
        if targets.old.count == targets.new.count {
            // If a primary key is unchanged, a foreign key to it keeps its spelling. The collation may treat different
            // spellings as equal.
            let changes = zip(targets.old, targets.new).map { "target.\($0) IS NOT target.\($1)" }
            isFound += " AND (\(changes.joined(separator: " OR ")))"
        }
        let rows = "FROM \(targets.name) AS target WHERE \(isFound)"
        return targets.new.enumerated().map { index, column in
            let kept =
                "(SELECT iif(target.strata_kind = \(KeyOutcomes.Kind.dropped.rawValue), NULL, target.\(column)) \(rows))"
            return
                "CASE WHEN EXISTS (SELECT 1 \(rows)) THEN \(kept) ELSE \(index < old.count ? old[index] : "NULL") END"
        }
    }

    /// Returns the expected values of the columns of `table`, as SQL over the old row `o`. Columns with unknown values
    /// are left out.
    func values(of table: TableExpectation) -> [String: String] {
        var values = table.values.mapValues(expectedValues.sql)
        for reference in table.references {
            if unknown.contains(reference.target) {
                for column in reference.columns { values[column] = nil }
            } else if targets(of: reference) != nil {
                let old = reference.oldColumns.map { "o." + SQL.quoted($0) }
                // A custom migration may have set the columns that are not in `values`.
                for (column, value) in zip(reference.columns, followed(reference, old)) where values[column] != nil {
                    values[column] = value
                }
            }
        }
        return values
    }

    func original(_ table: TableExpectation) -> String { "original.\(SQL.quoted(table.from)) AS o" }

    /// Records the expected primary keys of rows that no custom migration handles. A row without a new primary key is
    /// expected to be dropped.
    func writeKeys(_ index: Int) throws {
        let table = step.tables[index]
        let outcomes = try makeKeyOutcomes(index, from: (table.from, table.oldKey), to: (table.to, table.key))
        // References to a row of `from` follow the row itself, and not its copy.
        if !table.isJoin && !table.isCopy { indexes[table.from] = index }
        let values = values(of: table)
        let key = table.key.map { values[$0] ?? "NULL" }
        let columns = table.oldKey.map { "o." + SQL.quoted($0) } + key + [String(KeyOutcomes.Kind.kept.rawValue)]
        let condition = table.required.map { " WHERE o.\(SQL.quoted($0)) IS NOT NULL" } ?? ""
        try connection.execute(
            "INSERT INTO \(outcomes.name) SELECT \(columns.joined(separator: ", ")) FROM \(original(table))\(condition)"
        )
        let isDropped = outcomes.new.map { "\($0) IS NULL" }.joined(separator: " OR ")
        try connection.execute(
            "UPDATE \(outcomes.name) SET strata_kind = \(KeyOutcomes.Kind.dropped.rawValue) WHERE \(isDropped)")
    }

    /// Updates the expected primary keys of rows that a custom migration handles.
    ///
    /// A foreign key that is part of the primary key follows its target, unless the custom migration has changed it.
    func moveKeys(_ index: Int) throws {
        let table = step.tables[index]
        guard let outcomes = outcomes[index] else { return }
        for reference in table.references where isInKey(reference, of: table) && targets(of: reference) != nil {
            let own = reference.columns.compactMap { table.key.firstIndex(of: $0) }.map { "f." + outcomes.new[$0] }
            let old = reference.oldColumns.map { "o." + SQL.quoted($0) }
            guard own.count == old.count else { continue }
            let values = zip(own, followed(reference, own)).map { "\($0.dropFirst(2)) = \($1)" }
            try connection.execute(
                """
                UPDATE \(outcomes.name) AS f SET \(values.joined(separator: ", ")) \
                WHERE f.strata_kind = \(KeyOutcomes.Kind.kept.rawValue) AND EXISTS (SELECT 1 FROM \(original(table)) \
                WHERE \(Self.equal(outcomes.old.map { "f." + $0 }, table.oldKey.map { "o." + SQL.quoted($0) })) \
                AND \(Self.equal(own, old)))
                """)
        }
    }

    /// Marks rows as dropped if a dropped row cascades to them.
    ///
    /// - Returns: Whether any row was marked.
    func cascade(_ index: Int) throws -> Bool {
        let table = step.tables[index]
        guard let outcomes = outcomes[index] else { return false }
        var isChanged = false
        for reference in table.references where reference.cascades {
            guard let targets = targets(of: reference) else { continue }
            let old = reference.oldColumns.map { "o." + SQL.quoted($0) }
            var condition = Self.equal(outcomes.old.map { "f." + $0 }, table.oldKey.map { "o." + SQL.quoted($0) })
            if let expectedRows = expectedRows(index) {
                // A row is not dropped if the custom migration made it refer to another row.
                let isSame = Self.equal(reference.columns.map { "w." + SQL.quoted($0) }, old)
                let isRow = Self.equal(outcomes.old.map { "w." + $0 }, outcomes.old.map { "f." + $0 })
                condition +=
                    " AND NOT EXISTS (SELECT 1 FROM \(expectedRows) AS w WHERE \(isRow) AND NOT coalesce(\(isSame), 0))"
            }
            let values = outcomes.new.map { "\($0) = NULL" } + ["strata_kind = \(KeyOutcomes.Kind.dropped.rawValue)"]
            try connection.execute(
                """
                UPDATE \(outcomes.name) AS f SET \(values.joined(separator: ", ")) \
                WHERE f.strata_kind = \(KeyOutcomes.Kind.kept.rawValue) AND EXISTS (SELECT 1 FROM \(original(table)) \
                JOIN \(targets.name) AS target ON \(Self.equal(targets.old.map { "target." + $0 }, old)) \
                WHERE target.strata_kind = \(KeyOutcomes.Kind.dropped.rawValue) AND \(condition))
                """)
            if try connection.integer("SELECT changes()") ?? 0 > 0 { isChanged = true }
        }
        return isChanged
    }

    /// Returns a message for each primary key that is expected for several rows of an entity. Only one of these rows
    /// can keep it.
    func sharedKeys() throws -> [String] {
        try (step.custom?.rows ?? []).filter { !unknown.contains($0.old.name) }.flatMap { expectation -> [String] in
            guard let outcomes = indexes[expectation.old.name].flatMap({ outcomes[$0] }) else { return [] }
            let key = outcomes.new.joined(separator: ", ")
            let kept = "strata_kind = \(KeyOutcomes.Kind.kept.rawValue)"
            return try values(
                "SELECT \(key), count(*) FROM \(outcomes.name) WHERE \(kept) GROUP BY \(key) HAVING count(*) > 1"
            )
            .map { row in
                let name = "\(names.entity(expectation.new.name)): row \(Self.shown(row.dropLast()))"
                return "\(name) is expected for \(row.last ?? .null) old rows; expect .merged(into:) for all but one"
            }
        }
    }

    /// Returns the temporary table with the rows that you expect for a table; nil if you expect none.
    func expectedRows(_ index: Int) -> String? {
        step.custom?.rows.firstIndex { indexes[$0.old.name] == index }.map { "temp.strata_rows_\($0)" }
    }
}
