import Foundation
import SchemaDiff
import SchemaModel
import SQLSchema
import StoreConversion
import Strata

/// Proves that the inferred migrations of an imported model do what the source's own files do: both run on the same rows, and
/// the results are compared.
///
/// The rows are made. Those of older versions stay, so that each file runs on rows that the earlier files have migrated, and on
/// new ones.
struct ReplayProof: Sendable {
    /// A table whose rows differ after a step.
    struct Difference: Equatable {
        /// The position of the version to which the step leads.
        let version: Int
        /// The table; nil if the step could not be tried.
        let table: String?
        let text: String
    }

    /// The files, one for each version.
    let scripts: [MigrationScript]

    /// The most rows that a table gets for one step.
    private static let rowCount = 12

    /// Returns the differences of all inferred steps.
    ///
    /// - Parameters:
    ///   - first: The position of the first version to which a step leads.
    ///   - progress: Receives the number of versions that are proven, and of all.
    func differences(
        in history: SchemaHistory, from first: Int = 1, progress: ((Int, Int) -> Void)? = nil
    ) throws -> [Difference] {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("strata-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var run = try Run(folder: folder, scripts: scripts, history: history)
        return try scripts.indices.flatMap { index in
            progress?(index, scripts.count)
            return try run.advance(to: index, proving: index >= first)
        }
    }

    /// One way through all versions.
    private struct Run {
        let folder: URL
        let scripts: [MigrationScript]
        let history: SchemaHistory
        let definition: SchemaDefinition
        /// The source's database.
        let source: URL
        /// A copy of it before the step.
        let old: URL
        var rows: MadeRows

        init(folder: URL, scripts: [MigrationScript], history: SchemaHistory) throws {
            (self.folder, self.scripts, self.history) = (folder, scripts, history)
            definition = SchemaDefinition(history)
            source = folder.appendingPathComponent("source.sqlite")
            old = folder.appendingPathComponent("old.sqlite")
            rows = MadeRows(scripts.map(\.sql))
        }

        /// Runs the file that leads to a version, and compares its result with that of the inferred migration.
        mutating func advance(to index: Int, proving isProving: Bool) throws -> [Difference] {
            let script = scripts[index]
            if index == 0 {
                try SQLReplay(path: source.path).run(script)
                return []
            }
            rows.types = types(in: history.versions[index - 1])
            try addRows(before: script, .varied)
            try copy(source, to: old)
            do {
                try run(script)
            } catch is ImportError {
                // The file refuses some rows, and so would have failed on a device.
                try copy(old, to: source)
                try empty()
                try addRows(before: script, .plain)
                try copy(source, to: old)
                do {
                    try run(script)
                } catch let error as ImportError {
                    try copy(old, to: source)
                    try empty()
                    try run(script)
                    return isProving
                        ? [Difference(version: index, table: nil, text: "nothing proves this step: \(error.message)")]
                        : []
                }
            }
            guard isProving, !history.steps[index - 1].isCustom else { return [] }
            if let differences = try compare(index) { return differences }
            // Rows that an earlier file has made do not fit the types of their columns. Try new ones alone.
            let result = folder.appendingPathComponent("result.sqlite")
            try copy(source, to: result)
            defer { try? copy(result, to: source) }
            for kind in [MadeRows.Kind.varied, .plain] {
                try copy(old, to: source)
                try empty()
                try addRows(before: script, kind)
                try copy(source, to: old)
                if (try? run(script)) != nil, let differences = try compare(index) { return differences }
            }
            return [
                Difference(
                    version: index, table: nil,
                    text: "nothing proves this step: the rows that it needs do not fit their columns")
            ]
        }

        /// The types of columns that hold truth values as numbers. Only the app's code may say so.
        private func types(in version: ModelVersion) -> [SourceSchema.ColumnName: ScalarType] {
            let columns = version.entities.flatMap { entity in
                version.columns(of: entity).filter { $0.type == .scalar(.bool) }.map { column in
                    (SourceSchema.ColumnName(entity.tableName, column.name), ScalarType.bool)
                }
            }
            return Dictionary(columns, uniquingKeysWith: { first, _ in first })
        }

        private func run(_ script: MigrationScript) throws {
            try SQLReplay(path: source.path).run(script)
        }

        /// Adds rows to the tables that a file names, and to empty ones.
        private mutating func addRows(before script: MigrationScript, _ kind: MadeRows.Kind) throws {
            let connection = try Connection(path: source.path, mode: .readWrite)
            try connection.execute("PRAGMA synchronous = OFF")
            let words = Set(SQLToken.tokens(of: script.sql).compactMap { $0.name?.lowercased() })
            try connection.transaction("BEGIN") {
                try rows.add(kind, to: connection) { table in
                    let count = try connection.count(table.name)
                    return words.contains(table.name.lowercased()) || count == 0 ? max(0, min(rowCount, 40 - count)) : 0
                }
            }
        }

        /// Deletes all rows.
        private func empty() throws {
            let connection = try Connection(path: source.path, mode: .readWrite)
            try connection.execute("PRAGMA foreign_keys = OFF")
            for table in try SourceTable.all(in: connection) {
                try? connection.execute("DELETE FROM \(SQL.quoted(table.name))")
            }
        }

        private func copy(_ file: URL, to other: URL) throws {
            try? FileManager.default.removeItem(at: other)
            try FileManager.default.copyItem(at: file, to: other)
        }

        // MARK: Comparing

        /// Compares the results of a step; nil if the older version has rows that do not fit.
        private func compare(_ index: Int) throws -> [Difference]? {
            let (before, after) = (history.versions[index - 1].version.text, history.versions[index].version.text)
            let results = folder.appendingPathComponent("results")
            try FileManager.default.createDirectory(at: results, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: results) }
            let stores = ["migrated", "converted"].map { results.appendingPathComponent("\($0).strata") }
            do {
                if try convert(old, at: before, to: stores[0]).invalidRowCount > 0 { return nil }
                var options = StoreOptions()
                options.newestVersion = after
                _ = try Store(at: stores[0], definition: definition, options: options)
                _ = try convert(source, at: after, to: stores[1])
            } catch {
                return [Difference(version: index, table: nil, text: "nothing proves this step: \(error)")]
            }
            let comparison = try RowComparison(migrated: stores[0], converted: stores[1], source: source)
            return try history.versions[index].tables.compactMap { table in
                try comparison.difference(in: table).map { Difference(version: index, table: table.name, text: $0) }
            }
        }

        private func convert(_ database: URL, at version: String, to store: URL) throws -> ConversionReport {
            var options = ConversionOptions()
            options.version = version
            return try Store.convert(database, to: store, definition: definition, conversion: options)
        }
    }
}

/// Compares the rows of the store that the inferred migration has made with those of the source's own database.
private struct RowComparison {
    private let connection: Connection

    init(migrated: URL, converted: URL, source: URL) throws {
        connection = try Connection(path: migrated.path, mode: .readOnly)
        try connection.execute("ATTACH \(SQL.literal(converted.path)) AS converted")
        try connection.execute("ATTACH \(SQL.literal(source.path)) AS source")
    }

    /// Returns what differs in a table; nil if nothing does.
    func difference(in table: Table) throws -> String? {
        let name = SQL.quoted(table.name)
        // Where the source has no key, the number of a row replaces it, and a copy may number the rows again.
        let own = Set(
            try connection.texts("SELECT lower(name) FROM pragma_table_info(\(SQL.literal(table.name)), 'source')"))
        let columns = table.columnNames.filter { own.isEmpty || own.contains($0.lowercased()) }
        func only(_ columns: [String], in schema: String, not other: String) throws -> Int {
            let list = SQL.list(columns)
            let groups = columns.map { "typeof(\(SQL.quoted($0))), \(SQL.quoted($0)) COLLATE BINARY" }
            return try connection.integer(
                """
                SELECT coalesce(sum(extra), 0) FROM (
                  SELECT max(0, sum(sign)) AS extra FROM (
                    SELECT 1 AS sign, \(list) FROM \(schema).\(name) UNION ALL SELECT -1, \(list) FROM \(other).\(name)
                  ) GROUP BY \(groups.joined(separator: ", ")))
                """) ?? 0
        }
        let counts = try ["main", "converted"].map { try connection.integer("SELECT count(*) FROM \($0).\(name)") ?? 0 }
        if counts[0] != counts[1] {
            return "of the same rows, the file leaves \(counts[1]) and the inferred migration \(counts[0])"
        }
        guard !columns.isEmpty, try only(columns, in: "main", not: "converted") > 0 else { return nil }
        let keys = table.primaryKey.filter(columns.contains)
        let others = try columns.filter { column in
            try !keys.contains(column) && only(keys + [column], in: "main", not: "converted") > 0
        }
        let what = others.isEmpty ? "the rows" : others.prefix(5).map { "`\($0)`" }.joined(separator: ", ")
        return "the file gives other values to \(what) than the inferred migration"
    }
}
