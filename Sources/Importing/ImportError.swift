/// Why a model could not be imported, and where it says so.
public struct ImportError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file or the folder at fault, as it was given.
    public var path: String
    /// The line, from 1; nil where the whole file is meant.
    public var line: Int?
    /// What is wrong.
    public var message: String

    init(_ message: String, path: String, line: Int? = nil) {
        self.path = path
        self.line = line
        self.message = message
    }

    /// `path:line: error: message`, which editors understand.
    public var description: String {
        "\(path)\(line.map { ":\($0)" } ?? ""): error: \(message)"
    }
}
