import Foundation
import PackagePlugin

/// Checks, or in build mode generates, what the descriptions of a target say; on a test target, its models' tests.
@main
struct StrataBuild: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: Target) throws -> [Command] {
        guard let target = target as? SwiftSourceModuleTarget else { return [] }
        let tool = try context.tool(named: "StrataTool").url
        if let model = Model(of: target) {
            return [command(for: model, of: target, tool: tool, folder: context.pluginWorkDirectoryURL)]
        }
        if let file = target.sourceFiles(withSuffix: "strata.lock").first(where: { _ in true }) {
            Diagnostics.error(
                "\(file.url.path): the model beside it has no strata.json, so nothing is checked: restore it")
        }
        // Of a model in another package there are no sources here to test.
        let models = target.dependencies.compactMap { dependency -> Model? in
            guard case .target(let target) = dependency else { return nil }
            return (target as? SwiftSourceModuleTarget).flatMap(Model.init(of:))
        }
        return models.filter { $0.tests.contains(target.name) }.map {
            testCommand(for: $0, in: target, tool: tool, folder: context.pluginWorkDirectoryURL)
        }
    }

    private func command(for model: Model, of target: SwiftSourceModuleTarget, tool: URL, folder: URL) -> Command {
        let arguments = ["--model", model.folder.path, "--target", model.target]
        guard model.isBuilt else {
            let stamp = folder.appending(path: "\(model.target)Check.swift")
            return .buildCommand(
                displayName: "Checking the generated files of \(model.target)",
                executable: tool, arguments: ["check", "--sources", "--stamp", stamp.path] + arguments,
                inputFiles: model.files, outputFiles: [stamp])
        }
        let outputs = model.descriptions.map { $0.deletingPathExtension().lastPathComponent + ".strata.swift" }
        return .buildCommand(
            displayName: "Generating the sources of \(model.target)",
            executable: tool, arguments: ["sources", "--output", folder.path] + arguments,
            inputFiles: model.files,
            outputFiles: (outputs + ["Strata.schema.swift", "Strata.migrations.swift"]).map {
                folder.appending(path: $0)
            })
    }

    private func testCommand(for model: Model, in target: SwiftSourceModuleTarget, tool: URL, folder: URL) -> Command {
        let arguments = [
            "--model", model.folder.path, "--target", model.target,
            "--test-target", "\(target.name)=\(target.directoryURL.path)",
        ]
        // Asked by suffix, SwiftPM runs the plugin again whenever a fixture comes or goes.
        let fixtures = target.sourceFiles(withSuffix: "sqlite").map(\.url)
        guard model.isBuilt else {
            let stamp = folder.appending(path: "\(model.target)TestsCheck.swift")
            let generated = target.directoryURL.appending(path: "Generated").path + "/"
            let tests = target.sourceFiles.map(\.url).filter { $0.path.hasPrefix(generated) }
            return .buildCommand(
                displayName: "Checking the generated tests of \(model.target)",
                executable: tool, arguments: ["check", "--tests", "--stamp", stamp.path] + arguments,
                inputFiles: model.files + tests + fixtures, outputFiles: [stamp])
        }
        return .buildCommand(
            displayName: "Generating the tests of \(model.target)",
            executable: tool, arguments: ["tests", "--output", folder.path] + arguments,
            inputFiles: model.files + fixtures,
            outputFiles: [folder.appending(path: "\(model.module)MigrationTests.strata.swift")])
    }
}

/// A folder of a target with a `strata.json`.
private struct Model {
    let target: String
    let module: String
    let folder: URL
    let isBuilt: Bool
    let tests: [String]
    /// All files in the folder.
    let files: [URL]
    /// The descriptions among them.
    let descriptions: [URL]

    init?(of target: SwiftSourceModuleTarget) {
        // Asked by suffix, SwiftPM runs the plugin again whenever such a file comes or goes.
        let json = target.sourceFiles(withSuffix: "json").map(\.url)
        let markers = json.filter { $0.lastPathComponent == "strata.json" }
        guard let marker = markers.first else { return nil }
        if markers.count > 1 {
            Diagnostics.error(
                "\(target.name) has \(markers.count) strata.json; a second model needs a target of its own")
        }
        let folder = marker.deletingLastPathComponent()
        self.target = target.name
        module = target.moduleName
        self.folder = folder
        for suffix in ["swift", "sql", "lock", "md"] { _ = target.sourceFiles(withSuffix: suffix) }
        files = target.sourceFiles.map(\.url).filter { $0.path.hasPrefix(folder.path + "/") }
        descriptions = json.filter { $0.path.hasPrefix(folder.path + "/") && $0 != marker }
        // What is wrong in it, the tool tells.
        let values = (try? JSONSerialization.jsonObject(with: Data(contentsOf: marker))) as? [String: Any] ?? [:]
        isBuilt = values["mode"] as? String == "build"
        tests = values["tests"] as? [String] ?? [values["tests"] as? String ?? target.name + "Tests"]
    }
}
