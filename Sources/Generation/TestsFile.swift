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
        let shared = sharedTables()
        return [
            "schema": .text(history.name),
            "module": .text(options.module),
            "folder": .text(folder),
            "tables": .list(shared.tables),
            "versions": .list(history.versions.indices.map { versionTestValues($0, tables: shared.names[$0]) }),
            "structs": .list(
                names.shapes.enumerated().flatMap { lineage, shapes in
                    shapes.map { structTestValues($0, lineage) }
                }),
            "steps": .list(names.steps.map(stepTestValues)),
            "customSteps": .list(names.steps.filter(\.isCustom).map(expectationValues)),
        ]
    }

    /// The tables of all versions, each once, and by version what those of it are called.
    private func sharedTables() -> (tables: [Value], names: [[String]]) {
        var tables: [Value] = []
        var known: [Value: String] = [:]
        var taken: Set<String> = []
        let names = history.versions.map { version in
            version.entities.map { entity -> String in
                let values = tableValues(entity, version)
                if let name = known[.object(values)] { return name }
                var name = "\(SwiftName.member(entity.tableName))_\(version.version.identifier)"
                while !taken.insert(name).inserted { name += "_" }
                known[.object(values)] = name
                tables.append(.object(values.merging(["name": .text(name)]) { own, _ in own }))
                return name
            }
        }
        return (tables, names)
    }

    private func tableValues(_ entity: Entity, _ version: SchemaVersion) -> [String: Value] {
        [
            "table": .text(SwiftLiteral.string(entity.tableName)),
            "entity": entity.tableName == entity.name ? .null : .text(", of: " + SwiftLiteral.string(entity.name)),
            "key": fixtureKey(entity, version),
            "columns": .list(
                version.columns(of: entity).filter { $0.part == 0 }
                    .map { .text(column($0, of: entity, in: version)) }),
            "indexes": .text(indexes(of: entity, version)),
        ]
    }

    private func versionTestValues(_ index: Int, tables: [String]) -> Value {
        let version = history.versions[index]
        return [
            "version": .text(SwiftLiteral.string(version.version.text)),
            "namespace": .text(names.namespace(index)),
            "isSealed": .text(index < options.sealedCount ? "true" : "false"),
            "fixture": options.fixtures[version.version].map { .text(", file: 0x\($0)") } ?? .null,
            "structs": .list(
                names.emitted.contains(index)
                    ? version.entities.map { .text(names.type($0.lineage, in: version)) } : []),
            "tables": .list(tables.map { .text($0) }),
            "joinTables": .list(
                version.entities.flatMap { entity in
                    version.joinTables(of: entity).map { join in
                        let isPlain = join.source.count == 1 && join.target.count == 1
                        let property = entity.property(join.property)?.name ?? ""
                        let columns =
                            ", columns: \(SwiftLiteral.strings(join.source)), \(SwiftLiteral.strings(join.target))"
                        return [
                            "table": .text(SwiftLiteral.string(join.table.name)),
                            "property": .text(SwiftLiteral.string("\(entity.name).\(property)")),
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

    private func indexes(of entity: Entity, _ version: SchemaVersion) -> String {
        let indexes = version.table(of: entity).indexes.map { index in
            ".init(\(SwiftLiteral.strings(index.columns))\(index.isUnique ? ", unique: true" : ""))"
        }
        return indexes.isEmpty ? "" : ", indexes: [\(indexes.joined(separator: ", "))]"
    }

    private func column(_ column: StoredColumn, of entity: Entity, in version: SchemaVersion) -> String {
        let name = SwiftLiteral.string(column.name)
        let property = SwiftLiteral.string(column.property.flatMap(entity.property)?.name ?? column.name)
        var text: String
        switch column.role {
        case .identifier: text = ".key(\(name), \(sampleType(column.type, in: version))"
        case .attribute: text = ".value(\(name), \(sampleType(column.type, in: version))"
        case .position: text = ".position(\(property), \(name)"
        case .reference(let target):
            let names = version.columns(of: entity).filter { $0.property == column.property && $0.role != .position }
            text =
                ".reference(\(property), \(SwiftLiteral.strings(names.map(\.name))), "
                + "to: \(SwiftLiteral.string(version.entity(target)?.tableName ?? ""))"
            let rule = column.property.flatMap(entity.property).map(version.deleteRule) ?? .nullify
            if rule != .nullify { text += ", onDelete: .\(SwiftName.member(rule.rawValue))" }
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
}
