/// The text that describes the tables of a version, and the changes of a step, in generated Swift. It compiles faster
/// than the same tables as Swift values.
///
/// The text of a version contains only the differences from the version before:
///
/// ```
/// table customer
///   id integer key
///   name text
///   email text? nocase = 'none'
///   shop_id integer? -> shop(id) nullify
///   unique customer_email_key (email)
///   index customer_name_idx (name desc) where 'email IS NOT NULL'
///   check customer_name_min_length 'length(name) >= 1'
///   computed label text 'name || email'
///   search (name, email) unicode61
/// join table order_gifts
///   source_id integer -> order(id) cascade
///   target_id text -> product(sku) cascade
///   position integer
///   key (source_id, target_id)
///   index order_gifts_target_id_idx (target_id)
/// change product as article
///   - photo
///   + price real = 0.0 after sku
///   - index product_name_idx
///   + index product_title_idx (title)
///   - check product_price_minimum
///   - computed label
/// drop invoice
/// ```
///
/// `?` marks a nullable column. A foreign key with several columns is `(a, b) -> shop(x, y) nullify`.
///
/// The text of a step contains its changes:
///
/// ```
/// create shop
/// drop invoice
/// map customer -> client
///   code = int_to_string(code)
///   email = coalesce(mail, 'none')
///   price = replaced(price, 'value >= 0.0', 1.0)
/// map order -> order_gifts where gift_id
///   source_id = id
/// custom order
///   customer_id <- customer_id
/// ```
///
/// `where` selects the rows in which the values are not NULL. `<-` keeps the values of a foreign key.
///
/// Texts are in single quotes. Names are in double quotes if they are reserved or not plain words. Both use the escapes
/// of Swift.
package enum SchemaText {
    /// The reserved words. A name that is one of them is in quotes.
    static let reserved: Set<String> = [
        "after", "as", "change", "check", "computed", "create", "custom", "desc", "drop", "first", "index", "join",
        "key", "map", "null", "search", "table", "unique", "where",
    ]

    // MARK: Tables

    /// Returns the lines that define a table.
    package static func lines(of table: Table) -> [String] {
        ["\(table.isJoinTable ? "join " : "")table \(name(table.name))"] + members(of: table).map { "  " + $0 }
    }

    /// Returns the lines that define a table by its differences from `base`, the table in the version before.
    ///
    /// Returns nil if these lines are more than half as many as the lines of the complete definition, or if they cannot
    /// express the difference.
    package static func lines(of table: Table, changedFrom base: Table) -> [String]? {
        guard table.isJoinTable == base.isJoinTable else { return nil }
        var lines = ["change \(name(base.name))" + (table.name == base.name ? "" : " as \(name(table.name))")]
        var result = base
        result.name = table.name
        func keys(of column: Table.Column, in table: Table) -> [Table.ForeignKey] {
            table.foreignKeys.filter { $0.columns == [column.name] }
        }
        func isKept(_ column: Table.Column) -> Bool {
            table.columns.contains(column) && keys(of: column, in: table) == keys(of: column, in: base)
                && (base.primaryKey == [column.name]) == (table.primaryKey == [column.name])
        }
        for column in base.columns where !isKept(column) {
            lines.append("  - \(name(column.name))")
            result.remove(column: column.name)
        }
        for (columnIndex, column) in table.columns.enumerated() where result.column(column.name) == nil {
            let before = columnIndex == 0 ? " first" : " after \(name(table.columns[columnIndex - 1].name))"
            lines.append("  + \(line(of: column, in: table))\(columnIndex == result.columns.count ? "" : before)")
            result.columns.insert(column, at: min(columnIndex, result.columns.count))
            if table.primaryKey == [column.name] { result.primaryKey = [column.name] }
            result.foreignKeys += keys(of: column, in: table)
        }
        for index in base.indexes where !table.indexes.contains(index) {
            lines.append("  - index \(name(index.name))")
            result.indexes.removeAll { $0 == index }
        }
        for index in table.indexes where !result.indexes.contains(index) {
            lines.append("  + \(line(of: index))")
            result.indexes.append(index)
        }
        for check in base.checks where !table.checks.contains(check) {
            lines.append("  - check \(name(check.name))")
        }
        for check in table.checks where !base.checks.contains(check) { lines.append("  + \(line(of: check))") }
        result.checks = table.checks
        for column in base.computed where !table.computed.contains(column) {
            lines.append("  - computed \(name(column.name))")
        }
        for column in table.computed where !base.computed.contains(column) { lines.append("  + \(line(of: column))") }
        result.computed = table.computed
        if table.search != base.search {
            if base.search != nil { lines.append("  - search") }
            if let search = table.search { lines.append("  + \(line(of: search))") }
            result.search = table.search
        }
        // These lines cannot express every difference, such as another order of columns or another composite primary
        // key.
        guard result == table, 2 * lines.count <= members(of: table).count + 1 else { return nil }
        return lines
    }

    /// Returns the line that drops a table.
    package static func line(dropping table: String) -> String { "drop \(name(table))" }

    private static func members(of table: Table) -> [String] {
        var lines = table.columns.map { line(of: $0, in: table) }
        if table.primaryKey.count > 1 { lines.append("key \(names(table.primaryKey))") }
        lines += table.foreignKeys.filter { $0.columns.count > 1 }.map { "\(names($0.columns)) \(reference($0))" }
        return lines + table.indexes.map(line) + table.checks.map(line) + table.computed.map(line)
            + [table.search].compactMap(\.self).map(line)
    }

    private static func line(of column: Table.Column, in table: Table) -> String {
        var line = "\(name(column.name)) \(column.type.rawValue)\(column.isNullable ? "?" : "")"
        if let collation = column.collation { line += " \(collation.rawValue)" }
        if let value = column.defaultValue { line += " = \(literal(value))" }
        if table.primaryKey == [column.name] { line += " key" }
        for key in table.foreignKeys where key.columns == [column.name] { line += " \(reference(key))" }
        return line
    }

    private static func line(of index: Table.Index) -> String {
        let columns = index.columns.map { name($0) + (index.shape.descending.contains($0) ? " desc" : "") }
        return "\(index.isUnique ? "unique" : "index") \(name(index.name)) (\(columns.joined(separator: ", ")))"
            + (index.shape.condition.map { " where \(text($0.text))" } ?? "")
    }

    private static func line(of check: Table.Check) -> String {
        "check \(name(check.name)) \(text(check.condition.text))"
    }

    private static func line(of column: ComputedColumn) -> String {
        "computed \(name(column.name)) \(column.type.rawValue) \(text(column.value.text))"
    }

    private static func line(of search: TextSearch<String>) -> String {
        "search " + search.text { name($0) }
    }

    private static func reference(_ key: Table.ForeignKey) -> String {
        "-> \(name(key.target))\(names(key.targetColumns)) \(key.deleteRule.rawValue)"
    }

    // MARK: Changes

    /// Returns the lines for the change of a table in a step.
    package static func lines(of change: TableChange) -> [String] {
        func title(_ word: String, _ from: String, _ to: String) -> String {
            "\(word) \(name(from))" + (from == to ? "" : " -> \(name(to))")
        }
        func values(_ columns: [String: ValueExpression]) -> [String] {
            columns.sorted { $0.key < $1.key }.map { "  \(name($0.key)) = \(expression($0.value))" }
        }
        switch change {
        case .create(let table): return ["create \(name(table))"]
        case .drop(let table): return ["drop \(name(table))"]
        case .map(let from, let to, let columns, let requiring):
            let condition = requiring.isEmpty ? "" : " where " + requiring.map(expression).joined(separator: ", ")
            return [title("map", from, to) + condition] + values(columns)
        case .custom(let from, let to, let columns, let references):
            let kept = references.sorted { $0.key < $1.key }.map { "  \(name($0.key)) <- \(name($0.value))" }
            return [title("custom", from, to)] + values(columns) + kept
        }
    }

    private static func expression(_ value: ValueExpression) -> String {
        switch value {
        case .column(let column): name(column)
        case .literal(let value): literal(value)
        case .null: "null"
        case .coalesce(let first, let second): "coalesce(\(expression(first)), \(expression(second)))"
        case .replaced(let value, let condition, let other):
            "replaced(\(expression(value)), \(text(condition.text)), \(expression(other)))"
        case .changed(let value, let change): call(change, [expression(value)])
        }
    }

    /// Returns the function call that represents a change.
    ///
    /// - Parameters:
    ///   - change: The change.
    ///   - value: The changed value, as the first argument; empty if the function does not name it.
    private static func call(_ change: ValueChange, _ value: [String] = []) -> String {
        func call(_ function: String, _ arguments: [String] = []) -> String {
            "\(function)(\((value + arguments).joined(separator: ", ")))"
        }
        switch change {
        case .scalar(let from, let to): return call("\(from.rawValue)_to_\(to.rawValue)")
        case .caseToString: return call("case_to_string")
        case .cases(let values, let isMerged):
            return call(
                isMerged ? "merged_cases" : "cases",
                values.sorted { $0.key < $1.key }.flatMap { [text($0.key), text($0.value)] })
        case .options(let cleared): return call("clear", [String(cleared)])
        case .elements(let change, let isJSON): return call("each", [json(change, isJSON)])
        case .values(let change, let isJSON): return call("each_value", [json(change, isJSON)])
        case .members(let members): return call("members", members.map(member))
        }
    }

    private static func json(_ change: ValueChange, _ isJSON: Bool) -> String {
        isJSON ? "json(\(call(change)))" : call(change)
    }

    private static func member(_ member: ValueChange.Member) -> String {
        switch member {
        case .added(let name, let value): "add(\(text(name)), \(text(value)))"
        case .removed(let name): "remove(\(text(name)))"
        case .renamed(let old, let new, nil, let isJSON):
            "rename(\(text(old)), \(text(new))\(isJSON ? ", json()" : ""))"
        case .renamed(let old, let new, let change?, let isJSON):
            "rename(\(text(old)), \(text(new)), \(json(change, isJSON)))"
        case .changed(let name, let change, let isJSON): "change(\(text(name)), \(json(change, isJSON)))"
        }
    }

    // MARK: Words

    private static func name(_ name: String) -> String {
        name.isPlainWord && !reserved.contains(name) ? name : quoted(name, "\"")
    }

    private static func names(_ names: [String]) -> String {
        "(" + names.map(name).joined(separator: ", ") + ")"
    }

    private static func literal(_ value: Literal) -> String {
        switch value {
        case .integer(let value): String(value)
        case .real(let value): String(value)
        case .text(let value): text(value)
        case .blob(let bytes): "blob('\(hexadecimal(bytes))')"
        }
    }

    private static func text(_ text: String) -> String { quoted(text, "'") }

    /// Returns `text` in quotes, with escapes. A raw string literal of Swift can contain the result.
    private static func quoted(_ text: String, _ quote: Character) -> String {
        var result = String(quote)
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\", "'", "\"": result += "\\" + String(scalar)
            case "#": result += "\\u{23}"
            default:
                let isPlain = scalar.value >= 0x20 && scalar.value != 0x7f
                result += isPlain ? String(scalar) : "\\u{" + String(scalar.value, radix: 16) + "}"
            }
        }
        return result + String(quote)
    }
}

extension UInt8 {
    var isDigit: Bool { (0x30...0x39).contains(self) }
    /// Whether the byte is an ASCII letter, a digit or `_`.
    var isWord: Bool { isDigit || (0x41...0x5a).contains(self & ~0x20) || self == 0x5f }
}

extension Table {
    /// Removes a column. Also removes a foreign key or a primary key that consists of this column alone.
    mutating func remove(column name: String) {
        columns.removeAll { $0.name == name }
        foreignKeys.removeAll { $0.columns == [name] }
        if primaryKey == [name] { primaryKey = [] }
    }
}

extension String {
    /// Whether the text consists of ASCII letters, digits and underscores, and does not begin with a digit.
    var isPlainWord: Bool {
        guard utf8.first?.isDigit == false else { return false }
        for byte in utf8 where !byte.isWord { return false }
        return true
    }
}
