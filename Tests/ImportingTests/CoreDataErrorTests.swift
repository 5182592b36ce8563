import Foundation
import Testing

/// An invalid Core Data model is reported with its file and line, and the import writes nothing.
@Suite struct CoreDataErrorTests {
    private static let path = "M.xcdatamodeld/M.xcdatamodel/contents"

    /// The errors of importing a model with these `contents`.
    private func complaints(_ contents: Data) throws -> [String] {
        let workspace = try Workspace()
        try workspace.write("", to: Self.path)
        try contents.write(to: workspace.url.appendingPathComponent(Self.path))
        let result = workspace.run(
            "import", "core-data", workspace.path("M.xcdatamodeld"), "--into", workspace.path("out"))
        #expect(result.code == .diagnostics && result.said.isEmpty)
        #expect(!FileManager.default.fileExists(atPath: workspace.path("out")))
        return result.complaints
    }

    @Test(arguments: [
        ("", "1: error: it has no <model>"),
        ("nothing", "1: error: the file is empty, or no XML"),
        ("<model>\n<entity name=\"A\">\n</model>", "3: error: a closing tag does not match the innermost open element"),
        ("<model>\n<entity name=\"A\">\n", "2: error: the XML ends before its elements do"),
        ("<model>\n<entity name=\"A\" name=\"B\"/></model>", "2: error: an attribute appears here twice"),
        ("<model>\n\u{1}</model>", "2: error: XML does not allow this character"),
        ("<model>\n&nothing;</model>", "2: error: an XML entity is used here that is not declared"),
        ("<plist>\n</plist>", "1: error: it begins with <plist>, and a model with <model>"),
        ("<model>\n<entity/></model>", "2: error: an <entity> has no name"),
        (
            "<model><entity name=\"A\"/>\n<entity name=\"A\"/></model>",
            "2: error: the entity A appears here a second time"
        ),
        (
            "<model><entity name=\"A\"><attribute name=\"a\" attributeType=\"String\"/>\n<attribute name=\"a\"/></entity></model>",
            "2: error: the property a appears here a second time"
        ),
        ("<model><entity name=\"A\">\n<attribute/></entity></model>", "2: error: <attribute> has no name"),
        (
            "<model>\n<entity name=\"A\" parentEntity=\"B\"/></model>",
            "2: error: A inherits from B, which does not exist"
        ),
        (
            "<model>\n<entity name=\"A\" parentEntity=\"B\"/><entity name=\"B\" parentEntity=\"A\"/></model>",
            "2: error: A inherits from itself"
        ),
        (
            "<?xml version=\"1.0\"?>\n<!DOCTYPE model [<!ENTITY e SYSTEM \"file:///etc/hostname\">]>\n<model>&e;</model>",
            "2: error: it has a document type, which no model has; entities are not resolved"
        ),
        (
            "<!DOCTYPE m [\n<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;&a;\">]><model><entity name=\"&b;\"/></model>",
            "1: error: it has a document type, which no model has; entities are not resolved"
        ),
        (
            String(repeating: "<model>\n", count: 1_000),
            "33: error: its elements are nested more than 32 deep"
        ),
    ])
    func `a malformed model is an error at its line`(contents: String, message: String) throws {
        #expect(try complaints(Data(contents.utf8)) == [Self.path + ":" + message])
    }

    @Test(arguments: [
        "<entity name=\"A\"><uniquenessConstraint><constraint value=\"x\"/></uniquenessConstraint></entity>",
        "<entity name=\"A\"/><fetchIndex><fetchIndexElement property=\"x\"/></fetchIndex>",
        "<entity name=\"A\"><compoundIndex><index value=\"x\"/></compoundIndex><attribute name=\"a\"/></entity>",
        "<uniquenessConstraints><uniquenessConstraint/></uniquenessConstraints><entity name=\"A\"/><memory/>",
    ])
    func `elements in places where Xcode never puts them are ignored`(contents: String) throws {
        let workspace = try Workspace()
        try workspace.write("<model>\(contents)</model>", to: Self.path)
        let result = workspace.run(
            "import", "core-data", workspace.path("M.xcdatamodeld"), "--into", workspace.path("out"))
        #expect(result.complaints == [])
        #expect(try workspace.lines("out", "1.0") == ["A | key id: int"])
    }

    @Test func `a model without an entity that has rows is refused`() throws {
        #expect(
            try complaints(Data("<model><entity name=\"A\" isAbstract=\"YES\"/></model>".utf8)) == [
                "M.xcdatamodeld: error: no version has an entity with rows, so there is nothing to describe"
            ])
    }

    @Test func `a million nested elements are refused at the first element that is too deep`() throws {
        let contents = String(repeating: "<a>", count: 1_000_000)
        #expect(try complaints(Data(("<model>" + contents).utf8)).first?.hasPrefix(Self.path + ":1: error: ") == true)
    }

    @Test func `a huge file is refused before it is parsed`() throws {
        let contents = Data("<model>".utf8) + Data(repeating: 0x20, count: 17 << 20)
        #expect(
            try complaints(contents) == [
                Self.path + ": error: it has \(contents.count) bytes, and no model has more than 16777216"
            ])
    }

    @Test func `a file in UTF-16 is refused even if it declares its encoding`() throws {
        let text =
            "<?xml version=\"1.0\" encoding=\"UTF-16\"?><!DOCTYPE m [<!ENTITY e SYSTEM \"/etc/hostname\">]><model/>"
        let contents = try #require(text.data(using: .utf16LittleEndian))
        #expect(try complaints(contents) == [Self.path + ":1: error: it is not in UTF-8, as Xcode writes models"])
    }

    @Test func `a name that is not UTF-8 is refused`() throws {
        let contents = Data("<model><entity name=\"A\"><at".utf8) + [0xff] + Data("tribute/></entity></model>".utf8)
        #expect(try complaints(contents) == [Self.path + ": error: it is not in UTF-8, as Xcode writes models"])
    }

    @Test func `invalid folders, version orders and options are reported`() throws {
        let workspace = try Workspace()
        try workspace.writeCoreData("M", ["<entity name=\"A\"/>", "<entity name=\"A\"/>", "<entity name=\"A\"/>"])
        func complaints(_ arguments: String...) -> [String] {
            let fixed = ["import", "core-data", workspace.path("M.xcdatamodeld"), "--into", workspace.path("out")]
            return workspace.run(all: fixed + arguments).complaints
        }
        try workspace.write("M 3\nM\nN\n", to: "order")
        #expect(complaints("--order", workspace.path("order")) == ["order:3: error: unknown version N"])
        try workspace.write("M 3\nM\nM 3\n", to: "order")
        #expect(complaints("--order", workspace.path("order")) == ["order:3: error: M 3 appears here a second time"])
        try workspace.write("M 3\nM\n", to: "order")
        #expect(complaints("--order", workspace.path("order")) == ["order: error: it does not name M 2"])
        #expect(complaints("--order", workspace.path("none")) == ["none: error: it cannot be read as text"])
        func point(to version: String) throws {
            try workspace.write(
                "<plist version=\"1.0\"><dict><key>_XCCurrentVersionName</key><string>\(version)</string></dict></plist>",
                to: "M.xcdatamodeld/.xccurrentversion")
        }
        try point(to: "M 2.xcdatamodel")
        #expect(
            complaints() == [
                "M.xcdatamodeld: error: the current version is M 2, but M 3 is the last by name; name the versions in order, "
                    + "one a line, in a file, and give it with --order"
            ])
        try point(to: "X.xcdatamodel")
        #expect(
            complaints() == [
                "M.xcdatamodeld/.xccurrentversion: error: the current version is X, which does not exist"
            ])
        // Xcode leaves an empty file for a single version.
        for empty in ["", "<plist version=\"1.0\"><dict/></plist>"] {
            try workspace.write(empty, to: "M.xcdatamodeld/.xccurrentversion")
            #expect(complaints("--dry-run").isEmpty, "\(empty)")
        }
        try workspace.write("no plist", to: "M.xcdatamodeld/.xccurrentversion")
        #expect(complaints() == ["M.xcdatamodeld/.xccurrentversion: error: it names no current version"])
        #expect(
            workspace.run("import", "core-data", workspace.path("none"), "--into", workspace.path("out")).complaints
                == [
                    "none: error: there is no such folder"
                ])
        #expect(
            workspace.run("import", "core-data", workspace.path(""), "--into", workspace.path("out")).complaints.first?
                .hasSuffix("error: there is no .xcdatamodel in it") == true)
        #expect(workspace.run("import", "access", "x", "--into", "y").code == .usage)
        #expect(workspace.run("import", "room", "x").code == .usage)
        #expect(
            workspace.run("import", "sqlite", "x", "--into", "y", "--renames", "z").complaints == [
                "error: import sqlite has no option --renames for a single database"
            ])
    }
}
