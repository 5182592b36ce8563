import Foundation
import SchemaSQL

/// Converts a database of another library to a store, row by row.
struct StoreConversion {
    let schema: any Schema.Type
    let format: ImportedFormat
    let source: Connection
    /// The folder in which Core Data keeps large values.
    let files: URL?
    let options: ConversionOptions
    private let index: FormatIndex

    init(
        schema: any Schema.Type, format: ImportedFormat, source: Connection, files: URL?, options: ConversionOptions
    ) {
        self.schema = schema
        self.format = format
        self.source = source
        self.files = files
        self.options = options
        index = FormatIndex(format)
    }

    /// A version that the database may be of, and where its rows come from.
    private struct Candidate {
        let place: Int
        let version: SchemaVersion
        let match: VersionMatch
    }

    /// Writes the store into the new database behind `target`.
    func run(into target: (SchemaVersion) throws -> Connection) throws -> ConversionReport {
        let start = Date()
        let reader: any ConversionSource =
            format.library == .coreData
            ? try CoreDataSource(reading: source, index) : try TableSource(reading: source, index, format.library)
        // No value differs between these versions: the newest one that takes all rows is as good as any.
        let candidates = try candidates(reader).reversed()
        var best: (candidate: Candidate, report: ConversionReport)?
        var tried: [Candidate] = []
        for candidate in candidates {
            // Versions with the same tables make the same store.
            if tried.contains(where: { $0.version.tables == candidate.version.tables }) { continue }
            tried.append(candidate)
            let report = try convert(candidate, reader, since: start, into: target)
            if report.misfitCount == 0 || candidates.count == 1 { return try accepted(report) }
            if best.map({ report.lostCount < $0.report.lostCount }) ?? true { best = (candidate, report) }
        }
        guard let best else { throw ConversionError.unknownVersion([]) }
        // The new database holds what was tried last.
        if best.candidate.place == tried.last?.place { return try accepted(best.report) }
        return try accepted(try convert(best.candidate, reader, since: start, into: target))
    }

    /// The report, unless something in it is refused.
    private func accepted(_ report: ConversionReport) throws -> ConversionReport {
        if report.isRefused { throw ConversionError.misfits(report) }
        return report
    }

    private func convert(
        _ candidate: Candidate, _ reader: any ConversionSource, since start: Date,
        into target: (SchemaVersion) throws -> Connection
    ) throws -> ConversionReport {
        let connection = try target(candidate.version)
        var report = ConversionReport(version: candidate.version.name)
        for name in candidate.match.extra {
            // A table or a column has no row that could be set aside.
            report.add(
                .init(
                    table: name, reason: "\(candidate.version.name) does not have it",
                    outcome: options.misfits == .drop ? .dropped : .refused))
        }
        for left in candidate.match.left {
            let count = try source.integer(left.count) ?? 0
            if count > 0 { report.left.append(.init(name: left.name, reason: left.reason.rawValue, values: count)) }
        }
        try connection.execute("PRAGMA foreign_keys = OFF")
        try connection.transaction("BEGIN IMMEDIATE") {
            let rows = SetAsideRows(
                connection, candidate.version, policies: index.misfits(at: candidate.place), otherwise: options.misfits)
            var lastIDs: [String: Int] = [:]
            for table in candidate.match.tables {
                try setAsideStrays(table, rows, &report)
                let forms = table.table.columns.map {
                    index.form(of: $0, in: table.table.name, at: candidate.place)
                }
                let greatest = try TableCopy(table, forms: forms, into: connection, files: files, rows)
                    .run(from: source, &report, isCancelled: options.isCancelled)
                let last = [reader.lastKey(of: table.table), greatest].compactMap(\.self).max()
                if table.table.hasIntegerKey, let last, last > 0 { lastIDs[table.table.name] = last }
            }
            try rows.setAsideDangling(&report)
            // No key that was ever given is given again.
            try StoreMetadata.writeLastIDs(lastIDs, to: connection)
            for table in candidate.match.tables {
                report.rows[table.table.name] = try connection.integer(
                    "SELECT count(*) FROM \(SQL.quoted(table.table.name))")
            }
        }
        report.seconds = Date().timeIntervalSince(start)
        return report
    }

    // MARK: Versions

    /// The versions that the database may be of, oldest first: those whose tables are all there, and leave nothing over.
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
        // A property that was declared to be of another type than the import found has a column of the old one.
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

    /// Whether the steps between two versions leave all values where they are, so that a store of the older one may be
    /// taken for one of the newer.
    private func keepsValues(from older: Int, to newer: Int) -> Bool {
        guard index.readsAlike(older, newer) else { return false }
        let versions = schema.versions
        let names = versions[older..<newer].map(\.name)
        func columns(_ table: String, _ version: String) -> Set<String>? {
            let tables = versions.first { $0.name == version }?.tables
            return (tables?.first { $0.name == table }?.columns).map { Set($0) }
        }
        return schema.steps.filter { names.contains($0.from) }.allSatisfy { step in
            !step.isCustom
                && step.changes.allSatisfy { change in
                    guard case .map(let from, let to, let values, nil) = change, from == to,
                        columns(from, step.from) == columns(to, step.to)
                    else { return false }
                    return values.allSatisfy { name, value in
                        value == SQL.quoted(name)
                            || value.uppercased().hasPrefix("COALESCE(\(SQL.quoted(name).uppercased()), ")
                            || value.uppercased().hasPrefix("IFNULL(\(SQL.quoted(name).uppercased()), ")
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
    /// Opens the store at `url`. Where there is none yet, it is made of the database `source` that the app had before with
    /// another library, which is only read; where there is none of that either, the store is new.
    ///
    /// So it is opened on each launch, and converts once. What fails leaves no store, and the database as it is.
    ///
    /// - Throws: `ConversionError`, and what opening a store throws.
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
                // Another process was faster.
            }
        }
        try self.init(at: url, schema: schema, options: options)
    }

    /// Makes a store at `destination` of the database `source` of another library, at the version that it has, with which
    /// opening it goes on.
    ///
    /// The new file appears when it is whole, checked and written to the disk. What fails leaves none.
    ///
    /// - Throws: `ConversionError`, `MigrationError.destinationExists` where there is a file already, and what opening a
    ///   store throws.
    @discardableResult public static func convert(
        _ source: URL, to destination: URL, schema: any Schema.Type,
        conversion: ConversionOptions = ConversionOptions(),
        options: StoreOptions = StoreOptions()
    ) throws -> ConversionReport {
        guard let format = schema.imported else { throw ConversionError.notImported(schema: schema.name) }
        return try convert(
            source, of: format, to: destination, schema: schema, conversion: conversion, options: options)
    }

    /// Converts a database of a format that may differ from the schema's own.
    package static func convert(
        _ source: URL, of format: ImportedFormat, to destination: URL, schema: any Schema.Type,
        conversion: ConversionOptions = ConversionOptions(),
        options: StoreOptions = StoreOptions()
    ) throws -> ConversionReport {
        guard destination.isFileURL else { throw StoreError.notAFile }
        try DatabaseCopy.check(destination)
        let draft = destination.appendingPathExtension("draft-\(UUID().uuidString)")
        defer { DatabaseCopy.remove(draft) }
        let report = try SQLiteError.translated {
            let connection = try StoreFile.connect(to: source, .readOnly, StoreOptions())
            connection.setCheckpointsOnClose(false)
            connection.setBusyTimeout(Int32(max(0, min(options.busyTimeout, 86_400)) * 1000))
            if format.library == .coreData, try !CoreDataSource.isOne(connection) {
                throw ConversionError.otherLibrary(format.library.rawValue)
            }
            let name = source.deletingPathExtension().lastPathComponent
            let files = source.deletingLastPathComponent().appendingPathComponent(".\(name)_SUPPORT/_EXTERNAL_DATA")
            // One state of it is read, whatever others write.
            return try connection.transaction("BEGIN") {
                try StoreConversion(
                    schema: schema, format: format, source: connection, files: files, options: conversion
                ).run { version in
                    DatabaseCopy.remove(draft)
                    let target = try Connection(path: draft.path, mode: .create)
                    try options.setUp?(ConnectionSetUp(connection: target))
                    try target.transaction("BEGIN IMMEDIATE") {
                        try StoreOpening.create(version, schema: schema.name, in: target)
                    }
                    return target
                }
            }
        }
        try SQLiteError.translated {
            let written = try StoreFile.connect(to: draft, .readOnly, options)
            guard try written.text("PRAGMA integrity_check") == "ok" else { throw MigrationError.badCopy(draft.path) }
        }
        conversion.report?(report)
        try StoreFile.synchronize(draft)
        try DatabaseCopy.check(destination)
        // Unlike a renaming, a link never takes the place of a file that another process has made meanwhile.
        guard link(draft.path, destination.path) == 0 else {
            throw MigrationError.destinationExists(destination.path)
        }
        try? StoreFile.synchronize(destination.deletingLastPathComponent())
        return report
    }
}
