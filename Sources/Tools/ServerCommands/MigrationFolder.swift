import Commands
import Foundation
import PostgreSQL

/// A program that runs the files of a folder, in the order of their numbers.
enum MigrationTool: String, CaseIterable {
    case flyway
    case atlas
    case golangMigrate = "golang-migrate"

    /// - Throws: `CommandError` if the program is unknown.
    init(named name: String) throws {
        guard let tool = MigrationTool(rawValue: name) else {
            throw CommandError.usage("--export takes one of \(Self.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        self = tool
    }

    /// The texts of the files for a script.
    func texts(of script: ServerScript) -> [String] {
        switch self {
        case .flyway: [script.textWithoutTransaction]
        case .atlas: [(script.mode == .single ? "-- atlas:txmode none\n\n" : "") + script.textWithoutTransaction]
        case .golangMigrate: script.commands
        }
    }

    /// The name of a file.
    func name(number: String, title: String) -> String {
        switch self {
        case .flyway: "V\(number)__\(title).sql"
        case .atlas: "\(number)_\(title).sql"
        case .golangMigrate: "\(number)_\(title).up.sql"
        }
    }

    /// The number and the title of a file; nil if this program would not run it.
    func parts(of name: String) -> (number: String, title: String)? {
        let (prefix, separator, suffix) =
            switch self {
            case .flyway: ("V", "__", ".sql")
            case .atlas: ("", "_", ".sql")
            case .golangMigrate: ("", "_", ".up.sql")
            }
        guard name.hasPrefix(prefix), name.hasSuffix(suffix) else { return nil }
        let rest = name.dropFirst(prefix.count).dropLast(suffix.count)
        // A version such as 1.2 or 1_2 counts as 1.
        let number = rest.prefix { $0.isASCII && $0.isNumber }
        guard !number.isEmpty else { return nil }
        let title = rest.range(of: separator).map { rest[$0.upperBound...] } ?? ""
        return (String(number), String(title))
    }

    /// The settings of a file, which Flyway reads from a file beside it; nil if it needs none.
    func settings(of script: ServerScript) -> String? {
        guard self == .flyway else { return nil }
        var lines: [String] = []
        if script.mode == .single { lines.append("executeInTransaction=false\n") }
        if script.text.contains("${") { lines.append("placeholderReplacement=false\n") }
        return lines.isEmpty ? nil : lines.joined()
    }
}

/// A folder of migrations that another program runs. Files are only added to it, because databases may have run the others.
struct MigrationFolder {
    private let folder: URL
    private let tool: MigrationTool
    /// The greatest number of a file.
    private var number = "000000"
    /// The state of a database that has run all files.
    let state: ServerState
    /// Remarks about files of the folder, for the user.
    private(set) var notes: [String] = []

    /// Reads a folder.
    ///
    /// - Throws: `CommandError` if files are missing between others, or belong to a version whose content differs here.
    init(_ folder: URL, of tool: MigrationTool, _ schema: ServerSchema) throws {
        (self.folder, self.tool) = (folder, tool)
        var isFolder: ObjCBool = false
        let exists = FileManager.default.fileExists(atPath: folder.path, isDirectory: &isFolder)
        guard !exists || isFolder.boolValue else {
            throw CommandError.elsewhere("\(folder.path): error: this is a file; --export writes to a folder")
        }
        var names: [String: String] = [:]
        for name in exists ? try FileManager.default.contentsOfDirectory(atPath: folder.path) : [] {
            guard let parts = tool.parts(of: name) else { continue }
            names[parts.title] = name
            number = max(Self.padded(number, like: parts.number), Self.padded(parts.number, like: number))
        }
        let creations = schema.versions.map { (DeploymentPlan.Task(step: nil, script: $0.script), $0.fingerprint) }
        let steps = schema.steps.map { step in
            step.scripts.map { script in
                let key = ServerState.Step(from: step.step.from, to: step.step.to)
                return (DeploymentPlan.Task(step: key, script: script), step.fingerprint)
            }
        }
        var present: Set<DeploymentPlan.Task> = []
        for group in creations.map({ [$0] }) + steps {
            var missing: String?
            for (task, fingerprint) in group {
                for (title, text) in Self.contents(of: task, for: tool) {
                    guard let name = names[title] else {
                        missing = missing ?? title
                        continue
                    }
                    let path = folder.appendingPathComponent(name)
                    if let missing {
                        throw CommandError.elsewhere(
                            "\(path.path): error: '\(missing)' has to come before this file, and is missing")
                    }
                    let found = try String(contentsOf: path, encoding: .utf8)
                    guard found != text else { continue }
                    guard !text.contains(fingerprint) || found.contains(fingerprint) else {
                        throw CommandError.elsewhere(
                            "\(path.path): error: the version in this file differs from the one here: "
                                + "it was exported from a draft, or from another branch")
                    }
                    notes.append(
                        "\(name) differs from what would be written now; if no database has run it, "
                            + "delete it and the files after it, and export again")
                }
                if missing == nil { present.insert(task) }
            }
        }
        state = ServerState(of: schema, hasRun: present.contains)
    }

    /// Adds the files of tasks.
    ///
    /// - Returns: The names of the files.
    func add(_ tasks: [DeploymentPlan.Task]) throws -> [String] {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        var names: [String] = []
        var number = number
        func write(_ text: String, to name: String) throws {
            try Data(text.utf8).write(to: folder.appendingPathComponent(name), options: .atomic)
            names.append(name)
        }
        for task in tasks {
            for (title, text) in Self.contents(of: task, for: tool) {
                guard let last = Int(number), last < .max else {
                    throw CommandError.elsewhere("\(folder.path): error: no number follows \(number)")
                }
                number = Self.padded(String(last + 1), like: number)
                let name = tool.name(number: number, title: title)
                if let settings = tool.settings(of: task.script) { try write(settings, to: name + ".conf") }
                try write(text, to: name)
            }
        }
        return names
    }

    /// The titles and texts of the files of a task.
    private static func contents(of task: DeploymentPlan.Task, for tool: MigrationTool) -> [(String, String)] {
        let name = task.script.name.dropLast(".sql".count)
        let title = task.step.map { "\($0.from)-\($0.to)-\(name)" } ?? "create-\(name)"
        let texts = tool.texts(of: task.script)
        return texts.enumerated().map { (texts.count > 1 ? "\(title)-\($0 + 1)" : title, $1) }
    }

    /// Returns a number with as many digits as another one, or more.
    private static func padded(_ number: String, like other: String) -> String {
        String(repeating: "0", count: max(0, other.count - number.count)) + number
    }
}
