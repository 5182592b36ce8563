import Descriptions
import Foundation
import SchemaModel

/// The Swift files of a model that you write: the custom migrations, and the files of the test targets.
///
/// Strata changes them only where they name versions that get another name, or that are removed.
package struct OwnSources {
    private let schema: String
    private let migrations: [SourceFile]
    private let tests: [SourceFile]

    package init(of folder: ModelFolder, _ testFolders: [ModelFolder.TestFolder]) {
        schema = folder.schema
        migrations = Self.files(in: folder.folder(.migrations))
        tests = testFolders.flatMap { Self.files(in: $0.url) }
    }

    private static func files(in folder: URL) -> [SourceFile] {
        let paths = (try? FileManager.default.subpathsOfDirectory(atPath: folder.path)) ?? []
        return paths.sorted().filter { $0.hasSuffix(".swift") && !$0.hasPrefix("Generated/") }.compactMap { path in
            let url = folder.appendingPathComponent(path)
            return (try? Data(contentsOf: url)).map { SourceFile(path: url.path, bytes: [UInt8]($0)) }
        }
    }

    // MARK: Renaming

    /// Returns the files that change if a version gets another name. The files of custom migrations have the names of
    /// their versions.
    func renaming(_ version: Version, to new: Version) throws -> [String: FileOutcome] {
        let (old, new) = (version.identifier, new.identifier)
        var outcomes: [String: FileOutcome] = [:]
        for file in migrations + tests {
            let text = String(decoding: file.bytes, as: UTF8.self)
            let changed = try renaming(old, to: new, in: text)
            let path = URL(fileURLWithPath: file.path)
            let name = path.lastPathComponent.replacingOccurrences(of: "_to_\(old).swift", with: "_to_\(new).swift")
            if name != path.lastPathComponent, migrations.contains(where: { $0.path == file.path }) {
                outcomes[file.path] = .removed
                outcomes[path.deletingLastPathComponent().appendingPathComponent(name).path] = .rewritten(
                    Array(changed.utf8))
            } else if changed != text {
                outcomes[file.path] = .rewritten(Array(changed.utf8))
            }
        }
        return outcomes
    }

    /// Renames `V1_3`, and the ends of names like `Migration_1_2_to_1_3`. The versions of other schemas keep their names.
    private func renaming(_ old: String, to new: String, in text: String) throws -> String {
        // V1_3_1 is another version.
        let pattern = try Regex(
            "(?<owner>\\b\\w+\\.)?(?<name>\\bV|\\b(?<step>\\w+)Step_\\w+_to_|\\b[A-Za-z]+_\\w*_to_)\(old)(?!\\w)"
        ).wordBoundaryKind(.simple)
        var isOther = false
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { line -> String in
            if let match = line.prefixMatch(of: /extension (\w+?)(Step_\w+|\.\w+)?\b/) {
                isOther = match.2 != nil && match.1 != schema
            }
            return String(line).replacing(pattern) { match -> String in
                let owner = match["owner"]?.substring.map(String.init) ?? ""
                let name = match["name"]?.substring.map(String.init) ?? ""
                let step = match["step"]?.substring.map(String.init)
                let isOwn = owner.isEmpty ? !isOther : owner == "\(schema)." || !owner.contains("Schema.")
                return owner + name + (isOwn && (step ?? schema) == schema ? new : old)
            }
        }
        return lines.joined(separator: "\n")
    }

    // MARK: Removing

    /// Returns the files that change if the steps from versions, and the versions themselves, are removed: custom
    /// migrations are deleted, and so are the expected results of their steps and the rows of the fixtures.
    package func removing(_ versions: [Version]) throws -> [String: FileOutcome] {
        let names = versions.map(\.identifier).joined(separator: "|")
        let migration = try Regex("Migration_(\(names))_to_\\w+\\.swift")
        let declaration = try Regex("extension \(schema)(\\.V(\(names))|Step_(\(names))_to_\\w+)\\b")
            .wordBoundaryKind(.simple)
        var outcomes: [String: FileOutcome] = [:]
        for file in migrations {
            let name = URL(fileURLWithPath: file.path).lastPathComponent
            if try migration.wholeMatch(in: name) != nil { outcomes[file.path] = .removed }
        }
        for file in tests {
            let text = String(decoding: file.bytes, as: UTF8.self)
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            let kept = Self.removing(declaration, from: lines)
            if kept == lines { continue }
            let isEmpty = kept.allSatisfy { line in
                line.isEmpty || ["import ", "@testable import ", "//"].contains { line.hasPrefix($0) }
            }
            outcomes[file.path] = isEmpty ? .removed : .rewritten(Array(kept.joined(separator: "\n").utf8))
        }
        return outcomes
    }

    /// Removes the declarations that begin with a pattern, with their documentation and the empty lines after them. A
    /// declaration whose braces do not match is kept.
    private static func removing(_ declaration: Regex<AnyRegexOutput>, from lines: [String]) -> [String] {
        var kept: [String] = []
        var index = 0
        while index < lines.count {
            guard (try? declaration.prefixMatch(in: lines[index])) != nil, let end = end(of: index, in: lines) else {
                kept.append(lines[index])
                index += 1
                continue
            }
            while kept.last?.hasPrefix("///") == true { kept.removeLast() }
            index = end + 1
            while index < lines.count - 1, lines[index].isEmpty { index += 1 }
        }
        return kept
    }

    // MARK: Expectations

    /// A function beside the expected results of a step that no test calls, because its name or its parameters differ.
    struct StrayFunction {
        let path: String
        let line: Int
        /// The function, as it is written.
        let function: String
        /// The functions of the same name that the tests call; those of the step if there are none.
        let expected: [String]

        /// The problem, and the way to solve it.
        var message: String {
            "no test calls \(function); the tests call static functions with these names and parameters, which are neither private nor "
                + "async: \(expected.joined(separator: ", ")); make a helper private, or give it another name"
        }
    }

    /// Returns the functions in extensions of steps that look like expected results and that no test calls.
    ///
    /// - Parameter functions: The functions that the tests call, by the name of the step's type.
    func strayExpectations(besides functions: [String: Set<String>]) throws -> [StrayFunction] {
        let function =
            /^\s*((?:@\w+(?:\([^)]*\))?\s+|\w+\s+)*)func\s+(expected|added|check\w*)\s*(?:<[^(]*>)?\(([^)]*)\)([^{]*)/
        return tests.flatMap { file -> [StrayFunction] in
            let text = String(decoding: file.bytes, as: UTF8.self)
            guard functions.keys.contains(where: text.contains) else { return [] }
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            return lines.indices.flatMap { start -> [StrayFunction] in
                // Regular expressions are slow without optimization.
                guard lines[start].contains("extension"),
                    let step = lines[start].prefixMatch(of: /(?:@?\w+\s+)*extension\s+(?:\w+\.)?(\w+)\b/)?.1,
                    let called = functions[String(step)], let end = Self.end(of: start, in: lines)
                else { return [] }
                // The members of the extension itself are one level deeper than it.
                let indentation = lines[start...end].dropFirst().first { !$0.allSatisfy(\.isWhitespace) }?.prefix {
                    $0 == " "
                }
                return (start...end).filter { lines[$0].contains("func ") }.compactMap { index in
                    guard lines[index].prefix(while: { $0 == " " }) == indentation else { return nil }
                    // The parameters may be on the lines after the name.
                    let text = lines[index...min(index + 8, end)].joined(separator: " ")
                    guard let match = text.prefixMatch(of: function) else { return nil }
                    let parameters = match.3.split(whereSeparator: \.isWhitespace).joined(separator: " ")
                    let own = "\(match.2)(\(parameters))"
                    let like = called.filter { $0.hasPrefix("\(match.2)(") }
                    let types = Self.types(in: match.3)
                    let isSame = like.contains { Self.types(in: $0.drop { $0 != "(" }.dropFirst().dropLast()) == types }
                    let isPrivate = match.1.contains("private")
                    // A helper of your own.
                    if isPrivate && !isSame { return nil }
                    if isSame, !isPrivate, match.1.contains("static"), !match.4.contains("async") { return nil }
                    return StrayFunction(
                        path: file.path, line: index + 1, function: own,
                        expected: (like.isEmpty ? called : like).sorted())
                }
            }
        }
    }

    /// Returns the labels and the types of parameters, without their own names and without modules and schemas.
    private static func types(in parameters: some StringProtocol) -> String {
        String(parameters).replacing(/\/\*.*?\*\//, with: "").split(separator: ",").map { parameter -> String in
            let parts = parameter.split(separator: ":", maxSplits: 1).map { $0.split(whereSeparator: \.isWhitespace) }
            // The second argument of `ComparedRows` has no label.
            guard parts.count == 2, let label = parts[0].first, let type = parts[1].last else {
                return String(parameter)
            }
            let names = type.split(separator: ".")
            let isRow = names.count > 1 && names[names.count - 2].first == "V"
            let isRows = type.contains("StepRows") || parts[1].joined().contains("ComparedRows<")
            return "\(label): " + (isRows ? "StepRows" : names.suffix(isRow ? 2 : 1).joined(separator: "."))
        }.filter { !$0.hasSuffix(">") }.joined(separator: ", ")
    }

    /// Returns the line that ends the declaration that begins at a line; nil if its braces do not match.
    private static func end(of start: Int, in lines: [String]) -> Int? {
        var depth = 0
        for index in start..<lines.count {
            // Braces in texts and comments do not count.
            let code = lines[index].replacing(/"(\\.|[^"\\])*"/, with: "").replacing(/\/\/.*/, with: "")
            for character in code where character == "{" || character == "}" {
                depth += character == "{" ? 1 : -1
                if depth == 0 { return index }
            }
        }
        return nil
    }

    /// Returns the files that name versions or their steps, with the first lines that do.
    package func mentions(of versions: [Version]) throws -> [(path: String, line: Int)] {
        let names = versions.map(\.identifier).joined(separator: "|")
        let texts = versions.map { NSRegularExpression.escapedPattern(for: $0.text) }.joined(separator: "|")
        let pattern = try Regex(
            "\(schema)(\\.V(\(names))\\b|Step_(\(names))_to_)|(^|[^.\\w])V(\(names))\\b|\\bMigration_(\(names))_to_|\"(\(texts))\""
        ).wordBoundaryKind(.simple)
        return (migrations + tests).compactMap { file in
            let lines = String(decoding: file.bytes, as: UTF8.self).split(
                separator: "\n", omittingEmptySubsequences: false)
            return lines.firstIndex { $0.contains(pattern) }.map { (file.path, $0 + 1) }
        }
    }
}
