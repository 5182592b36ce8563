import Foundation

/// Reads a folder of SQL migrations: SQLite runs the files in memory, and each file ends a version.
///
/// The names are those of SQLDelight (`1.sqm`), Flyway (`V1__users.sql`), golang-migrate (`000001_users.up.sql`), Prisma
/// (`20260102030405_users/migration.sql`), drizzle (`0000_users.sql`), Diesel (`2026-01-02-030405_users/up.sql`), dbmate, goose and
/// sqlx.
enum SQLMigrations {
    /// The files of a folder.
    private struct Folder {
        var files: [NumberedFile]
        /// Whether they are SQLDelight's: `1.sqm` leads to version 2.
        var areSQLDelight = false
        /// The files that Flyway runs again whenever they change.
        var repeatable: [String] = []
    }

    /// Reads the versions.
    ///
    /// - Parameters:
    ///   - path: The folder.
    ///   - areComplete: Whether each file creates a complete schema, as Rails' `structure.sql` does.
    /// - Returns: The versions, and the proof of the steps between them; nil if there are none.
    /// - Throws: `ImportError`.
    static func read(in path: String, areComplete: Bool) throws -> (versions: [SourceSchema], proof: ReplayProof?) {
        let folder = try folder(at: path)
        var stages: [SQLReplay.Stage] = []
        let scripts = try folder.files.map { ReplayProof.Script(path: $0.path, text: try text(of: $0.path)) }
        var replay = try SQLReplay()
        for (index, file) in folder.files.enumerated() {
            if areComplete { replay = try SQLReplay() }
            do {
                try replay.run(scripts[index].text, path: file.path)
            } catch var error as ImportError {
                if error.message.contains("already exists"), !areComplete, index > 0 {
                    error.message += "; if each file creates a complete schema, add --complete"
                }
                if error.message.contains("no such table"), index == 0, !areComplete {
                    error.message +=
                        "; the first file must create the first version"
                        + (folder.areSQLDelight ? ": write its tables to 0.sqm" : "")
                }
                throw error
            }
            stages.append(try replay.stage())
        }
        var lineages = ReplayLineages(stages)
        let schemas = try stages.enumerated().map { index, stage in
            let file = folder.files[index]
            let number = folder.areSQLDelight && file.number.count == 1 ? String(file.number[0] + 1) : file.numberText
            if !areComplete { lineages.followRows(at: index) }
            var schema = SourceSchema(
                formerName: number, path: file.path, objects: stage.objects, unread: lineages.leftTables(at: index))
            schema.userVersion = folder.areSQLDelight ? Int(number) : stage.userVersion
            if !areComplete { try lineages.add(to: &schema, file: file.name) }
            for table in try schema.tables() {
                for column in table.columns where !column.isGenerated {
                    let (type, finding) = LiveDatabase.Values().type(declared: column)
                    schema.add(type, finding, of: column, in: table)
                }
            }
            if index == folder.files.count - 1 { schema.leftOut += folder.repeatable.map { ($0, .repeatableFile) } }
            return schema
        }
        return (schemas, areComplete ? nil : ReplayProof(scripts: scripts))
    }

    private static func folder(at path: String) throws -> Folder {
        let manager = FileManager.default
        guard let names = try? manager.contentsOfDirectory(atPath: path).sorted() else {
            throw ImportError("there is no such folder", path: path)
        }
        var files: [(file: String, numbered: String)] = []
        var repeatable: [String] = []
        for name in names where !name.hasPrefix(".") {
            let file = "\(path)/\(name)"
            if manager.isFolder(file) {
                let own = (try? manager.contentsOfDirectory(atPath: file)) ?? []
                if let script = ["migration.sql", "up.sql"].first(where: own.contains) {
                    files.append(("\(file)/\(script)", file))
                } else if let other = own.first(where: isSQL) {
                    throw ImportError(
                        "only files directly in \(path) are read, and folders with migration.sql or up.sql",
                        path: "\(file)/\(other)")
                }
            } else if isSQL(name), !name.hasSuffix(".down.sql") {
                if name.contains(/^R__/) {
                    repeatable.append(name)
                } else if !name.contains(/^[uU][0-9][0-9._]*__/) {
                    files.append((file, file))
                }
            }
        }
        guard !files.isEmpty else { throw ImportError("there are no SQL files in it", path: path) }
        let sqm = files.filter { $0.file.hasSuffix(".sqm") }
        if !sqm.isEmpty, let other = files.first(where: { !$0.file.hasSuffix(".sqm") }) {
            throw ImportError("the folder also has files of SQLDelight, which count differently", path: other.file)
        }
        return Folder(
            files: try NumberedFile.sorted(files), areSQLDelight: !sqm.isEmpty, repeatable: repeatable)
    }

    private static func isSQL(_ name: String) -> Bool { name.hasSuffix(".sql") || name.hasSuffix(".sqm") }

    /// Returns the SQL of a file, without the part that undoes it.
    private static func text(of path: String) throws -> String {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw ImportError("it cannot be read", path: path)
        }
        guard var text = String(data: data, encoding: .utf8) else { throw ImportError("it is not UTF-8", path: path) }
        if text.hasPrefix("\u{FEFF}") { text.removeFirst() }
        // dbmate, goose and sql-migrate.
        let undo = text.firstMatch(of: /(?im)^--\s*(?:\+goose|\+migrate|migrate:)\s*down\b/)
        return undo.map { String(text[..<$0.range.lowerBound]) } ?? text
    }
}
