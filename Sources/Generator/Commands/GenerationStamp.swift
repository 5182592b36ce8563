import Foundation
import SchemaModel

/// A file in the folder `.build` of a package that says what `generate` has last found up to date.
struct GenerationStamp {
    private let file: URL
    private let package: URL
    private let state: PackageState
    /// The arguments of the command, which the result depends on too.
    private let arguments: String

    /// Reads the state of the package of a model; nil if it is not in a package, or depends on files outside of it.
    init?(_ folder: ModelFolder, testTargets: [String: URL]?) {
        guard let package = folder.package else { return nil }
        let build = package.appendingPathComponent(".build", isDirectory: true)
        var others = testTargets.map { Array($0.values) } ?? []
        if let templates = folder.configuration.templates {
            others.append(URL(fileURLWithPath: templates, isDirectory: true, relativeTo: folder.url))
        }
        guard FileManager.default.fileExists(atPath: build.path),
            others.allSatisfy({ $0.standardizedFileURL.path.hasPrefix(package.path + "/") }),
            let state = PackageState(of: package)
        else { return nil }
        file = build.appendingPathComponent("strata/\(Fingerprint(of: [folder.url.path]))")
        self.package = package
        self.state = state
        let tests = (testTargets ?? [:]).map { "\($0.key)=\($0.value.path)" }.sorted()
        arguments = ([folder.target, testTargets == nil ? "by name" : "named"] + tests).joined(separator: " ")
    }

    /// The notes and warnings to repeat if nothing has changed since everything was up to date; nil if something has.
    var notes: String? {
        let head = head(state)
        guard let text = try? String(contentsOf: file, encoding: .utf8), text.hasPrefix(head) else { return nil }
        return String(text.dropFirst(head.count))
    }

    /// Records that everything is up to date after `written` were written, with the notes and warnings to repeat.
    ///
    /// It does so only if no other file has changed in the meantime.
    func record(writing written: [URL], notes: String) {
        guard !state.isFresh, var after = PackageState(of: package) else { return }
        let text = head(after) + notes
        var before = state
        before.remove(written)
        after.remove(written)
        if before.isSame(as: after) { _ = try? FileWriter.write(text, to: file) }
    }

    private func head(_ state: PackageState) -> String { "\(state.text)\n\(arguments)\n" }
}
