import SQLSchema

/// The table in which a server records what has run, and the functions that the files call.
enum ServerHistory {
    /// The statement that creates `strata_distribute`. Only schemas with distributed tables need it.
    ///
    /// On a server without Citus, the function does nothing, so the same files create databases for development and tests.
    static let distribute = """
        CREATE OR REPLACE FUNCTION strata_distribute(table_ text, kind text, column_ text)
        RETURNS void LANGUAGE plpgsql AS $strata$
        DECLARE
            present text;
        BEGIN
            IF to_regclass('pg_dist_partition') IS NULL THEN
                RETURN;
            END IF;
            SELECT CASE WHEN partkey IS NOT NULL THEN 'column ' || column_to_column_name(logicalrelid, partkey)
                WHEN repmodel = 't' THEN 'reference' END
                INTO present FROM pg_dist_partition WHERE logicalrelid = table_::regclass;
            IF present IS NOT DISTINCT FROM kind || coalesce(' ' || column_, '') THEN
                RETURN;
            END IF;
            IF present IS NOT NULL THEN
                PERFORM undistribute_table(table_::regclass);
            END IF;
            IF kind = 'reference' THEN
                PERFORM create_reference_table(table_::regclass);
            ELSIF kind = 'column' THEN
                PERFORM create_distributed_table(table_::regclass, column_);
            END IF;
        END
        $strata$
        """

    /// The statements that create them. They can be run again.
    static let statements = [
        """
        CREATE TABLE IF NOT EXISTS strata_history (
            id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            from_version text NOT NULL,
            to_version text NOT NULL,
            fingerprint text NOT NULL,
            phase text NOT NULL,
            file text NOT NULL,
            started timestamptz NOT NULL DEFAULT now(),
            finished timestamptz,
            position jsonb,
            rows_done bigint NOT NULL DEFAULT 0,
            CONSTRAINT strata_history_key UNIQUE (from_version, to_version, file)
        )
        """,
        // The version of the database: the newest one for which the files before the phase `contract` have run.
        """
        CREATE OR REPLACE FUNCTION strata_version() RETURNS text LANGUAGE sql STABLE AS $strata$
            SELECT to_version FROM strata_history WHERE phase IN ('create', 'ready') ORDER BY id DESC LIMIT 1
        $strata$
        """,
        // Begins a file, or fails because it does not fit the state of the database. `previous` is the file before it, and
        // `finished` are the versions whose old parts have to be removed before.
        """
        CREATE OR REPLACE FUNCTION strata_begin(
            from_ text, to_ text, from_fingerprint text, to_fingerprint text, phase_ text, file_ text, previous text,
            finished_ text[]
        ) RETURNS void LANGUAGE plpgsql AS $strata$
        BEGIN
            IF NOT EXISTS (
                SELECT FROM strata_history
                WHERE to_version = from_ AND fingerprint = from_fingerprint AND phase IN ('create', 'ready')
            ) THEN
                RAISE EXCEPTION 'strata: % migrates version %, but the database %', file_, from_,
                    coalesce('has version ' || strata_version(), 'is empty');
            END IF;
            IF EXISTS (
                SELECT FROM strata_history WHERE from_version = from_ AND to_version = to_
                    AND (phase = 'contracted' OR phase = 'ready' AND phase_ <> 'contract')
            ) THEN
                RAISE EXCEPTION 'strata: this part of the step from % to % is already finished', from_, to_;
            END IF;
            IF EXISTS (
                SELECT FROM strata_history AS r WHERE r.phase = 'ready' AND r.to_version = ANY (finished_)
                    AND NOT EXISTS (
                        SELECT FROM strata_history AS c WHERE c.phase = 'contracted'
                            AND c.from_version = r.from_version AND c.to_version = r.to_version)
            ) THEN
                RAISE EXCEPTION 'strata: % cannot run before the phase contract of an earlier step', file_;
            END IF;
            IF previous <> '' AND NOT EXISTS (
                SELECT FROM strata_history
                WHERE from_version = from_ AND to_version = to_ AND file = previous AND finished IS NOT NULL
            ) THEN
                RAISE EXCEPTION 'strata: % cannot run yet: % has not finished', file_, previous;
            END IF;
            INSERT INTO strata_history (from_version, to_version, fingerprint, phase, file)
            VALUES (from_, to_, to_fingerprint, phase_, file_)
            ON CONFLICT ON CONSTRAINT strata_history_key DO UPDATE SET started = now();
        END
        $strata$
        """,
        // Ends a file. The last one of a phase also marks the step as `ready` or `contracted`. `index_` is the index that the
        // file has created.
        """
        CREATE OR REPLACE FUNCTION strata_finish(
            from_ text, to_ text, file_ text, mark text DEFAULT NULL, index_ text DEFAULT NULL
        ) RETURNS void LANGUAGE plpgsql AS $strata$
        BEGIN
            IF index_ IS NOT NULL AND NOT EXISTS (
                SELECT FROM pg_index WHERE indexrelid = to_regclass(index_) AND indisvalid
            ) THEN
                RAISE EXCEPTION 'strata: the index % was not created completely: run % again', index_, file_;
            END IF;
            UPDATE strata_history SET finished = now()
            WHERE from_version = from_ AND to_version = to_ AND file = file_;
            INSERT INTO strata_history (from_version, to_version, fingerprint, phase, file, finished)
            SELECT from_, to_, fingerprint, mark, mark, now() FROM strata_history
            WHERE from_version = from_ AND to_version = to_ AND file = file_ AND mark IS NOT NULL
            ON CONFLICT ON CONSTRAINT strata_history_key DO NOTHING;
        END
        $strata$
        """,
        // Gives the view under the old name of a table the privileges of the table.
        """
        CREATE OR REPLACE FUNCTION strata_copy_privileges(source text, target text) RETURNS void
        LANGUAGE plpgsql AS $strata$
        DECLARE
            granted record;
        BEGIN
            FOR granted IN
                SELECT a.privilege_type AS name,
                    CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END AS role
                FROM pg_class AS c, aclexplode(c.relacl) AS a
                WHERE c.oid = to_regclass(source)
                    AND a.privilege_type IN ('SELECT', 'INSERT', 'UPDATE', 'DELETE')
            LOOP
                EXECUTE format('GRANT %s ON %s TO %s', granted.name, target, granted.role);
            END LOOP;
        END
        $strata$
        """,
        // Changes the rows of a table in the order of its primary key, and commits after each 10,000. It marks its file as
        // finished itself: after an error, `psql` goes on with the next statement.
        """
        CREATE OR REPLACE PROCEDURE strata_backfill(
            from_ text, to_ text, file_ text, target text, keys text[], types text[], change text, condition text
        ) LANGUAGE plpgsql AS $strata$
        DECLARE
            key_list text := (SELECT string_agg(format('t.%I', k), ', ' ORDER BY n)
                FROM unnest(keys) WITH ORDINALITY AS u (k, n));
            key_json text := (SELECT 'jsonb_build_array(' || string_agg(format('t.%I::text', k), ', ' ORDER BY n) || ')'
                FROM unnest(keys) WITH ORDINALITY AS u (k, n));
            done jsonb;
            bound jsonb;
            lower_limit text;
            upper_limit text;
        BEGIN
            IF EXISTS (
                SELECT FROM strata_history
                WHERE from_version = from_ AND to_version = to_ AND file = file_ AND finished IS NOT NULL
            ) THEN
                RETURN;
            END IF;
            SELECT position INTO done FROM strata_history
            WHERE from_version = from_ AND to_version = to_ AND file = file_;
            IF NOT FOUND THEN
                RAISE EXCEPTION 'strata: % has not begun', file_;
            END IF;
            LOOP
                PERFORM set_config('strata.backfill', 'on', true);
                lower_limit := coalesce((SELECT format('(%s) > (', key_list)
                    || string_agg(format('%L::%s', v, types[n]), ', ' ORDER BY n) || ')'
                    FROM jsonb_array_elements_text(done) WITH ORDINALITY AS u (v, n)), 'true');
                EXECUTE format('SELECT %s FROM %s AS t WHERE %s ORDER BY %s OFFSET 9999 LIMIT 1',
                    key_json, target, lower_limit, key_list) INTO bound;
                upper_limit := coalesce((SELECT format('(%s) <= (', key_list)
                    || string_agg(format('%L::%s', v, types[n]), ', ' ORDER BY n) || ')'
                    FROM jsonb_array_elements_text(bound) WITH ORDINALITY AS u (v, n)), 'true');
                EXECUTE format('UPDATE %s AS t SET %s WHERE %s AND %s AND (%s)',
                    target, change, lower_limit, upper_limit, condition);
                EXIT WHEN bound IS NULL;
                done := bound;
                UPDATE strata_history SET position = done, rows_done = rows_done + 10000
                WHERE from_version = from_ AND to_version = to_ AND file = file_;
                COMMIT;
            END LOOP;
            UPDATE strata_history SET finished = now()
            WHERE from_version = from_ AND to_version = to_ AND file = file_;
            COMMIT;
        END
        $strata$
        """,
    ]
}
