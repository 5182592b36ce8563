/// The box of an entity in the diagram of the newest version, which may be compared with an earlier version.
struct DiagramBox {
    /// The way in which an element differs from the earlier version.
    enum Mark: String {
        case added, removed, renamed, changed

        /// The sign in front of a marked name. A color alone does not distinguish marks for everybody.
        var sign: String {
            switch self {
            case .added: "+"
            case .removed: "−"
            case .renamed: "→"
            case .changed: "~"
            }
        }
    }

    /// A row: the primary key, or a property.
    struct Row {
        var property: Int?
        var name: String
        var type: String
        var sign = ""
        var mark: Mark?
        var relationship: SchemaDocument.Relationship?
        var isNullable = false
    }

    let name: String
    let mark: Mark?
    private(set) var rows: [Row]

    /// Creates the box of an entity; nil if neither version has it.
    ///
    /// - Parameters:
    ///   - index: The index of the entity.
    ///   - document: The document.
    ///   - earlier: The earlier version; nil to compare with none.
    init?(_ index: Int, of document: SchemaDocument, since earlier: Int?) {
        let entity = document.entities[index]
        let after = entity.states.last
        let before = earlier.map { entity.states[$0] } ?? after
        guard let state = after ?? before else { return nil }
        name = state.name
        rows = []
        if let key = state.key?.split(separator: ":", maxSplits: 1), key.count == 2 {
            let mark: Mark? =
                before == nil ? .added : after == nil ? .removed : before?.key == after?.key ? nil : .changed
            rows.append(Row(name: String(key[0]), type: String(key[1].dropFirst()), sign: "PK", mark: mark))
        }
        var order = after?.properties ?? []
        order += (before?.properties ?? []).filter { !order.contains($0) }
        for property in order {
            let now = entity.properties[property].last
            let was = earlier.map { entity.properties[property][$0] } ?? now
            guard let facts = now ?? was else { continue }
            rows.append(
                Row(
                    property: property, name: facts.name, type: document.typeText(of: facts), sign: facts.sign ?? "",
                    mark: Self.mark(from: was, to: now), relationship: facts.relationship,
                    isNullable: facts.nullable == true))
        }
        if before == nil || after == nil {
            mark = before == nil ? .added : .removed
        } else if before?.name != after?.name {
            mark = .renamed
        } else {
            let isSame =
                before?.indexes == after?.indexes && before?.checks == after?.checks && before?.search == after?.search
                && before?.table == after?.table
            mark = isSame && rows.allSatisfy { $0.mark == nil } ? nil : .changed
        }
        if rows.count > entity.rows, entity.rows > 0 {
            let hidden = rows.count - entity.rows + 1
            rows = rows.dropLast(hidden) + [Row(name: "\(hidden) more", type: "")]
        }
    }

    /// Returns the mark of a property. Its documentation does not count.
    private static func mark(from before: SchemaDocument.Property?, to after: SchemaDocument.Property?) -> Mark? {
        guard var before else { return .added }
        guard let after else { return .removed }
        if before.name != after.name { return .renamed }
        before.documentation = after.documentation
        return before == after ? nil : .changed
    }
}
