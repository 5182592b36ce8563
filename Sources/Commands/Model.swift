import Descriptions
import Foundation
import Generation
import SchemaModel
import Templates

/// A model that was read and found whole: parse, resolve, validate, and compare with the lock.
struct Model {
    let folder: ModelFolder
    let history: SchemaHistory
    /// What is to be told of the files although nothing is wrong with them.
    let notes: [Diagnostic]
    /// How many versions, from the oldest on, are sealed.
    private(set) var sealedCount: Int
    /// The released versions, as the lock on disk holds them.
    let lock: Lock
    /// The versions that the lock holds.
    var released: [Version] { lock.versions.map(\.version) }
    /// The fingerprints of the files of the fixtures of sealed versions, as the lock holds them.
    private(set) var fixtures: [Version: Fingerprint]
    /// Whether the newest version is released.
    var isReleased: Bool { released.last == history.newest.version }

    /// Reads the model in `folder`.
    ///
    /// - Throws: `Diagnostics` with all that is wrong in its files.
    init(reading folder: ModelFolder) throws {
        self.folder = folder
        var lock = try Self.readLock(folder)
        let descriptions = Descriptions(
            reading: try folder.descriptions(), folder: folder.path, schema: folder.configuration.schema,
            sealed: lock.versions.map(\.version), settings: folder.configuration.versions)
        guard var history = descriptions.history else { throw Diagnostics(descriptions.diagnostics) }
        if let oldest = folder.configuration.versions.oldestSupported {
            history = history.supported(from: oldest)
            lock = lock.supported(from: oldest)
        }
        history.imported = folder.configuration.imported
        // Those that only unsupported versions had may still be named.
        let unknown = history.unknownImportedColumns
        guard unknown.isEmpty || folder.configuration.versions.oldestSupported != nil else {
            throw CommandError.unknownImportedColumns(folder.path, unknown)
        }
        let misfits = folder.configuration.misfits.resolved(in: history)
        guard misfits.diagnostics.isEmpty else { throw Diagnostics(misfits.diagnostics) }
        history.imported?.misfits = misfits.policies
        self.history = history
        self.notes = descriptions.diagnostics
        let changes = lock.changes(in: history)
        guard changes.isEmpty else {
            throw Diagnostics(changes.flatMap { Self.diagnostics(of: $0, in: history, folder) })
        }
        self.lock = lock
        self.fixtures = Dictionary(
            lock.versions.filter { !history.isPassedInConversion($0.version) }
                .compactMap { sealed in sealed.fixture.map { (sealed.version, $0) } },
            uniquingKeysWith: { first, _ in first })
        // All versions that are older than the newest are sealed, but for imported ones: only `release` seals those.
        let own = history.versions.dropLast().lastIndex { version in
            history.imported == nil || history.formerNames[version.version] == nil
        }
        self.sealedCount = max(lock.versions.count, own.map { $0 + 1 } ?? 0)
    }

    /// The versions that the lock will hold.
    var sealedVersions: [Version] { history.versions.prefix(sealedCount).map(\.version) }

    /// Seals the newest version too.
    mutating func release() {
        sealedCount = history.versions.count
    }

    /// The sealed versions whose fixtures are committed.
    private var versionsWithFixtures: [SchemaVersion] {
        history.versions.prefix(sealedCount).filter { !history.isPassedInConversion($0.version) }
    }

    /// Seals the fixtures of sealed versions that the first test target has by now; a sealed one stays as it is.
    ///
    /// - Returns: The drafts to be renamed, with their new names.
    mutating func sealFixtures(in testFolders: [ModelFolder.TestFolder]) -> [(draft: URL, fixture: URL)] {
        var renamed: [(URL, URL)] = []
        for version in versionsWithFixtures where fixtures[version.version] == nil {
            guard let url = fixtureFile(of: version.version, in: testFolders),
                let draft = draftFile(of: version.version, in: testFolders)
            else { continue }
            if let file = fixture(of: version, at: url), file.isCurrent {
                fixtures[version.version] = Fingerprint(of: file.bytes)
            } else if let file = fixture(of: version, at: draft), file.isCurrent {
                fixtures[version.version] = Fingerprint(of: file.bytes)
                renamed.append((draft, url))
            }
        }
        return renamed
    }

    /// The fixtures of versions that are about to be released and that are those of earlier drafts: they must not be sealed.
    func staleFixtures(in testFolders: [ModelFolder.TestFolder]) -> [URL] {
        versionsWithFixtures.filter { !released.contains($0.version) }.flatMap { version -> [URL] in
            let files = [
                fixtureFile(of: version.version, in: testFolders), draftFile(of: version.version, in: testFolders),
            ]
            .compactMap(\.self).map { ($0, fixture(of: version, at: $0)?.isCurrent) }
            // A current one takes the place of the other.
            return files.contains { $0.1 == true } ? [] : files.filter { $0.1 == false }.map(\.0)
        }
    }

    /// The bytes of a fixture, and whether it is of the version as the descriptions have it.
    private func fixture(of version: SchemaVersion, at url: URL) -> (bytes: Data, isCurrent: Bool)? {
        guard let bytes = try? Data(contentsOf: url) else { return nil }
        // A store's `user_version` is that of its fingerprint, and stands at 60 (https://sqlite.org/fileformat.html).
        let number = bytes.dropFirst(60).prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        return (bytes, Int32(bitPattern: number) == version.fingerprint.value.userVersion)
    }

    private func fixtureFile(of version: Version, in testFolders: [ModelFolder.TestFolder]) -> URL? {
        fixtureFolder(in: testFolders)?.appendingPathComponent("\(version).sqlite")
    }

    private func draftFile(of version: Version, in testFolders: [ModelFolder.TestFolder]) -> URL? {
        fixtureFolder(in: testFolders)?.appendingPathComponent("draft-\(version).sqlite")
    }

    private func fixtureFolder(in testFolders: [ModelFolder.TestFolder]) -> URL? {
        testFolders.first(where: \.isFirst)?.url.appendingPathComponent("Fixtures/\(history.name)")
    }

    /// The diagnostics of a change to a sealed version: where its SQL would change, one for each table whose statement
    /// the written file does not have.
    private static func diagnostics(
        of change: LockChange, in history: SchemaHistory, _ folder: ModelFolder
    ) -> [Diagnostic] {
        let file = folder.folder(.sql).appendingPathComponent("\(change.version).sql")
        guard change.isOnlyDDL, let version = history.versions.first(where: { $0.version == change.version }),
            let text = try? String(contentsOf: file, encoding: .utf8)
        else { return [Diagnostic(.sealedChange(change), path: lockURL(folder).path, position: nil)] }
        let changed = version.tables.filter { table in
            !([table.createStatement()] + table.indexStatements).allSatisfy { text.contains($0 + ";") }
        }
        return (changed.isEmpty ? [nil] : changed.map(\.name)).map { table in
            var change = change
            change.entity = table
            return Diagnostic(.sealedChange(change), path: file.path, position: nil)
        }
    }

    private static func lockURL(_ folder: ModelFolder) -> URL {
        folder.url.appendingPathComponent(Generator.lockName)
    }

    /// The lock of the model; an empty one where there is none yet.
    private static func readLock(_ folder: ModelFolder) throws -> Lock {
        let url = lockURL(folder)
        let schema = folder.configuration.schema
        guard FileManager.default.fileExists(atPath: url.path) else { return Lock(schema: schema) }
        func refuse(_ problem: Problem, line: Int) -> Diagnostics {
            Diagnostics([Diagnostic(problem, path: url.path, position: Position(line: line, column: 1))])
        }
        let text = String(decoding: try Data(contentsOf: url), as: UTF8.self)
        let lock: Lock
        do {
            lock = try Lock(parsing: text)
        } catch {
            throw refuse(.malformedLock(error.reason), line: error.line)
        }
        // A lock that seals nothing is of no schema yet.
        guard lock.schema == schema || lock.versions.isEmpty else {
            throw refuse(.lockOfOtherSchema(lock.schema, expected: schema), line: 1)
        }
        return Lock(schema: schema, versions: lock.versions)
    }

    /// What is wrong with the fixtures of released versions in the first test target, if it is there.
    func fixtureFindings(in testFolders: [ModelFolder.TestFolder]) -> [(url: URL, message: String)] {
        released.filter { !history.isPassedInConversion($0) }.compactMap { version in
            guard let url = fixtureFile(of: version, in: testFolders) else { return nil }
            guard let data = try? Data(contentsOf: url) else {
                let isSealed = fixtures[version] != nil
                let remedy = isSealed ? "restore it from version control" : "the tests write it"
                return (url, "the database of a released version is missing: \(remedy)")
            }
            guard let sealed = fixtures[version] else {
                return (url, "the database of a released version is not in strata.lock: generate seals it; commit both")
            }
            if sealed == Fingerprint(of: data) { return nil }
            return (url, "the database of a released version was changed: restore it from version control")
        }
    }

    /// A generator for the model; `testFolder` is how its tests find the folder of their target.
    ///
    /// - `sealsFixtures`: whether the tests know the fixtures' files.
    func generator(
        testFolder: GenerationOptions.TestFolder = .aboveFile, sealsFixtures: Bool = true
    ) throws -> Generator {
        var templates = try Templates.load()
        if let path = folder.configuration.templates {
            let own = URL(fileURLWithPath: path, isDirectory: true, relativeTo: folder.url)
            guard let replacements = try? Templates.load(from: own) else { throw CommandError.noTemplates(own.path) }
            for name in replacements.keys.sorted() where templates[name] == nil {
                throw CommandError.unknownTemplate(
                    own.appendingPathComponent(name + ".mustache").path, known: templates.keys.sorted())
            }
            templates.merge(replacements) { _, own in own }
        }
        return Generator(
            history: history, templates: templates,
            options: GenerationOptions(
                module: folder.module, access: folder.configuration.access, ddl: folder.configuration.ddl,
                structs: folder.configuration.structs, isCodable: folder.configuration.codable,
                testFolder: testFolder, sealedCount: sealedCount, fixtures: sealsFixtures ? fixtures : [:]))
    }
}
