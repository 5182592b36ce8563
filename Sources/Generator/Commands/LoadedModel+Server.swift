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
        } catch let error as ServerExpression.Unsupported {
            throw CommandError.noServerEquivalent(folder.path, error)
        }
    }

    /// The folder of the SQL that you write for the custom migration of a step.
    func serverMigrations(of step: SchemaStep) -> URL {
        folder.folder(.migrations).appendingPathComponent(
            "postgresql/\(step.from.version.text)-\(step.to.version.text)", isDirectory: true)
    }

    /// Reads the SQL that you have written for the custom migration of a step.
    private func serverInstructions(of step: SchemaStep) -> ServerInstructions? {
        guard step.isCustom else { return nil }
        let folder = serverMigrations(of: step)
        func text(_ name: String) -> String? {
            (try? String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)).map(
                ServerInstructions.statement)
        }
        var instructions = ServerInstructions()
        for table in step.to.serverTables {
            instructions.functions[table.name] = text(table.name + ".sql")
            instructions.copies[table.name] = text(table.name + ".copy.sql")
        }
        instructions.contract = text("contract.sql")
        return instructions
    }
}
