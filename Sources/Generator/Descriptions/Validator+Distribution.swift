import SchemaModel

extension Validator {
    /// Checks that an entity is distributed by a property with one column, or by its primary key.
    mutating func checkDistribution(_ entity: Entity, _ version: ModelVersion, _ index: VersionIndex) {
        switch entity.distribution {
        case .identifier(let name):
            if case .column(name, _) = entity.identifier { return }
            let key = version.keyParts(of: entity).map(\.name)
            let names = sources.propertyNames(of: entity.lineage, at: index) + key + ["reference", "local"]
            report(
                .unknownProperty(
                    name, of: entity.name, version: version.version.text, nearest: names.nearest(to: name)),
                entity, index, key: "distribution")
        case .property(let lineage):
            guard let name = entity.name(of: lineage) else {
                let problem = missing(lineage, of: entity, version, key: "distribution")
                return report(problem, entity, index, key: "distribution")
            }
            if version.distributionColumn(lineage, of: entity) != nil { return }
            report(
                .keyDoesNotApply("distribution", because: "`\(name)` is not stored in exactly one column"), entity,
                index, key: "distribution")
        case .reference, .local, nil: return
        }
    }
}
