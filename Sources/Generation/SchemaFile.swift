import Mustache
import SchemaModel

extension Generator {
    /// The values for the template `Schema.swift`: the schema's versions with their tables, and its steps.
    func schemaValues() -> Value {
        let tables = tableHistory()
        let versions = history.versions.indices.map { index -> Value in
            let version = history.versions[index]
            let aliases = aliases(in: index)
            return [
                "name": .text(SwiftLiteral.string(version.version.text)),
                "namespace": .text(names.namespace(index)),
                "formerName": .text(
                    history.formerNames[version.version].map { ", which was `\($0.filter { !$0.isNewline })`" } ?? ""),
                "fingerprint": .text("0x" + version.fingerprint.description),
                "hasAliases": .flag(!aliases.isEmpty),
                "aliases": .list(aliases),
                "removed": .list(tables.removed[index].map { .text(SwiftLiteral.string($0)) }),
                "added": .list(tables.added[index].map { .text($0) }),
            ]
        }
        return [
            "schema": .text(history.name),
            "module": .text(options.module),
            "access": .text(options.access.modifier),
            "name": .text(SwiftLiteral.string(history.name)),
            "fingerprint": .text("0x" + history.newest.fingerprint.description),
            "versions": .list(versions),
            "newest": .list(newestAliases()),
            "tables": .list(tables.definitions.map(tableValues)),
            "steps": .list(names.steps.map(stepValues)),
            "imported": .list(history.importedFormat.map { [importedValues($0)] } ?? []),
        ]
    }

    /// The type aliases of a version for types that an earlier version declares; empty if the version's structs are not
    /// generated.
    private func aliases(in index: Int) -> [Value] {
        guard names.emitted.contains(index) else { return [] }
        return typeAliases(in: index) { $0 < index }
    }

    private func newestAliases() -> [Value] {
        typeAliases(in: history.versions.count - 1) { _ in true }
    }

    /// The type aliases of a version, for all types whose declaring version `isIncluded` accepts.
    ///
    /// - Parameters:
    ///   - index: The index of the version.
    ///   - isIncluded: Returns whether to include types that the version at an index declares.
    private func typeAliases(in index: Int, where isIncluded: (_ declaring: Int) -> Bool) -> [Value] {
        let version = history.versions[index]
        func alias(_ name: String, _ type: String, _ first: Int?) -> Value? {
            guard let first, isIncluded(first) else { return nil }
            return ["name": .text(SwiftName.escaped(SwiftName.type(name))), "type": .text(type)]
        }
        return version.entities.compactMap {
            alias($0.name, names.declaredType($0.lineage, at: index), names.shape(of: $0.lineage, at: index)?.first)
        }
            + version.subtypes.compactMap {
                alias(
                    $0.name, names.type(.subtype($0.lineage), at: index),
                    names.subtypeShape(of: $0.lineage, at: index)?.first)
            }
    }

    private func importedValues(_ format: ImportedFormat) -> Value {
        let newest = history.versions.count - 1
        // A range that includes the newest version has no upper bound, so that a new version does not change it.
        func versions(_ range: ClosedRange<Int>) -> String {
            let (first, last) = (range.lowerBound, range.upperBound)
            return "versions: \(first)...\(last == newest ? "Swift.Int.max" : String(last))"
        }
        return [
            "library": .text(".\(format.library)"),
            "formerNames": .list(
                history.versions.compactMap { version in
                    format.formerNames[version.version.text].map {
                        [
                            "name": .text(SwiftLiteral.string(version.version.text)),
                            "formerName": .text(SwiftLiteral.string($0)),
                        ]
                    }
                }),
            "unread": .list(
                format.unread.map { unread in
                    .text("(\(SwiftLiteral.string(unread.name)), .\(unread.reason), \(versions(unread.versions)))")
                }),
            "hashes": .list(
                format.hashes.map { hash in
                    let text = "0x" + String(hash.hash, radix: 16)
                    return .text("(\(SwiftLiteral.string(hash.entity)), \(text), \(versions(hash.versions)))")
                }),
            "misfits": .list(
                format.misfits.map { misfits in
                    let policy = Self.policy(misfits.policy)
                    return .text("(\(SwiftLiteral.string(misfits.table)), .\(policy), \(versions(misfits.versions)))")
                }),
            "origins": .list(
                format.origins.map { origin in
                    let name = "\(SwiftLiteral.string(origin.table)), \(SwiftLiteral.string(origin.property))"
                    let sources = SwiftLiteral.strings(origin.sources)
                    return .text("(\(name), \(sources), \(versions(origin.versions)))")
                }),
            "columns": .list(
                format.columns.map { column in
                    let name = "\(SwiftLiteral.string(column.table)), \(SwiftLiteral.string(column.column))"
                    return .text("(\(name), .\(Self.form(column.form)), \(versions(column.versions)))")
                }),
        ]
    }

    private static func form(_ form: ImportedForm) -> String {
        switch form {
        case .choice(let texts): "choice(\(SwiftLiteral.strings(texts)))"
        case .entity(let names): "entity(\(SwiftLiteral.strings(names)))"
        default: "\(form)"
        }
    }

    private static func policy(_ policy: ImportedMisfits.Policy) -> String {
        guard case .fill(let columns) = policy else { return "\(policy)" }
        let values = columns.sorted { $0.key < $1.key }.map {
            "\(SwiftLiteral.string($0.key)): \(SwiftLiteral.string($0.value))"
        }
        return "fill([\(values.joined(separator: ", "))])"
    }

    // MARK: Tables

    /// The definitions of all tables of all versions. Also, for each version, the definitions that are new or have
    /// changed, and the names of the removed tables.
    private func tableHistory() -> (
        definitions: [TableSeries<Table>.Definition], added: [[String]], removed: [[String]]
    ) {
        var series = TableSeries<Table>()
        var current: [String: Table] = [:]
        var (added, removed): ([[String]], [[String]]) = ([], [])
        for version in history.versions {
            let tables = version.ownedTables
            let names = Set(tables.map(\.table.name))
            removed.append(current.keys.filter { !names.contains($0) }.sorted())
            var changed: [String] = []
            for (owner, table) in tables {
                let name = series.name(of: table, called: table.name, owner: owner, in: version.version)
                if current[table.name] != table { changed.append(name) }
            }
            current = Dictionary(tables.map { ($0.table.name, $0.table) }, uniquingKeysWith: { first, _ in first })
            added.append(changed)
        }
        return (series.definitions, added, removed)
    }

    private func tableValues(_ definition: TableSeries<Table>.Definition) -> Value {
        let table = definition.content
        var values: [String: Value] = [
            "name": .text(definition.name),
            "base": .null,
            "table": .text(SwiftLiteral.string(table.name)),
            "elements": .list(table.elements.map { .text(SwiftLiteral.string($0)) }),
            "hasIndexes": .flag(!table.indexes.isEmpty),
            "isJoinTable": .flag(table.isJoinTable),
            "indexes": .list(table.indexes.map { .text(Self.index($0)) }),
        ]
        if let base = definition.base {
            let elements = ListChange(from: base.content.elements, to: table.elements)
            let indexes = ListChange(from: base.content.indexes, to: table.indexes)
            // A table that has little in common with its previous definition is easier to read in full.
            if base.content.isJoinTable == table.isJoinTable,
                2 * (elements.count + indexes.count) <= table.elements.count + table.indexes.count
            {
                let arguments =
                    (table.name == base.content.name ? [] : ["name: \(SwiftLiteral.string(table.name))"])
                    + SwiftLiteral.arguments(elements, "removing", "adding", SwiftLiteral.string)
                    + SwiftLiteral.arguments(indexes, "removingIndexes", "addingIndexes", Self.index)
                values["base"] = .text(base.name)
                values["arguments"] = .text(arguments.joined(separator: ", "))
            }
        }
        return .object(values)
    }

    private static func index(_ index: Index) -> String {
        let unique = index.isUnique ? ", unique: true" : ""
        return "Strata.Index(\(SwiftLiteral.string(index.name)), on: \(SwiftLiteral.strings(index.columns))\(unique))"
    }

    // MARK: Steps

    private func stepValues(_ step: SchemaStep) -> Value {
        func call(_ function: String, _ old: Entity) -> Value {
            .text("step.\(function)(\(names.type(old.lineage, in: step.from)).self) { try migration.migrate($0, $1) }")
        }
        let migrations = step.customEntities.map { entity -> Value in
            // The protocol of the custom migration decides whether it receives complete rows or single columns.
            hasColumnMigration(entity, step)
                ? .text("migration.migrate(\(names.type(entity.old.lineage, in: step.from)).self, in: step)")
                : call("migrate", entity.old)
        }
        return [
            "from": .text(SwiftLiteral.string(step.from.version.text)),
            "to": .text(SwiftLiteral.string(step.to.version.text)),
            "changes": .list(step.tableChanges.map { .text(Self.change($0)) }),
            "isCustom": .flag(step.isCustom),
            "migration": .text(names.migration(step)),
            "migrations": .list(
                migrations + step.merged.map { call("merge", $0.old) }
                    + Self.removalNames(step).map { .text("migration.carryOn\($0)(step.context)") }),
        ]
    }

    private static func pairs(_ texts: [String: String]) -> String {
        let pairs = texts.sorted { $0.key < $1.key }.map {
            "\(SwiftLiteral.string($0.key)): \(SwiftLiteral.string($0.value))"
        }
        return "[" + pairs.joined(separator: ", ") + "]"
    }

    private static func change(_ change: TableChange) -> String {
        switch change {
        case .create(let name): return ".create(\(SwiftLiteral.string(name)))"
        case .drop(let name): return ".drop(\(SwiftLiteral.string(name)))"
        case .custom(let from, let to, let columns, let references):
            var text = ".custom(from: \(SwiftLiteral.string(from)), to: \(SwiftLiteral.string(to))"
            if !columns.isEmpty { text += ", columns: \(pairs(columns))" }
            if !references.isEmpty { text += ", references: \(pairs(references))" }
            return text + ")"
        case .map(let from, let to, let columns, let filter):
            var text = ".map(from: \(SwiftLiteral.string(from)), to: \(SwiftLiteral.string(to))"
            if !columns.isEmpty { text += ", columns: \(pairs(columns))" }
            if let filter { text += ", filter: \(SwiftLiteral.string(filter))" }
            return text + ")"
        }
    }
}
