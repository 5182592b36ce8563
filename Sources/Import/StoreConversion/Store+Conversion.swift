import Foundation
import SQLSchema
import Strata

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
    /// file. If it is cancelled, or the process is killed, a hidden file beside the destination contains the rows that were
    /// copied, and the next conversion goes on with it, unless the database has changed meanwhile.
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
        try convert(
            source, to: destination, definition: SchemaDefinition(schema), conversion: conversion, options: options)
    }

    /// Converts a database. Its format may differ from the one that the schema was imported from.
    package static func convert(
        _ source: URL, of format: ImportedFormat? = nil, to destination: URL, definition schema: SchemaDefinition,
        conversion: ConversionOptions = ConversionOptions(),
        options: StoreOptions = StoreOptions()
    ) throws -> ConversionReport {
        guard let format = format ?? schema.imported else {
            throw ConversionError.notImported(schema: schema.name)
        }
        guard destination.isFileURL else { throw StoreError.notAFile }
        let draft = try ConversionDraft(of: destination, from: source, schema: schema.name, options)
        do {
            return try convert(
                source, of: format, into: draft, definition: schema, conversion: conversion, options: options)
        } catch is CancellationError {
            // The next conversion goes on in the draft.
            throw CancellationError()
        } catch {
            draft.file.remove()
            throw error
        }
    }

    private static func convert(
        _ source: URL, of format: ImportedFormat, into draft: ConversionDraft, definition schema: SchemaDefinition,
        conversion: ConversionOptions, options: StoreOptions
    ) throws -> ConversionReport {
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
            let identity = try ConvertedFile.identity(of: source)
            // The transaction reads one state of the database, even if other connections write to it.
            return try connection.transaction("BEGIN") {
                let file = ConvertedFile(
                    url: source, identity: identity, isUnchanged: { try other.integer("PRAGMA data_version") == before }
                )
                return try StoreConversion(
                    schema: schema, format: format, source: connection, files: files, options: conversion, file: file,
                    draft: draft
                ).run()
            }
        }
        try SQLiteError.translated {
            let written = try StoreFile.connect(to: draft.file.url, .readOnly, options)
            // Only this conversion uses the file, so its pages can be mapped into memory.
            try written.execute("PRAGMA mmap_size = \(1 << 30)")
            guard try written.text("PRAGMA integrity_check") == "ok" else {
                throw MigrationError.badCopy(draft.file.url.path)
            }
        }
        conversion.report?(report)
        try SQLiteError.translated {
            try draft.finish()
            try draft.file.setJournal(options.journal, options)
        }
        try draft.file.publish()
        return report
    }
}
