import Mustache

/// The reference of the values of all templates, which `strata templates --values` prints. It is made from the tables by which
/// the values are passed.
package enum TemplateReference {
    /// The templates, with what they render.
    private static let templates: [(name: String, contents: String, values: any TemplateValues.Type)] = [
        ("Entity.swift", "The newest struct of an entity.", EntityFile.self),
        ("EntityHistory.swift", "The superseded structs of an entity.", EntityFile.self),
        ("Subtype.swift", "The newest type of a subtype.", SubtypeFile.self),
        ("SubtypeHistory.swift", "The superseded types of a subtype.", SubtypeFile.self),
        (
            "NotStored.swift", "The file of a build for a description that has nothing for it.", NotStoredFile.self
        ),
        ("Schema.swift", "The type of the schema.", SchemaFile.self),
        ("Migrations.swift", "The protocols of the custom migrations, and what these use.", MigrationsFile.self),
        ("MigrationStub.swift", "The stub of a custom migration.", MigrationStubFile.self),
        ("Tests.swift", "The tests of a model.", TestsFile.self),
        ("Samples.swift", "Rows with sample values.", SamplesFile.self),
        ("Version.sql", "The DDL of one version.", VersionSQLFile.self),
        ("Step.sql", "The statements of one step.", StepSQLFile.self),
        ("Entity+NAME.swift", "One more file for each entity of the newest version.", EntityFile.self),
        ("Subtype+NAME.swift", "One more file for each subtype of the newest version.", SubtypeFile.self),
        ("Schema+NAME.swift", "One more file for the schema.", NewestTypes.self),
    ]

    /// The text, in Markdown.
    package static var text: String {
        var text = """
            # The values of the templates

            Each template renders the values below. A name with `*` is a list, or nothing if the list is empty; a name with `?` is true
            or absent; any other name is text, an object, or absent. Each object in a list also has `isFirst?` and `isLast?`.
            `documentation*` has the lines of a doc comment. A literal is complete Swift source, and a name that is a keyword has
            backticks.

            The templates that are not listed are partials: they render the values of the template that includes them.
            `EntityExtras.swift` is empty. What you write there is added to each newest struct, and can use the values of its element
            of `shapes`.

            The last three templates are yours: NAME consists of letters, digits and underscores, and there may be any number of them.

            """
        var described: [ObjectIdentifier: String] = [:]
        for (name, contents, values) in templates {
            text += "\n## \(name)\n\n\(contents)\n\n"
            if let other = described[ObjectIdentifier(values)] {
                text += "Its values are those of `\(other)`.\n"
            } else {
                described[ObjectIdentifier(values)] = name
                text += lines(values, described, indentation: "", inside: []).map { $0 + "\n" }.joined()
            }
        }
        return text
    }

    /// Returns the lines for the values of a type.
    ///
    /// - Parameters:
    ///   - described: The templates that have been described, by their values.
    ///   - path: The types of the values that contain these. The values of one of them are not repeated.
    private static func lines<Values: TemplateValues>(
        _ values: Values.Type, _ described: [ObjectIdentifier: String], indentation: String,
        inside path: [ObjectIdentifier]
    ) -> [String] {
        Values.fields.flatMap { field -> [String] in
            var mark = ""
            var parts: (any TemplateValues.Type)?
            switch field.form {
            case .text: break
            case .flag: mark = "?"
            case .texts: mark = "*"
            case .list(let type): (mark, parts) = ("*", type)
            case .object(let type): parts = type
            }
            let line = "\(indentation)- `\(field.name)\(mark)`: \(field.documentation)"
            guard let parts, !path.contains(ObjectIdentifier(parts)), parts != values else { return [line] }
            if let template = described[ObjectIdentifier(parts)], parts != values {
                return ["\(line), each with the values of `\(template)`"]
            }
            return [line]
                + lines(parts, described, indentation: indentation + "  ", inside: path + [ObjectIdentifier(values)])
        }
    }
}
