import SQLSchema

extension ServerStep {
    // MARK: Indexes

    /// The statement that drops an index whose concurrent creation was interrupted.
    static func removal(ofInvalid index: String) -> String {
        "DO $strata$ BEGIN\n    IF EXISTS (SELECT FROM pg_index WHERE indexrelid = to_regclass("
            + "\(SQL.literal(PostgreSQL.quoted(index)))) AND NOT indisvalid) THEN\n"
            + "        DROP INDEX \(PostgreSQL.quoted(index));\n    END IF;\nEND $strata$"
    }

    mutating func addIndexes(_ change: TableTransition, _ table: String) throws(ServerExpression.Unsupported) {
        let (old, new) = (change.old, change.new)
        let computed = Set(change.addedComputed.map(\.name) + change.droppedComputed)
        func isKept(_ index: Table.Index) -> Bool {
            index.shape.allColumns.allSatisfy { name in
                !computed.contains(name) && (change.isKept(name) || new.table.computed.contains { $0.name == name })
            }
        }
        let kept = Set(old.table.indexes.filter { isKept($0) && new.table.indexes.contains($0) })
        let named = ServerTable(owner: new.owner, table: new.table.named(table), types: new.types)
        for index in new.table.indexes where !kept.contains(index) {
            let isTaken = old.table.indexes.contains { $0.name == index.name }
            let name = isTaken ? TableTransition.prefix + index.name : index.name
            let leftover = Self.removal(ofInvalid: name)
            let creation = try PostgreSQL.createIndex(
                index, on: named, named: name, concurrently: true, change.present)
            let columns = index.shape.allColumns
            if columns.contains(where: computed.contains) || columns.contains(where: isRenamedKey) {
                // The column appears only in the phase `contract`.
                let late = try PostgreSQL.createIndex(index, on: new, concurrently: !index.isUnique)
                if index.isUnique {
                    lateCreations.append(late)
                } else {
                    lastIndexes.append((index.name, [Self.removal(ofInvalid: index.name), late]))
                }
                continue
            }
            let entry = (name, [leftover, creation])
            // Old apps may write equal values, unless an old index already forbids them.
            let sources = columns.map { change.origin(of: $0)?.source ?? $0 }
            let wasUnique = old.table.indexes.contains {
                $0.isUnique && $0.shape.condition == nil && Set($0.columns).isSubset(of: sources)
            }
            let isNew = columns.allSatisfy { column in
                switch change.origin(of: column) {
                case .constant, .custom: true
                default: false
                }
            }
            if index.isUnique, !wasUnique, !isNew {
                lateIndexes.append(entry)
            } else if columns.allSatisfy(change.isKept) {
                concurrent.append(entry)
            } else {
                validIndexes.append(entry)
            }
            if isTaken {
                let rename = "ALTER INDEX \(PostgreSQL.quoted(name)) RENAME TO \(PostgreSQL.quoted(index.name))"
                lateCreations.append(
                    Self.when("to_regclass(\(SQL.literal(PostgreSQL.quoted(name)))) IS NOT NULL", rename))
            }
        }
        for index in old.table.indexes where !kept.contains(index) {
            let drop = "DROP INDEX IF EXISTS \(PostgreSQL.quoted(index.name))"
            // Old apps search by an index until the phase `contract`. A unique one could refuse rows of the new apps.
            if index.isUnique {
                settled.append(drop)
            } else {
                contract.append(drop)
            }
        }
        func isRenamedKey(_ column: String) -> Bool {
            if case .renamedKey = change.origin(of: column) { true } else { false }
        }
        for column in change.addedComputed {
            rewrittenTables.append(new.name)
            lateChanges.append("the computed column \(new.name).\(column.name) is new or different")
            lateCreations.insert(
                "ALTER TABLE \(PostgreSQL.quoted(new.name)) ADD COLUMN IF NOT EXISTS "
                    + (try PostgreSQL.definition(of: column, in: new)), at: 0)
        }
    }
}
