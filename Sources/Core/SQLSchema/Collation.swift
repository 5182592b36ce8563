/// The collations of a text column. Without one, texts are compared byte by byte.
package enum Collation: String, CaseIterable, Hashable, Sendable {
    /// ASCII letters are equal in either case.
    case nocase
    /// Spaces at the end make no difference.
    case rtrim
}
