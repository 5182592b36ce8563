import SQLSchema
import Strata

/// The search for rows that satisfy the checks of a table, and for rows that violate one.
struct CheckedRows {
    private let connection: Connection

    init(_ connection: Connection) { self.connection = connection }

    /// Returns whether a value satisfies the checks of its column alone.
    func admits(_ value: SQLiteValue, _ column: FixtureColumn, of table: FixtureTable) throws -> Bool {
        for check in table.checks where check.columns == column.names {
            if try violates([value], column.names, check) { return false }
        }
        return true
    }

    /// Returns whether the values of columns violate a check.
    ///
    /// The values are in a table. SQLite would rename columns of a subquery that are called `true` or `false`.
    private func violates(_ values: [SQLiteValue], _ names: [String], _ check: FixtureCheck) throws -> Bool {
        let columns = names.map(SQL.quoted).joined(separator: ", ")
        try connection.execute("CREATE TEMP TABLE strata_checked (\(columns))")
        defer { try? connection.execute("DROP TABLE temp.strata_checked") }
        let insert = try connection.prepare("INSERT INTO strata_checked VALUES (\(SQL.parameters(names.count)))")
        for (index, value) in values.enumerated() { try insert.bind(value, at: index + 1) }
        try insert.run()
        return try connection.integer("SELECT coalesce(NOT (\(check.condition)), 0) FROM strata_checked") == 1
    }

    /// Returns the sample values of a column that satisfy the checks of the column alone, all different.
    func candidates(_ type: ColumnType, _ column: FixtureColumn, of table: FixtureTable) throws -> [SQLiteValue] {
        let samples = SampleValues.values(of: type)
        guard table.checks.contains(where: { $0.columns == column.names }) else { return samples }
        let values = try samples.filter { try admits($0, column, of: table) }
        guard values.isEmpty else { return values }
        let others = try (self.values(near: column, of: table, type) + (0..<20).map { SampleValues.plain(type, $0) })
            .filter { try admits($0, column, of: table) }
        return others.isEmpty ? samples : others
    }

    /// Returns an ordinary value that satisfies the checks of the column alone, if there is one. Different numbers give different
    /// values if the type has enough of them.
    func plain(
        _ number: Int, _ type: ColumnType, _ column: FixtureColumn, of table: FixtureTable
    ) throws -> SQLiteValue {
        let plain = SampleValues.plain(type, number)
        guard table.checks.contains(where: { $0.columns == column.names }) else { return plain }
        if let value = try variants(number, column, of: table, type).first(where: { try admits($0, column, of: table) })
        {
            return value
        }
        var seen: Set<SQLiteValue> = []
        let candidates = try (candidates(type, column, of: table) + (0..<50).map { SampleValues.plain(type, $0) })
            .filter { try seen.insert($0).inserted && admits($0, column, of: table) }
        return candidates.isEmpty ? plain : candidates[abs(number % candidates.count)]
    }

    /// Returns texts with the texts in the checks of a column alone, different for each number.
    func variants(
        _ number: Int, _ column: FixtureColumn, of table: FixtureTable, _ type: ColumnType
    ) -> [SQLiteValue] {
        guard type.storage == "TEXT" else { return [] }
        let conditions = table.checks.filter { $0.columns == column.names }
            .compactMap { try? RowExpression(parsing: $0.condition) }
        return conditions.flatMap(\.literals).compactMap { literal in
            if case .text(let text) = literal { .text("x\(number)\(text)x") } else { nil }
        }
    }

    /// Returns the values in the checks of a column, and the numbers next to them.
    private func values(near column: FixtureColumn, of table: FixtureTable, _ type: ColumnType) -> [SQLiteValue] {
        var values: [SQLiteValue] = []
        for check in table.checks where check.columns.contains(column.names[0]) {
            guard let condition = try? RowExpression(parsing: check.condition) else { continue }
            for literal in condition.literals {
                switch (literal, type.storage) {
                case (.integer(let value), "INTEGER"):
                    values += [value, value &+ 1, value &- 1].map(SQLiteValue.integer)
                case (.integer(let value), "REAL"): values += [0, 1, -1].map { .real(Double(value) + $0) }
                case (.real(let value), "REAL"): values += [0, 1, -1].map { .real(value + $0) }
                case (.text(let text), "TEXT"): values += [.text(text), .text("x\(text)x")]
                // A number can be a length.
                case (.integer(let length), "TEXT") where (0...1_000).contains(length):
                    values.append(.text(String(repeating: "a", count: Int(length))))
                default: break
                }
            }
        }
        return values
    }

    /// Writes a row. If it violates a check, its values are replaced until it does not.
    ///
    /// - Parameters:
    ///   - row: The values of each column of `table`.
    ///   - table: The table.
    ///   - statement: The statement that inserts a row.
    /// - Throws: `FixtureError.noSampleRow` if no such row is found.
    func insert(_ row: [[SQLiteValue]], into table: FixtureTable, by statement: Statement) throws {
        guard var violated = try violation(row, statement) else { return }
        var random = RandomRows(seed: 7, count: 0)
        let indexes = replaceable(in: table)
        var pools: [[SQLiteValue]] = []
        for index in indexes { pools.append(try pool(of: table.columns[index], of: table)) }
        let original = row
        var row = row
        for _ in 0..<5_000 where !indexes.isEmpty {
            // Only the values of the violated check change, so that the others stay as they were drawn.
            let violatedColumns = table.checks.first { $0.name == violated }?.columns ?? []
            for (index, pool) in zip(indexes, pools) where violatedColumns.contains(table.columns[index].names[0]) {
                // The value of another column of the same kind makes both equal, which many checks allow.
                let others = indexes.filter {
                    table.columns[$0].storage == table.columns[index].storage && row[$0] != [.null]
                }
                if random.holds(0.2), let other = others.randomElement(using: &random) {
                    row[index] = row[other]
                } else if let value = pool.randomElement(using: &random) {
                    row[index] = [value]
                }
            }
            guard let next = try violation(row, statement) else { return }
            violated = next
        }
        if try insertLikeExisting(original, indexes, table, statement) { return }
        throw FixtureError.noSampleRow(entity: table.entity, check: violated)
    }

    /// Writes a row with the checked values of a row that the table has already. Returns false if there is none.
    private func insertLikeExisting(
        _ row: [[SQLiteValue]], _ indexes: [Int], _ table: FixtureTable, _ statement: Statement
    ) throws -> Bool {
        let names = indexes.flatMap { table.columns[$0].names }
        var found: [[SQLiteValue]] = []
        if !names.isEmpty {
            try connection.query("SELECT \(SQL.list(names)) FROM \(SQL.quoted(table.name)) LIMIT 20") {
                found.append($0.values)
            }
        }
        for values in found {
            var row = row
            // Only the columns of violated checks get the values of the other row.
            for _ in table.checks {
                guard let violated = try violation(row, statement) else { return true }
                let columns = table.checks.first { $0.name == violated }?.columns ?? []
                for (index, value) in zip(indexes, values) where columns.contains(table.columns[index].names[0]) {
                    row[index] = [value]
                }
            }
            if try violation(row, statement) == nil { return true }
        }
        return false
    }

    /// The positions of the columns with checks whose values may be replaced.
    private func replaceable(in table: FixtureTable) -> [Int] {
        table.columns.indices.filter { index in
            let column = table.columns[index]
            guard case .value = column.role, !column.isUnique, !table.key.contains(column.names[0]) else {
                return false
            }
            return table.checks.contains { $0.columns.contains(column.names[0]) }
        }
    }

    private func pool(of column: FixtureColumn, of table: FixtureTable) throws -> [SQLiteValue] {
        guard case .value(let type) = column.role else { return [] }
        let values =
            try candidates(type, column, of: table)
            + self.values(near: column, of: table, type).filter { try admits($0, column, of: table) }
        return values + (0..<3).map { SampleValues.plain(type, $0) } + (column.isNullable ? [.null] : [])
    }

    /// Inserts a row. Returns the name of the check that it violates; nil if the row is written.
    private func violation(_ row: [[SQLiteValue]], _ statement: Statement) throws -> String? {
        for (index, value) in row.joined().enumerated() { try statement.bind(value, at: index + 1) }
        do {
            try statement.run()
            return nil
        } catch let error as SQLiteError {
            statement.rewind()
            if let check = error.check { return check }
            throw error
        }
    }

    // MARK: Violations

    /// Changes rows so that they violate each check, and tries to write them.
    ///
    /// - Parameters:
    ///   - table: A table whose rows satisfy its checks.
    ///   - definition: The table's definition.
    /// - Returns: The problems: checks that let a row through, or that are reported by another name.
    func problems(_ table: FixtureTable, _ definition: Table) throws -> [String] {
        let names = table.columns.flatMap(\.names)
        var rows: [[SQLiteValue]] = []
        try connection.query("SELECT \(SQL.list(names)) FROM \(SQL.quoted(table.name)) LIMIT 10") {
            rows.append($0.values)
        }
        let empty = try Connection(path: ":memory:", mode: .create)
        try empty.execute(SQLite.createTable(definition))
        let statement = try empty.prepare(
            "INSERT INTO \(SQL.quoted(table.name)) (\(SQL.list(names))) VALUES (\(SQL.parameters(names.count)))")
        var problems: [String] = []
        for check in table.checks {
            var refusals: Set<String> = []
            for row in rows.flatMap({ changed($0, names, check, table) }) where !refusals.contains(check.name) {
                guard try violates(row, names, check) else { continue }
                if let refusal = try CheckedRows(empty).violation([row], statement) {
                    refusals.insert(refusal)
                } else {
                    problems.append("\(table.entity): a row that violates the check \(check.name) is written")
                    break
                }
            }
            // A row that violates one check may always violate another one too, which SQLite then reports.
            if !refusals.isEmpty, refusals.isDisjoint(with: table.checks.map(\.name)) {
                problems.append(
                    "\(table.entity): a row that violates the check \(check.name) is refused by \(refusals.sorted())")
            }
        }
        return problems
    }

    /// Returns the row with each value of a check's columns replaced by others.
    private func changed(
        _ row: [SQLiteValue], _ names: [String], _ check: FixtureCheck, _ table: FixtureTable
    ) -> [[SQLiteValue]] {
        var rows: [[SQLiteValue]] = []
        for column in table.columns where column.names.count == 1 && check.columns.contains(column.names[0]) {
            guard let index = names.firstIndex(of: column.names[0]) else { continue }
            var values = column.isNullable ? [SQLiteValue.null] : []
            switch column.role {
            case .key(let type), .value(let type):
                if case .limited(let base, let limits) = type {
                    values += LimitedValues(base, limits).bounds + SampleValues.values(of: base)
                } else {
                    values += SampleValues.values(of: type)
                }
                values += self.values(near: column, of: table, type)
            case .reference, .position: break
            }
            for value in values {
                rows.append(row)
                rows[rows.count - 1][index] = value
            }
        }
        return rows
    }
}

extension RowExpression {
    /// The fixed values in the expression.
    fileprivate var literals: [Literal] {
        switch self {
        case .literal(let value): [value]
        case .column, .null: []
        case .negative(.literal(.integer(let value))): [.integer(-value)]
        case .negative(let value), .not(let value), .isNull(let value): value.literals
        case .binary(let left, _, let right): left.literals + right.literals
        case .isIn(let value, let list): ([value] + list).flatMap(\.literals)
        case .call(_, let arguments): arguments.flatMap(\.literals)
        case .cases(let branches, let otherwise):
            branches.flatMap { $0.condition.literals + $0.value.literals } + (otherwise?.literals ?? [])
        }
    }
}
