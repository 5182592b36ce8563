import Foundation

/// The output of a command: one channel for results, one for errors.
package struct Console {
    private let output: (String) -> Void
    private let errors: (String) -> Void
    private var hasColor = (output: false, errors: false)
    /// Writes a part of a line on the terminal; nil if the errors do not go to a terminal.
    private var draw: (@Sendable (String) -> Void)?
    /// Asks a question on the terminal; nil if the input does not come from one.
    private var ask: ((String) -> String?)?
    private var now: @Sendable () -> TimeInterval = { ProcessInfo.processInfo.systemUptime }

    /// Creates a console.
    ///
    /// - Parameters:
    ///   - say: Prints a line of results.
    ///   - complain: Prints an error.
    ///   - draw: Writes a part of a line for progress; nil to write none.
    ///   - now: Returns the time in seconds; nil for the system's clock.
    ///   - ask: Asks a question and returns the answer; nil to ask none.
    package init(
        say: @escaping (String) -> Void, complain: @escaping (String) -> Void,
        draw: (@Sendable (String) -> Void)? = nil, now: (@Sendable () -> TimeInterval)? = nil,
        ask: ((String) -> String?)? = nil
    ) {
        self.ask = ask
        output = say
        errors = complain
        self.draw = draw
        if let now { self.now = now }
    }

    /// Standard output and standard error. They use color on a terminal, unless the environment variable `NO_COLOR` is
    /// set (https://no-color.org).
    package static var standard: Console {
        var console = Console(
            say: { print($0) },
            complain: { FileHandle.standardError.write(Data(($0 + "\n").utf8)) })
        let environment = ProcessInfo.processInfo.environment
        if environment["NO_COLOR", default: ""].isEmpty, environment["TERM"] != "dumb" {
            console.hasColor = (isatty(STDOUT_FILENO) != 0, isatty(STDERR_FILENO) != 0)
        }
        if isatty(STDERR_FILENO) != 0, environment["TERM"] != "dumb" {
            console.draw = { FileHandle.standardError.write(Data($0.utf8)) }
        }
        if isatty(STDIN_FILENO) != 0 {
            console.ask = { question in
                print(question, terminator: " ")
                fflush(nil)
                return readLine()
            }
        }
        return console
    }

    /// Asks a question, and returns whether the answer is yes.
    ///
    /// - Throws: `CommandError.usage` if the input does not come from a terminal.
    package func confirms(_ question: String) throws -> Bool {
        ["y", "yes"].contains(try answer(to: question + " [y/N]", instead: "add --yes")?.lowercased() ?? "")
    }

    /// Asks a question, and returns the answer; nil at the end of the input.
    ///
    /// - Parameter instead: The advice for a command whose input does not come from a terminal.
    /// - Throws: `CommandError.usage` in this case.
    package func answer(to question: String, instead: String) throws -> String? {
        guard let ask else { throw CommandError.usage("standard input is not a terminal; \(instead)") }
        return ask(question)
    }

    /// Prints a line of results.
    package func say(_ text: String) {
        output(text)
    }

    /// The console without progress.
    var quiet: Console {
        var console = self
        console.draw = nil
        return console
    }

    /// Returns a line that shows the progress of a command on a terminal.
    ///
    /// - Parameters:
    ///   - title: The action: `converting`.
    ///   - unit: The units that are counted: `rows`.
    package func progress(_ title: String, unit: String) -> ProgressLine {
        ProgressLine(title, unit: unit, draw: draw, now: now)
    }

    /// Prints an error. The words `error:`, `warning:` and `note:` are colored.
    func complain(_ text: String) {
        errors(hasColor.errors ? Self.colored(text) : text)
    }

    /// The style of text on a terminal. The raw value is an ANSI escape code.
    enum Style: String {
        case plain = ""
        case error = "1;31"
        case warning = "1;33"
        case note = "1;36"
    }

    /// Returns `text` with the escape codes of a style, if standard output uses color.
    func styled(_ text: String, _ style: Style) -> String {
        hasColor.output ? Self.painted(text, style) : text
    }

    private static func painted(_ text: String, _ style: Style) -> String {
        style == .plain ? text : "\u{1b}[\(style.rawValue)m\(text)\u{1b}[0m"
    }

    static func colored(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            for (word, style) in [("error:", Style.error), ("warning:", .warning), ("note:", .note)] {
                guard let match = line.firstRange(of: word) else { continue }
                return line.replacingCharacters(in: match, with: painted(word, style))
            }
            return String(line)
        }.joined(separator: "\n")
    }
}
