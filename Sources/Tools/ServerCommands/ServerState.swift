import Commands
import Foundation
import PostgreSQL

/// The files of a schema that a database on a server has run.
struct ServerState {
    /// A step of which some files have run.
    struct Step: Hashable {
        let from: String
        let to: String
    }

    /// The version whose apps can use the database, with its fingerprint; nil if the database is empty.
    private(set) var current: (version: String, fingerprint: String)?
    /// The names of the finished files, by step.
    private var finished: [Step: Set<String>] = [:]
    /// The marks of the steps: `ready`, `contracted`.
    private var marks: [Step: Set<String>] = [:]

    /// Reads the state.
    ///
    /// - Throws: `CommandError` if the database has tables of something else.
    init(reading connection: ServerConnection) throws {
        guard try connection.value("SELECT to_regclass('strata_history')") != nil else {
            let tables = try connection.rows(
                "SELECT quote_ident(relname) FROM pg_class WHERE relnamespace = current_schema()::regnamespace "
                    + "AND relkind IN ('r', 'p', 'v', 'm', 'f') ORDER BY relname"
            ).compactMap { $0[0] }
            guard tables.isEmpty else {
                throw CommandError.elsewhere(
                    "error: the database has tables that Strata did not create: "
                        + tables.prefix(5).joined(separator: ", ") + (tables.count > 5 ? " and others" : "")
                        + "; use an empty database, or an empty schema with ?options=-csearch_path%3DNAME")
            }
            return
        }
        let rows = try connection.rows(
            "SELECT from_version, to_version, fingerprint, phase, file, finished FROM strata_history ORDER BY id")
        for row in rows {
            guard let from = row[0], let to = row[1], let fingerprint = row[2], let phase = row[3], let file = row[4]
            else { continue }
            let step = Step(from: from, to: to)
            switch phase {
            case "create": current = (to, fingerprint)
            case "ready":
                current = (to, fingerprint)
                marks[step, default: []].insert(phase)
            case "contracted": marks[step, default: []].insert(phase)
            default: if row[5] != nil { finished[step, default: []].insert(file) }
            }
        }
    }

    /// Creates the state of a database that has run some files of a schema.
    ///
    /// - Parameter hasRun: Returns whether a file has run.
    init(of schema: ServerSchema, hasRun: (DeploymentPlan.Task) -> Bool) {
        for version in schema.versions where hasRun(DeploymentPlan.Task(step: nil, script: version.script)) {
            current = (version.version, version.fingerprint)
        }
        for step in schema.steps {
            let key = Step(from: step.step.from, to: step.step.to)
            let files = step.scripts.filter { hasRun(DeploymentPlan.Task(step: key, script: $0)) }
            finished[key] = Set(files.map(\.name))
            let left = step.scripts.filter { !isFinished($0.name, of: key) }
            guard left.allSatisfy({ $0.phase == .contract }) else { continue }
            current = (key.to, step.fingerprint)
            marks[key] = left.isEmpty ? ["ready", "contracted"] : ["ready"]
        }
    }

    /// Whether the phase `contract` of a step has not run.
    var hasOldParts: Bool { marks.contains { $0.value.contains("ready") && !$0.value.contains("contracted") } }

    func isReady(_ step: Step) -> Bool { marks[step]?.contains("ready") == true }

    func isContracted(_ step: Step) -> Bool { marks[step]?.contains("contracted") == true }

    func isFinished(_ file: String, of step: Step) -> Bool { finished[step]?.contains(file) == true }
}
