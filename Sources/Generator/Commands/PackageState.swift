import Foundation
import SchemaModel
import SQLSchema
import Templates

/// The state of everything that `generate` reads and writes: the files of a package, the tool, and its templates.
///
/// A file is the same if it has the same size, the same inode, and the same time of its last change, which no program can
/// set. So no file needs to be read to see that nothing has changed. Only the tool is read, because SwiftPM may link it
/// again although it stays the same.
struct PackageState {
    /// A line for each file, by path.
    private var files: [String: String] = [:]
    /// The paths of the folders. An empty one can be the folder of a test target.
    private var folders: [String] = []
    /// The time of the last change of a file, in nanoseconds since 1970.
    private var newest: Int64 = 0
    /// The time at which the state was read.
    private let time = Int64(Date().timeIntervalSince1970 * 1_000_000_000)

    /// Whether a file changed so shortly before the state was read that it could have changed once more at the same time,
    /// as the file system counts it. Some file systems count seconds.
    var isFresh: Bool { time - newest < (newest % 1_000_000_000 == 0 ? 2_000_000_000 : 20_000_000) }

    /// Reads the state of the package at `package`; nil if a folder cannot be read, or is a symbolic link.
    init?(of package: URL) {
        guard let tool = Self.tool else { return nil }
        var folder = package
        // Strata reads the `.gitattributes` of the repository.
        while folder.pathComponents.count > 1, !Self.exists(folder.appendingPathComponent(".git")) {
            folder.deleteLastPathComponent()
            add(folder.appendingPathComponent(".gitattributes").path)
        }
        files["tool"] = tool
        for folder in [Templates.resources.resolvingSymlinksInPath(), package] {
            if !add(below: folder.path) { return nil }
        }
    }

    /// The sizes and hashes of the parts of the tool; nil if it cannot be read.
    private static let tool: String? = Bundle.main.executableURL.flatMap { url in
        guard let data = try? Data(contentsOf: url, options: .alwaysMapped) else { return nil }
        let parts = stride(from: 0, to: data.count, by: 1 << 20).map { data[$0..<min($0 + 1 << 20, data.count)] }
        return parts.concurrentMap { "\($0.count) \(hash($0))" }.joined(separator: " ")
    }

    /// Returns a hash of the bytes of the tool. Its loop over words is fast even without optimization.
    private static func hash(_ data: Data) -> UInt64 {
        data.withUnsafeBytes { bytes in
            let end = bytes.count & ~7
            var hash = FNV1a(bytes[end...]).value
            var index = 0
            while index < end {
                hash = (hash ^ bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)) &* 0x0000_0100_0000_01b3
                hash ^= hash >> 32
                index &+= 8
            }
            return hash
        }
    }

    private static func exists(_ url: URL) -> Bool { FileManager.default.fileExists(atPath: url.path) }

    /// Adds a file, if it exists.
    private mutating func add(_ path: String) {
        var information = stat()
        if lstat(path, &information) == 0 { add(path, information) }
    }

    private mutating func add(_ path: String, _ information: stat) {
        #if canImport(Darwin)
            let time = information.st_ctimespec
        #else
            let time = information.st_ctim
        #endif
        let nanoseconds = Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
        newest = max(newest, nanoseconds)
        files[path] = "\(path) \(information.st_size) \(information.st_ino) \(nanoseconds)"
    }

    /// Adds the files below a folder. Returns false if a folder cannot be read, or is a symbolic link.
    private mutating func add(below path: String) -> Bool {
        guard let folder = opendir(path) else { return false }
        defer { closedir(folder) }
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 1) { String(cString: $0) }
            }
            if [".", "..", ".git", ".swiftpm"].contains(name) || name.hasPrefix(".build") { continue }
            let file = path + "/" + name
            var information = stat()
            guard lstat(file, &information) == 0 else { return false }
            switch information.st_mode & S_IFMT {
            case S_IFDIR:
                folders.append(file + "/")
                if !add(below: file) { return false }
            case S_IFLNK:
                add(file, information)
                // The file behind the link can change without the link.
                guard stat(file, &information) == 0 else { continue }
                if information.st_mode & S_IFMT == S_IFDIR { return false }
                add(file + " ->", information)
            default: add(file, information)
            }
        }
        return true
    }

    /// Removes files from the state.
    mutating func remove(_ urls: [URL]) {
        for url in urls { files[url.path] = nil }
    }

    /// Returns whether all files are the same as in `other`. Strata may have created folders.
    func isSame(as other: PackageState) -> Bool { files == other.files }

    /// A text that is the same only if all files and folders are.
    var text: String { "\(files.count) \(Fingerprint(of: files.values + folders))" }
}
