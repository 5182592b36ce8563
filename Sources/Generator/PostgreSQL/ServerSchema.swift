import SchemaDiff
import SchemaModel
import SQLSchema

/// The SQL of a schema for a PostgreSQL server: all versions, and the steps between them.
package struct ServerSchema: Sendable {
    /// A step with its scripts.
    package struct Step: Sendable {
        package let step: ServerStep
        package let fingerprint: String
        package let scripts: [ServerScript]
    }

    /// The script that creates a database of each version.
    package let versions: [(version: String, fingerprint: String, script: ServerScript)]
    /// The steps, oldest first.
    package let steps: [Step]

    /// Creates the SQL of a schema.
    ///
    /// - Parameters:
    ///   - history: The schema.
    ///   - instructions: The SQL that you have written for a step.
    /// - Throws: `ServerExpression.Unsupported` if an expression has no equivalent in PostgreSQL.
    package init(
        _ history: SchemaHistory, instructions: (SchemaStep) -> ServerInstructions? = { _ in nil }
    ) throws(ServerExpression.Unsupported) {
        var versions: [(String, String, ServerScript)] = []
        for version in history.versions {
            versions.append(
                (version.version.text, version.fingerprint.description, try ServerScript(version, of: history.name)))
        }
        self.versions = versions
        var steps: [Step] = []
        for step in history.steps {
            let server = try ServerStep(step, instructions: instructions(step))
            let earlier = steps.filter { !$0.step.tables.isDisjoint(with: server.tables) }.map(\.step.to)
            steps.append(
                Step(
                    step: server, fingerprint: step.to.fingerprint.description,
                    scripts: ServerScript.scripts(
                        server, after: earlier, from: step.from, to: step.to, of: history.name)))
        }
        self.steps = steps
    }
}

/// A file of SQL for a server, which `psql` can run.
package struct ServerScript: Hashable, Sendable {
    /// The name of the file: `01-expand.sql`.
    package let name: String
    package let phase: ServerPhase?
    package let mode: ServerFile.Mode
    /// The table whose rows the file changes in batches.
    package private(set) var backfilledTable: String?
    /// The comment at the beginning.
    private let comment: String
    /// The statements before the first one, which set time limits.
    package let settings: [String]
    /// The statements, without semicolons.
    package let statements: [String]

    /// The complete text of the file.
    package var text: String { text(of: mode == .single ? statements : ["BEGIN"] + statements + ["COMMIT"]) }

    /// The text for a program that begins and ends the transaction itself.
    package var textWithoutTransaction: String { text(of: statements) }

    /// The texts for a program that sends each file as one command. All but the first one consist of one statement, because
    /// PostgreSQL runs several statements of a command in one transaction.
    package var commands: [String] {
        guard mode == .single else { return [text] }
        return [text(of: Array(statements.prefix(1)))] + statements.dropFirst().map { comment + $0 + ";\n" }
    }

    private func text(of statements: [String]) -> String {
        comment + (settings + statements).map { $0 + ";\n" }.joined()
    }

    /// The limits of the time for which a statement waits for a lock, and runs.
    private static func settings(_ mode: ServerFile.Mode, _ phase: ServerPhase? = nil) -> [String] {
        let limit = mode != .transaction ? "0" : phase == .contract ? "10min" : "10s"
        // The creation of an index waits for transactions that are running, and lets others write meanwhile.
        let wait = mode == .single && phase != .backfill ? "60s" : "200ms"
        return ["SET lock_timeout = '\(wait)'", "SET statement_timeout = '\(limit)'"]
    }

    /// Creates the script of a version for an empty database.
    init(_ version: ModelVersion, of schema: String) throws(ServerExpression.Unsupported) {
        let name = version.version.text
        let tables = version.serverTables
        var statements = ServerHistory.statements
        statements.append(
            """
            DO $strata$ BEGIN
                IF strata_version() IS NOT NULL THEN
                    RAISE EXCEPTION 'strata: the database already has version %', strata_version();
                END IF;
            END $strata$
            """)
        let collations = Set(tables.flatMap { $0.table.columns.compactMap(\.collation) })
        statements += Collation.allCases.filter(collations.contains).compactMap(PostgreSQL.create)
        for table in tables {
            statements.append(try PostgreSQL.createTable(table))
            for index in table.table.indexes {
                statements.append(try PostgreSQL.createIndex(index, on: table, concurrently: false))
            }
        }
        statements += PostgreSQL.distribute(tables.filter { $0.distribution != nil })
        for table in tables {
            for key in table.table.foreignKeys {
                statements.append(
                    "ALTER TABLE \(PostgreSQL.quoted(table.name)) ADD \(PostgreSQL.constraint(key, in: table))")
            }
        }
        statements.append(
            "INSERT INTO strata_history (from_version, to_version, fingerprint, phase, file, finished) "
                + "VALUES ('', \(SQL.literal(name)), \(SQL.literal(version.fingerprint.description)), 'create', "
                + "\(SQL.literal(name + ".sql")), now())")
        self.name = name + ".sql"
        phase = nil
        mode = .transaction
        comment = "-- Generated by Strata: an empty database of version \(name) of \(schema).\n"
        settings = Self.settings(.transaction)
        self.statements = statements
    }

    private init(_ file: ServerFile, named name: String, _ comment: String, _ statements: [String]) {
        self.name = name
        phase = file.phase
        mode = file.mode
        self.comment = comment
        settings = Self.settings(file.mode, file.phase)
        self.statements = statements
        for case .backfill(let backfill) in file.statements { backfilledTable = backfill.table }
    }

    /// Returns the scripts of a step.
    ///
    /// - Parameter earlier: The versions of earlier steps that change the same tables.
    static func scripts(
        _ step: ServerStep, after earlier: [String], from: ModelVersion, to: ModelVersion, of schema: String
    ) -> [ServerScript] {
        let versions = [step.from, step.to].map { SQL.literal($0) }.joined(separator: ", ")
        let fingerprints = [from, to].map { SQL.literal($0.fingerprint.description) }.joined(separator: ", ")
        let digits = max(2, String(step.files.count).count)
        let names = step.files.enumerated().map { place, file in
            let number = String(place + 1)
            let zeros = String(repeating: "0", count: digits - number.count)
            return ([zeros + number, file.phase.rawValue] + [file.subject].compactMap(\.self)).joined(separator: "-")
                + ".sql"
        }
        let finished = "ARRAY[\(earlier.map { SQL.literal($0) }.joined(separator: ", "))]::text[]"
        return step.files.enumerated().map { place, file in
            let name = names[place]
            let literal = SQL.literal(name)
            let isLast = !step.files[(place + 1)...].contains { $0.phase == file.phase }
            let mark: String? =
                switch file.phase {
                case .validate where isLast: "ready"
                case .contract where isLast: "contracted"
                default: nil
                }
            let index = file.index.map { SQL.literal(PostgreSQL.quoted($0)) }
            var arguments = mark.map { ", '\($0)'" } ?? ""
            if let index { arguments = ", \(mark.map { SQL.literal($0) } ?? "NULL"), \(index)" }
            let finish: [String] =
                // The backfill marks its file as finished.
                file.phase == .backfill ? [] : ["SELECT strata_finish(\(versions), \(literal)\(arguments))"]
            let statements =
                [
                    "SELECT strata_begin(\(versions), \(fingerprints), '\(file.phase.rawValue)', \(literal), "
                        + "\(SQL.literal(place == 0 ? "" : names[place - 1])), \(finished))"
                ]
                + file.statements.map { statement in
                    switch statement {
                    case .sql(let text): text
                    case .backfill(let backfill): backfill.statement(versions, literal)
                    }
                }
                + finish
            let comment =
                "-- Generated by Strata: \(schema), step \(step.from) to \(step.to), phase \(file.phase.rawValue).\n"
            return ServerScript(file, named: name, comment, statements)
        }
    }
}
