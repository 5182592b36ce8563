import SchemaDiff
import SchemaModel
import SQLSchema

extension Validator {
    /// Checks that a relationship has a target, a delete rule and an inverse that fit it.
    mutating func check(
        _ relationship: Relationship, of property: Property, _ entity: Entity, _ version: ModelVersion,
        _ index: VersionIndex
    ) {
        let lineage = property.lineage
        func refuse(_ key: String, _ reason: String) -> Diagnostic {
            sources.diagnostic(
                .keyDoesNotApply(key, because: reason), entity: entity.lineage, property: lineage, key: key, at: index)
        }
        guard let target = version.entity(relationship.target) else {
            let name = sources.text("entity_name", of: lineage, in: entity.lineage, at: index)
            report(
                .unknownEntity(name, version: version.version.text, nearest: nil), entity, index, property: lineage,
                key: "entity_name")
            return
        }
        if let inverse = relationship.inverse,
            !checkInverse(inverse, relationship, property, entity, target, version, index)
        {
            return
        }
        let inverse = version.inverse(of: relationship)?.relationship
        let storage = version.storage(of: relationship)

        if let inverse, inverse.association == relationship.association {
            let isOwnInverse = version.isOwnInverse(relationship)
            if isOwnInverse, relationship.isStored {
                diagnostics.append(
                    refuse("stored", "a relationship that is its own inverse has only one side; remove it"))
            }
            if isOwnInverse, relationship.association == .toMany, relationship.isOrdered {
                diagnostics.append(refuse("ordered", "a join table always keeps the order; remove it"))
            }
            if !isOwnInverse, relationship.isStored == inverse.isStored {
                let one = "\(entity.name).\(property.name)"
                let other = "\(target.name).\(version.inverse(of: relationship)?.name ?? "")"
                report(
                    relationship.isStored ? .twoStoredSides(one, other) : .noStoredSide(one, other), entity, index,
                    property: lineage)
                return
            }
        } else if relationship.isStored {
            diagnostics.append(
                refuse(
                    "stored",
                    "only two to_one or two to_many relationships that are inverse to each other need it; remove it"))
        }
        if relationship.association == .toMany {
            if property.isNullable {
                diagnostics.append(refuse("nullable", "a to_many is never null, only empty; remove it"))
            }
            if storage == .inverseJoinTable, relationship.isOrdered, inverse?.allowsDuplicates == true {
                diagnostics.append(
                    refuse("ordered", "the inverse has \"duplicates\", so only the inverse has an order; remove it"))
            }
        }
        if relationship.allowsDuplicates {
            if storage == .inverseJoinTable {
                diagnostics.append(refuse("duplicates", "it belongs to the side with \"stored\": true; move it there"))
            } else if storage != .joinTable {
                diagnostics.append(refuse("duplicates", "only a to_many without a to_one as its inverse can have it"))
            } else if version.isOwnInverse(relationship) {
                diagnostics.append(refuse("duplicates", "a relationship that is its own inverse cannot have it"))
            }
        }
        if relationship.association == .toOne, relationship.isOrdered {
            diagnostics.append(refuse("ordered", "a to_one has no order; remove it"))
        }
        if storage != .column {
            let reason =
                storage == .inverseColumn
                ? "this side has no column; move it to the inverse"
                : "this side has no column; remove it"
            if relationship.deleteRule != nil { diagnostics.append(refuse("on_delete", reason)) }
            if property.isUnique { diagnostics.append(refuse("unique", reason)) }
            if property.isIndexed { diagnostics.append(refuse("indexed", reason)) }
        } else if !property.isNullable, relationship.deleteRule == .nullify {
            report(.nullifyOnMandatory, entity, index, property: lineage, key: "on_delete")
        }
    }

    private mutating func checkInverse(
        _ inverse: ElementLineage, _ relationship: Relationship, _ property: Property, _ entity: Entity,
        _ target: Entity,
        _ version: ModelVersion, _ index: VersionIndex
    ) -> Bool {
        guard let back = target.property(inverse) else {
            let name = sources.text("inverse", of: property.lineage, in: entity.lineage, at: index)
            report(
                .unknownInverse(name, of: target.name, version: version.version.text, nearest: nil), entity, index,
                property: property.lineage, key: "inverse")
            return false
        }
        guard let returning = back.relationship else {
            report(
                .inverseIsAttribute(back.name, of: target.name), entity, index, property: property.lineage,
                key: "inverse")
            return false
        }
        guard returning.target == entity.lineage, returning.inverse == property.lineage else {
            report(
                .oneSidedInverse(
                    property: property.name, entity: entity.name, inverse: back.name, target: target.name,
                    version: version.version.text),
                entity, index, property: property.lineage, key: "inverse")
            return false
        }
        return true
    }
}
