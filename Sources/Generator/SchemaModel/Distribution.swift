import SQLSchema

/// The way in which Citus places the rows of an entity on its servers.
package enum Distribution: Hashable, Sendable {
    /// By the values of a property.
    case property(ElementLineage)
    /// By the values of the column of the primary key, which is not a property.
    case identifier(String)
    /// Each server has all rows.
    case reference
    /// The coordinator has all rows.
    case local
}

/// The way in which Citus places the rows of a table on its servers.
package enum TableDistribution: Hashable, Sendable {
    /// By the values of a column.
    case column(String)
    /// Each server has all rows.
    case reference

    /// The column by whose values the rows are distributed; nil for a reference table.
    package var column: String? {
        if case .column(let name) = self { name } else { nil }
    }
}

extension ModelVersion {
    /// Returns the way in which Citus places the rows of the entity's table; nil if the coordinator has them all.
    package func distribution(of entity: Entity) -> TableDistribution? {
        switch entity.distribution {
        case .property(let lineage):
            distributionColumn(lineage, of: entity).map { .column($0) }
        case .identifier(let name): .column(name)
        case .reference: .reference
        case .local, nil: nil
        }
    }

    /// Returns the only column of a property; nil if it has none or several.
    package func distributionColumn(_ property: ElementLineage, of entity: Entity) -> String? {
        let columns = columns(of: entity).filter { $0.property == property && $0.role != .position }
        return columns.count == 1 ? columns[0].name : nil
    }

    /// Returns the way in which Citus places the pairs of a relationship; nil if the coordinator has them all.
    ///
    /// A pair is placed with its source, or else with its target.
    package func distribution(of join: JoinTable, in entity: Entity) -> TableDistribution? {
        let ends = [(join.source, entity as Entity?), (join.target, self.entity(join.relationship.target))]
        var isReference = true
        for case (let columns, let end?) in ends {
            switch distribution(of: end) {
            case .column(let name):
                let key = keyParts(of: end).map(\.name)
                if let index = key.firstIndex(of: name) { return .column(columns[index]) }
                isReference = false
            case .reference: break
            case nil: isReference = false
            }
        }
        return isReference ? .reference : nil
    }
}
