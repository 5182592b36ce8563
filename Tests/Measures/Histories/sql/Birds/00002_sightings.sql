-- +goose Up
-- +goose StatementBegin
CREATE TABLE sighting (bird_id INTEGER NOT NULL, day TEXT NOT NULL, count INTEGER NOT NULL CHECK (count > 0), PRIMARY KEY (bird_id, day), FOREIGN KEY (bird_id) REFERENCES bird (id));
-- +goose StatementEnd
-- +goose Down
DROP TABLE sighting;
