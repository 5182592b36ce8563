import SchemaDiff
import SchemaModel
import SQLSchema

/// Checks each version of a resolved history for problems that resolving does not find.
package struct Validator {
    let history: SchemaHistory
    let sources: SourceMap
    var diagnostics: [Diagnostic] = []

    static func validate(_ history: SchemaHistory, _ sources: SourceMap) -> [Diagnostic] {
        let validator = Validator(history: history, sources: sources)
        let found = history.versions.indices.map { VersionIndex($0) }.concurrentMap { index in
            var validator = validator
            validator.validate(index)
            return validator.diagnostics
        }
        // A problem in one version usually exists in the next version too, so each place is reported only once.
        var seen: Set<Place> = []
        let problems = found.flatMap { diagnostics in
            let positions = diagnostics.map { Place(path: $0.path, position: $0.position) }
            let new = zip(diagnostics, positions).filter { !seen.contains($0.1) }.map(\.0)
            seen.formUnion(positions)
            return new
        }
        return problems + history.steps.flatMap(validator.columnMigrationProblems)
            + history.steps.flatMap(validator.statementProblems)
    }

    /// A place in a file.
    private struct Place: Hashable {
        let path: String
        let position: Position?
    }

    private mutating func validate(_ index: VersionIndex) {
        let version = history.versions[index.value]
        checkTableNames(version, index)
        for subtype in version.subtypes where !version.unchangedSubtypes.contains(subtype.lineage) {
            check(subtype, version, index)
        }
        for entity in version.entities where !version.unchanged.contains(entity.lineage) {
            checkMemberNames(entity, version, index)
            checkSize(entity, version, index)
            checkKey(entity, version, index)
            checkRelationshipNames(entity, version, index)
            for property in entity.properties {
                if let relationship = property.relationship {
                    check(relationship, of: property, entity, version, index)
                } else if let type = property.type {
                    check(type, of: property, entity, version, index)
                }
            }
            let columns = version.columns(of: entity)
            checkChecks(entity, columns, version)
            checkComputed(entity, columns, version, index)
            checkSearch(entity, columns, version, index)
            checkDistribution(entity, version, index)
            for entityIndex in entity.indexes {
                if let condition = entityIndex.shape.condition {
                    let sources = self.sources
                    check(condition, key: "where", entity, columns, version) {
                        sources.diagnostic($0, entity: entity.lineage, index: entityIndex.lineage)
                    }
                }
                checkComputedIndex(entityIndex, entity)
                for lineage in entityIndex.properties
                where !columns.contains(where: { $0.property == lineage }) && entity.computedProperty(lineage) == nil {
                    let problem =
                        entity.property(lineage).map { Problem.indexOfUnstored($0.name) }
                        ?? missing(lineage, of: entity, version, key: "properties")
                    diagnostics.append(
                        sources.diagnostic(problem, entity: entity.lineage, index: entityIndex.lineage))
                }
                for property in entityIndex.properties.compactMap(entity.property) where version.isJSON(property) {
                    diagnostics.append(
                        sources.diagnostic(
                            .keyDoesNotApply("properties", because: "`\(property.name)` is stored as JSON"),
                            entity: entity.lineage, index: entityIndex.lineage))
                }
            }
        }
    }

    private mutating func checkSearch(
        _ entity: Entity, _ columns: [StoredColumn], _ version: ModelVersion, _ index: VersionIndex
    ) {
        guard let search = entity.search else { return }
        for lineage in search.columns {
            guard let property = entity.property(lineage) else {
                report(missing(lineage, of: entity, version, key: "search"), entity, index, key: "search")
                continue
            }
            let column = columns.first { $0.property == property.lineage }?.name ?? ""
            let reason: String
            if ![.scalar(.string), .scalar(.url), .array(.scalar(.string))].contains(property.type) {
                reason = "`\(property.name)` has none of the types string, url and [string]"
            } else if ["rank", "rowid"].contains(column.lowercased()) {
                reason = "SQLite searches no column called `\(column)`; give the property another \"persisted_name\""
            } else {
                continue
            }
            report(.keyDoesNotApply("search", because: reason), entity, index, key: "search")
        }
        if SQLite.rowID(besides: columns.map(\.name) + entity.computed.map(\.columnName)) == nil {
            let reason =
                "a search needs one of the names rowid, oid and _rowid_, and the entity has columns with all three"
            report(.keyDoesNotApply("search", because: reason), entity, index, key: "search")
        }
    }

    /// The problem that a field names a property that does not exist in a version.
    func missing(_ lineage: ElementLineage, of entity: Entity, _ version: ModelVersion, key: String) -> Problem {
        let name = sources.name(of: lineage, in: entity.lineage)
        let isOther = entity.properties.contains { $0.name == name }
        let reason = isOther ? "its `\(name)` is another property" : "`\(name)` does not exist"
        return .conditionDoesNotApply(key: key, reason, version: version.version.text)
    }

    private mutating func checkChecks(_ entity: Entity, _ columns: [StoredColumn], _ version: ModelVersion) {
        let sources = self.sources
        for one in entity.checks {
            func diagnostic(_ problem: Problem) -> Diagnostic {
                sources.diagnostic(problem, entity: entity.lineage, check: one.lineage)
            }
            let isSame = { (other: Table.Check) in other.name.lowercased() == one.name.lowercased() }
            if version.table(of: entity).checks.count(where: isSame) > 1 {
                diagnostics.append(diagnostic(.sameCheckName(one.name)))
            }
            check(one.condition, key: "where", entity, columns, version, diagnostic)
        }
    }

    /// Checks the properties and the values in a condition or in another expression over them.
    mutating func check(
        _ condition: RowExpression<ElementLineage>, key: String, _ entity: Entity, _ columns: [StoredColumn],
        _ version: ModelVersion, _ diagnostic: (Problem) -> Diagnostic
    ) {
        func refuse(_ lineage: ElementLineage, _ reason: String) {
            let name = entity.property(lineage)?.name ?? sources.name(of: lineage, in: entity.lineage)
            let problem = Problem.conditionDoesNotApply(key: key, "`\(name)` \(reason)", version: version.version.text)
            diagnostics.append(diagnostic(problem))
        }
        for lineage in Set(condition.columns).sorted() {
            let life = sources[entity.lineage].properties[lineage].fields.life
            if let added = life.first.map({ sources.versions[$0] }), added > version.version {
                let name = sources.name(of: lineage, in: entity.lineage)
                diagnostics.append(
                    diagnostic(
                        .conditionOfYounger(
                            key: key, property: name, added: added.text, version: version.version.text)))
                continue
            }
            let count = columns.count { $0.property == lineage && $0.role != .position }
            if count != 1 { refuse(lineage, count == 0 ? "has no column in this table" : "has several columns") }
        }
        for (lineage, value) in condition.comparisons {
            guard let type = entity.property(lineage)?.type else { continue }
            if !version.canHave(value, type) { refuse(lineage, "cannot be \(SQLite.literal(value))") }
        }
    }

    // MARK: Names

    private mutating func checkTableNames(_ version: ModelVersion, _ index: VersionIndex) {
        var tables: Set<String> = []
        var types: [String: String] = [:]
        for subtype in version.subtypes {
            let type = SwiftName.type(subtype.name)
            if let other = types.updateValue("`\(subtype.name)`", forKey: type) {
                let problem = Problem.sameSwiftName(
                    other, "`\(subtype.name)`", swift: type, version: version.version.text)
                diagnostics.append(sources.diagnostic(problem, subtype: subtype.lineage, at: index))
            }
            if Self.reservedTypes.contains(type) || type == history.name {
                diagnostics.append(
                    sources.diagnostic(.reservedName(subtype.name), subtype: subtype.lineage, at: index))
            }
        }
        for entity in version.entities {
            let type = SwiftName.type(entity.name)
            if let other = types.updateValue("`\(entity.name)`", forKey: type) {
                report(
                    .sameSwiftName(other, "`\(entity.name)`", swift: type, version: version.version.text), entity, index
                )
            }
            if Self.reservedTypes.contains(type) || type == history.name {
                report(.reservedName(entity.name), entity, index)
            }
            for table in [version.table(of: entity)] + version.joinTables(of: entity).map(\.table) {
                for name in [table.name] + table.indexes.map(\.name) {
                    if ReservedNames.contains(name) {
                        report(.reservedName(name), entity, index)
                    } else if !tables.insert(name.lowercased()).inserted {
                        report(.sameTableName(name, version: version.version.text), entity, index)
                    }
                }
            }
        }
    }

    /// The names that generated types cannot have: the modules that generated code refers to, reserved words, and the type that
    /// the macros of Swift Testing name without its module.
    package static let reservedTypes: Set<String> = [
        "Swift", "Foundation", "Strata", "StrataTesting", "Testing", "Type", "Self", "Any", "Protocol", "Void",
    ]

    private mutating func checkMemberNames(_ entity: Entity, _ version: ModelVersion, _ index: VersionIndex) {
        var names: Set<String> = []
        var duplicates: Set<ElementLineage> = []
        let properties = entity.properties.map { ($0.lineage, $0.name) } + entity.computed.map { ($0.lineage, $0.name) }
        for (lineage, name) in properties where !names.insert(name).inserted {
            duplicates.insert(lineage)
            report(
                .duplicateProperty("\(entity.name).\(name)", version: version.version.text), entity, index,
                property: lineage)
        }
        for property in entity.properties where !property.persistedColumns.isEmpty {
            guard let relationship = property.relationship, let target = version.entity(relationship.target) else {
                continue
            }
            let (count, key) = (property.persistedColumns.count, version.keyParts(of: target).count)
            guard version.storage(of: relationship) == .column, count != key else { continue }
            report(.otherColumnCount(count, target: target.name, key: key), entity, index, property: property.lineage)
        }
        // The name of each member, as messages show it.
        var members: [String: String] = [:]
        var columns: Set<String> = []
        var keyName: String?
        if case .column(let name, _) = entity.identifier { keyName = name.lowercased() }
        func checkColumn(_ name: String, _ member: String, of property: ElementLineage?, isKey: Bool, isPart: Bool) {
            if let property, duplicates.contains(property) { return }
            if !isKey, name.lowercased() == keyName {
                let key =
                    property.flatMap { sources[entity.lineage].properties[$0].fields[index].value("persisted_name") }
                        == nil
                    ? "name" : "persisted_name"
                report(.nameOfKey(name, key: key), entity, index, property: property, key: key)
                return
            }
            let relationship = property.flatMap(entity.property).flatMap { $0.relationship == nil ? nil : $0.name }
            let shown = "`\(name)`" + (relationship.map { ", the column of the relationship `\($0)`," } ?? "")
            let isSameColumn = !columns.insert(name.lowercased()).inserted
            if let other = members.updateValue(shown, forKey: member), !isPart {
                report(
                    .sameSwiftName(other, shown, swift: member, version: version.version.text), entity, index,
                    property: property)
            } else if isSameColumn {
                report(
                    .sameTableName("\(entity.name).\(name)", version: version.version.text), entity, index,
                    property: property)
            }
            if member == "hashValue" { report(.reservedName(name), entity, index, property: property) }
        }
        for column in version.columns(of: entity) {
            checkColumn(
                column.name, column.member, of: column.property, isKey: column.role == .identifier,
                isPart: column.part > 0)
        }
        for property in entity.computed {
            checkColumn(property.columnName, property.member, of: property.lineage, isKey: false, isPart: false)
        }
    }

    private mutating func checkRelationshipNames(_ entity: Entity, _ version: ModelVersion, _ index: VersionIndex) {
        var members: [String: String] = [:]
        for property in entity.properties where property.relationship != nil {
            let member = SwiftName.member(property.name)
            if let other = members.updateValue(property.name, forKey: member), other != property.name {
                report(
                    .sameSwiftName("`\(other)`", "`\(property.name)`", swift: member, version: version.version.text),
                    entity, index,
                    property: property.lineage)
            }
        }
    }

    // MARK: Keys

    private mutating func checkKey(_ entity: Entity, _ version: ModelVersion, _ index: VersionIndex) {
        for source in entity.keySources {
            guard let other = version.entity(source) else {
                let name = sources[source].name
                report(
                    .unknownEntity(name, version: version.version.text, nearest: nil), entity, index, key: "identifier")
                continue
            }
            if version.keyParts(of: other).map(\.type) != version.keyParts(of: entity).map(\.type) {
                report(.otherKeyType(other.name), entity, index, key: "identifier")
            }
        }
        guard case .properties(let lineages) = entity.identifier else { return }
        var reached: Set<EntityLineage> = []
        var next = [entity]
        while let one = next.popLast() {
            guard case .properties(let lineages) = one.identifier else { continue }
            for relationship in lineages.compactMap({ one.property($0)?.relationship })
            where relationship.association == .toOne {
                let target = relationship.target
                if target == entity.lineage {
                    report(.recursiveKey(entity.name), entity, index, key: "identifier")
                    return
                }
                if reached.insert(target).inserted { next += version.entity(target).map { [$0] } ?? [] }
            }
        }
        for lineage in lineages {
            guard let property = entity.property(lineage) else {
                let name = sources.name(of: lineage, in: entity.lineage)
                report(.keyOfNothing(name, version: version.version.text), entity, index, key: "identifier")
                continue
            }
            func refuse(_ reason: String) {
                report(
                    .unusableKey(property.name, because: reason), entity, index, property: lineage,
                    key: property.relationship == nil ? "property_type" : "name")
            }
            if let relationship = property.relationship {
                if version.storage(of: relationship) != .column { refuse("it has no column in this table") }
            } else if ![.int, .string, .uuid].contains(property.type?.scalar) {
                refuse("a primary key can contain int, string, uuid and to_one only")
            }
            if property.isNullable { refuse("it is nullable; remove \"nullable\"") }
            if property.defaultValue != nil { refuse("it has a default value; remove \"default_value\"") }
            if property.isUnique, lineages.count == 1 { refuse("a primary key is always unique; remove \"unique\"") }
        }
    }

    // MARK: Types

    private mutating func check(
        _ type: ValueType, of property: Property, _ entity: Entity, _ version: ModelVersion, _ index: VersionIndex
    ) {
        if let subtype = type.subtype, version.subtype(subtype) == nil {
            let problem = Problem.unknownSubtype(
                sources[subtype].name, version: version.version.text)
            report(problem, entity, index, property: property.lineage, key: "property_type")
            return
        }
        if let value = property.defaultValue, version.literal(value, type: type) == nil {
            report(
                olderSubtype(of: type, version), entity, index, property: property.lineage, key: "default_value")
        }
        if let value = property.defaultValue.flatMap({ version.literal($0, type: type) }),
            let limit = property.limits.first(where: { !$0.allows(value) })
        {
            let problem = Problem.valueOutsideLimit(
                key: "default_value", value: value.text, limit: limit.description)
            report(problem, entity, index, property: property.lineage, key: "default_value")
        }
        guard version.isJSON(property) else { return }
        for (key, isSet) in [("unique", property.isUnique), ("indexed", property.isIndexed)] where isSet {
            report(
                .keyDoesNotApply(key, because: "the value is stored as JSON"), entity, index,
                property: property.lineage,
                key: key)
        }
    }

    /// The problem that a default value is not valid in an earlier version. The decoder has checked it with the same type, so the
    /// subtype differs.
    private func olderSubtype(of type: ValueType, _ version: ModelVersion) -> Problem {
        .defaultOfOlderSubtype(type.subtype.map { sources[$0].name } ?? "", version: version.version.text)
    }

    private mutating func check(_ subtype: Subtype, _ version: ModelVersion, _ index: VersionIndex) {
        let sources = self.sources
        func diagnostic(_ element: ElementLineage, _ key: String = "name") -> (Problem) -> Diagnostic {
            { problem in sources.diagnostic(problem, subtype: subtype.lineage, element: element, key: key, at: index)
            }
        }
        let elements: [(lineage: ElementLineage, name: String)] =
            subtype.cases.map { ($0.lineage, $0.name) } + subtype.options.map { ($0.lineage, $0.name) }
            + subtype.members.map { ($0.lineage, $0.name) }
        var names: [String: String] = [:]
        for element in elements {
            let swift = SwiftName.member(element.name)
            if let other = names.updateValue(element.name, forKey: swift) {
                let problem: Problem =
                    other == element.name
                    ? .duplicateProperty("\(subtype.name).\(element.name)", version: version.version.text)
                    : .sameSwiftName("`\(other)`", "`\(element.name)`", swift: swift, version: version.version.text)
                diagnostics.append(diagnostic(element.lineage)(problem))
            }
            if Self.reservedElements.contains(swift) {
                diagnostics.append(diagnostic(element.lineage)(.reservedName(element.name)))
            }
        }
        var values: [String: String] = [:]
        for choice in subtype.cases {
            if let other = values.updateValue(choice.name, forKey: choice.value), other != choice.name {
                diagnostics.append(
                    diagnostic(choice.lineage, "value")(
                        .sameValue(choice.value, other, choice.name, version: version.version.text)))
            }
        }
        for member in subtype.members {
            guard let type = member.type else { continue }
            if let part = type.subtype, version.subtype(part) == nil {
                let name = sources[part].name
                diagnostics.append(
                    diagnostic(member.lineage, "property_type")(.unknownSubtype(name, version: version.version.text)))
            } else if let value = member.defaultValue, version.literal(value, type: type) == nil {
                diagnostics.append(diagnostic(member.lineage, "default_value")(olderSubtype(of: type, version)))
            }
        }
    }

    /// The names that elements of subtypes cannot have, because the protocols of generated subtypes use them.
    private static let reservedElements: Set<String> = [
        "allCases", "rawValue", "hashValue", "AllCases", "RawValue", "Element", "ArrayLiteralElement",
    ]

    mutating func report(
        _ problem: Problem, _ entity: Entity, _ index: VersionIndex, property: ElementLineage? = nil,
        key: String = "name"
    ) {
        diagnostics.append(
            sources.diagnostic(problem, entity: entity.lineage, property: property, key: key, at: index))
    }
}
