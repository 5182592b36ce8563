import SQLSchema

/// The identity of an index through versions: its properties and its rows.
enum IndexKey: Hashable, Sendable {
    /// An index over properties of an entity.
    case properties(IndexShape<ElementLineage>)
    /// The index on the target of a property's join table.
    case joinTarget(ElementLineage)
}

/// The names of an entity's indexes. An index keeps its name, because SQLite cannot rename an index. Creating it again
/// would read the complete table.
struct IndexNames {
    private let before: [IndexKey: String]
    private(set) var now: [IndexKey: String] = [:]
    /// The names of all indexes of the version and of the previous one, in lowercase.
    private(set) var taken: Set<String>

    /// Creates the names of an entity's indexes.
    ///
    /// - Parameters:
    ///   - before: The names of its indexes in the previous version.
    ///   - taken: The names of other indexes, in lowercase.
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
        while !taken.insert(name.lowercased()).inserted {
            name = base + "_\(number)"
            number += 1
        }
        now[key] = name
        return name
    }
}
