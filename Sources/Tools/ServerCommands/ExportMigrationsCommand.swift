import Commands
import Foundation
import PostgreSQL
import SchemaModel

/// `strata export-migrations`: adds the SQL for a server to a folder of migrations that another program runs.
///
/// Files are only added, because databases may have run the others. A manifest names each file with its hash.
struct ExportMigrationsCommand {
    private let model: LoadedModel
    private let schema: ServerSchema
    private let tool: MigrationTool
    private let folder: URL
    /// The version of a database that has run all files.
    private let target: ModelVersion
    /// The version that the first file creates.
    private let start: ModelVersion

    /// The name of the manifest. Each line has the hash of a file, the version or step to which it belongs, and its name.
    static let manifest = "strata-manifest.txt"

    /// A file for the folder. Its parts are those of a line in the manifest.
    private struct Entry {
        let part: String
        /// The name of the file without its number.
        let title: String
        let text: String
        let settings: String?
    }

    static func run(_ arguments: Arguments, _ console: Console) throws {
        try ExportMigrationsCommand(arguments).run(console)
    }

    private init(_ arguments: Arguments) throws {
        guard arguments.folders.count == 1 else {
            throw CommandError.usage("export-migrations takes one folder of a model")
        }
        let name = try arguments.value("--for")
        guard let tool = MigrationTool(rawValue: name) else {
            let known = MigrationTool.allCases.map(\.rawValue).joined(separator: ", ")
            throw CommandError.usage("--for takes one of \(known)")
        }
        let model = try arguments.model(at: arguments.folders[0]).loaded()
        let versions = model.history.versions
        func version(_ option: String) throws -> ModelVersion? {
            try arguments.option(option).map { text in
                guard let version = versions.first(where: { $0.version == Version(text) }) else {
                    throw CommandError.noVersion(text, known: versions.map(\.version.text))
                }
                return version
            }
        }
        let target = try version("--version") ?? model.history.newest
        let start = try version("--from") ?? target
        for version in [start, target] where !arguments.has("--drafts") && !model.released.contains(version.version) {
            let last = model.released.last.map { ", or export \($0) with --version \($0)" } ?? ""
            throw CommandError.message(
                "\(model.folder.path): error: version \(version.version) is not released, so it can still change; release it"
                    + "\(last), or add --drafts for a database that you can delete")
        }
        (self.model, self.tool, self.target, self.start) = (model, tool, target, start)
        schema = try model.serverSchema()
        folder = URL(fileURLWithPath: try arguments.value("--to"), isDirectory: true)
    }

    private func run(_ console: Console) throws {
        var isFolder: ObjCBool = false
        let exists = FileManager.default.fileExists(atPath: folder.path, isDirectory: &isFolder)
        guard !exists || isFolder.boolValue else {
            throw CommandError.message("\(folder.path): error: this is a file; --to takes a folder")
        }
        let manifestFile = folder.appendingPathComponent(Self.manifest)
        let known = (try? String(contentsOf: manifestFile, encoding: .utf8)).map(Self.lines) ?? []
        if known.isEmpty, let name = try ownFile() {
            throw CommandError.message(
                "\(folder.path)/\(name): error: Strata wrote this file, but \(Self.manifest) is missing or empty; restore it from "
                    + "version control")
        }
        var files = try missingFiles(known)
        var manifest = known
        var number =
            exists
            ? try FileManager.default.contentsOfDirectory(atPath: folder.path)
                .compactMap(tool.number).max { $0.count == $1.count ? $0 < $1 : $0.count < $1.count } ?? "0" : "0"
        for entry in try entries(after: manifest.last?.part) {
            guard let last = Int(number), last < .max else {
                throw CommandError.message("\(folder.path): error: no number follows \(number)")
            }
            let digits = String(last + 1)
            number = String(repeating: "0", count: max(0, max(6, number.count) - digits.count)) + digits
            let name = tool.name(number: number, title: entry.title)
            for (name, text) in [(name + ".conf", entry.settings), (name, entry.text)] {
                guard let text else { continue }
                files.append((name, text))
                manifest.append((Self.hash(text), entry.part, name))
            }
        }
        if files.isEmpty { return console.say("\(folder.path) has version \(target.version) already") }
        // The manifest comes first: after an interruption, the next export writes the files that are missing.
        let lines = manifest.map { "\($0.hash) \($0.part) \($0.name)\n" }.joined()
        let title =
            "# Written by strata export-migrations: the hash (FNV-1a, 64 bits), the version or step, and the name of each file.\n"
        for (name, text) in [(Self.manifest, title + lines)] + files {
            let file = folder.appendingPathComponent(name)
            if try FileWriter.write(text, to: file) { console.say("wrote \(file.path)") }
        }
    }

    /// Returns the name of a file in the folder that Strata has written; nil if there is none.
    private func ownFile() throws -> String? {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.sorted().first { name in
            let text = try? String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
            return name.hasSuffix(".sql") && text?.prefix(100).contains("-- Generated by Strata") == true
        }
    }

    private static func hash(_ text: String) -> String { Fingerprint(of: Data(text.utf8)).description }

    private static func lines(_ text: String) -> [(hash: String, part: String, name: String)] {
        text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
            let parts = line.split(separator: " ", maxSplits: 2).map(String.init) + ["", "", ""]
            return (parts[0], parts[1], parts[2])
        }
    }

    /// Checks that the files of the manifest are as they were written, and are what would be written now.
    ///
    /// - Returns: The files that are missing.
    private func missingFiles(
        _ lines: [(hash: String, part: String, name: String)]
    ) throws -> [(name: String, text: String)] {
        var texts: [String: [String: String]] = [:]
        var missing: [(name: String, text: String)] = []
        for (hash, part, name) in lines {
            let path = folder.appendingPathComponent(name).path
            guard tool.number(of: name) != nil || name.hasSuffix(".conf") else {
                throw CommandError.message(
                    "\(path): error: this folder was exported for another program than \(tool.rawValue)")
            }
            guard let entries = entries(of: part) else {
                throw CommandError.message("\(path): error: the model has no version or step \(part)")
            }
            if texts[part] == nil {
                let all = entries.flatMap { [$0.text, $0.settings].compactMap(\.self) }
                texts[part] = Dictionary(all.map { (Self.hash($0), $0) }, uniquingKeysWith: { first, _ in first })
            }
            guard let text = texts[part]?[hash] else {
                throw CommandError.message(
                    "\(path): error: the export would write other statements for \(part) now, but databases may have run this "
                        + "file. If none has, delete it and all later files, and their lines in \(Self.manifest)")
            }
            let found = try? Data(contentsOf: folder.appendingPathComponent(name))
            if found == nil { missing.append((name, text)) }
            guard found == nil || found == Data(text.utf8) else {
                throw CommandError.message(
                    "\(path): error: this file was edited after its export; restore it from version control")
            }
        }
        return missing
    }

    // MARK: Entries

    /// Returns the files that follow those of a version or step; all files if it is nil.
    private func entries(after part: String?) throws -> [Entry] {
        var entries: [Entry] = []
        var version = start.version.text
        if let part {
            version = schema.steps.first { $0.name == part }?.to ?? part
        } else {
            entries = self.entries(of: version) ?? []
        }
        while version != target.version.text {
            guard let step = schema.steps.first(where: { $0.from == version }) else {
                throw CommandError.message(
                    "\(folder.path): error: no steps lead from version \(version) to \(target.version)")
            }
            if step.migration?.isUnwritten == true {
                let file = model.serverMigration(from: step.from, to: step.to)
                throw CommandError.message("\(file.path): error: this migration is not written yet")
            }
            entries += self.entries(of: step.name) ?? []
            version = step.to
        }
        return entries
    }

    /// Returns the files of a version or step; nil if there is none of this name.
    private func entries(of part: String) -> [Entry]? {
        func entry(_ file: ServerFile, _ title: String) -> Entry {
            Entry(part: part, title: title, text: tool.text(of: file), settings: tool.settings(of: file))
        }
        if let version = schema.versions.first(where: { $0.version.version.text == part }) {
            return [entry(version.file, "create-\(part)")]
        }
        return schema.steps.first { $0.name == part }?.files.map {
            entry($0, "\(part)-\($0.name.dropLast(".sql".count))")
        }
    }
}
