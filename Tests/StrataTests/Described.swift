import Descriptions
import Foundation
import SchemaModel
import StoreCommands
import Strata
import Testing

/// The schema whose versions are those of a history.
typealias Described = DescribedSchema

/// The schema as an app knew it whose newest version was that at `newest`.
private enum Past: Schema {
    @TaskLocal static var newest = 0
    static var name: String { Described.name }
    static var fingerprint: UInt64 { versions.last?.fingerprint ?? 0 }
    static var versions: [Strata.SchemaVersion] { Array(Described.versions.prefix(newest + 1)) }
    static var steps: [MigrationStep] { Array(Described.steps.prefix(newest)) }
}

/// Makes the store that an app of the version at that place left behind, with `rows`.
func makeStore(at url: URL, version: Int, rows: String) throws {
    try openStore(at: url, version: version)
    try Connection(path: url.path, mode: .readWrite).execute(rows)
}

/// Opens a store as an app of the version at that place does.
func openStore(at url: URL, version: Int, options: StoreOptions = StoreOptions()) throws {
    try Past.$newest.withValue(version) { _ = try Store(at: url, schema: Past.self, options: options) }
}

/// The history that descriptions tell.
func history(_ files: [String]) throws -> SchemaHistory {
    let sources = files.enumerated().map { SourceFile(path: "File\($0).json", bytes: Array($1.utf8)) }
    let descriptions = Descriptions(reading: sources, folder: "Model", schema: "TestSchema")
    #expect(descriptions.diagnostics.filter { $0.severity == .error }.map(\.description) == [])
    return try #require(descriptions.history)
}

/// A value as SQL says it.
func text(_ value: SQLiteValue) -> String {
    switch value {
    case .null: "NULL"
    case .integer(let value): String(value)
    case .real(let value): String(value)
    case .text(let value): "'\(value)'"
    case .blob(let value): value.map { String(format: "%02x", $0) }.joined()
    }
}
