CREATE TABLE entry (
  id INTEGER PRIMARY KEY,
  account_id INTEGER NOT NULL REFERENCES account(id),
  cents BIGINT NOT NULL,
  memo TEXT
);
