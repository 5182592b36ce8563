import SQLSchema

/// The schema and version of a store, as its metadata says.
package struct StoreIdentity: Hashable, Sendable {
    /// The name of the schema.
    package let schema: String
    /// The version: `1.0`.
    package let version: String
    /// The fingerprint of the version.
    package let fingerprint: UInt64
    /// The oldest version whose apps can use the store: `1.0`.
    package let compatibleSince: String
    /// The fingerprints of the older versions whose apps can use the store.
    let compatible: Set<UInt64>
    /// The state of the draft that the store keeps; nil if a release build wrote the store.
    let draft: DraftState?

    /// Reads the identity of the store behind `connection`.
    ///
    /// - Throws: `StoreError.notAStore`, `.newerFormat` or `.corrupt`, or `SQLiteError`.
    package init(reading connection: Connection) throws {
        guard try connection.integer("PRAGMA application_id") == StoreMetadata.applicationID else {
            throw StoreError.notAStore
        }
        let table = "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'strata_metadata'"
        guard try connection.integer(table) == 1 else { throw StoreError.corrupt(reason: "strata_metadata is missing") }
        var format: Int?
        var schema: String?
        var version: String?
        var fingerprint: UInt64?
        var oldest: String?
        var compatible = ""
        var tables: String?
        var valueTypes = ""
        try connection.query("SELECT \"key\", \"value\" FROM \"strata_metadata\"") { row in
            switch (row.value(0), row.value(1)) {
            case (.text("format"), .integer(let value)): format = Int(exactly: value) ?? Int.max
            case (.text("schema"), .text(let value)): schema = value
            case (.text("version"), .text(let value)): version = value
            case (.text("fingerprint"), .integer(let value)): fingerprint = UInt64(bitPattern: value)
            case (.text("compatible_since"), .text(let value)): oldest = value
            case (.text("compatible"), .text(let value)): compatible = value
            case (.text("draft_tables"), .text(let value)): tables = value
            case (.text("draft_types"), .text(let value)): valueTypes = value
            default: break
            }
        }
        guard let format else { throw StoreError.corrupt(reason: "strata_metadata has no format") }
        guard format <= StoreMetadata.format else { throw StoreError.newerFormat(found: format) }
        guard let schema, let version, let fingerprint else {
            throw StoreError.corrupt(reason: "strata_metadata is incomplete")
        }
        self.schema = schema
        self.version = version
        self.fingerprint = fingerprint
        compatibleSince = oldest ?? version
        self.compatible = Set(compatible.split(separator: " ").compactMap { UInt64($0, radix: 16) })
        self.draft = tables.flatMap { try? SchemaText.tables($0) }.map {
            DraftState(tables: $0, valueTypes: valueTypes)
        }
    }
}
