/// A command of the tools. Parsing, `--help` and the reference are made from `all`.
package struct CommandDescription: Sendable {
    /// An option of a command.
    package struct Option: Sendable {
        /// The name: `--target`.
        package let name: String
        /// The name of its value in texts; nil for a switch.
        package let value: String?
        package let meaning: String
        /// Whether only the plugins use it, so that the help does not show it.
        package let isForPlugins: Bool

        init(_ name: String, _ value: String, _ meaning: String, isForPlugins: Bool = false) {
            (self.name, self.value, self.meaning, self.isForPlugins) = (name, value, meaning, isForPlugins)
        }

        /// Creates a switch.
        init(_ name: String, _ meaning: String, isForPlugins: Bool = false) {
            (self.name, value, self.meaning, self.isForPlugins) = (name, nil, meaning, isForPlugins)
        }

        /// The option as it is written in texts: `--target NAME`.
        package var usage: String { name + (value.map { " " + $0 } ?? "") }
    }

    /// The groups of the list of commands.
    enum Group: String, CaseIterable, Sendable {
        case model = "commands for the folder of a model"
        case store = "commands for a store"
        case server = "commands for a PostgreSQL server"
        case other = "other commands"
        /// The commands of the build plugin, which are not listed.
        case build = ""
    }

    package let name: String
    let group: Group
    /// One line for the list of all commands.
    let summary: String
    /// The forms of the command, without `strata`.
    let usage: [String]
    let text: String
    package let options: [Option]
    let example: String

    init(
        _ name: String, _ group: Group, _ summary: String, usage: [String], _ text: String, options: [Option],
        example: String
    ) {
        (self.name, self.group, self.summary, self.usage) = (name, group, summary, usage)
        (self.text, self.options, self.example) = (text, options, example)
    }

    /// Returns the command with a name; nil if there is none.
    package static func named(_ name: String) -> CommandDescription? { all.first { $0.name == name } }

    // MARK: Help

    private static let width = 120

    /// The help text of the command.
    package var help: String {
        var lines = zip(["usage: "] + usage.dropFirst().map { _ in "       " }, usage).map { "\($0)strata \($1)" }
        lines += ["", text]
        let shown = options.filter { !$0.isForPlugins }
        if !shown.isEmpty { lines += [""] + shown.flatMap { Self.lines($0.usage, $0.meaning) } }
        return (lines + ["", "example: strata \(example)"]).joined(separator: "\n")
    }

    /// The list of all commands.
    package static let list: String = {
        var lines = [
            "usage: strata COMMAND ARGUMENTS… [options]",
            "       swift run strata COMMAND ARGUMENTS… [options], in a package",
            "",
            "The folder of a model contains a strata.json and the descriptions.",
        ]
        for group in Group.allCases where group != .build {
            lines += ["", group.rawValue]
            for command in all where command.group == group {
                let gap = String(repeating: " ", count: max(2, 12 - command.name.count))
                lines.append("  \(command.name)\(gap)\(command.summary)")
            }
        }
        let end =
            "strata COMMAND --help describes a command. Exit codes: 0 success, 1 a problem in a model or a store, 2 wrong arguments."
        return (lines + ["", end]).joined(separator: "\n")
    }()

    /// Returns the lines for an option: its name, and its meaning beside it.
    private static func lines(_ usage: String, _ meaning: String) -> [String] {
        let column = 25
        var lines = ["  \(usage) "]
        lines[0] += String(repeating: " ", count: max(0, column - lines[0].count))
        for word in meaning.split(separator: " ") {
            if lines[lines.count - 1].count + word.count > width {
                lines.append(String(repeating: " ", count: column))
            }
            lines[lines.count - 1] += word + " "
        }
        return lines.map { String($0.dropLast()) }
    }
}
