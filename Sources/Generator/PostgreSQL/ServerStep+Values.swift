import SQLSchema

/// The parts of the trigger of a table, which keeps the columns of both versions up to date.
private struct TriggerBody {
    /// Declarations of variables with the changes that an UPDATE makes.
    var declarations: [String] = []
    /// Assignments to these variables, before any column changes.
    var observations: [String] = []
    var inserts: [String] = []
    var updates: [String] = []
    /// Statements for both.
    var always: [String] = []

    var text: String {
        var lines: [String] = []
        if !declarations.isEmpty { lines += ["DECLARE"] + declarations.map { "    " + $0 } }
        lines += ["BEGIN", "    IF current_setting('strata.backfill', true) = 'on' THEN RETURN NEW; END IF;"]
        if !inserts.isEmpty || !updates.isEmpty {
            lines.append("    IF TG_OP = 'INSERT' THEN")
            lines += (inserts.isEmpty ? ["NULL;"] : inserts).map { "        " + $0 }
            lines.append("    ELSE")
            lines += (observations + (updates.isEmpty ? ["NULL;"] : updates)).map { "        " + $0 }
            lines.append("    END IF;")
        }
        lines += always.map { "    " + $0 } + ["    RETURN NEW;", "END"]
        return lines.joined(separator: "\n")
    }
}

extension ServerStep {
    // MARK: Values

    /// Returns SQL for the condition that two values differ. Texts are compared by their bytes: otherwise a change of case
    /// would not count under a collation that ignores it.
    static func differ(_ one: String, _ other: String, _ type: ServerType) -> String {
        type == .text
            ? "(\(one)) COLLATE \"C\" IS DISTINCT FROM (\(other)) COLLATE \"C\"" : "\(one) IS DISTINCT FROM \(other)"
    }

    mutating func addTrigger(
        _ change: TableTransition, _ table: String
    ) throws(ServerExpression.Unsupported) {
        let followed = change.followed
        guard !followed.isEmpty || change.isCustom else { return }
        let (row, before) = (change.old.expressions { "NEW.\(PostgreSQL.quoted($0))" }, change.old.expressions())
        let back = ServerExpression(types: change.new.types) { "NEW.\(PostgreSQL.quoted(change.present($0)))" }
        var body = TriggerBody()
        var assignments: [String] = []
        var conditions: [String] = []
        func isChanged(_ column: String, _ type: ServerType) -> String {
            let quoted = PostgreSQL.quoted(column)
            return Self.differ("NEW.\(quoted)", "OLD.\(quoted)", type)
        }
        for (place, (column, value)) in followed.enumerated() {
            let quoted = PostgreSQL.quoted(change.present(column.name))
            let type = change.new.type(of: column.name)
            let stored = try before.sql(value, as: type)
            assignments.append("\(quoted) = \(stored)")
            conditions.append(Self.differ(quoted, stored, type))
            let set = "NEW.\(quoted) := \(try row.sql(value, as: type));"
            guard case .derived = change.origin(of: column.name), !change.isLate(column.name) else {
                body.always.append(set)
                continue
            }
            let sources = value.columnsRead.filter { change.droppedColumns.contains($0) }
            var reverse: [String] = []
            for source in sources {
                guard let inverse = change.inverse(of: source), inverse.column.name == column.name else { continue }
                let sql = try back.sql(inverse.value, as: change.old.type(of: source))
                reverse.append("NEW.\(PostgreSQL.quoted(source)) := \(sql);")
            }
            body.inserts.append("IF NEW.\(quoted) IS NULL THEN \(set)")
            if !reverse.isEmpty { body.inserts.append("ELSE \(reverse.joined(separator: " "))") }
            body.inserts.append("END IF;")
            // The backfill goes by the primary key, and does not see a row whose key has changed.
            let observed = value.columnsRead + change.old.table.primaryKey
            let isSourceChanged = observed.map { isChanged($0, change.old.type(of: $0)) }.joined(separator: " OR ")
            body.declarations += ["source_\(place) boolean;", "target_\(place) boolean;"]
            body.observations += [
                "source_\(place) := \(isSourceChanged);",
                "target_\(place) := \(isChanged(change.present(column.name), type));",
            ]
            // The backfill may not have reached the row yet.
            let isUnset = column.isNullable ? "" : " OR NEW.\(quoted) IS NULL"
            body.updates.append("IF source_\(place) AND NOT target_\(place)\(isUnset) THEN \(set)")
            if !reverse.isEmpty {
                body.updates.append("ELSIF target_\(place) THEN \(reverse.joined(separator: " "))")
            }
            body.updates.append("END IF;")
        }
        if change.isCustom { addCustomCode(change, table, &body) }
        if !assignments.isEmpty {
            addBackfill(
                change, change.new.name, assignments.joined(separator: ", "), conditions.joined(separator: " OR "))
        }
        if change.isCustom { addCustomBackfill(change, table) }
        if followed.isEmpty && change.customColumns.isEmpty { return }
        let quoted = PostgreSQL.quoted("strata \(from) \(to) \(change.new.name)")
        expand += [
            "CREATE OR REPLACE FUNCTION \(quoted)() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT "
                + "AS $strata$\n\(body.text)\n$strata$",
            "CREATE OR REPLACE TRIGGER \(quoted) BEFORE INSERT OR UPDATE ON \(table) "
                + "FOR EACH ROW EXECUTE FUNCTION \(quoted)()",
        ]
        contract.append("DROP TRIGGER IF EXISTS \(quoted) ON \(table)")
        contract.append("DROP FUNCTION IF EXISTS \(quoted)()")
    }

    /// Creates the function that you write, and calls it for the rows of old apps.
    private mutating func addCustomCode(_ change: TableTransition, _ table: String, _ body: inout TriggerBody) {
        let function = PostgreSQL.quoted(ServerInstructions.functionName(change.new.name, from, to))
        let stub = ServerInstructions.function(change, table: present(change), from, to)
        expand.append(written(change.new.name + ".sql", or: stub))
        lateDrops.append("DROP FUNCTION IF EXISTS \(function) CASCADE")
        let columns = change.customColumns.map { PostgreSQL.quoted(change.present($0.name)) }
        guard !columns.isEmpty else { return }
        // An app of the new version sets the columns itself. The function sees the values of the other new columns.
        let call = "NEW := \(function)(NEW);"
        let isUnset = columns.map { "NEW.\($0) IS NULL" }.joined(separator: " AND ")
        let isSame = columns.map { "NEW.\($0) IS NOT DISTINCT FROM OLD.\($0)" }.joined(separator: " AND ")
        let isChanged = change.old.table.columns.map {
            Self.differ(
                "NEW.\(PostgreSQL.quoted($0.name))", "OLD.\(PostgreSQL.quoted($0.name))", change.old.type(of: $0.name))
        }
        body.declarations.append("calls boolean;")
        body.observations.append("calls := \(isSame) AND (\(isChanged.joined(separator: " OR ")));")
        body.always.append(
            "IF TG_OP = 'INSERT' THEN calls := \(isUnset); END IF;\n    IF calls THEN \(call) END IF;")
        if body.updates.isEmpty { body.updates.append("NULL;") }
    }

    private mutating func addCustomBackfill(_ change: TableTransition, _ table: String) {
        let function = PostgreSQL.quoted(ServerInstructions.functionName(change.new.name, from, to))
        func assignment(_ columns: [String]) -> String {
            "(\(columns.joined(separator: ", "))) = (SELECT \(columns.map { "r.\($0)" }.joined(separator: ", ")) "
                + "FROM \(function)(t) AS r)"
        }
        let columns = change.customColumns.map { PostgreSQL.quoted(change.present($0.name)) }
        if columns.isEmpty {
            // Both versions use the same columns, so their values can change only once.
            lateChanges.append("the custom migration changes columns of \(change.new.name) that both versions use")
            let kept = change.new.table.columnNames.filter(change.isKept).map(PostgreSQL.quoted)
            customUpdates.append("UPDATE \(table) AS t SET \(assignment(kept))")
        } else {
            addBackfill(
                change, change.new.name + "-custom", assignment(columns),
                columns.map { "\($0) IS NULL" }.joined(separator: " OR "))
        }
    }

    private mutating func addBackfill(
        _ change: TableTransition, _ subject: String, _ assignments: String, _ condition: String
    ) {
        let keys = change.old.table.primaryKey
        backfills.append(
            ServerBackfill(
                subject: subject, table: present(change), keys: keys, types: keys.map(change.old.type),
                change: assignments, condition: condition))
    }
}
