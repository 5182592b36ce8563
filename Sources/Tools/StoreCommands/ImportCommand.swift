import Commands
import Foundation
import Importing

/// Imports a model of another library: writes its descriptions.
enum ImportCommand {
    static func run(_ arguments: Arguments, _ console: Console) throws {
        do {
            try runImport(arguments, console)
        } catch let error as ImportError {
            throw CommandError.elsewhere(error.description)
        }
    }

    private static func runImport(_ arguments: Arguments, _ console: Console) throws {
        guard arguments.folders.count == 2, let format = ModelImport.Format(rawValue: arguments.folders[0]) else {
            let formats = ModelImport.Format.allCases.map(\.rawValue).joined(separator: ", ")
            throw CommandError.usage("import needs a format (\(formats)) and a path")
        }
        let path = arguments.folders[1]
        let ofCoreData = ["--order", "--inheritance", "--version-info"]
        let ofHistories = ["--renames", "--oldest"]
        let useless: [String] =
            switch format {
            case .coreData: ["--complete"]
            case .swiftData: ["--complete", "--order", "--version-info"]
            case .room, .drift: ofCoreData + ["--complete"]
            case .sqlite: ofCoreData + ["--complete"] + (FileManager.default.isFolder(path) ? [] : ofHistories)
            case .sql: ofCoreData
            }
        if let option = useless.first(where: arguments.has) {
            let isDatabase = format == .sqlite && ofHistories.contains(option)
            throw CommandError.usage(
                "import \(format.rawValue) has no option \(option)" + (isDatabase ? " for a single database" : ""))
        }
        let folder = try arguments.value("--into")
        let layout = arguments.option("--inheritance") ?? InheritanceLayout.tablePerRoot.rawValue
        guard let inheritance = InheritanceLayout(rawValue: layout) else {
            throw CommandError.usage("--inheritance must be root or entity")
        }
        let imported: ModelImport
        let line = console.progress("importing", unit: "stages")
        defer { line.end() }
        line.update(0, of: 3)
        switch format {
        case .coreData:
            imported = try ModelImport(
                coreData: path, order: arguments.option("--order"), layout: inheritance,
                renames: arguments.option("--renames"), versionInfo: arguments.option("--version-info"))
        case .swiftData:
            imported = try ModelImport(
                swiftData: path, layout: inheritance, renames: arguments.option("--renames"))
        case .room: imported = try ModelImport(room: path, renames: arguments.option("--renames"))
        case .drift: imported = try ModelImport(drift: path, renames: arguments.option("--renames"))
        case .sqlite: imported = try ModelImport(sqlite: path, renames: arguments.option("--renames"))
        case .sql:
            imported = try ModelImport(
                sql: path, areComplete: arguments.has("--complete"), renames: arguments.option("--renames"))
        }
        line.update(1, of: 3)
        let url = URL(fileURLWithPath: folder, isDirectory: true)
        let existing = try existing(arguments, folder, url)
        let model = try imported.model(
            folder: folder, schema: arguments.schema(of: folder), existing: existing,
            oldest: arguments.option("--oldest"))
        line.update(2, of: 3)
        line.end()
        if model.newVersions.isEmpty, !model.hasChanges {
            return console.say("\(folder) has all versions of \(path) already")
        }
        for file in try FileWriter.write(model.files.map { (url.appendingPathComponent($0.name), $0.text) }) {
            console.say("wrote \(file.path)")
        }
        for name in model.removedFiles {
            let file = url.appendingPathComponent(name)
            try FileManager.default.removeItem(at: file)
            console.say("removed \(file.path)")
        }
        for line in model.undecided { console.say("note: \(line)") }
        let steps = model.history.steps
        let custom = steps.count { $0.isCustom }
        if !model.newVersions.isEmpty, existing?.isEmpty == false {
            console.say("added \(model.newVersions.map(\.text).joined(separator: ", "))")
        }
        console.say(
            "\(model.history.versions.count) versions, \(model.history.newest.entities.count) entities in the newest; "
                + "steps: \(steps.count - custom) inferred, \(custom) to write; "
                + "not carried over: \(model.lossCount), see \(folder)/IMPORT.md")
    }

    /// Returns the existing model in the folder; nil if there is none.
    private static func existing(
        _ arguments: Arguments, _ folder: String, _ url: URL
    ) throws -> ImportedModel.Existing? {
        guard FileManager.default.fileExists(atPath: url.appendingPathComponent("strata.json").path) else {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []
            guard let name = names.sorted().first(where: { $0.hasSuffix(".json") }) else { return nil }
            throw CommandError.unreadable(
                "\(folder)/\(name)", reason: "the folder contains files of something else; import into an empty folder")
        }
        let model = try arguments.model(at: folder)
        let (descriptions, configuration) = (try model.descriptions(), try model.configurationFile())
        let loaded = descriptions.isEmpty ? nil : try model.loaded()
        return ImportedModel.Existing(
            descriptions: descriptions, configuration: configuration,
            history: loaded?.history,
            report: try? String(contentsOf: url.appendingPathComponent("IMPORT.md"), encoding: .utf8),
            released: loaded?.released ?? [])
    }
}
