import Descriptions
import Foundation
import Generation
import SchemaModel

/// A folder with a `strata.json`: where the files of a model lie.
package struct ModelFolder {
    /// The folder.
    package let url: URL
    /// The path by which messages name it.
    package let path: String
    /// The name of the target that the model is part of.
    let target: String
    /// What `strata.json` says.
    let configuration: Configuration
    /// The name of the schema.
    package var schema: String { configuration.schema }

    /// The name of the target's module.
    var module: String { Self.module(of: target) }

    /// The model in the folder at `path`; without a `target`, the folder tells it.
    ///
    /// - Throws: `Diagnostics` where there is no `strata.json` or it is wrong.
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

    /// The name that a model in the folder at `path` has for its schema where nothing else is said.
    static func schema(of path: String, target: String?) -> String {
        let url = URL(fileURLWithPath: path, isDirectory: true).standardizedFileURL
        return module(of: target ?? self.target(of: url)) + "Schema"
    }

    /// The module of a target, by SwiftPM's rules: what no name in C may have becomes an underscore.
    private static func module(of target: String) -> String {
        let name = String(target.map { $0.isLetter || $0.isNumber || $0 == "_" ? $0 : "_" })
        return name.first?.isNumber == true ? "_" + name.dropFirst() : name
    }

    /// The target that the folder belongs to by SwiftPM's rules: that below `Sources`, else the folder's own name.
    private static func target(of url: URL) -> String {
        let components = url.pathComponents
        guard let sources = components.lastIndex(of: "Sources"), sources + 1 < components.count else {
            return url.lastPathComponent
        }
        return components[sources + 1]
    }

    /// The models in the folders below the one at `path`, but for those whose `strata.json` is wrong.
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

    /// What the model's descriptions tell.
    ///
    /// - Throws: `Diagnostics` with all that is wrong in its files.
    package func history() throws -> SchemaHistory { try Model(reading: self).history }

    /// The versions that its lock holds.
    ///
    /// - Throws: `Diagnostics` with all that is wrong in its files.
    package func releasedVersions() throws -> [Version] { try Model(reading: self).released }

    /// The folders of the model's test targets that there are: among `named`, or else `Tests/NAME` beside the nearest
    /// Package.swift.
    func testFolders(among named: [String: URL]?) -> [TestFolder] {
        configuration.tests.enumerated().compactMap { place, name in
            (named.map { $0[name] } ?? folder(ofTests: name)).map { TestFolder(url: $0, isFirst: place == 0) }
        }
    }

    /// The test targets that the model names and that are not there.
    func missingTests(among named: [String: URL]?) -> [String] {
        configuration.tests.filter { name in (named.map { $0[name] } ?? folder(ofTests: name)) == nil }
    }

    /// Checks that the test targets which `strata.json` names exist.
    ///
    /// - Parameter named: The test targets of the package; nil if only their folders can be found.
    /// - Throws: `CommandError.noTestTarget`.
    func checkTests(among named: [String: URL]?) throws {
        guard configuration.namesTests, let name = missingTests(among: named).first else { return }
        let folders = testsFolder.flatMap { try? FileManager.default.contentsOfDirectory(atPath: $0.path) }
        let known = named.map { Array($0.keys) } ?? folders ?? []
        throw CommandError.noTestTarget(path, name: name, nearest: known.sorted().nearest(to: name))
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
        /// Whether it is the target whose fixtures are sealed.
        let isFirst: Bool
    }

    private func folder(ofTests name: String) -> URL? {
        let tests = testsFolder?.appendingPathComponent(name, isDirectory: true)
        return tests.flatMap { FileManager.default.fileExists(atPath: $0.path) ? $0 : nil }
    }

    /// The folder of a kind of files.
    func folder(_ place: GeneratedFile.Place) -> URL {
        switch place {
        case .sources: url.appendingPathComponent("Generated", isDirectory: true)
        case .migrations: url.appendingPathComponent("Migrations", isDirectory: true)
        case .sql: url.appendingPathComponent("SQL", isDirectory: true)
        case .model, .tests: url
        }
    }

    /// The file `strata.json`.
    package func configurationFile() throws -> SourceFile {
        let file = url.appendingPathComponent("strata.json")
        return SourceFile(path: file.path, bytes: [UInt8](try Data(contentsOf: file)))
    }

    /// The descriptions: all JSON files in the folder and the folders in it, but for `strata.json`.
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
        return files
    }
}
