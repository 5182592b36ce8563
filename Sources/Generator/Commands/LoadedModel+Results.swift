import Foundation
import Generation
import SchemaDiff
import SchemaModel
import TestFiles

/// The files that the tests of a model have written for its release: the results of steps, and the record of passed tests.
extension LoadedModel {
    /// The sealed steps in which custom code or a conversion writes values, oldest first. Conversions that only pass
    /// through a version have no fixture of it.
    private var stepsWithResults: [StepVersions] {
        let sealed = Set(sealedVersions)
        return history.steps.filter {
            $0.writesValues && sealed.contains($0.to.version) && !history.isPassedInConversion($0.from.version)
        }
        .map(\.ends)
    }

    private func resultsFile(of step: StepVersions, isDraft: Bool, in testFolders: [ModelFolder.TestFolder]) -> URL? {
        let name = StepResults.fileName(from: step.from.text, to: step.to.text, isDraft: isDraft)
        return fixtureFolder(in: testFolders)?.appendingPathComponent(name)
    }

    /// Seals the results of released steps, if the tests have passed with them. Results that are already sealed do not change.
    ///
    /// - Returns: The files of drafts to rename, with their new URLs, and notes about values that are not sealed.
    mutating func sealResults(
        in testFolders: [ModelFolder.TestFolder]
    ) -> (renamed: [(draft: URL, file: URL)], notes: [String]) {
        var (renamed, notes): ([(URL, URL)], [String]) = ([], [])
        guard openTests(in: testFolders).isEmpty else { return ([], []) }
        for step in stepsWithResults where results[step] == nil {
            // The tests of a released version write the file itself.
            let isDraft = !released.contains(step.to)
            guard let url = resultsFile(of: step, isDraft: isDraft, in: testFolders),
                let file = resultsFile(of: step, isDraft: false, in: testFolders),
                let bytes = try? Data(contentsOf: url),
                let found = StepResults(
                    parsing: String(decoding: bytes, as: UTF8.self), from: step.from.text, to: step.to.text),
                found.fixture == fixtures[step.from]?.value
            else { continue }
            results[step] = Fingerprint(of: bytes)
            if isDraft { renamed.append((url, file)) }
            if !found.varying.isEmpty {
                let names = found.varying.sorted().joined(separator: ", ")
                notes.append(
                    "note: the step from \(step.from) to \(step.to) gives other values each time, which are not sealed: \(names)"
                )
            }
        }
        return (renamed, notes)
    }

    /// Returns the sealed steps whose results are not sealed yet, because no test has written them.
    func stepsWithoutResults(in testFolders: [ModelFolder.TestFolder]) -> [StepVersions] {
        testFolders.contains(where: \.isFirst) ? stepsWithResults.filter { results[$0] == nil } : []
    }

    /// Returns the problems with the results of released steps.
    func resultsFindings(in testFolders: [ModelFolder.TestFolder]) -> [(url: URL, message: String)] {
        stepsWithResults.compactMap { step in
            guard let url = resultsFile(of: step, isDraft: false, in: testFolders) else { return nil }
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

    /// Deletes the files with the results of steps that were accepted, so that the tests write them again.
    func removeResults(of steps: [StepVersions], in testFolders: [ModelFolder.TestFolder]) {
        for step in steps {
            guard let file = resultsFile(of: step, isDraft: false, in: testFolders) else { continue }
            try? FileManager.default.removeItem(at: file)
        }
    }

    /// Returns the generated tests that have not passed with the present descriptions, migrations and tests, each with the
    /// name of its target's folder. The list is empty if the model has no test target.
    func openTests(in testFolders: [ModelFolder.TestFolder]) -> [String] {
        testFolders.flatMap { tests -> [String] in
            let name = tests.url.lastPathComponent
            let url = tests.url.appendingPathComponent("Fixtures/\(history.name)/\(TestRecord.fileName)")
            guard let text = try? String(contentsOf: url, encoding: .utf8), let record = TestRecord(parsing: text),
                record.inputs == TestRecord.inputs(model: folder.url, tests: tests.url)
            else { return ["all of \(name)"] }
            return record.open.map { "\($0) of \(name)" }
        }
    }
}
