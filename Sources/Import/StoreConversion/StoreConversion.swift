import Foundation
import SQLSchema
import Strata

/// Converts a database of another library to a store, row by row.
struct StoreConversion {
    let schema: KnownSchema
    let format: ImportedFormat
    let source: Connection
    /// The folder in which Core Data stores large values.
    let files: URL?
    let options: ConversionOptions
    /// The file of the database, and a function that returns whether it is unchanged since `source` reads it.
    let file: (url: URL, isUnchanged: () throws -> Bool)
    private let index: FormatIndex
    private let monitor: ConversionMonitor

    init(
        schema: KnownSchema, format: ImportedFormat, source: Connection, files: URL?, options: ConversionOptions,
        file: (url: URL, isUnchanged: () throws -> Bool)
    ) {
        self.file = file
        self.schema = schema
        self.format = format
        self.source = source
        self.files = files
        self.options = options
        index = FormatIndex(format)
        monitor = ConversionMonitor(options)
    }

    /// A version that the database may have, and the origin of its rows.
    private struct Candidate {
        let place: Int
        let version: SchemaVersion
        let match: VersionMatch
    }

    /// Writes the store into a new database.
    ///
    /// - Parameter target: Creates and opens the new database at a version. It is called for each version that is
    ///   tried, and removes the result of the previous attempt.
    func run(into target: (SchemaVersion) throws -> Connection) throws -> ConversionReport {
        let start = Date()
        let reader: any ConversionSource =
            format.library.isCoreData
            ? try CoreDataSource(reading: source, index) : try TableSource(reading: source, index, format.library)
        // Values do not differ between the candidates, so the newest one that accepts all rows is as good as any other.
        let candidates = try candidates(reader).reversed()
        var best: (candidate: Candidate, report: ConversionReport)?
        var tried: [Candidate] = []
        for candidate in candidates {
            // Versions with equal tables produce the same store.
            if tried.contains(where: { $0.version.tables == candidate.version.tables }) { continue }
            tried.append(candidate)
            let report = try convert(candidate, reader, since: start, into: target)
            if report.invalidRowCount == 0 || candidates.count == 1 { return try accepted(report) }
            if best.map({ report.lostCount < $0.report.lostCount }) ?? true { best = (candidate, report) }
        }
        guard let best else { throw ConversionError.unknownVersion([]) }
        // The new database contains the result of the last attempt.
        if best.candidate.place == tried.last?.place { return try accepted(best.report) }
        return try accepted(try convert(best.candidate, reader, since: start, into: target))
    }

    /// Returns the report, if it does not refuse the database.
    ///
    /// - Throws: `ConversionError.invalidRows` if it does.
    private func accepted(_ report: ConversionReport) throws -> ConversionReport {
        if report.isRefused { throw ConversionError.invalidRows(report) }
        return report
    }

    private func convert(
        _ candidate: Candidate, _ reader: any ConversionSource, since start: Date,
        into target: (SchemaVersion) throws -> Connection
    ) throws -> ConversionReport {
        let connection = try target(candidate.version)
        var report = ConversionReport(version: candidate.version.name)
        for name in candidate.match.extra {
            // A table or a column is not a row, so it cannot be set aside.
            report.add(
                .init(
                    table: name, reason: "\(candidate.version.name) does not have it",
                    outcome: options.invalidRows == .drop ? .dropped : .refused))
        }
        for left in candidate.match.left {
            let count = try source.integer(left.count) ?? 0
            if count > 0 { report.left.append(.init(name: left.name, reason: left.reason.rawValue, values: count)) }
        }
        try monitor.begin(candidate.match.tables, in: source)
        try connection.execute("PRAGMA foreign_keys = OFF")
        let isAttached = BulkCopy.attach(file.url, to: connection)
        try connection.transaction("BEGIN IMMEDIATE") {
            // The transaction has begun to read, so both connections read the same state.
            let isBulk = try isAttached && file.isUnchanged()
            let rows = SetAsideRows(
                connection, candidate.version, policies: index.invalidRows(at: candidate.place),
                otherwise: options.invalidRows)
            var lastIDs: [String: Int64] = [:]
            for table in candidate.match.tables {
                rows.sourceValues[table.table.name] = TableCopy.sourceValues(of: table, in: source)
                try setAsideStrays(table, rows, &report)
                let forms = table.table.columnNames.map {
                    index.form(of: $0, in: table.table.name, at: candidate.place)
                }
                let bulk = isBulk ? BulkCopy(table.table, forms: forms, files: files, monitor) : nil
                let greatest: Int64?
                if try bulk?.run(table, into: connection) == true {
                    let key = table.table.integerKey.map(SQL.quoted) ?? "NULL"
                    greatest = try connection.integer("SELECT max(\(key)) FROM \(SQL.quoted(table.table.name))")
                        .map(Int64.init)
                } else {
                    greatest = try TableCopy(table, forms: forms, into: connection, files: files, rows)
                        .run(from: source, &report, monitor)
                }
                let last = [reader.lastKey(of: table.table), greatest].compactMap(\.self).max()
                if table.table.integerKey != nil, let last, last > 0 { lastIDs[table.table.name] = last }
            }
            try rows.setAsideDangling(&report)
            // The store must never reuse a key that was assigned before.
            try StoreMetadata.writeLastIDs(lastIDs, to: connection)
            for table in candidate.match.tables {
                report.rows[table.table.name] = try connection.integer(
                    "SELECT count(*) FROM \(SQL.quoted(table.table.name))")
            }
        }
        monitor.end()
        report.seconds = Date().timeIntervalSince(start)
        return report
    }

    // MARK: Versions

    /// Returns the versions that the database may have, oldest first.
    ///
    /// The database has all tables and columns of these versions. It has no other tables and columns, unless you named
    /// the version.
    private func candidates(_ reader: any ConversionSource) throws -> [Candidate] {
        let versions = schema.versions
        let wanted = versions.indices.filter { place in
            let name = versions[place].name
            let formerName = format.formerNames[name]
            if let wanted = options.version { return wanted == name || wanted == formerName }
            return reader.versionName.map { $0 == formerName } ?? true
        }
        if wanted.isEmpty, let name = options.version ?? reader.versionName { throw ConversionError.noVersion(name) }
        let identified = options.version == nil ? reader.identified(among: wanted) : wanted
        if identified.isEmpty { throw ConversionError.unknownHashes }
        var mismatches: [VersionMismatch] = []
        // If you changed the type of a property after the import, its column still has the type that the import found.
        for isExact in [true, false] {
            var found: [Candidate] = []
            mismatches = []
            for place in identified {
                let match = try reader.match(versions[place], at: place, exactly: isExact)
                let isComplete = match.missing.isEmpty && (match.extra.isEmpty || options.version != nil)
                if isComplete {
                    found.append(Candidate(place: place, version: versions[place], match: match))
                } else {
                    mismatches.append(
                        VersionMismatch(version: versions[place].name, missing: match.missing, extra: match.extra))
                }
            }
            if found.isEmpty { continue }
            for (older, newer) in zip(found, found.dropFirst()) where !keepsValues(from: older.place, to: newer.place) {
                throw ConversionError.ambiguousVersion(found.map(\.version.name))
            }
            return found
        }
        throw ConversionError.unknownVersion(mismatches)
    }

    /// Returns whether the steps between two versions leave all values unchanged, so that a store of the older version
    /// is also a valid store of the newer version.
    private func keepsValues(from older: Int, to newer: Int) -> Bool {
        guard index.readsAlike(older, newer) else { return false }
        let versions = schema.versions
        let names = versions[older..<newer].map(\.name)
        func columns(_ table: String, _ version: String) -> Set<String>? {
            let tables = versions.first { $0.name == version }?.tables
            return (tables?.first { $0.name == table }?.columnNames).map { Set($0) }
        }
        return schema.steps.filter { names.contains($0.from) }.allSatisfy { step in
            !step.isCustom
                && step.changes.allSatisfy { change in
                    guard case .map(let from, let to, let values, []) = change, from == to,
                        columns(from, step.from) == columns(to, step.to)
                    else { return false }
                    return values.allSatisfy { name, value in
                        switch value {
                        case .column(name), .coalesce(.column(name), _): true
                        default: false
                        }
                    }
                }
        }
    }

    // MARK: Rows

    /// Sets aside the rows that belong to no table of the store.
    private func setAsideStrays(
        _ table: ConvertedTable, _ setAside: SetAsideRows, _ report: inout ConversionReport
    ) throws {
        guard let query = table.strays else { return }
        try source.query(query) { row in
            let columns = (1..<row.columnCount).map { row.name($0) }
            let values = columns.indices.map { index -> SetAsideRows.Value in
                (try? SQLiteValue(row: row, at: index + 1)).map(SetAsideRows.Value.value)
                    ?? .bytes(row.bytes(index + 1))
            }
            try setAside.add(
                table.table.name, key: row.value(0).keyText, columns, values,
                reason: "its Z_ENT is the number of no entity in this table", to: &report)
        }
    }
}

extension Store {
    /// Opens the store at `url`. If it does not exist yet, Strata creates it from another library's database.
    ///
    /// The database `source`, which the app used before with the other library, is only read. If it does not exist
    /// either, the store is new.
    ///
    /// Open the store in this way on each launch: Strata converts the database only once. A conversion
    /// that fails leaves no store, and the database unchanged.
    ///
    /// ```swift
    /// try Store(
    ///     converting: folder.appendingPathComponent("Journal.sqlite"),
    ///     at: folder.appendingPathComponent("Journal.strata"), schema: JournalSchema.self)
    /// ```
    ///
    /// - Parameters:
    ///   - source: The database of the other library.
    ///   - url: The file of the store.
    ///   - schema: The schema of the store, which must be an imported one to convert a database.
    ///   - conversion: The options of the conversion.
    ///   - options: The options of the store.
    /// - Throws: `ConversionError`, and the errors of opening a store.
    public convenience init(
        converting source: URL, at url: URL, schema: any Schema.Type,
        conversion: ConversionOptions = ConversionOptions(),
        options: StoreOptions = StoreOptions()
    ) throws {
        let files = FileManager.default
        if !files.fileExists(atPath: url.path), files.fileExists(atPath: source.path) {
            do {
                try Self.convert(source, to: url, schema: schema, conversion: conversion, options: options)
            } catch MigrationError.destinationExists(url.path) {
                // Another process created the store first.
            }
        }
        try self.init(at: url, schema: schema, options: options)
    }

    /// Converts the database `source` of another library to a new store at `destination`.
    ///
    /// The store has the version of the database. Opening it migrates it to the newest version.
    ///
    /// The new file appears when it is complete, checked and written to the disk. If the conversion fails, there is no
    /// file.
    ///
    /// ```swift
    /// try Store.convert(
    ///     folder.appendingPathComponent("Journal.sqlite"),
    ///     to: folder.appendingPathComponent("Journal.strata"), schema: JournalSchema.self)
    /// ```
    ///
    /// - Parameters:
    ///   - source: The database of the other library.
    ///   - destination: The file of the new store.
    ///   - schema: The schema of the store, which must be an imported one.
    ///   - conversion: The options of the conversion.
    ///   - options: The options of the store.
    /// - Returns: The report of the conversion.
    /// - Throws: `ConversionError`, `MigrationError.destinationExists` if there is a file already, and the errors of
    ///   opening a store.
    @discardableResult public static func convert(
        _ source: URL, to destination: URL, schema: any Schema.Type,
        conversion: ConversionOptions = ConversionOptions(),
        options: StoreOptions = StoreOptions()
    ) throws -> ConversionReport {
        try convert(source, to: destination, knowing: KnownSchema(schema), conversion: conversion, options: options)
    }

    /// Converts a database. Its format may differ from the one that the schema was imported from.
    package static func convert(
        _ source: URL, of format: ImportedFormat? = nil, to destination: URL, knowing schema: KnownSchema,
        conversion: ConversionOptions = ConversionOptions(),
        options: StoreOptions = StoreOptions()
    ) throws -> ConversionReport {
        guard let format = format ?? schema.imported else {
            throw ConversionError.notImported(schema: schema.name)
        }
        guard destination.isFileURL else { throw StoreError.notAFile }
        let draft = try DraftFile(of: destination)
        defer { draft.remove() }
        let report = try SQLiteError.translated {
            // The other settings of the options are those of the new store.
            var reading = StoreOptions()
            reading.busyTimeout = options.busyTimeout
            let connection = try StoreFile.connect(to: source, .readOnly, reading)
            connection.setCheckpointsOnClose(false)
            if format.library.isCoreData, try !CoreDataSource.isOne(connection) {
                throw ConversionError.otherLibrary(format.library.rawValue)
            }
            let name = source.deletingPathExtension().lastPathComponent
            let files = source.deletingLastPathComponent().appendingPathComponent(".\(name)_SUPPORT/_EXTERNAL_DATA")
            let other = try StoreFile.connect(to: source, .readOnly, reading)
            let before = try other.integer("PRAGMA data_version")
            // The transaction reads one state of the database, even if other connections write to it.
            return try connection.transaction("BEGIN") {
                try StoreConversion(
                    schema: schema, format: format, source: connection, files: files, options: conversion,
                    file: (source, { try other.integer("PRAGMA data_version") == before })
                ).run { try draft.createStore($0, schema: schema.name, options) }
            }
        }
        try SQLiteError.translated {
            let written = try StoreFile.connect(to: draft.url, .readOnly, options)
            guard try written.text("PRAGMA integrity_check") == "ok" else {
                throw MigrationError.badCopy(draft.url.path)
            }
        }
        conversion.report?(report)
        try SQLiteError.translated { try draft.setJournal(options.journal, options) }
        try draft.publish()
        return report
    }
}
