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
            "entities": .list(
                version.entities.map { entity in
                    [
                        "type": .text(names.type(entity.lineage, in: version)),
                        "table": .text(SwiftLiteral.string(entity.tableName)),
                        "columns": .list(
                            version.columns(of: entity).map { .text(column($0, of: entity, in: version)) }),
                    ]
                }),
            "joinTables": .list(
                version.entities.flatMap { entity in
                    version.joinTables(of: entity).map { join in
                        [
                            "table": .text(SwiftLiteral.string(join.table.name)),
                            "source": .text(SwiftLiteral.string(entity.tableName)),
                            "target": .text(
                                SwiftLiteral.string(version.entity(join.relationship.target)?.tableName ?? "")),
                        ]
                    }
                }),
        ]
    }

    private func column(_ column: StoredColumn, of entity: Entity, in version: SchemaVersion) -> String {
        let name = SwiftLiteral.string(column.name)
        var text: String
        switch column.role {
        case .identifier: text = ".key(\(name), \(sampleType(column.type, in: version))"
        case .attribute: text = ".value(\(name), \(sampleType(column.type, in: version))"
        case .position: text = ".position(\(name)"
        case .reference(let target):
            text = ".reference(\(name), to: \(SwiftLiteral.string(version.entity(target)?.tableName ?? ""))"
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
            let candidates = index.columns.compactMap { name in columns.first { $0.name == name } }
            let attribute = candidates.first { $0.role == .attribute && ($0.type.scalar ?? .bool) != .bool }
            names.insert((attribute ?? candidates.first)?.name ?? "")
        }
        return names
    }

    private func structTestValues(_ shape: EntityShape, _ lineage: Int) -> Value {
        [
            "type": .text(names.type(lineage, in: history.versions[shape.first])),
            "columns": .list(
                shape.columns.map { column in
                    let member = names.member(column)
                    if column.type.scalar == nil {
                        return [
                            "name": .text(SwiftLiteral.string(column.name)),
                            "value": .text("try Strata.SQLiteValue(value: entity.\(member))"),
                        ]
                    }
                    let suffix: String
                    switch column.role {
                    case .identifier: suffix = ".rawValue"
                    case .reference: suffix = column.isNullable ? "?.rawValue" : ".rawValue"
                    case .attribute, .position: suffix = ""
                    }
                    return [
                        "name": .text(SwiftLiteral.string(column.name)),
                        "value": .text("Strata.SQLiteValue(entity.\(member)\(suffix))"),
                    ]
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

    private func stepTestValues(_ step: SchemaStep) -> Value {
        let tables = step.entities.map { entity -> Value in
            let unchecked = step.instructions.unchecked
            let asksForCode =
                unchecked.contains(.init(entity: entity.new.lineage))
                || step.instructions.custom.contains(.init(entity: entity.new.lineage))
            var kept: [String] = []
            var changed: [Value] = []
            for column in entity.columns {
                let name = column.column.name
                // Where a person migrates an entity that asks for it, any of its values may become another.
                let property = column.column.property
                let isUnchecked = unchecked.contains(.init(entity: entity.new.lineage, property: property))
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
                from: entity.old.tableName, to: entity.new.tableName, key: [entity.new.identifier.name], kept: kept,
                changed: changed, isEmptied: entity.isEmptied)
        }
        let joins = step.entities.flatMap { entity in
            step.to.joinTables(of: entity.new).compactMap { joinTestValues($0, entity, step) }
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
        let key = ["source_id", "target_id"]
        let isEmptied = entity.isEmptied || step.instructions.emptied.contains(join.relationship.target)
        if let old = step.from.joinTables(of: entity.old).first(where: { $0.property == join.property }) {
            return tableTestValues(
                from: old.table.name, to: join.table.name, key: key, kept: key + ["position"], changed: [],
                isEmptied: isEmptied)
        }
        guard let column = step.from.columns(of: entity.old).first(where: { $0.property == join.property }) else {
            return nil
        }
        let target = SQL.quoted(column.name)
        let values = [("source_id", SQL.quoted(entity.old.identifier.name)), ("target_id", target), ("position", "0")]
        return tableTestValues(
            from: entity.old.tableName, to: join.table.name, key: key, kept: [],
            changed: values.map { ["name": .text(SwiftLiteral.string($0)), "value": .text(SwiftLiteral.string($1))] },
            isEmptied: isEmptied, filter: "\(target) IS NOT NULL")
    }

    private func tableTestValues(
        from: String, to: String, key: [String], kept: [String], changed: [Value], isEmptied: Bool,
        filter: String? = nil
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
