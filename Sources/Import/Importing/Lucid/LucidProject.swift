import Descriptions
import Foundation
import SchemaModel

/// A project that uses Lucid: its `.lucid.yaml`, and the folder of its descriptions.
struct LucidProject {
    /// The path of the descriptions.
    let folder: String
    /// The version of the app; nil if `.lucid.yaml` does not say it.
    let version: Version?
    /// Whether the Core Data model has the names of older versions of Lucid.
    let hasLegacyNames: Bool
    /// The suffix of entity names, which is part of the names in the Core Data model.
    let suffix: String
    /// The function with the app's own migrations; nil if there is none.
    let migrations: String?
    /// The settings that a model of Strata does not have.
    let otherSettings: [String]

    /// Finds the project.
    ///
    /// - Parameter path: The path of the project, of its `.lucid.yaml`, or of the descriptions alone.
    /// - Throws: `ImportError`.
    init(path: String) throws {
        let url = URL(fileURLWithPath: path)
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw ImportError("there is no such file or folder", path: path)
        }
        let file = isFolder.boolValue ? url.appendingPathComponent(".lucid.yaml") : url
        guard let text = try? String(contentsOf: file, encoding: .utf8) else {
            folder = path
            (version, hasLegacyNames, suffix, migrations, otherSettings) = (nil, false, "", nil, [])
            return
        }
        let settings = try SimpleYAML(parsing: text, path: file.path)
        guard case .map(let values) = settings else { throw ImportError("it has no settings", path: file.path) }
        folder =
            URL(
                fileURLWithPath: settings["input_path"]?.text ?? "Descriptions",
                relativeTo: file.deletingLastPathComponent()
            ).standardizedFileURL.path
        let number = settings["current_version"]?.text
        version = try number.map { text in
            guard let version = Version(text) else {
                throw ImportError("current_version is no version: \(text)", path: file.path)
            }
            return version
        }
        hasLegacyNames = settings["use_core_data_legacy_naming"]?.text == "true"
        suffix = settings["entity_suffix"]?.text ?? ""
        migrations = settings["core_data_migrations_function"]?.text
        let read = ["input_path", "current_version", "use_core_data_legacy_naming", "core_data_migrations_function"]
        otherSettings = values.keys.filter { !read.contains($0) }.sorted()
    }

    /// Returns the descriptions of the folder, with their paths in it.
    func descriptions() throws -> [SourceFile] {
        guard FileManager.default.isFolder(folder) else {
            throw ImportError("there is no such folder", path: folder)
        }
        let root = URL(fileURLWithPath: folder, isDirectory: true)
        let enumerator = FileManager.default.enumerator(atPath: folder)
        var paths: [String] = []
        while let path = enumerator?.nextObject() as? String { paths.append(path) }
        return try paths.filter(Self.isDescription).sorted().map { path in
            SourceFile(path: path, bytes: [UInt8](try Data(contentsOf: root.appendingPathComponent(path))))
        }
    }

    /// Whether Lucid reads an entity or a subtype from the file.
    static func isDescription(_ path: String) -> Bool {
        let parts = path.split(separator: "/")
        return ["Entities", "Subtypes"].contains(parts.first ?? "") && path.hasSuffix(".json")
    }
}
