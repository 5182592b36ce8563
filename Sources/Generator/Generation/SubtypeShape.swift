import SchemaDiff
import SchemaModel

/// The Swift type of a subtype, with the versions that share it.
struct SubtypeShape: VersionRange {
    let subtype: Subtype
    /// The index of the version that declares the type.
    let first: Int
    /// The index of the last version that uses the type.
    var last: Int

    /// Returns the types of all subtypes, by lineage. The oldest type comes first.
    static func all(in history: SchemaHistory) -> [[SubtypeShape]] {
        var shapes = [[SubtypeShape]](repeating: [], count: history.subtypeSources.count)
        for (index, version) in history.versions.enumerated() {
            for subtype in version.subtypes {
                let lineage = subtype.lineage
                if version.unchangedSubtypes.contains(lineage), !shapes[lineage].isEmpty {
                    shapes[lineage][shapes[lineage].count - 1].last = index
                } else {
                    shapes[lineage].append(SubtypeShape(subtype: subtype, first: index, last: index))
                }
            }
        }
        return shapes
    }
}
