import Foundation
import PackagePlugin

#if canImport(XcodeProjectPlugin)
    import XcodeProjectPlugin
#endif

/// A target of a package or of an Xcode project.
struct ModelTarget {
    let name: String
    let module: String
    let folder: URL
    let files: [URL]
    /// Whether the target may contain tests.
    let isTest: Bool

    /// The generated files of tests and samples.
    var generated: [URL] {
        let folder = folder.appending(path: "Generated").path + "/"
        return files.filter { $0.path.hasPrefix(folder) }
    }

    /// The files that the tests have written for released versions. SwiftPM warns of files that no command reads.
    var fixtures: [URL] { files.filter { ["rows", "sqlite"].contains($0.pathExtension) } }

    /// The files with the name `strata.json`.
    var markers: [URL] { files.filter { $0.lastPathComponent == "strata.json" } }

    /// Creates a target from a target of a package; nil if it is not a Swift target.
    init?(_ target: any Target) {
        guard let target = target as? SwiftSourceModuleTarget else { return nil }
        // SwiftPM runs a plugin again when a file is added or removed only if the plugin asks for its suffix.
        for suffix in ["json", "swift", "sql", "lock", "md", "sqlite", "rows", "mustache", "sums"] {
            _ = target.sourceFiles(withSuffix: suffix)
        }
        name = target.name
        module = target.moduleName
        folder = target.directoryURL
        files = target.sourceFiles.map(\.url)
        isTest = target.kind == .test
    }

    #if canImport(XcodeProjectPlugin)
        /// Creates a target from a target of an Xcode project. Its folder has the same name.
        init(_ target: XcodeTarget, in project: XcodeProject) {
            name = target.displayName
            // As in SwiftPM, each character that a C name cannot contain becomes an underscore.
            let module = String(name.map { $0.isLetter || $0.isNumber || $0 == "_" ? $0 : "_" })
            self.module = module.first?.isNumber == true ? "_" + module.dropFirst() : module
            folder = project.directoryURL.appending(path: target.displayName, directoryHint: .isDirectory)
            files = target.inputFiles.map(\.url)
            isTest = true
        }
    #endif
}

/// The model of a target: the folder with a `strata.json`.
struct Model {
    let target: ModelTarget
    let folder: URL
    /// Whether builds generate the sources, so that they are not committed.
    let isBuilt: Bool
    /// The names of the test targets.
    let tests: [String]
    /// The names of the targets with samples and no tests.
    let samples: [String]
    /// Your own templates and their folder, which may be outside the folder of the target.
    let templates: [URL]

    /// Creates the model of a target; nil if the target has none.
    init?(of target: ModelTarget) {
        let markers = target.markers
        guard let marker = markers.first else { return nil }
        if markers.count > 1 {
            Diagnostics.error(
                "\(target.name) has \(markers.count) strata.json; put each model in a separate target")
        }
        self.target = target
        folder = marker.deletingLastPathComponent()
        // The tool reports the problems in this file.
        let values = (try? JSONSerialization.jsonObject(with: Data(contentsOf: marker))) as? [String: Any] ?? [:]
        isBuilt = values["mode"] as? String == "build"
        func names(_ key: String) -> [String]? {
            values[key] as? [String] ?? (values[key] as? String).map { [$0] }
        }
        tests = names("tests") ?? [target.name + "Tests"]
        samples = names("samples") ?? []
        var templates: [URL] = []
        if let path = values["templates"] as? String {
            let own = URL(fileURLWithPath: path, isDirectory: true, relativeTo: folder).standardizedFileURL
            let files = try? FileManager.default.contentsOfDirectory(at: own, includingPropertiesForKeys: nil)
            templates = files.map { [own] + $0.filter { $0.pathExtension == "mustache" } } ?? []
        }
        self.templates = templates
    }

    /// All files in the folder.
    var files: [URL] { target.files.filter { $0.path.hasPrefix(folder.path + "/") } }

    /// The files that a build reads.
    var inputs: [URL] { files + templates.filter { !files.contains($0) } }

    /// The descriptions of the model, which the tool finds by the same rule.
    var descriptions: [URL] {
        let own = ["Generated", "Migrations", "SQL"].map { folder.appending(path: $0).path + "/" }
        return files.filter { file in
            file.pathExtension == "json" && file.lastPathComponent != "strata.json"
                && !own.contains { file.path.hasPrefix($0) }
                // Lucid's folder for descriptions of what servers send.
                && !file.pathComponents.dropFirst(folder.pathComponents.count).dropLast().contains("EndpointPayloads")
        }
    }

    /// The file with the hashes of the committed files.
    var sums: URL { folder.appending(path: "Generated/\(target.module).strata.sums") }

    /// The committed files with names that only Strata gives.
    var generated: [URL] {
        files.filter {
            $0.deletingLastPathComponent().path == folder.appending(path: "Generated").path
                && $0.lastPathComponent.contains(
                    /(\.strata(\.history)?|(\.strata|^Strata\.schema)\+[A-Za-z0-9_]+)\.swift$/)
        }
    }

    /// The files of the custom migrations.
    var migrations: [URL] { files.filter { $0.path.hasPrefix(folder.path + "/Migrations/") } }

    /// The names of the files that a build writes.
    var sources: [String] {
        var (ofEntity, ofSchema): (Set<String>, Set<String>) = ([], [])
        for template in templates {
            let name = template.lastPathComponent
            guard let match = name.wholeMatch(of: /(Entity|Subtype|Schema)\+([A-Za-z0-9_]+)\.swift\.mustache/) else {
                continue
            }
            let suffix = String(match.2)
            if match.1 == "Schema" { ofSchema.insert(suffix) } else { ofEntity.insert(suffix) }
        }
        var sources = ["Strata.schema.swift", "Strata.migrations.swift"]
        for suffix in ofSchema.sorted() { sources.append("Strata.schema+\(suffix).swift") }
        for description in descriptions {
            let name = description.deletingPathExtension().lastPathComponent
            sources.append("\(name).strata.swift")
            for suffix in ofEntity.sorted() { sources.append("\(name).strata+\(suffix).swift") }
        }
        return sources
    }

    /// The arguments that identify the model.
    var arguments: [String] { ["--model", folder.path, "--target", target.name] }
}
