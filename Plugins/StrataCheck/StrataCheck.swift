import Foundation
import PackagePlugin

#if canImport(XcodeProjectPlugin)
    import XcodeProjectPlugin

    extension StrataCheck: XcodeBuildToolPlugin {}
#endif

/// In each build, compares the committed files of a model with the hashes that `generate` has written beside them. After an edit, builds
/// fail until `generate` has run. They compile no generator.
///
/// In a test target, it does so with the tests of the models that the target depends on. In a target that `strata.json` names for
/// samples, it does the same with these.
@main
struct StrataCheck: ModelPlugin {
    let toolName = "StrataSums"

    func command(for model: Model, by tool: URL, writingTo folder: URL) -> Command? {
        let templates = model.templates.filter { $0.pathExtension == "mustache" }
        return command(
            for: model, sums: model.sums, in: model.folder,
            files: model.descriptions + templates + model.generated + model.migrations, reading: model.inputs, by: tool,
            stamp: folder.appending(path: "\(model.target.name)Sums.swift"))
    }

    func command(for model: Model, in target: ModelTarget, by tool: URL, writingTo folder: URL) -> Command? {
        command(
            for: model, sums: target.folder.appending(path: "Generated/\(model.sums.lastPathComponent)"),
            in: target.folder,
            files: [], reading: target.generated + target.fixtures + [model.sums].filter(model.files.contains),
            by: tool,
            stamp: folder.appending(path: "\(model.target.name)TestsSums.swift"))
    }

    private func command(
        for model: Model, sums: URL, in folder: URL, files: [URL], reading inputs: [URL], by tool: URL, stamp: URL
    ) -> Command? {
        let name = model.target.name
        if model.isBuilt {
            Diagnostics.error(
                "\(model.folder.path)/strata.json has \"mode\": \"build\", so each target that uses \(name) needs the plugin StrataBuild instead of StrataCheck"
            )
            return nil
        }
        return .buildCommand(
            displayName: "Comparing the generated files of \(name)", executable: tool,
            arguments: [sums.path, folder.path, name, stamp.path] + files.map(\.path), inputFiles: inputs,
            outputFiles: [stamp])
    }
}
