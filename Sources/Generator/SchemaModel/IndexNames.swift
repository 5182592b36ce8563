import SQLSchema

/// The identity of an index through versions: the properties that it covers.
enum IndexKey: Hashable, Sendable {
    /// An index over properties of an entity.
    case properties([ElementLineage], isUnique: Bool)
    /// The index on the target of a property's join table.
    case joinTarget(ElementLineage)
}

/// The names of an entity's indexes. An index keeps its name, because SQLite cannot rename an index, and creating it again
/// reads the whole table.
struct IndexNames {
    private let before: [IndexKey: String]
    private(set) var now: [IndexKey: String] = [:]
    /// The names of all indexes of the version and of the previous one, in lowercase.
    private(set) var taken: Set<String>

    /// Creates the names of an entity whose indexes had the names `before`. Other indexes have the names `taken`.
    init(before: [IndexKey: String], taken: Set<String>) {
        self.before = before
        self.taken = taken
    }

    /// The name of an index: its previous name, or a new name made of `parts`.
    mutating func name(_ key: IndexKey, _ parts: [String]) -> String {
        if let name = now[key] { return name }
        if let name = before[key] {
            now[key] = name
            return name
        }
        let base = parts.joined(separator: "_")
        var name = base
        var number = 2
        // An index that kept its name when a column was renamed may have the name that this one would get.
        while !taken.insert(name.lowercased()).inserted {
            name = base + "_\(number)"
            number += 1
        }
        now[key] = name
        return name
    }
}
