import Foundation
import PostgreSQL
import SchemaDiff

extension LoadedModel {
    /// The SQL of the model for a PostgreSQL server.
    ///
    /// - Throws: `CommandError` if an expression has no equivalent in PostgreSQL, or a custom migration ends the transaction.
    package func serverSchema() throws -> ServerSchema {
        var texts: [StepVersions: String] = [:]
        for step in history.steps where step.isCustom {
            let file = serverMigration(from: step.from.version.text, to: step.to.version.text)
            guard let text = try? String(contentsOf: file, encoding: .utf8) else { continue }
            if let statement = ServerMigration.ownTransaction(in: text) {
                throw CommandError.message(
                    "\(file.path): error: \(statement) is not allowed here: 2-offline.sql runs all statements in one "
                        + "transaction; remove it")
            }
            texts[step.ends] = text
        }
        do {
            return try ServerSchema(history) { texts[$0.ends] }
        } catch {
            throw CommandError.noServerEquivalent(folder.path, error)
        }
    }

    /// The file with the SQL that you write for the custom migration of a step.
    package func serverMigration(from: String, to: String) -> URL {
        folder.folder(.migrations).appendingPathComponent("postgresql/\(from)-\(to).sql")
    }
}
