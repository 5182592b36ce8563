import Documents
import Generation
import SchemaModel
import Templates

extension LoadedModel {
    /// Returns the facts about the model for a schema page.
    package func document(_ progress: ProgressLine? = nil) throws -> SchemaDocument {
        try document(generator(), progress)
    }

    /// Returns the facts about the model for a schema page. `generator` renders the SQL of its steps.
    func document(_ generator: Generator, _ progress: ProgressLine? = nil) throws -> SchemaDocument {
        let total = history.steps.count
        return try SchemaDocument(history, released: sealing.count) { step in
            progress?.advance(of: total)
            return try generator.rendered([generator.sql(of: step)])[0].contents
        }
    }

    /// The names of the documents.
    static let documentNames = ["Schema.html", "SCHEMA.md"]

    /// Returns the schema page, and its text in Markdown.
    func documents(_ generator: Generator) throws -> [GeneratedFile] {
        let document = try document(generator)
        let texts = [try SchemaPage(document, .builtIn()).html, SchemaMarkdown(document).text]
        return zip(Self.documentNames, texts).map { GeneratedFile(place: .model, name: $0, contents: $1) }
    }
}

extension SchemaPage.Assets {
    /// Reads the parts of a page that come with Strata.
    package static func builtIn() throws -> Self {
        let parts = try Templates.document()
        return Self(page: parts.page, style: parts.style, script: parts.script)
    }
}
