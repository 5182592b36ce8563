import Descriptions
import Foundation
import SchemaModel

/// The released versions of an app that uses Lucid, which are tags of its repository.
struct LucidTags {
    /// A tag, as Lucid reads it: `release_1.2-34`, or `beta_release_1.2-34`, where 34 is the number of a build.
    struct Tag: Hashable {
        let name: String
        let version: Version
        let build: Int
        let isBeta: Bool

        init?(_ name: String) {
            guard name.contains("release_"),
                let match = name.firstMatch(of: /(\d+)\.(\d+)(\.\d+)?(?:-(\d+))?/),
                let version = Version("\(match.1).\(match.2)\(match.3 ?? "")")
            else { return nil }
            self.name = name
            self.version = version
            build = match.4.flatMap { Int($0) } ?? -1
            isBeta = name.contains("beta_release_")
        }
    }

    /// The tag of each version, oldest first.
    let tags: [Tag]
    /// The folder of the descriptions.
    private let folder: String
    /// Its path in the repository, with a slash at the end; empty for the repository itself.
    private let prefix: String

    /// Finds the tags.
    ///
    /// - Parameter folder: The folder of the descriptions.
    /// - Throws: `ImportError` if it is in no repository, or if the repository has no tags of releases.
    init(folder: String) throws {
        self.folder = folder
        prefix = try Self.git(["rev-parse", "--show-prefix"], in: folder).text.trimmingCharacters(in: .newlines)
        let names = try Self.git(["tag"], in: folder).text.split(separator: "\n").map(String.init)
        let byVersion = Dictionary(grouping: names.compactMap(Tag.init), by: \.version)
        // Of the builds of a version, the newest is the one that customers have.
        tags = byVersion.values.compactMap { tags in
            tags.max { ($0.build, $0.isBeta ? 0 : 1) < ($1.build, $1.isBeta ? 0 : 1) }
        }.sorted { $0.version < $1.version }
        if tags.isEmpty {
            throw ImportError(
                "the repository has no tags of releases like release_1.2-34, from which Lucid reads the history",
                path: folder)
        }
    }

    /// Returns the descriptions at a tag, with their paths in the folder.
    func descriptions(at tag: Tag) throws -> [SourceFile] {
        let listed = try Self.git(["ls-tree", "-r", "-z", "--name-only", tag.name], in: folder)
        let paths = listed.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
            .filter(LucidProject.isDescription).sorted()
        let objects = paths.map { "\(tag.name):\(prefix)\($0)\n" }.joined()
        var bytes = try Self.git(["cat-file", "--batch"], in: folder, input: objects)[...]
        return try paths.map { path in
            // Before each file, a line has its hash, its type and its size.
            guard let end = bytes.firstIndex(of: 10),
                let size = String(decoding: bytes[..<end], as: UTF8.self).split(separator: " ").last.flatMap({ Int($0) }
                )
            else { throw ImportError("git does not show \(path) of \(tag.name)", path: folder) }
            let file = bytes[(end + 1)...].prefix(size)
            bytes = bytes[(end + 1)...].dropFirst(size + 1)
            return SourceFile(path: path, bytes: [UInt8](file))
        }
    }

    /// Runs git and returns its output.
    private static func git(_ arguments: [String], in folder: String, input: String = "") throws -> [UInt8] {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["git", "-C", folder] + arguments
        let (output, complaints) = (Pipe(), Pipe())
        // A pipe would have to be filled while the output is read.
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try Data(input.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        process.standardInput = try FileHandle(forReadingFrom: file)
        (process.standardOutput, process.standardError) = (output, complaints)
        do {
            try process.run()
        } catch {
            throw ImportError("git cannot be run: \(error.localizedDescription)", path: folder)
        }
        let bytes = [UInt8](output.fileHandleForReading.readDataToEndOfFile())
        let words = String(decoding: complaints.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw ImportError("git \(arguments[0]): \(words.trimmingCharacters(in: .newlines))", path: folder)
        }
        return bytes
    }
}

extension [UInt8] {
    fileprivate var text: String { String(decoding: self, as: UTF8.self) }
}
