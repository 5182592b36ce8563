import Descriptions
import Foundation
import Generation
import SchemaDiff
import SchemaModel
import SQLSchema
import Templates

/// A valid model. Reading it parses, resolves and validates its descriptions, and compares them with the lock.
package struct LoadedModel {
    package let folder: ModelFolder
    package let history: SchemaHistory
    /// The policies for rows that do not fit, if the model was imported.
    package let invalidRows: [ImportedInvalidRows]
    /// The notes and warnings about the files of a valid model.
    let notes: [Diagnostic]
    /// The errors for versions that cannot all be drafts. With one, nothing can be generated.
    private(set) var severalDrafts: [Diagnostic] = []
    /// The number of versions that the generated lock seals. They are the oldest versions.
    let sealedCount: Int
    /// The lock file on disk, without unsupported versions.
    package let lock: Lock
    /// The released versions: those in the lock file on disk.
    package var released: [Version] { lock.versions.map(\.version) }
    /// The fingerprints of the fixture files of sealed versions.
    private(set) var fixtures: [Version: Fingerprint]
    /// The fingerprints of the files with the results of released steps.
    var results: [StepVersions: Fingerprint]
    /// Whether the newest version is released.
    var isReleased: Bool { released.last == history.newest.version }

    /// The newest version if it can still change; nil if it is released, or if the databases of the library from which
    /// the model was imported have it.
    package var draft: Version? {
        let newest = history.newest.version
        return isReleased || history.isImported(newest) ? nil : newest
    }

    /// The version that a command releases.
    package enum Release: Equatable {
        case newest
        case version(Version)
        /// No version, but steps as the descriptions have them now.
        case steps([StepVersions])
    }

    /// Reads the model in `folder`.
    ///
    /// - Parameters:
    ///   - folder: The folder of the model.
    ///   - release: The version to release; nil to release none. The versions before it are released too.
    ///   - testFolders: The folders of the test targets. A fixture in them that is not a draft belongs to a released
    ///     version.
    /// - Throws: `Diagnostics` with all problems in the files, or `CommandError`.
    package init(
        reading folder: ModelFolder, release: Release? = nil, testFolders: [ModelFolder.TestFolder] = []
    ) throws {
        self.folder = folder
        var lock = try Self.readLock(folder)
        let descriptions = ValidatedDescriptions(
            reading: try folder.descriptions(), folder: folder.path, schema: folder.configuration.schema,
            sealed: lock.versions.map(\.version), settings: folder.configuration.versions,
            imported: folder.configuration.imported, lint: folder.configuration.lint)
        guard var history = descriptions.history else { throw Diagnostics(descriptions.diagnostics) }
        if let oldest = folder.configuration.versions.oldestSupported {
            history = history.supported(from: oldest)
            lock = lock.supported(from: oldest)
        }
        // If old versions are no longer supported, `imported` may still name their columns.
        let unknown = (descriptions.completeHistory ?? history).unknownImportedColumns
        guard unknown.isEmpty || folder.configuration.versions.oldestSupported != nil else {
            throw CommandError.unknownImportedColumns(folder.path, unknown)
        }
        let invalidRows = folder.configuration.invalidRows.resolved(in: history)
        // A policy may be for an entity of a later version than the current one.
        let problems = folder.configuration.invalidRows.resolved(in: descriptions.completeHistory ?? history)
            .diagnostics
        guard invalidRows.diagnostics.isEmpty || problems.isEmpty && folder.configuration.versions.currentVersion != nil
        else { throw Diagnostics(invalidRows.diagnostics) }
        self.invalidRows = invalidRows.policies
        self.history = history
        if case .steps(let steps) = release {
            for step in steps {
                guard lock.steps.contains(step) else {
                    throw CommandError.noStep(step.description, known: lock.steps.map(\.description))
                }
                lock = lock.accepting(step)
            }
        }
        self.notes = descriptions.diagnostics
        let changes = lock.changes(in: history)
        if !changes.isEmpty, let released = lock.versions.last?.version {
            throw Diagnostics(
                changes.flatMap { Self.tableChanges($0, in: history, folder) }.map { change, path in
                    descriptions.diagnostic(of: change, released: released, path: path)
                })
        }
        self.lock = lock
        self.fixtures = Dictionary(
            lock.versions.filter { !history.isPassedInConversion($0.version) }
                .compactMap { sealed in sealed.fixture.map { (sealed.version, $0) } },
            uniquingKeysWith: { first, _ in first })
        self.results = lock.results
        // Only `release` seals versions, unless the lock was lost.
        var sealedCount = max(
            lock.versions.count, try Self.releasedCount(of: history, beyond: lock, fixtures: testFolders))
        // Databases of imported versions exist already, so these are no drafts.
        let drafts = history.versions.dropFirst(sealedCount).map(\.version).filter { !history.isImported($0) }
        if case .version(let version) = release {
            guard let index = history.versions.firstIndex(where: { $0.version == version }) else {
                throw CommandError.noVersion(version.text, known: history.versions.map(\.version.text))
            }
            sealedCount = max(sealedCount, index + 1)
        } else {
            if drafts.count > 1 {
                severalDrafts = descriptions.severalDrafts(
                    drafts, target: folder.target, isLockMissing: !Self.hasLock(folder))
            }
            if release == .newest { sealedCount = history.versions.count }
        }
        self.sealedCount = sealedCount
    }

    /// Returns the number of versions that are released according to their fixtures, although the lock does not name
    /// them.
    ///
    /// A fixture file that is not a draft belongs to a released version. If the lock does not name this version, the
    /// lock was lost. The number includes all older versions. It is 0 if there is no such fixture.
    ///
    /// - Throws: `CommandError.stale` if such a fixture does not match the description of its version.
    private static func releasedCount(
        of history: SchemaHistory, beyond lock: Lock, fixtures testFolders: [ModelFolder.TestFolder]
    ) throws -> Int {
        guard let fixtures = fixtureFolder(of: history, in: testFolders) else { return 0 }
        var count = 0
        var messages: [String] = []
        let names = (try? FileManager.default.contentsOfDirectory(atPath: fixtures.path)) ?? []
        for name in names.sorted() where name.hasSuffix(".sqlite") {
            guard let version = Version(String(name.dropLast(7))), version >= history.versions[0].version,
                !lock.versions.contains(where: { $0.version == version }), !history.isPassedInConversion(version)
            else { continue }
            let url = fixtures.appendingPathComponent(name)
            let index = history.versions.firstIndex { $0.version == version }
            if let index, fixture(of: history.versions[index], at: url)?.isCurrent == true {
                count = max(count, index + 1)
            } else {
                messages.append(
                    """
                    \(url.path): error: this is the database of a released version, which \(Generator.lockName) does not \
                    name and the descriptions do not give: restore \(Generator.lockName) and the descriptions from version \
                    control, or delete this file, and the .rows of the step to it, if no customer has such a database
                    """)
            }
        }
        guard messages.isEmpty else { throw CommandError.stale(messages, fixedBy: nil) }
        return count
    }

    /// The versions that the generated lock contains.
    var sealedVersions: [Version] { history.versions.prefix(sealedCount).map(\.version) }

    /// The sealed versions whose fixtures are committed.
    var versionsWithFixtures: [ModelVersion] {
        history.versions.prefix(sealedCount).filter { !history.isPassedInConversion($0.version) }
    }

    /// Seals the fixtures of sealed versions, if the first test target has them. Fixtures that are already sealed do
    /// not change.
    ///
    /// - Returns: The draft fixtures to rename, with their new URLs.
    mutating func sealFixtures(in testFolders: [ModelFolder.TestFolder]) -> [(draft: URL, fixture: URL)] {
        var renamed: [(URL, URL)] = []
        for version in versionsWithFixtures where fixtures[version.version] == nil {
            guard let url = fixtureFile(of: version.version, in: testFolders),
                let draft = draftFile(of: version.version, in: testFolders)
            else { continue }
            if let file = Self.fixture(of: version, at: url), file.isCurrent {
                fixtures[version.version] = Fingerprint(of: file.bytes)
            } else if let file = Self.fixture(of: version, at: draft), file.isCurrent {
                fixtures[version.version] = Fingerprint(of: file.bytes)
                renamed.append((draft, url))
            }
        }
        return renamed
    }

    /// Returns the sealed versions whose fixtures are not sealed yet, because no test has written them.
    func versionsWithoutFixture(in testFolders: [ModelFolder.TestFolder]) -> [Version] {
        guard testFolders.contains(where: \.isFirst) else { return [] }
        return versionsWithFixtures.map(\.version).filter { fixtures[$0] == nil }
    }

    /// Returns the fixtures of unreleased sealed versions that belong to an earlier draft. They must not be sealed.
    func staleFixtures(in testFolders: [ModelFolder.TestFolder]) -> [URL] {
        versionsWithFixtures.filter { !released.contains($0.version) }.flatMap { version -> [URL] in
            let files = [
                fixtureFile(of: version.version, in: testFolders), draftFile(of: version.version, in: testFolders),
            ]
            .compactMap(\.self).map { ($0, Self.fixture(of: version, at: $0)?.isCurrent) }
            // If one of the two files is current, the other one does not matter.
            return files.contains { $0.1 == true } ? [] : files.filter { $0.1 == false }.map(\.0)
        }
    }

    /// Returns the bytes of a fixture, and whether its fingerprint is that of the described version; nil if the file
    /// cannot be read.
    private static func fixture(of version: ModelVersion, at url: URL) -> (bytes: Data, isCurrent: Bool)? {
        guard let bytes = try? Data(contentsOf: url) else { return nil }
        // A store's `user_version` is derived from its fingerprint. It is at offset 60 of the file
        // (https://sqlite.org/fileformat.html).
        let number = bytes.dropFirst(60).prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        return (bytes, Int32(bitPattern: number) == version.fingerprint.value.userVersion)
    }

    private func fixtureFile(of version: Version, in testFolders: [ModelFolder.TestFolder]) -> URL? {
        fixtureFolder(in: testFolders)?.appendingPathComponent("\(version).sqlite")
    }

    /// Returns the file of a draft's fixture; nil if the model has no test target.
    func draftFile(of version: Version, in testFolders: [ModelFolder.TestFolder]) -> URL? {
        fixtureFolder(in: testFolders)?.appendingPathComponent("draft-\(version).sqlite")
    }

    /// Returns the files that the tests have written for drafts, in all test targets.
    func draftFiles(in testFolders: [ModelFolder.TestFolder]) -> [URL] {
        testFolders.flatMap { testFolder -> [URL] in
            let folder = testFolder.url.appendingPathComponent("Fixtures/\(history.name)")
            let files = try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            return (files ?? []).filter { $0.lastPathComponent.hasPrefix("draft-") }
        }
    }

    func fixtureFolder(in testFolders: [ModelFolder.TestFolder]) -> URL? {
        Self.fixtureFolder(of: history, in: testFolders)
    }

    private static func fixtureFolder(of history: SchemaHistory, in testFolders: [ModelFolder.TestFolder]) -> URL? {
        testFolders.first(where: \.isFirst)?.url.appendingPathComponent("Fixtures/\(history.name)")
    }

    /// Returns a change with the path of the file to report.
    ///
    /// A change of a released version's DDL becomes one change for each table with a statement that the version's SQL
    /// file does not have.
    private static func tableChanges(
        _ change: LockChange, in history: SchemaHistory, _ folder: ModelFolder
    ) -> [(LockChange, path: String)] {
        guard case .tables(let released, _) = change,
            let version = history.versions.first(where: { $0.version == released })
        else { return [(change, lockURL(folder).path)] }
        let file = folder.folder(.sql).appendingPathComponent("\(released).sql")
        guard let text = try? String(contentsOf: file, encoding: .utf8) else { return [(change, lockURL(folder).path)] }
        let statements = Set(SQLToken.statements(of: text))
        let changed = version.tables.filter { !statements.isSuperset(of: SQLite.create($0)) }
        return (changed.isEmpty ? [nil] : changed.map(\.name)).map { (.tables(released, table: $0), file.path) }
    }

    private static func lockURL(_ folder: ModelFolder) -> URL {
        folder.url.appendingPathComponent(Generator.lockName)
    }

    private static func hasLock(_ folder: ModelFolder) -> Bool {
        FileManager.default.fileExists(atPath: lockURL(folder).path)
    }

    /// Reads the lock file of the model. Returns an empty lock if the file does not exist.
    private static func readLock(_ folder: ModelFolder) throws -> Lock {
        let url = lockURL(folder)
        let schema = folder.configuration.schema
        guard hasLock(folder) else { return Lock(schema: schema) }
        func refuse(_ problem: Problem, line: Int) -> Diagnostics {
            Diagnostics([Diagnostic(problem, path: url.path, position: Position(line: line, column: 1))])
        }
        let text = String(decoding: try Data(contentsOf: url), as: UTF8.self)
        let conflict = MergeConflict(in: text)
        let lock: Lock
        do {
            lock = try conflict.map { try Lock(resolving: $0) } ?? Lock(parsing: text)
        } catch let error as LockConflict {
            throw refuse(.twoReleases(error), line: conflict?.line ?? 1)
        } catch let error as Lock.Malformed {
            throw refuse(.malformedLock(error.reason), line: conflict?.line ?? error.line)
        }
        // A lock without versions may belong to any schema.
        guard lock.schema == schema || lock.versions.isEmpty else {
            throw refuse(.lockOfOtherSchema(lock.schema, expected: schema), line: 1)
        }
        return Lock(schema: schema, versions: lock.versions)
    }

    /// Returns the problems with the fixtures of released versions in the first test target; empty if the target does
    /// not exist.
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

    /// Creates a generator for the model.
    ///
    /// - Parameters:
    ///   - testFolder: The way in which the generated tests find the folder of their target.
    ///   - tests: The test target whose tests are generated; nil if none is.
    /// - Throws: `CommandError` if the configured templates are wrong.
    func generator(
        testFolder: GenerationOptions.TestFolder = .aboveFile, for tests: ModelFolder.TestFolder? = nil
    ) throws -> Generator {
        var templates = try Templates.load()
        if let path = folder.configuration.templates {
            let own = URL(fileURLWithPath: path, isDirectory: true, relativeTo: folder.url)
            guard let replacements = try? Templates.load(from: own) else { throw CommandError.noTemplates(own.path) }
            for (name, text) in replacements.sorted(by: { $0.key < $1.key }) {
                let path = own.appendingPathComponent(name + ".mustache").path
                if templates[name] == nil {
                    throw CommandError.unknownTemplate(path, known: templates.keys.sorted())
                }
                if Templates.format(of: text) != Templates.format {
                    throw CommandError.templateFormat(
                        path, found: Templates.format(of: text), firstLine: Templates.firstLine)
                }
            }
            templates.merge(replacements) { _, own in own }
        }
        return Generator(
            history: history, templates: templates,
            options: GenerationOptions(
                module: folder.module, access: folder.configuration.access, ddl: folder.configuration.ddl,
                structs: folder.configuration.structs, codingNames: folder.configuration.codingNames,
                testFolder: testFolder, sealedCount: sealedCount, modelPath: tests.map(folder.path),
                fixtures: tests?.isFirst == false ? [:] : fixtures,
                results: tests?.isFirst == false ? nil : results,
                invalidRows: invalidRows))
    }
}
