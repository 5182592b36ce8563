import SchemaModel
import SQLSchema

extension Validator {
    /// Checks that the values of the computed properties of an entity fit their types.
    mutating func checkComputed(
        _ entity: Entity, _ columns: [StoredColumn], _ version: ModelVersion, _ index: VersionIndex
    ) {
        for property in entity.computed {
            let sources = self.sources
            func diagnostic(_ problem: Problem) -> Diagnostic {
                sources.diagnostic(
                    problem, entity: entity.lineage, property: property.lineage, key: "computed", at: index)
            }
            check(property.value, key: "computed", entity, columns, version, diagnostic)
            let results = property.value.results { lineage in
                let column = columns.first { $0.property == lineage && $0.role != .position }
                return column.map { version.result(of: $0.type) } ?? .any
            }
            let wrong = results.filter { !$0.fits(property.type) }.map(\.text).sortedByBytes()
            if results.isEmpty {
                diagnostics.append(diagnostic(.malformedExpression(key: "computed", "its value is always null")))
            } else if let kind = wrong.first {
                let (type, number) = (property.type.rawValue, version.version.text)
                diagnostics.append(diagnostic(.computedOfOtherType(found: kind, type: type, version: number)))
            }
        }
    }

    /// Checks the indexes over computed properties of an entity.
    mutating func checkComputedIndex(_ index: EntityIndex, _ entity: Entity) {
        guard index.isUnique else { return }
        for property in index.properties.compactMap(entity.computedProperty) {
            let reason = "`\(property.name)` is computed, and a computed property cannot be unique"
            diagnostics.append(
                sources.diagnostic(
                    .keyDoesNotApply("unique", because: reason), entity: entity.lineage, index: index.lineage))
        }
    }
}

extension ModelVersion {
    /// Returns the kind of the values that a column of a type has.
    fileprivate func result(of type: ValueType) -> ExpressionResult {
        switch type {
        case .scalar(let scalar): return .value(scalar)
        case .array, .dictionary: return .json
        case .subtype(let lineage):
            switch subtype(lineage)?.kind {
            case .cases: return .text
            case .options: return .number
            case .members: return .json
            case nil: return .any
            }
        }
    }
}
