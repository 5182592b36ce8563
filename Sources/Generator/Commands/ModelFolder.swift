import Descriptions
import Foundation
import Generation
import SchemaModel
import SQLSchema
import Templates

/// The folder of a model. It contains a `strata.json`.
package struct ModelFolder: Sendable {
    /// The URL of the folder.
    package let url: URL
    /// The path of the folder, as messages show it.
    package let path: String
    /// The name of the target that the model belongs to.
    package let target: String
    /// The configuration from `strata.json`.
    package private(set) var configuration: Configuration
    /// The file `strata.json`.
    private let source: SourceFile
    /// The edits of the model's files that are not written yet.
    package private(set) var edits: [String: FileOutcome] = [:]
    /// The name of the schema.
    package var schema: String { configuration.schema }

    /// The name of the target's module.
    var module: String { Self.module(of: target) }

    /// Reads the configuration of the folder at `path`.
    ///
    /// - Parameters:
    ///   - path: The path of the folder.
    ///   - target: The name of the model's target; nil to derive it from the path.
    /// - Throws: `CommandError.noModel` if the folder has no `strata.json`; `Diagnostics` if it is wrong.
    init(path: String, target: String?) throws {
        self.url = URL(fileURLWithPath: path, isDirectory: true).standardizedFileURL
        self.path = path
        self.target = target ?? Self.target(of: url)
        let file = url.appendingPathComponent("strata.json")
        guard let data = try? Data(contentsOf: file) else {
            throw FileManager.default.fileExists(atPath: url.path)
                ? CommandError.noModel(path) : CommandError.noFolder(path)
        }
        source = SourceFile(path: file.path, bytes: [UInt8](data))
        self.configuration = try Configuration(
            reading: source, target: self.target, module: Self.module(of: self.target))
    }

    /// Returns the default schema name of a model in the folder at `path`.
    package static func schema(of path: String, target: String?) -> String {
        let url = URL(fileURLWithPath: path, isDirectory: true).standardizedFileURL
        return module(of: target ?? self.target(of: url)) + "Schema"
    }

    /// Returns the module name of a target. As in SwiftPM, each character that a C name cannot contain becomes an
    /// underscore.
    private static func module(of target: String) -> String {
        let name = String(target.map { $0.isLetter || $0.isNumber || $0 == "_" ? $0 : "_" })
        return name.first?.isNumber == true ? "_" + name.dropFirst() : name
    }

    /// Returns the target that the folder belongs to. As in SwiftPM, this is the name of the folder below `Sources`, or
    /// else the folder's own name.
    private static func target(of url: URL) -> String {
        let components = url.pathComponents
        guard let sources = components.lastIndex(of: "Sources"), sources + 1 < components.count else {
            return url.lastPathComponent
        }
        return components[sources + 1]
    }

    /// Returns the paths of all models below the folder at `path`, sorted.
    ///
    /// - Parameter skipsPackages: Whether to leave out folders that contain a Package.swift, except the first one.
    static func paths(below path: String, skippingPackages skipsPackages: Bool = false) -> [String] {
        let root = URL(fileURLWithPath: path, isDirectory: true).resolvingSymlinksInPath()
        let enumerator = FileManager.default.enumerator(
            at: root, includingPropertiesForKeys: nil, options: [.skipsHiddenFiles])
        let files = enumerator?.compactMap { $0 as? URL } ?? []
        let paths = files.filter { $0.lastPathComponent == "strata.json" }.map { $0.deletingLastPathComponent().path }
        guard skipsPackages else { return paths.sorted() }
        let packages = files.filter { $0.lastPathComponent == "Package.swift" }.map {
            $0.deletingLastPathComponent().path
        }
        let others = packages.filter { $0 != root.path }
        return paths.filter { path in !others.contains { path.hasPrefix($0 + "/") } }.sorted()
    }

    /// Returns the models in all folders below `path`, except those with an invalid `strata.json`.
    package static func all(below path: String, target: String? = nil) -> [ModelFolder] {
        paths(below: path).compactMap { try? ModelFolder(path: $0, target: target) }
    }

    /// Returns the model that contains the folder at `path`; nil if there is none.
    package static func above(_ path: String) -> ModelFolder? {
        var folder = URL(fileURLWithPath: path, isDirectory: true).standardizedFileURL
        while folder.pathComponents.count > 1 {
            if let model = try? ModelFolder(path: folder.path, target: nil) { return model }
            folder.deleteLastPathComponent()
        }
        return nil
    }

    /// Reads the model.
    ///
    /// - Throws: `Diagnostics` with all problems in the model's files.
    package func loaded() throws -> LoadedModel { try Pipeline.load(self) }

    /// The file with the released versions.
    var lock: URL { url.appendingPathComponent(Generator.lockName) }

    /// Reads the templates: your own, additional ones among them, and those of Strata that yours do not replace.
    ///
    /// - Throws: `CommandError` if the folder of your own templates does not exist, or one is unknown or of another format.
    func templates() throws -> [String: String] {
        var templates = try Templates.load()
        guard let path = configuration.templates else { return templates }
        if path.hasPrefix("/") {
            throw CommandError.message(
                "\(source.path): error: \"templates\" is a path from this folder, because others have the package elsewhere: write one like ../Templates"
            )
        }
        let own = URL(fileURLWithPath: path, isDirectory: true, relativeTo: url)
        guard let replacements = try? Templates.load(from: own) else { throw CommandError.noTemplates(own.path) }
        for (name, text) in replacements.sorted(by: { $0.key < $1.key }) {
            let path = own.appendingPathComponent(name + ".mustache").path
            if templates[name] == nil, AdditionalTemplate(name) == nil {
                throw CommandError.unknownTemplate(path, known: templates.keys.sorted())
            }
            if Templates.format(of: text) != Templates.format {
                throw CommandError.templateFormat(
                    path, found: Templates.format(of: text), firstLine: Templates.firstLine)
            }
        }
        templates.merge(replacements) { _, own in own }
        return templates
    }

    /// Reads your own templates.
    func ownTemplates() -> [SourceFile] {
        guard let path = configuration.templates else { return [] }
        let own = URL(fileURLWithPath: path, isDirectory: true, relativeTo: url)
        let files = try? FileManager.default.contentsOfDirectory(at: own, includingPropertiesForKeys: nil)
        return (files ?? []).filter { $0.pathExtension == "mustache" }.compactMap { file in
            (try? Data(contentsOf: file)).map { SourceFile(path: file.path, bytes: [UInt8]($0)) }
        }
    }

    /// Returns whether builds compare a file that `generate` writes. They read neither documents nor hidden files, and you edit
    /// migrations.
    func isCompared(_ file: URL) -> Bool {
        if file == lock { return true }
        let folders = [folder(.sources), folder(.sql)]
        return !file.lastPathComponent.hasPrefix(".") && folders.contains { file.path.hasPrefix($0.path + "/") }
    }

    /// The first line of the `.gitattributes` that Strata writes.
    static let attributesHead = "# Generated by Strata: GitHub hides the differences of these files."

    /// Whether you have written a `.gitattributes`, in the folder of the model or above it in the repository, that says
    /// which files are generated.
    var hasOwnAttributes: Bool {
        var folder = url
        while folder.pathComponents.count > 1 {
            let text = try? String(contentsOf: folder.appendingPathComponent(".gitattributes"), encoding: .utf8)
            if let text, !text.contains(Self.attributesHead), text.contains("linguist-generated") {
                return true
            }
            if FileManager.default.fileExists(atPath: folder.appendingPathComponent(".git").path) { return false }
            folder.deleteLastPathComponent()
        }
        return false
    }

    /// Returns the existing folders of the model's test targets.
    ///
    /// - Parameter named: The folders of the package's test targets, by name. If nil, the folders are `Tests/NAME`
    ///   beside the nearest Package.swift.
    package func testFolders(among named: [String: URL]?) -> [TestFolder] {
        configuration.tests.enumerated().compactMap { index, name in
            (named.map { $0[name] } ?? folder(ofTarget: name)).map { TestFolder(url: $0, isFirst: index == 0) }
        }
    }

    /// Returns the existing folders of the targets with samples and no tests.
    func sampleFolders(among named: [String: URL]?) -> [URL] {
        configuration.samples.filter { !configuration.tests.contains($0) }
            .compactMap { name in named.map { $0[name] } ?? folder(ofTarget: name) }
    }

    /// Returns the folders in `Tests` and `Sources` that are not those of the model's tests and samples.
    func otherTargets(besides used: [URL]) -> [URL] {
        let used = Set(used.map(\.standardizedFileURL.path))
        return targetFolders.flatMap { folder in
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
            return names.sorted().map { folder.appendingPathComponent($0, isDirectory: true) }
        }.filter { !used.contains($0.standardizedFileURL.path) }
    }

    /// Returns the path of the folder from the nearest folder above it and a folder of tests.
    func path(from tests: TestFolder) -> String {
        let (own, other) = (url.standardizedFileURL.pathComponents, tests.url.standardizedFileURL.pathComponents)
        let shared = zip(own, other).prefix { $0 == $1 }.count
        return shared == own.count ? "." : own.dropFirst(shared).joined(separator: "/")
    }

    /// Returns the names of the model's test targets that do not exist.
    func missingTests(among named: [String: URL]?) -> [String] {
        configuration.tests.filter { !exists($0, among: named) }
    }

    private func exists(_ name: String, among named: [String: URL]?) -> Bool {
        (named.map { $0[name] } ?? folder(ofTarget: name)) != nil
    }

    /// Checks that the test targets in `strata.json` exist, and the targets with samples.
    ///
    /// - Parameter named: The test targets of the package; nil if only their folders can be found.
    /// - Throws: `CommandError.noTestTarget` if one does not exist, or `CommandError.samplesInModel`.
    package func checkTests(among named: [String: URL]?) throws {
        let tests = configuration.namesTests ? missingTests(among: named) : []
        // A copy of a model outside of its package has no targets.
        let samples = named == nil && package == nil ? [] : configuration.samples.filter { !exists($0, among: named) }
        for folder in sampleFolders(among: named) {
            let files = FileManager.default.enumerator(atPath: folder.path)
            for case let file as String in files ?? .init() where file.hasSuffix("strata.json") {
                throw CommandError.samplesInModel(path, name: folder.lastPathComponent)
            }
        }
        guard let name = (tests + samples).first else { return }
        let folders = targetFolders.flatMap {
            (try? FileManager.default.contentsOfDirectory(atPath: $0.path)) ?? []
        }
        let known = named.map { Array($0.keys) } ?? folders
        throw CommandError.noTestTarget(path, name: name, nearest: known.sorted().nearest(to: name))
    }

    /// Returns warnings about missing parts of the package manifest. Without the plugin, no build checks the generated
    /// files. Without `StrataTesting`, the generated tests do not compile.
    func manifestWarnings() -> [String] {
        guard let manifest = package.flatMap(Manifest.init) else { return [] }
        var warnings: [String] = []
        func warn(_ target: String, unlessNames names: [String], _ consequence: String, _ remedy: String) {
            let declaration = manifest.declaration(of: target)
            if names.contains(where: (declaration ?? manifest.text[...]).contains) { return }
            if declaration.map(Manifest.namesConstant) == true { return }
            warnings.append(
                "\(manifest.file.path): warning: the target \(target) does not use \(names[0]), so \(consequence); add \(remedy)"
            )
        }
        let isCommitted = configuration.mode == .committed
        // StrataBuild checks committed files, too.
        let plugins = [configuration.mode.plugin, Configuration.Mode.build.plugin]
        let remedy = "plugins: [.plugin(name: \"\(plugins[0])\", package: \"strata\")] to the target"
        warn(
            target, unlessNames: plugins,
            "no build \(isCommitted ? "checks what is generated for it" : "generates its sources")", remedy)
        for tests in testFolders(among: nil).map(\.url.lastPathComponent) {
            warn(
                tests, unlessNames: plugins,
                "no build \(isCommitted ? "checks the generated tests" : "generates its tests")", remedy)
            func warnOfProduct(_ product: String, _ consequence: String) {
                let remedy = ".product(name: \"\(product)\", package: \"strata\") to the dependencies of the tests"
                warn(tests, unlessNames: [product], consequence, remedy)
            }
            warnOfProduct("StrataTesting", "the generated tests do not compile")
            if !configuration.invalidRows.isEmpty {
                warnOfProduct("StrataConversionTesting", "the generated tests of conversions fail")
            }
        }
        return warnings
    }

    /// The folder of the nearest Package.swift above the model; nil if there is none.
    var package: URL? {
        var folder = url
        while folder.pathComponents.count > 1 {
            folder.deleteLastPathComponent()
            if FileManager.default.fileExists(atPath: folder.appendingPathComponent("Package.swift").path) {
                return folder
            }
        }
        return nil
    }

    /// The folders of the package that contain the folders of targets. Tests come first.
    private var targetFolders: [URL] {
        package.map { folder in
            ["Tests", "Sources"].map { folder.appendingPathComponent($0, isDirectory: true) }
        } ?? []
    }

    /// The folder of a test target.
    package struct TestFolder: Sendable {
        package let url: URL
        /// Whether this is the first test target, whose fixtures are sealed.
        let isFirst: Bool
    }

    private func folder(ofTarget name: String) -> URL? {
        targetFolders.map { $0.appendingPathComponent(name, isDirectory: true) }
            .first { FileManager.default.fileExists(atPath: $0.path) }
    }

    /// Returns the folder for files of a kind.
    package func folder(_ kind: GeneratedFile.Place) -> URL {
        switch kind {
        case .sources: url.appendingPathComponent("Generated", isDirectory: true)
        case .migrations: url.appendingPathComponent("Migrations", isDirectory: true)
        case .sql: url.appendingPathComponent("SQL", isDirectory: true)
        case .model, .tests: url
        }
    }

    /// Returns the folder as it would be after edits of its files. Nothing is written.
    ///
    /// - Throws: `Diagnostics` if the edited `strata.json` is wrong.
    package func applying(_ edits: [String: FileOutcome]) throws -> ModelFolder {
        var folder = self
        folder.edits.merge(edits) { old, new in new == .kept ? old : new }
        folder.configuration = try Configuration(
            reading: folder.configurationFile(), target: target, module: module)
        return folder
    }

    /// Writes the edits of the model's files. Returns a line for each file.
    package func writeEdits() throws -> [String] {
        try edits.sorted { $0.key < $1.key }.compactMap { path, edit in
            let url = URL(fileURLWithPath: path)
            switch edit {
            case .kept: return nil
            case .rewritten(let bytes):
                let isThere = FileManager.default.fileExists(atPath: path)
                let isChanged = try FileWriter.write(String(decoding: bytes, as: UTF8.self), to: url)
                return isChanged ? "\(isThere ? "changed" : "created") \(path)" : nil
            case .removed:
                try FileManager.default.removeItem(at: url)
                return "removed \(path)"
            }
        }
    }

    /// Reads the file `strata.json`.
    package func configurationFile() -> SourceFile {
        [source].applying(edits.filter { $0.key == source.path }).first ?? source
    }

    /// A description with thousands of cases has less than one. A longer one is a mistake, and takes minutes to read.
    private static let mostMegabytes = 10

    /// Reads the descriptions: all JSON files in the folder and its subfolders, except `strata.json` and the files in
    /// folders of generated files and migrations.
    package func descriptions() throws -> [SourceFile] { try descriptionsAndPayloads().descriptions }

    /// Lucid's folder for descriptions of what servers send.
    private static let payloads = "EndpointPayloads"

    /// Reads the descriptions, and counts those in Lucid's folder for payloads.
    func descriptionsAndPayloads() throws -> (descriptions: [SourceFile], payloads: Int) {
        let own = ["Generated", "Migrations", "SQL"].map { url.appendingPathComponent($0).path + "/" }
        var (files, payloads): ([SourceFile], Int) = ([], 0)
        let enumerator = FileManager.default.enumerator(
            at: url, includingPropertiesForKeys: nil, options: [.skipsHiddenFiles])
        while let file = enumerator?.nextObject() as? URL {
            if file.lastPathComponent == "strata.json", file.deletingLastPathComponent().path != url.path {
                throw CommandError.secondModel(file.path, of: url.path)
            }
            try refuseLink(file)
            guard file.pathExtension == "json", file.lastPathComponent != "strata.json",
                !own.contains(where: { file.path.hasPrefix($0) })
            else { continue }
            if file.pathComponents.dropFirst(url.pathComponents.count).dropLast().contains(Self.payloads) {
                payloads += 1
                continue
            }
            do {
                let megabytes = (try file.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0) / 1_000_000
                if megabytes > Self.mostMegabytes {
                    throw CommandError.unreadable(
                        file.path, reason: "it has \(megabytes) MB, and a description has at most \(Self.mostMegabytes)"
                    )
                }
                files.append(SourceFile(path: file.path, bytes: [UInt8](try Data(contentsOf: file))))
            } catch let error as CommandError {
                throw error
            } catch {
                throw CommandError.unreadable(file.path, reason: error.localizedDescription)
            }
        }
        let edits = edits.filter { $0.key.hasSuffix(".json") && !$0.key.hasSuffix("/strata.json") }
        return (files.applying(edits), payloads)
    }

    /// Throws an error for a link to a folder with descriptions: SwiftPM follows it, and Foundation does not.
    private func refuseLink(_ file: URL) throws {
        guard try file.resourceValues(forKeys: [.isSymbolicLinkKey]).isSymbolicLink == true else { return }
        let target = file.resolvingSymlinksInPath()
        let names = (try? FileManager.default.subpathsOfDirectory(atPath: target.path)) ?? []
        if names.contains(where: { $0.hasSuffix(".json") }) {
            throw CommandError.message("\(file.path): error: it is a link to a folder; move the folder here")
        }
    }
}
