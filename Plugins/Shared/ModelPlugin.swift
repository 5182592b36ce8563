import Foundation
import PackagePlugin

#if canImport(XcodeProjectPlugin)
    import XcodeProjectPlugin
#endif

/// A plugin that runs a tool in each build: for the model of a target, or for the models that the target tests.
protocol ModelPlugin: BuildToolPlugin {
    /// The name of the tool.
    var toolName: String { get }

    /// Returns the command for the model of a target.
    func command(for model: Model, by tool: URL, writingTo folder: URL) -> Command?

    /// Returns the command for the tests or samples of a model in another target.
    func command(for model: Model, in target: ModelTarget, by tool: URL, writingTo folder: URL) -> Command?
}

extension ModelPlugin {
    func createBuildCommands(context: PluginContext, target: Target) throws -> [Command] {
        guard let own = ModelTarget(target) else { return [] }
        // The sources of a model in another package are not available for tests.
        let dependencies = target.dependencies.compactMap { dependency -> ModelTarget? in
            guard case .target(let target) = dependency else { return nil }
            return ModelTarget(target)
        }
        return commands(
            for: own, dependencies, by: try context.tool(named: toolName).url,
            writingTo: context.pluginWorkDirectoryURL)
    }

    fileprivate func commands(
        for target: ModelTarget, _ dependencies: [ModelTarget], by tool: URL, writingTo folder: URL
    ) -> [Command] {
        if let model = Model(of: target) {
            return [command(for: model, by: tool, writingTo: folder)].compactMap { $0 }
        }
        if let file = target.files.first(where: { $0.lastPathComponent == "strata.lock" }) {
            Diagnostics.error("\(file.path): the model beside it has no strata.json, so nothing is checked: restore it")
        }
        return dependencies.compactMap(Model.init(of:))
            .filter { $0.tests.contains(target.name) || $0.samples.contains(target.name) }
            .compactMap { command(for: $0, in: target, by: tool, writingTo: folder) }
    }
}

#if canImport(XcodeProjectPlugin)
    extension ModelPlugin {
        func createBuildCommands(context: XcodePluginContext, target: XcodeTarget) throws -> [Command] {
            let dependencies = target.dependencies.compactMap { dependency -> ModelTarget? in
                guard case .target(let target) = dependency else { return nil }
                return ModelTarget(target, in: context.xcodeProject)
            }
            return commands(
                for: ModelTarget(target, in: context.xcodeProject), dependencies,
                by: try context.tool(named: toolName).url, writingTo: context.pluginWorkDirectoryURL)
        }
    }
#endif
