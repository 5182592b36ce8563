import Foundation
import SchemaSQL

/// Makes a store of a database of another library, row by row.
struct StoreConversion {
    let schema: any Schema.Type
    let format: ImportedFormat
    let source: Connection
    /// Where Core Data keeps large values.
    let files: URL?
    let options: ConversionOptions

    /// A version that the database may be of, and where its rows come from.
    private struct Candidate {
        var place: Int
        var version: SchemaVersion
        var tables: [ConvertedTable]
        /// What of the database is not read.
        var unread: [String]
    }

    /// Writes the store into the new database behind `target`.
    func run(into target: (SchemaVersion) throws -> Connection) throws -> ConversionReport {
        var reports: [ConversionReport] = []
        let start = Date()
        for candidate in try candidates() {
            let connection = try target(candidate.version)
            var report = ConversionReport(version: candidate.version.name)
            for name in candidate.unread {
                report.add(.init(table: name, reason: "\(candidate.version.name) does not have it"))
            }
            try connection.execute("PRAGMA foreign_keys = OFF")
            try connection.transaction("BEGIN IMMEDIATE") {
                for table in candidate.tables { try copy(table, candidate.place, connection, &report) }
                try checkForeignKeys(connection, &report)
            }
            report.seconds = Date().timeIntervalSince(start)
            if report.misfitCount == 0 { return report }
            reports.append(report)
        }
        // Of several versions that the tables are of, the newest tells best what does not fit.
        guard let last = reports.last else { throw ConversionError.unknownVersion(reasons: []) }
        guard options.misfits == .leaveOut else { throw ConversionError.misfits(last) }
        return last
    }

    // MARK: Versions

    /// The versions that the database may be of, oldest first: those whose tables are all there, and leave nothing over.
    private func candidates() throws -> [Candidate] {
        let reader: any ConversionSource =
            format.library == .coreData
            ? try CoreDataSource(reading: source, format) : try TableSource(reading: source, format)
        var found: [Candidate] = []
        var reasons: [String] = []
        for (place, version) in schema.versions.enumerated() {
            let formerName = format.formerNames[version.name]
            if let wanted = options.version {
                guard wanted == version.name || wanted == formerName else { continue }
            } else if let said = reader.versionName, said != formerName {
                continue
            }
            do {
                let tables = try reader.tables(of: version, at: place)
                let unread = reader.unread(by: tables)
                if unread.isEmpty || options.version != nil {
                    found.append(Candidate(place: place, version: version, tables: tables, unread: unread))
                } else {
                    reasons.append("\(version.name) does not have \(unread.prefix(3).joined(separator: ", "))")
                }
            } catch let missing as Missing {
                reasons.append("\(version.name) has \(missing.what)")
            }
        }
        if found.isEmpty {
            if let wanted = options.version ?? reader.versionName, reasons.isEmpty {
                throw ConversionError.noVersion(wanted)
            }
            throw ConversionError.unknownVersion(reasons: reasons)
        }
        // Where values change between them, it matters which of them it is.
        for (older, newer) in zip(found, found.dropFirst()) where !keepsValues(from: older.place, to: newer.place) {
            throw ConversionError.ambiguousVersion(found.map(\.version.name))
        }
        return found
    }

    /// Whether the steps between two versions, whose tables are the same, leave values as they are: one that is taken a
    /// second time then changes nothing.
    private func keepsValues(from older: Int, to newer: Int) -> Bool {
        let names = schema.versions[older..<newer].map(\.name)
        return schema.steps.filter { names.contains($0.from) }.allSatisfy { step in
            !step.isCustom
                && step.changes.allSatisfy { change in
                    guard case .map(let from, let to, let columns, nil) = change, from == to else { return false }
                    return columns.allSatisfy { name, value in
                        value == SQL.quoted(name)
                            || value.uppercased().hasPrefix("COALESCE(\(SQL.quoted(name).uppercased()), ")
                            || value.uppercased().hasPrefix("IFNULL(\(SQL.quoted(name).uppercased()), ")
                    }
                }
        }
    }

    // MARK: Rows

    private func copy(
        _ table: ConvertedTable, _ version: Int, _ target: Connection, _ report: inout ConversionReport
    ) throws {
        let columns = table.table.columns
        let forms = columns.map { column in
            format.columns.first {
                $0.table == table.table.name && $0.column == column && $0.versions.contains(version)
            }?.form
        }
        let insert = try target.prepare(
            "INSERT INTO \(SQL.quoted(table.table.name)) (\(SQL.list(columns))) VALUES (\(SQL.parameters(columns.count)))"
        )
        var count = 0
        let rows = try source.prepare(table.query)
        while try rows.step() {
            if count % 1024 == 0, options.isCancelled?() == true { throw MigrationError.cancelled }
            let row = rows.row
            var reason: String?
            for index in columns.indices {
                guard let value = try? SQLiteValue(row: row, at: index + 1) else {
                    reason = "\(columns[index]) is no text of UTF-8"
                    break
                }
                guard let form = forms[index] else {
                    try value.bind(to: insert, at: index + 1)
                    continue
                }
                guard let converted = form.value(value, files: files) else {
                    reason = "\(columns[index]) is \(value), which is \(form.words)"
                    break
                }
                try converted.bind(to: insert, at: index + 1)
            }
            if reason == nil {
                do {
                    try insert.run()
                    count += 1
                } catch let error as SQLiteError where error.code == 19 {  // SQLITE_CONSTRAINT
                    insert.reset()
                    reason = error.message
                }
            }
            if let reason {
                report.add(.init(table: table.table.name, key: row.value(0).keyText, reason: reason))
            }
        }
        report.rows[table.table.name] = count
    }

    /// Tells the foreign keys that lead nowhere, and does what the tables say of that where rows may be left out.
    private func checkForeignKeys(_ connection: Connection, _ report: inout ConversionReport) throws {
        try connection.query(
            "SELECT \"table\", \"rowid\", parent, fkid FROM pragma_foreign_key_check ORDER BY 1, 2"
        ) { row in
            let columns = try connection.texts(
                "SELECT \"from\" FROM pragma_foreign_key_list(\(SQL.literal(try row.string(0)))) WHERE id = \(try row.int(3))"
            )
            report.add(
                .init(
                    table: try row.string(0), key: row.value(1).keyText,
                    reason:
                        "\(columns.joined(separator: ", ")) leads to a row of \(try row.string(2)) that is not there"))
        }
        guard options.misfits == .leaveOut, report.misfitCount > 0 else { return }
        let repair = ForeignKeyRepair(connection: connection, deletesDenied: true)
        for table in try repair.run().keys {
            report.rows[table] = try connection.integer("SELECT count(*) FROM \(SQL.quoted(table))")
        }
    }
}

extension ImportedForm {
    /// What a value is not that is none of the form.
    fileprivate var words: String {
        switch self {
        case .bool: "no truth value"
        case .unixSeconds, .unixMilliseconds, .unixMicroseconds, .referenceSeconds, .julianDay: "no number"
        case .dateText: "no date as text of ISO 8601"
        case .uuid: "no UUID"
        case .url: "no URL"
        case .color: "no color"
        case .decimal: "no decimal number"
        case .choice(let texts): "none of \(texts.joined(separator: ", "))"
        case .json: "no JSON"
        case .archive, .archiveOfBools, .archiveOfDecimals: "no archived list of its type"
        case .entity(let names): "none of the entities \(names.joined(separator: ", "))"
        case .plain: "nothing"
        case .externalData: "neither bytes nor the name of a file that is there"
        }
    }
}

extension SQLiteValue {
    /// The value as a key in a message.
    fileprivate var keyText: String {
        if case .text(let text) = self { text } else { description }
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
        guard destination.isFileURL else { throw StoreError.notAFile }
        guard let format = schema.imported else { throw ConversionError.notImported(schema: schema.name) }
        try DatabaseCopy.check(destination)
        let draft = destination.appendingPathExtension("draft-\(UUID().uuidString)")
        defer { DatabaseCopy.remove(draft) }
        let report = try SQLiteError.translated {
            let connection = try StoreFile.connect(to: source, .readOnly, StoreOptions())
            connection.setCheckpointsOnClose(false)
            connection.setBusyTimeout(Int32(max(0, min(options.busyTimeout, 86_400)) * 1000))
            if format.library == .coreData, try !CoreDataSource.isOne(connection) {
                throw ConversionError.unknownVersion(reasons: ["it is no store of Core Data"])
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
