import Descriptions
import Foundation
import Generation
import SchemaModel
import SQLSchema

/// The folder of a model. It contains a `strata.json`.
package struct ModelFolder {
    /// The URL of the folder.
    package let url: URL
    /// The path of the folder, as messages show it.
    package let path: String
    /// The name of the target that the model belongs to.
    let target: String
    /// The configuration from `strata.json`.
    private(set) var configuration: Configuration
    /// The edits of the model's files that are not written yet.
    private var edits: [String: FileOutcome] = [:]
    /// The name of the schema.
    package var schema: String { configuration.schema }

    /// The name of the target's module.
    var module: String { Self.module(of: target) }

    /// Reads the configuration of the folder at `path`.
    ///
    /// - Parameters:
    ///   - path: The path of the folder.
    ///   - target: The name of the model's target; nil to derive it from the path.
    /// - Throws: `CommandError.noModel` if the folder has no `strata.json`; `Diagnostics` if it is wrong.
    init(path: String, target: String?) throws {
        self.url = URL(fileURLWithPath: path, isDirectory: true).standardizedFileURL
        self.path = path
        self.target = target ?? Self.target(of: url)
        let file = url.appendingPathComponent("strata.json")
        guard let data = try? Data(contentsOf: file) else { throw CommandError.noModel(path) }
        let source = SourceFile(path: file.path, bytes: [UInt8](data))
        self.configuration = try Configuration(
            reading: source, target: self.target, module: Self.module(of: self.target))
    }

    /// Returns the default schema name of a model in the folder at `path`.
    static func schema(of path: String, target: String?) -> String {
        let url = URL(fileURLWithPath: path, isDirectory: true).standardizedFileURL
        return module(of: target ?? self.target(of: url)) + "Schema"
    }

    /// Returns the module name of a target. As in SwiftPM, each character that a C name cannot contain becomes an
    /// underscore.
    private static func module(of target: String) -> String {
        let name = String(target.map { $0.isLetter || $0.isNumber || $0 == "_" ? $0 : "_" })
        return name.first?.isNumber == true ? "_" + name.dropFirst() : name
    }

    /// Returns the target that the folder belongs to. As in SwiftPM, this is the name of the folder below `Sources`, or
    /// else the folder's own name.
    private static func target(of url: URL) -> String {
        let components = url.pathComponents
        guard let sources = components.lastIndex(of: "Sources"), sources + 1 < components.count else {
            return url.lastPathComponent
        }
        return components[sources + 1]
    }

    /// Returns the models in all folders below `path`, except those with an invalid `strata.json`.
    package static func all(below path: String) -> [ModelFolder] {
        let folder = URL(fileURLWithPath: path, isDirectory: true)
        let enumerator = FileManager.default.enumerator(
            at: folder, includingPropertiesForKeys: nil, options: [.skipsHiddenFiles])
        var models: [ModelFolder] = []
        while let file = enumerator?.nextObject() as? URL {
            guard file.lastPathComponent == "strata.json" else { continue }
            if let model = try? ModelFolder(path: file.deletingLastPathComponent().path, target: nil) {
                models.append(model)
            }
        }
        return models
    }

    /// Reads the model.
    ///
    /// - Throws: `Diagnostics` with all problems in the model's files.
    package func loaded() throws -> LoadedModel { try LoadedModel(reading: self) }

    /// Returns the existing folders of the model's test targets.
    ///
    /// - Parameter named: The folders of the package's test targets, by name. If nil, the folders are `Tests/NAME`
    ///   beside the nearest Package.swift.
    func testFolders(among named: [String: URL]?) -> [TestFolder] {
        configuration.tests.enumerated().compactMap { place, name in
            (named.map { $0[name] } ?? folder(ofTests: name)).map { TestFolder(url: $0, isFirst: place == 0) }
        }
    }

    /// Returns the names of the model's test targets that do not exist.
    func missingTests(among named: [String: URL]?) -> [String] {
        configuration.tests.filter { name in (named.map { $0[name] } ?? folder(ofTests: name)) == nil }
    }

    /// Checks that the test targets in `strata.json` exist.
    ///
    /// - Parameter named: The test targets of the package; nil if only their folders can be found.
    /// - Throws: `CommandError.noTestTarget` if one does not exist.
    func checkTests(among named: [String: URL]?) throws {
        guard configuration.namesTests, let name = missingTests(among: named).first else { return }
        let folders = testsFolder.flatMap { try? FileManager.default.contentsOfDirectory(atPath: $0.path) }
        let known = named.map { Array($0.keys) } ?? folders ?? []
        throw CommandError.noTestTarget(path, name: name, nearest: known.sorted().nearest(to: name))
    }

    /// Returns warnings about missing parts of the package manifest. Without the plugin, no build checks the generated
    /// files. Without `StrataTesting`, the generated tests do not compile.
    func manifestWarnings() -> [String] {
        guard let manifest = testsFolder?.deletingLastPathComponent().appendingPathComponent("Package.swift"),
            let text = try? String(contentsOf: manifest, encoding: .utf8)
        else { return [] }
        var warnings: [String] = []
        func warn(unlessNamed name: String, _ consequence: String, _ remedy: String) {
            if text.contains(name) { return }
            warnings.append("\(manifest.path): warning: no target uses \(name), so \(consequence); add \(remedy)")
        }
        warn(
            unlessNamed: "StrataBuild", "no build checks what is generated for \(target)",
            #"plugins: [.plugin(name: "StrataBuild", package: "strata")] to the target"#)
        if !testFolders(among: nil).isEmpty {
            warn(
                unlessNamed: "StrataTesting", "the generated tests do not compile",
                #".product(name: "StrataTesting", package: "strata") to the dependencies of the tests"#)
        }
        return warnings
    }

    /// The folder `Tests` beside the nearest Package.swift above the model.
    private var testsFolder: URL? {
        var folder = url
        while folder.pathComponents.count > 1 {
            folder.deleteLastPathComponent()
            if FileManager.default.fileExists(atPath: folder.appendingPathComponent("Package.swift").path) {
                return folder.appendingPathComponent("Tests", isDirectory: true)
            }
        }
        return nil
    }

    /// The folder of a test target.
    struct TestFolder {
        let url: URL
        /// Whether this is the first test target, whose fixtures are sealed.
        let isFirst: Bool
    }

    private func folder(ofTests name: String) -> URL? {
        let tests = testsFolder?.appendingPathComponent(name, isDirectory: true)
        return tests.flatMap { FileManager.default.fileExists(atPath: $0.path) ? $0 : nil }
    }

    /// Returns the folder for files of a kind.
    func folder(_ place: GeneratedFile.Place) -> URL {
        switch place {
        case .sources: url.appendingPathComponent("Generated", isDirectory: true)
        case .migrations: url.appendingPathComponent("Migrations", isDirectory: true)
        case .sql: url.appendingPathComponent("SQL", isDirectory: true)
        case .model, .tests: url
        }
    }

    /// Returns the folder as it would be after edits of its files. Nothing is written.
    ///
    /// - Throws: `Diagnostics` if the edited `strata.json` is wrong.
    func applying(_ edits: [String: FileOutcome]) throws -> ModelFolder {
        var folder = self
        folder.edits.merge(edits) { _, new in new }
        folder.configuration = try Configuration(
            reading: try folder.configurationFile(), target: target, module: module)
        return folder
    }

    /// Writes the edits of the model's files. Returns a line for each file.
    func writeEdits() throws -> [String] {
        try edits.sorted { $0.key < $1.key }.compactMap { path, edit in
            let url = URL(fileURLWithPath: path)
            switch edit {
            case .kept: return nil
            case .rewritten(let bytes):
                let isThere = FileManager.default.fileExists(atPath: path)
                let isChanged = try FileWriter.write(String(decoding: bytes, as: UTF8.self), to: url)
                return isChanged ? "\(isThere ? "changed" : "created") \(path)" : nil
            case .removed:
                try FileManager.default.removeItem(at: url)
                return "removed \(path)"
            }
        }
    }

    /// Reads the file `strata.json`.
    package func configurationFile() throws -> SourceFile {
        let file = url.appendingPathComponent("strata.json")
        let source = SourceFile(path: file.path, bytes: [UInt8](try Data(contentsOf: file)))
        return [source].applying(edits.filter { $0.key == file.path }).first ?? source
    }

    /// Reads the descriptions: all JSON files in the folder and its subfolders, except `strata.json` and the files in
    /// folders of generated files and migrations.
    package func descriptions() throws -> [SourceFile] {
        let own = ["Generated", "Migrations", "SQL"].map { url.appendingPathComponent($0).path + "/" }
        var files: [SourceFile] = []
        let enumerator = FileManager.default.enumerator(
            at: url, includingPropertiesForKeys: nil, options: [.skipsHiddenFiles])
        while let file = enumerator?.nextObject() as? URL {
            if file.lastPathComponent == "strata.json", file.deletingLastPathComponent().path != url.path {
                throw CommandError.secondModel(file.path, of: url.path)
            }
            guard file.pathExtension == "json", file.lastPathComponent != "strata.json",
                !own.contains(where: { file.path.hasPrefix($0) })
            else { continue }
            do {
                files.append(SourceFile(path: file.path, bytes: [UInt8](try Data(contentsOf: file))))
            } catch {
                throw CommandError.unreadable(file.path, reason: error.localizedDescription)
            }
        }
        return files.applying(edits.filter { $0.key.hasSuffix(".json") && !$0.key.hasSuffix("/strata.json") })
    }
}
