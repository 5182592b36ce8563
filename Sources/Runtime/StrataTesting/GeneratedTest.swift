import Foundation
import Strata
import TestFiles

/// A test that Strata generates. It runs for each version that it concerns.
public enum GeneratedTest: String, CaseIterable, Sendable {
    case fixture, structs, migration, random, compatibility, conversion
}

extension Fixtures {
    /// Runs a test, and records whether it has passed.
    ///
    /// The record is a file beside the fixtures, which `strata release` reads. Nothing is recorded where the sources of the
    /// model are not, as on a device.
    ///
    /// ```swift
    /// try fixtures.record(.migration, of: version) { fail in
    ///     if try !fixtures.checkMigration(of: version).isEmpty { fail() }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - test: The test.
    ///   - version: The version that it concerns.
    ///   - body: The test. It calls `fail` if something is wrong.
    public func record(
        _ test: GeneratedTest, of version: FixtureVersion,
        _ body: (_ fail: @escaping @Sendable () -> Void) throws -> Void
    ) throws {
        guard let inputs = inputs() else { return try body {} }
        let hasPassed = Locked(true)
        // A test that crashes has not passed.
        record(test, of: version, passed: false, inputs)
        try body { hasPassed.withLock { $0 = false } }
        if hasPassed.withLock(\.self) { record(test, of: version, passed: true, inputs) }
    }

    /// Records whether a test has passed. A folder that cannot be written has no record.
    private func record(_ test: GeneratedTest, of version: FixtureVersion, passed hasPassed: Bool, _ inputs: UInt64) {
        try? FileLock(for: folder).withLock {
            let url = folder.appendingPathComponent(TestRecord.fileName)
            let known = (try? String(contentsOf: url, encoding: .utf8)).flatMap(TestRecord.init(parsing:))
            let empty = TestRecord(inputs: inputs, tests: tests)
            var record = known.flatMap { $0.inputs == inputs && $0.names == empty.names ? $0 : nil } ?? empty
            record.set("\(test.rawValue) \(version.name)", passed: hasPassed)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try Data(record.text.utf8).write(to: url, options: .atomic)
        }
    }

    /// The hash of what the tests depend on; nil if their sources are not there.
    func inputs() -> UInt64? {
        guard let sources, let model = sources.model else { return nil }
        return try? inputHash.value(of: model.path) { TestRecord.inputs(model: model, tests: sources.tests) }
    }

    /// The folders of the tests and of the model; nil if they are not there.
    var sources: (tests: URL, model: URL?)? {
        let tests = folder.deletingLastPathComponent().deletingLastPathComponent()
        guard FileManager.default.fileExists(atPath: tests.path) else { return nil }
        var parent = tests
        while let model, parent.pathComponents.count > 1 {
            parent.deleteLastPathComponent()
            let found = parent.appendingPathComponent(model)
            if FileManager.default.fileExists(atPath: found.appendingPathComponent("strata.json").path) {
                return (tests, found)
            }
        }
        return (tests, nil)
    }

    /// The imported versions whose conversion is checked.
    ///
    /// In a history of at most ten versions, these are all imported versions. In a longer history, these are every
    /// tenth version and the newest imported version. Set `STRATA_PATHS=all` in the environment to check all of them.
    public var convertedVersions: [FixtureVersion] {
        guard let names = schema.imported?.formerNames else { return [] }
        let imported = versions.filter { names[$0.name] != nil }
        return imported.filter { isSampled($0) || $0.name == imported.last?.name }
    }

    /// The names of all tests.
    private var tests: [String] {
        GeneratedTest.allCases.flatMap { test -> [String] in
            let versions =
                switch test {
                case .fixture, .migration, .random: versions
                case .structs: versionsWithStructs
                case .compatibility: compatibleVersions
                case .conversion: checksConversions ? convertedVersions : []
                }
            return versions.map { "\(test.rawValue) \($0.name)" }
        }
    }
}
