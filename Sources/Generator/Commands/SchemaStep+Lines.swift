import SchemaDiff

extension SchemaStep {
    /// The changes of the step as lines, after a line with its versions. The last line is about the apps that can use the
    /// store afterwards.
    ///
    /// - Parameter console: The console that prints the lines, for their style.
    package func lines(for console: Console) -> [String] {
        let title = "\(from.version) -> \(to.version)\(isCustom ? ": needs a custom migration" : "")"
        let lines = changes.map { change in
            let handling = change.handling.rawValue
            let padding = String(repeating: " ", count: max(0, 10 - handling.count))
            let reason = reason(for: change).map { " (\($0))" } ?? ""
            let shown = console.styled(handling, change.handling == .inferred ? .plain : .warning)
            return "  \(shown)\(padding)  \(subject(of: change)): \(text(of: change))\(reason)"
        }
        return [title] + (lines.isEmpty ? ["  nothing changes"] : lines) + ["  " + compatibilityText]
    }
}
