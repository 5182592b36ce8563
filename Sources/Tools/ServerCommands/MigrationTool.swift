import PostgreSQL

/// A program that runs the files of a folder, in the order of their numbers.
enum MigrationTool: String, CaseIterable {
    case flyway
    case atlas
    case golangMigrate = "golang-migrate"

    /// Returns the text of a file for this program.
    func text(of file: ServerFile) -> String {
        switch self {
        case .flyway: file.textWithoutTransaction ?? file.text
        case .atlas: file.textWithoutTransaction ?? "-- atlas:txmode none\n\n" + file.text
        case .golangMigrate: file.text
        }
    }

    /// Returns the settings of a file, which Flyway reads from a file beside it; nil if it needs none.
    func settings(of file: ServerFile) -> String? {
        guard self == .flyway else { return nil }
        var lines: [String] = []
        if file.textWithoutTransaction == nil { lines.append("executeInTransaction=false\n") }
        if file.text.contains("${") { lines.append("placeholderReplacement=false\n") }
        return lines.isEmpty ? nil : lines.joined()
    }

    /// Returns the name of a file.
    func name(number: String, title: String) -> String {
        switch self {
        case .flyway: "V\(number)__\(title).sql"
        case .atlas: "\(number)_\(title).sql"
        case .golangMigrate: "\(number)_\(title).up.sql"
        }
    }

    /// Returns the number of a file; nil if this program would not run it.
    func number(of name: String) -> String? {
        let (prefix, suffix) =
            switch self {
            case .flyway: ("V", ".sql")
            case .atlas: ("", ".sql")
            case .golangMigrate: ("", ".up.sql")
            }
        guard name.hasPrefix(prefix), name.hasSuffix(suffix) else { return nil }
        // A version such as 1.2 or 1_2 counts as 1.
        let number = name.dropFirst(prefix.count).prefix { $0.isASCII && $0.isNumber }
        return number.isEmpty ? nil : String(number)
    }
}
