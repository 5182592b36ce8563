/// A part of a template.
indirect enum Token: Sendable {
    /// Literal text.
    case text(String)
    /// `{{name}}`, `{{{name}}}` or `{{&name}}`.
    case variable(Name, isEscaped: Bool)
    /// `{{#name}} … {{/name}}`, or `{{^name}} … {{/name}}`.
    case section(Name, isInverted: Bool, [Token])
    /// `{{>name}}`, with the white space before it if the tag is alone on its line.
    case partial(Name, indentation: String)
}

/// A name in a tag, with its parts and its position. The name `.` has no parts. Rendering copies names often, so it is a
/// class.
final class Name: Sendable {
    let text: String
    let parts: [String]
    let line: Int
    let column: Int

    init(_ text: String, line: Int, column: Int) {
        self.text = text
        self.parts = text == "." ? [] : text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        self.line = line
        self.column = column
    }
}
