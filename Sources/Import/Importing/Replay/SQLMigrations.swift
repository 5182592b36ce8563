import Foundation
import SchemaModel
import SQLSchema

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
        /// SQLDelight's declarations of the newest version.
        var declarations: [String] = []
        /// The files that Flyway runs again whenever they change.
        var repeatable: [String] = []
    }

    /// Reads the versions.
    ///
    /// - Parameters:
    ///   - path: The folder.
    ///   - areComplete: Whether each file creates a complete schema, as Rails' `structure.sql` does.
    ///   - placeholders: The values of Flyway's placeholders.
    /// - Returns: The versions, and the proof of the steps between them; nil if there are none.
    /// - Throws: `ImportError`.
    static func read(
        in path: String, areComplete: Bool, placeholders: [String: String] = [:]
    ) throws -> (versions: [SourceSchema], proof: ReplayProof?) {
        var folder = try folder(at: path)
        var scripts = try folder.files.map { try MigrationScript(path: $0.path, placeholders: placeholders) }
        try checkPlaceholders(scripts, path)
        if !folder.declarations.isEmpty {
            let declared = DeclaredSchema(try folder.declarations.map { try MigrationScript(path: $0) })
            if let first = try first(declared, scripts, folder, path) {
                scripts.insert(first, at: 0)
                folder.files.insert(NumberedFile(path: first.path, number: [0]), at: 0)
            }
        }
        let stages = try stages(scripts, folder, areComplete: areComplete)
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
                    let (type, finding) = type(of: column, in: table, stage)
                    schema.add(type, finding, of: column, in: table)
                }
            }
            if index == folder.files.count - 1 { schema.leftOut += folder.repeatable.map { ($0, .repeatableFile) } }
            return schema
        }
        return (schemas, areComplete ? nil : ReplayProof(scripts: scripts))
    }

    /// Returns the script of the first version, if no file creates it; nil if one does.
    private static func first(
        _ declared: DeclaredSchema, _ scripts: [MigrationScript], _ folder: Folder, _ path: String
    ) throws -> MigrationScript? {
        if scripts.isEmpty { return declared.script }
        if folder.files[0].number == [0] || (try? SQLReplay().run(scripts[0])) != nil { return nil }
        // The first version, unless `1.sqm` is missing.
        guard folder.files[0].number == [1] else { return nil }
        return try declared.first(before: scripts, path: path)
    }

    /// Returns the state after each file.
    private static func stages(
        _ scripts: [MigrationScript], _ folder: Folder, areComplete: Bool
    ) throws -> [SQLReplay.Stage] {
        var replay = try SQLReplay()
        return try scripts.enumerated().map { index, script in
            if areComplete { replay = try SQLReplay() }
            do {
                try replay.run(script)
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
            return try replay.stage()
        }
    }

    private static func checkPlaceholders(
        _ scripts: [MigrationScript], _ path: String
    ) throws {
        let missing = Set(scripts.flatMap(\.missing)).sorted()
        if missing.isEmpty { return }
        throw ImportError(
            "these placeholders have no value: \(missing.joined(separator: ", ")); add "
                + missing.map { "--placeholder \($0)=VALUE" }.joined(separator: " "), path: path)
    }

    /// Returns the type of a column: that of its declaration, or the one in the app's code.
    private static func type(
        of column: SourceTable.Column, in table: SourceTable, _ stage: SQLReplay.Stage
    ) -> (ScalarType, ImportFinding?) {
        let found = stage.tables.first { $0.name == table.name }?.column(column.name)?.codeType
        let declared = LiveDatabase.Values().type(declared: column)
        guard let found else { return declared }
        switch found.split(separator: ".").last.map(String.init) ?? "" {
        case "Boolean" where column.affinity == .int: return (.bool, nil)
        case "Boolean", "Byte", "Short", "Int", "Long", "Float", "Double", "String", "ByteArray": return declared
        default: return (declared.0, .codeType(found))
        }
    }

    private static func folder(at path: String) throws -> Folder {
        let manager = FileManager.default
        guard let names = try? manager.contentsOfDirectory(atPath: path).sorted() else {
            throw ImportError("there is no such folder", path: path)
        }
        // SQLDelight's files are in the folders of Kotlin packages.
        let all = (manager.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []).sorted()
        let sqm = all.filter { $0.hasSuffix(".sqm") }.map { "\(path)/\($0)" }
        let declarations = all.filter { $0.hasSuffix(".sq") }.map { "\(path)/\($0)" }
        if !sqm.isEmpty || !declarations.isEmpty {
            if let other = names.first(where: { $0.hasSuffix(".sql") }) {
                throw ImportError(
                    "the folder also has files of SQLDelight, which count differently", path: "\(path)/\(other)")
            }
            return Folder(
                files: try NumberedFile.sorted(sqm.map { ($0, $0) }), areSQLDelight: true, declarations: declarations)
        }
        var files: [(file: String, numbered: String)] = []
        var repeatable: [String] = []
        for name in names where !name.hasPrefix(".") {
            let file = "\(path)/\(name)"
            if manager.isFolder(file) {
                let own = (try? manager.contentsOfDirectory(atPath: file)) ?? []
                if let script = ["migration.sql", "up.sql"].first(where: own.contains) {
                    files.append(("\(file)/\(script)", file))
                } else if let other = own.first(where: { $0.hasSuffix(".sql") }), !names.contains("structure.sql") {
                    throw ImportError(
                        "only files directly in \(path) are read, and folders with migration.sql or up.sql",
                        path: "\(file)/\(other)")
                }
            } else if name.hasSuffix(".sql"), !name.hasSuffix(".down.sql") {
                if name.contains(/^R__/) {
                    repeatable.append(name)
                } else if !name.contains(/^[uU][0-9][0-9._]*__/) {
                    files.append((file, file))
                }
            }
        }
        // Rails and Ecto write the schema after all migrations to this file, and their versions at its end.
        if files.count == 1, files[0].file.hasSuffix("/structure.sql") {
            let text = try MigrationScript(path: files[0].file).sql
            let numbers = text.matches(of: /[0-9]{14}/).compactMap { UInt64($0.output) }
            return Folder(files: [NumberedFile(path: files[0].file, number: [numbers.max() ?? 1])])
        }
        if files.isEmpty {
            let isCode = all.contains { $0.hasSuffix(".rb") || $0.hasSuffix(".exs") }
            throw ImportError(
                isCode
                    ? "its migrations are code, which SQLite cannot run: import the structure.sql of each release, with --complete"
                    : "there are no SQL files in it", path: path)
        }
        return Folder(files: try NumberedFile.sorted(files), repeatable: repeatable)
    }
}
