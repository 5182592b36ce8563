/// The columns of the properties of an entity, found by the properties' key paths.
///
/// `@unchecked Sendable` is sound: `columns` is the only variable, and it is copied with the struct. Its values are `Sendable`.
/// Its keys come only from `add`, which takes key paths that are `Sendable`. The type of the keys does not say so, because a
/// dictionary with such keys could not be searched for the key path of a query, which need not be `Sendable`.
struct StoredProperties: @unchecked Sendable {
    private struct Columns: Sendable {
        var names: [String]
        /// The collations of the primary key that a foreign key references, with "" for the default.
        var collations: [String]
    }

    private var columns: [AnyKeyPath: Columns] = [:]

    /// Adds a column of a property.
    mutating func add(_ name: String, of property: AnyKeyPath & Sendable, collation: String?) {
        columns[property, default: Columns(names: [], collations: [])].names.append(name)
        columns[property]?.collations.append(collation ?? "")
    }

    /// Returns the names of a property's columns, and their collations, which are empty if all have the default; nil if the
    /// property is not stored.
    func columns(of property: AnyKeyPath) -> (names: [String], collations: [String])? {
        guard let columns = columns[property] else { return nil }
        return (columns.names, columns.collations.contains { !$0.isEmpty } ? columns.collations : [])
    }
}
