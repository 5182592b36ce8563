import SQLSchema

extension ServerStep {
    // MARK: Columns

    mutating func addColumns(_ change: TableTransition, _ alter: String) {
        let (old, new) = (change.old, change.new)
        for (column, origin) in change.columns {
            let (present, final) = (change.present(column.name), column.name)
            let quoted = PostgreSQL.quoted(present)
            switch origin {
            case .kept, .filled:
                guard let before = old.table.column(final) else { continue }
                if column.isNullable, !before.isNullable {
                    settled.append(alter + "ALTER COLUMN \(quoted) DROP NOT NULL")
                }
                if !column.isNullable, before.isNullable { addNotNull(column, change, alter, isLate: true) }
                if column.defaultValue != before.defaultValue { setDefault(column, change) }
            case .constant(let value):
                let type = new.type(of: final)
                var fill: String?
                if case .literal(let value) = value { fill = PostgreSQL.literal(value, type) }
                expand.append(
                    alter + "ADD COLUMN IF NOT EXISTS "
                        + PostgreSQL.definition(of: column, in: new, named: present, defaultValue: fill))
                // Old apps do not know the column, so it keeps a value for their rows until the phase `contract`.
                if fill != column.defaultValue.map({ PostgreSQL.literal($0, type) }) { setDefault(column, change) }
            case .derived, .custom:
                var plain = column
                plain.defaultValue = nil
                expand.append(
                    alter + "ADD COLUMN IF NOT EXISTS "
                        + PostgreSQL.definition(of: plain, in: new, named: present, isNullable: true))
                if !column.isNullable { addNotNull(column, change, alter, isLate: false) }
                if column.defaultValue != nil { setDefault(column, change) }
            case .renamedKey(let before):
                lateChanges.append("the key \(old.name).\(before) is called \(final)")
                let rename =
                    "ALTER TABLE \(PostgreSQL.quoted(new.name)) RENAME COLUMN \(quoted) "
                    + "TO \(PostgreSQL.quoted(final))"
                keyRenames.append(Self.when(Self.hasColumn(before, of: new.name), rename))
            }
            if change.isAdded(final), change.isLate(final) {
                lateChanges.append("the column \(new.name).\(final) has other values than before under this name")
            }
        }
        for name in change.droppedColumns {
            guard let column = old.table.column(name) else { continue }
            if !column.isNullable, change.inverse(of: name)?.column.isNullable != false {
                settled.append(alter + "ALTER COLUMN \(PostgreSQL.quoted(name)) DROP NOT NULL")
            }
            if change.inverse(of: name) == nil, !change.isLate(name) { lostColumns.append("\(old.name).\(name)") }
        }
        // After the renaming of tables, and before that of columns.
        let final = "ALTER TABLE \(PostgreSQL.quoted(new.name)) "
        for name in change.droppedComputed + change.droppedColumns {
            // Where a late column takes the name, the old column is dropped only once.
            let drop = final + "DROP COLUMN IF EXISTS \(PostgreSQL.quoted(name)) CASCADE"
            if change.isLate(name) {
                let present = TableTransition.prefix + name
                let rename = final + "RENAME COLUMN \(PostgreSQL.quoted(present)) TO \(PostgreSQL.quoted(name))"
                lateDrops.append(Self.when(Self.hasColumn(present, of: new.name), drop + ";\n        " + rename))
            } else {
                lateDrops.append(drop)
            }
        }
    }

    /// Makes a column NOT NULL without a check of all rows while the table is locked.
    mutating func addNotNull(_ column: Table.Column, _ change: TableTransition, _ alter: String, isLate: Bool) {
        let present = change.present(column.name)
        let name = TableTransition.prefix + change.new.name + "_" + column.name + "_not_null"
        let quoted = PostgreSQL.quoted(present)
        addConstraint(
            name, "CONSTRAINT \(PostgreSQL.quoted(name)) CHECK (\(quoted) IS NOT NULL)", on: self.present(change),
            isLate ? .contract : .expand)
        let rest = [
            alter + "ALTER COLUMN \(quoted) SET NOT NULL",
            alter + "DROP CONSTRAINT IF EXISTS \(PostgreSQL.quoted(name))",
        ]
        if isLate { contract += rest } else { settled += rest }
    }

    mutating func setDefault(_ column: Table.Column, _ change: TableTransition) {
        let value = column.defaultValue.map { PostgreSQL.literal($0, change.new.type(of: column.name)) }
        lateCreations.append(
            "ALTER TABLE \(PostgreSQL.quoted(change.new.name)) ALTER COLUMN \(PostgreSQL.quoted(column.name)) "
                + (value.map { "SET DEFAULT \($0)" } ?? "DROP DEFAULT"))
    }
}
