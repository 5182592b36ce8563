/// The types in which a column stores its values.
package enum StorageType: String, CaseIterable, Hashable, Sendable {
    case integer, real, text, blob
    /// Values of any type.
    case any
}
