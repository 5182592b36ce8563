import Mustache
import SchemaDiff
import SchemaModel

extension Generator {
    /// Returns the values for the template `Migrations.swift`: a protocol for each step with a custom migration, and
    /// the initializers that the custom migration uses.
    func migrationsValues() -> Value {
        var declared: Set<[String]> = []
        let steps = names.steps.filter(\.isCustom).map { step -> Value in
            let initializers = step.customEntities.filter { entity in
                // If both structs are shared with earlier versions, an earlier step may have declared the initializer.
                let home = [home(entity.old.lineage, step.from), home(entity.new.lineage, step.to)]
                return declared.insert(home + parameters(of: entity).map(\.column.name)).inserted
            }
            return [
                "protocol": .text("Custom" + names.migration(step)),
                "from": .text(step.from.version.text),
                "to": .text(step.to.version.text),
                "old": .text(names.namespace(step.from)),
                "new": .text(names.namespace(step.to)),
                "reasons": .list(step.customReasons.map { .text($0) }),
                "functions": .list(functions(of: step)),
                "removals": .list(removals(of: step)),
                "context": .text(contextName),
                "initializers": .list(initializers.map { initializerValues($0, step) }),
                "columnMigrations": .list(
                    step.customEntities.filter(\.isByColumns).map { columnMigrationValues($0, step) }),
            ]
        }
        return [
            "schema": .text(history.name), "access": .text(options.access.modifier), "steps": .list(steps),
            "relationships": .list(versionRelationships()),
        ]
    }

    /// Returns the values of the relationships that entities have before and after the steps with custom migrations, where these
    /// differ from those of the struct, which are the relationships of the newest version that shares it.
    private func versionRelationships() -> [Value] {
        let custom = names.steps.filter(\.isCustom)
        let ends = Set(custom.flatMap { [names.index(of: $0.from), names.index(of: $0.to)] }).sorted()
        return ends.flatMap { index -> [Value] in
            let version = history.versions[index]
            return version.entities.compactMap { entity in
                guard let shape = names.shape(of: entity.lineage, at: index) else { return nil }
                let own = relationships(of: entity.lineage, at: names.lastEmitted(in: shape.first...shape.last))
                let members = relationships(of: entity.lineage, at: index).filter { !own.contains($0) }
                if members.isEmpty { return nil }
                return [
                    "version": .text("\(history.name).\(names.namespace(version))"),
                    "source": .text(names.declaredType(entity.lineage, at: index)),
                    "members": .list(members),
                ]
            }
        }
    }

    /// Returns the values of an entity's relationships in the version at `index`.
    private func relationships(of lineage: EntityLineage, at index: Int) -> [Value] {
        let version = history.versions[index]
        return version.entity(lineage).map {
            relationshipValues(of: $0, in: version) { names.declaredType($0.lineage, at: index) }
        } ?? []
    }

    /// Returns the values for the template `MigrationStub.swift`: the stub of a custom migration.
    func stubValues(_ step: SchemaStep) -> Value {
        let functions = functions(of: step)
        return [
            "schema": .text(history.name),
            "from": .text(step.from.version.text),
            "to": .text(step.to.version.text),
            "mark": .text(StubMark.blank),
            "migration": .text(names.migration(step)),
            "protocol": .text("Custom" + names.migration(step)),
            "reasons": .list(step.customReasons.map { .text($0) }),
            "functions": .list(functions),
            "removals": .list(removals(of: step)),
            "context": .text(contextName),
            "needsDidMigrate": .flag(functions.isEmpty && step.removals.isEmpty),
        ]
    }

    /// The name of the context type in custom migrations. `Context` is not available if an entity has that name.
    private var contextName: String {
        let types = history.versions.flatMap(\.entities).map { SwiftName.type($0.name) }
        return types.contains("Context") ? "Strata.MigrationContext<OldVersion, NewVersion>" : "Context"
    }

    private func home(_ lineage: EntityLineage, _ version: ModelVersion) -> String {
        let index = history.versions.firstIndex { $0.version == version.version } ?? 0
        let shape = names.shapes[lineage].first { $0.first <= index && index <= $0.last }
        return names.type(lineage, in: history.versions[shape?.first ?? index])
    }

    /// Returns the values of the functions that you write. There is one for each entity whose rows a custom migration
    /// converts, and one for each removed entity whose rows a custom migration turns into rows of another entity.
    private func functions(of step: SchemaStep) -> [Value] {
        let converted = step.customEntities.map { entity -> Value in
            let parameters = parameters(of: entity).map { "\(names.label($0.column)): …" }
            guard entity.isByColumns else {
                let arguments = ["migrating: old"] + parameters
                return functionValues(
                    entity.old, short(entity.old.lineage, step.from), short(entity.new.lineage, step.to),
                    example: ".keep(.init(\(arguments.joined(separator: ", "))))")
            }
            let types = columnMigrationNames(entity, step)
            return functionValues(
                entity.old, "borrowing \(names.namespace(step.from)).\(types.row)",
                "\(names.namespace(step.to)).\(types.values)",
                example: ".keep(.init(\(parameters.joined(separator: ", "))))")
        }
        return converted
            + step.merged.map {
                functionValues(
                    $0.old, short($0.old.lineage, step.from), short($0.new.lineage, step.to), example: ".keep(.init(…))"
                )
            }
    }

    /// Returns the name of a struct without the schema: `V1_0.Laundry`.
    private func short(_ lineage: EntityLineage, _ version: ModelVersion) -> String {
        String(names.type(lineage, in: version).dropFirst(history.name.count + 1))
    }

    /// Returns the values of the functions that preserve removed data.
    private func removals(of step: SchemaStep) -> [Value] {
        zip(step.removals, Self.removalNames(step)).map { removal, name in
            ["function": .text("carryOn" + name), "reason": .text(removal.reason)]
        }
    }

    /// Returns the removals of a step as parts of function names: `UserFax` for the property `fax` of `user`.
    static func removalNames(_ step: SchemaStep) -> [String] {
        var taken: Set<String> = []
        return step.removals.map { entity, property, _ in
            var name = SwiftName.type(entity.name) + (property.map { SwiftName.type($0.name) } ?? "")
            while !taken.insert(name).inserted { name += "_" }
            return name
        }
    }

    private func functionValues(_ entity: Entity, _ old: String, _ new: String, example: String) -> Value {
        ["old": .text(old), "new": .text(new), "entity": .text(entity.name), "example": .text(example)]
    }

    /// Returns the first column of each property of the struct.
    private func members(of entity: EntityStep) -> [EntityStep.ColumnStep] {
        entity.columns.filter { $0.column.part == 0 }
    }

    /// Returns the first column of each property whose value you provide. SQL replaces values that violate a limit, which
    /// a migration of complete rows does not use.
    func parameters(of entity: EntityStep) -> [EntityStep.ColumnStep] {
        members(of: entity).filter {
            switch $0.origin {
            case .custom, .limited: true
            case .copy, .changed, .coalesced, .constant, .null: false
            }
        }
    }

    /// Returns the names of the types with which a custom migration reads and provides single columns of an entity's
    /// rows.
    func columnMigrationNames(_ entity: EntityStep, _ step: SchemaStep) -> (row: String, values: String) {
        func name(_ entity: Entity, _ suffix: String, in version: ModelVersion) -> String {
            let taken = (version.entities.map(\.name) + version.subtypes.map(\.name)).map(SwiftName.type)
            var name = SwiftName.type(entity.name) + suffix
            while taken.contains(name) { name += "_" }
            return name
        }
        // A chain leads from several versions to one.
        let isFirst = names.index(of: step.from) + 1 == names.index(of: step.to)
        let suffix = isFirst ? "Values" : "Values_" + step.from.version.identifier
        return (name(entity.old, "Row", in: step.from), name(entity.new, suffix, in: step.to))
    }

    private func columnMigrationValues(_ entity: EntityStep, _ step: SchemaStep) -> Value {
        let own = columnMigrationNames(entity, step)
        let given = entity.columns.filter { if case .custom = $0.origin { true } else { false } }.map(\.column)
        let read = step.from.columns(of: entity.old).enumerated().filter { $1.part == 0 }
        var storage = "row"
        while read.contains(where: { $1.member == storage }) { storage += "_" }
        return [
            "old": .text(names.type(entity.old.lineage, in: step.from)),
            "new": .text(names.type(entity.new.lineage, in: step.to)),
            "oldNamespace": .text(names.namespace(step.from)),
            "newNamespace": .text(names.namespace(step.to)),
            "entity": .text(entity.old.name),
            "newEntity": .text(entity.new.name),
            "row": .text(own.row),
            "values": .text(own.values),
            "storage": .text(storage),
            "columns": .list(
                read.map { index, column in
                    [
                        "member": .text(names.member(column)),
                        "type": .text(names.type(of: column, lineage: entity.old.lineage, in: step.from)),
                        "read": .text("\(Self.reader(column))(\(index))"),
                    ]
                }),
            "names": .text(SwiftLiteral.strings(given.map(\.name))),
            "parameters": .list(
                given.filter { $0.part == 0 }.enumerated().map { index, column in
                    [
                        "member": .text(names.member(column)),
                        "declaration": .text(names.parameter(column.member).declared),
                        "parameter": .text(names.parameter(column.member).name),
                        "type": .text(names.type(of: column, lineage: entity.new.lineage, in: step.to)),
                        "isFirst": .flag(index == 0),
                    ]
                }),
            "cases": .list(
                given.enumerated().map { index, column in
                    [
                        "place": .text(String(index)),
                        "value": .text(names.sqliteValue("self." + names.member(column), of: column, in: step.to)),
                    ]
                }),
        ]
    }

    private func initializerValues(_ entity: EntityStep, _ step: SchemaStep) -> Value {
        let lineage = entity.new.lineage
        let parameters = parameters(of: entity)
        let taken = parameters.map(\.column.member)
        var old = "old"
        while taken.contains(old) { old += "Row" }
        let members = members(of: entity)
        let arguments = members.enumerated().map { index, column -> Value in
            return [
                "label": .text(names.label(column.column)),
                "value": .text(
                    expression(column.origin, column.column, old: old, step)
                        ?? names.parameter(column.column.member).name),
                "comma": .text(index == members.count - 1 ? "" : ","),
            ]
        }
        return [
            "type": .text(names.type(lineage, in: step.to)),
            "oldType": .text(names.type(entity.old.lineage, in: step.from)),
            "old": .text(old),
            "parameters": .list(
                parameters.map { parameter in
                    [
                        "declaration": .text(names.parameter(parameter.column.member).declared),
                        "type": .text(names.type(of: parameter.column, lineage: lineage, in: step.to)),
                    ]
                }),
            "arguments": .list(arguments),
        ]
    }

    /// Returns Swift source for a value, from the old struct; nil if the value is a parameter.
    private func expression(
        _ origin: ValueOrigin, _ column: StoredColumn, old: String, _ step: SchemaStep
    ) -> String? {
        let version = step.to
        switch origin {
        case .copy(let before):
            let value = "\(old).\(names.member(before))"
            guard case .reference(let target) = column.role else { return value }
            if !before.isNullable { return key(of: target, value, step) }
            let new = key(of: target, "$0", step)
            return new == "$0" ? value : "\(value).map { \(new) }"
        case .changed(let before, let change):
            return names.expression(
                change, "\(old).\(names.member(before))", isOptional: before.isNullable, in: version)
        case .coalesced(let first, let second):
            guard let first = expression(first, column, old: old, step),
                let second = expression(second, column, old: old, step)
            else { return nil }
            return "\(first) ?? \(second)"
        case .constant(let literal): return names.value(literal, type: column.type, in: version)
        case .null: return "nil"
        case .custom, .limited: return nil
        }
    }

    /// Returns Swift source for the new primary key of a row, from the old one, which has the same values. A part that is
    /// renamed gives the primary key another type.
    private func key(of target: EntityLineage, _ old: String, _ step: SchemaStep) -> String {
        let (before, after) = (names.id(target, in: step.from), names.id(target, in: step.to))
        guard before != after, case .members(let oldMembers)? = names.keyShape(target, in: step.from)?.form,
            case .members(let newMembers)? = names.keyShape(target, in: step.to)?.form
        else { return old }
        let arguments = zip(oldMembers, newMembers).map { member, new in
            let value = "\(old).\(SwiftName.escaped(member.name))"
            return "\(SwiftName.label(new.name)): " + (new.target.map { key(of: $0, value, step) } ?? value)
        }
        return "\(after)(\(arguments.joined(separator: ", ")))"
    }
}
