import SQLSchema

/// A version of a schema.
public struct SchemaVersion: Hashable, Sendable {
    /// The version: `1.0`.
    public let name: String
    /// The 64-bit FNV-1a hash of the version's entities.
    public let fingerprint: UInt64
    /// The oldest version whose apps can use stores of this version; the version's own name if apps of older versions cannot use them.
    public let compatibleSince: String
    /// All tables.
    package let tables: [Table]
    /// The fingerprints of the older versions whose apps can use stores of this version.
    package let compatible: [UInt64]

    /// Creates a version.
    ///
    /// - Parameter compatible: The older versions whose apps can use stores of this version, oldest first.
    package init(_ name: String, fingerprint: UInt64, tables: [Table], compatible: [SchemaVersion] = []) {
        self.name = name
        self.fingerprint = fingerprint
        self.tables = tables
        self.compatible = compatible.map(\.fingerprint)
        compatibleSince = compatible.first?.name ?? name
    }

    /// The statements that create the tables and their indexes.
    package var statements: [String] {
        tables.flatMap(SQLite.create)
    }
}
