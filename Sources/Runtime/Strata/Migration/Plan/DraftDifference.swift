import SQLSchema

/// The difference between two states of a draft, over which debug builds migrate stores.
///
/// The descriptions of a draft have no history within the draft, so elements are compared by their names. Tables, columns
/// and plain indexes may be added or removed. Other changes would need values that no description gives.
enum DraftDifference {
    /// The reason why a store is not migrated from one state of a draft to another.
    enum Obstacle: Error, Hashable, CustomStringConvertible {
        case required(table: String, column: String)
        case column(table: String, column: String)
        case primaryKey(table: String)
        case foreignKeys(table: String)
        case uniqueIndex(table: String, columns: [String])
        case check(table: String, name: String)
        case kind(table: String)
        case valueType(String)
        case beta(String)
        case other
        case unknown

        var description: String {
            switch self {
            case .required(let table, let column): "\(table).\(column) is new, required, and has no default value"
            case .column(let table, let column):
                "the type or collation of \(table).\(column) has changed, or it is required now"
            case .primaryKey(let table): "the primary key of \(table) has changed"
            case .foreignKeys(let table): "the foreign keys of \(table) have changed"
            case .uniqueIndex(let table, let columns):
                "\(table) has a new unique index on \(columns.joined(separator: ", "))"
            case .check(let table, let name): "\(table) has a new or stricter check \(name)"
            case .kind(let table): "\(table) was a join table, or has become one"
            case .valueType(let name):
                name.contains(".") ? "the type of \(name) has changed" : "the type \(name) has changed"
            case .beta(let version): "the draft has become \(version), whose tables differ"
            case .other: "the tables are equal, but something else in the descriptions differs"
            case .unknown: "the difference is unknown"
            }
        }
    }

    /// Returns the changes of tables between two states of a draft.
    static func changes(from old: DraftState, to new: DraftState) throws(Obstacle) -> [TableChange] {
        let (before, after) = (old.typesByName, new.typesByName)
        for (name, type) in before.sorted(by: { $0.key < $1.key }) {
            if let other = after[name], !isExtension(other, of: type) { throw .valueType(String(name)) }
        }
        var changes: [TableChange] = []
        for table in old.tables where !new.tables.contains(where: { $0.name == table.name }) {
            changes.append(.drop(table.name))
        }
        for table in new.tables {
            guard let before = old.tables.first(where: { $0.name == table.name }) else {
                changes.append(.create(table.name))
                continue
            }
            if table == before { continue }
            try check(before, table)
            changes.append(.map(from: table.name, to: table.name))
        }
        // A property may get or lose a type that the tables do not show: int becomes bool.
        for name in Set(before.keys).symmetricDifference(after.keys).sorted() {
            let parts = name.split(separator: ".", maxSplits: 1)
            guard parts.count == 2 else { continue }
            func isIn(_ tables: [Table]) -> Bool {
                tables.contains { $0.name == parts[0] && $0.column(String(parts[1])) != nil }
            }
            if isIn(old.tables), isIn(new.tables) { throw .valueType(String(name)) }
        }
        return changes
    }

    /// Returns whether values of a type can be read as values of another one: the types are the same, or an enum or option
    /// set has more elements.
    private static func isExtension(_ new: Substring, of old: Substring) -> Bool {
        if new == old { return true }
        let (before, after) = (old.split(separator: " | "), new.split(separator: " | "))
        guard let kind = before.first, ["enum", "options"].contains(kind), after.first == kind else { return false }
        return Set(before).isSubset(of: after)
    }

    private static func check(_ old: Table, _ new: Table) throws(Obstacle) {
        let name = new.name
        if old.isJoinTable != new.isJoinTable { throw .kind(table: name) }
        if old.primaryKey != new.primaryKey { throw .primaryKey(table: name) }
        var added: Set<String> = []
        for column in new.columns {
            guard let before = old.column(column.name) else {
                if !column.isNullable, column.defaultValue == nil { throw .required(table: name, column: column.name) }
                added.insert(column.name)
                continue
            }
            let isLooser = column.isNullable || !before.isNullable
            guard column.type == before.type, column.collation == before.collation, isLooser else {
                throw .column(table: name, column: column.name)
            }
        }
        func kept(_ keys: [Table.ForeignKey]) -> Set<Table.ForeignKey> {
            Set(keys.filter { key in key.columns.allSatisfy { old.column($0) != nil && new.column($0) != nil } })
        }
        // A new foreign key may have a default value that no row has.
        let isNull = new.foreignKeys.allSatisfy { key in
            key.columns.allSatisfy { !added.contains($0) || new.column($0)?.defaultValue == nil }
        }
        guard kept(old.foreignKeys) == kept(new.foreignKeys), isNull else { throw .foreignKeys(table: name) }
        func isNumber(_ column: String) -> Bool { [.integer, .real].contains(new.column(column)?.type) }
        for check in new.checks
        where !old.checks.contains(where: { $0.condition.implies(check.condition, isNumber: isNumber) }) {
            // The rows have NULL in a new column, and NULL satisfies a limit.
            let isFree = !check.condition.replacingColumns { column -> RowExpression<String> in
                added.contains(column) && new.column(column)?.defaultValue == nil ? .null : .column(column)
            }.canBeFalse
            if !isFree { throw .check(table: name, name: check.name) }
        }
        for index in new.indexes where index.isUnique {
            let isThere = old.indexes.contains { other in
                let holds = other.shape.condition == nil || other.shape.condition == index.shape.condition
                return other.isUnique && holds && Set(other.columns).isSubset(of: index.columns)
            }
            // The rows have NULL in a new column, and no two NULLs are equal.
            let isFree = index.columns.contains { added.contains($0) && new.column($0)?.defaultValue == nil }
            if !isThere, !isFree { throw .uniqueIndex(table: name, columns: index.columns) }
        }
    }
}
