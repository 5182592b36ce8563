import SQLSchema

/// What makes an index the same one in the next version: what it is over, by lineages.
enum IndexKey: Hashable, Sendable {
    /// The index over these properties of an entity.
    case properties([ElementLineage], isUnique: Bool)
    /// The index on the target of the join table of a property.
    case joinTarget(ElementLineage)
}

/// The names of an entity's indexes. A name is kept for the life of the index: SQLite cannot rename one, and making it
/// anew would cost a pass over the table.
struct IndexNames {
    private let before: [IndexKey: String]
    private(set) var now: [IndexKey: String] = [:]
    /// The names of all indexes of the version and of the one before, in small letters.
    private(set) var taken: Set<String>

    /// The names of an entity that had the names `before`, in a version in which others are `taken`.
    init(before: [IndexKey: String], taken: Set<String>) {
        self.before = before
        self.taken = taken
    }

    /// The name of an index: that which it has, or else the one that `parts` make.
    mutating func name(_ key: IndexKey, _ parts: [String]) -> String {
        if let name = now[key] { return name }
        if let name = before[key] {
            now[key] = name
            return name
        }
        let base = parts.joined(separator: "_")
        var name = base
        var number = 2
        // An index that was renamed with its column may have left its name behind.
        while !taken.insert(name.lowercased()).inserted {
            name = base + "_\(number)"
            number += 1
        }
        now[key] = name
        return name
    }
}
