BEGIN;
CREATE TABLE jobs (
  id TEXT PRIMARY KEY NOT NULL,
  kind TEXT NOT NULL,
  payload BLOB,
  attempts INTEGER NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX jobs_kind_payload ON jobs(kind, payload);
COMMIT;
