import Foundation
import Mustache

/// The schema page: one HTML file with its style, its script and the facts about a schema.
package struct SchemaPage: Sendable {
    /// The parts of a page, from `Templates/Document`.
    package struct Assets: Sendable {
        let page: String
        let style: String
        let script: String

        /// Creates the parts of a page.
        ///
        /// - Parameters:
        ///   - page: The template of the page, in Mustache.
        ///   - style: The style sheet.
        ///   - script: The script.
        package init(page: String, style: String, script: String) {
            self.page = page
            self.style = style
            self.script = script
        }
    }

    /// The text of the page.
    package let html: String

    /// Creates the page of a document.
    ///
    /// - Throws: `TemplateError` if the template of the page is wrong.
    package init(_ document: SchemaDocument, _ assets: Assets) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        // A `<` could end the script element that contains the data.
        let data = String(decoding: try encoder.encode(document), as: UTF8.self)
            .replacingOccurrences(of: "<", with: "\\u003c")
        html = try Renderer(["page": assets.page], escaping: .html).render(
            "page",
            [
                "schema": .text(document.schema), "style": .text(assets.style), "script": .text(assets.script),
                "data": .text(data),
            ])
    }
}
