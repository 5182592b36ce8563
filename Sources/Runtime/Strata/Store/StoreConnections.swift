import Foundation

/// The connections to an open store, and the results of opening it.
struct StoreConnections {
    let connection: Connection
    /// The versions that the connections accept.
    let version: SupportedVersions
    var setAside: URL?
    var report: MigrationReport?
    /// The connections that read while the other one writes; nil for a store in memory.
    var readers: ReaderPool?
    private var file: OpenFile?

    init(inMemory schema: SchemaDefinition) throws {
        let opening = StoreOpening(
            connection: try Connection(path: ":memory:", mode: .create), schema: schema, options: StoreOptions())
        _ = try opening.open()
        (connection, version) = (opening.connection, opening.version)
    }

    init(at url: URL, _ schema: SchemaDefinition, _ options: StoreOptions) throws {
        guard url.isFileURL else { throw StoreError.notAFile }
        let (url, isThere) = StoreFile.resolved(url)
        let schema = try schema.applying(options)
        let recreates = options.recreatesOnMismatch || options.recreatesChangedDrafts
        if recreates { setAside = try Self.makeWay(url, schema, options) }
        if !isThere || recreates, !options.isReadOnly, let newest = schema.versions.last {
            try StoreFile.create(at: url, newest, schema: schema.name, draft: schema.draft, options)
        }
        let opening = try Self.connect(url, schema, options)
        report = try opening.connection.used { connection in
            try connection.cancellable(by: { options.isOpeningEnded() }) { try opening.open() }
        }
        file = OpenFile(url)
        connection = opening.connection
        let version = opening.version
        self.version = version
        readers = ReaderPool(limit: options.maximumReaders) {
            let reader = try StoreFile.connect(to: url, options.isReadOnly ? .readOnly : .readWrite, options)
            try StoreOpening(connection: reader, version: version, options: options).read()
            return reader
        }
    }

    /// Deletes or renames a store that the schema cannot open, as far as the options allow it. Returns the renamed file.
    private static func makeWay(
        _ url: URL, _ schema: SchemaDefinition, _ options: StoreOptions
    ) throws -> URL? {
        while let file = FileIdentity(url) {
            do {
                // Errors of a later migration do not count: they do not mean that the store belongs to something else.
                try connect(url, schema, options, .readWrite).identify()
                return nil
            } catch {
                do {
                    guard let error = error as? StoreError else { throw error }
                    if isDroppedDraft(error, schema, options) {
                        guard FileIdentity(url) == file else { continue }
                        try StoreFile.remove(url)
                    } else if options.recreatesOnMismatch, !options.isReadOnly, error.isMismatch {
                        if let aside = try setAside(url, file, schema, options) { return aside }
                    } else {
                        throw error
                    }
                } catch  where FileIdentity(url) != file {
                    // Another process has replaced the file meanwhile.
                    continue
                }
            }
        }
        return nil
    }

    /// Renames a store that the schema cannot open.
    ///
    /// - Parameter file: The store that was found.
    /// - Returns: The renamed file; nil if another process was faster, so that another file may be there now.
    private static func setAside(
        _ url: URL, _ file: FileIdentity, _ schema: SchemaDefinition, _ options: StoreOptions
    ) throws -> URL? {
        let owner = try StoreFile.endJournal(of: url, options)
        if owner?.hasMoved == true { return nil }
        do {
            try owner.map { try StoreOpening(connection: $0, schema: schema, options: options).identify() }
            // An empty file is never a store. But another one may be the new store that another process is just creating.
            if owner != nil || StoreFile.size(of: url.path) ?? 2 > 1 || FileIdentity(url) != file { return nil }
        } catch let error as StoreError where error.isMismatch {
            // It is still the file that was found.
        }
        return try withExtendedLifetime(owner) { try StoreFile.setAside(url) }
    }

    private static func connect(
        _ url: URL, _ schema: SchemaDefinition, _ options: StoreOptions, _ mode: Connection.Mode = .create
    ) throws -> StoreOpening {
        StoreOpening(
            connection: try StoreFile.connect(to: url, options.isReadOnly ? .readOnly : mode, options),
            schema: schema, options: options)
    }

    private static func isDroppedDraft(
        _ error: StoreError, _ schema: SchemaDefinition, _ options: StoreOptions
    ) -> Bool {
        #if DEBUG
            guard case .draftChanged(let version, _) = error else { return false }
            return options.recreatesChangedDrafts && version == schema.versions.last?.name
        #else
            return false
        #endif
    }
}
