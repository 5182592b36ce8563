import Mustache
import SchemaModel

extension Generator {
    /// The values of `Tests.swift`: what the tests of every version check.
    ///
    /// What they expect is told here once more, property by property, and not taken from the SQL that migrates: so a
    /// fault there is seen.
    func testsValues() -> Value {
        let folder: String =
            switch options.testFolder {
            case .aboveFile: "StrataTesting.Fixtures.folder(ofTestsAt: #filePath)"
            case .path(let path): "Foundation.URL(fileURLWithPath: \(SwiftLiteral.string(path)))"
            }
        return [
            "schema": .text(history.name),
            "module": .text(options.module),
            "folder": .text(folder),
            "versions": .list(history.versions.indices.map(versionTestValues)),
            "structs": .list(
                names.shapes.enumerated().flatMap { lineage, shapes in
                    shapes.map { structTestValues($0, lineage) }
                }),
            "steps": .list(names.steps.map(stepTestValues)),
        ]
    }

    private func versionTestValues(_ index: Int) -> Value {
        let version = history.versions[index]
        return [
            "version": .text(SwiftLiteral.string(version.version.text)),
            "namespace": .text(names.namespace(index)),
            "isSealed": .text(index < options.sealedCount ? "true" : "false"),
            "structs": .list(
                names.emitted.contains(index)
                    ? version.entities.map { .text(names.type($0.lineage, in: version)) } : []),
            "entities": .list(
                version.entities.map { entity in
                    [
                        "table": .text(SwiftLiteral.string(entity.tableName)),
                        "key": fixtureKey(entity, version),
                        "columns": .list(
                            version.columns(of: entity).filter { $0.part == 0 }
                                .map { .text(column($0, of: entity, in: version)) }),
                    ]
                }),
            "joinTables": .list(
                version.entities.flatMap { entity in
                    version.joinTables(of: entity).map { join in
                        let isPlain = join.source.count == 1 && join.target.count == 1
                        let columns =
                            ", columns: \(SwiftLiteral.strings(join.source)), \(SwiftLiteral.strings(join.target))"
                        return [
                            "table": .text(SwiftLiteral.string(join.table.name)),
                            "source": .text(SwiftLiteral.string(entity.tableName)),
                            "target": .text(
                                SwiftLiteral.string(version.entity(join.relationship.target)?.tableName ?? "")),
                            "columns": isPlain ? .null : .text(columns),
                        ]
                    }
                }),
        ]
    }

    private func fixtureKey(_ entity: Entity, _ version: SchemaVersion) -> Value {
        guard case .properties = entity.identifier else { return .null }
        return .text(", key: " + SwiftLiteral.strings(version.keyParts(of: entity).map(\.name)))
    }

    private func column(_ column: StoredColumn, of entity: Entity, in version: SchemaVersion) -> String {
        let name = SwiftLiteral.string(column.name)
        var text: String
        switch column.role {
        case .identifier: text = ".key(\(name), \(sampleType(column.type, in: version))"
        case .attribute: text = ".value(\(name), \(sampleType(column.type, in: version))"
        case .position: text = ".position(\(name)"
        case .reference(let target):
            let names = version.columns(of: entity).filter { $0.property == column.property && $0.role != .position }
            text =
                ".reference(\(SwiftLiteral.strings(names.map(\.name))), "
                + "to: \(SwiftLiteral.string(version.entity(target)?.tableName ?? ""))"
        }
        if column.isNullable, column.role != .position { text += ", nullable: true" }
        if distinctColumns(of: entity, in: version).contains(column.name), column.role != .identifier,
            column.role != .position
        {
            text += ", unique: true"
        }
        return text + ")"
    }

    /// The columns of which no two rows of a fixture may share a value, one for each unique index: of several the one
    /// whose type has the most values.
    private func distinctColumns(of entity: Entity, in version: SchemaVersion) -> Set<String> {
        let columns = version.columns(of: entity)
        var names: Set<String> = []
        for index in version.table(of: entity).indexes where index.isUnique {
            let candidates = index.columns.compactMap { name in columns.first { $0.name == name && $0.part == 0 } }
            // A key is distinct anyhow.
            if candidates.contains(where: { $0.isKey && version.keyParts(of: entity).count == 1 }) { continue }
            let attribute = candidates.first { $0.role == .attribute && ($0.type.scalar ?? .bool) != .bool }
            names.insert((attribute ?? candidates.first)?.name ?? "")
        }
        return names
    }

    private func structTestValues(_ shape: EntityShape, _ lineage: Int) -> Value {
        let version = history.versions[shape.first]
        return [
            "type": .text(names.type(lineage, in: version)),
            "columns": .list(
                shape.columns.map { column in
                    let value = names.sqliteValue("entity." + names.member(column), of: column, in: version)
                    return ["name": .text(SwiftLiteral.string(column.name)), "value": .text(value)]
                }),
        ]
    }

    /// What a fixture's column of `type` is filled with.
    private func sampleType(_ type: ValueType, in version: SchemaVersion) -> String {
        switch type {
        case .scalar(let scalar): return "." + scalar.rawValue
        case .array:
            return ".texts(\(SwiftLiteral.strings(SampleJSON.texts(of: type, in: version))))"
        case .subtype(let lineage):
            switch version.subtype(lineage)?.kind {
            case .cases(let cases): return ".texts(\(SwiftLiteral.strings(cases.map(\.value))))"
            case .options(let options):
                let all = options.reduce(0) { $0 | 1 << $1.bit }
                let values = [0] + options.map { 1 << $0.bit } + (options.count > 1 ? [all] : [])
                return ".integers([\(values.map(String.init).joined(separator: ", "))])"
            case .members, nil:
                return ".texts(\(SwiftLiteral.strings(SampleJSON.texts(of: type, in: version))))"
            }
        }
    }

    /// Whether a person was asked what becomes of the rows of an entity, and not only of some of their values.
    private func asksForRows(_ entity: EntityStep, _ step: SchemaStep) -> Bool {
        let element = StepInstructions.Element(entity: entity.new.lineage)
        return step.instructions.custom.contains(element) || entity.customReasons.contains { $0.index != nil }
            || !step.to.hasSameKey(entity.new, as: entity.old, in: step.from)
    }

    /// The entities whose rows may have other keys than they had, or none, because a person's code says so.
    private func looseEntities(_ step: SchemaStep) -> Set<Int> {
        var loose = Set(step.entities.filter { asksForRows($0, step) }.map(\.new.lineage))
        // A key that is made of such a key changes with it, and a row goes with one that it does not outlive.
        while let next = step.entities.map(\.new).first(where: { entity in
            guard !loose.contains(entity.lineage) else { return false }
            var key: [Int] = []
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

    private func stepTestValues(_ step: SchemaStep) -> Value {
        // What points at such rows follows them to wherever the code leads.
        let loose = looseEntities(step)
        let tables = step.entities.map { entity -> Value in
            let unchecked = step.instructions.unchecked
            let asksForCode =
                unchecked.contains(.init(entity: entity.new.lineage))
                || step.instructions.custom.contains(.init(entity: entity.new.lineage))
            // Where a unique index comes, a person says what becomes of duplicates.
            let indexed = Set(entity.customReasons.compactMap(\.index).joined())
            var kept: [String] = []
            var changed: [Value] = []
            for column in entity.columns {
                let name = column.column.name
                // Where a person migrates an entity that asks for it, any of its values may become another.
                let property = column.column.property
                if case .reference(let target) = column.column.role, loose.contains(target) { continue }
                let isUnchecked =
                    unchecked.contains(.init(entity: entity.new.lineage, property: property))
                    || property.map(indexed.contains) ?? false && !column.column.isKey
                let isKept = column.column.role == .identifier || !(asksForCode || property != nil && isUnchecked)
                guard isKept, let value = expectation(column.origin) else { continue }
                if value == SQL.quoted(name) {
                    kept.append(name)
                } else {
                    changed.append([
                        "name": .text(SwiftLiteral.string(name)), "value": .text(SwiftLiteral.string(value)),
                    ])
                }
            }
            return tableTestValues(
                from: entity.old.tableName, to: entity.new.tableName, key: step.to.keyParts(of: entity.new).map(\.name),
                kept: kept,
                changed: changed, isEmptied: entity.isEmptied,
                mayLose: asksForCode || loose.contains(entity.new.lineage))
        }
        let joins = step.entities.flatMap { entity in
            step.to.joinTables(of: entity.new).compactMap { join in
                loose.isDisjoint(with: [entity.new.lineage, join.relationship.target])
                    ? joinTestValues(join, entity, step) : nil
            }
        }
        return [
            "from": .text(SwiftLiteral.string(step.from.version.text)),
            "to": .text(SwiftLiteral.string(step.to.version.text)),
            "isCustom": .text(step.isCustom ? "true" : "false"),
            "tables": .list(tables + joins),
        ]
    }

    private func joinTestValues(
        _ join: SchemaVersion.JoinTable, _ entity: EntityStep, _ step: SchemaStep
    ) -> Value? {
        guard let was = entity.old.property(join.property), was.relationship?.target == join.relationship.target else {
            return nil
        }
        let key = join.source + join.target
        let isEmptied = entity.isEmptied || step.instructions.emptied.contains(join.relationship.target)
        func changed(_ pairs: some Sequence<(String, String)>) -> [Value] {
            pairs.map { ["name": .text(SwiftLiteral.string($0)), "value": .text(SwiftLiteral.string($1))] }
        }
        if let old = step.from.joinTables(of: entity.old).first(where: { $0.property == join.property }) {
            let columns = Array(zip(key, old.source + old.target))
            return tableTestValues(
                from: old.table.name, to: join.table.name, key: key,
                kept: columns.filter { $0 == $1 }.map(\.0) + ["position"],
                changed: changed(columns.filter { $0 != $1 }.map { ($0, SQL.quoted($1)) }), isEmptied: isEmptied)
        }
        let target = step.from.columns(of: entity.old).filter { $0.property == join.property && $0.role != .position }
        guard !target.isEmpty else { return nil }
        let source = step.from.keyParts(of: entity.old).map(\.name)
        let columns = zip(key, (source + target.map(\.name)).map(SQL.quoted))
        return tableTestValues(
            from: entity.old.tableName, to: join.table.name, key: key, kept: [],
            changed: changed(Array(columns) + [("position", "0")]),
            isEmptied: isEmptied, filter: "\(SQL.quoted(target[0].name)) IS NOT NULL")
    }

    private func tableTestValues(
        from: String, to: String, key: [String], kept: [String], changed: [Value], isEmptied: Bool,
        filter: String? = nil, mayLose: Bool = false
    ) -> Value {
        [
            "from": .text(SwiftLiteral.string(from)),
            "to": .text(SwiftLiteral.string(to)),
            "key": .text(SwiftLiteral.strings(key)),
            "kept": .text(SwiftLiteral.strings(kept)),
            "hasChanged": .flag(!changed.isEmpty),
            "changed": .list(changed),
            "isEmptied": .flag(isEmptied),
            "filter": filter.map { .text(", filter: " + SwiftLiteral.string($0)) } ?? .null,
            "mayLose": .text(mayLose ? ", mayLose: true" : ""),
        ]
    }

    /// What a column must hold, as SQL over the old row; nil where a person's code decides.
    private func expectation(_ origin: ValueOrigin) -> String? {
        switch origin {
        case .copy(let column): return SQL.quoted(column.name)
        case .converted(let column, let conversion): return conversion.sql(SQL.quoted(column.name))
        case .coalesced(let first, let second):
            guard let first = expectation(first), let second = expectation(second) else { return nil }
            return "CASE WHEN \(first) IS NULL THEN \(second) ELSE \(first) END"
        case .constant(let literal): return literal.sql
        case .null: return "NULL"
        case .custom: return nil
        }
    }
}
