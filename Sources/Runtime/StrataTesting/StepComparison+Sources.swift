import SQLSchema
import Strata

/// The comparison of new rows with the old rows that they come from.
extension StepComparison {
    /// Checks that each row of an entity's table comes from an old row or is expected to be added.
    ///
    /// It also compares the added rows with the expected ones.
    ///
    /// - Returns: The problems; empty if there are none.
    func compareSources(of table: FixtureTable) throws -> [String] {
        let tables = step.tables.enumerated().filter { !$1.isJoin && $1.to == table.name }
        let customRows = (step.custom?.rows ?? []).filter { $0.new.name == table.name }
        let isKnown = !tables.contains { isUnknown($1) } && !customRows.contains { unknown.contains($0.old.name) }
        guard isKnown else { return [] }
        var sql = all(of: table.name, table.key)
        for (index, expectation) in tables {
            guard let expected = expected(expectation, index, []) else { continue }
            sql += " EXCEPT " + expected
        }
        for expectation in customRows {
            guard let index = indexes[expectation.old.name], index >= step.tables.count, let outcomes = outcomes[index]
            else {
                continue
            }
            sql += " EXCEPT SELECT \(outcomes.new.joined(separator: ", ")) FROM \(outcomes.name)"
            sql += " WHERE strata_kind = \(KeyOutcomes.Kind.kept.rawValue)"
        }
        var problems = SummarizedFindings(takingShortest: true)
        var addedProblems: [String] = []
        if let added = added[table.name] {
            let key = table.key.enumerated().map { "\(SQL.quoted($1)) AS strata_k\($0)" }
            let columns = table.columns.flatMap(\.names).filter { !table.key.contains($0) }
            let values = columns.enumerated().map { "\(SQL.quoted($1)) AS strata_v\($0)" }
            let expectedRows = "SELECT \((key + values).joined(separator: ", ")) FROM \(added)"
            addedProblems = try compare(expectedRows, with: table.name, key: table.key, columns: columns).map {
                $0 + " (`added` returns this row)"
            }
            sql += " EXCEPT SELECT \(SQL.list(table.key)) FROM \(added)"
        }
        var unexpected = SummarizedFindings(takingShortest: true)
        let dropped = Set(try customRows.flatMap { try droppedKeys(of: $0) })
        for row in try values(sql) {
            let id = Self.shown(row)
            if dropped.contains(id) {
                problems.add("dropped", "\(names.entity(table.name)): row \(id) still exists, expected .dropped")
            } else {
                let isDeclared = step.custom == nil ? "" : ", and `added` does not return it"
                unexpected.add("", "\(names.entity(table.name)): row \(id) does not come from an old row\(isDeclared)")
            }
        }
        let stub = """
            static func added(_ rows: StepRows) throws -> [any StoredEntity] {
                …
            }
            """
        if !unexpected.texts.isEmpty, step.custom != nil, added[table.name] == nil, !unwritten.contains(stub) {
            unwritten.append(stub)
        }
        return addedProblems + problems.texts + unexpected.texts
    }

    /// Returns the primary keys of the old rows of an entity that are expected to be dropped.
    private func droppedKeys(of expectation: RowExpectation) throws -> [String] {
        guard let outcomes = indexes[expectation.old.name].flatMap({ outcomes[$0] }) else { return [] }
        let dropped = "strata_kind = \(KeyOutcomes.Kind.dropped.rawValue)"
        return try values("SELECT \(outcomes.old.joined(separator: ", ")) FROM \(outcomes.name) WHERE \(dropped)")
            .map { Self.shown($0) }
    }

    /// Checks that each row of a join table comes from an old row, or belongs to a row that was added.
    ///
    /// - Returns: The problems; empty if there are none.
    func compareSources(of join: FixtureJoinTable) throws -> [String] {
        let expectations = step.tables.enumerated().filter { $1.isJoin && $1.to == join.name }
        // Only the custom migration determines the rows of a relationship that it fills.
        if expectations.isEmpty, step.custom != nil { return [] }
        if expectations.contains(where: { isUnknown($1) }) { return [] }
        let pair = expectations.first?.1.key ?? join.key
        var sql = all(of: join.name, pair)
        let sources = join.columns.dropLast(join.targetCount)
        let ends = [(join.source, Array(sources)), (join.target, Array(join.columns.suffix(join.targetCount)))]
        let conditions = ends.compactMap { table, columns -> String? in
            guard let added = added[table], let key = version.tables.first(where: { $0.name == table })?.key else {
                return nil
            }
            return "(\(SQL.list(columns))) NOT IN (SELECT \(SQL.list(key)) FROM \(added))"
        }
        if !conditions.isEmpty { sql += " WHERE " + conditions.joined(separator: " AND ") }
        let expected = expectations.compactMap { index, expectation in self.expected(expectation, index, []) }
        if let table = expectations.first?.1, isMultiset(table) {
            let number = "row_number() OVER (PARTITION BY \(SQL.list(pair))) AS strata_n"
            sql = "SELECT \(SQL.list(pair)), \(number) FROM (\(sql))"
            if !expected.isEmpty {
                sql += " EXCEPT SELECT * FROM (\(numbered(expected.joined(separator: " UNION ALL "), table)))"
            }
            sql = "SELECT \(SQL.list(pair)) FROM (\(sql))"
        } else {
            for rows in expected { sql += " EXCEPT " + rows }
        }
        // A row that comes from another entity is new in its table. Its pairs are new too.
        for (table, columns) in ends {
            for rows in step.custom?.rows ?? [] where rows.new.name == table {
                guard let index = indexes[rows.old.name], index >= step.tables.count, let outcomes = outcomes[index]
                else {
                    continue
                }
                let key = outcomes.new.joined(separator: ", ")
                sql =
                    "SELECT * FROM (\(sql)) WHERE (\(SQL.list(columns))) NOT IN (SELECT \(key) FROM \(outcomes.name) WHERE \(outcomes.new[0]) IS NOT NULL)"
            }
        }
        var problems = SummarizedFindings(takingShortest: true)
        for row in try values(sql) {
            problems.add("", "\(names.entity(join.name)): pair \(Self.shown(row)) is new")
        }
        return problems.texts
    }
}
