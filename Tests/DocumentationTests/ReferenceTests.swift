import Foundation
import Testing

@testable import Commands
@testable import Descriptions

/// The reference describes every key, option and command of the code, and no others.
@Suite struct ReferenceTests {
    /// The tables of a page, by the heading above them. A table is its rows without the header.
    private struct Page {
        private(set) var tables: [String: [[[String]]]] = [:]
        private(set) var headings: [String] = []
        let url: URL

        init(_ name: String) throws {
            url = Documentation.root.appendingPathComponent(
                "Sources/Runtime/Strata/Strata.docc/Reference/\(name).md")
            var isInTable = false
            for line in try String(contentsOf: url, encoding: .utf8).split(
                separator: "\n", omittingEmptySubsequences: false)
            {
                if line.hasPrefix("#") {
                    headings.append(line.drop { $0 == "#" }.trimmingCharacters(in: .whitespaces))
                }
                guard line.hasPrefix("|"), let heading = headings.last else {
                    isInTable = false
                    continue
                }
                let cells = line.dropFirst().dropLast().replacingOccurrences(of: "\\|", with: "\u{0}")
                    .split(separator: "|", omittingEmptySubsequences: false)
                    .map { $0.trimmingCharacters(in: .whitespaces) }
                var all = tables[heading] ?? []
                if !isInTable {
                    all.append([])
                } else if !line.hasPrefix("| ---") {
                    all[all.count - 1].append(cells)
                }
                tables[heading] = all
                isInTable = true
            }
        }

        /// The names in backticks in the first column of the first table below a heading.
        func names(_ heading: String, table: Int = 0) -> Set<String> {
            Set((tables[heading]?[table] ?? []).flatMap { Documentation.code(in: $0[0]) })
        }
    }

    @Test func `every link between pages names a page`() throws {
        let pages = Set(Documentation.texts.map { $0.deletingPathExtension().lastPathComponent })
        var count = 0
        for url in Documentation.texts {
            for link in try String(contentsOf: url, encoding: .utf8).matches(of: /<doc:([^>#]+)/) {
                count += 1
                #expect(pages.contains(String(link.1)), "\(url.lastPathComponent): \(link.1)")
            }
        }
        #expect(count > 20)
    }

    /// Replaces the table below each heading by rows that are made from the code. With `STRATA_REWRITE=1`, it writes the page, and
    /// the test fails so that you read it.
    private func compare(_ page: Page, _ tables: [(heading: String, head: String, rows: [String])]) throws {
        let text = try String(contentsOf: page.url, encoding: .utf8)
        var generated = text
        for (heading, head, rows) in tables {
            let pattern = "(\n##* \(heading)\n(?:(?!\n##* )(?s:.))*?\n)\\| \(head) (?:.*\n)*?(?=\n|$)"
            let table = try #require(generated.firstMatch(of: try Regex(pattern)), "\(heading)")
            let before = try #require(table[1].substring)
            generated.replaceSubrange(table.range, with: before + rows.map { $0 + "\n" }.joined())
        }
        if text != generated, ProcessInfo.processInfo.environment["STRATA_REWRITE"] == "1" {
            try Data(generated.utf8).write(to: page.url)
        }
        #expect(text == generated)
    }

    /// The rows of a table of keys, with those columns for which a key has a text.
    private func rows(_ table: KeyTable) -> [String] {
        let columns: [(title: String, cell: (KeyTable.Key) -> String)] = [
            ("key", { "`\($0.name)`" }), ("value", \.meaning), ("default", \.defaultValue), ("history", \.history),
            ("cost of a change", \.cost),
        ].filter { column in table.keys.contains { !column.cell($0).isEmpty } }
        func row(_ cells: [String]) -> String {
            "|" + cells.map { $0.isEmpty ? " |" : " \($0.replacingOccurrences(of: "|", with: "\\|")) |" }.joined()
        }
        return [row(columns.map(\.title)), row(columns.map { _ in "---" })]
            + table.keys.map { key in row(columns.map { $0.cell(key) }) }
    }

    @Test func `the tables of keys are those of the reader`() throws {
        let tables: [(String, KeyTable)] = [
            ("Entities", .entity), ("Properties", .property), ("Relationships", .relationship),
            ("Identifiers", .identifier), ("Indexes", .index), ("Checks", .check), ("Search", .search),
            ("Subtypes", .subtype), ("Cases", .subtypeCase),
            ("Options", .option), ("Properties of a struct", .member), ("Versions", .item),
        ]
        try compare(try Page("DescriptionKeys"), tables.map { ($0, "key", rows($1)) })
        try compare(try Page("ConfigurationFile"), [("Overview", "key", rows(.configuration))])
    }

    @Test func `every key of Lucid is in the reference`() throws {
        let page = try Page("DescriptionKeys")
        let tables: [(String, KeyTable)] = [
            ("entities", .entity), ("properties", .property), ("properties of a struct", .member),
            ("subtypes", .subtype), ("identifiers", .identifier), ("relationships", .relationship),
        ]
        let aliases = Set(tables.flatMap(\.1.aliases.keys))
        #expect(page.names("Keys of Lucid").filter { !$0.contains("_to_") } == aliases)
        let ignored = try #require(page.tables["Keys of Lucid"]?.last)
        #expect(ignored.map { $0[0] } == tables.map(\.0))
        for (row, (name, table)) in zip(ignored, tables) {
            #expect(Set(Documentation.code(in: row[1])) == table.ignored, "\(name)")
        }
        #expect([KeyTable.index, .subtypeCase, .option, .item].allSatisfy { $0.ignored.isEmpty })
    }

    @Test func `every key of the configuration is in the reference`() throws {
        let page = try Page("ConfigurationFile")
        #expect(page.names("Imported models") == Set(ImportedSourceReader.keys))
    }

    @Test func `every command and option is in the reference`() throws {
        let page = try Page("CommandLine")
        let headings = page.headings.dropFirst(2)
        let names = CommandDescription.all.map(\.name)
        #expect(Set(headings.flatMap { $0.components(separatedBy: " and ") }) == Set(names))
        try compare(
            page,
            headings.map { heading in
                let commands = heading.components(separatedBy: " and ").compactMap(CommandDescription.named)
                var rows = ["| option | meaning |", "| --- | --- |"]
                for option in commands.flatMap(\.options) {
                    let use = option.isForPlugins ? "; the plugins use it" : ""
                    let row = "| `\(option.usage)` | \(option.meaning)\(use) |"
                    if !rows.contains(row) { rows.append(row) }
                }
                return (heading, "option", rows)
            })
    }

    @Test func `the help of a command shows its options, except those of the plugins`() {
        for command in CommandDescription.all {
            let lines = command.help.split(separator: "\n")
            for option in command.options {
                #expect(lines.contains { $0.hasPrefix("  \(option.usage) ") } != option.isForPlugins, "\(option.usage)")
            }
            #expect(lines.allSatisfy { $0.count <= 120 }, "\(command.name)")
            #expect(
                CommandDescription.list.contains("\n  \(command.name) ") != ["sources", "tests"].contains(command.name))
        }
    }

    @Test(arguments: Documentation.commands)
    func `a command that is shown is accepted`(command: [String]) throws {
        _ = try Arguments(command)
    }

    @Test func `commands are shown`() {
        #expect(
            Set(Documentation.commands.map { $0[0] }).isSuperset(of: ["generate", "check", "release", "diff", "import"])
        )
    }

    /// The walks through the sources in CONTRIBUTING.md.
    @Test func `the walks name files and what is in them`() throws {
        let url = Documentation.root.appendingPathComponent(".github/CONTRIBUTING.md")
        let text = try String(contentsOf: url, encoding: .utf8)
        let rows = text.matches(of: /\n\| ([0-9]+) \| ([^|]*) \| ([^|]*) \| [^|]* \|/)
        let numbers = rows.compactMap { Int($0.1) }
        #expect(numbers == Array(1...14) + Array(1...11))
        for (index, row) in rows.enumerated() {
            let folder = index < 14 ? "Sources/Generator" : "Sources/Runtime/Strata"
            var parent = ""
            var sources = ""
            for file in Documentation.code(in: String(row.3)) {
                if let slash = file.lastIndex(of: "/") { parent = String(file[...slash]) }
                let path = "\(folder)/\(file.contains("/") ? "" : parent)\(file)"
                sources += try String(contentsOf: Documentation.root.appendingPathComponent(path), encoding: .utf8)
            }
            for name in Documentation.code(in: String(row.2)) {
                let type = name.split(separator: ".").last.map(String.init) ?? name
                let declaration = try Regex("(struct|enum|class|func) \(type)\\b")
                #expect(sources.contains(declaration), "\(row.1): \(name)")
            }
        }
    }

    @Test(arguments: Documentation.links)
    func `a link leads to a file`(link: Documentation.Link) {
        #expect(FileManager.default.fileExists(atPath: link.target.path))
    }

    @Test func `there are links`() {
        #expect(Documentation.links.count > 20)
    }
}
