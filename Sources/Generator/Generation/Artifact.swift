import Mustache

/// A file to generate: where it belongs, and the templates that it is rendered from, with their values.
package struct Artifact: Sendable {
    /// A template with its values.
    struct Part: Sendable {
        /// The name of the template: `Entity.swift`.
        let template: String
        let values: any TemplateValues
    }

    package let place: GeneratedFile.Place
    package let name: String
    /// The parts of the file. An empty line separates them.
    let parts: [Part]

    init(_ place: GeneratedFile.Place, _ name: String, _ template: String, _ values: any TemplateValues) {
        self.init(place, name, [Part(template: template, values: values)])
    }

    init(_ place: GeneratedFile.Place, _ name: String, _ parts: [Part]) {
        (self.place, self.name, self.parts) = (place, name, parts)
    }

    /// Renders the file.
    ///
    /// - Throws: `TemplateError` if a template is wrong.
    func rendered(_ renderer: Renderer) throws(TemplateError) -> GeneratedFile {
        var texts: [String] = []
        for part in parts { texts.append(try renderer.render(part.template, part.values.value)) }
        var text = texts.joined(separator: "\n")
        if name.hasSuffix(".swift") { text = SwiftLines.broken(text) }
        if place == .migrations { text = StubMark.marked(text) }
        return GeneratedFile(place: place, name: name, contents: text)
    }
}
