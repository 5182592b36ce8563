import Descriptions
import Foundation
import Generation
import SchemaDiff
import SchemaModel
import SQLSchema

/// The released part of a history: the versions that can no longer change, with their fixtures and the results of their
/// steps.
package struct Sealing: Sendable {
    /// The version that a command releases.
    package enum Release: Equatable, Sendable {
        case newest
        case version(Version)
        /// No version, but steps as the descriptions have them now.
        case steps([StepVersions])
    }

    /// The lock file on disk, without unsupported versions.
    package let lock: Lock
    /// The number of versions that the generated lock seals. They are the oldest versions.
    let count: Int
    /// The fingerprints of the fixture files of sealed versions.
    let fixtures: [Version: Fingerprint]
    /// The fingerprints of the files with the results of released steps.
    let results: [StepVersions: Fingerprint]
    /// The versions that can still change; empty if a command releases one by name, which may have others after it.
    let drafts: [Version]
    let history: SchemaHistory
    /// The folder with the fixtures; nil if the model has no test target.
    let folder: FixtureFolder?

    /// Compares a history with the lock of its model, and releases versions.
    ///
    /// - Parameters:
    ///   - history: The supported versions.
    ///   - files: The files of the model.
    ///   - descriptions: The descriptions, for the positions of errors.
    ///   - model: The folder of the model.
    ///   - release: The version to release; nil to release none. The versions before it are released too.
    ///   - folder: The folder with the fixtures. A fixture in it that is not a draft belongs to a released version.
    /// - Throws: `Diagnostics` if a released version or step differs; `CommandError` if a released version is unknown.
    init(
        of history: SchemaHistory, _ files: ModelFiles, _ descriptions: ValidatedDescriptions, in model: ModelFolder,
        release: Release?, folder: FixtureFolder?
    ) throws {
        var lock = files.lock
        if let oldest = model.configuration.versions.oldestSupported { lock = lock.supported(from: oldest) }
        if case .steps(let steps) = release {
            for step in steps {
                guard lock.steps.contains(step) else {
                    throw CommandError.noStep(step.description, known: lock.steps.map(\.description))
                }
                lock = lock.accepting(step)
            }
        }
        let changes = lock.changes(in: history)
        if !changes.isEmpty, let released = lock.versions.last?.version {
            throw Diagnostics(
                changes.flatMap { Self.tableChanges($0, in: history, model) }.map { change, path in
                    descriptions.diagnostic(of: change, released: released, path: path)
                })
        }
        // Only `release` seals versions, unless the lock was lost.
        let known = max(lock.versions.count, try folder?.releasedCount(of: history, beyond: lock) ?? 0)
        switch release {
        case .newest: count = history.versions.count
        case .version(let version):
            guard let index = history.versions.firstIndex(where: { $0.version == version }) else {
                throw CommandError.noVersion(version.text, known: history.versions.map(\.version.text))
            }
            count = max(known, index + 1)
        case .steps, nil: count = known
        }
        if case .version = release {
            drafts = []
        } else {
            // Databases of imported versions exist already, so these are no drafts.
            drafts = history.versions.dropFirst(known).map(\.version).filter { !history.isImported($0) }
        }
        fixtures = Dictionary(
            lock.versions.filter { !history.isPassedInConversion($0.version) }
                .compactMap { sealed in sealed.fixture.map { (sealed.version, $0) } },
            uniquingKeysWith: { first, _ in first })
        results = lock.results
        (self.lock, self.history, self.folder) = (lock, history, folder)
    }

    /// Creates the same with other files.
    init(_ sealing: Sealing, fixtures: [Version: Fingerprint], results: [StepVersions: Fingerprint]) {
        (lock, count, drafts) = (sealing.lock, sealing.count, sealing.drafts)
        (history, folder) = (sealing.history, sealing.folder)
        (self.fixtures, self.results) = (fixtures, results)
    }

    /// The released versions: those in the lock file on disk.
    package var released: [Version] { lock.versions.map(\.version) }

    /// The versions that the generated lock contains.
    var versions: [Version] { history.versions.prefix(count).map(\.version) }

    /// The versions that the lock file on disk does not contain yet.
    var newVersions: [Version] { versions.filter { !released.contains($0) } }

    /// Returns a change with the path of the file to report.
    ///
    /// A change of a released version's DDL becomes one change for each table with a statement that the version's SQL
    /// file does not have.
    private static func tableChanges(
        _ change: LockChange, in history: SchemaHistory, _ folder: ModelFolder
    ) -> [(LockChange, path: String)] {
        guard case .tables(let released, _) = change,
            let version = history.versions.first(where: { $0.version == released })
        else { return [(change, folder.lock.path)] }
        let file = folder.folder(.sql).appendingPathComponent("\(released).sql")
        guard let text = try? String(contentsOf: file, encoding: .utf8) else { return [(change, folder.lock.path)] }
        let statements = Set(SQLToken.statements(of: text))
        let changed = version.tables.filter { !statements.isSuperset(of: SQLite.create($0)) }
        return (changed.isEmpty ? [nil] : changed.map(\.name)).map { (.tables(released, table: $0), file.path) }
    }
}

extension FixtureFolder {
    /// Returns the number of versions that are released according to their fixtures, although the lock does not name
    /// them.
    ///
    /// A fixture file that is not a draft belongs to a released version. If the lock does not name this version, the
    /// lock was lost. The number includes all older versions. It is 0 if there is no such fixture.
    ///
    /// - Throws: `CommandError.stale` if such a fixture does not match the description of its version.
    fileprivate func releasedCount(of history: SchemaHistory, beyond lock: Lock) throws -> Int {
        var count = 0
        var messages: [String] = []
        for (version, url) in fixtures {
            guard version >= history.versions[0].version, !lock.versions.contains(where: { $0.version == version }),
                !history.isPassedInConversion(version)
            else { continue }
            let index = history.versions.firstIndex { $0.version == version }
            if let index, contents(of: history.versions[index])?.isCurrent == true {
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
}
