import Foundation
import SchemaModel

/// Writes files whole or not at all, and only where their bytes would change.
package enum FileWriter {
    /// Whether the file at `url` holds exactly `contents`.
    static func holds(_ contents: String, at url: URL) -> Bool {
        guard let data = try? Data(contentsOf: url) else { return false }
        return data == Data(contents.utf8)
    }

    /// Writes `files` unless they hold their contents already, and returns those it wrote.
    package static func write(_ files: [(url: URL, contents: String)]) throws -> [URL] {
        try files.concurrentMap { try write($0.contents, to: $0.url) ? $0.url : nil }.compactMap(\.self)
    }

    /// Writes `contents` to `url` unless they are there already; true where it wrote.
    @discardableResult
    static func write(_ contents: String, to url: URL) throws -> Bool {
        if holds(contents, at: url) { return false }
        do {
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            // Not `.atomic`, which waits for the disk: what is lost with the power is generated again.
            let draft = url.deletingLastPathComponent().appendingPathComponent(".\(url.lastPathComponent).draft")
            try Data(contents.utf8).write(to: draft)
            guard rename(draft.path, url.path) == 0 else { throw CocoaError(.fileWriteUnknown) }
        } catch {
            throw CommandError.unwritable(url.path, reason: error.localizedDescription)
        }
        return true
    }
}
