DROP TABLE recipes;
