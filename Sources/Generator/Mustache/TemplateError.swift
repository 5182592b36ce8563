/// What is wrong with a template, or with a name in it.
public struct TemplateError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The template's name.
    public var template: String
    /// The line, from 1.
    public var line: Int
    /// The column in bytes of UTF-8, from 1.
    public var column: Int
    /// What is wrong.
    public var message: String

    /// `template:line:column: error: message`.
    public var description: String { "\(template):\(line):\(column): error: \(message)" }
}
