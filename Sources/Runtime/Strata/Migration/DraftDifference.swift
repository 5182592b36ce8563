import SQLSchema

/// The difference between two states of a draft, over which the stores of developers and testers are migrated.
///
/// The descriptions of a draft have no history within the draft. Tables are therefore compared by their names: tables,
/// columns and plain indexes may be added or removed. Everything else would need values that nobody has described.
enum DraftDifference {
    /// The reason why a store is not migrated from one state of a draft to another.
    enum Obstacle: Error, Hashable, CustomStringConvertible {
        case required(table: String, column: String)
        case column(table: String, column: String)
        case primaryKey(table: String)
        case foreignKeys(table: String)
        case uniqueIndex(table: String, columns: [String])
        case kind(table: String)
        case other

        var description: String {
            switch self {
            case .required(let table, let column): "\(table).\(column) is new and has neither NULL nor a default value"
            case .column(let table, let column): "\(table).\(column) has another type or collation, or requires a value"
            case .primaryKey(let table): "\(table) has another primary key"
            case .foreignKeys(let table): "\(table) has other foreign keys"
            case .uniqueIndex(let table, let columns):
                "\(table) has a new unique index on \(columns.joined(separator: ", "))"
            case .other: "the tables are the same, but something else is different"
            case .kind(let table): "\(table) was a join table, or has become one"
            }
        }
    }

    /// Returns the changes of tables between two states of a draft.
    static func changes(from old: [Table], to new: [Table]) throws(Obstacle) -> [TableChange] {
        var changes: [TableChange] = []
        for table in old where !new.contains(where: { $0.name == table.name }) { changes.append(.drop(table.name)) }
        for table in new {
            guard let before = old.first(where: { $0.name == table.name }) else {
                changes.append(.create(table.name))
                continue
            }
            if table == before { continue }
            try check(before, table)
            changes.append(.map(from: table.name, to: table.name))
        }
        return changes
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
        for index in new.indexes where index.isUnique {
            let isThere = old.indexes.contains { $0.isUnique && $0.columns == index.columns }
            // The rows have NULL in a new column, and no two NULLs are equal.
            let isFree = index.columns.contains { added.contains($0) && new.column($0)?.defaultValue == nil }
            if !isThere, !isFree { throw .uniqueIndex(table: name, columns: index.columns) }
        }
    }
}
