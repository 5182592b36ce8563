import Foundation

/// The versions in an `.xcdatamodeld`, or the single version of an `.xcdatamodel`.
struct CoreDataFolder {
    /// A version and the file that it was read from.
    struct Version {
        var name: String
        var path: String
        var model: CoreDataModel
    }

    /// The versions, oldest first.
    private(set) var versions: [Version] = []

    init(versions: [Version]) { self.versions = versions }

    /// Reads the model at `path`.
    ///
    /// - Parameters:
    ///   - path: The path of the model.
    ///   - order: The path of a file that lists the versions, one a line, oldest first. If it is nil, the versions are
    ///     sorted by name as in the Finder, and the current version must be the last one.
    init(path: String, order: String? = nil) throws {
        let folder = URL(fileURLWithPath: path, isDirectory: true)
        if folder.pathExtension == "xcdatamodel" {
            versions = [try Self.version(folder, path: path)]
            return
        }
        guard let contents = try? FileManager.default.contentsOfDirectory(atPath: folder.path) else {
            throw ImportError("there is no such folder", path: path)
        }
        let names = contents.filter { $0.hasSuffix(".xcdatamodel") }.map { String($0.dropLast(12)) }
        guard !names.isEmpty else { throw ImportError("there is no .xcdatamodel in it", path: path) }
        let ordered =
            try order.map { try Self.read($0, among: names) }
            ?? names.sorted {
                let order = $0.compare($1, options: [.numeric, .caseInsensitive])
                return order == .orderedSame ? $0 < $1 : order == .orderedAscending
            }
        if order == nil, let current = try Self.current(folder), current != ordered.last {
            guard ordered.contains(current) else {
                throw ImportError(
                    "the current version is \(current), which does not exist",
                    path: folder.appendingPathComponent(".xccurrentversion").path)
            }
            throw ImportError(
                "the current version is \(current), but \(ordered.last ?? "") is the last by name; "
                    + "name the versions in order, one a line, in a file, and give it with --order", path: path)
        }
        versions = try ordered.map { name in
            try Self.version(
                folder.appendingPathComponent(name + ".xcdatamodel", isDirectory: true),
                path: "\(path)/\(name).xcdatamodel")
        }
    }

    private static func version(_ folder: URL, path: String) throws -> Version {
        let file = path + "/contents"
        guard let data = try? Data(contentsOf: folder.appendingPathComponent("contents")) else {
            throw ImportError("the file does not exist or cannot be read", path: file)
        }
        let model = try CoreDataParser.parse(data, path: file)
        return Version(name: folder.deletingPathExtension().lastPathComponent, path: file, model: model)
    }

    /// Returns the version that `.xccurrentversion` names; nil if there is no such file, or if it is empty, as Xcode leaves it for a
    /// single version.
    private static func current(_ folder: URL) throws -> String? {
        let file = folder.appendingPathComponent(".xccurrentversion")
        guard let data = try? Data(contentsOf: file) else { return nil }
        let values = try? PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any]
        if data.isEmpty || values?.isEmpty == true { return nil }
        guard let name = values?["_XCCurrentVersionName"] as? String else {
            throw ImportError("it names no current version", path: file.path)
        }
        return name.hasSuffix(".xcdatamodel") ? String(name.dropLast(12)) : name
    }

    /// Returns the versions that the file at `path` lists, in the order of the file.
    private static func read(_ path: String, among names: [String]) throws -> [String] {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
            throw ImportError("it cannot be read as text", path: path)
        }
        var ordered: [String] = []
        for (index, line) in text.components(separatedBy: .newlines).enumerated() {
            var name = line.trimmingCharacters(in: .whitespaces)
            if name.isEmpty { continue }
            if name.hasSuffix(".xcdatamodel") { name = String(name.dropLast(12)) }
            guard names.contains(name) else {
                throw ImportError("unknown version \(name)", path: path, line: index + 1)
            }
            guard !ordered.contains(name) else {
                throw ImportError("\(name) appears here a second time", path: path, line: index + 1)
            }
            ordered.append(name)
        }
        let missing = names.filter { !ordered.contains($0) }.sorted()
        guard missing.isEmpty else {
            throw ImportError("it does not name \(missing.joined(separator: ", "))", path: path)
        }
        return ordered
    }
}
