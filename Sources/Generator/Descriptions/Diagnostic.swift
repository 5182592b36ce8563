import SchemaModel

/// An error, warning or note about a file.
package struct Diagnostic: Error, Hashable, Sendable, CustomStringConvertible {
    /// The severity of a diagnostic.
    package enum Severity: String, Hashable, Sendable {
        case error, warning, note
    }

    /// The severity.
    package var severity: Severity
    /// The path of the file, as it was passed to Strata.
    package var path: String
    /// The position in the file; nil if the diagnostic concerns the complete file.
    package var position: Position?
    /// The problem.
    package var problem: Problem

    /// Creates a diagnostic.
    package init(_ problem: Problem, path: String, position: Position?, severity: Severity = .error) {
        self.severity = severity
        self.path = path
        self.position = position
        self.problem = problem
    }

    /// The diagnostic as `path:line:column: error: message`, the format that compilers and editors use.
    package var description: String {
        let location = position.map { "\(path):\($0.line):\($0.column)" } ?? path
        return "\(location): \(severity.rawValue): \(visible(problem.message))"
    }

    /// Returns a text in which invisible characters are escapes.
    private func visible(_ text: String) -> String {
        if text.utf8.allSatisfy({ $0 < 0x80 && $0 >= 0x20 }) { return text }
        return text.unicodeScalars.reduce(into: "") { result, scalar in
            let isShown = scalar == "\n" || !scalar.isInvisible
            result += isShown ? String(scalar) : "\\u{\(String(scalar.value, radix: 16))}"
        }
    }
}

/// A position in a text.
package struct Position: Hashable, Comparable, Sendable {
    /// The number of the line. The first line is 1.
    package var line: Int
    /// The number of the column, in bytes of UTF-8. The first column is 1.
    package var column: Int

    /// Creates a position.
    package init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    /// Returns whether `left` comes before `right`.
    package static func < (left: Position, right: Position) -> Bool {
        (left.line, left.column) < (right.line, right.column)
    }
}

extension [Diagnostic] {
    /// The diagnostics, sorted by file and position.
    package var inOrder: [Diagnostic] {
        sorted { left, right in
            if left.path != right.path { return left.path < right.path }
            let before = left.position ?? Position(line: 0, column: 0)
            let after = right.position ?? Position(line: 0, column: 0)
            return before == after ? left.description < right.description : before < after
        }
    }
}
