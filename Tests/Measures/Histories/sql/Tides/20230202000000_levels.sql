-- migrate:up
CREATE TABLE levels (station_id INTEGER REFERENCES stations(id) ON DELETE SET NULL, measured_at TIMESTAMP NOT NULL, level REAL NOT NULL);
INSERT INTO stations (id, name) VALUES (1, 'Harbour');

-- migrate:down
DROP TABLE levels;
