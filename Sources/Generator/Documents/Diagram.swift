import SchemaModel

/// The diagram of a document: the boxes of the entities of all versions, and the lines of their relationships. A box has
/// one place in all versions, so that a reader finds it again.
struct Diagram {
    /// The measures of a box, in pixels. `Templates/Document/diagram.js` uses the same.
    enum Measure {
        /// The height of the header with the entity's name.
        static let header = 34
        /// The height of a row with a property.
        static let row = 22
        /// The width of a character.
        static let character = 7.3
        /// The distance between the text and the sides of the box, with the space for the signs before a name.
        static let padding = 58
        /// The smallest and the largest width of a box.
        static let widths = 150...380
        /// The largest number of rows. A box with more properties says how many it leaves out.
        static let rows = 40
    }

    let lines: [SchemaDocument.Line]
    let width: Int
    let height: Int

    /// Creates the diagram, and sets the places of the entities' boxes.
    init(_ entities: inout [SchemaDocument.Entity]) {
        for index in entities.indices {
            entities[index].rows = Self.rows(of: entities[index])
            entities[index].width = Self.width(of: entities[index], in: entities)
        }
        // A line leads from the referenced entity to the one that has the foreign key.
        var relationships: [(entity: Int, property: Int, isTurned: Bool)] = []
        var links: [LayeredLayout.Line] = []
        for (entity, facts) in entities.enumerated() {
            for (property, epochs) in facts.properties.enumerated() {
                guard let last = epochs.starts.compactMap(\.value?.relationship).last(where: { $0.drawn == true })
                else { continue }
                relationships.append((entity, property, !last.many))
                links.append(
                    last.many
                        ? LayeredLayout.Line(from: entity, to: last.target)
                        : LayeredLayout.Line(from: last.target, to: entity))
            }
        }
        let boxes = entities.map { entity in
            LayeredLayout.Box(width: entity.width, height: Measure.header + Measure.row * entity.rows)
        }
        let layout = LayeredLayout(boxes, links)
        for index in entities.indices {
            (entities[index].x, entities[index].y) = (layout.corners[index].x, layout.corners[index].y)
        }
        lines = zip(relationships, layout.bends).map { relationship, bends in
            let points = relationship.isTurned ? bends.reversed() : bends
            return SchemaDocument.Line(
                entity: relationship.entity, property: relationship.property, bends: points.flatMap { [$0.x, $0.y] })
        }
        (width, height) = (layout.size.width, layout.size.height)
    }

    /// Returns the number of rows for which the entity's box has space: enough for each version, and for the comparison
    /// of each version with the one before it, unless there are too many.
    private static func rows(of entity: SchemaDocument.Entity) -> Int {
        var most = 0
        var before: Set<Int> = []
        for (_, state) in entity.states.starts {
            let properties = Set(state?.properties ?? [])
            most = max(most, before.union(properties).count + (state?.key == nil ? 0 : 1))
            before = properties
        }
        return min(most, Measure.rows)
    }

    private static func width(of entity: SchemaDocument.Entity, in entities: [SchemaDocument.Entity]) -> Int {
        var longest = 0
        for case let state? in entity.states.starts.map(\.value) {
            // The name is bold, and somewhat wider.
            longest = max(longest, columns(state.name) * 9 / 8, columns(state.key ?? ""))
        }
        for case let property? in entity.properties.flatMap({ $0.starts.map(\.value) }) {
            longest = max(
                longest, columns(property.name) + 2 + columns(SchemaDocument.typeText(of: property, in: entities)))
        }
        let width = Int((Double(longest) * Measure.character).rounded(.up)) + Measure.padding
        return min(max(width, Measure.widths.lowerBound), Measure.widths.upperBound)
    }

    /// Returns the number of columns that `text` takes in a font of constant width. Many East Asian characters take two.
    private static func columns(_ text: String) -> Int {
        text.unicodeScalars.reduce(0) { $0 + ($1.value >= 0x1100 ? 2 : 1) }
    }
}
