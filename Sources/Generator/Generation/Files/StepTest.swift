import Mustache
import SchemaDiff
import SchemaModel
import SQLSchema

/// The expectations of the generated tests for a step.
struct StepTest: TemplateValues {
    let from: String
    let to: String
    let custom: String?
    let hasResults: Bool
    let sealedResults: String?
    let left: [String]
    let tables: [TableTest]

    static let fields: [TemplateField<Self>] = [
        .text("from", \.from, "the version before, as a literal"),
        .text("to", \.to, "the version after, as a literal"),
        .optional("custom", \.custom, "the type with the expectations that you write"),
        .flag("hasResults", \.hasResults, "whether the tests write its results"),
        .optional("sealedResults", \.sealedResults, "the fingerprint of the sealed results, in hexadecimal"),
        .texts("left", \.left, "the tables that are not checked, as literals"),
        .list("tables", \.tables, "the expectations for changed tables"),
    ]
}

/// The expectations for the rows of one table.
struct TableTest: TemplateValues {
    /// A column with its expected value.
    struct Column: TemplateValues {
        let name: String
        let value: ExpectedValue

        static let fields: [TemplateField<Self>] = [
            .text("name", \.literal, "the name, as a literal"),
            .object("value", \.value, "its value, for the template `ExpectedValue.swift`"),
        ]

        private var literal: String { SwiftLiteral.string(name) }
    }

    /// A foreign key to rows that may be deleted or get new primary keys.
    struct Reference: TemplateValues {
        let columns: [String]
        let old: [String]
        let target: String
        let cascades: Bool

        static let fields: [TemplateField<Self>] = [
            .text("columns", \.columnsLiteral, "the columns, as a literal"),
            .optional("oldColumns", \.oldColumns, "the columns before the step, as a literal, if they are others"),
            .text("target", \.targetLiteral, "the table before the step that it refers to, as a literal"),
            .flag("cascades", \.cascades, "whether rows are deleted with the rows that they refer to"),
        ]

        private var columnsLiteral: String { SwiftLiteral.strings(columns) }
        private var oldColumns: String? { columns == old ? nil : SwiftLiteral.strings(old) }
        private var targetLiteral: String { SwiftLiteral.string(target) }
    }

    let from: String
    let to: String
    let oldKey: [String]
    let key: [String]
    let kept: [String]
    let changed: [Column]
    let isEmptied: Bool
    /// The column of `from` that is not NULL in the expected rows; nil for all rows.
    var required: String?
    let references: [Reference]
    var isJoin = false
    /// Whether the rows of `from` are in another table too.
    var isCopy = false
    /// Whether exactly the columns that the table has in both versions keep their values.
    var keepsShared = false

    static let fields: [TemplateField<Self>] = [
        .text("from", \.fromLiteral, "the table before, as a literal"),
        .optional("to", \.toLiteral, "the table after, as a literal, if it has another name"),
        .optional("oldKey", \.oldKeyLiteral, "the columns of the old primary key, as a literal, if they are others"),
        .optional(
            "kept", \.keptLiteral,
            "the columns that keep their values, as a literal, unless they are all columns of both tables"),
        .flag("hasChanged", \.hasChanged, "whether `changed` has elements"),
        .list("changed", \.changed, "the columns with other values"),
        .flag("isEmptied", \.isEmptied, "whether all rows are deleted"),
        .optional("required", \.requiredLiteral, "the column that is not NULL in the rows that are kept, as a literal"),
        .flag("hasReferences", \.hasReferences, "whether `references` has elements"),
        .list("references", \.references, "the foreign keys that follow changed rows"),
        .flag("isJoin", \.isJoin, "whether it is a join table"),
        .flag("isCopy", \.isCopy, "whether the rows of the table before are in another table too"),
    ]

    private var fromLiteral: String { SwiftLiteral.string(from) }
    private var toLiteral: String? { to == from ? nil : SwiftLiteral.string(to) }
    private var oldKeyLiteral: String? { oldKey == key ? nil : SwiftLiteral.strings(oldKey) }
    private var keptLiteral: String? { keepsShared ? nil : SwiftLiteral.strings(kept) }
    private var hasChanged: Bool { !changed.isEmpty }
    private var requiredLiteral: String? { required.map(SwiftLiteral.string) }
    private var hasReferences: Bool { !references.isEmpty }

    /// Returns whether the test only expects that all rows of a table with these columns are unchanged.
    func isUnchanged(_ columns: Set<String>) -> Bool {
        !isCopy && from == to && oldKey == key && changed.isEmpty && !isEmptied && required == nil && references.isEmpty
            && Set(kept) == columns
    }
}

extension Generator {
    /// Returns a step's expectations. They do not list tables that are the same in both versions and whose rows are unchanged.
    ///
    /// - Parameters:
    ///   - step: The step.
    ///   - versions: The tables of the fixtures of all versions.
    func stepTest(_ step: SchemaStep, _ versions: [FixtureTables]) -> StepTest {
        let old = versions[names.index(of: step.from)].columns
        let new = versions[names.index(of: step.to)].columns
        let all = tableTests(step)
        let same = old.filter { name, table in new[name]?.since == table.since }
        let stated = all.filter { test in same[test.from].map { !test.isUnchanged($0.names) } ?? true }
        let left = Set(same.keys).subtracting(all.flatMap { $0.isCopy ? [$0.to] : [$0.from, $0.to] })
        // The results of steps that only conversions take are not sealed.
        let hasResults =
            options.results != nil && step.writesValues && !history.isPassedInConversion(step.from.version)
        return StepTest(
            from: SwiftLiteral.string(step.from.version.text), to: SwiftLiteral.string(step.to.version.text),
            custom: step.isCustom ? expectationsName(step) : nil,
            hasResults: hasResults,
            sealedResults: hasResults ? options.results?[step.ends]?.description : nil,
            left: left.sorted().map(SwiftLiteral.string),
            tables: stated.map { test in
                var test = test
                let shared = (old[test.from]?.names ?? []).intersection(new[test.to]?.names ?? [])
                test.keepsShared = Set(test.kept) == shared
                return test
            })
    }

    /// Returns the lineages of the entities whose rows a custom migration may delete or give new primary keys, directly
    /// or through references.
    private func looseEntities(_ step: SchemaStep) -> Set<EntityLineage> {
        var loose = Set(step.customEntities.map(\.new.lineage))
        // A primary key changes if it contains a foreign key that changes. A cascade deletes rows with the rows that
        // they reference.
        while let next = step.entities.map(\.new).first(where: { entity in
            guard !loose.contains(entity.lineage) else { return false }
            var key: [ElementLineage] = []
            if case .properties(let lineages) = entity.identifier { key = lineages }
            return entity.properties.contains { property in
                guard let relationship = property.relationship, loose.contains(relationship.target),
                    step.to.storage(of: relationship) == .column
                else { return false }
                return key.contains(property.lineage) || step.to.deleteRule(of: property) == .cascade
            }
        }) {
            loose.insert(next.lineage)
        }
        return loose
    }

    private func tableTests(_ step: SchemaStep) -> [TableTest] {
        let loose = looseEntities(step)
        let tables = step.entities.map { entity -> TableTest in
            let unchecked = step.instructions.unchecked
            let asksForCode =
                unchecked.contains(.init(entity: entity.new.lineage))
                || step.instructions.custom.contains(.init(entity: entity.new.lineage))
            // A custom migration may change the values of a new unique index to resolve duplicates.
            let indexed = Set(entity.customReasons.compactMap(\.index).joined())
            var kept: [String] = []
            var changed: [TableTest.Column] = []
            for column in entity.columns {
                let name = column.column.name
                // A custom migration that the description requests for the entity may change any value.
                let property = column.column.property
                let isUnchecked =
                    unchecked.contains(.init(entity: entity.new.lineage, property: property))
                    || property.map(indexed.contains) ?? false && !column.column.isKey
                let isKept = column.column.isKey || !(asksForCode || property != nil && isUnchecked)
                if case .limited = column.origin, entity.isCustom, !entity.isByColumns { continue }
                guard isKept, let value = ExpectedValue(column.origin, column.column.collation) else {
                    continue
                }
                if value == .column(name) { kept.append(name) } else { changed.append(.init(name: name, value: value)) }
            }
            return TableTest(
                from: entity.old.tableName, to: entity.new.tableName,
                oldKey: step.from.keyParts(of: entity.old).map(\.name),
                key: step.to.keyParts(of: entity.new).map(\.name), kept: kept, changed: changed,
                isEmptied: entity.isEmptied, references: references(of: entity.new, entity.columns, loose, step))
        }
        let joins = step.entities.flatMap { entity in
            step.to.joinTables(of: entity.new).compactMap { joinTest($0, entity, loose, step) }
        }
        return tables + joins + step.copies.compactMap { copyTest($0, loose, step) }
    }

    /// Returns the foreign keys of an entity to rows that may be deleted or get new primary keys.
    private func references(
        of entity: Entity, _ columns: [EntityStep.ColumnStep], _ loose: Set<EntityLineage>, _ step: SchemaStep
    ) -> [TableTest.Reference] {
        entity.properties.compactMap { property in
            guard let target = property.relationship?.target, loose.contains(target),
                let old = step.from.entity(target)
            else { return nil }
            let columns = columns.filter {
                $0.column.property == property.lineage && $0.column.role != .position
            }
            let before = columns.compactMap { column -> String? in
                if case .copy(let before) = column.origin { before.name } else { nil }
            }
            guard !columns.isEmpty, before.count == columns.count else { return nil }
            return TableTest.Reference(
                columns: columns.map(\.column.name), old: before, target: old.tableName,
                cascades: step.to.deleteRule(of: property) == .cascade)
        }
    }

    /// Returns the expectation for the rows that a new entity gets; nil if only a custom migration determines them.
    private func copyTest(_ copy: EntityCopy, _ loose: Set<EntityLineage>, _ step: SchemaStep) -> TableTest? {
        guard copy.isInferred else { return nil }
        let unchecked = step.instructions.unchecked
        var (kept, changed): ([String], [TableTest.Column]) = ([], [])
        for column in copy.columns {
            let (name, property) = (column.column.name, column.column.property)
            let isUnchecked =
                unchecked.contains(.init(entity: copy.new.lineage))
                || unchecked.contains(.init(entity: copy.new.lineage, property: property))
            guard column.column.isKey || !isUnchecked, let value = ExpectedValue(column.origin, column.column.collation)
            else { continue }
            if value == .column(name) { kept.append(name) } else { changed.append(.init(name: name, value: value)) }
        }
        return TableTest(
            from: copy.source.tableName, to: copy.new.tableName, oldKey: copy.keySources,
            key: step.to.keyParts(of: copy.new).map(\.name), kept: kept, changed: changed, isEmptied: false,
            required: copy.required, references: references(of: copy.new, copy.columns, loose, step), isCopy: true)
    }

    private func joinTest(
        _ join: ModelVersion.JoinTable, _ entity: EntityStep, _ loose: Set<EntityLineage>, _ step: SchemaStep
    ) -> TableTest? {
        let element = StepInstructions.Element(entity: entity.new.lineage, property: join.property)
        let target = join.relationship.target
        guard let was = entity.old.property(join.property)?.relationship, was.target == target,
            let oldTarget = step.from.entity(target), was.inverse == join.relationship.inverse || was.inverse == nil,
            // A relationship that becomes its own inverse gets additional pairs.
            was.inverse != nil || !step.to.isOwnInverse(join.relationship),
            // Only a custom migration decides which of several equal targets stays.
            !was.allowsDuplicates || join.relationship.allowsDuplicates,
            !step.instructions.custom.contains(element), !step.instructions.unchecked.contains(element)
        else { return nil }
        let key = join.table.primaryKey
        let source: [String]
        let targets: [String]
        let from: String
        var oldKey: [String]
        var required: String?
        // The columns with positions, and their values in the old table.
        var positions: [TableTest.Column] = []
        if let old = step.from.joinTables(of: entity.old).first(where: { $0.property == join.property }) {
            (from, source, targets) = (old.table.name, old.source, old.target)
            oldKey = source + targets + (join.relationship.allowsDuplicates ? [Table.position] : [])
            positions.append(.init(name: Table.position, value: .column(Table.position)))
            if join.hasOrderedInverse {
                let column = Table.inversePosition
                positions.append(.init(name: column, value: old.hasOrderedInverse ? .column(column) : .null))
            }
        } else if step.from.storage(of: was) == .column, let property = entity.old.property(join.property) {
            targets = step.from.referenceParts(of: property).map(\.name)
            source = step.from.keyParts(of: entity.old).map(\.name)
            from = entity.old.tableName
            oldKey = source
            required = targets[0]
            positions.append(.init(name: Table.position, value: .value(".integer(0)")))
            if join.hasOrderedInverse {
                let isOrdered = step.from.inverse(of: was)?.relationship?.isOrdered == true
                positions.append(
                    .init(name: Table.inversePosition, value: isOrdered ? .column(property.positionColumn) : .null))
            }
        } else if step.from.storage(of: was) == .inverseColumn, let inverse = step.from.inverse(of: was) {
            source = step.from.referenceParts(of: inverse).map(\.name)
            targets = step.from.keyParts(of: oldTarget).map(\.name)
            from = oldTarget.tableName
            oldKey = source + targets
            required = source[0]
            let last = ExpectedValue.value(".integer(\(Table.lastPosition))")
            positions.append(
                .init(
                    name: Table.position,
                    value: was.isOrdered ? .first(.column(inverse.positionColumn), last) : .value(".integer(0)")))
            if join.hasOrderedInverse { positions.append(.init(name: Table.inversePosition, value: .null)) }
        } else {
            return nil
        }
        var references: [TableTest.Reference] = []
        if loose.contains(entity.new.lineage) {
            references.append(.init(columns: join.source, old: source, target: entity.old.tableName, cascades: true))
        }
        if loose.contains(target) {
            references.append(.init(columns: join.target, old: targets, target: oldTarget.tableName, cascades: true))
        }
        // Only a custom migration adds columns to a primary key. The entries in `references` cover their values.
        func values(_ columns: [String], _ old: [String]) -> [TableTest.Column] {
            columns.enumerated().map { index, column in
                .init(name: column, value: old.indices.contains(index) ? .column(old[index]) : .null)
            }
        }
        let pairs = values(join.source, source) + values(join.target, targets) + positions
        return TableTest(
            from: from, to: join.table.name, oldKey: oldKey, key: key,
            kept: pairs.filter { $0.value == .column($0.name) }.map(\.name),
            changed: pairs.filter { $0.value != .column($0.name) },
            isEmptied: entity.isEmptied || step.instructions.emptied.contains(target), required: required,
            references: references, isJoin: true)
    }
}
