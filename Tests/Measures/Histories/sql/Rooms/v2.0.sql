CREATE TABLE IF NOT EXISTS "schema_migrations" ("version" varchar NOT NULL PRIMARY KEY);
CREATE TABLE IF NOT EXISTS "ar_internal_metadata" ("key" varchar NOT NULL PRIMARY KEY, "value" varchar, "created_at" datetime(6) NOT NULL, "updated_at" datetime(6) NOT NULL);
CREATE TABLE IF NOT EXISTS "rooms" ("id" integer PRIMARY KEY AUTOINCREMENT NOT NULL, "name" varchar NOT NULL, "created_at" datetime(6) NOT NULL, "open" boolean DEFAULT 1 NOT NULL);
CREATE TABLE IF NOT EXISTS "bookings" ("id" integer PRIMARY KEY AUTOINCREMENT NOT NULL, "room_id" integer NOT NULL, "visitor" varchar, "nights" integer DEFAULT 1, CONSTRAINT "fk_rails_1" FOREIGN KEY ("room_id") REFERENCES "rooms" ("id"));
CREATE INDEX "index_bookings_on_room_id" ON "bookings" ("room_id");
