import Mustache
import Testing

@Suite struct RendererTests {
    private func render(_ template: String, _ value: Value, partials: [String: String] = [:]) throws -> String {
        try Renderer(partials.merging(["main": template]) { _, main in main }).render("main", value)
    }

    @Test func `text is not escaped in source code`() throws {
        #expect(try render("{{a}} {{{a}}} {{&a}}", ["a": "<\"&\">"]) == "<\"&\"> <\"&\"> <\"&\">")
    }

    @Test func `a standalone tag removes its line`() throws {
        let template = "a\n  {{#list}}\n  - {{.}}\n  {{/list}}\nb\n{{! not told }}\nc"
        #expect(try render(template, ["list": ["x", "y"]]) == "a\n  - x\n  - y\nb\nc")
        #expect(try render("{{#a}}\r\nx\r\n{{/a}}\r\n", ["a": true]) == "x\r\n")
    }

    @Test func `a partial is indented like its tag`() throws {
        #expect(
            try render("{\n  {{>inner}}\n}\n", ["a": "1\n2"], partials: ["inner": "{{a}}\nend\n"])
                == "{\n  1\n2\n  end\n}\n")
    }

    @Test func `names are looked up in outer contexts, and dots access members`() throws {
        let value: Value = ["a": ["b": "inner"], "list": [["c": "1"], ["c": "2"]]]
        #expect(try render("{{#list}}{{c}}{{a.b}} {{/list}}", value) == "1inner 2inner ")
    }

    @Test func `null renders as nothing and selects the inverted section`() throws {
        #expect(try render("[{{a}}]{{#a}}x{{/a}}{{^a}}y{{/a}}", ["a": .null]) == "[]y")
    }

    @Test(arguments: [
        ("one\n  {{nmae}}", "main:2:3: error: unknown name `nmae`"),
        ("{{#nmae}}{{/nmae}}", "main:1:1: error: unknown name `nmae`"),
        ("{{a.b}}", "main:1:1: error: unknown name `a.b`"),
        ("{{list}}", "main:1:1: error: `list` is not text"),
        ("{{>nowhere}}", "main:1:1: error: the template `nowhere` does not exist"),
        ("a\n{{#a}}", "main:2:1: error: the section `a` is never closed"),
        ("{{/a}}", "main:1:1: error: there is no section `a` to close"),
        ("{{#a}}{{/b}}", "main:1:7: error: `b` is closed where `a` is open"),
        ("{{a", "main:1:1: error: this tag is never closed"),
        ("{{}}", "main:1:1: error: this tag has no name"),
        ("{{=a=}}", "main:1:1: error: these are no delimiters"),
    ])
    func `an invalid template is an error at its position`(template: String, message: String) {
        #expect {
            try render(template, ["a": "text", "list": []])
        } throws: {
            String(describing: $0) == message
        }
    }
}
