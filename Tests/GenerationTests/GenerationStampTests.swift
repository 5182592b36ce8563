import Commands
import Foundation
import Testing

/// `generate` does not work again if no file has changed, and never takes a change for none.
@Suite struct GenerationStampTests {
    private static let book = """
        { "name": "book", "version_history": [{ "version": "1.0" }], "identifier": { "type": "int" },
          "properties": [{ "name": "title", "property_type": "string" }] }
        """
    private static let unchanged = "Library: everything is up to date; no file has changed"

    /// A package in which `generate` has written everything.
    private struct Package {
        let model: ScratchModel
        let root: URL

        func write(_ text: String, to name: String) throws {
            let url = root.appendingPathComponent(name)
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: url)
        }

        /// Generates, later than any change.
        func generate(_ arguments: String...) -> String {
            Thread.sleep(forTimeInterval: 0.05)
            return model.run(all: ["generate", model.folder.path] + arguments).output
        }
    }

    private func withPackage(
        _ files: [String: String] = ["Book.json": book], manifest: String = "StrataBuild StrataTesting",
        _ body: (Package) throws -> Void
    ) throws {
        try ScratchModel.with(files) { (model) throws in
            // The package is in a folder of a repository.
            let root = model.folder.deletingLastPathComponent().deletingLastPathComponent()
            let package = Package(model: model, root: root)
            try package.write("// \(manifest)", to: "Package.swift")
            try package.write("", to: ".build/debug.yaml")
            try package.write("", to: "Tests/LibraryTests/Own.swift")
            try package.write("", to: "../.git/HEAD")
            try body(package)
        }
    }

    @Test func `nothing is done if no file has changed`() throws {
        try withPackage { (package) throws in
            #expect(package.generate().contains("wrote ./Generated/Strata.schema.swift"))
            #expect(package.generate() == Self.unchanged)
            #expect(package.generate() == Self.unchanged)
            try package.write("a build", to: ".build/debug.yaml")
            #expect(package.generate() == Self.unchanged)
        }
    }

    @Test(arguments: [
        "Library/Model/Book.json", "Library/Model/strata.json", "Library/Model/strata.lock",
        "Library/Model/Generated/Strata.schema.swift", "Library/Model/SQL/1.0.sql", "Package.swift",
        "Tests/LibraryTests/Generated/LibraryMigrationTests.swift", "Tests/LibraryTests/Own.swift", "../.gitattributes",
        "Library/Other.swift",
    ])
    func `a change of a file is found, even if its size and its date stay the same`(name: String) throws {
        try withPackage { (package) throws in
            let url = package.root.appendingPathComponent(name)
            if !FileManager.default.fileExists(atPath: url.path) { try package.write("# none", to: name) }
            _ = package.generate()
            #expect(package.generate() == Self.unchanged)
            let date = try #require(
                try url.resourceValues(forKeys: [.contentModificationDateKey]).contentModificationDate)
            var bytes = try Data(contentsOf: url)
            if let place = bytes.firstIndex(of: 0x20) { bytes[place] = 0x0a } else { bytes.append(0x0a) }
            let file = try FileHandle(forWritingTo: url)
            try file.write(contentsOf: bytes)
            try file.close()
            try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: url.path)
            #expect(!package.generate().contains("no file has changed"))
        }
    }

    @Test func `a file that is added or removed is found`() throws {
        try withPackage { (package) throws in
            _ = package.generate()
            try FileManager.default.removeItem(at: package.model.folder.appendingPathComponent("SQL/1.0.sql"))
            #expect(package.generate() == "wrote ./SQL/1.0.sql")
            #expect(package.generate() == Self.unchanged)
            try package.write("", to: "../.gitattributes")
            #expect(package.generate() == "Library: everything is up to date")
            try package.model.write(Self.book.replacing("book", with: "page"), to: "Page.json")
            #expect(package.generate().contains("wrote ./Generated/Page.strata.swift"))
        }
    }

    @Test func `other arguments are found`() throws {
        try withPackage { (package) throws in
            _ = package.generate()
            #expect(!package.generate("--target", "Other").contains("no file has changed"))
        }
    }

    @Test func `warnings are repeated`() throws {
        try withPackage(manifest: "StrataTesting") { (package) throws in
            for _ in 1...3 { #expect(package.generate().contains("does not use StrataCheck")) }
            let lines = package.generate().split(separator: "\n")
            #expect(lines.count == 3)
            #expect(lines.last == "Library: everything is up to date; no file has changed")
        }
    }

    @Test func `a new empty folder of tests is found`() throws {
        try withPackage { (package) throws in
            let tests = package.root.appendingPathComponent("Tests/LibraryTests")
            try FileManager.default.removeItem(at: tests)
            for _ in 1...2 { #expect(package.generate().contains("Library has no test target LibraryTests")) }
            #expect(package.generate().hasSuffix(Self.unchanged))
            try FileManager.default.createDirectory(at: tests, withIntermediateDirectories: true)
            #expect(package.generate().contains("LibraryTests/Fixtures/LibrarySchema/.gitignore"))
        }
    }

    @Test func `a file behind a symbolic link is read, and a package with a link to a folder always`() throws {
        try withPackage { (package) throws in
            func link(_ name: String, to destination: String) throws {
                try FileManager.default.createSymbolicLink(
                    atPath: package.root.appendingPathComponent(name).path, withDestinationPath: destination)
            }
            try package.write("one", to: "../outside/text")
            try link("link", to: "../outside/text")
            try link("broken", to: "nowhere")
            _ = package.generate()
            #expect(package.generate() == Self.unchanged)
            try package.write("two", to: "../outside/text")
            #expect(package.generate() == "Library: everything is up to date")
            try link("folder", to: "../outside")
            for _ in 1...2 { #expect(package.generate() == "Library: everything is up to date") }
        }
    }

    @Test func `templates outside of the package are always read`() throws {
        try withPackage { (package) throws in
            let templates = package.root.appendingPathComponent("../Own")
            #expect(package.model.run("templates", "--copy", templates.path).code == .success)
            try package.model.write(#"{ "templates": "../../../Own" }"#, to: "strata.json")
            for _ in 1...2 { #expect(!package.generate().contains("no file has changed")) }
        }
    }

    @Test func `a file that changed just before is read again`() throws {
        try withPackage { (package) throws in
            _ = package.generate()
            try package.write("// StrataBuild StrataTesting 2", to: "Package.swift")
            _ = package.model.run("generate", package.model.folder.path)
            #expect(package.generate() == "Library: everything is up to date")
            #expect(package.generate() == Self.unchanged)
        }
    }
}
