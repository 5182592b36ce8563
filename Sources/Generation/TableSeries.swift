import SchemaModel

/// The tables of all versions as generated code declares them: each under a name, and as a change of an earlier one.
struct TableSeries<Content: Hashable> {
    /// A table that is new or has changed in some version.
    struct Definition {
        let name: String
        let content: Content
        /// What its owner had in the version before; nil where the owner is new.
        let base: (name: String, content: Content)?
    }

    /// The tables in the order of the versions that declare them.
    private(set) var definitions: [Definition] = []
    private var names: [Content: String] = [:]
    private var taken: Set<String> = []
    private var latest: [TableOwner: (name: String, content: Content)] = [:]

    /// The name of a table in a version. A table that an earlier version had keeps its name.
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
