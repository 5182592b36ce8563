import Commands
import Foundation
import Importing

/// Imports a model of another library: writes its descriptions.
enum ImportCommand {
    static func run(_ arguments: Arguments, _ console: Console) throws {
        do {
            try runImport(arguments, console)
        } catch let error as ImportError {
            throw CommandError.message(error.description)
        }
    }

    private static func runImport(_ arguments: Arguments, _ console: Console) throws {
        guard arguments.folders.count == 2, let format = ModelImport.Format(rawValue: arguments.folders[0]) else {
            let formats = ModelImport.Format.allCases.map(\.rawValue).joined(separator: ", ")
            throw CommandError.usage("import needs a format (\(formats)) and a path")
        }
        let path = arguments.folders[1]
        if let option = options(unlike: format, path, arguments).first(where: arguments.has) {
            let isDatabase = format == .sqlite && ofHistories.contains(option)
            throw CommandError.usage(
                "import \(format.rawValue) has no option \(option)" + (isDatabase ? " for a single database" : ""))
        }
        let folder = try arguments.value("--into")
        let layout = arguments.option("--inheritance") ?? InheritanceLayout.tablePerRoot.rawValue
        guard let inheritance = InheritanceLayout(rawValue: layout) else {
            throw CommandError.usage("--inheritance must be root or entity")
        }
        let isInteractive = arguments.has("--interactive")
        let answers = arguments.option("--renames") ?? "renames.json"
        // The answers may be new.
        let isThere = FileManager.default.fileExists(atPath: answers)
        let renames = isInteractive ? (isThere ? answers : nil) : arguments.option("--renames")
        var imported: ModelImport
        let line = console.progress("importing", unit: "stages")
        defer { line.end() }
        line.update(0, of: 3)
        switch format {
        case .coreData:
            imported = try ModelImport(
                coreData: path, order: arguments.option("--order"), layout: inheritance,
                renames: renames, mappings: arguments.option("--mapping-models"),
                versionInfo: arguments.option("--version-info"))
        case .swiftData:
            imported = try ModelImport(
                swiftData: path, layout: inheritance, renames: renames)
        case .coreStore:
            imported = try ModelImport(coreStore: path, layout: inheritance, renames: renames)
        case .lucid:
            line.end()
            return try importLucid(path, into: folder, arguments, console)
        case .room: imported = try ModelImport(room: path, renames: renames, kotlin: arguments.option("--kotlin"))
        case .drift: imported = try ModelImport(drift: path, renames: renames)
        case .sqlite: imported = try ModelImport(sqlite: path, renames: renames)
        case .sql:
            imported = try ModelImport(
                sql: path, areComplete: arguments.has("--complete"), placeholders: try placeholders(arguments),
                renames: renames)
        }
        if arguments.has("--singular") { imported.useSingularNames() }
        line.update(1, of: 3)
        let url = URL(fileURLWithPath: folder, isDirectory: true)
        let existing = try existing(arguments, folder, url)
        if isInteractive {
            line.end()
            if let existing { try imported.recallAnswers(of: existing) }
            if try ask(&imported, console) {
                _ = try FileWriter.write([(URL(fileURLWithPath: answers), imported.renamesText)])
                console.say("wrote \(answers)")
            }
        }
        let proving = console.progress("proving", unit: "versions")
        defer { proving.end() }
        imported.proofProgress = { proving.update($0, of: $1) }
        let model = try imported.model(
            folder: folder, schema: arguments.schema(of: folder), existing: existing,
            oldest: arguments.option("--oldest"))
        proving.end()
        line.update(2, of: 3)
        line.end()
        if model.newVersions.isEmpty, !model.hasChanges {
            return console.say("\(folder) has all versions of \(path) already")
        }
        try write(model, added: existing?.isEmpty == false, into: folder, arguments, console)
    }

    /// Copies the descriptions of Lucid, or writes them with their history.
    private static func importLucid(
        _ path: String, into folder: String, _ arguments: Arguments, _ console: Console
    ) throws {
        let url = URL(fileURLWithPath: folder, isDirectory: true)
        if FileManager.default.fileExists(atPath: url.appendingPathComponent("strata.json").path) {
            throw CommandError.message(
                "\(folder): error: it has a strata.json already; change its descriptions, or import into an empty folder"
            )
        }
        let line = console.progress("importing", unit: "versions")
        defer { line.end() }
        let imported = try LucidImport(
            path: path, isFromGit: arguments.has("--git"), oldest: arguments.option("--oldest"),
            schema: arguments.schema(of: folder)
        ) { line.update($0, of: $1) }
        let model = try imported.model(folder: folder)
        line.end()
        try write(model, added: false, into: folder, arguments, console)
    }

    /// Writes the files of a model, unless this is a dry run, and prints the summary.
    private static func write(
        _ model: ImportedModel, added: Bool, into folder: String, _ arguments: Arguments, _ console: Console
    ) throws {
        let url = URL(fileURLWithPath: folder, isDirectory: true)
        if arguments.has("--dry-run") {
            for file in model.files { console.say("would write \(url.appendingPathComponent(file.name).path)") }
            for name in model.removedFiles { console.say("would remove \(url.appendingPathComponent(name).path)") }
            return say(model, added: added, folder, console)
        }
        for file in try FileWriter.write(model.files.map { (url.appendingPathComponent($0.name), $0.text) }) {
            console.say("wrote \(file.path)")
        }
        for name in model.removedFiles {
            let file = url.appendingPathComponent(name)
            try FileManager.default.removeItem(at: file)
            console.say("removed \(file.path)")
        }
        say(model, added: added, folder, console)
    }

    /// The options that change histories.
    private static let ofHistories = ["--renames", "--oldest", "--interactive"]

    /// Returns the options that a format does not have.
    private static func options(
        unlike format: ModelImport.Format, _ path: String, _ arguments: Arguments
    ) -> [String] {
        let ofCoreData = ["--order", "--inheritance", "--version-info", "--mapping-models"]
        let ofSQL = ["--complete", "--placeholder"]
        let (kotlin, singular, git) = (["--kotlin"], ["--singular"], ["--git"])
        return switch format {
        case .coreData: ofSQL + kotlin + singular + git
        case .swiftData, .coreStore:
            ofSQL + kotlin + singular + git + ofCoreData.filter { $0 != "--inheritance" }
        case .lucid:
            ofCoreData + ofSQL + kotlin + singular + ["--renames", "--interactive"]
                + (arguments.has("--git") ? [] : ["--oldest"])
        case .room: ofCoreData + ofSQL + git
        case .drift: ofCoreData + ofSQL + kotlin + git
        case .sqlite:
            ofCoreData + ofSQL + kotlin + git + (FileManager.default.isFolder(path) ? [] : ofHistories)
        case .sql: ofCoreData + kotlin + git
        }
    }

    private static func placeholders(_ arguments: Arguments) throws -> [String: String] {
        var values: [String: String] = [:]
        for option in arguments.options("--placeholder") {
            guard let sign = option.firstIndex(of: "="), sign > option.startIndex else {
                throw CommandError.usage("--placeholder needs a name and a value, as in --placeholder schema=main")
            }
            values[String(option[..<sign])] = String(option[option.index(after: sign)...])
        }
        return values
    }

    /// Asks the questions that the source does not answer. Each answer can change the later questions.
    ///
    /// - Returns: Whether there is an answer.
    private static func ask(_ imported: inout ModelImport, _ console: Console) throws -> Bool {
        var skipped: Set<RenameQuestion> = []
        var hasAnswers = false
        while let question = imported.questions.first(where: { !skipped.contains($0) }) {
            var lines = ["\(question.version): \(question.name) (\(question.kind)) is removed. Is it one of these?"]
            for (index, candidate) in question.candidates.enumerated() {
                let percent = Int((candidate.similarity * 100).rounded())
                lines.append("  \(index + 1)  \(candidate.name) (\(candidate.kind)), similar by \(percent) %")
            }
            lines.append("  r  removed, with its data\n  s  decide later\n>")
            let answer = try console.answer(
                to: lines.joined(separator: "\n"), instead: "write the answers to a file, and give it with --renames")
            guard let answer else { break }
            if let number = Int(answer), question.candidates.indices.contains(number - 1) {
                imported.answer(question, with: question.candidates[number - 1].name)
                hasAnswers = true
            } else if answer.lowercased() == "r" {
                imported.answer(question, with: nil)
                hasAnswers = true
            } else if answer.lowercased() == "s" {
                skipped.insert(question)
            } else {
                console.say("write a number, r or s")
            }
        }
        return hasAnswers
    }

    /// Prints the summary of an import.
    private static func say(_ model: ImportedModel, added: Bool, _ folder: String, _ console: Console) {
        for line in model.undecided { console.say("note: \(line)") }
        let steps = model.history.steps
        let custom = steps.count { $0.isCustom }
        if !model.newVersions.isEmpty, added {
            console.say("added \(model.newVersions.map(\.text).joined(separator: ", "))")
        }
        let (versions, entities) = (model.history.versions.count, model.history.newest.entities.count)
        console.say(
            "\(versions) \(versions == 1 ? "version" : "versions"); the newest has "
                + "\(entities) \(entities == 1 ? "entity" : "entities"); steps: \(steps.count - custom) inferred, "
                + "\(custom) to write; not carried over: \(model.lossCount), see \(folder)/IMPORT.md")
        if !added {
            console.say(
                "to convert databases, add the product StoreConversion to the app, and StrataConversionTesting to its tests"
            )
        }
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
        let (descriptions, configuration) = (try model.descriptions(), model.configurationFile())
        let loaded = descriptions.isEmpty ? nil : try model.loaded()
        return ImportedModel.Existing(
            descriptions: descriptions, configuration: configuration,
            history: loaded?.history,
            report: try? String(contentsOf: url.appendingPathComponent("IMPORT.md"), encoding: .utf8),
            released: loaded?.released ?? [])
    }
}
