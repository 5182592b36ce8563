import SQLSchema

extension ServerStep {
    // MARK: Values

    mutating func addTrigger(
        _ change: TableTransition, _ table: String
    ) throws(ServerExpression.Unsupported) {
        let followed = change.followed
        guard !followed.isEmpty || change.isCustom else { return }
        let name = "strata \(from) \(to) \(change.new.name)"
        let (row, before) = (change.old.expressions { "NEW.\(PostgreSQL.quoted($0))" }, change.old.expressions())
        let back = ServerExpression(types: change.new.types) { "NEW.\(PostgreSQL.quoted(change.present($0)))" }
        var inserts: [String] = []
        var updates: [String] = []
        var always: [String] = []
        var assignments: [String] = []
        var conditions: [String] = []
        for (column, value) in followed {
            let quoted = PostgreSQL.quoted(change.present(column.name))
            let type = change.new.type(of: column.name)
            let new = try row.sql(value, as: type)
            let stored = try before.sql(value, as: type)
            assignments.append("\(quoted) = \(stored)")
            conditions.append("\(quoted) IS DISTINCT FROM \(stored)")
            let set = "NEW.\(quoted) := \(new);"
            guard case .derived = change.origin(of: column.name), !change.isLate(column.name) else {
                always.append(set)
                continue
            }
            let sources = value.columnsRead.filter { change.droppedColumns.contains($0) }
            var reverse: [String] = []
            for source in sources {
                guard let inverse = change.inverse(of: source), inverse.column.name == column.name else { continue }
                let sql = try back.sql(inverse.value, as: change.old.type(of: source))
                reverse.append("NEW.\(PostgreSQL.quoted(source)) := \(sql);")
            }
            inserts.append("IF NEW.\(quoted) IS NULL THEN \(set)")
            if !reverse.isEmpty { inserts.append("ELSE \(reverse.joined(separator: " "))") }
            inserts.append("END IF;")
            let isChanged = value.columnsRead.map {
                "NEW.\(PostgreSQL.quoted($0)) IS DISTINCT FROM OLD.\(PostgreSQL.quoted($0))"
            }
            // The backfill may not have reached the row yet.
            let isUnset = column.isNullable ? [] : ["NEW.\(quoted) IS NULL"]
            updates.append("IF \((isChanged + isUnset).joined(separator: " OR ")) THEN \(set)")
            if !reverse.isEmpty {
                updates.append(
                    "ELSIF NEW.\(quoted) IS DISTINCT FROM OLD.\(quoted) THEN \(reverse.joined(separator: " "))")
            }
            updates.append("END IF;")
        }
        if change.isCustom {
            let function = PostgreSQL.quoted(ServerInstructions.functionName(change.new.name, from, to))
            let stub = ServerInstructions.function(change, table: present(change), from, to)
            expand.append(written(change.new.name + ".sql", or: stub))
            lateDrops.append("DROP FUNCTION IF EXISTS \(function) CASCADE")
            // An app of the new version sets the columns itself.
            let columns = change.customColumns.map { PostgreSQL.quoted(change.present($0.name)) }
            let isUnset = columns.map { "NEW.\($0) IS NULL" }.joined(separator: " AND ")
            let isSame = columns.map { "NEW.\($0) IS NOT DISTINCT FROM OLD.\($0)" }.joined(separator: " AND ")
            let call = "NEW := \(function)(NEW);"
            if columns.isEmpty {
                always.append(call)
            } else {
                inserts.append("IF \(isUnset) THEN \(call) END IF;")
                updates.append("IF \(isSame) THEN \(call) END IF;")
            }
        }
        var body = ["IF current_setting('strata.backfill', true) = 'on' THEN RETURN NEW; END IF;"]
        if !inserts.isEmpty { body += ["IF TG_OP = 'INSERT' THEN"] + inserts + ["ELSE"] + updates + ["END IF;"] }
        body += always + ["RETURN NEW;"]
        let quoted = PostgreSQL.quoted(name)
        expand += [
            "CREATE OR REPLACE FUNCTION \(quoted)() RETURNS trigger LANGUAGE plpgsql AS $strata$\nBEGIN\n"
                + body.map { "    \($0)\n" }.joined() + "END\n$strata$",
            "CREATE OR REPLACE TRIGGER \(quoted) BEFORE INSERT OR UPDATE ON \(table) "
                + "FOR EACH ROW EXECUTE FUNCTION \(quoted)()",
        ]
        contract.append("DROP TRIGGER IF EXISTS \(quoted) ON \(table)")
        contract.append("DROP FUNCTION IF EXISTS \(quoted)()")
        addBackfill(change, assignments, conditions)
    }

    mutating func addBackfill(_ change: TableTransition, _ assignments: [String], _ conditions: [String]) {
        let name = present(change)
        var (assignments, conditions) = (assignments, conditions)
        if change.isCustom {
            let columns = change.customColumns.map { PostgreSQL.quoted(change.present($0.name)) }
            let all =
                columns.isEmpty ? change.new.table.columnNames.filter(change.isKept).map(PostgreSQL.quoted) : columns
            let function = PostgreSQL.quoted(ServerInstructions.functionName(change.new.name, from, to))
            assignments.append(
                "(\(all.joined(separator: ", "))) = (SELECT "
                    + "\(all.map { "r.\($0)" }.joined(separator: ", ")) FROM \(function)(t) AS r)")
            conditions = ["true"]
        }
        let keys = change.old.table.primaryKey
        backfills.append(
            ServerBackfill(
                subject: change.new.name, table: name, keys: keys, types: keys.map(change.old.type),
                change: assignments.joined(separator: ", "), condition: conditions.joined(separator: " OR ")))
    }
}
