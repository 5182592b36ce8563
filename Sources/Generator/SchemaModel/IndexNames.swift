import SQLSchema

/// The identity of an index or a limit through versions.
enum IndexKey: Hashable, Sendable {
    /// An index over properties of an entity.
    case properties(IndexShape<ElementLineage>)
    /// The index on the target of a property's join table.
    case joinTarget(ElementLineage)
    /// A limit on the values of a property.
    case limit(ElementLineage, ValueLimit.Kind)
}

/// The names of an entity's indexes and limits. They keep their names, because SQLite cannot rename them. Creating an
/// index again would read the complete table, and creating a limit again would copy it.
struct IndexNames {
    private let before: [IndexKey: String]
    private(set) var now: [IndexKey: String] = [:]
    private let taken: Set<String>
    /// The new names, in lowercase.
    private(set) var added: Set<String> = []

    /// Creates the names of an entity's indexes.
    ///
    /// - Parameters:
    ///   - before: The names of its indexes in the previous version.
    ///   - taken: The names that new indexes cannot have, in lowercase.
    init(before: [IndexKey: String], taken: Set<String>) {
        self.before = before
        self.taken = taken
    }

    /// Returns the name of an index: its previous name, or a new name from `parts`.
    mutating func name(_ key: IndexKey, _ parts: [String]) -> String {
        if let name = now[key] { return name }
        if let name = before[key] {
            now[key] = name
            return name
        }
        let base = parts.joined(separator: "_")
        var name = base
        var number = 2
        // An index that kept its name when a column was renamed may already have this name.
        while taken.contains(name.lowercased()) || !added.insert(name.lowercased()).inserted {
            name = base + "_\(number)"
            number += 1
        }
        now[key] = name
        return name
    }
}
