import SchemaDiff
import SchemaModel
import Testing

@testable import Descriptions

/// What descriptions say; a file is called by its key, and `strata.json` says `settings`.
func describe(_ files: [String: String], settings: String? = nil) throws -> Descriptions {
    func source(_ path: String, _ text: String) -> SourceFile { SourceFile(path: path, bytes: Array(text.utf8)) }
    var versions: VersionSettings?
    if let settings {
        var reader = try ConfigurationReader.read(source("strata.json", settings))
        versions = reader.versions()
    }
    return Descriptions(
        reading: files.map { source($0.key + ".json", $0.value) }, folder: "Model", schema: "TestSchema",
        settings: versions)
}

/// The history that descriptions tell, where there is nothing to say of them.
func history(_ files: [String: String], settings: String? = nil) throws -> SchemaHistory {
    let descriptions = try describe(files, settings: settings)
    #expect(descriptions.diagnostics.map(\.description) == [])
    return try #require(descriptions.history)
}

/// The logical lines of the entities and subtypes of each version, by its text.
func lines(_ files: [String: String]) throws -> [String: [String]] {
    let history = try history(files)
    return Dictionary(
        history.versions.map { ($0.version.text, $0.logicalLines) }, uniquingKeysWith: { first, _ in first })
}

/// The description of `book`.
func book(
    _ properties: String, history: String = #"{ "version": "1.0" }, { "version": "2.0" }"#, more: String = ""
) -> String {
    """
    { "name": "book", "version_history": [\(history)], "identifier": { "type": "int" }, \(more)
      "properties": [\(properties)] }
    """
}
