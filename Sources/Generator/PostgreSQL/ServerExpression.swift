import SQLSchema

/// SQL of PostgreSQL for the expressions of descriptions and migrations.
///
/// Values have other types than in SQLite: `true` instead of 1, a moment instead of seconds. So each expression is rendered
/// with the types of its columns, and with the type that its value has to have.
package struct ServerExpression {
    /// The types of the columns.
    let types: [String: ServerType]
    /// Returns SQL for a column.
    let name: (String) -> String

    /// An expression that has no equivalent in PostgreSQL.
    package enum Unsupported: Error, Hashable {
        case function(RowFunction)
        /// A pattern that is not a fixed text.
        case computedPattern
        /// A negative number of characters.
        case negativeLength
        /// A date as a text. PostgreSQL writes it in the time zone of the session.
        case dateAsText
        /// The name of a table with more columns than PostgreSQL allows.
        case columns(of: String)
        /// The name of a table whose primary key, or one of whose indexes, has more columns than PostgreSQL allows.
        case indexedColumns(of: String)
    }

    init(types: [String: ServerType], name: @escaping (String) -> String = PostgreSQL.quoted) {
        self.types = types
        self.name = name
    }

    private func type(of column: String) -> ServerType { types[column] ?? .text }

    // MARK: Migrated values

    /// Returns SQL for a migrated value.
    func sql(_ value: ValueExpression, as type: ServerType) throws(Unsupported) -> String {
        switch value {
        case .column(let column):
            return PostgreSQL.converted(name(column), from: self.type(of: column), to: type)
        case .literal(let value): return PostgreSQL.literal(value, type)
        case .null: return "NULL"
        case .coalesce(let first, let second):
            return "coalesce(\(try sql(first, as: type)), \(try sql(second, as: type)))"
        case .replaced(let value, let condition, let other):
            let old = try sql(value, as: type)
            let rows = ServerExpression(types: Dictionary(condition.columns.map { ($0, type) }) { first, _ in first }) {
                _ in "(\(old))"
            }
            return "CASE WHEN NOT (\(try rows.truth(condition))) THEN \(try sql(other, as: type)) ELSE \(old) END"
        case .changed(let value, let change):
            let (from, to) = Self.types(of: change)
            return PostgreSQL.converted(Self.changed(try sql(value, as: from), change), from: to, to: type)
        }
    }

    /// The types of a value before and after a change.
    static func types(of change: ValueChange) -> (from: ServerType, to: ServerType) {
        switch change {
        case .scalar(let from, let to): (from.facts.server, to.facts.server)
        case .caseToString, .cases: (.text, .text)
        case .options: (.bigint, .bigint)
        case .members, .elements, .values: (.jsonb, .jsonb)
        }
    }

    private static func changed(_ value: String, _ change: ValueChange) -> String {
        switch change {
        case .scalar(let from, let to):
            return PostgreSQL.converted(value, from: from.facts.server, to: to.facts.server)
        case .caseToString: return value
        case .cases(let values, _):
            let cases = values.sorted { $0.key < $1.key }.map {
                "WHEN \(SQL.literal($0.key)) THEN \(SQL.literal($0.value))"
            }
            return cases.isEmpty ? value : "CASE \(value) \(cases.joined(separator: " ")) ELSE \(value) END"
        case .options(let cleared): return cleared == 0 ? value : "(\(value)) & ~\(cleared)::bigint"
        case .members, .elements, .values: return changedJSON(value, change, depth: 0)
        }
    }

    /// Returns SQL that changes a value of JSON.
    private static func changedJSON(_ value: String, _ change: ValueChange, depth: Int) -> String {
        if change.isIdentity { return value }
        let text = "(\(value) #>> '{}')"
        switch change {
        case .scalar(.bool, .string), .scalar(.int, .string), .scalar(.int, .decimal):
            return "CASE jsonb_typeof(\(value)) WHEN 'null' THEN \(value) ELSE to_jsonb(\(text)) END"
        case .scalar(.uuid, .string): return value
        case .scalar: return value
        case .caseToString: return value
        case .cases(let values, _):
            let cases = values.sorted { $0.key < $1.key }.map {
                "WHEN \(SQL.literal($0.key)) THEN to_jsonb(\(SQL.literal($0.value))::text)"
            }
            return "CASE \(text) \(cases.joined(separator: " ")) ELSE \(value) END"
        case .options(let cleared):
            return "CASE jsonb_typeof(\(value)) WHEN 'number' THEN to_jsonb(\(text)::bigint & ~\(cleared)::bigint) "
                + "ELSE \(value) END"
        case .elements(let change, _):
            let each = "each\(depth)"
            return "CASE jsonb_typeof(\(value)) WHEN 'array' THEN coalesce((SELECT jsonb_agg("
                + "\(changedJSON("\(each).value", change, depth: depth + 1)) ORDER BY \(each).place) "
                + "FROM jsonb_array_elements(\(value)) WITH ORDINALITY AS \(each) (value, place)), '[]'::jsonb) "
                + "ELSE \(value) END"
        case .values(let change, _):
            let each = "each\(depth)"
            return "CASE jsonb_typeof(\(value)) WHEN 'object' THEN coalesce((SELECT jsonb_object_agg(\(each).key, "
                + "\(changedJSON("\(each).value", change, depth: depth + 1))) "
                + "FROM jsonb_each(\(value)) AS \(each) (key, value)), '{}'::jsonb) ELSE \(value) END"
        case .members(let changes):
            var result = value
            for change in changes {
                switch change {
                case .added(let name, let json):
                    result = "jsonb_build_object(\(SQL.literal(name)), \(SQL.literal(json))::jsonb) || \(result)"
                case .removed(let name): result = "(\(result)) - \(SQL.literal(name))::text"
                case .renamed(let old, let new, let inner, _):
                    let before = "(\(value) -> \(SQL.literal(old)))"
                    let after = inner.map { changedJSON(before, $0, depth: depth) } ?? before
                    result =
                        "((\(result)) - \(SQL.literal(old))::text) || "
                        + Self.member(new, after, of: value, if: old)
                case .changed(let name, let inner, _):
                    let after = changedJSON("(\(value) -> \(SQL.literal(name)))", inner, depth: depth)
                    result = "(\(result)) || " + Self.member(name, after, of: value, if: name)
                }
            }
            // Another value than an object has no members: JSON's null, for example.
            return "CASE jsonb_typeof(\(value)) WHEN 'object' THEN \(result) ELSE \(value) END"
        }
    }

    /// Returns SQL for an object with one member, or without any if the old object lacks another one.
    private static func member(_ name: String, _ value: String, of object: String, if old: String) -> String {
        "CASE WHEN \(object) ? \(SQL.literal(old)) THEN jsonb_build_object(\(SQL.literal(name)), \(value)) "
            + "ELSE '{}'::jsonb END"
    }

    // MARK: Expressions over a row

    /// Returns SQL for a condition.
    func truth(_ expression: RowExpression<String>) throws(Unsupported) -> String {
        let (sql, type) = try value(expression)
        return type == .boolean ? sql : "(\(sql)) <> 0"
    }

    /// Returns SQL for an expression as a value of a type.
    func sql(_ expression: RowExpression<String>, as type: ServerType) throws(Unsupported) -> String {
        if case .literal(let value) = expression { return PostgreSQL.literal(value, type) }
        let (sql, own) = try value(expression)
        return PostgreSQL.converted(sql, from: own ?? type, to: type)
    }

    /// Returns SQL for an expression, and its type; nil for NULL.
    private func value(_ expression: RowExpression<String>) throws(Unsupported) -> (sql: String, type: ServerType?) {
        switch expression {
        case .column(let column): return (name(column), type(of: column))
        case .literal(let value):
            let type: ServerType =
                switch value {
                case .integer: .bigint
                case .real: .double
                case .text: .text
                case .blob: .bytea
                }
            return (PostgreSQL.literal(value, type), type)
        case .null: return ("NULL", nil)
        case .negative(let value):
            let (sql, type) = try number(value)
            return ("-(\(sql))", type)
        case .not(let value): return ("NOT (\(try truth(value)))", .boolean)
        case .isNull(let value): return ("(\(try self.value(value).sql)) IS NULL", .boolean)
        case .isIn(let value, let list):
            let (sql, type) = try self.value(value)
            var texts: [String] = []
            for element in list { texts.append(try self.sql(element, as: type ?? .text)) }
            return ("\(sql) IN (\(texts.joined(separator: ", ")))", .boolean)
        case .binary(let left, let symbol, let right): return try binary(left, symbol, right)
        case .call(let function, let arguments): return try call(function, arguments)
        case .cases(let branches, let otherwise):
            let values = branches.map(\.value) + (otherwise.map { [$0] } ?? [])
            let type = try common(values)
            var parts: [String] = []
            for branch in branches {
                parts.append("WHEN \(try truth(branch.condition)) THEN \(try sql(branch.value, as: type ?? .text))")
            }
            if let otherwise { parts.append("ELSE \(try sql(otherwise, as: type ?? .text))") }
            return ("CASE \(parts.joined(separator: " ")) END", type)
        }
    }

    private func number(_ expression: RowExpression<String>) throws(Unsupported) -> (sql: String, type: ServerType) {
        let (sql, type) = try value(expression)
        switch type {
        case .bigint, .double, .real, .numeric: return (sql, type ?? .bigint)
        case .timestamptz: return (PostgreSQL.converted(sql, from: .timestamptz, to: .double), .double)
        case .boolean: return (PostgreSQL.converted(sql, from: .boolean, to: .bigint), .bigint)
        default: return ("(\(sql))::double precision", .double)
        }
    }

    /// The type in which several values can be compared.
    private func common(_ expressions: [RowExpression<String>]) throws(Unsupported) -> ServerType? {
        var types: [ServerType] = []
        for expression in expressions {
            // A fixed value takes the type of what it is compared with.
            if case .literal = expression { continue }
            if let type = try value(expression).type { types.append(type) }
        }
        for case .literal(let value) in expressions {
            guard let first = types.first else {
                if let type = try self.value(.literal(value)).type { types.append(type) }
                continue
            }
            switch (value, first) {
            case (.real, .bigint), (.real, .boolean): types.append(.double)
            case (.integer(let value), .boolean) where value != 0 && value != 1: types.append(.bigint)
            case (.text, .bigint), (.text, .double), (.blob, .text): types.append(.text)
            default: break
            }
        }
        let kinds = Set(types)
        if kinds.count <= 1 { return types.first }
        let numbers: Set<ServerType> = [.bigint, .boolean, .double, .real, .numeric, .timestamptz]
        if kinds.isSubset(of: [.bigint, .boolean]) { return .bigint }
        return kinds.isSubset(of: numbers) ? .double : .text
    }

    private func binary(
        _ left: RowExpression<String>, _ symbol: RowOperator, _ right: RowExpression<String>
    ) throws(Unsupported) -> (sql: String, type: ServerType?) {
        switch symbol {
        case .and, .or: return ("(\(try truth(left)) \(symbol.rawValue) \(try truth(right)))", .boolean)
        case .equal, .different, .less, .lessOrEqual, .greater, .greaterOrEqual:
            let type = try common([left, right])
            let (one, other) = (try sql(left, as: type ?? .text), try sql(right, as: type ?? .text))
            // Texts are ordered by their bytes, as in SQLite.
            let isOrder = symbol != .equal && symbol != .different && type == .text
            return ("\(one) \(symbol.rawValue) \(other)" + (isOrder ? " COLLATE \"C\"" : ""), .boolean)
        case .plus, .minus, .times, .divided, .remainder:
            let (one, other) = (try number(left), try number(right))
            var type: ServerType = one.type == other.type ? one.type : .double
            // The sum of two integers may be too large for one, which SQLite turns into a REAL.
            if type == .bigint, [.plus, .minus, .times].contains(symbol) { type = .numeric }
            let first = PostgreSQL.converted(one.sql, from: one.type, to: type)
            let second = PostgreSQL.converted(other.sql, from: other.type, to: type)
            switch symbol {
            // A division by zero is NULL, as in SQLite.
            case .divided: return ("(\(first) / nullif(\(second), 0))", type)
            case .remainder: return ("(\(Self.whole(first, type)) % nullif(\(Self.whole(second, type)), 0))", .bigint)
            default: return ("(\(first) \(symbol.rawValue) \(second))", type)
            }
        case .joined: return ("(\(try text(left)) || \(try text(right)))", .text)
        case .like: return ("\(try text(left)) COLLATE \"C\" ILIKE \(try text(right)) ESCAPE ''", .boolean)
        case .glob:
            guard case .literal(.text(let pattern)) = right else { throw .computedPattern }
            // A pattern whose bracket is not closed matches nothing.
            guard let regex = GlobPattern(pattern)?.regularExpression else { return ("false", .boolean) }
            return ("\(try text(left)) COLLATE \"C\" ~ \(SQL.literal(regex))", .boolean)
        }
    }

    /// Returns SQL for a number without its digits after the point. A conversion to an integer would round it.
    private static func whole(_ sql: String, _ type: ServerType) -> String {
        type == .bigint ? sql : "trunc((\(sql))::numeric)::bigint"
    }

    private func text(_ expression: RowExpression<String>) throws(Unsupported) -> String {
        let (sql, type) = try value(expression)
        switch type {
        case .text: return sql
        case .boolean: return "(\(sql))::int::text"
        case .timestamptz: throw .dateAsText
        default: return "(\(sql))::text"
        }
    }

    private func call(
        _ function: RowFunction, _ arguments: [RowExpression<String>]
    ) throws(Unsupported) -> (sql: String, type: ServerType?) {
        let first = arguments.first ?? .null
        func list(_ type: ServerType) throws(Unsupported) -> String {
            var texts: [String] = []
            for argument in arguments { texts.append(try sql(argument, as: type)) }
            return texts.joined(separator: ", ")
        }
        func texts() throws(Unsupported) -> String {
            var texts: [String] = []
            for argument in arguments { texts.append(try text(argument)) }
            return texts.joined(separator: ", ")
        }
        // Some collations do not allow searches for a part of a text.
        func bytewise() throws(Unsupported) -> String {
            var texts: [String] = []
            for argument in arguments { texts.append("\(try text(argument)) COLLATE \"C\"") }
            return texts.joined(separator: ", ")
        }
        switch function {
        case .coalesce, .ifnull:
            let type = try common(arguments) ?? .text
            return ("coalesce(\(try list(type)))", type)
        case .max, .min:
            let type = try common(arguments) ?? .text
            var nulls: [String] = []
            for argument in arguments { nulls.append("(\(try value(argument).sql)) IS NULL") }
            // Texts are ordered by their bytes, as in SQLite.
            let order = type == .text ? " COLLATE \"C\"" : ""
            // In SQLite the result is NULL if any argument is.
            return (
                "CASE WHEN NOT (\(nulls.joined(separator: " OR "))) THEN "
                    + "\(function == .max ? "greatest" : "least")(\(try list(type))\(order)) END", type
            )
        case .nullif:
            let type = try common(arguments) ?? .text
            return ("nullif(\(try list(type)))", type)
        case .hex:
            let (sql, type) = try value(first)
            let bytes: String =
                switch type {
                case .bytea: sql
                case .uuid: "uuid_send(\(sql))"
                // `convert_to` is not immutable, so a computed column could not use it.
                default: "replace(\(try text(first)), '\\', '\\\\')::bytea"
                }
            return ("coalesce(upper(encode(\(bytes), 'hex')), '')", .text)
        case .instr: return ("strpos(\(try bytewise()))::bigint", .bigint)
        case .length:
            let (sql, type) = try value(first)
            switch type {
            case .bytea: return ("octet_length(\(sql))::bigint", .bigint)
            case .uuid: return ("CASE WHEN \(sql) IS NOT NULL THEN 16 END::bigint", .bigint)
            default: return ("char_length(\(try text(first)))::bigint", .bigint)
            }
        // Only ASCII letters change, as in SQLite.
        case .lower, .upper: return ("\(function.rawValue)(\(try text(first)) COLLATE \"C\")", .text)
        case .ltrim, .rtrim: return ("\(function.rawValue)(\(try texts()))", .text)
        case .trim: return ("btrim(\(try texts()))", .text)
        case .replace: return ("replace(\(try bytewise()))", .text)
        case .round:
            let (sql, _) = try number(first)
            var digits = "0"
            if arguments.count > 1 { digits = "(\(try number(arguments[1]).sql))::int" }
            return ("round((\(sql))::numeric, \(digits))::double precision", .double)
        case .substr:
            let (sql, type) = try value(first)
            var numbers: [String] = []
            for argument in arguments.dropFirst() {
                if case .negative = argument { throw .negativeLength }
                if case .literal(.integer(let value)) = argument, value < 0 { throw .negativeLength }
                let (sql, type) = try number(argument)
                numbers.append("(\(Self.whole(sql, type)))::int")
            }
            let source = type == .bytea || type == .text ? sql : try text(first)
            return ("substr(\(([source] + numbers).joined(separator: ", ")))", type == .bytea ? .bytea : .text)
        case .jsonValid:
            // A value of `jsonb` is valid. Only later versions of PostgreSQL can check a text.
            guard case .column(let column) = first, type(of: column) == .jsonb else { throw .function(function) }
            return ("(\(name(column)) IS NOT NULL)", .boolean)
        case .typeof: throw .function(function)
        }
    }
}
