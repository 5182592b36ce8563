/// The types of PostgreSQL columns (https://www.postgresql.org/docs/15/datatype.html).
package enum ServerType: String, CaseIterable, Hashable, Sendable {
    case bigint, boolean, real, text, timestamptz, bytea, uuid, numeric, jsonb
    case double = "double precision"
}
