import PostgreSQL
import SchemaModel
import Testing

@testable import ServerCommands

/// Privileges, row-level security and views of the tables that are in all versions. Steps must keep them.
struct Protection {
    private let oldTables: [String]
    private let newTables: [String]

    init(of versions: some Collection<ModelVersion>) {
        func tables(_ version: ModelVersion) -> [TableOwner: String] {
            let tables = version.serverTables.filter { $0.owner.relationship == nil }
            return Dictionary(
                tables.map { ($0.owner, PostgreSQL.quoted($0.name)) }, uniquingKeysWith: { first, _ in first })
        }
        let all = versions.map(tables)
        let kept = all.dropFirst().reduce(Set(all.first?.keys.map(\.self) ?? [])) { $0.intersection($1.keys) }
        oldTables = kept.compactMap { all.first?[$0] }
        newTables = kept.compactMap { all.last?[$0] }
    }

    /// Adds them to the tables of the first version.
    func add(_ connection: ServerConnection) throws {
        try connection.execute(
            """
            DO $$ BEGIN CREATE ROLE strata_reader; EXCEPTION WHEN duplicate_object THEN NULL; END $$;
            CREATE SCHEMA reports;
            """)
        for (place, table) in oldTables.enumerated() {
            try connection.execute(
                """
                GRANT SELECT ON \(table) TO strata_reader;
                ALTER TABLE \(table) ENABLE ROW LEVEL SECURITY;
                CREATE POLICY mine ON \(table) TO strata_reader USING (true);
                CREATE VIEW reports.view_\(place) AS SELECT count(*) FROM \(table);
                """)
        }
    }

    /// Checks that the tables of the last version have them, and removes them.
    func remove(_ connection: ServerConnection) throws {
        let count = try connection.value("SELECT count(*) FROM pg_views WHERE schemaname = 'reports'")
        #expect(count == "\(newTables.count)")
        try connection.execute("DROP SCHEMA reports CASCADE")
        for table in newTables {
            let state = try connection.rows(
                """
                SELECT relrowsecurity, has_table_privilege('strata_reader', oid, 'SELECT'),
                    (SELECT count(*) FROM pg_policy WHERE polrelid = c.oid)
                FROM pg_class AS c WHERE oid = to_regclass($1)
                """, [table])
            #expect(state == [["t", "t", "1"]], "\(table)")
            try connection.execute(
                """
                REVOKE SELECT ON \(table) FROM strata_reader; DROP POLICY mine ON \(table);
                ALTER TABLE \(table) DISABLE ROW LEVEL SECURITY;
                """)
        }
    }
}
