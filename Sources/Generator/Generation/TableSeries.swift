import SchemaModel
import SQLSchema

/// The definitions of all tables of all versions. Each has a unique name in generated code, and may be declared as a
/// change of an earlier definition.
struct TableSeries<Content: Hashable & Sendable> {
    /// A table that is new or has changed in a version.
    struct Definition: Sendable {
        let name: String
        let content: Content
        /// The previous definition of the same owner's table; nil if the owner is new.
        let base: (name: String, content: Content)?
    }

    /// The definitions, in the order of the versions that declare them.
    private(set) var definitions: [Definition] = []
    private var names: [Content: String] = [:]
    private var taken: Set<String> = []
    private var latest: [TableOwner: (name: String, content: Content)] = [:]

    /// Returns the name of a table's definition in a version, and adds the definition if it is new. A definition that
    /// an earlier version already has keeps its name.
    mutating func name(of content: Content, called table: String, owner: TableOwner, in version: Version) -> String {
        let name: String
        if let known = names[content] {
            name = known
        } else {
            var free = SwiftName.member(table) + "_" + version.identifier
            while !taken.insert(free).inserted { free += "_" }
            name = free
            names[content] = name
            definitions.append(Definition(name: name, content: content, base: latest[owner]))
        }
        latest[owner] = (name, content)
        return name
    }
}
