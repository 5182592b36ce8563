import Mustache
import SchemaDiff
import SchemaModel
import SQLSchema

extension Generator {
    /// Returns the values for the template `Schema.swift`: the schema's versions with their tables, and its steps.
    func schemaValues() -> Value {
        let tables = tableLines()
        let versions = history.versions.indices.map { index -> Value in
            let version = history.versions[index]
            let aliases = aliases(in: index)
            let oldest = history.compatibleSince(version.version)
            return [
                "name": .text(SwiftLiteral.string(version.version.text)),
                "namespace": .text(names.namespace(index)),
                "formerName": history.formerNames[version.version].map { .text($0.filter { !$0.isNewline }) } ?? .null,
                "fingerprint": .text("0x" + version.fingerprint.description),
                "compatibleSince": .text(
                    oldest == version.version
                        ? "" : ", compatibleSince: \(SwiftLiteral.string(oldest.text))"),
                "hasAliases": .flag(!aliases.isEmpty),
                "aliases": .list(aliases),
                "tables": .list(tables[index].map { .text($0) }),
            ]
        }
        return [
            "schema": .text(history.name),
            "module": .text(options.module),
            "access": .text(options.access.modifier),
            "name": .text(SwiftLiteral.string(history.name)),
            "fingerprint": .text("0x" + history.newest.fingerprint.description),
            "hasValueTypes": .flag(!history.newest.valueTypeLines.isEmpty),
            "valueTypes": .list(history.newest.valueTypeLines.map { .text($0) }),
            "versions": .list(versions),
            "newest": .list(newestAliases()),
            "steps": .list(names.steps.map(stepValues)),
            "imported": .list(
                history.importedFormat(invalidRows: options.invalidRows).map { [importedValues($0)] } ?? []),
        ]
    }

    /// Returns the type aliases of a version for types that an earlier version declares; empty if the version's structs
    /// are not generated.
    private func aliases(in index: Int) -> [Value] {
        guard names.emitted.contains(index) else { return [] }
        return typeAliases(in: index) { $0 < index }
    }

    private func newestAliases() -> [Value] {
        typeAliases(in: history.versions.count - 1) { _ in true }
    }

    /// Returns the type aliases of a version, for all types whose declaring version `isIncluded` accepts.
    ///
    /// - Parameters:
    ///   - index: The index of the version.
    ///   - isIncluded: Returns whether to include types that the version at an index declares.
    private func typeAliases(in index: Int, where isIncluded: (_ declaring: Int) -> Bool) -> [Value] {
        let version = history.versions[index]
        func alias(_ name: String, _ type: @autoclosure () -> String, _ first: Int?) -> Value? {
            guard let first, isIncluded(first) else { return nil }
            return ["name": .text(SwiftName.escaped(SwiftName.type(name))), "type": .text(type())]
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
            "invalidRows": .list(
                format.invalidRows.map { invalidRows in
                    let policy = Self.policy(invalidRows.policy)
                    return .text(
                        "(\(SwiftLiteral.string(invalidRows.table)), .\(policy), \(versions(invalidRows.versions)))")
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

    private static func policy(_ policy: ImportedInvalidRows.Policy) -> String {
        guard case .fill(let columns) = policy else { return "\(policy)" }
        let values = columns.sorted { $0.key < $1.key }.map {
            "\(SwiftLiteral.string($0.key)): \(SwiftLiteral.string($0.value))"
        }
        return "fill([\(values.joined(separator: ", "))])"
    }

    // MARK: Tables

    /// Returns, for each version, the lines of its new, changed and removed tables.
    private func tableLines() -> [[String]] {
        var before: [(owner: TableOwner, table: Table)] = []
        return history.versions.map { version in
            let tables = version.ownedTables
            let known = Dictionary(before.map { ($0.table.name, $0.table) }, uniquingKeysWith: { first, _ in first })
            let owned = Dictionary(before.map { ($0.owner, $0.table) }, uniquingKeysWith: { first, _ in first })
            var lines: [String] = []
            let names = Set(tables.map(\.table.name))
            // A renamed table is not dropped: the changed table with the new name replaces it.
            var gone = Set(known.keys).subtracting(names)
            for (owner, table) in tables where known[table.name] != table {
                if let base = owned[owner], base.name == table.name || !names.contains(base.name),
                    let change = SchemaText.lines(of: table, changedFrom: base)
                {
                    lines += change
                    gone.remove(base.name)
                } else {
                    lines += SchemaText.lines(of: table)
                }
            }
            lines = gone.sorted().map { SchemaText.line(dropping: $0) } + lines
            before = tables
            return lines
        }
    }

    // MARK: Steps

    private func stepValues(_ step: SchemaStep) -> Value {
        func call(_ function: String, _ type: String) -> Value {
            .text("step.\(function)(\(type).self) { try migration.value.migrate($0, .init($1)) }")
        }
        let namespace = "\(history.name).\(names.namespace(step.from))"
        let migrations = step.customRows.map { rows in
            switch rows {
            case .entity(let entity) where entity.isByColumns:
                call("migrate", "\(namespace).\(columnMigrationNames(entity, step).row)")
            case .entity(let entity): call("migrate", names.type(entity.old.lineage, in: step.from))
            case .merged(let old, _): call("merge", names.type(old.lineage, in: step.from))
            }
        }
        return [
            "from": .text(SwiftLiteral.string(step.from.version.text)),
            "to": .text(SwiftLiteral.string(step.to.version.text)),
            "changes": .list(step.tableChanges.flatMap(SchemaText.lines).map { .text($0) }),
            "isCustom": .flag(step.isCustom),
            "migration": .text(names.migration(step)),
            "migrations": .list(
                migrations
                    + Self.removalNames(step).map { name in
                        let function = "carryOn" + name
                        return .text(
                            "step.once(\(SwiftLiteral.string(function))) { try migration.value.\(function)(.init($0)) }"
                        )
                    }),
        ]
    }
}
