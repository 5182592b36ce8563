import Foundation

/// A problem that a check found.
public struct Failure: Hashable, Sendable, CustomStringConvertible {
    /// The message. It identifies versions, tables and columns by name, and rows by primary key.
    public let description: String
    let subject: Subject?

    /// The source that says what is expected.
    enum Subject: Hashable, Sendable {
        /// The description of an entity.
        case entity(String)
        /// The expectations that you write for a step, by the name of their type.
        case expectations(String)
    }

    package init(_ description: String) { self.init(description, nil) }

    init(_ description: String, _ subject: Subject?) { (self.description, self.subject) = (description, subject) }

    /// The line of a file.
    public struct Location: Hashable, Sendable {
        /// The path of the file.
        public let path: String
        /// The number of the line. The first line is 1.
        public let line: Int
    }
}

/// A problem that a comparison found, and what says that it is one.
struct Problem: Hashable {
    let text: String
    let subject: Failure.Subject?

    /// Returns the problem as a failure, with a text before it.
    func failure(_ context: String) -> Failure { Failure("\(context): \(text)", subject) }
}

extension [String] {
    /// Returns the messages as problems with what `subject` says.
    func about(_ subject: Failure.Subject?) -> [Problem] { map { Problem(text: $0, subject: subject) } }
}

extension Fixtures {
    /// Returns the line that a failure is about: the description of its entity, or the expectations that you have written. It
    /// is nil if the sources are not there, as on a device.
    public func location(of failure: Failure) -> Failure.Location? {
        switch failure.subject {
        case .entity(let name):
            let pattern = "\"name\"\\s*:\\s*\"\(NSRegularExpression.escapedPattern(for: name))\""
            return sources?.model.flatMap { Self.line(matching: pattern, in: $0, suffix: ".json") }
        case .expectations(let name):
            let pattern = "extension\\s+(\\w+\\.)?\(name)\\b"
            return (sources?.tests).flatMap { Self.line(matching: pattern, in: $0, suffix: ".swift") }
        case nil: return nil
        }
    }

    /// Returns the first line that matches a pattern, in the files below a folder. What is generated is left out.
    private static func line(matching pattern: String, in folder: URL, suffix: String) -> Failure.Location? {
        guard let pattern = try? Regex(pattern) else { return nil }
        let paths = (try? FileManager.default.subpathsOfDirectory(atPath: folder.path)) ?? []
        for path in paths.sorted() where path.hasSuffix(suffix) && !path.hasPrefix("Generated/") {
            let url = folder.appendingPathComponent(path)
            guard let text = try? String(contentsOf: url, encoding: .utf8), let match = text.firstMatch(of: pattern)
            else { continue }
            return Failure.Location(
                path: url.path, line: 1 + text[..<match.range.lowerBound].count(where: \.isNewline))
        }
        return nil
    }
}
