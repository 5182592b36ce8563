import Foundation
import Generation
import SchemaDiff
import SchemaModel
import TestFiles

/// The files that the tests of a model have written for its release: the fixtures of versions, and the results of steps.
extension Sealing {
    /// The same versions with more sealed files.
    struct Extended {
        let sealing: Sealing
        /// The files of drafts to rename, with their new URLs.
        var renamed: [(draft: URL, file: URL)] = []
        /// The notes about values that are not sealed.
        var notes: [String] = []
    }

    /// Seals the files of sealed versions and steps, if the first test target has them. Files that are already sealed do not
    /// change.
    ///
    /// - Parameter hasPassed: Whether the tests have passed with the present files. Only then are results sealed.
    func sealingFiles(hasPassed: Bool) -> Extended {
        guard let folder else { return Extended(sealing: self) }
        var (fixtures, results) = (fixtures, results)
        var renamed: [(URL, URL)] = []
        var notes: [String] = []
        for version in versionsWithFixtures where fixtures[version.version] == nil {
            let files = [false, true].lazy.compactMap { folder.contents(of: version, isDraft: $0) }
            guard let file = files.first(where: \.isCurrent) else { continue }
            fixtures[version.version] = file.fingerprint
            let url = folder.fixture(of: version.version)
            if file.url != url { renamed.append((file.url, url)) }
        }
        for step in hasPassed ? stepsWithResults : [] where results[step] == nil {
            // The tests of a released version write the file itself.
            let isDraft = !released.contains(step.to)
            let url = folder.results(of: step, isDraft: isDraft)
            guard let bytes = try? Data(contentsOf: url),
                let found = StepResults(
                    parsing: String(decoding: bytes, as: UTF8.self), from: step.from.text, to: step.to.text),
                found.fixture == fixtures[step.from]?.value
            else { continue }
            results[step] = Fingerprint(of: bytes)
            if isDraft { renamed.append((url, folder.results(of: step))) }
            if !found.varying.isEmpty {
                let names = found.varying.sorted().joined(separator: ", ")
                notes.append(
                    "note: the step from \(step.from) to \(step.to) gives other values each time, which are not sealed: \(names)"
                )
            }
        }
        return Extended(
            sealing: Sealing(self, fixtures: fixtures, results: results), renamed: renamed, notes: notes)
    }

    // MARK: Fixtures

    /// The sealed versions whose fixtures are committed.
    private var versionsWithFixtures: [ModelVersion] {
        history.versions.prefix(count).filter { !history.isPassedInConversion($0.version) }
    }

    /// The sealed versions whose fixtures are not sealed yet, because no test has written them.
    var versionsWithoutFixture: [Version] {
        folder == nil ? [] : versionsWithFixtures.map(\.version).filter { fixtures[$0] == nil }
    }

    /// The fixtures of unreleased sealed versions that belong to an earlier draft. They must not be sealed.
    var staleFixtures: [URL] {
        versionsWithFixtures.filter { !released.contains($0.version) }.flatMap { version -> [URL] in
            let files = [false, true].compactMap { folder?.contents(of: version, isDraft: $0) }
            // If one of the two files is current, the other one does not matter.
            return files.contains(where: \.isCurrent) ? [] : files.map(\.url)
        }
    }

    /// The problems with the fixtures of released versions in the first test target.
    var fixtureFindings: [(url: URL, message: String)] {
        guard let folder else { return [] }
        return released.filter { !history.isPassedInConversion($0) }.compactMap { version in
            let url = folder.fixture(of: version)
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

    // MARK: Results

    /// The sealed steps in which custom code or a conversion writes values, oldest first. Conversions that only pass
    /// through a version have no fixture of it.
    private var stepsWithResults: [StepVersions] {
        let sealed = Set(versions)
        return history.steps.filter {
            $0.writesValues && sealed.contains($0.to.version) && !history.isPassedInConversion($0.from.version)
        }
        .map(\.ends)
    }

    /// The sealed steps whose results are not sealed yet, because no test has written them.
    var stepsWithoutResults: [StepVersions] { folder == nil ? [] : stepsWithResults.filter { results[$0] == nil } }

    /// The problems with the results of released steps.
    var resultsFindings: [(url: URL, message: String)] {
        guard let folder else { return [] }
        return stepsWithResults.compactMap { step in
            let url = folder.results(of: step)
            guard let sealed = results[step] else {
                return (
                    url,
                    "the results of a released step are not in strata.lock: run the tests, then generate; commit both"
                )
            }
            guard let data = try? Data(contentsOf: url) else {
                return (url, "the results of a released step are missing: restore the file from version control")
            }
            if sealed == Fingerprint(of: data) { return nil }
            return (url, "the results of a released step were changed: restore the file from version control")
        }
    }
}
