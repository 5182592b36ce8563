/// A name in the properties of an index: `date`, `date asc` or `date desc`.
package enum IndexedName {
    /// Returns the property's name, and whether the order is descending.
    package static func parse(_ text: String) -> (name: String, isDescending: Bool) {
        for (suffix, isDescending) in [(" desc", true), (" asc", false)] where text.lowercased().hasSuffix(suffix) {
            let name = text.dropLast(suffix.count)
            return (
                String(name[..<(name.lastIndex { $0 != " " }.map(name.index(after:)) ?? name.startIndex)]), isDescending
            )
        }
        return (text, false)
    }

    /// Returns the text of a property's name and direction.
    package static func text(_ name: String, isDescending: Bool) -> String { name + (isDescending ? " desc" : "") }
}
