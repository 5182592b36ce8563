import SchemaModel
import Testing

@Suite struct VersionTests {
    @Test func `versions compare number by number`() throws {
        let texts = [
            "0.9", "1", "1.0.1", "1.1", "1.9", "1.10", "2.0-beta.2", "2.0-beta.10", "2.0", "2.1-beta.1", "10",
        ]
        let versions = try texts.map { try #require(Version($0)) }
        #expect(versions.shuffled().sorted().map(\.text) == texts)
        #expect(Version("1.1") == Version("1.1.0"))
        #expect(Version("1.1")?.hashValue == Version("1.1.0.0")?.hashValue)
    }

    @Test(arguments: [
        "", ".", "1.", ".1", "1..2", "v1", "1.0-beta", "1.0-beta.", "1.0-beta.x", "1.0-beta.1.2", "1.0-rc.1", "-beta.1",
        " 1", "1,0", "٣", "99999999999999999999",
    ])
    func `text that is not a version is refused`(text: String) {
        #expect(Version(text) == nil)
    }

    @Test func `the identifier of a version joins its numbers with underscores`() {
        #expect(Version("1.10.2")?.identifier == "1_10_2")
        #expect(Version("1.3-beta.1")?.identifier == "1_3_beta_1")
    }

    @Test func `a beta comes before its version`() throws {
        let beta = try #require(Version("1.3")).beta(2)
        #expect(beta.text == "1.3-beta.2")
        #expect(beta.final.text == "1.3")
        #expect(beta.next.text == "1.3")
        #expect(Version("1.3-beta.2") == Version("1.3.0-beta.2"))
    }

    @Test(arguments: [
        (["1.0"], "1.1"), (["1.0", "2.0"], "3.0"), (["1.0", "61.0", "62.0"], "63.0"), (["1.0", "1.1", "2.0"], "2.1"),
        (["1.0", "2.0", "3.0-beta.1"], "3.0"), (["1", "2"], "3"), ([], nil),
    ])
    func `the next version of whole numbers is a whole number`(versions: [String], next: String?) {
        #expect(Version.next(after: versions.compactMap { Version($0) })?.text == next)
    }
}
