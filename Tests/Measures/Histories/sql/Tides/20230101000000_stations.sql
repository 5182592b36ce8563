-- migrate:up
CREATE TABLE stations (id INTEGER PRIMARY KEY, name TEXT, latitude DOUBLE PRECISION, longitude DOUBLE PRECISION);

-- migrate:down
DROP TABLE stations;
