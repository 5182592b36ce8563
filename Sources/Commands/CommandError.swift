import Descriptions

/// All that is wrong in the files of a model.
struct Diagnostics: Error {
    let all: [Diagnostic]

    init(_ all: [Diagnostic]) {
        self.all = all.inOrder
    }
}

/// Why a command did not do what it was asked, beyond what stands in a model's files.
enum CommandError: Error, CustomStringConvertible {
    case usage(String)
    case noModel(String)
    case unwritable(String, reason: String)
    case stale([String], target: String)

    var description: String {
        switch self {
        case .usage(let message): "error: \(message)"
        case .noModel(let path): "error: there is no strata.json in \(path); an empty one, {}, makes the folder a model"
        case .unwritable(let path, let reason): "\(path): error: it cannot be written: \(reason)"
        case .stale(let messages, let target):
            (messages + [
                "note: mend it with: swift package --allow-writing-to-package-directory generate --target \(target)"
            ]).joined(separator: "\n")
        }
    }
}
