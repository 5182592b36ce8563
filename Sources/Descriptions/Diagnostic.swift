/// Something to tell the person who wrote a file, at the place where it stands.
public struct Diagnostic: Error, Hashable, Sendable, CustomStringConvertible {
    /// How grave it is.
    public enum Severity: String, Hashable, Sendable {
        case error, warning, note
    }

    /// How grave it is.
    public var severity: Severity
    /// The path of the file as it was given.
    public var path: String
    /// Where in the file; nil for the whole file.
    public var position: Position?
    /// What is wrong.
    public var problem: Problem

    /// A diagnostic at `position` of the file `path`.
    public init(_ problem: Problem, path: String, position: Position?, severity: Severity = .error) {
        self.severity = severity
        self.path = path
        self.position = position
        self.problem = problem
    }

    /// `path:line:column: error: message`, which compilers and editors understand.
    public var description: String {
        let place = position.map { "\(path):\($0.line):\($0.column)" } ?? path
        return "\(place): \(severity.rawValue): \(problem.message)"
    }
}

/// A place in a text.
public struct Position: Hashable, Comparable, Sendable {
    /// The line, from 1.
    public var line: Int
    /// The column in bytes of UTF-8, from 1.
    public var column: Int

    /// The place at `line` and `column`.
    public init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    /// Whether `left` comes first.
    public static func < (left: Position, right: Position) -> Bool {
        (left.line, left.column) < (right.line, right.column)
    }
}

extension [Diagnostic] {
    /// The diagnostics by file and position.
    public var inOrder: [Diagnostic] {
        sorted { left, right in
            if left.path != right.path { return left.path < right.path }
            let before = left.position ?? Position(line: 0, column: 0)
            let after = right.position ?? Position(line: 0, column: 0)
            return before == after ? left.description < right.description : before < after
        }
    }
}
