import SQLSchema

/// The SQL of a statement, and the values of its parameters in their order.
struct QueryText {
    var sql = ""
    var arguments: [QueryArgument] = []

    static func += (text: inout QueryText, other: QueryText) {
        text.sql += other.sql
        text.arguments += other.arguments
    }

    static func += (text: inout QueryText, sql: String) { text.sql += sql }

    mutating func limit(to range: RowRange) {
        sql += range.offset == nil ? " LIMIT ?" : " LIMIT ? OFFSET ?"
        arguments += [range.limit, range.offset].compactMap(\.self).map { .value($0.stored) }
    }

    /// Binds the values. The app's own SQL may have parameters with numbers or names, which would get wrong values.
    func bind(to statement: Statement, hasOwnSQL: Bool) throws {
        if hasOwnSQL {
            let count = arguments.reduce(0) { $0 + $1.parameterCount }
            guard statement.parameterCount == count else {
                throw QueryError.arguments(expected: statement.parameterCount, given: count, sql: sql)
            }
        }
        var index = 1
        for argument in arguments {
            switch argument {
            case .value(let value): try statement.bind(value, at: index)
            case .key(let key): try key.bind(to: statement, at: index)
            case .own(let value):
                if let value { try value.bind(to: statement, at: index) } else { try statement.bindNull(at: index) }
            case .values(let values): try ValueArray(values, columnCount: 1).bind(to: statement, at: index)
            case .keys(let keys, let columnCount):
                let values = try statement.storedValues(of: keys, columnCount: columnCount)
                try ValueArray(values, columnCount: columnCount).bind(to: statement, at: index)
            }
            index += argument.parameterCount
        }
    }
}

/// A table in the FROM clause of a statement, and the tables that are joined to it.
///
/// Writing a fragment joins the tables that it needs. A relationship that several fragments follow is joined once.
final class QueryScope {
    /// How a statement reads the related row of a to-one relationship.
    enum Reach {
        /// The statement reads one table.
        case ownTable
        /// The statement joins the related row's table.
        case joins
        /// UPDATE has no join that keeps rows without a related row, so it needs a subquery for each value.
        case subqueries
    }

    /// The text before each column: the table's alias and a point, or nothing.
    private let qualifier: String
    private let reach: Reach
    private let names: (String) -> String
    private let aliases: Aliases
    private var related: [ToOneLink: QueryScope] = [:]
    private let joined: Joins
    /// Whether the row may be missing, because the way to it has an optional relationship.
    private let isOptional: Bool

    /// The JOIN clauses of a table and the tables that are joined to it, in their order.
    private final class Joins {
        var clauses: [String] = []
    }

    /// The numbers of the aliases in a statement.
    private final class Aliases {
        private var count = 0

        func next() -> String {
            defer { count += 1 }
            return "t\(count)"
        }
    }

    /// Creates the scope of a statement's table, whose columns have no qualifier.
    ///
    /// - Parameter names: Returns the current name of a table.
    static func alone(_ names: @escaping (String) -> String) -> QueryScope {
        QueryScope("", .ownTable, names, Aliases())
    }

    /// Creates the scope of a statement's table, which can be joined with others.
    ///
    /// - Parameters:
    ///   - alias: The alias of the table; nil for `t0`.
    ///   - names: Returns the current name of a table.
    static func joining(as alias: String? = nil, _ names: @escaping (String) -> String) -> QueryScope {
        let aliases = Aliases()
        return QueryScope((alias ?? aliases.next()) + ".", .joins, names, aliases)
    }

    /// Creates the scope of the table of a statement that updates it.
    static func updating(_ names: @escaping (String) -> String) -> QueryScope {
        let aliases = Aliases()
        return QueryScope(aliases.next() + ".", .subqueries, names, aliases)
    }

    private init(
        _ qualifier: String, _ reach: Reach, _ names: @escaping (String) -> String, _ aliases: Aliases,
        _ joined: Joins = Joins(), isOptional: Bool = false
    ) {
        self.qualifier = qualifier
        self.reach = reach
        self.names = names
        self.aliases = aliases
        self.joined = joined
        self.isOptional = isOptional
    }

    /// The text after the table's name in the FROM clause.
    var alias: String { qualifier.isEmpty ? "" : " AS " + qualifier.dropLast() }

    /// The JOIN clauses, once all other clauses are written.
    var joins: String { joined.clauses.map { " " + $0 }.joined() }

    /// The FROM clause for `table`.
    private func from(_ table: String) -> String { " FROM " + SQL.quoted(names(table)) + alias + joins }

    func column(_ name: String) -> String { qualifier + SQL.quoted(name) }

    private func columns(_ names: [String]) -> [String] { names.map(column) }

    // MARK: Writing

    func text(_ fragment: QueryFragment) -> QueryText {
        var text = QueryText()
        write(fragment, to: &text)
        return text
    }

    private func write(_ fragment: QueryFragment, to text: inout QueryText) {
        for part in fragment.parts {
            switch part {
            case .sql(let sql): text.sql += sql
            case .column(let name): text.sql += column(name)
            case .argument(let argument):
                text.sql += argument.parameterCount == 1 ? "?" : Self.parameters(argument.parameterCount)
                text.arguments.append(argument)
            case .related(let link, let fragment):
                if reach == .subqueries {
                    text += subquery(link, fragment)
                } else {
                    scope(of: link).write(fragment, to: &text)
                }
            case .subquery(let subquery): text += self.text(subquery)
            case .own(let sql, let arguments, let table):
                // A comment at the end of the SQL ends with the line.
                if reach == .ownTable {
                    text.sql += "(\(sql)\n)"
                } else {
                    // Among several tables, a name without a qualifier could mean another table's column.
                    let name = SQL.quoted(names(table.name))
                    let isRow = zip(table.key, columns(table.key)).map { "\(name).\(SQL.quoted($0)) = \($1)" }
                    text.sql += "(SELECT (\(sql)\n) FROM \(name) WHERE \(isRow.joined(separator: " AND ")))"
                }
                text.arguments += arguments
            }
        }
    }

    private static func parameters(_ count: Int) -> String {
        [String](repeating: "?", count: count).joined(separator: ", ")
    }

    private static func equal(_ left: [String], _ right: [String]) -> String {
        zip(left, right).map { "\($0) = \($1)" }.joined(separator: " AND ")
    }

    /// The condition that `other` is the related row.
    private func link(_ link: ToOneLink, to other: QueryScope) -> String {
        let (own, target) = (columns(link.columns), other.columns(link.targetColumns))
        return link.isKeyOnThisSide ? Self.equal(own, target) : Self.equal(target, own)
    }

    private func scope(of link: ToOneLink) -> QueryScope {
        if let known = related[link] { return known }
        let alias = aliases.next()
        let scope = QueryScope(
            alias + ".", .joins, names, aliases, joined, isOptional: isOptional || !link.isRequired)
        related[link] = scope
        let word = scope.isOptional ? "LEFT JOIN" : "JOIN"
        joined.clauses.append("\(word) \(SQL.quoted(names(link.table))) AS \(alias) ON \(self.link(link, to: scope))")
        return scope
    }

    /// A scope for the table of a subquery.
    private func inner() -> QueryScope { QueryScope(aliases.next() + ".", .joins, names, aliases) }

    private func subquery(_ link: ToOneLink, _ value: QueryFragment) -> QueryText {
        let scope = inner()
        var text = scope.text(value)
        text.sql = "(SELECT \(text.sql)\(scope.from(link.table)) WHERE \(self.link(link, to: scope)))"
        return text
    }

    private func text(_ subquery: RelatedSubquery) -> QueryText {
        let scope = inner()
        let link = subquery.link
        let result: QueryText? =
            if case .value(let value) = subquery.result { scope.text(value) } else { nil }
        let condition = subquery.condition.map(scope.text)
        var from = scope.from(link.table)
        let source: [String]
        switch link.storage {
        case .columns(let columns): source = scope.columns(columns)
        case .joinTable(let table, let sources, let targets, let isDistinct):
            let alias = aliases.next()
            source = sources.map { "\(alias).\(SQL.quoted($0))" }
            let target = targets.map { "\(alias).\(SQL.quoted($0))" }
            let pairs = SQL.quoted(names(table))
            let distinct = "(SELECT DISTINCT \(SQL.list(sources + targets)) FROM \(pairs))"
            from += " JOIN \(isDistinct ? distinct : pairs) AS \(alias) ON "
            from += Self.equal(scope.columns(link.targetKey), target)
        }
        let key = columns(link.key)
        var text = QueryText()
        switch subquery.result {
        case .value, .exists:
            text.sql += result == nil ? "EXISTS (SELECT 1" : "(SELECT "
            if let result { text += result }
            text.sql += "\(from) WHERE \(Self.equal(key, source))"
            if let condition {
                text.sql += " AND ("
                text += condition
                text.sql += ")"
            }
        case .membership:
            let (keys, sources) = (key.joined(separator: ", "), source.joined(separator: ", "))
            text.sql += "\(key.count == 1 ? keys : "(\(keys))") IN (SELECT \(sources)\(from)"
            if let condition {
                text.sql += " WHERE "
                text += condition
            }
        }
        text.sql += ")"
        return text
    }
}
