ALTER TABLE account ADD COLUMN opening BIGINT NOT NULL DEFAULT 0;
UPDATE account SET opening = 100 WHERE currency = 'EUR';
