import SQLSchema
import Strata

/// A search for cases that no row of a fixture covers. The fixture cannot reveal an error that affects only such a
/// case.
struct FixtureCoverage {
    let connection: Connection

    /// Returns a message for each kind of value, row or relationship that no row has.
    func gaps(_ version: FixtureVersion) throws -> [String] {
        try version.tables.flatMap { try gaps($0, version) } + version.joinTables.flatMap { try gaps($0, version) }
    }

    private func count(_ table: String, where condition: String = "1") throws -> Int {
        try connection.integer("SELECT count(*) FROM \(SQL.quoted(table)) WHERE \(condition)") ?? 0
    }

    private func gaps(_ table: FixtureTable, _ version: FixtureVersion) throws -> [String] {
        let rows = try count(table.name)
        if rows == 0 { return ["\(table.entity) has no row"] }
        var gaps: [String] = []
        for column in table.columns where !column.names.allSatisfy(table.key.contains) {
            let name = "\(table.entity).\(column.property)"
            func expect(_ what: String, _ condition: String) throws {
                if try count(table.name, where: condition) == 0 { gaps.append("\(name): no row has \(what)") }
            }
            let first = SQL.quoted(column.names[0])
            switch column.role {
            case .key, .position: continue
            case .value(let type):
                try expect("a value", "\(first) IS NOT NULL")
                // A check may forbid any of the following values.
                if table.checks.count(where: { $0.columns.contains(column.names[0]) }) > type.limitCount { continue }
                if column.isNullable, rows > 1 { try expect("NULL", "\(first) IS NULL") }
                // A unique column, or a table with few rows, cannot have every kind of value.
                let needed = SampleValues.values(of: type).count + (column.isNullable ? 1 : 0)
                if column.isUnique || rows < needed { continue }
                for kind in type.kinds { try expect(kind.name, kind.condition(first)) }
            case .reference(let target, _):
                let targets = try count(target)
                if targets > 0 { try expect("a target", "\(first) IS NOT NULL") }
                if column.isNullable, rows > 1 { try expect("NULL", "\(first) IS NULL") }
                if targets > 1, column.isNullable || !column.isUnique {
                    gaps += try untouched(target, by: column.names, of: table.name, name, version)
                }
                if column.isUnique || targets < 2 || rows < 3 { continue }
                let columns = SQL.list(column.names)
                let many = "(\(columns)) IN (SELECT \(columns) FROM \(SQL.quoted(table.name)) GROUP BY \(columns) "
                try expect("the same target as another row", many + "HAVING count(*) > 1) AND \(first) IS NOT NULL")
            }
        }
        return gaps
    }

    private func gaps(_ join: FixtureJoinTable, _ version: FixtureVersion) throws -> [String] {
        let (sources, targets) = (try count(join.source), try count(join.target))
        if sources == 0 || targets == 0 { return [] }
        if try count(join.name) == 0 { return ["\(join.property) has no row"] }
        let columns = (
            source: Array(join.columns.dropLast(join.targetCount)), target: join.columns.suffix(join.targetCount)
        )
        let most =
            "SELECT max(n) FROM (SELECT count(*) AS n FROM \(SQL.quoted(join.name)) GROUP BY \(SQL.list(columns.source)))"
        var gaps: [String] = []
        if targets > 2, try connection.integer(most) ?? 0 < 2 {
            gaps.append("\(join.property): no row has several targets")
        }
        let equal =
            "SELECT count(*) FROM (SELECT 1 FROM \(SQL.quoted(join.name)) GROUP BY \(SQL.list(join.columns)) HAVING count(*) > 1)"
        if join.hasDuplicates, try connection.integer(equal) == 0 {
            gaps.append("\(join.property): no row has the same target twice")
        }
        if sources > 1 { gaps += try untouched(join.source, by: columns.source, of: join.name, join.property, version) }
        if targets > 1 {
            gaps += try untouched(join.target, by: Array(columns.target), of: join.name, join.property, version)
        }
        return gaps
    }

    /// Returns a message if the foreign key in `columns` refers to every row of `target`.
    private func untouched(
        _ target: String, by columns: [String], of table: String, _ property: String, _ version: FixtureVersion
    ) throws -> [String] {
        guard let end = version.tables.first(where: { $0.name == target }) else { return [] }
        let source = "FROM \(SQL.quoted(table)) WHERE \(SQL.quoted(columns[0])) IS NOT NULL"
        let isTouched = "(\(SQL.list(end.key))) IN (SELECT \(SQL.list(columns)) \(source))"
        let isOneWithout = try count(target, where: "NOT \(isTouched)") > 0
        return isOneWithout ? [] : ["\(property): every row of \(end.entity) has one"]
    }
}

extension ColumnType {
    /// The number of checks that are limits of the column.
    fileprivate var limitCount: Int {
        if case .limited(_, let limits) = self { limits.count } else { 0 }
    }

    /// A kind of value: its name, and an SQL condition for a column with such a value.
    struct Kind {
        let name: String
        let condition: (_ column: String) -> String
    }

    /// The kinds of values that the fixture must contain. An error may affect one kind and no other.
    var kinds: [Kind] {
        func values(_ list: [(String, String)]) -> [Kind] {
            list.map { name, sql in Kind(name: name) { "\($0) \(sql)" } }
        }
        switch self {
        case .limited(let type, let limits):
            return LimitedValues(type, limits).required.map { value in
                Kind(name: value.description) { "\($0) IS \(value.literal.map(SQLite.literal) ?? "NULL")" }
            }
        case .int, .milliseconds:
            return values([
                ("the least integer", "= \(Int.min)"), ("the greatest integer", "= \(Int.max)"), ("0", "= 0"),
                ("an integer that no Double holds", "= \(1 << 53 + 1)"),
            ])
        case .bool: return values([("false", "= 0"), ("true", "= 1")])
        case .double, .seconds, .float:
            return values([
                ("0", "= 0"), ("a negative number", "< 0"), ("a fraction", "BETWEEN 0.01 AND 0.99"),
                ("a very small number", "BETWEEN 4e-324 AND 1e-30"), ("infinity", "= 9e999"),
            ])
        case .date:
            return values([
                ("a time before 1900", "< -3187296000"), ("a time after 2096", "BETWEEN 3e9 AND 4e9"),
                ("a fraction", "= 0.1"),
            ])
        case .string:
            return [
                Kind(name: "an empty text") { "\($0) = ''" },
                Kind(name: "a text with U+0000") { "instr(\($0), char(0)) > 0" },
                Kind(name: "a text beyond ASCII") { "\($0) GLOB '*[^ -~]*'" },
                Kind(name: "a long text") { "length(\($0)) > 500" },
                Kind(name: "a text with CR LF") { "instr(\($0), char(13, 10)) > 0" },
                Kind(name: "a text with a byte order mark") { "instr(\($0), char(0xfeff)) > 0" },
            ]
        case .data:
            return [
                Kind(name: "an empty blob") { "length(\($0)) = 0" },
                Kind(name: "a long blob") { "length(\($0)) > 500" },
            ]
        case .url, .color, .uuid, .decimal: return []
        case .texts(let texts):
            // The JSON samples may differ between versions of Strata. Enum cases and `[]` stay the same.
            let cases = texts.filter { !$0.hasPrefix("{") && !$0.hasPrefix("[") || $0 == "[]" }
            return cases.map { text in
                Kind(name: SQLiteValue.text(text).description) { "\($0) = \(SQL.literal(text))" }
            }
        case .integers(let numbers):
            return numbers.map { number in Kind(name: "the bits \(number)") { "\($0) = \(number)" } }
        }
    }
}
