import Descriptions
import Foundation
import SchemaDiff
import SchemaModel
import StoreCommands
import Strata
import Testing

extension SchemaDefinition {
    /// The schema up to the version at index `newest`, as an older app knows it.
    func upTo(_ newest: Int) -> SchemaDefinition {
        SchemaDefinition(name, versions: Array(versions.prefix(newest + 1)), steps: Array(steps.prefix(newest)))
    }
}

/// Creates a store of the first version, and runs the SQL `rows` in it.
func makeStore(at url: URL, _ schema: SchemaDefinition, rows: String) throws {
    _ = try Store(at: url, definition: schema.upTo(0))
    try Connection(path: url.path, mode: .readWrite).execute(rows)
}

/// Reads the schema history from the texts of descriptions.
func history(_ files: [String]) throws -> SchemaHistory {
    let sources = files.enumerated().map { SourceFile(path: "File\($0).json", bytes: Array($1.utf8)) }
    let descriptions = ValidatedDescriptions(reading: sources, folder: "Model", schema: "TestSchema")
    #expect(descriptions.diagnostics.filter { $0.severity == .error }.map(\.description) == [])
    return try #require(descriptions.history)
}

/// Formats a value for a comparison with an expected answer.
func text(_ value: SQLiteValue) -> String {
    switch value {
    case .null: "NULL"
    case .integer(let value): String(value)
    case .real(let value): String(value)
    case .text(let value): "'\(value)'"
    case .blob(let value): value.map { String(format: "%02x", $0) }.joined()
    }
}
