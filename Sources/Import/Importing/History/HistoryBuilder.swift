import JSONText
import SchemaModel
import SQLSchema

/// Builds a history in Strata's terms from the versions of an imported model.
struct HistoryBuilder {
    private let imported: [ImportedVersion]
    private let lineages: Lineages
    private let naming: Naming
    private let relationships: RelationshipSides
    private let numbers: [Version]
    /// The final lineages of the tables, and of the subtypes for the kinds of their rows.
    private var entityNumbers: [EntityLineage] = []
    private var kindNumbers: [Int: SubtypeLineage] = [:]
    private var fileNames: [String] = []
    private var kindNames: [Int: String] = [:]
    private(set) var notes: [ImportNote]

    private typealias Side = RelationshipSides.Side

    /// Returns the history of `versions`, and the notes to report.
    ///
    /// - Parameters:
    ///   - versions: The imported versions.
    ///   - numbers: Their version numbers.
    ///   - rules: The rules that decide whether an element was renamed or removed.
    ///   - reserved: The names that no type of the model may have.
    static func history(
        of versions: [ImportedVersion], numbers: [Version], rules: Lineages.Rules, reserved: Set<String>
    ) -> (history: ImportedHistory, notes: [ImportNote]) {
        let lineages = Lineages(of: versions, rules: rules)
        var builder = HistoryBuilder(
            versions, numbers, lineages, Naming(lineages, reserved: reserved, areSingular: rules.areSingular))
        builder.nameFiles()
        let history = builder.history()
        return (history, builder.notes)
    }

    private init(_ imported: [ImportedVersion], _ numbers: [Version], _ lineages: Lineages, _ naming: Naming) {
        self.imported = imported
        self.numbers = numbers
        self.lineages = lineages
        self.naming = naming
        self.notes = lineages.notes
        relationships = RelationshipSides(of: imported, lineages)
    }

    // MARK: Files

    /// Names the files after the elements that they describe. The order of the files determines the lineages.
    private mutating func nameFiles() {
        var taken: Set<String> = ["strata"]
        func free(_ name: String) -> String {
            var candidate = name
            var number = 2
            while !taken.insert(candidate.lowercased()).inserted {
                candidate = name + String(number)
                number += 1
            }
            return candidate
        }
        // If two tables want the same name, the one that exists until the later version gets it.
        let order = lineages.tables.indices.sorted { left, right in
            let ends = [left, right].map { lineages.tables[$0].life.death ?? imported.count }
            return ends[0] == ends[1] ? left < right : ends[0] > ends[1]
        }
        var names: [Int: String] = [:]
        for table in order {
            let name = naming.entity(table, lineages.tables[table].states.last?.name ?? "")
            names[table] = free(SwiftName.type(name))
        }
        var types = Set(naming.entities.flatMap(\.values).map(SwiftName.type))
        for table in order where lineages.tables[table].firstWithKinds != nil {
            let base = names[table] ?? ""
            var kind = base + "Kind"
            while !types.insert(kind).inserted { kind += "s" }
            kindNames[table] = free(kind)
        }
        fileNames = lineages.tables.indices.map { names[$0] ?? "" }
        entityNumbers = Array(repeating: EntityLineage(0), count: fileNames.count)
        for (number, table) in fileNames.indices.sorted(by: { fileNames[$0] < fileNames[$1] }).enumerated() {
            entityNumbers[table] = EntityLineage(number)
        }
        for (number, kind) in kindNames.sorted(by: { $0.value < $1.value }).enumerated() {
            kindNumbers[kind.key] = SubtypeLineage(number)
        }
    }

    // MARK: States

    private mutating func history() -> ImportedHistory {
        let order = entityNumbers.indices.sorted { entityNumbers[$0] < entityNumbers[$1] }
        let entities = order.map { entityHistory(of: $0) }
        let kinds = kindNumbers.sorted { $0.value < $1.value }.map { kindHistory(of: $0.key) }
        return ImportedHistory(
            unread: unread(), hashes: imported.map(\.hashes), statements: imported.map(\.statements),
            userVersions: imported.map(\.userVersion), versions: numbers,
            formerNames: imported.map(\.formerName), entities: entities,
            kinds: kinds)
    }

    /// Returns the elements that each version leaves out. They include the sides of one-to-one relationships that only
    /// the source stores.
    private func unread() -> [[String: ImportedUnread.Reason]] {
        imported.enumerated().map { index, version in
            var unread = version.unread
            for (entity, table) in zip(version.entities, lineages.entityTables[index]) {
                let offset = index - lineages.tables[table].life.birth
                for property in entity.properties where property.relationship?.association == .toOne {
                    guard let lineage = lineages.tables[table].property(property.name, at: offset),
                        !relationships.isColumn(Side(table: table, property: lineage), at: index)
                    else { continue }
                    for source in property.sources { unread[source] = .inverse }
                }
            }
            return unread
        }
    }

    private func kindHistory(of table: Int) -> ImportedHistory.KindHistory {
        let history = lineages.tables[table]
        let first = history.firstWithKinds ?? 0
        let name = kindNames[table] ?? ""
        var life = history.life
        life.birth += first
        // A kind that was removed before the subtype exists is not one of its cases.
        let living = history.kinds.indices.map { ElementLineage($0) }.filter {
            history.kinds[$0].death ?? .max > life.birth
        }
        let numbers = Dictionary(uniqueKeysWithValues: zip(living, living.indices.map { ElementLineage($0) }))
        let states = history.states.indices.dropFirst(first).map { index in
            let cases = zip(history.kindLineages[index], history.states[index].kinds).compactMap { lineage, kind in
                numbers[lineage].map { Subtype.Case(lineage: $0, name: kind.name, value: kind.name) }
            }
            return Subtype(
                lineage: kindNumbers[table] ?? 0, name: name, kind: .cases(cases.sorted { $0.lineage < $1.lineage }))
        }
        let cases = living.map { lineage in
            var kind = history.kinds[lineage]
            kind.birth = max(kind.birth, life.birth)
            return kind
        }
        return .init(fileName: name, life: life, states: states, cases: cases)
    }

    private mutating func entityHistory(of table: Int) -> ImportedHistory.EntityHistory {
        let history = lineages.tables[table]
        var indexes: [ImportedHistory.Life] = []
        var living: [(key: IndexShape<ElementLineage>, lineage: ElementLineage)] = []
        var states: [Entity] = []
        var checks = EntityChecks(life: history.life)
        for offset in history.states.indices {
            let index = history.life.birth + offset
            var entity = self.entity(of: table, at: offset)
            let keys = indexShapes(of: table, entity, at: offset)
            var next: [(key: IndexShape<ElementLineage>, lineage: ElementLineage)] = []
            for key in keys {
                if let old = living.first(where: { $0.key == key }) {
                    next.append(old)
                } else {
                    next.append((key, ElementLineage(indexes.count)))
                    indexes.append(.init(birth: index))
                }
            }
            for old in living where !next.contains(where: { $0.lineage == old.lineage }) {
                indexes[old.lineage].death = index
            }
            living = next
            entity.indexes = living.sorted { $0.lineage < $1.lineage }.map {
                EntityIndex(lineage: $0.lineage, $0.key)
            }
            entity.checks = self.checks(of: table, entity, at: offset, &checks)
            states.append(entity)
        }
        var fills: [ElementLineage: [Int: JSONOutput.Member]] = [:]
        var forms: [ElementLineage: [(offset: Int, form: String)]] = [:]
        var sources: [ElementLineage: [[String]?]] = [:]
        for (offset, state) in history.states.enumerated() {
            for (property, lineage) in zip(state.properties, history.propertyLineages[offset]) {
                if let fill = property.fill {
                    fills[lineage, default: [:]][history.life.birth + offset] = member(fill, of: table, at: offset)
                }
                if needsSources(property, lineage, of: table) {
                    let none = [[String]?](repeating: nil, count: history.states.count)
                    sources[lineage, default: none][offset] = property.sources
                }
                let form = property.form ?? (forms[lineage] == nil ? nil : "plain")
                if let form, forms[lineage]?.last?.form != form { forms[lineage, default: []].append((offset, form)) }
            }
        }
        let source = history.states[0].isCustom || history.life.birth == 0 ? nil : history.states[0].copied
        let copied = source.flatMap { name in
            imported[history.life.birth - 1].entities.firstIndex { $0.name == name }
        }.map { lineages.entityTables[history.life.birth - 1][$0] }
        if let copied {
            for (property, lineage) in zip(history.states[0].properties, history.propertyLineages[0]) {
                guard case .property(let name) = property.fill else { continue }
                let offset = history.life.birth - 1 - lineages.tables[copied].life.birth
                let other = lineages.tables[copied].property(name, at: offset)
                let text = other.map { naming.property($0, name, of: copied) } ?? name
                fills[lineage, default: [:]][history.life.birth] = .init("fill_from", .string(text))
            }
        }
        let customs = history.states.indices.filter { history.states[$0].isCustom }.map { history.life.birth + $0 }
        return .init(
            fileName: fileNames[table], life: history.life, states: states, properties: history.properties,
            indexes: indexes, checks: checks.lives,
            copied: copied.flatMap { copied in source.map { naming.entity(copied, $0) } },
            fills: fills, customs: Set(customs), forms: forms, sources: sources)
    }

    /// Returns a backfill value as a member of a description. It uses the property names of the previous version.
    private func member(_ fill: ImportedFill, of table: Int, at index: Int) -> JSONOutput.Member {
        switch fill {
        case .constant(let value): return .init("fill", value)
        case .property(let name):
            let lineage = index == 0 ? nil : lineages.tables[table].property(name, at: index - 1)
            return .init("fill_from", .string(lineage.map { naming.property($0, name, of: table) } ?? name))
        }
    }

    /// Returns whether the name of a Strata property does not determine the Core Data properties that it contains.
    private func needsSources(_ property: ImportedProperty, _ lineage: ElementLineage, of table: Int) -> Bool {
        if property.needsSources { return true }
        guard let source = property.sources.first else { return false }
        let name = naming.property(lineage, property.name, of: table)
        // A displaced property has no persisted name.
        let isColumn = name == property.name || !naming.displaced[table].contains(lineage)
        return !isColumn || !source.hasSuffix("." + property.name)
    }

    private mutating func indexShapes(of table: Int, _ entity: Entity, at offset: Int) -> [IndexShape<ElementLineage>] {
        let history = lineages.tables[table]
        var keys: [IndexShape<ElementLineage>] = []
        for index in history.states[offset].indexes {
            let hasColumns = index.allColumns.allSatisfy { name in
                guard let lineage = history.property(name, at: offset) else { return false }
                if entity.computedProperty(lineage) != nil { return true }
                guard let property = entity.property(lineage) else { return false }
                return property.relationship == nil
                    || relationships.isColumn(Side(table: table, property: lineage), at: history.life.birth + offset)
            }
            guard hasColumns else {
                note(table, offset, nil, .index(.index, index.columns, .noColumn))
                continue
            }
            let key = index.mapColumns { name in
                history.property(name, at: offset).map { [$0] } ?? []
            }
            if !keys.contains(key) { keys.append(key) }
        }
        return keys
    }

    /// The checks of an entity through versions.
    private struct EntityChecks {
        let life: ImportedHistory.Life
        var lives: [ImportedHistory.Life] = []
        var living: [EntityCheck] = []
        var names: Set<String> = []
        /// The conditions that the report contains already.
        var reported: Set<RowExpression<ElementLineage>> = []
    }

    /// Returns the checks of a table in one version. A check that the first version does not have is a finding: the rows
    /// of older versions may violate it, and only the app knows what it did with them.
    private mutating func checks(
        of table: Int, _ entity: Entity, at index: Int, _ checks: inout EntityChecks
    ) -> [EntityCheck] {
        let history = lineages.tables[table]
        var next: [EntityCheck] = []
        for check in history.states[index].checks {
            let condition = check.condition.replacingColumns { name -> RowExpression<ElementLineage> in
                history.property(name, at: index).map { .column($0) } ?? .null
            }
            if let known = checks.living.first(where: { $0.condition == condition }) {
                next.append(known)
            } else if index == 0 {
                let base = check.name ?? "\(entity.tableName)_check"
                var name = base
                var number = 2
                while !checks.names.insert(name.lowercased()).inserted {
                    name = base + "_\(number)"
                    number += 1
                }
                next.append(EntityCheck(lineage: ElementLineage(checks.lives.count), name: name, condition))
                checks.lives.append(.init(birth: checks.life.birth))
            } else if checks.reported.insert(condition).inserted {
                note(table, index, nil, .check(check.condition.text))
            }
        }
        for old in checks.living where !next.contains(old) {
            checks.lives[old.lineage].death = checks.life.birth + index
        }
        checks.living = next
        return next
    }

    private mutating func note(_ table: Int, _ index: Int, _ property: String?, _ finding: ImportFinding) {
        let history = lineages.tables[table]
        notes.append(
            ImportNote(
                version: history.life.birth + index, entity: history.states[index].name, property: property,
                finding: finding))
    }

    private mutating func entity(of table: Int, at offset: Int) -> Entity {
        let history = lineages.tables[table]
        let state = history.states[offset]
        let name = naming.entity(table, state.name)
        let isKept = name == state.name || ReservedNames.contains(state.name)
        let identifier: Identifier
        switch state.identifier {
        case .rowNumber: identifier = .column(name: naming.identifiers[table][offset], kind: .int)
        case .column(let name, let kind): identifier = .column(name: name, kind: kind)
        case .properties(let names):
            identifier = .properties(names.compactMap { history.property($0, at: offset) })
        }
        var properties: [Property] = []
        var computed: [ComputedProperty] = []
        for (property, lineage) in zip(state.properties, history.propertyLineages[offset]) {
            if let value = property.computed {
                computed.append(self.computed(value, property, lineage, of: table, at: offset))
            } else {
                properties.append(self.property(property, lineage, of: table, at: offset))
            }
        }
        func isEarlier(_ left: ElementLineage, _ right: ElementLineage) -> Bool {
            let births = (history.properties[left].birth, history.properties[right].birth)
            return births.0 == births.1 ? left < right : births.0 < births.1
        }
        properties.sort { isEarlier($0.lineage, $1.lineage) }
        computed.sort { isEarlier($0.lineage, $1.lineage) }
        return Entity(
            lineage: entityNumbers[table], name: name, persistedName: isKept ? nil : state.name,
            documentation: nil, identifier: identifier, properties: properties, computed: computed,
            indexes: [])
    }

    private func computed(
        _ value: RowExpression<String>, _ imported: ImportedProperty, _ lineage: ElementLineage, of table: Int,
        at index: Int
    ) -> ComputedProperty {
        let history = lineages.tables[table]
        let name = naming.property(lineage, imported.name, of: table)
        let value = value.replacingColumns { name -> RowExpression<ElementLineage> in
            history.property(name, at: index).map { .column($0) } ?? .null
        }
        let isKept = name == imported.name || naming.displaced[table].contains(lineage)
        return ComputedProperty(
            lineage: lineage, name: name, persistedName: isKept ? nil : imported.name,
            type: imported.scalar ?? .string, value: value, isIndexed: imported.isIndexed)
    }

    private mutating func property(
        _ imported: ImportedProperty, _ lineage: ElementLineage, of table: Int, at offset: Int
    ) -> Property {
        let name = naming.property(lineage, imported.name, of: table)
        var property: Property
        switch imported.content {
        case .attribute(let type):
            var type = type
            if case .subtype(let table) = type { type = .subtype(kindNumbers[table.index] ?? 0) }
            property = Property(lineage: lineage, name: name, kind: .attribute(type))
            property.isUnique = imported.isUnique
            property.isIndexed = imported.isIndexed
            let column = imported.column ?? imported.name
            if column != name, !naming.displaced[table].contains(lineage) { property.persistedName = column }
        case .relationship(let relationship):
            let side = Side(table: table, property: lineage)
            property = Property(
                lineage: lineage, name: name,
                kind: .relationship(self.relationship(relationship, imported, side, at: offset)))
            property.isUnique =
                imported.isUnique && relationships.isColumn(side, at: lineages.tables[table].life.birth + offset)
            if !imported.columns.isEmpty {
                property.persistedColumns = imported.columns
            } else if let column = imported.column {
                if column != ColumnSuffix.reference.added(to: name) { property.persistedName = column }
            } else if name != imported.name, !naming.displaced[table].contains(lineage) {
                property.persistedName = imported.name
            }
        }
        property.documentation = naming.documentation(lineage, imported.name, of: table)
        property.isNullable = imported.isNullable
        property.defaultValue = imported.defaultValue.map(Constant.literal)
        property.collation = imported.collation
        return property
    }

    private mutating func relationship(
        _ imported: ImportedRelationship, _ property: ImportedProperty, _ side: Side, at offset: Int
    ) -> Relationship {
        let index = lineages.tables[side.table].life.birth + offset
        let target = relationships.table(imported.target, at: index) ?? side.table
        var relationship = Relationship(
            target: entityNumbers[target], association: imported.association, isOrdered: imported.isOrdered)
        let other = relationships.inverse(of: imported, at: index)
        let back = other.flatMap { relationships.state(of: $0, at: index)?.relationship }
        relationship.inverse = other?.property
        let isPair = back?.association == imported.association && other != side
        relationship.isStored =
            isPair && other.map { relationships.isStored(side, in: [side, $0], at: index) } ?? false
        let isJoined = imported.association == .toMany && back?.association != .toOne
        // A relationship that is its own inverse always keeps its order.
        if imported.association == .toOne || (isJoined && other == side) { relationship.isOrdered = false }
        let hasColumn = relationships.isColumn(side, at: index)
        if isPair, imported.association == .toOne, !hasColumn, !property.isNullable {
            note(
                side.table, offset, property.name,
                .mandatoryWithoutColumn(inverse: "\(imported.target).\(imported.inverse ?? "")"))
        }
        switch imported.rule {
        case .whenTargetGoes(let rule):
            if hasColumn { relationship.deleteRule = rule }
        case .whenOwnerGoes(let rule):
            if hasColumn, case .whenOwnerGoes(let rule) = back?.rule {
                relationship.deleteRule = Self.written(rule, isNullable: property.isNullable)
            }
            // This column has the rule of the other side. The rule of this side needs a column on the other side.
            let movesOver = imported.association == .toMany ? back?.association == .toOne : isPair && !hasColumn
            if !movesOver, rule == .cascade || rule == .deny {
                note(
                    side.table, offset, property.name,
                    rule == .cascade ? .cascadeToTarget(imported.target) : .denyFromTarget(imported.target))
            }
        }
        return relationship
    }

    /// Returns the rule as written in a description; nil if it is the default, or if it is not possible.
    private static func written(
        _ rule: Relationship.DeleteRule, isNullable: Bool
    ) -> Relationship.DeleteRule? {
        switch rule {
        case .nullify: nil
        case .deny: isNullable ? .deny : nil
        case .cascade, .noAction: rule
        }
    }
}
