import SQLSchema

/// A state of a draft: everything that says how the rows of a store are read.
package struct DraftState: Hashable, Sendable {
    let tables: [Table]
    /// The types of values that the tables do not show, one a line: `note.is_done bool`, or the line of a subtype.
    let valueTypes: String

    /// The types by the names of the properties and subtypes.
    var typesByName: [Substring: Substring] {
        let pairs = valueTypes.split(separator: "\n").map { (line: Substring) -> (Substring, Substring) in
            let end = line.firstIndex(of: " ") ?? line.endIndex
            return (line[..<end], line[end...])
        }
        return Dictionary(pairs, uniquingKeysWith: { first, _ in first })
    }
}
