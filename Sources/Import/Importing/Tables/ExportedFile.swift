import Foundation
import JSONText

/// A JSON file that another library exported, with the position of each value in the file.
struct ExportedFile {
    let path: String
    let root: JSON
    private let data: Data

    init(path: String) throws {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw ImportError("it cannot be read", path: path)
        }
        self.path = path
        self.data = data
        do {
            root = try JSONParser.parse([UInt8](data))
        } catch {
            throw ImportError("it is not valid JSON", path: path, line: Renames.line(of: error.offset, in: data))
        }
    }

    func refusal(_ message: String, at json: JSON) -> ImportError {
        ImportError(message, path: path, line: Renames.line(of: json.offset, in: data))
    }

    /// Returns the value of a required key.
    func member(_ key: String, of json: JSON) throws -> JSON {
        guard let value = json[key] else { throw refusal("\"\(key)\" is missing here", at: json) }
        return value
    }

    func text(_ key: String, of json: JSON) throws -> String {
        let value = try member(key, of: json)
        guard let text = value.text else { throw refusal("\"\(key)\" must be a string", at: value) }
        return text
    }

    func elements(_ key: String, of json: JSON) throws -> [JSON] {
        let value = try member(key, of: json)
        guard let elements = value.elements else { throw refusal("\"\(key)\" must be an array", at: value) }
        return elements
    }

    /// Returns the files in the folder at `path` whose names match `pattern`, in the order of the numbers in their
    /// names.
    static func numbered(in path: String, _ pattern: Regex<(Substring, Substring)>) throws -> [(
        number: Int, path: String
    )] {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else {
            throw ImportError("there is no such folder", path: path)
        }
        let files = names.compactMap { name -> (number: Int, path: String)? in
            guard let match = try? pattern.wholeMatch(in: name), let number = Int(match.1) else { return nil }
            return (number, "\(path)/\(name)")
        }.sorted { $0.number < $1.number }
        guard !files.isEmpty else { throw ImportError("there are no exported schemas in it", path: path) }
        if let (one, _) = zip(files, files.dropFirst()).first(where: { $0.number == $1.number }) {
            throw ImportError("version \(one.number) is there twice", path: path)
        }
        return files
    }
}

extension JSON {
    subscript(key: String) -> JSON? {
        guard case .object(let members) = value else { return nil }
        return members.first { $0.key == key }?.value
    }

    var text: String? { if case .string(let text) = value { text } else { nil } }
    var elements: [JSON]? { if case .array(let elements) = value { elements } else { nil } }
    var flag: Bool? { if case .bool(let flag) = value { flag } else { nil } }
    var number: String? { if case .number(let number) = value { number } else { nil } }
}
