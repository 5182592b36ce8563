import SQLSchema
import Strata

/// The rows that cover every column of a version, written with plain SQL.
///
/// Generated structs take no part in writing them. The tests can therefore compare these rows with the values that the
/// structs read and write.
struct SampleRows {
    private let tables: [FixtureTable]
    private let joinTables: [FixtureJoinTable]
    private let connection: Connection
    /// The primary key of each row, by table.
    private var keys: [String: [[SQLiteValue]]] = [:]
    /// The source of random rows; nil for rows with each kind of value.
    private var random: RandomRows?
    /// The probability that a foreign key dangles.
    private var danglingRate = 0.0
    private var danglingKeys = 0
    private let checks: CheckedRows

    static func write(
        _ tables: [FixtureTable], _ joinTables: [FixtureJoinTable], to connection: Connection,
        drawnFrom random: RandomRows? = nil
    ) throws {
        var rows = SampleRows(tables: tables, joinTables: joinTables, connection: connection, random: random)
        rows.danglingRate = rows.random?.danglingRate() ?? 0
        let counts = try rows.counts()
        for table in rows.targetsFirst() { try rows.drawKeys(of: table, count: counts[table.name] ?? 0) }
        for table in tables { try rows.write(table) }
        for table in joinTables { try rows.write(table) }
    }

    private init(
        tables: [FixtureTable], joinTables: [FixtureJoinTable], connection: Connection, random: RandomRows?
    ) {
        self.random = random
        self.tables = tables
        self.joinTables = joinTables
        self.connection = connection
        checks = CheckedRows(connection)
    }

    // MARK: Counts

    /// Returns the number of rows of each table.
    ///
    /// The column with the most sample values determines the number: twice as many rows as it has values, including
    /// NULL. Each value then appears beside several values of another column. The number of random rows is random.
    /// Primary keys and unique columns may allow fewer rows.
    private mutating func counts() throws -> [String: Int] {
        var counts: [String: Int] = [:]
        for table in tables {
            var count = 3
            for column in table.columns {
                if case .value(let type) = column.role { count = max(count, SampleValues.values(of: type).count + 1) }
            }
            count *= 2
            if let size = random?.size(of: table.name) { count = size }
            // A required unique column allows no more rows than its type has values.
            for column in table.columns where column.isUnique && !column.isNullable {
                let isChecked = table.checks.contains { $0.columns == column.names }
                if case .value(let type) = column.role, isChecked || SampleValues.distinct(type, count) == nil {
                    count = min(count, try free(type, column, of: table, atMost: count).count)
                }
            }
            counts[table.name] = count
        }
        // A foreign key to a table with fewer rows may also reduce the number of rows. This may in turn reduce the rows
        // of a table that refers to this one, so the loop runs until nothing changes.
        var isStable = false
        while !isStable {
            isStable = true
            for table in tables {
                // A primary key has no more values than there are combinations of the values of its parts.
                let combinations = try table.keyColumns.reduce(1) { product, column in
                    let count = counts[table.name] ?? 0
                    switch column.role {
                    case .reference(let target, _): return min(1 << 16, product * (counts[target] ?? 0))
                    case .key(let type), .value(let type):
                        return min(1 << 16, product * (try free(type, column, of: table, atMost: count).count))
                    case .position: return product
                    }
                }
                if let count = counts[table.name], combinations < count {
                    counts[table.name] = combinations
                    isStable = false
                }
                for column in table.columns where !column.isNullable {
                    guard case .reference(let target, _) = column.role else { continue }
                    if counts[target] == 0, counts[table.name] != 0 {
                        counts[table.name] = 0
                        isStable = false
                    }
                    if column.isUnique, let limit = counts[target], let count = counts[table.name], limit < count {
                        counts[table.name] = limit
                        isStable = false
                    }
                }
            }
        }
        return counts
    }

    // MARK: Keys

    /// Returns the tables in an order in which each table comes after the tables that its primary key refers to.
    private func targetsFirst() -> [FixtureTable] {
        var ordered: [FixtureTable] = []
        var entered: Set<String> = []
        func visit(_ table: FixtureTable) {
            guard entered.insert(table.name).inserted else { return }
            for column in table.keyColumns {
                guard case .reference(let target, _) = column.role else { continue }
                if let table = tables.first(where: { $0.name == target }) { visit(table) }
            }
            ordered.append(table)
        }
        tables.forEach(visit)
        return ordered
    }

    /// Chooses the primary key of each row. The keys are combinations of the values of their parts.
    private mutating func drawKeys(of table: FixtureTable, count: Int) throws {
        var taken: Set<[SQLiteValue]> = []
        try connection.query("SELECT \(SQL.list(table.key)) FROM \(SQL.quoted(table.name))") {
            taken.insert($0.values)
        }
        /// The values of each part of the key.
        var pools: [(values: [[SQLiteValue]], isUnique: Bool)] = []
        for column in table.keyColumns {
            switch column.role {
            case .key(let type), .value(let type):
                pools.append((try free(type, column, of: table, atMost: count).map { [$0] }, column.isUnique))
            case .reference(let target, _):
                var used: Set<[SQLiteValue]> = []
                if column.isUnique {
                    let rows = "SELECT \(SQL.list(column.names)) FROM \(SQL.quoted(table.name))"
                    try connection.query(rows) { used.insert($0.values) }
                }
                pools.append(((keys[target] ?? []).filter { !used.contains($0) }, column.isUnique))
            case .position: break
            }
        }
        guard !pools.isEmpty, pools.allSatisfy({ !$0.values.isEmpty }) else {
            keys[table.name] = []
            return
        }
        var drawn: [[SQLiteValue]] = []
        let combinations =
            pools.filter(\.isUnique).map(\.values.count).min() ?? pools.reduce(1) { $0 * $1.values.count }
        for number in 0..<combinations where drawn.count < count {
            // Each part of the key is a digit of `number`. Each digit has its own base. No value of a unique part is repeated.
            var rest = number
            var key: [SQLiteValue] = []
            for pool in pools {
                key += pool.isUnique ? pool.values[number] : pool.values[rest % pool.values.count]
                if !pool.isUnique { rest /= pool.values.count }
            }
            if taken.insert(key).inserted { drawn.append(key) }
        }
        random?.shuffle(&drawn)
        keys[table.name] = drawn
    }

    /// Returns values of `type` that no row has in `column` yet: `count` of them, or fewer if the type has fewer.
    private func free(
        _ type: ColumnType, _ column: FixtureColumn, of table: FixtureTable, atMost count: Int
    ) throws -> [SQLiteValue] {
        var taken: Set<SQLiteValue> = []
        try connection.query("SELECT \(SQL.list(column.names)) FROM \(SQL.quoted(table.name))") {
            taken.insert($0.value(0))
        }
        var values: [SQLiteValue] = []
        var number = 0
        // A check may refuse nearly all values.
        let most = 20 * count + 1_000
        // The UUIDs of a primary key depend on the name of the table, so that no other table has them.
        let isOwn = table.key.contains { column.names.contains($0) }
        while values.count < count, number < most,
            let value = isOwn && type == .uuid
                ? SampleValues.uuid(of: table.name, number) : SampleValues.distinct(type, number)
        {
            for value in [value] + checks.variants(number, column, of: table, type) where !taken.contains(value) {
                guard try checks.admits(value, column, of: table), values.count < count else { continue }
                taken.insert(value)
                values.append(value)
            }
            number += 1
        }
        if values.isEmpty, taken.isEmpty, count > 0,
            let check = table.checks.first(where: { $0.columns == column.names })
        {
            throw FixtureError.noSampleRow(entity: table.entity, check: check.name)
        }
        return values
    }

    /// Returns a primary key that no row of a table has; nil if its type has no more values.
    private mutating func strayKey(of name: String) -> [SQLiteValue]? {
        guard let table = tables.first(where: { $0.name == name }) else { return nil }
        danglingKeys += 1
        var key: [SQLiteValue] = []
        for column in table.keyColumns {
            switch column.role {
            case .key(let type), .value(let type):
                guard let value = SampleValues.distinct(type, 900_000 + danglingKeys) else { return nil }
                key.append(value)
            case .reference(let target, _): key += strayKey(of: target) ?? []
            case .position: return nil
            }
        }
        return key.count == table.key.count ? key : nil
    }

    // MARK: Rows

    private mutating func write(_ table: FixtureTable) throws {
        let rows = keys[table.name] ?? []
        let names = table.columns.flatMap(\.names)
        let statement = try connection.prepare(
            "INSERT INTO \(SQL.quoted(table.name)) (\(SQL.list(names))) VALUES (\(SQL.parameters(names.count)))")
        var columns: [[[SQLiteValue]]] = []
        for (columnIndex, column) in table.columns.enumerated() {
            columns.append(
                try values(of: column, in: table, rows: rows, columnIndex: columnIndex, before: columns.last ?? []))
        }
        for row in rows.indices {
            try checks.insert(columns.map { $0[row] }, into: table, by: statement)
        }
    }

    /// Returns the values of `column` in each row.
    ///
    /// - Parameters:
    ///   - column: The column.
    ///   - table: The table of the column.
    ///   - rows: The primary key of each row.
    ///   - columnIndex: The index of the column in the table.
    ///   - before: The values of the preceding column.
    private mutating func values(
        of column: FixtureColumn, in table: FixtureTable, rows: [[SQLiteValue]], columnIndex: Int,
        before: [[SQLiteValue]]
    ) throws -> [[SQLiteValue]] {
        let parts = column.names.compactMap { table.key.firstIndex(of: $0) }
        if parts.count == column.names.count { return rows.map { row in parts.map { row[$0] } } }
        switch column.role {
        case .key: return rows
        case .value(let type) where column.isUnique: return try uniqueValues(of: type, column, table, rows.count)
        case .value(let type):
            return try values(of: type, column, of: table, count: rows.count, columnIndex: columnIndex).map { [$0] }
        case .reference(let target, _): return references(of: column, to: target, count: rows.count)
        case .position: return positions(before)
        }
    }

    /// Returns the values of a unique column. Rows get NULL if there are no more values.
    private mutating func uniqueValues(
        of type: ColumnType, _ column: FixtureColumn, _ table: FixtureTable, _ count: Int
    ) throws -> [[SQLiteValue]] {
        var pool = try free(type, column, of: table, atMost: count)
        if random?.completed != nil, !pool.isEmpty {
            let long = SampleValues.long(of: type)
            pool.replaceSubrange(..<0, with: try long.filter { try checks.admits($0, column, of: table) })
        }
        if column.isNullable { pool.insert(.null, at: min(1, pool.count)) }
        random?.shuffle(&pool)
        return (0..<count).map { [$0 < pool.count ? pool[$0] : .null] }
    }

    private mutating func values(
        of type: ColumnType, _ column: FixtureColumn, of table: FixtureTable, count: Int, columnIndex: Int
    ) throws -> [SQLiteValue] {
        if let values = random?.values(of: type, count: count, nullable: column.isNullable) { return values }
        var pool = try checks.candidates(type, column, of: table)
        if pool.isEmpty, !column.isNullable, let check = table.checks.first(where: { $0.columns == column.names }) {
            throw FixtureError.noSampleRow(entity: table.entity, check: check.name)
        }
        if column.isNullable {
            // The second row gets NULL, even if there are too few rows for all values.
            if count <= pool.count {
                return (0..<count).map { $0 == 1 ? .null : pool[($0 + columnIndex) % pool.count] }
            }
            pool.append(.null)
        }
        // Each column starts with another value, so that no two columns have the same values in all rows. The second
        // round starts with yet another value and leaves out the long values.
        let short = pool.contains { !$0.isLong } ? pool.filter { !$0.isLong } : pool
        return (0..<count).map { row in
            row < pool.count ? pool[(row + columnIndex) % pool.count] : short[(row + 3 * columnIndex + 1) % short.count]
        }
    }

    private mutating func references(
        of column: FixtureColumn, to target: String, count: Int
    ) -> [[SQLiteValue]] {
        let null = column.names.map { _ in SQLiteValue.null }
        var targets = keys[target] ?? []
        random?.shuffle(&targets)
        if !column.isUnique,
            let drawn = random?.targets(targets, count: count, none: column.isNullable ? null : nil)
        {
            return drawn.map { random?.holds(danglingRate) == true ? strayKey(of: target) ?? $0 : $0 }
        }
        // In a fixture, no row refers to the last of several targets, unless the column is unique and required. If the
        // column is not unique, two successive rows share a target.
        let pool = targets.count > 1 ? Array(targets.dropLast()) : targets
        return (0..<count).map { row in
            if column.isNullable, row == count - 1 || pool.isEmpty { return null }
            if column.isUnique {
                let pool = column.isNullable && random == nil ? pool : targets
                return row < pool.count ? pool[row] : null
            }
            return pool.isEmpty ? null : pool[(row / 2) % pool.count]
        }
    }

    /// Returns the positions of the rows with the foreign keys `references`.
    ///
    /// In a fixture, the positions descend while the rows ascend, so that a test notices a lost order.
    private mutating func positions(_ references: [[SQLiteValue]]) -> [[SQLiteValue]] {
        var counts: [[SQLiteValue]: Int] = [:]
        var order = Array(references.indices.reversed())
        random?.shuffle(&order)
        var positions = references.map { _ in [SQLiteValue.null] }
        for row in order where references[row].first != .null {
            positions[row] = [SQLiteValue(counts[references[row], default: 0])]
            counts[references[row], default: 0] += 1
        }
        return positions
    }

    private mutating func write(_ join: FixtureJoinTable) throws {
        let sources = keys[join.source] ?? []
        let targets = keys[join.target] ?? []
        let columns = join.allColumns
        let statement = try connection.prepare(
            "INSERT INTO \(SQL.quoted(join.name)) (\(SQL.list(columns))) VALUES (\(SQL.parameters(columns.count)))")
        var pairs: [(source: [SQLiteValue], target: [SQLiteValue], position: Int)] = []
        for (number, source) in sources.enumerated() {
            // In a fixture, the first source has all targets in reverse order, except the last of several. The second
            // source has none. Each of the others has one.
            let pool = targets.count > 1 ? Array(targets.dropLast()) : targets
            let one = Array(pool.dropFirst(number % max(1, pool.count)).prefix(1))
            var chosen = random?.some(of: targets) ?? (number == 0 ? pool.reversed() : number == 1 ? [] : one)
            if join.hasDuplicates { chosen += chosen.prefix(2) }
            for (position, target) in chosen.enumerated() { pairs.append((source, target, position)) }
        }
        let inverse = join.hasOrderedInverse ? positions(pairs.map(\.target)) : pairs.map { _ in [] }
        for (pair, inverse) in zip(pairs, inverse) {
            for (index, value) in (pair.source + pair.target + [SQLiteValue(pair.position)] + inverse).enumerated() {
                try statement.bind(value, at: index + 1)
            }
            try statement.run()
        }
    }
}

extension SQLiteValue {
    /// Whether the value takes more than 100 bytes.
    fileprivate var isLong: Bool {
        switch self {
        case .text(let text): text.utf8.count > 100
        case .blob(let data): data.count > 100
        case .null, .integer, .real: false
        }
    }
}
