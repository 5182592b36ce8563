import Commands
import Foundation
import SchemaModel

/// Begins a model in a package, and the package if there is none.
struct InitCommand {
    /// The folder of the package, as it was given.
    private let path: String
    private let target: String
    /// The manifest of an existing package.
    private let manifest: Manifest?
    /// The path of Strata, as a manifest in the folder writes it.
    private let strata: String

    init(_ arguments: Arguments) throws {
        guard arguments.folders.count <= 1 else { throw CommandError.usage("init has one folder") }
        path = arguments.folders.first ?? "."
        let folder = URL(fileURLWithPath: path, isDirectory: true).standardizedFileURL
        manifest = Manifest(of: folder)
        let name = arguments.option("--target") ?? Self.target(of: folder, manifest)
        guard let name else {
            throw CommandError.usage("the package has several targets: name one with --target")
        }
        guard let first = name.first, first.isLetter || first == "_",
            name.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" }), SwiftName.escaped(name) == name,
            !name.hasPrefix("Strata")
        else { throw CommandError.usage("\(name) is not a name of a Swift target; choose one with --target") }
        target = name
        strata = arguments.option("--strata") ?? Self.pathOfStrata(from: folder) ?? "../strata"
    }

    /// The only target of an existing package, or the name of the folder; nil if there are several targets.
    private static func target(of folder: URL, _ manifest: Manifest?) -> String? {
        if let targets = manifest?.targets, !targets.isEmpty { return targets.count == 1 ? targets[0] : nil }
        let sources = folder.appendingPathComponent("Sources").path
        let names = (try? FileManager.default.contentsOfDirectory(atPath: sources)) ?? []
        let targets = names.filter { name in
            let isFolder = (try? FileManager.default.contentsOfDirectory(atPath: "\(sources)/\(name)")) != nil
            return isFolder && !name.hasPrefix(".")
        }
        if targets.isEmpty { return folder.lastPathComponent }
        return targets.count == 1 ? targets[0] : nil
    }

    /// Returns the path of the package that this tool was built from, relative to a folder; nil if it was built elsewhere.
    private static func pathOfStrata(from folder: URL) -> String? {
        var package = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
            .deletingLastPathComponent()
        while package.pathComponents.count > 1 {
            let manifest = try? String(contentsOf: package.appendingPathComponent("Package.swift"), encoding: .utf8)
            if manifest?.contains(/Package\(\s*name: "strata"/) == true {
                let (own, other) = (folder.resolvingSymlinksInPath().pathComponents, package.pathComponents)
                let shared = zip(own, other).prefix { $0 == $1 }.count
                let parts = Array(repeating: "..", count: own.count - shared) + other.dropFirst(shared)
                return parts.joined(separator: "/")
            }
            package.deleteLastPathComponent()
        }
        return nil
    }

    func run(_ console: Console) throws {
        let folder = URL(fileURLWithPath: path, isDirectory: true)
        let sources = folder.appendingPathComponent(manifest?.path(of: target) ?? "Sources/\(target)")
        let model = sources.appendingPathComponent("Model")
        let paths = FileManager.default.enumerator(atPath: sources.path)?.compactMap { $0 as? String } ?? []
        if let marker = paths.first(where: { $0.split(separator: "/").last == "strata.json" }) {
            throw CommandError.message(
                "\(sources.appendingPathComponent(marker).path): error: there is a model already")
        }
        let note = model.appendingPathComponent("Note.json")
        if FileManager.default.fileExists(atPath: note.path) {
            throw CommandError.message("\(note.path): error: init would write over this file; move it away")
        }
        let isNew = manifest == nil
        var files: [(url: URL, contents: String)] =
            isNew ? [(folder.appendingPathComponent("Package.swift"), package)] : []
        let ignored = folder.appendingPathComponent(".gitignore")
        if isNew, !FileManager.default.fileExists(atPath: ignored.path) { files.append((ignored, ".build/\n")) }
        // SwiftPM ignores a target without a Swift file.
        let testFolder = folder.appendingPathComponent(manifest?.path(of: testTarget) ?? "Tests/\(testTarget)")
        for (folder, name, text) in [(sources, target, source), (testFolder, testTarget, tests)] {
            let url = folder.appendingPathComponent(name + ".swift")
            if !Self.hasSwiftFile(url.deletingLastPathComponent()) { files.append((url, text)) }
        }
        files.append((note, Self.note))
        files.append((model.appendingPathComponent("strata.json"), "{}\n"))
        for url in try FileWriter.write(files) { console.say("wrote \(url.path)") }
        guard Command.run(["generate", model.path, "--target", target], console: console) == .success else {
            throw CommandError.message("")
        }
        if !isNew {
            console.say("add to Package.swift, if they are missing:\n" + lines)
        }
        console.say("then run: swift test")
    }

    private static func hasSwiftFile(_ folder: URL) -> Bool {
        let paths = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
        return paths.contains { $0.hasSuffix(".swift") }
    }

    // MARK: Files

    private static let note = """
        {
          "name": "note",
          "version_history": [{ "version": "1.0" }],
          "identifier": { "type": "int" },
          "properties": [
            { "name": "title", "property_type": "string" },
            { "name": "is_done", "property_type": "bool", "default_value": false }
          ]
        }

        """

    private var package: String {
        """
        // swift-tools-version: 6.0
        import PackageDescription

        let package = Package(
            name: "\(target)",
            platforms: [.macOS(.v13), .iOS(.v16)],
            dependencies: [.package(name: "strata", path: "\(strata)")],
            targets: [
                .target(
                    name: "\(target)", dependencies: [.product(name: "Strata", package: "strata")],
                    plugins: [.plugin(name: "StrataCheck", package: "strata")]),
                .testTarget(
                    name: "\(testTarget)", dependencies: ["\(target)", .product(name: "StrataTesting", package: "strata")],
                    plugins: [.plugin(name: "StrataCheck", package: "strata")]),
            ]
        )

        """
    }

    /// The name of the test target.
    private var testTarget: String { target + "Tests" }

    /// The parts of a manifest that a package with a model has.
    private var lines: String {
        let hasTests = manifest?.hasTests(testTarget) == true
        return """
            in the package, if it has no platforms or older ones:
                platforms: [.macOS(.v13), .iOS(.v16)],
            in the dependencies of the package:
                .package(name: "strata", path: "\(strata)"),
            in the target \(target):
                dependencies: [.product(name: "Strata", package: "strata")],
                plugins: [.plugin(name: "StrataCheck", package: "strata")]
            in the \(hasTests ? "test target \(testTarget)" : "targets of the package"):
                \(hasTests ? "" : ".testTarget(name: \"\(testTarget)\", ")dependencies: ["\(target)", .product(name: "StrataTesting", package: "strata")],
                plugins: [.plugin(name: "StrataCheck", package: "strata")]\(hasTests ? "" : "),")
            """
    }

    private var source: String {
        """
        import Foundation
        import Strata

        /// Opens the store of the app. Strata creates the file, or migrates it.
        public func openStore(at url: URL) throws -> Store {
            try Store(at: url, schema: \(target)Schema.self)
        }

        """
    }

    private var tests: String {
        """
        import Strata
        import Testing

        @testable import \(target)

        @Test("A note is stored") func noteIsStored() throws {
            let store = try Store(inMemory: \(target)Schema.self)
            try store.write { try $0.insert(Note(id: 1, title: "Buy tea")) }
            #expect(try store.read { try $0.fetch(Note.all.where { $0.isDone == false }) }.map(\\.title) == ["Buy tea"])
        }

        """
    }
}
