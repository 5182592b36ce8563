import Descriptions
import FileSums
import PostgreSQL
import SQLSchema

/// All problems in the files of a model.
package struct Diagnostics: Error {
    package let all: [Diagnostic]

    package init(_ all: [Diagnostic]) {
        self.all = all.inOrder
    }
}

/// The reason why a command failed, other than problems in a model's files.
package enum CommandError: Error, CustomStringConvertible {
    case usage(String)
    case noModel(String)
    /// The folder of a model does not exist.
    case noFolder(String)
    case unwritable(String, reason: String)
    /// Files are stale or wrong, as the messages say. `fixedBy` is the target whose files `generate` fixes; nil if
    /// `generate` does not fix them.
    case stale([String], fixedBy: String?)
    /// The problems were already printed.
    case found
    case unreadable(String, reason: String)
    /// A complete message.
    case message(String)
    /// A problem with the store at a path.
    case store(String, reason: String)
    case noVersion(String, known: [String])
    /// No released step has these versions.
    case noStep(String, known: [String])
    /// No migration path leads from one version to the other.
    case noWay(from: String, to: String)
    case noTemplates(String)
    /// `strata.json` gives forms for columns that no version has.
    case unknownImportedColumns(String, [String])
    case nothingToPrune(String)
    /// A new file would replace an existing one.
    case fileExists(String)
    /// A command needs one model, but there are several.
    case severalModels([String])
    /// A newer version cannot begin, because there is a draft.
    case draftExists(String, target: String)
    /// No folder below the current one has a `strata.json`.
    case noModels
    /// A beta needs a draft, but the newest version is released.
    case noDraft(String)
    /// The edited descriptions have these problems.
    case wrongEdit([String])
    /// `strata.json` names a test target that the package does not have.
    case noTestTarget(String, name: String, nearest: String?)
    /// A target with samples has a model itself.
    case samplesInModel(String, name: String)
    /// The pruned files would describe a supported version differently.
    case unprunable(String)
    case secondModel(String, of: String)
    case unknownTemplate(String, known: [String])
    /// A template does not begin with the current format of its values. `found` is the format that it begins with; nil
    /// if it begins with none. `firstLine` is the line that it must begin with.
    case templateFormat(String, found: Int?, firstLine: String)
    /// An expression of a description has no equivalent in PostgreSQL.
    case noServerEquivalent(String, ServerExpression.Unsupported)

    /// Returns the command that writes the generated files of a target.
    package static func generateCommand(_ target: String) -> String { FileSums.generateCommand(target) }

    /// Returns the command that releases the newest version of a target's model.
    package static func releaseCommand(_ target: String) -> String { generateCommand(target) + " --release" }

    private static func text(_ expression: ServerExpression.Unsupported) -> String {
        switch expression {
        case .function(let function): "PostgreSQL has no function like \(function.rawValue)"
        case .computedPattern: "PostgreSQL has no GLOB, and only a fixed pattern can be translated"
        case .negativeLength: "substr of PostgreSQL does not count from the end"
        case .columns(let table): "the table \(table) has more than 1,600 columns, which PostgreSQL does not allow"
        case .indexedColumns(let table):
            "the primary key or an index of \(table) has more than 32 columns, which PostgreSQL does not allow"
        case .dateAsText: "an expression uses a date as a text, which PostgreSQL writes in another form"
        }
    }

    package var description: String {
        switch self {
        case .found: ""
        case .message(let message): message
        case .usage(let message): "error: \(message)"
        case .noModel(let path):
            "error: \(path) has no strata.json; create one with the contents {} to make the folder a model"
        case .noFolder(let path): "error: \(path) has no strata.json, because the folder does not exist"
        case .unwritable(let path, let reason): "\(path): error: the file cannot be written: \(reason)"
        case .unreadable(let path, let reason): "\(path): error: the file cannot be read: \(reason)"
        case .store(let path, let reason): "\(path): error: \(reason)"
        case .noVersion(let version, let known):
            "error: unknown version \(version); the versions are \(known.joined(separator: ", "))"
        case .noStep(let step, let known):
            "error: \(step) is not a released step; "
                + (known.isEmpty ? "no step is released" : "the released steps are \(known.joined(separator: ", "))")
        case .noWay(let old, let new):
            "error: no migration path leads from \(old) to \(new)"
        case .fileExists(let path): "\(path): error: the file exists already"
        case .severalModels(let paths):
            "error: there are several models; add --model with one of " + paths.joined(separator: ", ")
        case .draftExists(let version, let target):
            "error: the draft is \(version), so no other version can begin before its release: "
                + Self.releaseCommand(target)
        case .noModels: "error: no folder below the current one has a strata.json; add --model"
        case .noDraft(let version):
            "error: the newest version \(version) is already released, so a beta would change nothing"
        case .wrongEdit(let problems):
            ([
                "error: nothing was written, because the descriptions would be wrong:"
            ] + problems).joined(
                separator: "\n")
        case .nothingToPrune(let path):
            "\(path)/strata.json: error: add \"oldest_supported_version\": the versions before it are removed"
        case .unprunable(let path):
            "\(path): error: pruning would change a supported version, so nothing was changed"
        case .unknownImportedColumns(let path, let columns):
            "\(path)/strata.json: error: \"imported\" names columns that no version has: "
                + columns.joined(separator: ", ") + "; write them as TABLE.COLUMN"
        case .noTestTarget(let path, let name, let nearest):
            "\(path)/strata.json: error: the package has no target \(name)"
                + (nearest.map { "; did you mean \"\($0)\"?" }
                    ?? ": add it to Package.swift, with a folder Tests/\(name)")
        case .samplesInModel(let path, let name):
            "\(path)/strata.json: error: \(name) has a model, so it cannot get samples: name another target"
        case .secondModel(let path, let other):
            "\(path): error: the target already has a model in \(other); put this one into another target"
        case .noTemplates(let path): "\(path): error: the folder of templates does not exist"
        case .unknownTemplate(let path, let known):
            "\(path): error: unknown template; the templates are " + known.joined(separator: ", ")
                + "; additional ones are Entity+NAME.swift, Subtype+NAME.swift and Schema+NAME.swift, with a NAME of "
                + "letters, digits and underscores"
        case .templateFormat(let path, nil, let firstLine):
            "\(path):1: error: the first line must be \(firstLine), which states the format of its values"
        case .templateFormat(let path, let found?, let firstLine):
            "\(path):1: error: the template is for the values of format \(found), but this version of Strata has other "
                + "values; see strata templates --values, change the template, and make its first line \(firstLine)"
        case .noServerEquivalent(let path, let expression):
            "\(path)/strata.json: error: the dialect postgresql cannot be generated: \(Self.text(expression))"
        case .stale(let messages, let target):
            (messages
                + (target.map { ["note: fix this with: " + Self.generateCommand($0)] } ?? []))
                .joined(separator: "\n")
        }
    }
}
