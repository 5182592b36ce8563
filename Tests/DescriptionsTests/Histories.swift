import SchemaDiff
import SchemaModel
import Testing

@testable import Descriptions

/// Reads descriptions. The keys of `files` are file names without an extension, and `settings` is the text of
/// `strata.json`.
func describe(_ files: [String: String], settings: String? = nil) throws -> ValidatedDescriptions {
    func source(_ path: String, _ text: String) -> SourceFile { SourceFile(path: path, bytes: Array(text.utf8)) }
    var versions: VersionSettings?
    if let settings {
        var reader = try ConfigurationReader.read(source("strata.json", settings))
        versions = reader.versions()
    }
    return ValidatedDescriptions(
        reading: files.map { source($0.key + ".json", $0.value) }, folder: "Model", schema: "TestSchema",
        settings: versions)
}

extension ValidatedDescriptions {
    /// The diagnostics, without the notes for versions in which nothing changes. `book` has one.
    var messages: [String] {
        diagnostics.filter { if case .itemWithoutEffect = $0.problem { false } else { true } }.map(\.description)
    }
}

/// The history of valid descriptions. The test fails if they have diagnostics.
func history(_ files: [String: String], settings: String? = nil) throws -> SchemaHistory {
    let descriptions = try describe(files, settings: settings)
    #expect(descriptions.messages == [])
    return try #require(descriptions.history)
}

/// The logical lines of each version's entities and subtypes, by the text of the version.
func lines(_ files: [String: String]) throws -> [String: [String]] {
    let history = try history(files)
    return Dictionary(
        history.versions.map { ($0.version.text, $0.logicalLines) }, uniquingKeysWith: { first, _ in first })
}

/// A description of an entity `book` with these properties and this version history.
func book(
    _ properties: String, history: String = #"{ "version": "1.0" }, { "version": "2.0" }"#, more: String = ""
) -> String {
    """
    { "name": "book", "version_history": [\(history)], "identifier": { "type": "int" }, \(more)
      "properties": [\(properties)] }
    """
}
