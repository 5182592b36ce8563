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
        return try SchemaDocument(history, released: sealedCount) { step in
            progress?.advance(of: total)
            return try generator.sql(of: step)
        }
    }
}

extension SchemaPage.Assets {
    /// Reads the parts of a page that come with Strata.
    package static func builtIn() throws -> Self {
        let parts = try Templates.document()
        return Self(page: parts.page, style: parts.style, script: parts.script)
    }
}
