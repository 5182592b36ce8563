import Foundation
import PackagePlugin

#if canImport(XcodeProjectPlugin)
    import XcodeProjectPlugin

    extension StrataBuild: XcodeBuildToolPlugin {}
#endif

/// Runs the generator in each build: it generates the files of a model whose mode is `build`, and checks the committed files of
/// others completely.
///
/// In a test target, it does so with the tests of the models that the target depends on. In a target that `strata.json` names for
/// samples, it does the same with these.
@main
struct StrataBuild: ModelPlugin {
    let toolName = "StrataTool"

    func command(for model: Model, by tool: URL, writingTo folder: URL) -> Command? {
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

    func command(for model: Model, in target: ModelTarget, by tool: URL, writingTo folder: URL) -> Command? {
        let name = model.target.name
        let content = model.tests.contains(target.name) ? "MigrationTests" : "Samples"
        let arguments = model.arguments + ["--test-target", "\(target.name)=\(target.folder.path)"]
        guard model.isBuilt else {
            let stamp = folder.appending(path: "\(name)TestsCheck.swift")
            return .buildCommand(
                displayName: "Checking the generated tests of \(name)", executable: tool,
                arguments: ["check", "--tests", "--stamp", stamp.path] + arguments,
                inputFiles: model.inputs + target.generated + target.fixtures, outputFiles: [stamp])
        }
        return .buildCommand(
            displayName: "Generating the tests of \(name)", executable: tool,
            arguments: ["tests", "--output", folder.path] + arguments, inputFiles: model.inputs + target.fixtures,
            outputFiles: [folder.appending(path: "\(model.target.module)\(content).strata.swift")])
    }
}
