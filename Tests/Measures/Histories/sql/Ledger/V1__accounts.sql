CREATE TABLE account (
  id INTEGER PRIMARY KEY,
  name VARCHAR(80) NOT NULL,
  currency CHAR(3) NOT NULL DEFAULT 'EUR',
  CONSTRAINT account_name CHECK (length(name) > 0)
);
