import Foundation
import PackagePlugin

/// Writes what the descriptions of the package's models say: `swift package generate [--target NAME]…`.
@main
struct StrataGenerate: CommandPlugin {
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
        if models.isEmpty, names.isEmpty {
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
