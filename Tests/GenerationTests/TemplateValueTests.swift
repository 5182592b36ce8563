import Mustache
import Templates
import Testing

@testable import Generation

@Suite struct TemplateValueTests {
    /// The names in the tags of a template, and of the partials that it includes.
    private func names(in template: String, _ templates: [String: String]) throws -> Set<String> {
        var (names, included, open): (Set<String>, Set<String>, [String]) = ([], [], [template])
        while let name = open.popLast() {
            guard included.insert(name).inserted else { continue }
            let text = try #require(templates[name], "\(name)")
            for tag in text.matches(of: /\{\{\{?([#^\/&>]?) ?([A-Za-z.]+)\}\}/) {
                if tag.1 == ">" { open.append(String(tag.2)) } else { names.insert(String(tag.2)) }
            }
        }
        return names
    }

    /// The documented names of each template, with the names above each.
    private func documented() -> [String: [(name: String, line: Substring)]] {
        var templates: [String: [(String, Substring)]] = [:]
        var template = ""
        for line in TemplateReference.text.split(separator: "\n") {
            if let title = line.wholeMatch(of: /## (.+)/) { template = String(title.1) }
            if let other = line.wholeMatch(of: /Its values are those of `(.+)`\./) {
                templates[template] = templates[String(other.1)]
            }
            if let item = line.wholeMatch(of: /[ ]*- `([A-Za-z]+)[*?]?`: .+/) {
                templates[template, default: []].append((String(item.1), line))
            }
        }
        return templates
    }

    @Test func `the templates use every value that the reference lists, and no other`() throws {
        let templates = try Templates.load()
        let documented = documented()
        #expect(documented.count == 15)
        // Templates that share values need not use all of them.
        var (used, unused): (Set<String>, Set<String>) = ([], [])
        for (template, values) in documented where !template.contains("+") {
            let names = try names(in: template, templates)
            for value in values {
                let line = value.line.trimmingPrefix { $0 == " " }
                if names.contains(value.name) { used.insert(String(line)) } else { unused.insert(String(line)) }
            }
            let known = Set(values.map(\.name) + [".", "isFirst", "isLast"])
            #expect(names.subtracting(known) == [], "\(template): used, but not documented")
        }
        #expect(unused.subtracting(used) == [], "documented, but not used")
    }

    @Test func `every template states its format`() throws {
        for (name, text) in try Templates.load() {
            #expect(Templates.format(of: text) == Templates.format, "\(name)")
        }
        #expect(Templates.format(of: Templates.firstLine) == Templates.format)
        #expect(Templates.format(of: "{{! another comment }}") == nil)
    }
}
