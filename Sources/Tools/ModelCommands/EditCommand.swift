import Commands
import DescriptionEditing
import Descriptions
import Foundation
import JSONText
import SchemaDiff
import SchemaModel
import SQLSchema

/// Edits the descriptions of a model in its draft: adds, renames or removes an element, or begins a version.
struct EditCommand {
    private enum Edit {
        case property(DescriptionEditor.Path, DescriptionEditor.NewProperty)
        case entity(String, identifier: String)
        case rename(DescriptionEditor.Path, to: String)
        case remove(DescriptionEditor.Path, isDiscarded: Bool)
        case version
    }

    private let edit: Edit
    private let version: Version?
    private let folders: [ModelFolder]

    init(_ arguments: Arguments) throws {
        let texts = arguments.folders
        func require(_ count: Int, _ usage: String) throws {
            if texts.count != count { throw CommandError.usage("usage: strata \(arguments.command) \(usage)") }
        }
        func path(_ text: String) throws -> DescriptionEditor.Path {
            guard let path = DescriptionEditor.Path(text) else {
                throw CommandError.usage("\(text) is not a name like episode or episode.rating")
            }
            return path
        }
        func version(_ text: String) throws -> Version {
            guard let version = Version(text) else { throw CommandError.usage("\(text) is not a version") }
            return version
        }
        var named = try arguments.option("--version").map(version)
        switch (arguments.command, texts.first) {
        case ("add", "property"):
            try require(3, "property ENTITY.NAME TYPE")
            let path = try path(texts[1])
            if path.element == nil { throw CommandError.usage("\(path) is not a name like episode.rating") }
            let property = Self.property(of: texts[2], arguments)
            if arguments.has("--identifier") { throw CommandError.usage("--identifier is for add entity") }
            if arguments.has("--to-one"), arguments.has("--to-many") {
                throw CommandError.usage("--to-one and --to-many exclude each other")
            }
            if property.inverse != nil, property.association == nil {
                throw CommandError.usage("--inverse needs --to-one or --to-many")
            }
            edit = .property(path, property)
        case ("add", "entity"):
            try require(2, "entity NAME")
            if let option = Self.propertyOptions.first(where: arguments.has) {
                throw CommandError.usage("\(option) is for add property")
            }
            edit = .entity(texts[1], identifier: arguments.option("--identifier") ?? "int")
        case ("add", _):
            throw CommandError.usage("usage: strata add property ENTITY.NAME TYPE, or strata add entity NAME")
        case ("rename", _):
            try require(2, "ENTITY NEW or ENTITY.NAME NEW")
            let path = try path(texts[0])
            if texts[1].contains(".") { throw CommandError.usage("\(texts[1]) must be the new name alone") }
            edit = .rename(path, to: texts[1])
        case ("remove", _):
            try require(1, "ENTITY or ENTITY.NAME")
            edit = .remove(try path(texts[0]), isDiscarded: arguments.has("--discard"))
        default:
            try require(1, "VERSION")
            named = try version(texts[0])
            edit = .version
        }
        self.version = named
        folders =
            try arguments.option("--model").map { [try arguments.model(at: $0)] }
            ?? ModelFolder.all(below: ".", target: arguments.option("--target"))
    }

    private static let propertyOptions = [
        "--nullable", "--unique", "--indexed", "--default", "--fill", "--to-one", "--to-many", "--inverse",
    ]

    private static func property(of type: String, _ arguments: Arguments) -> DescriptionEditor.NewProperty {
        var property = DescriptionEditor.NewProperty()
        property.type = type
        property.association = arguments.has("--to-many") ? "to_many" : arguments.has("--to-one") ? "to_one" : nil
        property.inverse = arguments.option("--inverse")
        property.isNullable = arguments.has("--nullable")
        property.isUnique = arguments.has("--unique")
        property.isIndexed = arguments.has("--indexed")
        property.defaultValue = arguments.option("--default").map { value($0, type: type) }
        property.fill = arguments.option("--fill").map { value($0, type: type) }
        return property
    }

    /// Returns the text of an argument as JSON: numbers, Booleans and lists as they are, everything else as a string.
    private static func value(_ text: String, type: String) -> JSONOutput {
        let isText = ["string", "url", "color", "uuid", "data"].contains(type)
        guard !isText, let json = try? JSONParser.parse(Array(text.utf8)) else { return .string(text) }
        return JSONOutput(json)
    }

    func run(_ console: Console) throws {
        let folder = try folder()
        let model = try folder.loaded()
        let draft = try draft(of: model)
        let isNew = !model.history.versions.contains { $0.version == draft }
        // Older versions that are no longer supported are still in the descriptions.
        let isFirst =
            !isNew && model.history.versions.count == 1 && folder.configuration.versions.oldestSupported == nil
        var editor = try DescriptionEditor(try folder.descriptions(), draft: draft, isFirst: isFirst)
        switch edit {
        case .property(let path, let property): try editor.add(property, at: path)
        case .entity(let name, let identifier):
            // The description of a removed entity can have the name of a new one.
            let taken = Set(try folder.descriptions().map { $0.baseName.lowercased() })
            let type = SwiftName.type(name)
            let bases = [type] + (0..<taken.count).map { "\(type)\($0 + 2)" }
            let base = bases.first { !taken.contains($0.lowercased()) } ?? type
            let file = folder.url.appendingPathComponent(base + ".json")
            try editor.addEntity(name, identifier: identifier, file: file.path)
        case .rename(let path, let name): try editor.rename(path, to: name)
        case .remove(let path, let isDiscarded): try editor.remove(path, discarding: isDiscarded)
        case .version where !isNew: return console.say("\(draft) is the draft already")
        case .version: editor.addVersion(after: model.history.versions[0].version)
        }
        var outcomes = editor.outcomes
        if isNew, let file = try Self.listing(draft, in: folder.configurationFile()) {
            outcomes[file.path] = .rewritten(file.bytes)
        }
        let edited = try folder.applying(outcomes)
        // Nothing is written unless the edited descriptions are valid and no released version has changed.
        let history = try history(of: edited)
        for line in try edited.writeEdits() { console.say(line) }
        if isNew { console.say("\(draft) is a new version") }
        print(from: model.history, to: history, console)
        console.say("run: " + CommandError.generateCommand(folder.target))
    }

    private func history(of edited: ModelFolder) throws -> SchemaHistory {
        do {
            return try edited.loaded().history
        } catch let error as Diagnostics {
            throw CommandError.wrongEdit(error.all.map(\.description))
        }
    }

    /// Prints what the step to the draft does that it did not do before.
    private func print(from before: SchemaHistory, to after: SchemaHistory, _ console: Console) {
        guard after.newest.version >= before.newest.version else {
            return console.say(
                "\(before.newest.version) has no changes any more; the newest version is \(after.newest.version)")
        }
        guard let step = after.steps.last else {
            return console.say("\(after.newest.version) is the first version, so no store is migrated")
        }
        let known = Set(before.steps.last { $0.to.version == step.to.version }?.lines(for: console).dropFirst() ?? [])
        let new = step.lines(for: console).dropFirst().filter { !known.contains($0) }
        console.say("\(step.from.version) -> \(step.to.version)")
        for line in new { console.say(line) }
        if new.isEmpty { console.say("  nothing more changes for existing rows") }
    }

    /// Returns the model to edit: the one that has the element, or the only one.
    private func folder() throws -> ModelFolder {
        if folders.isEmpty {
            guard let folder = ModelFolder.above(".") else { throw CommandError.noModels }
            return folder
        }
        if folders.count == 1 { return folders[0] }
        let owner: String? =
            switch edit {
            case .property(let path, _), .rename(let path, _), .remove(let path, _): path.owner
            case .entity, .version: nil
            }
        let having = folders.filter { folder in
            guard let owner else { return true }
            return (try? folder.descriptions())?.contains { file in
                (try? file.json()).map(JSONOutput.init)?["name"] == .string(owner)
            } ?? false
        }
        if having.isEmpty, let path = owner.flatMap(DescriptionEditor.Path.init) {
            throw DescriptionEditor.Refusal.unknown(path, nearest: nil)
        }
        guard having.count == 1 else {
            throw CommandError.severalModels((having.isEmpty ? folders : having).map(\.path))
        }
        return having[0]
    }

    /// Returns the version to edit.
    ///
    /// - Throws: `CommandError.draftExists` if another version than the draft is wanted; `.usage` if it is too old.
    private func draft(of model: LoadedModel) throws -> Version {
        let newest = model.history.newest.version
        guard let draft = model.draft else {
            if let current = model.folder.configuration.versions.currentVersion {
                throw CommandError.usage(
                    "\"current_version\" of \(model.folder.path)/strata.json is \(current), which is released; set it to the "
                        + "version to edit")
            }
            guard let version else { return Version.next(after: model.history.versions.map(\.version)) ?? newest.next }
            if version <= newest {
                throw CommandError.usage("\(version) is not newer than \(newest), which is released")
            }
            return version
        }
        if let version, version != draft { throw CommandError.draftExists(draft.text, target: model.folder.target) }
        return draft
    }

    /// Returns `strata.json` with a new version; nil if it does not list the versions.
    private static func listing(_ version: Version, in file: SourceFile) throws -> SourceFile? {
        let json = try file.json()
        var value = JSONOutput(json)
        guard value["versions"] != nil else { return nil }
        value.append(.string(version.text), to: "versions")
        var edits = JSONEdits(of: file.bytes)
        edits.change(json, to: value)
        return SourceFile(path: file.path, bytes: edits.result)
    }
}
