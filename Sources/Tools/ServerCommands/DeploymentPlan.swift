import Commands
import PostgreSQL
import SchemaModel

/// The scripts that `strata deploy` runs, and the reasons why it does not run more.
struct DeploymentPlan {
    /// A script to run.
    struct Task: Hashable {
        /// The step; nil to create an empty database.
        let step: ServerState.Step?
        let script: ServerScript
    }

    /// The version that the database has; nil if it is empty.
    let before: String?
    private(set) var tasks: [Task] = []
    /// The version that apps can use after the tasks.
    private(set) var after: String
    /// The reasons for which other scripts have to wait.
    private(set) var notes: [String] = []

    /// Plans the deployment of a schema.
    ///
    /// - Parameters:
    ///   - schema: The schema.
    ///   - state: The state of the database.
    ///   - oldestClient: The oldest version of which an app may still write; nil if that is unknown.
    ///   - lastPhase: The last phase to run.
    /// - Throws: `CommandError` if the database does not have a version of the schema.
    init(
        _ schema: ServerSchema, _ state: ServerState, oldestClient: Version? = nil, lastPhase: ServerPhase = .contract
    ) throws {
        guard let newest = schema.versions.last else { throw CommandError.found }
        before = state.current?.version
        guard let current = state.current else {
            tasks = [Task(step: nil, script: newest.script)]
            after = newest.version
            return
        }
        guard let known = schema.versions.first(where: { $0.version == current.version }) else {
            let isNewer =
                Version(current.version).flatMap { found in Version(newest.version).map { found > $0 } } ?? true
            throw CommandError.elsewhere(
                "error: the database has version \(current.version), "
                    + (isNewer ? "which is newer than \(newest.version), the newest one here" : "which is unknown here")
            )
        }
        guard known.fingerprint == current.fingerprint else {
            throw CommandError.elsewhere(
                "error: version \(current.version) of the database differs from version \(current.version) here: "
                    + "it was deployed from a draft, or from another branch")
        }
        after = current.version
        // The tables of steps whose old parts are still there.
        var waiting: [(step: ServerState.Step, tables: Set<String>)] = []
        var isFirst = true
        for step in schema.steps {
            let key = ServerState.Step(from: step.step.from, to: step.step.to)
            if state.isContracted(key) { continue }
            let hasBegun = state.isReady(key) || after == key.from
            guard hasBegun else { continue }
            func add(_ phases: Set<ServerPhase>) {
                for script in step.scripts {
                    guard let phase = script.phase, phases.contains(phase), phase <= lastPhase,
                        !state.isFinished(script.name, of: key)
                    else { continue }
                    tasks.append(Task(step: key, script: script))
                }
            }
            if !state.isReady(key) {
                if let other = waiting.first(where: { !$0.tables.isDisjoint(with: step.step.tables) }) {
                    notes.append(
                        "\(key.from) to \(key.to) waits, because it changes a table that \(other.step.from) to "
                            + "\(other.step.to) still has in both forms: deploy --oldest-client \(other.step.to)")
                    break
                }
                add([.expand, .backfill, .validate])
                if lastPhase < .validate { break }
                after = key.to
                if !step.step.lostColumns.isEmpty {
                    notes.append(
                        "apps of \(key.from) read NULL from rows that apps of \(key.to) have written: "
                            + step.step.lostColumns.joined(separator: ", "))
                }
                if !step.step.rewrittenTables.isEmpty {
                    notes.append(
                        "the phase contract copies tables while nothing else can use them: "
                            + step.step.rewrittenTables.joined(separator: ", "))
                }
                if !step.step.lateChanges.isEmpty {
                    notes.append(
                        "apps of \(key.to) cannot start before the phase contract: "
                            + step.step.lateChanges.joined(separator: "; "))
                }
            }
            if let oldestClient, let to = Version(key.to), oldestClient >= to, lastPhase == .contract {
                add([.contract])
            } else {
                waiting.append((key, step.step.tables))
                if isFirst {
                    notes.append(
                        "the old parts of \(key.from) stay for its apps; when none is left: "
                            + "deploy --oldest-client \(key.to)")
                }
                isFirst = false
            }
        }
    }
}
