import SchemaDiff
import SchemaModel
import SQLSchema

/// Reports the elements that violate the rules of target environments, each in the first version that does.
struct Lint {
    private let rule: LintRule
    private let sources: SourceMap
    private var index: VersionIndex
    private var version: SchemaVersion
    private var diagnostics: [Diagnostic] = []
    private var seen: Set<Finding> = []

    private struct Finding: Hashable {
        let finding: LintFinding
        let path: String
        let position: Position?
    }

    static func diagnostics(_ history: SchemaHistory, _ sources: SourceMap, _ rules: [LintRule]) -> [Diagnostic] {
        rules.flatMap { rule -> [Diagnostic] in
            if let since = rule.since, !history.versions.contains(where: { $0.version == since }) {
                return [rule.file.diagnostic(.unknownVersion(since.text), at: rule.offset)]
            }
            var lint = Lint(rule: rule, sources: sources, index: VersionIndex(0), version: history.newest)
            for (place, version) in history.versions.enumerated()
            where rule.since.map({ version.version >= $0 }) ?? true {
                (lint.index, lint.version) = (VersionIndex(place), version)
                for entity in version.entities { lint.check(entity) }
                if let step = history.steps.first(where: { $0.from.version == version.version }) { lint.check(step) }
            }
            return lint.diagnostics
        }
    }

    private init(rule: LintRule, sources: SourceMap, index: VersionIndex, version: SchemaVersion) {
        (self.rule, self.sources, self.index, self.version) = (rule, sources, index, version)
    }

    private mutating func report(_ finding: LintFinding, _ make: (Problem) -> Diagnostic, in version: Version? = nil) {
        var diagnostic = make(.lint(rule.profile, finding, version: (version ?? self.version.version).text))
        diagnostic.severity = rule.severity
        let key = Finding(finding: finding, path: diagnostic.path, position: diagnostic.position)
        if seen.insert(key).inserted { diagnostics.append(diagnostic) }
    }

    private mutating func report(
        _ finding: LintFinding, _ entity: Entity, property: ElementLineage? = nil, key: String = "name"
    ) {
        let (sources, index) = (sources, index)
        report(finding) {
            sources.diagnostic($0, entity: entity.lineage, property: property, key: key, at: index)
        }
    }

    // MARK: Versions

    private mutating func check(_ entity: Entity) {
        switch rule.profile {
        case .citus: checkCitus(entity)
        case .yugabyte:
            checkCollations(entity)
            for property in entity.computed {
                report(.generatedColumn(property.name), entity, property: property.lineage, key: "computed")
            }
        case .cockroach:
            checkCollations(entity)
            for property in entity.properties where property.relationship.map(isStored) == true {
                report(.deferredForeignKey(property.name), entity, property: property.lineage)
            }
        case .sync: checkSync(entity)
        }
    }

    private func isStored(_ relationship: Relationship) -> Bool {
        [.column, .joinTable].contains(version.storage(of: relationship))
    }

    private mutating func checkCollations(_ entity: Entity) {
        for property in entity.properties where property.collation == .nocase {
            report(.foldedCase(property.name), entity, property: property.lineage, key: "collation")
        }
    }

    private mutating func checkCitus(_ entity: Entity) {
        if entity.distribution == nil { report(.notDistributed(entity.name), entity) }
        let distribution = version.distribution(of: entity)
        if let column = distribution?.column {
            if !version.keyParts(of: entity).map(\.name).contains(column) {
                report(.uniqueWithout(column: column, "the primary key"), entity, key: "identifier")
            }
            let columns = version.columns(of: entity)
            func isMissing(_ properties: [ElementLineage]) -> Bool {
                !columns.contains { $0.name == column && $0.property.map(properties.contains) == true }
            }
            for property in entity.properties where version.isUnique(property) && isMissing([property.lineage]) {
                report(
                    .uniqueWithout(column: column, "unique values of `\(property.name)`"), entity,
                    property: property.lineage, key: "unique")
            }
            for unique in entity.indexes where unique.isUnique && isMissing(unique.properties) {
                let sources = sources
                report(.uniqueWithout(column: column, "a unique index")) {
                    sources.diagnostic($0, entity: entity.lineage, index: unique.lineage)
                }
            }
        }
        for property in entity.properties {
            guard let relationship = property.relationship, let target = version.entity(relationship.target) else {
                continue
            }
            let key = version.keyParts(of: target).map(\.name)
            let other = version.distribution(of: target)
            switch version.storage(of: relationship) {
            case .column:
                let columns = version.columns(of: entity).filter {
                    $0.property == property.lineage && $0.role != .position
                }.map(\.name)
                if !isTogether(distribution, columns, other, key) {
                    report(
                        .foreignKeyElsewhere(property.name, target: target.name), entity, property: property.lineage)
                }
                if let column = distribution?.column, columns.contains(column),
                    version.deleteRule(of: property) == .nullify
                {
                    report(.nullifiedDistribution(property.name), entity, property: property.lineage, key: "on_delete")
                }
            case .joinTable:
                guard let join = version.joinTables(of: entity).first(where: { $0.property == property.lineage }) else {
                    continue
                }
                let placed = version.distribution(of: join, in: entity)
                let ends = [
                    (join.source, distribution, version.keyParts(of: entity).map(\.name), entity.name),
                    (join.target, other, key, target.name),
                ]
                for (columns, end, key, name) in ends where !isTogether(placed, columns, end, key) {
                    report(.foreignKeyElsewhere(property.name, target: name), entity, property: property.lineage)
                }
            default: continue
            }
        }
    }

    /// Whether a foreign key refers only to rows on the same server.
    private func isTogether(
        _ source: TableDistribution?, _ columns: [String], _ target: TableDistribution?, _ key: [String]
    ) -> Bool {
        switch (source, target) {
        case (_, .reference), (nil, nil): true
        case (.column(let name), .column(let other)):
            zip(columns, key).contains { $0 == name && $1 == other }
        default: false
        }
    }

    private mutating func checkSync(_ entity: Entity) {
        switch entity.identifier {
        case .column(_, .int): report(.localKey(entity.name), entity, key: "identifier")
        case .column: break
        case .properties:
            let parts = version.keyParts(of: entity)
            if parts.count > 1 {
                report(.compositeKey(entity.name), entity, key: "identifier")
            } else if parts.first.map({ ![.uuid, .string].contains($0.type) }) == true {
                report(.localKey(entity.name), entity, key: "identifier")
            }
        }
        let key: [ElementLineage] = if case .properties(let lineages) = entity.identifier { lineages } else { [] }
        for unique in entity.indexes where unique.isUnique {
            let sources = sources
            report(.unique("the index")) { sources.diagnostic($0, entity: entity.lineage, index: unique.lineage) }
        }
        for property in entity.properties where !key.contains(property.lineage) {
            func report(_ finding: LintFinding, _ key: String = "name") {
                self.report(finding, entity, property: property.lineage, key: key)
            }
            if property.isUnique { report(.unique("`\(property.name)`"), "unique") }
            guard let relationship = property.relationship else {
                if !property.isNullable, property.defaultValue == nil {
                    report(.requiredWithoutDefault(property.name))
                }
                continue
            }
            if relationship.association == .toOne, !property.isNullable { report(.requiredRelationship(property.name)) }
            if relationship.inverse == nil { report(.missingInverse(property.name)) }
            if version.storage(of: relationship) == .column, version.deleteRule(of: property) == .deny {
                report(.denied(property.name), "on_delete")
            }
            if relationship.isOrdered { report(.ordered(property.name), "ordered") }
        }
    }

    // MARK: Steps

    private mutating func check(_ step: SchemaStep) {
        let new = step.to.version
        for change in step.changes {
            let (entity, property): (EntityLineage, ElementLineage?)
            switch change.subject {
            case .entity(let lineage): (entity, property) = (lineage, nil)
            case .property(let lineage, let element): (entity, property) = (lineage, element)
            case .subtype, .element: continue
            }
            guard let old = step.from.entity(entity) else { continue }
            let oldName = property.map { old.name(of: $0) ?? "" } ?? old.name
            if property != nil, oldName.isEmpty { continue }
            let exists = step.to.entity(entity).map { now in property.map { now.name(of: $0) != nil } ?? true } ?? false
            let place = exists ? index.advanced(by: 1) : index
            var findings: [LintFinding] = []
            switch (rule.profile, change.kind) {
            case (.sync, .removed), (.sync, .merged): findings.append(.removed(oldName))
            case (.sync, .fields(let fields)):
                if !Set(fields).isDisjoint(with: [.name, .table, .column]) { findings.append(.renamed(oldName)) }
                if !Set(fields).isDisjoint(with: [.type, .key]) { findings.append(.retyped(oldName)) }
            case (.citus, .fields(let fields)):
                let isDistributed = step.from.distribution(of: old) != nil
                let changed: Set<SchemaChange.Field> = property == nil ? [] : [.name, .type, .column]
                if isDistributed, !changed.isDisjoint(with: fields) { findings.append(.triggerOnDistributed(oldName)) }
            default: break
            }
            let sources = sources
            for finding in findings {
                report(finding, { sources.diagnostic($0, entity: entity, property: property, at: place) }, in: new)
            }
        }
    }
}
