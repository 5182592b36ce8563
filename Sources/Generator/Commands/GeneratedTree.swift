import Documents
import FileSums
import Foundation
import Generation
import PostgreSQL
import TestFiles

/// The generated files of a model, with their URLs, and what is on disk beside them.
struct GeneratedTree {
    /// The files that are generated again whenever their contents change.
    private(set) var files: [(url: URL, contents: String)] = []
    /// The stubs of custom migrations. They are generated only once, because you edit them.
    private(set) var stubs: [(url: URL, contents: String)] = []
    /// The stubs of custom migrations on a server.
    private(set) var serverStubs: [(url: URL, contents: String)] = []
    /// The stubs for a server that you have not written yet. They may not exist.
    private(set) var unwrittenServerStubs: [URL] = []
    /// The existing generated files that are no longer generated.
    private(set) var leftovers: [URL] = []
    /// The custom migrations that you have written for steps that no longer need one.
    private(set) var obsoleteMigrations: [URL] = []
    /// The functions that the tests call for each step with a custom migration, by the name of the type that you extend.
    let expectationFunctions: [String: Set<String>]
    /// The message about the file of a custom migration that does not exist.
    static let missingMigration =
        "this migration is missing; restore the file from version control, or run generate for a new stub"
    /// The message about a custom migration that no step needs any more.
    static let obsoleteMigration =
        "no step needs this migration any more; delete it, or move its functions to the migration that replaces it"

    /// Places the files of the target of `model`.
    ///
    /// - Parameters:
    ///   - generated: The files.
    ///   - model: The model.
    ///   - scope: The parts that are generated.
    ///   - functions: The functions that the tests call.
    /// - Throws: `CommandError` if the SQL for a server is wrong.
    init(
        _ generated: [GeneratedFile], of model: LoadedModel, _ scope: Pipeline.Scope,
        functions: [String: Set<String>]
    ) throws {
        expectationFunctions = functions
        if scope == .tests { return }
        let folder = model.folder
        func files(_ place: GeneratedFile.Place) -> [GeneratedFile] { generated.filter { $0.place == place } }
        addStubs(files(.migrations), in: folder)
        add(files(.sources), in: folder.folder(.sources), suffix: ".swift")
        add(files(.sql), in: folder.folder(.sql), suffix: ".sql")
        try addServer(model)
        // A build does not check the documents: nothing that is compiled depends on them.
        let names = scope == .all ? LoadedModel.documentNames : []
        add(files(.model), in: folder.url, suffix: "", owning: names.contains)
        if scope == .all {
            let generated = self.files.filter { folder.isCompared($0.url) }.map { ($0.url, Data($0.contents.utf8)) }
            let written = model.written.map { (URL(fileURLWithPath: $0.path), Data($0.bytes)) }
            addSums(of: written + generated, to: folder.folder(.sources), of: folder)
            let documents = files(.model).map(\.name).filter(names.contains)
            // The SQL of steps is for the reviewer.
            let attributes =
                ["Generated/**", "SQL/*.sql"] + (folder.configuration.hasServer ? ["SQL/postgresql/*.sql"] : [])
                + documents
            addAttributes(attributes, except: "SQL/*-[0-9]*.sql", in: folder.url, of: folder)
        }
    }

    /// Adds the files of a test target.
    mutating func addTests(
        _ tests: [GeneratedFile], in testFolder: ModelFolder.TestFolder, of model: LoadedModel, _ scope: Pipeline.Scope
    ) {
        let generated = testFolder.url.appendingPathComponent("Generated", isDirectory: true)
        files.append(
            (
                testFolder.fixtures(of: model.history.name).appendingPathComponent(".gitignore"),
                "# Written by Strata: what the tests write for drafts is not committed.\ndraft-*\n\(TestRecord.fileName)\n"
            ))
        add(tests, inTests: generated, of: model, scope)
    }

    /// Adds the files of a target with samples and no tests.
    mutating func addSamples(
        _ samples: [GeneratedFile], in folder: URL, of model: LoadedModel, _ scope: Pipeline.Scope
    ) {
        add(samples, inTests: folder.appendingPathComponent("Generated", isDirectory: true), of: model, scope)
    }

    private mutating func add(
        _ files: [GeneratedFile], inTests folder: URL, of model: LoadedModel, _ scope: Pipeline.Scope
    ) {
        if scope == .all, !files.isEmpty { addAttributes(["*.swift", "*.sums"], in: folder, of: model.folder) }
        // The target may belong to several models. Only the files of this model may be removed.
        let module = model.folder.module
        let names = [Generator.testsName(module), Generator.samplesName(module)]
        add(files, in: folder, suffix: ".swift", owning: names.contains)
        if scope != .all { return }
        // Tests of another state of the model are out of date.
        let sums = model.folder.folder(.sources).appendingPathComponent(FileSums.name(module))
        let all =
            self.files.filter { $0.url == sums } + files.map { (folder.appendingPathComponent($0.name), $0.contents) }
        addSums(of: files.isEmpty ? [] : all.map { ($0.url, Data($0.contents.utf8)) }, to: folder, of: model.folder)
    }

    /// Adds the hashes of files, which builds compare, to a folder of generated files. A model that builds generate has none.
    private mutating func addSums(of files: [(url: URL, bytes: Data)], to folder: URL, of model: ModelFolder) {
        let isNeeded = model.configuration.mode == .committed && !files.isEmpty
        let sums = FileSums(of: files, in: folder.deletingLastPathComponent())
        let file = GeneratedFile(place: .sources, name: FileSums.name(model.module), contents: sums.text)
        // A folder of tests may have those of other models.
        add(isNeeded ? [file] : [], in: folder, suffix: ".strata.sums") {
            $0 == file.name || folder == model.folder(.sources)
        }
    }

    private mutating func addStubs(_ generated: [GeneratedFile], in folder: ModelFolder) {
        for stub in generated {
            let url = folder.folder(.migrations).appendingPathComponent(stub.name)
            stubs.append((url, stub.contents))
            // A stub that you have not changed follows the descriptions.
            let text = try? String(contentsOf: url, encoding: .utf8)
            if let text, StubMark.isUntouched(text) { files.append((url, stub.contents)) }
        }
        let needed = Set(generated.map(\.name))
        for file in Self.migrations(of: folder) where !needed.contains(file.lastPathComponent) {
            let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
            if StubMark.isUntouched(text) { leftovers.append(file) } else { obsoleteMigrations.append(file) }
        }
    }

    /// Adds the SQL for a PostgreSQL server, in the folder `SQL/postgresql`: a file for each version, and a folder for each
    /// step.
    private mutating func addServer(_ model: LoadedModel) throws {
        let folder = model.folder.folder(.sql).appendingPathComponent("postgresql", isDirectory: true)
        let server = model.folder.configuration.hasServer ? try model.serverSchema() : nil
        func files(_ files: [ServerFile]) -> [GeneratedFile] {
            files.map { GeneratedFile(place: .sql, name: $0.name, contents: $0.text) }
        }
        add(files(server?.versions.map(\.file) ?? []), in: folder, suffix: ".sql")
        for step in server?.steps ?? [] {
            guard let migration = step.migration else { continue }
            serverStubs.append((model.serverMigration(from: step.from, to: step.to), migration.stub))
            if migration.isUnwritten {
                unwrittenServerStubs.append(model.serverMigration(from: step.from, to: step.to))
            }
        }
        let steps = Dictionary(server?.steps.map { ($0.name, $0.files) } ?? [], uniquingKeysWith: { first, _ in first })
        let present = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        for name in Set(steps.keys).union(present.filter { !$0.hasSuffix(".sql") }).sorted() {
            add(files(steps[name] ?? []), in: folder.appendingPathComponent(name, isDirectory: true), suffix: ".sql")
        }
    }

    /// Adds the file that tells GitHub which files of a folder are generated, unless you have written one.
    private mutating func addAttributes(
        _ names: [String], except reviewed: String? = nil, in url: URL, of folder: ModelFolder
    ) {
        let file = url.appendingPathComponent(".gitattributes")
        let text = try? String(contentsOf: file, encoding: .utf8)
        if !folder.hasOwnAttributes, text?.contains(ModelFolder.attributesHead) != false {
            let lines =
                [ModelFolder.attributesHead] + names.map { "\($0) linguist-generated" }
                + (reviewed.map { ["\($0) -linguist-generated"] } ?? [])
            files.append((file, lines.map { $0 + "\n" }.joined()))
        } else if text?.contains(ModelFolder.attributesHead) == true {
            leftovers.append(file)
        }
    }

    private mutating func add(
        _ generated: [GeneratedFile], in folder: URL, suffix: String, owning: (String) -> Bool = { _ in true }
    ) {
        let names = Set(generated.map(\.name))
        files += generated.map { (folder.appendingPathComponent($0.name), $0.contents) }
        let present = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        leftovers += present.sorted().filter { $0.hasSuffix(suffix) && !names.contains($0) && owning($0) }
            .map { folder.appendingPathComponent($0) }
            .filter(Self.isGenerated)
    }

    /// Returns whether the name or the header of the file at `url` shows that Strata generated it. Other files are
    /// never removed.
    private static func isGenerated(_ url: URL) -> Bool {
        let name = url.lastPathComponent
        if [".strata.swift", ".strata.history.swift"].contains(where: name.hasSuffix) { return true }
        if AdditionalTemplate.isOutput(name) { return true }
        guard let data = try? Data(contentsOf: url) else { return false }
        return String(decoding: data.prefix(300), as: UTF8.self).contains("Generated by Strata")
    }

    /// Returns the files in the migrations folder that have the name of a stub.
    private static func migrations(of folder: ModelFolder) -> [URL] {
        let migrations = folder.folder(.migrations)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: migrations.path)) ?? []
        return names.sorted().filter {
            $0.wholeMatch(of: /Migration_[0-9_]+(beta_[0-9]+)?_to_[0-9_]+(beta_[0-9]+)?\.swift/) != nil
        }
        .map { migrations.appendingPathComponent($0) }
    }

    /// Returns the functions that custom migrations need but do not contain, because the descriptions have changed since, with a
    /// message for each.
    ///
    /// - Parameter isForRemovals: Whether only the functions for removed data are returned.
    func missingFunctions(forRemovals isForRemovals: Bool = false) -> [(file: URL, message: String)] {
        stubs.flatMap { stub -> [(URL, String)] in
            guard let text = try? String(contentsOf: stub.url, encoding: .utf8) else { return [] }
            let written = Set(Self.functions(in: text))
            return Self.functions(in: stub.contents).filter { function in
                !written.contains(function) && (!isForRemovals || function.hasPrefix("rescue"))
            }.map { function in
                let message =
                    function.hasPrefix("rescue")
                    ? "the step now removes data that the migration does not save; write \(function), or add \"discard\": true"
                    : "the step now needs a function that the migration does not have; write \(function)"
                return (stub.url, message)
            }
        }
    }

    /// Returns the functions of custom migrations that no step calls any more, because Strata infers their changes now.
    func unusedFunctions() -> [(file: URL, function: String)] {
        stubs.flatMap { stub -> [(URL, String)] in
            guard let text = try? String(contentsOf: stub.url, encoding: .utf8) else { return [] }
            let needed = Set(Self.functions(in: stub.contents))
            return Self.functions(in: text).filter { !needed.contains($0) }.map { (stub.url, $0) }
        }
    }

    /// Returns the functions in the source of a custom migration that its step may call: `rescueUserFax`, or
    /// `migrate(_ old: V1_0.User)`.
    private static func functions(in text: String) -> [String] {
        text.matches(of: /func (rescue\w+)\(/).map { String($0.1) }
            + text.matches(of: /func migrate\(\s*_ old: (?:borrowing )?(?:\w+\.)*(V\w+\.\w+)/).map {
                "migrate(_ old: \($0.1))"
            }
    }

    /// Returns the existing stubs that still throw `UnwrittenMigration`.
    func unwrittenStubs() -> [URL] {
        stubs.map(\.url).filter {
            (try? String(contentsOf: $0, encoding: .utf8))?.contains("UnwrittenMigration()") == true
        }
    }
}
