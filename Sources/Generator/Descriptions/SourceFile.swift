import JSONText
import SchemaModel

/// The contents of a file, with its path for messages.
package struct SourceFile: Sendable {
    /// The path of the file, as it was passed to Strata.
    package let path: String
    /// The name of the file without its folder and without the extension `.json`.
    package let baseName: String
    /// The bytes of the file.
    package let bytes: [UInt8]

    /// Creates a source file.
    package init(path: String, bytes: [UInt8]) {
        self.path = path
        self.bytes = bytes
        let name = path.split(separator: "/").last.map(String.init) ?? path
        self.baseName = name.hasSuffix(".json") ? String(name.dropLast(5)) : name
    }

    /// Returns the line and column of the byte at `offset`.
    package func position(of offset: Int) -> Position {
        var line = 1
        var start = 0
        let end = min(offset, bytes.count)
        for index in 0..<end where bytes[index] == 0x0a {
            line += 1
            start = index + 1
        }
        return Position(line: line, column: end - start + 1)
    }

    /// Creates an error at `offset`.
    package func diagnostic(_ problem: Problem, at offset: Int) -> Diagnostic {
        Diagnostic(problem, path: path, position: position(of: offset))
    }

    /// Parses the file as JSON.
    ///
    /// - Throws: `Diagnostic` if the file is not valid JSON.
    package func json() throws(Diagnostic) -> JSON {
        do {
            return try JSONParser.parse(bytes)
        } catch {
            if let conflict = MergeConflict(in: String(decoding: bytes, as: UTF8.self)) {
                throw Diagnostic(.mergeConflict, path: path, position: Position(line: conflict.line, column: 1))
            }
            throw diagnostic(.json(error.problem), at: error.offset)
        }
    }
}
