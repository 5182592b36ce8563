import Foundation
import Generation

/// All files that a model has on disk, and where they lie.
struct Output {
    /// Files that are written anew whenever their bytes change, with their paths.
    private(set) var files: [(url: URL, contents: String)] = []
    /// Files that are written once, then a person's.
    private(set) var stubs: [(url: URL, contents: String)] = []
    /// Files of the folders of generated files that nothing generates any more.
    private(set) var leftovers: [URL] = []

    /// Which of a model's files are meant.
    enum Scope {
        case all, sources, tests
    }

    /// The files of `model`; those of its tests lie in `testFolder`, if there is one.
    init(_ model: Model, testFolder: URL?, scope: Scope = .all) throws {
        let generator = try model.generator()
        let folder = model.folder
        if scope != .tests {
            for stub in try generator.stubs() {
                stubs.append((folder.folder(.migrations).appendingPathComponent(stub.name), stub.contents))
            }
            let sources = folder.configuration.mode == .committed ? try generator.sources() : []
            add(sources, in: folder.folder(.sources), suffix: ".swift")
            add(try generator.sql(), in: folder.folder(.sql), suffix: ".sql")
            let lock = generator.lock()
            files.append((folder.url.appendingPathComponent(lock.name), lock.contents))
        }
        if scope != .sources, let testFolder {
            let tests = folder.configuration.mode == .committed ? try generator.tests() : []
            let names = Set(tests.map(\.name) + [Generator.testsName(folder.target)])
            // A test target may serve several models: only this one's files are its own.
            add(tests, in: testFolder.appendingPathComponent("Generated", isDirectory: true), suffix: ".swift") {
                names.contains($0)
            }
        }
    }

    private mutating func add(
        _ generated: [GeneratedFile], in folder: URL, suffix: String, owning: (String) -> Bool = { _ in true }
    ) {
        let names = Set(generated.map(\.name))
        files += generated.map { (folder.appendingPathComponent($0.name), $0.contents) }
        let present = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        leftovers += present.sorted().filter { $0.hasSuffix(suffix) && !names.contains($0) && owning($0) }
            .map { folder.appendingPathComponent($0) }
    }

    /// The stubs in the model's folder that nobody has written yet.
    static func unwrittenStubs(of folder: ModelFolder) -> [URL] {
        let migrations = folder.folder(.migrations)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: migrations.path)) ?? []
        return names.sorted().filter { $0.hasSuffix(".swift") }.map { migrations.appendingPathComponent($0) }.filter {
            (try? String(contentsOf: $0, encoding: .utf8))?.contains("UnwrittenMigration()") == true
        }
    }
}
