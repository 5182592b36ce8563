/// An error in a template.
package struct TemplateError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The template's name.
    package var template: String
    /// The line, from 1.
    package var line: Int
    /// The column in bytes of UTF-8, from 1.
    package var column: Int
    /// The problem.
    package var message: String

    /// `template:line:column: error: message`.
    package var description: String { "\(template):\(line):\(column): error: \(message)" }
}
