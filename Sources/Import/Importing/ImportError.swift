/// The reason why a model could not be imported, with its path and line.
package struct ImportError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The path of the file or folder that caused the error, as you gave it.
    package var path: String
    /// The line number, starting at 1; nil if the error concerns the complete file or folder.
    package var line: Int?
    /// A description of the problem.
    package var message: String

    init(_ message: String, path: String, line: Int? = nil) {
        self.path = path
        self.line = line
        self.message = message
    }

    /// The error as `path:line: error: message`, a format that editors recognize.
    package var description: String {
        "\(path)\(line.map { ":\($0)" } ?? ""): error: \(message)"
    }
}
