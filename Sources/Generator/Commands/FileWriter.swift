import Foundation
import SchemaModel

/// Writes files completely or not at all, and only if their bytes change.
package enum FileWriter {
    /// Returns whether the bytes of the file at `url` are exactly those of `contents`.
    static func holds(_ contents: String, at url: URL) -> Bool {
        guard let data = try? Data(contentsOf: url) else { return false }
        return data == Data(contents.utf8)
    }

    /// Writes the files whose contents change, and returns their URLs.
    package static func write(_ files: [(url: URL, contents: String)]) throws -> [URL] {
        try files.concurrentMap { try write($0.contents, to: $0.url) ? $0.url : nil }.compactMap(\.self)
    }

    /// Writes `contents` to `url` if the file changes. Returns whether it changes.
    @discardableResult
    package static func write(_ contents: String, to url: URL) throws -> Bool {
        if holds(contents, at: url) { return false }
        do {
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            // `.atomic` would wait for the disk. Files that are lost in a power failure can be generated again.
            let draft = url.deletingLastPathComponent().appendingPathComponent(".\(url.lastPathComponent).draft")
            try Data(contents.utf8).write(to: draft)
            guard rename(draft.path, url.path) == 0 else { throw CocoaError(.fileWriteUnknown) }
        } catch {
            throw CommandError.unwritable(url.path, reason: error.localizedDescription)
        }
        return true
    }
}
