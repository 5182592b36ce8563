import Commands
import Foundation
import SQLSchema
import SchemaModel
import Strata

/// `strata export --redact`: copies a store with noise in place of its texts and data.
enum ExportCommand {
    /// The tables of Strata without texts of the customer. Any other table is the app's, whatever its name is.
    private static let ownTables: Set = ["strata_metadata", "strata_migrations"]
    /// The tables of Strata that may have texts of the customer.
    private static let tablesWithTexts: Set = ["strata_dropped", "strata_unconverted"]

    static func run(_ arguments: Arguments, _ file: URL, _ console: Console) throws {
        guard arguments.has("--redact") else {
            throw CommandError.usage("export needs --redact; to keep all values, copy the file instead")
        }
        let destination = URL(fileURLWithPath: try arguments.value("--to"))
        let source = try StoreFile.connect(to: file, .readOnly, StoreOptions())
        let identity = try SQLiteError.translated { try StoreIdentity(reading: source) }
        guard let model = try StoreCommand.model(arguments, for: identity.schema) else {
            throw CommandError.usage("export needs the model of the store: name its folder with --model")
        }
        guard
            let version = model.history.versions.first(where: {
                $0.version.text == identity.version && $0.fingerprint.value == identity.fingerprint
            })
        else { throw CommandError.noVersion(identity.version, known: model.history.versions.map(\.version.text)) }
        let draft = try SalvageCommand.draft(of: destination)
        defer { draft.remove() }
        draft.create(like: file)
        let redaction = Redaction(version)
        var rewriting = DatabaseRewriting(source: source, target: try Connection(path: draft.url.path, mode: .create))
        var limited: Set<String> = []
        rewriting.replacing = { table, columns, values in
            if tablesWithTexts.contains(table) { return nil }
            return ownTables.contains(table) ? values : redaction.redacted(table, columns, values)
        }
        rewriting.replacingViolation = { table, columns, values in
            guard redaction.knows(table) else { return nil }
            limited.insert(table)
            return redaction.redacted(table, columns, values, keepsLimited: true)
        }
        let result = try rewriting.run()
        try draft.publish()
        var lines = ["wrote \(destination.path): version \(identity.version)"]
        for table in result.tables where !ownTables.union(tablesWithTexts).contains(table.name) {
            var line = "  \(table.name): \(table.rows) \(table.rows == 1 ? "row" : "rows")"
            if limited.contains(table.name) { line += "; values with limits may be the original ones" }
            if table.invalid > 0 { line += "; \(table.invalid) left out" }
            if !table.lost.isEmpty { line += "; a part of the store is damaged" }
            lines.append(line)
        }
        lines += result.lostObjects.map { "  left out: \($0)" }
        console.say(lines.joined(separator: "\n"))
        if result.tables.contains(where: { !$0.lost.isEmpty || $0.invalid > 0 }) { throw CommandError.found }
    }
}
