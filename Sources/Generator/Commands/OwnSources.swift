import Descriptions
import Foundation
import SchemaModel

/// The Swift files of a model that you write: the custom migrations, and the files of the test targets.
///
/// Strata changes them only where they name versions that get another name, or that are removed.
struct OwnSources {
    private let files: [SourceFile]

    init(of folder: ModelFolder, _ testFolders: [ModelFolder.TestFolder]) {
        let migrations = folder.folder(.migrations)
        var urls = Self.contents(of: migrations).map { migrations.appendingPathComponent($0) }
        for folder in testFolders {
            urls += Self.contents(of: folder.url).filter { !$0.hasPrefix("Generated/") }
                .map { folder.url.appendingPathComponent($0) }
        }
        files = urls.filter { $0.pathExtension == "swift" }.compactMap { url in
            (try? Data(contentsOf: url)).map { SourceFile(path: url.path, bytes: [UInt8]($0)) }
        }
    }

    private static func contents(of folder: URL) -> [String] {
        ((try? FileManager.default.subpathsOfDirectory(atPath: folder.path)) ?? []).sorted()
    }

    /// Returns the files that change if a version gets another name. The files of custom migrations have the names of
    /// their versions.
    func renaming(_ version: Version, to new: Version) throws -> [String: FileOutcome] {
        let (old, new) = (version.identifier, new.identifier)
        // V1_3, or the end of Migration_1_2_to_1_3. V1_3_1 is another version.
        let pattern = try Regex("(?<name>\\bV|\\b[A-Za-z_]\\w*_to_)\(old)(?!\\w)").wordBoundaryKind(.simple)
        var outcomes: [String: FileOutcome] = [:]
        for file in files {
            let text = String(decoding: file.bytes, as: UTF8.self)
            let changed = text.replacing(pattern) { match in "\(match["name"]?.substring ?? "")\(new)" }
            let path = URL(fileURLWithPath: file.path)
            let name = path.lastPathComponent.replacingOccurrences(of: "_to_\(old).swift", with: "_to_\(new).swift")
            if name != path.lastPathComponent {
                outcomes[file.path] = .removed
                outcomes[path.deletingLastPathComponent().appendingPathComponent(name).path] = .rewritten(
                    Array(changed.utf8))
            } else if changed != text {
                outcomes[file.path] = .rewritten(Array(changed.utf8))
            }
        }
        return outcomes
    }

    /// Returns the files that change if the steps from versions, and the versions themselves, are removed: custom
    /// migrations are deleted, and so are the expected results of their steps and the rows of the fixtures.
    ///
    /// - Parameter schema: The name of the schema.
    func removing(_ versions: [Version], of schema: String) throws -> [String: FileOutcome] {
        let names = versions.map(\.identifier).joined(separator: "|")
        let migration = try Regex("Migration_(\(names))_to_\\w+\\.swift")
        // A declaration ends at the first brace that begins a line.
        let declaration = try Regex(
            "(?m)^(?:///[^\\n]*\\n)*extension \(schema)(?:\\.V(?:\(names))|Step_(?:\(names))_to_\\w+)\\b"
                + "(?:[^\\n]*\\}|[\\s\\S]*?^\\})[ \\t]*\\n+"
        ).wordBoundaryKind(.simple)
        var outcomes: [String: FileOutcome] = [:]
        for file in files {
            if try migration.wholeMatch(in: URL(fileURLWithPath: file.path).lastPathComponent) != nil {
                outcomes[file.path] = .removed
                continue
            }
            let text = String(decoding: file.bytes, as: UTF8.self)
            let kept = text.replacing(declaration, with: "")
            if kept == text { continue }
            let isEmpty = kept.split(separator: "\n").allSatisfy { line in
                ["import ", "@testable import ", "//"].contains { line.hasPrefix($0) }
            }
            outcomes[file.path] = isEmpty ? .removed : .rewritten(Array(kept.utf8))
        }
        return outcomes
    }

    /// Returns the files that name versions, with the positions of the first lines that do.
    func mentions(of versions: [Version]) throws -> [(path: String, line: Int)] {
        let names = versions.map(\.identifier).joined(separator: "|")
        let pattern = try Regex("\\bV(\(names))\\b").wordBoundaryKind(.simple)
        return files.compactMap { file in
            let lines = String(decoding: file.bytes, as: UTF8.self).split(
                separator: "\n", omittingEmptySubsequences: false)
            return lines.firstIndex { $0.contains(pattern) }.map { (file.path, $0 + 1) }
        }
    }
}
