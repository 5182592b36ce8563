import Descriptions
import Foundation
import SchemaModel
import Testing

@testable import Commands

/// The changes of Swift files that you write, when versions get other names or are removed.
@Suite struct OwnSourcesTests {
    private func outcome(
        of text: String, _ body: (OwnSources) throws -> [String: FileOutcome]
    ) throws -> String? {
        var result: String? = text
        try ScratchModel.with(["../Tests/LibraryTests/A.swift": text]) { (model: ScratchModel) throws in
            let tests = model.folder.appendingPathComponent("../Tests/LibraryTests").standardizedFileURL
            let folder = try ModelFolder(path: model.folder.path, target: nil)
            let outcomes = try body(OwnSources(of: folder, [.init(url: tests, isFirst: true)]))
            switch outcomes.values.first {
            case .rewritten(let bytes): result = String(decoding: bytes, as: UTF8.self)
            case .removed: result = nil
            case .kept, nil: break
            }
        }
        return result
    }

    private func version(_ text: String) throws -> Version { try #require(Version(text)) }

    @Test func `a renamed version is renamed in the names of its schema only`() throws {
        let text = """
            extension LibrarySchemaStep_1_0_to_1_1 { let a: V1_1, b: OtherSchema.V1_1, c: LibrarySchema.V1_1.Book }
            struct Migration_1_0_to_1_1: LibrarySchema.CustomMigration_1_0_to_1_1 {}
            let d: OtherSchemaStep_1_0_to_1_1, e: V1_1_1
            extension OtherSchemaStep_1_0_to_1_1 { let a: V1_1 }
            extension LibrarySchema.V1_1 {}
            extension OtherSchema.V1_1 {}
            """
        let expected = """
            extension LibrarySchemaStep_1_0_to_1_1_beta_1 { let a: V1_1_beta_1, b: OtherSchema.V1_1, c: \
            LibrarySchema.V1_1_beta_1.Book }
            struct Migration_1_0_to_1_1_beta_1: LibrarySchema.CustomMigration_1_0_to_1_1_beta_1 {}
            let d: OtherSchemaStep_1_0_to_1_1, e: V1_1_1
            extension OtherSchemaStep_1_0_to_1_1 { let a: V1_1 }
            extension LibrarySchema.V1_1_beta_1 {}
            extension OtherSchema.V1_1 {}
            """
        let (old, new) = (try version("1.1"), try version("1.1-beta.1"))
        #expect(try outcome(of: text) { try $0.renaming(old, to: new) } == expected)
    }

    @Test func `only complete declarations of removed versions are removed`() throws {
        let removed = [try version("1.0")]
        func kept(_ text: String) throws -> String? { try outcome(of: text) { try $0.removing(removed) } }
        #expect(try kept("import A\n\nextension LibrarySchema.V1_0 {\n}") == nil)
        #expect(
            try kept("extension LibrarySchema.V1_0 {\n    let a = \"}\" // }\n} // end\n\nlet b = 1\n") == "let b = 1\n"
        )
        for text in [
            "extension LibrarySchema.V1_0_1 {}\n", "extension OtherSchema.V1_0 {}\n",
            "extension LibrarySchema.V1_1 {}\n",
            "extension LibrarySchema.V1_0 {\n", "extension LibrarySchemaStep_1_1_to_2_0 {}\n",
        ] {
            #expect(try kept(text) == text)
        }
    }

    @Test func `files that still name a removed version are found`() throws {
        let removed = [try version("1.0")]
        func isFound(_ text: String) throws -> Bool {
            var isFound = false
            _ = try outcome(of: text) { sources in
                isFound = try !sources.mentions(of: removed).isEmpty
                return [:]
            }
            return isFound
        }
        for text in [
            "let a: LibrarySchema.V1_0.Book", "let a: V1_0.Book", "LibrarySchemaStep_1_0_to_1_1.check()",
            "Migration_1_0_to_1_1()", #"migrated(to: "1.0")"#,
        ] {
            #expect(try isFound(text), "\(text)")
        }
        for text in ["let a: OtherSchema.V1_0.Book", "V1_0_1", "OtherSchemaStep_1_0_to_1_1", #""1.0.1""#] {
            #expect(try !isFound(text), "\(text)")
        }
    }
}
