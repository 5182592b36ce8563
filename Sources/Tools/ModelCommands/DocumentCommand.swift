import Commands
import Documents
import Foundation
import Generation
import SchemaModel
import Templates

/// Writes the schema page of a model, or its text in Markdown.
struct DocumentCommand {
    private let folder: ModelFolder
    private let file: URL
    private let format: Format
    /// The version that a picture is compared with; nil for none.
    private let earlier: Version?

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
        earlier = try arguments.option("--since").map { text in
            guard let version = Version(text) else { throw CommandError.usage("\(text) is not a version") }
            return version
        }
        if earlier != nil, format != .svg {
            throw CommandError.usage("--since is for .svg; the page compares any two versions")
        }
        folder = try arguments.model(at: path)
    }

    func run(_ console: Console) throws {
        let line = console.progress("documenting", unit: "steps")
        defer { line.end() }
        let model = try folder.loaded()
        let versions = model.history.versions.map(\.version)
        let index = try earlier.map { earlier in
            guard let index = versions.firstIndex(of: earlier) else {
                throw CommandError.noVersion(earlier.text, known: versions.map(\.text))
            }
            return index
        }
        let document = try model.document(line)
        let text =
            switch format {
            case .html: try SchemaPage(document, .builtIn()).html
            case .md: SchemaMarkdown(document).text
            case .svg: DiagramImage(document, since: index).svg
            }
        try FileWriter.write(text, to: file)
        line.end()
        console.say("wrote \(file.path)")
    }
}
