import Foundation
import PackagePlugin

#if canImport(XcodeProjectPlugin)
    import XcodeProjectPlugin
#endif

/// Generates the files of the models in a package or an Xcode project: `swift package generate [--target NAME]…`. With `--check`, it
/// does what `strata check` does, and writes nothing.
@main
struct StrataGenerate: CommandPlugin {
    func performCommand(context: PluginContext, arguments: [String]) throws {
        let project = Project(
            folder: context.package.directoryURL, targets: context.package.targets.compactMap(ModelTarget.init))
        try project.generate(by: try context.tool(named: "StrataTool").url, arguments)
    }
}

#if canImport(XcodeProjectPlugin)
    extension StrataGenerate: XcodeCommandPlugin {
        func performCommand(context: XcodePluginContext, arguments: [String]) throws {
            let project = Project(
                folder: context.xcodeProject.directoryURL,
                targets: context.xcodeProject.targets.map { ModelTarget($0, in: context.xcodeProject) })
            try project.generate(by: try context.tool(named: "StrataTool").url, arguments)
        }
    }
#endif

/// A package or an Xcode project.
private struct Project {
    let folder: URL
    let targets: [ModelTarget]

    /// Generates the files of all models, or only of the models whose targets are in `arguments`.
    func generate(by tool: URL, _ arguments: [String]) throws {
        let permission = "--allow-writing-to-package-directory"
        if arguments.contains(permission) {
            Diagnostics.error("write \(permission) before the command: swift package \(permission) generate")
            return
        }
        var extractor = ArgumentExtractor(arguments)
        let names = extractor.extractOption(named: "target")
        let isCheck = extractor.extractFlag(named: "check") > 0
        let models = targets.filter { names.isEmpty || names.contains($0.name) }.compactMap(Model.init(of:))
        for name in names where !models.contains(where: { $0.target.name == name }) {
            Diagnostics.error("the target \(name) does not exist, or has no strata.json in its folder")
        }
        let orphans = orphans()
        for orphan in orphans {
            Diagnostics.error(
                "\(orphan.path) belongs to no target: SwiftPM leaves out a target without a Swift file, so add one to its folder"
            )
        }
        if models.isEmpty, names.isEmpty, orphans.isEmpty {
            Diagnostics.error("no target has a strata.json in its folder; an empty one, {}, makes the folder a model")
        }
        if models.count > 1, names.isEmpty, arguments.contains("--release") {
            Diagnostics.error("several targets have a model, so --release needs --target NAME")
            return
        }
        if models.count > 1, arguments.contains("--json") {
            Diagnostics.error("--json prints one model, so it needs one --target NAME")
            return
        }
        for model in models {
            let tests = targets.filter { $0.isTest || model.samples.contains($0.name) }
                .flatMap { ["--test-target", "\($0.name)=\($0.folder.path)"] }
            let process = Process()
            process.executableURL = tool
            process.arguments =
                [isCheck ? "check" : "generate"] + model.arguments + tests + extractor.remainingArguments
            try process.run()
            process.waitUntilExit()
            if process.terminationStatus != 0 {
                Diagnostics.error(
                    isCheck ? "the check of \(model.target.name) has failed" : "\(model.target.name) was not generated")
            }
        }
    }

    /// Returns the `strata.json` files below `Sources` and `Tests` that are in no target.
    private func orphans() -> [URL] {
        let folders = targets.map { $0.folder.path.hasSuffix("/") ? $0.folder.path : $0.folder.path + "/" }
        return ["Sources", "Tests"].flatMap { name -> [URL] in
            let folder = folder.appending(path: name, directoryHint: .isDirectory)
            let files = FileManager.default.enumerator(
                at: folder, includingPropertiesForKeys: nil, options: [.skipsHiddenFiles])
            return (files?.compactMap { $0 as? URL } ?? []).filter { file in
                // A nested package has its own targets.
                file.lastPathComponent == "strata.json" && !isInOtherPackage(file, below: folder)
                    && !folders.contains { file.path.hasPrefix($0) }
            }
        }
    }

    private func isInOtherPackage(_ file: URL, below folder: URL) -> Bool {
        var parent = file.deletingLastPathComponent()
        while parent.path.count > folder.path.count {
            if FileManager.default.fileExists(atPath: parent.appending(path: "Package.swift").path) { return true }
            parent.deleteLastPathComponent()
        }
        return false
    }
}
