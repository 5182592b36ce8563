import SchemaDiff
import SchemaModel
import SQLSchema

/// Reports the elements that violate the rules of target environments, each in the first version that does.
struct Lint {
    private let rule: LintRule
    private let sources: SourceMap
    private var index: VersionIndex
    private var version: ModelVersion
    private var diagnostics: [Diagnostic] = []
    private var seen: Set<Finding> = []

    private struct Finding: Hashable {
        let finding: LintFinding
        let path: String
        let position: Position?
        /// The version to which a step leads; nil for a finding about a version.
        let step: Version?
    }

    static func diagnostics(_ history: SchemaHistory, _ sources: SourceMap, _ rules: [LintRule]) -> [Diagnostic] {
        rules.flatMap { rule -> [Diagnostic] in
            if let since = rule.since, !history.versions.contains(where: { $0.version == since }) {
                return [rule.file.diagnostic(.unknownVersion(since.text), at: rule.offset)]
            }
            var lint = Lint(rule: rule, sources: sources, index: VersionIndex(0), version: history.newest)
            for (versionIndex, version) in history.versions.enumerated()
            where rule.since.map({ version.version >= $0 }) ?? true {
                (lint.index, lint.version) = (VersionIndex(versionIndex), version)
                for entity in version.entities { lint.check(entity) }
                for step in history.steps(from: version.version) { lint.check(step) }
            }
            return lint.diagnostics
        }
    }

    private init(rule: LintRule, sources: SourceMap, index: VersionIndex, version: ModelVersion) {
        (self.rule, self.sources, self.index, self.version) = (rule, sources, index, version)
    }

    /// Reports a finding, unless an earlier version has it at the same place.
    ///
    /// - Parameter step: The version to which the step leads that causes the finding; nil if the version itself causes it.
    private mutating func report(
        _ finding: LintFinding, _ name: String, step: Version? = nil, _ make: (Problem) -> Diagnostic
    ) {
        let version = step ?? self.version.version
        var diagnostic = make(.lint(rule.profile, finding, of: name, version: version.text))
        diagnostic.severity = rule.severity
        let key = Finding(finding: finding, path: diagnostic.path, position: diagnostic.position, step: step)
        if seen.insert(key).inserted { diagnostics.append(diagnostic) }
    }

    private mutating func report(
        _ finding: LintFinding, _ entity: Entity, named name: String? = nil, key: String = "name"
    ) {
        let (sources, index) = (sources, index)
        report(finding, name ?? "`\(entity.name)`") {
            sources.diagnostic($0, entity: entity.lineage, key: key, at: index)
        }
    }

    private mutating func report(
        _ finding: LintFinding, _ property: ElementLineage, of entity: Entity, key: String = "name"
    ) {
        let (sources, index) = (sources, index)
        report(finding, "`\(entity.name(of: property) ?? "")`") {
            sources.diagnostic($0, entity: entity.lineage, property: property, key: key, at: index)
        }
    }

    private mutating func report(_ finding: LintFinding, _ index: EntityIndex, of entity: Entity) {
        let sources = sources
        report(finding, "the index") { sources.diagnostic($0, entity: entity.lineage, index: index.lineage) }
    }

    // MARK: Versions

    private mutating func check(_ entity: Entity) {
        switch rule.profile {
        case .citus: checkCitus(entity)
        case .sync: checkSync(entity)
        }
    }

    private mutating func checkCitus(_ entity: Entity) {
        if entity.distribution == nil { report(.notDistributed, entity) }
        let distribution = version.distribution(of: entity)
        if let column = distribution?.column {
            if !version.keyParts(of: entity).map(\.name).contains(column) {
                report(.uniqueWithout(column: column), entity, named: "the primary key", key: "identifier")
            }
            func contains(_ properties: [ElementLineage]) -> Bool {
                properties.contains { version.distributionColumn($0, of: entity) == column }
            }
            for property in entity.properties where version.isUnique(property) && !contains([property.lineage]) {
                report(.uniqueWithout(column: column), property.lineage, of: entity, key: "unique")
            }
            for index in entity.indexes where index.isUnique && !contains(index.properties) {
                report(.uniqueWithout(column: column), index, of: entity)
            }
        }
        for property in entity.properties {
            guard let relationship = property.relationship, let target = version.entity(relationship.target) else {
                continue
            }
            switch version.storage(of: relationship) {
            case .column:
                let columns = version.referenceParts(of: property).map(\.name)
                checkForeignKey(columns, of: property, in: entity, distribution, to: target)
                if let column = distribution?.column, columns.contains(column),
                    version.deleteRule(of: property) == .nullify
                {
                    report(.nullifiedDistribution, property.lineage, of: entity, key: "on_delete")
                }
            case .joinTable:
                for join in version.joinTables(of: entity) where join.property == property.lineage {
                    let placed = version.distribution(of: join, in: entity)
                    checkForeignKey(join.source, of: property, in: entity, placed, to: entity)
                    checkForeignKey(join.target, of: property, in: entity, placed, to: target)
                }
            default: continue
            }
        }
    }

    /// Checks that a foreign key refers only to rows on the same server.
    private mutating func checkForeignKey(
        _ columns: [String], of property: Property, in entity: Entity, _ distribution: TableDistribution?,
        to target: Entity
    ) {
        let isTogether =
            switch (distribution, version.distribution(of: target)) {
            case (_, .reference), (nil, nil): true
            case (.column(let name), .column(let other)):
                zip(columns, version.keyParts(of: target)).contains { $0 == name && $1.name == other }
            default: false
            }
        if !isTogether { report(.foreignKeyElsewhere(target: target.name), property.lineage, of: entity) }
    }

    private mutating func checkSync(_ entity: Entity) {
        switch entity.identifier {
        case .column(_, .int): report(.localKey, entity, key: "identifier")
        case .column: break
        case .properties:
            let parts = version.keyParts(of: entity)
            if parts.count > 1 {
                report(.compositeKey, entity, key: "identifier")
            } else if parts.first.map({ ![.uuid, .string].contains($0.type) }) == true {
                report(.localKey, entity, key: "identifier")
            }
        }
        let key: [ElementLineage] = if case .properties(let lineages) = entity.identifier { lineages } else { [] }
        for index in entity.indexes where index.isUnique { report(.unique, index, of: entity) }
        for property in entity.properties where !key.contains(property.lineage) {
            func report(_ finding: LintFinding, _ key: String = "name") {
                self.report(finding, property.lineage, of: entity, key: key)
            }
            if property.isUnique {
                report(.unique, "unique")
            } else if version.isUnique(property) {
                report(.oneToOne)
            }
            guard let relationship = property.relationship else {
                if !property.isNullable, property.defaultValue == nil { report(.requiredWithoutDefault) }
                continue
            }
            if relationship.association == .toOne, !property.isNullable { report(.requiredRelationship) }
            if relationship.inverse == nil { report(.missingInverse) }
            if version.storage(of: relationship) == .column, version.deleteRule(of: property) == .deny {
                report(.denied, "on_delete")
            }
            if relationship.isOrdered { report(.ordered, "ordered") }
        }
    }

    // MARK: Steps

    private mutating func check(_ step: SchemaStep) {
        // The other profiles have no rules for steps.
        guard rule.profile == .sync else { return }
        for change in step.changes {
            let (lineage, property): (EntityLineage, ElementLineage?)
            switch change.subject {
            case .entity(let entity): (lineage, property) = (entity, nil)
            case .property(let entity, let element): (lineage, property) = (entity, element)
            case .subtype, .element: continue
            }
            guard let entity = step.from.entity(lineage),
                let name = property.map({ entity.name(of: $0) }) ?? entity.name
            else { continue }
            for finding in Self.findings(change) {
                // A removed element has a place only in the old version.
                let isRemoved = change.kind == .removed || step.to.entity(lineage) == nil
                let versionIndex = sources.versions.index(isRemoved ? step.from.version : step.to.version)
                let sources = sources
                report(finding, "`\(name)`", step: step.to.version) {
                    sources.diagnostic($0, entity: lineage, property: property, at: versionIndex)
                }
            }
        }
    }

    /// Returns the rules of `sync` that a change of an entity or of one of its properties violates.
    private static func findings(_ change: SchemaChange) -> [LintFinding] {
        switch change.kind {
        case .removed, .merged: return [.removed]
        case .fields(let fields):
            let isRenamed = !Set(fields).isDisjoint(with: [.name, .table, .column])
            let isRetyped = !Set(fields).isDisjoint(with: [.type, .key])
            return (isRenamed ? [.renamed] : []) + (isRetyped ? [.retyped] : [])
        default: return []
        }
    }
}
