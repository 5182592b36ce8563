import CSQLite
import Foundation
import SQLSchema
import Strata

/// The fixtures of all versions of a schema, and the expected results of the migrations between them.
///
/// Generated tests build this value one statement at a time, like `VersionHistory`. There is a statement for each table
/// that a version adds, changes or removes, and one for each version and each step.
public struct Fixtures: Sendable {
    /// The versions, oldest first.
    public internal(set) var versions: [FixtureVersion] = []
    private(set) var steps: [StepExpectation] = []
    package let schema: any Schema.Type
    var folder: URL
    /// The path of the model from a folder above the tests; nil if no one needs to know which tests have passed.
    let model: String?
    /// Whether there are tests of conversions.
    let checksConversions: Bool
    /// The failures of the fixtures that have been prepared, by path.
    var prepared = OncePerKey<[Failure]>()

    /// The hash of what the tests depend on, by the folder of the model.
    let inputHash = OncePerKey<UInt64>()

    /// The tables of the next version.
    private var tables: [FixtureVersion.AnyTable] = []
    private var structs: [StructCheck] = []
    private var since: [String: Int] = [:]
    private var expected: [@Sendable (_ old: FixtureVersion, _ new: FixtureVersion) -> TableExpectation] = []
    private var unchecked: Set<String> = []

    /// Creates the fixtures of `schema` for the test target in `folder`. The files are in its subfolder
    /// `Fixtures/<schema>`.
    ///
    /// - Parameters:
    ///   - schema: The schema.
    ///   - folder: The folder of the test target. Samples need none.
    ///   - model: The path of the model from a folder above `folder`. A release asks which tests have passed with the
    ///     files in it; nil to record nothing.
    ///   - checksConversions: Whether there are tests of conversions.
    public init(
        of schema: any Schema.Type, in folder: URL = FileManager.default.temporaryDirectory, model: String? = nil,
        checksConversions: Bool = false
    ) {
        _ = Self.memoryStatistics
        self.schema = schema
        self.model = model
        self.checksConversions = checksConversions
        self.folder = folder.appendingPathComponent("Fixtures/\(schema.name)", isDirectory: true)
    }

    /// Turns off SQLite's memory statistics. SQLite protects them with one lock. Parallel tests would spend a third of
    /// their time waiting for it.
    private static let memoryStatistics = strata_config_memory_statistics(0)

    // MARK: Versions

    /// Adds a table to the next version. It replaces the table with the same name in the previous version.
    public mutating func add(_ table: FixtureTable) {
        put(.entity(table))
    }

    /// Adds a join table to the next version. It replaces the table with the same name in the previous version.
    public mutating func add(_ table: FixtureJoinTable) {
        put(.join(table))
    }

    private mutating func put(_ table: FixtureVersion.AnyTable) {
        since[table.name] = versions.count
        tables.put(table, by: \.name)
    }

    /// Removes the table called `name` from the next version. The previous version must have it.
    public mutating func remove(_ name: String) {
        since[name] = nil
        tables.removeAll { $0.name == name }
    }

    /// Adds a struct that the next version declares. The tests of that version read and write its rows.
    public mutating func check<Entity: StoredEntity>(_ type: Entity.Type) {
        structs.append(StructCheck(type))
    }

    /// Completes a version.
    ///
    /// - Parameters:
    ///   - name: The version's name.
    ///   - isSealed: Whether the version is released. The fixture of a released version is never overwritten.
    ///   - fingerprint: The fingerprint of the fixture's file; nil until the fixture is sealed.
    ///   - samples: Writes your own rows.
    public mutating func version(
        _ name: String, sealed isSealed: Bool = false, file fingerprint: UInt64? = nil,
        samples: @escaping @Sendable (WriteTransaction) throws -> Void = { _ in }
    ) {
        versions.append(
            FixtureVersion(
                name: name, isSealed: isSealed, fingerprint: fingerprint, samples: samples, tables: tables,
                structs: structs, since: since))
        structs = []
    }

    /// The versions that declare structs. Each struct is checked once, in the oldest version that has it.
    public var versionsWithStructs: [FixtureVersion] { versions.filter { !$0.structs.isEmpty } }

    /// The structs that read the rows of the newest version.
    var newestStructs: [StructCheck] {
        let all = versions.flatMap(\.structs)
        return (versions.last?.tables ?? []).compactMap { table in all.last { $0.table == table.name } }
    }

    // MARK: Steps

    /// Adds the expected result of a table in the next step.
    ///
    /// If a table has no expected result and is the same in both versions, it must keep every row and value.
    ///
    /// - Parameters:
    ///   - from: The table before the step.
    ///   - to: The table after the step; nil if it has the same name.
    ///   - oldKey: The columns of the primary key before the step; nil if they are the same after it.
    ///   - isEmptied: Whether all rows are deleted.
    ///   - kept: The columns that keep their values; nil for all columns that the table has in both versions.
    ///   - changed: The columns whose values change, with the new values.
    ///   - required: The column that is not NULL in the rows of `from` that are expected in `to`; nil for all rows.
    ///   - references: The foreign keys to rows that a custom migration may have deleted or given new primary keys.
    ///   - isJoin: Whether the table is a join table. Rows of a join table that have become equal are merged into one.
    ///   - isCopy: Whether the rows of `from` are in another table too.
    public mutating func expect(
        _ from: String, to: String? = nil, oldKey: [String]? = nil, emptied isEmptied: Bool = false,
        kept: [String]? = nil, changed: [String: ExpectedValue] = [:], requiring required: String? = nil,
        references: [ReferenceExpectation] = [], join isJoin: Bool = false, copy isCopy: Bool = false
    ) {
        expected.append { old, new in
            let after = new.columns(of: to ?? from)
            // If rows may be merged, a position may change, so only the pairs are compared.
            let pair = references.isEmpty ? nil : new.joinTables.first { $0.name == to ?? from }?.columns
            return TableExpectation(
                from: from, to: to ?? from, oldKey: oldKey ?? after.key, key: pair ?? after.key,
                emptied: isEmptied,
                kept: kept ?? old.columns(of: from).all.filter(after.all.contains), changed: changed,
                requiring: required, references: references, join: isJoin, copy: isCopy)
        }
    }

    /// Excludes a table from the checks of the next step, because only your custom migration determines its rows.
    public mutating func leave(_ table: String) {
        unchecked.insert(table)
    }

    /// Completes a step.
    ///
    /// - Parameters:
    ///   - from: The version before the step.
    ///   - to: The version after the step.
    ///   - custom: The expected results of the step's custom migration; nil if it has none.
    ///   - results: Whether what the step gives is sealed; nil if it only copies rows.
    public mutating func step(
        from: String, to: String, custom: CustomExpectation? = nil, results: SealedResults? = nil
    ) {
        var tables: [TableExpectation] = []
        if let old = versions.first(where: { $0.name == from }), let new = versions.first(where: { $0.name == to }) {
            tables = expected.map { $0(old, new) }
            tables += unchangedTables(old, new, besides: tables)
        }
        var step = StepExpectation(from: from, to: to, tables: tables, custom: custom)
        step.results = results
        steps.append(step)
        expected = []
        unchecked = []
    }

    /// Returns ways from a version to the newest, each with its steps: one for each version that `chain` lists for it, and then by the
    /// first version of each list. The ways of other versions have the other steps.
    ///
    /// - Throws: `FixtureError.unknownVersion` if no step begins at one of the versions.
    func paths(from version: FixtureVersion) throws -> [[StepExpectation]] {
        func ways(from version: String) throws -> [StepExpectation] {
            let ways = steps.filter { $0.from == version }
            if ways.isEmpty { throw FixtureError.unknownVersion(version, schema: schema.name) }
            return ways
        }
        if version.name == versions.last?.name { return [[]] }
        return try ways(from: version.name).map { first in
            var path = [first]
            while let last = path.last, last.to != versions.last?.name { path.append(try ways(from: last.to)[0]) }
            return path
        }
    }

    /// Returns the expectations for the tables that are the same in both versions and have no other expectation.
    private func unchangedTables(
        _ old: FixtureVersion, _ new: FixtureVersion, besides expected: [TableExpectation]
    ) -> [TableExpectation] {
        let mentioned = unchecked.union(expected.filter { !$0.isCopy }.map(\.from)).union(expected.map(\.to))
        func isUnchanged(_ name: String) -> Bool {
            old.since[name] != nil && old.since[name] == new.since[name] && !mentioned.contains(name)
        }
        func unchanged(_ name: String, isJoin: Bool) -> TableExpectation? {
            guard isUnchanged(name) else { return nil }
            let columns = new.columns(of: name)
            return TableExpectation(unchanged: name, key: columns.key, columns: columns.all, join: isJoin)
        }
        return new.tables.compactMap { unchanged($0.name, isJoin: false) }
            + new.joinTables.compactMap { unchanged($0.name, isJoin: true) }
    }

    // MARK: Files

    /// Returns the folder of the test target to which the generated file at `path` belongs.
    ///
    /// The generated file is in a subfolder of that folder.
    public static func folder(ofTestsAt path: String) -> URL {
        URL(fileURLWithPath: path).deletingLastPathComponent().deletingLastPathComponent()
    }

    /// Returns the URL of a version's fixture. The fixture of a draft has the prefix `draft-` and is not committed.
    public func url(of version: FixtureVersion) -> URL {
        folder.appendingPathComponent((version.isSealed ? "" : "draft-") + version.name + ".sqlite")
    }

    func schemaVersion(_ version: FixtureVersion) throws -> SchemaVersion {
        guard let found = schema.versions.first(where: { $0.name == version.name }) else {
            throw FixtureError.unknownVersion(version.name, schema: schema.name)
        }
        return found
    }

    // MARK: Export

    /// Prepares the fixture of a version and checks it.
    ///
    /// The fixture is written if it is missing. It is also written if the version is a draft and the fixture is
    /// outdated. The existing fixture of a released version is never overwritten.
    ///
    /// The fixture must match its version. Until it is sealed, it must also contain values of each kind.
    ///
    /// - Returns: The failures; empty if there are none.
    public func export(_ version: FixtureVersion) throws -> [Failure] {
        let failures = try prepare(version)
        // If the fixture does not match its version, its values mean nothing. A sealed fixture can no longer be
        // changed.
        if !failures.isEmpty || version.fingerprint != nil { return failures }
        let connection = try Connection(path: url(of: version).path, mode: .readOnly)
        return try FixtureCoverage(connection: connection).gaps(version).map { failure(version, $0) }
    }

    private func failure(_ version: FixtureVersion, _ text: String) -> Failure {
        Failure("fixture \(version.name) of \(schema.name): \(text)")
    }

    /// Writes the fixture of a version if necessary, once per process, and returns its failures.
    package func prepare(_ version: FixtureVersion) throws -> [Failure] {
        try prepared.value(of: url(of: version).path) { try writeAndCheck(version) }
    }

    private func writeAndCheck(_ version: FixtureVersion) throws -> [Failure] {
        do {
            try FileLock(for: folder).withLock {
                if try !isCurrent(version) { try write(version, to: url(of: version)) }
                if let fingerprint = version.fingerprint,
                    FNV1a(try Data(contentsOf: url(of: version))).value != fingerprint
                {
                    throw FixtureError.changed(url(of: version).path)
                }
            }
        } catch let error as FixtureError {
            return [failure(version, String(describing: error))]
        }
        return try check(version)
    }

    /// Returns whether the fixture of a version exists and is current.
    ///
    /// An existing sealed fixture counts as current. A draft's fixture must be newer than these tests, which contain
    /// its rows.
    private func isCurrent(_ version: FixtureVersion) throws -> Bool {
        let url = url(of: version)
        guard FileManager.default.fileExists(atPath: url.path) else { return false }
        if version.fingerprint != nil { return true }
        if !version.isSealed {
            guard let built = Self.buildTime, let written = Self.modificationTime(of: url.path), written > built else {
                return false
            }
        }
        let metadata = try? StoreIdentity(reading: Connection(path: url.path, mode: .readOnly))
        return try metadata?.fingerprint == schemaVersion(version).fingerprint
    }

    /// The modification time of the file that contains these tests; nil if it cannot be determined.
    static let buildTime: Date? = {
        #if canImport(Darwin)
            // On Darwin the tests are a bundle that another program loads.
            var image = Dl_info()
            guard dladdr(#dsohandle, &image) != 0, let name = image.dli_fname else { return nil }
            return modificationTime(of: String(cString: name))
        #else
            let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
            return program.flatMap(modificationTime)
        #endif
    }()

    static func modificationTime(of path: String) -> Date? {
        (try? FileManager.default.attributesOfItem(atPath: path))?[.modificationDate] as? Date
    }

    private func write(_ version: FixtureVersion, to url: URL) throws {
        // A missing sealed fixture must be restored. A new file would not have the same bytes.
        if version.fingerprint != nil { throw FixtureError.missing(url.path) }
        // This is the fixture of a released version, even if the tests do not have its fingerprint yet.
        if version.isSealed, FileManager.default.fileExists(atPath: url.path) { throw FixtureError.changed(url.path) }
        try withFolder { draftFolder in
            let draft = draftFolder.appendingPathComponent("draft.sqlite")
            try create(version, at: draft, withRows: true)
            // The bytes are nearly always the same. Another version of SQLite may write the same rows as different
            // bytes.
            if let before = try? Data(contentsOf: url), try before == Data(contentsOf: draft) {
                if !version.isSealed {
                    try? FileManager.default.setAttributes([.modificationDate: Date()], ofItemAtPath: url.path)
                }
                return
            }
            // An unreadable file counts as different.
            if try DatabaseContents(path: draft.path) == (try? DatabaseContents(path: url.path)) { return }
            let temporary = folder.appendingPathComponent(".\(url.lastPathComponent).new")
            defer { try? FileManager.default.removeItem(at: temporary) }
            do {
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
                try? FileManager.default.removeItem(at: temporary)
                try FileManager.default.copyItem(at: draft, to: temporary)
                // Renaming replaces the file in one step. Readers see either the old file or the new one.
                guard rename(temporary.path, url.path) == 0 else { throw CocoaError(.fileWriteUnknown) }
            } catch {
                throw FixtureError.unwritable(
                    url.path, isMissing: !FileManager.default.fileExists(atPath: url.path),
                    reason: (error as NSError).localizedDescription)
            }
        }
    }

    /// Creates a database of a version.
    ///
    /// The database has small pages, a rollback journal, and no content that depends on the time.
    ///
    /// - Parameters:
    ///   - version: The version.
    ///   - url: The file to create.
    ///   - withRows: Whether to write rows.
    ///   - random: The source of random rows; nil for the rows of a fixture.
    func create(_ version: FixtureVersion, at url: URL, withRows: Bool, drawnFrom random: RandomRows? = nil) throws {
        let connection = try Connection(path: url.path, mode: .create)
        try connection.execute("PRAGMA page_size = 512")
        try connection.execute("PRAGMA journal_mode = DELETE")
        // A database that a power failure leaves incomplete is written again.
        try connection.execute("PRAGMA synchronous = OFF")
        // Some random foreign keys dangle, as in apps that do not enforce foreign keys.
        try connection.execute("PRAGMA foreign_keys = \(random == nil ? "ON" : "OFF")")
        try connection.transaction("BEGIN IMMEDIATE") {
            try NewStore.create(try schemaVersion(version), schema: schema.name, in: connection)
            guard withRows else { return }
            try version.samples(WriteTransaction(connection))
            try SampleRows.write(version.tables, version.joinTables, to: connection, drawnFrom: random)
        }
    }

    private func check(_ version: FixtureVersion) throws -> [Failure] {
        let connection = try Connection(path: url(of: version).path, mode: .readOnly)
        let expected = try schemaVersion(version)
        let metadata = try StoreIdentity(reading: connection)
        var failures: [Failure] = []
        func fail(_ text: String) { failures.append(failure(version, text)) }
        func report(_ problem: Problem) {
            failures.append(problem.failure("fixture \(version.name) of \(schema.name)"))
        }
        if metadata.schema != schema.name { fail("it belongs to the schema \(metadata.schema)") }
        if metadata.version != version.name { fail("it has version \(metadata.version)") }
        if metadata.fingerprint != expected.fingerprint {
            fail("the version has changed since the fixture was written; a released version must not change")
        }
        for object in try SchemaComparison.differences(of: connection, from: expected, isStrict: true) {
            fail("\(object) differs from the version")
        }
        try TableShape(connection: connection, version: version).differences().forEach(report)
        for table in version.tables where !table.checks.isEmpty {
            guard let definition = expected.tables.first(where: { $0.name == table.name }) else { continue }
            try CheckedRows(connection).problems(table, definition).about(.entity(table.entity)).forEach(report)
        }
        try Self.soundness(of: connection).forEach(fail)
        return failures
    }

    /// Returns the problems that SQLite finds in a database.
    ///
    /// - Parameters:
    ///   - connection: The connection to the database.
    ///   - dangling: The number of dangling foreign keys that are allowed. If there are more, all of them are reported.
    static func soundness(of connection: Connection, dangling: Int = 0) throws -> [String] {
        var problems: [String] = []
        try connection.query("PRAGMA integrity_check") { row in
            let text = try row.string(0)
            if text != "ok" { problems.append(text) }
        }
        problems += try searchProblems(of: connection)
        let keys = try danglingKeys(of: connection)
        return problems + (keys.count > dangling ? keys : [])
    }

    /// Returns a message for each table whose search index does not have exactly the words of its rows.
    private static func searchProblems(of connection: Connection) throws -> [String] {
        let query = """
            SELECT name FROM sqlite_schema WHERE name LIKE 'strata\\_search\\_%' ESCAPE '\\' AND sql LIKE 'CREATE VIRTUAL TABLE %'
            """
        let names = try connection.texts(query)
        if names.isEmpty { return [] }
        // The check is a statement that inserts, so it needs a copy of a database that is open for reading only.
        let copy = try DatabaseCopy.inMemory(connection)
        return try names.compactMap { name in
            do {
                try copy.execute(SearchIndex.check(name))
                return nil
            } catch let error as SQLiteError where error.code == 11 {  // SQLITE_CORRUPT
                return "\(name) does not have exactly the words of its table's rows"
            }
        }
    }

    /// Returns a message for each dangling foreign key.
    static func danglingKeys(of connection: Connection) throws -> [String] {
        var keys: [String] = []
        try connection.query("PRAGMA foreign_key_check") { row in
            keys.append("a row of \(try row.string(0)) has a dangling foreign key to \(try row.string(2))")
        }
        return keys
    }

    // MARK: Copies

    func version(_ name: String) throws -> FixtureVersion {
        guard let version = versions.first(where: { $0.name == name }) else {
            throw FixtureError.unknownVersion(name, schema: schema.name)
        }
        return version
    }

    /// Copies a version's fixture to `copy`. Writes the fixture first if necessary.
    ///
    /// - Throws: `FixtureError.missing` if the fixture does not exist.
    func copyFixture(of version: FixtureVersion, to copy: URL) throws {
        // The tests run in any order. The first test that needs the fixture writes it.
        _ = try prepare(version)
        let url = url(of: version)
        guard FileManager.default.fileExists(atPath: url.path) else { throw FixtureError.missing(url.path) }
        try FileManager.default.copyItem(at: url, to: copy)
    }

    /// Runs `body` with a new temporary folder, and deletes the folder afterwards.
    package func withFolder<Result>(_ body: (_ folder: URL) throws -> Result) throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("strata-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try body(folder)
    }
}
