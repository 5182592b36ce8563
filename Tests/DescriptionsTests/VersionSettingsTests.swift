import SchemaDiff
import SchemaModel
import Testing

@testable import Descriptions

/// The settings of `strata.json` about versions.
@Suite struct VersionSettingsTests {
    private let files = [
        "Book": book(
            #"""
            { "name": "title", "property_type": "string", "version_history": [
                { "version": "1.0" }, { "version": "2.0", "previous_name": "name" },
                { "version": "3.0", "previous": { "nullable": true }, "fill": "none" }] },
            { "name": "year", "property_type": "int", "nullable": true, "added_at_version": "2.0", "removed_at_version": "3.0" }
            """#, history: #"{ "version": "1.0" }, { "version": "2.0" }, { "version": "3.0" }"#)
    ]

    @Test func `strata.json lists the versions, including versions without changes`() throws {
        let history = try history(
            files, settings: #"{ "versions": ["1.0", { "version": "2", "was": "Book v2.xcdatamodel" }, "2.5", "3.0"] }"#
        )
        #expect(history.versions.map(\.version.text) == ["1.0", "2", "2.5", "3.0"])
        #expect(Version("2.0").flatMap { history.formerNames[$0] } == "Book v2.xcdatamodel")
        #expect(history.steps[1].tableChanges == [])
    }

    @Test func `a chain skips versions`() throws {
        let all = try history(files)
        #expect(all.steps.map(\.customReasons) == [[], ["`book.year` is removed without \"discard\": true"]])
        let chained = try history(files, settings: #"{ "chain": { "1.0": "3.0" } }"#)
        #expect(
            chained.steps.map { [$0.from.version.text, $0.to.version.text] } == [["1.0", "3.0"], ["2.0", "3.0"]])
        // A book of version 1.0 never had a year, so the step needs no custom migration.
        #expect(chained.steps.map(\.isCustom) == [false, true])
        #expect(
            chained.steps[0].tableChanges == [
                .map(from: "book", to: "book", columns: ["title": .coalesce(.column("name"), .literal(.text("none")))])
            ])
    }

    @Test func `a chain lists several ways, of which the first is the default`() throws {
        let history = try history(files, settings: #"{ "chain": { "1.0": ["3.0", "2.0"] } }"#)
        func ways(_ history: SchemaHistory) -> [[String]] {
            history.steps.map { [$0.from.version.text, $0.to.version.text] }
        }
        #expect(ways(history) == [["1.0", "3.0"], ["1.0", "2.0"], ["2.0", "3.0"]])
        #expect(history.steps.map(\.isCustom) == [false, false, true])
        #expect(ways(history.upTo(try #require(Version("2.0")))) == [["1.0", "2.0"]])
        #expect(ways(history.supported(from: try #require(Version("2.0")))) == [["2.0", "3.0"]])
    }

    @Test func `versions older than the oldest supported are left out`() throws {
        let history = try history(files, settings: #"{ "oldest_supported_version": "2.0" }"#)
        let version = try #require(Version("2.0"))
        let supported = history.supported(from: version)
        #expect(supported.versions.map(\.version.text) == ["2.0", "3.0"])
        #expect(supported.steps.map(\.from.version.text) == ["2.0"])
        #expect(
            supported.versions.map { $0.logicalLine($0.entities[0]) }
                == history.versions.dropFirst().map { $0.logicalLine($0.entities[0]) })
    }
}
