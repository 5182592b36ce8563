import Foundation

/// A file or folder with a number in its name, which gives its place in a history: `V1.2__users.sql`, `0003_tags.sql`,
/// `20260102030405_users`, `App 4.sqlite`.
struct NumberedFile {
    let path: String
    /// The number. `V1.2__users.sql` has the number [1, 2].
    let number: [UInt64]

    var name: String { URL(fileURLWithPath: path).lastPathComponent }

    /// The number as text, without leading zeros.
    var numberText: String { number.map(String.init).joined(separator: ".") }

    /// Returns files in the order of their numbers.
    ///
    /// - Parameter paths: The files, with the paths whose last components contain the numbers.
    /// - Throws: `ImportError` if a file has no number, or two files have the same one.
    static func sorted(_ paths: [(file: String, numbered: String)]) throws -> [NumberedFile] {
        let files = try paths.map { file, numbered -> NumberedFile in
            let name = URL(fileURLWithPath: numbered).lastPathComponent
            guard let number = number(in: name) else {
                throw ImportError("its name lacks a number, which would give its place in the history", path: file)
            }
            return NumberedFile(path: file, number: number)
        }.sorted { $0.number.lexicographicallyPrecedes($1.number) }
        if let (one, other) = zip(files, files.dropFirst()).first(where: { $0.number == $1.number }) {
            throw ImportError("\(one.path) has the same number, \(one.numberText)", path: other.path)
        }
        return files
    }

    /// Returns the number in a name: the one at its beginning, or else the last one.
    static func number(in name: String) -> [UInt64]? {
        let isFlyway = name.prefix { $0 != "." && $0 != "_" }.wholeMatch(of: /[vV][0-9]+/) != nil && name.contains("__")
        let found: Substring?
        if isFlyway, let end = name.range(of: "__") {
            found = name[..<end.lowerBound].dropFirst()
        } else if let first = name.prefixMatch(of: /[vV]?([0-9]+(?:[.-][0-9]+)*)/) {
            found = first.1
        } else {
            let stem = name.wholeMatch(of: /(.+)\.[A-Za-z][A-Za-z0-9]*/)?.1 ?? name[...]
            found = stem.matches(of: /[0-9]+(?:\.[0-9]+)*/).last?.output
        }
        guard let parts = found?.split(whereSeparator: { "._-".contains($0) }) else { return nil }
        let number = parts.compactMap { UInt64($0) }
        return number.count == parts.count && !number.isEmpty ? number : nil
    }
}

extension FileManager {
    /// Returns whether there is a folder at `path`.
    package func isFolder(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
    }
}
