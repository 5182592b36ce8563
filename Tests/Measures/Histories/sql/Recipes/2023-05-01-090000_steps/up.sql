CREATE TABLE steps (recipe_id INTEGER NOT NULL REFERENCES recipes(id) ON DELETE CASCADE, place INTEGER NOT NULL, text TEXT NOT NULL, PRIMARY KEY (recipe_id, place));
ALTER TABLE recipes RENAME COLUMN minutes TO duration;
