import SQLSchema

/// The table in which a server records what has run, and the functions that the files call.
enum ServerHistory {
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
        // Begins a file, or fails because it does not fit the state of the database.
        """
        CREATE OR REPLACE FUNCTION strata_begin(
            from_ text, to_ text, from_fingerprint text, to_fingerprint text, phase_ text, file_ text
        ) RETURNS void LANGUAGE plpgsql AS $strata$
        BEGIN
            IF NOT EXISTS (
                SELECT FROM strata_history
                WHERE to_version = from_ AND fingerprint = from_fingerprint AND phase IN ('create', 'ready')
            ) THEN
                RAISE EXCEPTION 'strata: % migrates version %, but the database has version %',
                    file_, from_, coalesce(strata_version(), 'of nothing');
            END IF;
            IF phase_ <> 'contract' AND EXISTS (
                SELECT FROM strata_history
                WHERE from_version = from_ AND to_version = to_ AND phase = 'ready'
            ) THEN
                RAISE EXCEPTION 'strata: the step from % to % is already ready', from_, to_;
            END IF;
            IF phase_ = 'contract' AND NOT EXISTS (
                SELECT FROM strata_history WHERE from_version = from_ AND to_version = to_ AND phase = 'ready'
            ) OR phase_ IN ('backfill', 'validate') AND NOT EXISTS (
                SELECT FROM strata_history
                WHERE from_version = from_ AND to_version = to_ AND phase = 'expand' AND finished IS NOT NULL
            ) THEN
                RAISE EXCEPTION 'strata: % is too early: the phases before have not run', file_;
            END IF;
            INSERT INTO strata_history (from_version, to_version, fingerprint, phase, file)
            VALUES (from_, to_, to_fingerprint, phase_, file_)
            ON CONFLICT ON CONSTRAINT strata_history_key DO UPDATE SET started = now();
        END
        $strata$
        """,
        // Ends a file. The last one of a phase also marks the step as `ready` or `contracted`.
        """
        CREATE OR REPLACE FUNCTION strata_finish(
            from_ text, to_ text, file_ text, mark text DEFAULT NULL
        ) RETURNS void LANGUAGE plpgsql AS $strata$
        BEGIN
            UPDATE strata_history SET finished = now()
            WHERE from_version = from_ AND to_version = to_ AND file = file_;
            INSERT INTO strata_history (from_version, to_version, fingerprint, phase, file, finished)
            SELECT from_, to_, fingerprint, mark, mark, now() FROM strata_history
            WHERE from_version = from_ AND to_version = to_ AND file = file_ AND mark IS NOT NULL
            ON CONFLICT ON CONSTRAINT strata_history_key DO NOTHING;
        END
        $strata$
        """,
        // Changes the rows of a table in the order of its primary key, and commits after each 10,000.
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
            SELECT position INTO done FROM strata_history
            WHERE from_version = from_ AND to_version = to_ AND file = file_;
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
            COMMIT;
        END
        $strata$
        """,
    ]
}
