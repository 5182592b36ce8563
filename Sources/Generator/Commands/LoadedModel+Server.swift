import Foundation
import PostgreSQL
import SchemaDiff

extension LoadedModel {
    /// The SQL of the model for a PostgreSQL server.
    ///
    /// - Throws: `CommandError.noServerEquivalent` if an expression has no equivalent in PostgreSQL.
    package func serverSchema() throws -> ServerSchema {
        do {
            return try ServerSchema(history) { serverInstructions(of: $0) }
        } catch {
            throw CommandError.noServerEquivalent(folder.path, error)
        }
    }

    /// The folder of the SQL that you write for the custom migration of a step.
    package func serverMigrations(from: String, to: String) -> URL {
        folder.folder(.migrations).appendingPathComponent("postgresql/\(from)-\(to)", isDirectory: true)
    }

    /// Reads the SQL that you have written for the custom migration of a step.
    private func serverInstructions(of step: SchemaStep) -> ServerInstructions? {
        guard step.isCustom else { return nil }
        let folder = serverMigrations(from: step.from.version.text, to: step.to.version.text)
        var files: [String: String] = [:]
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [] {
            files[name] = try? String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
        }
        return ServerInstructions(files: files)
    }
}
