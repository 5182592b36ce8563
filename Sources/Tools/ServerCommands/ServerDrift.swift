import Commands
import PostgreSQL

/// The differences between a database on a server and its version: columns, constraints and indexes.
struct ServerDrift {
    private let version: String
    /// The definitions that the version has and the database lacks.
    private let missing: [String]
    /// The definitions that only the database has.
    private let unexpected: [String]
    /// The step whose old parts are still there.
    private let pending: ServerState.Step?

    /// Compares the database with its version.
    ///
    /// The version is created in a separate schema, in a transaction that is rolled back. So the server itself writes both
    /// definitions in the same way.
    init(of connection: ServerConnection, _ schema: ServerSchema) throws {
        let state = try ServerState(reading: connection)
        guard let current = state.current else {
            throw CommandError.elsewhere("error: the database is empty: deploy creates it")
        }
        _ = try DeploymentPlan(schema, state)
        guard let known = schema.versions.first(where: { $0.version == current.version }) else {
            throw CommandError.noVersion(current.version, known: schema.versions.map(\.version))
        }
        version = current.version
        pending = schema.steps.map { ServerState.Step(from: $0.step.from, to: $0.step.to) }
            .first { state.isReady($0) && !state.isContracted($0) }
        let found = try Self.definitions(connection)
        let expected = try connection.rollingBack {
            try connection.execute("CREATE SCHEMA strata_check")
            try connection.execute("SET LOCAL search_path = strata_check")
            for statement in known.script.statements { try connection.execute(statement) }
            return try Self.definitions(connection)
        }
        if pending == nil {
            missing = expected.subtracting(found).sorted()
            unexpected = found.subtracting(expected).sorted()
        } else {
            // Both versions use the tables. So constraints may have other names, and columns may still be nullable.
            func columns(_ lines: Set<String>) -> Set<String> {
                Set(
                    lines.filter { $0.hasPrefix("column ") }.map {
                        $0.split(separator: " ").prefix(3).joined(separator: " ")
                    })
            }
            let isLate = schema.steps.contains { !$0.step.lateChanges.isEmpty && $0.step.to == current.version }
            missing = isLate ? [] : columns(expected).subtracting(columns(found)).sorted()
            unexpected = []
        }
    }

    /// The definitions of all tables in the current schema, a line each.
    private static func definitions(_ connection: ServerConnection) throws -> Set<String> {
        let rows = try connection.rows(
            """
            SELECT 'column ' || c.relname || '.' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
                || CASE WHEN l.collname <> 'default' THEN ' COLLATE ' || l.collname ELSE '' END
                || CASE WHEN a.attnotnull THEN ' NOT NULL' ELSE '' END
                || coalesce(CASE WHEN a.attgenerated <> '' THEN ' GENERATED AS ' ELSE ' DEFAULT ' END
                    || pg_get_expr(d.adbin, d.adrelid, true), '')
            FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid
            LEFT JOIN pg_attrdef AS d ON d.adrelid = c.oid AND d.adnum = a.attnum
            LEFT JOIN pg_collation AS l ON l.oid = a.attcollation
            WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND a.attnum > 0
                AND NOT a.attisdropped AND c.relname NOT LIKE 'strata\\_%'
            UNION ALL
            SELECT 'constraint ' || c.relname || '.' || n.conname || ' ' || pg_get_constraintdef(n.oid, true)
            FROM pg_class AS c JOIN pg_constraint AS n ON n.conrelid = c.oid
            WHERE c.relnamespace = current_schema()::regnamespace AND c.relname NOT LIKE 'strata\\_%'
            UNION ALL
            SELECT pg_get_indexdef(i.indexrelid, 0, true)
            FROM pg_class AS c JOIN pg_index AS i ON i.indrelid = c.oid
            WHERE c.relnamespace = current_schema()::regnamespace AND c.relname NOT LIKE 'strata\\_%'
                AND i.indisvalid
            """)
        return Set(rows.compactMap { $0[0] })
    }

    /// Prints the differences.
    ///
    /// - Throws: `CommandError.found` if there are any.
    func report(_ console: Console) throws {
        if let pending {
            console.say(
                "note: the phase contract of \(pending.from) to \(pending.to) has not run, so only columns are compared"
            )
        }
        if missing.isEmpty, unexpected.isEmpty {
            return console.say("the database matches version \(version)")
        }
        console.say("the database differs from version \(version):")
        for line in missing { console.say("  missing: \(line)") }
        for line in unexpected { console.say("  unexpected: \(line)") }
        throw CommandError.found
    }
}

extension ServerConnection {
    /// Runs a body in a transaction that is rolled back.
    fileprivate func rollingBack<Result>(_ body: () throws -> Result) throws -> Result {
        try execute("BEGIN")
        defer { try? execute("ROLLBACK") }
        return try body()
    }
}
