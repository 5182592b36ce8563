import Mustache
import SchemaModel

extension Generator {
    /// The values of `Schema.swift`: the schema's versions with their tables, and its steps.
    func schemaValues() -> Value {
        var tables: [(name: String, table: Table)] = []
        var places: [Table: String] = [:]
        var taken: Set<String> = []
        let versions = history.versions.enumerated().map { index, version -> Value in
            let tableNames = version.tables.map { table -> String in
                if let name = places[table] { return name }
                var name = SwiftName.member(table.name) + "_" + version.version.identifier
                while !taken.insert(name).inserted { name += "_" }
                places[table] = name
                tables.append((name, table))
                return name
            }
            return [
                "name": .text(SwiftLiteral.string(version.version.text)),
                "namespace": .text(names.namespace(index)),
                "formerName": .text(
                    history.formerNames[version.version].map { ", which was `\($0.filter { !$0.isNewline })`" } ?? ""),
                "fingerprint": .text("0x" + version.fingerprint.description),
                "tables": .list(tableNames.map { .text("Tables." + $0) }),
            ]
        }
        return [
            "schema": .text(history.name),
            "module": .text(options.module),
            "access": .text(options.access.modifier),
            "name": .text(SwiftLiteral.string(history.name)),
            "fingerprint": .text("0x" + history.newest.fingerprint.description),
            "versions": .list(versions),
            "tables": .list(tables.map { tableValues($0.name, $0.table) }),
            "steps": .list(names.steps.map(stepValues)),
            "imported": .list(history.importedFormat.map { [importedValues($0)] } ?? []),
        ]
    }

    private func importedValues(_ format: ImportedFormat) -> Value {
        let names = history.versions.compactMap { version in
            format.formerNames[version.version.text].map {
                "\(SwiftLiteral.string(version.version.text)): \(SwiftLiteral.string($0))"
            }
        }
        return [
            "library": .text(".\(format.library)"),
            "formerNames": .text(names.isEmpty ? "[:]" : "[" + names.joined(separator: ", ") + "]"),
            "unread": .text(
                format.unread.isEmpty ? "" : ", unread: \(SwiftLiteral.strings(format.unread))"),
            "columns": .list(
                format.columns.map { column in
                    let name = "\(SwiftLiteral.string(column.table)), \(SwiftLiteral.string(column.column))"
                    let versions = "\(column.versions.lowerBound)...\(column.versions.upperBound)"
                    return .text("(\(name), .\(Self.form(column.form)), versions: \(versions))")
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

    private func tableValues(_ name: String, _ table: Table) -> Value {
        [
            "name": .text(name),
            "table": .text(SwiftLiteral.string(table.name)),
            "elements": .list(table.elements.map { .text(SwiftLiteral.string($0)) }),
            "hasIndexes": .flag(!table.indexes.isEmpty),
            "indexes": .list(
                table.indexes.map { index in
                    let unique = index.isUnique ? ", unique: true" : ""
                    return .text(
                        "Strata.Index(\(SwiftLiteral.string(index.name)), on: \(SwiftLiteral.strings(index.columns))\(unique))"
                    )
                }),
        ]
    }

    private func stepValues(_ step: SchemaStep) -> Value {
        func call(_ function: String, _ old: Entity) -> Value {
            .text("step.\(function)(\(names.type(old.lineage, in: step.from)).self) { try migration.migrate($0, $1) }")
        }
        let migrations = step.customEntities.map { entity -> Value in
            // Which one of two ways it is, the migration's type says.
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
            "migrations": .list(migrations + step.merged.map { call("merge", $0.old) }),
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
