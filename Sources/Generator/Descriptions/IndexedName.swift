/// A name in the properties of an index: `date`, `date asc` or `date desc`.
package enum IndexedName {
    /// Returns the property's name, and whether its greatest values come first.
    package static func parse(_ text: String) -> (name: String, isDescending: Bool) {
        for (suffix, isDescending) in [(" desc", true), (" asc", false)] where text.lowercased().hasSuffix(suffix) {
            return (String(text.dropLast(suffix.count)), isDescending)
        }
        return (text, false)
    }

    /// Returns the text of a property's name and direction.
    package static func text(_ name: String, isDescending: Bool) -> String { name + (isDescending ? " desc" : "") }
}
