import Mustache
import SchemaDiff
import SchemaModel
import SQLSchema

extension Generator {
    /// Returns the values for the template `Tests.swift`: the tests of all versions.
    ///
    /// The expectations are computed from the properties and not taken from the SQL of the migration. So the tests find
    /// errors in that SQL.
    func testsValues() -> Value {
        let folder: String =
            switch options.testFolder {
            case .aboveFile: "StrataTesting.Fixtures.folder(ofTestsAt: #filePath)"
            case .path(let path): "Foundation.URL(fileURLWithPath: \(SwiftLiteral.string(path)))"
            }
        let (tables, versions) = fixtureTables()
        return [
            "schema": .text(history.name),
            "module": .text(options.module),
            "folder": .text(folder),
            "model": options.modelPath.map { .text(SwiftLiteral.string($0)) } ?? .null,
            "tables": .list(tables.concurrentMap(tableValues)),
            "versions": .list(history.versions.indices.map { versionTestValues($0, versions[$0]) }),
            "steps": .list(names.steps.concurrentMap { stepTestValues($0, versions) }),
            "hasCompatibleVersions": .flag(
                history.versions.contains { history.compatibleSince($0.version) != $0.version }),
            "hasInvalidRowPolicies": .flag(!options.invalidRows.isEmpty),
            "customSteps": .list(names.steps.filter(\.isCustom).map(expectationValues)),
        ]
    }

    // MARK: Tables

    /// A table of a fixture, with columns and indexes as Swift source.
    private struct FixtureTableText: Hashable, Sendable {
        let table: String
        let entity: String
        let key: [String]?
        let columns: [String]
        let computed: [String]
        let indexes: [String]
        let checks: [String]
        let search: String
    }

    /// The tables of the fixture of one version.
    struct FixtureTables: Sendable {
        /// The tables, by name: the index of the version that last added or changed the table, and the columns in which
        /// the tests compare rows.
        var columns: [String: (since: Int, names: Set<String>)] = [:]
        /// The added and changed tables, as Swift source.
        var added: [String] = []
        /// The names of the tables that the previous version has and this version does not.
        var removed: [String] = []
    }

    /// Returns the definitions of all tables of all fixtures, and the tables of each version.
    private func fixtureTables() -> (
        definitions: [TableSeries<FixtureTableText>.Definition], versions: [FixtureTables]
    ) {
        var series = TableSeries<FixtureTableText>()
        var current: [String: (owner: TableOwner, text: String)] = [:]
        var versions: [FixtureTables] = []
        let changed = history.versions.enumerated().map { index, version in
            version.entities.map { index == 0 || !version.unchanged.contains($0.lineage) }
        }
        var texts = zip(history.versions, changed).flatMap { version, isChanged in
            zip(version.entities, isChanged).compactMap { $1 ? (entity: $0, version: version) : nil }
        }.concurrentMap { entity, version in
            (text: tableText(entity, version), columns: Set(version.columns(of: entity).map(\.name)))
        }[...]
        for (index, version) in history.versions.enumerated() {
            var tables = FixtureTables()
            var next: [String: (owner: TableOwner, text: String)] = [:]
            func add(_ table: String, _ owner: TableOwner, _ text: String, _ columns: Set<String>) {
                let isNew = current[table].map { $0.owner != owner || $0.text != text } ?? true
                if isNew { tables.added.append(text) }
                let since = isNew ? index : versions.last?.columns[table]?.since ?? index
                tables.columns[table] = (since, columns)
                next[table] = (owner, text)
            }
            for (entity, isChanged) in zip(version.entities, changed[index]) {
                let owner = TableOwner(entity: entity.lineage)
                if isChanged, let (text, columns) = texts.popFirst() {
                    let name = series.name(of: text, called: entity.tableName, owner: owner, in: version.version)
                    add(entity.tableName, owner, "\(history.name)Tables.\(name)", columns)
                } else {
                    tables.columns[entity.tableName] = versions.last?.columns[entity.tableName]
                    next[entity.tableName] = current[entity.tableName]
                }
                for join in version.joinTables(of: entity) {
                    add(
                        join.table.name, TableOwner(entity: entity.lineage, relationship: join.property),
                        joinText(join, of: entity, version), Set(join.table.columnNames))
                }
            }
            tables.removed = current.keys.filter { next[$0] == nil }.sorted()
            current = next
            versions.append(tables)
        }
        return (series.definitions, versions)
    }

    private func tableText(_ entity: Entity, _ version: ModelVersion) -> FixtureTableText {
        var key: [String]?
        if case .properties = entity.identifier { key = version.keyParts(of: entity).map(\.name) }
        let distinct = distinctColumns(of: entity, in: version)
        return FixtureTableText(
            table: entity.tableName, entity: entity.name, key: key,
            columns: version.columns(of: entity).filter { $0.part == 0 }.map { stored in
                column(stored, of: entity, in: version, isDistinct: distinct.contains(stored.name))
            },
            computed: zip(entity.computed, version.computedColumns(of: entity)).map { property, column in
                let names = [column.name, property.name, property.member].map { SwiftLiteral.string($0) }
                return ".init(\(names[0]), of: \(names[1]), as: \(names[2]), "
                    + "\(SwiftLiteral.string(column.type.rawValue.uppercased())), "
                    + "\(SwiftLiteral.string(SQLite.expression(column.value))))"
            },
            indexes: version.table(of: entity).indexes.map { index in
                let columns = index.columns.map { $0 + (index.shape.descending.contains($0) ? " DESC" : "") }
                let rows = index.shape.condition.map { ", where: \(SwiftLiteral.string(SQLite.expression($0)))" } ?? ""
                return ".init(\(SwiftLiteral.strings(columns))\(index.isUnique ? ", unique: true" : "")\(rows))"
            },
            checks: version.table(of: entity).checks.map { check in
                let columns = Set(check.condition.columns).sorted()
                return ".init(\(SwiftLiteral.string(check.name)), on: \(SwiftLiteral.strings(columns)), "
                    + "\(SwiftLiteral.string(SQLite.expression(check.condition))))"
            },
            search: version.table(of: entity).search.map { search in
                let tokenizer = SwiftLiteral.string(search.tokenizer.rawValue)
                return ".init(\(SwiftLiteral.strings(search.columns)), tokenizer: \(tokenizer))"
            } ?? "")
    }

    private func joinText(_ join: ModelVersion.JoinTable, of entity: Entity, _ version: ModelVersion) -> String {
        let property = SwiftLiteral.string("\(entity.name).\(entity.property(join.property)?.name ?? "")")
        let target = SwiftLiteral.string(version.entity(join.relationship.target)?.tableName ?? "")
        let isPlain = join.source.count == 1 && join.target.count == 1
        let columns =
            isPlain ? "" : ", columns: \(SwiftLiteral.strings(join.source)), \(SwiftLiteral.strings(join.target))"
        return "StrataTesting.FixtureJoinTable(\(SwiftLiteral.string(join.table.name)), of: \(property), "
            + "from: \(SwiftLiteral.string(entity.tableName)), to: \(target)\(columns)"
            + (join.relationship.allowsDuplicates ? ", duplicates: true" : "")
            + (join.hasOrderedInverse ? ", orderedInverse: true)" : ")")
    }

    private func tableValues(_ definition: TableSeries<FixtureTableText>.Definition) -> Value {
        let text = definition.content
        var values: [String: Value] = [
            "name": .text(definition.name),
            "base": .null,
            "table": .text(SwiftLiteral.string(text.table)),
            "entity": text.entity == text.table ? .null : .text(", of: " + SwiftLiteral.string(text.entity)),
            "key": text.key.map { .text(", key: " + SwiftLiteral.strings($0)) } ?? .null,
            "columns": .list(text.columns.map { .text($0) }),
            "computed": .text(text.computed.isEmpty ? "" : ", computed: [\(text.computed.joined(separator: ", "))]"),
            "indexes": .text(text.indexes.isEmpty ? "" : ", indexes: [\(text.indexes.joined(separator: ", "))]"),
            "checks": .text(text.checks.isEmpty ? "" : ", checks: [\(text.checks.joined(separator: ", "))]"),
            "search": .text(text.search.isEmpty ? "" : ", search: \(text.search)"),
        ]
        if let base = definition.base {
            let columns = ListChange(from: base.content.columns, to: text.columns)
            if 2 * columns.count <= text.columns.count {
                var arguments: [String] = []
                if text.table != base.content.table || text.entity != base.content.entity {
                    arguments = [SwiftLiteral.string(text.table), "of: \(SwiftLiteral.string(text.entity))"]
                }
                if let key = text.key, text.key != base.content.key {
                    arguments.append("key: \(SwiftLiteral.strings(key))")
                } else if text.key == nil, let first = text.columns.first, first != base.content.columns.first {
                    // If the primary key is not a property, it is the first column.
                    return .object(values)
                }
                arguments += SwiftLiteral.arguments(columns, "removing", "adding") { $0 }
                if text.computed != base.content.computed {
                    arguments.append("computed: [\(text.computed.joined(separator: ", "))]")
                }
                if text.indexes != base.content.indexes {
                    arguments.append("indexes: [\(text.indexes.joined(separator: ", "))]")
                }
                if text.checks != base.content.checks {
                    arguments.append("checks: [\(text.checks.joined(separator: ", "))]")
                }
                if text.search != base.content.search {
                    arguments.append("search: \(text.search.isEmpty ? ".init([])" : text.search)")
                }
                values["base"] = .text(base.name)
                values["arguments"] = .text(arguments.joined(separator: ", "))
            }
        }
        return .object(values)
    }

    /// Returns whether the fixture of a version is sealed together with the version. A version that conversions only
    /// pass through has no sealed fixture, because no device has a store of it.
    private func hasSealedFixture(_ index: Int) -> Bool {
        index < options.sealedCount && !history.isPassedInConversion(history.versions[index].version)
    }

    private func versionTestValues(_ index: Int, _ tables: FixtureTables) -> Value {
        let version = history.versions[index]
        return [
            "version": .text(SwiftLiteral.string(version.version.text)),
            "namespace": .text(names.namespace(index)),
            "isSealed": .text(hasSealedFixture(index) ? "true" : "false"),
            "fixture": hasSealedFixture(index)
                ? options.fixtures[version.version].map { .text(", file: 0x\($0)") } ?? .null : .null,
            "structs": .list(
                version.entities.compactMap { entity in
                    guard let shape = names.shape(of: entity.lineage, at: index), shape.first == index else {
                        return nil
                    }
                    return .text(names.type(entity.lineage, in: version))
                }),
            "added": .list(tables.added.map { .text($0) }),
            "removed": .list(tables.removed.map { .text(SwiftLiteral.string($0)) }),
        ]
    }

    private func column(
        _ column: StoredColumn, of entity: Entity, in version: ModelVersion, isDistinct: Bool
    ) -> String {
        let name = SwiftLiteral.string(column.name)
        let property = SwiftLiteral.string(column.property.flatMap(entity.property)?.name ?? column.name)
        var text: String
        switch column.role {
        case .identifier: text = ".key(\(name), \(sampleType(column.type, in: version))"
        case .attribute: text = ".value(\(name), \(sampleType(column, of: entity, in: version))"
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
        if isDistinct, column.role != .identifier, column.role != .position { text += ", unique: true" }
        // StrataTesting compares names in the same way.
        func plain(_ name: String) -> String { name.lowercased().filter { $0 != "_" } }
        let hasOwnName = plain(column.member) != plain(column.name)
        return text + (hasOwnName ? ").named(\(SwiftLiteral.string(column.member)))" : ")")
    }

    /// Returns the columns whose values must be distinct in a fixture, one for each unique index. It is the first
    /// attribute of the index that has a scalar type other than Boolean, or else the first column of the index.
    private func distinctColumns(of entity: Entity, in version: ModelVersion) -> Set<String> {
        let columns = version.columns(of: entity)
        var names: Set<String> = []
        for index in version.table(of: entity).indexes where index.isUnique {
            let candidates = index.columns.compactMap { name in columns.first { $0.name == name && $0.part == 0 } }
            // A single-column primary key is always distinct.
            if candidates.contains(where: { $0.isKey && version.keyParts(of: entity).count == 1 }) { continue }
            let attribute = candidates.first { $0.role == .attribute && ($0.type.scalar ?? .bool) != .bool }
            names.insert((attribute ?? candidates.first)?.name ?? "")
        }
        return names
    }

    /// Returns Swift source for the sample values of a fixture's column, with its limits.
    private func sampleType(_ column: StoredColumn, of entity: Entity, in version: ModelVersion) -> String {
        let type = sampleType(column.type, in: version)
        let limits = column.property.flatMap(entity.property)?.limits ?? []
        return limits.isEmpty ? type : ".limited(\(type), [\(limits.map(limitText).joined(separator: ", "))])"
    }

    func limitText(_ limit: ValueLimit) -> String {
        switch limit {
        case .minimum(let value): ".minimum(\(sqliteValue(value)))"
        case .maximum(let value): ".maximum(\(sqliteValue(value)))"
        case .minLength(let length): ".minLength(\(length))"
        case .maxLength(let length): ".maxLength(\(length))"
        case .pattern(let pattern): ".pattern(\(SwiftLiteral.string(pattern)))"
        case .oneOf(let values): ".oneOf([\(values.map(sqliteValue).joined(separator: ", "))])"
        }
    }

    func sqliteValue(_ value: Literal) -> String {
        switch value {
        case .integer(let value): ".integer(\(value))"
        case .real(let value): ".real(\(value))"
        case .text(let text): ".text(\(SwiftLiteral.string(text)))"
        case .blob(let bytes): ".blob(Foundation.Data(\(bytes)))"
        }
    }

    /// Returns Swift source for the sample values of a fixture's column.
    private func sampleType(_ type: ValueType, in version: ModelVersion) -> String {
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
