CREATE VIEW IF NOT EXISTS balances AS SELECT account_id, sum(cents) FROM entry GROUP BY 1;
