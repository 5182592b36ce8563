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
    /// The words that keep their spelling in the names of types, by their letters in lowercase.
    let lexicon: [String: String]
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
        guard let bytes = try? Data(contentsOf: file) else {
            folder = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
            (version, hasLegacyNames, suffix, lexicon, migrations, otherSettings) = (nil, false, "", [:], nil, [])
            return
        }
        guard let text = String(data: bytes, encoding: .utf8) else {
            throw ImportError("it cannot be read as UTF-8", path: file.path)
        }
        let settings = try SimpleYAML(parsing: text, path: file.path)
        guard case .map(let values) = settings else { throw ImportError("it has no settings", path: file.path) }
        for key in ["input_path", "current_version", "entity_suffix", "core_data_migrations_function"] {
            if let value = settings[key], value.text == nil {
                throw ImportError("\(key) is not a text", path: file.path)
            }
        }
        folder =
            URL(
                fileURLWithPath: settings["input_path"]?.text ?? "Descriptions",
                relativeTo: file.deletingLastPathComponent()
            ).standardizedFileURL.resolvingSymlinksInPath().path
        let number = settings["current_version"]?.text
        version = try number.map { text in
            guard let version = Version(text) else {
                throw ImportError("current_version is not a version: \(text)", path: file.path)
            }
            return version
        }
        hasLegacyNames = ["true", "yes", "on"].contains(settings["use_core_data_legacy_naming"]?.text?.lowercased())
        suffix = settings["entity_suffix"]?.text ?? ""
        let words = settings["lexicon"]?.texts ?? []
        lexicon = Dictionary(words.map { ($0.lowercased(), $0) }, uniquingKeysWith: { _, last in last })
        migrations = settings["core_data_migrations_function"]?.text
        let read = [
            "input_path", "current_version", "use_core_data_legacy_naming", "core_data_migrations_function",
            "entity_suffix",
            "lexicon",
        ]
        otherSettings = values.keys.filter { !read.contains($0) }.sorted()
    }

    /// Returns the name of the type that Lucid generates for an entity or a subtype.
    func typeName(_ name: String, isSubtype: Bool) -> String {
        let words = name.split(separator: "_").map { word in
            lexicon[word.lowercased()] ?? word.prefix(1).uppercased() + word.dropFirst().lowercased()
        }
        return words.joined() + (isSubtype ? "" : suffix)
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
            guard let data = try? Data(contentsOf: root.appendingPathComponent(path)) else {
                throw ImportError("it cannot be read", path: "\(folder)/\(path)")
            }
            return SourceFile(path: path, bytes: [UInt8](data))
        }
    }

    /// Whether Lucid reads an entity or a subtype from the file.
    static func isDescription(_ path: String) -> Bool {
        let parts = path.split(separator: "/")
        return ["Entities", "Subtypes"].contains(parts.first ?? "") && path.hasSuffix(".json")
            && !parts.contains { $0.hasPrefix(".") }
    }
}
