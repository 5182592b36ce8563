import SchemaModel
import SQLSchema

/// The statements by which a file makes sure that the database is in the state that it needs. They name what is wrong.
enum StepAssertions {
    /// A column with its type.
    typealias Column = (table: String, name: String, type: ServerType)

    /// Raises an error unless a condition holds, or runs a statement in this case.
    static func unless(_ condition: String, _ statement: String) -> String {
        PostgreSQL.block("BEGIN\n    IF NOT \(condition) THEN\n        \(statement);\n    END IF;\nEND")
    }

    static func hasConstraint(_ name: String, of table: String) -> String {
        "EXISTS (SELECT FROM pg_constraint WHERE conrelid = to_regclass(\(regclass(table))) "
            + "AND conname = \(SQL.literal(PostgreSQL.shortened(name))))"
    }

    private static func regclass(_ name: String) -> String { SQL.literal(PostgreSQL.quoted(name)) }

    /// Runs a statement if a constraint exists that all rows satisfy, and raises an error otherwise.
    static func whenValid(_ name: String, of table: String, _ statement: String) -> String {
        PostgreSQL.block(
            """
            BEGIN
                IF NOT EXISTS (SELECT FROM pg_constraint WHERE conrelid = to_regclass(\(regclass(table)))
                    AND conname = \(SQL.literal(PostgreSQL.shortened(name))) AND convalidated) THEN
                    RAISE EXCEPTION 'strata: % is not validated: run this file again', \(SQL.literal(name));
                END IF;
                \(statement);
            END
            """)
    }

    /// Raises an error if the database already has a version.
    static let isEmpty = PostgreSQL.block(
        """
        BEGIN
            IF EXISTS (
                SELECT FROM pg_class WHERE relname = 'strata_schema' AND relnamespace = current_schema()::regnamespace
            ) THEN
                RAISE EXCEPTION 'strata: the database is already at %', (SELECT version FROM strata_schema);
            END IF;
        END
        """)

    /// Raises an error unless the database has the old version of a step. Two files cannot run at the same time, and all names
    /// are those of the schema with the version.
    static func version(_ from: ModelVersion, before to: ModelVersion) -> [String] {
        [
            "LOCK TABLE strata_schema IN SHARE UPDATE EXCLUSIVE MODE",
            PostgreSQL.block(
                """
                DECLARE
                    found record;
                    place record;
                BEGIN
                    SELECT quote_ident(nspname) AS name, relowner AS owner INTO place
                        FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = relnamespace
                        WHERE c.oid = 'strata_schema'::regclass;
                    IF NOT pg_has_role(place.owner, 'USAGE') THEN
                        RAISE EXCEPTION 'strata: only the owner of the tables, %, can run this file', pg_get_userbyid(place.owner);
                    END IF;
                    PERFORM set_config('search_path', concat_ws(', ', place.name,
                        nullif(current_setting('search_path'), ''), 'pg_temp'), true);
                    SELECT * INTO found FROM strata_schema;
                    IF found.version = \(SQL.literal(to.version.text)) THEN
                        RAISE EXCEPTION 'strata: the database is already at %', found.version;
                    ELSIF (found.version, found.fingerprint) IS DISTINCT FROM (\(from.serverLiterals)) THEN
                        RAISE EXCEPTION 'strata: this file needs version % (%), but the database is at % (%)',
                            \(from.serverLiterals), found.version, found.fingerprint;
                    END IF;
                END
                """),
        ]
    }

    /// Raises an error unless the online part of a step has run. Empty if there is nothing to check.
    static func isComplete(_ online: OnlineChanges, indexes: Bool) -> [String] {
        var statements: [String] = []
        if !online.columns.isEmpty {
            let rows = online.columns.map { column in
                "(\(regclass(column.table)), \(SQL.literal(PostgreSQL.shortened(column.name))), "
                    + "\(SQL.literal(column.type.rawValue)))"
            }
            statements.append(
                check(
                    rows, as: "(place, name, type)",
                    where: """
                        NOT EXISTS (
                            SELECT FROM pg_attribute WHERE attrelid = to_regclass(place) AND attname = name
                                AND atttypid = type::regtype AND NOT attisdropped)
                        """,
                    show: "place || '.' || quote_ident(name) || ' ' || type",
                    "run 1-online.sql first: these columns are missing, or have another type: %"))
        }
        if !online.constraints.isEmpty {
            let rows = online.constraints.map { entry in
                "(\(regclass(entry.table)), \(SQL.literal(PostgreSQL.shortened(entry.name))))"
            }
            statements.append(
                check(
                    rows, as: "(place, name)",
                    where: """
                        NOT EXISTS (
                            SELECT FROM pg_constraint WHERE conrelid = to_regclass(place) AND conname = name
                                AND convalidated)
                        """,
                    show: "quote_ident(name) || ' of ' || place",
                    "run 1-online.sql first: these constraints are missing or not validated: %"))
        }
        if indexes, !online.indexes.isEmpty {
            let rows = online.indexes.map { "(\(regclass($0.name)), \(regclass($0.table)))" }
            statements.append(
                check(
                    rows, as: "(name, place)",
                    where: """
                        NOT EXISTS (
                            SELECT FROM pg_index WHERE indexrelid = to_regclass(name) AND indrelid = to_regclass(place) AND indisvalid)
                        """,
                    show: "'DROP INDEX CONCURRENTLY IF EXISTS ' || name || ';'",
                    "run the file of each index, after you have dropped an invalid one: %"))
        }
        return statements
    }

    private static func check(
        _ rows: [String], as columns: String, where condition: String, show text: String, _ message: String
    ) -> String {
        let lines = condition.split(separator: "\n").joined(separator: "\n    ")
        return PostgreSQL.block(
            """
            DECLARE
                wrong text;
            BEGIN
                SELECT string_agg(\(text), ', ') INTO wrong
                FROM (VALUES
                    \(rows.joined(separator: ",\n        "))
                ) AS expected \(columns)
                WHERE \(lines);
                IF wrong IS NOT NULL THEN
                    RAISE EXCEPTION 'strata: \(message)', wrong;
                END IF;
            END
            """)
    }

    /// The statements around SQL that you have written. They raise an error if it has ended the transaction.
    static let transaction = (
        begin: PostgreSQL.block("BEGIN PERFORM set_config('strata.transaction', txid_current()::text, true); END"),
        end: PostgreSQL.block(
            """
            BEGIN
                IF current_setting('strata.transaction', true) IS DISTINCT FROM txid_current()::text THEN
                    RAISE EXCEPTION 'strata: the custom migration has ended the transaction';
                END IF;
            END
            """)
    )

    /// Raises an error if a table has privileges of other roles, or policies: a new table that replaces it would lose them.
    static func hasNoPrivileges(_ table: String) -> String {
        PostgreSQL.block(
            """
            BEGIN
                IF EXISTS (
                    SELECT FROM pg_class AS c, aclexplode(c.relacl) AS a
                    WHERE c.oid = \(regclass(table))::regclass AND a.grantee <> c.relowner
                ) OR EXISTS (SELECT FROM pg_attribute WHERE attrelid = \(regclass(table))::regclass AND attacl IS NOT NULL)
                OR EXISTS (SELECT FROM pg_policy WHERE polrelid = \(regclass(table))::regclass) THEN
                    RAISE EXCEPTION 'strata: a new table replaces %, which has privileges or policies: remove them, and create them again afterwards', \(SQL.literal(table));
                END IF;
            END
            """)
    }

    /// Raises an error if a column has privileges: a new column that replaces it would lose them.
    static func hasNoPrivileges(_ column: String, of table: String) -> String {
        PostgreSQL.block(
            """
            BEGIN
                IF EXISTS (
                    SELECT FROM pg_attribute WHERE attrelid = \(regclass(table))::regclass
                        AND attname = \(SQL.literal(PostgreSQL.shortened(column))) AND attacl IS NOT NULL
                ) THEN
                    RAISE EXCEPTION 'strata: a new column replaces %, which has privileges: revoke them, and grant them again afterwards', \(SQL.literal(table + "." + column));
                END IF;
            END
            """)
    }
}
