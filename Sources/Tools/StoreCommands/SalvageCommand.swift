import Commands
import Foundation
import SQLSchema
import Strata

/// `strata salvage`: rescues the readable rows of a damaged store into a new one of the same version.
package enum SalvageCommand {
    /// The result as an object.
    private struct Report: Codable {
        var version: String?
        var tables: [DatabaseRewriting.TableResult]
        var lostObjects: [String]
        var isComplete: Bool
    }

    static func run(_ arguments: Arguments, _ file: URL, _ console: Console) throws {
        let destination = URL(fileURLWithPath: try arguments.value("--to"))
        let draft = try draft(of: destination)
        defer { draft.remove() }
        draft.create(like: file)
        let source = try StoreFile.connect(to: file, .readOnly, StoreOptions())
        // Otherwise SQLite refuses a file that is shorter than it says.
        try source.execute("PRAGMA writable_schema = ON")
        _ = try SQLiteError.translated { try source.integer("PRAGMA schema_version") }
        let result = try DatabaseRewriting(
            source: source, target: try Connection(path: draft.url.path, mode: .create)
        ).run()
        let isSound =
            !result.isIncomplete && result.lostObjects.isEmpty
            && result.tables.allSatisfy { $0.lost.isEmpty && $0.invalid == 0 && $0.converted == 0 }
        // A store that has no rows is not damaged, but a file without any table is.
        guard result.tables.contains(where: { $0.rows > 0 && (isSound || !ReservedNames.isOfStrata($0.name)) }) else {
            throw CommandError.store(file.path, reason: "no row can be read: restore a backup")
        }
        try draft.publish()
        let store = try? StoreInspection(of: destination)
        let report = Report(
            version: store?.version, tables: result.tables, lostObjects: result.lostObjects,
            isComplete: isSound && store != nil)
        console.say(arguments.has("--json") ? try EncodedOutput.text(report) : text(report, destination))
        if !report.isComplete { throw CommandError.found }
    }

    /// Begins to write a file.
    package static func draft(of destination: URL) throws -> DraftFile {
        let folder = destination.deletingLastPathComponent().path
        guard FileManager.default.isWritableFile(atPath: folder) else {
            throw CommandError.store(destination.path, reason: "the folder does not exist, or cannot be written to")
        }
        do {
            return try DraftFile(of: destination)
        } catch MigrationError.destinationExists(let path) {
            throw CommandError.store(path, reason: "the file already exists: delete it, or choose another name")
        }
    }

    private static func text(_ report: Report, _ destination: URL) -> String {
        var lines = ["wrote \(destination.path): " + (report.version.map { "version \($0)" } ?? "its version is lost")]
        for table in report.tables
        where !ReservedNames.isOfStrata(table.name) || !table.lost.isEmpty || table.invalid + table.converted > 0 {
            var line = "  \(table.name): \(table.rows) \(table.rows == 1 ? "row" : "rows")"
            line += table.lost.map { "; rows are lost \(Self.description($0))" }.joined()
            if table.invalid > 0 { line += "; \(table.invalid) rows violate a constraint and are lost" }
            if table.converted > 0 { line += "; values with another type than their column: \(table.converted)" }
            lines.append(line)
        }
        lines += report.lostObjects.map { "  lost: \($0)" }
        if report.isComplete { lines.append("  nothing is lost") }
        return lines.joined(separator: "\n")
    }

    private static func description(_ gap: DatabaseRewriting.Gap) -> String {
        switch (gap.after, gap.before) {
        case (let after?, let before?): "between the rows \(after) and \(before), which may be damaged too"
        case (let after?, nil): "after the row \(after), which may be damaged too"
        case (nil, let before?): "before the row \(before), which may be damaged too"
        case (nil, nil): "everywhere"
        }
    }
}
