import Foundation

/// Writes files whole or not at all, and only where their bytes would change.
enum FileWriter {
    /// Whether the file at `url` holds exactly `contents`.
    static func holds(_ contents: String, at url: URL) -> Bool {
        guard let data = try? Data(contentsOf: url) else { return false }
        return data == Data(contents.utf8)
    }

    /// Writes `contents` to `url` unless they are there already; true where it wrote.
    @discardableResult
    static func write(_ contents: String, to url: URL) throws -> Bool {
        if holds(contents, at: url) { return false }
        do {
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(contents.utf8).write(to: url, options: .atomic)
        } catch {
            throw CommandError.unwritable(url.path, reason: error.localizedDescription)
        }
        return true
    }
}
