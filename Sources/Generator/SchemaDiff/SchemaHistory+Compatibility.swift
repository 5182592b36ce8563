import SchemaModel
import SQLSchema

extension SchemaStep {
    /// The first change because of which apps of the version before cannot use stores of the version after; nil if they
    /// can.
    ///
    /// Such an app reads and writes the tables and columns that it knows. So it can use a store in which only other
    /// elements are new, if its own rows are valid without them, and if nothing new keeps it from deleting rows.
    package var incompatibleChange: SchemaChange? {
        var change: SchemaChange?
        visitChanges { changes in
            change = changes.first { !isCompatible($0) }
            return change == nil
        }
        return change
    }

    /// Returns whether apps of the version before can use stores after a change.
    package func isCompatible(_ change: SchemaChange) -> Bool {
        guard change.handling == .inferred else { return false }
        switch (change.subject, change.kind) {
        case (.entity(let lineage), .added): return to.entity(lineage).map(isHarmless) ?? false
        case (.property(let entity, let property), .added): return isHarmless(property, of: entity)
        case (.subtype, .added): return true
        case (.property, .fields([.indexed])): return true
        case (.entity, .indexAdded(let index)), (.entity, .indexRemoved(let index)): return !index.isUnique
        case (.entity, .indexChanged(let old, let new)): return !old.isUnique && !new.isUnique
        default: return false
        }
    }

    /// Returns whether an app that does not know a new entity can still delete all rows that it knows.
    ///
    /// Rows of other new entities are deleted with them, so references to those rows count too.
    private func isHarmless(_ new: Entity) -> Bool {
        new.properties.allSatisfy { property in
            guard let relationship = property.relationship, to.storage(of: relationship) == .column else { return true }
            return [.cascade, .nullify].contains(to.deleteRule(of: property))
        }
    }

    /// Returns whether rows that an app writes without knowing a new property are valid, and have the value that the
    /// migration gives older rows.
    private func isHarmless(_ lineage: ElementLineage, of entity: EntityLineage) -> Bool {
        guard let new = to.entity(entity), let property = new.property(lineage) else {
            // The value of a computed property belongs to no app.
            return to.entity(entity)?.computedProperty(lineage) != nil
        }
        guard !to.isUnique(property), property.limits.isEmpty else { return false }
        if let relationship = property.relationship, to.storage(of: relationship) == .column {
            // A row that is deleted, perhaps with another one, must not delete rows that the app knows.
            guard property.isNullable, to.deleteRule(of: property) == .nullify else { return false }
        }
        let step = entities.first { $0.new.lineage == entity }
        return step?.columns.allSatisfy { column in
            guard column.column.property == lineage else { return true }
            return switch column.origin {
            case .null: column.column.defaultValue == nil
            case .constant(let value): column.column.defaultValue == value
            default: false
            }
        } ?? false
    }
}

extension SchemaHistory {
    /// Returns the oldest version whose apps can use stores of `version`; `version` itself if apps of older versions cannot
    /// use them.
    package func compatibleSince(_ version: Version) -> Version { oldestCompatible[version] ?? version }

    /// The step from the version before the newest one; nil if there is only one version.
    package var newestStep: SchemaStep? { neighbours.last }

    /// Returns the step that ends the compatibility of `version` with the versions before `compatibleSince`; nil if
    /// stores of `version` are compatible with all versions.
    package func incompatibleStep(before version: Version) -> SchemaStep? {
        let oldest = compatibleSince(version)
        return neighbours.first { $0.to.version == oldest }
    }

    /// Finds the oldest compatible version of each version.
    ///
    /// - Parameter neighbours: The steps between each version and the next one.
    static func oldestCompatible(_ neighbours: [SchemaStep]) -> [Version: Version] {
        var oldest: [Version: Version] = [:]
        let changes = neighbours.concurrentMap(\.incompatibleChange)
        for (step, change) in zip(neighbours, changes) where change == nil {
            oldest[step.to.version] = oldest[step.from.version] ?? step.from.version
        }
        return oldest
    }
}
