/// The action of a migration on a table.
public enum TableAction: String, Hashable, Sendable, Codable {
    /// The table is kept; its indexes may change.
    case keep
    /// The table is altered in place.
    case alter
    /// The table is created again, and its rows are copied.
    case rebuild
    /// The table is created without rows.
    case create
    /// A custom migration fills the table.
    case custom
    /// The table is dropped.
    case drop
}
