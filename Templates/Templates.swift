import Foundation

/// The templates that come with Strata.
package enum Templates {
    /// The folder with all files of this module.
    package static var resources: URL { Bundle.module.resourceURL ?? Bundle.module.bundleURL }

    /// The folder that holds them.
    private static var folder: URL { resources.appendingPathComponent("Mustache") }

    /// The number of the format of the values that Strata passes to templates. It grows when values are removed, renamed or
    /// get another meaning. The first line of a template states the format that it was written for.
    package static let format = 6

    /// The first line of every template of this format.
    package static let firstLine = "{{! Strata template, format \(format) }}"

    /// Returns the format that the first line of a template states; nil if it states none.
    package static func format(of template: String) -> Int? {
        let line = template.prefix { !$0.isNewline }
        return line.wholeMatch(of: /\{\{! Strata template, format ([0-9]+) \}\}/).flatMap { Int($0.1) }
    }

    /// The parts of the schema page: the template of the page, its style sheet, and its script. The script consists of all
    /// scripts, in the order in which they need each other.
    package static func document() throws -> (page: String, style: String, script: String) {
        let folder = resources.appendingPathComponent("Document")
        func text(_ name: String) throws -> String {
            try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
        }
        let scripts = ["model", "elements", "sql", "diagram", "panel", "views", "main"]
        return (
            try text("page.html"), try text("style.css"),
            try scripts.map { try text($0 + ".js") }.joined(separator: "\n")
        )
    }

    /// The text of every template, by name: `Entity.swift` for the file `Entity.swift.mustache`.
    package static func load() throws -> [String: String] {
        try load(from: folder)
    }

    /// The text of every template in `folder`, by name.
    package static func load(from folder: URL) throws -> [String: String] {
        var templates: [String: String] = [:]
        for url in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        where url.pathExtension == "mustache" {
            let name = url.deletingPathExtension().lastPathComponent
            templates[name] = try String(contentsOf: url, encoding: .utf8)
        }
        return templates
    }
}
