import Descriptions
import SQLSchema

/// All problems in the files of a model.
struct Diagnostics: Error {
    let all: [Diagnostic]

    init(_ all: [Diagnostic]) {
        self.all = all.inOrder
    }
}

/// The reason why a command failed, other than a problem in a model's files.
package enum CommandError: Error, CustomStringConvertible {
    case usage(String)
    case noModel(String)
    case unwritable(String, reason: String)
    /// Messages about files that are stale or wrong, and the target whose files `generate` fixes; nil if `generate`
    /// does not fix them.
    case stale([String], mendedBy: String?)
    /// The problems were already printed.
    case found
    case unreadable(String, reason: String)
    /// A complete message that already names the file.
    case elsewhere(String)
    /// A problem with the store at a path.
    case store(String, reason: String)
    case noVersion(String, known: [String])
    /// There is no migration path between two versions.
    case noWay(from: String, to: String)
    case noTemplates(String)
    /// `strata.json` gives forms for columns that no version has.
    case unknownImportedColumns(String, [String])
    case nothingToPrune(String)
    /// `strata.json` names a test target that the package does not have.
    case noTestTarget(String, name: String, nearest: String?)
    /// The pruned files would describe a supported version differently.
    case unprunable(String)
    case secondModel(String, of: String)
    case unknownTemplate(String, known: [String])
    /// A template was written for other values; `firstLine` is the line that it should begin with.
    case templateFormat(String, found: Int?, firstLine: String)

    /// The command that writes the generated files of a target.
    static func generateCommand(_ target: String) -> String {
        "swift package --allow-writing-to-package-directory generate --target \(target)"
    }

    package var description: String {
        switch self {
        case .found: ""
        case .elsewhere(let message): message
        case .usage(let message): "error: \(message)"
        case .noModel(let path): "error: there is no strata.json in \(path); an empty one, {}, makes the folder a model"
        case .unwritable(let path, let reason): "\(path): error: it cannot be written: \(reason)"
        case .unreadable(let path, let reason): "\(path): error: it cannot be read: \(reason)"
        case .store(let path, let reason): "\(path): error: \(reason)"
        case .noVersion(let version, let known):
            "error: there is no version \(version); those that there are: \(known.joined(separator: ", "))"
        case .noWay(let old, let new):
            "error: no store of \(old) ever becomes one of \(new): stores only grow, and each by its own steps"
        case .nothingToPrune(let path):
            "\(path)/strata.json: error: say there what the \"oldest_supported_version\" is"
        case .unprunable(let path):
            "\(path): error: without what is older, the supported versions would not be the same; nothing was changed"
        case .unknownImportedColumns(let path, let columns):
            "\(path)/strata.json: error: \"imported\" names columns that no version has: "
                + columns.joined(separator: ", ") + "; write them as TABLE.COLUMN"
        case .noTestTarget(let path, let name, let nearest):
            "\(path)/strata.json: error: there is no test target \(name)"
                + (nearest.map { "; did you mean \"\($0)\"?" }
                    ?? ": add it to Package.swift, with a folder Tests/\(name)")
        case .secondModel(let path, let other):
            "\(path): error: the target has a model in \(other) already; a second one needs a target of its own"
        case .noTemplates(let path): "\(path): error: there is no such folder of templates"
        case .unknownTemplate(let path, let known):
            "\(path): error: no template has that name; those that can be replaced are " + known.joined(separator: ", ")
        case .templateFormat(let path, nil, let firstLine):
            "\(path):1: error: the first line must be \(firstLine), so that a template for other values is noticed"
        case .templateFormat(let path, let found?, let firstLine):
            "\(path):1: error: the template is for the values of format \(found), but this version of Strata has other "
                + "values; see strata templates --values, change the template, and make its first line \(firstLine)"
        case .stale(let messages, let target):
            (messages
                + (target.map { ["note: mend it with: " + Self.generateCommand($0)] } ?? []))
                .joined(separator: "\n")
        }
    }
}
