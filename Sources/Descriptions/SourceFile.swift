import JSONText

/// A text that was read, and the path by which messages name it.
public struct SourceFile: Sendable {
    /// The path as it was given.
    public let path: String
    /// The file's name without its folder and without its extension.
    public let baseName: String
    /// The bytes of the file.
    public let bytes: [UInt8]

    /// A file of `bytes` at `path`.
    public init(path: String, bytes: [UInt8]) {
        self.path = path
        self.bytes = bytes
        let name = path.split(separator: "/").last.map(String.init) ?? path
        self.baseName = name.hasSuffix(".json") ? String(name.dropLast(5)) : name
    }

    /// The position of the byte at `offset`.
    public func position(of offset: Int) -> Position {
        var line = 1
        var start = 0
        let end = min(offset, bytes.count)
        for index in 0..<end where bytes[index] == 0x0a {
            line += 1
            start = index + 1
        }
        return Position(line: line, column: end - start + 1)
    }

    /// An error at `offset`.
    public func diagnostic(_ problem: Problem, at offset: Int) -> Diagnostic {
        Diagnostic(problem, path: path, position: position(of: offset))
    }

    /// The JSON value that the file holds.
    package func json() throws(Diagnostic) -> JSON {
        do {
            return try JSONParser.parse(bytes)
        } catch {
            throw diagnostic(.json(error.problem), at: error.offset)
        }
    }
}
