import Foundation

/// Where a command says what it did, and what is wrong.
public struct Console {
    private let output: (String) -> Void
    private let errors: (String) -> Void
    private var hasColor = (output: false, errors: false)

    /// A console of these, which take a line of what was done and one of what is wrong.
    public init(say: @escaping (String) -> Void, complain: @escaping (String) -> Void) {
        output = say
        errors = complain
    }

    /// Standard output and standard error, in colour where they are a terminal and nobody asks for none
    /// (https://no-color.org).
    public static var standard: Console {
        var console = Console(
            say: { print($0) },
            complain: { FileHandle.standardError.write(Data(($0 + "\n").utf8)) })
        let environment = ProcessInfo.processInfo.environment
        if environment["NO_COLOR", default: ""].isEmpty, environment["TERM"] != "dumb" {
            console.hasColor = (isatty(STDOUT_FILENO) != 0, isatty(STDERR_FILENO) != 0)
        }
        return console
    }

    /// Says a line of what was done.
    package func say(_ text: String) {
        output(text)
    }

    /// Says what is wrong, with the words that tell how grave it is in colour.
    func complain(_ text: String) {
        errors(hasColor.errors ? Self.colored(text) : text)
    }

    /// How a word stands out on a terminal.
    enum Style: String {
        case plain = ""
        case error = "1;31"
        case warning = "1;33"
        case note = "1;36"
    }

    /// `text` as standard output shows it in that style.
    func styled(_ text: String, _ style: Style) -> String {
        hasColor.output ? Self.painted(text, style) : text
    }

    private static func painted(_ text: String, _ style: Style) -> String {
        style == .plain ? text : "\u{1b}[\(style.rawValue)m\(text)\u{1b}[0m"
    }

    static func colored(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            for (word, style) in [("error:", Style.error), ("warning:", .warning), ("note:", .note)] {
                guard let place = line.firstRange(of: word) else { continue }
                return line.replacingCharacters(in: place, with: painted(word, style))
            }
            return String(line)
        }.joined(separator: "\n")
    }
}
