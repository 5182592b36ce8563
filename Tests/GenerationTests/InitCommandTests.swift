import Commands
import Foundation
import ModelCommands
import Testing

@Suite struct InitCommandTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        .appendingPathComponent("App")

    private func run(_ arguments: String...) -> (code: Command.ExitCode, output: String) {
        var lines: [String] = []
        let code = Command.run(
            ["init", folder.path] + arguments,
            console: Console(say: { lines.append($0) }, complain: { lines.append($0) }), others: ModelCommand.all)
        return (code, lines.joined(separator: "\n").replacingOccurrences(of: folder.path + "/", with: ""))
    }

    private func text(_ name: String) throws -> String {
        try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
    }

    private func write(_ text: String, to name: String) throws {
        let url = folder.appendingPathComponent(name)
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
    }

    private func clean() { try? FileManager.default.removeItem(at: folder.deletingLastPathComponent()) }

    @Test func `an empty folder becomes a package with a model, whose manifest is the one in README`() throws {
        defer { clean() }
        let run = run("--strata", "../strata")
        #expect(run.code == .success && run.output.hasSuffix("\nthen run: swift test"))
        let readme = try String(
            contentsOf: URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent().appendingPathComponent("README.md"), encoding: .utf8)
        #expect(readme.contains("```swift\n" + (try text("Package.swift")) + "```"))
        #expect(try text(".gitignore") == ".build/\n")
        #expect(try text("Sources/App/App.swift").contains("schema: AppSchema.self"))
        #expect(try text("Tests/AppTests/AppTests.swift").contains("@testable import App"))
        #expect(try text("Sources/App/Model/SQL/1.0.sql").contains("CREATE TABLE \"note\""))
        #expect(try text("Tests/AppTests/Generated/AppMigrationTests.strata.swift").contains("AppSchema"))
        let again = self.run()
        #expect(
            again.code == .diagnostics
                && again.output.hasSuffix("Sources/App/Model/strata.json: error: there is a model already"))
    }

    @Test func `a package keeps its files, and its manifest is not changed`() throws {
        defer { clean() }
        try write("// mine", to: "Package.swift")
        try write("// mine", to: "Sources/Library/Some.swift")
        let run = run("--strata", "../strata")
        #expect(run.code == .success)
        #expect(try text("Package.swift") == "// mine")
        #expect(
            !FileManager.default.fileExists(atPath: folder.appendingPathComponent("Sources/Library/Library.swift").path)
        )
        for line in [
            "add to Package.swift, if they are missing:", #"    .package(name: "strata", path: "../strata"),"#,
            "in the targets of the package:",
        ] {
            #expect(run.output.contains(line + "\n"))
        }
    }

    @Test func `the target and its folders are those of the manifest`() throws {
        defer { clean() }
        let manifest = """
            targets: [
                .target(name: "Library", dependencies: [.target(name: "Core")], path: "Code"),
                .testTarget(name: "LibraryTests", dependencies: ["Library"], path: "Checks"),
            ]
            """
        try write(manifest + "[.target(name: \"Core\")]", to: "Package.swift")
        #expect(run().output == "error: the package has several targets: name one with --target")
        try write(manifest.replacing(".target(name: \"Core\")", with: "\"Core\""), to: "Package.swift")
        try write("", to: "Code/Library.swift")
        let run = run()
        #expect(run.code == .success)
        #expect(try text("Code/Model/strata.json") == "{}\n")
        #expect(try text("Checks/LibraryTests.swift").contains("@testable import Library"))
        #expect(run.output.contains("in the test target LibraryTests:\n    dependencies: "))
    }

    @Test(arguments: ["class", "Strata", "my-app"])
    func `a name that no target can have is an error`(name: String) throws {
        defer { clean() }
        #expect(
            run("--target", name).output == "error: \(name) is not a name of a Swift target; choose one with --target")
    }

    @Test func `no file is written over, and a target has one model`() throws {
        defer { clean() }
        try write("", to: "Sources/README.md")
        try write("", to: "Sources/App/a.swift")
        try write("mine", to: "Sources/App/Model/Note.json")
        let note = run()
        #expect(
            note.code == .diagnostics
                && note.output.hasSuffix("Model/Note.json: error: init would write over this file; move it away"))
        #expect(try text("Sources/App/Model/Note.json") == "mine")
        try write("{}", to: "Sources/App/Data/strata.json")
        let other = run()
        #expect(
            other.code == .diagnostics
                && other.output.hasSuffix("App/Data/strata.json: error: there is a model already"))
        #expect(!FileManager.default.fileExists(atPath: folder.appendingPathComponent("Package.swift").path))
    }

    @Test func `a target has to be named if there are several, or if the folder's name is none`() throws {
        defer { clean() }
        try write("", to: "Sources/A/a.swift")
        try write("", to: "Sources/B/b.swift")
        let several = run()
        #expect(
            several.code == .usage && several.output == "error: the package has several targets: name one with --target"
        )
        #expect(run("--target", "B").code == .success)
        let wrong = run("--target", "my-app")
        #expect(
            wrong.code == .usage
                && wrong.output == "error: my-app is not a name of a Swift target; choose one with --target")
    }
}
