import Foundation
import PackagePlugin

/// Writes what the descriptions of the package's models say: `swift package generate [--target NAME]…`.
@main
struct StrataGenerate: CommandPlugin {
    /// The files `strata.json` below `Sources` and `Tests` that are in no target.
    private static func models(in package: URL, outside targets: [URL]) -> [URL] {
        ["Sources", "Tests"].flatMap { name -> [URL] in
            let folder = package.appending(path: name, directoryHint: .isDirectory)
            let files = FileManager.default.enumerator(
                at: folder, includingPropertiesForKeys: nil, options: [.skipsHiddenFiles])
            return (files?.compactMap { $0 as? URL } ?? []).filter { file in
                // Another package in a folder of this one has targets of its own.
                file.lastPathComponent == "strata.json" && !isInOtherPackage(file, below: folder)
                    && !targets.contains { file.path.hasPrefix($0.path.hasSuffix("/") ? $0.path : $0.path + "/") }
            }
        }
    }

    private static func isInOtherPackage(_ file: URL, below folder: URL) -> Bool {
        var parent = file.deletingLastPathComponent()
        while parent.path.count > folder.path.count {
            if FileManager.default.fileExists(atPath: parent.appending(path: "Package.swift").path) { return true }
            parent.deleteLastPathComponent()
        }
        return false
    }

    func performCommand(context: PluginContext, arguments: [String]) throws {
        var extractor = ArgumentExtractor(arguments)
        let names = extractor.extractOption(named: "target")
        let tool = try context.tool(named: "StrataTool").url
        let targets = context.package.targets.compactMap { $0 as? SwiftSourceModuleTarget }
        let tests = targets.filter { $0.kind == .test }.flatMap {
            ["--test-target", "\($0.name)=\($0.directoryURL.path)"]
        }
        let models = targets.compactMap { target -> (name: String, folder: URL)? in
            guard names.isEmpty || names.contains(target.name) else { return nil }
            let markers = target.sourceFiles(withSuffix: "json").map(\.url).filter {
                $0.lastPathComponent == "strata.json"
            }
            if markers.count > 1 {
                Diagnostics.error(
                    "\(target.name) has \(markers.count) strata.json; a second model needs a target of its own")
            }
            return markers.first.map { (target.name, $0.deletingLastPathComponent()) }
        }
        for name in names where !models.contains(where: { $0.name == name }) {
            Diagnostics.error("\(name) is no target with a strata.json in its folder")
        }
        let orphans = Self.models(in: context.package.directoryURL, outside: targets.map(\.directoryURL))
        for orphan in orphans {
            Diagnostics.error(
                "\(orphan.path) belongs to no target: SwiftPM leaves out a target without a Swift file, so add one to its folder"
            )
        }
        if models.isEmpty, names.isEmpty, orphans.isEmpty {
            Diagnostics.error("no target has a strata.json in its folder; an empty one, {}, makes the folder a model")
        }
        for model in models {
            let process = Process()
            process.executableURL = tool
            process.arguments =
                ["generate", "--model", model.folder.path, "--target", model.name] + tests
                + extractor.remainingArguments
            try process.run()
            process.waitUntilExit()
            if process.terminationStatus != 0 {
                Diagnostics.error("\(model.name) was not generated")
            }
        }
    }
}
