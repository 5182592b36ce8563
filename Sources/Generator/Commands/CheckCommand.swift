import Descriptions
import FileSums
import Foundation
import Generation
import SchemaDiff
import SchemaModel

/// Reports the files that are stale, missing or wrong. Generated files are compared byte by byte.
struct CheckCommand {
    private let arguments: Arguments
    private let paths: [String]
    private let testTargets: [String: URL]?
    private let scope: Pipeline.Scope
    private let stamp: String?
    private let needsRelease: Bool
    /// The oldest version whose apps must be able to use stores of the newest version; nil if any may be unable.
    private let compatibleSince: Version?
    private let isJSON: Bool
    private let isGitHub: Bool

    init(_ arguments: Arguments) throws {
        self.arguments = arguments
        paths = try arguments.modelPaths(orAllBelow: FileManager.default.currentDirectoryPath)
        testTargets = try arguments.testTargets()
        scope = arguments.has("--sources") ? .sources : arguments.has("--tests") ? .tests : .all
        stamp = arguments.has("--stamp") ? try arguments.value("--stamp") : nil
        needsRelease = arguments.has("--released")
        compatibleSince = try arguments.option("--compatible-since").map { text in
            guard let version = Version(text) else { throw CommandError.usage("\(text) is not a version") }
            return version
        }
        isJSON = arguments.has("--json")
        if let format = arguments.option("--format"), format != "github" {
            throw CommandError.usage("unknown format \(format); the format is github")
        }
        isGitHub = arguments.has("--format")
    }

    func run(_ console: Console) throws {
        if isJSON { return try printJSON(console) }
        if isGitHub { return try printAnnotations(console) }
        var isFound = false
        var unwritten: [URL] = []
        for path in paths {
            let folder = try arguments.model(at: path)
            let (findings, tree) = try check(folder)
            unwritten += tree.unwrittenStubs()
            if stamp == nil { for warning in folder.manifestWarnings() { console.complain(warning) } }
            let messages =
                Self.summary(of: findings.filter(\.isMendedByGenerating), in: folder)
                + findings.filter { !$0.isMendedByGenerating }.map(\.description)
            if !messages.isEmpty { console.complain(messages.joined(separator: "\n")) }
            if findings.contains(where: \.isError) { isFound = true }
        }
        if isFound { throw CommandError.found }
        if stamp == nil { console.say("everything is up to date") }
        if let stamp {
            for stub in unwritten {
                console.complain("\(stub.path):1:1: warning: \(FileSums.unwritten)")
            }
            try FileWriter.write(
                "// The committed files match the descriptions.\n", to: URL(fileURLWithPath: stamp))
        }
    }

    /// A problem that the check has found.
    private struct Finding: Encodable, CustomStringConvertible {
        let file: String
        var line: Int?
        var column: Int?
        let severity: String
        let message: String
        var isMendedByGenerating = false

        enum CodingKeys: String, CodingKey {
            case file, line, column, severity, message
        }

        init(
            file: String, line: Int? = nil, severity: Diagnostic.Severity = .error, message: String,
            isMendedByGenerating: Bool = false
        ) {
            (self.file, self.line, self.severity, self.message) = (file, line, severity.rawValue, message)
            self.isMendedByGenerating = isMendedByGenerating
        }

        init(_ diagnostic: Diagnostic) {
            (file, message) = (diagnostic.path, diagnostic.problem.message)
            (line, column) = (diagnostic.position?.line, diagnostic.position?.column)
            severity = diagnostic.severity.rawValue
        }

        /// Whether the check fails because of the finding.
        var isError: Bool { severity == Diagnostic.Severity.error.rawValue }

        var description: String {
            let position = [line, column].compactMap(\.self).map { ":\($0)" }.joined()
            return "\(file)\(position): \(severity): \(message)"
        }

        /// The problem as a workflow command of GitHub. Its path is relative to the folder of the
        /// repository.
        var annotation: String {
            func escaped(_ text: String, _ others: [(String, String)] = []) -> String {
                ([("%", "%25"), ("\r", "%0D"), ("\n", "%0A")] + others).reduce(text) { text, pair in
                    text.replacingOccurrences(of: pair.0, with: pair.1)
                }
            }
            let workspace = ProcessInfo.processInfo.environment["GITHUB_WORKSPACE"] ?? ""
            let folder = (workspace.isEmpty ? FileManager.default.currentDirectoryPath : workspace) + "/"
            let path = file.hasPrefix(folder) ? String(file.dropFirst(folder.count)) : file
            var location = "file=" + escaped(path, [(":", "%3A"), (",", "%2C")])
            if let line { location += ",line=\(line)" }
            if let column { location += ",col=\(column)" }
            return "::\(severity == "note" ? "notice" : severity) \(location)::\(escaped(message))"
        }
    }

    /// Returns one message for all files that `generate` would write or remove, because one edit often makes many files
    /// stale. If a stale file belongs to a description, the message is at that description.
    private static func summary(of findings: [Finding], in folder: ModelFolder) -> [String] {
        guard let first = findings.first else { return [] }
        let remedy = "run: " + CommandError.generateCommand(folder.target)
        let names = Set(findings.map { URL(fileURLWithPath: $0.file).lastPathComponent })
        let descriptions = (try? folder.descriptions()) ?? []
        let changed = descriptions.filter { names.contains(Generator.sourceName($0.baseName)) }
        let others = changed.count > 1 ? " and \(changed.count - 1) more descriptions" : ""
        guard let description = changed.first else {
            let others = findings.count > 1 ? ", and \(findings.count - 1) more generated files are out of date" : ""
            return ["\(first.description)\(others); \(remedy)"]
        }
        let files = findings.count > 1 ? "\(findings.count) generated files do" : "a generated file does"
        return [
            "\(description.path): error: \(files) not match this description\(others): "
                + "\(first.file): \(first.message); \(remedy)"
        ]
    }

    private func printJSON(_ console: Console) throws {
        let findings = try paths.flatMap(findings(at:))
        console.say(try EncodedOutput.text(findings))
        if findings.contains(where: \.isError) { throw CommandError.found }
    }

    /// Prints workflow commands, which GitHub shows as annotations of a pull request.
    private func printAnnotations(_ console: Console) throws {
        var count = 0
        for path in paths {
            let findings = try self.findings(at: path)
            count += findings.filter(\.isError).count
            for finding in findings where !finding.isMendedByGenerating { console.say(finding.annotation) }
            // GitHub shows ten annotations at most, and one command updates all generated files.
            let stale = findings.filter(\.isMendedByGenerating)
            guard let first = stale.first else { continue }
            let others = stale.count > 1 ? ", and \(stale.count - 1) more generated files are out of date" : ""
            let remedy = CommandError.generateCommand((try? arguments.model(at: path).target) ?? "")
            console.say(Finding(file: first.file, message: "\(first.message)\(others); run: \(remedy)").annotation)
        }
        if count > 0 { throw CommandError.found }
        console.say("everything is up to date")
    }

    /// Returns the problems of the model at a path. A model that cannot be read has problems too.
    private func findings(at path: String) throws -> [Finding] {
        do {
            return try check(try arguments.model(at: path)).findings
        } catch let error as CommandError {
            return [Finding(file: path, message: error.description)]
        } catch let error as Diagnostics {
            return error.all.map(Finding.init)
        }
    }

    /// Returns the problems of a model, and its files.
    private func check(_ folder: ModelFolder) throws -> (findings: [Finding], tree: GeneratedTree) {
        if scope == .all { try folder.checkTests(among: testTargets) }
        let testFolders = folder.testFolders(among: testTargets)
        let model = try Pipeline.load(folder, tests: testFolders, scope: scope)
        let output = try Pipeline.generate(
            model, scope: scope, samples: folder.sampleFolders(among: testTargets))
        func stale(_ url: URL, _ message: String) -> Finding {
            Finding(file: url.path, message: message, isMendedByGenerating: true)
        }
        // The check of the tests' target would repeat them.
        var findings = scope == .tests ? [] : model.notes.filter { $0.severity == .warning }.map(Finding.init)
        for file in output.files where !FileWriter.holds(file.contents, at: file.url) {
            let isThere = FileManager.default.fileExists(atPath: file.url.path)
            findings.append(stale(file.url, "it is \(isThere ? "stale" : "missing")"))
        }
        for stub in output.stubs + output.serverStubs where !FileManager.default.fileExists(atPath: stub.url.path) {
            findings.append(Finding(file: stub.url.path, message: GeneratedTree.missingMigration))
        }
        findings += output.leftovers.map { stale($0, "nothing generates it any more") }
        if scope != .tests {
            findings += output.missingFunctions(forRemovals: true).map {
                Finding(file: $0.file.path, message: $0.message)
            }
        }
        if scope == .all {
            let stray = try OwnSources(of: folder, testFolders).strayExpectations(besides: output.expectationFunctions)
            findings += stray.map { Finding(file: $0.path, line: $0.line, message: $0.message) }
        }
        // A build accepts an unwritten migration. The tests fail until it is written.
        if stamp == nil {
            let server = output.unwrittenServerStubs.filter { FileManager.default.fileExists(atPath: $0.path) }
            findings += (output.unwrittenStubs() + server).map {
                Finding(file: $0.path, message: "this migration is not written yet")
            }
            findings += output.obsoleteMigrations.map {
                Finding(file: $0.path, message: GeneratedTree.obsoleteMigration)
            }
            let files = model.sealing.fixtureFindings + model.sealing.resultsFindings
            findings += files.map { Finding(file: $0.url.path, message: $0.message) }
        }
        if let compatibleSince {
            guard model.history.versions.contains(where: { $0.version == compatibleSince }) else {
                throw CommandError.noVersion(
                    compatibleSince.text, known: model.history.versions.map(\.version.text))
            }
            let newest = model.history.newest.version
            if model.history.compatibleSince(newest) > compatibleSince,
                let step = model.history.incompatibleStep(before: newest)
            {
                findings.append(Finding(file: folder.url.path, message: step.compatibilityText))
            }
        }
        if needsRelease, !model.openTests.isEmpty {
            findings.append(
                Finding(
                    file: folder.url.appendingPathComponent("strata.lock").path,
                    severity: .warning,
                    message:
                        "these generated tests have not passed here with the present files; run swift test before: "
                        + model.openTests.joined(separator: ", ")))
        }
        if needsRelease, !model.isReleased {
            let message =
                "version \(model.history.newest.version) is not released; run: \(CommandError.releaseCommand(folder.target))"
            findings.append(Finding(file: folder.url.appendingPathComponent("strata.lock").path, message: message))
        }
        return (findings, output)
    }
}
