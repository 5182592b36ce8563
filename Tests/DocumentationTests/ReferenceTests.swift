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

        init(_ name: String) throws {
            let url = Documentation.root.appendingPathComponent(
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

    @Test func `every key of a description is in the reference`() throws {
        let page = try Page("DescriptionKeys")
        let tables: [(String, KeyTable)] = [
            ("Entities", .entity), ("Properties", .property), ("Relationships", .relationship),
            ("Identifiers", .identifier), ("Indexes", .index), ("Checks", .check), ("Search", .search),
            ("Subtypes", .subtype), ("Cases", .subtypeCase),
            ("Options", .option), ("Properties of a struct", .member), ("Versions", .item),
        ]
        for (heading, table) in tables {
            #expect(page.names(heading) == table.fields.union(table.others), "\(heading)")
        }
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
        #expect(page.names("Overview") == ConfigurationReader.keys.all)
        #expect(page.names("Imported models") == Set(ImportedSourceReader.keys))
    }

    @Test func `every command and option is in the reference`() throws {
        let page = try Page("CommandLine")
        let commands = page.headings.dropFirst(2).flatMap { $0.components(separatedBy: " and ") }
        #expect(Set(commands) == Set(Arguments.known.keys) && commands.count == Arguments.known.count)
        for heading in page.headings.dropFirst(2) {
            let known = heading.components(separatedBy: " and ").compactMap { Arguments.known[$0] }
            #expect(page.names(heading) == known.reduce(into: Set<String>()) { $0.formUnion($1) }, "\(heading)")
        }
    }

    @Test func `every option is in the help, except those of the plugins`() throws {
        let hidden: [String: Set<String>] = [
            "generate": ["--model"], "release": ["--model"], "check": ["--model", "--sources", "--tests", "--stamp"],
        ]
        for (command, options) in Arguments.known {
            let help = try #require(Help.of(command))
            let words = Set(help.split { !$0.isLetter && $0 != "-" }.map(String.init).filter { $0.hasPrefix("--") })
            #expect(words == options.subtracting(hidden[command] ?? []), "\(command)")
            #expect(["sources", "tests"].contains(command) || Help.all.contains("\n  \(command) "))
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

    @Test(arguments: Documentation.links)
    func `a link leads to a file`(link: Documentation.Link) {
        #expect(FileManager.default.fileExists(atPath: link.target.path))
    }

    @Test func `there are links`() {
        #expect(Documentation.links.count > 20)
    }
}
