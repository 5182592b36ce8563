import Foundation
import PackagePlugin

#if canImport(XcodeProjectPlugin)
    import XcodeProjectPlugin
#endif

/// Checks the generated files of a model in each build, or generates them if the model's mode is `build`.
///
/// In a test target, it checks or generates the tests of the models that the target depends on. In a target that
/// `strata.json` names for samples, it does the same with these.
@main
struct StrataBuild: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: Target) throws -> [Command] {
        guard let own = ModelTarget(target) else { return [] }
        // The sources of a model in another package are not available for tests.
        let dependencies = target.dependencies.compactMap { dependency -> ModelTarget? in
            guard case .target(let target) = dependency else { return nil }
            return ModelTarget(target)
        }
        let builder = Builder(
            tool: try context.tool(named: "StrataTool").url, folder: context.pluginWorkDirectoryURL)
        return builder.commands(for: own, dependencies)
    }
}

#if canImport(XcodeProjectPlugin)
    extension StrataBuild: XcodeBuildToolPlugin {
        func createBuildCommands(context: XcodePluginContext, target: XcodeTarget) throws -> [Command] {
            let dependencies = target.dependencies.compactMap { dependency -> ModelTarget? in
                guard case .target(let target) = dependency else { return nil }
                return ModelTarget(target, in: context.xcodeProject)
            }
            let builder = Builder(
                tool: try context.tool(named: "StrataTool").url, folder: context.pluginWorkDirectoryURL)
            return builder.commands(for: ModelTarget(target, in: context.xcodeProject), dependencies)
        }
    }
#endif

/// Creates the commands of a build.
private struct Builder {
    let tool: URL
    /// The folder for generated files.
    let folder: URL

    func commands(for target: ModelTarget, _ dependencies: [ModelTarget]) -> [Command] {
        if let model = Model(of: target) { return [command(for: model)] }
        if let file = target.files.first(where: { $0.lastPathComponent == "strata.lock" }) {
            Diagnostics.error("\(file.path): the model beside it has no strata.json, so nothing is checked: restore it")
        }
        return dependencies.compactMap(Model.init(of:))
            .filter { $0.tests.contains(target.name) || $0.samples.contains(target.name) }
            .map { testCommand(for: $0, in: target) }
    }

    private func command(for model: Model) -> Command {
        let name = model.target.name
        guard model.isBuilt else {
            let stamp = folder.appending(path: "\(name)Check.swift")
            return .buildCommand(
                displayName: "Checking the generated files of \(name)", executable: tool,
                arguments: ["check", "--sources", "--stamp", stamp.path] + model.arguments, inputFiles: model.inputs,
                outputFiles: [stamp])
        }
        return .buildCommand(
            displayName: "Generating the sources of \(name)", executable: tool,
            arguments: ["sources", "--output", folder.path] + model.arguments, inputFiles: model.inputs,
            outputFiles: model.sources.map { folder.appending(path: $0) })
    }

    private func testCommand(for model: Model, in target: ModelTarget) -> Command {
        let name = model.target.name
        let content = model.tests.contains(target.name) ? "MigrationTests" : "Samples"
        let arguments = model.arguments + ["--test-target", "\(target.name)=\(target.folder.path)"]
        // SwiftPM warns of files that no command reads.
        let fixtures = target.files.filter { ["rows", "sqlite"].contains($0.pathExtension) }
        guard model.isBuilt else {
            let stamp = folder.appending(path: "\(name)TestsCheck.swift")
            let generated = target.folder.appending(path: "Generated").path + "/"
            return .buildCommand(
                displayName: "Checking the generated tests of \(name)", executable: tool,
                arguments: ["check", "--tests", "--stamp", stamp.path] + arguments,
                inputFiles: model.inputs + target.files.filter { $0.path.hasPrefix(generated) } + fixtures,
                outputFiles: [stamp])
        }
        return .buildCommand(
            displayName: "Generating the tests of \(name)", executable: tool,
            arguments: ["tests", "--output", folder.path] + arguments, inputFiles: model.inputs + fixtures,
            outputFiles: [folder.appending(path: "\(model.target.module)\(content).strata.swift")])
    }
}
