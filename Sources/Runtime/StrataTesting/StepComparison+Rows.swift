import SQLSchema
import Strata

/// The comparison of the values of rows.
extension StepComparison {
    /// Returns a query for the rows that are expected in a table; nil if the table is emptied.
    ///
    /// The query has the columns of the primary key as `strata_k0` and on, then `columns` as `strata_v0` and on. The
    /// names differ from those in the table, because SQLite cannot refer to a subquery's column that is called `true`.
    /// `others` are further columns, as SQL over the old row `o`.
    func expected(
        _ table: TableExpectation, _ index: Int, _ columns: [String], _ others: [String] = []
    ) -> String? {
        if table.isEmptied { return nil }
        let values = values(of: table)
        let outcomes = self.outcomes[index]
        let key = outcomes.map { outcomes in outcomes.new.map { "f." + $0 } } ?? table.key.map { values[$0] ?? "NULL" }
        let list =
            key.enumerated().map { "\($1) AS strata_k\($0)" }
            + columns.enumerated().map { "\(values[$1] ?? "NULL") AS strata_v\($0)" } + others
        var sql = "SELECT \(list.joined(separator: ", ")) FROM \(original(table))"
        if let outcomes {
            let isOwn = Self.equal(outcomes.old.map { "f." + $0 }, table.oldKey.map { "o." + SQL.quoted($0) })
            sql += " JOIN \(outcomes.name) AS f ON \(isOwn) AND f.strata_kind = \(KeyOutcomes.Kind.kept.rawValue)"
        }
        return sql + (table.required.map { " WHERE o.\(SQL.quoted($0)) IS NOT NULL" } ?? "")
    }

    func compare(_ table: TableExpectation, _ index: Int) throws -> [String] {
        let columns = values(of: table).keys.sorted().filter { !table.key.contains($0) }
        guard let expected = expected(table, index, columns) else { return [] }
        if table.isJoin { return try compare(join: table, index, expected, columns) }
        return try compare(expected, with: table.to, key: table.key, columns: columns)
    }

    /// Compares the rows that you expect with the rows of the new table.
    func compare(_ expectation: RowExpectation, _ number: Int) throws -> [String] {
        guard let index = indexes[expectation.old.name], let outcomes = outcomes[index] else { return [] }
        let table = step.tables.indices.contains(index) ? step.tables[index] : nil
        let columns = expectation.new.columns.filter { !expectation.new.key.contains($0) }
        var values = Dictionary(columns.map { ($0, "w." + SQL.quoted($0)) }, uniquingKeysWith: { first, _ in first })
        for reference in table?.references ?? [] {
            if unknown.contains(reference.target) {
                for column in reference.columns { values[column] = nil }
            } else if targets(of: reference) != nil {
                let own = reference.columns.map { "w." + SQL.quoted($0) }
                let isSame = Self.equal(own, reference.oldColumns.map { "o." + SQL.quoted($0) })
                for (column, value) in zip(reference.columns, followed(reference, own)) where values[column] != nil {
                    values[column] = "CASE WHEN \(isSame) THEN \(value) ELSE w.\(SQL.quoted(column)) END"
                }
            }
        }
        let known = columns.filter { values[$0] != nil }
        let list =
            outcomes.new.enumerated().map { "f.\($1) AS strata_k\($0)" }
            + known.enumerated().map { "\(values[$1] ?? "NULL") AS strata_v\($0)" }
        let isOwn = Self.equal(outcomes.old.map { "f." + $0 }, outcomes.old.map { "w." + $0 })
        let old = expectation.old.key.map { "o." + SQL.quoted($0) }
        let sql = """
            SELECT \(list.joined(separator: ", ")) FROM temp.strata_rows_\(number) AS w \
            JOIN \(outcomes.name) AS f ON \(isOwn) AND f.strata_kind = \(KeyOutcomes.Kind.kept.rawValue) \
            JOIN original.\(SQL.quoted(expectation.old.name)) AS o ON \(Self.equal(outcomes.old.map { "f." + $0 }, old))
            """
        return try compare(
            sql, with: expectation.new.name, key: expectation.new.key, columns: known, reportsMissing: table == nil)
    }

    /// Compares the rows of a query with the rows of a new table that have the same primary key.
    ///
    /// - Parameters:
    ///   - expected: The query for the expected rows.
    ///   - table: The new table.
    ///   - key: The columns of the primary key.
    ///   - columns: The other columns to compare.
    ///   - reportsMissing: Whether to report missing rows.
    func compare(
        _ expected: String, with table: String, key: [String], columns: [String], reportsMissing: Bool = true
    ) throws -> [String] {
        let keys = key.indices.map { "e.strata_k\($0)" }
        let (values, new) = (columns.indices.map { "e.strata_v\($0)" }, columns.map { "n." + SQL.quoted($0) })
        let pairs = zip(values, new).flatMap { [$0, $1] }
        let own = key.map { "n." + SQL.quoted($0) }
        let shown = keys + ["\(own[0]) IS NULL"] + pairs + own
        let statement = try connection.prepare(
            """
            SELECT \(shown.joined(separator: ", ")) FROM (\(expected)) AS e LEFT JOIN main.\(SQL.quoted(table)) AS n \
            ON \(Self.equal(own, keys)) WHERE \(own[0]) IS NULL OR \(differing(keys + values, own + new))
            """)
        let json = jsonColumns(of: table)
        var problems = SummarizedFindings(takingShortest: true)
        while try statement.step() {
            let values = statement.row.values
            let id = Self.shown(values[..<key.count])
            if values[key.count] == .integer(1) {
                if reportsMissing { problems.add("", "\(names.entity(table)): row \(id) is missing") }
                continue
            }
            for (index, column) in columns.enumerated() {
                let (was, now) = (values[key.count + 1 + 2 * index], values[key.count + 2 + 2 * index])
                let isSame = StoredValue(value: now) == StoredValue(value: was)
                if isSame || json.contains(column) && now.isSame(as: was) { continue }
                problems.add(
                    column, "\(names.property(column, of: table)): row \(id): found \(now), expected \(was)")
            }
            let now = values.suffix(key.count)
            // Compares the primary key byte by byte, because its collation may treat different texts as equal.
            for (index, column) in key.enumerated()
            where StoredValue(value: now[now.startIndex + index]) != StoredValue(value: values[index]) {
                problems.add(
                    column, "\(names.property(column, of: table)): row \(id): found the primary key \(Self.shown(now))")
            }
        }
        return problems.texts
    }

    /// Returns the columns of a table that may contain JSON. A text in any other column must keep its bytes, even if it looks
    /// like JSON.
    private func jsonColumns(of table: String) -> Set<String> {
        let columns = version.tables.first { $0.name == table }?.columns ?? []
        return Set(
            columns.filter { if case .value(.texts) = $0.role { true } else { false } }.flatMap(\.names))
    }

    /// Returns the condition that the values of `left` and `right` differ in at least one byte.
    func differing(_ left: [String], _ right: [String]) -> String {
        // SQLite allows expressions with at most 1000 levels.
        stride(from: 0, to: left.count, by: 100).map { start in
            let end = min(start + 100, left.count)
            let values = left[start..<end].map { $0 + " COLLATE BINARY" }.joined(separator: ", ")
            return "(\(values)) IS NOT (\(right[start..<end].joined(separator: ", ")))"
        }.joined(separator: " OR ")
    }

    /// Compares the rows of a join table with the expected rows. Expected rows that have become equal count as one, unless
    /// the table may contain equal pairs.
    func compare(
        join table: TableExpectation, _ index: Int, _ expected: String, _ columns: [String]
    ) throws -> [String] {
        let keys = table.key.indices.map { "strata_k\($0)" }
        let name = names.entity(table.to)
        let own = columns.indices.map { "strata_v\($0)" }
        let position = zip(columns, own).first { $0.0 == Table.position }?.1
        let all = zip(table.key + columns, keys + own).map { "\(SQL.quoted($0)) AS \($1)" }
        let found = numbered(
            "SELECT \(all.joined(separator: ", ")) FROM main.\(SQL.quoted(table.to))", table, by: position)
        let expected = numbered(expected, table, by: position)
        let pair = (keys + ["strata_n"]).joined(separator: ", ")
        var problems = SummarizedFindings(takingShortest: true)
        for row in try values("SELECT \(pair) FROM (\(expected)) EXCEPT SELECT \(pair) FROM (\(found))") {
            problems.add("", "\(name): pair \(Self.shown(row.dropLast())) is missing")
        }
        for (number, column) in columns.enumerated() {
            let value = "strata_v\(number)"
            func isPair(_ left: String, _ right: String) -> String {
                Self.equal((keys + ["strata_n"]).map { left + $0 }, (keys + ["strata_n"]).map { right + $0 })
            }
            let isSame = "SELECT 1 FROM (\(expected)) AS s WHERE \(isPair("s.", "n.")) AND s.\(value) IS n.\(value)"
            // If pairs of a row have been dropped or merged, positions may have moved up. Then only their order is compared.
            let targets = targetCount(of: table.to)
            let ends = column == Table.inversePosition ? keys.suffix(targets) : keys.dropLast(targets)
            let rank = "rank() OVER (PARTITION BY \(ends.joined(separator: ", ")) ORDER BY"
            let distinct = "SELECT \(pair), min(\(value)) AS value FROM (\(expected)) GROUP BY \(pair)"
            let expectedRanks = "SELECT *, \(rank) value) AS rank FROM (\(distinct))"
            let ranks = "SELECT *, \(rank) \(value)) AS rank FROM (\(found))"
            let isComplete = hasAllPairs(table, index, ofTarget: column == Table.inversePosition)
            var mayDiffer = table.references.isEmpty ? "" : " AND (n.rank IS NOT e.rank OR \(isComplete))"
            if isMultiset(table) {
                // Of equal pairs with one position, all but one have been moved to the end.
                let isEqual = Self.equal(keys.map { "s." + $0 }, keys.map { "n." + $0 })
                mayDiffer +=
                    " AND NOT EXISTS (SELECT 1 FROM (\(expected)) AS s WHERE \(isEqual) GROUP BY s.\(value) HAVING count(*) > 1)"
            }
            let shown = (keys + [value]).map { "n." + $0 } + ["e.value"]
            let differing = """
                SELECT \(shown.joined(separator: ", ")) FROM (\(ranks)) AS n \
                JOIN (\(expectedRanks)) AS e ON \(isPair("e.", "n.")) WHERE NOT EXISTS (\(isSame))\(mayDiffer)
                """
            for row in try values(differing) {
                let pair = Self.shown(row.prefix(table.key.count))
                let (now, was) = (row[row.count - 2], row[row.count - 1])
                problems.add(column, "\(name): pair \(pair): found \(column) \(now), expected \(was)")
            }
        }
        return problems.texts
    }

    /// Whether a table may contain equal pairs, and its expectation says nothing of their positions.
    func isMultiset(_ table: TableExpectation) -> Bool {
        !table.key.contains(Table.position)
            && version.joinTables.contains { $0.name == table.to && $0.hasDuplicates }
    }

    /// Returns a query for the rows of a join table, with the number of each row among those with the same pair as
    /// `strata_n`. The number is 1 if equal pairs count as one.
    ///
    /// - Parameters:
    ///   - rows: A query with the pair as `strata_k0` and on.
    ///   - table: The expectation for the join table.
    ///   - position: The column of `rows` that orders equal pairs; nil for any order.
    func numbered(_ rows: String, _ table: TableExpectation, by position: String? = nil) -> String {
        guard isMultiset(table) else { return "SELECT *, 1 AS strata_n FROM (\(rows))" }
        let pair = table.key.indices.map { "strata_k\($0)" }.joined(separator: ", ")
        let order = position.map { " ORDER BY \($0)" } ?? ""
        return "SELECT *, row_number() OVER (PARTITION BY \(pair)\(order)) AS strata_n FROM (\(rows))"
    }

    func targetCount(of join: String) -> Int {
        version.joinTables.first { $0.name == join }?.targetCount ?? 1
    }

    func all(of table: String, _ columns: [String]) -> String {
        "SELECT \(SQL.list(columns)) FROM main.\(SQL.quoted(table))"
    }
}
