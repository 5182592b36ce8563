import Documents
import Foundation
import Templates

/// Writes the schema page of a model, or its text in Markdown.
struct DocumentCommand {
    private let folder: ModelFolder
    private let file: URL
    private let format: Format

    /// The formats of a document, by the suffixes of their files.
    private enum Format: String, CaseIterable {
        case html, md, svg
    }

    init(_ arguments: Arguments) throws {
        let paths = try arguments.modelPaths()
        guard let path = paths.first, paths.count == 1 else {
            throw CommandError.usage("document takes the folder of one model")
        }
        file = URL(fileURLWithPath: try arguments.value("--to"))
        guard let format = Format(rawValue: file.pathExtension.lowercased()) else {
            throw CommandError.usage("--to takes a file that ends in .html, .md or .svg")
        }
        self.format = format
        folder = try arguments.model(at: path)
    }

    func run(_ console: Console) throws {
        let line = console.progress("documenting", unit: "steps")
        defer { line.end() }
        let document = try LoadedModel(reading: folder).document(line)
        let text =
            switch format {
            case .html: try SchemaPage(document, .builtIn()).html
            case .md: SchemaMarkdown(document).text
            case .svg: DiagramImage(document).svg
            }
        try FileWriter.write(text, to: file)
        line.end()
        console.say("wrote \(file.path)")
    }
}

extension LoadedModel {
    /// Returns the facts about the model for a schema page.
    package func document(_ progress: ProgressLine? = nil) throws -> SchemaDocument {
        let generator = try generator()
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
