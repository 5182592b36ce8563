import SchemaModel

/// The two sides of every relationship of an imported model, and the side of each pair that has the storage.
struct RelationshipSides {
    /// A relationship, by the position of its table and its lineage.
    struct Side: Hashable {
        var table: Int
        var property: ElementLineage
    }

    private let lineages: Lineages
    /// The table of each entity, by version and name.
    private let tables: [[String: Int]]
    /// The side with the storage of each pair with the same association, by version.
    private var storedSides: [[Set<Side>: Side]] = []

    init(of imported: [ImportedVersion], _ lineages: Lineages) {
        self.lineages = lineages
        tables = zip(imported, lineages.entityTables).map { version, tables in
            Dictionary(zip(version.entities.map(\.name), tables), uniquingKeysWith: { first, _ in first })
        }
        choose(in: imported)
    }

    /// Returns the other side of a relationship in the version at position `index`.
    func inverse(of relationship: ImportedRelationship, at index: Int) -> Side? {
        guard let table = table(relationship.target, at: index), let inverse = relationship.inverse,
            let property = lineages.tables[table].property(inverse, at: index - lineages.tables[table].life.birth)
        else { return nil }
        return Side(table: table, property: property)
    }

    /// Returns the table of an entity in the version at position `index`.
    func table(_ name: String, at index: Int) -> Int? { tables[index][name] }

    /// Returns the relationship in the version at position `index`; nil if the version does not have it.
    func state(of side: Side, at index: Int) -> ImportedProperty? {
        let table = lineages.tables[side.table]
        let offset = index - table.life.birth
        guard table.states.indices.contains(offset),
            let number = table.propertyLineages[offset].firstIndex(of: side.property)
        else { return nil }
        return table.states[offset].properties[number]
    }

    /// Decides which side of each pair with the same association has the storage. The decision for a version does not
    /// depend on later versions, so that it stays the same when versions are added.
    private mutating func choose(in imported: [ImportedVersion]) {
        for index in imported.indices {
            var sides: [Set<Side>: Side] = [:]
            for (entityIndex, entity) in imported[index].entities.enumerated() {
                let table = lineages.entityTables[index][entityIndex]
                let birth = lineages.tables[table].life.birth
                for property in entity.properties {
                    guard let relationship = property.relationship,
                        let lineage = lineages.tables[table].property(property.name, at: index - birth),
                        let other = inverse(of: relationship, at: index), let back = state(of: other, at: index),
                        back.relationship?.association == relationship.association
                    else { continue }
                    let side = Side(table: table, property: lineage)
                    guard side != other, sides[[side, other]] == nil else { continue }
                    sides[[side, other]] = stored(
                        (side, property, entity.name), (other, back, relationship.target), at: index)
                }
            }
            storedSides.append(sides)
        }
    }

    /// Returns the side of a pair that has the storage.
    ///
    /// For to-one relationships, it is the side whose rows are deleted with the rows of the other side, because a
    /// delete rule acts on the rows that have the column.
    ///
    /// If this does not decide, it is the side that had the storage in the previous version, because moving a column
    /// needs a custom migration. If neither side or both sides had it, it is the ordered or the required side, or else the
    /// first side by name.
    private func stored(
        _ one: (side: Side, property: ImportedProperty, entity: String),
        _ other: (side: Side, property: ImportedProperty, entity: String), at index: Int
    ) -> Side {
        let isToOne = one.property.relationship?.association == .toOne
        let cascades = (one.property.deletesTarget, other.property.deletesTarget)
        if isToOne, cascades.0 != cascades.1 { return cascades.0 ? other.side : one.side }
        let before = [one.side, other.side].filter { hadStorage($0, before: index) }
        if before.count == 1 { return before[0] }
        if !isToOne, one.property.relationship?.isOrdered != other.property.relationship?.isOrdered {
            return one.property.relationship?.isOrdered == true ? one.side : other.side
        }
        if isToOne, one.property.isNullable != other.property.isNullable {
            return one.property.isNullable ? other.side : one.side
        }
        return (one.entity, one.property.name) < (other.entity, other.property.name) ? one.side : other.side
    }

    /// Returns whether a relationship had its own column or join table in the previous version.
    private func hadStorage(_ side: Side, before index: Int) -> Bool {
        guard index > 0, let property = state(of: side, at: index - 1), let relationship = property.relationship else {
            return false
        }
        if relationship.association == .toOne { return isColumn(side, at: index - 1) }
        guard let other = inverse(of: relationship, at: index - 1), other != side,
            let back = state(of: other, at: index - 1)?.relationship
        else { return true }
        return back.association == .toMany && storedSides[index - 1][[side, other]] == side
    }

    /// Returns whether a relationship has a column in its own table.
    func isColumn(_ side: Side, at index: Int) -> Bool {
        guard let property = state(of: side, at: index), let relationship = property.relationship,
            relationship.association == .toOne
        else { return false }
        guard let other = inverse(of: relationship, at: index), other != side,
            state(of: other, at: index)?.relationship?.association == .toOne
        else { return true }
        return storedSides[index][[side, other]] == side
    }

    /// Returns whether a side has the storage of its pair.
    func isStored(_ side: Side, in pair: Set<Side>, at index: Int) -> Bool { storedSides[index][pair] == side }
}

extension ImportedProperty {
    /// Whether deleting a row also deletes the row that the relationship points to.
    fileprivate var deletesTarget: Bool { relationship?.rule == .whenOwnerGoes(.cascade) }
}
