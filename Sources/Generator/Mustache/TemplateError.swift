/// An error in a template.
package struct TemplateError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The template's name.
    package var template: String
    /// The number of the line. The first line is 1.
    package var line: Int
    /// The number of the column, in bytes of UTF-8. The first column is 1.
    package var column: Int
    /// The problem.
    package var message: String

    /// The error as `template:line:column: error: message`.
    package var description: String { "\(template):\(line):\(column): error: \(message)" }
}
