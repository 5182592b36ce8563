import Foundation

/// The templates that come with Strata.
public enum Templates {
    /// The folder that holds them.
    private static var folder: URL { Bundle.module.bundleURL.appendingPathComponent("Mustache") }

    /// The text of every template, by name: `Entity.swift` for the file `Entity.swift.mustache`.
    public static func load() throws -> [String: String] {
        try load(from: folder)
    }

    /// The text of every template in `folder`, by name.
    public static func load(from folder: URL) throws -> [String: String] {
        var templates: [String: String] = [:]
        for url in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        where url.pathExtension == "mustache" {
            let name = url.deletingPathExtension().lastPathComponent
            templates[name] = try String(contentsOf: url, encoding: .utf8)
        }
        return templates
    }
}
